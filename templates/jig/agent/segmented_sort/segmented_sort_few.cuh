// What a block does that has one segment, of few: it sorts the segment if it fits.
#pragma once
#include <jig/agent/radix_sort/radix_sort_cluster.cuh>
#include <jig/agent/segmented_sort/segmented_sort.cuh>

namespace jig {

// The items of a segment, of an input that is no pointer.
template <class In> struct SegmentItems {
  using value_type = typename In::value_type;
  const In &in;
  uint64_t first;

  __device__ value_type operator[](uint64_t i) const { return in[first + i]; }
};
template <> struct SegmentItems<none> {
  const none &in;
  uint64_t first;
};

// Sorts as many items as there are threads, or fewer, by comparing all of them with each other.
template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn> class AgentSegmentedSortCompare {
  using Key = typename Keys::Key;
  using Bits = typename Keys::Bits;
  // As in segmented_sort_small.cuh: turned round, so that a + ~b overflows where a is greater.
  using Word = conditional<(sizeof(Bits) < 4), uint32_t, Bits>;
  static constexpr int vector = 16 / sizeof(Word);
  static constexpr bool has_values = !is_same<Value, none>;
  // Values that are on their way while keys are compared.
  static constexpr bool holds_values = has_values && sizeof(Value) <= 16;
  struct alignas(16) Vector {
    Word words[vector];
  };

 public:
  static constexpr int max_items = Policy::compared_items;
  static_assert(max_items <= Policy::threads && max_items % vector == 0, "an item for each thread, in whole vectors");

  struct TempStorage {
    Vector vectors[max_items / vector];
  };

  __device__ AgentSegmentedSortCompare(TempStorage &storage, const KeysIn &keys_in, const ValuesIn &values_in,
                                       const RadixSortCall &call)
      : storage_(storage), keys_in_(keys_in), values_in_(values_in), call_(call) {}

  // Of `length` items, one at least.
  __device__ void Run(int length) {
    const int i = threadIdx.x, from = min_of(i, length - 1), count = ceil_div(length, vector);
    Key key;
    conditional<holds_values, Value, none> value;
    Word word;
    // The same for all lanes of a warp.
    if (i - ptx::lane_id() < count * vector) {
      key = radix_input<Key>(keys_in_, call_.keys_in, from);
      if constexpr (holds_values) value = radix_input<Value>(values_in_, call_.values_in, from);
      const Bits flip = radix_flip<Bits>(call_.is_signed, call_.is_descending);
      const Bits mask = radix_mask<Bits>(call_.begin_bit, call_.end_bit - call_.begin_bit);
      word = Word(~Word(Bits((Keys::bits(Keys::enter(key)) ^ flip) & mask)));
      // Nothing is less than what stands behind the last one.
      if (i < max_items) reinterpret_cast<Word *>(storage_.vectors)[i] = i < length ? word : Word(0);
    }
    __syncthreads();
    if (i >= length) return;
    const int rank = rank_of(Word(~word), i, count);
    static_cast<Key *>(call_.keys_out)[rank] = key;
    Value *values_out = static_cast<Value *>(call_.values_out);
    if constexpr (holds_values) values_out[rank] = value;
    else if constexpr (has_values) values_out[rank] = radix_input<Value>(values_in_, call_.values_in, i);
  }

 private:
  // How many words come before that one: those before the vector that it is in, if they are no greater; then the
  // others that are less; then those before it in its vector that are the same.
  __device__ int rank_of(Word mine, int i, int count) const {
    const Word above = Word(mine + 1);
    const int own = i / vector;
    int rank = above == 0 ? own * vector : 0;
#pragma unroll 4
    for (int v = 0; v < count; ++v) {
      const Vector other = storage_.vectors[v];
      const Word bound = v < own ? above : mine;
#pragma unroll
      for (int m = 0; m < vector; ++m) ptx::count_overflow(bound, other.words[m], rank);
    }
    const Vector around = storage_.vectors[own];
#pragma unroll
    for (int m = 0; m + 1 < vector; ++m) rank += m < i % vector && around.words[m] == Word(~mine);
    return rank;
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const ValuesIn &values_in_;
  const RadixSortCall &call_;
};

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn> class AgentSegmentedSortFew {
  using SegmentKeys = conditional<is_pointed<KeysIn>, KeysIn, SegmentItems<KeysIn>>;
  using SegmentValues = conditional<is_pointed<ValuesIn>, ValuesIn, SegmentItems<ValuesIn>>;
  using Compare = AgentSegmentedSortCompare<Policy, Keys, Value, SegmentKeys, SegmentValues>;
  using Radix = AgentRadixSortCluster<Policy, Keys, Value, SegmentKeys, SegmentValues>;

 public:
  union TempStorage {
    typename Compare::TempStorage compare;
    typename Radix::TempStorage radix;
  };

  __device__ AgentSegmentedSortFew(TempStorage &storage, const KeysIn &keys_in, const ValuesIn &values_in,
                                   const RadixSortCall &call)
      : storage_(storage), keys_in_(keys_in), values_in_(values_in), call_(call) {}

  // Whether the block can sort so many items.
  static __device__ bool fits(uint64_t length, const RadixSortCall &call) {
    const bool is_partial = call.end_bit - call.begin_bit < int(sizeof(typename Keys::Bits) * 8);
    return length <= uint64_t(is_partial ? Policy::indexed_rows : Policy::rows) * Policy::threads;
  }

  // By the whole block.
  __device__ void Run(uint64_t begin, int length) {
    if (length == 0) return;
    RadixSortCall call = call_;
    call.num_items = length;
    move<typename Keys::Key, KeysIn>(call.keys_in, begin);
    call.keys_out = static_cast<typename Keys::Key *>(call_.keys_out) + begin;
    if constexpr (!is_same<Value, none>) {
      move<Value, ValuesIn>(call.values_in, begin);
      call.values_out = static_cast<Value *>(call_.values_out) + begin;
    }
    const auto keys_in = items(keys_in_, begin);
    const auto values_in = items(values_in_, begin);
    if (length <= Compare::max_items) Compare(storage_.compare, keys_in, values_in, call).Run(length);
    else Radix(storage_.radix, keys_in, values_in, call, rows_for(length)).Run();
  }

 private:
  // Of small keys in whole batches: other rows take longer, though more warps have some.
  static __device__ int rows_for(int length) {
    constexpr int step = sizeof(typename Keys::Kept) <= 4 ? Radix::batch : 1;
    return ceil_div(length, step * int(Policy::threads)) * step;
  }

  template <class Item, class In> static __device__ void move(const void *&pointer, uint64_t begin) {
    if constexpr (is_pointed<In>) pointer = static_cast<const Item *>(pointer) + begin;
  }
  template <class In> static __device__ auto items(const In &in, uint64_t begin) {
    if constexpr (is_pointed<In>) return in;
    else return SegmentItems<In>{in, begin};
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const ValuesIn &values_in_;
  const RadixSortCall &call_;
};

}  // namespace jig
