// A limit by which most items of a tile can be left out: at least so many of it as are wanted are no worse.
//
// Each thread tells the best of its items, or of a few parts of them. A warp sorts what its threads tell; what it has
// at some place in that order is the limit of as many as stand there. Of these limits of all warps, one is chosen
// that is no better than so many others that there are enough items together. If more is wanted than that can tell,
// the k-th best of all that is told is found, by what threads tell of more parts of their items.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_buffer.cuh>
#include <jig/warp/inclusive_sum.cuh>
#include <jig/warp/shuffle.cuh>
#include <jig/warp/sort_lanes.cuh>

namespace jig {

template <class Buffer> class SegmentedTopKLimit {
  using Bits = typename Buffer::Bits;

 public:
  __device__ explicit SegmentedTopKLimit(const Buffer &buffer) : buffer_(buffer), group_(buffer.group()) {}

  // The rough bits that enough items of a tile have or are before. More can be told if the buffer is empty. Has a
  // barrier at least, and behind the last one touches nothing that the buffer's users do.
  template <class Tile> __device__ Bits Find(const Tile &tile, uint32_t wanted, bool is_empty) const {
    const int rank = rank_of(wanted);
    if (rank <= most_rank) return of_warps(of_warp<1>(tile, rank), wanted);
    if (rank <= few<Tile> * most_rank) return of_warps(of_warp<few<Tile>>(tile, rank), wanted);
    if (is_empty) return of_parts(tile, wanted);
    group_.sync();
    return Bits(~Bits(0));
  }

  // Of items that have these rough bits or are before them, as few rows of vectors as have enough: the last place
  // there, or all bits set. The same barriers.
  template <class Tile>
  __device__ uint32_t FindPlace(const Tile &tile, uint32_t first, uint32_t wanted, const Bits &bits) const {
    static_assert(Tile::vectors <= warp_threads, "a lane for each row");
    const int lane = int(ptx::lane_id());
    uint32_t mine = 0;
#pragma unroll
    for (int r = 0; r < Tile::vectors; ++r) {
      const uint32_t count = __popc(__ballot_sync(full_warp, tile.best[r] <= bits));
      if (lane == r) mine = count;
    }
    uint32_t end = inclusive_sum(buffer_.sum_of_warps(mine, Tile::vectors));
    const uint32_t enough = __ballot_sync(full_warp, end >= wanted);
    if (enough == 0) return ~uint32_t(0);
    return first + uint32_t(__ffs(int(enough)) * group_.threads()) * Tile::vector_items - 1;
  }

 private:
  // Of the parts that a warp has: what stands farther behind says little.
  static constexpr int most_rank = warp_threads / 2;
  // Parts of a thread's items where one is not enough.
  template <class Tile> static constexpr int few = min_of(sizeof(Bits) <= 4 ? 4 : 2, int(Tile::vectors));

  // The place in a warp's order, and that among the warps' limits: the worst of these would tell too little.
  __device__ int rank_of(uint32_t wanted) const {
    const int log_warps = group_.log_warps;
    if (log_warps < 2) return int((wanted + log_warps) >> log_warps);
    const uint32_t quarter = 1u << (log_warps - 2);
    return int(ceil_div((wanted + quarter - 1) >> (log_warps - 2), 3u));
  }
  __device__ int number_of(uint32_t wanted) const {
    const uint32_t rank = uint32_t(rank_of(wanted));
    int number = group_.warps() - group_.warps() / 4;
#pragma unroll 1
    while (uint32_t(number - 1) * rank >= wanted) --number;
    return number;
  }

  // Neighbours of a vector are in other parts, so that each part has some of the best where keys rise or fall.
  template <int Parts, class Tile> static __device__ array<Bits, Parts> best_of_parts(const Tile &tile) {
    static_assert(Tile::vectors % Parts == 0, "parts are equal");
    array<Bits, Parts> best;
#pragma unroll
    for (int p = 0; p < Parts; ++p) best[p] = tile.best[p];
#pragma unroll
    for (int r = Parts; r < Tile::vectors; ++r) best[r % Parts] = min_of(best[r % Parts], tile.best[r]);
    return best;
  }

  // What stands at that place, from 1 on, in the order of a warp's threads' parts.
  template <int Parts, class Tile> static __device__ Bits of_warp(const Tile &tile, int rank) {
    array<Bits, Parts> own = best_of_parts<Parts>(tile);
    sort_lanes<warp_threads>(own);
    Bits at = own[0];
#pragma unroll
    for (int p = 1; p < Parts; ++p)
      if ((rank - 1) % Parts >= p) at = own[p];
    return shuffle_from(at, (rank - 1) / Parts, warp_threads, full_warp);
  }

  // Of the warps' limits that of which so many others are no worse that all together are as many as are wanted.
  __device__ Bits of_warps(const Bits &own, uint32_t wanted) const {
    const int warps = group_.warps(), lane = int(ptx::lane_id());
    if (warps == 1) {
      __syncwarp();
      return own;
    }
    if (lane == 0) buffer_.limit(group_.warp()) = own;
    group_.sync();
    constexpr int most_warps = 16;
    array<Bits, 1> all = {lane < warps ? buffer_.limit(lane) : Bits(~Bits(0))};
    sort_lanes<most_warps>(all);
    return shuffle_from(all[0], number_of(wanted) - 1, warp_threads, full_warp);
  }

  // There have to be twice as many best items as are wanted, or they would not tell enough.
  template <class Tile> __device__ Bits of_parts(const Tile &tile, uint32_t wanted) const {
    constexpr int parts = min_of(int(Tile::vectors), max_of(Buffer::thread_items, 1));
    const uint32_t threads = group_.threads(), count = parts * threads;
    if (2 * wanted > count || count > buffer_.capacity()) {
      group_.sync();
      return Bits(~Bits(0));
    }
    const array<Bits, parts> best = best_of_parts<parts>(tile);
#pragma unroll
    for (int p = 0; p < parts; ++p) buffer_.bits(p * threads + group_.thread()) = best[p];
    group_.sync();
    const Bits bits = buffer_.find_roughly(count, wanted);
    group_.sync();
    return bits;
  }

  const Buffer &buffer_;
  WarpGroup group_;
};

}  // namespace jig
