// A tile of a device-wide reduce by key, from memory to memory; what a tile is to the others is said in
// single_wave.cuh.
//
// Keys become flags as they arrive, and are kept. At a head the run before it is complete. How many heads the lanes
// have in each row are small numbers, several to a word, so that one scan serves all rows. Rows without heads cost no
// more than their folds; otherwise the lanes put what a few rows complete, keys and folds, side by side in shared
// memory, from where it goes to neighbouring places at once. Long keys are read again instead, and stored by each lane.
#pragma once
#include <jig/agent/by_key/heads.cuh>
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/chain/stage.cuh>
#include <jig/core/fields.cuh>
#include <jig/core/prefetch.cuh>

namespace jig {

// HeadCount counts runs.
template <class Policy, class Accum, class HeadCount, class Keys, class Unique, class Values, class Aggregates,
          class NumRuns, class Operator, class Equality>
class ReduceByKeyTile {
  using Lanes = jig::Lanes<Accum>;
  using Key = typename Keys::value_type;
  static constexpr int vector_items = Policy::vector_items;
  static constexpr int row_items = warp_threads * vector_items, group_rows = Policy::staged_rows;
  // Whether registers have room for keys beside values; otherwise these take their places.
  static constexpr bool keeps_keys = sizeof(Key) <= 16;
  using Counts = fields<(row_items < 256 ? 8 : 16), Policy::rows>;

 public:
  using State = OpenRun<Accum, HeadCount>;
  using Op = OpenRunOp<Operator>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, items_per_row = threads * vector_items;
  static constexpr int most_cluster = Policy::cluster;
  static constexpr bool finishes = false;
  static constexpr int resident_blocks = Policy::min_blocks;  // of a multiprocessor
  static_assert(max_rows % group_rows == 0, "whole groups");

  // What a group of a warp's rows completes, in order, after a place for one that is none.
  template <class T> static constexpr int front = ceil_div(int(sizeof(T)), stage_align<T>) * stage_align<T>;
  template <class T>
  static constexpr int stage_bytes = front<T> + group_rows * row_items * int(sizeof(T)) + stage_align<T>;
  struct Completed {
    alignas(stage_align<Accum>) unsigned char folds[stage_bytes<Accum>];
    alignas(keeps_keys ? stage_align<Key> : 1) unsigned char keys[keeps_keys ? stage_bytes<Key> : 1];
  };
  struct TempStorage {
    Completed of_warp[warps];
  };

  // Where everything comes from and goes to.
  struct Places {
    const Keys &keys;
    const Unique &unique;
    const Values &values;
    const Aggregates &aggregates;
    const NumRuns &num_runs;
    uint64_t num_items;
  };

  __device__ ReduceByKeyTile(TempStorage &storage, const Places &places, Operator op, const Equality &equality,
                             uint64_t tile, int rows)
      : completed_(storage.of_warp[threadIdx.x / warp_threads]), places_(places), op_(op), equality_(equality),
        warp_tile_(places.num_items, tile, rows) {}

  __device__ State Reduce() {
    open_ = Accum{};
    if (!warp_tile_.has_vectors()) return State{};
    const bool vectorize = can_load_vectors<vector_items>(places_.values);
    if constexpr (keeps_keys) {
#pragma unroll
      for (int r = 0; r < max_rows; ++r)
        if (r < warp_tile_.rows()) load_values(r, vectorize);
    }
    Counts own{};
    heads_.Load(warp_tile_, places_.keys, equality_, [&](int r, const auto &keys, const Key &before) {
      if constexpr (keeps_keys) {
        keys_[r] = keys;
        key_before_[r] = before;
      } else {
        load_values(r, vectorize);
      }
      own.add(r, __popc(heads_.Flags(r)));
    });
    counts_ = jig::Lanes<Counts>::InclusiveScan(own, add_fields());
    totals_ = jig::Lanes<Counts>::Broadcast(counts_, warp_threads - 1);
    uint32_t heads = 0;
#pragma unroll
    for (int r = 0; r < max_rows; ++r) heads += totals_.get(r);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) counts_.word[w] -= own.word[w];
    Accum total{};
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      const uint32_t with_heads = heads_.template HeadLanes<Operator>(warp_tile_, r);
      lanes_[r] = scan_open_runs(fold(r), with_heads, op_);
      const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
      total = r == 0 || with_heads != 0 ? row : op_(total, row);
    }
    return {total, heads};
  }

  __device__ void Emit(optional<State> before) {
    Accum carry = before.value.value;
    uint64_t heads = before.value.heads;
    if (warp_tile_.has_vectors()) {
#pragma unroll
      for (int g = 0; g < max_rows; g += group_rows) {
        if (g < warp_tile_.rows()) emit_group(g, carry, heads);
      }
    }
    if (warp_tile_.ends_input()) emit_rest(open_, heads);
  }

  // The first of so many parts of another tile.
  __device__ void Prefetch(uint64_t tile, int parts) const {
    constexpr int tile_items = items_per_row * max_rows;
    const uint64_t first = tile * tile_items;
    if (first + tile_items > places_.num_items) return;
    prefetch_items(places_.keys, first, tile_items / parts);
    prefetch_items(places_.values, first, tile_items / parts);
  }

  __device__ bool in_place() const { return false; }
  __device__ bool is_whole(int warp) const { return warp_tile_.is_whole(warp); }

 private:
  // What the lane's vector comes to since its last head.
  __device__ Accum fold(int r) const {
    const uint32_t flags = heads_.Flags(r);
    Accum value = static_cast<Accum>(vectors_[r][0]);
    if (!may_see<Operator>(warp_tile_.holds(r))) return value;
#pragma unroll
    for (int k = 1; k < vector_items; ++k) {
      const Accum item = static_cast<Accum>(vectors_[r][k]);
      value = flags >> k & 1 ? item : op_(value, item);
    }
    return value;
  }

  __device__ void load_values(int r, bool vectorize) {
    vectors_[r] = load_items<vector_items>(places_.values, warp_tile_.first_to_load(r), vectorize);
  }

  // Of the group that begins with row g. `carry` and `heads` are what is open, and how many heads there
  // are, before it; and then after it.
  __device__ void emit_group(int g, Accum &carry, uint64_t &heads) {
    const int none = heads == 0;  // at the first head of all no run ends
    const uint64_t run = heads + none - 1;
    const uint32_t folds = stage_of<Accum>(completed_.folds, places_.aggregates, run, none),
                   keys = keeps_keys ? stage_of<Key>(completed_.keys, places_.unique, run, none) : 0;
    int count = 0;
#pragma unroll
    for (int r = g; r < g + group_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      const uint32_t with_heads = heads_.template HeadLanes<Operator>(warp_tile_, r);
      const Accum before = carry;
      carry = pass_row(r, carry, with_heads);
      if (totals_.get(r) == 0) continue;
      complete(r, before, with_heads, count + int(counts_.get(r)), heads, keys, folds);
      count += int(totals_.get(r));
    }
    if (count == 0) return;
    __syncwarp();
    if constexpr (keeps_keys) store_staged<Key>(keys + none * int(sizeof(Key)), count - none, places_.unique, run);
    store_staged<Accum>(folds + none * int(sizeof(Accum)), count - none, places_.aggregates, run);
    __syncwarp();
    heads += count;
  }

  // Where the first of a group is staged; behind `none` places its items are for `to`, from `run` on.
  template <class T, class To>
  static __device__ uint32_t stage_of(const unsigned char *stage, const To &to, uint64_t run, int none) {
    return ptx::shared_address(stage) + front<T> + stage_offset<T>(to, run) - none * int(sizeof(T));
  }

  // What is open after a row, given what is open before it.
  __device__ Accum pass_row(int r, const Accum &carry, uint32_t with_heads) {
    if (warp_tile_.holds_last(r)) {
      const bool is_open = (with_heads & full_warp >> (warp_threads - 1 - lane())) == 0;
      open_ = is_open ? op_(carry, lanes_[r]) : lanes_[r];
    }
    const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
    return with_heads != 0 ? row : op_(carry, row);
  }

  // Puts the runs that end in the lane's vector from `place` on; `heads` come before the group.
  __device__ void complete(int r, const Accum &carry, uint32_t with_heads, int place, uint64_t heads, uint32_t keys,
                           uint32_t folds) {
    const uint32_t flags = heads_.Flags(r);
    Accum value = open_before(carry, lanes_[r], with_heads, op_);
    if (!may_see<Operator>(warp_tile_.holds(r))) return;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) {
      const Accum item = static_cast<Accum>(vectors_[r][k]);
      if (flags >> k & 1) {
        ptx::shared_at<Accum>(folds + place * int(sizeof(Accum))) = value;
        if constexpr (keeps_keys) {
          const Key key = k == 0 ? key_before_[r] : Key(keys_[r][max_of(k - 1, 0)]);
          ptx::shared_at<Key>(keys + place * int(sizeof(Key))) = key;
        } else if (heads + place > 0) {
          store_item(places_.unique, heads + place - 1, places_.keys[warp_tile_.first_item(r) + k - 1]);
        }
        ++place;
        value = item;
      } else {
        value = op_(value, item);
      }
    }
  }

  // The items that fill no vector; and the last run, which ends with them.
  __device__ void emit_rest(Accum value, uint64_t heads) const {
    for (uint64_t i = warp_tile_.first_of_rest(places_.num_items); i < places_.num_items; ++i) {
      const Accum item = static_cast<Accum>(places_.values[i]);
      if (!is_head(places_.keys, equality_, i)) {
        value = op_(value, item);
      } else {
        if (heads > 0) store(heads - 1, places_.keys[i - 1], value);
        value = item;
        ++heads;
      }
    }
    if (heads > 0) store(heads - 1, places_.keys[places_.num_items - 1], value);
    places_.num_runs.store(0, static_cast<typename NumRuns::value_type>(heads));
  }

  __device__ void store(uint64_t run, const Key &key, const Accum &value) const {
    places_.unique.store(run, static_cast<typename Unique::value_type>(key));
    places_.aggregates.store(run, static_cast<typename Aggregates::value_type>(value));
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }

  Completed &completed_;
  const Places &places_;
  Operator op_;
  const Equality &equality_;
  WarpTile<vector_items, warps> warp_tile_;
  using RowHeads = Heads<Keys, Equality, vector_items, max_rows>;
  RowHeads heads_;
  typename RowHeads::Items keys_[keeps_keys ? max_rows : 1];
  Key key_before_[keeps_keys ? max_rows : 1];  // each vector
  Counts counts_, totals_;                     // each row's, of the lanes before; of all lanes
  typename items_of<Values, vector_items>::type vectors_[max_rows];
  Accum lanes_[max_rows];  // each row, folded up to the lane since the nearest head
  Accum open_;             // what is open after the input's last whole vector
};

}  // namespace jig
