// How the items of buffers are copied that are anything but bytes in memory: one by one, from an iterator to another.
#pragma once
#include <jig/agent/copy_batched/batched_list.cuh>
#include <jig/agent/copy_batched/share_runs.cuh>
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class In, class Out> struct ItemUnit {
  using Loaded = typename Out::value_type;
  const In &in;
  const Out &out;

  __device__ Loaded load(uint64_t i) const { return static_cast<Loaded>(in[i]); }
  __device__ void store(uint64_t i, const Loaded &item) const { out.store(i, item); }
};

// Items that are too large for registers are loaded when they are stored: what is loaded before is where they are.
template <class In, class Out> struct WideItemUnit {
  using Loaded = uint64_t;
  const In &in;
  const Out &out;

  __device__ Loaded load(uint64_t i) const { return i; }
  __device__ void store(uint64_t i, Loaded from) const {
    if constexpr (has_references<In>) out.store(i, in.reference(from));
    else out.store(i, in[from]);
  }
};
template <class In, class Out>
using UnitOfItems = conditional<is_wide<typename Out::value_type>, WideItemUnit<In, Out>, ItemUnit<In, Out>>;

// For share_runs().
template <class Unit> struct CopyUnits : RunsBySteps<1> {
  struct Piece {
    uint64_t to;
    typename Unit::Loaded loaded;
    bool is_there;
  };
  const Unit &unit;

  __device__ Piece load(const Run &run, uint32_t i, bool is_there) const {
    Piece piece;
    piece.to = run.to + i;
    piece.is_there = is_there;
    if (is_there) piece.loaded = unit.load(run.from + i);
    return piece;
  }
  __device__ void store(const Piece &piece) const {
    if (piece.is_there) unit.store(piece.to, piece.loaded);
  }
};

template <class Policy, class In, class Out> class CopyItems {
  using Unit = UnitOfItems<In, Out>;

 public:
  using Storage = SharedRuns<typename CopyUnits<Unit>::Run, 1>;
  static constexpr uint64_t tile_units = Policy::tile_units;

  __device__ CopyItems(const In &in, const Out &out) : unit_{in, out} {}

  __device__ void Share(Storage &shared, const BatchedBuffer &b) const {
    share_runs<Policy::unroll_units>(shared, {{uint32_t(b.size)}}, {{{b.from, b.to}}}, CopyUnits<Unit>{{}, unit_});
  }

  __device__ uint64_t tiles_of(const BatchedBuffer &b) const { return ceil_div(b.size, tile_units); }

  // By a whole warp.
  __device__ void Tile(const BatchedBuffer &b, uint64_t tile) const {
    constexpr int unroll = Policy::unroll_units;
    const uint64_t first = tile * tile_units;
    const uint32_t count = min_of(tile_units, b.size - first);
    const uint64_t from = b.from + first, to = b.to + first;
#pragma unroll 1
    for (uint32_t i = ptx::lane_id(); i < count; i += unroll * warp_threads) {
      typename Unit::Loaded loaded[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (i + u * warp_threads < count) loaded[u] = unit_.load(from + i + u * warp_threads);
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (i + u * warp_threads < count) unit_.store(to + i + u * warp_threads, loaded[u]);
    }
  }

 private:
  Unit unit_;
};

}  // namespace jig
