// What a warp does to find where needles that are in order belong, where items are about as many: it goes along both.
// Of the items it keeps a window in shared memory, from where the last needle belonged on, and looks for a tile of
// needles there, each lane for one of every row of neighbours. What a search has found is certain if it is not at the
// window's end: it has compared the needle with the items on both sides. For needles that belong behind the window it
// moves on, a few times, but not for single ones on whose way there are no others; those that belong elsewhere are
// looked for in the whole range. So needles may be in any order; but only of those that are in order this is fast.
//
// No access leaves the range, whatever order it is in.
#pragma once
#include <jig/agent/binary_search/search_range.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, int Bound, class In, class Needles, class Less> class SearchSweep {
  using Range = SearchRange<In, Less>;
  using T = typename In::value_type;
  static constexpr int rows = Policy::sweep_rows, bits = Policy::sweep_bits, size = sizeof(T);
  static constexpr int window = (1 << bits) - 1, tile = rows * warp_threads, most_moves = 8;
  static constexpr int few_lanes = 8;  // fewer with needles behind the window are single ones
  static constexpr bool first_is_upper = Bound == search_upper;

 public:
  struct alignas(16) TempStorage {  // of a warp
    uninitialized<T, window + 1> items;
  };

  __device__ SearchSweep(TempStorage &storage, const Range &range, const Needles &needles)
      : window_(ptx::kept_shared_address(&storage)), range_(range), needles_(needles) {}

  // Needles begin .. end - 1.
  template <class Out, class UpperOut>
  __device__ void Run(const Out &out, const UpperOut &upper_out, uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    uint64_t place = range_.template search_warp<first_is_upper>(needles_[begin], 0, range_.num_items);
    Tile next;
    load(next, begin, end);
#pragma unroll 1
    for (uint64_t first = begin; first < end; first += tile) {
      const Tile mine = next;
      if (end - first > tile) load(next, first + tile, end);
      place = search(out, upper_out, mine, place);
    }
  }

 private:
  struct Tile {
    uint64_t first;
    int count;
    T needle[rows];  // the last one in the place of those that there are not
    __device__ uint32_t lanes_rows() const {
      const int whole = (count + warp_threads - 1 - lane()) / warp_threads;
      return (1u << whole) - 1;
    }
  };
  // Of a window: what it begins with, and between which places in it what has been found is certain.
  struct Window {
    uint64_t first;
    uint32_t least, most, items;
    __device__ bool is_certain(uint32_t place) const { return place - least <= most - least; }
  };

  static __device__ int lane() { return threadIdx.x % warp_threads; }

  __device__ void load(Tile &t, uint64_t first, uint64_t end) const {
    t.first = first;
    t.count = int(min_of(end - first, uint64_t(tile)));
#pragma unroll
    for (int k = 0; k < rows; ++k)
      t.needle[k] = needles_[first + min_of(k * warp_threads + lane(), t.count - 1)];
  }

  // The place of the last needle, of a whole tile.
  template <class Out, class UpperOut>
  __device__ uint64_t search(const Out &out, const UpperOut &upper_out, const Tile &t, uint64_t place) {
    uint32_t left = t.lanes_rows();  // a bit for each needle that is still to be found
    uint64_t last = place, from = max_of(place, uint64_t(1)) - 1;
#pragma unroll 1
    for (int moves = 0;; ++moves) {
      const Window w = load_window(from);
      const uint32_t had = left;
      uint32_t lower[rows], upper[rows];
      search_window<first_is_upper>(t, lower);
      if constexpr (Bound == search_both) search_window<true>(t, upper);
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        lower[k] = min_of(lower[k], w.items);
        bool found = (left >> k & 1) && w.is_certain(lower[k]);
        if constexpr (Bound == search_both) {
          upper[k] = min_of(upper[k], w.items);
          found &= w.is_certain(upper[k]);
        }
        if (!found) continue;
        left &= ~(1u << k);
        const uint64_t i = t.first + k * warp_threads + lane();
        out.store(i, static_cast<typename Out::value_type>(w.first + lower[k]));
        if constexpr (Bound == search_both)
          upper_out.store(i, static_cast<typename UpperOut::value_type>(w.first + upper[k]));
        if (k == rows - 1) last = w.first + lower[k];
      }
      if (!__any_sync(full_warp, left != 0)) break;
      const int lanes_behind = __popc(__ballot_sync(full_warp, is_any_behind(t, left)));
      const bool has_found = __any_sync(full_warp, left != had);
      if (moves == most_moves || lanes_behind < (has_found ? 1 : few_lanes)) {
        search_range(out, upper_out, t, left, last);
        break;
      }
      from = w.first + window - 1;
    }
    return __shfl_sync(full_warp, last, warp_threads - 1);
  }

  // Whether some needle that is left belongs behind the window.
  __device__ bool is_any_behind(const Tile &t, uint32_t left) const {
    const T item = ptx::shared_at<T>(window_ + (window - 1) * size);
    bool is_behind = false;
#pragma unroll
    for (int k = 0; k < rows; ++k)
      if (left >> k & 1) is_behind |= range_.template before<Bound != search_lower>(item, t.needle[k]);
    return is_behind;
  }

  // The needles that are left, each in the whole range.
  template <class Out, class UpperOut>
  __device__ void search_range(const Out &out, const UpperOut &upper_out, const Tile &t, uint32_t left,
                               uint64_t &last) const {
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
      const uint64_t i = t.first + (__ffs(left) - 1) * warp_threads + lane();
      const T needle = needles_[i];
      const uint64_t place = range_.template search_lane<first_is_upper>(needle);
      out.store(i, static_cast<typename Out::value_type>(place));
      if constexpr (Bound == search_both)
        upper_out.store(i, static_cast<typename UpperOut::value_type>(range_.template search_lane<true>(needle)));
      if (i == t.first + tile - 1) last = place;
    }
  }

  // How many items of the window belong before each needle's place.
  template <bool Upper> __device__ void search_window(const Tile &t, uint32_t (&place)[rows]) const {
    uint32_t at[rows];
#pragma unroll
    for (int k = 0; k < rows; ++k) at[k] = window_;
#pragma unroll
    for (int step = (window + 1) / 2; step > 0; step /= 2) {
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        const T item = ptx::shared_at<T>(at[k] + (step - 1) * size);
        if (range_.template before<Upper>(item, t.needle[k])) at[k] += step * size;
      }
    }
#pragma unroll
    for (int k = 0; k < rows; ++k) place[k] = (at[k] - window_) / size;
  }

  // Items from `from` on, or some before; the last one of the range in the place of those that there are not.
  __device__ Window load_window(uint64_t from) const {
    constexpr int items = 16 / size;
    constexpr bool has_words = is_same<In, Pointer<T>> && 16 % size == 0 && alignof(T) == size && window + 1 >= items;
    const uint64_t num_items = range_.num_items;
    __syncwarp();
    bool by_words = false;
    if constexpr (has_words) {
      const uint64_t before = reinterpret_cast<uintptr_t>(range_.in.data + from) % 16 / size;
      by_words = from >= before;
      if (by_words) from -= before;
    }
    if (by_words && from + window + 1 <= num_items) {
      if constexpr (has_words) {
        const uint4 *words = reinterpret_cast<const uint4 *>(range_.in.data + from);
#pragma unroll
        for (int i = lane(); i < (window + 1) / items; i += warp_threads)
          ptx::shared_at<uint4>(window_ + i * 16) = words[i];
        prefetch(from + window + 1);
      }
    } else {
#pragma unroll 1
      for (int i = lane(); i < window; i += warp_threads)
        ptx::shared_at<T>(window_ + i * size) = range_.in[min_of(from + i, num_items - 1)];
    }
    __syncwarp();
    const uint32_t rest = uint32_t(min_of(num_items - from, uint64_t(window)));
    return {from, from > 0, from + window >= num_items ? rest : window - 1, rest};
  }

  // Has the next window brought to L2.
  __device__ void prefetch(uint64_t from) const {
    constexpr int line = 128 / size, lines = (window + 1) * size / 128;
    const uint64_t i = from + lane() * line;
    if (lane() < lines && i < range_.num_items) ptx::prefetch(&range_.in.reference(i));
  }

  uint32_t window_;
  const Range &range_;
  const Needles &needles_;
};

}  // namespace jig
