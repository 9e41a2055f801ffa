// What a block does in a segmented reduce, for segments of any lengths: those that are few, or about as long as each
// other, have ways of their own; others are shared out with their items.
#pragma once
#include <jig/agent/segmented_reduce/segment_parts.cuh>
#include <jig/agent/segmented_reduce/segmented_reduce.cuh>
#include <jig/agent/segmented_reduce/segments_direct.cuh>
#include <jig/agent/segmented_reduce/segments_in_turn.cuh>
#include <jig/agent/segmented_reduce/segments_of_blocks.cuh>
#include <jig/agent/segmented_reduce/segments_of_warps.cuh>

namespace jig {

// What a kernel is for: any number of segments that adjoin or are of one size, or some that adjoin; blocks that have a
// segment each, or a part of one; the same of up to so many neighbours for each thread of a block; halves of blocks;
// any number of segments that need not adjoin, or some.
enum SegmentNumber {
  SEGMENTS_MANY,
  SEGMENTS_FEW,
  SEGMENTS_OF_BLOCKS,
  SEGMENTS_OF_MORE_BLOCKS,
  SEGMENTS_OF_HALF_BLOCKS,
  SEGMENTS_MANY_APART,
  SEGMENTS_FEW_APART
};
constexpr int most_thread_segments = 3, most_of_halves = 4;

template <class Policy, SegmentNumber Number, class Accum, class In, class Begins, class Ends, class Rule>
__device__ void segmented_reduce_by_rule(const In &in, const Begins &begins, const Ends &ends, const Rule &rule,
                                         const SegmentedReduceCall &call, TileState<Accum> *partials) {
  if constexpr (Number == SEGMENTS_OF_BLOCKS && is_same<Begins, none>) {
    using Parts = AgentSegmentParts<Policy, Accum, In, Rule>;
    __shared__ uninitialized<typename Parts::TempStorage> storage;
    Parts(storage[0], in, rule, call, partials).Run();
  } else if constexpr (Number == SEGMENTS_OF_BLOCKS || Number == SEGMENTS_OF_MORE_BLOCKS ||
                       Number == SEGMENTS_OF_HALF_BLOCKS) {
    constexpr bool halves = Number == SEGMENTS_OF_HALF_BLOCKS;
    constexpr int most_each = halves ? most_of_halves : Number == SEGMENTS_OF_BLOCKS ? 1 : most_thread_segments;
    using OfBlocks = AgentSegmentsOfBlocks<Policy, most_each, halves, Accum, In, Begins, Ends, Rule>;
    __shared__ uninitialized<typename OfBlocks::TempStorage> storage;
    OfBlocks(storage[0], in, begins, ends, rule, call, partials).Run();
  } else if constexpr (Number == SEGMENTS_FEW) {
    using InTurn = AgentSegmentsInTurn<Policy, Accum, In, Begins, Ends, Rule>;
    __shared__ uninitialized<typename InTurn::TempStorage> storage;
    InTurn(storage[0], in, begins, ends, rule, call, partials).Run();
  } else if constexpr (Number == SEGMENTS_FEW_APART) {
    using Offsets = SegmentOffsets<Begins, Ends>;
    using OfWarps = SegmentsOfWarps<Policy, Accum, In, Offsets, Rule>;
    __shared__ uninitialized<typename OfWarps::TempStorage> storage;
    OfWarps(storage[0], in, Offsets(begins, ends), rule, call, partials).Run();
  } else {
    using Items = SegmentItems<Begins, Ends, Number != SEGMENTS_MANY_APART>;
    using Agent = AgentSegmentedReduce<Policy, Accum, In, Items, Rule>;
    using Parts = AgentSegmentParts<Policy, Accum, In, Rule>;
    constexpr bool are_many = Number == SEGMENTS_MANY;
    using Direct = AgentSegmentsDirect<Policy, Accum, In, Begins, Ends, Rule>;
    union Storage {
      typename Agent::TempStorage agent;
      typename Parts::TempStorage parts;
      typename Direct::TempStorage direct;
    };
    __shared__ uninitialized<Storage> storage;
    if constexpr (is_same<Begins, none>) {
      if (call.parts > 0) return Parts(storage[0].parts, in, rule, call, partials).Run();
    } else if constexpr (are_many && is_commutative<typename Rule::op_type>) {
      // All offsets that either way takes first are loaded before any is waited for: no load is put off beyond a barrier.
      Direct direct(storage[0].direct, in, begins, ends, rule, call);
      const SegmentSpan first = direct.First();
      const Items items(begins, ends, call);
      const uint64_t first_look = Agent::FirstLook(items);
      __syncwarp();
      const bool may_be_direct = call.num_segments < most_direct_segments;
      if (may_be_direct && direct.Run(first, {items.first(), items.end()})) return;
      return Agent(storage[0].agent, in, items, rule, call, partials).Run(first_look);
    }
    const Items items(begins, ends, call);
    Agent(storage[0].agent, in, items, rule, call, partials).Run();
  }
}

}  // namespace jig
