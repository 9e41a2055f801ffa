// A block's share of segments that adjoin, if shared memory holds all of its items: a pipeline would hardly begin to
// flow, so no warp has a role then. Each has a warp tile, of as many rows as that takes, and begins when the items of
// its group of warps are there.
//
// If there are few items for each thread, these hold them.
#pragma once
#include <jig/agent/segmented_scan/few_segments.cuh>
#include <jig/agent/segmented_scan/segmented_scan_tile.cuh>

namespace jig {

// Work is a SegmentedScanPipeline with a warp tile for each of the block's warps; TileWork a SegmentedScanTile of Rows
// rows.
template <int Threads, int Rows, int Groups, class Work, class TileWork>
class AgentSmallShare : SegmentFiller<typename Work::Stage> {
  using Filler = SegmentFiller<typename Work::Stage>;
  using Stage = typename Work::Stage;
  using State = typename Work::State;
  using Filler::copy, Filler::describe, Filler::first_byte_of, Filler::lane, Filler::Lead, Filler::place_of;
  static constexpr int warps = Threads / warp_threads, group_warps = ceil_div(warps, Groups);
  static_assert(Stage::warp_tiles == warps && Stage::row_items * sizeof(typename Work::Item) % 16 == 0);

 public:
  static constexpr uint64_t most_items = Stage::tile_items - Stage::align;

  struct TempStorage {
    Stage stage;
    uninitialized<State, warps> totals;
    typename TileWork::TempStorage items;  // which a share makes no use of
  };

  // Of the covers only the barriers are made use of.
  __device__ AgentSmallShare(TempStorage &storage, SegmentCover (&covers)[Groups],
                             const Pointer<typename Work::Item> &in, Work &work, TileWork &tile_work)
      : Filler(in), storage_(storage), covers_(covers), work_(work), tile_work_(tile_work) {}

  // By all threads, which are to meet before Begin(). Needs nothing of a launch before.
  static __device__ void Prepare(TempStorage &storage, SegmentCover (&covers)[Groups]) {
    storage.stage.template Clear<Threads>();
    if (threadIdx.x == Threads - 1) {
#pragma unroll
      for (int g = 0; g < Groups; ++g) ptx::mbarrier_init(&covers[g].copied, 1);
      ptx::fence_mbarrier_init();
    }
  }

  // Has the items brought; then each segment is to be marked, by a thread, and all are to meet before Run().
  __device__ void Begin(const FewTurns &turns) {
    Stage &stage = storage_.stage;
    if (is_held(turns)) {
      tile_work_.Load(tile(turns));
      // What is past the end counts as heads, so that nothing is folded with it.
      const int kept = int(turns.items) - int(threadIdx.x) * warp_threads;
      if (threadIdx.x < warps * Rows && kept < warp_threads)
        stage.mark_all(threadIdx.x * warp_threads, kept > 0 ? full_warp << kept : full_warp);
      return;
    }
    lead_ = int(Lead(in_, turns.in));
    SegmentTurn turn = {SegmentTurn::Own};
    turn.count = int(turns.items) + lead_;
    turn.in = turns.in;
    const SegmentPlace place = place_of(turn);
    const int even_rows = ceil_div(turn.count, warps * Stage::row_items);
    if (warp() == 0) {
      describe(stage, place, false);
      if (lane() == 0) stage.even_rows = uint8_t(even_rows);
    }
    if (warp() % group_warps == 0) {
      const int first = warp() * even_rows * Stage::row_items;
      SegmentPlace part = place;
      part.in += first;
      part.count = min_of(place.count - first, group_warps * even_rows * Stage::row_items);
      if (first > 0) part.lead = 0;
      if (part.count > 0) copy(stage, part, copied(), first);
    }
    if (threadIdx.x < lead_) stage.mark(threadIdx.x);
    Filler::template mark_end<Threads>(stage, first_byte_of(place, false), turn.count);
  }
  __device__ void Mark(const FewTurns &turns, uint64_t begin) {
    const uint64_t at = begin - turns.in;
    if (at < turns.items) storage_.stage.mark(uint32_t(at) + lead_);
  }

  // Instead of Run(), when all have met: nothing is on its way to the warp's part of the storage then.
  __device__ void Leave(const FewTurns &turns) {
    if (!is_held(turns) && warp() < used_warps()) ptx::mbarrier_wait(copied(), 0);
  }

  __device__ void Run(const FewTurns &turns) {
    if (turns.items == 0) return;
    if (is_held(turns)) {
      const Tile mine = tile(turns);
      const int used = ceil_div(mine.count, mine.used_rows * warp_threads);
      if (warp() >= used) return;
      const State total = tile_work_.Fold(mine);
      tile_work_.Emit(mine, exchange(total, used));
      return;
    }
    const int used = used_warps();
    if (warp() >= used) return;
    ptx::mbarrier_wait(copied(), 0);
    const State total = work_.Reduce(storage_.stage, warp());
    work_.Emit(storage_.stage, {SegmentTurn::Own}, warp(), exchange(total, used));
  }

 private:
  using Filler::in_;
  static __device__ int warp() { return threadIdx.x / warp_threads; }
  static __device__ bool is_held(const FewTurns &turns) { return turns.items <= Rows * Threads; }

  // Of the warp's group, which one of its warps had copied.
  __device__ uint64_t *copied() const { return &covers_[warp() / group_warps].copied; }
  __device__ int used_warps() const {
    return ceil_div(storage_.stage.count, storage_.stage.even_rows * Stage::row_items);
  }

  // As of segment_tile.cuh.
  struct Tile {
    const uint32_t *words;
    uint64_t begin;
    int count, used_rows;

    __device__ int rows() const { return used_rows; }
    __device__ int place_of(int row) const { return (warp() * used_rows + row) * warp_threads + lane(); }
    __device__ uint32_t heads(int row) const { return words[warp() * used_rows + row]; }
    __device__ bool exists(int row) const { return place_of(row) < count; }
    __device__ uint64_t in(int row) const { return begin + place_of(row); }
    __device__ uint64_t out(int row) const { return in(row); }
    static constexpr __device__ bool is_scattered() { return false; }
    template <class Then> __device__ void ForEachItem(Then) const {}
  };
  __device__ Tile tile(const FewTurns &turns) const {
    return {storage_.stage.heads, turns.in, int(turns.items), ceil_div(int(turns.items), Threads)};
  }

  // By those of the block's first warps that are used: what is open before the warp tile.
  __device__ State exchange(const State &total, int used) const {
    if (used == 1) return total;
    if (lane() == 0) storage_.totals[warp()] = total;
    ptx::sync_threads(1, used * warp_threads);
    if (warp() == 0) return total;
    const State &mine = storage_.totals[min_of(lane(), warp() - 1)];
    // Lanes that hold no warp's count as heads, so that nothing is folded with them.
    const uint32_t heads = __ballot_sync(full_warp, mine.heads != 0) | full_warp << warp();
    const auto folded = scan_open_runs(mine.value, heads, work_.op().op);
    return {Lanes<decltype(State::value)>::Broadcast(folded, warp() - 1), 0};
  }

  TempStorage &storage_;
  SegmentCover (&covers_)[Groups];
  Work &work_;
  TileWork &tile_work_;
  int lead_ = 0;
};

}  // namespace jig
