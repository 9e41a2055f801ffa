// Device-wide reduce by key of few items, by one block or cluster.
#pragma once
#include <jig/agent/by_key/reduce_by_key_tile.cuh>
#include <jig/agent/chain/cluster.cuh>

namespace jig {

template <class Policy, class Accum, class Keys, class Unique, class Values, class Aggregates, class NumRuns, class Op,
          class Equality, class Count>
__device__ void reduce_by_key_cluster(const Keys &keys, const Unique &unique, const Values &values,
                                      const Aggregates &aggregates, const NumRuns &num_runs, Op op,
                                      const Equality &equality, Count num_items, int rows) {
  using Tile = ReduceByKeyTile<Policy, Accum, uint32_t, Keys, Unique, Values, Aggregates, NumRuns, Op, Equality>;
  __shared__ typename AgentCluster<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  const typename Tile::Places places = {keys, unique, values, aggregates, num_runs, count};
  Tile tile(tile_storage, places, op, equality, blockIdx.x, rows);
  AgentCluster<Tile>(storage, {op}).Run(tile, {}, blocks.count());
}

}  // namespace jig
