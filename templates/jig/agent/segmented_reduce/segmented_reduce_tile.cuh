// Folds a few neighbouring segments by a block, all of which have no more items than its threads hold together,
// whatever the segments' lengths.
//
// Every thread holds as many items, neighbours, and knows where among them segments begin: by bits in shared memory. It
// folds them anew from each such item on, as a warp does over its lanes then (open_run.cuh). What a segment comes to in
// the warp where it ends is left at the place of its last item, for the thread that stores its result; that
// adds what the segment has in warps before.
#pragma once
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/segmented_reduce/segment_items.cuh>
#include <jig/core/load_vector.cuh>

namespace jig {

template <class Policy, bool Adjoin, class Accum, class In, class Rule> class SegmentedReduceTile {
  using Op = typename Rule::op_type;
  using Lanes = jig::Lanes<Accum>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int lane_items = Policy::lane_items;
  // A thread whose items are fewer than a vector loads them one by one.
  static constexpr int vector_items = lane_items % In::vector_items == 0 ? In::vector_items : 1;
  static constexpr int warp_items = warp_threads * lane_items, places = threads * lane_items;
  static constexpr int words = places / 32 + 1;
  static constexpr uint32_t all_items = (1u << lane_items) - 1;
  static_assert(lane_items < 32, "bits of a thread's items and the next one fit a word");

 public:
  // How many items there may be; a few places are lost if the first one is in the middle of a vector.
  static constexpr int most = places - (vector_items - 1);

  struct TempStorage {
    uint64_t borders[threads + 1];  // where segments begin, and where the last one ends; set by the caller
    uint64_t shifts[Adjoin ? 1 : threads];  // likewise: from positions to indices in the input, if they don't adjoin
    uint32_t heads[words];
    uninitialized<Accum, places> at_ends;
    uninitialized<Accum, warps> open;
  };

  __device__ SegmentedReduceTile(TempStorage &storage, const In &in, const Rule &rule)
      : storage_(storage), in_(in), rule_(rule),
        vectorizable_(vector_items == 1 ? can_load_vectors<1>(in) : in.vectorizable()) {}

  // Before a barrier, before Run().
  __device__ void Clear() {
#pragma unroll 1
    for (int w = threadIdx.x; w < words; w += threads) storage_.heads[w] = 0;
  }

  // Those numbered from .. from + count - 1 of the segments whose borders are in the storage; the first of all has
  // number `segment` in the call.
  __device__ void Run(uint64_t segment, int from, int count) {
    const uint64_t start = storage_.borders[from], end = max_of(storage_.borders[from + count], start);
    const int n = int(min_of(end - start, uint64_t(most)));
    const int lead = Adjoin ? int(start % vector_items) : 0, first = threadIdx.x * lane_items;
    const Held held = {max_of(lead - first, 0), min_of(lead + n - first, lane_items)};
    Accum items[lane_items];
    const bool is_whole = held.begin <= 0 && held.end >= lane_items;
    if constexpr (!Adjoin) load_apart(items, start + first, held, from, count);
    else if (is_whole && vectorizable_) load_vectors(items, start - lead + first);
    else load_each(items, start - lead + first, held);
    const Span own = mark(from, count, start, lead, n);
    __syncthreads();
    fold(items, held);
    __syncthreads();
    store(segment, from, count, start - lead, own);
  }

 private:
  // Of a thread's items, those that exist: begin .. end - 1.
  struct Held {
    int begin, end;
  };
  // The places of a segment's items.
  struct Span {
    int begin, end;
  };

  __device__ void load_vectors(Accum (&items)[lane_items], uint64_t first) const {
#pragma unroll
    for (int v = 0; v < lane_items; v += vector_items) {
      const auto vector = load_items<vector_items>(in_, first + v, true);
#pragma unroll
      for (int k = 0; k < vector_items; ++k) items[v + k] = rule_.lift(vector[k], first + v + k);
    }
  }

  __device__ void load_each(Accum (&items)[lane_items], uint64_t first, const Held &held) const {
    if (held.begin >= held.end) return;
#pragma unroll
    for (int k = 0; k < lane_items; ++k) {  // what is not there is the next one that is
      const uint64_t i = first + min_of(max_of(k, held.begin), held.end - 1);
      items[k] = rule_.lift(in_[i], i);
    }
  }

  // Where segments are anywhere in the input. Items pass through shared memory, a few at a time, so that there is a
  // loop and little code.
  __device__ void load_apart(Accum (&items)[lane_items], uint64_t position, const Held &held, int from, int count) {
    constexpr int few = 4;
    Accum *const own = &storage_.at_ends[threadIdx.x * lane_items];
    int owner = held.end > 0 ? find_owner(position, from, count) : 0;
#pragma unroll 1
    for (int k = 0; k < held.end; k += few) {
      Accum loaded[few];
#pragma unroll
      for (int u = 0; u < few; ++u) {
        if (k + u >= held.end) break;
        while (storage_.borders[owner + 1] <= position + k + u) ++owner;
        loaded[u] = rule_.lift(in_[position + k + u + storage_.shifts[owner]], position + k + u);
      }
#pragma unroll
      for (int u = 0; u < few; ++u) {
        if (k + u < held.end) own[k + u] = loaded[u];
      }
    }
#pragma unroll
    for (int k = 0; k < lane_items; ++k) {
      if (k < held.end) items[k] = own[k];
    }
  }

  // The first segment that ends behind a position, at which there is an item.
  __device__ int find_owner(uint64_t position, int from, int count) const {
    int owner = from;
#pragma unroll 1
    for (int left = count - 1; left > 0;) {
      const int half = (left + 1) / 2;
      if (storage_.borders[owner + half] <= position) {
        owner += half;
        left -= half;
      } else {
        left = half - 1;
      }
    }
    return owner;
  }

  // Marks where segments begin, and where the last one ends. Each thread is told of one of them.
  __device__ Span mark(int from, int count, uint64_t start, int lead, int n) {
    const int thread = threadIdx.x;
    if (thread < from || thread >= from + count) return {0, 0};
    const uint64_t begin = storage_.borders[thread], end = storage_.borders[thread + 1];
    const Span own = {lead + int(min_of(begin - start, uint64_t(n))), lead + int(min_of(end - start, uint64_t(n)))};
    if (own.begin < own.end) mark_place(own.begin);
    if (thread == from + count - 1) mark_place(lead + n);
    return own;
  }
  __device__ void mark_place(int place) { atomicOr(&storage_.heads[place / 32], 1u << place % 32); }

  // A thread whose items don't all exist counts as one that has a head, so that nothing is folded with them, unless
  // the operator takes anything.
  __device__ void fold(const Accum (&items)[lane_items], const Held &held) {
    const int first = threadIdx.x * lane_items, lane = threadIdx.x % warp_threads;
    const uint32_t bits = __funnelshift_r(storage_.heads[first / 32], storage_.heads[first / 32 + 1], first % 32);
    const uint32_t ends = bits >> 1 & all_items;
    uint32_t heads = bits & all_items;
    if constexpr (!takes_any_bytes<Op>) heads |= all_items & ~items_of(held);
    Accum own;
#pragma unroll
    for (int k = 0; k < lane_items; ++k) {
      own = k == 0 || heads >> k & 1 ? items[k] : rule_.op(own, items[k]);
      if (ends >> k & 1) storage_.at_ends[first + k] = own;
    }
    const Accum lanes = scan_open_runs(own, __ballot_sync(full_warp, heads != 0), rule_.op);
    const Accum below = Lanes::Previous(lanes);
    if (lane > 0 && ends != 0 && (heads & 1) == 0) {  // what ends first has begun in a lane below
      Accum &at_end = storage_.at_ends[first + __ffs(ends) - 1];
      at_end = rule_.op(below, at_end);
    }
    if (lane == warp_threads - 1) storage_.open[threadIdx.x / warp_threads] = lanes;
  }

  static __device__ uint32_t items_of(const Held &held) {
    if (held.begin >= lane_items || held.end <= held.begin) return 0;
    return (1u << held.end) - (1u << held.begin);
  }

  __device__ void store(uint64_t segment, int from, int count, uint64_t position, const Span &own) {
    const int thread = threadIdx.x;
    if (thread < from || thread >= from + count) return;
    if (own.begin >= own.end) return rule_.StoreEmpty(segment + thread);
    Accum value = storage_.at_ends[own.end - 1];
    const int first_warp = own.begin / warp_items, last_warp = (own.end - 1) / warp_items;
    if (first_warp < last_warp) {
      Accum before = storage_.open[first_warp];
#pragma unroll 1
      for (int w = first_warp + 1; w < last_warp; ++w) before = rule_.op(before, storage_.open[w]);
      value = rule_.op(before, value);
    }
    rule_.Store(segment + thread, value, position + own.begin);
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  bool vectorizable_;
};

}  // namespace jig
