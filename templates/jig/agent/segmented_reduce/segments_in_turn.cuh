// Some thousand segments that adjoin, one after the other: by halves of blocks, or by warps if they are short. Those
// that are long to these are left to helpers (segment_helpers.cuh), the first blocks of the grid.
#pragma once
#include <jig/agent/segmented_reduce/segment_helpers.cuh>
#include <jig/agent/segmented_reduce/segments_of_halves.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Begins, class Ends, class Rule> class AgentSegmentsInTurn {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Offsets = SegmentOffsets<Begins, Ends>;
  using OfHalves = SegmentsOfHalves<Policy, true, Accum, In, Rule>;
  using Helpers = SegmentHelpers<Policy, Accum, In, Begins, Ends, Rule>;
  static constexpr unsigned threads = Policy::threads, warps = threads / warp_threads;
  // What is not long. So few in all are done before the next grid has been brought up.
  static constexpr uint64_t most_of_warp = Helpers::least_share, most_of_half = 4 * most_of_warp,
                            few = 4 * most_of_half;
  // Segments are short of whose average items half of a block would load few at once; of so many that nearly all warps
  // have one, also if most are for a warp. It depends on nothing else, so that all GPUs give the same bits.
  static constexpr unsigned many = 6 * threads;
  static constexpr uint64_t short_items = threads * In::vector_items,
                            short_of_many = max_of(short_items, most_of_warp / 2);

 public:
  struct TempStorage {
    typename Helpers::TempStorage helpers;
    typename OfHalves::TempStorage halves;
  };

  __device__ AgentSegmentsInTurn(TempStorage &storage, const In &in, const Begins &begins, const Ends &ends,
                                 const Rule &rule, const SegmentedReduceCall &call, TileState<Accum> *partials)
      : storage_(storage), rule_(rule), fold_(storage.helpers.fold[0], in, rule), begins_(begins), ends_(ends),
        offsets_(begins, ends), call_(call), partials_(partials), count_(unsigned(call.num_segments)) {}

  __device__ void Run() {
    const SegmentSpan all = {offsets_.begin(0), offsets_.end(count_ - 1)};
    const unsigned helpers = call_.parts;
    if (blockIdx.x >= helpers) return take_turns(all, blockIdx.x - helpers, gridDim.x - helpers);
    const auto most = [this](const SegmentSpan &all) { return are_short(all) ? most_of_warp : most_of_half; };
    Helpers(storage_.helpers, fold_, rule_, begins_, ends_, all, call_, partials_).Run(blockIdx.x, most);
  }

 private:
  // All blocks find the same.
  __device__ bool are_short(const SegmentSpan &all) const {
    return all.length() < count_ * (count_ < many ? short_items : short_of_many);
  }

  // The offsets of both ways are loaded before any is waited for.
  __device__ void take_turns(const SegmentSpan &all, unsigned owner, unsigned owners) const {
    const unsigned of_warp = owner * warps + threadIdx.x / warp_threads;
    unsigned segment = owner * 2 + threadIdx.x / (threads / 2);
    SegmentSpan next = offsets_.span(min_of(segment, count_ - 1)),
                next_of_warp = offsets_.span(min_of(of_warp, count_ - 1));
    ptx::keep_here(next.begin, next.end);
    ptx::keep_here(next_of_warp.begin, next_of_warp.end);
    const bool by_warps = are_short(all);
    if (by_warps) {
      segment = of_warp;
      next = next_of_warp;
      if (all.length() <= few) ptx::launch_dependent_grids();
    }
    const OfHalves halves(storage_.halves, fold_, rule_);
    const unsigned step = owners * (by_warps ? warps : 2);
#pragma unroll 1
    for (int turn = 0; segment < count_; segment += step, turn ^= 1) {
      const SegmentSpan own = next.inside(all);
      next = offsets_.span(min_of(segment + step, count_ - 1));
      halves.Run(by_warps, segment, true, own, by_warps ? most_of_warp : most_of_half, turn);
    }
  }

  TempStorage &storage_;
  const Rule &rule_;
  Fold fold_;
  const Begins &begins_;
  const Ends &ends_;
  Offsets offsets_;
  const SegmentedReduceCall &call_;
  TileState<Accum> *partials_;
  unsigned count_;
};

}  // namespace jig
