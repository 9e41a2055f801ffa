// A tile of a device-wide reduce by key, from memory to memory; what a tile is to the others is said in
// single_wave.cuh.
//
// Keys become flags as they arrive, as in scan_by_key_tile.cuh. At a head the run before it is complete.
// Rows without heads cost no more than their folds; otherwise the lanes put what a few rows complete side by
// side in shared memory, from where it goes to neighbouring places at once, with the keys read again.
#pragma once
#include <jig/agent/by_key/heads.cuh>
#include <jig/agent/by_key/open_run.cuh>
#include <jig/core/fields.cuh>

namespace jig {

template <class Policy, class Accum, class Keys, class Unique, class Values, class Aggregates,
          class NumRuns, class Operator, class Equality>
class ReduceByKeyTile {
  using Lanes = jig::Lanes<Accum>;
  using Key = typename Keys::value_type;
  static constexpr int vector_items = min_of(Keys::vector_items, Values::vector_items);
  static constexpr int row_items = warp_threads * vector_items, group_rows = Policy::staged_rows;
  static constexpr int batch = sizeof(Key) <= 16 ? 4 : 1;
  using Counts = fields<(row_items < 256 ? 8 : 16), group_rows>;

 public:
  using State = OpenRun<Accum, uint64_t>;
  using Op = OpenRunOp<Operator>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, items_per_row = threads * vector_items;
  static constexpr bool finishes = false;
  static_assert(max_rows % group_rows == 0, "whole groups");

  // What a group of a warp's rows completes, in order: the folds, and where in it the next run begins.
  struct Completed {
    uninitialized<Accum, group_rows * row_items> folds;
    uint16_t ends[group_rows * row_items];
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
    heads_.Load(warp_tile_, places_.keys, equality_, [&](int r, const auto &) {
      vectors_[r] = load_items<vector_items>(places_.values, warp_tile_.first_to_load(r), vectorize);
    });
    Accum total{};
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      const uint32_t heads = heads_.template HeadLanes<Operator>(warp_tile_, r);
      lanes_[r] = scan_open_runs(fold(r), heads, op_);
      const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
      total = r == 0 || heads != 0 ? row : op_(total, row);
    }
    return {total, fold_of_lanes(heads_.Count(), plus{})};
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

  // Of the group that begins with row g. `carry` and `heads` are what is open, and how many heads there
  // are, before it; and then after it.
  __device__ void emit_group(int g, Accum &carry, uint64_t &heads) {
    Accum before[group_rows];  // each row
    uint32_t with_heads[group_rows], any = 0;
    Counts own{};
#pragma unroll
    for (int r = g; r < g + group_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      before[r - g] = carry;
      with_heads[r - g] = heads_.template HeadLanes<Operator>(warp_tile_, r);
      own.add(r - g, __popc(heads_.Flags(r)));
      any |= with_heads[r - g];
      carry = pass_row(r, carry, with_heads[r - g]);
    }
    if (any == 0) return;
    Counts places = jig::Lanes<Counts>::InclusiveScan(own, add_fields());
    const Counts totals = jig::Lanes<Counts>::Broadcast(places, warp_threads - 1);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) places.word[w] -= own.word[w];
    int count = 0;
#pragma unroll
    for (int r = g; r < g + group_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      if (with_heads[r - g] != 0)
        complete(r, r - g, before[r - g], with_heads[r - g], count + int(places.get(r - g)));
      count += int(totals.get(r - g));
    }
    __syncwarp();
    store_completed(warp_tile_.first_item(g) - lane() * vector_items, count, heads);
    __syncwarp();
    heads += count;
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

  // Puts the runs that end in the lane's vector, of a group's row `row`, from `place` on.
  __device__ void complete(int r, int row, const Accum &carry, uint32_t with_heads, int place) {
    const uint32_t flags = heads_.Flags(r);
    Accum value = open_before(carry, lanes_[r], with_heads, op_);
    if (!may_see<Operator>(warp_tile_.holds(r))) return;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) {
      const Accum item = static_cast<Accum>(vectors_[r][k]);
      if (flags >> k & 1) {
        completed_.folds[place] = value;
        completed_.ends[place++] = uint16_t(row * row_items + lane() * vector_items + k);
        value = item;
      } else {
        value = op_(value, item);
      }
    }
  }

  // Several keys are on their way at once: what is stored might be what is loaded next, for all the compiler
  // knows.
  __device__ void store_completed(uint64_t group_begin, int count, uint64_t heads) const {
#pragma unroll 1
    for (int i = lane(); i - lane() < count; i += batch * warp_threads) {
      Key keys[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int at = i + b * warp_threads;
        if (at < count && heads + at > 0) keys[b] = places_.keys[group_begin + completed_.ends[at] - 1];
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int at = i + b * warp_threads;
        if (at < count && heads + at > 0) store(heads + at - 1, keys[b], completed_.folds[at]);
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
  Heads<Keys, Equality, vector_items, max_rows> heads_;
  typename items_of<Values, vector_items>::type vectors_[max_rows];
  Accum lanes_[max_rows];  // each row, folded up to the lane since the nearest head
  Accum open_;             // what is open after the input's last whole vector
};

}  // namespace jig
