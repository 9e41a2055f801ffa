// What a block does in the first kernel of a radix sort: all of them count how many keys have each digit, for
// all passes, and the last one that is done finds out where each digit begins, and which passes are
// needed.
//
// Counters are in shared memory, several copies of them, so that lanes do not get in each other's way: with
// 32, every lane of a warp adds in a bank of its own.
//
// Nothing needs to be cleared beforehand. Block 0 clears what blocks add to, and tells them by a tag
// (tagged.cuh) which the last block retires. All clear the first of the two arrays of states that the
// passes look back at.
#pragma once
#include <jig/agent/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys> class AgentRadixSortHistogram {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  // What a thread loads at once, and how many of these are under way.
  static constexpr int vector = alignof(Key) == sizeof(Key) ? 16 / sizeof(Key) : 1, unroll = 2;
  static constexpr int max_passes = Keys::max_passes;
  static constexpr int log_of(int n) { return n > 1 ? 1 + log_of(n / 2) : 0; }
  static constexpr int log_copies = log_of(Policy::copies);
  struct alignas(vector * alignof(Key)) Vector {
    Key keys[vector];
  };

 public:
  struct alignas(16) TempStorage {
    uint32_t counters[Policy::copies * max_passes * radix_digits];
    uint32_t is_skipped[max_passes];
    uint32_t is_last;
  };

  __device__ AgentRadixSortHistogram(TempStorage &storage, const RadixSortCall &call)
      : storage_(storage), call_(call), control_(*call.control), range_{call.begin_bit, call.end_bit} {}

  __device__ void Run() {
    const int passes = range_.passes();
    if (blockIdx.x == 0) start(passes);
    clear_states();
    // Few keys are faster counted than many counters cleared.
    const bool has_few = call_.num_items < uint64_t(gridDim.x) * threads * 64;
    count(passes, has_few ? min_of(2, log_copies) : log_copies);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      storage_.is_last = ptx::count_relaxed_gpu(&control_.draws) == gridDim.x - 1;
      __threadfence();
    }
    __syncthreads();
    if (storage_.is_last) finish(passes);
  }

 private:
  __device__ void start(int passes) {
    uint64_t *bins = control_.bins(0, 0);
    for (int i = threadIdx.x; i < passes * 2 * radix_digits; i += threads) bins[i] = 0;
    if (threadIdx.x == 0) control_.draws = 0;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) control_.start.publish(0, call_.tag);
  }

  __device__ void clear_states() {
    uint4 *states = reinterpret_cast<uint4 *>(call_.states);
    const uint32_t count = call_.state_tiles * (radix_digits / 4);
    for (uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
      states[i] = uint4{0, 0, 0, 0};
  }

  // ---- counting

  __device__ void count(int passes, int log) {
    uint4 *counters = reinterpret_cast<uint4 *>(storage_.counters);
    for (int i = threadIdx.x; i < (passes * radix_digits / 4) << log; i += threads)
      counters[i] = uint4{0, 0, 0, 0};
    __syncthreads();
    if (range_.end - range_.begin == int(sizeof(Bits) * 8)) count_keys<true>(passes, log);
    else count_keys<false>(passes, log);
    __syncthreads();
    if (threadIdx.x == 0) {
      uint32_t nothing;
      while (!control_.start.try_take(nothing, call_.tag)) continue;
      __threadfence();
    }
    __syncthreads();
    const int copies = 1 << log;
    for (int i = threadIdx.x; i < passes * radix_digits; i += threads) {
      uint32_t sum = 0;
      // Each lane begins with another copy: another bank.
#pragma unroll 4
      for (int c = 0; c < copies; ++c)
        sum += storage_.counters[i * copies + ((c + threadIdx.x) & (copies - 1))];
      if (sum > 0) ptx::add_relaxed_gpu(&control_.bins(i / radix_digits, 0)[i % radix_digits], sum);
    }
  }

  // All of a key's digits; if it has just as many as a pass for every one takes, shifts are known beforehand.
  template <bool Whole> __device__ void count_key(Key key, int passes, uint32_t log) const {
    const Bits flip = radix_flip<Bits>(call_.is_signed, call_.is_descending);
    const Bits bits = Bits(Keys::bits(Keys::enter(key)) ^ flip);
    const uint32_t copy = ptx::kept_shared_address(storage_.counters) + 4 * (threadIdx.x & ((1 << log) - 1));
    if constexpr (Whole) {
#pragma unroll
      for (int p = 0; p < max_passes; ++p) count_digit(bits, p * radix_bits, ~0u, log, copy + (p << (log + 10)));
    } else {
#pragma unroll 1
      for (int p = 0; p < passes; ++p)
        count_digit(bits, range_.first(p), (1u << range_.count(p)) - 1, log, copy + (p << (log + 10)));
    }
  }

  // `log` of how many copies of a counter there are, which are words.
  static __device__ void count_digit(Bits bits, int shift, uint32_t mask, uint32_t log, uint32_t counters) {
    mask &= radix_digits - 1;
    if constexpr (sizeof(Bits) <= 4) {
      const uint32_t word = bits;
      ptx::add_shared(counters + (__funnelshift_r(word, word, shift - log - 2) & mask << (log + 2)), 1);
    } else {
      ptx::add_shared(counters + ((uint32_t(bits >> shift) & mask) << (log + 2)), 1);
    }
  }

  // Single keys until they are aligned, and from the last whole vector on.
  template <bool Whole> __device__ void count_keys(int passes, int log) const {
    const Key *keys = static_cast<const Key *>(call_.keys_in);
    const uint64_t num_items = call_.num_items, step = uint64_t(gridDim.x) * threads;
    const uint64_t thread = uint64_t(blockIdx.x) * threads + threadIdx.x;
    constexpr uint64_t vector_bytes = vector * sizeof(Key);
    const uint64_t odd = (0 - reinterpret_cast<uintptr_t>(keys)) % vector_bytes / sizeof(Key);
    const uint64_t head = min_of(vector > 1 ? odd : 0, num_items);
    const uint64_t vectors = (num_items - head) / vector, tail = head + vectors * vector;
    const Vector *body = reinterpret_cast<const Vector *>(keys + head);
    for (uint64_t v = thread; v < vectors; v += unroll * step) {
      Vector loaded[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (v + u * step < vectors) loaded[u] = body[v + u * step];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (v + u * step >= vectors) break;
#pragma unroll
        for (int k = 0; k < vector; ++k) count_key<Whole>(loaded[u].keys[k], passes, log);
      }
    }
    const uint64_t other = thread < head ? thread : tail + (thread - head);
    if (other < num_items) count_key<Whole>(keys[other], passes, log);
  }

  // ---- the last block

  // A warp for each pass, with some digits in each lane.
  __device__ void finish(int passes) {
    const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
    for (int p = warp; p < passes; p += warps) {
      const bool skipped = radix_begin_digits(control_.bins(p, 0), call_.num_items);
      if (lane == 0) storage_.is_skipped[p] = skipped;
    }
    __syncthreads();
    if (threadIdx.x == 0) number_steps(passes);
  }

  __device__ void number_steps(int passes) {
    uint32_t skipped = 0, steps = 0;
    for (int p = 0; p < passes; ++p) skipped += storage_.is_skipped[p];
    // One that need not be done is done nevertheless.
    bool adds_one = call_.keeps_parity ? skipped % 2 == 1 : skipped == passes;
    for (int p = 0; p < passes; ++p) {
      const bool needed = !storage_.is_skipped[p] || adds_one;
      adds_one = adds_one && !storage_.is_skipped[p];
      control_.step[p] = needed ? steps++ : skipped_pass;
    }
    control_.steps = steps;
    control_.start.retire(call_.tag);
  }

  TempStorage &storage_;
  const RadixSortCall &call_;
  RadixSortControl &control_;
  RadixRange range_;
};

}  // namespace jig
