// What one block does to find where needles belong in a range that is in order: its share of the needles, in tiles.
//
// Where needles are many, and in order as far as a look at some of them tells, each warp goes along a part of the share
// (search_sweep.cuh). Otherwise the block keeps a sample of the whole range in shared memory, every item at a power of
// two: a search begins there, and ends in memory between two items of the sample. If a tile's first and last needle
// belong near each other, as in needles that are in order, the items between those two places are kept instead; and for
// the next tile what follows them, as long as its needles belong there. Needles that belong elsewhere are found by
// themselves.
//
// No access leaves the range, whatever order it is in.
#pragma once
#include <jig/agent/binary_search/search_range.cuh>
#include <jig/agent/binary_search/search_sweep.cuh>
#include <jig/core/ptx.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// Items of a range, fewer than 2^bits: number j is item place(j) of the input. The last item of the range, before
// `end`, is not one of them, so that of 2^n items there are 2^bits - 1.
struct SearchSample {
  uint64_t first, end, stride;
  uint32_t count;

  __device__ SearchSample(uint64_t first, uint64_t end, int bits) : first(first), end(end) {
    const uint64_t others = end - first - (end > first);  // than the last one
    const int shift = max_of(64 - __clzll(int64_t(others)) - bits, 0);
    stride = uint64_t(1) << shift;
    count = uint32_t(others >> shift);
  }
  __device__ uint64_t place(uint32_t j) const { return first + (j + 1) * stride - 1; }

  // They are kept as a heap: number i, from 1 on, has 2 * i and 2 * i + 1 below it. So what threads look at in one step
  // of a search lies side by side, in as many banks of shared memory as there are, where items at powers of two would
  // be in one. Where the lowest level is not full the last item stands for what is missing.
  __device__ int levels() const { return 32 - __clz(int(count)); }
  __device__ uint32_t of_heap(uint32_t i) const {
    const int level = 31 - __clz(int(i));
    return min_of((2 * i + 1 - (2u << level)) << (levels() - 1 - level), count) - 1;
  }
  // How many come before the needle, of the heap's number that a search ends with.
  __device__ uint32_t before_end(uint32_t i) const { return min_of(i - (1u << levels()), count); }
};

// What a block's share of needles is. A row: few, by one of each thread at a time, without a look at whether they are
// in order or near each other, which takes longer than it saves; so a first call has less to compile. Many: of those
// that are outside of all items warps find out before they go to memory, which for fewer takes longer than it saves.
enum search_share { share_any, share_row, share_many };

template <class Policy, int Share, int Bound, class In, class Needles, class Less> class AgentBinarySearch {
  static constexpr bool is_row = Share == share_row;
  static constexpr int threads = Policy::threads, lane_needles = is_row ? 1 : Policy::needles,
                       bits = Policy::sample_bits;
  using T = typename In::value_type;
  using Range = SearchRange<In, Less>;
  static constexpr bool has_sweep = !is_row && Policy::sweep_rows > 0;
  struct NoSweep {
    struct TempStorage {};
  };
  using Sweep = conditional<has_sweep, SearchSweep<Policy, Bound, In, Needles, Less>, NoSweep>;
  static constexpr int warps = threads / warp_threads;
  // Of a needle's two places, which is the first that is wanted, and which the last.
  static constexpr bool first_is_upper = Bound == search_upper, last_is_upper = Bound != search_lower;
  static constexpr bool is_one_place = first_is_upper == last_is_upper;
  // A needle that the sample was searched for: how many of its items come before it, and which of the tile's it is.
  struct Begun {
    uint32_t word;
    __device__ uint32_t sampled() const { return word >> 16; }
    __device__ uint32_t slot() const { return word & 0xffff; }
    __device__ void drop() { word |= 0xffff; } // none of the tile's
    __device__ bool is_dropped() const { return slot() == 0xffff; }
    // Whether it comes before all items of the sample, or behind all.
    __device__ bool is_at_end(const SearchSample &sample) const { return sampled() - 1 >= sample.count - 1; }
  };
  // Whether a warp gathers those that are to be looked for in memory, if they are not more than all but a row.
  static constexpr bool can_gather = Share == share_many && is_one_place && lane_needles > 1;
  static constexpr int most_gathered = (lane_needles - 1) * warp_threads;
  static_assert(!can_gather || (bits < 16 && threads * lane_needles < 0xffff), "both fit a word");
  struct Gathered {
    Begun begun[warps][max_of(most_gathered, 1)];
  };
  struct NoGathered {};

 public:
  struct TempStorage {
    union {
      uninitialized<T, (1 << bits) - 1> kept;
      typename Sweep::TempStorage sweep[warps];
    };
    uint64_t first, last; // places of a tile's first and last needle, found before the others
    uint64_t next;        // the last one's
    conditional<can_gather, Gathered, NoGathered> gathered;
  };

  __device__ AgentBinarySearch(TempStorage &storage, const In &in, const Needles &needles, const Less &less,
                               uint64_t num_items, uint64_t num_needles)
      : storage_(storage), range_{in, less, num_items}, needles_(needles), num_needles_(num_needles) {}

  // A share of so many needles, if these are in order as far as some of them tell; otherwise nothing, and false.
  template <class Out, class UpperOut>
  __device__ bool RunInOrder(const Out &out, const UpperOut &upper_out, uint64_t share) {
    if constexpr (!has_sweep) {
      return false;
    } else {
      const uint64_t begin = blockIdx.x * share, end = min_of(begin + share, num_needles_);
      if (begin >= end) return false;
      const uint64_t step = (end - begin) / threads, i = begin + threadIdx.x * step;
      bool in_order = step > 0 && range_.num_items > 0;
      if (in_order) in_order = !range_.less(needles_[min_of(i + step, end - 1)], needles_[i]);
      if (!uniform(__syncthreads_and(in_order))) return false;
      const int warp = uniform_warp();
      const uint64_t of_warp = ceil_div(end - begin, uint64_t(warps)), first = begin + warp * of_warp;
      Sweep(storage_.sweep[warp], range_, needles_).Run(out, upper_out, first, min_of(first + of_warp, end));
      return true;
    }
  }

  // A share of so many needles, in tiles of at most threads * lane_needles.
  template <class Out, class UpperOut>
  __device__ void RunTiles(const Out &out, const UpperOut &upper_out, uint64_t share, uint32_t tile_needles) {
    // A sample of more items than there are needles, or threads, would take longer than it saves.
    const SearchSample whole(0, range_.num_items, min_of(bits, 63 - __clzll(int64_t(share | threads))));
    const uint64_t begin = blockIdx.x * share, end = min_of(begin + share, num_needles_);
    has_many_ = share * sizeof(T) >= 6 * threads;
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
        if (!is_row && 2 * share > threads * lane_needles && whole.stride > 1) find_near(near, whole, tile);
        if (near.is_known) keep(near.sample());
      }
      if (near.is_known) {
        keeps_whole = false;
        prefetch(needles_, tile.end, min_of(tile.end + tile_needles, end));
        prefetch(range_.in, near.end, min_of(2 * near.end - near.first, range_.num_items));
      }
      const SearchSample sample = near.is_known ? near.sample() : whole;
      search_tile(out, upper_out, tile, sample, near.is_known);
      if (!near.is_known) continue;
      // Not read by a thread for which it is not known, which nobody would wait for.
      const uint64_t next = *static_cast<volatile uint64_t *>(&storage_.next);
      near.items = next - near.first + 1;
      near.first = next;
    }
  }

 private:
  // Needles first .. end - 1, and what a thread has of them: needles some threads apart.
  struct Tile {
    uint64_t first, end;
    T needle[lane_needles]; // any in the place of those that there are not, the first one if no other is known
    __device__ uint64_t index(int k) const { return first + k * threads + threadIdx.x; }
    __device__ bool has(int k) const { return index(k) < end; }
    __device__ bool has_any(int k) const { return index(k) - threadIdx.x % warp_threads < end; } // in the warp
  };

  // Items first .. end - 1, where a tile's needles belong; how many there were of the last tile, which ended at
  // `first`.
  struct Near {
    bool is_known;
    uint64_t first, end, items;
    __device__ SearchSample sample() const { return SearchSample(first, end, bits); }
  };

  __device__ void load(Tile &tile, uint64_t first, uint64_t end) const {
    tile.first = first;
    tile.end = end;
#pragma unroll
    for (int k = 0; k < lane_needles; ++k) {
      if (tile.has(k)) tile.needle[k] = needles_[tile.index(k)];
      else if constexpr (has_lines) tile.needle[k] = T(); // at once, and of all lanes, which look at the same items
      else if (k > 0) tile.needle[k] = tile.needle[0];
    }
  }

  // Keeps what comes after the last tile's items, and tells whether this tile's first and last needle belong there.
  __device__ void follow(Near &near, const Tile &tile) const {
    near.end = min_of(near.first + near.items + near.items / 4 + warp_threads, range_.num_items);
    load_sample(near.sample());
    const T first = needles_[tile.first], last = needles_[tile.end - 1];
    near.is_known = is_in(first, near.first, near.end) & is_in(last, near.first, near.end);
    __syncthreads();
  }

  // Has items first .. end - 1 brought to L2.
  template <class Items> static __device__ void prefetch(const Items &items, uint64_t first, uint64_t end) {
    if constexpr (is_same<Items, Pointer<T>>) {
      constexpr int line = 128 / sizeof(T) > 0 ? 128 / sizeof(T) : 1;
#pragma unroll 1
      for (uint64_t i = first + threadIdx.x * line; i < end; i += threads * line) ptx::prefetch(&items.reference(i));
    }
  }

  // Where the first and the last needle of a tile belong, if that is near each other, which the sample of the whole
  // range tells.
  __device__ void find_near(Near &near, const SearchSample &whole, const Tile &tile) {
    const int warp = uniform_warp();
    T needle;
    uint64_t from, to;
    if (warp < 2) {
      needle = needles_[warp == 0 ? tile.first : tile.end - 1];
      from = whole.stride * (warp == 0 || is_one_place ? search_sample<first_is_upper>(needle, whole)
                                                       : search_sample<last_is_upper>(needle, whole));
      to = min_of(from + whole.stride, range_.num_items);
      // Outside of all items needles are gathered instead.
      if constexpr (can_gather) {
        if (warp == 0 && to == range_.num_items && before<first_is_upper>(range_.in[to - 1], needle)) from = to;
        if (warp == 1 && from == 0 && !before<last_is_upper>(range_.in[0], needle)) to = 0;
      }
      if (lane() == 0) (warp == 0 ? storage_.first : storage_.last) = warp == 0 ? from : to;
    }
    __syncthreads();
    const uint64_t items = storage_.last - storage_.first; // very many if the last needle belongs before the first
    __syncthreads(); // all have read
    if (can_gather && items == 0) return;
    if (items > max_of(4 * whole.stride, uint64_t(8) << bits) || items > range_.num_items / 4) return;
    if (warp < 2) {
      const uint64_t place = warp == 0 || is_one_place ? search_warp<first_is_upper>(needle, from, to)
                                                       : search_warp<last_is_upper>(needle, from, to);
      if (lane() == 0) (warp == 0 ? storage_.first : storage_.last) = place;
    }
    __syncthreads();
    near.first = storage_.first;
    near.end = storage_.last;
    if (near.first > near.end) return;
    // Needles at random may begin and end near each other as well: most threads' first one has to belong there, too, or
    // nearly all of them where others are better gathered than searched in the whole range without a sample.
    const bool is_elsewhere = tile.has(0) && !is_in(tile.needle[0], near.first, near.end);
    near.is_known = (can_gather ? 16 : 2) * __syncthreads_count(is_elsewhere) < threads;
  }

  // Nobody is to read what was kept before.
  __device__ void keep(const SearchSample &sample) const {
    load_sample(sample);
    __syncthreads();
  }
  __device__ void load_sample(const SearchSample &sample) const {
    const uint32_t end = 1u << sample.levels();
#pragma unroll 4
    for (uint32_t i = threadIdx.x + 1; i < end; i += threads)
      storage_.kept[i - 1] = range_.in[sample.place(sample.of_heap(i))];
  }

  // Searches a tile's needles, which belong into the range of the sample, or most of them if that is what is near. The
  // last one's place is then known to all.
  template <class Out, class UpperOut>
  __device__ void search_tile(const Out &out, const UpperOut &upper_out, Tile &tile, const SearchSample &sample,
                              bool is_near) {
    search_places<first_is_upper>(out, tile, sample, is_near);
    if constexpr (Bound == search_both) search_places<true>(upper_out, tile, sample, is_near);
    __syncthreads();
  }

  template <bool Upper, class Out>
  __device__ void search_places(const Out &out, Tile &tile, const SearchSample &sample, bool is_near) {
    uint32_t left = 0; // those that are to be searched by themselves
    if (lane_needles == 1 || tile.end - tile.first <= threads) left = search<Upper, 1>(out, tile, sample, is_near);
    else left = search<Upper, lane_needles>(out, tile, sample, is_near);
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
      const uint64_t i = tile.index(__ffs(left) - 1);
      store(out, tile, i, range_.template search_lane<Upper>(needles_[i]));
    }
  }

  template <class Out> __device__ void store(const Out &out, const Tile &tile, uint64_t i, uint64_t place) {
    out.store(i, static_cast<typename Out::value_type>(place));
    if (i == tile.end - 1) storage_.next = place;
  }

  // A thread's first Count needles: side by side in the sample, then in memory between two items of it. A bit for each
  // of those that do not belong into the range of the sample, or are not in order, which are left.
  template <bool Upper, int Count, class Out>
  __device__ uint32_t search(const Out &out, Tile &tile, const SearchSample &sample, bool is_near) {
    if constexpr (can_gather) return search_gathering<Upper, Count>(out, tile, sample, is_near);
    else return search_all<Upper, Count>(out, tile, sample, is_near);
  }

  template <bool Upper, int Count, class Out>
  __device__ uint32_t search_all(const Out &out, Tile &tile, const SearchSample &sample, bool is_near) {
    uint32_t j[Count], left = 0;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      if (is_near && tile.has(k) && !is_in(tile.needle[k], sample.first, sample.end)) left |= 1u << k;
    const bool by_lines = has_lines && Count > 1 && has_many_ && !is_near;
    if (!tile.has(0) && !by_lines) return 0;
    search_kept<Upper, Count>(tile.needle, j, sample);
    // One after another: the last steps of a search are in one sector of memory, which is to stay in L1 for them. The
    // next one is always the first, as the code is long.
#pragma unroll 1
    for (int k = 0; k < Count; ++k) {
      if (tile.has_any(k)) {
        const uint64_t first = sample.first + j[0] * sample.stride;
        const uint64_t place = search_memory<Upper, (has_lines && Count > 1)>(tile.needle[0], first, sample, by_lines);
        if (tile.has(k) && (left >> k & 1) == 0) store(out, tile, tile.index(k), place);
      }
      if constexpr (Count > 1) rotate(tile.needle), rotate(j);
    }
    return left;
  }

  // The same, of which needles outside of all items do not go to memory.
  template <bool Upper, int Count, class Out>
  __device__ uint32_t search_gathering(const Out &out, Tile &tile, const SearchSample &sample, bool is_near) {
    Begun begun[Count];
    const bool by_lines = has_lines && Count > 1 && has_many_ && !is_near;
    if (Count == 1 && !tile.has(0)) return 0; // of several all threads have the first
    search_kept<Upper, Count>(tile.needle, begun, sample);
    if constexpr (Count > 1)
      if (uniform(!is_near && sample.stride > 1 && are_outside(begun[0], sample)))
        gather<Upper>(out, tile, begun, sample);
    // One after another: the last steps of a search are in one sector of memory, which is to stay in L1 for them. The
    // next one is always the first, as the code is long.
#pragma unroll 1
    for (int k = 0; k < Count; ++k) {
      const bool has = begun[0].slot() < tile.end - tile.first;
      if (Count == 1 || __any_sync(full_warp, has)) {
        const uint64_t first = sample.first + begun[0].sampled() * sample.stride;
        const uint64_t place = search_memory<Upper, (has_lines && Count > 1)>(tile.needle[0], first, sample, by_lines);
        if (begun[0].slot() < tile.end - tile.first) store(out, tile, tile.first + begun[0].slot(), place);
      }
      if constexpr (Count > 1) rotate(tile.needle), rotate(begun);
    }
    uint32_t left = 0;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      if (is_near && tile.has(k) && !is_in(tile.needle[k], sample.first, sample.end)) left |= 1u << k;
    return left;
  }

  __device__ bool are_outside(Begun begun, const SearchSample &sample) const {
    return __popc(__ballot_sync(full_warp, begun.is_at_end(sample))) >= warp_threads / 4;
  }

  // Needles before or behind all items are found as soon as the sample is searched. Where they are many, as those of a
  // warp's first row tell, the others are gathered in shared memory, so that the warp goes to memory for them alone.
  template <bool Upper, class Out>
  __device__ void gather(const Out &out, Tile &tile, Begun (&begun)[lane_needles], const SearchSample &sample) {
    Begun *const to = storage_.gathered.begun[threadIdx.x / warp_threads];
    int count = 0;
#pragma unroll 1
    for (int k = 0; k < lane_needles; ++k) {
      const bool is_first = begun[0].sampled() == 0;
      if (tile.has(k) && begun[0].is_at_end(sample) &&
          before<Upper>(range_.in[is_first ? 0 : range_.num_items - 1], tile.needle[0]) != is_first) {
        store(out, tile, tile.index(k), is_first ? 0 : range_.num_items);
        begun[0].drop();
      }
      const bool has = tile.has(k) && !begun[0].is_dropped();
      const uint32_t lanes = __ballot_sync(full_warp, has);
      const int i = count + __popc(lanes & ptx::lanes_below());
      if (has && i < most_gathered) to[i] = begun[0];
      count += __popc(lanes);
      rotate(tile.needle), rotate(begun);
    }
    __syncwarp();
    if (uniform(count > most_gathered)) return;
#pragma unroll 1
    for (int k = 0; k < lane_needles; ++k) {
      take_gathered(tile.needle[0], begun[0], tile.first, k, count);
      rotate(tile.needle), rotate(begun);
    }
  }

  // What a lane has of row k of those that are gathered.
  __device__ void take_gathered(T &needle, Begun &begun, uint64_t first, int k, int count) const {
    const int i = k * warp_threads + lane();
    begun.drop();
    if (k * warp_threads >= count) return;
    begun = storage_.gathered.begun[threadIdx.x / warp_threads][min_of(i, count - 1)];
    needle = needles_[first + begun.slot()];
    if (i >= count) begun.drop();
  }

  template <class X, int Size> static __device__ void rotate(X (&x)[Size]) {
    const X first = x[0];
#pragma unroll
    for (int i = 0; i + 1 < Size; ++i) x[i] = x[i + 1];
    x[Size - 1] = first;
  }

  // From a place behind the item of the sample that comes before the needle. Lines are for whole warps.
  template <bool Upper, bool HasLines>
  __device__ uint64_t search_memory(const T &needle, uint64_t place, const SearchSample &sample, bool by_lines) const {
#pragma unroll 1
    for (uint64_t step = sample.stride / 2; step > 0; step /= 2) {
      if (HasLines && by_lines && 2 * step == line_items && __all_sync(full_warp, has_vectors_at(place, line_items))) {
        place += search_line<Upper>(needle, place);
        break;
      }
      if (2 * step == sector_items && has_vectors_at(place, sector_items)) {
        place += search_sector<Upper>(needle, place);
        break;
      }
      const uint64_t p = place + step - 1;
      if (p < sample.end && before<Upper>(range_.in[p], needle)) place += step;
    }
    // Only behind the sample's last item there is one that no step has come to.
    if (place + 1 == sample.end && before<Upper>(range_.in[place], needle)) ++place;
    return place;
  }

  // The last steps of a search are taken at once where words begin with a place, for what counts is how often L2 is
  // asked: the items of a sector but its last one take as long to load as one of them, and those of a line, if lanes
  // share it, hardly longer. But that takes more instructions, and registers that not all have.
  static constexpr bool has_vectors =
      is_same<In, Pointer<T>> && is_order<Less, T> && (sizeof(T) == 4 || sizeof(T) == 8);
#if __CUDA_ARCH__ >= 1000
  static constexpr bool has_lines = false;
#elif __CUDA_ARCH__ >= 900
  static constexpr bool has_lines = has_vectors && Bound != search_both;
#else
  static constexpr bool has_lines = false;
#endif
  static constexpr int vector_items = max_of(16 / int(sizeof(T)), 1), sector_items = 2 * vector_items,
                       line_lanes = 8, line_items = line_lanes * vector_items;
  __device__ bool has_vectors_at(uint64_t place, int count) const {
    if constexpr (!has_vectors) return false;
    else return reinterpret_cast<uintptr_t>(&range_.in.reference(place)) % 16 == 0 && place + count <= range_.num_items;
  }
  __device__ auto vector_at(uint64_t place) const {
    const uint4 words = *reinterpret_cast<const uint4 *>(&range_.in.reference(place));
    return packed_vector<T, vector_items>{{words.x, words.y, words.z, words.w}};
  }
  template <bool Upper, class Vector> __device__ uint32_t count_before(const Vector &items, const T &needle) const {
    uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < vector_items; ++i) count += before<Upper>(items[i], needle);
    return count;
  }

  // The last one of a sector, and of a line, is not before the needle, unless it is the range's last one.
  template <bool Upper> __device__ uint32_t search_sector(const T &needle, uint64_t place) const {
    if constexpr (!has_vectors) {
      return 0;
    } else {
      const auto first = vector_at(place), second = vector_at(place + vector_items);
      return count_before<Upper>(first, needle) + count_before<Upper>(second, needle);
    }
  }

  // Each lane's, of which some lanes load a vector each.
  template <bool Upper> __device__ uint32_t search_line(const T &needle, uint64_t place) const {
    uint32_t found = 0;
    if constexpr (has_lines) {
      constexpr int at_once = 4, needles = warp_threads / line_lanes;
#pragma unroll 1
      for (int base = 0; base < line_lanes; base += at_once) {
        packed_vector<T, vector_items> items[at_once];
#pragma unroll
        for (int g = 0; g < at_once; ++g) {
          const uint64_t from = __shfl_sync(full_warp, place, (base + g) * needles + lane() / line_lanes);
          items[g] = vector_at(from + lane() % line_lanes * vector_items);
        }
#pragma unroll
        for (int g = 0; g < at_once; ++g) {
          const T whose = __shfl_sync(full_warp, needle, (base + g) * needles + lane() / line_lanes);
          uint32_t count = count_before<Upper>(items[g], whose);
#pragma unroll
          for (int d = 1; d < line_lanes; d *= 2) count += __shfl_xor_sync(full_warp, count, d);
          count = __shfl_sync(full_warp, count, lane() % needles * line_lanes);
          if (lane() / needles == base + g) found = count;
        }
      }
    }
    return found;
  }

  // How many of the items that are kept come before each needle.
  template <bool Upper, int Count>
  __device__ void search_kept(const T *needle, uint32_t (&j)[Count], const SearchSample &sample) const {
#pragma unroll
    for (int k = 0; k < Count; ++k) j[k] = 1;
#pragma unroll 1
    for (int level = sample.levels(); level > 0; --level) {
#pragma unroll
      for (int k = 0; k < Count; ++k) j[k] = 2 * j[k] + before<Upper>(storage_.kept[j[k] - 1], needle[k]);
    }
#pragma unroll
    for (int k = 0; k < Count; ++k) j[k] = sample.before_end(j[k]);
  }
  template <bool Upper, int Count>
  __device__ void search_kept(const T *needle, Begun (&begun)[Count], const SearchSample &sample) const {
    uint32_t j[Count];
    search_kept<Upper, Count>(needle, j, sample);
#pragma unroll
    for (int k = 0; k < Count; ++k) begun[k].word = j[k] << 16 | (k * threads + threadIdx.x);
  }

  template <bool Upper> __device__ bool before(const T &item, const T &needle) const {
    return range_.template before<Upper>(item, needle);
  }

  // Whether the places of a needle are in first .. end.
  __device__ bool is_in(const T &needle, uint64_t first, uint64_t end) const {
    return (first == 0 || before<first_is_upper>(range_.in[first - 1], needle)) &&
           (end == range_.num_items || !before<last_is_upper>(range_.in[end], needle));
  }

  // How many items of the sample belong before the needle's place.
  template <bool Upper> __device__ uint32_t search_sample(const T &needle, const SearchSample &sample) const {
    uint32_t j[1];
    search_kept<Upper, 1>(&needle, j, sample);
    return j[0];
  }

  template <bool Upper> __device__ uint64_t search_warp(const T &needle, uint64_t first, uint64_t end) const {
    return range_.template search_warp<Upper>(needle, first, end);
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }

  TempStorage &storage_;
  Range range_;
  const Needles &needles_;
  uint64_t num_needles_;
  bool has_many_ = false;  // needles: so many that L2 is what takes the time
};

}  // namespace jig
