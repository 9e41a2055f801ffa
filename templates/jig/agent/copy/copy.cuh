// What a block does in a device-wide copy: a tile of the items, in vectors of neighbours where both sides have them.
// Large items that are only moved are copied by warps, word by word.
#pragma once
#include <jig/core/load_vector.cuh>
#include <jig/core/vector.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

// Items as they were loaded, for a store of Out's: what is packed in words and goes to memory as it is stays so.
template <class Out, class Items> __device__ auto converted(const Items &items) {
  using Item = typename Out::value_type;
  constexpr int count = Items::size;
  if constexpr (is_same<Out, Pointer<Item>> && is_same<Items, packed_vector<Item, count>>) {
    return items;
  } else {
    array<Item, count> result;
#pragma unroll
    for (int k = 0; k < count; ++k) result[k] = static_cast<Item>(items[k]);
    return result;
  }
}

template <class Policy, class In, class Out> class AgentCopy {
  static constexpr int threads = Policy::threads, items = Policy::items, unroll = Policy::unroll;
  // So many lanes share an item's words; 0: each thread has items of its own.
  static constexpr int lanes = Policy::lanes;
  using Loaded = typename items_of<In, items>::type;
  using Item = typename Out::value_type;

 public:
  static constexpr int tile_items = threads * items * unroll / max_of(lanes, 1);

  __device__ AgentCopy(const In &in, const Out &out) : in_(in), out_(out) {}

  // Items first .. end - 1, no more than a tile has.
  __device__ void Run(uint64_t first, uint64_t end) const {
    if constexpr (lanes > 0) ByWarps(first, int(end - first));
    else if constexpr (takes_places<Out>) OneByOne(first, end);
    else if (moves && can_load_vectors<items>(in_) && can_store_vectors<items>(out_)) Move(first, end);
    else if (can_store_vectors<items>(out_)) Tile<true>(first + threadIdx.x * items, end);
    else Tile<false>(first + threadIdx.x * items, end);
  }

 private:
  static constexpr int step = threads * items;
  // A copy looks whether both sides are aligned, before it comes here.
  static constexpr bool moves = is_same<In, Pointer<Item>> && is_same<In, Out> && !is_wide<Item> && items > 1;

  __device__ void Move(uint64_t first, uint64_t end) const {
    if (end - first == tile_items) return Whole<unroll>(first);
    if (unroll > 1 && end - first == step) return Whole<1>(first);
#pragma unroll 1
    for (uint64_t i = first + threadIdx.x * items; i < end; i += step) {
      if (i + items <= end) store_vector<true>(out_, i, converted<Out>(load_items<items>(in_, i, true)));
      else Last(i, end);
    }
  }

  // Without a doubt whether anything is there, in so many vectors of each thread.
  template <int Vectors> __device__ void Whole(uint64_t first) const {
    const uint64_t mine = first + threadIdx.x * items;
    Loaded loaded[Vectors];
#pragma unroll
    for (int u = 0; u < Vectors; ++u) loaded[u] = load_items<items>(in_, mine + u * step, true);
#pragma unroll
    for (int u = 0; u < Vectors; ++u) store_vector<true>(out_, mine + u * step, converted<Out>(loaded[u]));
  }

  template <bool Vectorize> __device__ void Tile(uint64_t mine, uint64_t end) const {
    const bool vectorize = can_load_vectors<items>(in_);
    Loaded loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const uint64_t i = mine + u * step;
      if (i + items <= end) loaded[u] = load_items<items>(in_, i, vectorize);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const uint64_t i = mine + u * step;
      if (i + items <= end) store_vector<Vectorize>(out_, i, converted<Out>(loaded[u]));
      else Last(i, end);
    }
  }

  // Items first .. first + count - 1, which lie in memory if lanes can share them.
  __device__ void ByWarps(uint64_t first, int count) const {
    const warp_share own = share_of_warp<threads>(count);
    const uint64_t begin = first + own.first;
    if constexpr (takes_places<Out>) {
      store_by_warp(out_, begin, own.count, [&](int k) { return in_[begin + k]; });
    } else {
      copy_items<Item>(
          own.count, [&](int k) { return &in_.reference(begin + k); }, [&](int k) { return &out_.reference(begin + k); });
    }
  }

  // Items that are too large for registers, of which lanes cannot share one.
  __device__ void OneByOne(uint64_t first, uint64_t end) const {
#pragma unroll 1
    for (uint64_t i = first + threadIdx.x; i < end; i += threads) out_.store(i, in_[i]);
  }

  // Of the input's end, fewer than a vector has.
  __device__ void Last(uint64_t first, uint64_t end) const {
#pragma unroll 1
    for (uint64_t i = first; i < end; ++i) out_.store(i, static_cast<Item>(in_[i]));
  }

  const In &in_;
  const Out &out_;
};

}  // namespace jig
