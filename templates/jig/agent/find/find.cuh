// What one block does to find the first item that a rule is looking for (find_rule.cuh). The threads of the grid take the
// vectors of the input in turn, step by step, so that all blocks are at about the same place of it at any time. A block
// that meets such an item is done, as what follows for it comes later in the input. The others learn of it from a hint
// that they look at in every step, and stop when they have come that far.
//
// The hint only saves time. What is found is what the blocks have found themselves, folded to the least index.
#pragma once
#include <jig/agent/find/find_rule.cuh>
#include <jig/agent/reduce/grid_fold.cuh>

namespace jig {

template <class Policy, class In, class Rule> class AgentFind {
  static constexpr int threads = Policy::threads, vector_items = In::vector_items;
  using Vector = typename In::vector_type;
  using Least = minimum<true>;
  using GridFold = jig::GridFold<uint64_t, threads, Least>;

 public:
  using TempStorage = typename GridFold::TempStorage;
  static constexpr uint64_t nothing = ~uint64_t(0);

  // `hint`: the index of an item that is looked for, for all blocks to see.
  __device__ AgentFind(TempStorage &storage, const In &in, const Rule &rule, uint64_t num_items,
                       TileState<uint64_t> *hint, uint64_t tag)
      : storage_(storage), in_(in), rule_(rule), num_items_(num_items), hint_(hint), tag_(tag) {}

  // The index of the first one, or `nothing`. True in the one thread of the grid that has the result;
  // `partials` has room for gridDim.x - 1 values.
  __device__ bool Find(uint64_t &first, TileState<uint64_t> *partials) {
    uint64_t found = in_.vectorizable() ? search<true>() : search<false>();
    found = min_of(found, search_rest());
    GridFold fold(storage_, Least());
    const bool has_result = fold.Fold(fold.FoldWarp(found, threads), threads / warp_threads, first, partials, tag_);
    // All blocks are done with the hint. A graph's next replay has the same tag.
    if (has_result && gridDim.x > 1) hint_->retire(tag_);
    return has_result;
  }

 private:
  // The least index that this thread finds among the vectors whose turn is its own, up to the step in which anything is
  // found. The next step's vectors are loaded before those of this one are looked at.
  template <bool Vectorize> __device__ uint64_t search() {
    constexpr int unroll = Vectorize ? Policy::unroll : (Policy::unroll + 1) / 2;
    const uint64_t vectors = num_items_ / vector_items, row = uint64_t(gridDim.x) * threads;
    uint64_t first = uint64_t(blockIdx.x) * threads; // the block's first vector of a step
    // What is found at once is found before much is loaded.
    if (vectors > 4 * unroll * row) {
      const uint64_t found = search_step(load_step<Vectorize, 1>(first, vectors), first, vectors);
      if (ends(found, first)) return found;
      first += row;
    }
    Step<unroll> step = load_step<Vectorize, unroll>(first, vectors);
    while (first < vectors) {
      const uint64_t next = first + unroll * row;
      const Step<unroll> next_step = load_step<Vectorize, unroll>(next, vectors);
      const uint64_t found = search_step(step, first, vectors);
      if (next >= vectors || ends(found, first)) return found;
      step = next_step;
      first = next;
    }
    return nothing;
  }

  // What a thread looks at in a step: vectors one row of the grid apart.
  template <int Unroll> struct Step {
    Vector vector[Unroll];
    typename Rule::Before before[Unroll];
  };

  template <bool Vectorize, int Unroll> __device__ Step<Unroll> load_step(uint64_t first, uint64_t vectors) const {
    Step<Unroll> step;
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const uint64_t there = first + threadIdx.x + u * uint64_t(gridDim.x) * threads;
      if (there >= vectors) continue;
      step.vector[u] = in_.load_vector(there * vector_items, Vectorize);
      step.before[u] = rule_.before(in_, there * vector_items);
    }
    return step;
  }

  template <int Unroll>
  __device__ uint64_t search_step(const Step<Unroll> &step, uint64_t first, uint64_t vectors) const {
    uint64_t found = nothing;
#pragma unroll
    for (int u = Unroll - 1; u >= 0; --u) {
      const uint64_t there = first + threadIdx.x + u * uint64_t(gridDim.x) * threads;
      const auto before = rule_.shared(step.vector[u], step.before[u]);
      const uint32_t mask = there < vectors ? rule_.mask(there * vector_items, step.vector[u], before) : 0;
      if (mask != 0) found = there * vector_items + (__ffs(mask) - 1);
    }
    return found;
  }

  // Whether the block is done with a step that began with that vector: some thread has found something, or another block
  // something before.
  __device__ bool ends(uint64_t found, uint64_t first) const {
    bool is_done = found != nothing;
    if (threadIdx.x == 0 && gridDim.x > 1) {
      uint64_t known;
      is_done |= hint_->try_take(known, tag_) && known < first * vector_items;
    }
    if (!__syncthreads_or(is_done)) return false;
    // Of those that the block has found, any will do.
    const uint32_t finders = __ballot_sync(full_warp, found != nothing);
    if (gridDim.x > 1 && finders != 0 && threadIdx.x % warp_threads == __ffs(finders) - 1) hint_->publish(found, tag_);
    return true;
  }

  // The few items past the last whole vector fall to the first threads of the grid.
  __device__ uint64_t search_rest() const {
    if constexpr (vector_items == 1) return nothing;
    const uint64_t rest = num_items_ / vector_items * vector_items + uint64_t(blockIdx.x) * threads + threadIdx.x;
    return rest < num_items_ && rule_.finds(in_, rest) ? rest : nothing;
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  uint64_t num_items_;
  TileState<uint64_t> *hint_;
  uint64_t tag_;
};

}  // namespace jig
