// What a block does in a segmented scan: it takes a few neighbouring segments, each of its warps a share
// of them. The shortest are scanned by their warp together: it lines up their items, so that every lane has
// one whatever the lengths; other short ones by their warp, one after the other; long ones by the whole block. One or
// two segments that the block's threads hold are scanned at once. The longest are left to all blocks together
// (segment_work.cuh, long_segments.cuh).
#pragma once
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/segmented_scan/segments.cuh>
#include <jig/agent/segmented_scan/warp_words.cuh>
#include <jig/warp/exchange_tile.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Out, class Op, bool Inclusive>
class AgentSegmentedScan {
  using Lanes = jig::Lanes<Accum>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, rows = Policy::rows;
  static constexpr int warp_tile_items = warp_threads * rows;
  // Up to so many items a segment is short; fewer where it is the block's only one.
  static constexpr int most_for_warp = 32 * warp_threads;
  // Run(): up to so many, a warp scans it together with others, row by row; longer ones one after the other, of which
  // each lane has neighbouring items.
  static constexpr int most_together = 3 * warp_threads;

  // Some items of a segment: where they are, and where what comes of them goes to; how many; and the place among them
  // of the warp's first one.
  struct Part {
    uint64_t in, out;
    int count, first;
  };

  // Through which a warp's items go from rows, by which they are loaded and stored, to each lane's own, one after the
  // other, and back.
  template <int Rows> using Exchange = ExchangeTile<Accum, warp_threads * Rows, Rows>;
  // Small items go by words, if a lane's are whole words.
  template <int Rows> static constexpr bool loads_words = goes_by_words<In, Rows>;
  template <int Rows> static constexpr bool stores_words = goes_by_words<Out, Rows>;
  template <int Rows> using InWords = WarpWords<typename In::value_type, Rows>;
  template <int Rows> using OutWords = WarpWords<typename Out::value_type, Rows>;
  template <int Rows> struct Held { Accum items[Rows]; };
  template <int Rows> struct HeldWords { typename InWords<Rows>::Loaded words; };
  template <int Rows> using Loaded = conditional<loads_words<Rows>, HeldWords<Rows>, Held<Rows>>;
  template <int Rows> union Words {
    conditional<loads_words<Rows>, typename InWords<Rows>::TempStorage, none> loaded;
    conditional<stores_words<Rows>, typename OutWords<Rows>::TempStorage, none> stored;
  };
  // Whether a block's segments may be scanned at once: of larger items more is compiled than that saves. If so, so many
  // of a warp's rows, and at least so many warps for each segment.
  static constexpr bool may_scan_at_once = sizeof(Accum) <= 4;
  static constexpr int once_rows = loads_words<rows> && rows >= 8 ? 8 : min_of(rows, 5);
  static constexpr int once_items = warp_threads * once_rows;
  static constexpr int least_once_warps = warps > 4 ? warps / 2 : warps;
  // Of a short segment.
  static constexpr int few_rows = min_of(rows, loads_words<rows> && sizeof(typename In::value_type) == 1 ? 4 : 2);
  union OfWarp {
    typename Exchange<rows>::TempStorage items;
    Words<rows> words;
    Words<few_rows> few_words;
  };
  using Exchanges = conditional<(rows > 1), OfWarp[warps], none>;  // one row stays

 public:
  struct TempStorage {
    uint32_t long_ones[warps];
    uninitialized<Accum, warps> warp_totals[2];  // of two tiles by turns
    Exchanges exchanges;
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
    const uint64_t most_short = last - first > 1 ? most_for_warp : warp_tile_items;
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
    for (uint32_t alone = __ballot_sync(full_warp, s.length > most_together); alone != 0; alone &= alone - 1)
      scan_alone(shuffle_from(s, __ffs(alone) - 1, warp_threads, full_warp));
    if (s.length > most_together) s.length = 0;
    scan_together(s);
  }

  // A warp's part of one of the block's segments, where these are scanned at once.
  struct Once {
    Part part;  // without items, if there is nothing left to do
    Accum items[once_rows];
    Accum below, total;
    int warps_below;  // which have what is before it
  };

  // Of `count` segments those that are this block's, where each has every gridDim.x-th, 32 at most; but for those with
  // more than `most` items. Each warp knows all of them, so that no barrier comes before the first items. If they are so
  // few and short that the block's warps can have all items at once, all is done but what EndShare() does; all threads
  // are to meet before that.
  template <class Segments>
  __device__ void RunShare(const Segments &segments, uint32_t count, uint64_t most, Once &once) {
    Segment mine = {0, 0, 0};
    const uint32_t i = blockIdx.x + lane() * gridDim.x;
    if (i < count) mine = segments[i];
    if (mine.length > most) mine.length = 0;
    const uint32_t share = __popc(__ballot_sync(full_warp, i < count));
    if constexpr (may_scan_at_once) {
      const uint32_t once_warps = share > 1 ? least_once_warps : warps;
      if (share * once_warps <= warps && __all_sync(full_warp, mine.length <= once_warps * once_items)) {
        begin_once(mine, once_warps, once);
        return;
      }
      once.part.count = once.part.first = 0;
    }
    const uint64_t most_short = share > 1 ? most_for_warp : warp_tile_items;
    uint32_t left = __ballot_sync(full_warp, mine.length > most_short);
    scan_long_ones([&]() -> Segment {
      if (left == 0) return {0, 0, 0};
      const int next = __ffs(left) - 1;
      left &= left - 1;
      return shuffle_from(mine, next, warp_threads, full_warp);
    });
    if (mine.length > most_short) mine.length = 0;
#pragma unroll 1
    for (uint32_t k = warp(); k < share; k += warps) scan_alone(shuffle_from(mine, k, warp_threads, full_warp));
  }
  __device__ void EndShare(Once &once) {
    if (!may_scan_at_once || once.part.first >= once.part.count) return;
    optional<Accum> before = initial_;
    const int below = once.warps_below;
    if (below > 0) {
      const auto *const totals = &storage_.warp_totals[0][warp() - below];
      const Accum folded =
          Lanes::template ScanHeldByFew<warps>(totals[min_of(lane(), below - 1)], op_, lane() < below);
      before = join(before, Lanes::Broadcast(folded, below - 1), op_);
    }
    emit(once.part, once.items, Folds{once.below, once.total}, before);
  }

  // A tile of a segment: items `first` and up to `tile_items` of them, on their way to the block's threads.
  static constexpr int tile_items = threads * rows;
  struct Tile {
    Part part;
    bool begins;  // the segment
    Loaded<rows> loaded;
  };
  __device__ void Load(const Segment &s, uint64_t first, Tile &tile) const {
    tile.part = {s.in + first, s.out + first, int(min_of(s.length - first, uint64_t(tile_items))),
                 warp() * warp_tile_items};
    tile.begins = first == 0;
    load(tile.part, tile.loaded);
  }

  // By the block. before(total) is what comes before the tile in its segment, given what it comes to; asked for by all
  // threads. What a segment's last tile comes to does not matter.
  template <class Before> __device__ void RunTile(Tile &tile, Before before) {
    const Part &part = tile.part;
    optional<Accum> total = {false};
    Accum items[rows];
    take(part, tile.loaded, items);
    const Folds warp_folds = fold(part, items);
    const optional<Accum> below = share(part, warp_folds.total, storage_.warp_totals[0], total);
    const optional<Accum> others = before(total.value);
    optional<Accum> carry = initial_;
    if (others.exists) carry = join(carry, others.value, op_);
    if (below.exists) carry = join(carry, below.value, op_);
    emit(part, items, warp_folds, carry);
  }

  // Segments first, first + step, ... before `last`, by the whole block.
  template <class Segments>
  __device__ void RunEach(const Segments &segments, uint64_t first, uint64_t last, uint32_t step = 1) {
    scan_long_ones([&] {
      Segment s = {0, 0, 0};
      for (; s.length == 0 && first < last; first += step) s = segments[first];
      return s;
    });
  }

 private:
  // Each lane knows a segment; the warp does its part of one of the first.
  __device__ void begin_once(const Segment &mine, uint32_t once_warps, Once &once) {
    const Segment s = shuffle_from(mine, warp() / once_warps, warp_threads, full_warp);
    once.warps_below = warp() % once_warps;
    once.part = {s.in, s.out, int(s.length), once.warps_below * once_items};
    if (once.part.first >= once.part.count) return;
    if constexpr (loads_words<once_rows>) {
      Loaded<once_rows> loaded;
      load(once.part, loaded);
      take(once.part, loaded, once.items);
    } else {
      // Straight to the lanes: what a lane takes next has come with what it takes first.
      const int first = once.part.first + lane() * once_rows;
#pragma unroll
      for (int k = 0; k < once_rows; ++k) {
        once.items[k] = Accum{};
        if (first + k < once.part.count) once.items[k] = static_cast<Accum>(in_[once.part.in + first + k]);
      }
    }
    const Folds folds = fold(once.part, once.items);
    once.below = folds.below;
    once.total = folds.total;
    if (lane() == 0) storage_.warp_totals[0][warp()] = folds.total;
  }

  // By a warp: each lane's segment, of up to most_together items.
  __device__ void scan_together(const Segment &s) {
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

  // By the warp: as many rows of a segment at a time as it holds, or few.
  __device__ void scan_alone(const Segment &s) const {
    optional<Accum> before = initial_;
#pragma unroll 1
    for (uint64_t first = 0; first < s.length; first += warp_tile_items) {
      const Part part = {s.in + first, s.out + first, int(min_of(s.length - first, uint64_t(warp_tile_items))), 0};
      if (part.count <= few_rows * warp_threads) scan_alone<few_rows>(part, before);
      else scan_alone<rows>(part, before);
    }
  }
  template <int Rows> __device__ void scan_alone(const Part &part, optional<Accum> &before) const {
    Loaded<Rows> loaded;
    load(part, loaded);
    Accum items[Rows];
    take(part, loaded, items);
    const Folds folds = fold(part, items);
    emit(part, items, folds, before);
    if (may_see<Op>(part.count == Rows * warp_threads)) before = join(before, folds.total, op_);
  }

  // By the block: segment by segment, as next() tells them, tile by tile, and each warp has a warp tile, in rows. A
  // tile's items are on their way while those of the one before are scanned. next() tells one of no items behind the
  // last.
  template <class Next> __device__ void scan_long_ones(Next next) {
    Segment s = next();
    if (s.length == 0) return;
    uint64_t first = 0;
    Tile ahead;
    Load(s, first, ahead);
    optional<Accum> carry = initial_;
#pragma unroll 1
    for (bool more = true; more; odd_ = !odd_) {
      Tile tile = ahead;
      first += tile_items;
      if (first >= s.length) {
        s = next();
        first = 0;
      }
      more = s.length > 0;
      if (more) Load(s, first, ahead);
      Accum items[rows];
      take(tile.part, tile.loaded, items);
      const Folds folds = fold(tile.part, items);
      if (tile.begins) carry = initial_;
      emit(tile.part, items, folds, share(tile.part, folds.total, storage_.warp_totals[odd_], carry));
    }
  }

  // The warp's rows.
  template <int Rows> __device__ void load(const Part &part, HeldWords<Rows> &loaded) const {
    InWords<Rows>::Load(in_, part.in + part.first, part.count - part.first, loaded.words);
  }
  template <int Rows> __device__ void load(const Part &part, Held<Rows> &loaded) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int place = part.first + r * warp_threads + lane();
      loaded.items[r] = static_cast<Accum>(in_[part.in + min_of(place, part.count - 1)]);
    }
  }

  // Each lane's own items.
  template <int Rows>
  __device__ void take(const Part &part, const HeldWords<Rows> &loaded, Accum (&items)[Rows]) const {
    const auto own = InWords<Rows>::Take(words<InWords<Rows>>(), in_, part.in + part.first, part.count - part.first,
                                         loaded.words);
#pragma unroll
    for (int k = 0; k < Rows; ++k) items[k] = static_cast<Accum>(own[k]);
  }
  template <int Rows> __device__ void take(const Part &, const Held<Rows> &loaded, Accum (&items)[Rows]) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) items[r] = loaded.items[r];
    if constexpr (Rows > 1) rows_to_lanes(items);
  }

  // What the lanes below come to, and all lanes.
  struct Folds {
    Accum below, total;
  };

  // Each of a lane's items is folded with those before it.
  template <int Rows> __device__ Folds fold(const Part &part, Accum (&items)[Rows]) const {
    const int left = part.count - part.first - lane() * Rows;
#pragma unroll
    for (int k = 1; k < Rows; ++k) {
      if (may_see<Op>(k < left)) items[k] = op_(items[k - 1], items[k]);
    }
    const Accum folded = Lanes::ScanHeld(items[Rows - 1], op_, Rows <= left);
    return {Lanes::Previous(folded), Lanes::Broadcast(folded, warp_threads - 1)};
  }

  // The results, given what comes before the warp's items.
  template <int Rows>
  __device__ void emit(const Part &part, Accum (&items)[Rows], const Folds &folds,
                       const optional<Accum> &before) const {
    const int left = part.count - part.first - lane() * Rows;
    Accum carry = before.value;
    if (lane() > 0 && may_see<Op>(left > 0)) carry = before.exists ? op_(carry, folds.below) : folds.below;
#pragma unroll
    for (int k = Rows - 1; k >= 0; --k) {
      if constexpr (Inclusive) {
        if ((before.exists || lane() > 0) && may_see<Op>(k < left)) items[k] = op_(carry, items[k]);
      } else if (k == 0) {
        items[k] = carry;
      } else if (may_see<Op>(k < left)) {
        items[k] = op_(carry, items[k - 1]);
      }
    }
    if constexpr (stores_words<Rows>) store_words(part, items);
    else store_rows(part, items);
  }
  template <int Rows> __device__ void store_words(const Part &part, const Accum (&items)[Rows]) const {
    packed_vector<typename Out::value_type, Rows> own{};
#pragma unroll
    for (int k = 0; k < Rows; ++k) own.set(k, static_cast<typename Out::value_type>(items[k]));
    OutWords<Rows>::Store(words<OutWords<Rows>>(), out_, part.out + part.first, part.count - part.first, own);
  }
  template <int Rows> __device__ void store_rows(const Part &part, Accum (&items)[Rows]) const {
    if constexpr (Rows > 1) lanes_to_rows(items);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int place = part.first + r * warp_threads + lane();
      if (place < part.count) store(part.out + place, items[r]);
    }
  }

  template <class Words> __device__ typename Words::TempStorage &words() const {
    return reinterpret_cast<typename Words::TempStorage &>(storage_.exchanges[warp()]);
  }

  template <int Rows> __device__ Exchange<Rows> exchange() const {
    return Exchange<Rows>(reinterpret_cast<typename Exchange<Rows>::TempStorage &>(storage_.exchanges[warp()]));
  }
  template <int Rows> __device__ void rows_to_lanes(Accum (&items)[Rows]) const {
    const auto tile = exchange<Rows>();
    __syncwarp();
#pragma unroll
    for (int r = 0; r < Rows; ++r) tile.put(tile.template place<warp_threads>(r * warp_threads, lane()), items[r]);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Rows; ++k) items[k] = tile.get(tile.template place<Rows>(lane() * Rows, k));
  }
  template <int Rows> __device__ void lanes_to_rows(Accum (&items)[Rows]) const {
    const auto tile = exchange<Rows>();
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Rows; ++k) tile.put(tile.template place<Rows>(lane() * Rows, k), items[k]);
    __syncwarp();
#pragma unroll
    for (int r = 0; r < Rows; ++r) items[r] = tile.get(tile.template place<warp_threads>(r * warp_threads, lane()));
  }

  // Shares what the warps have come to; what comes before this one, if it has any items. `carry` is what comes before
  // the tile, and then what comes before the next one.
  __device__ optional<Accum> share(const Part &part, const Accum &total, uninitialized<Accum, warps> &warp_totals,
                                   optional<Accum> &carry) const {
    const int whole = part.count / warp_tile_items;
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
