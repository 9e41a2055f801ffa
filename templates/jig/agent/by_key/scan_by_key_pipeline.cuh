// What the workers of a pipeline (pipeline.cuh) do in a device-wide scan by key; how tiles are shared out is said in
// key_pipeline.cuh.
//
// The emitters scan lane by lane and put the results where the values were; from there the warp stores them,
// vector by vector next to each other.
#pragma once
#include <jig/agent/by_key/key_pipeline.cuh>
#include <jig/agent/chain/stage.cuh>
#include <jig/core/choose.cuh>

namespace jig {

// Init is as in scan_by_key_tile.cuh.
template <class Policy, class Accum, class Key, class Value, class Out, class Init, class Operator, class Equality,
          bool Inclusive>
class ScanByKeyPipeline : public KeyValuePipeline<Policy, Accum, Key, Value, typename Out::value_type, Equality> {
  using Base = KeyValuePipeline<Policy, Accum, Key, Value, typename Out::value_type, Equality>;
  using Lanes = jig::Lanes<Accum>;
  using Base::lane, Base::num_items_;
  using typename Base::Marks, typename Base::Values;
  using Result = typename Out::value_type;
  static constexpr bool has_init = !is_same<Init, none>;
  // Whether an initial value is folded in.
  static constexpr bool folds_initial = has_init || (!Inclusive && scan_start_counts<Operator, Accum>);

 public:
  using Base::lane_items, Base::warp_tile_items;
  using typename Base::Stage;
  using State = OpenRun<Accum, typename Base::Count>;
  using Prefix = State;
  using Op = OpenRunOp<Operator>;
  static constexpr int window = sizeof(State) <= 8 ? 6 : 4;

  __device__ ScanByKeyPipeline(const Pointer<Key> &keys, const Pointer<Value> &in, const Out &out, const Init &init,
                               Operator op, const Equality &equality, uint64_t num_items)
      : Base(keys, in, equality, num_items), out_(out), op_(op) {
    if constexpr (has_init) initial_ = static_cast<Accum>(init[0]);
    else if constexpr (!Inclusive) initial_ = scan_start<Operator, Accum>();
    if constexpr (stores_bytes<Result, Out>) stores_vectors_ = out.vectorizable();
  }

  __device__ State Reduce(Stage &stage, uint32_t tile, int warp_tile) {
    const Values values = this->values(stage, tile, warp_tile);
    const uint32_t own = this->template find<true>(stage.keys, tile, warp_tile);
    const uint32_t heads = __ballot_sync(full_warp, own != 0);
    const Accum scanned = scan_open_runs(fold_lane(values, own, this->items_left(tile, warp_tile)), heads, op_);
    Base::lanes_before(stage, warp_tile) = Lanes::Previous(scanned);
    Base::leave_marks(stage.keys, warp_tile, {own, int(is_head_below(heads))});
    return {Lanes::Broadcast(scanned, warp_threads - 1), heads != 0};
  }

  __device__ void Emit(Stage &stage, uint32_t tile, int warp_tile, const optional<State> &before) {
    const Marks marks = Base::marks(stage.keys, warp_tile);
    const Values values = this->staged_values(stage, warp_tile);
    const int left = this->items_left(tile, warp_tile);
    Accum value = Base::open_before_lane(stage, warp_tile, marks, before.value.value, op_);
    array<Accum, lane_items> scanned;
#pragma unroll
    for (int k = 0; k < lane_items; ++k)
      scanned[k] = next(value, static_cast<Accum>(values[k]), marks.heads >> k & 1, k < left);
    Result *const staged = this->staged_results(stage, warp_tile);
    __syncwarp();
    store_vector<true>(Pointer<Result>{staged}, lane() * lane_items, scanned);
    ptx::fence_bulk_copies();
    __syncwarp();
    const uint64_t first = Base::first_of_tile(tile) + warp_tile * warp_tile_items;
    if (first < num_items_) store(staged, first, int(min_of(num_items_ - first, uint64_t(warp_tile_items))));
  }

  static constexpr bool finishes = false;

 private:
  // What is open after an item, given what is open before it. Runs begin with the initial value. The places behind
  // the input are heads, but no items.
  __device__ Accum fold(const Accum &value, const Accum &item, bool head, bool is_of_input) const {
    if constexpr (!folds_initial) return head ? item : op_(value, item);
    else if constexpr (takes_any_bytes<Operator>) return op_(choose(head, initial_, value), item);
    else return is_of_input ? op_(choose(head, initial_, value), item) : item;
  }

  // What a lane's items come to since its last head; `left` of them are of the input.
  __device__ Accum fold_lane(const Values &values, uint32_t heads, int left) const {
    Accum value = static_cast<Accum>(values[0]);
    if (folds_initial && (heads & 1) != 0) value = fold(value, value, true, left > 0);
#pragma unroll
    for (int k = 1; k < lane_items; ++k)
      value = fold(value, static_cast<Accum>(values[k]), heads >> k & 1, k < left);
    return value;
  }

  // The result at an item; `value`, what is open before it, becomes what is open after it.
  __device__ Accum next(Accum &value, const Accum &item, bool head, bool is_of_input) const {
    const Accum before = value;
    value = fold(value, item, head, is_of_input);
    if constexpr (Inclusive) return value;
    else return head ? initial_ : before;
  }

  // Stores a warp tile, of which `count` items are there.
  __device__ void store(const Result *staged, uint64_t first, int count) const {
    if constexpr (stores_bytes<Result, Out>) {
      if (stores_vectors_ && count == warp_tile_items) {
        store_vectors(reinterpret_cast<const uint4 *>(staged), reinterpret_cast<uint4 *>(out_.data + first));
        return;
      }
    }
#pragma unroll 4
    for (int i = lane(); i < count; i += warp_threads) out_.store(first + i, staged[i]);
  }

  static __device__ void store_vectors(const uint4 *staged, uint4 *out) {
    constexpr int vectors = warp_tile_items * int(sizeof(Result)) / 16, lane_vectors = ceil_div(vectors, 32);
    array<uint4, lane_vectors> own;
#pragma unroll
    for (int v = 0; v < lane_vectors; ++v) own[v] = staged[min_of(v * warp_threads + lane(), vectors - 1)];
#pragma unroll
    for (int v = 0; v < lane_vectors; ++v)
      if (v * warp_threads + lane() < vectors) out[v * warp_threads + lane()] = own[v];
  }

  const Out &out_;
  Operator op_;
  Accum initial_;
  bool stores_vectors_ = false;
};

}  // namespace jig
