// What a block does with a tile (segment_tile.cuh) of a device-wide segmented scan.
//
// A row is scanned by shuffles that do not reach beyond a lane's nearest head.
#pragma once
#include <jig/agent/by_key/open_run.cuh>

namespace jig {

// The initial value, if there is one, is folded into the item at every head. The result of an exclusive
// scan there is that value, or else what scan_start() says.
template <int MaxRows, int MaxItems, class Accum, class In, class Out, class Init, class Operator, bool Inclusive>
class SegmentedScanTile {
  using Lanes = jig::Lanes<Accum>;
  static constexpr bool has_init = !is_same<Init, none>;
  // Whether an initial value is folded in.
  static constexpr bool folds_initial = has_init || (!Inclusive && scan_start_counts<Operator, Accum>);

 public:
  using State = OpenRun<Accum, HeadFlag<Accum>>;
  using Op = OpenRunOp<Operator>;

  // Where the items of a scattered tile are on their way.
  using TempStorage = uninitialized<Accum, MaxItems>;

  __device__ SegmentedScanTile(TempStorage &storage, const In &in, const Out &out, const Init &init, Operator op)
      : storage_(storage), in_(in), out_(out), op_(op) {
    if constexpr (has_init) initial_ = static_cast<Accum>(init[0]);
    else if constexpr (!Inclusive) initial_ = scan_start<Operator, Accum>();
  }

  __device__ Op op() const { return {op_}; }

  // What the warp tile comes to, in every lane. All of it is loaded by then.
  template <class Tile> __device__ State Reduce(const Tile &tile) {
    Load(tile);
    return Fold(tile);
  }

  // The same in two steps, the first one of which does without heads.
  template <class Tile> __device__ void Load(const Tile &tile) {
    const bool scattered = tile.is_scattered();
    if (scattered)
      tile.ForEachItem([&](int place, uint64_t in, uint64_t) { storage_[place] = static_cast<Accum>(in_[in]); });
#pragma unroll
    for (int r = 0; r < MaxRows; ++r) {
      if (r >= tile.rows()) break;
      if (tile.exists(r))
        lanes_[r] = scattered ? storage_[tile.place_of(r)] : static_cast<Accum>(in_[tile.in(r)]);
    }
  }
  template <class Tile> __device__ State Fold(const Tile &tile) {
    State total;
#pragma unroll
    for (int r = 0; r < MaxRows; ++r) {
      if (r >= tile.rows()) break;
      const uint32_t heads = tile.heads(r);
      if constexpr (folds_initial) {
        if (is_head(heads) && tile.exists(r)) lanes_[r] = op_(initial_, lanes_[r]);
      }
      lanes_[r] = scan_open_runs(lanes_[r], heads, op_);
      const State row = {Lanes::Broadcast(lanes_[r], warp_threads - 1), heads != 0};
      total = r == 0 ? row : op()(total, row);
    }
    return total;
  }

  // Given what is open before the warp tile.
  template <class Tile> __device__ void Emit(const Tile &tile, const State &before) {
    Accum carry = before.value;
    const bool scattered = tile.is_scattered();
#pragma unroll
    for (int r = 0; r < MaxRows; ++r) {
      if (r >= tile.rows()) break;
      const uint32_t heads = tile.heads(r);
      const Accum row = Lanes::Broadcast(lanes_[r], warp_threads - 1);
      const Accum result = this->result(carry, lanes_[r], heads);
      if (scattered) storage_[tile.place_of(r)] = result;
      else if (tile.exists(r)) store(tile.out(r), result);
      carry = heads != 0 ? row : op_(carry, row);
    }
    if (scattered) tile.ForEachItem([&](int place, uint64_t, uint64_t out) { store(out, storage_[place]); });
  }

 private:
  static __device__ bool is_head(uint32_t heads) { return heads >> threadIdx.x % warp_threads & 1; }

  __device__ Accum result(const Accum &carry, const Accum &lanes, uint32_t heads) const {
    if constexpr (Inclusive) {
      return is_head(heads) || is_head_below(heads) ? lanes : op_(carry, lanes);
    } else {
      const Accum below = open_before(carry, lanes, heads, op_);
      return is_head(heads) ? initial_ : below;
    }
  }

  __device__ void store(uint64_t i, const Accum &value) const {
    out_.store(i, static_cast<typename Out::value_type>(value));
  }

  TempStorage &storage_;
  const In &in_;
  const Out &out_;
  Operator op_;
  Accum initial_;
  Accum lanes_[MaxRows];  // the items; then each row, folded up to the lane since the nearest head
};

}  // namespace jig
