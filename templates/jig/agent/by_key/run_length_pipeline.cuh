// What the workers of a pipeline (pipeline.cuh) do in run-length encoding, or in finding the runs of two keys and more;
// how tiles are shared out is said in key_pipeline.cuh.
//
// The emitters put a warp tile's heads side by side in shared memory, from where lengths go to neighbouring places
// at once. A run's key is stored at its head; of its length all is known at the next one.
#pragma once
#include <jig/agent/by_key/key_pipeline.cuh>

namespace jig {

// What a part of the input comes to: how many items there are from its last head on, or in all if it has
// none; and twice how many runs end in it that count, and one if it has a head.
template <class Length> struct RunTail {
  Length items, ends;

  template <class Wider> __device__ explicit operator RunTail<Wider>() const { return {items, ends}; }
};

struct RunTailOp {
  // `b` may count in a narrower type.
  template <class Length, class Other>
  __device__ RunTail<Length> operator()(const RunTail<Length> &a, const RunTail<Other> &b) const {
    return {b.ends & 1 ? b.items : a.items + b.items, (a.ends & ~Length(1)) + b.ends | a.ends & 1};
  }
};

template <> constexpr bool has_identity<RunTailOp> = true;
template <> constexpr bool takes_any_bytes<RunTailOp> = true;

template <> struct LaneFold<RunTail<uint32_t>, RunTailOp> {
  none part;
  RunTail<uint32_t> tail;

  static __device__ LaneFold of(const RunTail<uint32_t> &tail, bool exists) {
    const uint32_t heads = __ballot_sync(full_warp, exists && tail.ends & 1);
    const uint32_t items = exists && is_from_last(heads) ? tail.items : 0, ends = exists ? tail.ends & ~1u : 0;
    return {{}, {sum_of_lanes(items), sum_of_lanes(ends) | (heads != 0)}};
  }
  static __device__ RunTailOp part_op(const RunTailOp &op) { return op; }
  __device__ RunTail<uint32_t> whole(none) const { return tail; }
};

// NonTrivial is as in run_length_tile.cuh.
template <class Policy, bool NonTrivial, class Key, class First, class Lengths, class NumRuns, class Equality>
class RunLengthPipeline : public KeyPipeline<Policy, Key, Equality> {
  using Base = KeyPipeline<Policy, Key, Equality>;
  using Base::in_, Base::lane, Base::num_items_, Base::source_;
  using typename Base::Marks;
  static constexpr uint64_t least_length = NonTrivial ? 2 : 1;
  static constexpr int batch = 4;

 public:
  using Base::emitters, Base::lane_items, Base::warp_tile_items;
  using State = RunTail<uint32_t>;
  using Prefix = RunTail<uint64_t>;
  using Op = RunTailOp;
  static constexpr int window = 4;

  struct Stage {
    typename Base::Keys keys;
  };
  // Where in a warp tile its heads are.
  struct Sorted {
    uint16_t of_warp_tile[emitters][warp_tile_items];
  };

  // Where everything comes from and goes to.
  struct Places {
    const Pointer<Key> &keys;
    const First &first;
    const Lengths &lengths;
    const NumRuns &num_runs;
    uint64_t num_items;
  };

  __device__ RunLengthPipeline(Sorted &sorted, const Places &places, const Equality &equality)
      : Base(places.keys, equality, places.num_items), sorted_(sorted), places_(places) {}

  __device__ void Prefetch(uint32_t tile) const { source_.Prefetch(tile); }
  __device__ void Load(Stage &stage, uint32_t tile, uint64_t *barrier) const {
    source_.Load(&stage.keys.items, tile, barrier);
  }

  __device__ State Reduce(Stage &stage, uint32_t tile, int warp_tile) {
    const uint32_t own = this->template find<false>(stage.keys, tile, warp_tile);
    const uint32_t heads = __ballot_sync(full_warp, own != 0);
    if (heads == 0) {
      Base::leave_marks(stage.keys, warp_tile, {0, 0});
      return {warp_tile_items, 0};
    }
    const int upto = Lanes<int>::InclusiveScan(__popc(own), plus{});
    Base::leave_marks(stage.keys, warp_tile, {own, upto - __popc(own)});
    uint32_t ends;
    if constexpr (NonTrivial)
      ends = __reduce_add_sync(full_warp, __popc(own & ~after_heads(stage, tile, warp_tile, own)));
    else ends = Lanes<int>::Broadcast(upto, warp_threads - 1) - (tile == 0 && warp_tile == 0);
    const int last = lane() * lane_items + warp_threads - 1 - __clz(own);
    return {uint32_t(warp_tile_items - Lanes<int>::Broadcast(last, warp_threads - 1 - __clz(heads))), 2 * ends + 1};
  }

  __device__ void Emit(Stage &stage, uint32_t tile, int warp_tile, const optional<Prefix> &before) {
    const Marks marks = Base::marks(stage.keys, warp_tile);
    if (!__any_sync(full_warp, marks.heads != 0)) return;
    const int count = Lanes<int>::Broadcast(marks.rank + __popc(marks.heads), warp_threads - 1);
    uint16_t *const sorted = sorted_.of_warp_tile[warp_tile];
    int place = marks.rank;
#pragma unroll
    for (int k = 0; k < lane_items; ++k)
      if (marks.heads >> k & 1) sorted[place++] = uint16_t(lane() * lane_items + k);
    __syncwarp();
    const uint64_t first = Base::first_of_tile(tile) + warp_tile * warp_tile_items;
    if constexpr (NonTrivial) store_lengths(sorted, count, first, before.value);
    else store_runs(sorted, count, first, before.value, &stage.keys.items[warp_tile * warp_tile_items]);
  }

  // The last run, if no head follows; and how many there are.
  static constexpr bool finishes = true;
  __device__ void Finish(const optional<Prefix> &total) const {
    const uint64_t length = total.value.items, start = num_items_ - length;
    uint64_t runs = total.value.ends / 2;
    if (!this->has_end() && length >= least_length) {
      if constexpr (NonTrivial) store_first(runs, start);
      else store_first(runs, in_.data[start]);
      store_length(runs++, length);
    }
    places_.num_runs.store(0, static_cast<typename NumRuns::value_type>(runs));
  }

 private:
  // Which of a lane's items follow a head, or nothing: at those no run ends that counts.
  __device__ uint32_t after_heads(Stage &stage, uint32_t tile, int warp_tile, uint32_t own) const {
    const uint32_t ends = __ballot_sync(full_warp, own >> (lane_items - 1) & 1);
    bool follows = lane() > 0 && (ends >> (lane() - 1) & 1) != 0;
    if (lane() == 0) follows = is_head_before(stage, tile, warp_tile);
    return own << 1 | uint32_t(follows);
  }

  // Of the item before the warp tile. In front of the tile there is a vector, which has one key of 16 bytes.
  __device__ bool is_head_before(Stage &stage, uint32_t tile, int warp_tile) const {
    const uint64_t first = min_of(Base::first_of_tile(tile) + warp_tile * warp_tile_items, num_items_);
    if (first == 0) return true;
    const Key *before = in_.data + first;
    if (source_.copied(tile) && (warp_tile > 0 || 2 * sizeof(Key) <= sizeof stage.keys.before))
      before = &stage.keys.items[0] + warp_tile * warp_tile_items;
    return !keys_equal<Equality, Key>(this->equality_, before[-2], before[-1]);
  }

  // Every head begins a run and ends one, but for the first of all and the place behind the input.
  __device__ void store_runs(const uint16_t *sorted, int count, uint64_t first, const Prefix &before,
                             const Key *keys) const {
    const uint64_t runs = before.ends / 2 + (first > 0), room = num_items_ - first;
    const int begin = first == 0, heads = count - (room < warp_tile_items && sorted[count - 1] == room);
#pragma unroll 1
    for (int from = 0; from < count; from += batch * warp_threads) {
      Key batch_keys[batch];
      uint64_t lengths[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = min_of(from + b * warp_threads + lane(), count - 1);
        batch_keys[b] = keys[min_of(int(sorted[i]), warp_tile_items - 1)];
        lengths[b] = length_before(sorted, i, before);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = from + b * warp_threads + lane();
        if (i < heads) store_first(runs + i, batch_keys[b]);
        if (i >= begin && i < count) store_length(runs + i - 1, lengths[b]);
      }
    }
  }

  __device__ void store_lengths(const uint16_t *sorted, int count, uint64_t first, const Prefix &before) const {
    uint64_t runs = before.ends / 2;
#pragma unroll 1
    for (int from = 0; from < count; from += batch * warp_threads) {
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = from + b * warp_threads + lane();
        const uint64_t length = i < count ? length_before(sorted, i, before) : 0;
        const uint32_t counting = __ballot_sync(full_warp, length >= least_length);
        const uint64_t run = runs + __popc(counting & ~(full_warp << lane()));
        if (length >= least_length) {
          store_first(run, first + sorted[i] - length);
          store_length(run, length);
        }
        runs += __popc(counting);
      }
    }
  }

  // Of the run that ends at a warp tile's head number i.
  static __device__ uint64_t length_before(const uint16_t *sorted, int i, const Prefix &before) {
    return i > 0 ? uint32_t(sorted[i]) - sorted[i - 1] : before.items + sorted[0];
  }

  template <class T> __device__ void store_first(uint64_t run, const T &first) const {
    places_.first.store(run, static_cast<typename First::value_type>(first));
  }
  __device__ void store_length(uint64_t run, uint64_t length) const {
    places_.lengths.store(run, static_cast<typename Lengths::value_type>(length));
  }

  Sorted &sorted_;
  const Places &places_;
};

}  // namespace jig
