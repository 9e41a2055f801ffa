// Batched copies of ranges of items from one iterator to another. Items that are only moved from memory to memory are
// so by their bytes.
#pragma once
#include <jig/agent/copy_batched/batched_bytes.cuh>
#include <jig/agent/copy_batched/batched_items.cuh>
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/wide_items.cuh>
#include <jig/kernel/copy_batched/batched.cuh>

namespace jig {

template <class In, class Out> constexpr bool moves_bytes = false;
template <class T> constexpr bool moves_bytes<Pointer<T>, Pointer<T>> = true;

// What ranges of items in memory begin and end with, before and behind whole vectors.
template <class T> using EndWord = conditional<(alignof(T) >= 16), uint64_t, item_word<T>>;

template <class In, class Out, class InOffsets, class OutOffsets, class Sizes> struct CopyBuffers {
  const In &in;
  const Out &out;
  const InOffsets &in_offsets;
  const OutOffsets &out_offsets;
  const Sizes &sizes;

  __device__ BatchedBuffer operator[](uint64_t i) const {
    const uint64_t from = uint64_t(in_offsets[i]), to = uint64_t(out_offsets[i]), size = units_of(sizes[i]);
    if constexpr (moves_bytes<In, Out>)
      return {reinterpret_cast<uint64_t>(in.data + from), reinterpret_cast<uint64_t>(out.data + to),
              size * sizeof(*in.data)};
    else
      return {from, to, size};
  }
};

template <class Policy, bool Long, class In, class Out, class InOffsets, class OutOffsets, class Sizes>
__device__ void copy_batched(const In &in, const Out &out, const InOffsets &in_offsets, const OutOffsets &out_offsets,
                             const Sizes &sizes, const BatchedCall &call) {
  const CopyBuffers<In, Out, InOffsets, OutOffsets, Sizes> buffers{in, out, in_offsets, out_offsets, sizes};
  if constexpr (moves_bytes<In, Out>)
    batched<Policy, Long>(call, buffers, CopyBytes<Policy, EndWord<typename In::value_type>>());
  else batched<Policy, Long>(call, buffers, CopyItems<Policy, In, Out>(in, out));
}

}  // namespace jig
