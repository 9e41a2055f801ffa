// A block's tile of segments: some of the items of neighbouring segments, one after the other as if they lay side by
// side, wherever they are in memory. Where each is the block finds out from the offsets.
//
// Segments may be in any order, with gaps between them or not. If in a tile they adjoin, and what comes of them does,
// an item's place is told by that of the first; otherwise by its segment's, which the tile keeps where the segment
// begins.
//
// A warp has a warp tile, a contiguous part of the tile, in rows of an item for each lane. Which items begin a segment
// (heads) a row's word says, a bit each; what is past the tile's end counts as heads, too, so that nothing is folded
// with it.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/segmented_scan/segments.cuh>
#include <jig/agent/segmented_scan/sum_before.cuh>

namespace jig {

template <int Threads, int MaxRows, class Segments> class SegmentTile {
 public:
  static constexpr int warps = Threads / warp_threads, max_items = Threads * MaxRows;

  struct TempStorage {
    uint64_t sums[warps];
    uint64_t in, out;  // where the first item is, and where what comes of it goes to
    uint32_t cuts[2];
    uint32_t heads[max_items / warp_threads];
    uint16_t owners[max_items];  // where heads are, and of the first item: its segment
  };

  __device__ SegmentTile(TempStorage &storage, const Segments &segments) : storage_(storage), segments_(segments) {}

  // How many items segments first .. first + count - 1 have, fewer than 65536; `before` is what they are numbered from.
  // Each thread measures `each` of them. Of the longest this one has met, `longest()`.
  __device__ uint64_t Measure(uint64_t first, uint32_t count, uint32_t each, uint64_t before = 0) {
    first_ = first;
    mine_ = min_of(threadIdx.x * each, count);
    mine_end_ = min_of(mine_ + each, count);
    uint64_t items = 0;
    longest_ = 0;
#pragma unroll 4
    for (uint32_t i = mine_; i < mine_end_; ++i) {
      const uint64_t length = segments_[first + i].length;
      items += length;
      longest_ = max_of(longest_, length);
    }
    __syncthreads();  // whoever still uses the storage
    mine_items_ = items;
    uint64_t total;
    start_ = before + sum_before(items, storage_.sums, total);
    return total;
  }
  __device__ uint64_t longest() const { return longest_; }
  // How many items come before this thread's segments.
  __device__ uint64_t start() const { return start_; }

  // Moves both, unless 0, to where the segment ends that has the item before; of what was measured, and by all threads.
  __device__ void MoveToEnds(uint32_t &first, uint32_t &last) {
    const uint32_t before_first = max_of(first, 1u) - 1, before_last = last - 1;
    for_each_segment(before_first, last - before_first, [&](uint32_t, uint64_t start, const Segment &s) {
      if (start <= before_first) storage_.cuts[0] = uint32_t(start + s.length);
      if (start + s.length > before_last) storage_.cuts[1] = uint32_t(start + s.length);
    });
    __syncthreads();
    if (first > 0) first = storage_.cuts[0];
    last = storage_.cuts[1];
    __syncthreads();
  }

  // Makes items first .. first + count - 1 of what was measured the tile; by all threads.
  __device__ void Place(uint64_t first, int count) {
    count_ = count;
#pragma unroll 1
    for (int row = threadIdx.x; row < ceil_div(count, Threads) * warps; row += Threads) {
      const int left = count - row * warp_threads;
      storage_.heads[row] = left >= warp_threads ? 0 : left <= 0 ? full_warp : full_warp << left;
    }
    for_each_segment(first, 1, [&](uint32_t i, uint64_t start, const Segment &s) {
      storage_.in = s.in + (first - start);
      storage_.out = s.out + (first - start);
      storage_.owners[0] = uint16_t(i);
    });
    __syncthreads();
    bool apart = false;
    for_each_segment(first, count, [&](uint32_t i, uint64_t start, const Segment &s) {
      apart |= s.in - start != storage_.in - first || s.out - start != storage_.out - first;
      if (start < first) return;
      const int place = int(start - first);
      atomicOr(&storage_.heads[place / warp_threads], 1u << place % warp_threads);
      if (place > 0) storage_.owners[place] = uint16_t(i);
    });
    scattered_ = __syncthreads_or(apart);
    // So the compiler knows that it is uniform.
    rows_ = __popc(__ballot_sync(full_warp, lane() < ceil_div(count, Threads)));
  }

  // Whether the first item is not the first of its segment.
  __device__ bool is_open() const { return (storage_.heads[0] & 1) == 0; }

  // ---- rows of this thread's warp

  __device__ int rows() const { return rows_; }
  __device__ uint32_t heads(int row) const { return storage_.heads[warp() * rows_ + row]; }
  __device__ bool exists(int row) const { return place_of(row) < count_; }

  // Whether items are not side by side; otherwise where in memory the lane's item of a row is, and where what comes of
  // it goes to.
  __device__ bool is_scattered() const { return scattered_; }
  __device__ uint64_t in(int row) const { return storage_.in + place_of(row); }
  __device__ uint64_t out(int row) const { return storage_.out + place_of(row); }

  // Calls then(place, in, out) for each of the lane's items of a scattered tile, of its rows in turn.
  template <class Then> __device__ void ForEachItem(Then then) const {
    int head = last_head_before(warp() * rows_);
#pragma unroll 1
    for (int r = 0; r < rows_; ++r) {
      const int place = place_of(r), row_end = place - lane() + warp_threads - 1;
      const uint32_t word = heads(r), up_to_here = word & full_warp >> (warp_threads - 1 - lane());
      int mine = up_to_here == 0 ? head : row_end - __clz(up_to_here);
      if (place >= count_) mine = 0;
      if (place < count_) {
        const Segment s = mine > 0 ? segments_[first_ + storage_.owners[mine]] : Segment{storage_.in, storage_.out, 0};
        then(place, s.in + (place - mine), s.out + (place - mine));
      }
      if (word != 0) head = row_end - __clz(word);
    }
  }

  // Of an item in the tile.
  __device__ int place_of(int row) const { return (warp() * rows_ + row) * warp_threads + lane(); }

 private:
  // Calls then(i, start, segment) for each of this thread's segments that has any of these items.
  template <class Then> __device__ void for_each_segment(uint64_t first, uint64_t count, Then then) const {
    uint64_t start = start_;
    if (start >= first + count || start + mine_items_ <= first) return;
#pragma unroll 1
    for (uint32_t i = mine_; i < mine_end_; ++i) {
      const Segment s = segments_[first_ + i];
      if (s.length > 0 && start < first + count && start + s.length > first) then(i, start, s);
      start += s.length;
    }
  }

  // Of row `row` of the tile; 0 if there is none.
  __device__ int last_head_before(int row) const {
#pragma unroll 1
    for (int last = row; last > 0; last -= warp_threads) {
      const int mine = last - 1 - lane();
      const uint32_t word = mine >= 0 ? storage_.heads[mine] : 0;
      const uint32_t found = __ballot_sync(full_warp, word != 0);
      if (found == 0) continue;
      const int nearest = __ffs(found) - 1;
      const uint32_t bits = __shfl_sync(full_warp, word, nearest);
      return (last - 1 - nearest) * warp_threads + warp_threads - 1 - __clz(bits);
    }
    return 0;
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  TempStorage &storage_;
  const Segments &segments_;
  uint64_t first_, start_, mine_items_, longest_;
  uint32_t mine_, mine_end_;
  int count_, rows_;
  bool scattered_;
};

}  // namespace jig
