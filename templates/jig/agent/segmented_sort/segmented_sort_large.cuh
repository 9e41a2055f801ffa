// What a block does in the second kernel of a segmented sort: it takes tiles of large segments, and then other
// segments, from the longest on, and sorts them in shared memory: a tile by one digit, a segment by all.
//
// If there is room for everything at once, every block has its place in one list, whose segments get the more warps
// the more room there is; no other list is looked at then.
//
// Values stay where they are until the end; with them, keys have their indices beside them. Whether adding has
// ranked all in the right order (radix_rank.cuh) is looked at once, at the end; if it has not, all
// is done again by matching.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_tile.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn> class AgentSegmentedSortLarge {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int warps = Policy::threads / warp_threads, log_warps = warps == 16 ? 4 : 3;
  static_assert(warps == 1 << log_warps, "a block's warps are a warp group");
  static constexpr bool has_values = !is_same<Value, none>;
  using RadixGroup = RadixWarpGroup<Keys, has_values>;
  using Items = typename RadixGroup::Items;
  using Tile = SegmentedSortTile<Policy, Keys, has_values, KeysIn>;

 public:
  using TempStorage = SegmentedSortStorage<Policy, Keys, has_values>;

  __device__ AgentSegmentedSortLarge(TempStorage &storage, const KeysIn &keys_in, const ValuesIn &values_in,
                                     const SegmentedSortCall &call)
      : storage_(storage),
        keys_in_(keys_in),
        values_in_(values_in),
        call_(call),
        passes_{call.sort},
        tile_(storage, keys_in, call) {}

  __device__ void Run() {
    if (threadIdx.x <= tiles_list()) storage_.counts[threadIdx.x] = count(threadIdx.x);
    if (blockIdx.x == 0 && threadIdx.x == 0) call_.control->start.retire(call_.sort.tag);
    __syncthreads();
    const int spread = spread_that_fits();
    const bool fits = spread >= 0;
    if (!(fits ? begin_share(spread) : begin_list_below(tiles_list() + 1))) return;
#pragma unroll 1
    while (true) {
      const uint32_t taken = take();
      if (taken >= end()) {
        if (fits) return;
        __syncthreads();
        if (!begin_list_below(list_)) return;
        continue;
      }
      // The next number comes while this one is sorted; but if that takes long, others should have it.
      const bool draws = warp_group_.thread() == 0 && (!fits || is_tile());
      uint32_t next = end();
      if (draws && !is_long()) next = take_number();
      bool has_work = begin(taken);
#pragma unroll 1
      while (is_long() ? tile_.next() : has_work) {
        run();
        has_work = false;
      }
      if (draws && is_long()) next = take_number();
      if (warp_group_.thread() == 0) storage_.next[warp_group_.first()] = next;
    }
  }

 private:
  // ---- lists: of classes, of long segments, of tiles

  __device__ int long_list() const { return call_.classes; }
  __device__ int tiles_list() const { return call_.classes + 1; }
  __device__ bool is_long() const { return list_ == long_list(); }
  __device__ bool is_tile() const { return list_ == tiles_list(); }
  // Whether it takes a whole block, tile by tile.
  __device__ bool is_tiled() const { return list_ >= long_list(); }
  // Whether it is a tile now that is put in order of one digit.
  __device__ bool has_tile() const { return is_tiled() && tile_.is_tile(); }

  __device__ uint32_t count(int list) const {
    if (list == tiles_list()) return Tile::count(call_);
    if (list == long_list()) return min_of(call_.control->counts[segmented_sort_classes], call_.max_long);
    return min_of(call_.control->counts[list], call_.capacities[list]);
  }
  // How many numbers there are to take.
  __device__ uint32_t end() const { return storage_.counts[list_] * (is_tile() ? tile_.rounds() : 1); }
  __device__ uint32_t take_number() const { return ptx::count_relaxed_gpu(&call_.control->taken[list_]); }

  // A class's segments have 2^spread times as many warps as they need.
  __device__ WarpGroup warp_group(int list, int spread) const {
    return {list >= long_list() ? log_warps : min_of(list + spread, log_warps), int(threadIdx.x / warp_threads)};
  }
  __device__ uint32_t blocks(int list, int spread) const {
    return uint32_t((uint64_t(storage_.counts[list]) << warp_group(list, spread).log_warps) + warps - 1 >> log_warps);
  }
  // With which all blocks have something at once; -1 if they have not.
  __device__ int spread_that_fits() const {
    int spread = Policy::log_spread;
#pragma unroll 1
    for (; spread >= 0; --spread) {
      uint64_t sum = 0;
#pragma unroll 1
      for (int list = 0; list <= tiles_list(); ++list) sum += blocks(list, spread);
      if (sum <= gridDim.x) break;
    }
    return spread;
  }

  // This block's part of everything. Whether there is any. Tiles are numbered as blocks come.
  __device__ bool begin_share(int spread) {
    uint32_t block = blockIdx.x;
#pragma unroll 1
    for (list_ = tiles_list(); list_ >= 0; --list_) {
      const uint32_t all = blocks(list_, spread);
      if (block < all) break;
      block -= all;
    }
    if (list_ < 0) return false;
    warp_group_ = warp_group(list_, spread);
    if (warp_group_.thread() == 0)
      storage_.next[warp_group_.first()] =
          is_tile() ? take_number() : block * warps + warp_group_.first() >> warp_group_.log_warps;
    return true;
  }

  // The next list that is not empty; whether there is one.
  __device__ bool begin_list_below(int list) {
    list_ = list - 1;
#pragma unroll 1
    while (list_ >= 0 && storage_.counts[list_] == 0) --list_;
    if (list_ < 0) return false;
    warp_group_ = warp_group(list_, 0);
    if (warp_group_.thread() == 0) storage_.next[warp_group_.first()] = take_number();
    return true;
  }

  // What the warp group does next, if there is so much. Begins with a barrier.
  __device__ uint32_t take() const {
    warp_group_.sync();
    return storage_.next[warp_group_.first()];
  }

  // Says what is to be sorted. Whether there is anything. Ends with a barrier.
  __device__ bool begin(uint32_t taken) {
    if (is_tiled()) return tile_.begin(is_long(), taken, storage_.counts[list_]);
    if (warp_group_.thread() == 0) {
      const ListedSegment segment = ListedSegment::unpack(call_.lists[list_][taken]);
      work() = {segment.begin, int(segment.length), 0, passes_.range().passes(), 0, 1};
    }
    warp_group_.sync();
    return true;
  }

  // ---- sorting

  __device__ WarpGroupWork &work() const { return storage_.work[warp_group_.first()]; }
  __device__ RadixSortStep step() const { return {call_.sort, work().step, work().steps}; }

  __device__ void run() {
    const RadixGroup warp_group = storage_.warp_group(warp_group_);
    const int at = sort(warp_group);
    if (has_tile()) {
      if (threadIdx.x < radix_digits) tile_.look_back();
      __syncthreads();
    }
    write(warp_group, at);
    if (is_tiled()) {
      __syncthreads();
      if (threadIdx.x == 0) tile_.end();
    }
  }

  // What `use` makes of the step's input from the work's first item on: of an iterator, if there is one, in the first
  // step, otherwise of memory. So which of the two it is is asked once, not for each item.
  template <class Item, class In, class Use>
  __device__ auto take_from(const In &in, const void *pointer, const Use &use) const {
    const uint64_t first = work().first;
    if constexpr (!is_pointed<In>) {
      if (step().is_first()) return use(radix_input_from<Item>(in, nullptr, first));
    }
    return use(static_cast<const Item *>(pointer) + first);
  }

  __device__ bool load(const RadixGroup &warp_group) const {
    const bool enters = step().is_first();
    const bool sorts_all = passes_.range().end - passes_.range().begin == int(sizeof(Bits) * 8);
    return take_from<Key>(keys_in_, step().keys_from(), [&](auto from) {
      return warp_group.fill(storage_.items(warp_group_, 0), sorts_all,
                             [&](int i) { return enters ? Keys::enter(from[i]) : Kept(from[i]); });
    });
  }

  // From one place to the other and back, but for passes in which there is nothing to do; where they are in the
  // end.
  __device__ int sort(const RadixGroup &warp_group) {
    bool matches = JIG_RADIX_SORT_FORCE == 1, is_new = true;
    int at;
#pragma unroll 1
    while (true) {
      matches = warp_group_.any(load(warp_group) || matches);
      at = 0;
#pragma unroll 1
      for (int p = work().first_pass; p < work().last_pass; ++p) {
        const RadixDigit<Keys> digit = passes_.template digit<Keys>(p);
        const Items from = storage_.items(warp_group_, at);
        const RadixRankMode mode = warp_group.count(from, digit);
        if (has_tile()) {
          if (is_new && threadIdx.x < radix_digits) tile_.publish(warp_group, digit(from.key(0)), mode);
          __syncthreads();
        }
        if (mode == RankIsIndex) continue;
        at ^= 1;
        warp_group.move(from, storage_.items(warp_group_, at), digit, matches ? RankByMatching : mode);
        warp_group_.sync();
      }
      if (!warp_group_.any(!matches && (JIG_RADIX_SORT_FORCE == 2 || !in_order(warp_group, at)))) return at;
      matches = true;
      is_new = false;
    }
  }

  // Of a tile, all bits of earlier passes are.
  __device__ bool in_order(const RadixGroup &warp_group, int at) const {
    const RadixRange range = passes_.range();
    const Bits flip = radix_flip<Bits>(call_.sort.is_signed, call_.sort.is_descending);
    const int bits = min_of(range.first(work().last_pass), range.end) - range.begin;
    return warp_group.in_order(storage_.items(warp_group_, at), flip, radix_mask<Bits>(range.begin, bits));
  }

  // ---- writing

  __device__ void write(const RadixGroup &warp_group, int at) const {
    const RadixDigit<Keys> digit = passes_.template digit<Keys>(work().last_pass - 1);
    const Items items = storage_.items(warp_group_, at);
    const uint64_t first = work().first;
    const bool by_digit = has_tile();
    auto place = [&](int i) { return (by_digit ? storage_.offsets[digit(items.key(i))] : first) + i; };
    Key *keys_to = static_cast<Key *>(step().keys_to());
    const bool leaves = step().is_last();
    const int threads = warp_group_.threads();
#pragma unroll 4
    for (int i = warp_group_.thread(); i < warp_group.num_items(); i += threads) {
      const Kept kept = items.key(i);
      keys_to[place(i)] = leaves ? Keys::leave(kept) : Key(kept);
    }
    if constexpr (has_values) {
      take_from<Value>(values_in_, step().values_from(), [&](auto from) {
        const ItemValues<Value, Kept, decltype(from)> values(from, storage_.items(warp_group_, at ^ 1).keys);
        values.stage(warp_group_, warp_group.num_items());
        Value *values_to = static_cast<Value *>(step().values_to());
#pragma unroll 4
        for (int i = warp_group_.thread(); i < warp_group.num_items(); i += threads)
          values_to[place(i)] = values[items.index(i)];
      });
    }
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const ValuesIn &values_in_;
  const SegmentedSortCall &call_;
  SegmentedSortPasses passes_;
  Tile tile_;
  WarpGroup warp_group_;
  int list_;  // that is taken from
};

}  // namespace jig
