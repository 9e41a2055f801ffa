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
  // Of neighbouring items that a lane loads at once.
  static constexpr int most_neighbours = 32;
  using WarpReduce = WarpReduceShuffle<Accum, warp_threads>;
  using BlockReduce = BlockReduceWarpReductions<Accum, threads>;

 public:
  using TempStorage = typename BlockReduce::TempStorage;
  // For few warps with much to do; not if vectors are large.
  static constexpr int many_rows = unroll > 1 ? 2 * unroll : 1;

  __device__ RangeFold(TempStorage &storage, const In &in, const Rule &rule)
      : storage_(storage), in_(in), rule_(rule), vectorizable_(in.vectorizable()) {}

  // Items first .. last - 1 of the input, whose positions are less by `shift`; in the first lane. No items, no value.
  // `Rows` rows, each of a vector of every lane, are loaded at once as long as there are more than `unroll`.
  // If they are folded in order, lanes are folded once for up to `unroll` rows; by 1 row they take fewest registers.
  template <int Rows = unroll> __device__ Accum Items(uint64_t first, uint64_t last, uint64_t shift) const {
    if constexpr (is_commutative<Op>) {
      Accum value;
      const int valid = fold_in_turn<Rows>(first, last, shift, value);
      return fold_lanes(value, valid);
    } else if constexpr (Rows == 1) {
      return fold_row_by_row(first, last, shift);
    } else {
      return fold_in_order<min_of(unroll, most_neighbours / vector_items)>(first, last, shift);
    }
  }

  // The same of items first .. first + count - 1, one to `few_items` of them, by less code: lanes take single ones in
  // turn, or neighbours in order, all of whose loads come before any fold.
  static constexpr int few_rows = Policy::few_rows, few_items = few_rows * warp_threads;
  __device__ Accum Few(uint64_t first, int count) const {
    Accum value;
    const int valid = take_few<warp_threads>(first, count, lane(), value);
    return fold_lanes(value, valid);
  }

  // The same by a block whose storage is free, up to `few_of_block`, one or more; in thread 0.
  static constexpr int few_of_block = few_rows * threads;
  __device__ Accum FewOfBlock(uint64_t first, int count) const {
    Accum value;
    const int valid = take_few<threads>(first, count, threadIdx.x, value);
    value = fold_lanes(value, valid - int(threadIdx.x) / warp_threads * warp_threads);
    return Combine(storage_, value, ceil_div(valid, warp_threads));
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

  // What a thread of so many has of the next `count` items, up to `few_rows` each. Says how many threads have some, the
  // first ones.
  template <int Threads> __device__ int take_few(uint64_t first, int count, int thread, Accum &value) const {
    if constexpr (is_commutative<Op>) {
      take_singly<Threads, few_rows>(first, count, thread, value);
      return min_of(count, Threads);
    } else {
      const int each = ceil_div(count, Threads);
      take_neighbours<few_rows>(first, count, thread * each, each, value);
      return ceil_div(count, each);
    }
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

  // The same of neighbours in order, those from `mine` on. What is not there is the last one once more.
  template <int Rows>
  __device__ void take_neighbours(uint64_t first, int count, int mine, int each, Accum &value) const {
    typename items_of<In, 1>::type loaded[Rows];
#pragma unroll
    for (int u = 0; u < Rows; ++u)
      loaded[u] = load_items<1>(in_, first + min_of(mine + (u < each ? u : 0), count - 1), vectorizable_);
    bool started = false;
#pragma unroll
    for (int u = 0; u < Rows; ++u) {
      if (u == 0 || (u < each && mine + u < count))
        add(value, started, rule_.template fold<Accum>(loaded[u], first + mine + u));
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
      for (; vectorizable_ && next + unroll * row_items < rest; next += step)
        fold_rows<Rows>(next, rest, shift, value, started);
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

  // So many rows, aligned, the first `unroll` of which are there. What is not there is the first one once more.
  template <int Rows>
  __device__ void fold_rows(uint64_t first, uint64_t last, uint64_t shift, Accum &value, bool &started) const {
    const uint64_t mine = first + lane() * vector_items;
    const int left = int(min_of(last - mine, uint64_t(Rows * row_items)));
    typename In::vector_type loaded[Rows];
#pragma unroll
    for (int u = 0; u < Rows; ++u)
      loaded[u] = in_.load_vector(mine + (u < unroll || u * row_items < left ? u * row_items : 0), true);
#pragma unroll
    for (int u = 0; u < Rows; ++u) {
      if (u < unroll || u * row_items < left)
        add(value, started, rule_.template fold<Accum>(loaded[u], mine + u * row_items - shift));
    }
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
  __device__ Accum fold_row_by_row(uint64_t first, uint64_t last, uint64_t shift) const {
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
    return fold_lanes(value, ceil_div(held, vector_items));
  }

  // Whole vectors, some rows at a time; and the items before and behind these, which lanes load first, one each. In the
  // first lane.
  template <int Rows> __device__ Accum fold_in_order(uint64_t first, uint64_t last, uint64_t shift) const {
    const uint64_t middle = ceil_div(first, uint64_t(vector_items)) * vector_items,
                   rest = last / vector_items * vector_items;
    const bool has_middle = middle <= last;  // otherwise all are before it
    const int before = int((has_middle ? middle : last) - first), behind = has_middle ? int(last - rest) : 0;
    const int number = lane() % vector_items, side = lane() / vector_items;
    Accum edge, folded;
    // By one load: a second one into the same register would wait for the first.
    const bool is_before = side == 0 && number < before;
    if (is_before || (side == 1 && number < behind)) edge = lift((is_before ? first : rest) + number, shift);
    bool started = false;
#pragma unroll 1
    for (uint64_t i = middle; i < rest; i += Rows * row_items) {
      const Accum value = fold_neighbours<Rows>(i, int(min_of(rest - i, uint64_t(Rows * row_items))), shift);
      if (lane() == 0) add(folded, started, value);
    }
    if constexpr (vector_items > 1) {
      if (before + behind > 0) add_edges(before, behind, edge, started, folded);
    }
    return folded;
  }

  // What the first lanes have before what is folded, and the next ones behind it, as many as a vector has items.
  __device__ void add_edges(int before, int behind, Accum edge, bool started, Accum &folded) const {
    using EdgeReduce = WarpReduceShuffle<Accum, vector_items>;
    typename EdgeReduce::TempStorage none;
    const int side = lane() / vector_items;
    edge = EdgeReduce(none).Reduce(edge, rule_.op, side == 0 ? before : side == 1 ? behind : 0);
    const Accum last = Lanes<Accum>::Broadcast(edge, vector_items);
    if (lane() > 0) return;
    if (before > 0) folded = started ? rule_.op(edge, folded) : edge;
    started = started || before > 0;
    if (behind > 0) add(folded, started, last);
  }

  // So many items of whole vectors. Each lane takes neighbours, up to `Rows`, so that lanes are folded once. All loads
  // come before any fold. What is not there is the last one once more.
  template <int Rows> __device__ Accum fold_neighbours(uint64_t first, int items, uint64_t shift) const {
    const unsigned vectors = unsigned(items) / vector_items, each = ceil_div(vectors, unsigned(warp_threads)),
                   mine = lane() * each;
    typename In::vector_type loaded[Rows];
#pragma unroll
    for (unsigned u = 0; u < Rows; ++u) {
      const unsigned vector = min_of(mine + (u < each ? u : 0), vectors - 1);
      loaded[u] = in_.load_vector(first + vector * vector_items, vectorizable_);
    }
    const uint64_t position = first + mine * vector_items - shift;
    Accum value;
    bool started = false;
#pragma unroll
    for (unsigned u = 0; u < Rows; ++u) {
      if (u == 0 || (u < each && mine + u < vectors))
        add(value, started, rule_.template fold<Accum>(loaded[u], position + u * vector_items));
    }
    return fold_lanes(value, __popc(__ballot_sync(full_warp, mine < vectors)));
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  bool vectorizable_;
};

}  // namespace jig
