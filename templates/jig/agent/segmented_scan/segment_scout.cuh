// A warp of a pipeline (segment_pipeline.cuh) that finds out from the offsets what a tile's items are and where, marks
// where segments begin, and has the items brought to the stage.
//
// Offsets that rise, of segments that adjoin, tell by their differences what comes where; otherwise lengths have to be added
// up. A launch that is for all segments is one of such that adjoin.
#pragma once
#include <jig/agent/segmented_scan/segment_stage.cuh>
#include <jig/core/load_vector.cuh>

namespace jig {

template <class Begins, class Ends> constexpr bool may_adjoin = false;
template <class T> constexpr bool may_adjoin<Pointer<T>, Pointer<T>> = true;

// Brings offsets closer, where they are in memory.
template <class Offsets> __device__ void prefetch_offsets(const Offsets &, uint64_t, uint32_t) {}
template <class T> __device__ void prefetch_offsets(const Pointer<T> &offsets, uint64_t first, uint32_t count) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(offsets.data + first) + 15 & ~uintptr_t(15);
  const uintptr_t end = reinterpret_cast<uintptr_t>(offsets.data + first + count) & ~uintptr_t(15);
  if (begin < end) ptx::bulk_prefetch(reinterpret_cast<const void *>(begin), uint32_t(end - begin));
}

template <class Stage, class Begins, class Ends, class OutBegins> class SegmentScout {
  using Item = typename Stage::item_type;
  static constexpr bool may_adjoin = jig::may_adjoin<Begins, Ends> && is_same<OutBegins, none>;

 public:
  using Segments = LongSegments<Begins, Ends, OutBegins>;

  __device__ SegmentScout(const SegmentCall &call, const Pointer<Item> &in, const Segments &segments, uint64_t tag)
      : call_(call), in_(in), segments_(segments), work_(call) {
    work_.Join(tag);
    vectorize_ = can_load_vectors<lane_segments>(segments.begins);
  }

  // By one thread, some time before Fill().
  static __device__ void Prefetch(const SegmentCall &call, const Segments &segments, const SegmentTurn &turn) {
    const uint64_t first = uint64_t(turn.chunk) * call.chunk_segments;
    const uint32_t count = uint32_t(min_of(call.num_segments - first, uint64_t(call.chunk_segments)));
    prefetch_offsets(segments.begins, first, count);
    if (call.short_items > 0) prefetch_offsets(segments.ends, first, count);
  }

  // Makes the stage the tile that is the block's turn, and arrives at the barrier twice: when all but what bulk copies bring
  // is there. A chunk of more than a tile is listed, and the stage has nothing.
  __device__ void Fill(Stage &stage, const SegmentTurn &turn, uint64_t *barrier) {
    const bool is_chunk = turn.kind == SegmentTurn::Chunk;
    Window w = window_of(turn);
    clear(stage);
    bool scattered = false;
    if (!is_within(turn, w)) {
      uint64_t items = 0;
      bool done = false;
      if constexpr (may_adjoin) done = call_.short_items == 0 && walk_in_order(stage, w, is_chunk, items);
      if (!done) {
        clear(stage);
        scattered = walk(stage, w, items);
      }
      if (is_chunk) examine(w, turn.chunk, items);
    }
    scattered = w.count > 0 && (scattered || address(w) % sizeof(Item) != 0);
    const int first_byte = scattered ? 0 : int(address(w) % 16);
    if (lane() == 0) {
      stage.in = w.in;
      stage.out = w.out;
      stage.count = w.count;
      stage.is_scattered = scattered;
      stage.first_byte = first_byte;
    }
    if (scattered) gather(stage, w);
    if (!scattered && w.count > 0) copy(stage, w, first_byte, barrier);
    else if (lane() == 0) ptx::mbarrier_arrive(barrier);
    if (w.count % Stage::row_items != 0) mark_end(stage, first_byte, w.count);
    __syncwarp();
    if (lane() == 0) ptx::mbarrier_arrive(barrier);
  }

 private:
  // Items first .. first + count - 1 of those that the segments of a chunk have.
  struct Window {
    uint64_t segment;         // the chunk's first
    uint32_t segments;        // of it
    uint32_t row, rows;       // where they are looked at first, and where no more
    uint64_t before;          // how many items come before that
    uint64_t first;
    int count;         // of a chunk, before it is known: as many as a tile has
    uint64_t in, out;  // where the first item is, and where what comes of it goes to
  };

  __device__ Window window_of(const SegmentTurn &turn) {
    Window w = {uint64_t(turn.chunk) * call_.chunk_segments};
    w.segments = uint32_t(min_of(call_.num_segments - w.segment, uint64_t(call_.chunk_segments)));
    w.rows = ceil_div(w.segments, uint32_t(listed_segments));
    w.count = Stage::tile_items;
    if (turn.kind != SegmentTurn::Tile) return w;
    w.first = turn.first;
    w.count = turn.count;
    if (entry_ != turn.entry) {
      entry_ = turn.entry;
      start_ = work_.TakeStart(turn.entry);
      covered_ = 0;
    }
    const bool exists = lane() < work_.starts();
    w.row = __popc(__ballot_sync(full_warp, exists && start_ <= w.first)) - 1;
    w.rows = __popc(__ballot_sync(full_warp, exists && start_ < w.first + w.count));
    w.before = Lanes<uint64_t>::Broadcast(start_, int(w.row));
    return w;
  }

  __device__ uintptr_t address(const Window &w) const { return reinterpret_cast<uintptr_t>(in_.data + w.in); }

  // Whether all items are known to be of one segment, which covered an earlier tile as well.
  __device__ bool is_within(const SegmentTurn &turn, Window &w) const {
    w.in = w.out = in_of_first_ + w.first;
    return turn.kind == SegmentTurn::Tile && w.first >= covered_first_ && w.first + w.count <= covered_;
  }

  // A chunk that has so many items becomes a tile, or is listed.
  __device__ void examine(Window &w, uint32_t chunk, uint64_t items) {
    w.count = 0;
    if (items <= uint64_t(Stage::tile_items)) {
      w.count = int(items);
    } else {
      const uint32_t each = tile_items_of(items, call_.num_chunks, Stage::warp_tile_items, Stage::warp_tiles);
      const uint32_t entry = work_.List(chunk, items, each);
      const uint64_t start = lane() * uint32_t(listed_segments) < w.segments ? row_start_ : items;
      if (lane() < work_.starts()) work_.PutStart(entry, lane(), start);
    }
    if (lane() == 0) work_.Examined();
  }

  // ---- marks

  static __device__ void clear(Stage &stage) {
    constexpr int vectors = sizeof stage.heads / sizeof(uint4);
    __syncwarp();
#pragma unroll 1
    for (int i = lane(); i < vectors; i += warp_threads) reinterpret_cast<uint4 *>(stage.heads)[i] = uint4{0, 0, 0, 0};
    __syncwarp();
  }

  static __device__ void mark(Stage &stage, uint32_t place) {
    ptx::or_shared(ptx::shared_address(stage.heads) + place / warp_threads * 4, 1u << place % warp_threads);
  }

  // In the rest of the last row that has items; there are zeros then.
  static __device__ void mark_end(Stage &stage, int first_byte, int count) {
    const int last = ceil_div(count, Stage::row_items) * Stage::row_items;
    auto *const words = reinterpret_cast<typename item_word<sizeof(Item)>::type *>(stage.bytes + first_byte);
    __syncwarp();
#pragma unroll 1
    for (int i = count + lane(); i < last; i += warp_threads) words[i] = {};
#pragma unroll 1
    for (int word = count / warp_threads + lane(); word * warp_threads < last; word += warp_threads) {
      const int kept = count - word * warp_threads;
      stage.heads[word] |= kept > 0 ? full_warp << kept : full_warp;
    }
    ptx::fence_bulk_copies();
  }

  // ---- offsets that rise, of segments that adjoin: in rows of eight for each lane

  using Offset = typename Begins::value_type;
  using Wide = conditional<(sizeof(Offset) <= 4), uint32_t, uint64_t>;
  static constexpr int lane_segments = listed_segments / warp_threads;
  // Whether there are registers for two rows.
  static constexpr bool loads_ahead = sizeof(Offset) <= 4;

  // A lane's; the last lane also has where the next row begins. Of segments that are not the chunk's, where that ends.
  using OrderedRow = array<Offset, lane_segments + 1>;
  __device__ OrderedRow load_in_order(const Window &w, uint32_t row) const {
    const uint32_t mine = row * listed_segments + lane() * lane_segments;
    OrderedRow r;
    if (vectorize_ && mine + lane_segments <= w.segments) {
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

  // Marks where segments begin, and finds where the first item is; of a whole chunk, how many items that has. Whether the
  // offsets rise.
  __device__ bool walk_in_order(Stage &stage, Window &w, bool is_chunk, uint64_t &items) {
    OrderedRow next = load_in_order(w, w.row);
    const Offset first = Lanes<Offset>::Broadcast(next[0], 0);
    const Wide base = Wide(first) - Wide(w.before), zero = base + Wide(w.first);
    Wide until = Wide(first);
    bool rises = true, has_heads = false;
#pragma unroll 1
    for (uint32_t row = w.row; row < w.rows; ++row) {
      OrderedRow mine = next;
      if (loads_ahead && row + 1 < w.rows) next = load_in_order(w, row + 1);
      if (lane() == int(row)) row_start_ = until - base;
      until = Wide(mine[lane_segments]);
      const Offset neighbour = shuffle_from(mine[0], (lane() + 1) % warp_threads, warp_threads, full_warp);
      if (lane() < warp_threads - 1) mine[lane_segments] = neighbour;
#pragma unroll
      for (int k = 0; k < lane_segments; ++k) {
        rises = rises && mine[k] <= mine[k + 1];
        const Wide place = Wide(mine[k]) - zero;
        if (mine[k] == mine[k + 1] || place >= Wide(w.count)) continue;
        has_heads = true;
        mark(stage, uint32_t(place));
      }
      if (!loads_ahead && row + 1 < w.rows) next = load_in_order(w, row + 1);
    }
    if (!__all_sync(full_warp, rises)) return false;
    items = until - base;
    in_of_first_ = uint64_t(int64_t(first)) - w.before;
    w.in = w.out = in_of_first_ + w.first;
    if (!is_chunk && !__any_sync(full_warp, has_heads)) find_cover(w);
    return true;
  }

  // Of a window whose items are all of one segment: how far that reaches.
  __device__ void find_cover(const Window &w) {
#pragma unroll 1
    for (uint32_t i = w.row * listed_segments; i < w.segments; i += warp_threads) {
      const uint64_t k = w.segment + min_of(i + lane(), w.segments - 1);
      const uint64_t begin = uint64_t(int64_t(segments_.begins[k])) - in_of_first_;
      const uint64_t end = uint64_t(int64_t(segments_.ends[k])) - in_of_first_;
      const uint32_t lanes = __ballot_sync(full_warp, begin <= w.first && w.first < end);
      if (lanes == 0) continue;
      covered_first_ = Lanes<uint64_t>::Broadcast(begin, __ffs(lanes) - 1);
      covered_ = Lanes<uint64_t>::Broadcast(end, __ffs(lanes) - 1);
      return;
    }
  }

  // ---- offsets of any kind: in rows of one for each lane

  // The same. Whether there are segments that do not adjoin.
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
        apart = apart || (has && (s.in - start != in || s.out - start != out));
        in = s.in - start;
        out = s.out - start;
        has = true;
        if (start >= w.first) mark(stage, uint32_t(start - w.first));
      }
    }
    items = before;
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
    ptx::fence_bulk_copies();
  }

  // Several are on their way at once, which the compiler would not see to by itself.
  __device__ void copy_items(Stage &stage, const Item *from, int first, int end) const {
    using Word = typename item_word<sizeof(Item)>::type;
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

  // By bulk copies, but for what comes before the first vector and after the last one.
  __device__ void copy(Stage &stage, const Window &w, int first_byte, uint64_t *barrier) const {
    constexpr int vector = 16, size = sizeof(Item);
    const Item *const items = in_.data + w.in;
    const int head = min_of((vector - first_byte) % vector / size, w.count);
    const int body = (w.count - head) * size / vector * (vector / size);
    Item *const to = reinterpret_cast<Item *>(stage.bytes + first_byte);
    if (lane() == 0) {
      ptx::mbarrier_arrive_expect(barrier, body * size);
      if (body > 0) ptx::bulk_copy(to + head, items + head, body * size, barrier);
    }
    if (body == w.count) return;
    const int i = lane() < vector ? lane() : head + body + lane() - vector;
    if (i < (lane() < vector ? head : w.count)) store_word(to + i, items[i]);
    ptx::fence_bulk_copies();
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }

  const SegmentCall &call_;
  const Pointer<Item> &in_;
  const Segments &segments_;
  SegmentWork work_;
  bool vectorize_;
  uint64_t row_start_;  // how many items come before the row that is the lane's, in a chunk
  // Of the last tile's chunk: what its list says, a place for each lane; items covered_first_ .. covered_ - 1 are of one
  // segment, and where they are told by.
  uint32_t entry_ = ~uint32_t(0);
  uint64_t start_, covered_first_ = 0, covered_ = 0, in_of_first_ = 0;
};

}  // namespace jig
