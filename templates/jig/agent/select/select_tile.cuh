// A tile of an algorithm that sorts its items into a few classes and keeps their order in each (select,
// unique, partition), for a block that learns from others how many of each class come before
// (single_wave.cuh, lookback.cuh).
//
// A warp takes a warp tile, a contiguous part of the tile, in rows: a row is a vector for each lane. A vector's classes
// are masks in registers. How many items of each class a lane's vectors have are small numbers, of which those
// of several rows share a word, so that one scan over the lanes serves them all. A few rows are stored
// together.
//
// Past the last whole vector of the input lanes hold that vector once more, with nothing selected. The few items
// that follow it, which fill no vector, are taken by the warp whose vector they would have been, one by each
// lane. It may read them again when others have begun to store: what is stored where they lie are they
// themselves.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/select/gathered_values.cuh>
#include <jig/agent/select/select_emit.cuh>
#include <jig/core/fields.cuh>

namespace jig {

// `Values` beside the items, and where they go; none and none: there are none.
template <class Policy, class In, class Rule, class Sink, class CountOut, class Values = none,
          class ValuesSink = none>
class SelectTile {
 public:
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, vector_items = In::vector_items;
  static constexpr int items_per_row = threads * vector_items;
  static constexpr int selected = Rule::classes, most_cluster = Policy::cluster;
  using State = class_counts<selected>;
  using Op = add_counts;

 private:
  static constexpr int row_items = warp_threads * vector_items, group_rows = Policy::staged_rows;
  static constexpr bool has_values = !is_same<Values, none>, gathers = sink_gathers<ValuesSink>;
  static constexpr bool holds_values = has_values && !gathers;
  using Item = typename In::value_type;
  using Masks = fields<vector_items, max_rows * selected>;
  using Counts = row_counts<max_rows, selected, vector_items>;

  using Value = typename vectors_of<Values, vector_items>::item;
  using ValueVector = typename vectors_of<Values, vector_items>::loaded;
  using BesideVector = typename vectors_of<typename Rule::Beside, vector_items>::loaded;
  static constexpr bool has_beside = !is_same<typename Rule::Beside, none>;
  // Rows that a tile does not have are left at once where that is worth another branch.
  static constexpr bool is_long = max_rows > 9;

  template <class T, class To> using Emitter = SelectEmit<T, To, selected, vector_items>;

  template <class T, class To>
  static constexpr int stage_bytes = Emitter<T, To>::template stage_bytes<group_rows>;
  template <class T> static constexpr int stage_bytes<T, none> = 1;
  template <class T, class Out> static constexpr int stage_bytes<T, GatheringSink<Out>> = max_rows * row_items * 2;
  static constexpr int item_bytes = stage_bytes<Item, Sink>, value_bytes = stage_bytes<Value, ValuesSink>;
  static constexpr int align = max_of(stage_align<Item>, holds_values ? stage_align<Value> : 2);

 public:
  struct TempStorage {
    struct alignas(align) Stage {
      unsigned char bytes[max_of(item_bytes, value_bytes)];
    } stages[warps];
  };

  // The block's tile number `tile`, of `rows` rows for each warp; at most max_rows.
  __device__ SelectTile(TempStorage &storage, const In &in, const Rule &rule, const Sink &sink,
                        const CountOut &count_out, const Values &values, const ValuesSink &values_sink,
                        uint64_t num_items, bool in_place, uint64_t tile, int rows)
      : in_(in),
        rule_(rule),
        sink_(sink),
        count_out_(count_out),
        values_(values),
        values_sink_(values_sink),
        num_items_(num_items),
        in_place_(in_place),
        rows_(rows) {
    const uint64_t warp = tile * warps + threadIdx.x / warp_threads, whole_vectors = num_items / vector_items;
    const uint64_t first_vector = warp * (warp_threads * rows);
    first_ = first_vector * vector_items;
    has_vectors_ = whole_vectors > 0;
    last_ = whole_vectors > first_vector ? int(min_of(whole_vectors - first_vector - 1, uint64_t(1) << 30))
                                      : -int(min_of(first_vector + 1 - whole_vectors, uint64_t(1) << 30));
    stage_ = ptx::kept_shared_address(storage.stages[threadIdx.x / warp_threads].bytes);
  }

  // Loads the tile; how many items of each class this thread's warp has in its warp tile, in every lane.
  __device__ State Reduce() {
    Counts own{};
    masks_ = {};
    if constexpr (Rule::compares) {
      if (lane() == 0 && num_items_ > 0) rule_.before = in_[min_of(max_of(first_, uint64_t(1)), num_items_) - 1];
    }
    if (has_vectors_) {
      if (in_.vectorizable()) load<true>();
      else load<false>();
#pragma unroll
      for (int r = 0; r < max_rows; ++r) {
        if (r < rows_) classify(r, own);
        else if constexpr (is_long) break;
      }
    }
    counts_ = Lanes<Counts>::InclusiveScan(own, add_fields());
    totals_ = Lanes<Counts>::Broadcast(counts_, warp_threads - 1);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) counts_.word[w] -= own.word[w];
    State total{};
#pragma unroll
    for (int i = 0; i < max_rows * selected; ++i) total.count[i % selected] += totals_.get(i);
    if (has_rest()) classify_rest(total);
    return total;
  }

  // Stores what is selected, given how many of each class come before the warp tile.
  __device__ void Emit(const optional<State> &carry) {
    State before = carry.value;
#pragma unroll
    for (int g = 0; g < max_rows; g += group_rows) {
      if (g >= rows_ || !has_vectors_) break;
      emit_group<Item>(g, before, sink_, in_, vectors_);
      if constexpr (holds_values) emit_group<Value>(g, before, values_sink_, values_, value_vectors_);
#pragma unroll
      for (int i = g * selected; i < min_of(g + group_rows, max_rows) * selected; ++i)
        before.count[i % selected] += totals_.get(i);
    }
    if constexpr (gathers) gather_values(carry.value.count[0]);
    if (has_rest()) {
      emit_rest<Item>(before, sink_, in_);
      if constexpr (has_values) emit_rest<Value>(before, values_sink_, values_);
    }
  }

  __device__ bool in_place() const { return in_place_; }
  static __device__ bool is_whole(int) { return true; }

  static constexpr bool finishes = true;
  __device__ void Finish(const optional<State> &total) const {
#pragma unroll
    for (int c = 0; c < selected; ++c)
      count_out_.store(c, static_cast<typename CountOut::value_type>(total.value.count[c]));
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  // The warp's in row r.
  __device__ uint64_t first_item(int r) const { return first_ + int64_t(r) * row_items; }
  __device__ bool holds(int r) const { return r * warp_threads + lane() <= last_; }

  template <bool Vectorize> __device__ void load() {
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= rows_) break;
      const uint64_t first = first_ + int64_t(min_of(r * warp_threads + lane(), last_)) * vector_items;
      vectors_[r] = in_.load_vector(first, Vectorize);
      if constexpr (has_beside)
        beside_[r] = load_items<vector_items>(rule_.beside, first, can_load_vectors<vector_items>(rule_.beside));
      if constexpr (holds_values)
        value_vectors_[r] = load_items<vector_items>(values_, first, can_load_vectors<vector_items>(values_));
    }
  }

  __device__ void classify(int r, Counts &own) {
    const class_masks<selected> found =
        rule_.masks(first_item(r) + lane() * vector_items, holds(r), vectors_[r], beside_[has_beside ? r : 0]);
#pragma unroll
    for (int c = 0; c < selected; ++c) {
      const uint32_t mask = holds(r) ? found[c] : 0;
      masks_.add(r * selected + c, mask);
      own.add(r * selected + c, __popc(mask));
    }
  }

  // Of the items that fill no vector, if they are the warp's.
  __device__ bool has_rest() const {
    return vector_items > 1 && last_ >= -1 && last_ + 1 < rows_ * warp_threads && num_items_ % vector_items != 0;
  }
  __device__ uint64_t rest_item() const { return num_items_ / vector_items * vector_items + lane(); }

  __device__ void classify_rest(State &total) {
    const uint64_t i = rest_item();
    const int found = i < num_items_ ? rule_.class_of(in_, i) : selected;
#pragma unroll
    for (int c = 0; c < selected; ++c) {
      rest_masks_[c] = __ballot_sync(full_warp, found == c);
      total.count[c] += __popc(rest_masks_[c]);
    }
  }

  template <class T, class To, class From>
  __device__ void emit_rest(const State &before, const To &to, const From &from) {
    const uint64_t i = rest_item();
    const T item = from[min_of(i, num_items_ - 1)];
    __syncwarp();
    if (i < num_items_) Emitter<T, To>(to, stage_).StoreOne(before, i, rest_masks_, item);
  }

  // The values of what is selected, of which `before` come before.
  __device__ void gather_values(uint64_t before) {
    if (!has_vectors_) return;
    __syncwarp();
    uint32_t row = stage_;  // where its first number goes
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= rows_) break;
      const uint32_t mask = masks_.get(r);
      uint32_t slot = row + counts_.get(r) * 2;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        if ((mask >> k & 1) == 0) continue;
        ptx::shared_at<uint16_t>(slot) = uint16_t(r * row_items + lane() * vector_items + k);
        slot += 2;
      }
      row += totals_.get(r) * 2;
    }
    __syncwarp();
    gather_values_by_warp(values_.data + first_, values_sink_.selected.data + before, int(row - stage_) / 2,
                          [this](int k) { return ptx::shared_at<uint16_t>(stage_ + k * 2); });
  }

  // Stores what is in up to group_rows rows from row g on.
  template <class T, class To, class From, class Vector>
  __device__ void emit_group(int g, const State &before, const To &to, const From &from,
                             const Vector (&vectors)[max_rows]) {
    Emitter<T, To> emitter(to, stage_);
    const uint64_t end = num_items_ / vector_items * vector_items, earlier = min_of(first_item(g), end);
    // Rows that a single wave's tile does not have are the next tile's.
    const int items = int(min_of(end - earlier, uint64_t(min_of(group_rows, rows_ - g) * row_items)));
    int counts[selected] = {}, ranks[selected] = {};
#pragma unroll
    for (int i = g * selected; i < min_of(g + group_rows, max_rows) * selected; ++i)
      counts[i % selected] += totals_.get(i);
    emitter.Place(before, earlier, counts, items);
    // Of in-place unique the next tile may still be reading the last item.
    if (is_same_memory(to.template out<0>(), from, in_place_) && emitter.KeepsAll(earlier, items)) return;
    __syncwarp();
#pragma unroll
    for (int r = g; r < min_of(g + group_rows, max_rows); ++r) {
      if (r >= rows_) break;
      if (To::classes == selected || holds(r)) put_row(emitter, r, ranks, (r - g) * row_items, vectors[r]);
#pragma unroll
      for (int c = 0; c < selected; ++c) ranks[c] += totals_.get(r * selected + c);
    }
    __syncwarp();
    emitter.Store();
  }

  // `ranks` and `index` tell what comes before the row.
  template <class Emitter, class Vector>
  __device__ void put_row(const Emitter &emitter, int r, const int (&ranks)[selected], int index,
                          const Vector &vector) const {
    class_masks<selected> masks;
    int mine[selected];
#pragma unroll
    for (int c = 0; c < selected; ++c) {
      masks[c] = masks_.get(r * selected + c);
      mine[c] = ranks[c] + int(counts_.get(r * selected + c));
    }
    emitter.Put(vector, masks, mine, index + lane() * vector_items);
  }

  uint32_t stage_;  // the warp's, in shared memory
  const In &in_;
  Rule rule_;
  const Sink &sink_;
  const CountOut &count_out_;
  const Values &values_;
  const ValuesSink &values_sink_;
  uint64_t num_items_;
  bool in_place_;
  int rows_;
  uint64_t first_;  // the warp's first item
  int last_;        // how many vectors the input's last whole one is ahead of that; -1: just before it
  bool has_vectors_;
  typename In::vector_type vectors_[max_rows];
  ValueVector value_vectors_[holds_values ? max_rows : 1];
  BesideVector beside_[has_beside ? max_rows : 1];
  Masks masks_;
  class_masks<selected> rest_masks_;
  Counts counts_, totals_;  // each row's, of the lanes before; of all lanes
};

}  // namespace jig
