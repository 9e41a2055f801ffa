// Device-wide radix sort: of few items by a block or cluster, or by a launch that counts digits and one for each pass.
#pragma once
#include <jig/agent/radix_sort/radix_rows.cuh>

namespace jig {

// How the keys of a sort are ordered: jig_order, and by what fields; and the largest structs that it moves.
enum { OrderOfIntegers, OrderOfFloats, OrderOfFields };
template <int Order, class Key, class Decomposer, int MostMoved = 0>
using radix_keys = conditional<
    Order == OrderOfIntegers, IntegerKeys<Key>,
    conditional<Order == OrderOfFloats, FloatingKeys<Key>, typename struct_keys<Key, Decomposer, MostMoved>::type>>;

}  // namespace jig
