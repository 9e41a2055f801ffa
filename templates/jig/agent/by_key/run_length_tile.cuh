// A tile of run-length encoding, or of finding the runs of two keys and more, from memory to memory; what
// a tile is to the others is said in single_wave.cuh.
//
// No values are scanned: a length is the difference of two heads. At a head the run before it is complete.
// The lanes put a row's heads side by side in shared memory, from where lengths go to neighbouring places
// at once. A row without heads costs nothing more.
#pragma once
#include <jig/agent/by_key/heads.cuh>
#include <jig/agent/by_key/open_run.cuh>

namespace jig {

// What a part of the input comes to: how many runs are complete in it, of those that count, and where its
// last head is, 0 if it has none.
struct RunCount {
  uint64_t runs, head;
};

struct RunCountOp {
  __device__ RunCount operator()(const RunCount &a, const RunCount &b) const {
    return {a.runs + b.runs, max_of(a.head, b.head)};
  }
};

template <> constexpr bool takes_any_bytes<RunCountOp> = true;

// NonTrivial: of the runs of two keys and more where they begin; otherwise of every run its first key.
template <class Policy, bool NonTrivial, class Keys, class First, class Lengths, class NumRuns,
          class Equality>
class RunLengthTile {
  static constexpr int vector_items = Keys::vector_items, row_items = warp_threads * vector_items;
  static constexpr uint64_t least_length = NonTrivial ? 2 : 1;

 public:
  using State = RunCount;
  using Op = RunCountOp;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, items_per_row = threads * vector_items;
  static constexpr bool finishes = false;

  // Where in a row its heads are.
  struct TempStorage {
    uint16_t of_warp[warps][row_items];
  };

  // Where everything comes from and goes to.
  struct Places {
    const Keys &keys;
    const First &first;
    const Lengths &lengths;
    const NumRuns &num_runs;
    uint64_t num_items;
  };

  __device__ RunLengthTile(TempStorage &storage, const Places &places, const Equality &equality, uint64_t tile,
                           int rows)
      : staged_(storage.of_warp[threadIdx.x / warp_threads]), places_(places), equality_(equality),
        warp_tile_(places.num_items, tile, rows) {}

  __device__ RunCount Reduce() {
    if (!warp_tile_.has_vectors()) return {0, 0};
    const uint64_t begin = warp_tile_.first_item(0);
    uint32_t complete = 0, head = 0;
    bool after_head = false;
    if (NonTrivial && lane() == 0 && warp_tile_.holds(0))
      after_head = begin == 0 || is_head(places_.keys, equality_, begin - 1);
    heads_.Load(warp_tile_, places_.keys, equality_, [&](int r) {
      const uint32_t flags = heads_.Flags(r);
      complete += __popc(flags & ~excluded(r, flags, after_head));
      if (flags != 0) head = r * row_items + lane() * vector_items + warp_threads - __clz(flags);
    });
    // Its place in the warp tile, and one; 0 if there is none.
    const uint32_t last = fold_of_lanes(head, maximum<false>{});
    const uint64_t warp_tile_begin = begin - lane() * vector_items;
    return {fold_of_lanes(complete, plus{}), last == 0 ? 0 : warp_tile_begin + last - 1};
  }

  __device__ void Emit(optional<RunCount> before) {
    RunCount so_far = before.value;
    if (warp_tile_.has_vectors()) {
      heads_.ForEachRow(warp_tile_, [&](int r, uint32_t flags) {
        if (__any_sync(full_warp, flags != 0)) emit_row(r, flags, so_far);
      });
    }
    if (warp_tile_.ends_input()) emit_rest(so_far);
  }

  __device__ bool in_place() const { return false; }
  __device__ bool is_whole(int warp) const { return warp_tile_.is_whole(warp); }

 private:
  // Those of a lane's heads at which no run ends that counts: the first item of all or, if there have to
  // be two keys, heads that follow one. `after_head` says, in the first lane, whether the item before the
  // row is a head; and then that for the next row.
  __device__ uint32_t excluded(int r, uint32_t flags, bool &after_head) const {
    if constexpr (!NonTrivial) {
      return warp_tile_.first_item(r) == 0;
    } else {
      const uint32_t ends = __ballot_sync(full_warp, flags >> (vector_items - 1) & 1);
      const uint32_t follows = lane() == 0 ? after_head : ends >> (lane() - 1) & 1;
      after_head = ends >> (warp_threads - 1);
      return flags << 1 | follows;
    }
  }

  __device__ void emit_row(int r, uint32_t flags, RunCount &so_far) {
    const int up_to_here = Lanes<int>::InclusiveScan(__popc(flags), plus{});
    const int count = Lanes<int>::Broadcast(up_to_here, warp_threads - 1);
    int place = up_to_here - __popc(flags);
    for (uint32_t left = flags; left != 0; left &= left - 1) {
      staged_[place++] = uint16_t(lane() * vector_items + __ffs(left) - 1);
    }
    __syncwarp();
    const uint64_t begin = warp_tile_.first_item(r) - lane() * vector_items;
    for (int base = 0; base < count; base += warp_threads) {
      const int i = base + lane();
      uint64_t start = so_far.head, end = start;
      if (i < count) end = begin + staged_[i];
      if (i > 0 && i < count) start = begin + staged_[i - 1];
      const uint32_t counting = __ballot_sync(full_warp, end - start >= least_length);
      if (end - start >= least_length) store(so_far.runs + __popc(counting & lanes_below()), start, end);
      so_far.runs += __popc(counting);
    }
    so_far.head = begin + staged_[count - 1];
    __syncwarp();
  }

  // The items that fill no vector; and the last run, which ends with them.
  __device__ void emit_rest(RunCount so_far) const {
    for (uint64_t i = warp_tile_.first_of_rest(places_.num_items); i < places_.num_items; ++i) {
      if (is_head(places_.keys, equality_, i)) emit_run(so_far, i);
    }
    emit_run(so_far, places_.num_items);
    places_.num_runs.store(0, static_cast<typename NumRuns::value_type>(so_far.runs));
  }

  __device__ void emit_run(RunCount &so_far, uint64_t end) const {
    if (end - so_far.head >= least_length) store(so_far.runs++, so_far.head, end);
    so_far.head = end;
  }

  __device__ void store(uint64_t run, uint64_t start, uint64_t end) const {
    using FirstValue = typename First::value_type;
    if constexpr (NonTrivial) places_.first.store(run, static_cast<FirstValue>(start));
    else places_.first.store(run, static_cast<FirstValue>(places_.keys[start]));
    places_.lengths.store(run, static_cast<typename Lengths::value_type>(end - start));
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint32_t lanes_below() { return ~(full_warp << lane()); }

  uint16_t (&staged_)[row_items];
  const Places &places_;
  const Equality &equality_;
  WarpTile<vector_items, warps> warp_tile_;
  Heads<Keys, Equality, vector_items, max_rows> heads_;
};

}  // namespace jig
