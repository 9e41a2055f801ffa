// Run-length encoding, and finding runs of two keys and more, of few items, by one block or cluster.
#pragma once
#include <jig/agent/by_key/run_length_tile.cuh>
#include <jig/agent/chain/cluster.cuh>

namespace jig {

template <class Policy, bool NonTrivial, class Keys, class First, class Lengths, class NumRuns, class Equality,
          class Count>
__device__ void run_length_cluster(const Keys &keys, const First &first, const Lengths &lengths,
                                   const NumRuns &num_runs, const Equality &equality, Count num_items, int rows) {
  using Tile = RunLengthTile<Policy, NonTrivial, uint32_t, Keys, First, Lengths, NumRuns, Equality>;
  __shared__ typename AgentCluster<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  const typename Tile::Places places = {keys, first, lengths, num_runs, count};
  Tile tile(tile_storage, places, equality, blockIdx.x, rows);
  AgentCluster<Tile>(storage, {}).Run(tile, {}, blocks.count());
}

}  // namespace jig
