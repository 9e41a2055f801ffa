// Scans of the items one thread holds, in order. A prefix goes on the left of the first item.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T, int N, class Op>
__device__ array<T, N> thread_inclusive_scan(array<T, N> items, Op op) {
#pragma unroll
  for (int i = 1; i < N; ++i) items[i] = op(items[i - 1], items[i]);
  return items;
}

// Without has_prefix, prefix is not looked at.
template <class T, int N, class Op>
__device__ array<T, N> thread_inclusive_scan(array<T, N> items, Op op, const T &prefix,
                                             bool has_prefix = true) {
  if (has_prefix) items[0] = op(prefix, items[0]);
  if constexpr (N > 1) return thread_inclusive_scan(items, op);
  else return items;
}

// Without has_prefix, the first result is prefix all the same, and nothing else comes of it.
template <class T, int N, class Op>
__device__ array<T, N> thread_exclusive_scan(const array<T, N> &items, Op op, const T &prefix,
                                             bool has_prefix = true) {
  array<T, N> scanned;
  scanned[0] = prefix;
  if constexpr (N > 1) {
    scanned[1] = items[0];
    if (has_prefix) scanned[1] = op(prefix, items[0]);
  }
#pragma unroll
  for (int i = 2; i < N; ++i) scanned[i] = op(scanned[i - 1], items[i - 1]);
  return scanned;
}

// The first result means nothing.
template <class T, int N, class Op>
__device__ array<T, N> thread_exclusive_scan(const array<T, N> &items, Op op) {
  return thread_exclusive_scan(items, op, items[0], false);
}

// Of the first `valid` items only, which may be none, or all if that is more; other results mean nothing.
template <class T, int N, class Op>
__device__ array<T, N> thread_inclusive_scan_partial(array<T, N> items, Op op, const T &prefix, bool has_prefix,
                                                     int valid) {
  if (has_prefix && valid > 0) items[0] = op(prefix, items[0]);
#pragma unroll
  for (int i = 1; i < N; ++i)
    if (i < valid) items[i] = op(items[i - 1], items[i]);
  return items;
}
template <class T, int N, class Op>
__device__ array<T, N> thread_exclusive_scan_partial(const array<T, N> &items, Op op, const T &prefix,
                                                     bool has_prefix, int valid) {
  array<T, N> scanned = items;
  scanned[0] = prefix;
  if constexpr (N > 1) {
    if (valid > 1) scanned[1] = has_prefix ? op(prefix, items[0]) : items[0];
  }
#pragma unroll
  for (int i = 2; i < N; ++i)
    if (i < valid) scanned[i] = op(scanned[i - 1], items[i - 1]);
  return scanned;
}

}  // namespace jig
