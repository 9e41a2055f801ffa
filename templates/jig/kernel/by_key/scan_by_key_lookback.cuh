// Device-wide scan by key in one launch, a block for each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/by_key/scan_by_key_tile.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class Keys, class In, class Out, class Init, class Op,
          class Equality, class Count>
__device__ void scan_by_key_lookback(const Keys &keys, const In &in, const Out &out, const Init &init, Op op,
                                     const Equality &equality, Count num_items,
                                     GroupState<OpenRun<Accum, bool>> *groups, TileState<OpenRun<Accum, bool>> *tiles,
                                     uint64_t tag) {
  using Tile = ScanByKeyTile<Policy, Accum, Keys, In, Out, Init, Op, Equality, Inclusive>;
  __shared__ typename AgentLookback<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * Tile::max_rows);
  if (!blocks.has_this()) return;
  Tile tile(keys, in, out, init, op, equality, count, blockIdx.x, Tile::max_rows);
  AgentLookback<Tile>(storage, groups, tiles, tag, {op}).Run(tile, {}, blocks.count());
}

}  // namespace jig
