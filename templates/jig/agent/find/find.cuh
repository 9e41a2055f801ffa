// What one block does to find the first item that a rule is looking for (find_rule.cuh). The threads of the grid take
// the vectors of the input in turn, step by step, so that all blocks are at about the same place of it at any time. A
// block that meets such an item is done, as what follows for it comes later in the input. The others learn of it from a
// hint that they look at in every step, and stop when they have come that far.
//
// The hint only saves time. What is found is what the blocks have found themselves, folded to the least index.
#pragma once
#include <jig/agent/find/find_hint.cuh>
#include <jig/agent/find/find_rule.cuh>
#include <jig/agent/find/least_index.cuh>

namespace jig {

// AtOnce: Policy::steps of all blocks are enough for all vectors, and take no hint.
template <class Policy, bool AtOnce, class In, class Rule> class AgentFind {
  static constexpr int threads = Policy::threads, vector_items = In::vector_items;
  static constexpr int short_rows = 8; // of the grid's vectors, that are looked at in short steps
  // Items of 4 bytes: what a step loads is enough under way. Those of 8 and of 1 byte were not faster so, nor was a
  // search for disorder.
  static constexpr bool few_buffers = Rule::asks_first && vector_items == 4;
  static constexpr int unroll = Policy::unroll, few = (unroll + 1) / 2; // vectors of a thread in a step; in a short one
  using Vector = typename In::vector_type;
  using LeastIndex = jig::LeastIndex<threads>;

 public:
  using TempStorage = typename LeastIndex::TempStorage;
  static constexpr uint64_t nothing = LeastIndex::nothing;

  __device__ AgentFind(TempStorage &storage, const In &in, const Rule &rule, uint64_t num_items, FindHint *hint,
                       uint64_t tag)
      : storage_(storage), in_(in), rule_(rule), num_items_(num_items), hint_(hint), tag_(tag) {}

  // The index of the first one, or `nothing`. True in the one thread of the grid that has the result;
  // `partials` has room for gridDim.x - 1 values. Once the grids before are done.
  __device__ bool Find(uint64_t &first, TileState<uint64_t> *partials) {
    uint64_t found = min_of(search(), search_rest());
    // While blocks wait for each other, the next grid may be brought up.
    ptx::launch_dependent_grids();
    const LeastIndex least(storage_, num_items_);
    first = least.Find(found);
    if (gridDim.x == 1) return threadIdx.x == 0;
    if (blockIdx.x != gridDim.x - 1) {
      if (threadIdx.x == 0) partials[blockIdx.x].publish(first, tag_);
      return false;
    }
    // Of few blocks one warp takes what they have found.
    const bool are_few = gridDim.x - 1 <= warp_threads;
    if (are_few && uniform(threadIdx.x >= warp_threads)) return false;
    found = min_of(take_partial(partials), threadIdx.x == 0 ? first : nothing);
    first = are_few ? least.OfWarp(found) : least.Find(found);
    if (threadIdx.x == 0 && launch_.is_hinted) hint_->EndLaunch(launch_);  // all blocks are done with it
    return threadIdx.x == 0;
  }

 private:
  // The least index that this thread finds among the vectors whose turn is its own, up to the step in which anything is
  // found.
  __device__ uint64_t search() {
    if constexpr (!AtOnce) return search_many();
    else return in_.vectorizable() ? search_at_once() : search_each();
  }

  // All vectors, which are one step, or few: then a warp that has found something is done, but learns of no other.
  __device__ uint64_t search_at_once() const {
    const uint64_t vectors = num_items_ / vector_items, row = uint64_t(gridDim.x) * threads;
    uint64_t first = uint64_t(blockIdx.x) * threads, found;
    ptx::wait_for_prerequisite_grids();
#pragma unroll 1
    do {
      found = search_step(load_step<unroll>(first, vectors, true), first, vectors);
      first += unroll * row;
    } while (Policy::steps > 1 && first < vectors && !__any_sync(full_warp, found != nothing));
    return found;
  }

  // The same of vectors that are not aligned, which are rare: short steps cost a first call less.
  __device__ uint64_t search_each() const {
    constexpr int rows = vector_items == 1 ? unroll : few;
    const uint64_t vectors = num_items_ / vector_items, row = uint64_t(gridDim.x) * threads;
    uint64_t found = nothing;
    ptx::wait_for_prerequisite_grids();
#pragma unroll 1
    for (uint64_t first = uint64_t(blockIdx.x) * threads; first < vectors; first += rows * row)
      found = min_of(found, search_step(load_step<rows>(first, vectors, false), first, vectors));
    return found;
  }

  // The first steps are short, so that what is found soon is found before much is loaded; of vectors that are not
  // aligned all are.
  __device__ uint64_t search_many() {
    const uint64_t vectors = num_items_ / vector_items, row = uint64_t(gridDim.x) * threads;
    uint64_t first = uint64_t(blockIdx.x) * threads; // the block's first vector of a step
    const bool vectorize = in_.vectorizable();
    ptx::wait_for_prerequisite_grids();
    if (threadIdx.x == 0 && gridDim.x > 1) launch_ = hint_->ThisLaunch();
    // Of large items no register is left for both.
    if constexpr (few == unroll)
      return vectorize ? search_steps<unroll>(first, vectors, true) : search_steps<unroll>(first, vectors, false);
    if (!vectorize || vectors > 2 * unroll * row) {
      const uint64_t soon = vectorize ? min_of(vectors, short_rows * row) : vectors;
      const uint64_t found = search_steps<few>(first, soon, vectorize);
      if (soon == vectors || ends(found, look(), first)) return found;
      first = soon + uint64_t(blockIdx.x) * threads;
    }
    return search_steps<unroll>(first, vectors, true);
  }

  // Steps from vector `first` on, which becomes that of the last one. The next step's vectors are loaded before those
  // of this one are looked at, or after.
  template <int Rows> __device__ uint64_t search_steps(uint64_t &first, uint64_t vectors, bool vectorize) {
    const uint64_t row = uint64_t(gridDim.x) * threads;
    Step<Rows> step = load_step<Rows>(first, vectors, vectorize);
    Known known = {false, nothing}, next_known;
#pragma unroll 1
    for (uint64_t next; (next = first + Rows * row) < vectors; first = next) {
      Step<Rows> next_step;
      if constexpr (!few_buffers) next_step = load_step<Rows>(next, vectors, vectorize);
      // A search for disorder waits for what it has loaded in a step at its end only, so that the hint is that of the
      // step before.
      (Rule::asks_first ? known : next_known) = look();
      const uint64_t found = search_step(step, first, vectors);
      if (ends(found, known, first)) return found;
      if constexpr (few_buffers) next_step = load_step<Rows>(next, vectors, vectorize);
      if constexpr (!Rule::asks_first) known = next_known;
      step = next_step;
    }
    return search_step(step, first, vectors);
  }

  // What a thread looks at in a step: vectors one row of the grid apart.
  template <int Unroll> struct Step {
    Vector vector[Unroll];
    typename Rule::Before before[Unroll];
  };

  template <int Rows> __device__ Step<Rows> load_step(uint64_t first, uint64_t vectors, bool vectorize) const {
    return vectorize ? load_rows<Rows, true>(first, vectors) : load_rows<Rows, false>(first, vectors);
  }
  template <int Rows, bool Vectorize> __device__ Step<Rows> load_rows(uint64_t first, uint64_t vectors) const {
    const uint64_t mine = first + threadIdx.x, row = uint64_t(gridDim.x) * threads;
    Step<Rows> step;
#pragma unroll
    for (int u = 0; u < Rows; ++u) {
      const uint64_t there = mine + u * row;
      if (there >= vectors) continue;
      step.vector[u] = in_.load_vector(there * vector_items, Vectorize);
      step.before[u] = rule_.before(in_, there * vector_items);
    }
    return step;
  }

  template <int Rows>
  __device__ uint64_t search_step(const Step<Rows> &step, uint64_t first, uint64_t vectors) const {
    if constexpr (Rule::asks_first) return search_first(step, first, vectors);
    else return search_all(step, first, vectors);
  }

  template <int Rows>
  __device__ uint64_t search_all(const Step<Rows> &step, uint64_t first, uint64_t vectors) const {
    uint64_t found = nothing;
#pragma unroll
    for (int u = Rows - 1; u >= 0; --u) {
      const uint64_t there = first + threadIdx.x + u * uint64_t(gridDim.x) * threads;
      const auto before = rule_.shared(step.vector[u], step.before[u]);
      const uint32_t mask = there < vectors ? rule_.mask(there * vector_items, step.vector[u], before) : 0;
      if (mask != 0) found = there * vector_items + (__ffs(mask) - 1);
    }
    return found;
  }

  // The same for a rule that asks first: of the first vector that has any it finds out which.
  template <int Rows>
  __device__ uint64_t search_first(const Step<Rows> &step, uint64_t first, uint64_t vectors) const {
    const uint64_t row = uint64_t(gridDim.x) * threads, mine = first + threadIdx.x;
    int hit = Rows;
#pragma unroll
    for (int u = Rows - 1; u >= 0; --u) {
      if (mine + u * row < vectors && rule_.any(step.vector[u])) hit = u;
    }
    if (hit == Rows) return nothing;
    Vector vector = step.vector[0];
#pragma unroll
    for (int u = 1; u < Rows; ++u) {
      if (u == hit) vector = step.vector[u];
    }
    return (mine + hit * row) * vector_items + (__ffs(rule_.mask(0, vector, {})) - 1);
  }

  // What the block with this thread's number has found, for the last block, which waits for it. Blocks start in the
  // order of their indices, so those that it waits for run or have run, however few are resident at once.
  __device__ uint64_t take_partial(TileState<uint64_t> *partials) const {
    uint64_t found = nothing;
    const bool is_wanted = threadIdx.x < gridDim.x - 1;
    take_by_warp(partials[threadIdx.x], is_wanted, found, tag_);
    if (is_wanted) partials[threadIdx.x].retire(tag_);
    return found;
  }

  // What thread 0 learns from the hint; loaded before it is looked at.
  struct Known {
    bool is_any;
    uint64_t index;
  };
  __device__ Known look() const {
    Known known = {false, nothing};
    if (threadIdx.x == 0 && gridDim.x > 1) known.is_any = hint_->TryTake(known.index, tag_, launch_);
    return known;
  }

  // Whether the block is done with a step that began with that vector: some thread has found something, or another
  // block something before.
  __device__ bool ends(uint64_t found, const Known &known, uint64_t first) const {
    const bool is_done = found != nothing || (known.is_any && known.index < first * vector_items);
    if (!sync_any(is_done)) return false;
    // Of those that the block has found, any will do.
    const uint32_t finders = __ballot_sync(full_warp, found != nothing);
    if (gridDim.x > 1 && finders != 0 && threadIdx.x % warp_threads == __ffs(finders) - 1) hint_->Publish(found, tag_);
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
  FindHint *hint_;
  uint64_t tag_;
  FindHint::Launch launch_ = {false, 0};  // in thread 0, if blocks give hints
};

}  // namespace jig
