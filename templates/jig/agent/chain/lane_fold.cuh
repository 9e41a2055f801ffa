// How a warp folds a state of each of its lanes, in the lanes' order, by an operator with an identity: as parts, which
// are states, or what is left to fold where a warp learns the rest at once. Specialised for such states.
//
//   mine = LaneFold<State, Op>::of(state, exists)   by all lanes; those whose state does not exist change nothing
//   mine.part                 what the lanes fold, by
//   LaneFold::part_op(op)     this
//   mine.whole(folded)        what all lanes' states come to, given the fold of their parts: in every lane
#pragma once
#include <jig/warp/reduce_redux.cuh>

namespace jig {

template <class State, class Op> struct LaneFold {
  State part;

  static __device__ LaneFold of(const State &state, bool exists) {
    return {exists ? state : Op::template identity<State>()};
  }
  static __device__ Op part_op(const Op &op) { return op; }
  __device__ State whole(const State &folded) const { return folded; }
};

// Whether this lane is the last of those, or comes after it; or there are none.
__device__ inline bool is_from_last(uint32_t lanes) { return lanes >> (threadIdx.x % warp_threads) <= 1; }

// Of all lanes, which count no more than 32 bits can tell; for GPUs that have such an instruction.
__device__ inline uint32_t sum_of_lanes(uint32_t count) { return warp_redux(count, plus{}, full_warp); }

}  // namespace jig
