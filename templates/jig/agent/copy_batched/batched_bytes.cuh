// How the bytes of buffers are copied, whatever their alignment: whole vectors of 16 bytes where they go to, each made
// of two such vectors of where they come from if these are aligned otherwise; and single bytes at either end. Nothing
// outside of a buffer is read.
#pragma once
#include <jig/agent/copy_batched/batched_list.cuh>
#include <jig/agent/copy_batched/share_runs.cuh>
#include <jig/core/load_across.cuh>

namespace jig {

// Said to be in global memory, so that the compiler takes instructions for that.
template <class T> __device__ T *global_at(uint64_t address) {
  T *pointer = reinterpret_cast<T *>(address);
  __builtin_assume(__isGlobal(pointer));
  return pointer;
}

struct ByteUnit {
  using Loaded = uint8_t;
  __device__ Loaded load(uint64_t from) const { return *global_at<const uint8_t>(from); }
  __device__ void store(uint64_t to, Loaded byte) const { *global_at<uint8_t>(to) = byte; }
};

constexpr uint32_t batched_vector_bytes = 16;

struct VectorUnit {
  struct Loaded {
    uint4 low, high;
    uint32_t skipped;
  };

  __device__ Loaded load(uint64_t from) const {
    const uint32_t skipped = from % batched_vector_bytes;
    const uint4 *source = global_at<const uint4>(from - skipped);
    Loaded loaded{source[0], uint4{0, 0, 0, 0}, skipped};
    if (skipped != 0) loaded.high = source[1];
    return loaded;
  }
  __device__ void store(uint64_t to, const Loaded &loaded) const {
    *global_at<uint4>(to) = joined(loaded.low, loaded.high, loaded.skipped);
  }
};

// Bytes, then vectors, then bytes again: a part of a buffer, of which bytes from .. readable - 1 may be read, and those
// from `first_readable` on.
struct VectorizedBytes {
  uint32_t head, vectors, tail;

  __device__ VectorizedBytes(uint64_t from, uint64_t to, uint32_t size, uint64_t first_readable, uint64_t readable)
      : head(size), vectors(0), tail(0) {
    constexpr uint32_t bytes = batched_vector_bytes;
    if (size < bytes) return;
    uint32_t before = -to % bytes;
    const uint32_t skipped = (from + before) % bytes;
    if (skipped != 0 && from + before < first_readable + skipped) before += bytes;
    if (before + bytes > size) return;
    uint32_t most = (size - before) / bytes;
    if (skipped != 0) {
      const uint64_t words = (readable - (from + before - skipped)) / bytes;
      if (words < 2) return;
      most = uint32_t(min_of(uint64_t(most), words - 1));
    }
    head = before;
    vectors = most;
    tail = size - head - vectors * bytes;
  }
};

template <class Policy> class CopyBytes {
  // A tile begins where a line does.
  static constexpr uint32_t line_bytes = 128;
  static constexpr uint64_t tile_bytes = Policy::tile_units;
  static constexpr uint32_t bytes = batched_vector_bytes;

 public:
  static constexpr uint64_t tile_units = tile_bytes;

  // A buffer for each lane, as short as makes counters of 32 bits do.
  __device__ void Share(SharedRuns &shared, const BatchedBuffer &b) const {
    const VectorizedBytes part(b.from, b.to, b.size, b.from, b.from + b.size);
#pragma unroll 1
    for (int end = 0; end < 2; ++end) {
      const uint32_t first = end == 0 ? 0 : part.head + part.vectors * bytes;
      share_runs<Policy::unroll_units, 1>(shared, end == 0 ? part.head : part.tail, b.from + first, b.to + first,
                                          ByteUnit{});
    }
    share_runs<Policy::unroll, bytes>(shared, part.vectors, b.from + part.head, b.to + part.head, VectorUnit{});
  }

  __device__ uint64_t tiles_of(const BatchedBuffer &b) const {
    return ceil_div(b.size + b.to % line_bytes, tile_bytes);
  }

  // By a whole warp.
  __device__ void Tile(const BatchedBuffer &b, uint64_t tile) const {
    const uint32_t in_line = b.to % line_bytes;
    const uint64_t first = tile == 0 ? 0 : tile * tile_bytes - in_line;
    const uint64_t end = min_of(b.size, (tile + 1) * tile_bytes - in_line);
    const uint64_t from = b.from + first, to = b.to + first;
    const VectorizedBytes part(from, to, end - first, b.from, b.from + b.size);
    const uint32_t at_ends = part.head + part.tail;
    const ByteUnit byte;
#pragma unroll 1
    for (uint32_t k = ptx::lane_id(); k < at_ends; k += warp_threads) {
      const uint32_t i = k < part.head ? k : k + part.vectors * bytes;
      byte.store(to + i, byte.load(from + i));
    }
    const uint32_t skipped = (from + part.head) % bytes;
    const uint4 *source = global_at<const uint4>(from + part.head - skipped);
    uint4 *target = global_at<uint4>(to + part.head);
    if (skipped == 0) Vectors<false>(source, target, part.vectors, 0);
    else Vectors<true>(source, target, part.vectors, skipped);
  }

 private:
  // Joined ones take twice the registers.
  template <bool Join>
  static __device__ void Vectors(const uint4 *source, uint4 *target, int count, uint32_t skipped) {
    constexpr int unroll = Join ? Policy::unroll / 2 : Policy::unroll;
    source += ptx::lane_id();
    target += ptx::lane_id();
#pragma unroll 1
    for (int left = count - int(ptx::lane_id()); left > 0; left -= unroll * warp_threads) {
      uint4 low[unroll], high[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u * warp_threads >= left) continue;
        low[u] = source[u * warp_threads];
        if constexpr (Join) high[u] = source[u * warp_threads + 1];
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (u * warp_threads < left)
          target[u * warp_threads] = Join ? joined(low[u], high[u], skipped) : low[u];
      source += unroll * warp_threads;
      target += unroll * warp_threads;
    }
  }
};

}  // namespace jig
