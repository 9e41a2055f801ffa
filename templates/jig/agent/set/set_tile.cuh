// A tile of a set operation on two inputs in order: some neighbours of each, which it brings to shared memory, and what
// becomes of them; for a block that learns from others how many items come before (single_wave.cuh, lookback.cuh).
//
// Each thread has a part of the tile in which it goes through both inputs, step by step: an item of either, or a pair.
// What is kept is noted as places in the tile, from which a warp then puts keys and values in the output, lane beside
// lane. If inputs are not in order, or less is no order, what is kept is items of the inputs all the same, no more than
// `limit`.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/merge/two_inputs.cuh>
#include <jig/agent/select/select_rule.cuh>
#include <jig/core/less.cuh>
#include <jig/thread/balanced_path.cuh>
#include <jig/thread/merge.cuh>
#include <jig/warp/merge_path.cuh>

namespace jig {

// What is kept; the order is that of jig_set_mode.
enum set_mode { set_union, set_intersection, set_difference, set_symmetric_difference };

// What a call works on. Values and outputs may be none.
template <class FirstKeys, class FirstValues, class SecondKeys, class SecondValues, class KeysOut, class ValuesOut,
          class CountOut>
struct SetPlaces {
  using Key = typename FirstKeys::value_type;
  using Count = typename CountOut::value_type;
  using KeysTo = KeysOut;
  using ValuesTo = ValuesOut;
  static constexpr bool has_keys_out = !is_same<KeysOut, none>, has_values = !is_same<ValuesOut, none>;

  const FirstKeys &first_keys;
  const FirstValues &first_values;
  const SecondKeys &second_keys;
  const SecondValues &second_values;
  const KeysOut &keys_out;
  const ValuesOut &values_out;
  const CountOut &count_out;
  uint64_t first_count, second_count;
  uint64_t limit;  // how many items there is room for

  // Of parts that begin there.
  __device__ TwoParts<FirstKeys, SecondKeys> keys(int64_t first, int64_t second) const {
    return {first_keys, first, second_keys, second};
  }
  __device__ auto values(int64_t first, int64_t second) const {
    if constexpr (!has_values) return none{};
    else if constexpr (!is_same<SecondValues, none>)
      return TwoParts<FirstValues, SecondValues>(first_values, first, second_values, second);
    else return TwoParts<FirstValues, FirstValues>(first_values, first, first_values, first);
  }
};

// Where a tile begins: how many items of the first input come before, and whether it is one item further on.
__device__ inline uint64_t packed_border(const balanced_place<uint64_t> &place) {
  return place.of_a << 1 | place.extra;
}
__device__ inline balanced_place<uint64_t> unpacked_border(uint64_t packed) { return {packed >> 1, packed & 1}; }

template <class Policy, int Mode, class Places, class Less> class SetTile {
  using Key = typename Places::Key;
  using KeysOut = typename Places::KeysTo;
  using ValuesOut = typename Places::ValuesTo;
  static constexpr int size = sizeof(Key);

 public:
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, max_rows = Policy::rows;
  static constexpr int items_per_row = threads;
  using State = class_counts<1>;
  using Op = add_counts;
  static_assert(threads >= 2 * warp_threads, "one warp finds a tile's begin, another one its end");
  static_assert(max_rows <= 32 && (threads * max_rows + 1) * size <= 0xffff, "masks have 32 bits, places 16");

  struct TempStorage {
    uninitialized<Key, threads * max_rows + 2> keys;  // an extra one, and any key behind the last
    uint16_t kept[warps][warp_threads * max_rows];    // where keys are, in bytes
    uint64_t borders[2];
  };

  // Tile number `tile` of those that have `rows` items for each thread. borders[t] is where tile t begins, for all
  // tiles and what would be the one after the last; NULL: nobody has searched for it.
  __device__ SetTile(TempStorage &storage, const Places &places, Less less, uint64_t tile, int rows,
                     const uint64_t *borders)
      : storage_(storage),
        keys_(ptx::kept_shared_address(&storage.keys)),
        places_(places),
        less_(less),
        tile_(tile),
        rows_(rows),
        borders_(borders) {}

  // How many items are kept of this thread's warp, in every lane.
  __device__ State Reduce() {
    bring();
    array<uint32_t, max_rows> met;
    const uint32_t kept = go_through(met), own = __popc(kept);
    const uint32_t rank = Lanes<uint32_t>::InclusiveScan(own, plus());
    total_ = Lanes<uint32_t>::Broadcast(rank, warp_threads - 1);
    uint16_t *place = kept_places() + rank - own;
#pragma unroll
    for (int j = 0; j < max_rows; ++j)
      if (kept >> j & 1) *place++ = uint16_t(met[j] - keys_);
    __syncwarp();
    return {{total_}};
  }

  // Stores them, given how many come before.
  __device__ void Emit(const optional<State> &carry) const {
    if constexpr (!Places::has_keys_out && !Places::has_values) return;
    const uint64_t before = carry.value.count[0];
    const int count = int(min_of(uint64_t(total_), places_.limit - min_of(before, places_.limit)));
    const uint16_t *const kept = kept_places();
    const auto values = places_.values(a_first_, b_first_);
    if constexpr (shares_items<KeysOut> || shares_items<ValuesOut>) {
      if constexpr (Places::has_keys_out)
        store_by_warp(places_.keys_out, before, count, [&](int i) { return ptx::shared_at<Key>(keys_ + kept[i]); });
      if constexpr (Places::has_values)
        store_by_warp(places_.values_out, before, count, [&](int i) {
          const int item = int(kept[i] / size);
          return values.at(item < of_a_, item);
        });
      return;
    }
#pragma unroll 4
    for (int i = threadIdx.x % warp_threads; i < count; i += warp_threads) {
      const uint32_t place = kept[i];
      if constexpr (Places::has_keys_out) places_.keys_out.store(before + i, ptx::shared_at<Key>(keys_ + place));
      if constexpr (Places::has_values) {
        const int item = int(place / size);
        places_.values_out.store(before + i, values.at(item < of_a_, item));
      }
    }
  }

  static __device__ bool in_place() { return false; }
  static __device__ bool is_whole(int) { return true; }

  static constexpr bool finishes = true;
  __device__ void Finish(const optional<State> &total) const {
    const uint64_t count = min_of(total.value.count[0], places_.limit);
    places_.count_out.store(0, static_cast<typename Places::Count>(count));
  }

 private:
  __device__ uint32_t address_of(int item) const { return keys_ + item * size; }
  __device__ int own_rows() const { return min_of(rows_, max_rows); }
  __device__ uint16_t *kept_places() const { return storage_.kept[threadIdx.x / warp_threads]; }

  // The tile's keys, those of the first input before those of the second.
  __device__ void bring() {
    const uint64_t items = places_.first_count + places_.second_count;
    const uint64_t tile_items = uint64_t(threads) * own_rows();
    const uint64_t first = min_of(tile_ * tile_items, items), last = min_of(first + tile_items, items);
    const uint64_t *borders = borders_ + tile_;
    if (borders_ == nullptr) {
      search(first, last);
      borders = storage_.borders;
    }
    const balanced_place<uint64_t> begin = unpacked_border(borders[0]), end = unpacked_border(borders[1]);
    count_ = int(last + end.extra - first - begin.extra);
    // Between 0 and count_, unless inputs are not in order. Each border by itself lies within the inputs, so that what
    // this leaves does, too.
    of_a_ = int(max_of(min_of(int64_t(end.of_a - begin.of_a), int64_t(count_)), int64_t(0)));
    a_first_ = int64_t(begin.of_a);
    b_first_ = int64_t(begin.of_b(first)) - of_a_;
    if (count_ > 0) load(int(tile_items));
    __syncthreads();
  }

  // Two warps search for where the tile begins and ends.
  __device__ void search(uint64_t first, uint64_t last) {
    const int warp = threadIdx.x / warp_threads;
    if (warp < 2) {
      const uint64_t diagonal = warp == 0 ? first : last;
      const uint64_t of_a = warp_merge_path(places_.first_keys, places_.first_count, places_.second_keys,
                                            places_.second_count, diagonal, less_);
      const auto place =
          balanced(places_.first_keys, places_.second_keys, places_.second_count, of_a, diagonal, less_);
      if (threadIdx.x % warp_threads == 0) storage_.borders[warp] = packed_border(place);
    }
    __syncthreads();
  }

  __device__ void load(int tile_items) {
    const auto input = places_.keys(a_first_, b_first_);
    array<Key, max_rows> keys;
#pragma unroll
    for (int j = 0; j < max_rows; ++j) {
      const int i = min_of(int(threadIdx.x) + j * threads, count_ - 1);
      if (j < rows_) keys[j] = input.at(i < of_a_, i);
    }
    // What comes behind the last one is compared, perhaps, but makes no difference.
    if (threadIdx.x < 2) {
      const int i = tile_items + threadIdx.x;
      ptx::shared_at<Key>(address_of(i)) = i < count_ ? input.at(i < of_a_, i) : keys[0];
    }
#pragma unroll
    for (int j = 0; j < max_rows; ++j)
      if (j < rows_) ptx::shared_at<Key>(address_of(threadIdx.x + j * threads)) = keys[j];
  }

  // This thread's part: the addresses of what it meets in each step, and which steps keep that.
  __device__ uint32_t go_through(array<uint32_t, max_rows> &met) const {
    const shared_run<Key> a = {keys_}, b = {address_of(of_a_)};
    const int b_count = count_ - of_a_;
    const int first = min_of(int(threadIdx.x) * own_rows(), count_), last = min_of(first + own_rows(), count_);
    const auto place =
        balanced(a, b, b_count, merge_path(a, of_a_, b, b_count, first, less_), first, less_);
    uint32_t at_a = address_of(place.of_a), at_b = address_of(of_a_ + place.of_b(first));
    const uint32_t a_end = address_of(of_a_), b_end = address_of(count_);
    const uint32_t end = at_a + at_b + (last - first - place.extra) * size;  // of both addresses' sum
    Key of_a = ptx::shared_at<Key>(at_a), of_b = ptx::shared_at<Key>(at_b);
    uint32_t kept = 0;
#pragma unroll
    for (int j = 0; j < max_rows; ++j) {
      // Sums are less than 2^31 apart.
      if (int(at_a + at_b - end) >= 0) break;
      // No branches, which the compiler would make of && and ||.
      const bool only_a = (at_a < a_end) & ((at_b >= b_end) | bool(less_(of_a, of_b)));
      const bool takes_b = (at_b < b_end) & ((at_a >= a_end) | bool(less_(of_b, of_a)));
      const bool only_b = (is_order<Less, Key> || !only_a) & takes_b;
      met[j] = only_b ? at_b : at_a;
      if (keeps(only_a, only_b)) kept |= 1u << j;
      if (j + 1 == max_rows) break;
      if (!only_b) of_a = ptx::shared_at<Key>(at_a += size);
      if (!only_a) of_b = ptx::shared_at<Key>(at_b += size);
    }
    return kept;
  }

  static __device__ bool keeps(bool only_a, bool only_b) {
    if constexpr (Mode == set_union) return true;
    else if constexpr (Mode == set_intersection) return !only_a & !only_b;
    else if constexpr (Mode == set_difference) return only_a;
    else return only_a | only_b;
  }

  TempStorage &storage_;
  uint32_t keys_;
  const Places &places_;
  Less less_;
  uint64_t tile_;
  int rows_;
  const uint64_t *borders_;
  int count_, of_a_;           // of the tile's keys
  int64_t a_first_, b_first_;  // what item 0 of the tile would be in each input
  uint32_t total_;
};

}  // namespace jig
