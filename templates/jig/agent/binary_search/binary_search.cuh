// What one block does to find where needles belong in a range that is in order: its share of the needles, in tiles.
//
// Of the whole range it keeps a sample in shared memory, every item at a power of two: a search begins there, and ends
// in memory between two items of the sample. If a tile's first and last needle belong near each other, as in needles
// that are in order, the items between those two places are kept instead; and for the next tile what follows them, as
// long as its needles belong there. If all of these are kept, a warp looks for neighbouring needles between the places of
// the first and the last of them. Needles that belong elsewhere are found by themselves.
//
// If needles are few, each of them is searched by a warp: as many items at a time as it has lanes.
//
// No access leaves the range, whatever order it is in.
#pragma once
#include <jig/core/less.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

enum search_bound { search_lower, search_upper, search_both };

// Items of a range, fewer than 2^bits: number j is item place(j) of the input, and all are below `end`, where the
// range ends.
struct SearchSample {
  uint64_t first, end, stride;
  uint32_t count;

  __device__ SearchSample(uint64_t first, uint64_t end, int bits) : first(first), end(end) {
    const int shift = max_of(64 - __clzll(int64_t(end - first)) - bits, 0);
    stride = uint64_t(1) << shift;
    count = uint32_t((end - first) >> shift);
  }
  __device__ uint64_t place(uint32_t j) const { return first + (j + 1) * stride - 1; }
};

template <class Policy, int Bound, class In, class Needles, class Less> class AgentBinarySearch {
  static constexpr int threads = Policy::threads, lane_needles = Policy::needles, bits = Policy::sample_bits;
  // Larger items take more to be handed from lane to lane than that saves.
  static constexpr bool has_windows = lane_needles > 1;
  static_assert(2 * lane_needles <= warp_threads);
  using T = typename In::value_type;
  // Of a needle's two places, which is the first that is wanted, and which the last.
  static constexpr bool first_is_upper = Bound == search_upper, last_is_upper = Bound != search_lower;

 public:
  struct TempStorage {
    uninitialized<T, (1 << bits) - 1> kept;
    uint64_t first, last; // places of a tile's first and last needle, found before the others
    uint64_t next;        // the last one's
  };

  __device__ AgentBinarySearch(TempStorage &storage, const In &in, const Needles &needles, const Less &less,
                               uint64_t num_items, uint64_t num_needles)
      : storage_(storage), in_(in), needles_(needles), less_(less), num_items_(num_items), num_needles_(num_needles) {}

  // A warp for each needle.
  template <class Out, class UpperOut> __device__ void RunWarps(const Out &out, const UpperOut &upper_out) const {
    constexpr int warps = threads / warp_threads;
    const bool is_first = lane() == 0;
    uint64_t i = uint64_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
    for (; i < num_needles_; i += uint64_t(gridDim.x) * warps) {
      const T needle = needles_[i];
      const uint64_t place = search_warp<first_is_upper>(needle, 0, num_items_);
      if (is_first) out.store(i, static_cast<typename Out::value_type>(place));
      if constexpr (Bound == search_both) {
        const uint64_t upper = search_warp<true>(needle, place, num_items_);
        if (is_first) upper_out.store(i, static_cast<typename UpperOut::value_type>(upper));
      }
    }
  }

  // A share of so many needles, in tiles of at most threads * lane_needles.
  template <class Out, class UpperOut>
  __device__ void RunTiles(const Out &out, const UpperOut &upper_out, uint64_t share, uint32_t tile_needles) {
    // A sample of more items than there are needles would take longer than it saves.
    const SearchSample whole(0, num_items_, min_of(bits, 63 - __clzll(int64_t(share | 1))));
    const uint64_t begin = blockIdx.x * share, end = min_of(begin + share, num_needles_);
    Near near = {false, 0, 0, 0};
    bool keeps_whole = false;
    for (uint64_t first = begin; first < end; first += tile_needles) {
      Tile tile;
      load(tile, first, min_of(first + tile_needles, end));
      if (near.is_known) follow(near, tile);
      if (!near.is_known) {
        if (!keeps_whole) keep(whole);
        keeps_whole = true;
        // Of few needles it takes longer than it saves.
        if (2 * share > threads * lane_needles && whole.stride > 1) find_near(near, whole, tile);
        if (near.is_known) keep(near.sample());
      }
      if (near.is_known) {
        keeps_whole = false;
        prefetch(needles_, tile.end, min_of(tile.end + tile_needles, end));
        prefetch(in_, near.end, min_of(2 * near.end - near.first, num_items_));
      }
      const SearchSample sample = near.is_known ? near.sample() : whole;
      search_tile(out, upper_out, tile, sample, near.is_known);
      if (!near.is_known) continue;
      near.items = storage_.next - near.first + 1;
      near.first = storage_.next;
    }
  }

 private:
  // Needles first .. end - 1, and what a thread has of them: needles some threads apart, and their places.
  struct Tile {
    uint64_t first, end;
    T needle[lane_needles]; // the first in the place of those that there are not
    uint64_t place[lane_needles];
    __device__ uint64_t index(int k) const { return first + k * threads + threadIdx.x; }
    __device__ bool has(int k) const { return index(k) < end; }
  };

  // Items first .. end - 1, where a tile's needles belong; how many there were of the last tile, which ended at `first`.
  struct Near {
    bool is_known;
    uint64_t first, end, items;
    __device__ SearchSample sample() const { return SearchSample(first, end, bits); }
  };

  // Of a warp's rows of neighbouring needles: of row k lane 2 * k has the first needle and its place in the sample, the
  // next lane the last one; a bit for each of these lanes whether the place is within the range of the sample.
  struct Windows {
    T needle;
    uint32_t place, known;
  };

  __device__ void load(Tile &tile, uint64_t first, uint64_t end) const {
    tile.first = first;
    tile.end = end;
#pragma unroll
    for (int k = 0; k < lane_needles; ++k) {
      if (tile.has(k)) tile.needle[k] = needles_[tile.index(k)];
      else tile.needle[k] = tile.needle[0];
    }
  }

  // Keeps what comes after the last tile's items, and tells whether this tile's first and last needle belong there.
  __device__ void follow(Near &near, const Tile &tile) const {
    near.end = min_of(near.first + near.items + near.items / 4 + warp_threads, num_items_);
    load_sample(near.sample());
    const T first = needles_[tile.first], last = needles_[tile.end - 1];
    near.is_known = is_in(first, near.first, near.end) & is_in(last, near.first, near.end);
    __syncthreads();
  }

  // Has items first .. end - 1 brought to L2.
  template <class Items> static __device__ void prefetch(const Items &items, uint64_t first, uint64_t end) {
    if constexpr (is_same<Items, Pointer<T>>) {
      constexpr int line = 128 / sizeof(T) > 0 ? 128 / sizeof(T) : 1;
      for (uint64_t i = first + threadIdx.x * line; i < end; i += threads * line) ptx::prefetch(&items.reference(i));
    }
  }

  // Where the first and the last needle of a tile belong, if that is near each other, which the sample of the whole range
  // tells.
  __device__ void find_near(Near &near, const SearchSample &whole, const Tile &tile) {
    const int warp = threadIdx.x / warp_threads;
    T needle;
    uint64_t from, to;
    if (warp < 2) {
      needle = needles_[warp == 0 ? tile.first : tile.end - 1];
      from = whole.stride * (warp == 0 ? search_sample<first_is_upper>(needle, whole)
                                       : search_sample<last_is_upper>(needle, whole));
      to = min_of(from + whole.stride - 1, num_items_);
      if (lane() == 0) (warp == 0 ? storage_.first : storage_.last) = warp == 0 ? from : to;
    }
    __syncthreads();
    const uint64_t items = storage_.last - storage_.first; // very many if the last needle belongs before the first
    __syncthreads(); // all have read
    if (items > max_of(4 * whole.stride, uint64_t(8) << bits) || items > num_items_ / 4) return;
    if (warp < 2) {
      const uint64_t place = warp == 0 ? search_warp<first_is_upper>(needle, from, to)
                                       : search_warp<last_is_upper>(needle, from, to);
      if (lane() == 0) (warp == 0 ? storage_.first : storage_.last) = place;
    }
    __syncthreads();
    near.first = storage_.first;
    near.end = storage_.last;
    near.is_known = near.first <= near.end;
  }

  // Nobody is to read what was kept before.
  __device__ void keep(const SearchSample &sample) const {
    load_sample(sample);
    __syncthreads();
  }
  __device__ void load_sample(const SearchSample &sample) const {
#pragma unroll 4
    for (uint32_t j = threadIdx.x; j < sample.count; j += threads) storage_.kept[j] = in_[sample.place(j)];
  }

  // Searches a tile's needles, which belong into the range of the sample, or most of them if that is what is near. The
  // last one's place is then known to all.
  template <class Out, class UpperOut>
  __device__ void search_tile(const Out &out, const UpperOut &upper_out, Tile &tile, const SearchSample &sample,
                              bool is_near) {
    Windows windows;
    const bool in_windows = has_windows && is_near && sample.stride == 1;
    if (in_windows) find_windows(windows, tile, sample);
    search_places<first_is_upper>(out, tile, sample, is_near, in_windows, windows);
    if constexpr (Bound == search_both) search_places<true>(upper_out, tile, sample, is_near, in_windows, windows);
    __syncthreads();
  }

  template <bool Upper, class Out>
  __device__ void search_places(const Out &out, Tile &tile, const SearchSample &sample, bool is_near, bool in_windows,
                               const Windows &windows) {
    uint32_t left = 0; // those that are to be searched by themselves
    if (tile.end - tile.first <= threads) left = search<Upper, 1>(tile, sample, is_near, in_windows, windows);
    else left = search<Upper, lane_needles>(tile, sample, is_near, in_windows, windows);
#pragma unroll
    for (int k = 0; k < lane_needles; ++k)
      if (tile.has(k) && (left >> k & 1) == 0) store(out, tile, tile.index(k), tile.place[k]);
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
      const uint64_t i = tile.index(__ffs(left) - 1);
      store(out, tile, i, search_lane<Upper>(needles_[i]));
    }
  }

  template <class Out> __device__ void store(const Out &out, const Tile &tile, uint64_t i, uint64_t place) {
    out.store(i, static_cast<typename Out::value_type>(place));
    if (i == tile.end - 1) storage_.next = place;
  }

  __device__ void find_windows(Windows &windows, const Tile &tile, const SearchSample &sample) const {
    const int row = min_of(lane() / 2, lane_needles - 1);
    const uint64_t i = tile.first + row * threads + (threadIdx.x - lane()) + lane() % 2 * (warp_threads - 1);
    windows.needle = needles_[min_of(i, tile.end - 1)];
    windows.known = __ballot_sync(full_warp, is_in(windows.needle, sample.first, sample.end));
    if (first_is_upper == last_is_upper || lane() % 2 == 0)
      windows.place = search_sample<first_is_upper>(windows.needle, sample);
    else windows.place = search_sample<last_is_upper>(windows.needle, sample);
    __syncwarp();
  }

  // A thread's first Count needles side by side: in the sample, then in memory between two items of it. A bit for each of
  // those that do not belong into the range of the sample, or are not in order.
  template <bool Upper, int Count>
  __device__ uint32_t search(Tile &tile, const SearchSample &sample, bool is_near, bool in_windows,
                             const Windows &windows) const {
    uint32_t j[Count], left = 0, most = in_windows ? 0 : sample.count;
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      j[k] = 0;
      if (in_windows) {
        j[k] = __shfl_sync(full_warp, windows.place, 2 * k);
        most = max_of(most, __shfl_sync(full_warp, windows.place, 2 * k + 1) - j[k]);
        const T least = shuffle_from(windows.needle, 2 * k, warp_threads, full_warp);
        const T greatest = shuffle_from(windows.needle, 2 * k + 1, warp_threads, full_warp);
        const bool is_known = (windows.known >> 2 * k & 3) == 3;
        if (tile.has(k) && !(is_known && !less_(tile.needle[k], least) && !less_(greatest, tile.needle[k])))
          left |= 1u << k;
      } else if (is_near && tile.has(k) && !is_in(tile.needle[k], sample.first, sample.end)) {
        left |= 1u << k;
      }
    }
    if (!tile.has(0)) return 0;
    search_kept<Upper, Count>(tile.needle, j, min_of(most, sample.count), sample.count);
#pragma unroll
    for (int k = 0; k < Count; ++k) tile.place[k] = sample.first + j[k] * sample.stride;
    // The last steps of a search are in one sector of memory, which is to stay in L1 for them: not too many at once where
    // it comes from far.
    constexpr int at_once = min_of(Count, 4);
    if (Count == at_once || sample.stride < 4096) {
      search_memory<Upper, 0, Count>(tile, sample);
    } else {
      search_memory<Upper, 0, at_once>(tile, sample);
      if (tile.end - tile.first > at_once * threads) search_memory<Upper, at_once, Count - at_once>(tile, sample);
    }
    return left;
  }

  // Needles First to First + Count - 1, each behind the item of the sample that comes before it.
  template <bool Upper, int First, int Count>
  __device__ void search_memory(Tile &tile, const SearchSample &sample) const {
#pragma unroll 1
    for (uint64_t step = sample.stride / 2; step > 0; step /= 2) {
#pragma unroll
      for (int k = First; k < First + Count; ++k) {
        const uint64_t p = tile.place[k] + step - 1;
        if (p < sample.end && before<Upper>(in_[p], tile.needle[k])) tile.place[k] += step;
      }
    }
  }

  // Each among up to `most` items of the `count` that are kept, from its j on.
  template <bool Upper, int Count>
  __device__ void search_kept(const T *needle, uint32_t (&j)[Count], uint32_t most, uint32_t count) const {
#pragma unroll 1
    for (; most > 0; most /= 2) { // by steps of half of them, rounded up
      const uint32_t step = (most + 1) / 2;
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        const uint32_t p = j[k] + step;
        if (p <= count && before<Upper>(storage_.kept[p - 1], needle[k])) j[k] = p;
      }
    }
  }

  // Whether an item belongs before the needle's place.
  template <bool Upper> __device__ bool before(const T &item, const T &needle) const {
    if constexpr (Upper) return !less_(needle, item);
    else return less_(item, needle);
  }

  // Whether the places of a needle are in first .. end.
  __device__ bool is_in(const T &needle, uint64_t first, uint64_t end) const {
    return (first == 0 || before<first_is_upper>(in_[first - 1], needle)) &&
           (end == num_items_ || !before<last_is_upper>(in_[end], needle));
  }

  // How many items of the sample belong before the needle's place.
  template <bool Upper> __device__ uint32_t search_sample(const T &needle, const SearchSample &sample) const {
    uint32_t j[1] = {0};
    search_kept<Upper, 1>(&needle, j, sample.count, sample.count);
    return j[0];
  }

  template <bool Upper> __device__ uint64_t search_lane(const T &needle) const {
    uint64_t first = 0, count = num_items_;
#pragma unroll 1
    while (count > 0) {
      const uint64_t half = count / 2;
      const bool is_before = before<Upper>(in_[first + half], needle);
      first = is_before ? first + half + 1 : first;
      count = is_before ? count - half - 1 : half;
    }
    return first;
  }

  // In items first .. end - 1, by all lanes of a warp.
  template <bool Upper> __device__ uint64_t search_warp(const T &needle, uint64_t first, uint64_t end) const {
#pragma unroll 1
    while (first < end) {
      const uint64_t step = (end - first) / warp_threads + 1, p = first + (lane() + 1) * step - 1;
      const uint32_t lanes = __ballot_sync(full_warp, p < end && before<Upper>(in_[p], needle));
      first += __popc(lanes) * step;
      end = min_of(end, first + step - 1);
    }
    return first;
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }

  TempStorage &storage_;
  const In &in_;
  const Needles &needles_;
  const Less &less_;
  uint64_t num_items_, num_needles_;
};

}  // namespace jig
