// What a block does in an algorithm over segments, on GPUs with asynchronous bulk copies: one block for each
// multiprocessor, that works on several tiles at once, in a pipeline: a ring of stages in shared memory, filled by those
// copies. segment_work.cuh says how blocks share the work out.
//
// Of segments that adjoin, known to be few or short, blocks find out first how to cut them best (split()). Then
// warps have roles. One draws what is next. Scouts, one for each stage, find out from the offsets what that is, and have
// the items brought there. The reducers make of each tile what it comes to; the publisher folds what they
// have found and tells other blocks, of tiles that are parts of a chunk. Of tiles that begin within a segment, the chain
// warps learn, by turns, what comes before them in their groups (tile_groups.cuh), and at the same time another warp what comes
// before the groups. The emitters follow when both are known, and make the output.
//
// What a work offers:
//   Item, State, Op, op()   items in memory; what a tile comes to, and how two neighbours' are folded; the order is kept. What
//                           stands alone has the beginning of a segment
//   Stage                   what shared memory holds of a tile: a SegmentStage, and more
//   stages, reducers, chains   how many there are of these; Stage::warp_tiles is how many emitters
//   Reduce(stage, warp_tile)   by a reducer: what the warp tile comes to, in every lane
//   Emit(stage, turn, warp_tile, before)   by its emitter: the output, given what comes before the warp tile; of which a
//                              segment's first item makes no use
#pragma once
#include <jig/agent/segmented_scan/segment_scout.cuh>
#include <jig/agent/segmented_scan/segment_states.cuh>

namespace jig {

template <class Work, class Scout> class AgentSegmentPipeline {
  using State = typename Work::State;
  using Op = typename Work::Op;
  using Stage = typename Work::Stage;
  using Segments = typename Scout::Segments;
  using States = SegmentStates<State>;
  using Groups = TileGroups<State, Op, States>;
  static constexpr int stages = Work::stages, reducers = Work::reducers, emitters = Stage::warp_tiles;
  static constexpr int scouts = stages, chains = Work::chains;
  static_assert(emitters % reducers == 0, "every reducer has the same number of warp tiles");
  enum { Drawer, Publisher, GroupChain, Chains, Scouts = Chains + chains, Reducers = Scouts + scouts, Emitters = Reducers + reducers };

 public:
  static constexpr int threads = (Emitters + emitters) * warp_threads;

  struct TempStorage {
    Stage stage[stages];
    uint64_t drawn[stages], full[stages], reduced[stages], prefixed[stages], empty[stages];
    SegmentTurn turn[stages];
    SegmentStart start;
    SegmentCover cover[stages];
    SegmentCall call;  // with as many chunks as the blocks have chosen
    uninitialized<State, emitters> totals[stages], before[stages];
    uninitialized<State> in_group[stages], before_group[stages];
  };

  // The work may go by storage.call.
  __device__ AgentSegmentPipeline(TempStorage &storage, const SegmentCall &call, const Pointer<typename Work::Item> &in,
                                  const Segments &segments, Work &work)
      : storage_(storage), call_(storage.call), in_(in), segments_(segments), work_(work), given_(call) {}

  __device__ void Run() {
    const int warp = threadIdx.x / warp_threads;
    if (warp == Drawer) {
      if (blockIdx.x == 0) SegmentWork(given_).Begin();
      initialize();
    }
    if (threadIdx.x < warp_threads) {
      if (lane() == 0) call_ = given_;
      __syncwarp();
    }
    bool splits = false;
    if constexpr (Scout::may_adjoin) {
      if (Scout::Adjoin(given_) && Scout::Copies(in_)) splits = split();
    }
    __syncthreads();
    if (warp == Drawer) run_drawer(splits);
    else if (warp == Publisher) run_publisher();
    else if (warp == GroupChain) run_group_chain();
    else if (warp < Scouts) run_chain(warp - Chains);
    else if (warp < Reducers) run_scout(warp - Scouts);
    else if (warp < Emitters) run_reducer(warp - Reducers);
    else run_emitter(warp - Emitters);
  }

 private:
  // Which stage the block's turn of that number is in, and which phase of its barriers that is.
  static __device__ int stage_of(int turn) { return turn % stages; }
  static __device__ uint32_t phase_of(int turn) { return turn / stages % 2; }

  __device__ void initialize() {
    if (lane() == 0) {
#pragma unroll 1
      for (int s = 0; s < stages; ++s) {
        ptx::mbarrier_init(&storage_.drawn[s], 1);
        ptx::mbarrier_init(&storage_.full[s], 2);
        ptx::mbarrier_init(&storage_.reduced[s], reducers);
        ptx::mbarrier_init(&storage_.prefixed[s], 2 + chains);
        ptx::mbarrier_init(&storage_.empty[s], emitters);
      }
      ptx::mbarrier_init(&storage_.start.known, 1);
      ptx::fence_mbarrier_init();
    }
    __syncwarp();
  }

  // ---- segments that adjoin: by all threads, before roles begin
  //
  // Of few segments of few items every block looks at all offsets, and takes a tile; unless it is better to cut them into
  // chunks, as no chunk can be more than a tile. Otherwise chunks get so many segments that what they have mostly fits.

  static constexpr int look_at = 5, most_split = look_at * threads;
  // So that chunks of random lengths mostly fit, too.
  static constexpr int mostly_fits = Stage::tile_items / 16 * 15;

  // Whether all is split into tiles, of which the block's is its turn then.
  __device__ bool split() {
    using Offset = typename Segments::Offset;
    const uint64_t count = given_.num_segments;
    if (count > most_split) {
      if (threadIdx.x < warp_threads) choose_chunks();
      return false;
    }
    const Offset begin = segments_.begins[0], end = segments_.begins[count];
    Offset from[look_at], to[look_at];
#pragma unroll
    for (int k = 0; k < look_at; ++k) {
      const uint32_t i = min_of(threadIdx.x + k * threads, uint32_t(count) - 1);
      from[k] = segments_.begins[i];
      to[k] = segments_.begins[i + 1];
    }
#pragma unroll 1
    for (int i = threadIdx.x; i < int(sizeof storage_.stage[0].heads / 4); i += threads) storage_.stage[0].heads[i] = 0;
    const uint32_t lead = Scout::Lead(in_, wide(begin));
    const uint64_t items = begin < end ? wide(end) - wide(begin) + lead : 0;
    bool falls = false, is_long = false;
#pragma unroll
    for (int k = 0; k < look_at; ++k) {
      falls = falls || to[k] < from[k];
      is_long = is_long || wide(to[k]) - wide(from[k]) > mostly_fits / min_chunk;
    }
    const bool any_falls = __syncthreads_or(falls), any_long = __syncthreads_or(is_long);
    if (any_falls || !any_long || items > uint64_t(gridDim.x) * Stage::tile_items) {
      if (threadIdx.x < warp_threads) choose_chunks();
      return false;
    }
    // Whole rows: what a tile comes to that is not the last one has to be known.
    const uint32_t each = ceil_div(ceil_div(uint32_t(items), gridDim.x), uint32_t(Stage::row_items)) * Stage::row_items;
    const uint32_t first = min_of(each * blockIdx.x, uint32_t(items)), here = min_of(uint32_t(items) - first, each);
#pragma unroll
    for (int k = 0; k < look_at; ++k) {
      const uint32_t place = uint32_t(wide(from[k]) - wide(begin)) + lead - first;
      if (from[k] < to[k] && place < here) storage_.stage[0].mark(place);
    }
    if (first == 0 && threadIdx.x < lead) storage_.stage[0].mark(threadIdx.x);
    if (threadIdx.x == 0) {
      SegmentTurn turn = {here > 0 ? SegmentTurn::Few : SegmentTurn::End};
      turn.chunk = turn.first_tile = 0;
      turn.tile = blockIdx.x;
      turn.first = first;
      turn.count = int(here);
      turn.in_order = 1;
      turn.in = wide(begin);
      storage_.turn[0] = turn;
    }
    return true;
  }

  template <class Offset> static __device__ uint64_t wide(Offset offset) { return uint64_t(int64_t(offset)); }

  // As many segments for a chunk as fit a tile, if they are so short that this is worth it: in the middle one, by their
  // lengths, of 32 parts of all segments. By a warp.
  __device__ void choose_chunks() {
    const uint64_t count = given_.num_segments, part = max_of(count / warp_threads, uint64_t(1));
    const uint64_t share = ceil_div(count, uint64_t(gridDim.x) * min_chunk) * min_chunk;
    if (share <= listed_segments) {
      // No more than a chunk would have of long ones.
      if (lane() == 0) cut(uint32_t(share));
      return;
    }
    const uint64_t first = min_of(lane() * part, count - 1), last = min_of(first + part, count);
    const uint64_t begin = wide(segments_.begins[first]), end = wide(segments_.begins[last]);
    const float mean = float(end - begin) / float(last - first);
    int rank = 0;
#pragma unroll
    for (int k = 0; k < warp_threads; ++k) {
      const float other = Lanes<float>::Broadcast(mean, k);
      rank += other < mean || (other == mean && k < lane());
    }
    const float fit = float(mostly_fits) / mean;
    const uint32_t fits = uint32_t(fit < float(most_chunk) ? fit : float(most_chunk)) / min_chunk * min_chunk;
    if (rank != warp_threads / 2 || fits < given_.least_segments) return;
    cut(uint32_t(min_of(uint64_t(fits), share)));
  }

  __device__ void cut(uint32_t segments) {
    call_.chunk_segments = max_of(segments, given_.least_segments);
    call_.num_chunks = uint32_t(ceil_div(given_.num_segments, uint64_t(call_.chunk_segments)));
  }

  // ---- what is next

  // Not before the stage is empty: a tile that is drawn is one that others may soon wait for. Every scout gets an end; all
  // others go by the first one.
  __device__ void run_drawer(bool splits) {
    SegmentWork sharing(call_, true);
    int turn = 0, ends = 0;
    // What is known without a draw is begun before there can be draws.
    const bool owns = !splits && sharing.owns();
    if (owns) {
      tell(turn++, own_chunk());
    } else if (splits) {
      arrive(&storage_.drawn[0]);
      ends += storage_.turn[0].kind == SegmentTurn::End;
      ++turn;
    }
    const uint64_t tag = sharing.Start();
    sharing.Join(tag);
    if (!splits) sharing.Draw();
    const bool has_claimed = !owns || sharing.Claim(blockIdx.x);
    if (lane() == 0) {
      storage_.start.tag = tag;
      storage_.start.has_claimed = has_claimed;
    }
    arrive(&storage_.start.known);
    sharing.Leave(gridDim.x);
#pragma unroll 1
    for (; ends < scouts; ++turn) {
      SegmentTurn next = {SegmentTurn::End};
      if (turn >= stages) ptx::mbarrier_wait(&storage_.empty[stage_of(turn)], phase_of(turn - stages));
      if (ends == 0 && !splits) next = sharing.Next();
      ends += __any_sync(full_warp, next.kind == SegmentTurn::End);
      tell(turn, next);
    }
  }

  static __device__ SegmentTurn own_chunk() {
    SegmentTurn turn = {SegmentTurn::Chunk, blockIdx.x};
    turn.is_own = 1;
    return turn;
  }

  __device__ void tell(int turn, const SegmentTurn &next) {
    const int s = stage_of(turn);
    if (lane() == 0) {
      storage_.turn[s] = next;
      if (next.kind == SegmentTurn::Chunk) Scout::Prefetch(call_, segments_, next);
    }
    arrive(&storage_.drawn[s]);
  }

  // The scout of a stage.
  __device__ void run_scout(int s) {
    Scout finder(call_, in_, segments_, storage_.start, storage_.cover[s]);
#pragma unroll 1
    for (uint32_t phase = 0;; phase ^= 1) {
      ptx::mbarrier_wait(&storage_.drawn[s], phase);
      const SegmentTurn &mine = storage_.turn[s];
      if (__any_sync(full_warp, mine.kind == SegmentTurn::End)) {
        arrive(&storage_.full[s]);
        arrive(&storage_.full[s]);
        return;
      }
      finder.Fill(storage_.stage[s], mine, &storage_.full[s]);
    }
  }

  // ---- the workers

  // Waits for a turn's tile; whether there is one.
  __device__ bool await(int turn) {
    const int s = stage_of(turn);
    ptx::mbarrier_wait(&storage_.full[s], phase_of(turn));
    return __all_sync(full_warp, storage_.turn[s].kind != SegmentTurn::End);
  }

  __device__ void run_reducer(int reducer) {
#pragma unroll 1
    for (int turn = 0; await(turn); ++turn) {
      const int s = stage_of(turn);
      Stage &stage = storage_.stage[s];
#pragma unroll 1
      for (int warp_tile = reducer; warp_tile < stage.used_warp_tiles(); warp_tile += reducers) {
        const State total = work_.Reduce(stage, warp_tile);
        if (lane() == 0) storage_.totals[s][warp_tile] = total;
      }
      arrive(&storage_.reduced[s]);
    }
  }

  __device__ void run_emitter(int warp_tile) {
    SegmentRounds rounds(call_);
#pragma unroll 1
    for (int turn = 0; await(turn); ++turn) {
      const int s = stage_of(turn);
      Stage &stage = storage_.stage[s];
      ptx::mbarrier_wait(&storage_.prefixed[s], phase_of(turn));
      if (warp_tile < stage.used_warp_tiles()) {
        optional<State> before = before_tile(s);
        if (warp_tile > 0) before = join(before, storage_.before[s][warp_tile], work_.op());
        work_.Emit(stage, storage_.turn[s], warp_tile, before.value);
      }
      if (warp_tile == 0 && lane() == 0 && is_linked(s)) rounds.Looked(storage_.turn[s].number());
      arrive(&storage_.empty[s]);
    }
  }

  // ---- what comes before

  __device__ bool is_linked(int s) const { return storage_.turn[s].kind != SegmentTurn::Chunk; }

  // Of what blocks tell each other.
  __device__ uint64_t tag() const {
    ptx::mbarrier_wait(&storage_.start.known, 0);
    return storage_.start.tag;
  }

  __device__ void run_publisher() {
    SegmentRounds rounds(call_);
#pragma unroll 1
    for (int turn = 0; await(turn); ++turn) {
      const int s = stage_of(turn);
      const int warp_tiles = storage_.stage[s].used_warp_tiles();
      ptx::mbarrier_wait(&storage_.reduced[s], phase_of(turn));
      if (warp_tiles > 0) {
        const State folded =
            Lanes<State>::ScanHeld(storage_.totals[s][min_of(lane(), warp_tiles - 1)], work_.op(), lane() < warp_tiles);
        if (lane() < warp_tiles - 1) storage_.before[s][lane() + 1] = folded;
        if (is_linked(s)) {
          rounds.Await(storage_.turn[s].number());
          if (lane() == warp_tiles - 1) publish(s, folded);
        }
      }
      arrive(&storage_.prefixed[s]);
    }
  }

  __device__ void publish(int s, const State &total) {
    const uint32_t tile = storage_.turn[s].tile;
    States states(call_, tag(), storage_.turn[s].first_tile);
    states.put_tile(tile, total);
    // What begins with a segment stands alone, and so does a group that it is the last of.
    if (!storage_.stage[s].is_open() && tile % group_tiles == group_tiles - 1)
      states.put_aggregate(tile / group_tiles, total);
  }

  // Whether something comes before a tile that belongs to its segment.
  __device__ bool looks_back(int s) const { return is_linked(s) && storage_.stage[s].is_open(); }

  // Learns what comes before tiles within their groups, and tells what groups come to. It only ever waits for tiles, so that
  // nobody waits long for groups.
  __device__ void run_chain(int chain) {
#pragma unroll 1
    for (int turn = 0; await(turn); ++turn) {
      const int s = stage_of(turn);
      const uint32_t tile = storage_.turn[s].tile;
      if (turn % chains == chain && tile % group_tiles > 0 && looks_back(s)) {
        States states(call_, tag(), storage_.turn[s].first_tile);
        Groups groups(states, work_.op());
        const State in_group = groups.InGroup(tile);
        if (lane() == 0) storage_.in_group[s][0] = in_group;
        const auto total = [&] {
          State mine;
          while (!states.try_tile(tile, mine)) continue;
          return mine;
        };
        if (tile % group_tiles == group_tiles - 1) groups.PutAggregate(tile, in_group, total);
      }
      arrive(&storage_.prefixed[s]);
    }
  }

  // Learns what comes before tiles' groups. Others look back at the nearest group that has its prefix, or stands alone: so
  // one block tells each, not all, as those who look are held up by those who write.
  __device__ void run_group_chain() {
    uint32_t first_tile = 0;
    Groups groups({call_, tag(), first_tile}, work_.op());
#pragma unroll 1
    for (int turn = 0; await(turn); ++turn) {
      const int s = stage_of(turn);
      const uint32_t tile = storage_.turn[s].tile;
      if (tile >= group_tiles && looks_back(s)) {
        if (first_tile != storage_.turn[s].first_tile) {
          first_tile = storage_.turn[s].first_tile;
          groups = Groups({call_, tag(), first_tile}, work_.op());
        }
        const State before_group = groups.BeforeNextGroup(tile / group_tiles, tile % group_tiles == group_tiles - 1);
        if (lane() == 0) storage_.before_group[s][0] = before_group;
      }
      arrive(&storage_.prefixed[s]);
    }
  }

  // What comes before a tile, of what these have learned.
  __device__ optional<State> before_tile(int s) {
    const uint32_t tile = storage_.turn[s].tile;
    optional<State> before = {false};
    if (!looks_back(s)) return before;
    if (tile % group_tiles == 0) return {true, storage_.before_group[s][0]};
    const State in_group = storage_.in_group[s][0];
    if (tile >= group_tiles && !needs_no_prefix(in_group)) before = {true, storage_.before_group[s][0]};
    return join(before, in_group, work_.op());
  }

  // ----

  // What all lanes have done before is seen by whoever waits.
  static __device__ void arrive(uint64_t *barrier) {
    __syncwarp();
    if (lane() == 0) ptx::mbarrier_arrive(barrier);
  }
  static __device__ int lane() { return threadIdx.x % warp_threads; }

  TempStorage &storage_;
  SegmentCall &call_;
  const Pointer<typename Work::Item> &in_;
  const Segments &segments_;
  Work &work_;
  const SegmentCall &given_;
};

}  // namespace jig
