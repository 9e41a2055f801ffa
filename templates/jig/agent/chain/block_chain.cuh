// How the tiles of a kernel's blocks are handed on, a tile for each block: by each way with the same tile.
#pragma once
#include <jig/agent/chain/cluster.cuh>
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/chain/single_wave.cuh>

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

template <class State> struct ClusterChain {
  int rows;

  template <class Tile> using Agent = AgentCluster<Tile>;
  template <class Tile> __device__ AgentCluster<Tile> agent(typename AgentCluster<Tile>::TempStorage &storage) const {
    return AgentCluster<Tile>(storage, {});
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

}  // namespace jig
