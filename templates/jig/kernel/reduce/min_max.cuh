// Device-wide minimum and maximum, with or without their indices, in one launch.
#pragma once
#include <jig/agent/reduce/min_max.cuh>

namespace jig {

template <class T, class Out> __device__ void store_if_wanted(const Out &out, const T &value) {
  if constexpr (!is_same<Out, none>) out.store(0, static_cast<typename Out::value_type>(value));
}

// Folds items that stand for themselves as either. True in the thread that has the result; it has none if there are
// no items, and operators without an identity.
template <class Policy, class Count, class Items, class Op, class Extremes>
__device__ bool reduce_extremes(const Items &items, const Op &op, uint64_t num_items, Extremes &result, void *partials,
                                uint64_t tag) {
  using Agent = AgentReduce<Policy, Extremes, Items, Op>;
  __shared__ typename Agent::TempStorage storage;
  const ActiveBlocks<Count> blocks(Agent::units(num_items), Agent::block_units);
  if (!blocks.has_this()) return false;
  return Agent(storage, items, num_items, {}, op, blocks.count())
      .Reduce(result, static_cast<TileState<Extremes> *>(partials), tag);
}

// By these operators over items or indexed items.
template <class Policy, class Count, class Items, class Least, class Greatest, class Extremes>
__device__ bool reduce_by_both(const Items &in, const Least &least, const Greatest &greatest, uint64_t num_items,
                               Extremes &result, void *partials, uint64_t tag) {
  return reduce_extremes<Policy, Count>(BothExtremes<Items>{in}, both_extremes<Least, Greatest>{least, greatest},
                                        num_items, result, partials, tag);
}

template <class Policy, bool PropagateNan, class In, class MinOut, class MaxOut, class MinIndexOut, class MaxIndexOut,
          class Compare, class Count>
__device__ void min_max(const In &in, const MinOut &min_out, const MaxOut &max_out, const MinIndexOut &min_index_out,
                        const MaxIndexOut &max_index_out, const Compare &compare, Count num_items, void *partials,
                        uint64_t tag) {
  using T = typename In::value_type;
  constexpr bool wants_index = !is_same<MinIndexOut, none> || !is_same<MaxIndexOut, none>;
  constexpr bool is_ordered = !is_same<Compare, none> || !is_number<T>;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  if constexpr (wants_index || is_ordered) {
    if constexpr (is_ordered) {
      if (count == 0) {
        if (threadIdx.x == 0) store_if_wanted(min_index_out, int64_t(-1));
        if (threadIdx.x == 0) store_if_wanted(max_index_out, int64_t(-1));
        return;
      }
    }
    const auto least = arg_operator<T, Compare, false, PropagateNan>(compare);
    const auto greatest = arg_operator<T, Compare, true, PropagateNan>(compare);
    extremes<indexed_value<T>> result;
    if (!reduce_by_both<Policy, Count>(Indexed<In>{in}, least, greatest, count, result, partials, tag)) return;
    const indexed_value<T> min = find_item(result.min, in, count, least);
    const indexed_value<T> max = find_item(result.max, in, count, greatest);
    store_if_wanted(min_out, min.value);
    store_if_wanted(max_out, max.value);
    store_if_wanted(min_index_out, int64_t(min.index));
    store_if_wanted(max_index_out, int64_t(max.index));
  } else if constexpr (is_same<T, double>) {
    using Keys = double_keys<PropagateNan>;
    extremes<int64_t> result;
    if (!reduce_extremes<Policy, Count>(DoubleKeys<In, PropagateNan>{in}, Keys(), count, result, partials, tag)) return;
    store_if_wanted(min_out, Keys::value_of(result.min));
    store_if_wanted(max_out, Keys::value_of(result.max));
  } else {
    extremes<T> result;
    if (!reduce_by_both<Policy, Count>(in, minimum<PropagateNan>(), maximum<PropagateNan>(), count, result, partials,
                                       tag))
      return;
    store_if_wanted(min_out, result.min);
    store_if_wanted(max_out, result.max);
  }
}

}  // namespace jig
