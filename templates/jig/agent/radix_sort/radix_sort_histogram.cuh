// What a block does in the first kernel of a radix sort: all of them count how many keys have each digit, for
// all passes, and the last one that is done finds out where each digit begins, and which passes are
// needed.
//
// Counters are in shared memory, several copies of them, so that lanes do not get in each other's way: with
// 32, every lane of a warp adds in a bank of its own.
//
// Nothing needs to be cleared beforehand. Block 0 clears what blocks add to, and tells them by a tag
// (tile_state.cuh) which the last block retires. All clear the first of the two arrays of states that the
// passes look back at.
//
// If there is a kernel that sorts what a block can by itself, the last block also finds out whether the highest digits
// leave nothing but that (radix_top_passes.cuh).
#pragma once
#include <jig/agent/radix_sort/radix_sort.cuh>
#include <jig/agent/radix_sort/radix_top_passes.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

template <class Policy, class Keys, class KeysIn> class AgentRadixSortHistogram {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  // What a thread loads at once, and how many of these are under way.
  static constexpr bool has_vectors = is_pointed<KeysIn> && alignof(Key) == sizeof(Key) && sizeof(Key) <= 16;
  static constexpr int vector = has_vectors ? 16 / sizeof(Key) : 1;
  static constexpr int unroll = is_pointed<KeysIn> ? 2 : sizeof(Key) == 16 ? 4 : 8;
  static constexpr int max_passes = Keys::max_passes;
  static constexpr int log_of(int n) { return n > 1 ? 1 + log_of(n / 2) : 0; }
  static constexpr int log_copies = log_of(Policy::copies);
  struct alignas(vector * alignof(Key)) Vector {
    Key keys[vector];
  };

 public:
  struct alignas(16) TempStorage {
    union {
      uint32_t counters[Policy::copies * max_passes * radix_digits];
      uint64_t warp_totals[warps];  // of the last block
    };
    uint32_t is_skipped[max_passes];
    RadixTopPasses<max_passes> top;
    uint32_t is_last;
  };

  __device__ AgentRadixSortHistogram(TempStorage &storage, const KeysIn &keys_in, const RadixSortCall &call)
      : storage_(storage),
        keys_in_(keys_in),
        call_(call),
        control_(*call.control),
        range_{call.begin_bit, call.end_bit},
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)) {}

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
#pragma unroll 1
    for (int i = threadIdx.x; i < passes * 2 * radix_digits; i += threads) bins[i] = 0;
    if (threadIdx.x == 0) control_.draws = 0;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) control_.start.publish(0, call_.tag);
  }

  __device__ void clear_states() {
    uint4 *states = reinterpret_cast<uint4 *>(call_.states);
    const uint32_t count = call_.state_tiles * (radix_digits / 4);
#pragma unroll 1
    for (uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
      states[i] = uint4{0, 0, 0, 0};
  }

  // ---- counting

  __device__ void count(int passes, int log) {
    uint4 *counters = reinterpret_cast<uint4 *>(storage_.counters);
#pragma unroll 1
    for (int i = threadIdx.x; i < (passes * radix_digits / 4) << log; i += threads)
      counters[i] = uint4{0, 0, 0, 0};
    __syncthreads();
    count_keys(passes, log);
    __syncthreads();
    if (threadIdx.x == 0) {
      uint32_t nothing;
      while (!control_.start.try_take(nothing, call_.tag)) continue;
      __threadfence();
    }
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < passes * radix_digits; i += threads) {
      const uint32_t sum = sum_of(i, log);
      if (sum > 0) ptx::add_relaxed_gpu(&control_.bins(i / radix_digits, 0)[i % radix_digits], sum);
    }
  }

  // Each lane begins with another copy: another bank.
  __device__ uint32_t sum_of(int counter, int log) const {
    constexpr int at_once = min_of(4, Policy::copies);
    const uint32_t *copies = storage_.counters + (counter << log);
    const int last = (1 << log) - 1;
    uint32_t sum = 0;
#pragma unroll 1
    for (int first = threadIdx.x & last, c = first; c <= first + last; c += at_once) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) sum += copies[(c + k) & last];
    }
    return sum;
  }

  // In the order's bits.
  __device__ Bits bits_of(const Key &key) const { return Bits(Keys::bits(Keys::enter(key)) ^ flip_); }

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

  // The digits of some vectors of keys, of which there are perhaps less.
  __device__ void count_vectors(const Vector (&loaded)[unroll], int count, int passes, uint32_t log,
                                uint32_t counters) const {
    // If keys have just as many digits as there are passes, shifts are known beforehand.
    if (range_.end - range_.begin == int(sizeof(Bits) * 8)) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u >= count) break;
#pragma unroll
        for (int k = 0; k < vector; ++k) {
          const Bits bits = bits_of(loaded[u].keys[k]);
#pragma unroll
          for (int p = 0; p < max_passes; ++p)
            count_digit(bits, p * radix_bits, ~0u, log, counters + (p << (log + 10)));
        }
      }
    } else {
#pragma unroll 1
      for (int p = 0; p < passes; ++p) {
        const uint32_t mask = (1u << range_.count(p)) - 1, pass_counters = counters + (p << (log + 10));
#pragma unroll
        for (int i = 0; i < unroll * vector; ++i) {
          if (i / vector >= count) break;
          count_digit(bits_of(loaded[i / vector].keys[i % vector]), range_.first(p), mask, log, pass_counters);
        }
      }
    }
  }

  __device__ Vector load(const Vector *vectors, uint64_t i) const {
    if constexpr (is_pointed<KeysIn>) return vectors[i];
    else return {radix_input<Key>(keys_in_, nullptr, i)};
  }

  __device__ void count_keys(int passes, uint32_t log) const {
    const Key *keys = static_cast<const Key *>(call_.keys_in);
    const uint64_t num_items = call_.num_items, step = uint64_t(gridDim.x) * threads;
    const uint64_t thread = uint64_t(blockIdx.x) * threads + threadIdx.x;
    const uint32_t counters = ptx::kept_shared_address(storage_.counters) + 4 * (threadIdx.x & ((1 << log) - 1));
    constexpr uint64_t vector_bytes = vector * sizeof(Key);
    const uint64_t odd = (0 - reinterpret_cast<uintptr_t>(keys)) % vector_bytes / sizeof(Key);
    const uint64_t head = min_of(vector > 1 ? odd : 0, num_items);
    const uint64_t vectors = (num_items - head) / vector, tail = head + vectors * vector;
    const Vector *body = reinterpret_cast<const Vector *>(keys + head);
#pragma unroll 1
    for (uint64_t v = thread; v < vectors; v += unroll * step) {
      Vector loaded[unroll];
      int count = 0;
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (v + u * step < vectors) loaded[u] = load(body, v + u * step), count = u + 1;
      count_vectors(loaded, count, passes, log, counters);
    }
    // Single keys until they are aligned, and from the last whole vector on.
    const uint64_t other = thread < head ? thread : tail + (thread - head);
    if (other >= num_items) return;
    const Bits bits = bits_of(radix_input<Key>(keys_in_, keys, other));
#pragma unroll 1
    for (int p = 0; p < passes; ++p)
      count_digit(bits, range_.first(p), (1u << range_.count(p)) - 1, log, counters + (p << (log + 10)));
  }

  // ---- the last block

  // A thread for each digit of some passes: puts what comes before it in place of its count.
  __device__ void finish(int passes) {
    constexpr int pass_warps = radix_digits / warp_threads, at_once = threads / radix_digits;
    const int warp = threadIdx.x / warp_threads;
    if (threadIdx.x < max_passes) storage_.is_skipped[threadIdx.x] = 0;
    if constexpr (Policy::can_be_local) storage_.top.clear();
    __syncthreads();
#pragma unroll 1
    for (int first = 0; first < passes; first += at_once) {
      const int p = first + warp / pass_warps;
      uint64_t *bin = control_.bins(p, 0) + threadIdx.x % radix_digits;
      const uint64_t count = p < passes ? ptx::load_relaxed_gpu(bin) : 0;
      uint64_t before = inclusive_sum<1>(count);
      if (ptx::lane_id() == warp_threads - 1) storage_.warp_totals[warp] = before;
      before -= count;
      __syncthreads();
#pragma unroll 1
      for (int w = warp / pass_warps * pass_warps; w < warp; ++w) before += storage_.warp_totals[w];
      if (p < passes) *bin = before;
      if (p < passes && count == call_.num_items) storage_.is_skipped[p] = 1;
      if constexpr (Policy::can_be_local) {
        if (p < passes) storage_.top.see(p, count, call_.num_items);
      }
      __syncthreads();
    }
    int top = 0;
    if constexpr (Policy::can_be_local) top = choose_top(passes);
    if (threadIdx.x != 0) return;
    if (top > 0) number_top(passes, top);
    else number_steps(passes);
    control_.start.retire(call_.tag);
  }

  // How many of the highest passes leave buckets that the last kernel can sort by itself; 0: all passes are to be done.
  // All threads call.
  __device__ int choose_top(int passes) {
    const auto sample = [&](int low) {
      return storage_.top.template sample<sizeof storage_.counters / 2>(
          storage_.counters, call_, range_.first(low), [&](uint64_t i) {
            const Key *keys = static_cast<const Key *>(call_.keys_in);
            return Bits(bits_of(radix_input<Key>(keys_in_, keys, i)) &
                        radix_mask<Bits>(range_.begin, range_.end - range_.begin));
          });
    };
    return storage_.top.choose(storage_.is_skipped, passes, call_, sample);
  }

  // The passes from the first one of those on, and nothing else but the local sort.
  __device__ void number_top(int passes, int top) {
    uint32_t steps = 0;
    int low = passes;
#pragma unroll 1
    for (int left = top; left > 0;) left -= !storage_.is_skipped[--low];
#pragma unroll 1
    for (int p = 0; p < passes; ++p)
      control_.step[p] = p < low || storage_.is_skipped[p] ? skipped_pass : steps++;
    control_.top_passes = top;
    control_.low_pass = low;
    control_.is_uneven = storage_.top.is_uneven(low);
    // The local sort is a step, or works in place.
    ++steps;
    control_.steps = steps + (call_.keeps_parity && (steps ^ uint32_t(passes)) % 2 != 0);
  }

  __device__ void number_steps(int passes) {
    control_.top_passes = control_.low_pass = 0;
    uint32_t skipped = 0, steps = 0;
#pragma unroll 1
    for (int p = 0; p < passes; ++p) skipped += storage_.is_skipped[p];
    // One that need not be done is done nevertheless.
    bool adds_one = call_.keeps_parity ? skipped % 2 == 1 : skipped == passes;
#pragma unroll 1
    for (int p = 0; p < passes; ++p) {
      const bool is_skipped = storage_.is_skipped[p];
      control_.step[p] = is_skipped && !adds_one ? skipped_pass : steps++;
      adds_one = adds_one && !is_skipped;
    }
    control_.steps = steps;
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const RadixSortCall &call_;
  RadixSortControl &control_;
  RadixRange range_;
  Bits flip_;
};

}  // namespace jig
