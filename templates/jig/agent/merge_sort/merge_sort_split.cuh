// What a warp does before a pass of a merge sort that merges runs by four: it finds where a tile begins in each. And
// before one that merges two, if less may be no order.
//
// Eight lanes look at one run each; of its part that may hold the border, seven items divide what is left into
// eight. Each of these is compared with the seven of every other run, which bounds how many items come before it,
// and so tells of some that they belong before the border, or behind it. Exact, and stable: equal items are in the
// order of their runs. If less is no order, the search ends somewhere in the runs: see agent/merge/merge_borders.cuh.
#pragma once
#include <jig/agent/merge_sort/merge_sort.cuh>
#include <jig/core/uniform.cuh>
#include <jig/warp/merge_path.cuh>

namespace jig {

constexpr int merged_runs = 4;

// Apart: as of those that merge by four.
template <class Policy, class Records, class Less, bool Apart> class AgentMergeSortSplit {
  using Record = typename Records::Record;
  static constexpr int probes = 7, lanes_each = warp_threads / merged_runs;
  static constexpr bool is_sure = is_order<Less, Record>;

  // What the lanes of a warp tell each other.
  struct Probes {
    uninitialized<Record, warp_threads> records;
    uint32_t places[warp_threads];
    uint32_t low[merged_runs], high[merged_runs];
  };

 public:
  struct TempStorage {
    Probes of_warp[Policy::threads / warp_threads];
  };

  __device__ AgentMergeSortSplit(TempStorage &storage, const Records &records, Less less, const MergeSortPart &part)
      : shared_(storage.of_warp[threadIdx.x / warp_threads]), records_(records), less_(less), part_(part) {}

  // The search number `search`, counted through all groups.
  __device__ void Run(uint64_t search) {
    const uint64_t searches = (part_.tiles + part_.step - 1) / part_.step, group = search / searches;
    const uint64_t tile = (search - group * searches) * part_.step, split = group * part_.tiles + tile;
    const uint64_t first = group * (is_sure ? merged_runs : part_.ways) * part_.run;
    if (uniform(first >= part_.num_items)) return;
    const uint64_t left = part_.num_items - first;
    if (!is_sure && part_.ways == 2) search_two(first, left, tile, split);
    else search_four(first, left, tile, split);
  }

 private:
  // Where in the first of two runs.
  __device__ void search_two(uint64_t first, uint64_t left, uint64_t tile, uint64_t split) const {
    const uint64_t rank = tile * Policy::merge_tile_items, a_count = min_of(left, part_.run);
    if (tile == 0 || rank >= left) return;
    const Record *a = static_cast<const Record *>(part_.from) + first;
    const uint64_t found =
        warp_merge_path(a, a_count, a + part_.run, min_of(left - a_count, part_.run), rank, less_);
    if (lane_ == 0) reinterpret_cast<uint64_t *>(part_.splits)[split] = found;
  }

  // Where in each of four.
  __device__ void search_four(uint64_t first, uint64_t left, uint64_t tile, uint64_t split) {
    constexpr int tile_items = Policy::tile_items;
    const uint64_t rank = tile * tile_items, begin = run_ * part_.run;
    if (uniform(rank >= left)) return;
    const uint32_t count = begin < left ? uint32_t(min_of(left - begin, part_.run)) : 0;
    uint32_t low = 0, high = min_of(count, uint32_t(rank));
    if (part_.bracket > 0) {
      const uint64_t before = tile / part_.bracket * part_.bracket, after = before + part_.bracket;
      if (uniform(tile == before)) return;
      const uint32_t *found = part_.splits + (split - tile) * merged_runs + run_;
      low = found[before * merged_runs];
      if (after < part_.tiles && after * tile_items < left) high = min_of(high, found[after * merged_runs]);
      if (!is_sure) low = min_of(low, high);
    }
    if constexpr (Apart) first_ = first + begin;
    else items_ = static_cast<const Record *>(part_.from) + first + begin;
    const uint32_t place = find(low, high, uint32_t(rank));
    if (probe_ == 0) part_.splits[split * merged_runs + run_] = place;
  }

  // The sum over the runs of what each of their lanes has.
  static __device__ uint32_t sum(uint32_t x) {
    x += __shfl_xor_sync(full_warp, x, lanes_each);
    return x + __shfl_xor_sync(full_warp, x, 2 * lanes_each);
  }

  // How many of the lane's run are among the first `rank` items: from low to high.
  __device__ uint32_t find(uint32_t low, uint32_t high, uint32_t rank) {
#pragma unroll 1
    for (;;) {
      if (uniform(sum(low) == rank)) return low;
      if (uniform(sum(high) == rank)) return high;
      const uint32_t open = high - low, part = probe_ + 1, all_open = is_sure ? 0 : sum(open);
      const uint32_t place = low + (open >> 3) * part + ((open & 7) * part >> 3);
      const bool exists = open > 0 && probe_ < probes;
      Record item;
      if (exists) {
        if constexpr (Apart) {
          shared_.records[lane_].key = records_.stored_key(first_ + place);  // the value does not matter
          asm volatile("" ::: "memory");  // NVRTC 13.0 does not survive 16-bit floats for SM 120 without
          item = shared_.records[lane_];
        } else {
          item = items_[place];
          shared_.records[lane_] = item;
        }
      }
      shared_.places[lane_] = place;
      if (probe_ == 0) {
        shared_.low[run_] = low;
        shared_.high[run_] = high;
      }
      __syncwarp();
      uint32_t at_least = place, at_most = place;  // so many items come before
      if (exists) {
#pragma unroll
        for (int k = 1; k < merged_runs; ++k) bound(item, (run_ + k) % merged_runs, at_least, at_most);
      }
      const uint32_t selected = exists && at_most < rank ? place + 1 : low;
      const uint32_t rejected = exists && at_least >= rank ? place : high;
      __syncwarp();
      low = fold(selected, [](uint32_t a, uint32_t b) { return max_of(a, b); });
      high = fold(rejected, [](uint32_t a, uint32_t b) { return min_of(a, b); });
      if (is_sure) continue;
      high = max_of(low, high);
      if (sum(high - low) >= all_open) return low;
    }
  }

  // Adds how many items of another run come before this one, at least and at most.
  __device__ void bound(const Record &item, int other, uint32_t &at_least, uint32_t &at_most) const {
    const uint32_t low = shared_.low[other], high = shared_.high[other];
    if (low == high) {
      at_least += low;
      at_most += low;
      return;
    }
    const int first = other * lanes_each;
    int before = 0;  // of the other run's probes
#pragma unroll
    for (int step = 4; step > 0; step /= 2) {
      const Record probe = shared_.records[first + before + step - 1];
      const bool is_before = other < run_ ? !less_(item, probe) : bool(less_(probe, item));
      if (is_before) before += step;
    }
    at_least += before > 0 ? shared_.places[first + before - 1] + 1 : low;
    at_most += before < probes ? shared_.places[first + before] : high;
  }

  // Over the lanes of a run.
  template <class Op> static __device__ uint32_t fold(uint32_t x, Op op) {
#pragma unroll
    for (int distance = 1; distance < lanes_each; distance *= 2)
      x = op(x, __shfl_xor_sync(full_warp, x, distance));
    return x;
  }

  Probes &shared_;
  const Records &records_;
  Less less_;
  const MergeSortPart &part_;
  const int lane_ = threadIdx.x % warp_threads, run_ = lane_ / lanes_each, probe_ = lane_ % lanes_each;
  // Of the lane's run.
  const Record *items_;
  uint64_t first_;
};

}  // namespace jig
