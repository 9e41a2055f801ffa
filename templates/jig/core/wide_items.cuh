// Moves items that are too large for registers (is_wide) from memory to memory, local memory included. By loops: a
// copy by assignment is a load and a store for each of their words, or bytes, which takes a compiler minutes.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// The largest words that a T is made of and aligned to.
template <class T>
using item_word = conditional<
    (alignof(T) >= 16), uint4,
    conditional<(alignof(T) >= 8), uint64_t,
                conditional<(alignof(T) >= 4), uint32_t, conditional<(alignof(T) >= 2), uint16_t, uint8_t>>>>;

// Whether items at these addresses are made of vectors, and aligned to them.
template <class T, class... Addresses> __device__ bool are_vectors(Addresses... addresses) {
  if constexpr (sizeof(T) % 16 != 0) return false;
  else return (reinterpret_cast<uintptr_t>(addresses) | ...) % 16 == 0;
}

template <class Word, class T> __device__ void copy_words(T *to, const T *from) {
  // Where it can tell that a copy begins with what the copy before has written, NVRTC 13.0 may take that from a
  // register which nothing sets.
  int none = 0;
  asm("" : "+r"(none));
  const Word *words = reinterpret_cast<const Word *>(from) + none;
#pragma unroll 4
  for (int w = 0; w < int(sizeof(T) / sizeof(Word)); ++w) reinterpret_cast<Word *>(to)[w] = words[w];
}

// Copies `count` items by all lanes of a warp, words of one item after the other's: as many loads are under way at once
// as a lane has registers for, however large an item is. from(i) and to(i) say where item i lies and goes.
template <class Word, class T, int Batch = 4, class From, class To>
__device__ void copy_words_of_items(int count, const From &from, const To &to) {
  constexpr uint32_t words = sizeof(T) / sizeof(Word), batch = Batch;
  const uint32_t total = count * words;
#pragma unroll 1
  for (uint32_t first = threadIdx.x % warp_threads; first < total; first += batch * warp_threads) {
    Word held[batch];
#pragma unroll
    for (uint32_t b = 0; b < batch; ++b) {
      const uint32_t w = first + b * warp_threads;
      if (w < total) held[b] = reinterpret_cast<const Word *>(from(int(w / words)))[w % words];
    }
#pragma unroll
    for (uint32_t b = 0; b < batch; ++b) {
      const uint32_t w = first + b * warp_threads;
      if (w < total) reinterpret_cast<Word *>(to(int(w / words)))[w % words] = held[b];
    }
  }
}

// As many bytes of items are worth a warp's while.
constexpr int shared_bytes_at_once = 2048;

// The same by the largest words that all of them are made of and aligned to.
template <class T, class From, class To> __device__ void copy_items(int count, const From &from, const To &to) {
  constexpr uintptr_t largest = sizeof(T) % 16 == 0 ? 16 : sizeof(T) % 8 == 0 ? 8 : 1;
  uintptr_t addresses = 0;
  if constexpr (alignof(T) < largest)
    for (int i = threadIdx.x % warp_threads; i < count; i += warp_threads)
      addresses |= reinterpret_cast<uintptr_t>(from(i)) | reinterpret_cast<uintptr_t>(to(i));
  if (largest == 16 && __all_sync(~0u, addresses % 16 == 0)) copy_words_of_items<uint4, T>(count, from, to);
  else if (largest >= 8 && __all_sync(~0u, addresses % 8 == 0)) copy_words_of_items<uint64_t, T>(count, from, to);
  else copy_words_of_items<item_word<T>, T>(count, from, to);
}

template <class T> __device__ void copy_item(T *to, const T *from) {
  if (are_vectors<T>(to, from)) copy_words<uint4>(to, from);
  else copy_words<item_word<T>>(to, from);
}

// An item in local memory, and from there.
template <class T> __device__ T load_item(const T *from) {
  T item;
  copy_item(&item, from);
  return item;
}

// What a function returns that makes an item: one that is too large for registers in memory of the caller's, as classes
// are returned that copy themselves; otherwise the compiler returns it word by word, or byte by byte.
template <class T> struct wide_result {
  T item;
  __device__ wide_result(const T &from) { copy_item(&item, &from); }
  __device__ wide_result(const wide_result &other) { copy_item(&item, &other.item); }
  template <class First, class Second, class... Others>
  __device__ wide_result(const First &first, const Second &second, const Others &...others)
      : item{first, second, others...} {}
  __device__ operator const T &() const { return item; }
};
template <class T> using made_item = conditional<is_wide<T>, wide_result<T>, T>;

// Copies two items, by all lanes of a warp; each may go where the other one is.
template <class Word, class T> __device__ void exchange_words(T *to, T *other_to, const T *from, const T *other_from) {
#pragma unroll 2
  for (int w = threadIdx.x % warp_threads; w < int(sizeof(T) / sizeof(Word)); w += warp_threads) {
    const Word word = reinterpret_cast<const Word *>(from)[w], other = reinterpret_cast<const Word *>(other_from)[w];
    reinterpret_cast<Word *>(to)[w] = word;
    reinterpret_cast<Word *>(other_to)[w] = other;
  }
}
template <class T> __device__ void exchange_items(T *to, T *other_to, const T *from, const T *other_from) {
  if (are_vectors<T>(to, other_to, from, other_from)) exchange_words<uint4>(to, other_to, from, other_from);
  else exchange_words<item_word<T>>(to, other_to, from, other_from);
}

}  // namespace jig
