// What a block does in a device-wide copy: a tile of the items, in vectors of neighbours where both sides have them.
// Large items that are only moved are copied by warps, word by word.
#pragma once
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>
#include <jig/core/store_rows.cuh>
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

template <class Values, class Indices, class T> struct Permutation;
template <class T> struct Shuffle;

// Whether items come from anywhere, by indices that are soon known. Those of a shuffle take longer than the items, and
// registers, if several are worked out at once.
template <class In> constexpr bool is_gather = false;
template <class Values, class Indices, class T> constexpr bool is_gather<Permutation<Values, Indices, T>> = true;
template <class Values, class Index, class T> constexpr bool is_gather<Permutation<Values, Shuffle<Index>, T>> = false;

template <class Policy, class In, class Out> class AgentCopy {
  static constexpr int threads = Policy::threads, items = Policy::items, unroll = Policy::unroll;
  // So many lanes share an item's words; 0: each thread has items of its own.
  static constexpr int lanes = Policy::lanes;
  using Loaded = typename items_of<In, items>::type;
  using Item = typename Out::value_type;

 public:
  static constexpr int tile_items = threads * items * unroll / max_of(lanes, 1);

  __device__ AgentCopy(const In &in, const Out &out) : in_(in), out_(out) {}

  // What a block has, if the host says so many: where that cannot but be a tile it is known beforehand.
  static __device__ uint32_t items_of_block(uint32_t said) { return unroll == 1 || items == 1 ? tile_items : said; }

  // Items first .. first + count - 1, whole steps of a tile, as far as there are so many. Every way waits for the grids
  // before by itself, once it knows where to go on; what most blocks do comes first in the program, without branches.
  __device__ void Run(uint64_t first, uint32_t count, uint64_t num_items) const {
    const uint64_t behind = first + count;
    if constexpr (lanes > 0 || takes_places<Out>) {
      ptx::wait_for_prerequisite_grids();
      const uint64_t end = min_of(behind, num_items);
      if constexpr (lanes > 0) ByWarps(first, int(end - first));
      else OneByOne(first, end);
    } else if constexpr (items == 1) {
      if constexpr (unroll > 1 && !is_gather<In>) Singles<unroll>(first, min_of(behind, num_items));
      else if (behind <= num_items) Straight<true>(first, behind);
      else Straight<false>(first, num_items);
    } else {
      const bool aligned = can_load_vectors<items>(in_) && can_store_vectors<items>(out_);
      if (behind > num_items || !aligned) {
        if constexpr (items > 4)
          if (aligned) return End(first, num_items);
        return Singles<min_of(items, 4)>(first, min_of(behind, num_items));
      }
      if (unroll == 1 || count == tile_items) Vectors<unroll>(first);
      else Vectors<1>(first);
    }
  }

 private:
  static constexpr int step = threads * items;

  // So many whole vectors of each thread, which are aligned.
  template <int N> __device__ void Vectors(uint64_t first) const {
    const uint64_t mine = first + threadIdx.x * items;
    ptx::wait_for_prerequisite_grids();
    Loaded loaded[N];
#pragma unroll
    for (int u = 0; u < N; ++u) loaded[u] = load_items<items>(in_, mine + u * step, true);
#pragma unroll
    for (int u = 0; u < N; ++u) store_vector<true>(out_, mine + u * step, converted<Out>(loaded[u]));
  }

  // The last tile, whose vectors are aligned: those that are whole, and the items behind them.
  __device__ void End(uint64_t first, uint64_t num_items) const {
    ptx::wait_for_prerequisite_grids();
    if (first >= num_items) return;
    const uint32_t count = uint32_t(num_items - first), mine = threadIdx.x * items, rest = count % items;
    static_assert(threads >= items, "a thread for each of the items behind");
    const bool has_single = threadIdx.x < rest;
    const uint64_t single = num_items - rest + threadIdx.x;
    typename items_of<In, 1>::type last;
    if (has_single) last = load_items<1>(in_, single, ByWords());
    Loaded loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (mine + u * step + items <= count) loaded[u] = load_items<items>(in_, first + mine + u * step, true);
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (mine + u * step + items <= count)
        store_vector<true>(out_, first + mine + u * step, converted<Out>(loaded[u]));
    if (has_single) store_vector<false>(out_, single, converted<Out>(last));
  }

  // Whether single items are loaded by words.
  __device__ bool ByWords() const {
    using T = typename In::value_type;
    return word_bytes_of<int(sizeof(T))> <= int(alignof(T)) || can_load_vectors<1>(in_);
  }

  // A tile of one item a thread, or of items from anywhere, whose indices are waited for first: nothing else but what
  // there is to load is found out before, and of a whole tile not even that.
  template <bool Whole> __device__ void Straight(uint64_t first, uint64_t end) const {
    const bool by_words = ByWords();
    const uint64_t mine = first + threadIdx.x;
    const uint32_t left = mine < end ? uint32_t(end - mine) : 0;
    ptx::wait_for_prerequisite_grids();
    typename items_of<In, 1>::type loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (Whole || u * threads < left) loaded[u] = load_items<1>(in_, mine + u * threads, by_words);
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if constexpr (Whole && stores_rows<Out>) store_rows(out_, mine + u * threads, converted<Out>(loaded[u])[0]);
      else if (Whole || u * threads < left) store_vector<false>(out_, mine + u * threads, converted<Out>(loaded[u]));
  }

  // Single items, so many of each thread at a time.
  template <int N> __device__ void Singles(uint64_t first, uint64_t end) const {
    const bool by_words = ByWords();
    ptx::wait_for_prerequisite_grids();
#pragma unroll 1
    for (uint64_t mine = first + threadIdx.x; mine < end; mine += N * threads) {
      typename items_of<In, 1>::type loaded[N];
#pragma unroll
      for (int u = 0; u < N; ++u)
        if (mine + u * threads < end) loaded[u] = load_items<1>(in_, mine + u * threads, by_words);
#pragma unroll
      for (int u = 0; u < N; ++u)
        if (mine + u * threads < end) store_vector<false>(out_, mine + u * threads, converted<Out>(loaded[u]));
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
          own.count, [&](int k) { return &in_.reference(begin + k); },
          [&](int k) { return &out_.reference(begin + k); });
    }
  }

  // Items that are too large for registers, of which lanes cannot share one.
  __device__ void OneByOne(uint64_t first, uint64_t end) const {
#pragma unroll 1
    for (uint64_t i = first + threadIdx.x; i < end; i += threads) out_.store(i, in_[i]);
  }

  const In &in_;
  const Out &out_;
};

}  // namespace jig
