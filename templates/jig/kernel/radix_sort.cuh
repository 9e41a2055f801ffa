// Device-wide radix sort: of few items by one block, or by a launch that counts digits and one for each pass.
#pragma once
#include <jig/core/policy.cuh>
#include <jig/core/radix.cuh>

namespace jig {

// How the keys of a sort are ordered: jig_order, and the type they are given as.
enum { OrderOfIntegers, OrderOfFloats };
template <int Order, class Key>
using radix_keys = conditional<Order == OrderOfIntegers, IntegerKeys<Key>, FloatingKeys<Key>>;

}  // namespace jig
