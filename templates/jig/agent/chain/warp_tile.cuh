// A warp tile, a warp's part of a tile, in rows: a row is a vector for each lane, so that every load and store of the
// warp is contiguous in memory and nothing has to be transposed.
//
// Past the last whole vector of the input lanes hold that vector once more. The few items that follow it fill no
// vector: they are for the lane whose vector they would have been, or for that of the last whole vector (without whole
// vectors, the first thread of all), whichever an algorithm likes better.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <int VectorItems, int Warps> class WarpTile {
 public:
  // Of the block's tile number `tile`, of `rows` rows for each warp.
  __device__ WarpTile(uint64_t num_items, uint64_t tile, int rows) : rows_(rows) {
    const uint64_t warp = tile * Warps + threadIdx.x / warp_threads;
    const uint64_t whole_vectors = num_items / VectorItems;
    first_vector_ = warp * (warp_threads * rows) + threadIdx.x % warp_threads;
    has_vectors_ = whole_vectors > 0;
    last_ = whole_vectors > first_vector_ ? int(min_of(whole_vectors - first_vector_ - 1, uint64_t(1) << 30))
                                          : -int(min_of(first_vector_ + 1 - whole_vectors, uint64_t(1) << 30));
  }

  __device__ int rows() const { return rows_; }
  // Whether the input has any whole vector; the same for every thread.
  __device__ bool has_vectors() const { return has_vectors_; }

  // Whether the lane's vector of that row is one of the input, and the last of them; and whether any is that.
  __device__ bool holds(int row) const { return row * warp_threads <= last_; }
  __device__ bool holds_last(int row) const { return row * warp_threads == last_; }
  // Whether it would be the vector after that.
  __device__ bool follows_last(int row) const { return row * warp_threads == last_ + 1; }
  __device__ bool holds_last() const { return last_ >= 0 && last_ % warp_threads == 0 && last_ < rows_ * warp_threads; }

  // Whether all lanes hold a vector of that row; and whether some warp of the block does of all its rows.
  __device__ bool is_whole_row(int row) const { return row * warp_threads <= last_ - (warp_threads - 1) + lane(); }
  __device__ bool is_whole(int warp) const {
    return (warp + 1 - int(threadIdx.x / warp_threads)) * rows_ * warp_threads <= last_ + lane() + 1;
  }

  // Whether the thread is the one of the last whole vector, which takes care of what depends on the input's
  // end; and the first of the items that fill no vector.
  __device__ bool ends_input() const { return has_vectors_ ? holds_last() : blockIdx.x == 0 && threadIdx.x == 0; }
  __device__ uint64_t first_of_rest(uint64_t num_items) const { return num_items / VectorItems * VectorItems; }

  // The first item of the lane's vector of a row; and of the vector to load there.
  __device__ uint64_t first_item(int row) const { return item_ahead(row * warp_threads); }
  __device__ uint64_t first_to_load(int row) const { return item_ahead(min_of(row * warp_threads, last_)); }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  __device__ uint64_t item_ahead(int vectors) const { return (first_vector_ + int64_t(vectors)) * VectorItems; }

  uint64_t first_vector_;  // the lane's in the first row
  int last_;               // how many vectors the input's last whole one is ahead of that; -1: just before it
  int rows_;
  bool has_vectors_;
};

}  // namespace jig
