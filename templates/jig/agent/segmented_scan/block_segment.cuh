// A block's share of a single segment, whose items its threads can hold.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// Each thread has neighbouring items, so that a warp is scanned at once, and nothing is marked; by whole vectors if the
// segment is aligned as these are. Threads meet once: when all warps know what theirs come to, they know what all blocks
// do as well.
template <int Threads, int Each, class Accum, class Item, class Out, class Op, bool Inclusive> class BlockSegment {
  using Lanes = jig::Lanes<Accum>;
  static constexpr int warps = Threads / warp_threads, warp_items = warp_threads * Each;

 public:
  static constexpr uint32_t most_items = Threads * Each;

  using TempStorage = uninitialized<Accum, warps>;

  __device__ BlockSegment(TempStorage &totals, const Pointer<Item> &in, const Out &out, Op op,
                          const optional<Accum> &initial)
      : totals_(totals), in_(in), out_(out), op_(op), initial_(initial) {}

  // Of items `begin` and so on, `count` of them. All threads are to meet before Run().
  __device__ void Begin(uint64_t begin, uint32_t count) {
    begin_ = begin;
    left_ = int(count) - first();
    if (!has_items(count)) return;
    load();
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
    store();
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }
  static __device__ int first() { return threadIdx.x * Each; }
  static __device__ bool has_items(uint32_t count) { return uniform(uint32_t(warp() * warp_items) < count); }
  __device__ bool exists(int k) const { return k < left_; }

  // From the segment's first item on.
  template <class T> __device__ Pointer<T> own(const Pointer<T> &pointer) const { return {pointer.data + begin_}; }

  __device__ void load() {
    if (exists(Each - 1) && can_load_vectors<Each>(own(in_))) {
      const auto vector = load_items<Each>(own(in_), first(), true);
#pragma unroll
      for (int k = 0; k < Each; ++k) items_[k] = static_cast<Accum>(vector[k]);
      return;
    }
#pragma unroll
    for (int k = 0; k < Each; ++k) {
      items_[k] = Accum{};
      if (exists(k)) items_[k] = static_cast<Accum>(in_[begin_ + first() + k]);
    }
  }
  __device__ void store() const {
    if constexpr (is_same<Out, Pointer<typename Out::value_type>>) {
      if (exists(Each - 1) && can_store_vectors<Each>(own(out_))) {
        store_vector<true>(own(out_), first(), items_);
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < Each; ++k) {
      if (exists(k)) out_.store(begin_ + first() + k, static_cast<typename Out::value_type>(items_[k]));
    }
  }

  TempStorage &totals_;
  const Pointer<Item> &in_;
  const Out &out_;
  Op op_;
  const optional<Accum> initial_;
  uint64_t begin_;
  int left_;  // of the segment's items, from the thread's first one on
  array<Accum, Each> items_;
  Accum below_;
};

}  // namespace jig
