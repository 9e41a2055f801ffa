// What a block does in a device-wide adjacent difference: a tile of the items, in vectors of neighbours where both
// sides have them.
//
// A vector's neighbour is the last item of the vector before (Left), or the first of the one after. It comes from the
// next lane; the lane at the warp's end loads it. Where the output may lie where the input does, blocks overwrite what
// others need: then all of a block's items are loaded before any of them is stored, and what lies between two blocks
// was put aside before: `borders[b]`, an item that block b or block b + 1 has and the other one needs.
#pragma once
#include <jig/agent/adjacent_difference/minus.cuh>
#include <jig/core/iterator/items.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

template <class Policy, bool Left, class In, class Out, class Op> class AgentAdjacentDifference {
  static constexpr int threads = Policy::threads, items = Policy::items, unroll = Policy::unroll;
  static constexpr int step = threads * items, tile_items = step * unroll;
  static constexpr int alone = items == 1 ? unroll : 1;  // vectors of a thread in a block of one step
  using T = typename In::value_type;
  using Result = typename Out::value_type;
  using Loaded = typename items_of<In, items>::type;

 public:
  // borders: NULL where those items are still in their places. A block has `block_items`, whole steps of a tile.
  __device__ AgentAdjacentDifference(const In &in, const Out &out, const Op &op, uint64_t num_items, const T *borders,
                                     uint32_t block_items)
      : in_(in),
        out_(out),
        op_(op),
        num_items_(num_items),
        borders_(borders),
        block_items_(unroll == 1 || items == 1 ? tile_items : block_items),
        first_(uint64_t(blockIdx.x) * block_items_) {}

  __device__ void Run(bool in_place) const {
    if constexpr (is_wide<T>) OneByOne(in_place);
    else if (!can_store_vectors<items>(out_)) Unaligned(in_place);
    else if (alone < unroll && block_items_ == tile_items) Tile<true, unroll>(first_, in_place);
    else Tile<true, alone>(first_, in_place);
  }

 private:
  // A step after the other, which costs a first call less. In place no step needs what those before it have stored.
  __device__ void Unaligned(bool in_place) const {
    constexpr uint32_t count = alone * step;
#pragma unroll 1
    for (uint32_t k = 0; k < block_items_; k += count)
      Tile<false, alone>(first_ + (Left ? block_items_ - count - k : k), in_place);
  }

  // N vectors of each thread.
  template <bool Vectorize, int N> __device__ void Tile(uint64_t first, bool in_place) const {
    const bool vectorize = can_load_vectors<items>(in_);
    const bool is_edge = ptx::lane_id() == (Left ? 0 : warp_threads - 1);
    const uint64_t mine = first + threadIdx.x * items;
    Loaded loaded[N];
    T edge[N];
#pragma unroll
    for (int u = 0; u < N; ++u) {
      const uint64_t i = mine + u * step;
      if (i + items <= num_items_) loaded[u] = load_items<items>(in_, i, vectorize);
      if (is_edge && HasNeighbour(i)) edge[u] = Neighbour(i);
    }
    if (in_place) __syncthreads();
#pragma unroll
    for (int u = 0; u < N; ++u) {
      const uint64_t i = mine + u * step;
      const bool is_whole = i + items <= num_items_;
      T neighbour;
      if (is_whole) neighbour = loaded[u][Left ? items - 1 : 0];
      else if (!Left && i < num_items_) neighbour = in_[i];
      if constexpr (Left) shuffle_up(neighbour, 1, warp_threads, full_warp);
      else shuffle_down(neighbour, 1, warp_threads, full_warp);
      if (is_edge) neighbour = edge[u];
      if (is_whole) store_vector<Vectorize>(out_, i, Differences(loaded[u], i, neighbour));
      else if (i < num_items_) Last(i, neighbour);
    }
  }

  // Of items that are too large to be handed from lane to lane.
  __device__ void OneByOne(bool in_place) const {
    const uint64_t mine = first_ + threadIdx.x;
    Result results[items * unroll];
#pragma unroll
    for (int k = 0; k < items * unroll; ++k) {
      const uint64_t i = mine + k * threads;
      if (i >= num_items_) continue;
      const uint64_t other = Left ? i - 1 : i + 1;
      if (Left ? i == 0 : other == num_items_) Put(results[k], Item(i));
      else if (IsBorder(Left ? i : other)) Put(results[k], op_(Item(i), Border()));
      else Put(results[k], op_(Item(i), Item(other)));
    }
    if (in_place) __syncthreads();
#pragma unroll
    for (int k = 0; k < items * unroll; ++k)
      if (mine + k * threads < num_items_) out_.store(mine + k * threads, results[k]);
  }

  // By a reference, if it lies in memory.
  __device__ decltype(auto) Item(uint64_t i) const {
    if constexpr (has_references<In>) return static_cast<const T &>(in_.reference(i));
    else return in_[i];
  }

  // A result as it is kept.
  template <class Made> static __device__ void Put(Result &result, const Made &made) {
    if constexpr (is_wide<Result>) copy_item(&result, &static_cast<const Result &>(made));
    else result = static_cast<Result>(made);
  }

  // Whether there is an item before the vector of items that begins with item i, or after it.
  __device__ bool HasNeighbour(uint64_t i) const {
    return Left ? i > 0 && i < num_items_ : i + items < num_items_;
  }

  // That item, if it is no other lane's.
  __device__ T Neighbour(uint64_t i) const {
    if (IsBorder(Left ? i : i + items)) return Border();
    return in_[Left ? i - 1 : i + items];
  }

  // Whether what lies next to an item of this block, before item i or there, was put aside.
  __device__ bool IsBorder(uint64_t i) const {
    return borders_ != nullptr && i == (Left ? first_ : first_ + block_items_);
  }
  __device__ const T &Border() const { return borders_[Left ? blockIdx.x - 1 : blockIdx.x]; }

  __device__ Result Difference(const T &item, const T &neighbour) const {
    return static_cast<Result>(op_(item, neighbour));
  }

  __device__ array<Result, items> Differences(const Loaded &loaded, uint64_t first, const T &neighbour) const {
    constexpr int outer = Left ? 0 : items - 1;
    array<Result, items> results;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k != outer) results[k] = Difference(loaded[k], loaded[Left ? k - 1 : k + 1]);
      else if (HasNeighbour(first)) results[k] = Difference(loaded[k], neighbour);
      else results[k] = static_cast<Result>(loaded[k]);
    }
    return results;
  }

  // The input's end, fewer items than a vector has. Nobody else stores there.
  __device__ void Last(uint64_t first, T neighbour) const {
    if constexpr (!Left) neighbour = in_[first];
#pragma unroll 1
    for (uint64_t i = first; i < num_items_; ++i) {
      if constexpr (Left) {
        const T item = in_[i];
        out_.store(i, i > 0 ? Difference(item, neighbour) : static_cast<Result>(item));
        neighbour = item;
      } else {
        const T item = neighbour;
        const bool is_last = i + 1 == num_items_;
        if (!is_last) neighbour = in_[i + 1];
        out_.store(i, is_last ? static_cast<Result>(item) : Difference(item, neighbour));
      }
    }
  }

  const In &in_;
  const Out &out_;
  const Op &op_;
  uint64_t num_items_;
  const T *borders_;
  uint32_t block_items_;
  uint64_t first_;
};

}  // namespace jig
