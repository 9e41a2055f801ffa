// Device-wide run-length encoding, and finding runs of two keys and more, in one launch, a block for
// each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/by_key/run_length_tile.cuh>

namespace jig {

template <class Policy, bool NonTrivial, class Keys, class First, class Lengths, class NumRuns, class Equality>
__device__ void run_length_lookback(const Keys &keys, const First &first, const Lengths &lengths,
                                    const NumRuns &num_runs, const Equality &equality, uint64_t num_items,
                                    GroupState<RunCount> *groups, TileState<RunCount> *tiles, uint64_t tag) {
  using Tile = RunLengthTile<Policy, NonTrivial, Keys, First, Lengths, NumRuns, Equality>;
  __shared__ typename AgentLookback<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  ptx::wait_for_prerequisite_grids();
  const typename Tile::Places places = {keys, first, lengths, num_runs, num_items};
  Tile tile(tile_storage, places, equality, blockIdx.x, Tile::max_rows);
  AgentLookback<Tile>(storage, groups, tiles, tag, {}).Run(tile, {});
}

}  // namespace jig
