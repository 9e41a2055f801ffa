// What a block does in a pass of a merge sort that merges runs by four: it brings a tile's parts of all four to
// shared memory, merges them by two, and what comes of that by two again.
#pragma once
#include <jig/agent/merge/merge_borders.cuh>
#include <jig/agent/merge_sort/merge_sort_split.cuh>
#include <jig/block/merge_seams.cuh>

namespace jig {

// Apart: whether what is merged is in the outputs, keys and values apart.
template <class Policy, class Records, class Less, bool Apart> class AgentMergeSortMerge4 {
  using Record = typename Records::Record;
  static constexpr int threads = Policy::threads, N = Policy::items, size = sizeof(Record);
  static constexpr int tile_items = Policy::tile_items;
  static_assert(tile_items <= (threads - 1) * N, "two pairs of runs, each merged by whole threads");
  static constexpr uint32_t vector = 16;
  // Parts may be copied with the rest of the vectors that their ends are in.
  static constexpr int room = merged_runs * 2 * vector;
  // Otherwise a tile has the right items all the same, though in no particular order.
  static constexpr bool is_sure = is_order<Less, Record>;
  // Whether what is behind a part may be compared, though it counts for nothing: other parts' bytes, of which padding
  // would be taken for keys if items are not where vectors' fractions are.
  static constexpr bool reads_on = is_sure && (!Records::has_padding || vector % size == 0);
  static constexpr int tile_bytes = threads * N * size;
  static constexpr int margin = reads_on && orders_nans<Less, Record> ? N * size : 0;
  using Borders = MergeBorders<uint32_t, merged_runs>;
  using Seams = MergeSeams<threads>;

 public:
  // Of a tile one run's: where its items are in memory, counted from the group's first, and in shared memory.
  struct Part {
    uint32_t from, address;
    int count;
  };
  struct alignas(128) alignas(Record) TempStorage {
    alignas(Record) unsigned char items[tile_bytes + max_of(room, margin)];
    uint64_t barrier;
    Part parts[merged_runs];
    uint32_t some;  // the address of an item
    typename Seams::TempStorage seams;
  };

  __device__ AgentMergeSortMerge4(TempStorage &storage, const Records &records, Less less,
                                  const MergeSortPart &part)
      : storage_(storage), tile_(ptx::kept_shared_address(&storage)), records_(records), less_(less), part_(part) {}

  // Tile number `tile` of a group of four runs.
  __device__ void Run(uint64_t group, uint32_t tile) {
    const uint64_t begin = group * merged_runs * part_.run, first = uint64_t(tile) * tile_items;
    const uint64_t left = part_.num_items - begin, items = min_of(left, merged_runs * part_.run);
    if (first >= items) return;
    const int count = int(min_of(items - first, uint64_t(tile_items)));
    const bool copies = can_copy && reinterpret_cast<uintptr_t>(part_.from) % vector == 0;
    if (threadIdx.x < warp_threads) find_parts(group, tile, begin, first + tile_items >= items, copies);
    __syncthreads();
    if (copies) {
      wait_for_copies();
    } else {
      load(begin, count);
      __syncthreads();
    }
    const bool are_all_there = merge(count);
    ptx::launch_dependent_grids();
    store(begin, begin + first, count, are_all_there);
  }

 private:
#if __CUDA_ARCH__ >= 900
  static constexpr bool can_copy = !Apart && alignof(Record) <= vector;
#else
  static constexpr bool can_copy = false;
#endif

  // By a warp, four lanes of which look at one run each.
  __device__ void find_parts(uint64_t group, uint32_t tile, uint64_t begin, bool is_last, bool copies) {
    const int lane = threadIdx.x, r = lane % merged_runs;
    const uint32_t *splits = part_.splits + (group * part_.tiles + tile) * merged_runs + r;
    const uint64_t run_begin = r * part_.run, left = part_.num_items - begin;
    const uint32_t run_items = run_begin < left ? uint32_t(min_of(left - run_begin, part_.run)) : 0;
    uint32_t split, end;
    if constexpr (is_sure) {
      split = splits[0];
      end = is_last ? run_items : splits[merged_runs];
    } else {
      settle(group, tile, left, run_items, split, end);
    }
    const Part part = {uint32_t(run_begin) + split, 0, int(end - split)};
    const uint32_t offset = copies && part.count > 0 ? uint32_t((begin + part.from) * size) % vector : 0;
    uint32_t bytes = offset + part.count * size;
    if (copies) bytes = (bytes + vector - 1) & -vector;
    uint32_t behind = bytes;
#pragma unroll
    for (int distance = 1; distance < merged_runs; distance *= 2) {
      const uint32_t other = __shfl_up_sync(full_warp, behind, distance, merged_runs);
      if (r >= distance) behind += other;
    }
    const uint32_t at = behind - bytes;
    const bool is_some = __ffs(__ballot_sync(full_warp, part.count > 0)) == lane + 1;
    if (is_some) storage_.some = tile_ + at + offset;
    if (lane < merged_runs) storage_.parts[r] = {part.from, tile_ + at + offset, part.count};
    if constexpr (reads_on) clear_behind(__shfl_sync(full_warp, behind, merged_runs - 1));
    if (copies) copy_part((begin + part.from) * size - offset, bytes, part.count, at);
  }

  // Where the tile begins and ends in the lane's run, whatever has been found.
  __device__ void settle(uint64_t group, uint32_t tile, uint64_t left, uint32_t run_items, uint32_t &split,
                         uint32_t &end) const {
    const int lane = threadIdx.x, r = lane % merged_runs;
    typename Borders::Place runs, place{};
#pragma unroll
    for (int i = 0; i < merged_runs - 1; ++i) runs[i] = __shfl_sync(full_warp, run_items, i);
    const uint64_t items = min_of(left, merged_runs * part_.run);
    const Borders borders(runs, items, tile_items, uint32_t((items + tile_items - 1) / tile_items));
    const uint32_t border = border_above(tile | 1, lane);
    if (borders.rank(border) < items) {
      const uint32_t *of_border = part_.splits + (group * part_.tiles + uint64_t(border)) * merged_runs;
#pragma unroll
      for (int i = 0; i < merged_runs - 1; ++i) place[i] = of_border[i];
    }
    place = borders.Settle(tile | 1, place);
    split = tile == 0 ? 0 : of_run(place, tile, borders);
    end = of_run(place, tile + 1, borders);
  }

  // How many items of the lane's run come before the border, whose level is a lane that has this place.
  static __device__ uint32_t of_run(const typename Borders::Place &places, uint32_t border, const Borders &borders) {
    const int r = threadIdx.x % merged_runs;
    uint32_t last = uint32_t(borders.rank(border)), of_own = 0;
#pragma unroll
    for (int i = 0; i < merged_runs - 1; ++i) {
      const uint32_t of_run = __shfl_sync(full_warp, places[i], __ffs(int(border)) - 1);
      last -= of_run;
      if (r == i) of_own = of_run;
    }
    return r == merged_runs - 1 ? last : of_own;
  }

  // What is read behind the last part, and then behind all threads' items.
  __device__ void clear_behind(uint32_t last_part) const {
    const uint32_t end = (last_part + N * size + 3) / 4 * 4;
    clear(last_part / 4 * 4, end);
    if constexpr (margin > 0) clear(max_of<uint32_t>(end, tile_bytes), tile_bytes + margin);
  }
  __device__ void clear(uint32_t begin, uint32_t end) const {
#pragma unroll 1
    for (uint32_t i = begin + 4 * threadIdx.x; i < end; i += 4 * warp_threads) ptx::shared_at<uint32_t>(tile_ + i) = 0;
  }

  // A run's part with the rest of the vectors that its ends are in, so that it is as far off an aligned address as it
  // is in memory; of the last one there may not be a whole vector.
  __device__ void copy_part(uint64_t first, uint32_t bytes, int count, uint32_t at) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&storage_.barrier, merged_runs);
      ptx::fence_mbarrier_init();
    }
    __syncwarp();
    if (threadIdx.x >= merged_runs) return;
    const unsigned char *from = static_cast<const unsigned char *>(part_.from) + first;
    const uint64_t left = part_.num_items * size - first;
    const uint32_t copied = count == 0 ? 0 : bytes <= left ? bytes : bytes - vector;
    ptx::mbarrier_arrive_expect(&storage_.barrier, copied);
    if (copied > 0) ptx::bulk_copy(storage_.items + at, from, copied, &storage_.barrier);
    if (count > 0) {
#pragma unroll 1
      for (uint32_t i = copied; i < bytes; ++i) storage_.items[at + i] = i < left ? from[i] : 0;
    }
#endif
  }

  __device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 900
    ptx::mbarrier_wait(&storage_.barrier, 0);
#endif
  }

  // The parts one behind the other. A short loop where this is for unaligned records alone.
  __device__ void load(uint64_t begin, int count) {
    constexpr int at_once = can_copy ? 1 : 4;
    const auto from = [&](uint32_t i) {
      if constexpr (Apart) return records_.stored(begin + i);
      else return (static_cast<const Record *>(part_.from) + begin)[i];
    };
    const Part *parts = storage_.parts;
    const int second = parts[0].count, third = second + parts[1].count, fourth = third + parts[2].count;
    const uint32_t from0 = parts[0].from, from1 = parts[1].from - second, from2 = parts[2].from - third,
                   from3 = parts[3].from - fourth;
#pragma unroll at_once
    for (int i = threadIdx.x; i < count; i += threads) {
      const uint32_t at = i + (i < second ? from0 : i < third ? from1 : i < fourth ? from2 : from3);
      Record &to = ptx::shared_at<Record>(tile_ + i * size);
      if constexpr (Apart && Records::are_copied) records_.copy_stored(begin + at, to);
      else to = from(at);
    }
    if constexpr (Apart && Records::are_copied) records_.wait_for_copies();
  }

  // Whether that are all of the tile's items; if not, which threads have taken is known behind the next barrier. A
  // loop, so that merging is compiled once.
  __device__ bool merge(int count) {
    const Part *parts = storage_.parts;
    const int of_first = parts[0].count + parts[1].count, of_second = count - of_first;
    const int first_threads = (of_first + N - 1) / N, thread = int(threadIdx.x);
    const bool is_first = thread < first_threads;
    const Part part_a = parts[is_first ? 0 : 2], part_b = parts[is_first ? 1 : 3];
    uint32_t a = part_a.address, b = part_b.address, some = storage_.some;
    int a_count = part_a.count, b_count = part_b.count;
    int diagonal = (is_first ? thread : thread - first_threads) * N;
    bool meets = true;
#pragma unroll 1
    for (bool is_last = false;; is_last = true) {
      const auto merged = merge_from<Record, N, reads_on>(a, a_count, b, b_count, diagonal, less_, some);
      Seams seams(storage_.seams, thread);
      if (!is_sure) seams.Publish(merged);
      __syncthreads();
      put_blocked(tile_, thread, merged.items);
      if (!is_sure) meets &= seams.Meets(merged);
      if (is_last) return meets;
      __syncthreads();
      a = tile_;
      b = tile_ + first_threads * (N * size);
      a_count = of_first;
      b_count = of_second;
      diagonal = thread * N;
      some = of_first > 0 ? a : b;
    }
  }

  // Waits for all threads; if they have not taken all items, brings them again, to be left as they come.
  __device__ void sync_merged(uint64_t begin, int count, bool are_all_there) {
    if (is_sure) {
      __syncthreads();
    } else if (!__syncthreads_and(are_all_there)) {
      load(begin, count);
      fence();
      __syncthreads();
    }
  }

  // What threads have written to shared memory may then be stored in bulk.
  static __device__ void fence() {
#if __CUDA_ARCH__ >= 900
    ptx::fence_bulk_copies();
#endif
  }

  __device__ void store(uint64_t begin, uint64_t first, int count, bool are_all_there) {
#if __CUDA_ARCH__ >= 900
    unsigned char *to = static_cast<unsigned char *>(part_.to) + first * size;
    if (part_.to != nullptr && count == tile_items && reinterpret_cast<uintptr_t>(to) % vector == 0) {
      fence();
      sync_merged(begin, count, are_all_there);
      if (threadIdx.x == 0) {
        ptx::bulk_store(to, tile_, tile_items * size);
        ptx::wait_for_bulk_stores();
      }
      return;
    }
#endif
    sync_merged(begin, count, are_all_there);
    store_records<threads>(tile_, count, records_, part_, first);
  }

  TempStorage &storage_;
  uint32_t tile_;
  const Records &records_;
  Less less_;
  const MergeSortPart &part_;
};

}  // namespace jig
