// Device-wide scan by key of few items, by one block or cluster.
#pragma once
#include <jig/agent/by_key/scan_by_key_tile.cuh>
#include <jig/agent/chain/cluster.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class Keys, class In, class Out, class Init, class Op,
          class Equality, class Count>
__device__ void scan_by_key_cluster(const Keys &keys, const In &in, const Out &out, const Init &init, Op op,
                                    const Equality &equality, Count num_items, int rows) {
  using Tile = ScanByKeyTile<Policy, Accum, Keys, In, Out, Init, Op, Equality, Inclusive>;
  __shared__ typename AgentCluster<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  Tile tile(keys, in, out, init, op, equality, count, blockIdx.x, rows);
  AgentCluster<Tile>(storage, {op}).Run(tile, {}, blocks.count());
}

}  // namespace jig
