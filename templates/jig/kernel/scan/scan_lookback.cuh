// Device-wide scan in one launch, a block for each tile.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Init, class Op, class Count>
__device__ void scan_lookback(const In &in, const Out &out, const Init &init, Op op, Count num_items,
                              GroupState<Accum> *groups, TileState<Accum> *tiles, uint64_t tag) {
  using Tile = ScanTile<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename AgentLookback<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * Tile::max_rows);
  if (!blocks.has_this()) return;
  Tile tile(in, out, count, blockIdx.x, Tile::max_rows, op);
  AgentLookback<Tile>(storage, groups, tiles, tag, op)
      .Run(tile, initial_value<Accum, Op, Inclusive>(init), blocks.count());
}

}  // namespace jig
