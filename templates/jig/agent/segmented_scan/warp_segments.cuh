// A share of few short segments that adjoin, which warps have by themselves.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// Rows of a warp's items, in each of which a lane has neighbours.
template <int Rows, int Each> struct LaneRows {
  static constexpr int rows = Rows, each = Each, row_items = warp_threads * each, items = rows * row_items;
};

// A block's share of up to 32 segments that adjoin, if all of them are short: each warp has every so many-th, the items
// of which go straight to its lanes, so that warps have nothing to tell each other.
template <int Threads, class Shape, class Accum, class In, class Out, class Op, bool Inclusive> class WarpSegments {
  using Lanes = jig::Lanes<Accum>;
  static constexpr int warps = Threads / warp_threads, each = Shape::each;
  // Whether what the lanes up to each come to is the result, but for what comes before the row.
  static constexpr bool is_result = Inclusive && each == 1;

 public:
  // A warp is slower with more turns than the block is together.
  static constexpr uint32_t most_items = Shape::items * 8 / 5;

  __device__ WarpSegments(const In &in, const Out &out, Op op, const optional<Accum> &initial)
      : in_(in), out_(out), op_(op), initial_(initial) {}

  // Each lane knows one of `count` segments; what the others know is of no items. Those of the warp's first one are on
  // their way then.
  __device__ void Begin(uint32_t count, uint64_t begin, uint32_t length) {
    count_ = count;
    begins_ = begin;
    lengths_ = length;
    take(warp());
    load();
  }

  __device__ void Run() {
    uint32_t mine = warp();
    optional<Accum> before = initial_;
    if (!uniform(mine < count_)) return;
#pragma unroll 1
    while (true) {
      if (uniform(left_ <= Shape::row_items)) scan<1>(before);
      else scan<Shape::rows>(before);
      begin_ += Shape::items;
      left_ -= Shape::items;
      if (uniform(left_ <= 0)) {
        mine += warps;
        if (!uniform(mine < count_)) return;
        take(mine);
        before = initial_;
      }
      load();
    }
  }

 private:
  static __device__ int warp() { return threadIdx.x / warp_threads; }
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int place(int row, int k) { return row * Shape::row_items + lane() * each + k; }
  __device__ bool exists(int row, int k) const { return place(row, k) < left_; }

  __device__ void take(uint32_t i) {
    begin_ = jig::Lanes<uint64_t>::Broadcast(begins_, int(i));
    left_ = int(jig::Lanes<uint32_t>::Broadcast(lengths_, int(i)));
  }
  __device__ void load() {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int k = 0; k < each; ++k) {
        if (exists(r, k)) items_[r][k] = static_cast<Accum>(in_[begin_ + place(r, k)]);
      }
    }
  }

  // As many of the items that are left as fit. `before` is what comes before them, and then what comes before the next
  // ones.
  template <int Rows> __device__ void scan(optional<Accum> &before) {
    Accum below[Rows], total[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int k = 1; k < each; ++k) {
        if (may_see<Op>(exists(r, k))) items_[r][k] = op_(items_[r][k - 1], items_[r][k]);
      }
      const Accum folded = Lanes::ScanHeld(items_[r][each - 1], op_, exists(r, each - 1));
      total[r] = Lanes::Broadcast(folded, warp_threads - 1);
      if constexpr (is_result) items_[r][0] = folded;
      else below[r] = Lanes::Previous(folded);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      optional<Accum> carry = before;
      if (!is_result && lane() > 0 && may_see<Op>(exists(r, 0))) carry = join(carry, below[r], op_);
#pragma unroll
      for (int k = each - 1; k >= 0; --k) {
        if constexpr (Inclusive) {
          if (carry.exists && may_see<Op>(exists(r, k))) items_[r][k] = op_(carry.value, items_[r][k]);
        } else if (k == 0) {
          items_[r][k] = carry.value;
        } else if (may_see<Op>(exists(r, k))) {
          items_[r][k] = op_(carry.value, items_[r][k - 1]);
        }
        if (exists(r, k)) out_.store(begin_ + place(r, k), static_cast<typename Out::value_type>(items_[r][k]));
      }
      if (may_see<Op>((r + 1) * Shape::row_items <= left_)) before = join(before, total[r], op_);
    }
  }

  const In &in_;
  const Out &out_;
  Op op_;
  const optional<Accum> initial_;
  uint32_t count_, lengths_;
  uint64_t begins_, begin_;
  int left_;  // of the segment's items, some of which are held
  Accum items_[Shape::rows][each];
};

}  // namespace jig
