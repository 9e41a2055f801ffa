// A key with a value beside it, as one item: how what sorts items sorts keys with values.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/less.cuh>

namespace jig {

template <class Key, class Value> struct keyed {
  Key key;
  Value value;
};

// Member by member: what is between them nobody has written.
template <class Key, class Value>
__device__ keyed<Key, Value> choose(bool wanted, const keyed<Key, Value> &a, const keyed<Key, Value> &b) {
  return {choose(wanted, a.key, b.key), choose(wanted, a.value, b.value)};
}

// Keyed items by the order of their keys.
template <class Less> struct by_key {
  Less less;
  template <class Key, class Value>
  __device__ bool operator()(const keyed<Key, Value> &a, const keyed<Key, Value> &b) const {
    return less(a.key, b.key);
  }
};
template <class Less, class Key, class Value>
constexpr bool is_order<by_key<Less>, keyed<Key, Value>> = is_order<Less, Key>;

template <class Key, class Value, int N>
__device__ array<keyed<Key, Value>, N> join_keys(const array<Key, N> &keys, const array<Value, N> &values) {
  array<keyed<Key, Value>, N> items;
#pragma unroll
  for (int j = 0; j < N; ++j) items[j] = {keys[j], values[j]};
  return items;
}
template <class Key, class Value, int N>
__device__ void split_keys(const array<keyed<Key, Value>, N> &items, array<Key, N> &keys, array<Value, N> &values) {
#pragma unroll
  for (int j = 0; j < N; ++j) keys[j] = items[j].key, values[j] = items[j].value;
}

}  // namespace jig
