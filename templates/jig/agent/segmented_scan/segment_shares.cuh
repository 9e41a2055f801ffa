// How the blocks of a pipeline (segment_pipeline.cuh) share out segments that are known to adjoin: by all threads,
// before its warps have roles.
//
// There are as many shares as blocks, of as many segments each, and where these begin every block looks up. If all
// have a tile at most, or a few and none much more than others, a block's share is its own, and it draws no work, as
// the others do none of it: it has items brought, and looks at the offsets meanwhile. If these fall in its share, the
// block goes through that alone (SegmentTurn::Alone).
//
// If only one is too long, it is a chunk that all know, of which blocks draw tiles, beside their own shares.
//
// Otherwise blocks draw chunks, which get so many segments that what they have mostly fits a tile.
#pragma once
#include <jig/agent/segmented_scan/segment_scout.cuh>
#include <jig/agent/segmented_scan/segment_states.cuh>

namespace jig {

// Drawn: blocks draw what they do. Apart: each has its own; Alone: so it is, but offsets fall in what the block has.
// Known: blocks draw what they do, first of all tiles of a chunk that all know.
enum class SegmentSharing { Drawn, Apart, Alone, Known };

// Storage is that of the pipeline, Scouts its first warp that is a scout.
template <class Storage, class Scout, int Threads, int Scouts> class SegmentShares {
  using Item = typename Scout::Item;
  using Stage = typename Scout::Stage;
  using Segments = typename Scout::Segments;
  using Offset = typename Segments::Offset;
  static constexpr int stages = sizeof(Storage::stage) / sizeof(Stage), warps = Threads / warp_threads;
  static constexpr uint32_t most_segments = 16384;  // of a share
  // So that chunks of random lengths mostly fit, too: bytes of items, and of their offsets.
  static constexpr int mostly_fits = Stage::tile_items / 16 * 15 * sizeof(Item);

 public:
  __device__ SegmentShares(Storage &storage, const SegmentCall &given, const Pointer<Item> &in,
                           const Segments &segments)
      : storage_(storage), call_(storage.call), given_(given), in_(in), segments_(segments) {}

  // Tells storage.call how to cut chunks, which the other warps have to wait for. Or storage.turn the block's turns,
  // which have been begun then, and are what all warps go by without waiting.
  __device__ SegmentSharing Plan() {
    const bool chooses = threadIdx.x < warp_threads;
    Part part;
    if (chooses) part = part_of_lane();  // begun with all that is looked up
    SegmentSharing sharing = SegmentSharing::Drawn;
    if (given_.num_segments <= uint64_t(gridDim.x) * most_segments && gridDim.x <= Threads)
      sharing = share_out(uint32_t(given_.num_segments));
    if (sharing == SegmentSharing::Drawn && chooses) choose_chunks(part);
    return sharing;
  }

 private:
  // All is looked up at once, as each answer takes longer than all else.
  __device__ SegmentSharing share_out(uint32_t count) {
    const Offset first = segments_.begins[0], last = segments_.begins[count];
    const uint64_t all = first < last ? wide(last) - wide(first) : 0;
    // Of many segments whole vectors.
    const uint32_t even = ceil_div(count, gridDim.x), vector = even < 2 * listed_segments ? 1 : 8;
    const uint32_t segments = ceil_div(even, vector) * vector;
    const Offset from = segments_.begins[min_of(segments * threadIdx.x, count)];
    const Offset to = segments_.begins[min_of(segments * (threadIdx.x + 1), count)];
    const Offset begin = segments_.begins[min_of(segments * blockIdx.x, count)];
    const Offset end = segments_.begins[min_of(segments * (blockIdx.x + 1), count)];
    if (all > uint64_t(Stage::tile_items) * stages * gridDim.x) return SegmentSharing::Drawn;
    clear_heads();
    if (threadIdx.x == 0) call_.chunk_segments = segments;
    const uint64_t most = min_of(all / gridDim.x * 5 / 4, uint64_t(Stage::tile_items) * stages - Stage::align);
    const uint64_t items = wide(to) - wide(from);
    const bool fits = from <= to && (items <= uint64_t(Stage::tile_items - Stage::align) || items <= most);
    const bool is_long = !fits && threadIdx.x < gridDim.x;
    const int long_ones = __syncthreads_count(is_long);
    if (long_ones == 0) return begin_share(begin, end);
    if (long_ones > 1) return SegmentSharing::Drawn;
    if (is_long) know_chunk(threadIdx.x, from, items);
    return know_share(segments, count);
  }

  // By a thread: a chunk from an offset on, of which nobody has looked whether it is in order.
  __device__ void know_chunk(uint32_t chunk, Offset begin, uint64_t items) {
    const uint64_t in = wide(begin), all = items + Scout::Lead(in_, in);
    const uint32_t each = tile_items_of(all, 1, Stage::warp_tile_items, Stage::warp_tiles);
    storage_.known = {all, 0, chunk, each, unlisted, in};
  }

  // Shares are chunks then.
  __device__ SegmentSharing know_share(uint32_t segments, uint32_t count) {
    __syncthreads();
    const uint32_t first = segments * storage_.known.chunk, last = min_of(first + segments, count);
    bool falls = false;
#pragma unroll 4
    for (uint32_t i = first + threadIdx.x; i < last; i += Threads)
      falls = falls || segments_.begins[i + 1] < segments_.begins[i];
    if (__syncthreads_or(falls)) return SegmentSharing::Drawn;
    if (threadIdx.x == 0) call_.num_chunks = ceil_div(count, segments);
    return SegmentSharing::Known;
  }

  __device__ void clear_heads() {
#pragma unroll 1
    for (int s = 0; s < stages; ++s) {
      auto &heads = storage_.stage[s].heads;
#pragma unroll 1
      for (int i = threadIdx.x; i < int(sizeof heads / sizeof heads[0]); i += Threads) heads[i] = 0;
    }
  }

  // ---- a share for each block

  // Its tiles are the block's turns, a stage each.
  __device__ SegmentSharing begin_share(Offset begin, Offset end) {
    SegmentTurn turn = {SegmentTurn::Own, blockIdx.x};
    turn.in = wide(begin);
    const int items = begin < end ? int(wide(end) - wide(begin) + Scout::Lead(in_, turn.in)) : 0;
    const int turns = max_of(ceil_div(items, Stage::tile_items), 1);
    Scout finder(call_, in_, segments_, storage_.start, storage_.cover[0]);
    const int s = stage_of_warp();
    if (s >= 0 && s < turns) bring(finder, tile_of(turn, s, items), s);
    if (threadIdx.x == 0) storage_.turns = turns;
    const bool rises = finder.MarkShare(storage_.stage, turn, items, warp(), warps);
#pragma unroll 1
    for (int k = 0; k < turns; ++k) finder.template MarkEnd<Threads>(storage_.stage[k], tile_of(turn, k, items));
    const bool falls = end_marks(!rises);
    if (s >= 0 && s < turns) fill(s, !falls);
    return falls ? SegmentSharing::Alone : SegmentSharing::Apart;
  }

  static __device__ SegmentTurn tile_of(SegmentTurn turn, int tile, int items) {
    turn.first = uint64_t(tile) * Stage::tile_items;
    turn.count = min_of(items - tile * Stage::tile_items, Stage::tile_items);
    return turn;
  }

  // The stage that the warp is the scout of; otherwise none.
  static __device__ int stage_of_warp() { return int(warp()) - Scouts; }

  // By the scout of the stage that is to have a turn.
  __device__ void bring(const Scout &finder, const SegmentTurn &turn, int s) {
    if (lane() == 0) storage_.turn[s] = turn;
    finder.Bring(storage_.stage[s], turn, &storage_.full[s]);
  }

  // Whether any thread says so, when all have marked what they had to.
  static __device__ bool end_marks(bool says) {
    ptx::fence_bulk_copies();
    return __syncthreads_or(says);
  }

  // By the scout: hands the stage on, or nothing; as often as it has to arrive for a turn that is drawn.
  __device__ void fill(int s, bool has) {
    if (lane() == 0) {
      if (!has) storage_.stage[s].count = 0;
      ptx::mbarrier_arrive(&storage_.full[s]);
      ptx::mbarrier_arrive(&storage_.drawn[s]);
    }
    __syncwarp();  // the warp waits for the next turn to be drawn
  }

  // ---- chunks, by a warp

  // A lane's, one of 32 parts of all segments: where it begins and ends.
  struct Part { Offset begin, end; };
  __device__ Part part_of_lane() const {
    const uint64_t first = first_of_part(), last = min_of(first + segments_of_part(), given_.num_segments);
    return {segments_.begins[first], segments_.begins[last]};
  }
  __device__ uint64_t segments_of_part() const { return max_of(given_.num_segments / warp_threads, uint64_t(1)); }
  __device__ uint64_t first_of_part() const { return min_of(lane() * segments_of_part(), given_.num_segments - 1); }

  // As many segments for a chunk as fit a tile, if they are so short that this is worth it: in the middle one of the
  // parts, by their lengths.
  __device__ void choose_chunks(const Part &part) {
    if (lane() == 0) call_.chunk_segments = given_.chunk_segments;
    __syncwarp();
    const uint64_t share = ceil_div(given_.num_segments, uint64_t(gridDim.x) * min_chunk) * min_chunk;
    if (share <= listed_segments) {
      // No more than a chunk would have of long ones.
      if (lane() == 0) cut(uint32_t(share));
      return;
    }
    const float segments = float(min_of(segments_of_part(), given_.num_segments - first_of_part()));
    const float mean = float(wide(part.end) - wide(part.begin)) / segments;
    int rank = 0;
#pragma unroll 8
    for (int k = 0; k < warp_threads; ++k) {
      const float other = Lanes<float>::Broadcast(mean, k);
      rank += other < mean || (other == mean && k < lane());
    }
    const float fit = float(mostly_fits) / (mean * sizeof(Item) + sizeof(Offset));
    const uint32_t fits = uint32_t(fit < float(most_chunk) ? fit : float(most_chunk)) / min_chunk * min_chunk;
    if (rank != warp_threads / 2 || fits < given_.least_segments) return;
    cut(uint32_t(min_of(uint64_t(fits), share)));
  }

  __device__ void cut(uint32_t segments) {
    call_.chunk_segments = max_of(segments, given_.least_segments);
    call_.num_chunks = uint32_t(ceil_div(given_.num_segments, uint64_t(call_.chunk_segments)));
  }

  static __device__ uint64_t wide(Offset offset) { return uint64_t(int64_t(offset)); }
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint32_t warp() { return threadIdx.x / warp_threads; }

  Storage &storage_;
  SegmentCall &call_;
  const SegmentCall &given_;
  const Pointer<Item> &in_;
  const Segments &segments_;
};

}  // namespace jig
