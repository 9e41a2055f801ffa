// What the workers of a pipeline (segment_pipeline.cuh) do in a device-wide segmented scan.
//
// A warp takes a warp tile, a contiguous part of the tile, in rows in which each lane has a few neighbours: an odd
// number of words, so that lanes that read side by side do not meet in a bank of shared memory. What is smaller than a
// word is held in words. The emitters scan lane by lane and put the
// results where the items were; from there the warp stores them, next to each other.
#pragma once
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/segmented_scan/segment_stage.cuh>
#include <jig/agent/chain/stage.cuh>
#include <jig/thread/reduce.cuh>

namespace jig {

// Init is as in segmented_scan_tile.cuh. `Scatters`: whether there are tiles whose items do not lie side by side.
// `Even`: whether warp tiles have as many rows as a tile's items take, up to the policy's.
template <class Policy, class Accum, class T, class Out, class Segments, class Init, class Operator, bool Inclusive,
          bool Scatters = true, bool Even = false>
class SegmentedScanPipeline {
  using Lanes = jig::Lanes<Accum>;
  using Result = typename Out::value_type;
  static constexpr bool has_init = !is_same<Init, none>;
  // Whether an initial value is folded in.
  static constexpr bool folds_initial = has_init || (!Inclusive && scan_start_counts<Operator, Accum>);
  static constexpr int lane_items = Policy::lane_items, row_items = warp_threads * lane_items, rows = Policy::rows;
  static_assert(lane_items <= warp_threads && sizeof(Result) <= sizeof(T),
                "flags fit a word, and results where items were");
  // Whether a lane's items are held in words, which they fill.
  static constexpr bool packs = sizeof(T) < 4;
  static_assert(!packs || lane_items * sizeof(T) % 4 == 0, "whole words");

 public:
  using Item = T;
  using State = OpenRun<Accum, HeadFlag<Accum>>;
  using Op = OpenRunOp<Operator>;
  static constexpr int stages = Policy::stages, reducers = Policy::reducers, chains = 2;
  struct Stage : SegmentStage<Item, Policy::emitters, rows, row_items> {
    // What the lanes of each row come to before each, since the last head.
    uninitialized<Accum, Policy::emitters * rows * warp_threads> lanes_before;

    // Of a warp tile.
    __device__ int used_rows() const { return Even ? this->even_rows : rows; }
  };

  __device__ SegmentedScanPipeline(const Out &out, const Segments &segments, const SegmentCall &call, const Init &init,
                                   Operator op)
      : out_(out), segments_(segments), call_(call), op_(op) {
    if constexpr (has_init) initial_ = static_cast<Accum>(init[0]);
    else if constexpr (!Inclusive) initial_ = scan_start<Operator, Accum>();
  }

  __device__ Op op() const { return {op_}; }

  __device__ State Reduce(Stage &stage, int warp_tile) const {
    State total;
#pragma unroll 1
    for (int r = 0; r < stage.used_rows() && (warp_tile * stage.used_rows() + r) * row_items < stage.count; ++r) {
      const int row = warp_tile * stage.used_rows() + r, first = row * row_items + lane() * lane_items;
      const uint32_t own = stage.template heads_from<lane_items>(first), heads = __ballot_sync(full_warp, own != 0);
      const Places places = {stage.lead - first, stage.count - first};
      const Accum scanned = scan_open_runs(fold(take(stage.items() + first), own, places), heads, op_);
      stage.lanes_before[row * warp_threads + lane()] = Lanes::Previous(scanned);
      const State state = {Lanes::Broadcast(scanned, warp_threads - 1), heads != 0};
      total = r == 0 ? state : op()(total, state);
    }
    return total;
  }

  __device__ void Emit(Stage &stage, const SegmentTurn &turn, int warp_tile, const State &before) const {
    Accum carry = before.value;
#pragma unroll 1
    for (int r = 0; r < stage.used_rows() && (warp_tile * stage.used_rows() + r) * row_items < stage.count; ++r) {
      const int row = warp_tile * stage.used_rows() + r, first = row * row_items;
      emit_row(stage, row, carry);
      ptx::fence_bulk_copies();
      __syncwarp();
      const int lead = row == 0 ? stage.lead : 0;
      store(stage, turn, first + lead, min_of(stage.count - first, row_items) - lead, warp_tile);
    }
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }

  // Which of a lane's places are items: from `first` on, before `end`.
  struct Places {
    int first, end;
    __device__ bool has(int k) const { return k >= first && k < end; }
  };

  __device__ Accum seeded(const Accum &item, int k, const Places &places) const {
    if constexpr (folds_initial) return may_see<Operator>(places.has(k)) ? op_(initial_, item) : item;
    else return item;
  }

  // So many items at a time, lest the code of all warps be more than multiprocessors keep at hand.
  static constexpr int at_once = lane_items % 5 == 0 && !packs ? 5 : lane_items;

  // A lane's items, by item_of(): where they are, or as words.
  static __device__ auto take(const T *items) {
    if constexpr (packs) {
      packed_vector<T, lane_items> vector;
#pragma unroll
      for (int w = 0; w < vector.words; ++w) vector.word[w] = reinterpret_cast<const uint32_t *>(items)[w];
      return vector;
    } else {
      return items;
    }
  }
  static __device__ Accum item_of(const T *items, int k) { return static_cast<Accum>(load_word(items + k)); }
  static __device__ Accum item_of(const packed_vector<T, lane_items> &items, int k) {
    return static_cast<Accum>(items[k]);
  }

  // What a lane's items come to since its last head.
  template <class Items> __device__ Accum fold(const Items &items, uint32_t heads, const Places &places) const {
    if constexpr (packs && is_same<Operator, plus> && is_narrow_integer<T> && is_integer<Accum>) {
      const Accum sum = static_cast<Accum>(sum_from(items, heads == 0 ? 0 : warp_threads - 1 - __clz(heads)));
      return heads != 0 ? seeded(sum, places.first, places) : sum;
    } else {
      Accum value = item_of(items, 0);
      if (heads & 1) value = seeded(value, 0, places);
#pragma unroll 1
      for (int first = 0; first < lane_items; first += at_once) {
#pragma unroll
        for (int k = 0; k < at_once; ++k, heads >>= 1) {
          const Accum item = item_of(items, first + k);
          if (first + k > 0) value = heads & 1 ? seeded(item, first + k, places) : op_(value, item);
        }
      }
      return value;
    }
  }

  // Of integers that are held in words, from that one on.
  static __device__ int32_t sum_from(packed_vector<T, lane_items> items, int first) {
#pragma unroll
    for (int w = 0; w < items.words; ++w)
      items.word[w] &= __funnelshift_lc(0, full_warp, max_of(first * int(sizeof(T)) - w * 4, 0) * 8);
    return thread_sum_integers(items);
  }

  // Puts a row's results where its items are. `carry`, what is open before it, becomes what is open after it.
  __device__ void emit_row(Stage &stage, int row, Accum &carry) const {
    const int first = row * row_items + lane() * lane_items;
    const Places places = {stage.lead - first, stage.count - first};
    uint32_t own = stage.template heads_from<lane_items>(first);
    const uint32_t heads = __ballot_sync(full_warp, own != 0);
    const Accum lanes = stage.lanes_before[row * warp_threads + lane()];
    Accum value = carry;
    if (lane() > 0) value = is_head_below(heads) ? lanes : op_(carry, lanes);
    const Item *const items = stage.items() + first;
    Result *const to = reinterpret_cast<Result *>(stage.items() + row * row_items) + lane() * lane_items;
    if constexpr (at_once < lane_items && sizeof(Result) == sizeof(Item)) {
#pragma unroll 1
      for (int k = 0; k < lane_items; k += at_once, own >>= at_once)
        emit_items<at_once>(items + k, to + k, own, value, {places.first - k, places.end - k});
    } else {
      emit_items<lane_items>(take(items), to, own, value, places);
    }
    carry = Lanes::Broadcast(value, warp_threads - 1);
  }

  // A few of a lane's. Smaller results go where other lanes' items are.
  template <int Count, class Items>
  __device__ void emit_items(const Items &items, Result *to, uint32_t heads, Accum &value, const Places &places) const {
    packed_vector<Result, Count> results{};
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      const Accum item = item_of(items, k), earlier = value;
      const bool head = heads >> k & 1;
      value = head ? seeded(item, k, places) : op_(value, item);
      results.set(k, static_cast<Result>(Inclusive ? value : head ? initial_ : earlier));
    }
    if constexpr (sizeof(Result) != sizeof(Item)) __syncwarp();
    if constexpr (packs && sizeof(Result) == sizeof(Item)) {
#pragma unroll
      for (int w = 0; w < results.words; ++w) reinterpret_cast<uint32_t *>(to)[w] = results.word[w];
    } else {
#pragma unroll
      for (int k = 0; k < Count; ++k) store_word(to + k, results[k]);
    }
  }

  // Stores `count` results, from item `first` of the tile on.
  __device__ void store(Stage &stage, const SegmentTurn &turn, int first, int count, int warp_tile) const {
    const Result *const staged = reinterpret_cast<const Result *>(stage.items() + first);
    if (Scatters && stage.is_scattered) store_scattered(stage, turn, staged, first, count, warp_tile);
    else store_contiguous(staged, stage.out + first, count);
  }

  // Items of the output that are neighbours.
  __device__ void store_contiguous(const Result *staged, uint64_t first, int count) const {
    if constexpr (stores_bytes<Result, Out>) {
      if ((reinterpret_cast<uintptr_t>(out_.data + first) - ptx::shared_address(staged)) % stage_align<Result> == 0) {
        store_staged<Result>(ptx::shared_address(staged), count, out_, first);
        return;
      }
    }
#pragma unroll 4
    for (int i = lane(); i < count; i += warp_threads) out_.store(first + i, load_word(staged + i));
  }

  // Each segment's by themselves.
  __device__ void store_scattered(const Stage &stage, const SegmentTurn &turn, const Result *staged, int first,
                                  int count, int warp_tile) const {
    const int last = first + count;
    const uint64_t chunk = uint64_t(turn.chunk) * call_.chunk_segments;
    for_each_segment(segments_, chunk + stage.starts[warp_tile].segment, call_.num_segments,
                     stage.starts[warp_tile].begin, last, [&](uint64_t, int64_t start, const Segment &s) {
                       const int stop = int(min_of(start + int64_t(s.length), int64_t(last)));
#pragma unroll 1
                       for (int k = int(max_of(start, int64_t(first))) + lane(); k < stop; k += warp_threads)
                         out_.store(s.out + (k - start), load_word(staged + (k - first)));
                     });
  }

  const Out &out_;
  const Segments &segments_;
  const SegmentCall &call_;
  Operator op_;
  Accum initial_;
};

// Of a tile that a block has by itself: one stage, of as many rows as take no more than the pipeline's have together,
// with a warp tile for each warp. Words are taken five at a time, so that there is less to compile.
template <class Policy, class Item> struct OneStage {
  static constexpr int threads = Policy::threads, emitters = threads / warp_threads, reducers = emitters, stages = 1,
                       lane_items = sizeof(Item) == 4 ? Policy::lane_items / 5 * 5 : Policy::lane_items,
                       rows = Policy::emitters * Policy::rows * Policy::stages * Policy::lane_items /
                              (emitters * lane_items);
};

}  // namespace jig
