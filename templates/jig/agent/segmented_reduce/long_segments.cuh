// Segments that are long to a block: all blocks line them up, and each has an equal share of that line. Every block
// looks at all offsets for that.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/segment_items.cuh>
#include <jig/warp/fold_of_lanes.cuh>

namespace jig {

// `Spans`: span(i) says where segment i is.
template <class Policy, class Accum, class In, class Spans, class Rule> class LongSegments {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  static constexpr int warps = Policy::threads / warp_threads;
  // A share has as many items at least.
  static constexpr uint64_t least_share = Policy::threads * Policy::lane_items;
  // Segments of each lane that are looked at together.
  static constexpr unsigned rows = 8, group = rows * warp_threads;
  // So few are passed one by one.
  static constexpr int few = 4;

 public:
  static constexpr uint64_t most = 4 * least_share;  // of a segment that is not long

  struct TempStorage {
    typename Fold::TempStorage fold[2];
    uint64_t items[warps];  // of the long ones among each warp's part of all segments
    uint32_t groups[warps];
  };

  __device__ LongSegments(TempStorage &storage, const In &in, const Spans &spans, const Rule &rule,
                          const SegmentedReduceCall &call, TileState<Accum> *partials)
      : storage_(storage), rule_(rule), fold_(storage.fold[0], in, rule), spans_(spans), call_(call),
        partials_(partials), count_(unsigned(call.num_segments)) {}

  // What this thread sees of more than so many items, if the block's threads look at all: a bit for each group of its
  // warp's part, the last one for all that follow.
  __device__ uint32_t Look(uint64_t most_items) const {
    uint32_t groups = 0;
    unsigned number = 0;
    look_at(part_of(warp()), part_of(warp() + 1), [&](const SegmentSpan (&spans)[rows], unsigned) {
      bool sees = false;
#pragma unroll
      for (unsigned u = 0; u < rows; ++u) sees |= spans[u].IsLonger(most_items);
      groups |= uint32_t(sees) << min_of(number++, 31u);
    });
    return groups;
  }

  // Folds the block's share of the line, from its end on: so what is cut at the end comes first, for those who wait,
  // and what is cut at the beginning last. All warps look for it alike.
  // `groups`: what Look() says.
  __device__ void Run(uint32_t groups) {
    groups = fold_of_lanes(groups, bit_or{});
    uint64_t items = 0;
#pragma unroll 1
    for (unsigned i = part_of(warp()), number = 0; i < part_of(warp() + 1); i += group, ++number) {
      if (has_group(groups, number)) items += long_items(i, min_of(i + group, part_of(warp() + 1)));
    }
    if (lane() == 0) {
      storage_.items[warp()] = items;
      storage_.groups[warp()] = groups;
    }
    __syncthreads();
    uint64_t all = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) all += storage_.items[w];
    const uint64_t size = size_of_share(all, gridDim.x, least_share);
    const uint64_t begin = min_of(blockIdx.x * size, all);
    Share share = {size, begin, min_of(begin + size, all), all, 0};
#pragma unroll 1
    for (int w = warps; share.at > begin && w-- > 0;) {
      if (share.passes(storage_.items[w])) continue;
      const unsigned first = part_of(w), last = part_of(w + 1);
#pragma unroll 1
      for (unsigned number = ceil_div(last - first, group); share.at > begin && number-- > 0;) {
        const unsigned i = first + number * group;
        if (has_group(storage_.groups[w], number) && !share.passes(long_items(i, min_of(i + group, last))))
          fold_group(i, last, share);
      }
    }
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ unsigned warp() { return threadIdx.x / warp_threads; }

  // Where each warp's part of all segments begins.
  __device__ unsigned part_of(unsigned warp) const {
    return min_of(warp * (ceil_div(count_, unsigned(warps * warp_threads)) * warp_threads), count_);
  }

  static __device__ bool has_group(uint32_t groups, unsigned number) { return groups >> min_of(number, 31u) & 1; }

  // take(spans, i) of groups of segments first .. last - 1, of which each lane has those numbered i, i + 32 and so on;
  // behind the last one it is that once more. All loads of a group come before any answer is waited for.
  template <class Take> __device__ void look_at(unsigned first, unsigned last, Take take) const {
    SegmentSpan spans[rows];
    unsigned i = first + lane();
#pragma unroll 1
    for (const unsigned end = last - (last - first) % group + lane(); i < end; i += group) {
#pragma unroll
      for (unsigned u = 0; u < rows; ++u) spans[u] = spans_.span(uint64_t(i) + u * warp_threads);
      take(spans, i);
    }
    if (i - lane() == last) return;
#pragma unroll
    for (unsigned u = 0; u < rows; ++u) spans[u] = spans_.span(min_of(i + u * warp_threads, last - 1));
    take(spans, i);
  }

  static __device__ uint64_t long_length(const SegmentSpan &span) {
    return span.IsLonger(most) ? span.end - span.begin : 0;
  }

  // The items of the long ones of segments first .. last - 1: a group, or what is left of the last one.
  __device__ uint64_t long_items(unsigned first, unsigned last) const {
    const unsigned mine = first + lane();
    SegmentSpan spans[rows];
#pragma unroll
    for (unsigned u = 0; u < rows; ++u) spans[u] = spans_.span(min_of(mine + u * warp_threads, last - 1));
    uint64_t items = 0;
#pragma unroll
    for (unsigned u = 0; u < rows; ++u) items += mine + u * warp_threads < last ? long_length(spans[u]) : 0;
    return __any_sync(full_warp, items > 0) ? fold_of_lanes(items, plus{}) : 0;
  }

  struct Share {
    uint64_t size, begin, end;
    uint64_t at;  // where in the line that begins which has been passed
    int turn;     // of two storages

    // Whether so many items before that place come behind the share, or are none.
    __device__ bool passes(uint64_t items) {
      if (at - items < end && items > 0) return false;
      at -= items;
      return true;
    }
  };

  __device__ void fold_group(unsigned first, unsigned last, Share &share) const {
#pragma unroll 1
    for (unsigned row = first + group; share.at > share.begin && row > first;) {
      row -= warp_threads;
      const unsigned mine = row + lane();
      const SegmentSpan own = spans_.span(min_of(mine, last - 1));
      const uint64_t length = mine < last ? long_length(own) : 0;
      uint32_t left = __ballot_sync(full_warp, length > 0);
      if (__popc(left) > few && share.passes(fold_of_lanes(length, plus{}))) continue;
#pragma unroll 1
      while (share.at > share.begin && left != 0) {
        const int which = warp_threads - 1 - __clz(left);
        left ^= 1u << which;
        const uint64_t items = Lanes<uint64_t>::Broadcast(length, which);
        if (!share.passes(items)) fold_part(row + which, Lanes<uint64_t>::Broadcast(own.begin, which), items, share);
      }
    }
  }

  // What the share has of a segment, of which so many items come before what has been passed; behind what other blocks
  // have, if it ends here. Blocks start in the order of their indices, so those before run or have run.
  __device__ void fold_part(unsigned segment, uint64_t begin, uint64_t items, Share &share) const {
    const bool is_cut = share.at > share.end;
    const uint64_t to = begin + items - (is_cut ? share.at - share.end : 0);
    share.at -= items;
    const bool has_begun = share.at < share.begin;
    const typename Fold::Part part = Fold::PartOf(begin + (has_begun ? share.begin - share.at : 0), to);
    Accum value = Fold::Nothing();
    if (part.first < part.last) value = fold_.template Items<Fold::many_rows>(part.first, part.last, 0);
    const unsigned other = has_begun && !is_cut ? index_of_share(share.at, share.size) : blockIdx.x;
    // There is a barrier before a storage is used again.
    value = fold_.CombineBehind(partials_ + other, int(blockIdx.x - other), call_.tag, storage_.fold[share.turn ^= 1],
                                value, part.warps);
    if (threadIdx.x != 0) return;
    if (is_cut) partials_[blockIdx.x].publish(value, call_.tag);
    else rule_.Store(segment, value, begin);
  }

  TempStorage &storage_;
  const Rule &rule_;
  Fold fold_;
  Spans spans_;
  const SegmentedReduceCall &call_;
  TileState<Accum> *partials_;
  unsigned count_;
};

}  // namespace jig
