// A block for each segment, of so few that a thread can look at each, or at up to MostEach that adjoin; of some more,
// half of a block for each, or a warp. Those that are long to a block are left to the last blocks of the grid. These
// look at all offsets, at once with the others, and mostly find nothing to do; otherwise they line up the items of all
// long segments, and each has an equal share of that line. So the others take no longer than if there could be no long
// ones.
#pragma once
#include <jig/agent/segmented_reduce/long_line.cuh>
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/segments_of_halves.cuh>
#include <jig/block/scan_warp_scans.cuh>

namespace jig {

template <class Policy, int MostEach, bool Halves, class Accum, class In, class Begins, class Ends, class Rule>
class AgentSegmentsOfBlocks {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Offsets = SegmentOffsets<Begins, Ends>;
  using Scan = BlockScanWarpScans<uint64_t, Policy::threads>;
  using OfHalves = SegmentsOfHalves<Policy, false, Accum, In, Rule>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  // What a block takes at most, and a share has at least. Of a block that has no more than `little` items nobody has to
  // wait, nor of all of them if they have no more than `few`.
  static constexpr uint64_t least_share = threads * Policy::lane_items, most = 4 * least_share, few = 16 * most,
                            little = least_share / 2;
  static constexpr unsigned words = MostEach * warps;  // a bit for each segment

 public:
  struct TempStorage {
    typename Fold::TempStorage fold[2];
    typename Scan::TempStorage scan;
    typename OfHalves::TempStorage halves;
    LinePlace borders[2];
    uint32_t long_ones[words];
  };

  __device__ AgentSegmentsOfBlocks(TempStorage &storage, const In &in, const Begins &begins, const Ends &ends,
                                   const Rule &rule, const SegmentedReduceCall &call, TileState<Accum> *partials)
      : storage_(storage), rule_(rule), fold_(storage.fold[0], in, rule), offsets_(begins, ends), call_(call),
        partials_(partials), count_(unsigned(call.num_segments)),
        owners_(Halves ? ceil_div(count_, 2u) : count_) {}

  __device__ void Run() {
    // All loads come before any answer is waited for.
    const bool is_own = blockIdx.x < owners_;
    if constexpr (Halves) {
      if (is_own) take_some();
      else look_and_help(threadIdx.x * ceil_div(count_, unsigned(threads)));
    } else if constexpr (MostEach == 1) {
      const SegmentSpan span = inside_all(offsets_.span(is_own ? blockIdx.x : min_of(threadIdx.x, count_ - 1)));
      if (is_own) take_own(span);
      else help(threadIdx.x, threadIdx.x + 1, span, threadIdx.x < count_ && span.length() > most ? span.length() : 0);
    } else {
      const unsigned each = ceil_div(count_, unsigned(threads));
      const unsigned first = min_of(is_own ? blockIdx.x : threadIdx.x * each, count_),
                     last = min_of(first + each, count_);
      const unsigned from = min_of(first, count_ - 1);
      const SegmentSpan span = inside_all({offsets_.begin(from), offsets_.end(is_own ? from : last - 1)});
      if (is_own) take_own(span);
      else help(first, last, span, first < last && span.length() > most ? span.length() : 0);
    }
  }

  // What a line of long segments is asked: there are numbers for all segments. The first long one from one on, or a
  // number past all.
  __device__ unsigned NextLong(unsigned from) const {
#pragma unroll 1
    for (unsigned w = from / warp_threads; w < words; ++w) {
      uint32_t left = storage_.long_ones[w];
      if (w == from / warp_threads) left &= full_warp << from % warp_threads;
      if (left != 0) return w * warp_threads + __ffs(left) - 1;
    }
    return words * warp_threads;
  }
  static __device__ unsigned SegmentOf(unsigned number) { return number; }
  __device__ SegmentSpan SpanOf(unsigned segment) const { return offsets_.span(segment).inside(all_); }

 private:
  // By halves of a block or by warps: all know which from the first and the last offset. Those of both ways are loaded
  // before these are waited for.
  __device__ void take_some() {
    SegmentSpan of_warp = offsets_.span(min_of(OfHalves::OfWarp(), count_ - 1)),
                of_half = offsets_.span(min_of(OfHalves::OfHalf(), count_ - 1));
    inside_all(of_warp);
    ptx::keep_here(of_warp.begin, of_warp.end);
    ptx::keep_here(of_half.begin, of_half.end);
    const bool by_warps = are_short();
    const unsigned segment = by_warps ? OfHalves::OfWarp() : OfHalves::OfHalf();
    if (by_warps && all_.length() <= few) ptx::launch_dependent_grids();
    OfHalves(storage_.halves, fold_, rule_)
        .Run(by_warps, segment, segment < count_, (by_warps ? of_warp : of_half).inside(all_), most_of_own());
  }
  __device__ bool are_short() const { return all_.length() < count_ * uint64_t(threads * In::vector_items); }
  __device__ uint64_t most_of_own() const { return Halves && are_short() ? least_share : most; }

  __device__ void look_and_help(unsigned neighbours) {
    const unsigned first = min_of(neighbours, count_),
                   last = min_of(first + ceil_div(count_, unsigned(threads)), count_);
    const SegmentSpan span = inside_all({offsets_.begin(min_of(first, count_ - 1)), offsets_.end(last - 1)});
    help(first, last, span, first < last && span.length() > most_of_own() ? span.length() : 0);
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ unsigned warp() { return threadIdx.x / warp_threads; }

  __device__ SegmentSpan inside_all(const SegmentSpan &given) {
    all_ = {0, ~uint64_t(0)};
    if (call_.starts == nullptr) all_ = {offsets_.begin(0), offsets_.end(count_ - 1)};
    return given.inside(all_);
  }

  // ---- a segment for each

  __device__ void take_own(const SegmentSpan &own) const {
    const uint64_t length = own.length();
    // While blocks fold the little there is, the next grid may be brought up. It comes if all blocks have little.
    if (length <= little || (length <= most && length * count_ <= few)) ptx::launch_dependent_grids();
    if (length > most) return;
    Accum value;
    if (length <= Fold::few_items) {
      if (warp() > 0) return;
      if (length > 0) value = fold_.Few(own.begin, int(length));
    } else if (length <= Fold::few_of_block) {
      value = fold_.FewOfBlock(own.begin, int(length));
    } else {
      value = fold_.template Block<Fold::many_rows>(own.begin, own.end);
    }
    if (threadIdx.x > 0) return;
    if (length > 0) rule_.Store(blockIdx.x, value, own.begin);
    else rule_.StoreEmpty(blockIdx.x);
  }

  // ---- long ones

  // A block's share of them. A thread looks at segments first .. last - 1, which have these items; `mine` is how many
  // these are if one of the segments may be long, otherwise 0. All of them are lined up, and those not long are
  // skipped.
  __device__ void help(unsigned first, unsigned last, const SegmentSpan &items, uint64_t mine) {
    if constexpr (MostEach > 1) {
      if (threadIdx.x < words) storage_.long_ones[threadIdx.x] = 0;
    }
    if (!__syncthreads_or(mine > 0)) return;
    if constexpr (MostEach > 1) {
      if (!any_is_long()) return;
    }
    uint64_t total;
    const uint64_t before = Scan(storage_.scan, threadIdx.x).ExclusiveScan(mine, uint64_t(0), plus{}, total);
    const unsigned helper = blockIdx.x - owners_;
    const uint64_t share = size_of_share(total, call_.parts, least_share);
    const uint64_t begin = helper * share, end = min_of(begin + share, total);
    if (begin >= end) return;
    if constexpr (MostEach == 1) {
      const uint32_t long_ones = __ballot_sync(full_warp, mine > 0);
      if (lane() == 0) storage_.long_ones[warp()] = long_ones;
    }
    if constexpr (MostEach == 1) {
      if (begin - before < mine) storage_.borders[0] = {threadIdx.x, begin - before};
      if (end - before - 1 < mine) storage_.borders[1] = place_of_end(threadIdx.x, end - before < mine, end - before);
    } else if (mine > 0) {
      look_at_each(first, last, items, begin - before, end - before);
    }
    __syncthreads();
    fold_line_share(fold_, storage_.fold, rule_, *this, helper,
                    {storage_.borders[0], storage_.borders[1], begin, share}, partials_, call_.tag);
  }

  static __device__ LinePlace place_of_end(unsigned segment, bool is_within, uint64_t offset) {
    return is_within ? LinePlace{segment, offset} : LinePlace{segment + 1, 0};
  }

  // A thread's neighbours together may be, though none of them is. What is not there is the last one once more.
  __device__ bool any_is_long() const {
    SegmentSpan spans[MostEach];
    bool is_long = false;
#pragma unroll
    for (unsigned i = 0; i < MostEach; ++i) spans[i] = offsets_.span(min_of(threadIdx.x + i * threads, count_ - 1));
#pragma unroll
    for (unsigned i = 0; i < MostEach; ++i) is_long |= spans[i].inside(all_).length() > most_of_own();
    return __syncthreads_or(is_long);
  }

  // Of a thread's neighbours: which ones are long, and where the share begins and ends, if there. These places are told
  // from where the neighbours' items begin.
  __device__ void look_at_each(unsigned first, unsigned last, const SegmentSpan &items, uint64_t begin, uint64_t end) {
    uint64_t at = items.begin;
#pragma unroll 1
    for (unsigned segment = first; segment < last; ++segment) {
      // Even if offsets are in no order, all have as many as the line has.
      const uint64_t end_of = segment + 1 == last ? items.end : min_of(max_of(offsets_.end(segment), at), items.end);
      const uint64_t length = end_of - at;
      const bool is_long = length > most_of_own();
      if (is_long)
        ptx::or_shared(ptx::shared_address(storage_.long_ones) + segment / warp_threads * 4,
                       1u << segment % warp_threads);
      if (begin < length) storage_.borders[0] = {segment + !is_long, is_long ? begin : 0};
      if (end - 1 < length) storage_.borders[1] = place_of_end(segment, is_long && end < length, end);
      at += length;
      begin -= length;
      end -= length;
    }
  }

  TempStorage &storage_;
  const Rule &rule_;
  Fold fold_;
  Offsets offsets_;
  const SegmentedReduceCall &call_;
  TileState<Accum> *partials_;
  unsigned count_, owners_;  // blocks that have segments of their own
  SegmentSpan all_;  // which none goes beyond
};

}  // namespace jig
