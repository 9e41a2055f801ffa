// What a sort by comparison moves about: keys; keys with their values beside them; or, of large values, with
// the values' places, and the values themselves are moved once, at the end.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/less.cuh>

namespace jig {

template <class T> struct Pointer;

// Records of 2, 4, 8 and 16 bytes are moved at once.
template <size_t Size, size_t Align>
constexpr size_t record_align = is_power_of_two(Size) && Size <= 16 ? Size : Align;
template <class A, class B> struct two_members { A a; B b; };
template <class A, class B>
constexpr size_t record_align_of = record_align<sizeof(two_members<A, B>), alignof(two_members<A, B>)>;

template <class Key, class Value> struct alignas(record_align_of<Key, Value>) ValueRecord {
  Key key;
  Value value;
};

// An item's index by halves, so that it does not ask for more alignment than a small key.
struct record_place { uint32_t low, high; };
template <class Key> struct alignas(record_align_of<Key, record_place>) PlaceRecord {
  Key key;
  uint32_t low, high;
};

// By words if they have no padding, otherwise by members.
template <class Key, class Value>
__device__ ValueRecord<Key, Value> choose(bool wanted, const ValueRecord<Key, Value> &a,
                                          const ValueRecord<Key, Value> &b) {
  constexpr int size = sizeof(a);
  if constexpr (sizeof(Key) + sizeof(Value) == size && size % 4 == 0 && alignof(ValueRecord<Key, Value>) >= 4)
    return choose_words<uint32_t>(wanted, a, b);
  else return {choose(wanted, a.key, b.key), choose(wanted, a.value, b.value)};
}
template <class Key>
__device__ PlaceRecord<Key> choose(bool wanted, const PlaceRecord<Key> &a, const PlaceRecord<Key> &b) {
  return {choose(wanted, a.key, b.key), wanted ? a.low : b.low, wanted ? a.high : b.high};
}

constexpr int largest_moved_value = 8;

template <class Value, bool Exists = !is_same<Value, none>> struct value_type_of { using type = none; };
template <class Value> struct value_type_of<Value, true> { using type = typename Value::value_type; };

// How records are made of inputs and taken apart for outputs.
template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut> struct SortRecords {
  using Key = typename KeysIn::value_type;
  using Value = typename value_type_of<ValuesIn>::type;
  static constexpr bool has_values = !is_same<ValuesIn, none>;
  static constexpr bool has_places = has_values && int(sizeof(Value)) > largest_moved_value;
  using Record = conditional<has_places, PlaceRecord<Key>, conditional<has_values, ValueRecord<Key, Value>, Key>>;
  // Whether the output is like any other place for records.
  static constexpr bool are_stored_whole = !has_values && is_same<KeysOut, Pointer<Key>>;

  const KeysIn &keys_in;
  const ValuesIn &values_in;
  const KeysOut &keys_out;
  const ValuesOut &values_out;

  __device__ Record load(uint64_t i) const {
    if constexpr (has_places) return {keys_in[i], uint32_t(i), uint32_t(i >> 32)};
    else if constexpr (has_values) return {keys_in[i], values_in[i]};
    else return keys_in[i];
  }

  // Large values come from `copies` if that is not NULL: a copy of the input, part of which may have been
  // written over.
  __device__ void store(uint64_t i, const Record &record, const void *copies) const {
    if constexpr (!has_values) {
      keys_out.store(i, record);
    } else {
      keys_out.store(i, record.key);
      if constexpr (has_places) {
        const uint64_t place = uint64_t(record.high) << 32 | record.low;
        values_out.store(i, copies != nullptr ? static_cast<const Value *>(copies)[place] : values_in[place]);
      } else {
        values_out.store(i, record.value);
      }
    }
  }
};

// The order of records is that of their keys.
template <class Records, class Less> struct RecordLess {
  using Record = typename Records::Record;
  Less less;
  __device__ bool operator()(const Record &a, const Record &b) const {
    if constexpr (Records::has_values) return less(a.key, b.key);
    else return less(a, b);
  }
};

}  // namespace jig
