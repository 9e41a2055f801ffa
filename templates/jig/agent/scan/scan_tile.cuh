// A tile of a device-wide scan, from memory to memory, for a block that learns from others what comes
// before (single_wave.cuh, lookback.cuh).
//
// A warp takes a warp tile, a contiguous part of the tile (warp_tile.cuh), and scans its rows by shuffles. What lanes
// past the input's last whole vector hold is not folded with anything, or affects only what comes after, where nothing
// is. The few items that fill no vector are taken one by one by the lane whose vector they would have been.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/chain/warp_tile.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/thread/reduce.cuh>
#include <jig/thread/scan.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Out, class Operator, bool Inclusive>
class ScanTile {
  using Lanes = jig::Lanes<Accum>;

 public:
  using State = Accum;
  using Op = Operator;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, vector_items = Policy::vector_items;
  static constexpr int items_per_row = threads * vector_items;
  static constexpr int most_cluster = Policy::cluster;
  static constexpr bool finishes = false;
  using Vector = typename items_of<In, vector_items>::type;

  // The block's tile number `tile`, of `rows` rows for each warp; at most max_rows.
  __device__ ScanTile(const In &in, const Out &out, uint64_t num_items, uint64_t tile, int rows, Op op)
      : in_(in), out_(out), op_(op), num_items_(num_items), warp_tile_(num_items, tile, rows) {}

  // Loads the tile; what this thread's warp makes of its warp tile, in every lane.
  __device__ Accum Reduce() {
    Accum total{};
    if (!warp_tile_.has_vectors()) return total;
    if (can_load_vectors<vector_items>(in_)) load<true>();
    else load<false>();
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= warp_tile_.rows()) break;
      lanes_[r] = Lanes::ScanHeld(thread_reduce<Accum>(vectors_[r], op_), op_, warp_tile_.holds(r));
      const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
      total = r == 0 || !may_see<Op>(warp_tile_.is_whole_row(r)) ? row : op_(total, row);
    }
    return total;
  }

  // Stores the scanned tile, given what comes before the warp tile.
  __device__ void Emit(optional<Accum> carry) {
    const bool vectorize = can_store_vectors<vector_items>(out_);
    rest_ = {carry, warp_tile_.first_item(0)};
    if (warp_tile_.has_vectors()) {
      store_row<false>(0, carry, vectorize);
#pragma unroll
      for (int r = 1; r < max_rows; ++r) {
        if (r < warp_tile_.rows()) store_row<true>(r, carry, vectorize);
      }
    }
    if (vector_items > 1) store_rest();
  }

  // A row's items are all loaded before the warp stores it, and no other warp stores them.
  __device__ bool in_place() const { return false; }
  __device__ bool is_whole(int warp) const { return warp_tile_.is_whole(warp); }

 private:
  template <bool Vectorize> __device__ void load() {
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r < warp_tile_.rows()) vectors_[r] = load_items<vector_items>(in_, warp_tile_.first_to_load(r), Vectorize);
    }
  }

  // There is something before every row but the first one.
  template <bool HasCarry>
  __device__ void store_row(int r, optional<Accum> &carry, bool vectorize) {
    const Accum lanes_before = Lanes::Previous(lanes_[r]);
    if (HasCarry) carry.exists = true;
    const bool joins = may_see<Op>(warp_tile_.holds(r) || warp_tile_.follows_last(r));
    const optional<Accum> before = threadIdx.x % warp_threads == 0 || !joins ? carry : join(carry, lanes_before, op_);
    const uint64_t first = warp_tile_.first_item(r);
    if (warp_tile_.holds(r)) {
      const array<Accum, vector_items> scanned = scan_vector<HasCarry || !Inclusive>(vectors_[r], before);
      if (vectorize) store_vector<true>(out_, first, scanned);
      else store_vector<false>(out_, first, scanned);
    } else if (warp_tile_.follows_last(r)) {
      rest_ = {before, first};
    }
    const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
    if (may_see<Op>(warp_tile_.is_whole_row(r))) carry = join(carry, row, op_);
  }

  template <bool HasBefore>
  __device__ array<Accum, vector_items> scan_vector(const Vector &vector, optional<Accum> before) {
    array<Accum, vector_items> items;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) items[k] = static_cast<Accum>(vector[k]);
    if constexpr (!Inclusive) return thread_exclusive_scan(items, op_, before.value);
    else return thread_inclusive_scan(items, op_, before.value, HasBefore || before.exists);
  }

  // The items past the last whole vector, by the lane whose vector they would have been.
  __device__ void store_rest() {
    const uint64_t first = warp_tile_.first_of_rest(num_items_);
    if (rest_.first != first) return;
#pragma unroll 1
    for (uint64_t i = first; i < num_items_; ++i) {
      const Accum value = rest_.before.value;
      rest_.before = join(rest_.before, static_cast<Accum>(in_[i]), op_);
      out_.store(i, static_cast<typename Out::value_type>(Inclusive ? rest_.before.value : value));
    }
  }

  const In &in_;
  const Out &out_;
  Op op_;
  uint64_t num_items_;
  WarpTile<vector_items, warps> warp_tile_;
  struct {
    optional<Accum> before;
    uint64_t first;
  } rest_;  // of the lane's vectors the one that the input's last items do not fill
  Vector vectors_[max_rows];
  Accum lanes_[max_rows];  // each row, folded up to the lane
};

}  // namespace jig
