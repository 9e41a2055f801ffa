// Device-wide set operations on two inputs in order: in a single wave of blocks; of more items in any number of tiles,
// before which another kernel finds out where these begin.
#pragma once
#include <jig/agent/chain/lookback.cuh>
#include <jig/agent/chain/single_wave.cuh>
#include <jig/agent/set/set_tile.cuh>

namespace jig {

template <class Policy, int Mode, class FirstKeys, class FirstValues, class SecondKeys, class SecondValues,
          class KeysOut, class ValuesOut, class CountOut, class Op>
struct SetKernel {
  using Places = SetPlaces<FirstKeys, FirstValues, SecondKeys, SecondValues, KeysOut, ValuesOut, CountOut>;
  using Tile = SetTile<Policy, Mode, Places, less_of<Op>>;
};

template <class Policy, int Mode, class FirstKeys, class FirstValues, class SecondKeys, class SecondValues,
          class KeysOut, class ValuesOut, class CountOut, class Op>
__device__ void set_operation_single_wave(const FirstKeys &first_keys, const FirstValues &first_values,
                                          const SecondKeys &second_keys, const SecondValues &second_values,
                                          const KeysOut &keys_out, const ValuesOut &values_out,
                                          const CountOut &count_out, const Op &op, uint64_t first_count,
                                          uint64_t second_count, uint64_t limit, int rows,
                                          SingleWaveControl *control, uint64_t tag) {
  using Kernel = SetKernel<Policy, Mode, FirstKeys, FirstValues, SecondKeys, SecondValues, KeysOut, ValuesOut, CountOut, Op>;
  using Tile = typename Kernel::Tile;
  using Agent = AgentSingleWave<Tile>;
  __shared__ typename Agent::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  const typename Kernel::Places places = {first_keys, first_values, second_keys,  second_values, keys_out,
                                          values_out, count_out,    first_count,  second_count,  limit};
  ptx::wait_for_prerequisite_grids();
  Tile tile(tile_storage, places, less_of_op<Op>::of(op), blockIdx.x, rows, nullptr);
  Agent(storage, control, tag, {}).Run(tile, {true, {}});
}

template <class Policy, int Mode, class FirstKeys, class FirstValues, class SecondKeys, class SecondValues,
          class KeysOut, class ValuesOut, class CountOut, class Op>
__device__ void set_operation_lookback(const FirstKeys &first_keys, const FirstValues &first_values,
                                       const SecondKeys &second_keys, const SecondValues &second_values,
                                       const KeysOut &keys_out, const ValuesOut &values_out,
                                       const CountOut &count_out, const Op &op, uint64_t first_count,
                                       uint64_t second_count, uint64_t limit, const uint64_t *borders,
                                       GroupState<class_counts<1>> *groups, TileState<class_counts<1>> *tiles,
                                       uint64_t tag) {
  using Kernel = SetKernel<Policy, Mode, FirstKeys, FirstValues, SecondKeys, SecondValues, KeysOut, ValuesOut, CountOut, Op>;
  using Tile = typename Kernel::Tile;
  using Agent = AgentLookback<Tile>;
  __shared__ typename Agent::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  const typename Kernel::Places places = {first_keys, first_values, second_keys,  second_values, keys_out,
                                          values_out, count_out,    first_count,  second_count,  limit};
  ptx::wait_for_prerequisite_grids();
  Tile tile(tile_storage, places, less_of_op<Op>::of(op), blockIdx.x, Policy::rows, borders);
  Agent(storage, groups, tiles, tag, {}).Run(tile, {true, {}});
}

// A thread for each tile, and one for the end.
template <class Policy, class FirstKeys, class SecondKeys, class Op>
__device__ void set_operation_split(const FirstKeys &first_keys, const SecondKeys &second_keys, const Op &op,
                                    uint64_t first_count, uint64_t second_count, uint64_t *borders) {
  const uint64_t tile = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x, items = first_count + second_count;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (tile > (items + Policy::tile_items - 1) / Policy::tile_items) return;
  const auto less = less_of_op<Op>::of(op);
  const uint64_t diagonal = min_of(tile * Policy::tile_items, items);
  const uint64_t of_first = merge_path(first_keys, first_count, second_keys, second_count, diagonal, less);
  borders[tile] = packed_border(balanced(first_keys, second_keys, second_count, of_first, diagonal, less));
}

}  // namespace jig
