// What a sort by comparison moves about: keys; keys with their values beside them; or, of large values, with
// the values' places, and the values themselves are moved once, at the end.
#pragma once
#include <jig/agent/copy/gather_places.cuh>
#include <jig/core/choose.cuh>
#include <jig/core/less.cuh>

namespace jig {

template <class T> struct Pointer;

// A value by its words, which asks for no more alignment than they do.
template <class T> struct in_words {
  array<uint32_t, sizeof(T) / 4> words;
  in_words() = default;
  __device__ in_words(const T &value) : words(bit_cast<array<uint32_t, sizeof(T) / 4>>(value)) {}
  __device__ operator T() const { return bit_cast<T>(words); }
};
template <class T> using packed_member = conditional<(alignof(T) > 4), in_words<T>, T>;

template <class A, class B> struct two_members { A a; B b; };

// Members are packed where that saves padding: a u32 with a u64 has 12 bytes. Records of 2, 4, 8 and 16 bytes are
// moved at once.
template <class A, class B> struct record_layout {
  using Packed = two_members<packed_member<A>, packed_member<B>>;
  static constexpr bool is_packed = sizeof(Packed) < sizeof(two_members<A, B>);
  using First = conditional<is_packed, packed_member<A>, A>;
  using Second = conditional<is_packed, packed_member<B>, B>;
  static constexpr int size = sizeof(two_members<First, Second>);
  static constexpr int align = is_power_of_two(size) && size <= 16 ? size : alignof(two_members<First, Second>);
};

template <class Key, class Value> struct alignas(record_layout<Key, Value>::align) ValueRecord {
  typename record_layout<Key, Value>::First key;
  typename record_layout<Key, Value>::Second value;
};

// An item's index by halves, so that it does not ask for more alignment than a small key.
struct record_place { uint32_t low, high; };
template <class Key> using PlaceRecord = ValueRecord<Key, record_place>;

// By words if they have no padding, otherwise by members.
template <class Key, class Value>
__device__ ValueRecord<Key, Value> choose(bool wanted, const ValueRecord<Key, Value> &a,
                                          const ValueRecord<Key, Value> &b) {
  constexpr int size = sizeof(a);
  if constexpr (sizeof(Key) + sizeof(Value) == size && size % 4 == 0 && alignof(ValueRecord<Key, Value>) >= 4)
    return choose_words<uint32_t>(wanted, a, b);
  else return {choose(wanted, a.key, b.key), choose(wanted, a.value, b.value)};
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
  // Whether records have bytes that nobody writes.
  static constexpr bool has_padding =
      has_values && sizeof(Record) > sizeof(Key) + (has_places ? sizeof(record_place) : sizeof(Value));
  // Whether the output is like any other place for records.
  static constexpr bool are_stored_whole = !has_values && is_same<KeysOut, Pointer<Key>>;
  // Whether they are stored by a warp each: large keys or values, of which they have the places, but none by the way
  // above.
  static constexpr bool shares = (shares_items<KeysOut> || shares_items<ValuesOut>) && !has_places;
  // Whether keys or values are too large for registers: then a sort gathers them in the end.
  static constexpr bool are_gathered = takes_places<KeysOut> || takes_places<ValuesOut>;

  // Whether keys and values may be copied to records in shared memory asynchronously.
  template <class T>
  static constexpr bool is_copied =
      (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T) && alignof(Record) >= sizeof(T);
#if __CUDA_ARCH__ >= 800
  static constexpr bool are_copied = is_copied<Key> && is_copied<Value>;
#else
  static constexpr bool are_copied = false;
#endif

  const KeysIn &keys_in;
  const ValuesIn &values_in;
  const KeysOut &keys_out;
  const ValuesOut &values_out;

  __device__ Record load(uint64_t i) const {
    if constexpr (has_places) return {keys_in[i], {uint32_t(i), uint32_t(i >> 32)}};
    else if constexpr (has_values) return {keys_in[i], values_in[i]};
    else return keys_in[i];
  }

  // What has been stored to the outputs, keys and values apart.
  __device__ Record stored(uint64_t i) const { return {keys_out[i], values_out[i]}; }
  __device__ Key stored_key(uint64_t i) const { return keys_out[i]; }

  // The same to a place in shared memory, where it is after wait_for_copies(); if are_copied.
  __device__ void copy_stored(uint64_t i, Record &to) const {
#if __CUDA_ARCH__ >= 800
    ptx::copy_async<sizeof(Key)>(&to.key, keys_out.data + i);
    ptx::copy_async<sizeof(Value)>(&to.value, values_out.data + i);
#endif
  }
  __device__ void wait_for_copies() const { ptx::wait_for_copies(); }

  // Records first .. first + count - 1 by all lanes of a warp; record_at(k) is the k-th of them.
  template <class RecordAt> __device__ void share(uint64_t first, int count, const RecordAt &record_at) const {
    if constexpr (!has_values) {
      store_by_warp(keys_out, first, count, record_at);
    } else {
      store_by_warp(keys_out, first, count, [&](int k) { return static_cast<Key>(record_at(k).key); });
      store_by_warp(values_out, first, count, [&](int k) { return static_cast<Value>(record_at(k).value); });
    }
  }

  // Large values come from `copies` if that is not NULL: a copy of the input, part of which may have been
  // written over.
  __device__ void store(uint64_t i, const Record &record, const void *copies) const {
    if constexpr (!has_values) {
      keys_out.store(i, record);
    } else {
      keys_out.store(i, record.key);
      values_out.store(i, value_of(record, copies));
    }
  }

  // Stores all records by all warps of a grid.
  template <int Threads> __device__ void Gather(const Record *sorted, uint64_t count, const void *copies) const {
    if constexpr (!has_values) {
      gather_places<Threads>(keys_out, count, [&](uint64_t i) { return sorted[i]; });
    } else {
      gather_places<Threads>(keys_out, count, [&](uint64_t i) { return static_cast<Key>(sorted[i].key); });
      gather_places<Threads>(values_out, count, [&](uint64_t i) { return value_of(sorted[i], copies); });
    }
  }

 private:
  __device__ Value value_of(const Record &record, const void *copies) const {
    if constexpr (has_places) {
      const uint64_t place = uint64_t(record.value.high) << 32 | record.value.low;
      return copies != nullptr ? static_cast<const Value *>(copies)[place] : values_in[place];
    } else {
      return static_cast<Value>(record.value);
    }
  }
};

// The order of records is that of their keys.
template <class Records, class Less> struct RecordLess {
  using Record = typename Records::Record;
  using Key = typename Records::Key;
  Less less;

  __device__ bool operator()(const Record &a, const Record &b) const {
    if constexpr (Records::has_values) return less(static_cast<const Key &>(a.key), static_cast<const Key &>(b.key));
    else return less(a, b);
  }
  // Those of an order of keys some of which are NaNs.
  __device__ bool is_nan(const Record &a) const { return less.is_nan(key_of(a)); }
  __device__ bool number_before(const Record &a, const Record &b) const {
    return less.number_before(key_of(a), key_of(b));
  }
  __device__ bool plainly_before(const Record &a, const Record &b) const {
    return less.plainly_before(key_of(a), key_of(b));
  }

 private:
  static __device__ Key key_of(const Record &record) {
    if constexpr (Records::has_values) return record.key;
    else return record;
  }
};
template <class Records, class Less>
constexpr bool is_order<RecordLess<Records, Less>, typename Records::Record> =
    is_order<Less, typename Records::Key>;
template <class Records, class Less>
constexpr bool orders_nans<RecordLess<Records, Less>, typename Records::Record> =
    orders_nans<Less, typename Records::Key>;

}  // namespace jig
