// What the workers of a ring (ring.cuh) do in select, unique and the partitions.
//
// A warp takes one contiguous piece of the tile, in rows of a run for each lane, as in select_tile.cuh. The
// reducers leave in the stage which items of each run are of which class; the emitters rank them, a few
// rows at a time, and store these. How tiles come into stages is said in ring_source.cuh.
#pragma once
#include <jig/agent/maybe.cuh>
#include <jig/agent/ring_source.cuh>
#include <jig/agent/select_emit.cuh>
#include <jig/core/fields.cuh>

namespace jig {

template <class Policy, class Item, class Rule, class Sink, class CountOut> class SelectRing {
  static constexpr int run_items = Policy::run_items, rows = Policy::rows, group_rows = Policy::staged_rows;
  static constexpr int row_items = warp_threads * run_items, piece_items = rows * row_items;
  static constexpr int groups = rows / group_rows, selected = Rule::classes;
  static_assert(rows % group_rows == 0, "whole groups");
  using In = Pointer<Item>;
  using Run = typename In::run_type;
  using Emitter = SelectEmit<Item, Sink, selected, run_items>;
  using Masks = fields<run_items, group_rows * selected>;
  using Counts = fields<(row_items < 256 ? 8 : 16), group_rows * selected>;

 public:
  using State = class_counts<selected>;
  using Op = add_counts;
  static constexpr int stages = Policy::stages, reducers = Policy::reducers;
  static constexpr int emitters = Policy::threads / warp_threads - 3 - reducers;
  static constexpr int tile_items = emitters * piece_items;
  struct alignas(128) Stage {
    uninitialized<Item, tile_items> items;
    Masks masks[emitters * groups * warp_threads];
  };
  // Where emitters put items in order.
  struct Sorted {
    struct alignas(stage_align<Item>) Piece {
      unsigned char bytes[Emitter::template stage_bytes<group_rows>];
    } pieces[emitters];
  };

  __device__ SelectRing(Sorted &sorted, const In &in, const Rule &rule, const Sink &sink,
                        const CountOut &count_out, uint64_t num_items, bool in_place)
      : sorted_(sorted),
        in_(in),
        rule_(rule),
        sink_(sink),
        count_out_(count_out),
        num_items_(num_items),
        source_(in, num_items),
        in_place_(in_place) {}

  __device__ uint32_t num_tiles() const { return source_.num_tiles(); }
  __device__ bool in_place() const { return in_place_; }

  __device__ void Prefetch(uint32_t tile) const { source_.Prefetch(tile); }
  __device__ void Load(Stage &stage, uint32_t tile, uint64_t *barrier) const {
    source_.Load(&stage.items, tile, barrier);
  }

  __device__ State Reduce(Stage &stage, uint32_t tile, int piece) {
    const uint64_t start = first_item(tile, piece);
    uint32_t counts[selected] = {};
    Rule rule = rule_;
    if (!source_.copied(tile)) fetch(stage, tile, piece);
    rule.begin(in_, start, num_items_);
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      Masks masks{};
#pragma unroll
      for (int r = 0; r < group_rows; ++r) {
        const int row = g * group_rows + r;
        const uint64_t first = start + row * row_items + lane() * run_items;
        const class_masks<selected> found = rule.masks(0, first, run(stage, piece, row));
#pragma unroll
        for (int c = 0; c < selected; ++c) {
          const uint32_t mask = first + run_items <= num_items_ ? found[c] : 0;
          masks.add(r * selected + c, mask);
          counts[c] += __popc(mask);
        }
      }
      masks_of(stage, piece, g) = masks;
    }
    State total;
#pragma unroll
    for (int c = 0; c < selected; ++c) total.count[c] = __reduce_add_sync(full_warp, counts[c]);
    if (!has_rest(start)) return total;
    const class_masks<selected> rest = classify_rest();
#pragma unroll
    for (int c = 0; c < selected; ++c) total.count[c] += __popc(rest[c]);
    return total;
  }

  __device__ void Emit(Stage &stage, uint32_t tile, int piece, const maybe<State> &carry) {
    const uint64_t start = first_item(tile, piece);
    State before = carry.value;
#pragma unroll 1
    for (int g = 0; g < groups; ++g) emit_group(stage, piece, g, start + g * group_rows * row_items, before);
    if (!has_rest(start)) return;
    const class_masks<selected> rest = classify_rest();
    const Item item = in_[min_of(rest_item(), num_items_ - 1)];
    __syncwarp();
    if (rest_item() < num_items_) Emitter(sink_, 0).StoreOne(before, rest_item(), rest, item);
  }

  __device__ void Finish(const maybe<State> &total) const {
#pragma unroll
    for (int c = 0; c < selected; ++c)
      count_out_.store(c, static_cast<typename CountOut::value_type>(total.value.count[c]));
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint64_t first_item(uint32_t tile, int piece) {
    return uint64_t(tile) * tile_items + piece * piece_items;
  }
  static __device__ Masks &masks_of(Stage &stage, int piece, int group) {
    return stage.masks[(piece * groups + group) * warp_threads + lane()];
  }
  static __device__ Run run(Stage &stage, int piece, int row) {
    const int at = piece * piece_items + row * row_items + lane() * run_items;
    return In{&stage.items[0]}.load_run(at, true);
  }

  // Past the input's last item, that item.
  __device__ void fetch(Stage &stage, uint32_t tile, int piece) const {
    const uint64_t start = first_item(tile, piece);
#pragma unroll 1
    for (int i = lane(); i < piece_items; i += warp_threads)
      stage.items[piece * piece_items + i] = in_.data[min_of(start + i, num_items_ - 1)];
    __syncwarp();
  }

  // Of the items that fill no run, if they are the piece's.
  __device__ bool has_rest(uint64_t start) const {
    const uint64_t first = num_items_ / run_items * run_items;
    return first < num_items_ && first >= start && first < start + piece_items;
  }
  __device__ uint64_t rest_item() const { return num_items_ / run_items * run_items + lane(); }
  __device__ class_masks<selected> classify_rest() const {
    class_masks<selected> masks;
    const int found = rest_item() < num_items_ ? rule_.class_of(in_, rest_item()) : selected;
#pragma unroll
    for (int c = 0; c < selected; ++c) masks[c] = __ballot_sync(full_warp, found == c);
    return masks;
  }

  // Stores a group of rows that begins with item `first`; `before` moves on behind it.
  __device__ void emit_group(Stage &stage, int piece, int g, uint64_t first, State &before) {
    const Masks masks = masks_of(stage, piece, g);
    Counts own{};
#pragma unroll
    for (int i = 0; i < group_rows * selected; ++i) own.add(i, __popc(masks.get(i)));
    Counts upto = Lanes<Counts>::InclusiveScan(own, add_fields());
    const Counts totals = Lanes<Counts>::Broadcast(upto, warp_threads - 1);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) upto.word[w] -= own.word[w];
    int counts[selected] = {};
#pragma unroll
    for (int i = 0; i < group_rows * selected; ++i) counts[i % selected] += totals.get(i);
    const uint64_t end = num_items_ / run_items * run_items, earlier = min_of(first, end);
    const int items = int(min_of(end - earlier, uint64_t(group_rows * row_items)));
    Emitter emitter(sink_, ptx::kept_shared_address(sorted_.pieces[piece].bytes));
    emitter.Place(before, earlier, counts, items);
#pragma unroll
    for (int c = 0; c < selected; ++c) before.count[c] += counts[c];
    // Of in-place unique another block may still be reading the last item.
    if (is_same_memory(sink_.template out<0>()) && emitter.KeepsAll(earlier, items)) return;
    __syncwarp();
    put_rows(emitter, stage, piece, g, first, masks, upto, totals);
    __syncwarp();
    emitter.Store();
  }

  __device__ void put_rows(const Emitter &emitter, Stage &stage, int piece, int g, uint64_t first,
                           const Masks &masks, const Counts &lanes_before, const Counts &totals) const {
    int ranks[selected] = {};
#pragma unroll
    for (int r = 0; r < group_rows; ++r) {
      class_masks<selected> mine;
      int mine_before[selected];
#pragma unroll
      for (int c = 0; c < selected; ++c) {
        mine[c] = masks.get(r * selected + c);
        mine_before[c] = ranks[c] + int(lanes_before.get(r * selected + c));
        ranks[c] += totals.get(r * selected + c);
      }
      const int index = r * row_items + lane() * run_items;
      if (Sink::classes == selected || first + index + run_items <= num_items_)
        emitter.Put(run(stage, piece, g * group_rows + r), mine, mine_before, index);
    }
  }

  template <class Out> __device__ bool is_same_memory(const Out &out) const {
    if constexpr (is_same<Out, In>) return in_place_ && out.data == in_.data;
    else return false;
  }

  Sorted &sorted_;
  const In &in_;
  const Rule &rule_;
  const Sink &sink_;
  const CountOut &count_out_;
  uint64_t num_items_;
  RingSource<Item, tile_items> source_;
  bool in_place_;
};

}  // namespace jig
