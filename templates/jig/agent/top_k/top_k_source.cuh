// What a top-k looks through: its input, or candidates; and how a block holds a tile of either.
//
// A source offers vector_items, count(), bits(i) and index(i) of item i, and load(i), the bits of a vector of
// items from i on, a multiple of vector_items, which all exist. most_items are what a thread has of a tile: few,
// where there are not many, since what is unrolled takes time to compile. is_cut: whether most tiles are not whole;
// is_ordered: whether index(i) grows with i.
#pragma once
#include <jig/agent/top_k/top_k.cuh>

namespace jig {

template <class Keys, class In, bool IsCut = false> struct TopKInput {
  using Bits = typename Keys::Bits;
  static constexpr bool is_cut = IsCut, is_ordered = true;
  static constexpr int vector_items = In::vector_items, most_items = 32;
  using Vector = typename In::vector_type;

  const In &in;
  Keys keys;
  uint64_t num_items;

  __device__ uint64_t count() const { return num_items; }
  __device__ Bits bits(uint64_t i) const { return keys(in[i]); }
  __device__ uint64_t index(uint64_t i) const { return i; }
  __device__ bool vectorizable() const { return in.vectorizable(); }
  __device__ Vector load(uint64_t i) const { return in.load_vector(i, true); }
  __device__ Bits bits_of(const Vector &vector, int k) const { return keys(vector[k]); }
};

// Where bits and index are one number.
template <class Keys> struct TopKPackedCandidates {
  using Bits = uint64_t;
  using KeyBits = typename Keys::Bits;
  static constexpr bool is_cut = true, is_ordered = false;
  static constexpr int vector_items = 16 / sizeof(Bits), most_items = 4;
  struct alignas(16) Vector {
    Bits bits[vector_items];
  };

  const Bits *all;
  uint64_t num_items;
  TopKPacking<KeyBits> packing;
  Keys keys;

  __device__ uint64_t count() const { return num_items; }
  __device__ Bits bits(uint64_t i) const { return all[i]; }
  __device__ uint64_t index(uint64_t i) const { return packing.index(all[i]); }
  __device__ uint64_t tie(uint64_t) const { return 0; }
  __device__ KeyBits key_bits(uint64_t i) const { return packing.bits(all[i]); }
  // The key itself, in the input that it is of.
  template <class In> __device__ typename In::value_type key(uint64_t i, const In &in) const {
    return keys.key_of(key_bits(i), in, index(i));
  }
  __device__ bool vectorizable() const { return true; }
  __device__ Vector load(uint64_t i) const { return *reinterpret_cast<const Vector *>(all + i); }
  __device__ Bits bits_of(const Vector &vector, int k) const { return vector.bits[k]; }
};

template <class Source> constexpr bool is_packed_source = false;
template <class Keys> constexpr bool is_packed_source<TopKPackedCandidates<Keys>> = true;

// The bits of an item's key, and what tells it from others with the same bits of the source.
template <class Source> __device__ auto key_bits_of(const Source &source, uint64_t i) {
  if constexpr (is_packed_source<Source>) return source.key_bits(i);
  else return source.bits(i);
}
template <class Source> __device__ uint64_t tie_of(const Source &source, uint64_t i) {
  if constexpr (is_packed_source<Source>) return source.tie(i);
  else return source.index(i);
}

template <class KeyBits> struct TopKCandidates {
  using Bits = KeyBits;
  static constexpr bool is_cut = true, is_ordered = false;
  static constexpr int vector_items = 16 / sizeof(Bits), most_items = max_of(vector_items, 2);
  struct alignas(16) Vector {
    Bits bits[vector_items];
  };

  const Bits *all_bits;
  const uint64_t *indices;
  uint64_t num_items;

  __device__ uint64_t count() const { return num_items; }
  __device__ Bits bits(uint64_t i) const { return all_bits[i]; }
  __device__ uint64_t index(uint64_t i) const { return indices[i]; }
  __device__ bool vectorizable() const { return true; }
  __device__ Vector load(uint64_t i) const { return *reinterpret_cast<const Vector *>(all_bits + i); }
  __device__ Bits bits_of(const Vector &vector, int k) const { return vector.bits[k]; }
};

// A tile of a source's items up to `end`, spread over the block in vectors; `Items` for each thread, or the most that
// the source would have, or as many as a vector has. It begins where a vector does.
template <int Threads, int Items, class Source> struct TopKTile {
  using Bits = typename Source::Bits;
  static constexpr int vector_items = Source::vector_items,
                       vectors = max_of(min_of(Items, Source::most_items) / vector_items, 1);
  static constexpr int size = vectors * vector_items, block_items = Threads * size;

  // Loads of whole tiles would wait for how many items are left, which takes 10 % longer; other keys' code is better
  // so.
  static constexpr bool is_late = !Source::is_cut && sizeof(Bits) > 4;

  uint64_t first;  // this thread's
  int left;        // items from there to the end
  Bits bits[size];

  TopKTile() = default;
  __device__ TopKTile(const Source &source, uint64_t tile_first, uint64_t end)
      : first(tile_first + threadIdx.x * vector_items), left(is_late ? block_items : left_before(end)) {
    if (!Source::is_cut && tile_first + block_items <= end && source.vectorizable()) {
      typename Source::Vector loaded[vectors];
#pragma unroll
      for (int r = 0; r < vectors; ++r) loaded[r] = source.load(item(r * vector_items));
#pragma unroll
      for (int i = 0; i < size; ++i) bits[i] = source.bits_of(loaded[i / vector_items], i % vector_items);
      return;
    }
    if (is_late) left = left_before(end);
    if constexpr (Source::is_cut) {
      load_cut(source);
    } else {
#pragma unroll
      for (int i = 0; i < size; ++i) bits[i] = has(i) ? source.bits(item(i)) : Bits(~Bits(0));
    }
  }

  static __device__ int offset(int i) { return i / vector_items * (Threads * vector_items) + i % vector_items; }
  __device__ uint64_t item(int i) const { return first + offset(i); }
  __device__ bool has(int i) const { return offset(i) < left; }

  // Calls visit(i) for each item, one after the other. Of a source whose tiles are mostly not whole, vectors that begin
  // behind the end are passed over; otherwise there may be items that the tile does not have.
  template <class Visit> __device__ void for_each(const Visit &visit) const {
#pragma unroll
    for (int r = 0; r < vectors; ++r) {
      if (Source::is_cut && r > 0 && !has(r * vector_items)) break;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) visit(r * vector_items + k);
    }
  }

 private:
  __device__ int left_before(uint64_t end) const {
    return int(min_of(end - min_of(first, end), uint64_t(block_items)));
  }

  // By vectors as far as they are whole.
  __device__ void load_cut(const Source &source) {
    const bool vectorizable = source.vectorizable();
    typename Source::Vector loaded[vectors];
    bool is_loaded[vectors];
#pragma unroll
    for (int r = 0; r < vectors; ++r) {
      is_loaded[r] = vectorizable && has((r + 1) * vector_items - 1);
      if (is_loaded[r]) loaded[r] = source.load(item(r * vector_items));
    }
    for_each([&](int i) {
      const int r = i / vector_items;
      if (is_loaded[r]) bits[i] = source.bits_of(loaded[r], i % vector_items);
      else bits[i] = has(i) ? source.bits(item(i)) : Bits(~Bits(0));
    });
  }
};

}  // namespace jig
