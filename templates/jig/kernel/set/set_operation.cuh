// Device-wide set operations on two inputs in order. Of many items another kernel finds out before where tiles begin.
#pragma once
#include <jig/agent/chain/block_chain.cuh>
#include <jig/agent/set/set_tile.cuh>

namespace jig {

// borders: see SetTile.
template <class Policy, class Chain, int Mode, class FirstKeys, class FirstValues, class SecondKeys,
          class SecondValues, class KeysOut, class ValuesOut, class CountOut, class Op, class FirstCount,
          class SecondCount, class... ChainArgs>
__device__ void set_operation(const FirstKeys &first_keys, const FirstValues &first_values,
                              const SecondKeys &second_keys, const SecondValues &second_values,
                              const KeysOut &keys_out, const ValuesOut &values_out, const CountOut &count_out,
                              const Op &op, FirstCount first_num_items, SecondCount second_num_items, uint64_t limit,
                              const uint64_t *borders, ChainArgs... chain_args) {
  using Places = SetPlaces<FirstKeys, FirstValues, SecondKeys, SecondValues, KeysOut, ValuesOut, CountOut>;
  using Tile = SetTile<Policy, Mode, Places, less_of<Op>>;
  __shared__ typename Chain::template Agent<Tile>::TempStorage storage;
  __shared__ typename Tile::TempStorage tile_storage;
  const Chain chain{chain_args...};
  const int rows = chain.template tile_rows<Policy>();
  ptx::wait_for_prerequisite_grids();
  const uint64_t first_count = first_num_items, second_count = second_num_items;
  const ActiveBlocks<either_count<FirstCount, SecondCount>> blocks(first_count + second_count,
                                                                   Tile::items_per_row * rows);
  if (!blocks.has_this()) return;
  const Places places = {first_keys, first_values, second_keys,  second_values, keys_out,
                         values_out, count_out,    first_count,  second_count,  limit};
  Tile tile(tile_storage, places, less_of_op<Op>::of(op), blockIdx.x, rows, borders);
  chain.template agent<Tile>(storage).Run(tile, {true, {}}, blocks.count());
}

// A thread for each tile, of which there is one if there are no items, and one for the end.
template <class Policy, class FirstKeys, class SecondKeys, class Op>
__device__ void set_operation_split(const FirstKeys &first_keys, const SecondKeys &second_keys, const Op &op,
                                    uint64_t first_count, uint64_t second_count, uint64_t *borders) {
  const uint64_t tile = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x, items = first_count + second_count;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (tile > max_of((items + Policy::tile_items - 1) / Policy::tile_items, uint64_t(1))) return;
  const auto less = less_of_op<Op>::of(op);
  const uint64_t diagonal = min_of(tile * Policy::tile_items, items);
  const uint64_t of_first = merge_path(first_keys, first_count, second_keys, second_count, diagonal, less);
  borders[tile] = packed_border(balanced(first_keys, second_keys, second_count, of_first, diagonal, less));
}

}  // namespace jig
