// A block's share of a single segment, whose items its threads can hold.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// Each thread has neighbouring items, so that a warp is scanned at once, and nothing is marked. Threads meet once: when
// all warps know what theirs come to, they know what all blocks do as well.
template <int Threads, int Each, class Accum, class In, class Out, class Op, bool Inclusive> class BlockSegment {
  using Lanes = jig::Lanes<Accum>;
  static constexpr int warps = Threads / warp_threads, warp_items = warp_threads * Each;

 public:
  static constexpr uint32_t most_items = Threads * Each;

  using TempStorage = uninitialized<Accum, warps>;

  __device__ BlockSegment(TempStorage &totals, const In &in, const Out &out, Op op, const optional<Accum> &initial)
      : totals_(totals), in_(in), out_(out), op_(op), initial_(initial) {}

  // Then all threads are to meet.
  __device__ void Begin(uint64_t begin, uint32_t count) {
    first_ = begin + threadIdx.x * Each;
    left_ = int(count) - int(threadIdx.x * Each);
    if (!has_items(count)) return;
#pragma unroll
    for (int k = 0; k < Each; ++k) {
      if (exists(k)) items_[k] = static_cast<Accum>(in_[first_ + k]);
    }
#pragma unroll
    for (int k = 1; k < Each; ++k) {
      if (may_see<Op>(exists(k))) items_[k] = op_(items_[k - 1], items_[k]);
    }
    const Accum folded = Lanes::ScanHeld(items_[Each - 1], op_, exists(Each - 1));
    below_ = Lanes::Previous(folded);
    if (lane() == warp_threads - 1) totals_[warp()] = folded;
  }

  __device__ void Run(uint32_t count) {
    if (!has_items(count)) return;
    optional<Accum> carry = initial_;
    if (warp() > 0) {
      const Accum folded = Lanes::ScanHeld(totals_[min_of(lane(), warp() - 1)], op_, lane() < warp());
      carry = join(carry, Lanes::Broadcast(folded, warp() - 1), op_);
    }
    if (lane() > 0 && may_see<Op>(exists(0))) carry = join(carry, below_, op_);
#pragma unroll
    for (int k = Each - 1; k >= 0; --k) {
      if constexpr (Inclusive) {
        if (carry.exists && may_see<Op>(exists(k))) items_[k] = op_(carry.value, items_[k]);
      } else if (k == 0) {
        items_[k] = carry.value;
      } else if (may_see<Op>(exists(k))) {
        items_[k] = op_(carry.value, items_[k - 1]);
      }
    }
#pragma unroll
    for (int k = 0; k < Each; ++k) {
      if (exists(k)) out_.store(first_ + k, static_cast<typename Out::value_type>(items_[k]));
    }
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }
  static __device__ bool has_items(uint32_t count) { return uniform(uint32_t(warp() * warp_items) < count); }
  __device__ bool exists(int k) const { return k < left_; }

  TempStorage &totals_;
  const In &in_;
  const Out &out_;
  Op op_;
  const optional<Accum> initial_;
  uint64_t first_;
  int left_;  // of the segment's items, from the thread's first one on
  Accum items_[Each], below_;
};

}  // namespace jig
