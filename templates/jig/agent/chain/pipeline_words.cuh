// Where the tiles of a pipeline (pipeline.cuh) come from whose last one is copied in bulk, too, as many whole 16-byte
// words as it has: what workers fetch themselves, load after load, everybody waits for at the end. What that leaves,
// and input that is not aligned, they fetch. As pipeline_source.cuh otherwise, with nothing between warp tiles or in
// front of them.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Item, int TileItems> class PipelineWords {
  static constexpr uint32_t tile_bytes = sizeof(Item) * TileItems;
  static constexpr int word_items = Pointer<Item>::whole_items;

 public:
  __device__ PipelineWords(const Pointer<Item> &in, uint64_t num_items)
      : in_(in), num_items_(num_items), copies_(in.vectorizable()) {}

  __device__ uint32_t num_tiles() const { return uint32_t(ceil_div(num_items_, uint64_t(TileItems))); }

  // How many of a tile's items are copied, from its first one on.
  __device__ int copied(uint32_t tile) const {
    const uint64_t first = uint64_t(tile) * TileItems;
    if (!copies_ || first >= num_items_) return 0;
    return int(min_of((num_items_ - first) / word_items * word_items, uint64_t(TileItems)));
  }
  __device__ bool is_copied(uint32_t tile) const { return copied(tile) == TileItems; }

  __device__ void Prefetch(uint32_t tile) const {
    const int count = copied(tile);
    if (count > 0) ptx::bulk_prefetch(in_.data + uint64_t(tile) * TileItems, count * sizeof(Item));
  }

  // By one thread, which arrives at the barrier once. How much a whole tile is the compiler knows.
  __device__ void Load(void *items, uint32_t tile, uint64_t *barrier) const {
    ptx::mbarrier_arrive_expect(barrier, copied(tile) * sizeof(Item));
    const unsigned char *from = reinterpret_cast<const unsigned char *>(in_.data + uint64_t(tile) * TileItems);
    const uint32_t own = copied(tile) * sizeof(Item), whole = own / tile_bytes, rest = own % tile_bytes;
#pragma unroll 1
    for (uint32_t p = 0; p < whole; ++p) {
      ptx::bulk_copy(items, from, tile_bytes, barrier);
      from += tile_bytes;
    }
    if (rest > 0) ptx::bulk_copy(items, from, rest, barrier);
  }

 private:
  const Pointer<Item> &in_;
  uint64_t num_items_;
  bool copies_;
};

}  // namespace jig
