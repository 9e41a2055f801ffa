// What one block does in a segmented reduce: it folds the segments of its share (segment_share.cuh), as many at a time
// as it has threads. Where these are tiny it folds together those that its threads can hold
// (segmented_reduce_tile.cuh). Otherwise warps take one each, and the whole block those that are long to a warp.
//
// Of segments that are cut, each block hands what its part comes to to the one in which the segment ends, before it
// does anything else: so nobody waits long.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/segment_share.cuh>
#include <jig/agent/segmented_reduce/segmented_reduce_tile.cuh>
#include <jig/warp/fold_of_lanes.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Items, class Rule> class AgentSegmentedReduce {
  using Tile = SegmentedReduceTile<Policy, Items::adjoin, Accum, In, Rule>;
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Shares = SegmentShares<Policy::threads, Items>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  // The average from which warps take segments, lower if a tile's items are not side by side; and what each warp takes
  // at most: that, or a part of what the block has.
  static constexpr int least_of_warp = Tile::most / 8, least = Items::adjoin ? least_of_warp : 64,
                       most_of_warp = 2 * Tile::most, warp_parts = 2 * warps;
  // What a warp loads at once: in order row by row, as registers are scarce.
  static constexpr int rows = is_commutative<typename Rule::op_type> ? Policy::unroll : 1;

  // What is to be done with what items come to: those of one segment, or of each of those in the storage that
  // are not long.
  enum Action { NONE, PUBLISH, STORE, FINISH, STORE_EACH };
  struct Work {
    Action action;
    uint64_t segment, begin, end;
  };
  // How the segments in the storage are dealt with.
  enum Way { BY_TILES, BY_WARPS };

 public:
  struct TempStorage {
    typename Tile::TempStorage tile;
    typename Fold::TempStorage fold;
    Work finish;
    uint32_t long_ones[warps], short_items[warps];
    int32_t taken;
  };

  __device__ AgentSegmentedReduce(TempStorage &storage, const In &in, const Items &items, const Rule &rule,
                                  const SegmentedReduceCall &call, TileState<Accum> *partials)
      : storage_(storage), items_(items), rule_(rule), tile_(storage.tile, in, rule), fold_(storage.fold, in, rule),
        call_(call), partials_(partials) {}

  // What may be loaded before it is known whether this has to run.
  static __device__ uint64_t FirstLook(const Items &items) { return Shares::FirstLook(items); }

  template <class... Look> __device__ void Run(Look... first_look) {
    Work work = {NONE, 0, 0, 0};
    if (!begin(work, first_look...)) return;
#pragma unroll 1
    for (bool is_last = false;;) {
      if (work.action != NONE) fold(work);
      if (is_last) return;
      if (next(work)) continue;
      work = storage_.finish;
      is_last = true;
    }
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  // Finds out what the block has to do: the part of a segment that is cut where its share ends, segments, and the last
  // part of one that is cut where its share begins. That one is left in shared memory, as registers are scarce. False:
  // nothing.
  template <class... Look> __device__ bool begin(Work &publish, Look... first_look) {
    next_ = last_ = count_ = done_ = 0;
    const Shares shares(items_, call_.least_share);
    const uint64_t begin = shares.begin(blockIdx.x), end = shares.begin(blockIdx.x + 1);
    if (begin == end) return false;
    uint64_t segments[2];
    shares.Find({begin, end}, segments, first_look...);
    share(segments[0], segments[1], shares.position(begin, segments[0]), shares.position(end, segments[1]), publish);
    return true;
  }

  // Of segments first .. last - 1, which begin in the block's share, and positions from .. to - 1.
  __device__ void share(uint64_t first, uint64_t last, uint64_t from, uint64_t to, Work &publish) {
    const Work before = border(first, from), own = border(last, to);
    const bool publishes = own.action != NONE, has_begin = first < last;
    if (publishes) publish = {PUBLISH, last - 1, has_begin ? own.begin : max_of(from, own.begin), to};
    if (threadIdx.x == 0) {
      storage_.finish = {FINISH, first - 1, max_of(from, before.begin), before.end};
      if (before.action == NONE || (publishes && !has_begin)) storage_.finish.action = NONE;
    }
    way_ = BY_TILES;
    next_ = first;
    last_ = last - (publishes && has_begin);
    __syncthreads();
  }

  // The last segment before a border between two shares, at a position, if it is cut there.
  __device__ Work border(uint64_t segments, uint64_t position) const {
    const uint64_t segment = max_of(segments, uint64_t(1)) - 1,
                   begin = items_.start(segment), end = items_.end(segment);
    const bool is_cut = segments > 0 && end > position && end - begin > Tile::most;
    return {is_cut ? STORE : NONE, segment, begin, end};
  }

  // What is to be done next; tiles are done at once. False: nothing.
  __device__ bool next(Work &work) {
#pragma unroll 1
    for (;;) {
      if (way_ == BY_WARPS) done_ = next_long(done_);
      if (done_ >= count_) {
        if (!fetch()) return false;
        if (way_ == BY_WARPS) {
          work = {STORE_EACH, next_ - count_, 0, 0};
          return true;
        }
      }
      const int some = way_ == BY_TILES ? fold_tile() : 0;
      if (some > 0) continue;
      work = {STORE, next_ - count_ + done_, storage_.tile.borders[done_], storage_.tile.borders[done_ + 1]};
      ++done_;
      return true;
    }
  }

  // Those of the next segments that fit a tile. If the storage has few that are left, the next ones are fetched
  // instead.
  __device__ int fold_tile() {
    if (done_ > 0) {
      if (count_ - done_ < threads / 8 && next_ < last_) {
        next_ -= count_ - done_;
        count_ = done_;
        return threads;
      }
      const uint64_t *const borders = storage_.tile.borders;
      const int thread = threadIdx.x;
      tile_.Clear();
      fitting_ = __syncthreads_count(thread >= done_ && thread < count_ &&
                                     borders[thread + 1] - borders[done_] <= Tile::most);
    }
    if (fitting_ > 0) tile_.Run(next_ - count_, done_, fitting_);
    done_ += fitting_;
    return fitting_;
  }

  // Gets the borders of the next segments into the storage, one for each thread, and finds out how they are to be dealt
  // with, and how many fit a tile.
  __device__ bool fetch() {
    if (next_ >= last_) return false;
    done_ = 0;
    count_ = int(min_of(last_ - next_, uint64_t(threads)));
    __syncthreads();
    tile_.Clear();
    const uint64_t begin = items_.start(next_), all = items_.end(next_ + count_ - 1) - begin;
    const uint64_t end = keep(next_, count_, begin);
    const bool may_be_long = all >= uint64_t(count_) * least, exists = threadIdx.x < count_;
    if (may_be_long) find_long(exists ? end - items_.start(next_ + threadIdx.x) : 0, all);
    next_ += count_;
    fitting_ = __syncthreads_count(exists && end - begin <= Tile::most);
    way_ = may_be_long ? choose_way() : BY_TILES;
    return true;
  }

  // Which segments are long to a warp, and how many items the others have.
  __device__ void find_long(uint64_t length, uint64_t all) {
    const uint64_t most = min_of(max_of(all / warp_parts, uint64_t(2 * least_of_warp)), uint64_t(most_of_warp));
    const bool is_long = length > most;
    const uint32_t long_ones = __ballot_sync(full_warp, is_long);
    const uint32_t short_items = fold_of_lanes(is_long ? 0 : uint32_t(length), plus{});
    if (lane() == 0) {
      storage_.long_ones[warp()] = long_ones;
      storage_.short_items[warp()] = short_items;
    }
    if (threadIdx.x == 0) storage_.taken = 0;
  }

  __device__ Way choose_way() const {
    int segments = count_;
    uint32_t items = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      segments -= __popc(storage_.long_ones[w]);
      items += storage_.short_items[w];
    }
    return items >= uint32_t(segments) * least ? BY_WARPS : BY_TILES;
  }

  // For all to see after a barrier. Says where the thread's segment ends.
  __device__ uint64_t keep(uint64_t first, int count, uint64_t begin) {
    const int thread = threadIdx.x;
    if (thread == 0) storage_.tile.borders[0] = begin;
    if (thread >= count) return 0;
    const uint64_t end = items_.end(first + thread);
    storage_.tile.borders[thread + 1] = end;
    if constexpr (!Items::adjoin) storage_.tile.shifts[thread] = items_.shift(first + thread);
    return end;
  }

  // The first long one from there on, or a number past all.
  __device__ int next_long(int from) const {
    for (int w = from / warp_threads; w < warps; ++w) {
      uint32_t left = storage_.long_ones[w];
      if (w == from / warp_threads) left &= full_warp << from % warp_threads;
      if (left != 0) return w * warp_threads + __ffs(left) - 1;
    }
    return threads;
  }
  __device__ bool is_long(int i) const { return storage_.long_ones[i / warp_threads] >> i % warp_threads & 1; }

  // By each warp its segments, or its part of one.
  __device__ void fold(Work &work) {
    const bool is_each = work.action == STORE_EACH;
    uint64_t segment = work.segment;
#pragma unroll 1
    for (;;) {
      if (is_each) {
        const int i = take();
        if (i >= count_) break;
        segment = work.segment + i;
        work.begin = storage_.tile.borders[i];
        work.end = is_long(i) ? work.begin : storage_.tile.borders[i + 1];
        if (is_long(i)) continue;
      }
      const uint64_t shift = work.begin < work.end ? items_.shift(segment) : 0;
      typename Fold::Part part = {work.begin + shift, work.end + shift, 1};
      if (!is_each) part = Fold::PartOf(part.first, part.last);
      Accum value = Fold::Nothing();
      if (part.first < part.last) value = fold_.template Items<rows>(part.first, part.last, shift);
      if (!is_each) {
        finish(work, value, part.warps);
        break;
      }
      if (lane() > 0) continue;
      if (work.begin < work.end) rule_.Store(segment, value, work.begin);
      else rule_.StoreEmpty(segment);
    }
    work.action = NONE;
  }

  __device__ int take() {
    int taken = 0;
    if (lane() == 0) taken = atomicAdd(&storage_.taken, 1);
    return Lanes<int>::Broadcast(taken, 0);
  }

  // What the warps' parts of one segment come to, put where it belongs. There are no items if the segment is empty, or
  // its share ends as it begins, or offsets are in no order.
  __device__ void finish(const Work &work, Accum value, int valid_warps) {
    if (work.begin >= work.end) {
      if (work.action == STORE && threadIdx.x == 0) rule_.StoreEmpty(work.segment);
      return;
    }
    const uint64_t first = work.action == FINISH ? first_block_of(work.segment) : blockIdx.x;
    __syncthreads();  // what was in the storage is no longer needed
    value = fold_.CombineBehind(partials_ + first, int(blockIdx.x - first), call_.tag,
                                storage_.fold, value, valid_warps);
    if (threadIdx.x != 0) return;
    if (work.action == PUBLISH) partials_[blockIdx.x].publish(value, call_.tag);
    else rule_.Store(work.segment, value, items_.start(work.segment));
  }

  // The first block that publishes anything of a segment; this one, if none does. Offsets that are in no order can
  // mislead; it is seen to that no block is waited for that does not know of the segment.
  __device__ uint64_t first_block_of(uint64_t segment) const {
    const Shares shares(items_, call_.least_share);
    uint64_t block = min_of(shares.block_of(segment), uint64_t(blockIdx.x - 1)), before[2];
    const uint64_t border = shares.begin(block + 1);
    shares.Find({border, border}, before);
    if (before[0] != segment + 1) return blockIdx.x - 1;
    return block + (items_.start(segment) >= shares.position(border, segment + 1));
  }

  TempStorage &storage_;
  const Items &items_;
  const Rule &rule_;
  Tile tile_;
  Fold fold_;
  const SegmentedReduceCall &call_;
  TileState<Accum> *partials_;
  // Segments whose borders are in the storage: there are so many, before number `next_`, some are done, and some more
  // fit a tile. None comes after number last_.
  uint64_t next_, last_;
  int count_, done_, fitting_;
  Way way_;
};

}  // namespace jig
