// What a block does in a segmented scan: it takes a few neighbouring segments, each of its warps a share
// of them. Short segments are scanned by their warp, which lines up their items, so that every lane has
// one whatever the lengths; long ones by the whole block, one after the other. The longest are left to all blocks
// together (segment_work.cuh).
#pragma once
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/segmented_scan/segments.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Out, class Op, bool Inclusive>
class AgentSegmentedScan {
  using Lanes = jig::Lanes<Accum>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, rows = Policy::rows;
  static constexpr int tile_items = threads * rows, warp_tile_items = warp_threads * rows;
  // Up to so many items a segment is short; fewer where a block has so few segments that most of its warps have none.
  static constexpr int most_for_warp = 32 * warp_threads, few_segments = 2;

 public:
  struct TempStorage {
    uint32_t long_ones[warps];
    uninitialized<Accum, warps> warp_totals[2];  // of two tiles by turns
  };

  __device__ AgentSegmentedScan(TempStorage &storage, const In &in, const Out &out, Op op,
                                const optional<Accum> &initial)
      : storage_(storage), in_(in), out_(out), op_(op), initial_(initial) {}

  // Segments first .. last - 1, at most 32 for each warp. Those with more than `most` items are left alone, and leave()
  // is called by a thread for each.
  template <class Segments, class Leave>
  __device__ void Run(const Segments &segments, uint64_t first, uint64_t last, uint64_t most, Leave leave) {
    const int each = int(ceil_div(last - first, uint64_t(warps)));
    const uint64_t mine = first + warp() * each + lane();
    Segment s = {0, 0, 0};
    if (lane() < each && mine < last) s = segments[mine];
    if (s.length > most) {
      leave();
      s.length = 0;
    }
    const uint64_t most_short = last - first > few_segments ? most_for_warp : warp_tile_items;
    const uint32_t long_ones = __ballot_sync(full_warp, s.length > most_short);
    if (lane() == 0) storage_.long_ones[warp()] = long_ones;
    __syncthreads();
    int w = -1;
    uint32_t left = 0;
    scan_long_ones([&]() -> Segment {
      while (left == 0 && ++w < warps) left = storage_.long_ones[w];
      if (left == 0) return {0, 0, 0};
      const int next = __ffs(left) - 1;
      left &= left - 1;
      return segments[first + w * each + next];
    });
    if (s.length > most_short) s.length = 0;
    scan_short(s);
  }

  // Segments first .. last - 1, if none has more than `most` items or than a warp holds; whether that is so. By all
  // threads. If a warp's first one is a row, it is on its way while they meet.
  template <class Segments>
  __device__ bool RunHeld(const Segments &segments, uint64_t first, uint64_t last, uint64_t most) {
    most = min_of(most, uint64_t(warp_tile_items));
    const uint64_t mine = first + warp();
    Segment s = {0, 0, 0};
    if (mine < last) s = segments[mine];
    bool is_long = s.length > most;
    Accum row[1];
    if (is_row(s)) load(s, lane(), row);
#pragma unroll 1
    for (uint64_t i = mine + warps; i < last; i += warps) is_long |= segments[i].length > most;
    if (__syncthreads_or(is_long)) return false;
    ptx::launch_dependent_grids();
#pragma unroll 1
    for (uint64_t i = mine + warps;; i += warps) {
      if (is_row(s)) scan_held(s, row);
      else if (s.length > 0) scan_held(s);
      if (i >= last) return true;
      s = segments[i];
      if (is_row(s)) load(s, lane(), row);
    }
  }

  // Segments first .. last - 1 by the whole block.
  template <class Segments> __device__ void RunEach(const Segments &segments, uint64_t first, uint64_t last) {
    scan_long_ones([&] {
      Segment s = {0, 0, 0};
      while (s.length == 0 && first < last) s = segments[first++];
      return s;
    });
  }

 private:
  // By a warp: each lane's segment.
  __device__ void scan_short(const Segment &s) {
    const int length = int(s.length), end = jig::Lanes<int>::InclusiveScan(length, plus{});
    const int total = jig::Lanes<int>::Broadcast(end, warp_threads - 1);
    Accum carry{};
    for (int base = 0; base < total; base += rows * warp_threads) {
      Accum items[rows];
      uint64_t targets[rows];
      uint32_t heads = 0;  // the lane's, a bit for each row
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        // Past the end lanes hold the last item once more.
        const int place = base + r * warp_threads + lane(), last = total - 1;
        const int owner = find_owner(end, min_of(place, last));
        const int offset = min_of(place, last) - jig::Lanes<int>::Broadcast(end - length, owner);
        items[r] = static_cast<Accum>(in_[jig::Lanes<uint64_t>::Broadcast(s.in, owner) + offset]);
        targets[r] = jig::Lanes<uint64_t>::Broadcast(s.out, owner) + offset;
        heads |= uint32_t(offset == 0 && place <= last) << r;
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int place = base + r * warp_threads;
        if (place >= total) break;
        const Accum scanned = scan_row(items[r], heads >> r & 1, place + lane() < total, carry);
        if (place + lane() < total) store(targets[r], scanned);
      }
    }
  }

  // The lane whose segment has the item at that place among all of the warp's.
  static __device__ int find_owner(int end, int place) {
    int owner = 0;
#pragma unroll
    for (int step = warp_threads / 2; step > 0; step /= 2) {
      const int end_below = jig::Lanes<int>::Broadcast(end, owner + step - 1);
      if (end_below <= place) owner += step;
    }
    return owner;
  }

  // The result at the lane's item; `carry` is what is open before the row, and then after it. Lanes past the end count
  // as heads, so that nothing is folded with them, unless an operator takes anything.
  __device__ Accum scan_row(Accum item, bool head, bool exists, Accum &carry) const {
    const uint32_t heads = __ballot_sync(full_warp, head || !may_see<Op>(exists));
    if (Inclusive && head && initial_.exists) item = op_(initial_.value, item);
    if (!Inclusive && head) item = op_(initial_.value, item);
    const Accum lanes = scan_open_runs(item, heads, op_);
    const Accum row = Lanes::Broadcast(lanes, warp_threads - 1), before = carry;
    carry = heads != 0 ? row : op_(carry, row);
    if constexpr (Inclusive) {
      const bool is_open = may_see<Op>(exists) && !head && !is_head_below(heads);
      return is_open ? op_(before, lanes) : lanes;
    } else {
      const Accum below = open_before(before, lanes, heads, op_);
      return head ? initial_.value : below;
    }
  }

  static __device__ bool is_row(const Segment &s) { return s.length > 0 && s.length <= warp_threads; }

  // By the warp: one that it holds.
  __device__ void scan_held(const Segment &s) const {
    Accum lanes[rows];
    load(s, lane(), lanes);
    scan_held(s, lanes);
  }
  template <int Rows> __device__ void scan_held(const Segment &s, Accum (&lanes)[Rows]) const {
    scan_warp_tile(s, lane(), lanes);
    store_warp_tile(s, lane(), lanes, initial_);
  }

  // A tile of a segment that the block scans.
  struct LongTile {
    Segment s;
    uint64_t first;

    // This thread's first item, if there is one.
    __device__ uint64_t mine() const { return first + warp() * warp_tile_items + lane(); }
  };

  // By the block: segment by segment, as next() tells them, tile by tile, and each warp has a warp tile, in rows. A
  // tile's items are on their way while those of the one before are scanned. next() tells one of no items behind the
  // last.
  template <class Next> __device__ void scan_long_ones(Next next) {
    LongTile ahead = {next(), 0};
    if (ahead.s.length == 0) return;
    Accum loaded[rows];
    load(ahead.s, ahead.mine(), loaded);
    optional<Accum> carry = initial_;
#pragma unroll 1
    for (bool more = true; more; odd_ = !odd_) {
      const LongTile tile = ahead;
      Accum lanes[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) lanes[r] = loaded[r];
      ahead.first += tile_items;
      if (ahead.first >= ahead.s.length) ahead = {next(), 0};
      more = ahead.s.length > 0;
      if (more) load(ahead.s, ahead.mine(), loaded);
      const Accum total = scan_warp_tile(tile.s, tile.mine(), lanes);
      if (tile.first == 0) carry = initial_;
      const uint64_t left = tile.s.length - tile.first;
      store_warp_tile(tile.s, tile.mine(), lanes, exchange(total, storage_.warp_totals[odd_], left, carry));
    }
  }

  // A warp tile's items, of which `mine` is the lane's first one.
  template <int Rows> __device__ void load(const Segment &s, uint64_t mine, Accum (&lanes)[Rows]) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      lanes[r] = static_cast<Accum>(in_[s.in + min_of(mine + r * warp_threads, s.length - 1)]);
  }

  // Each row up to each lane; what all come to.
  template <int Rows> __device__ Accum scan_warp_tile(const Segment &s, uint64_t mine, Accum (&lanes)[Rows]) const {
    Accum total;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const uint64_t row_end = mine - lane() + (r + 1) * warp_threads;
      lanes[r] = Lanes::ScanHeld(lanes[r], op_, mine + r * warp_threads < s.length);
      const Accum row = Lanes::Broadcast(lanes[r], warp_threads - 1);
      if (r == 0) total = row;
      else if (may_see<Op>(row_end <= s.length)) total = op_(total, row);
    }
    return total;
  }

  // Shares what the warps have come to; what comes before this one, if it has any of the `left` items. `carry` is what
  // comes before the tile, and then what comes before the next one.
  __device__ optional<Accum> exchange(const Accum &total, uninitialized<Accum, warps> &warp_totals, uint64_t left,
                                   optional<Accum> &carry) const {
    const uint64_t whole = left / warp_tile_items;
    if (lane() == 0) warp_totals[warp()] = total;
    __syncthreads();
    const Accum folded =
        Lanes::ScanHeld(warp_totals[min_of(lane(), warps - 1)], op_, lane() < warps && lane() < whole);
    const Accum below = Lanes::Broadcast(folded, max_of(warp() - 1, 0));
    optional<Accum> before = carry;
    if (warp() > 0 && may_see<Op>(warp() <= whole)) before = join(before, below, op_);
    if (may_see<Op>(warps <= whole)) carry = join(carry, Lanes::Broadcast(folded, warps - 1), op_);
    return before;
  }

  template <int Rows>
  __device__ void store_warp_tile(const Segment &s, uint64_t mine, const Accum (&lanes)[Rows],
                                  optional<Accum> before) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      Accum scanned = lanes[r];
      const uint64_t i = mine + r * warp_threads, end = i - lane() + warp_threads;
      if constexpr (Inclusive) {
        if (before.exists && may_see<Op>(i < s.length)) scanned = op_(before.value, scanned);
      } else {
        const Accum below = Lanes::Previous(lanes[r]);
        scanned = lane() == 0 || !may_see<Op>(i < s.length) ? before.value : op_(before.value, below);
      }
      if (i < s.length) store(s.out + i, scanned);
      if (may_see<Op>(end <= s.length)) before = join(before, Lanes::Broadcast(lanes[r], warp_threads - 1), op_);
    }
  }

  __device__ void store(uint64_t i, const Accum &value) const {
    out_.store(i, static_cast<typename Out::value_type>(value));
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  TempStorage &storage_;
  const In &in_;
  const Out &out_;
  Op op_;
  optional<Accum> initial_;
  bool odd_ = false;  // which of the warp totals are next
};

}  // namespace jig
