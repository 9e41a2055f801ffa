// What a warp group looks through in a segmented top-k: a segment or a part of it, or candidates; and how its threads
// hold a tile of either.
//
// A source's items are at places head .. end - 1. Where keys are nothing but bytes in memory, and nobody minds if those
// before a segment are read, places begin where a vector does, so that wherever a segment begins its items are loaded
// in vectors.
#pragma once
#include <jig/agent/top_k/top_k.cuh>
#include <jig/block/warp_group.cuh>

namespace jig {

template <class Keys, class In> class SegmentedTopKInput {
 public:
  using Bits = typename Keys::Bits;
  static constexpr int vector_items = In::vector_items;
  using Vector = typename In::vector_type;

  __device__ SegmentedTopKInput(const In &in, const Keys &keys, uint64_t begin, uint64_t count)
      : in_(in), keys_(keys) {
    constexpr bool reads_before = Keys::takes_any_bytes && is_same<In, Pointer<typename In::value_type>>;
    head = reads_before && in.vectorizable() ? uint32_t(begin % vector_items) : 0;
    base = begin - head;
    end = uint32_t(head + count);
  }

  __device__ bool vectorizable() const { return base % vector_items == 0 && in_.vectorizable(); }
  __device__ Bits bits(uint32_t place) const { return keys_(in_[base + place]); }
  __device__ Vector load(uint32_t place, bool vectorizes) const { return in_.load_vector(base + place, vectorizes); }
  __device__ Bits bits_of(const Vector &vector, int k) const { return keys_(vector[k]); }

  uint64_t base;  // the item that place 0 is of
  uint32_t head, end;

 private:
  const In &in_;
  const Keys &keys_;
};

// Candidates' bits lie in memory as keys do.
template <class KeyBits> struct TopKSameBits {
  using Bits = KeyBits;
  static constexpr bool takes_any_bytes = true;
  __device__ Bits operator()(Bits bits) const { return bits; }
};

// A tile from place `first` on, all of which is there: spread over a warp group in vectors, `Items` for each thread.
template <int Items, class Source> struct SegmentedTopKTile {
  using Bits = typename Source::Bits;
  static constexpr int vector_items = Source::vector_items, vectors = max_of(Items / vector_items, 1);
  static constexpr int size = vectors * vector_items;
  static __device__ uint32_t items(const WarpGroup &group) { return uint32_t(group.threads()) * size; }

  Bits bits[size];  // all of them set where there is no item

  __device__ SegmentedTopKTile(const Source &source, const WarpGroup &group, uint32_t first) {
    if (source.vectorizable()) load<true>(source, group, first);
    else load<false>(source, group, first);
    if (first == 0 && group.thread() == 0) {
#pragma unroll
      for (int i = 0; i + 1 < vector_items; ++i)
        if (i < int(source.head)) bits[i] = Bits(~Bits(0));
    }
  }

  // Where this thread's item i is.
  static __device__ uint32_t place(const WarpGroup &group, uint32_t first, int i) {
    return first + (i / vector_items * group.threads() + group.thread()) * vector_items + i % vector_items;
  }

 private:
  template <bool Vectorizes> __device__ void load(const Source &source, const WarpGroup &group, uint32_t first) {
    typename Source::Vector loaded[vectors];
#pragma unroll
    for (int r = 0; r < vectors; ++r) loaded[r] = source.load(place(group, first, r * vector_items), Vectorizes);
#pragma unroll
    for (int i = 0; i < size; ++i) bits[i] = source.bits_of(loaded[i / vector_items], i % vector_items);
  }
};

}  // namespace jig
