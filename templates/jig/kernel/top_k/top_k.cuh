// Device-wide top-k: by one block; or by one that takes a sample, a pass over the input and, if need be, a search
// by all blocks together. What is to be sorted is gathered when it is.
#pragma once
#include <jig/agent/top_k/top_k.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

struct item_place;

// Keys of a built-in type are unsigned integers to all but the iterators.
template <int Order, class Key, class Decomposer> struct top_k_base {
  using type = radix_keys<Order, unsigned_of_size<int(sizeof(Key))>, Decomposer>;
};
template <class Key, class Decomposer> struct top_k_base<OrderOfFields, Key, Decomposer> {
  using type = FieldKeys<Key, Decomposer>;
};
template <class Decomposer> struct top_k_base<OrderOfFields, item_place, Decomposer> {
  using type = PlacedKeys<Decomposer>;
};
template <int Order, class KeysIn, class Decomposer>
using top_k_keys = TopKKeys<typename top_k_base<Order, typename KeysIn::value_type, Decomposer>::type>;

}  // namespace jig
