// Large values beside keys: a tile does not load them all, but puts their numbers in order, and loads the selected ones
// to store them. Where few are selected, most sectors of the input are not read; and as threads do not hold values,
// tiles are as long as those of keys alone.
#pragma once
#include <jig/agent/select/select_sink.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

// Whether they are: gathers_values() in src/policy/select.c. Smaller ones share sectors, others are not made of words.
template <class In, class Out> constexpr bool gathers_values = false;
template <class T>
constexpr bool gathers_values<Pointer<T>, Pointer<T>> =
    sizeof(T) >= 16 && alignof(T) >= 4 && sizeof(T) <= most_held_bytes;

template <class Out> struct GatheringSink : SelectSink<Out> {};
template <class Sink> constexpr bool sink_gathers = false;
template <class Out> constexpr bool sink_gathers<GatheringSink<Out>> = true;

// Stores `count` values, by all lanes of a warp: value from[number_at(k)] as to[k].
template <class T, class NumberAt>
__device__ void gather_values_by_warp(const T *from, T *to, int count, const NumberAt &number_at) {
  const auto source = [&](int k) { return from + number_at(k); };
  const auto target = [&](int k) { return to + k; };
  constexpr int size = sizeof(T);
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to);
  if (size % 16 == 0 && addresses % 16 == 0) copy_words_of_items<uint4, T, 8>(count, source, target);
  else if (size % 8 == 0 && addresses % 8 == 0) copy_words_of_items<uint64_t, T, 8>(count, source, target);
  else copy_words_of_items<item_word<T>, T, 8>(count, source, target);
}

}  // namespace jig
