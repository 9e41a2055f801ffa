// Device-wide scan by key in one launch, a block for each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/by_key/scan_by_key_tile.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class Keys, class In, class Out, class Init, class Op,
          class Equality>
__device__ void scan_by_key_lookback(const Keys &keys, const In &in, const Out &out, const Init &init, Op op,
                                     const Equality &equality, uint64_t num_items,
                                     GroupState<OpenRun<Accum, bool>> *groups, TileState<OpenRun<Accum, bool>> *tiles,
                                     uint64_t tag) {
  using Tile = ScanByKeyTile<Policy, Accum, Keys, In, Out, Init, Op, Equality, Inclusive>;
  __shared__ typename AgentLookback<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Tile tile(keys, in, out, init, op, equality, num_items, blockIdx.x, Tile::max_rows);
  AgentLookback<Tile>(storage, groups, tiles, tag, {op}).Run(tile, {});
}

}  // namespace jig
