// What a block does in an algorithm whose tiles depend on what all tiles before them come to, on GPUs with
// asynchronous bulk copies: one block for each multiprocessor, that draws tile after tile and keeps several
// of them in a pipeline: a circular buffer of stages in shared memory, filled by those copies.
//
// Its warps have roles. The loader draws tiles and has them copied into stages. The reducers make of each
// tile what it comes to; the emitters follow when what comes before it is known, and make its output. The
// publisher folds what the reducers have found and tells the other blocks. The chain warp learns what
// comes before each of the block's tiles: it carries what comes before a group of 32 tiles along and folds
// group by group, each in a tree, so every prefix is one and the same fold, whichever blocks drew which
// tiles: the same input gives the same bits.
//
// A tile that was drawn belongs to a block that runs, and blocks only wait for tiles drawn before: however
// few blocks are resident, none waits in vain.
//
// Nothing needs to be cleared beforehand: block 0 sets the counter of draws to 0 and tells the others. A
// graph's replays have the same tag, so states carry one that is made of it and the time, which block 0
// reads. Each block makes one draw too many, and the last of those retires what block 0 has said.
//
// What a work offers:
//   State, Op        what a tile comes to, and how two neighbours' are folded; the order is kept
//   Prefix           what comes before a tile, if that takes more than a State, which converts to it; Op folds both
//   window           how many groups the chain warp looks at together
//   Stage            what shared memory holds of a tile: aligned for bulk copies
//   reducers, emitters, stages   how many there are; each emitter has a warp tile of every tile, and each
//                    reducer the same number of these warp tiles
//   num_tiles()
//   Prefetch(tile)   by one thread: brings it closer
//   Load(stage, tile, barrier)   by one thread: starts the copies, and arrives at the barrier once
//   Reduce(stage, tile, warp_tile)   by a reducer: what the warp tile comes to, in every lane. Of a warp tile that is
//                    not whole only an Op that takes any bytes (core/operator.cuh) is told
//   is_whole(tile, warp_tile)   whether the warp tile is; otherwise nothing comes after it
//   Emit(stage, tile, warp_tile, before)   by its emitter: the output, given what comes before the warp tile, if there
//                    is any of it
//   finishes         whether there is a Finish(total), by one thread: what everything comes to
//   in_place()       whether other blocks may overwrite what a tile was loaded from, once it is published
#pragma once
#include <jig/agent/chain/lane_fold.cuh>
#include <jig/agent/chain/optional.cuh>
#include <jig/core/choose.cuh>
#include <jig/core/count.cuh>
#include <jig/core/tile_state.cuh>
#include <jig/core/uniform.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

// In front of the tiles' states.
struct alignas(64) PipelineControl {
  TileState<array<uint32_t, 3>> start;  // there when the counter is 0; what it was before, and the time
  uint32_t draws;
};

// The window that is as good as any for most states.
template <class State> constexpr int pipeline_window = sizeof(State) <= 8 ? 4 : 2;

template <class Work> class AgentPipeline {
  using State = typename Work::State;
  using Prefix = typename Work::Prefix;
  using Op = typename Work::Op;
  static constexpr int stages = Work::stages, reducers = Work::reducers, emitters = Work::emitters;
  static_assert(emitters % reducers == 0, "every reducer has the same number of warp tiles");
  enum { Loader = reducers + emitters, Publisher, Chain, Warps };
  static constexpr int group_tiles = warp_threads;
  static constexpr int window = Work::window;
  // How many of them it folds together.
  static constexpr int together = window % 4 == 0 ? 4 : window;
  // Whether four of them are worth a tree (fold_four()).
  template <class Fold>
  static constexpr bool needs_tree = together >= 4 && sizeof(decltype(Fold::part)) > 4;
  template <class T> using WarpReduce = WarpReduceShuffle<T, warp_threads>;
  static constexpr uint32_t no_tile = ~uint32_t(0);

 public:
  static constexpr int threads = Warps * warp_threads;

  struct TempStorage {
    typename Work::Stage stage[stages];
    uint64_t full[stages], reduced[stages], prefixed[stages], empty[stages];
    uint64_t tag;           // of the states
    uint32_t tile[stages];  // no_tile: there are no more
    uninitialized<State, emitters> totals[stages], before[stages];
    uninitialized<Prefix> prefix[stages];
  };

  __device__ AgentPipeline(TempStorage &storage, PipelineControl *control, uint64_t tag, Op op)
      : storage_(storage), control_(control), states_(reinterpret_cast<TileState<State> *>(control + 1)),
        launch_tag_(tag), op_(op) {}

  __device__ void Run(Work &work, optional<Prefix> init) {
    const int warp = uniform_warp();
    if (threadIdx.x == Loader * warp_threads) initialize(work);
    __syncthreads();
    tag_ = storage_.tag;
    if (warp < reducers) run_reducer(work, warp);
    else if (warp < reducers + emitters) run_emitter(work, warp - reducers, init.exists);
    else if (warp == Publisher) run_publisher(work);
    else if (warp == Chain) run_chain(work, init);
    else if (threadIdx.x == Loader * warp_threads) run_loader(work);
  }

 private:
  // Which stage the block's tile number `turn` is in, and which phase of its barriers that is.
  static __device__ int stage_of(int turn) { return turn % stages; }
  static __device__ uint32_t phase_of(int turn) { return turn / stages % 2; }

  // ---- the loader: one thread

  __device__ void initialize(const Work &work) {
    work.Prefetch(blockIdx.x);  // somebody will draw it
    if (blockIdx.x == 0) start();
#pragma unroll 1
    for (int s = 0; s < stages; ++s) {
      ptx::mbarrier_init(&storage_.full[s], 1);
      ptx::mbarrier_init(&storage_.reduced[s], reducers);
      ptx::mbarrier_init(&storage_.prefixed[s], 2);
      ptx::mbarrier_init(&storage_.empty[s], emitters);
    }
    ptx::fence_mbarrier_init();
    array<uint32_t, 3> said;
    while (!control_->start.try_take(said, launch_tag_)) continue;
    storage_.tag = launch_tag_ + (uint64_t(said[2]) << 32 | said[1]) * 0x9e3779b97f4a7c15u;
    storage_.tile[0] = ptx::count_relaxed_gpu(&control_->draws);
  }

  // What was there is published, though nobody asks for it, so that it has to be known: nobody draws before
  // the exchange is done.
  __device__ void start() {
    const uint64_t time = ptx::time_ns();
    const uint32_t before = ptx::exchange_relaxed_gpu(&control_->draws, 0);
    control_->start.publish({before, uint32_t(time), uint32_t(time >> 32)}, launch_tag_);
  }

  __device__ void run_loader(const Work &work) {
    uint32_t tile = storage_.tile[0];
#pragma unroll 1
    for (int turn = 0;; ++turn) {
      const int s = stage_of(turn);
      if (turn >= stages) ptx::mbarrier_wait(&storage_.empty[s], phase_of(turn - stages));
      storage_.tile[s] = tile < work.num_tiles() ? tile : no_tile;
      if (tile >= work.num_tiles()) {
        ptx::mbarrier_arrive(&storage_.full[s]);
        break;
      }
      work.Load(storage_.stage[s], tile, &storage_.full[s]);
      tile = ptx::count_relaxed_gpu(&control_->draws);
    }
    if (tile == work.num_tiles() + gridDim.x - 1) control_->start.retire(launch_tag_);
  }

  // ---- the workers

  __device__ void run_reducer(Work &work, int reducer) {
#pragma unroll 1
    for (int turn = 0;; ++turn) {
      const int s = stage_of(turn);
      ptx::mbarrier_wait(&storage_.full[s], phase_of(turn));
      const uint32_t tile = storage_.tile[s];
      if (tile == no_tile) return;
#pragma unroll 1
      for (int warp_tile = reducer; warp_tile < emitters; warp_tile += reducers) {
        const State total = work.Reduce(storage_.stage[s], tile, warp_tile);
        if (threadIdx.x % warp_threads == 0) storage_.totals[s][warp_tile] = total;
      }
      arrive(&storage_.reduced[s]);
    }
  }

  __device__ void run_emitter(Work &work, int warp_tile, bool has_init) {
#pragma unroll 1
    for (int turn = 0;; ++turn) {
      const int s = stage_of(turn);
      ptx::mbarrier_wait(&storage_.full[s], phase_of(turn));
      const uint32_t tile = storage_.tile[s];
      if (tile == no_tile) return;
      ptx::mbarrier_wait(&storage_.prefixed[s], phase_of(turn));
      optional<Prefix> before = {tile > 0 || has_init, storage_.prefix[s][0]};
      if (warp_tile > 0 && may_see<Op>(work.is_whole(tile, warp_tile - 1)))
        before = join(before, storage_.before[s][warp_tile], op_);
      work.Emit(storage_.stage[s], tile, warp_tile, before);
      arrive(&storage_.empty[s]);
    }
  }

  // ---- the publisher

  __device__ void run_publisher(const Work &work) {
    const int lane = threadIdx.x % warp_threads;
#pragma unroll 1
    for (int turn = 0;; ++turn) {
      const int s = stage_of(turn);
      ptx::mbarrier_wait(&storage_.full[s], phase_of(turn));
      const uint32_t tile = storage_.tile[s];
      if (tile == no_tile) return;
      ptx::mbarrier_wait(&storage_.reduced[s], phase_of(turn));
      const State folded = Lanes<State>::ScanHeld(storage_.totals[s][min_of(lane, emitters - 1)], op_,
                                                  lane < emitters && work.is_whole(tile, lane));
      if (work.in_place()) __threadfence();
      if (lane == emitters - 1) states_[tile].publish(folded, tag_);
      if (lane < emitters - 1) storage_.before[s][lane + 1] = folded;
      arrive(&storage_.prefixed[s]);
    }
  }

  // ---- the chain warp

  __device__ void run_chain(Work &work, optional<Prefix> before_group) {
    const int lane = threadIdx.x % warp_threads;
    uint32_t group = 0;
#pragma unroll 1
    for (int turn = 0;; ++turn) {
      const int s = stage_of(turn);
      ptx::mbarrier_wait(&storage_.full[s], phase_of(turn));
      const uint32_t tile = storage_.tile[s];
      if (tile == no_tile) break;
      const optional<Prefix> before = look(tile, group, before_group);
      if (work.in_place()) __threadfence();
      if (lane == 0) storage_.prefix[s][0] = before.value;
      arrive(&storage_.prefixed[s]);
      if constexpr (Work::finishes) {
        if (tile == work.num_tiles() - 1) finish(work, tile, before);
      }
    }
  }

  // What comes before a tile, given what comes before a group of earlier ones; which it moves ahead.
  __device__ optional<Prefix> look(uint32_t tile, uint32_t &group, optional<Prefix> &before_group) {
    optional<Prefix> before = before_group;
#pragma unroll 1
    for (uint32_t first = group * group_tiles; first < tile; first += window * group_tiles) {
      array<State, window> values;
      take(values, first, tile);
      // A few folds together, so that they do not wait for each other's shuffles.
#pragma unroll
      for (int k = 0; k < window; k += together) {
        array<State, together> folds;
#pragma unroll
        for (int i = 0; i < together; ++i) folds[i] = values[k + i];
        fold(folds, int(tile - first) - k * group_tiles);
#pragma unroll
        for (int i = 0; i < together; ++i) {
          const uint32_t start = first + (k + i) * group_tiles;
          if (start >= tile) break;
          before = join(before_group, folds[i], op_);
          if (tile - start < group_tiles) break;
          before_group = before;
          ++group;
        }
      }
    }
    return before;
  }

  // Waits for the states of the tiles from `first` on, up to `tile`; a group in each value.
  __device__ void take(array<State, window> &values, uint32_t first, uint32_t tile) {
    const uint32_t mine = first + threadIdx.x % warp_threads;
    array<bool, window> taken;
    bool all;
#pragma unroll
    for (int k = 0; k < window; ++k) taken[k] = mine + k * group_tiles >= tile;
    do {
      all = true;
#pragma unroll
      for (int k = 0; k < window; ++k) {
        if (!taken[k]) taken[k] = states_[mine + k * group_tiles].try_take(values[k], tag_);
        all = all && taken[k];
      }
    } while (!__all_sync(full_warp, all));
  }

  // Folds every group by itself, of the first `count` tiles from the first group on: in every lane.
  __device__ void fold(array<State, together> &groups, int count) {
    if constexpr (has_identity<Op>) {
      fold_parts(groups, count);
    } else {
      typename WarpReduce<State>::TempStorage none;
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const int lanes = min_of(max_of(count - k * group_tiles, 1), warp_threads);
        groups[k] = Lanes<State>::Broadcast(WarpReduce<State>(none).Reduce(groups[k], op_, lanes), 0);
      }
    }
  }

  // Filling up with what changes nothing is faster than looking at lanes.
  __device__ void fold_parts(array<State, together> &groups, int count) {
    using Fold = LaneFold<State, Op>;
    const int lane = threadIdx.x % warp_threads;
    array<Fold, together> folds;
#pragma unroll
    for (int k = 0; k < together; ++k) folds[k] = Fold::of(groups[k], lane + k * group_tiles < count);
    constexpr int in_tree = needs_tree<Fold> ? 4 : 0;
    if constexpr (in_tree > 0) fold_four(folds);
#pragma unroll
    for (int k = in_tree; k < together; ++k) fold_one(folds[k].part, Fold::part_op(op_));
#pragma unroll
    for (int k = 0; k < together; ++k) groups[k] = folds[k].whole(folds[k].part);
  }

  template <class Part, class PartOp> static __device__ void fold_one(Part &part, const PartOp &op) {
    typename WarpReduce<Part>::TempStorage none;
    part = Lanes<Part>::Broadcast(WarpReduce<Part>(none).Reduce(part, op), 0);
  }
  template <class PartOp> static __device__ void fold_one(none &, const PartOp &) {}

  // Four groups take fewer shuffles together: lanes that are neighbours share two of the four, then lanes that
  // are two apart one of the two, so that each group is folded by a fourth of the lanes.
  template <class Fold> __device__ void fold_four(array<Fold, together> &folds) {
    using Part = decltype(Fold::part);
    const auto op = Fold::part_op(op_);
    const int lane = threadIdx.x % warp_threads;
    const bool odd = lane & 1, second = lane & 2;
    const Part p0 = folds[0].part, p1 = folds[1].part, p2 = folds[2].part, p3 = folds[3].part;
    const Part a = meet(choose(odd, p2, p0), choose(odd, p0, p2), 1, op);
    const Part b = meet(choose(odd, p3, p1), choose(odd, p1, p3), 1, op);
    Part mine = meet(choose(second, b, a), choose(second, a, b), 2, op);
#pragma unroll
    for (int distance = 4; distance < warp_threads; distance *= 2) mine = meet(mine, mine, distance, op);
#pragma unroll
    for (int k = 0; k < 4; ++k) folds[k].part = Lanes<Part>::Broadcast(mine, k / 2 + k % 2 * 2);
  }

  // Folds what a lane keeps with what the lane that far away gives, in the lanes' order.
  template <class Part, class PartOp>
  static __device__ Part meet(const Part &kept, const Part &given, int distance, const PartOp &op) {
    const int lane = threadIdx.x % warp_threads;
    const Part got = shuffle_from(given, lane ^ distance, warp_threads, full_warp);
    const bool is_upper = lane & distance;
    return op(choose(is_upper, got, kept), choose(is_upper, kept, got));
  }

  __device__ void finish(Work &work, uint32_t tile, const optional<Prefix> &before) {
    State total;
    while (!states_[tile].try_take(total, tag_)) continue;
    if (threadIdx.x % warp_threads == 0) work.Finish(join(before, total, op_));
  }

  // ----

  // What all lanes have done before is seen by whoever waits.
  static __device__ void arrive(uint64_t *barrier) {
    __syncwarp();
    if (threadIdx.x % warp_threads == 0) ptx::mbarrier_arrive(barrier);
  }

  TempStorage &storage_;
  PipelineControl *control_;
  TileState<State> *states_;
  uint64_t launch_tag_, tag_;
  Op op_;
};

}  // namespace jig
