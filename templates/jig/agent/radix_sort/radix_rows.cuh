// Rows: keys that are too large to be moved in every pass, or have more bits to be sorted by than a word has. What a
// sort moves in their stead are words, of what a decomposer makes of a key, with the keys' indices as values. By these
// the host has keys and values gathered in the end (src/algorithm/radix_rows.h).
//
// Of fields with more bits than a word has there is a sort for each word, the last fields' first; each begins with the
// order that the one before has left.
#pragma once
#include <jig/agent/radix_sort/radix_sort.cuh>
#include <jig/core/iterator/items.cuh>
#include <jig/core/radix_fields.cuh>

namespace jig {

template <class Struct, class Decomposer> struct RowKeys {
  using Key = Struct;
  using Fields = fields_of<Struct, Decomposer>;
  using Bits = unsigned_of_size<(Fields::count <= 32 ? 4 : Fields::count <= 64 ? 8 : 16)>;
  using Words = IntegerKeys<Bits>;
  static_assert(Fields::count <= 8 * int(sizeof(Struct)), "a key's fields have more bits than it has itself");
  static __device__ Bits bits(const Key &key, int word) { return Bits(Decomposer()(key).word(word)); }
};

template <class Keys> constexpr bool are_rows = false;
template <class Struct, class Decomposer> constexpr bool are_rows<RowKeys<Struct, Decomposer>> = true;

// Keys that are structs, of which a sort moves those of up to MostMoved bytes if one word has their fields.
template <class Struct, class Decomposer, int MostMoved> struct struct_keys {
  static constexpr bool are_moved =
      sizeof(Struct) <= MostMoved &&
      (sizeof(Struct) * 8 <= key_word_bits || fields_of<Struct, Decomposer>::count <= key_word_bits);
  using type = conditional<are_moved, FieldKeys<Struct, Decomposer>, RowKeys<Struct, Decomposer>>;
};
template <class Key, int MostMoved> struct struct_keys<Key, none, MostMoved> { using type = none; };

// A sort's inputs: the words of rows, and which rows these are.
__device__ inline uint64_t row_of(const RadixSortCall &call, uint64_t i) {
  return call.rows != nullptr ? call.rows[i] : i;
}
template <class Keys, class In, bool InOrder> struct RowWords {
  using value_type = typename Keys::Bits;
  const In &in;
  const RadixSortCall &call;

  // By a reference to what lies in memory, of which no more is read than the fields.
  __device__ value_type operator[](uint64_t i) const {
    const uint64_t row = InOrder ? row_of(call, i) : i;
    if constexpr (is_pointed<In>)
      return Keys::bits(static_cast<const typename Keys::Key *>(call.keys_in)[row], call.word);
    else if constexpr (has_references<In>) return Keys::bits(in.reference(row), call.word);
    else return Keys::bits(in[row], call.word);
  }
};
struct RowIndices {
  using value_type = uint64_t;
  const RadixSortCall &call;

  __device__ uint64_t operator[](uint64_t i) const { return row_of(call, i); }
};

// In the place of values: keys may come in any order.
struct NoOrder {};

// What a sort's agents are of: the keys and values of the call, or words and indices.
template <class SortKeys, class SortValue, class KeysInput, class ValuesInput> struct RadixInputs {
  using Keys = SortKeys;
  using Value = SortValue;
  using KeysIn = KeysInput;
  using ValuesIn = ValuesInput;
  const KeysIn &keys_in;
  const ValuesIn &values_in;
  __device__ RadixInputs(const KeysIn &keys, const ValuesIn &values, const RadixSortCall &)
      : keys_in(keys), values_in(values) {}
};
template <class Struct, class Decomposer, class SortValue, class KeysInput, class ValuesInput>
struct RadixInputs<RowKeys<Struct, Decomposer>, SortValue, KeysInput, ValuesInput> {
  using Keys = typename RowKeys<Struct, Decomposer>::Words;
  using Value = uint64_t;
  using KeysIn = RowWords<RowKeys<Struct, Decomposer>, KeysInput, !is_same<ValuesInput, NoOrder>>;
  using ValuesIn = RowIndices;
  const KeysIn keys_in;
  const ValuesIn values_in;
  __device__ RadixInputs(const KeysInput &keys, const ValuesInput &, const RadixSortCall &call)
      : keys_in{keys, call}, values_in{call} {}
};

// The agent of a kernel, with what else it is told.
template <template <class, class, class, class, class, bool...> class Agent, class Policy, class Inputs,
          bool... Choices>
using radix_agent = Agent<Policy, typename Inputs::Keys, typename Inputs::Value, typename Inputs::KeysIn,
                          typename Inputs::ValuesIn, Choices...>;

}  // namespace jig
