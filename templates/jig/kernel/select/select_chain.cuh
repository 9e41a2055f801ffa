// What the kernels of select and its kin share: a block with a SelectTile, in either chain of blocks.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/chain/single_wave.cuh>
#include <jig/agent/select/select_tile.cuh>

namespace jig {

// A kernel has one of these, made of its last parameters: how many rows its tiles have, and how its block
// runs one.
template <class State> struct SingleWaveChain {
  int rows;
  SingleWaveControl *control;
  uint64_t tag;

  template <class Tile> using Agent = AgentSingleWave<Tile>;
  template <class Tile>
  __device__ AgentSingleWave<Tile> agent(typename AgentSingleWave<Tile>::TempStorage &storage) const {
    return AgentSingleWave<Tile>(storage, control, tag, {});
  }
  template <class Policy> __device__ int tile_rows() const { return rows; }
};

template <class State> struct LookbackChain {
  GroupState<State> *groups;
  TileState<State> *tiles;
  uint64_t tag;

  template <class Tile> using Agent = AgentLookback<Tile>;
  template <class Tile>
  __device__ AgentLookback<Tile> agent(typename AgentLookback<Tile>::TempStorage &storage) const {
    return AgentLookback<Tile>(storage, groups, tiles, tag, {});
  }
  template <class Policy> __device__ int tile_rows() const { return Policy::rows; }
};

template <class Policy, class Values = none, class ValuesSink = none, class Chain, class In, class Rule,
          class Sink, class CountOut>
__device__ void run_select(const Chain &chain, const In &in, const Rule &rule, const Sink &sink,
                           const CountOut &count_out, uint64_t num_items, bool in_place,
                           const Values &values = {}, const ValuesSink &values_sink = {}) {
  using Tile = SelectTile<Policy, In, Rule, Sink, CountOut, Values, ValuesSink>;
  __shared__ typename Chain::template Agent<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage stage;
  ptx::wait_for_prerequisite_grids();
  Tile tile(stage, in, rule, sink, count_out, values, values_sink, num_items, in_place, blockIdx.x,
            chain.template tile_rows<Policy>());
  chain.template agent<Tile>(storage).Run(tile, {true, {}});
}

}  // namespace jig
