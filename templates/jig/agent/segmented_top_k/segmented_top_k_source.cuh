// What a warp group looks through in a segmented top-k: a segment or a part of it, or candidates; and how its threads
// hold a tile of either.
//
// A source's items are at places head .. end - 1. Where keys are nothing but bytes in memory, and nobody minds if those
// before a segment are read, places begin where a vector does, so that wherever a segment begins its items are loaded
// in vectors.
#pragma once
#include <jig/agent/top_k/top_k.cuh>
#include <jig/block/warp_group.cuh>
#include <jig/core/iterator/pointer.cuh>

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
  __device__ Bits rough_bits_of(const Vector &vector, int k) const { return keys_.rough(vector[k]); }
  __device__ Bits exact(Bits rough) const { return keys_.exact(rough); }
  __device__ Bits most_rough(Bits exact) const { return keys_.most_rough(exact); }

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
  __device__ Bits rough(Bits bits) const { return bits; }
  __device__ Bits exact(Bits rough) const { return rough; }
  __device__ Bits most_rough(Bits exact) const { return exact; }
};

// A tile from place `first` on, spread over a warp group in vectors, of which each thread has so many that they are
// `Items`. What a thread knows of each is its best item: few of them are looked at again. None begins at `stop` or
// after it.
//
// `Loops`: steps that are not whole are loaded in a loop, which is less to compile, and takes some registers.
template <int Items, class Source, bool Loops> struct SegmentedTopKTile {
  using Bits = typename Source::Bits;
  static constexpr int vector_items = Source::vector_items, vectors = max_of(Items / vector_items, 1);
  static constexpr int size = vectors * vector_items;
  static __device__ uint32_t items(const WarpGroup &group) { return uint32_t(group.threads()) * size; }

  Bits best[vectors];  // its rough bits; all bits set where there is no vector

  __device__ SegmentedTopKTile(const Source &source, const WarpGroup &group, uint32_t first, uint32_t stop) {
    if constexpr (Loops && vectors % step == 0) load_in_loop(source, group, first, stop);
    else load_at_once(source, group, first, stop);
  }

  // Where this thread's vector r begins.
  static __device__ uint32_t place(const WarpGroup &group, uint32_t first, int r) {
    return first + uint32_t(r * group.threads() + group.thread()) * vector_items;
  }

 private:
  // So many vectors are asked for at once, or as many as are left.
  static constexpr int step = min_of(min_of(vectors, 4), max_of((sizeof(Bits) > 4 ? 4 : 24) / vector_items, 1));

  __device__ void load_at_once(const Source &source, const WarpGroup &group, uint32_t first, uint32_t stop) {
    const bool vectorizes = source.vectorizable();
#pragma unroll
    for (int base = 0; base < vectors; base += step) {
      const uint32_t begin = first + uint32_t(base * group.threads()) * vector_items;
      const uint32_t end = begin + uint32_t(min_of(step, vectors - base) * group.threads()) * vector_items;
#pragma unroll
      for (int r = base; r < base + step && r < vectors; ++r) best[r] = Bits(~Bits(0));
      if (vectorizes && end <= stop) load<true>(source, group, base, begin, stop, true, best + base);
      else if (begin < stop) load<false>(source, group, base, begin, stop, vectorizes, best + base);
    }
  }

  // Those steps first that are not whole: as a rule one at most.
  __device__ void load_in_loop(const Source &source, const WarpGroup &group, uint32_t first, uint32_t stop) {
    const bool vectorizes = source.vectorizable();
    const uint32_t step_items = uint32_t(step * group.threads()) * vector_items;
    int whole = 0;
    if (vectorizes) {
      const uint32_t steps = (stop - first) / (step * vector_items * warp_threads) >> group.log_warps;
      whole = int(min_of(steps, uint32_t(vectors / step))) * step;
    }
#pragma unroll
    for (int r = 0; r < vectors; ++r) best[r] = Bits(~Bits(0));
    uint32_t begin = first + uint32_t(whole / step) * step_items;
#pragma unroll 1
    for (int base = whole; base < vectors && begin < stop; base += step, begin += step_items) {
      Bits own[step];
#pragma unroll
      for (int k = 0; k < step; ++k) own[k] = Bits(~Bits(0));
      load<false>(source, group, 0, begin, stop, vectorizes, own);
#pragma unroll
      for (int r = 0; r < vectors; ++r)
        if (r / step * step == base) best[r] = own[r % step];
    }
#pragma unroll
    for (int base = 0; base < vectors; base += step) {
      if (base >= whole) break;
      load<true>(source, group, base, first + uint32_t(base / step) * step_items, stop, true, best + base);
    }
  }

  template <bool IsWhole>
  static __device__ void load(const Source &source, const WarpGroup &group, int base, uint32_t begin, uint32_t stop,
                              bool vectorizes, Bits *to) {
    // Computed where it is needed, as registers are few.
    uint32_t stride = uint32_t(group.threads()) * vector_items;
    asm volatile("" : "+r"(stride));
    const uint32_t own = begin + uint32_t(group.thread()) * vector_items;
    typename Source::Vector loaded[step];
#pragma unroll
    for (int r = 0; r < step && base + r < vectors; ++r) {
      const uint32_t at = own + uint32_t(r) * stride;
      loaded[r] = source.load(IsWhole ? at : min_of(at, stop - vector_items), vectorizes);
    }
#pragma unroll
    for (int r = 0; r < step && base + r < vectors; ++r) {
      const uint32_t at = own + uint32_t(r) * stride;
      if (!IsWhole && at >= stop) continue;
      to[r] = base + r == 0 ? best_of<true>(source, loaded[r], at) : best_of<false>(source, loaded[r], at);
    }
  }

  // Of the first vector some items may be before the head.
  template <bool MayBeHead>
  static __device__ Bits best_of(const Source &source, const typename Source::Vector &vector, uint32_t at) {
    Bits best = source.rough_bits_of(vector, vector_items - 1);
#pragma unroll
    for (int k = 0; k + 1 < vector_items; ++k) {
      const Bits bits = source.rough_bits_of(vector, k);
      if (!MayBeHead || at + k >= source.head) best = min_of(best, bits);
    }
    return best;
  }
};

}  // namespace jig
