// How a block's radix collectives see keys: numbers as their bits, structs as a decomposer says.
#pragma once
#include <jig/core/radix.cuh>

namespace jig {

// Structs as NumberKeys has numbers.
template <class Struct, class Decomposer> struct DecomposedKeys : FieldKeys<Struct, Decomposer> {
  using Bits = typename FieldKeys<Struct, Decomposer>::Bits;
  static __device__ Bits flip(bool is_descending) { return radix_flip<Bits>(false, is_descending); }
};
template <class Key, class Decomposer> struct block_radix_keys {
  using type = DecomposedKeys<Key, Decomposer>;
};
template <class Key> struct block_radix_keys<Key, none> {
  static_assert(is_number<Key>, "keys that are no numbers need a Decomposer, the last template argument");
  using type = NumberKeys<Key>;
};

}  // namespace jig
