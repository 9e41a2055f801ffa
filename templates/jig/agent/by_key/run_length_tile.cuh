// A tile of run-length encoding, or of finding the runs of two keys and more, from memory to memory; what
// a tile is to the others is said in single_wave.cuh.
//
// No values are scanned: a length is the difference of two heads. At a head the run before it is complete.
// How many heads the lanes have in each row are small numbers, several to a word, so that one scan serves all rows.
// The lanes put the heads of a few rows side by side in shared memory. Where there are many, they read the rows' keys
// again and put those of the heads there, too, from where keys and lengths go to neighbouring places by whole vectors;
// where there are few, each lane reads a head's key and stores it with a length. Rows without heads cost nothing more.
#pragma once
#include <jig/agent/by_key/heads.cuh>
#include <jig/agent/by_key/open_run.cuh>
#include <jig/agent/chain/stage.cuh>
#include <jig/core/fields.cuh>
#include <jig/core/store_vector.cuh>
#include <jig/warp/fold_of_lanes.cuh>

namespace jig {

// What a part of the input comes to: how many runs are complete in it, of those that count, and where its
// last head is, 0 if it has none.
template <class Count> struct RunCountOf {
  Count runs, head;
};
using RunCount = RunCountOf<uint64_t>;

struct RunCountOp {
  template <class Count>
  __device__ RunCountOf<Count> operator()(const RunCountOf<Count> &a, const RunCountOf<Count> &b) const {
    return {a.runs + b.runs, max_of(a.head, b.head)};
  }
};

template <> constexpr bool takes_any_bytes<RunCountOp> = true;

// NonTrivial: of the runs of two keys and more where they begin; otherwise of every run its first key. Count has room
// for the number of items.
template <class Policy, bool NonTrivial, class Count, class Keys, class First, class Lengths, class NumRuns,
          class Equality>
class RunLengthTile {
  using Key = typename Keys::value_type;
  static constexpr int vector_items = Policy::vector_items, row_items = warp_threads * vector_items;
  static constexpr uint64_t least_length = NonTrivial ? 2 : 1;
  using RowHeads = Heads<Keys, Equality, vector_items, Policy::rows>;
  using Vector = typename RowHeads::Items;

 public:
  using State = RunCountOf<Count>;
  using Op = RunCountOp;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, items_per_row = threads * vector_items;
  static constexpr int most_cluster = Policy::cluster;
  static constexpr bool finishes = false;

 private:
  using Counts = fields<(row_items < 256 ? 8 : 16), max_rows>;
  // Whether keys are put in order. Those of 16 bytes are vectors by themselves, which fill whole sectors anyway.
  static constexpr bool stages_keys = !NonTrivial && sizeof(Key) != 16 && sizeof(Key) * vector_items <= 128;
  // Whether a loop over a vector's heads is shorter than one over its items, if there are few; these are fewer than one
  // of so many items.
  static constexpr bool is_long = vector_items > 4;
  static constexpr int sparse_items = is_long ? 4 : 16;

  // What a warp needs for so many rows.
  template <int Rows> struct StageOf {
    alignas(stages_keys ? stage_align<Key> : 16) unsigned char
        keys[stages_keys ? Rows * row_items * int(sizeof(Key)) + stage_align<Key> : 1];
    uint16_t heads[Rows * row_items];  // where in these rows they are
  };
  static constexpr int most_stage_bytes = 40 * 1024;  // of a block
  template <int Rows> static constexpr int find_group_rows() {
    if constexpr (Rows > 1 && (max_rows % Rows != 0 || warps * int(sizeof(StageOf<Rows>)) > most_stage_bytes))
      return find_group_rows<Rows - 1>();
    else return Rows;
  }
  static constexpr int group_rows = find_group_rows<max_rows>();
  using Stage = StageOf<group_rows>;

 public:
  struct TempStorage {
    Stage of_warp[warps];
  };

  // Where everything comes from and goes to.
  struct Places {
    const Keys &keys;
    const First &first;
    const Lengths &lengths;
    const NumRuns &num_runs;
    uint64_t num_items;
  };

  __device__ RunLengthTile(TempStorage &storage, const Places &places, const Equality &equality, uint64_t tile,
                           int rows)
      : stage_(storage.of_warp[threadIdx.x / warp_threads]), places_(places), equality_(equality),
        warp_tile_(places.num_items, tile, rows) {}

  __device__ State Reduce() {
    if (!warp_tile_.has_vectors()) return {0, 0};
    const uint64_t begin = warp_tile_.first_item(0);
    Counts own{};
    uint32_t complete = 0, head = 0;
    bool after_head = false;
    if (NonTrivial && lane() == 0 && warp_tile_.holds(0))
      after_head = begin == 0 || is_head(places_.keys, equality_, begin - 1);
    heads_.Load(warp_tile_, places_.keys, equality_, [&](int r, const auto &, const auto &) {
      const uint32_t flags = heads_.Flags(r);
      own.add(r, __popc(flags));
      if constexpr (NonTrivial) complete += __popc(flags & ~after_heads(flags, after_head));
      if (flags != 0) head = r * row_items + lane() * vector_items + warp_threads - __clz(flags);
    });
    counts_ = Lanes<Counts>::InclusiveScan(own, add_fields());
    totals_ = Lanes<Counts>::Broadcast(counts_, warp_threads - 1);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) counts_.word[w] -= own.word[w];
    // Its place in the warp tile, and one; 0 if there is none.
    const uint32_t last = fold_of_lanes(head, maximum<false>{});
    const uint64_t warp_tile_begin = begin - lane() * vector_items;
    return {ends(complete, warp_tile_begin), last == 0 ? Count(0) : Count(warp_tile_begin + last - 1)};
  }

  __device__ void Emit(optional<State> before) {
    State so_far = before.value;
    if (warp_tile_.has_vectors()) {
#pragma unroll
      for (int g = 0; g < max_rows; g += group_rows) {
        if (g < warp_tile_.rows()) emit_group(g, so_far);
      }
    }
    if (warp_tile_.ends_input()) emit_rest(so_far);
  }

  __device__ bool in_place() const { return false; }
  __device__ bool is_whole(int warp) const { return warp_tile_.is_whole(warp); }

 private:
  // How many runs that count end in the warp tile; `complete` has the lane's, if two keys make one. At the first item
  // of all no run ends.
  __device__ uint32_t ends(uint32_t complete, uint64_t warp_tile_begin) const {
    if constexpr (NonTrivial) {
      return fold_of_lanes(complete, plus{});
    } else {
      uint32_t heads = 0;
#pragma unroll
      for (int r = 0; r < max_rows; ++r) heads += totals_.get(r);
      return warp_tile_begin == 0 && heads > 0 ? heads - 1 : heads;
    }
  }

  // Which of a lane's items follow a head, or nothing: at those no run of two keys ends. `after_head` says, in the
  // first lane, whether the item before the row is a head; and then that for the next row.
  static __device__ uint32_t after_heads(uint32_t flags, bool &after_head) {
    const uint32_t ends = __ballot_sync(full_warp, flags >> (vector_items - 1) & 1);
    const uint32_t follows = lane() == 0 ? after_head : ends >> (lane() - 1) & 1;
    after_head = ends >> (warp_threads - 1);
    return flags << 1 | follows;
  }

  // The rows from row g on that are stored together.
  __device__ void emit_group(int g, State &so_far) {
    const uint64_t begin = warp_tile_.first_item(g) - lane() * vector_items;
    int count = 0;
#pragma unroll
    for (int r = g; r < g + group_rows; ++r) count += int(totals_.get(r));  // 0 of rows that the tile does not have
    if (count == 0) return;
    if (stages_keys && count * sparse_items >= group_rows * row_items) {
      store_many(g, begin, count, so_far);
    } else {
      if constexpr (is_long) note_heads(g);
      else put_heads(g, [](int, int, int) {});
      __syncwarp();
      store_few(begin, count, so_far);
    }
    so_far.head = Count(begin + stage_.heads[count - 1]);
    __syncwarp();
  }

  // Calls then(row, index, place) for each row of a group that has heads: where in the group the lane's vector is, and
  // how many heads come before its own.
  template <class Then> __device__ void for_each_row(int g, Then then) const {
    int place = 0;
#pragma unroll
    for (int r = g; r < g + group_rows; ++r) {
      if (totals_.get(r) == 0) continue;
      then(r, (r - g) * row_items + lane() * vector_items, place + int(counts_.get(r)));
      place += int(totals_.get(r));
    }
  }

  __device__ void store_many(int g, uint64_t begin, int count, State &so_far) {
    if constexpr (stages_keys) {
      const uint64_t run = so_far.runs + (begin > 0);  // the one that begins at the first head
      const uint32_t keys = ptx::shared_address(stage_.keys) + stage_offset<Key>(places_.first, run);
      Vector vectors[group_rows];
      const bool vectorize = can_load_vectors<vector_items>(places_.keys);
#pragma unroll
      for (int r = 0; r < group_rows; ++r)
        vectors[r] = load_items<vector_items>(places_.keys, warp_tile_.first_to_load(g + r), vectorize);
      put_heads(g, [&](int r, int k, int place) {
        ptx::shared_at<Key>(keys + place * int(sizeof(Key))) = vectors[r - g][k];
      });
      __syncwarp();
      store_staged<Key>(keys, count, places_.first, run);
      if (begin > 0 && lane() == 0) store_length(run - 1, begin + stage_.heads[0] - so_far.head);
      store_made(places_.lengths, run, count - 1,
                 [&](int i) { return uint32_t(stage_.heads[i + 1]) - stage_.heads[i]; });
      so_far.runs = Count(run + count - 1);
    }
  }

  // Puts the heads of a group in order, of vectors with few of them.
  __device__ void note_heads(int g) {
    for_each_row(g, [&](int r, int index, int place) {
#pragma unroll 1
      for (uint32_t left = heads_.Flags(r); left != 0; left &= left - 1)
        stage_.heads[place++] = uint16_t(index + __ffs(left) - 1);
    });
  }

  // Puts the heads of a group in order, and calls then(row, k, place) for each.
  template <class Then> __device__ void put_heads(int g, Then then) {
    for_each_row(g, [&](int r, int index, int place) {
      const uint32_t flags = heads_.Flags(r);
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        if (!(flags >> k & 1)) continue;
        then(r, k, place);
        stage_.heads[place++] = uint16_t(index + k);
      }
    });
  }

  // The runs that end at a group's heads, and begin there.
  __device__ void store_few(uint64_t begin, int count, State &so_far) const {
    const uint64_t run = so_far.runs + (begin > 0);
#pragma unroll 1
    for (int from = 0; from < count; from += warp_threads) {
      const int i = from + lane();
      uint64_t start = so_far.head, end = start;
      if (i < count) end = begin + stage_.heads[i];
      if (i > 0 && i < count) start = begin + stage_.heads[i - 1];
      if constexpr (NonTrivial) {
        const uint32_t counting = __ballot_sync(full_warp, end - start >= least_length);
        if (end - start >= least_length) store(so_far.runs + __popc(counting & lanes_below()), start, end);
        so_far.runs += __popc(counting);
      } else if (i < count) {
        store_item(places_.first, run + i, Key(places_.keys[end]));
        if (run + i > 0) store_length(run + i - 1, end - start);
      }
    }
    if constexpr (!NonTrivial) so_far.runs = Count(run + count - 1);
  }

  // The items that fill no vector; and the last run, which ends with them.
  __device__ void emit_rest(State so_far) const {
    for (uint64_t i = warp_tile_.first_of_rest(places_.num_items); i < places_.num_items; ++i) {
      if (!is_head(places_.keys, equality_, i)) continue;
      if constexpr (!NonTrivial) store_item(places_.first, so_far.runs + (i > 0), Key(places_.keys[i]));
      emit_run(so_far, i);
    }
    emit_run(so_far, places_.num_items);
    places_.num_runs.store(0, static_cast<typename NumRuns::value_type>(so_far.runs));
  }

  __device__ void emit_run(State &so_far, uint64_t end) const {
    if (end - so_far.head >= least_length) store(so_far.runs++, so_far.head, end);
    so_far.head = Count(end);
  }

  // A run's length and, where runs count that have two keys, where it begins; keys are stored at heads.
  __device__ void store(uint64_t run, uint64_t start, uint64_t end) const {
    if constexpr (NonTrivial) places_.first.store(run, static_cast<typename First::value_type>(start));
    store_length(run, end - start);
  }
  __device__ void store_length(uint64_t run, uint64_t length) const {
    places_.lengths.store(run, static_cast<typename Lengths::value_type>(length));
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint32_t lanes_below() { return ~(full_warp << lane()); }

  Stage &stage_;
  const Places &places_;
  const Equality &equality_;
  WarpTile<vector_items, warps> warp_tile_;
  RowHeads heads_;
  Counts counts_, totals_;  // each row's, of the lanes before; of all lanes
};

}  // namespace jig
