// What a block does in a pass of a merge sort that merges runs by four: it brings a tile's parts of all four to
// shared memory, merges them by two, and what comes of that by two again.
#pragma once
#include <jig/agent/merge_sort_split.cuh>

namespace jig {

template <class Policy, class Records, class Less> class AgentMergeSortMerge4 {
  using Record = typename Records::Record;
  static constexpr int threads = Policy::threads, N = Policy::items, size = sizeof(Record);
  static constexpr int tile_items = Policy::tile_items;
  static_assert(tile_items <= (threads - 1) * N, "two pairs of runs, each merged by whole threads");
  static constexpr uint32_t vector = 16;
  // Each part is copied with the rest of the vectors that its ends are in.
  static constexpr bool can_copy = alignof(Record) <= vector;
  static constexpr int room = merged_runs * 2 * vector;

 public:
  struct alignas(128) TempStorage {
    alignas(Record) unsigned char items[threads * N * size + room];
    uint64_t barrier;
  };

  __device__ AgentMergeSortMerge4(TempStorage &storage, const Records &records, Less less,
                                  const MergeSortPart &part)
      : storage_(storage), tile_(ptx::kept_shared_address(&storage)), records_(records), less_(less), part_(part) {}

  // Tile number `tile` of a group of four runs.
  __device__ void Run(uint64_t group, uint32_t tile) {
    const uint64_t begin = group * merged_runs * part_.run, first = uint64_t(tile) * tile_items;
    const uint64_t left = part_.num_items - begin, items = min_of(left, merged_runs * part_.run);
    if (first >= items) return;
    find_parts(group, tile, left, items);
    const bool copies = can_copy && load_in_bulk(begin);
    if (!copies) load(begin);
    __syncthreads();
    if (copies) wait_for_copies();
    merge();
    ptx::launch_dependent_grids();
    store(begin + first);
  }

 private:
  __device__ void find_parts(uint64_t group, uint32_t tile, uint64_t left, uint64_t items) {
    const uint32_t *splits = part_.splits + (group * part_.tiles + tile) * merged_runs;
    const bool is_last = (uint64_t(tile) + 1) * tile_items >= items;
    count_ = 0;
#pragma unroll
    for (int r = 0; r < merged_runs; ++r) {
      const uint64_t run_begin = r * part_.run;
      const uint32_t run_items = run_begin < left ? uint32_t(min_of(left - run_begin, part_.run)) : 0;
      const uint32_t from = splits[r], to = is_last ? run_items : splits[merged_runs + r];
      from_[r] = uint32_t(run_begin) + from;
      counts_[r] = int(to - from);
      count_ += counts_[r];
    }
  }

  // The parts one behind the other. A short loop where this is for unaligned records alone.
  __device__ void load(uint64_t begin) {
#if __CUDA_ARCH__ >= 900
    constexpr int at_once = 1;
#else
    constexpr int at_once = 4;
#endif
    const Record *from = static_cast<const Record *>(part_.from) + begin;
    const int second = counts_[0], third = second + counts_[1], fourth = third + counts_[2];
#pragma unroll at_once
    for (int i = threadIdx.x; i < count_; i += threads) {
      const uint32_t place = i < second ? from_[0] + i
                             : i < third ? from_[1] + (i - second)
                             : i < fourth ? from_[2] + (i - third)
                                          : from_[3] + (i - fourth);
      ptx::shared_at<Record>(tile_ + i * size) = from[place];
    }
    uint32_t at = tile_;
#pragma unroll
    for (int r = 0; r < merged_runs; ++r) {
      at_[r] = at;
      at += counts_[r] * size;
    }
  }

  // The same by copies of vectors, each part as far off an aligned address as it is in memory. False where that
  // cannot be done.
  __device__ bool load_in_bulk(uint64_t begin) {
#if __CUDA_ARCH__ >= 900
    const unsigned char *all = static_cast<const unsigned char *>(part_.from);
    if (reinterpret_cast<uintptr_t>(all) % vector != 0) return false;
    const uint64_t end = part_.num_items * size;
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&storage_.barrier, 1);
      ptx::fence_mbarrier_init();
    }
    uint32_t bytes = 0, at = 0;
#pragma unroll
    for (int r = 0; r < merged_runs; ++r) {
      const uint64_t part_begin = (begin + from_[r]) * size, part_end = part_begin + counts_[r] * size;
      const uint32_t offset = uint32_t(part_begin) % vector;
      at_[r] = tile_ + at + offset;
      if (counts_[r] == 0) continue;
      // There may be no whole vector at the end of all.
      const uint64_t copied_begin = part_begin - offset, whole_end = (part_end + vector - 1) & -uint64_t(vector);
      const uint64_t copied_end = whole_end > end ? whole_end - vector : whole_end;
      if (threadIdx.x == 0 && copied_end > copied_begin) {
        const uint32_t copied = uint32_t(copied_end - copied_begin);
        ptx::bulk_copy(storage_.items + at, all + copied_begin, copied, &storage_.barrier);
        bytes += copied;
      }
      const uint64_t rest_begin = max_of(copied_end, part_begin);
      if (threadIdx.x < vector && rest_begin + threadIdx.x < part_end)
        storage_.items[at + uint32_t(rest_begin - copied_begin) + threadIdx.x] = all[rest_begin + threadIdx.x];
      at += uint32_t(whole_end - copied_begin);
    }
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect(&storage_.barrier, bytes);
    return true;
#else
    return false;
#endif
  }

  __device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 900
    ptx::mbarrier_wait(&storage_.barrier, 0);
#endif
  }

  // A loop, so that merging is compiled once.
  __device__ void merge() {
    const int of_first = counts_[0] + counts_[1], of_second = count_ - of_first;
    const int first_threads = (of_first + N - 1) / N, thread = int(threadIdx.x);
    const bool is_first = thread < first_threads;
    uint32_t a = is_first ? at_[0] : at_[2], b = is_first ? at_[1] : at_[3];
    int a_count = is_first ? counts_[0] : counts_[2], b_count = is_first ? counts_[1] : counts_[3];
    int diagonal = (is_first ? thread : thread - first_threads) * N;
    uint32_t some = counts_[0] > 0 ? at_[0] : counts_[1] > 0 ? at_[1] : counts_[2] > 0 ? at_[2] : at_[3];
#pragma unroll 1
    for (bool is_last = false;; is_last = true) {
      const auto merged = merge_from<Record, N>(a, a_count, b, b_count, diagonal, less_, some);
      __syncthreads();
      put_blocked(tile_, thread, merged);
      if (is_last) return;
      __syncthreads();
      a = tile_;
      b = tile_ + first_threads * (N * size);
      a_count = of_first;
      b_count = of_second;
      diagonal = thread * N;
      some = of_first > 0 ? a : b;
    }
  }

  __device__ void store(uint64_t first) {
#if __CUDA_ARCH__ >= 900
    unsigned char *to = static_cast<unsigned char *>(part_.to) + first * size;
    if (part_.to != nullptr && count_ == tile_items && reinterpret_cast<uintptr_t>(to) % vector == 0) {
      ptx::fence_bulk_copies();
      __syncthreads();
      if (threadIdx.x == 0) {
        ptx::bulk_store(to, tile_, tile_items * size);
        ptx::wait_for_bulk_stores();
      }
      return;
    }
#endif
    __syncthreads();
    store_records<threads>(tile_, count_, records_, part_, first);
  }

  TempStorage &storage_;
  uint32_t tile_;
  const Records &records_;
  Less less_;
  const MergeSortPart &part_;
  array<uint32_t, merged_runs> from_, at_;  // where the parts begin: in the group, and in shared memory
  array<int, merged_runs> counts_;
  int count_;
};

}  // namespace jig
