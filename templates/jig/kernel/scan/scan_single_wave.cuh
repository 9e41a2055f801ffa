// Device-wide scan in one launch of blocks that are all resident.
#pragma once
#include <jig/agent/chain/single_wave.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Init, class Op,
          class Count>
__device__ void scan_single_wave(const In &in, const Out &out, const Init &init, Op op, Count num_items, int rows,
                                 SingleWaveControl *control, uint64_t tag) {
  using Tile = ScanTile<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename AgentSingleWave<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  Tile tile(in, out, count, blockIdx.x, rows, op);
  AgentSingleWave<Tile>(storage, control, tag, op).Run(tile, initial_value<Accum, Op, Inclusive>(init), blocks.count());
}

}  // namespace jig
