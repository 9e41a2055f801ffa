// A tile of segments in shared memory, as the warps of a pipeline (segment_pipeline.cuh) hand it to each other: some of
// the items of neighbouring segments, one after the other as if they lay side by side.
//
// If they do lie so in memory, and what comes of them does, they are as far past an aligned address here as there, so
// that bulk copies bring them. Items are read by whole words, so those that are smaller begin with one, even if the
// first places of a segment's first word are nothing.
//
// The tile has warp tiles, one for each emitter, and a warp tile has rows, in which every lane has a few neighbours.
#pragma once
#include <jig/agent/segmented_scan/segment_work.cuh>
#include <jig/core/operator.cuh>

namespace jig {

template <class Item, int WarpTiles, int Rows, int RowItems> struct SegmentStage {
  using item_type = Item;
  static constexpr int warp_tiles = WarpTiles, row_items = RowItems, warp_tile_items = Rows * RowItems;
  static constexpr int tile_items = WarpTiles * warp_tile_items;
  static_assert(tile_items % warp_threads == 0, "whole words");

  // What the first place is aligned to, here and in memory.
  static constexpr int align = sizeof(Item) < 4 ? 4 : int(sizeof(Item));

  // Of a scattered tile, where a warp tile begins: a segment, numbered in its chunk, and where that begins in the tile.
  struct WarpTileStart {
    int64_t begin;
    uint32_t segment;
  };

  alignas(128) unsigned char bytes[tile_items * sizeof(Item) + 16];
  // Which items begin a segment; what is nothing, before the first item and past the tile's end, in the last row that
  // has items, counts as such, too, so that nothing is folded with it.
  alignas(16) uint32_t heads[tile_items / warp_threads + 4];
  uint64_t in, out;  // where the first place is, and where what comes of it goes to
  int count;         // 0: the tile is nothing
  int lead;          // how many places are nothing before the first item
  int first_byte;    // of the first place
  bool is_scattered;
  uint8_t even_rows;  // of each warp tile, if all have as many rows as a tile's items take
  WarpTileStart starts[WarpTiles];

  __device__ Item *items() { return reinterpret_cast<Item *>(bytes + first_byte); }
  __device__ bool is_open() const { return (heads[0] & 1) == 0; }
  __device__ int used_warp_tiles() const { return ceil_div(count, warp_tile_items); }

  // No heads. By a warp, or a block.
  template <int Threads> __device__ void Clear() {
    constexpr int vectors = sizeof heads / sizeof(uint4);
#pragma unroll 1
    for (int i = threadIdx.x % Threads; i < vectors; i += Threads)
      reinterpret_cast<uint4 *>(heads)[i] = uint4{0, 0, 0, 0};
  }

  __device__ void mark(uint32_t place) {
    ptx::or_shared(ptx::shared_address(heads) + place / warp_threads * 4, 1u << place % warp_threads);
  }

  // Of the places from `first` on those whose bits are set.
  __device__ void mark_all(uint32_t first, uint32_t bits) {
    const uint32_t word = ptx::shared_address(heads) + first / warp_threads * 4, shift = first % warp_threads;
    const uint32_t low = bits << shift, high = uint32_t(uint64_t(bits) << shift >> 32);
    if (low != 0) ptx::or_shared(word, low);
    if (high != 0) ptx::or_shared(word + 4, high);
  }

  // Which of `Items` items from `first` on are heads, a bit each.
  template <int Items> __device__ uint32_t heads_from(int first) const {
    const int word = first / warp_threads;
    return __funnelshift_r(heads[word], heads[word + 1], first % warp_threads) & uint32_t((uint64_t(1) << Items) - 1);
  }
};

// Words that hold an item of a power of two of bytes; items have that alignment in a stage.
template <int Bytes> struct staged_word { using type = uint8_t; };
template <> struct staged_word<2> { using type = uint16_t; };
template <> struct staged_word<4> { using type = uint32_t; };
template <> struct staged_word<8> { using type = uint2; };
template <> struct staged_word<16> { using type = uint4; };

template <class Item> __device__ Item load_word(const Item *item) {
  return bit_cast<Item>(*reinterpret_cast<const typename staged_word<sizeof(Item)>::type *>(item));
}
template <class Item> __device__ void store_word(Item *to, const Item &item) {
  using Word = typename staged_word<sizeof(Item)>::type;
  *reinterpret_cast<Word *>(to) = bit_cast<Word>(item);
}

// Calls then(k, start, segment) for each segment that is not empty from number `i` on, by a warp, as if they lay side
// by side: the first one begins at `begin`, and they end at `last` or behind that. `count` is how many there are.
template <class Segments, class Then>
__device__ void for_each_segment(const Segments &segments, uint64_t i, uint64_t count, int64_t begin, int64_t last,
                                 Then then) {
#pragma unroll 1
  for (; begin < last; i += warp_threads) {
    Segment mine = {0, 0, 0};
    if (i + threadIdx.x % warp_threads < count) mine = segments[i + threadIdx.x % warp_threads];
    const uint64_t scanned = Lanes<uint64_t>::InclusiveScan(mine.length, plus{});
    const int64_t start = begin + int64_t(scanned - mine.length);
#pragma unroll 1
    for (uint32_t lanes = __ballot_sync(full_warp, mine.length > 0 && start < last); lanes != 0; lanes &= lanes - 1) {
      const int from = __ffs(lanes) - 1;
      const Segment s = shuffle_from(mine, from, warp_threads, full_warp);
      then(i + from, Lanes<int64_t>::Broadcast(start, from), s);
    }
    begin += int64_t(Lanes<uint64_t>::Broadcast(scanned, warp_threads - 1));
  }
}

}  // namespace jig
