// What the kernels of select and its kin share: a block with a SelectTile, in either chain of blocks.
#pragma once
#include <jig/agent/chain/block_chain.cuh>
#include <jig/agent/select/select_tile.cuh>

namespace jig {

template <class Policy, class Values = none, class ValuesSink = none, class Chain, class In, class Rule,
          class Sink, class CountOut, class Count>
__device__ void run_select(const Chain &chain, const In &in, const Rule &rule, const Sink &sink,
                           const CountOut &count_out, Count num_items, bool in_place,
                           const Values &values = {}, const ValuesSink &values_sink = {}) {
  using Tile = SelectTile<Policy, In, Rule, Sink, CountOut, Values, ValuesSink>;
  __shared__ typename Chain::template Agent<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage stage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const int rows = chain.template tile_rows<Policy>();
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  Tile tile(stage, in, rule, sink, count_out, values, values_sink, count, in_place, blockIdx.x, rows);
  chain.template agent<Tile>(storage).Run(tile, {true, {}}, blocks.count());
}

}  // namespace jig
