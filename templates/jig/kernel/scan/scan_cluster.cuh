// Device-wide scan of few items, by one block or cluster.
#pragma once
#include <jig/agent/chain/cluster.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Init, class Op, class Count>
__device__ void scan_cluster(const In &in, const Out &out, const Init &init, Op op, Count num_items, int rows) {
  using Tile = ScanTile<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename AgentCluster<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  Tile tile(in, out, count, blockIdx.x, rows, op);
  AgentCluster<Tile>(storage, op).Run(tile, initial_value<Accum, Op, Inclusive>(init), blocks.count());
}

}  // namespace jig
