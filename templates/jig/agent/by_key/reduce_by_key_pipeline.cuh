// What the workers of a pipeline (pipeline.cuh) do in a device-wide reduce by key; how tiles are shared out is said
// in key_pipeline.cuh.
//
// The emitters complete runs lane by lane, and have nothing to do where runs are long. They put keys and folds
// in order where those of the warp tile were, and store them from there together.
#pragma once
#include <jig/agent/by_key/key_pipeline.cuh>

namespace jig {

template <class Policy, class Accum, class Key, class Unique, class Value, class Aggregates, class NumRuns,
          class Operator, class Equality>
class ReduceByKeyPipeline : public KeyValuePipeline<Policy, Accum, Key, Value, Accum, Equality> {
  using Base = KeyValuePipeline<Policy, Accum, Key, Value, Accum, Equality>;
  using Lanes = jig::Lanes<Accum>;
  using Base::lane, Base::num_items_;
  using typename Base::Marks, typename Base::Values;
  using LaneKeys = packed_vector<Key, Base::lane_items>;
  static constexpr int batch = 4;

 public:
  using Base::lane_items, Base::warp_tile_items;
  using typename Base::Stage;
  using State = OpenRun<Accum, typename Base::Count>;
  using Prefix = OpenRun<Accum, uint64_t>;
  using Op = OpenRunOp<Operator>;
  static constexpr int window = sizeof(State) <= 8 ? 6 : 4;

  // Where everything comes from and goes to.
  struct Places {
    const Pointer<Key> &keys;
    const Unique &unique;
    const Pointer<Value> &values;
    const Aggregates &aggregates;
    const NumRuns &num_runs;
    uint64_t num_items;
  };

  __device__ ReduceByKeyPipeline(const Places &places, Operator op, const Equality &equality)
      : Base(places.keys, places.values, equality, places.num_items), places_(places), op_(op) {}

  __device__ State Reduce(Stage &stage, uint32_t tile, int warp_tile) {
    const Values values = this->values(stage, tile, warp_tile);
    const uint32_t own = this->template find<true>(stage.keys, tile, warp_tile);
    const Accum mine = fold(values, own);
    const uint32_t heads = __ballot_sync(full_warp, own != 0);
    if (heads == 0) {
      Base::leave_marks(stage.keys, warp_tile, {0, 0});
      return {reduce_lanes(mine), 0};
    }
    const Accum scanned = scan_open_runs(mine, heads, op_);
    const int upto = jig::Lanes<int>::InclusiveScan(__popc(own), plus{});
    Base::lanes_before(stage, warp_tile) = Lanes::Previous(scanned);
    Base::leave_marks(stage.keys, warp_tile, {own, upto - __popc(own)});
    return {Lanes::Broadcast(scanned, warp_threads - 1),
            typename Base::Count(jig::Lanes<int>::Broadcast(upto, warp_threads - 1))};
  }

  __device__ void Emit(Stage &stage, uint32_t tile, int warp_tile, const optional<Prefix> &before) {
    const Marks marks = Base::marks(stage.keys, warp_tile);
    if (!__any_sync(full_warp, marks.heads != 0)) return;
    const LaneKeys keys = this->load_lane(stage.keys.items, warp_tile);
    const Values values = this->staged_values(stage, warp_tile);
    const Key key_before =
        lane() == 0 ? stage.keys.before_warp_tile[warp_tile] : this->key_before_lane(stage.keys, warp_tile);
    const int count = jig::Lanes<int>::Broadcast(marks.rank + __popc(marks.heads), warp_threads - 1);
    const Accum open = Base::open_before_lane(stage, warp_tile, marks, before.value.value, op_);
    Key *const sorted_keys = &stage.keys.items[warp_tile * warp_tile_items];
    Accum *const sorted_folds = this->staged_results(stage, warp_tile);
    __syncwarp();
    complete(marks, keys, values, key_before, open, sorted_keys, sorted_folds);
    ptx::fence_bulk_copies();
    __syncwarp();
    store_completed(before.value.heads, this->count_ends(count, tile, warp_tile), sorted_keys, sorted_folds);
  }

  // The last run, if no head follows; and how many there are.
  static constexpr bool finishes = true;
  __device__ void Finish(const optional<Prefix> &total) const {
    const uint64_t places = uint64_t(this->num_tiles()) * Base::tile_items;
    const uint64_t runs = total.value.heads - (places - num_items_);
    if (!this->has_end()) store(runs - 1, places_.keys[num_items_ - 1], total.value.value);
    places_.num_runs.store(0, static_cast<typename NumRuns::value_type>(runs));
  }

 private:
  // What a lane's items come to since its last head.
  __device__ Accum fold(const Values &values, uint32_t heads) const {
    Accum value = static_cast<Accum>(values[0]);
#pragma unroll
    for (int k = 1; k < lane_items; ++k) {
      const Accum item = static_cast<Accum>(values[k]);
      value = heads >> k & 1 ? item : op_(value, item);
    }
    return value;
  }

  __device__ Accum reduce_lanes(const Accum &value) const {
    typename WarpReduceShuffle<Accum, warp_threads>::TempStorage none;
    return Lanes::Broadcast(WarpReduceShuffle<Accum, warp_threads>(none).Reduce(value, op_), 0);
  }

  // Puts the runs that end in a lane's part in order; `value` and `before` are what is open, and the key,
  // before it.
  __device__ void complete(const Marks &marks, const LaneKeys &keys, const Values &values,
                           Key before, Accum value, Key *sorted_keys, Accum *sorted_folds) const {
    int place = marks.rank;
#pragma unroll
    for (int k = 0; k < lane_items; ++k) {
      const Accum item = static_cast<Accum>(values[k]);
      if (marks.heads >> k & 1) {
        sorted_keys[place] = before;
        sorted_folds[place++] = value;
        value = item;
      } else {
        value = op_(value, item);
      }
      before = keys[k];
    }
  }

  // At the first head of all no run ends.
  __device__ void store_completed(uint64_t heads, int count, const Key *keys, const Accum *folds) const {
    const int begin = heads == 0;
#pragma unroll 1
    for (int first = 0; first < count; first += batch * warp_threads) {
      Key batch_keys[batch];
      Accum batch_folds[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = min_of(first + b * warp_threads + lane(), count - 1);
        batch_keys[b] = keys[i];
        batch_folds[b] = folds[i];
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = first + b * warp_threads + lane();
        if (i >= begin && i < count) store(heads + i - 1, batch_keys[b], batch_folds[b]);
      }
    }
  }

  __device__ void store(uint64_t run, const Key &key, const Accum &value) const {
    places_.unique.store(run, static_cast<typename Unique::value_type>(key));
    places_.aggregates.store(run, static_cast<typename Aggregates::value_type>(value));
  }

  const Places &places_;
  Operator op_;
};

}  // namespace jig
