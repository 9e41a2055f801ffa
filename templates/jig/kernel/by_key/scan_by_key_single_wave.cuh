// Device-wide scan by key in one launch of blocks that are all resident.
#pragma once
#include <jig/agent/by_key/scan_by_key_tile.cuh>
#include <jig/agent/chain/single_wave.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class Keys, class In, class Out, class Init, class Op,
          class Equality>
__device__ void scan_by_key_single_wave(const Keys &keys, const In &in, const Out &out, const Init &init, Op op,
                                        const Equality &equality, uint64_t num_items, int rows,
                                        SingleWaveControl *control, uint64_t tag) {
  using Tile = ScanByKeyTile<Policy, Accum, Keys, In, Out, Init, Op, Equality, Inclusive>;
  __shared__ typename AgentSingleWave<Tile>::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Tile tile(keys, in, out, init, op, equality, num_items, blockIdx.x, rows);
  AgentSingleWave<Tile>(storage, control, tag, {op}).Run(tile, {});
}

}  // namespace jig
