// Sorts short segments by a warp, several at once: they lie one behind the other in shared memory, so that every
// lane has an item whatever the lengths. A lane counts how many of its segment's keys come before its own.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_tiny.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn> class AgentSegmentedSortSmall {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  // What is compared: the bits that count, in the order's direction, and then all turned round, as a + ~b overflows
  // where a is greater.
  using Word = conditional<(sizeof(Bits) < 4), uint32_t, Bits>;
  static constexpr int capacity = Policy::warp_items, vector = 16 / sizeof(Word);
  // Rows that are loaded and stored at a time.
  static constexpr int batch = max_of(int(sizeof(Key)), int(sizeof(Value))) <= 16 ? 4 : 1;
  static constexpr bool has_values = !is_same<Value, none>;
  using Tiny = SegmentedSortTiny<Keys, Value, KeysIn>;
  static_assert(capacity % (warp_threads * batch) == 0 && capacity <= warp_threads * warp_threads,
                "a warp has whole batches, and a lane for each row");

  // Of a segment that is there: its first item's place, and that of item 0 of the input if it were there.
  struct alignas(16) Segment {
    int64_t shift;
    int32_t first, length;
  };
  struct alignas(16) Vector {
    Word words[vector];
  };
  // An item's place, and the segment that it is of; where there is none, that of the one before.
  struct Place {
    int at;
    bool has_item;
    Segment segment;
    __device__ int64_t item() const { return segment.shift + at; }
  };

 public:
  static constexpr int max_items = min_of(int(Policy::small_items), capacity);

  // Of each warp.
  struct TempStorage {
    Vector keys[capacity / vector];
    Segment segments[warp_threads];
    uint32_t heads[warp_threads];  // for each row, in which lanes segments begin
    uint16_t order[capacity];      // the place of the item that belongs there
  };

  __device__ AgentSegmentedSortSmall(TempStorage &storage, const KeysIn &keys_in, const ValuesIn &values_in,
                                     const RadixSortCall &call)
      : storage_(storage),
        keys_in_(keys_in),
        values_in_(values_in),
        keys_from_(radix_input_from<Key>(keys_in, call.keys_in, 0)),
        keys_out_(static_cast<Key *>(call.keys_out)),
        call_(call),
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)),
        mask_(radix_mask<Bits>(call.begin_bit, call.end_bit - call.begin_bit)) {}

  static constexpr bool has_tiny = Tiny::serves && sizeof(TempStorage) >= sizeof(typename Tiny::TempStorage);

  // Every lane's segment, of tiny_items (segmented_sort.cuh) at most; whether it has been sorted in registers.
  __device__ bool RunTiny(uint64_t begin, int length) {
    return Tiny(reinterpret_cast<typename Tiny::TempStorage &>(storage_), keys_in_, call_).Run(begin, length);
  }

  // Every lane's segment, of max_items at most.
  __device__ void Run(uint64_t begin, int length) {
    const int padded = ceil_div(length, vector) * vector;
    const int end = inclusive_sum(padded), total = __shfl_sync(full_warp, end, warp_threads - 1);
    for (int base = 0; base < total;) {
      const int fitting = __popc(__ballot_sync(full_warp, end <= base + capacity));
      const int next = __shfl_sync(full_warp, end, fitting - 1), first = end - padded;
      const bool is_in = length > 0 && first >= base && end <= next;
      arrange(is_in, {int64_t(begin) - (first - base), first - base, length});
      const int rows = ceil_div(next - base, warp_threads);
      load(rows);
      __syncwarp();
      rank(rows);
      __syncwarp();
      store(rows);
      __syncwarp();
      base = next;
    }
  }

 private:
  __device__ Word &word(int place) { return reinterpret_cast<Word *>(storage_.keys)[place]; }

  __device__ void arrange(bool is_in, const Segment &segment) {
    const int number = __popc(__ballot_sync(full_warp, is_in) & ptx::lanes_below());
    storage_.heads[ptx::lane_id()] = 0;
    __syncwarp();
    if (is_in) {
      storage_.segments[number] = segment;
      atomicOr(&storage_.heads[segment.first / warp_threads], 1u << segment.first % warp_threads);
    }
    __syncwarp();
  }

  // This lane's place in a row, `segments` having begun before that.
  __device__ Place place_in(int row, int &segments) const {
    const uint32_t heads = storage_.heads[row], lower = ptx::lanes_below();
    const int number = segments + __popc(heads & (lower << 1 | 1)) - 1;
    segments += __popc(heads);
    const Segment segment = storage_.segments[number];
    const int at = row * warp_threads + int(ptx::lane_id()), last = segment.first + segment.length - 1;
    return {min_of(at, last), at <= last, segment};
  }

  __device__ Word word_of(const Key &key) const {
    return Word(~Word(Bits((Keys::bits(Keys::enter(key)) ^ flip_) & mask_)));
  }

  // Nothing is less than what stands behind each segment's last.
  __device__ void load(int rows) {
    int segments = 0;
#pragma unroll 1
    for (int first = 0; first < rows; first += batch) {
      array<Key, batch> keys;
      bool has_key[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const Place place = place_in(first + k, segments);
        has_key[k] = place.has_item;
        keys[k] = keys_from_[place.item()];
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
        word((first + k) * warp_threads + ptx::lane_id()) = has_key[k] ? word_of(keys[k]) : Word(0);
    }
  }

  __device__ void rank(int rows) {
    int segments = 0;
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
      const Place place = place_in(row, segments);
      const int rank = rank_of(place.segment, place.at);
      if (place.has_item) storage_.order[place.segment.first + rank] = uint16_t(place.at);
    }
  }

  // How many of a segment's words come before that one: those before the vector that it is in, if they are no
  // greater; then the others that are less; then those before it in its vector that are the same.
  __device__ int rank_of(const Segment &segment, int at) {
    const Vector *vectors = storage_.keys + segment.first / vector;
    const int count = ceil_div(segment.length, vector), index = at - segment.first, own = index / vector;
    const Word mine = Word(~word(at)), above = Word(mine + 1);
    int rank = above == 0 ? own * vector : 0;
#pragma unroll 2
    for (int v = 0; v < count; ++v) {
      const Vector other = vectors[v];
      const Word bound = v < own ? above : mine;
#pragma unroll
      for (int m = 0; m < vector; ++m) ptx::count_overflow(bound, other.words[m], rank);
    }
    const Vector around = vectors[own];
#pragma unroll
    for (int m = 0; m + 1 < vector; ++m) rank += m < index % vector && around.words[m] == Word(~mine);
    return rank;
  }

  // A key is what it was compared by, if that is all there is of it.
  __device__ Key key_of(int64_t source, int from) {
    if constexpr (Keys::is_exact) {
      const Kept kept = Kept(Bits(~word(from)) ^ flip_);
      bool is_all = Bits(~mask_) == 0;
      if constexpr (Keys::has_twins) is_all = is_all && kept != Keys::sign;
      if (is_all) return Keys::leave(kept);
    }
    return keys_from_[source];
  }

  // Where there is no item, the one before is stored once more.
  __device__ void store(int rows) {
    int segments = 0;
#pragma unroll 1
    for (int first = 0; first < rows; first += batch) {
      array<int64_t, batch> items, sources;
      array<Key, batch> keys;
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const Place place = place_in(first + k, segments);
        const int from = storage_.order[place.at];
        items[k] = place.item();
        sources[k] = place.segment.shift + from;
        keys[k] = key_of(sources[k], from);
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) keys_out_[items[k]] = keys[k];
      if constexpr (has_values) store_values(items, sources);
    }
  }

  __device__ void store_values(const array<int64_t, batch> &items, const array<int64_t, batch> &sources) {
    const auto from = radix_input_from<Value>(values_in_, call_.values_in, 0);
    Value *to = static_cast<Value *>(call_.values_out);
    array<Value, batch> values;
#pragma unroll
    for (int k = 0; k < batch; ++k) values[k] = from[sources[k]];
#pragma unroll
    for (int k = 0; k < batch; ++k) to[items[k]] = values[k];
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const ValuesIn &values_in_;
  decltype(radix_input_from<Key>(keys_in_, nullptr, 0)) keys_from_;
  Key *keys_out_;
  const RadixSortCall &call_;
  Bits flip_, mask_;
};

}  // namespace jig
