// Device-wide reduce by key in one launch, a block for each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/by_key/reduce_by_key_tile.cuh>

namespace jig {

template <class Policy, class Accum, class Keys, class Unique, class Values, class Aggregates, class NumRuns, class Op,
          class Equality, class Count>
__device__ void reduce_by_key_lookback(const Keys &keys, const Unique &unique, const Values &values,
                                       const Aggregates &aggregates, const NumRuns &num_runs, Op op,
                                       const Equality &equality, Count num_items,
                                       GroupState<OpenRun<Accum, uint64_t>> *groups,
                                       TileState<OpenRun<Accum, uint64_t>> *tiles, uint64_t tag) {
  using Tile = ReduceByKeyTile<Policy, Accum, uint64_t, Keys, Unique, Values, Aggregates, NumRuns, Op, Equality>;
  using Agent = AgentLookback<Tile, true>;
  __shared__ typename Agent::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * Tile::max_rows);
  if (!blocks.has_this()) return;
  const typename Tile::Places places = {keys, unique, values, aggregates, num_runs, count};
  Tile tile(tile_storage, places, op, equality, blockIdx.x, Tile::max_rows);
  Agent(storage, groups, tiles, tag, {op}).Run(tile, {}, blocks.count());
}

}  // namespace jig
