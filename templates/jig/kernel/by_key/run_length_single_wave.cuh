// Device-wide run-length encoding, and finding runs of two keys and more, in one launch of blocks that
// are all resident.
#pragma once
#include <jig/agent/by_key/run_length_tile.cuh>
#include <jig/agent/chain/single_wave.cuh>

namespace jig {

template <class Policy, bool NonTrivial, class Keys, class First, class Lengths, class NumRuns, class Equality,
          class Count>
__device__ void run_length_single_wave(const Keys &keys, const First &first, const Lengths &lengths,
                                       const NumRuns &num_runs, const Equality &equality, Count num_items, int rows,
                                       SingleWaveControl *control, uint64_t tag) {
  using Tile = RunLengthTile<Policy, NonTrivial, uint64_t, Keys, First, Lengths, NumRuns, Equality>;
  __shared__ typename AgentSingleWave<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  const typename Tile::Places places = {keys, first, lengths, num_runs, count};
  Tile tile(tile_storage, places, equality, blockIdx.x, rows);
  AgentSingleWave<Tile>(storage, control, tag, {}).Run(tile, {}, blocks.count());
}

}  // namespace jig
