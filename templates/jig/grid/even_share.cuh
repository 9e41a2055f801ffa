// A block's even share of an input, in whole tiles: no two blocks' shares differ by more than a tile.
//
//   rake        neighbouring tiles: for what keeps something from tile to tile, or keeps the order of operands
//   strip_mine  every so many tiles one: neighbouring blocks read neighbouring tiles
//
//   const jig::GridEvenShare<> share(num_items, tile_items);
//   for (auto tile = share.block_offset; tile < share.block_end; tile += share.block_stride)
//     ... items tile .. tile + share.valid_items(tile) - 1 ...
//
// Only arithmetic: no storage, no barrier; each thread may make its own. A block without a share has none to go
// through. Index has to have room for num_items and a stride more.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

enum class GridMapping { rake, strip_mine };

template <GridMapping Mapping = GridMapping::rake, class Index = uint64_t> class GridEvenShare {
 public:
  Index block_offset, block_end, block_stride;  // of items

  __device__ GridEvenShare(Index num_items, int tile_items, unsigned block = blockIdx.x, unsigned blocks = gridDim.x)
      : tile_items_(tile_items) {
    const Index tile = tile_items, tiles = num_items / tile + (num_items % tile != 0);
    const Index share = tiles / blocks, larger = tiles % blocks;
    if (Mapping == GridMapping::strip_mine) {
      block_offset = min_of(Index(block), tiles) * tile;
      block_end = num_items;
      block_stride = Index(blocks) * tile;
    } else {
      const Index first = block * share + min_of(Index(block), larger), last = first + share + (block < larger);
      block_offset = first * tile;
      block_end = last == tiles ? num_items : last * tile;
      block_stride = tile;
    }
    if (block_offset > block_end) block_offset = block_end;
  }

  // How many of the items that begin there the tile has.
  __device__ int valid_items(Index offset) const {
    return int(min_of(Index(tile_items_), Index(block_end - offset)));
  }

 private:
  int tile_items_;
};

}  // namespace jig
