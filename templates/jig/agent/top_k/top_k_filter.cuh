// How a block of a top-k sorts out a tile: what is before one bound has its place in the result, what is
// between that and another becomes a candidate, and the rest is passed over.
//
// Where little is found, which a warp sees at once, each warp takes places for itself; otherwise they are taken for
// the block, since the counters are the same for all.
#pragma once
#include <jig/agent/top_k/top_k_source.cuh>
#include <jig/core/uniform.cuh>
#include <jig/warp/fold_of_lanes.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

// Where items go. A sink with finds_one is for a search for the last of the items that are wanted: that is kept,
// and the others may be taken or not. takes: whether take() does anything.
template <class KeyBits, class KeysInput, class KeysOut, class ValuesIn, class ValuesOut> struct TopKSink {
  using Bits = KeyBits;
  using KeysIn = KeysInput;
  static constexpr bool finds_one = false, takes = true;
  const TopKCall &call;
  const KeysIn &keys_in;
  const KeysOut &keys_out;
  const ValuesIn &values_in;
  const ValuesOut &values_out;

  // A sample that misled may have more in its results than are wanted.
  template <class Source>
  __device__ void take(uint64_t place, const Source &source, uint64_t item, uint64_t index) const {
    if (place >= call.k) return;
    if (call.records != nullptr)
      static_cast<TopKRecord<Bits> *>(call.records)[place] = {key_bits_of(source, item), index};
    else if constexpr (is_packed_source<Source>) put(place, source.key(item, keys_in), index);
    else store(place, index);
  }
  __device__ void keep(uint64_t place, Bits bits, uint64_t index) const { keep_candidate(call, place, bits, index); }
  __device__ void store(uint64_t place, uint64_t index) const { put(place, keys_in[index], index); }
  template <class Key> __device__ void put(uint64_t place, const Key &key, uint64_t index) const {
    keys_out.store(place, key);
    if constexpr (!is_same<ValuesIn, none>) values_out.store(place, values_in[index]);
  }
};

// Keeps: whether there are candidates, or both bounds are the same.
template <int Threads, int Items, class Source, class Sink, bool Keeps = true> class TopKFilter {
  using Bits = typename Source::Bits;
  using Tile = TopKTile<Threads, Items, Source>;
  static constexpr int warps = Threads / warp_threads;
  static_assert(Tile::size <= 32, "a bit for each item of a thread");

  // Where the next item goes that is taken, and that is kept.
  struct Places {
    uint64_t taken, kept;
  };

 public:
  struct TempStorage {
    uint32_t counts[warps];
    Places places[warps];
  };
  // How many places are taken, anywhere in memory; of results, behind the first ones.
  struct Counters {
    uint64_t *taken, *kept;
    uint64_t first = 0;
  };

  __device__ TopKFilter(TempStorage &storage, const Source &source, const Sink &sink, const Counters &counters,
                        const TopKBound<Bits> &sure, const TopKBound<Bits> &last)
      : storage_(storage), source_(source), sink_(sink), counters_(counters), sure_(sure), last_(last) {}

  // All tiles of a grid's share that are this block's.
  __device__ void Run(uint64_t block, uint64_t blocks, bool is_dense) const {
    const uint64_t end = source_.count(), step = blocks * Tile::block_items;
#pragma unroll 1
    for (uint64_t first = block * Tile::block_items; first < end; first += step)
      Sort(Tile(source_, first, end), is_dense);
  }

  // By the whole block, if it is dense.
  __device__ void Sort(const Tile &tile, bool is_dense) const {
    bool near = false;
    tile.for_each([&](int i) { near = near || tile.bits[i] <= last_.bits; });
    if (!is_dense && !__any_sync(full_warp, near)) return;
    const Masks masks = classify(tile);
    // A single item takes no place.
    if constexpr (Sink::finds_one) {
      emit(tile, masks, {});
    } else {
      const uint32_t counts = warp_counts(masks);
      const Places places = is_dense ? places_in_block(counts) : places_for_warp(counts);
      if (counts != 0) emit(tile, masks, places);
    }
  }

 private:
  // Of a thread's items.
  struct Masks {
    uint32_t taken, kept;
  };

  // Only of keys like those that the bounds have is the index looked at.
  __device__ Masks classify(const Tile &tile) const {
    uint32_t before_sure = 0, before_last = 0, at_sure = 0, at_last = 0;
    tile.for_each([&](int i) {
      const Bits bits = tile.bits[i];
      const bool has = tile.has(i);
      if constexpr (Keeps) before_sure |= uint32_t(bits < sure_.bits) << i;
      before_last |= uint32_t(bits < last_.bits) << i;
      if constexpr (Keeps) at_sure |= uint32_t(has && bits == sure_.bits) << i;
      at_last |= uint32_t(has && bits == last_.bits) << i;
    });
#pragma unroll 1
    for (uint32_t edge = at_sure | at_last; edge != 0; edge &= edge - 1) {
      const int i = __ffs(int(edge)) - 1;
      const uint64_t index = tie_of(source_, tile.item(i));
      if constexpr (Keeps) before_sure |= uint32_t(index < sure_.index) << i & at_sure;
      before_last |= uint32_t(index < last_.index) << i & at_last;
    }
    if constexpr (Keeps) return {before_sure, before_last & ~before_sure};
    else return {before_last, 0};
  }

  // Neighbouring lanes have neighbouring places. Each lane has its next item at once, as mostly few of its items are
  // there, and what is loaded for one takes as long as for all lanes'.
  __device__ void emit(const Tile &tile, const Masks &masks, Places places) const {
    uint32_t left = Sink::takes ? masks.taken | masks.kept : masks.kept;
#pragma unroll 1
    for (; __any_sync(full_warp, left != 0); left &= left - 1) {
      const int i = max_of(__ffs(int(left)) - 1, 0);
      emit(tile, i, (masks.taken & left) >> i & 1, (masks.kept & left) >> i & 1, places);
    }
  }

  __device__ void emit(const Tile &tile, int i, bool is_taken, bool is_kept, Places &places) const {
    is_taken = Sink::takes && is_taken;
    is_kept = Keeps && is_kept;
    const uint32_t below = ptx::lanes_below();
    const uint32_t taken = __ballot_sync(full_warp, is_taken), kept = __ballot_sync(full_warp, is_kept);
    if (is_taken || is_kept) {
      const uint64_t item = tile.item(i), index = source_.index(item);
      if (!Keeps || is_taken) sink_.take(places.taken + __popc(taken & below), source_, item, index);
      else if constexpr (Keeps) sink_.keep(places.kept + __popc(kept & below), key_bits_of(source_, item), index);
    }
    places.taken += __popc(taken);
    places.kept += __popc(kept);
  }

  // Both counts as one number; even a block has less than 2^16 of each.
  static __device__ uint32_t taken_of(uint32_t counts) { return counts & 0xffff; }
  static __device__ uint32_t kept_of(uint32_t counts) { return counts >> 16; }
  static_assert(Tile::block_items < 1 << 16);

  static __device__ uint32_t warp_counts(const Masks &masks) {
    return fold_of_lanes(uint32_t(__popc(masks.taken)) | uint32_t(__popc(masks.kept)) << 16, plus{});
  }

  __device__ Places places_for_warp(uint32_t counts) const {
    Places places = {counters_.first, 0};
    if (ptx::lane_id() == 0) {
      if (taken_of(counts) > 0) places.taken += ptx::fetch_add_relaxed_gpu(counters_.taken, taken_of(counts));
      if (kept_of(counts) > 0) places.kept = ptx::fetch_add_relaxed_gpu(counters_.kept, kept_of(counts));
    }
    return {__shfl_sync(full_warp, places.taken, 0), __shfl_sync(full_warp, places.kept, 0)};
  }

  __device__ Places places_in_block(uint32_t counts) const {
    const int warp = uniform_warp(), lane = threadIdx.x % warp_threads;
    if (lane == 0) storage_.counts[warp] = counts;
    __syncthreads();
    if (warp == 0) {
      const uint32_t own = lane < warps ? storage_.counts[lane] : 0;
      uint32_t upto = inclusive_sum(own);
      const Places places = places_for_warp(__shfl_sync(full_warp, upto, warp_threads - 1));
      const uint32_t before = upto - own;
      if (lane < warps) storage_.places[lane] = {places.taken + taken_of(before), places.kept + kept_of(before)};
    }
    __syncthreads();
    return storage_.places[warp];
  }

  TempStorage &storage_;
  const Source &source_;
  const Sink &sink_;
  Counters counters_;
  TopKBound<Bits> sure_, last_;
};

}  // namespace jig
