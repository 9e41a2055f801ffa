// What the pipelines (pipeline.cuh) of the algorithms by key have in common: tiles of keys, and which of them are
// heads (heads.cuh).
//
// A warp takes a warp tile, a contiguous part of the tile, and each lane a contiguous part of that, so that one scan
// over the lanes serves the whole warp tile. The parts are as long as an odd number of vectors, or of items: then
// lanes that read side by side do not meet in a bank of shared memory.
//
// Of a tile that is not copied in bulk (pipeline_source.cuh) each warp fetches its own warp tile; what is past the
// input's end is its last item once more. The place right behind the input is a head: so its last run ends
// as any other does, unless that place is in no tile. Where values are folded all other places behind it are
// heads, too, so that no operator is called with what is there.
#pragma once
#include <jig/agent/by_key/heads.cuh>
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/chain/pipeline_source.cuh>

namespace jig {

template <class Policy, class Key, class Equality> class KeyPipeline {
 public:
  static constexpr int stages = Policy::stages, reducers = Policy::reducers;
  static constexpr int emitters = Policy::threads / warp_threads - 3 - reducers;
  static constexpr int lane_items = Policy::vector_items, warp_tile_items = warp_threads * lane_items;
  static constexpr int tile_items = emitters * warp_tile_items;
  static_assert(warp_tile_items < 1 << 10 && lane_items + 10 <= 32, "marks fit a word");

  // The vector in front of the keys has the one before them.
  struct alignas(128) Keys {
    alignas(16) unsigned char before[16];
    uninitialized<Key, tile_items> items;
    uint32_t marks[emitters * warp_threads];
    uninitialized<Key, emitters> before_warp_tile;
  };

  __device__ KeyPipeline(const Pointer<Key> &in, const Equality &equality, uint64_t num_items)
      : in_(in), equality_(equality), num_items_(num_items), source_(in, num_items) {}

  __device__ uint32_t num_tiles() const { return source_.num_tiles(); }
  __device__ bool in_place() const { return false; }
  // What follows a warp tile is folded with nothing, as it begins with a head.
  static __device__ bool is_whole(uint32_t, int) { return true; }

 protected:
  template <class T> using LaneItems = packed_vector<T, lane_items>;

  // Which of a lane's items are heads, a bit each, and how many heads the lanes below have.
  struct Marks {
    uint32_t heads;
    int rank;
  };
  static __device__ Marks marks(Keys &keys, int warp_tile) {
    const uint32_t word = keys.marks[warp_tile * warp_threads + lane()];
    return {word & (1u << lane_items) - 1, int(word >> lane_items)};
  }
  static __device__ void leave_marks(Keys &keys, int warp_tile, const Marks &marks) {
    keys.marks[warp_tile * warp_threads + lane()] = marks.heads | uint32_t(marks.rank) << lane_items;
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint64_t first_of_tile(uint32_t tile) { return uint64_t(tile) * tile_items; }
  // The lane's first item in the tile.
  static __device__ int first_of_lane(int warp_tile) { return warp_tile * warp_tile_items + lane() * lane_items; }

  // Of items whose warp tiles lie side by side in a stage, or so many items apart.
  template <int Apart = warp_tile_items, class T, int Items>
  static __device__ LaneItems<T> load_lane(uninitialized<T, Items> &items, int warp_tile) {
    return load_items<lane_items>(Pointer<T>{&items[0]}, warp_tile * Apart + lane() * lane_items, true);
  }

  static __device__ Key key_before_lane(Keys &keys, int warp_tile) {
    return *(&keys.items[0] + (first_of_lane(warp_tile) - 1));
  }

  // By the warp tile's reducer, of a tile that is not copied.
  template <int Apart = warp_tile_items, class T, int Items>
  __device__ void fetch(uninitialized<T, Items> &items, const Pointer<T> &in, uint32_t tile, int warp_tile) const {
    const uint64_t first = first_of_tile(tile) + warp_tile * warp_tile_items;
#pragma unroll 4
    for (int i = lane(); i < warp_tile_items; i += warp_threads)
      items[warp_tile * Apart + i] = in.data[min_of(first + i, num_items_ - 1)];
    __syncwarp();
  }

  // How many of the lane's items are of the input.
  __device__ int items_left(uint32_t tile, int warp_tile) const {
    const uint64_t first = first_of_tile(tile) + first_of_lane(warp_tile);
    return first < num_items_ ? int(min_of(num_items_ - first, uint64_t(lane_items))) : 0;
  }

  // The lane's heads, for the warp tile's reducer, which has the key before the warp tile kept for its emitter; and
  // either the place right behind the input or all that are behind it.
  template <bool AllBehind> __device__ uint32_t find(Keys &keys, uint32_t tile, int warp_tile) const {
    if (!source_.copied(tile)) fetch(keys.items, in_, tile, warp_tile);
    const LaneItems<Key> own = load_lane(keys.items, warp_tile);
    const uint64_t first = first_of_tile(tile) + first_of_lane(warp_tile);
    const bool is_first = tile == 0 && warp_tile == 0 && lane() == 0;
    Key before = own[0];
    if (lane() > 0 || (source_.copied(tile) && !is_first)) before = key_before_lane(keys, warp_tile);
    else if (!is_first) before = in_.data[min_of(first, num_items_) - 1];  // others fetch the one in the stage
    if (lane() == 0) keys.before_warp_tile[warp_tile] = before;
    const bool is_cut = first_of_tile(tile) + tile_items > num_items_;
    if (!takes_any_keys<Equality, Key> && is_cut)
      return find_in_cut<AllBehind>(keys, tile, warp_tile, before, !is_first);
    uint32_t heads = find_heads(equality_, own, before, !is_first);
    if (is_cut) {
      const int left = items_left(tile, warp_tile);
      heads = heads & ((1u << left) - 1) | behind<AllBehind>(first, left);
    }
    return heads;
  }

  // The same in a tile that the input does not fill, of keys that may not be compared with what is behind it.
  template <bool AllBehind>
  __device__ uint32_t find_in_cut(Keys &keys, uint32_t tile, int warp_tile, Key before, bool has_before) const {
    const int at = first_of_lane(warp_tile), left = items_left(tile, warp_tile);
    uint32_t heads = behind<AllBehind>(first_of_tile(tile) + at, left);
#pragma unroll 1
    for (int k = 0; k < left; ++k) {
      const Key key = keys.items[at + k];
      if ((k == 0 && !has_before) || !keys_equal(equality_, before, key)) heads |= 1u << k;
      before = key;
    }
    return heads;
  }

  // Those of a lane's places, of which `left` are of the input, that are behind it.
  template <bool All> __device__ uint32_t behind(uint64_t first, int left) const {
    const uint32_t places = (1u << lane_items) - (1u << left);
    if (All) return places;
    return first + left == num_items_ ? places & 1u << left : 0;
  }

  // Whether the input's last run ends at a head; otherwise it does with the last tile.
  __device__ bool has_end() const { return num_items_ % tile_items != 0; }

  const Pointer<Key> &in_;
  const Equality &equality_;
  uint64_t num_items_;
  PipelineSource<Key, tile_items, true> source_;
};

// With a value for each key. Reducers leave what the lanes before each have come to since their last head.
//
// Emitters put results, of type Result, where their warp tile's values were. Where a result is larger than a value
// the warp tiles lie that much further apart, and are copied one by one.
template <class Policy, class Accum, class Key, class Value, class Result, class Equality>
class KeyValuePipeline : public KeyPipeline<Policy, Key, Equality> {
  using Base = KeyPipeline<Policy, Key, Equality>;
  static constexpr int widening = ceil_div(int(sizeof(Result)), int(sizeof(Value)));
  static constexpr int values_apart = Base::warp_tile_items * widening;
  static_assert(alignof(Result) <= 16, "results fit where values were");

 public:
  struct Stage {
    typename Base::Keys keys;
    alignas(128) uninitialized<Value, Base::tile_items * widening> values;
    uninitialized<Accum, Base::emitters * warp_threads> lanes_before;
  };

  __device__ KeyValuePipeline(const Pointer<Key> &keys, const Pointer<Value> &values, const Equality &equality,
                              uint64_t num_items)
      : Base(keys, equality, num_items), values_(values), value_source_(values, num_items) {}

  __device__ void Prefetch(uint32_t tile) const {
    this->source_.Prefetch(tile);
    value_source_.Prefetch(tile);
  }
  __device__ void Load(Stage &stage, uint32_t tile, uint64_t *barrier) const {
    ptx::mbarrier_arrive_expect(barrier, this->source_.bytes(tile) + value_source_.bytes(tile));
    this->source_.Copy(&stage.keys.items, tile, barrier);
    value_source_.Copy(&stage.values, tile, barrier, values_apart * sizeof(Value));
  }

 protected:
  using typename Base::Marks;
  using Values = packed_vector<Value, Base::lane_items>;

  // The lane's, for the warp tile's reducer, and for its emitter.
  __device__ Values values(Stage &stage, uint32_t tile, int warp_tile) const {
    if (!value_source_.copied(tile)) this->template fetch<values_apart>(stage.values, values_, tile, warp_tile);
    return staged_values(stage, warp_tile);
  }
  static __device__ Values staged_values(Stage &stage, int warp_tile) {
    return Base::template load_lane<values_apart>(stage.values, warp_tile);
  }

  // Where the warp tile's values are, for results.
  static __device__ Result *staged_results(Stage &stage, int warp_tile) {
    return reinterpret_cast<Result *>(&stage.values[warp_tile * values_apart]);
  }

  // Of a warp tile's heads, `count` of them, those at which a run ends.
  __device__ int count_ends(int count, uint32_t tile, int warp_tile) const {
    const uint64_t end = Base::first_of_tile(tile) + (warp_tile + 1) * Base::warp_tile_items,
                   last = this->num_items_ + 1;
    return end > last ? count - int(min_of(end - last, uint64_t(Base::warp_tile_items))) : count;
  }

  // How many heads a tile has, beside an Accum; so wide that both leave no gap.
  using Count = conditional<(sizeof(Accum) > sizeof(uint32_t)), uint64_t, uint32_t>;

  static __device__ Accum &lanes_before(Stage &stage, int warp_tile) {
    return stage.lanes_before[warp_tile * warp_threads + Base::lane()];
  }

  // What is open before a lane's items, given what is open before the warp tile, for its emitter.
  template <class Op>
  static __device__ Accum open_before_lane(Stage &stage, int warp_tile, const Marks &marks, const Accum &carry, Op op) {
    const Accum lanes = lanes_before(stage, warp_tile);
    if (Base::lane() == 0) return carry;
    return marks.rank > 0 ? lanes : op(carry, lanes);
  }

  const Pointer<Value> &values_;
  PipelineSource<Value, Base::tile_items, false, (widening > 1 ? Base::emitters : 1)> value_source_;
};

}  // namespace jig
