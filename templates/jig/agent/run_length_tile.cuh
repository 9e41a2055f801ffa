// A tile of run-length encoding, or of finding the runs of two keys and more, from memory to memory; what
// a tile is to the others is said in wave.cuh.
//
// No values are scanned: a length is the difference of two heads. At a head the run before it is complete.
// The lanes put a few rows' heads side by side in shared memory, from where lengths go to neighbouring places
// at once. Rows without heads cost nothing more.
#pragma once
#include <jig/agent/heads.cuh>
#include <jig/agent/open_run.cuh>
#include <jig/core/fields.cuh>
#include <jig/core/policy.cuh>

namespace jig {

// What a piece of the input comes to: how many runs are complete in it, of those that count, and where its
// last head is, 0 if it has none.
struct RunCount {
  uint64_t runs, head;
};

struct RunCountOp {
  __device__ RunCount operator()(const RunCount &a, const RunCount &b) const {
    return {a.runs + b.runs, max_of(a.head, b.head)};
  }
};

// NonTrivial: of the runs of two keys and more where they begin; otherwise of every run its first key.
template <class Policy, bool NonTrivial, class Keys, class First, class Lengths, class NumRuns,
          class Equality>
class RunLengthTile {
  using Key = typename Keys::value_type;
  static constexpr int run_items = Keys::run_items, row_items = warp_threads * run_items;
  static constexpr int group_rows = Policy::staged_rows, batch = sizeof(Key) <= 8 ? 4 : 1;
  using Counts = fields<(row_items < 256 ? 8 : 16), group_rows>;
  static constexpr uint32_t mask = full_warp >> (32 - run_items);  // of a row's flags
  static constexpr uint64_t least_length = NonTrivial ? 2 : 1;

 public:
  using State = RunCount;
  using Op = RunCountOp;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows;
  static_assert(max_rows % group_rows == 0, "whole groups");

  // Where in a group of rows its heads are.
  struct TempStorage {
    uint16_t of_warp[warps][group_rows * row_items];
  };

  // Where everything comes from and goes to.
  struct Places {
    const Keys &keys;
    const First &first;
    const Lengths &lengths;
    const NumRuns &num_runs;
    uint64_t num_items;
  };

  __device__ RunLengthTile(TempStorage &storage, const Places &places, const Equality &equality,
                           uint64_t tile, int rows)
      : staged_(storage.of_warp[threadIdx.x / warp_threads]), places_(places), equality_(equality),
        piece_(places.num_items, tile, rows) {}

  __device__ RunCount Reduce() {
    if (!piece_.has_runs()) return {0, 0};
    const uint64_t begin = piece_.first_item(0);
    uint32_t complete = 0, head = 0;
    bool after_head = false;
    if (NonTrivial && lane() == 0 && piece_.holds(0))
      after_head = begin == 0 || is_head(places_.keys, equality_, begin - 1);
    heads_.Load(piece_, places_.keys, equality_, [&](int r) {
      const uint32_t flags = heads_.Flags(r);
      complete += __popc(flags & ~excluded(r, flags, after_head));
      if (flags != 0) head = r * row_items + lane() * run_items + warp_threads - __clz(flags);
    });
    // Its place in the warp's piece, and one; 0 if there is none.
    const uint32_t last = fold_of_lanes(head, maximum<false>{});
    const uint64_t piece_begin = begin - lane() * run_items;
    return {fold_of_lanes(complete, plus{}), last == 0 ? 0 : piece_begin + last - 1};
  }

  __device__ void Emit(maybe<RunCount> before) {
    RunCount so_far = before.value;
    if (piece_.has_runs()) {
      heads_.template ForEachGroup<group_rows>(piece_, [&](int r, uint32_t flags) {
        if (__any_sync(full_warp, flags != 0)) emit_group(r, flags, so_far);
      });
    }
    if (piece_.ends_input()) emit_rest(so_far);
  }

  __device__ bool in_place() const { return false; }
  __device__ void Finish(const maybe<RunCount> &) const {}

 private:
  // Those of a lane's heads at which no run ends that counts: the first item of all or, if there have to
  // be two keys, heads that follow one. `after_head` says, in the first lane, whether the item before the
  // row is a head; and then that for the next row.
  __device__ uint32_t excluded(int r, uint32_t flags, bool &after_head) const {
    if constexpr (!NonTrivial) {
      return piece_.first_item(r) == 0;
    } else {
      const uint32_t ends = __ballot_sync(full_warp, flags >> (run_items - 1) & 1);
      const uint32_t follows = lane() == 0 ? after_head : ends >> (lane() - 1) & 1;
      after_head = ends >> (warp_threads - 1);
      return flags << 1 | follows;
    }
  }

  // Of the group that begins with row r.
  __device__ void emit_group(int r, uint32_t flags, RunCount &so_far) {
    const uint64_t begin = piece_.first_item(r) - lane() * run_items;
    const int count = stage_heads(flags);
    __syncwarp();
    uint64_t before = so_far.head;  // the first lane's next head
#pragma unroll 1
    for (int i = lane(); i - lane() < count; i += batch * warp_threads)
      store_runs(begin, i, count, before, so_far.runs);
    so_far.head = begin + staged_[count - 1];
    __syncwarp();
  }

  // Puts a group's heads in order; how many they are.
  __device__ int stage_heads(uint32_t flags) {
    Counts own{};
#pragma unroll
    for (int r = 0; r < group_rows; ++r) own.add(r, __popc(flags >> r * run_items & mask));
    Counts places = Lanes<Counts>::InclusiveScan(own, add_fields());
    const Counts totals = Lanes<Counts>::Broadcast(places, warp_threads - 1);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) places.word[w] -= own.word[w];
    int count = 0;
#pragma unroll
    for (int r = 0; r < group_rows; ++r) {
      int place = count + int(places.get(r));
#pragma unroll
      for (int k = 0; k < run_items; ++k) {
        if (flags >> (r * run_items + k) & 1)
          staged_[place++] = uint16_t(r * row_items + lane() * run_items + k);
      }
      count += int(totals.get(r));
    }
    return count;
  }

  // Stores the runs that end at the heads i, i + 32, ... of a group, a batch of them, so that several keys
  // are on their way at once. `runs` are those before; and then those after.
  __device__ void store_runs(uint64_t begin, int i, int count, uint64_t before, uint64_t &runs) const {
    uint64_t starts[batch], lengths[batch];
    Key keys[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int at = i + b * warp_threads;
      starts[b] = before;
      lengths[b] = 0;
      if (at > 0 && at < count) starts[b] = begin + staged_[at - 1];
      if (at < count) lengths[b] = begin + staged_[at] - starts[b];
      if (!NonTrivial && lengths[b] > 0) keys[b] = places_.keys[starts[b]];
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const uint32_t counting = __ballot_sync(full_warp, lengths[b] >= least_length);
      if (lengths[b] >= least_length)
        store(runs + __popc(counting & lanes_below()), keys[b], starts[b], lengths[b]);
      runs += __popc(counting);
    }
  }

  // The items that fill no run; and the last run, which ends with them.
  __device__ void emit_rest(RunCount so_far) const {
    for (uint64_t i = piece_.first_of_rest(places_.num_items); i < places_.num_items; ++i) {
      if (is_head(places_.keys, equality_, i)) emit_run(so_far, i);
    }
    emit_run(so_far, places_.num_items);
    places_.num_runs.store(0, static_cast<typename NumRuns::value_type>(so_far.runs));
  }

  __device__ void emit_run(RunCount &so_far, uint64_t end) const {
    if (end - so_far.head >= least_length)
      store(so_far.runs++, places_.keys[so_far.head], so_far.head, end - so_far.head);
    so_far.head = end;
  }

  __device__ void store(uint64_t run, const Key &key, uint64_t start, uint64_t length) const {
    using FirstValue = typename First::value_type;
    if constexpr (NonTrivial) places_.first.store(run, static_cast<FirstValue>(start));
    else places_.first.store(run, static_cast<FirstValue>(key));
    places_.lengths.store(run, static_cast<typename Lengths::value_type>(length));
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint32_t lanes_below() { return ~(full_warp << lane()); }

  uint16_t (&staged_)[group_rows * row_items];
  const Places &places_;
  const Equality &equality_;
  Piece<run_items, warps> piece_;
  Heads<Keys, Equality, run_items, max_rows> heads_;
};

}  // namespace jig
