// What the workers of a pipeline (pipeline.cuh) do in select, unique and the partitions.
//
// A warp takes a warp tile, a contiguous part of the tile, in rows of a vector for each lane, as in select_tile.cuh.
// The reducers leave in the stage which items of each vector are of which class, and how many of these come before
// it in its row. The emitters then need no shuffles: each takes its warp tile's items into registers, puts them
// in order where they were, and stores them. How tiles come into stages is said in pipeline_source.cuh.
#pragma once
#include <jig/agent/chain/pipeline.cuh>
#include <jig/agent/chain/pipeline_source.cuh>
#include <jig/agent/select/select_emit.cuh>
#include <jig/core/fields.cuh>

namespace jig {

template <class In> constexpr bool is_in_memory = false;
template <class T> constexpr bool is_in_memory<Pointer<T>> = true;

// Items that are computed, not loaded: a stage has room for putting them in order. What tiles there are is said by what
// stands beside them.
struct ComputedTiles {
  static constexpr int bytes_before = 0;
  static __device__ bool copied(uint32_t) { return true; }
  static __device__ void Prefetch(uint32_t) {}
  static __device__ uint32_t bytes(uint32_t) { return 0; }
  static __device__ void Copy(void *, uint32_t, uint64_t *, uint32_t) {}
};

// What stands beside the items, in stages like theirs: what the rule goes by, or values; not both.
template <class Policy, class In, class Rule, class Sink, class CountOut, class Values = none,
          class ValuesSink = none>
class SelectPipeline {
  static constexpr int vector_items = Policy::vector_items, rows = Policy::rows;
  static constexpr int row_items = warp_threads * vector_items, warp_tile_items = rows * row_items;
  static constexpr int selected = Rule::classes;
  static constexpr bool has_values = !is_same<Values, none>;
  static constexpr bool has_beside = !is_same<typename Rule::Beside, none>;
  static constexpr bool is_computed = !is_in_memory<In>;
  static_assert(!is_computed || has_beside, "something has to be loaded");
  static_assert(!has_values || !has_beside, "one more input at most");
  using Item = typename In::value_type;
  using Masks = fields<vector_items, rows * selected>;
  using Counts = row_counts<rows, selected, vector_items>;
  template <class T, class To> using Emitter = SelectEmit<T, To, selected, vector_items>;

 public:
  using State = class_counts<selected>;
  using Prefix = State;
  using Op = add_counts;
  static constexpr int window = pipeline_window<State>;
  static constexpr int stages = Policy::stages, reducers = Policy::reducers;
  static constexpr int emitters = Policy::threads / warp_threads - 3 - reducers;
  static constexpr int tile_items = emitters * warp_tile_items;

 private:
  // What stands beside the items, if anything does.
  using Other = conditional<has_values, Values, typename Rule::Beside>;
  static constexpr bool has_other = has_values || has_beside;

  // An input's part of a stage: a warp tile for each emitter, with room for putting it in order before it goes
  // To its output, if it has one.
  template <class Input, class To, bool WithVectorBefore> struct WarpTiles {
    using T = typename Input::value_type;
    using Source =
        conditional<is_in_memory<Input>, PipelineSource<T, tile_items, WithVectorBefore, emitters>, ComputedTiles>;
    static constexpr int bytes = Emitter<T, To>::template stage_bytes<rows>;
    struct alignas(stage_align<T>) WarpTile {
      unsigned char bytes[Source::bytes_before + ceil_div(WarpTiles::bytes, stage_align<T>) * stage_align<T>];
    } of_emitter[emitters];

    __device__ T *items(int warp_tile) {
      return reinterpret_cast<T *>(of_emitter[warp_tile].bytes + Source::bytes_before);
    }
  };
  template <class To, bool WithVectorBefore> struct WarpTiles<none, To, WithVectorBefore> {
    struct Source {};
  };
  using ItemWarpTiles = WarpTiles<In, Sink, Rule::compares>;
  using OtherWarpTiles = WarpTiles<Other, conditional<has_values, ValuesSink, Sink>, false>;

 public:
  struct alignas(128) Stage {
    ItemWarpTiles items;
    OtherWarpTiles others;
    Masks masks[emitters][warp_threads];
    Counts ranks[emitters][warp_threads];  // of the lanes before, in each row
    Counts totals[emitters];               // of each row
  };

  __device__ SelectPipeline(const In &in, const Rule &rule, const Sink &sink, const CountOut &count_out,
                            const Values &values, const ValuesSink &values_sink, uint64_t num_items, bool in_place)
      : in_(in), rule_(rule), sink_(sink), count_out_(count_out), values_(values), values_sink_(values_sink),
        num_items_(num_items), in_place_(in_place), source_(make_source(in)), other_source_(make_other_source()) {}

  __device__ uint32_t num_tiles() const {
    if constexpr (is_computed) return other_source_.num_tiles();
    else return source_.num_tiles();
  }
  __device__ bool in_place() const { return in_place_; }
  static __device__ bool is_whole(uint32_t, int) { return true; }

  __device__ void Prefetch(uint32_t tile) const {
    source_.Prefetch(tile);
    if constexpr (has_other) other_source_.Prefetch(tile);
  }
  __device__ void Load(Stage &stage, uint32_t tile, uint64_t *barrier) const {
    uint32_t bytes = source_.bytes(tile);
    if constexpr (has_other) bytes += other_source_.bytes(tile);
    ptx::mbarrier_arrive_expect(barrier, bytes);
    source_.Copy(stage.items.items(0), tile, barrier, sizeof stage.items.of_emitter[0]);
    if constexpr (has_other)
      other_source_.Copy(stage.others.items(0), tile, barrier, sizeof stage.others.of_emitter[0]);
  }

  __device__ State Reduce(Stage &stage, uint32_t tile, int warp_tile) {
    const uint64_t start = first_item(tile, warp_tile);
    if constexpr (!is_computed) {
      if (!source_.copied(tile)) fetch(in_, start, stage.items.items(warp_tile));
    }
    if constexpr (has_other) {
      if (!other_source_.copied(tile)) fetch(other(), start, stage.others.items(warp_tile));
    }
    classify(stage, start, warp_tile);
    State total{};
    const Counts totals = stage.totals[warp_tile];
#pragma unroll
    for (int i = 0; i < rows * selected; ++i) total.count[i % selected] += totals.get(i);
    if (!has_rest(start)) return total;
    const class_masks<selected> rest = classify_rest();
#pragma unroll
    for (int c = 0; c < selected; ++c) total.count[c] += __popc(rest[c]);
    return total;
  }

  __device__ void Emit(Stage &stage, uint32_t tile, int warp_tile, const optional<State> &carry) {
    const uint64_t start = first_item(tile, warp_tile);
    const Ranks ranks = {stage.masks[warp_tile][lane()], stage.ranks[warp_tile][lane()], stage.totals[warp_tile]};
    emit(stage.items.items(warp_tile), ranks, start, carry.value, sink_, in_);
    if constexpr (has_values) emit(stage.others.items(warp_tile), ranks, start, carry.value, values_sink_, values_);
    ptx::fence_bulk_copies();
    if (has_rest(start)) emit_rest(ranks, carry.value);
  }

  static constexpr bool finishes = true;
  __device__ void Finish(const optional<State> &total) const {
#pragma unroll
    for (int c = 0; c < selected; ++c)
      count_out_.store(c, static_cast<typename CountOut::value_type>(total.value.count[c]));
  }

 private:
  // Which items of a lane's vectors belong to which classes, how many of the lanes before do, row by row, and how
  // many of all lanes.
  struct Ranks {
    Masks masks;
    Counts before, totals;
  };

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ uint64_t first_item(uint32_t tile, int warp_tile) {
    return uint64_t(tile) * tile_items + warp_tile * warp_tile_items;
  }
  template <class T> static __device__ auto vector(T *items, int row) {
    return load_items<vector_items>(Pointer<T>{items}, row * row_items + lane() * vector_items, true);
  }
  // Of the input itself; `items` are where they are loaded to, if they are.
  __device__ auto item_vector(Item *items, uint64_t start, int row) const {
    if constexpr (is_computed)
      return load_items<vector_items>(in_, start + row * row_items + lane() * vector_items, true);
    else return vector(items, row);
  }
  __device__ const Other &other() const {
    if constexpr (has_values) return values_;
    else return rule_.beside;
  }
  __device__ typename ItemWarpTiles::Source make_source(const In &in) const {
    if constexpr (is_computed) return {};
    else return {in, num_items_};
  }
  __device__ typename OtherWarpTiles::Source make_other_source() const {
    if constexpr (has_other) return {other(), num_items_};
    else return {};
  }

  // How many rows a lane fetches before it stores them: for those of the last tile everybody waits at the end.
  template <class T> static constexpr int fetched_rows() {
    constexpr int most_words = 32, row_words = vector_items * ceil_div(int(sizeof(T)), 4);
    int together = min_of(max_of(most_words / row_words, 1), rows);
    while (rows % together != 0) --together;
    return together;
  }

  // What was not copied, and the item before; past the input's last item, that item.
  template <class From, class T> __device__ void fetch(const From &from, uint64_t start, T *items) const {
    constexpr int count = fetched_rows<T>() * vector_items;
    const auto *first = from.data + start;
    const int last = int(min_of(int64_t(num_items_ - 1 - start), int64_t(warp_tile_items)));
#pragma unroll 1
    for (int i = lane(); i < warp_tile_items; i += count * warp_threads) {
      array<T, count> fetched;
#pragma unroll
      for (int k = 0; k < count; ++k) fetched[k] = first[ptx::kept_min(i + k * warp_threads, last)];
#pragma unroll
      for (int k = 0; k < count; ++k) items[i + k * warp_threads] = fetched[k];
    }
    if (Rule::compares && is_same<T, Item> && start > 0 && lane() == 0)
      items[-1] = from.data[min_of(start, num_items_) - 1];
    __syncwarp();
  }

  // Leaves masks, ranks and totals in the stage.
  __device__ void classify(Stage &stage, uint64_t start, int warp_tile) const {
    Item *items = stage.items.items(warp_tile);
    Masks masks{};
    Counts own{};
    Rule rule = rule_;
    if constexpr (Rule::compares) rule.before = items[start > 0 ? -1 : 0];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const uint64_t first = start + r * row_items + lane() * vector_items;
      const bool is_of_input = first + vector_items <= num_items_;
      const class_masks<selected> found =
          rule.masks(first, is_of_input, item_vector(items, start, r), beside(stage, warp_tile, r));
#pragma unroll
      for (int c = 0; c < selected; ++c) {
        const uint32_t mask = is_of_input ? found[c] : 0;
        masks.add(r * selected + c, mask);
        own.add(r * selected + c, __popc(mask));
      }
    }
    Counts upto = Lanes<Counts>::InclusiveScan(own, add_fields());
    if (lane() == warp_threads - 1) stage.totals[warp_tile] = upto;
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) upto.word[w] -= own.word[w];
    stage.masks[warp_tile][lane()] = masks;
    stage.ranks[warp_tile][lane()] = upto;
    __syncwarp();
  }
  static __device__ auto beside(Stage &stage, int warp_tile, int row) {
    if constexpr (has_beside) return vector(stage.others.items(warp_tile), row);
    else return none{};
  }

  // Stores what is selected of a warp tile, given how many of each class come before it.
  template <class T, class To, class From>
  __device__ void emit(T *items, const Ranks &ranks, uint64_t start, const State &before, const To &to,
                       const From &from) const {
    const auto loaded = [&](int r) {
      if constexpr (is_same<From, In>) return item_vector(items, start, r);
      else return vector(items, r);
    };
    decltype(loaded(0)) vectors[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) vectors[r] = loaded(r);
    int counts[selected] = {};
#pragma unroll
    for (int i = 0; i < rows * selected; ++i) counts[i % selected] += ranks.totals.get(i);
    const uint64_t end = num_items_ / vector_items * vector_items, earlier = min_of(start, end);
    const int count = int(min_of(end - earlier, uint64_t(warp_tile_items)));
    Emitter<T, To> emitter(to, ptx::kept_shared_address(items));
    emitter.Place(before, earlier, counts, count);
    // Of in-place unique another block may still be reading the last item.
    if (is_same_memory(to.template out<0>(), from, in_place_) && emitter.KeepsAll(earlier, count)) return;
    __syncwarp();
    put_rows(emitter, ranks, vectors, start);
    __syncwarp();
    emitter.Store();
  }

  template <class Emitter, class Vector>
  __device__ void put_rows(const Emitter &emitter, const Ranks &ranks, const Vector (&vectors)[rows],
                           uint64_t start) const {
    int before_row[selected] = {};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      class_masks<selected> masks;
      int before[selected];
#pragma unroll
      for (int c = 0; c < selected; ++c) {
        masks[c] = ranks.masks.get(r * selected + c);
        before[c] = before_row[c] + int(ranks.before.get(r * selected + c));
        before_row[c] += ranks.totals.get(r * selected + c);
      }
      const int index = r * row_items + lane() * vector_items;
      if (Sink::classes == selected || start + index + vector_items <= num_items_)
        emitter.Put(vectors[r], masks, before, index);
    }
  }

  // Of the items that fill no vector, if they are the warp tile's.
  __device__ bool has_rest(uint64_t start) const {
    const uint64_t first = num_items_ / vector_items * vector_items;
    return first < num_items_ && first >= start && first < start + warp_tile_items;
  }
  __device__ uint64_t rest_item() const { return num_items_ / vector_items * vector_items + lane(); }
  __device__ class_masks<selected> classify_rest() const {
    class_masks<selected> masks;
    const int found = rest_item() < num_items_ ? rule_.class_of(in_, rest_item()) : selected;
#pragma unroll
    for (int c = 0; c < selected; ++c) masks[c] = __ballot_sync(full_warp, found == c);
    return masks;
  }
  __device__ void emit_rest(const Ranks &ranks, State before) const {
    const class_masks<selected> masks = classify_rest();
#pragma unroll
    for (int i = 0; i < rows * selected; ++i) before.count[i % selected] += ranks.totals.get(i);
    emit_rest_of(masks, before, sink_, in_);
    if constexpr (has_values) emit_rest_of(masks, before, values_sink_, values_);
  }
  template <class To, class From>
  __device__ void emit_rest_of(const class_masks<selected> &masks, const State &before, const To &to,
                               const From &from) const {
    using T = typename From::value_type;
    const T item = from[min_of(rest_item(), num_items_ - 1)];
    __syncwarp();
    if (rest_item() < num_items_) Emitter<T, To>(to, 0).StoreOne(before, rest_item(), masks, item);
  }

  const In &in_;
  const Rule &rule_;
  const Sink &sink_;
  const CountOut &count_out_;
  const Values &values_;
  const ValuesSink &values_sink_;
  uint64_t num_items_;
  bool in_place_;
  typename ItemWarpTiles::Source source_;
  typename OtherWarpTiles::Source other_source_;
};

}  // namespace jig
