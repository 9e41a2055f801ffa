// What the workers of a pipeline (pipeline.cuh) do in a device-wide scan.
//
// A warp takes a warp tile, a contiguous part of the tile, in rows of a vector for each lane, as in scan_tile.cuh. Of
// what is not copied in bulk (pipeline_words.cuh) each lane fetches its own vectors, and what is past the input's last
// whole vector is that vector once more: it is not folded with anything, or affects only what comes after, where
// nothing is.
#pragma once
#include <jig/agent/chain/pipeline.cuh>
#include <jig/agent/chain/pipeline_words.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/thread/reduce.cuh>
#include <jig/thread/scan.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

template <class Policy, class Accum, class Item, class Out, class Operator, bool Inclusive> class ScanPipeline {
  static constexpr int vector_items = Policy::vector_items, rows = Policy::rows;
  static constexpr int warp_tile_items = warp_threads * rows * vector_items;
  using Vector = packed_vector<Item, vector_items>;

 public:
  using State = Accum;
  using Prefix = State;
  using Op = Operator;
  static constexpr int window = pipeline_window<State>;
  static constexpr int stages = Policy::stages, reducers = Policy::reducers;
  static constexpr int emitters = Policy::threads / warp_threads - 3 - reducers;
  static constexpr int tile_items = emitters * warp_tile_items;
  struct alignas(128) Stage {
    uninitialized<Item, tile_items> items;
  };

  __device__ ScanPipeline(const Pointer<Item> &in, const Out &out, uint64_t num_items, Op op)
      : in_(in), out_(out), op_(op), num_items_(num_items), source_(in, num_items),
        stores_vectors_(can_store_vectors<vector_items>(out)) {}

  __device__ uint32_t num_tiles() const { return source_.num_tiles(); }

  __device__ void Prefetch(uint32_t tile) const { source_.Prefetch(tile); }
  __device__ void Load(Stage &stage, uint32_t tile, uint64_t *barrier) const {
    source_.Load(&stage.items, tile, barrier);
  }

  __device__ Accum Reduce(Stage &stage, uint32_t tile, int warp_tile) {
    const int first = first_of_warp_tile(warp_tile);
    if (!source_.is_copied(tile)) fetch(stage, tile, warp_tile);
    Accum total = static_cast<Accum>(vector(stage, first, 0)[0]);
    if (!may_see<Op>(is_whole(tile, warp_tile))) return total;
    if constexpr (is_commutative<Op>) {
#pragma unroll 2
      for (int r = 0; r < rows; ++r) {
        const Accum mine = thread_reduce<Accum>(vector(stage, first, r), op_);
        total = r == 0 ? mine : op_(total, mine);
      }
      return reduce_lanes(total);
    } else {
#pragma unroll 2
      for (int r = 0; r < rows; ++r) {
        const Accum row = reduce_lanes(thread_reduce<Accum>(vector(stage, first, r), op_));
        total = r == 0 ? row : op_(total, row);
      }
      return total;
    }
  }

  __device__ void Emit(Stage &stage, uint32_t tile, int warp_tile, optional<Accum> carry) {
    const uint64_t start = uint64_t(tile) * tile_items;
    const int first = first_of_warp_tile(warp_tile);
    const uint64_t whole = (num_items_ - start) / vector_items * vector_items;
    const int limit = int(min_of(whole, uint64_t(tile_items)));  // where the tile's whole vectors end
#pragma unroll 2
    for (int r = 0; r < rows; ++r) {
      const int at = first + r * warp_threads * vector_items;
      const Vector items = vector(stage, first, r);
      const Accum scanned = Lanes<Accum>::ScanHeld(thread_reduce<Accum>(items, op_), op_, at < limit);
      const Accum lanes_before = Lanes<Accum>::Previous(scanned);
      const int lane = threadIdx.x % warp_threads;
      const optional<Accum> before =
          lane == 0 || !may_see<Op>(at <= limit) ? carry : join(carry, lanes_before, op_);
      if (at < limit) store(start + at, scan(items, before));
      else if (vector_items > 1 && at == limit) store_rest(start + at, before);
      const Accum row = Lanes<Accum>::Broadcast(scanned, warp_threads - 1);
      if (may_see<Op>(at + (warp_threads - 1 - lane) * vector_items < limit)) carry = join(carry, row, op_);
    }
  }

  __device__ bool is_whole(uint32_t tile, int warp_tile) const {
    return uint64_t(tile) * tile_items + (warp_tile + 1) * warp_tile_items <= num_items_;
  }
  static constexpr bool finishes = false;
  __device__ bool in_place() const { return false; }

 private:
  // Where in the tile this lane's first vector begins.
  static __device__ int first_of_warp_tile(int warp_tile) {
    return warp_tile * warp_tile_items + threadIdx.x % warp_threads * vector_items;
  }

  static __device__ Vector vector(Stage &stage, int first, int row) {
    return load_items<vector_items>(Pointer<Item>{&stage.items[0]}, first + row * warp_threads * vector_items, true);
  }

  __device__ void fetch(Stage &stage, uint32_t tile, int warp_tile) const {
    const int copied = source_.copied(tile);
    const uint64_t end = num_items_ / vector_items * vector_items, last = end > 0 ? end - vector_items : 0;
    array<Item, vector_items> rest;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) rest[k] = in_.data[min_of(last + k, num_items_ - 1)];
#pragma unroll 1
    for (int r = 0; r < rows; ++r) {
      const int at = first_of_warp_tile(warp_tile) + r * warp_threads * vector_items;
      if (at < copied) continue;
      const uint64_t first = uint64_t(tile) * tile_items + at;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) stage.items[at + k] = first < end ? in_.data[first + k] : rest[k];
    }
    __syncwarp();
  }

  __device__ Accum reduce_lanes(const Accum &value) const {
    typename WarpReduceShuffle<Accum, warp_threads>::TempStorage none;
    return Lanes<Accum>::Broadcast(WarpReduceShuffle<Accum, warp_threads>(none).Reduce(value, op_), 0);
  }

  __device__ array<Accum, vector_items> scan(const Vector &vector, const optional<Accum> &before) const {
    array<Accum, vector_items> items;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) items[k] = static_cast<Accum>(vector[k]);
    if constexpr (!Inclusive) return thread_exclusive_scan(items, op_, before.value);
    else return thread_inclusive_scan(items, op_, before.value, before.exists);
  }

  __device__ void store(uint64_t first, const array<Accum, vector_items> &items) const {
    if (stores_vectors_) store_vector<true>(out_, first, items);
    else store_vector<false>(out_, first, items);
  }

  // The items past the last whole vector, by the lane whose vector they would have been.
  __device__ void store_rest(uint64_t first, optional<Accum> before) const {
#pragma unroll 1
    for (uint64_t i = first; i < num_items_; ++i) {
      const Accum value = before.value;
      before = join(before, static_cast<Accum>(in_[i]), op_);
      out_.store(i, static_cast<typename Out::value_type>(Inclusive ? before.value : value));
    }
  }

  const Pointer<Item> &in_;
  const Out &out_;
  Op op_;
  uint64_t num_items_;
  PipelineWords<Item, tile_items> source_;
  bool stores_vectors_;
};

}  // namespace jig
