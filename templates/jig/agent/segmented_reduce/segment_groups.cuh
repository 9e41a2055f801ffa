// Folds segments of one size, side by side: as many lanes for each as it takes for a lane to hold its part, up to a
// warp, which takes longer ones row by row. Of those of one or two vectors a thread has some.
//
// Each way is a kernel, as the host knows which: code of another one beside it takes registers, and up to an eighth
// longer.
#pragma once
#include <jig/agent/segmented_reduce/segment_items.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/thread/reduce.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

enum class SegmentGroups { of_items, of_vectors, tiny };

template <class Policy, SegmentGroups Form, class Accum, class In, class Rule> class AgentSegmentGroups {
  using Op = typename Rule::op_type;
  static constexpr int vector_items = In::vector_items;
  static constexpr int items_at_once = Form == SegmentGroups::of_vectors ? vector_items : 1;  // of a load

 public:
  __device__ AgentSegmentGroups(const In &in, const Rule &rule, const SegmentedReduceCall &call)
      : in_(in), rule_(rule), call_(call), lanes_(call.lanes) {}

  // By all threads of the grid.
  __device__ void Run() const {
    if constexpr (Form != SegmentGroups::tiny) run_groups();
    else if (call_.tiny_vectors == 1) run_tiny<1>();
    else run_tiny<2>();
  }

 private:
  static constexpr int unroll = Form == SegmentGroups::of_vectors ? Policy::unroll : Policy::unroll_items;

  __device__ int lane() const { return threadIdx.x & (lanes_ - 1); }

  // Segments of so many vectors: a thread has some, all of whose loads come before any fold.
  template <int Vectors> __device__ void run_tiny() const {
    constexpr int each = Policy::tiny_vectors / Vectors < 1 ? 1 : Policy::tiny_vectors / Vectors;
    const uint64_t block = uint64_t(blockIdx.x) * (each * Policy::threads);
    const uint64_t after = call_.num_segments - min_of(block, call_.num_segments);
    const unsigned left = unsigned(min_of(after, uint64_t(each * Policy::threads)));
    const bool vectorize = in_.vectorizable();
    typename In::vector_type loaded[each][Vectors];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const unsigned segment = k * Policy::threads + threadIdx.x;
      if (segment >= left) break;
#pragma unroll
      for (int v = 0; v < Vectors; ++v)
        loaded[k][v] = in_.load_vector((block + segment) * (Vectors * vector_items) + v * vector_items, vectorize);
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const unsigned segment = k * Policy::threads + threadIdx.x;
      if (segment >= left) break;
      const uint64_t first = (block + segment) * (Vectors * vector_items);
      Accum folded = rule_.template fold<Accum>(loaded[k][0], first);
      if constexpr (Vectors > 1)
        folded = rule_.op(folded, rule_.template fold<Accum>(loaded[k][1], first + vector_items));
      rule_.Store(block + segment, folded, first);
    }
  }

  __device__ void run_groups() const {
    const uint64_t segment = (uint64_t(blockIdx.x) * Policy::threads + threadIdx.x) >> (__ffs(lanes_) - 1);
    const bool exists = segment < call_.num_segments;
    const uint64_t first = segment * call_.segment_size;
    const int loads = exists ? int(call_.segment_size) / items_at_once : 0;  // as few as a warp has in some rows
    Accum value;
    fold(first, loads, value);
    if (!exists || lane() > 0) return;
    if (loads > 0) rule_.Store(segment, value, first);
    else rule_.StoreEmpty(segment);
  }

  // A segment's items, some at a time; in the first lane. Lanes take them in turn, or, if they have to be in order,
  // some neighbours each, row by row.
  __device__ void fold(uint64_t first, int loads, Accum &value) const {
    constexpr bool in_turn = is_commutative<Op>;
    const int row = lanes_ * unroll, mine = in_turn ? lane() : lane() * unroll, apart = in_turn ? lanes_ : 1;
    const int most = int(call_.segment_size) / items_at_once;
    int done = 0;
#pragma unroll 1
    do {
      const int left = loads - done;
      Accum folded;
      if (mine < left) folded = fold_lane(first + uint32_t(done + mine) * items_at_once, apart, left - mine);
      if constexpr (!in_turn) fold_lanes(folded, min_of(ceil_div(left, unroll), lanes_));
      if (mine < left && (in_turn || lane() == 0)) value = done > 0 ? rule_.op(value, folded) : folded;
    } while ((done += row) < most);
    if constexpr (in_turn) fold_lanes(value, min_of(loads, lanes_));
  }

  // Up to `unroll` of them, `apart` from each other, of the next `left`. All loads come before any fold.
  __device__ Accum fold_lane(uint64_t first, int apart, int left) const {
    const bool vectorize = can_load_vectors<items_at_once>(in_);
    typename items_of<In, items_at_once>::type loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      loaded[u] = load_items<items_at_once>(in_, first + (u * apart < left ? u * apart : 0) * items_at_once, vectorize);
    Accum folded = rule_.template fold<Accum>(loaded[0], first);
#pragma unroll
    for (int u = 1; u < unroll; ++u) {
      if (u * apart < left)  // and no end of the loop, behind which the compiler would move the loads
        folded = rule_.op(folded, rule_.template fold<Accum>(loaded[u], first + u * apart * items_at_once));
    }
    return folded;
  }

  // The values of a segment's first lanes, in the first one.
  __device__ void fold_lanes(Accum &value, int valid_lanes) const {
    __syncwarp();
#pragma unroll 1
    for (int delta = 1; delta < lanes_; delta *= 2) {
      Accum other = value;
      shuffle_down(other, delta, warp_threads, full_warp);
      if (lane() + delta < valid_lanes) value = rule_.op(value, other);
    }
  }

  const In &in_;
  const Rule &rule_;
  const SegmentedReduceCall &call_;
  int lanes_;
};

}  // namespace jig
