// What a block does in a pass of a merge sort that merges runs by two.
#pragma once
#include <jig/agent/merge_sort/merge_sort.cuh>
#include <jig/agent/merge/merge_tile.cuh>

namespace jig {

template <class Policy, class Records, class Less> class AgentMergeSortMerge {
  using Record = typename Records::Record;
  using Tile = MergeTile<Record, Policy::threads, Policy::items, Less, !is_order<Less, Record>>;

 public:
  using TempStorage = typename Tile::TempStorage;

  __device__ AgentMergeSortMerge(TempStorage &storage, const Records &records, Less less,
                                 const MergeSortPart &part)
      : tile_(storage, less), records_(records), part_(part) {}

  // Tile number `tile` of a pair of runs.
  __device__ void Run(uint64_t pair, uint32_t tile) {
    const uint64_t begin = pair * 2 * part_.run, first = uint64_t(tile) * Tile::tile_items;
    const uint64_t left = part_.num_items - begin, items = min_of(left, 2 * part_.run);
    if (first >= items) return;
    const uint64_t a_count = min_of(left, part_.run);
    const Record *a = static_cast<const Record *>(part_.from) + begin, *b = a + part_.run;
    const int count = int(min_of(items - first, uint64_t(Tile::tile_items)));
    const auto *found = reinterpret_cast<const uint64_t *>(part_.splits);
    const auto tiles = uint32_t((items + Tile::tile_items - 1) / Tile::tile_items);
    tile_.Merge(a, a_count, b, items - a_count, tile, count, tiles,
                found == nullptr ? found : found + pair * part_.tiles,
                [&](bool of_a, uint64_t i) { return (of_a ? a : b)[i]; });
    ptx::launch_dependent_grids();
    store_records<Policy::threads>(tile_.address(), count, records_, part_, begin + first);
  }

 private:
  Tile tile_;
  const Records &records_;
  const MergeSortPart &part_;
};

}  // namespace jig
