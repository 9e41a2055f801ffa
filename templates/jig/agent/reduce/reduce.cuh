// What one block does in a device-wide reduce: it folds its even share of the input, and the last
// block of the grid folds the blocks' results.
//
// If the operator is commutative, the threads of the grid take the vectors of the input in turn, each
// folds what it meets, and the threads are folded at the end. An operator that is only associative has
// every operand kept in its place: each warp takes one contiguous range, cut into tiles, and the lanes are
// folded after each tile. Of small items a tile is some rows of neighbouring vectors, one of each lane, and
// what lanes make of them is put in order while it is folded; of others each lane holds neighbours.
//
// Where the operator has an identity, threads and blocks without items hold that. Where it has none it
// is only ever given items and folds of items, and the threads that hold one are counted; always the
// first ones of a block.
#pragma once
#include <jig/agent/reduce/fold_of_rows.cuh>
#include <jig/agent/reduce/grid_fold.cuh>
#include <jig/core/count.cuh>
#include <jig/core/uniform.cuh>
#include <jig/thread/reduce.cuh>

namespace jig {

// The warps of the grid share `tiles` tiles evenly: the first `larger` of them take one more than the
// `share` that every warp takes. What division finds out is found out by the host.
struct even_share {
  uint64_t share, larger;
};

// The same where only the GPU knows how many items there are.
template <class Count, class Agent>
__device__ even_share share_of(const even_share &planned, uint64_t num_items, unsigned blocks) {
  if constexpr (!is_same<Count, DeviceCount>) {
    return planned;
  } else {
    const uint64_t tiles = Agent::units(num_items), warps = uint64_t(blocks) * Agent::block_units;
    return {tiles / warps, tiles % warps};
  }
}

template <class Policy, class Accum, class In, class Op> class AgentReduce {
  static constexpr int threads = Policy::threads;
  static constexpr int warps = threads / warp_threads;
  static constexpr int vector_items = In::vector_items;
  static constexpr int lane_vectors = Policy::lane_vectors;
  static constexpr int lane_items = vector_items * lane_vectors;
  static constexpr int warp_tile_items = warp_threads * lane_items;
  using Vector = typename In::vector_type;
  using Warp = WarpReduceShuffle<Accum, warp_threads>;
  using GridFold = jig::GridFold<Accum, threads, Op>;
  // Of 7 bytes, say, registers spilled.
  static constexpr bool by_rows = sizeof(Accum) <= 8 && is_power_of_two(sizeof(Accum)) && vector_items <= 4 &&
                                  is_power_of_two(lane_vectors);
  static constexpr int row_items = warp_threads * vector_items, tile_vectors = warp_threads * lane_vectors;
  using FoldOfRows = jig::FoldOfRows<Accum, lane_vectors, Op>;

 public:
  using TempStorage = typename GridFold::TempStorage;

  // What is shared out: vectors, or the warps' tiles; and how many of them give each thread or warp of a block one.
  static __device__ uint64_t units(uint64_t num_items) {
    return is_commutative<Op> ? num_items / vector_items : ceil_div(num_items, uint64_t(warp_tile_items));
  }
  static constexpr int block_units = is_commutative<Op> ? threads : warps;

  // `blocks` of the grid, the first ones, have a share.
  __device__ AgentReduce(TempStorage &storage, const In &in, uint64_t num_items, even_share ranges, Op op,
                         unsigned blocks = gridDim.x)
      : fold_(storage, op), in_(in), num_items_(num_items), ranges_(ranges), op_(op), blocks_(blocks) {}

  // Folds the input. True in the one thread of the grid that has the result: thread 0 of the last block,
  // to which the other blocks hand what they made of their shares, through partials, which has room for
  // one value less than there are blocks, at most threads. Without an identity, every block must have a share.
  __device__ bool Reduce(Accum &result, TileState<Accum> *partials, uint64_t tag) {
    const Accum fold = fold_share();
    return fold_.Fold(fold, valid_warps_, result, partials, tag, blocks_);
  }

 private:
  // What the threads of this thread's warp make of their items, in the warp's first lane.
  __device__ Accum fold_share() {
    if constexpr (is_commutative<Op>) {
      Accum fold;
      const int valid_threads = fold_vectors(fold);
      valid_warps_ = ceil_div(valid_threads, warp_threads);
      return fold_.FoldWarp(fold, valid_threads);
    } else {
      return fold_range();
    }
  }

  // Folds every vector whose turn it is, and the few items past the last whole vector, which fall to the
  // first threads of the grid. Says how many threads of the block, the first ones, hold a value.
  __device__ int fold_vectors(Accum &fold) {
    const uint64_t vectors = num_items_ / vector_items;
    const uint64_t first = uint64_t(blockIdx.x) * threads;
    const uint64_t rest = vectors * vector_items + first + threadIdx.x;
    Accum last;
    if (rest < num_items_) last = static_cast<Accum>(in_[rest]);
    bool started = has_identity<Op>;
    if constexpr (has_identity<Op>) fold = Op::template identity<Accum>();
    if (in_.vectorizable()) fold_vectors_from<true>(fold, started, first + threadIdx.x, vectors);
    else fold_vectors_from<false>(fold, started, first + threadIdx.x, vectors);
    if (rest < num_items_) fold = started ? op_(fold, last) : last;
    const int with_vector = int(min_of(vectors - min_of(first, vectors), uint64_t(threads)));
    return blockIdx.x == 0 ? max_of(int(num_items_ - vectors * vector_items), with_vector) : with_vector;
  }

  // All loads of a step come before any fold. What was not loaded is not read.
  template <bool Vectorize>
  __device__ void fold_vectors_from(Accum &fold, bool &started, uint64_t vector, uint64_t vectors) {
    constexpr int unroll = Vectorize ? Policy::unroll : (Policy::unroll + 1) / 2;
    // A compiler moves loads to where they are needed, behind the tests of many small items and the branches there are
    // between vectors that may be missing. Accumulators of several numbers, or of bytes, leave no registers for vectors
    // that wait.
    constexpr bool has_whole_steps = unroll > 1 && vector_items >= 8 && is_number<Accum> && sizeof(Accum) >= 4;
    const uint64_t step = uint64_t(blocks_) * threads;
    if constexpr (has_whole_steps) {
      for (; vector + (unroll - 1) * step < vectors; vector += unroll * step) {
        fold_step<Vectorize, unroll, true>(fold, started, vector, vectors, step);
        started = true;
      }
    }
    for (; vector < vectors; vector += unroll * step) {
      fold_step<Vectorize, unroll, false>(fold, started, vector, vectors, step);
      started = true;
    }
  }

  template <bool Vectorize, int Unroll, bool Whole>
  __device__ void fold_step(Accum &fold, bool started, uint64_t vector, uint64_t vectors, uint64_t step) const {
    Vector loaded[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const uint64_t there = vector + u * step;
      if (Whole || u == 0 || there < vectors) loaded[u] = in_.load_vector(there * vector_items, Vectorize);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      if (!Whole && u > 0 && vector + u * step >= vectors) break;
      const Accum value = thread_reduce<Accum>(loaded[u], op_);
      fold = started || u > 0 ? op_(fold, value) : value;
    }
  }

  // Folds this warp's range into its first lane.
  __device__ Accum fold_range() {
    const uint64_t first_warp = uint64_t(blockIdx.x) * warps;
    const uint64_t warp = first_warp + threadIdx.x / warp_threads;
    const uint64_t begin = warp * ranges_.share + min_of(warp, ranges_.larger);
    const uint64_t end = begin + ranges_.share + (warp < ranges_.larger);
    const uint64_t larger_here = ranges_.larger - min_of(first_warp, ranges_.larger);
    valid_warps_ = ranges_.share > 0 ? warps : int(min_of(larger_here, uint64_t(warps)));
    if constexpr (by_rows) {
      return fold_tiles_of_rows(begin, end);
    } else {
      const bool vectorizable = in_.vectorizable();
      Accum fold;
      for (uint64_t tile = begin; tile < end; ++tile) {
        const Accum value = fold_tile(tile * warp_tile_items, vectorizable);
        if (threadIdx.x % warp_threads == 0) fold = tile == begin ? value : op_(fold, value);
      }
      return fold;
    }
  }

  // The next tile is on its way while lanes fold one, and put what they have made of it in order.
  __device__ Accum fold_tiles_of_rows(uint64_t begin, uint64_t end) const {
    const bool is_first_lane = threadIdx.x % warp_threads == 0, vectorizable = in_.vectorizable();
    const uint64_t whole_end = vectorizable ? min_of(end, num_items_ / warp_tile_items) : begin;
    uint64_t tile = begin;
    Accum fold;
    if (uniform(tile < whole_end)) {
      Vector loaded[lane_vectors], next[lane_vectors];
      load_rows<true>(loaded, tile * warp_tile_items, 0, true);
      bool is_last;
#pragma unroll 1
      do {
        is_last = tile + 1 >= whole_end;
        if (!is_last) load_rows<true>(next, (tile + 1) * warp_tile_items, 0, true);
        array<Accum, lane_vectors> folds;
#pragma unroll
        for (int r = 0; r < lane_vectors; ++r) {
          folds[r] = thread_reduce<Accum>(loaded[r], op_);
          loaded[r] = next[r];
        }
        const Accum value = FoldOfRows::template Fold<true>(folds, op_, tile_vectors);
        if (is_first_lane) fold = tile == begin ? value : op_(fold, value);
        ++tile;
      } while (!uniform(is_last));
    }
#pragma unroll 1
    for (; uniform(tile < end); ++tile) {
      const Accum value = fold_tile_of_rows(tile * warp_tile_items, vectorizable);
      if (is_first_lane) fold = tile == begin ? value : op_(fold, value);
    }
    return fold;
  }

  // A tile that the end of the input may cut short, even within a vector, or whose vectors are not aligned.
  __device__ Accum fold_tile_of_rows(uint64_t first, bool vectorizable) const {
    const int available = int(min_of(num_items_ - first, uint64_t(warp_tile_items)));
    Vector loaded[lane_vectors];
    if (vectorizable) load_rows<false>(loaded, first, available, true);
    else load_rows<false>(loaded, first, available, false);
    const int mine = threadIdx.x % warp_threads * vector_items;
    array<Accum, lane_vectors> folds;
#pragma unroll
    for (int r = 0; r < lane_vectors; ++r) {
      if (mine + r * row_items + vector_items <= available) folds[r] = thread_reduce<Accum>(loaded[r], op_);
    }
    if constexpr (vector_items > 1) {
      const int rest = available % vector_items, place = available - rest;
      // The row in which this lane has a part of a vector, if it has one.
      const int row = rest > 0 && place % row_items == mine ? place / row_items : lane_vectors;
      Accum fold;
      if (row < lane_vectors) {
        fold = static_cast<Accum>(in_[first + place]);
#pragma unroll 1
        for (int k = 1; k < rest; ++k) fold = op_(fold, static_cast<Accum>(in_[first + place + k]));
      }
#pragma unroll
      for (int r = 0; r < lane_vectors; ++r) {
        if (r == row) folds[r] = fold;
      }
    }
    return FoldOfRows::template Fold<false>(folds, op_, ceil_div(available, vector_items));
  }

  // The lane's vector of each row of a tile, of which so many items are available, or if Whole all.
  template <bool Whole>
  __device__ void load_rows(Vector (&loaded)[lane_vectors], uint64_t first, int available, bool vectorize) const {
    const int mine = threadIdx.x % warp_threads * vector_items;
#pragma unroll
    for (int r = 0; r < lane_vectors; ++r) {
      if (Whole || mine + r * row_items + vector_items <= available)
        loaded[r] = in_.load_vector(first + mine + r * row_items, vectorize);
    }
  }

  // The lanes' vectors of one tile, folded in order over the warp into its first lane. In a tile cut short
  // by the end of the input, the last lane that has anything may have part of a vector.
  __device__ Accum fold_tile(uint64_t tile_first, bool vectorizable) {
    const uint64_t first = tile_first + threadIdx.x % warp_threads * lane_items;
    const int available = int(min_of(num_items_ - tile_first, uint64_t(warp_tile_items)));
    const int held = min_of(max_of(available - int(first - tile_first), 0), lane_items);
    Vector loaded[lane_vectors];
    if (vectorizable) load_lane<true>(loaded, first, held);
    else load_lane<false>(loaded, first, held);
    Accum fold;
#pragma unroll
    for (int r = 0; r < lane_vectors; ++r) {
      if ((r + 1) * vector_items <= held) {
        const Accum value = thread_reduce<Accum>(loaded[r], op_);
        fold = r == 0 ? value : op_(fold, value);
      }
    }
    if constexpr (vector_items > 1) {
      for (int k = held / vector_items * vector_items; k < held; ++k) {
        const Accum value = static_cast<Accum>(in_[first + k]);
        fold = k == 0 ? value : op_(fold, value);
      }
    }
    typename Warp::TempStorage none;
    return Warp(none).Reduce(fold, op_, ceil_div(available, lane_items));
  }

  template <bool Vectorize> __device__ void load_lane(Vector (&loaded)[lane_vectors], uint64_t first, int held) const {
#pragma unroll
    for (int r = 0; r < lane_vectors; ++r) {
      if ((r + 1) * vector_items <= held) loaded[r] = in_.load_vector(first + r * vector_items, Vectorize);
    }
  }

  GridFold fold_;
  const In &in_;
  uint64_t num_items_;
  even_share ranges_;
  Op op_;
  unsigned blocks_;
  int valid_warps_;
};

}  // namespace jig
