// Folds neighbouring items, anywhere in an input, by a warp or by a block; in order, if the operator has to have it.
// What an item is to the fold is said by a rule: see segment_rule.cuh.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/block/reduce_warp_reductions.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/tile_state.cuh>
#include <jig/thread/reduce.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Rule> class RangeFold {
  using Op = typename Rule::op_type;
  static constexpr int threads = Policy::threads, unroll = Policy::unroll;
  static constexpr int vector_items = In::vector_items, row_items = warp_threads * vector_items;
  static_assert(2 * vector_items - 2 <= warp_threads, "a lane for each item that fills no vector");
  using WarpReduce = WarpReduceShuffle<Accum, warp_threads>;
  using BlockReduce = BlockReduceWarpReductions<Accum, threads>;

 public:
  using TempStorage = typename BlockReduce::TempStorage;
  // For few warps with much to do; not if vectors are large.
  static constexpr int many_rows = unroll > 1 ? 2 * unroll : 1;

  __device__ RangeFold(TempStorage &storage, const In &in, const Rule &rule)
      : storage_(storage), in_(in), rule_(rule), vectorizable_(in.vectorizable()) {}

  // Items first .. last - 1 of the input, whose positions are less by `shift`; in the first lane. No items, no value.
  // `Rows` rows, each of a vector of every lane, are loaded at once as long as there are so many.
  template <int Rows = unroll> __device__ Accum Items(uint64_t first, uint64_t last, uint64_t shift) const {
    if constexpr (is_commutative<Op>) {
      Accum value;
      const int valid = fold_in_turn<Rows>(first, last, shift, value);
      return fold_lanes(value, valid);
    } else {
      return fold_in_order(first, last, shift);
    }
  }

  // The same of items first .. first + count - 1, up to `few_items` of them, by less code: lanes take single ones in
  // turn, all of whose loads come before any fold.
  static constexpr int few_rows = Policy::few_rows, few_items = few_rows * warp_threads;
  __device__ Accum Few(uint64_t first, int count) const {
    if constexpr (!is_commutative<Op>) {
      return Items(first, first + count, 0);
    } else {
      Accum value;
      take_singly<warp_threads, few_rows>(first, count, lane(), value);
      return fold_lanes(value, min_of(count, warp_threads));
    }
  }

  // The same by a block whose storage is free, up to `few_of_block`, one or more; in thread 0.
  static constexpr int rows_of_block = few_rows, few_of_block = is_commutative<Op> ? rows_of_block * threads : 0;
  __device__ Accum FewOfBlock(uint64_t first, int count) const {
    Accum value;
    take_singly<threads, rows_of_block>(first, count, threadIdx.x, value);
    value = fold_lanes(value, count - int(threadIdx.x) / warp_threads * warp_threads);
    return Combine(storage_, value, ceil_div(min_of(count, threads), warp_threads));
  }

  // Neighbouring items, one or more, by a block whose storage is free; in thread 0.
  template <int Rows = unroll> __device__ Accum Block(uint64_t first, uint64_t last) const {
    const Part part = PartOf(first, last);
    Accum value = Nothing();
    if (part.first < part.last) value = Items<Rows>(part.first, part.last, 0);
    return Combine(storage_, value, part.warps);
  }

  // What there is of no items.
  static __device__ Accum Nothing() {
    if constexpr (has_identity<Op>) {
      return Op::template identity<Accum>();
    } else {
      Accum value;
      return value;
    }
  }

  // How the warps of a block share out items: the part of each but the first begins with a whole vector.
  struct Part {
    uint64_t first, last;
    int warps;  // that have one
  };
  static __device__ Part PartOf(uint64_t first, uint64_t last) {
    const uint64_t begin = first / vector_items * vector_items;
    const uint64_t share =
        ceil_div(ceil_div(last - begin, uint64_t(threads / warp_threads)), uint64_t(row_items)) * row_items;
    const uint64_t mine = begin + threadIdx.x / warp_threads * share;
    int warps = 0;
#pragma unroll
    for (int w = 0; w < threads / warp_threads; ++w) warps += begin + w * share < last;  // cheaper than a division
    return {max_of(mine, first), min_of(mine + share, last), warps};
  }

  // What the first warps have, folded; in thread 0.
  __device__ Accum Warps(const Accum &value, int valid_warps) const {
    __syncthreads();  // what was in the storage is no longer needed
    return BlockReduce(storage_, threadIdx.x).CombineWarps(value, rule_.op, valid_warps);
  }

  // The same of a value of each of the first threads.
  __device__ Accum Threads(const Accum &value, int valid_threads) const {
    __syncthreads();
    return BlockReduce(storage_, threadIdx.x).Reduce(value, rule_.op, valid_threads);
  }

  // Here all threads have one if the operator has an identity. By a storage that is free.
  __device__ Accum AllThreads(TempStorage &storage, const Accum &value, int valid_threads) const {
    BlockReduce block(storage, threadIdx.x);
    if constexpr (has_identity<Op>) return block.ReduceToFirst(value, rule_.op);
    else return block.Reduce(value, rule_.op, valid_threads);
  }

  // What the first warps have, folded, by a storage that is free; in thread 0. All of them have something if the
  // operator has an identity.
  __device__ Accum Combine(TempStorage &storage, const Accum &value, int valid_warps) const {
    BlockReduce block(storage, threadIdx.x);
    if constexpr (has_identity<Op>) return block.CombineToFirst(value, rule_.op);
    else return block.CombineWarps(value, rule_.op, valid_warps);
  }

  // The same behind what as many neighbouring blocks have published, of whom each thread takes some.
  __device__ Accum CombineBehind(TileState<Accum> *partials, int count, uint64_t tag, TempStorage &storage, Accum value,
                                 int valid_warps) const {
    const int each = ceil_div(count, threads);
    if constexpr (is_commutative<Op> && has_identity<Op>) {
      if (count > 0) {
        const Accum before = fold_lanes(take(partials, count, each, tag), warp_threads);
        if (lane() == 0) value = rule_.op(before, value);
      }
      return Combine(storage, value, valid_warps);
    } else {
      value = Combine(storage, value, valid_warps);
      if (count == 0) return value;
      const Accum before = Threads(take(partials, count, each, tag), ceil_div(count, each));
      return threadIdx.x == 0 ? rule_.op(before, value) : value;
    }
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  __device__ Accum lift(uint64_t i, uint64_t shift) const { return rule_.lift(in_[i], i - shift); }

  __device__ void add(Accum &value, bool &started, const Accum &item) const {
    value = started ? rule_.op(value, item) : item;
    started = true;
  }

  // What this thread takes of partials, so many.
  __device__ Accum take(TileState<Accum> *partials, int count, int each, uint64_t tag) const {
    const int begin = threadIdx.x * each;
    Accum all = Nothing();
#pragma unroll 1
    for (int i = begin; i < begin + each; ++i) {
      Accum partial;
      take_by_warp(partials[i], i < count, partial, tag);
      if (i >= count) continue;
      partials[i].retire(tag);
      all = i == begin ? partial : rule_.op(all, partial);
    }
    return all;
  }

  // What a thread of so many has of the next `count` items, taking single ones in turn. All loads come before any fold.
  template <int Threads, int Rows>
  __device__ void take_singly(uint64_t first, int count, int thread, Accum &value) const {
    typename items_of<In, 1>::type loaded[Rows];
#pragma unroll
    for (int u = 0; u < Rows; ++u) {
      const int mine = thread + u * Threads;
      loaded[u] = load_items<1>(in_, first + (mine < count ? mine : 0), vectorizable_);
    }
    bool started = has_identity<Op>;
    if constexpr (has_identity<Op>) value = Op::template identity<Accum>();
    if constexpr (Rule::folds_apart) {
      if (thread < count)
        add(value, started, rule_.template FoldApart<Threads>(loaded, first + thread, count - thread));
    } else {
#pragma unroll
      for (int u = 0; u < Rows; ++u) {
        const int mine = thread + u * Threads;
        if (mine < count) add(value, started, rule_.template fold<Accum>(loaded[u], first + mine));
      }
    }
  }

  // What the first lanes have; all of them, if the operator has an identity.
  __device__ Accum fold_lanes(const Accum &value, int valid) const {
    typename WarpReduce::TempStorage none;
    if constexpr (Rule::folds_lanes) return rule_.FoldLanes(value);
    else if constexpr (has_identity<Op>) return WarpReduce(none).Reduce(value, rule_.op);
    else return WarpReduce(none).Reduce(value, rule_.op, valid);
  }

  // The lanes take whole vectors in turn, and one each of the items before and behind these. Says how many lanes, the
  // first ones, have a value; with an operator that has an identity all do.
  template <int Rows> __device__ int fold_in_turn(uint64_t first, uint64_t last, uint64_t shift, Accum &value) const {
    bool started = has_identity<Op>;
    if constexpr (has_identity<Op>) value = Op::template identity<Accum>();
    const uint64_t middle = ceil_div(first, uint64_t(vector_items)) * vector_items,
                   rest = last / vector_items * vector_items;
    // Without a whole vector before the end all are before it.
    const bool has_middle = middle <= last;
    const int before = int((has_middle ? middle : last) - first), behind = has_middle ? int(last - rest) : 0;
    Accum edges[2];
    if (lane() < before) edges[0] = lift(first + lane(), shift);
    if (lane() < behind) edges[1] = lift(rest + lane(), shift);
    uint64_t next = middle;
    if constexpr (Rows > unroll) {
      constexpr int step = Rows * row_items;
#pragma unroll 1
      for (; vectorizable_ && next + step <= rest; next += step) fold_rows<Rows>(next, shift, value, started);
    }
    fold_units<vector_items>(next, rest, shift, value, started);
    if (lane() < before) add(value, started, edges[0]);
    if (lane() < behind) add(value, started, edges[1]);
    const uint64_t whole = has_middle ? (rest - middle) / vector_items : 0;
    return max_of(int(min_of(whole, uint64_t(warp_threads))), max_of(before, behind));
  }

  // Vectors, or items one by one.
  template <int Items>
  __device__ void fold_units(uint64_t first, uint64_t last, uint64_t shift, Accum &value, bool &started) const {
    constexpr int step = warp_threads * Items;
#pragma unroll 1
    for (uint64_t i = first + lane() * Items; i < last; i += unroll * step) {
      const int left = int(min_of(last - i, uint64_t(unroll * step)));
      fold_step<Items>(i, ceil_div(left, step), shift, value, started);
    }
  }

  // So many rows, all of which are there, and aligned.
  template <int Rows> __device__ void fold_rows(uint64_t first, uint64_t shift, Accum &value, bool &started) const {
    const uint64_t mine = first + lane() * vector_items;
    typename In::vector_type loaded[Rows];
#pragma unroll
    for (int u = 0; u < Rows; ++u) loaded[u] = in_.load_vector(mine + u * row_items, true);
#pragma unroll
    for (int u = 0; u < Rows; ++u)
      add(value, started, rule_.template fold<Accum>(loaded[u], mine + u * row_items - shift));
  }

  // As many as a lane loads at once, or the last few, of which there is one at least. All loads come before any fold.
  // What is not there is the first one once more: a register that is not always loaded would be kept for the next step.
  template <int Items>
  __device__ void fold_step(uint64_t first, int count, uint64_t shift, Accum &value, bool &started) const {
    constexpr int step = warp_threads * Items;
    typename items_of<In, Items>::type loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      loaded[u] = load_items<Items>(in_, first + (u < count ? u * step : 0), vectorizable_);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (u == 0 || u < count) add(value, started, rule_.template fold<Accum>(loaded[u], first + u * step - shift));
    }
  }

  // Row by row, each folded in the lanes' order; in the first lane.
  __device__ Accum fold_in_order(uint64_t first, uint64_t last, uint64_t shift) const {
    const uint64_t begin = first / vector_items * vector_items;
    Accum folded;
#pragma unroll 1
    for (uint64_t row = begin; row < last; row += row_items) {
      const Accum value = fold_row(row, first, last, shift);
      if (lane() == 0) folded = row == begin ? value : rule_.op(folded, value);
    }
    return folded;
  }

  __device__ Accum fold_row(uint64_t row, uint64_t first, uint64_t last, uint64_t shift) const {
    const uint64_t mine = row + lane() * vector_items;
    Accum value;
    if (mine >= first && mine + vector_items <= last) {
      value = rule_.template fold<Accum>(in_.load_vector(mine, vectorizable_), mine - shift);
    } else {
      bool started = false;
      const uint64_t stop = min_of(mine + vector_items, last);
#pragma unroll 1
      for (uint64_t i = max_of(mine, first); i < stop; ++i) add(value, started, lift(i, shift));
    }
    const int held = int(min_of(last - row, uint64_t(row_items)));
    typename WarpReduce::TempStorage none;
    return WarpReduce(none).Reduce(value, rule_.op, ceil_div(held, vector_items));
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  bool vectorizable_;
};

}  // namespace jig
