// A tile of a device-wide scan by key, from memory to memory; what a tile is to the others is said in
// single_wave.cuh.
//
// Keys become flags as they arrive, and the values of their rows are loaded then, into the registers that
// the keys leave. A row is scanned by shuffles that do not reach beyond a lane's nearest head.
#pragma once
#include <jig/agent/by_key/heads.cuh>
#include <jig/agent/by_key/open_run.cuh>

namespace jig {

// The initial value, if there is one, is folded into the item at every head. The result of an exclusive
// scan there is that value, or else what scan_start() says.
template <class Policy, class Accum, class Keys, class In, class Out, class Init, class Operator,
          class Equality, bool Inclusive>
class ScanByKeyTile {
  using Lanes = jig::Lanes<Accum>;
  static constexpr int vector_items = Policy::vector_items;
  // Whether registers have room for the values beside the keys; otherwise they take their places.
  static constexpr int item_bytes = int(sizeof(typename Keys::value_type) + sizeof(typename In::value_type));
  static constexpr bool loads_together = Policy::rows * vector_items * item_bytes <= 160;
  static constexpr bool has_init = !is_same<Init, none>;
  // Whether an initial value is folded in.
  static constexpr bool folds_initial = has_init || (!Inclusive && scan_start_counts<Operator, Accum>);

 public:
  using State = OpenRun<Accum, bool>;
  using Op = OpenRunOp<Operator>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, items_per_row = threads * vector_items;
  static constexpr int most_cluster = Policy::cluster;
  static constexpr bool finishes = false;

  __device__ ScanByKeyTile(const Keys &keys, const In &in, const Out &out, const Init &init, Operator op,
                           const Equality &equality, uint64_t num_items, uint64_t tile, int rows)
      : keys_(keys), in_(in), out_(out), op_(op), equality_(equality), num_items_(num_items),
        warp_tile_(num_items, tile, rows) {
    if constexpr (has_init) initial_ = static_cast<Accum>(init[0]);
    else if constexpr (!Inclusive) initial_ = scan_start<Operator, Accum>();
  }

  __device__ State Reduce() {
    State total{};
    if (!warp_tile_.has_vectors()) return total;
    const bool vectorize = can_load_vectors<vector_items>(in_);
    if constexpr (loads_together) {
#pragma unroll
      for (int r = 0; r < max_rows; ++r)
        if (r < warp_tile_.rows()) load(r, vectorize);
    }
    heads_.Load(warp_tile_, keys_, equality_, [&](int r, const auto &, const auto &) {
      if constexpr (!loads_together) load(r, vectorize);
    });
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      const uint32_t heads = heads_.template HeadLanes<Operator>(warp_tile_, r);
      lanes_[r] = scan_open_runs(fold(r), heads, op_);
      const State row = {Lanes::Broadcast(lanes_[r], warp_threads - 1), heads != 0};
      total = r == 0 ? row : Op{op_}(total, row);
    }
    return total;
  }

  __device__ void Emit(optional<State> before) {
    open_ = before.value.value;
    const bool vectorize = can_store_vectors<vector_items>(out_);
    Accum carry = before.value.value;
    if (warp_tile_.has_vectors()) {
#pragma unroll
      for (int r = 0; r < max_rows; ++r) {
        if (r < warp_tile_.rows()) store_row(r, carry, vectorize);
      }
    }
    if (vector_items > 1 && warp_tile_.ends_input()) store_rest();
  }

  // A row's items are all loaded before the warp stores it, and no other warp stores them.
  __device__ bool in_place() const { return false; }
  __device__ bool is_whole(int warp) const { return warp_tile_.is_whole(warp); }

 private:
  __device__ Accum seeded(const Accum &item) const {
    if constexpr (folds_initial) return op_(initial_, item);
    else return item;
  }

  __device__ void load(int r, bool vectorize) {
    vectors_[r] = load_items<vector_items>(in_, warp_tile_.first_to_load(r), vectorize);
  }

  // What the lane's vector comes to since its last head.
  __device__ Accum fold(int r) const {
    Accum value = static_cast<Accum>(vectors_[r][0]);
    if (!may_see<Operator>(warp_tile_.holds(r))) return value;
    if (heads_.Flags(r) & 1) value = seeded(value);
#pragma unroll
    for (int k = 1; k < vector_items; ++k) {
      const Accum item = static_cast<Accum>(vectors_[r][k]);
      value = heads_.Flags(r) >> k & 1 ? seeded(item) : op_(value, item);
    }
    return value;
  }

  // The result at an item; `value`, what is open before it, becomes what is open after it.
  __device__ Accum next(Accum &value, const Accum &item, bool head) const {
    const Accum before = value;
    value = head ? seeded(item) : op_(value, item);
    if constexpr (Inclusive) return value;
    else return head ? initial_ : before;
  }

  // `carry` is what is open before the row, and then after it.
  __device__ void store_row(int r, Accum &carry, bool vectorize) {
    const uint32_t heads = heads_.template HeadLanes<Operator>(warp_tile_, r);
    const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
    Accum value = open_before(carry, lanes_[r], heads, op_);
    carry = heads != 0 ? row : op_(carry, row);
    if (!warp_tile_.holds(r)) return;
    array<Accum, vector_items> scanned;
#pragma unroll
    for (int k = 0; k < vector_items; ++k)
      scanned[k] = next(value, static_cast<Accum>(vectors_[r][k]), heads_.Flags(r) >> k & 1);
    const uint64_t first = warp_tile_.first_item(r);
    if (vectorize) store_vector<true>(out_, first, scanned);
    else store_vector<false>(out_, first, scanned);
    if (vector_items > 1 && warp_tile_.holds_last(r)) open_ = value;
  }

  // The items that fill no vector.
  __device__ void store_rest() const {
    Accum value = open_;
    for (uint64_t i = warp_tile_.first_of_rest(num_items_); i < num_items_; ++i) {
      const bool head = is_head(keys_, equality_, i);
      out_.store(i, static_cast<typename Out::value_type>(next(value, static_cast<Accum>(in_[i]), head)));
    }
  }

  const Keys &keys_;
  const In &in_;
  const Out &out_;
  Operator op_;
  const Equality &equality_;
  uint64_t num_items_;
  WarpTile<vector_items, warps> warp_tile_;
  Accum initial_;
  Heads<Keys, Equality, vector_items, max_rows> heads_;
  typename items_of<In, vector_items>::type vectors_[max_rows];
  Accum lanes_[max_rows];  // each row, folded up to the lane since the nearest head
  Accum open_;             // what is open after the input's last whole vector
};

}  // namespace jig
