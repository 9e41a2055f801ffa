// What the kernels of select and its kin share: a block with a SelectTile, in either chain of blocks.
#pragma once
#include <jig/agent/chain/block_chain.cuh>
#include <jig/agent/select/kept_places.cuh>
#include <jig/agent/select/select_few.cuh>
#include <jig/agent/select/select_tile.cuh>

namespace jig {

template <class Policy, class Chain, class In, class Rule, class Sink, class CountOut, class Count, class Values,
          class ValuesSink>
__device__ void run_select_tile(const Chain &chain, const In &in, const Rule &rule, const Sink &sink,
                                const CountOut &count_out, Count num_items, bool in_place, const Values &values,
                                const ValuesSink &values_sink) {
  using Tile = SelectTile<Policy, In, Rule, Sink, CountOut, Values, ValuesSink>;
  __shared__ typename Chain::template Agent<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage stage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const int rows = chain.template tile_rows<Policy>();
  const ActiveBlocks<Count> blocks(count, Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  Tile tile(stage, in, rule, sink, count_out, values, values_sink, count, in_place, blockIdx.x, rows);
  chain.template agent<Tile>(storage).Run(tile, {true, {}}, blocks.count());
}

template <class Policy, class Values = none, class ValuesSink = none, class Chain, class In, class Rule, class Sink,
          class CountOut, class Count>
__device__ void run_select(const Chain &chain, const In &in, const Rule &rule, const Sink &sink,
                           const CountOut &count_out, Count num_items, bool in_place, const Values &values = {},
                           const ValuesSink &values_sink = {}) {
  run_select_tile<Policy>(chain, in, rule, sink, count_out, num_items, in_place, values, values_sink);
}

// Few items have code of their own, if a thread can hold them. Bytes all of which are stored, in two places, were slower
// by it.
template <class Policy, class Values = none, class ValuesSink = none, class State, class In, class Rule, class Sink,
          class CountOut, class Count>
__device__ void run_select(const ClusterChain<State> &chain, const In &in, const Rule &rule, const Sink &sink,
                           const CountOut &count_out, Count num_items, bool in_place, const Values &values = {},
                           const ValuesSink &values_sink = {}) {
  constexpr bool are_bytes = sizeof(typename In::value_type) == 1 && Sink::classes > Rule::classes;
  if constexpr (!are_bytes && selects_few_of<In, In> && selects_few_of<In, typename Rule::Beside> &&
                selects_few_of<In, Values>) {
    using Work = SelectFew<Policy, In, Rule, Sink, CountOut, Values, ValuesSink>;
    __shared__ typename Work::TempStorage storage;
    ptx::wait_for_prerequisite_grids();
    const uint64_t count = num_items;
    const ActiveBlocks<Count> blocks(count, Work::items_per_row * chain.rows);
    if (!blocks.has_this()) return;
    Work(storage, in, rule, sink, count_out, values, values_sink, count, in_place, chain.rows).Run(blocks.count());
  } else {
    run_select_tile<Policy>(chain, in, rule, sink, count_out, num_items, in_place, values, values_sink);
  }
}

// A chain of tiles that keep places, where there are items that are too large for registers; and the kernel behind it.
template <class Chain> struct KeepingChain {
  KeptPlaces kept;
  Chain chain;
};
struct GatherKept { KeptPlaces kept; };

template <class Chain> constexpr bool is_of_cluster = false;
template <class State> constexpr bool is_of_cluster<KeepingChain<ClusterChain<State>>> = true;

// What is to be done with such items and values: `use` has a sink for the places of either, or what there is.
template <class Sink, class ValuesSink, class Use>
__device__ void with_kept_sinks(const KeptPlaces &kept, const Sink &sink, const ValuesSink &values_sink,
                                const Use &use) {
  constexpr bool keeps = sink_takes_places<Sink>;
  if constexpr (keeps && sink_takes_places<ValuesSink>)
    use(KeptSink<Sink>(sink, kept, 0), KeptSink<ValuesSink>(values_sink, kept, Sink::classes));
  else if constexpr (keeps) use(KeptSink<Sink>(sink, kept, 0), values_sink);
  else use(sink, KeptSink<ValuesSink>(values_sink, kept, 0));
}

template <class Policy, class Values = none, class ValuesSink = none, class Chain, class In, class Rule, class Sink,
          class CountOut, class Count>
__device__ void run_select(const KeepingChain<Chain> &given, const In &in, const Rule &rule, const Sink &sink,
                           const CountOut &count_out, Count num_items, bool in_place, const Values &values = {},
                           const ValuesSink &values_sink = {}) {
  if constexpr (!sink_takes_places<Sink> && !sink_takes_places<ValuesSink>) {
    run_select<Policy>(given.chain, in, rule, sink, count_out, num_items, in_place, values, values_sink);
  } else {
    const KeptCounts<CountOut> counts{count_out, given.kept.counts};
    with_kept_sinks(given.kept, sink, values_sink, [&](const auto &to, const auto &values_to) {
      run_select<Policy>(given.chain, in, rule, to, counts, num_items, in_place, values, values_to);
    });
  }
}

template <int Threads, int Selected, class Sink>
__device__ void gather_kept(const Sink &, const uint64_t *, uint64_t) {}
template <int Threads, int Selected, class Sink>
__device__ void gather_kept(const KeptSink<Sink> &sink, const uint64_t *counts, uint64_t num_items) {
  sink.template Gather<Threads, Selected>(counts, num_items);
}

template <class Policy, class Values = none, class ValuesSink = none, class In, class Rule, class Sink, class CountOut,
          class Count>
__device__ void run_select(const GatherKept &given, const In &, const Rule &, const Sink &sink, const CountOut &,
                           Count num_items, bool, const Values & = {}, const ValuesSink &values_sink = {}) {
  ptx::wait_for_prerequisite_grids();
  with_kept_sinks(given.kept, sink, values_sink, [&](const auto &to, const auto &values_to) {
    gather_kept<Policy::threads, Rule::classes>(to, given.kept.counts, num_items);
    gather_kept<Policy::threads, Rule::classes>(values_to, given.kept.counts, num_items);
  });
}

}  // namespace jig
