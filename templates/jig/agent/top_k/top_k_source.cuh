// What a top-k looks through: its input, or candidates; and how a block holds a tile of either.
//
// A source offers run_items, count(), bits(i) and index(i) of item i, and load(i), the bits of a run of
// items from i on, a multiple of run_items, which all exist. most_items are what a thread has of a tile: few,
// where there are not many, since what is unrolled takes time to compile.
#pragma once
#include <jig/agent/top_k/top_k.cuh>

namespace jig {

template <class Keys, class In> struct TopKInput {
  using Bits = typename Keys::Bits;
  static constexpr int run_items = In::run_items, most_items = 32;
  using Run = typename In::run_type;

  const In &in;
  Keys keys;
  uint64_t num_items;

  __device__ uint64_t count() const { return num_items; }
  __device__ Bits bits(uint64_t i) const { return keys(in[i]); }
  __device__ uint64_t index(uint64_t i) const { return i; }
  __device__ bool vectorizable() const { return in.vectorizable(); }
  __device__ Run load(uint64_t i) const { return in.load_run(i, true); }
  __device__ Bits bits_of(const Run &run, int k) const { return keys(run[k]); }
};

template <class KeyBits> struct TopKCandidates {
  using Bits = KeyBits;
  static constexpr int run_items = 16 / sizeof(Bits), most_items = max_of(run_items, 2);
  struct alignas(16) Run {
    Bits bits[run_items];
  };

  const Bits *all_bits;
  const uint64_t *indices;
  uint64_t num_items;

  __device__ uint64_t count() const { return num_items; }
  __device__ Bits bits(uint64_t i) const { return all_bits[i]; }
  __device__ uint64_t index(uint64_t i) const { return indices[i]; }
  __device__ bool vectorizable() const { return true; }
  __device__ Run load(uint64_t i) const { return *reinterpret_cast<const Run *>(all_bits + i); }
  __device__ Bits bits_of(const Run &run, int k) const { return run.bits[k]; }
};

// A tile of a source's items up to `end`, spread over the block in runs; `Items` for each thread, or the most that
// the source would have, or as many as a run has. It begins where a run does.
template <int Threads, int Items, class Source> struct TopKTile {
  using Bits = typename Source::Bits;
  static constexpr int run_items = Source::run_items, runs = max_of(min_of(Items, Source::most_items) / run_items, 1);
  static constexpr int size = runs * run_items, block_items = Threads * size;

  uint64_t first;  // this thread's
  int left;        // items from there to the end
  Bits bits[size];

  __device__ TopKTile(const Source &source, uint64_t tile_first, uint64_t end)
      : first(tile_first + threadIdx.x * run_items),
        left(int(min_of(end - min_of(first, end), uint64_t(block_items)))) {
    if (tile_first + block_items <= end && source.vectorizable()) {
      typename Source::Run loaded[runs];
#pragma unroll
      for (int r = 0; r < runs; ++r) loaded[r] = source.load(item(r * run_items));
#pragma unroll
      for (int i = 0; i < size; ++i) bits[i] = source.bits_of(loaded[i / run_items], i % run_items);
    } else {
#pragma unroll
      for (int i = 0; i < size; ++i) bits[i] = has(i) ? source.bits(item(i)) : Bits(~Bits(0));
    }
  }

  static __device__ int offset(int i) { return i / run_items * (Threads * run_items) + i % run_items; }
  __device__ uint64_t item(int i) const { return first + offset(i); }
  __device__ bool has(int i) const { return offset(i) < left; }
};

}  // namespace jig
