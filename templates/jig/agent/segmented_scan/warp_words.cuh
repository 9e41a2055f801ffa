// Items of one or two bytes that lie side by side, as a warp loads and stores them: by words, whatever they are aligned
// to. Words that are not whole, before the first one and behind the last, go item by item, so that nothing outside is
// touched.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/vector.cuh>

namespace jig {

// Whether a lane's `Rows` neighbours of an iterator's items are whole words. Items are aligned to their size, so that a
// word has whole ones.
template <class Iterator, int Rows, int Bytes = int(sizeof(typename Iterator::value_type))>
constexpr bool goes_by_words = is_same<Iterator, Pointer<typename Iterator::value_type>> &&
                               (Bytes == 1 || Bytes == 2) && alignof(typename Iterator::value_type) == Bytes &&
                               Rows * Bytes % 4 == 0;

// A warp's items, of which each lane has `Items` neighbours.
template <class T, int Items> class WarpWords {
  static constexpr int unit = sizeof(T), lane_words = Items * unit / 4, all_words = warp_threads * lane_words;

  // Where bytes are, in words from the one on that has the first: whole words are those from the first whole one to the
  // last.
  struct Place {
    uint32_t *words;
    int begin, end;

    __device__ Place(T *items, int count) {
      const uintptr_t address = reinterpret_cast<uintptr_t>(items);
      begin = int(address % 4);
      end = begin + max_of(count, 0) * unit;
      words = reinterpret_cast<uint32_t *>(address - begin);
    }
    __device__ bool is_whole(int word) const { return word * 4 >= begin && word * 4 + 4 <= end; }
    // The byte of the first or the last word that is this lane's, if any; of whole words as well.
    __device__ int edge() const { return (lane() < 4 ? 0 : end / 4 * 4) + lane() % 4; }
    __device__ bool has_edge() const {
      return lane() < 8 && edge() >= begin && edge() < end && lane() % unit == 0;
    }
  };

 public:
  // What is on its way.
  struct Loaded {
    uint32_t words[lane_words];
    T edge;
  };
  // With a word before and one behind.
  struct TempStorage {
    uint32_t words[all_words + 2];
  };

  // `count` of them, if there are so many.
  static __device__ void Load(const Pointer<T> &in, uint64_t first, int count, Loaded &loaded) {
    const Place place(in.data + first, min_of(count, warp_threads * Items));
#pragma unroll
    for (int k = 0; k < lane_words; ++k) {
      const int word = k * warp_threads + lane();
      loaded.words[k] = 0;
      if (place.is_whole(word)) loaded.words[k] = place.words[word];
    }
    if (place.has_edge()) loaded.edge = reinterpret_cast<T *>(place.words)[place.edge() / unit];
  }

  // Each lane's own. What is past the end is anything.
  static __device__ packed_vector<T, Items> Take(TempStorage &storage, const Pointer<T> &in, uint64_t first, int count,
                                                 const Loaded &loaded) {
    const Place place(in.data + first, min_of(count, warp_threads * Items));
    __syncwarp();
#pragma unroll
    for (int k = 0; k < lane_words; ++k) storage.words[k * warp_threads + lane()] = loaded.words[k];
    if (lane() == 0) storage.words[all_words] = 0;
    __syncwarp();
    if (place.has_edge()) reinterpret_cast<T *>(storage.words)[place.edge() / unit] = loaded.edge;
    __syncwarp();
    packed_vector<T, Items> own;
    uint32_t next = storage.words[lane() * lane_words];
#pragma unroll
    for (int k = 0; k < lane_words; ++k) {
      const uint32_t word = next;
      next = storage.words[lane() * lane_words + k + 1];
      own.word[k] = __funnelshift_r(word, next, place.begin * 8);
    }
    return own;
  }

  // Stores what each lane has.
  static __device__ void Store(TempStorage &storage, const Pointer<T> &out, uint64_t first, int count,
                               const packed_vector<T, Items> &own) {
    const Place place(out.data + first, min_of(count, warp_threads * Items));
    uint32_t *const words = storage.words + 1;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < lane_words; ++k) words[lane() * lane_words + k] = own.word[k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < lane_words; ++k) {
      const int word = k * warp_threads + lane();
      if (place.is_whole(word)) {
        const uint32_t before = place.begin > 0 ? words[word - 1] : 0;
        place.words[word] = __funnelshift_l(before, words[word], place.begin * 8);
      }
    }
    const int edge = place.edge();
    if (place.has_edge())
      reinterpret_cast<T *>(place.words)[edge / unit] = reinterpret_cast<T *>(words)[(edge - place.begin) / unit];
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
};

}  // namespace jig
