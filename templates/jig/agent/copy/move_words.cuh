// Items that are only moved, from and to memory of any alignment: a thread stores a vector of 16 bytes where these are
// aligned, and takes its items from the two such vectors of the input that they lie in.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/load_across.cuh>

namespace jig {

// Item i of the output is item i + first of the input; behind the last one comes the first one again. By as many
// threads as the items have vectors, and no fewer than a warp.
template <class T>
__device__ void move_words(const Pointer<T> &in, const Pointer<T> &out, uint64_t num_items, uint64_t first,
                           uint64_t thread) {
  constexpr int size = sizeof(T), items = 16 / size;
  const uint64_t head = min_of(uint64_t((0 - reinterpret_cast<uintptr_t>(out.data)) % 16 / size), num_items);
  const uint64_t vectors = (num_items - head) / items, tail = head + vectors * items;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(in.data), end = begin + num_items * size;
  auto place = [&](uint64_t i) { return i + first < num_items ? i + first : i + first - num_items; };
  if (thread < vectors) {
    const uint64_t to = head + thread * items, i = place(to);
    const uintptr_t from = begin + i * size;
    if (i + items <= num_items && can_load_across(from, begin, end)) {
      *reinterpret_cast<uint4 *>(out.data + to) = load_across(from);
    } else {
      T item[items]; // all are loaded before any is stored
#pragma unroll
      for (int k = 0; k < items; ++k) item[k] = in.data[place(to + k)];
#pragma unroll
      for (int k = 0; k < items; ++k) out.data[to + k] = item[k];
    }
  }
  // The items before the first vector and behind the last one.
  const uint64_t other = thread < head ? thread : tail + (thread - head);
  if (other < num_items) out.data[other] = in.data[place(other)];
}

}  // namespace jig
