// A tile of an algorithm that sorts its items into a few classes and keeps their order in each (select,
// unique, partition), for a block that learns from others how many of each class come before
// (wave.cuh, lookback.cuh).
//
// A warp takes one contiguous piece of the tile, in rows: a row is a run for each lane. A run's classes are
// masks in registers. How many items of each class a lane's runs have are small numbers, of which those of
// several rows share a word, so that one scan over the lanes serves them all. What a few rows select is put in order
// in shared memory and stored from there.
//
// Past the last whole run of the input lanes hold that run once more, with nothing selected. The few items
// that follow it, which fill no run, are taken by the warp whose run they would have been, one by each lane.
// It may read them again when others have begun to store: what is stored where they lie are they themselves.
#pragma once
#include <jig/agent/maybe.cuh>
#include <jig/agent/select_rule.cuh>
#include <jig/agent/select_sink.cuh>
#include <jig/agent/stage.cuh>
#include <jig/core/fields.cuh>
#include <jig/core/policy.cuh>

namespace jig {

// How many items of each class there are.
template <int Classes> struct class_counts {
  uint64_t count[Classes];
};

struct add_counts {
  template <int Classes>
  __device__ class_counts<Classes> operator()(const class_counts<Classes> &a,
                                              const class_counts<Classes> &b) const {
    class_counts<Classes> sum;
#pragma unroll
    for (int c = 0; c < Classes; ++c) sum.count[c] = a.count[c] + b.count[c];
    return sum;
  }
};

// `Values` beside the items, and where they go; none and none: there are none.
template <class Policy, class In, class Rule, class Sink, class CountOut, class Values = none, class ValuesSink = none>
class SelectTile {
 public:
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, run_items = In::run_items;
  static constexpr int selected = Rule::classes;
  using State = class_counts<selected>;
  using Op = add_counts;

 private:
  static constexpr int row_items = warp_threads * run_items, group_rows = Policy::staged_rows;
  static constexpr int count_bits = row_items < 256 ? 8 : 16;
  static constexpr bool has_values = !is_same<Values, none>;
  using Item = typename In::value_type;
  using Masks = fields<run_items, max_rows * selected>;
  using Counts = fields<count_bits, max_rows * selected>;

  template <class V, class> struct values_type {
    using item = typename V::value_type;
    using run = typename items_of<V, run_items>::type;
  };
  template <class Nothing> struct values_type<none, Nothing> {
    using item = none;
    using run = none;
  };
  using Value = typename values_type<Values, void>::item;
  using ValueRun = typename values_type<Values, void>::run;

  // Longer runs go straight to the output.
  template <class T> static constexpr bool is_staged = sizeof(T) * run_items <= 128;
  template <class T, int Classes>
  static constexpr int stage_bytes =
      is_staged<T> ? group_rows * row_items * int(sizeof(T)) + 2 * Classes * stage_align<T> : 1;
  static constexpr int item_bytes = stage_bytes<Item, Sink::classes>;
  static constexpr int value_bytes = has_values ? stage_bytes<Value, 1> : 1;

 public:
  struct TempStorage {
    struct alignas(stage_align<Item> > stage_align<Value> ? stage_align<Item> : stage_align<Value>) Stage {
      unsigned char bytes[item_bytes > value_bytes ? item_bytes : value_bytes];
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
    const uint64_t warp = tile * warps + threadIdx.x / warp_threads, whole_runs = num_items / run_items;
    const uint64_t first_run = warp * (warp_threads * rows);
    first_ = first_run * run_items;
    has_runs_ = whole_runs > 0;
    last_ = whole_runs > first_run ? int(min_of(whole_runs - first_run - 1, uint64_t(1) << 30))
                                   : -int(min_of(first_run + 1 - whole_runs, uint64_t(1) << 30));
    stage_ = ptx::shared_address(storage.stages[threadIdx.x / warp_threads].bytes);
  }

  // Loads the tile; how many items of each class this thread's warp has in its piece, in every lane.
  __device__ State Reduce() {
    Counts own{};
    masks_ = {};
    if (num_items_ > 0) rule_.begin(in_, first_, num_items_);
    if (has_runs_) {
      if (in_.vectorizable()) load<true>();
      else load<false>();
#pragma unroll
      for (int r = 0; r < max_rows; ++r) {
        if (r < rows_) classify(r, own);
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

  // Stores what is selected, given how many of each class come before the warp's piece.
  __device__ void Emit(const maybe<State> &carry) {
    State before = carry.value;
#pragma unroll
    for (int g = 0; g < max_rows; g += group_rows) {
      if (g >= rows_) break;
      emit_group<Item>(g, before, sink_, in_, runs_);
      if constexpr (has_values) emit_group<Value>(g, before, values_sink_, values_, value_runs_);
#pragma unroll
      for (int i = g * selected; i < min_of(g + group_rows, max_rows) * selected; ++i)
        before.count[i % selected] += totals_.get(i);
    }
    if (has_rest()) {
      emit_rest<Item>(before, sink_, in_);
      if constexpr (has_values) emit_rest<Value>(before, values_sink_, values_);
    }
  }

  __device__ bool in_place() const { return in_place_; }

  __device__ void Finish(const maybe<State> &total) const {
#pragma unroll
    for (int c = 0; c < selected; ++c)
      count_out_.store(c, static_cast<typename CountOut::value_type>(total.value.count[c]));
  }

 private:
  // Where the items of each class go that a group of rows has.
  template <int Classes> struct Places {
    uint64_t first[Classes];  // in the output
    int count[Classes];
    uint32_t stage[Classes];  // in shared memory
  };

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  // The warp's in row r.
  __device__ uint64_t first_item(int r) const { return first_ + int64_t(r) * row_items; }
  __device__ bool is_whole(int r) const { return r * warp_threads + lane() <= last_; }

  template <bool Vectorize> __device__ void load() {
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= rows_) break;
      const uint64_t first = first_ + int64_t(min_of(r * warp_threads + lane(), last_)) * run_items;
      runs_[r] = in_.load_run(first, Vectorize);
      rule_.load(r, first);
      if constexpr (has_values)
        value_runs_[r] = load_items<run_items>(values_, first, can_load_runs<run_items>(values_));
    }
  }

  __device__ void classify(int r, Counts &own) {
    const class_masks<selected> found = rule_.masks(r, first_item(r) + lane() * run_items, runs_[r]);
#pragma unroll
    for (int c = 0; c < selected; ++c) {
      const uint32_t mask = is_whole(r) ? found[c] : 0;
      masks_.add(r * selected + c, mask);
      own.add(r * selected + c, __popc(mask));
    }
  }

  // Of the items that fill no run, if they are the warp's.
  __device__ bool has_rest() const {
    return run_items > 1 && last_ >= -1 && last_ + 1 < rows_ * warp_threads && num_items_ % run_items != 0;
  }
  __device__ uint64_t rest_item() const { return num_items_ / run_items * run_items + lane(); }

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
    if (i < num_items_) emit_rest_item<0>(before, to, i, item);
  }
  // Stores item i, of class C or a later one; `others` is how many before it are of none before C.
  template <int C, class To, class T>
  __device__ void emit_rest_item(const State &before, const To &to, uint64_t others, const T &item) {
    if constexpr (C < selected) {
      const uint64_t rank = before.count[C] + __popc(rest_masks_[C] & ((1u << lane()) - 1));
      if (rest_masks_[C] >> lane() & 1) store_item(to.template out<C>(), to.template first<C>(rank, 1), item);
      else emit_rest_item<C + 1>(before, to, others - rank, item);
    } else if constexpr (C < To::classes) {
      store_item(to.template out<C>(), to.template first<C>(others, 1), item);
    }
  }

  // Stores what is in up to group_rows rows from row g on.
  template <class T, class To, class From, class Run>
  __device__ void emit_group(int g, const State &before, const To &to, const From &from, const Run (&runs)[max_rows]) {
    Places<To::classes> places;
    place<T, To, 0>(g, before, to, places, stage_);
    if (keeps_all(places, to.template out<0>(), from, first_item(g), min_of(group_rows, rows_ - g))) return;
    int rows_before[selected] = {};
    __syncwarp();
#pragma unroll
    for (int r = g; r < min_of(g + group_rows, max_rows); ++r) {
      if (r >= rows_) break;
      if (To::classes == selected || is_whole(r)) scatter<T>(r, r - g, rows_before, to, places, runs[r]);
#pragma unroll
      for (int c = 0; c < selected; ++c) rows_before[c] += totals_.get(r * selected + c);
    }
    __syncwarp();
    if constexpr (is_staged<T>) store_places<T, To, 0>(to, places);
  }

  // Finds the place of class C, and those behind it, in the output and, from byte `begin` on, in the stage.
  template <class T, class To, int C>
  __device__ void place(int g, const State &before, const To &to, Places<To::classes> &places, uint32_t begin) {
    if constexpr (C < To::classes) {
      const uint64_t first = first_item(g), end_of_runs = num_items_ / run_items * run_items;
      uint64_t earlier;
      int count = 0;
      if constexpr (C < selected) {
        earlier = before.count[C];
#pragma unroll
        for (int r = g; r < min_of(g + group_rows, max_rows); ++r) count += totals_.get(r * selected + C);
      } else {
        // All the others. Rows that a wave's tile does not have are the next tile's.
        const uint64_t end = min_of(end_of_runs, first + min_of(group_rows, rows_ - g) * row_items);
        earlier = min_of(first, end_of_runs);
        count = first < end ? int(end - first) : 0;
#pragma unroll
        for (int c = 0; c < selected; ++c) {
          earlier -= before.count[c];
          count -= places.count[c];
        }
      }
      places.count[C] = count;
      places.first[C] = to.template first<C>(earlier, count);
      constexpr int align = stage_align<T>;
      places.stage[C] = ((begin + align - 1) & -uint32_t(align)) +
                        stage_offset<T>(to.template out<C>(), places.first[C]);
      place<T, To, C + 1>(g, before, to, places, places.stage[C] + count * int(sizeof(T)));
    }
  }

  // Whether a group's items are all selected and would be stored where they are. Of in-place unique the
  // next tile may still be reading the last one.
  template <class Out, class From>
  __device__ bool keeps_all(const Places<1> &places, const Out &, const From &, uint64_t first, int rows) const {
    if constexpr (is_same<Out, From> && stores_bytes<typename From::value_type, From>) {
      return in_place_ && places.first[0] == first &&
             places.count[0] == int(min_of(num_items_ - first, uint64_t(rows * row_items)));
    } else {
      return false;
    }
  }
  template <int Classes, class Out, class From>
  __device__ bool keeps_all(const Places<Classes> &, const Out &, const From &, uint64_t, int) const {
    return false;
  }

  // Puts the lane's run of row r, `row` rows after the group's first, where it belongs in the stage, or
  // stores it.
  template <class T, class To, class Run>
  __device__ void scatter(int r, int row, const int (&rows_before)[selected], const To &to,
                          const Places<To::classes> &places, const Run &run) {
    int others = row * row_items + lane() * run_items;
    int slots[To::classes];  // of the next item of each class: addresses, or indices in its place
#pragma unroll
    for (int c = 0; c < To::classes; ++c) {
      slots[c] = c < selected ? rows_before[c < selected ? c : 0] + int(counts_.get(r * selected + c)) : others;
      others -= slots[c];
    }
    to_slots<T, To, 0>(places, slots);
    class_masks<selected> masks;
#pragma unroll
    for (int c = 0; c < selected; ++c) masks[c] = masks_.get(r * selected + c);
#pragma unroll
    for (int k = 0; k < run_items; ++k) put<T, To, 0>(run[k], k, masks, to, places, slots);
  }

  // Of ranks in the group makes slots.
  template <class T, class To, int C>
  __device__ void to_slots(const Places<To::classes> &places, int (&slots)[To::classes]) {
    if constexpr (C < To::classes) {
      if (To::template reversed<C>) slots[C] = places.count[C] - 1 - slots[C];
      if (is_staged<T>) slots[C] = int(places.stage[C]) + slots[C] * int(sizeof(T));
      to_slots<T, To, C + 1>(places, slots);
    }
  }

  // Puts item k of a run, of class C or a later one, where that class's next one goes. The slot moves on
  // within the branch or behind it, whichever takes fewer instructions.
  template <class T, class To, int C>
  __device__ void put(const T &item, int k, const class_masks<selected> &masks, const To &to,
                      const Places<To::classes> &places, int (&slots)[To::classes]) {
    if constexpr (C < To::classes) {
      constexpr int step = (is_staged<T> ? int(sizeof(T)) : 1) * (To::template reversed<C> ? -1 : 1);
      constexpr bool within = To::classes <= 2;
      const bool mine = C == selected || (masks[C < selected ? C : 0] >> k & 1) != 0;
      if (mine) {
        if constexpr (is_staged<T>) ptx::shared_at<T>(slots[C]) = item;
        else store_item(to.template out<C>(), places.first[C] + slots[C], item);
        if constexpr (within) slots[C] += step;
      } else {
        put<T, To, C + 1>(item, k, masks, to, places, slots);
      }
      if constexpr (!within) slots[C] += mine ? step : 0;
    }
  }

  template <class T, class To, int C>
  __device__ void store_places(const To &to, const Places<To::classes> &places) {
    if constexpr (C < To::classes) {
      store_staged<T>(places.stage[C], places.count[C], to.template out<C>(), places.first[C]);
      store_places<T, To, C + 1>(to, places);
    }
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
  int last_;        // how many runs the input's last whole one is ahead of that; -1: just before it
  bool has_runs_;
  typename In::run_type runs_[max_rows];
  ValueRun value_runs_[has_values ? max_rows : 1];
  Masks masks_;
  class_masks<selected> rest_masks_;
  Counts counts_, totals_;  // each row's, of the lanes before; of all lanes
};

}  // namespace jig
