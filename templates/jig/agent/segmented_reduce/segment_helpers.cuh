// Blocks that help with segments which are long to those that have them. They look at all offsets while the others
// fold, and mostly find nothing to do; otherwise they line up the items of all long segments, and each has an equal
// share of that line. So the others take no longer than if there could be no long ones.
#pragma once
#include <jig/agent/segmented_reduce/long_line.cuh>
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/block/scan_warp_scans.cuh>

namespace jig {

// Of up to so many segments for each thread of a block.
constexpr int most_helper_segments = 32;

template <class Policy, class Accum, class In, class Begins, class Ends, class Rule> class SegmentHelpers {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Scan = BlockScanWarpScans<uint64_t, Policy::threads>;
  using Offsets = SegmentOffsets<Begins, Ends>;
  static constexpr unsigned threads = Policy::threads, vector_items = Begins::vector_items;
  // A thread looks at every so many-th vector of offsets, and one at the last of what fills no vector. Segments have
  // numbers in the order in which a line has them: thread by thread, a bit of a word for each.
  static constexpr unsigned bits = 64, rest_bit = bits - 1, past_all = threads * bits;
  static_assert(most_helper_segments % vector_items == 0, "a bit for each of a thread's vectors");

 public:
  static constexpr uint64_t least_share = threads * Policy::lane_items;

  struct TempStorage {
    typename Fold::TempStorage fold[2];
    typename Scan::TempStorage scan;
    LinePlace borders[2];
    uint64_t long_ones[threads];
  };

  // No segment goes beyond `all`.
  __device__ SegmentHelpers(TempStorage &storage, const Fold &fold, const Rule &rule, const Begins &begins,
                            const Ends &ends, const SegmentSpan &all, const SegmentedReduceCall &call,
                            TileState<Accum> *partials)
      : storage_(storage), fold_(fold), rule_(rule), begins_(begins), ends_(ends), offsets_(begins, ends), all_(all),
        partials_(partials), tag_(call.tag), count_(unsigned(call.num_segments)), helpers_(call.parts) {}

  // What the helper of that number does; those before have been launched before. A segment of more than most(all) items
  // is long.
  template <class Most> __device__ void Run(unsigned helper, Most most) {
    uint64_t long_ones = look(most);
    if (!__syncthreads_or(long_ones != 0)) return;
    uint64_t items = 0;
    const uint64_t most_items = most(all_);
#pragma unroll 1
    for (uint64_t left = long_ones; left != 0; left &= left - 1) {
      const uint64_t length = SpanOf(SegmentOf(first_of(left))).length();
      if (length > most_items) items += length;
      else long_ones ^= left & -left;
    }
    storage_.long_ones[threadIdx.x] = long_ones;
    uint64_t total;
    uint64_t at = Scan(storage_.scan, threadIdx.x).ExclusiveScan(items, uint64_t(0), plus{}, total);
    const uint64_t share = size_of_share(total, helpers_, least_share);
    const uint64_t begin = helper * share, end = min_of(begin + share, total);
    if (begin >= end) return;
#pragma unroll 1
    for (uint64_t left = long_ones; left != 0; left &= left - 1) {
      const unsigned number = first_of(left);
      const uint64_t length = SpanOf(SegmentOf(number)).length();
      if (begin - at < length) storage_.borders[0] = {number, begin - at};
      if (end - at - 1 < length) storage_.borders[1] = end - at < length ? LinePlace{number, end - at}
                                                                         : LinePlace{number + 1, 0};
      at += length;
    }
    __syncthreads();
    fold_line_share(fold_, storage_.fold, rule_, *this, helper,
                    {storage_.borders[0], storage_.borders[1], begin, share}, partials_, tag_);
  }

  // What a line of long segments is asked.
  __device__ unsigned SegmentOf(unsigned number) const {
    const unsigned thread = number / bits, bit = number % bits;
    if (bit == rest_bit) return count_ - 1 - thread;
    return (bit / vector_items * threads + thread) * vector_items + bit % vector_items;
  }
  __device__ SegmentSpan SpanOf(unsigned segment) const { return offsets_.span(segment).inside(all_); }
  // The first long one from there on, or past_all. All warps look alike, each lane at a word.
  __device__ unsigned NextLong(unsigned from) const {
#pragma unroll 1
    for (unsigned word = from / bits; word < threads; word += warp_threads) {
      const unsigned mine = word + threadIdx.x % warp_threads;
      uint64_t left = mine < threads ? storage_.long_ones[mine] : 0;
      if (mine == from / bits) left &= ~uint64_t(0) << from % bits;
      const uint32_t lanes = __ballot_sync(full_warp, left != 0);
      if (lanes == 0) continue;
      const int lane = __ffs(lanes) - 1;
      return (word + lane) * bits + __ffsll(Lanes<uint64_t>::Broadcast(left, lane)) - 1;
    }
    return past_all;
  }

 private:
  static __device__ unsigned first_of(uint64_t left) { return threadIdx.x * bits + __ffsll(left) - 1; }

  // Which of this thread's segments may be long: these are among them.
  template <class Most> __device__ uint64_t look(Most most) {
    const unsigned vectors = count_ / vector_items, rest = count_ % vector_items;
    const SegmentSpan last = offsets_.span(count_ - 1 - (threadIdx.x < rest ? threadIdx.x : 0));
    uint64_t long_ones = 0;
    if (vectors > 0) look_at<1>(0, vectors, most, long_ones);
    constexpr unsigned at_once = 4;
#pragma unroll 1
    for (unsigned row = 1; row * threads < vectors; row += at_once)
      look_at<at_once>(row, vectors, most, long_ones);
    if (threadIdx.x < rest && last.inside(all_).length() > most(all_)) long_ones |= uint64_t(1) << rest_bit;
    return long_ones;
  }
  template <unsigned Rows, class Most>
  __device__ void look_at(unsigned row, unsigned vectors, Most most, uint64_t &long_ones) {
    // Lengths are modulo 2^32 or 2^64, so that what is negative is long.
    using Word = conditional<(sizeof(typename Begins::value_type) > 4), uint64_t, uint32_t>;
    const bool vectorize = begins_.vectorizable();
    typename Begins::vector_type begins[Rows];
    Word ends[Rows];
#pragma unroll
    for (unsigned u = 0; u < Rows; ++u) {
      const unsigned at = min_of((row + u) * threads + threadIdx.x, vectors - 1) * vector_items;
      begins[u] = begins_.load_vector(at, vectorize);
      ends[u] = Word(ends_[at + vector_items - 1]);
    }
    ptx::keep_here(all_.begin, all_.end);  // is not waited for before the others are loaded
    const uint64_t most_items = most(all_);
    Word longest = 0;
#pragma unroll
    for (unsigned i = 0; i < Rows * vector_items; ++i) longest = max_of(longest, length_at<Word>(begins, ends, i));
    if (longest <= most_items) return;
#pragma unroll
    for (unsigned i = 0; i < Rows * vector_items; ++i) {
      const bool exists = (row + i / vector_items) * threads + threadIdx.x < vectors;
      if (exists && length_at<Word>(begins, ends, i) > most_items) long_ones |= uint64_t(1) << (row * vector_items + i);
    }
  }
  template <class Word, unsigned Rows>
  static __device__ Word length_at(const typename Begins::vector_type (&begins)[Rows], const Word (&ends)[Rows],
                                   unsigned i) {
    const unsigned row = i / vector_items, next = i % vector_items + 1;
    return (next < vector_items ? Word(begins[row][next % vector_items]) : ends[row]) - Word(begins[row][next - 1]);
  }

  TempStorage &storage_;
  const Fold &fold_;
  const Rule &rule_;
  const Begins &begins_;
  const Ends &ends_;
  Offsets offsets_;
  SegmentSpan all_;
  TileState<Accum> *partials_;
  uint64_t tag_;
  unsigned count_, helpers_;
};

}  // namespace jig
