// What a block does in an algorithm over segments, on GPUs with asynchronous bulk copies: one block for each
// multiprocessor, that works on several tiles at once, in a pipeline: a circular buffer of stages in shared memory,
// filled by those copies. segment_work.cuh says how blocks share the work out.
//
// Of segments that adjoin blocks find out first how to cut them best (segment_shares.cuh), and have their turns then,
// if these are few. Then warps have roles. One draws what is next. Scouts, one for each stage, find out from the
// offsets what that is, and have the items brought there. The reducers make of each tile what it comes to; the
// publisher folds what they have found and tells other blocks, of tiles that are parts of a chunk. Of tiles that
// begin within a segment, the chain warps learn, by turns, what comes before them in their groups (tile_groups.cuh),
// and at the same time another warp what comes before the groups. The emitters follow when both are known, and make
// the output.
//
// What a work offers:
//   Item, State, Op, op()   items in memory; what a tile comes to, and how two neighbours' are folded; the order is
//                           kept. What stands alone has the beginning of a segment
//   Stage                   what shared memory holds of a tile: a SegmentStage, and more
//   stages, reducers, chains   how many there are of these; Stage::warp_tiles is how many emitters
//   Reduce(stage, warp_tile)   by a reducer: what the warp tile comes to, in every lane
//   Emit(stage, turn, warp_tile, before)   by its emitter: the output, given what comes before the warp tile; of which
//                              a segment's first item makes no use
#pragma once
#include <jig/agent/segmented_scan/few_segments.cuh>
#include <jig/agent/segmented_scan/segment_shares.cuh>
#include <jig/agent/segmented_scan/segment_states.cuh>
#include <jig/core/uniform.cuh>

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
  enum { Drawer, Publisher, GroupChain, Chains };
  enum { Scouts = Chains + chains, Reducers = Scouts + scouts, Emitters = Reducers + reducers };

 public:
  static constexpr int threads = (Emitters + emitters) * warp_threads;

  struct TempStorage {
    Stage stage[stages];
    uint64_t drawn[stages], full[stages], reduced[stages], prefixed[stages], empty[stages];
    SegmentTurn turn[stages];
    SegmentStart start;
    SegmentCover cover[stages];
    uint64_t alone_items;
    int turns;  // that the block has from the start
    ListedChunk known;  // a chunk that all blocks know
    SegmentCall call;  // with as many chunks as the blocks have chosen
    uninitialized<State, emitters> totals[stages], before[stages];
    uninitialized<State> in_group[stages], before_group[stages];
  };

  // The work may go by storage.call.
  __device__ AgentSegmentPipeline(TempStorage &storage, const SegmentCall &call, const Pointer<typename Work::Item> &in,
                                  const Segments &segments, Work &work)
      : storage_(storage), call_(Scout::are_few ? call : storage.call), in_(in), segments_(segments), work_(work),
        given_(call) {}

  // Any segments.
  __device__ void Run() {
    Prepare();
    if (threadIdx.x / warp_threads == Publisher) initialize();
    if (threadIdx.x < warp_threads) {
      if (lane() == 0) storage_.call = given_;
      __syncwarp();
    }
    SegmentSharing turns{};
    if constexpr (Scout::adjoins)
      turns = SegmentShares<TempStorage, Scout, threads, Scouts>(storage_, given_, in_, segments_).Plan();
    // After Plan(), in which all threads take part, it does not help the compiler to know that the warp is uniform.
    run(turns, Scout::adjoins ? int(threadIdx.x / warp_threads) : uniform_warp());
  }

  // Few, in two steps: what does not depend on what the block has to do, and, when all threads know that, the rest.
  __device__ void Prepare() {
    if (threadIdx.x / warp_threads == Drawer && blockIdx.x == 0) cleared_ = SegmentWork(given_).Clear();
  }
  __device__ void Run(const FewTurns &turns) {
    // Bulk copies go to where others have been at work. Of all threads the fence would take longer than all else here.
    const int warp = uniform_warp();
    if (warp >= Scouts && warp < Reducers && lane() == 0) ptx::fence_bulk_copies();
    if (warp == Publisher) initialize();
    run(turns, warp);
  }

 private:
  template <class Turns> __device__ void run(const Turns &turns, int warp) {
    if (warp == Drawer && blockIdx.x == 0 && are_linked(turns)) SegmentWork(given_).Tell(cleared_);
    if (!have_met(turns)) __syncthreads();
    if (warp == Drawer) run_drawer(turns);
    else if (warp == Publisher) run_publisher();
    else if (warp == GroupChain) run_group_chain();
    else if (warp < Scouts) run_chain(warp - Chains);
    else if (warp < Reducers) run_scout(warp - Scouts, warp - Scouts < known_turns(turns));
    else if (warp < Emitters) run_reducer(warp - Reducers);
    else run_emitter(warp - Emitters);
  }

  // Which stage the block's turn of that number is in, and which phase of its barriers that is.
  static __device__ int stage_of(int turn) { return turn % stages; }
  static __device__ uint32_t phase_of(int turn) { return turn / stages % 2; }

  __device__ void initialize() {
    if (lane() == 0) {
#pragma unroll
      for (int s = 0; s < stages; ++s) {
        ptx::mbarrier_init(&storage_.drawn[s], 1);
        ptx::mbarrier_init(&storage_.full[s], 2);
        ptx::mbarrier_init(&storage_.reduced[s], reducers);
        ptx::mbarrier_init(&storage_.prefixed[s], 2 + chains);
        ptx::mbarrier_init(&storage_.empty[s], emitters);
        if (!Scout::are_few) ptx::mbarrier_init(&storage_.cover[s].copied, 1);
      }
      ptx::mbarrier_init(&storage_.start.known, 1);
      ptx::fence_mbarrier_init();
    }
    __syncwarp();
  }

  // ---- what is next

  // Whether blocks draw what they do; and whether any tiles hang together.
  static __device__ bool draws(SegmentSharing sharing) {
    return !Scout::adjoins || sharing == SegmentSharing::Drawn || sharing == SegmentSharing::Known;
  }
  static __device__ bool are_linked(SegmentSharing sharing) {
    return draws(sharing);
  }

  static __device__ bool are_linked(const FewTurns &turns) { return turns.kind != SegmentTurn::Own; }
  // Whether all threads have met when that was known.
  static __device__ bool have_met(SegmentSharing sharing) { return !draws(sharing); }
  static __device__ bool have_met(const FewTurns &) { return false; }

  // How many turns the block has from the start.
  __device__ int known_turns(SegmentSharing sharing) const { return draws(sharing) ? 0 : storage_.turns; }
  static __device__ int known_turns(const FewTurns &) { return 0; }

  __device__ void run_drawer(SegmentSharing sharing) {
    int turn = known_turns(sharing);
    if (are_linked(sharing)) draw(sharing, turn);
    else tell_start(call_.tag, 0, true);  // of no use
    if (sharing == SegmentSharing::Alone) draw_alone(turn);
    tell_ends(turn);
  }

  __device__ void tell_ends(int turn) {
#pragma unroll 1
    for (int ends = 0; ends < scouts; ++ends, ++turn) {
      await_empty(turn);
      tell(turn, {SegmentTurn::End});
    }
  }

  __device__ void run_drawer(const FewTurns &turns) {
    SegmentWork work(call_);
    const bool draws = turns.kind == SegmentTurn::Tile, is_own = turns.kind == SegmentTurn::Own;
    uint32_t tile = is_own ? 0 : blockIdx.x, drawn = 0;
    int turn = 0;
    if (draws) {
      start(work);
      tile = Lanes<uint32_t>::Broadcast(work.DrawTile(), 0);
    }
#pragma unroll 1
    while (turns.has(tile)) {
      if (draws) drawn = work.DrawTile();
      await_empty(turn);
      tell(turn++, turns.turn(tile));
      tile = draws ? Lanes<uint32_t>::Broadcast(drawn, 0) : tile + (is_own ? 1 : gridDim.x);
    }
    if (is_own) arrive(&storage_.start.known);  // nobody asks what it is
    else if (!draws) start(work);
    tell_ends(turn);
  }

  __device__ void start(SegmentWork &work) {
    tell_start(work.Start(), 0, true);
    work.Leave(gridDim.x);
  }

  // Not before the stage is empty: a tile that is drawn is one that others may soon wait for. Every scout gets an
  // end; all others go by the first one.
  __device__ void draw(SegmentSharing sharing, int &turn) {
    SegmentWork work(call_, true);
    // What is known without a draw is begun before there can be draws.
    const bool owns = draws(sharing) && work.owns();
    if (owns) tell(turn++, own_chunk());
    const ListedChunk &known = storage_.known;
    const uint32_t known_tiles =
        sharing == SegmentSharing::Known ? uint32_t(ceil_div(known.items, uint64_t(known.tile_items))) : 0;
    const uint64_t tag = work.Start();
    work.Join(tag, known_tiles);
    if (draws(sharing)) work.Draw();
    if (known_tiles > 0) work.DrawKnown(known);
    tell_start(tag, known_tiles, !owns || work.Claim(blockIdx.x));
    work.Leave(gridDim.x);
    if (!draws(sharing)) return;
#pragma unroll 1
    while (true) {
      const SegmentTurn next = work.Next([&] { await_empty(turn); });
      if (__any_sync(full_warp, next.kind == SegmentTurn::End)) return;
      tell(turn++, next);
    }
  }

  __device__ void tell_start(uint64_t tag, uint32_t known_tiles, bool has_claimed) {
    if (lane() == 0) {
      storage_.start.tag = tag;
      if (known_tiles > 0) storage_.start.known_chunk = storage_.known.chunk;
      storage_.start.known_tiles = known_tiles;
      storage_.start.has_claimed = has_claimed;
    }
    arrive(&storage_.start.known);
  }

  // The block's share, in which offsets fall. How many items its segments have says the first scout who looks at them.
  __device__ void draw_alone(int &turn) {
    SegmentTurn next = {SegmentTurn::Alone, blockIdx.x};
    uint64_t items = 1;
#pragma unroll 1
    for (; next.first < items; next.first += Stage::tile_items) {
      await_empty(turn);
      tell(turn, next);
      if (next.first == 0) {
        ptx::mbarrier_wait(&storage_.full[stage_of(turn)], phase_of(turn));
        items = storage_.alone_items;
      }
      ++turn;
    }
  }

  __device__ void await_empty(int turn) {
    if (turn >= stages) ptx::mbarrier_wait(&storage_.empty[stage_of(turn)], phase_of(turn - stages));
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
      if constexpr (!Scout::are_few) {
        if (next.kind == SegmentTurn::Chunk) Scout::Prefetch(call_, segments_, next);
      }
    }
    arrive(&storage_.drawn[s]);
  }

  // The scout of a stage.
  __device__ void run_scout(int s, bool has_begun) {
    Scout finder(call_, in_, segments_, storage_.start, storage_.cover[s]);
    if (has_begun) ptx::mbarrier_wait(&storage_.drawn[s], 0);  // its own arrival: no phase is left out
#pragma unroll 1
    for (uint32_t phase = has_begun;; phase ^= 1) {
      ptx::mbarrier_wait(&storage_.drawn[s], phase);
      const SegmentTurn &mine = storage_.turn[s];
      if (__any_sync(full_warp, mine.kind == SegmentTurn::End)) {
        arrive(&storage_.full[s]);
        arrive(&storage_.full[s]);
        return;
      }
      finder.Fill(storage_.stage[s], mine, &storage_.full[s], storage_.alone_items);
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
      const SegmentTurn &done = storage_.turn[s];
      if (warp_tile == 0 && lane() == 0 && done.kind == SegmentTurn::Tile) rounds.Looked(done.number());
      arrive(&storage_.empty[s]);
    }
  }

  // ---- what comes before

  __device__ bool is_linked(int s) const {
    return storage_.turn[s].kind == SegmentTurn::Tile || storage_.turn[s].kind == SegmentTurn::Few;
  }

  // Whether what comes before is in the block's turn before this one.
  __device__ bool is_own(int s) const {
    return storage_.turn[s].kind == SegmentTurn::Own || storage_.turn[s].kind == SegmentTurn::Alone;
  }

  // Of what blocks tell each other.
  __device__ uint64_t tag() const {
    ptx::mbarrier_wait(&storage_.start.known, 0);
    return storage_.start.tag;
  }

  __device__ void run_publisher() {
    SegmentRounds rounds(call_);
    State carry;  // what comes before the next turn, of a chunk that is the block's
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
          if (storage_.turn[s].kind == SegmentTurn::Tile) rounds.Await(storage_.turn[s].number());
          if (lane() == warp_tiles - 1) publish(s, folded);
        } else if (is_own(s)) {
          if (lane() == 0) storage_.in_group[s][0] = carry;
          const State total = Lanes<State>::Broadcast(folded, warp_tiles - 1);
          carry = storage_.turn[s].first == 0 ? total : work_.op()(carry, total);
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

  // Learns what comes before tiles within their groups, and tells what groups come to. It only ever waits for tiles,
  // so that nobody waits long for groups.
  __device__ void run_chain(int chain) {
#pragma unroll 1
    for (int turn = 0; await(turn); ++turn) {
      const int s = stage_of(turn);
      const uint32_t tile = storage_.turn[s].tile;
      if (turn % chains == chain && tile % group_tiles > 0 && looks_back(s)) {
        States states(call_, tag(), storage_.turn[s].first_tile);
        const State in_group = Groups(states, work_.op()).InGroupOf(tile);
        if (lane() == 0) storage_.in_group[s][0] = in_group;
      }
      arrive(&storage_.prefixed[s]);
    }
  }

  // Learns what comes before tiles' groups. Others look back at the nearest group that has its prefix, or stands
  // alone: so one block tells each, not all, as those who look are held up by those who write.
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
    if (is_own(s)) return {storage_.stage[s].is_open(), storage_.in_group[s][0]};
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
  const SegmentCall &call_;
  const Pointer<typename Work::Item> &in_;
  const Segments &segments_;
  Work &work_;
  const SegmentCall &given_;
  uint32_t cleared_ = 0;  // what the drawer found in block 0
};

}  // namespace jig
