// What a block does in the second kernel of a segmented sort: it takes tiles of large segments, and then other
// segments, from the longest on, and sorts them in shared memory: a tile by one digit, a segment by all.
//
// Values stay where they are until the end; with them, keys have their indices beside them. Whether adding has
// ranked all in the right order (radix_rank.cuh) is looked at once, at the end; if it has not, all
// is done again by matching.
#pragma once
#include <jig/agent/segmented_sort_tile.cuh>

namespace jig {

template <class Policy, class Keys, class Value> class AgentSegmentedSortLarge {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int warps = Policy::threads / warp_threads;
  static constexpr bool has_values = !is_same<Value, none>;
  using Team = RadixTeam<Keys, has_values>;
  using Items = typename Team::Items;

 public:
  using TempStorage = SegmentedSortStorage<Policy, Keys, has_values>;

  __device__ AgentSegmentedSortLarge(TempStorage &storage, const SegmentedSortCall &call)
      : storage_(storage),
        call_(call),
        passes_{call.sort},
        tile_(storage, call) {}

  __device__ void Run() {
    begin_list(call_.classes);
#pragma unroll 1
    while (true) {
      const uint32_t taken = take();
      if (taken >= storage_.end) {
        __syncthreads();
        if (list_ == 0) return;
        begin_list(list_ - 1);
        continue;
      }
      if (team_.thread() == 0)
        storage_.next[team_.first] = storage_.base + ptx::count_relaxed_gpu(&call_.control->taken[list_]);
      if (is_tile() && !tile_.begin(taken)) continue;
      run(is_tile() ? tile_work() : segment_work(ListedSegment::unpack(call_.lists[list_][taken])));
    }
  }

 private:
  // ---- what to do

  // The lists of segments, and above them that of tiles.
  __device__ bool is_tile() const { return list_ == call_.classes; }

  // Of a segment of that list, of which there are so many: larger than it has to be if some teams would have nothing
  // to do.
  __device__ int team_size(int list, uint32_t segments) const {
    int size = 1 << list;
    while (size < warps && uint64_t(segments) * (2 * size) <= gridDim.x * warps) size *= 2;
    return size;
  }

  // Each team begins with an item of its own, in the blocks behind those that began with a longer one, so that all
  // blocks have some; but tiles are taken in their order.
  __device__ void begin_list(int list) {
    list_ = list;
    const uint32_t end = is_tile() ? tile_.count() : min_of(call_.control->counts[list], call_.capacities[list]);
    const int size = is_tile() ? warps : team_size(list, end), warp = threadIdx.x / warp_threads;
    team_ = WarpTeam{warp & ~(size - 1), size};
    if (team_.thread() == 0)
      storage_.next[team_.first] = !is_tile() ? warp / size * gridDim.x + shifted_block()
                                   : end > 0  ? ptx::count_relaxed_gpu(&call_.control->taken[list])
                                              : 0;
    if (threadIdx.x == 0) {
      storage_.base = is_tile() ? 0 : warps / size * gridDim.x;
      storage_.end = end;
    }
    __syncthreads();
    if (threadIdx.x == 0) storage_.shift = is_tile() ? 0 : (storage_.shift + end) % gridDim.x;
  }
  __device__ uint32_t shifted_block() const { return (blockIdx.x + gridDim.x - storage_.shift) % gridDim.x; }

  // What the team does next, if there is so much. Barriers.
  __device__ uint32_t take() {
    team_.sync();
    const uint32_t taken = storage_.next[team_.first];
    team_.sync();
    return taken;
  }

  // ---- sorting

  // Keys to be sorted by the digits of some passes, from where they lie in the input of a step to the same place
  // in its output, or where each digit's go.
  struct Work {
    uint64_t first;
    int num_items, first_pass, last_pass;
    uint32_t step, steps;
  };
  __device__ Work tile_work() const {
    const TileInPass &tile = storage_.tile;
    return {tile.first, tile.num_items, tile.pass, tile.pass + 1, tile.step, tile.segment->steps};
  }
  __device__ Work segment_work(const ListedSegment &segment) const {
    return {segment.begin, int(segment.length), 0, passes_.range().passes(), 0, 1};
  }

  __device__ void run(const Work &work) {
    const Team team = storage_.team(team_, work.num_items);
    const RadixSortStep step{call_.sort, work.step, work.steps};
    const int at = sort(team, step, work);
    if (is_tile()) {
      if (threadIdx.x < radix_digits) tile_.look_back();
      __syncthreads();
    }
    write(team, at, step, work);
    if (is_tile()) {
      __syncthreads();
      if (threadIdx.x == 0) tile_.end();
    }
  }

  __device__ bool load(const Team &team, const RadixSortStep &step, uint64_t first) const {
    const Key *from = static_cast<const Key *>(step.keys_from()) + first;
    const bool enters = step.is_first();
    const bool sorts_all = passes_.range().end - passes_.range().begin == int(sizeof(Bits) * 8);
    return team.fill(storage_.items(team_, 0), sorts_all,
                     [&](int i) { return enters ? Keys::enter(from[i]) : Kept(from[i]); });
  }

  // From one place to the other and back, but for passes in which there is nothing to do; where they are in the
  // end.
  __device__ int sort(const Team &team, const RadixSortStep &step, const Work &work) {
    const RadixRange range = passes_.range();
    // Of a tile, all bits of earlier passes are in order.
    const Bits mask = radix_mask<Bits>(range.begin, min_of(range.first(work.last_pass), range.end) - range.begin);
    const Bits flip = radix_flip<Bits>(call_.sort.is_signed, call_.sort.is_descending);
    bool matches = JIG_RADIX_SORT_FORCE == 1, is_new = true;
    int at;
#pragma unroll 1
    while (true) {
      matches = team_.any(load(team, step, work.first) || matches);
      at = 0;
#pragma unroll 1
      for (int p = work.first_pass; p < work.last_pass; ++p) {
        const RadixDigit<Keys> digit = passes_.template digit<Keys>(p);
        const Items from = storage_.items(team_, at);
        const RadixRankMode mode = team.count(from, digit);
        if (is_tile()) {
          if (is_new && threadIdx.x < radix_digits) tile_.publish(team, digit(from.key(0)), mode);
          __syncthreads();
        }
        if (mode == RankIsIndex) continue;
        at ^= 1;
        team.move(from, storage_.items(team_, at), digit, matches ? RankByMatching : mode);
        team_.sync();
      }
      const bool is_wrong =
          !matches && (JIG_RADIX_SORT_FORCE == 2 || !team.in_order(storage_.items(team_, at), flip, mask));
      if (!team_.any(is_wrong)) return at;
      matches = true;
      is_new = false;
    }
  }

  // ---- writing

  __device__ void write(const Team &team, int at, const RadixSortStep &step, const Work &work) {
    const RadixDigit<Keys> digit = passes_.template digit<Keys>(work.last_pass - 1);
    const Items items = storage_.items(team_, at);
    auto place = [&](int i) { return (is_tile() ? storage_.offsets[digit(items.key(i))] : work.first) + i; };
    Key *keys_to = static_cast<Key *>(step.keys_to());
    const bool leaves = step.is_last();
    const int threads = team_.threads();
#pragma unroll 4
    for (int i = team_.thread(); i < team.num_items(); i += threads) {
      const Kept kept = items.key(i);
      keys_to[place(i)] = leaves ? Keys::leave(kept) : Key(kept);
    }
    if constexpr (has_values) {
      const ItemValues<Value, Kept> values(static_cast<const Value *>(step.values_from()) + work.first,
                                           storage_.items(team_, at ^ 1).keys);
      values.stage(team_, team.num_items());
      Value *values_to = static_cast<Value *>(step.values_to());
#pragma unroll 4
      for (int i = team_.thread(); i < team.num_items(); i += threads) values_to[place(i)] = values[items.index(i)];
    }
  }

  TempStorage &storage_;
  const SegmentedSortCall &call_;
  SegmentedSortPasses passes_;
  SegmentedSortTile<Policy, Keys, has_values> tile_;
  WarpTeam team_;
  int list_;  // that is taken from
};

}  // namespace jig
