// What a block does to merge two inputs: a tile of the output.
#pragma once
#include <jig/agent/merge/merge_tile.cuh>
#include <jig/agent/merge/two_inputs.cuh>
#include <jig/agent/merge_sort/sort_record.cuh>

namespace jig {

// What is merged: keys, with their values or, if these are large, with their places; those of the second input
// are counted on from those of the first.
template <class FirstKeys, class FirstValues, class SecondKeys, class SecondValues, class KeysOut,
          class ValuesOut>
struct MergeRecords {
  using First = SortRecords<FirstKeys, FirstValues, KeysOut, ValuesOut>;
  using Second = SortRecords<SecondKeys, SecondValues, KeysOut, ValuesOut>;
  using Record = typename First::Record;
  using Key = typename First::Key;
  static constexpr bool has_values = First::has_values, has_places = First::has_places;
  static constexpr bool are_pointers =
      is_same<FirstKeys, Pointer<Key>> && is_same<SecondKeys, Pointer<Key>> && is_same<KeysOut, Pointer<Key>>;

  const FirstKeys &first_keys;
  const FirstValues &first_values;
  const SecondKeys &second_keys;
  const SecondValues &second_values;
  const KeysOut &keys_out;
  const ValuesOut &values_out;
  uint64_t first_count, second_count;

  __device__ Record first(uint64_t i) const { return at(true, i); }
  __device__ Record second(uint64_t i) const { return at(false, i); }

  __device__ Record at(bool of_first, uint64_t i) const {
    const auto key = item_of_either(first_keys, second_keys, of_first, i);
    const uint64_t place = of_first ? i : first_count + i;
    if constexpr (has_places) return {key, {uint32_t(place), uint32_t(place >> 32)}};
    else if constexpr (has_values) return {key, item_of_either(first_values, second_values, of_first, i)};
    else return key;
  }

  static constexpr bool shares = First::shares;
  template <class RecordAt> __device__ void share(uint64_t first, int count, const RecordAt &record_at) const {
    First{first_keys, first_values, keys_out, values_out}.share(first, count, record_at);
  }

  __device__ void store(uint64_t i, const Record &record) const {
    if constexpr (!has_values) {
      keys_out.store(i, record);
    } else {
      keys_out.store(i, record.key);
      if constexpr (has_places) {
        const uint64_t place = uint64_t(record.value.high) << 32 | record.value.low;
        values_out.store(i, place < first_count ? first_values[place] : second_values[place - first_count]);
      } else {
        values_out.store(i, record.value);
      }
    }
  }
};

// Both inputs as runs of records.
template <class Records> struct FirstRun {
  const Records &records;
  __device__ typename Records::Record operator[](uint64_t i) const { return records.first(i); }
};
template <class Records> struct SecondRun {
  const Records &records;
  __device__ typename Records::Record operator[](uint64_t i) const { return records.second(i); }
};

template <class Policy, class Records, class Less> class AgentMerge {
  using Record = typename Records::Record;
  using Tile = MergeTile<Record, Policy::threads, Policy::items, Less, false>;

 public:
  using TempStorage = typename Tile::TempStorage;
  static constexpr int tile_items = Tile::tile_items;

  __device__ AgentMerge(TempStorage &storage, const Records &records, Less less)
      : tile_(storage, less), records_(records) {}

  // splits[t] is where tile t begins in the first input, for all tiles and what would be the one after the last;
  // NULL: nobody has searched for it.
  __device__ void Run(uint32_t tile, const uint64_t *splits) {
    const uint64_t first = uint64_t(tile) * tile_items, items = records_.first_count + records_.second_count;
    const int count = int(min_of(items - first, uint64_t(tile_items)));
    auto load = [&](bool of_first, uint64_t i) { return records_.at(of_first, i); };
    if constexpr (Policy::has_splits) {
      tile_.Merge(splits + tile, first, count, load);
    } else {
      tile_.Merge(FirstRun<Records>{records_}, records_.first_count, SecondRun<Records>{records_},
                  records_.second_count, tile, count, gridDim.x, nullptr, load);
    }
    ptx::launch_dependent_grids();
    if constexpr (Records::shares) {
      const warp_share own = share_of_warp<Policy::threads>(count);
      const uint32_t records = tile_.address() + own.first * int(sizeof(Record));
      records_.share(first + own.first, own.count,
                     [&](int i) { return ptx::shared_at<Record>(records + i * int(sizeof(Record))); });
    } else {
#pragma unroll 4
      for (int i = threadIdx.x; i < count; i += Policy::threads)
        records_.store(first + i, ptx::shared_at<Record>(tile_.address() + i * int(sizeof(Record))));
    }
  }

 private:
  Tile tile_;
  const Records &records_;
};

}  // namespace jig
