// Device-wide scan in one launch, a block for each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Init, class Op>
__device__ void scan_lookback(const In &in, const Out &out, const Init &init, Op op, uint64_t num_items,
                              GroupState<Accum> *groups, TileState<Accum> *tiles, uint64_t tag) {
  using Tile = ScanTile<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename AgentLookback<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Tile tile(in, out, num_items, blockIdx.x, Tile::max_rows, op);
  AgentLookback<Tile>(storage, groups, tiles, tag, op).Run(tile, initial_value<Accum, Op, Inclusive>(init));
}

}  // namespace jig
