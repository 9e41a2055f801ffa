// What the blocks of a top-k of bytes do, without values: how many there are of each byte is all of the result.
//
// Each block counts its share in shared memory, where each lane of a warp has counters of its own: whatever bytes there
// are, lanes do not wait for one another. Blocks tell the last one what they have counted; it adds that up, and writes
// the result, which is in order then. Of many keys another launch writes them, by how many come up to each byte.
#pragma once
#include <jig/agent/top_k/top_k.cuh>
#include <jig/core/tile_state.cuh>
#include <jig/warp/fold_of_lanes.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

constexpr int top_k_bytes = 256;

// Writes the results first, first + step, ... of keys of which upto[b] have the bits b or less.
template <class Keys, class KeysIn, class KeysOut>
__device__ void write_counted(const uint64_t *upto, const Keys &keys, const KeysIn &keys_in, const KeysOut &keys_out,
                              uint64_t k, uint64_t first, uint64_t step) {
  uint32_t bits = 0;
  uint64_t end = 0;  // of results with them
#pragma unroll 1
  for (uint64_t i = first; i < k; i += step) {
    if (i >= end) {
      bits = 0;
#pragma unroll 1
      for (uint32_t bit = top_k_bytes / 2; bit > 0; bit /= 2)
        if (upto[bits + bit - 1] <= i) bits += bit;
      end = upto[bits];
    }
    keys_out.store(i, keys.key_of(bits, keys_in, i));
  }
}

// Items before the first one from which on vectors may be loaded: of bytes in memory wherever these begin, of others
// all, if they may not.
template <class In> __device__ uint64_t items_before_vectors(const In &in, uint64_t count) {
  return in.vectorizable() ? 0 : count;
}
template <class T> __device__ uint64_t items_before_vectors(const Pointer<T> &in, uint64_t count) {
  return min_of(uint64_t(-reinterpret_cast<uintptr_t>(in.data) % Pointer<T>::word_bytes), count);
}

template <class Policy, class Keys, class KeysIn> class AgentTopKCount {
  static constexpr int threads = Policy::threads, vector_items = KeysIn::vector_items,
                       vectors = max_of(min_of(Policy::items / vector_items, 4), 1);
  static constexpr int copies = warp_threads, byte_threads = threads / top_k_bytes, byte_copies = copies / byte_threads;
  // Two bytes' counts are told as one, and each thread takes those of some blocks, several at once.
  static constexpr int pairs = top_k_bytes / 2, groups = threads / pairs, at_once = 4;
  static_assert(threads % top_k_bytes == 0 && byte_threads <= copies, "some threads for each byte");
  using Vector = typename KeysIn::vector_type;
  using Told = TileState<uint64_t>;

 public:
  struct alignas(16) TempStorage {
    union {
      uint32_t counters[top_k_bytes][copies];
      uint64_t sums[groups][top_k_bytes];
    };
    uint32_t own[top_k_bytes];
    uint64_t upto[top_k_bytes], warp_totals[top_k_bytes / warp_threads];
  };

  __device__ AgentTopKCount(TempStorage &storage, const TopKCall &call, const KeysIn &keys_in)
      : storage_(storage), call_(call), in_(keys_in), keys_(call, keys_in),
        mine_(ptx::kept_shared_address(storage.counters) + 4 * ptx::lane_id()) {}

  template <class KeysOut> __device__ void Run(const KeysOut &keys_out) {
    CountShare();
    __syncthreads();
    AddCopies();
    __syncthreads();
    if (blockIdx.x + 1 < gridDim.x) return Tell();
    AddBlocks();
    __syncthreads();
    AddUp();
    __syncthreads();
    if (call_.bits == nullptr) write_counted(storage_.upto, keys_, in_, keys_out, call_.k, threadIdx.x, threads);
    else if (threadIdx.x < top_k_bytes) static_cast<uint64_t *>(call_.bits)[threadIdx.x] = storage_.upto[threadIdx.x];
  }

 private:
  // The first vectors are under way while counters are cleared; as soon as one is counted, the next one is.
  __device__ void CountShare() {
    const uint64_t before = items_before_vectors(in_, call_.num_items);
    const uint64_t all = (call_.num_items - before) / vector_items, step = uint64_t(gridDim.x) * threads;
    uint64_t next = uint64_t(blockIdx.x) * threads + threadIdx.x;
    Vector held[vectors];
    bool holds[vectors];
    const auto load = [&](int v) {
      holds[v] = next < all;
      if (holds[v]) held[v] = in_.load_vector(before + next * vector_items, true);
      next += step;
    };
#pragma unroll
    for (int v = 0; v < vectors; ++v) load(v);
    Clear();
    __syncthreads();
    CountOthers(before, all * vector_items, step);
#pragma unroll 1
    while (holds[0]) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        if (holds[v]) {
#pragma unroll
          for (int k = 0; k < vector_items; ++k) Count(keys_(held[v][k]));
        }
        load(v);
      }
    }
  }

  // What is before and behind all vectors.
  __device__ void CountOthers(uint64_t before, uint64_t within, uint64_t step) const {
    const uint64_t others = call_.num_items - within;
#pragma unroll 1
    for (uint64_t i = uint64_t(blockIdx.x) * threads + threadIdx.x; i < others; i += step)
      Count(keys_(in_[i < before ? i : i + within]));
  }
  __device__ void Count(uint32_t bits) const { ptx::add_shared(mine_ + bits * (4 * copies), 1); }

  __device__ void Clear() const {
    uint4 *all = reinterpret_cast<uint4 *>(storage_.counters);
#pragma unroll
    for (int i = 0; i < top_k_bytes * copies / 4; i += threads) all[i + threadIdx.x] = uint4{0, 0, 0, 0};
  }

  // Lanes begin with different banks.
  __device__ void AddCopies() const {
    const uint32_t byte = threadIdx.x / byte_threads, part = threadIdx.x % byte_threads;
    uint32_t sum = 0;
#pragma unroll
    for (int c = 0; c < byte_copies; ++c)
      sum += storage_.counters[byte][part * byte_copies + (byte + c) % byte_copies];
#pragma unroll
    for (int delta = 1; delta < byte_threads; delta *= 2) sum += __shfl_xor_sync(full_warp, sum, delta);
    if (part == 0) storage_.own[byte] = sum;
  }

  __device__ Told &told(uint32_t block) const {
    return static_cast<Told *>(call_.control)[uint64_t(block) * pairs + threadIdx.x % pairs];
  }
  __device__ void Tell() const {
    if (threadIdx.x >= pairs) return;
    const uint64_t low = storage_.own[2 * threadIdx.x], high = storage_.own[2 * threadIdx.x + 1];
    told(blockIdx.x).publish(high << 32 | low, call_.tag);
  }

  // What the other blocks have counted, who began before this one.
  __device__ void AddBlocks() const {
    const uint32_t group = threadIdx.x / pairs, others = gridDim.x - 1;
    uint64_t low = 0, high = 0;
#pragma unroll 1
    for (uint32_t first = group; first < others; first += groups * at_once) {
      uint64_t some_low, some_high;
      bool are_told;
      do {
        some_low = some_high = 0;
        are_told = true;
        // Where there is no other block, the first one's again, which counts once.
#pragma unroll
        for (int b = 0; b < at_once; ++b) {
          const bool is_block = b * groups < others - first;
          uint64_t counts;
          are_told &= told(first + (is_block ? b * groups : 0)).try_take(counts, call_.tag);
          some_low += is_block ? uint32_t(counts) : 0;
          some_high += is_block ? uint32_t(counts >> 32) : 0;
        }
      } while (!are_told);
      low += some_low;
      high += some_high;
#pragma unroll 1
      for (int b = 0; b < at_once && b * groups < others - first; ++b) told(first + b * groups).retire(call_.tag);
    }
    storage_.sums[group][2 * (threadIdx.x % pairs)] = low;
    storage_.sums[group][2 * (threadIdx.x % pairs) + 1] = high;
  }

  __device__ void AddUp() const {
    const uint32_t byte = threadIdx.x % top_k_bytes, lane = ptx::lane_id(), warp = byte / warp_threads;
    uint64_t sum = storage_.own[byte];
#pragma unroll
    for (int g = 0; g < groups; ++g) sum += storage_.sums[g][byte];
    sum = inclusive_sum(sum);
    if (threadIdx.x < top_k_bytes && lane == warp_threads - 1) storage_.warp_totals[warp] = sum;
    __syncthreads();
    sum += fold_of_lanes(lane < warp ? storage_.warp_totals[lane] : uint64_t(0), plus{});
    if (threadIdx.x < top_k_bytes) storage_.upto[byte] = sum;
  }

  TempStorage &storage_;
  const TopKCall &call_;
  const KeysIn &in_;
  Keys keys_;
  uint32_t mine_;
};

}  // namespace jig
