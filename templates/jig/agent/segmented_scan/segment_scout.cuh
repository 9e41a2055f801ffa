// A warp of a pipeline (segment_pipeline.cuh) that finds out from the offsets what a tile's items are and where, marks
// where segments begin, and has the items brought to the stage.
//
// Of segments that are known to adjoin the ends of a chunk tell where its items are, if the offsets between do not
// fall: so these are brought first, and the offsets looked at while they are on their way. (Items between two offsets
// are always of some segment that is between these, in whatever order the others are.) Chunks in which offsets fall
// are listed as others, of which lengths have to be added up.
#pragma once
#include <jig/agent/segmented_scan/segment_filler.cuh>
#include <jig/core/load_vector.cuh>

namespace jig {

// Brings offsets closer, where they are in memory.
template <class Offsets> __device__ void prefetch_offsets(const Offsets &, uint64_t, uint32_t) {}
template <class T> __device__ void prefetch_offsets(const Pointer<T> &offsets, uint64_t first, uint32_t count) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(offsets.data + first) + 15 & ~uintptr_t(15);
  const uintptr_t end = reinterpret_cast<uintptr_t>(offsets.data + first + count) & ~uintptr_t(15);
  if (begin < end) ptx::bulk_prefetch(reinterpret_cast<const void *>(begin), uint32_t(end - begin));
}

template <class StageOf, class SegmentsOf, bool AreAdjoining> class SegmentScout : SegmentFiller<StageOf> {
  using Filler = SegmentFiller<StageOf>;
  using Filler::address, Filler::clear, Filler::copy, Filler::describe, Filler::finish, Filler::first_byte_of,
      Filler::in_, Filler::lane, Filler::place_of;

 public:
  using Stage = StageOf;
  using Item = typename Stage::item_type;
  using Filler::Lead;
  static constexpr bool adjoins = AreAdjoining, are_few = false;
  using Segments = SegmentsOf;

  __device__ SegmentScout(const SegmentCall &call, const Pointer<Item> &in, const Segments &segments,
                          SegmentStart &start, SegmentCover &cover)
      : Filler(in), call_(call), segments_(segments), work_(call), at_start_(start), cover_(cover) {}

  // By one thread, some time before Fill().
  static __device__ void Prefetch(const SegmentCall &call, const Segments &segments, const SegmentTurn &turn) {
    const uint64_t first = uint64_t(turn.chunk) * call.chunk_segments;
    const uint32_t count = uint32_t(min_of(call.num_segments - first, uint64_t(call.chunk_segments)));
    prefetch_offsets(segments.begins, first, count);
    if constexpr (!adjoins) prefetch_offsets(segments.ends, first, count);
  }

  // ---- turns that a block has from the start (segment_shares.cuh)

  // Has a turn's items brought, and arrives at the barrier once. By a warp for each.
  __device__ void Bring(Stage &stage, const SegmentTurn &turn, uint64_t *barrier) const {
    const SegmentPlace w = place_of(turn);
    copy(stage, w, barrier);
    describe(stage, w, false);
  }

  // Marks its end; by all of the block's threads.
  template <int Threads> __device__ void MarkEnd(Stage &stage, const SegmentTurn &turn) const {
    const SegmentPlace w = place_of(turn);
    Filler::template mark_end<Threads>(stage, first_byte_of(w, false), w.count);
  }

  // Marks where segments begin in all tiles of a chunk, a stage each: what a warp has of the offsets, in rows of
  // which it takes each `step`th. Whether these rise.
  __device__ bool MarkShare(Stage *stages, const SegmentTurn &turn, int items, uint32_t row, uint32_t step) const {
    const int lead = int(Lead(in_, turn.in));
    const uint64_t in = turn.in - lead;
    if (uint64_t(turn.chunk) * call_.chunk_segments >= call_.num_segments) return true;
    const Window chunk = chunk_window(turn);
    if (row == 0 && lane() < min_of(lead, items)) stages[0].mark(lane());
    bool rises = true;
#pragma unroll 1
    for (; row < chunk.rows; row += step) {
      const OrderedRow mine = load_in_order(chunk, row);
      const Wide begin = Lanes<Wide>::Broadcast(Wide(mine[0]) - Wide(in), 0);
      const Wide end = Lanes<Wide>::Broadcast(Wide(mine[lane_segments]) - Wide(in), warp_threads - 1);
      int s = int(min_of(begin, Wide(max_of(items, 1) - 1)) / Stage::tile_items);
#pragma unroll 1
      do {
        Window w;
        w.in = in + uint64_t(s) * Stage::tile_items;
        w.count = min_of(items - s * Stage::tile_items, Stage::tile_items);
        mark_row(stages[s], w, mine, rises);
      } while (++s * Stage::tile_items < items && Wide(s * Stage::tile_items) < end);
    }
    return __all_sync(full_warp, rises);
  }

  // ----

  // Makes the stage the tile that is the block's turn, and arrives at the barrier twice: when all but what bulk
  // copies bring is there. A chunk of more than a tile is listed, and the stage has nothing. `alone`: how many items
  // there are of SegmentTurn::Alone.
  __device__ void Fill(Stage &stage, const SegmentTurn &turn, uint64_t *barrier, uint64_t &alone) {
    if constexpr (adjoins) {
      if (turn.kind == SegmentTurn::Tile && turn.in_order != 0) {
        fill_tile(stage, turn, barrier);
        return;
      }
      if (turn.kind == SegmentTurn::Chunk && fill_chunk(stage, turn, barrier)) return;
    }
    // Of segments that adjoin, if offsets fall: what is on its way is of no use, and a chunk, of which alone that may
    // be so, has nothing in the stage. That is rare, so items have no other way here if they lie side by side all the
    // same.
    const bool is_chunk = turn.kind == SegmentTurn::Chunk;
    Window w = window_of(turn);
    clear(stage);
    uint64_t items = 0;
    bool scattered = walk(stage, w, items);
    if (is_chunk) {
      w.count = items <= uint64_t(Stage::tile_items) && !adjoins ? int(items) : 0;
      examine(w, turn, items, false);
    } else if (adjoins && turn.kind == SegmentTurn::Alone) {
      w.count = int(min_of(items - w.first, uint64_t(Stage::tile_items)));
      if (lane() == 0 && w.first == 0) alone = items;
    }
    scattered = w.count > 0 && (adjoins || scattered || address(w) % Stage::align != 0);
    if (scattered) gather(stage, w);
    if (!adjoins && !scattered) copy(stage, w, barrier);
    else if (!(adjoins && is_chunk) && lane() == 0) ptx::mbarrier_arrive(barrier);
    finish(stage, w, scattered, barrier);
  }

 private:
  // Items first .. first + count - 1 of those that the segments of a chunk have.
  struct Window : SegmentPlace {  // `count` of a chunk, before it is known: as many as a tile has
    uint64_t segment;    // the chunk's first
    uint32_t segments;   // of it
    uint32_t row, rows;  // where they are looked at first, and where no more
    uint64_t before;     // how many items come before that
    uint64_t first;
  };

  __device__ Window chunk_window(const SegmentTurn &turn) const {
    Window w = {};
    w.segment = uint64_t(turn.chunk) * call_.chunk_segments;
    w.segments = uint32_t(min_of(call_.num_segments - w.segment, uint64_t(call_.chunk_segments)));
    w.rows = ceil_div(w.segments, uint32_t(listed_segments));
    w.count = Stage::tile_items;
    return w;
  }

  __device__ Window window_of(const SegmentTurn &turn) {
    Window w = chunk_window(turn);
    if (turn.kind == SegmentTurn::Alone) w.first = turn.first;
    if (turn.kind != SegmentTurn::Tile) return w;
    w.first = turn.first;
    w.count = turn.count;
    if (entry_ != turn.entry) {
      join();
      entry_ = turn.entry;
      start_ = turn.in_order == unlisted ? start_of_lane(w, turn) : work_.TakeStart(turn.entry);
      if (lane() == 0) cover_.begin = cover_.end = 0;
      __syncwarp();
    }
    const bool exists = lane() < work_.starts();
    w.row = __popc(__ballot_sync(full_warp, exists && start_ <= w.first)) - 1;
    w.rows = __popc(__ballot_sync(full_warp, exists && start_ < w.first + w.count));
    w.before = Lanes<uint64_t>::Broadcast(start_, int(w.row));
    return w;
  }

  // As a list would say it.
  __device__ uint64_t start_of_lane(const Window &chunk, const SegmentTurn &turn) const {
    const uint64_t first = min_of(lane() * uint32_t(listed_segments), chunk.segments);
    if (lane() == 0) return 0;
    return uint64_t(int64_t(segments_.begins[chunk.segment + first])) - (turn.in - Lead(in_, turn.in));
  }

  // A chunk of which the stage has nothing though it has so many items is listed. One that others have claimed is
  // nothing.
  __device__ void examine(Window &w, const SegmentTurn &turn, uint64_t items, bool in_order, uint64_t in = 0) {
    join();
    const bool is_known = at_start_.known_tiles > 0 && turn.chunk == at_start_.known_chunk;
    const bool lists = uint64_t(w.count) < items && !is_known;
    const bool is_others = turn.is_own != 0 && at_start_.has_claimed == 0;
    if (is_known || is_others) w.count = 0;
    if (is_others) return;
    if (lists) {
      const uint32_t each = tile_items_of(items, call_.num_chunks, Stage::warp_tile_items, Stage::warp_tiles);
      const uint32_t entry = work_.List(turn.chunk, items, each, in_order, in);
      const uint64_t start = lane() * uint32_t(listed_segments) < w.segments ? row_start_ : items;
      if (lane() < work_.starts()) work_.PutStart(entry, lane(), start);
    }
    if (lane() == 0) work_.Examined(lists);
  }

  __device__ void join() {
    ptx::mbarrier_wait(&at_start_.known, 0);
    work_.Join(at_start_.tag, at_start_.known_tiles);
  }

  // ---- offsets that rise, of segments that adjoin: in rows of eight for each lane

  using Offset = typename Segments::Offset;
  using Wide = conditional<(sizeof(Offset) <= 4), uint32_t, uint64_t>;
  static constexpr int lane_segments = listed_segments / warp_threads;
  // Whether there are registers for two rows.
  static constexpr bool loads_ahead = sizeof(Offset) <= 4;

  // A lane's; the last lane also has where the next row begins. Of segments that are not the chunk's, where that ends.
  using OrderedRow = array<Offset, lane_segments + 1>;
  __device__ OrderedRow load_in_order(const Window &w, uint32_t row) const {
    const uint32_t mine = row * listed_segments + lane() * lane_segments;
    OrderedRow r;
    const bool aligned = w.segment % lane_segments == 0;
    if (can_load_vectors<lane_segments>(segments_.begins) && aligned && mine + lane_segments <= w.segments) {
      const auto loaded = load_items<lane_segments>(segments_.begins, w.segment + mine, true);
#pragma unroll
      for (int k = 0; k < lane_segments; ++k) r[k] = loaded[k];
    } else {
#pragma unroll
      for (int k = 0; k < lane_segments; ++k) r[k] = segments_.begins[w.segment + min_of(mine + k, w.segments)];
    }
    r[lane_segments] = segments_.begins[w.segment + min_of((row + 1) * listed_segments, w.segments)];
    return r;
  }

  // A chunk, if its offsets rise. False: they fall; then the barrier has been arrived at once.
  __device__ bool fill_chunk(Stage &stage, const SegmentTurn &turn, uint64_t *barrier) {
    Window w = chunk_window(turn);
    const uint64_t items = place_chunk(w);
    copy(stage, w, barrier);
    const bool is_copied = copy_offsets(stage, w);
    clear(stage);
    if (lane() < w.lead) stage.mark(lane());
    if (!(is_copied ? mark_copied(stage, w) : mark_in_order(stage, w).rises)) return false;
    row_start_ = 0;
    if (uint64_t(w.count) < items && lane() > 0) {
      const uint64_t first = w.segment + min_of(lane() * uint32_t(listed_segments), w.segments);
      row_start_ = uint64_t(int64_t(segments_.begins[first])) - w.in;
    }
    examine(w, turn, items, true, w.in + w.lead);
    finish(stage, w, false, barrier);
    return true;
  }

  // Where its items are, and how many there are. Of more than a tile the stage has nothing.
  __device__ uint64_t place_chunk(Window &w) const {
    const Offset end = segments_.begins[w.segment + w.segments], begin = segments_.begins[w.segment];
    const uint64_t in = uint64_t(int64_t(begin));
    w.lead = int(Lead(in_, in));
    w.in = w.out = in - w.lead;
    const uint64_t items = begin < end ? uint64_t(int64_t(end)) - w.in : 0;
    w.count = items <= uint64_t(Stage::tile_items) ? int(items) : 0;
    return items;
  }

  // A tile of a chunk whose offsets are known to rise.
  __device__ void fill_tile(Stage &stage, const SegmentTurn &turn, uint64_t *barrier) {
    const SegmentPlace placed = place_of(turn);
    copy(stage, placed, barrier);
    clear(stage);
    Window w = window_of(turn);
    w.in = w.out = placed.in;
    w.lead = placed.lead;
    if (lane() < w.lead) stage.mark(lane());
    const bool is_covered = w.first >= cover_.begin && w.first + w.count <= cover_.end;
    if (!is_covered && !mark_in_order(stage, w).has_heads) find_cover(w, w.in - w.first);
    finish(stage, w, false, barrier);
  }

  // Marks where segments begin in a window. Whether the offsets rise, and whether there are heads.
  struct Marked {
    bool rises, has_heads;
  };
  __device__ Marked mark_in_order(Stage &stage, const Window &w) {
    Marked marked = {true, false};
    OrderedRow next = load_in_order(w, w.row);
#pragma unroll 1
    for (uint32_t row = w.row; row < w.rows; ++row) {
      const OrderedRow mine = next;
      if (loads_ahead && row + 1 < w.rows) next = load_in_order(w, row + 1);
      marked.has_heads = mark_row(stage, w, mine, marked.rises) || marked.has_heads;
      if (!loads_ahead && row + 1 < w.rows) next = load_in_order(w, row + 1);
    }
    return {__all_sync(full_warp, marked.rises) != 0, __any_sync(full_warp, marked.has_heads) != 0};
  }

  // The offsets of a chunk are copied, too, if there is room for them behind the items: they are looked at row by
  // row, and shared memory is faster to answer. Whether they are.
  __device__ bool copy_offsets(Stage &stage, const Window &w) {
    const int bytes = int(w.segments * sizeof(Offset)), first = place_of_offsets(w);
    if (sizeof(Offset) < 4 || w.segments % lane_segments != 0 || w.segment % lane_segments != 0 ||
        !can_load_vectors<lane_segments>(segments_.begins) || first + bytes > int(sizeof stage.bytes))
      return false;
    if (lane() == 0) {
      ptx::mbarrier_arrive_expect(&cover_.copied, bytes);
      ptx::bulk_copy(stage.bytes + first, &segments_.begins.data[w.segment], bytes, &cover_.copied);
    }
    return true;
  }
  // In the stage's bytes.
  __device__ int place_of_offsets(const Window &w) const {
    constexpr int vector = 16;
    return ceil_div(first_byte_of(w, false) + w.count * int(sizeof(Item)), vector) * vector;
  }

  // Marks where segments of a chunk begin. Whether its offsets rise.
  __device__ bool mark_copied(Stage &stage, const Window &w) {
    Offset *const offsets = reinterpret_cast<Offset *>(stage.bytes + place_of_offsets(w));
    bool rises = true;
    const Offset end = segments_.begins[w.segment + w.segments];
    ptx::mbarrier_wait(&cover_.copied, copies_++ % 2);
#pragma unroll 1
    for (uint32_t first = 0; first < w.segments; first += listed_segments) {
      const uint32_t mine = first + lane() * lane_segments, next = first + listed_segments;
      OrderedRow r;
      if (mine < w.segments) {
        const auto loaded = load_items<lane_segments>(Pointer<Offset>{offsets}, mine, true);
#pragma unroll
        for (int k = 0; k < lane_segments; ++k) r[k] = loaded[k];
      } else {
#pragma unroll
        for (int k = 0; k < lane_segments; ++k) r[k] = end;
      }
      r[lane_segments] = next < w.segments ? offsets[next] : end;
      mark_row(stage, w, r, rises);
    }
    return __all_sync(full_warp, rises);
  }

  // A row that every lane has a part of. Whether the lane's has heads.
  __device__ bool mark_row(Stage &stage, const Window &w, const OrderedRow &mine, bool &rises) const {
    Offset past = shuffle_from(mine[0], (lane() + 1) % warp_threads, warp_threads, full_warp);
    if (lane() == warp_threads - 1) past = mine[lane_segments];
    return mark_lane(stage, w, mine, past, Wide(w.in), rises);
  }

  // A lane's of a row, behind which comes `past`.
  __device__ bool mark_lane(Stage &stage, const Window &w, const OrderedRow &mine, Offset past, Wide zero,
                            bool &rises) const {
    bool has_heads = false;
#pragma unroll
    for (int k = 0; k < lane_segments; ++k) rises = rises && mine[k] <= next_of(mine, k, past);
    const Wide first = Wide(mine[0]) - zero, end = Wide(past) - zero;
    if (__all_sync(full_warp, end - first <= Wide(warp_threads) && first <= end && end <= Wide(w.count))) {
      // Short ones, all in the window: in no more than two words.
      uint32_t bits = 0;
#pragma unroll
      for (int k = 0; k < lane_segments; ++k)
        if (mine[k] != next_of(mine, k, past)) bits |= __funnelshift_l(0, 1, uint32_t(Wide(mine[k]) - zero - first));
      has_heads = bits != 0;
      stage.mark_all(uint32_t(first), bits);
    } else {
#pragma unroll
      for (int k = 0; k < lane_segments; ++k) {
        const Wide place = Wide(mine[k]) - zero;
        if (mine[k] == next_of(mine, k, past) || place >= Wide(w.count)) continue;
        has_heads = true;
        stage.mark(uint32_t(place));
      }
    }
    return has_heads;
  }
  static __device__ Offset next_of(const OrderedRow &mine, int k, Offset past) {
    return k + 1 < lane_segments ? mine[min_of(k + 1, lane_segments - 1)] : past;
  }

  // Of a window whose items are all of one segment: how far that reaches.
  __device__ void find_cover(const Window &w, uint64_t chunk_in) {
    __syncwarp();  // what all have read is written
#pragma unroll 1
    for (uint32_t i = w.row * listed_segments; i < w.segments; i += warp_threads) {
      const uint64_t k = w.segment + min_of(i + lane(), w.segments - 1);
      const uint64_t begin = uint64_t(int64_t(segments_.begins[k])) - chunk_in;
      const uint64_t end = uint64_t(int64_t(segments_.ends[k])) - chunk_in;
      const uint32_t lanes = __ballot_sync(full_warp, begin <= w.first && w.first < end);
      if (lanes == 0) continue;
      if (lane() == __ffs(lanes) - 1) {
        cover_.begin = begin;
        cover_.end = end;
      }
      return;
    }
  }

  // ---- offsets of any kind: in rows of one for each lane

  // Marks where a window's segments begin. Whether some do not adjoin; it is not looked for where offsets fall.
  __device__ bool walk(Stage &stage, Window &w, uint64_t &items) {
    uint64_t before = w.before, in = 0, out = 0;
    bool has = false, apart = false;
#pragma unroll 1
    for (uint32_t i = w.row * listed_segments; i < w.rows * listed_segments; i += warp_threads) {
      Segment s = {0, 0, 0};
      if (i + lane() < w.segments) s = segments_[w.segment + i + lane()];
      const uint64_t scanned = Lanes<uint64_t>::InclusiveScan(s.length, plus{}), start = before + scanned - s.length;
      if (i == lane() * listed_segments) row_start_ = before;
      before += Lanes<uint64_t>::Broadcast(scanned, warp_threads - 1);
      if (s.length > 0 && start < w.first + w.count && start + s.length > w.first) {
        if (start >= w.first) stage.mark(uint32_t(start - w.first));
        if constexpr (adjoins) continue;
        apart = apart || (has && (s.in - start != in || s.out - start != out));
        in = s.in - start;
        out = s.out - start;
        has = true;
      }
    }
    items = before;
    if constexpr (adjoins) return true;
    const uint32_t lanes = __ballot_sync(full_warp, has);
    const int any = lanes == 0 ? 0 : __ffs(lanes) - 1;
    w.in = Lanes<uint64_t>::Broadcast(in, any);
    w.out = Lanes<uint64_t>::Broadcast(out, any);
    apart = apart || (has && (in != w.in || out != w.out));
    w.in += w.first;
    w.out += w.first;
    return __any_sync(full_warp, apart);
  }

  // ---- items

  // Segment by segment; and where warp tiles begin.
  __device__ void gather(Stage &stage, const Window &w) const {
    const int64_t begin = int64_t(w.before - w.first);
    for_each_segment(segments_, w.segment + w.row * listed_segments, w.segment + w.segments, begin, w.count,
                     [&](uint64_t i, int64_t start, const Segment &s) {
                       const int64_t end = min_of(start + int64_t(s.length), int64_t(w.count));
                       const int first = int(max_of(start, int64_t(0)));
                       if (end <= 0) return;
                       const int warp_tile = ceil_div(first, Stage::warp_tile_items) + lane();
                       if (lane() < Stage::warp_tiles && warp_tile * Stage::warp_tile_items < end)
                         stage.starts[warp_tile] = {start, uint32_t(i - w.segment)};
                       copy_items(stage, in_.data + (int64_t(s.in) - start), first, int(end));
                     });
  }

  // Several are on their way at once, which the compiler would not see to by itself.
  __device__ void copy_items(Stage &stage, const Item *from, int first, int end) const {
    using Word = typename staged_word<sizeof(Item)>::type;
    constexpr int batch = sizeof(Item) <= 4 ? 4 : 1;  // more takes too many registers
    Word *const to = reinterpret_cast<Word *>(stage.bytes);
#pragma unroll 1
    for (int k = first + lane(); k < end; k += batch * warp_threads) {
      Word words[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (k + j * warp_threads < end) words[j] = bit_cast<Word>(from[k + j * warp_threads]);
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (k + j * warp_threads < end) to[k + j * warp_threads] = words[j];
    }
  }

  const SegmentCall &call_;
  const Segments &segments_;
  SegmentWork work_;
  SegmentStart &at_start_;
  SegmentCover &cover_;
  uint64_t row_start_;  // how many items come before the row that is the lane's, in a chunk
  // Of the last tile's chunk: what its list says, a place for each lane.
  uint32_t entry_ = ~uint32_t(0);
  uint64_t start_;
  uint32_t copies_ = 0;
};

}  // namespace jig
