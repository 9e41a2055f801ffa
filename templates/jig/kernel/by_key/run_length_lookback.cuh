// Device-wide run-length encoding, and finding runs of two keys and more, in one launch, a block for
// each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/by_key/run_length_tile.cuh>

namespace jig {

template <class Policy, bool NonTrivial, class Keys, class First, class Lengths, class NumRuns, class Equality,
          class Count>
__device__ void run_length_lookback(const Keys &keys, const First &first, const Lengths &lengths,
                                    const NumRuns &num_runs, const Equality &equality, Count num_items,
                                    GroupState<RunCount> *groups, TileState<RunCount> *tiles, uint64_t tag) {
  using Tile = RunLengthTile<Policy, NonTrivial, uint64_t, Keys, First, Lengths, NumRuns, Equality>;
  __shared__ typename AgentLookback<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * Tile::max_rows);
  if (!blocks.has_this()) return;
  const typename Tile::Places places = {keys, first, lengths, num_runs, count};
  Tile tile(tile_storage, places, equality, blockIdx.x, Tile::max_rows);
  AgentLookback<Tile>(storage, groups, tiles, tag, {}).Run(tile, {}, blocks.count());
}

}  // namespace jig
