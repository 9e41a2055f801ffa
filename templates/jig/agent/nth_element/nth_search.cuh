// What a search for the item of one rank leaves, and where it puts what it finds on its way. It is a top-k's search,
// which goes on until there is just that item.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>

namespace jig {

// The item of that rank: TopKCall::records points to it. What comes before it is what it holds as a bound.
template <class Bits> using NthFound = TopKBound<Bits>;

// Of the pass over the input: what is among the first items for certain is only counted, and what may be it becomes a
// candidate.
template <class KeyBits, class KeysInput> struct NthCandidatesSink {
  using Bits = KeyBits;
  using KeysIn = KeysInput;
  static constexpr bool finds_one = false, takes = false;
  const TopKCall &call;
  const KeysIn &keys_in;

  template <class Source> __device__ void take(uint64_t, const Source &, uint64_t, uint64_t) const {}
  __device__ void keep(uint64_t place, Bits bits, uint64_t index) const { keep_candidate(call, place, bits, index); }
};

// Of the item itself, which alone is kept.
template <class KeyBits, class KeysInput, class NthOut> struct NthItemSink {
  using Bits = KeyBits;
  using KeysIn = KeysInput;
  static constexpr bool finds_one = true, takes = false;
  const TopKCall &call;
  const KeysIn &keys_in;
  const NthOut &nth_out;

  template <class Source> __device__ void take(uint64_t, const Source &, uint64_t, uint64_t) const {}
  __device__ void keep(uint64_t, Bits bits, uint64_t index) const {
    *static_cast<NthFound<Bits> *>(call.records) = {bits, index};
    if constexpr (!is_same<NthOut, none>) nth_out.store(0, keys_in[index]);
  }
};

}  // namespace jig
