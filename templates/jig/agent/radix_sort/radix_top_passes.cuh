// By how many of its highest digits a radix sort has to go until those who agree in them, a bucket, are few enough to
// be sorted by a block (radix_sort_local.cuh). The counts of single digits tell how many digits that would take if they
// had nothing to do with each other; whether it is so, a sample tells, of which pairs in one bucket are counted. None
// is taken if every digit has a value that many keys have, as it is with keys of few values.
//
// A sample may be wrong: the local sort takes buckets of any size, large ones more slowly.
#pragma once
#include <jig/agent/radix_sort/radix_sort.cuh>

namespace jig {

template <int MaxPasses> class RadixTopPasses {
  // How many keys are taken to be a bucket's at most, in 256ths of what fits.
  static constexpr uint32_t most_share = 248;
  // Passes that there have to be below.
  static constexpr int least_saved = 2;
  // Of some digit no more keys than one of so many may have the same value.
  static constexpr uint32_t least_values = 16;
  // Of the keys, one of so many is in the sample, but no less and no more than so many keys.
  static constexpr uint32_t sample_share = 1024, least_sample = 2048, most_sample = 32768;
  // Keys of a sample that chance puts in one bucket, however small that is.
  static constexpr uint32_t least_crowd = 12;
  // Of a bucket, keys that have the same next two digits, from which on these do not do to tell them apart.
  static constexpr float most_mates = 0.25f;
  static constexpr int one_bits = 30;

  // Of a pass: the chance that two keys have the same digit; and whether many have, in least_values parts of all.
  uint32_t concentration[MaxPasses], most_frequent[MaxPasses];
  uint32_t pairs, crowd;
  float bucket_keys;  // how many keys of one bucket are expected

 public:
  __device__ void clear() {
    if (threadIdx.x < MaxPasses) concentration[threadIdx.x] = most_frequent[threadIdx.x] = 0;
  }

  // How many keys have one of a pass's digits.
  __device__ void see(int pass, uint64_t count, uint64_t num_items) {
    const float share = float(count) / float(num_items);
    const uint32_t part = uint32_t(share * share * float(1u << one_bits));
    if (part > 0) ptx::add_shared(ptx::shared_address(&concentration[pass]), part);
    const uint32_t frequent = uint32_t(share * least_values);
    if (frequent > 0) atomicMax(&most_frequent[pass], frequent);
  }

  // How many of the highest passes there are to be, or 0. sample(pass) tells whether buckets are small if that is the
  // lowest of them. All threads call, behind a barrier.
  template <class Sample>
  __device__ int choose(const uint32_t *is_skipped, int passes, const RadixSortCall &call, Sample sample) {
    if (call.local_items == 0) return 0;
    int left = 0, top = 0;
    bool has_many_values = false;
#pragma unroll 1
    for (int p = 0; p < passes; ++p) {
      left += !is_skipped[p];
      has_many_values = has_many_values || most_frequent[p] == 0;
    }
    float expected = float(call.num_items);
    if (threadIdx.x == 0) bucket_keys = expected / radix_digits;
    if (call.forced_top_passes > 0) return left > call.forced_top_passes ? call.forced_top_passes : 0;
    if (!has_many_values) return 0;
    int tries = 2;
#pragma unroll 1
    for (int p = passes - 1; p >= 0 && tries > 0; --p) {
      if (is_skipped[p]) continue;
      ++top;
      if (--left < least_saved) return 0;
      expected *= chance(p);
      if (expected > most(call)) continue;
      if (threadIdx.x == 0) bucket_keys = expected;
      if (sample(p)) return top;
      --tries;
    }
    return 0;
  }

  // The chance that two keys have the same digit.
  __device__ float chance(int pass) const { return float(concentration[pass]) / float(1u << one_bits); }

  // Whether many keys of a bucket have the same next digits, where `low` is the lowest of the passes that choose()
  // chose.
  __device__ bool is_uneven(int low) const {
    return low >= 2 && bucket_keys * chance(low - 1) * chance(low - 2) > most_mates;
  }

  // Whether few enough keys of a sample agree from a bit on; their order's bits are key(i). In a table for so many
  // counts.
  template <int Counts, class Key>
  __device__ bool sample(uint32_t *table, const RadixSortCall &call, int first_bit, Key key) {
    constexpr uint32_t places = power_of_two(Counts);
    const uint64_t num_items = call.num_items;
    const uint32_t wanted =
        uint32_t(max_of(min_of(num_items / sample_share, uint64_t(most_sample)), uint64_t(least_sample)));
    const uint32_t count = uint32_t(min_of(num_items, uint64_t(wanted)));
    const uint32_t stride = uint32_t(num_items / count);
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < places / 2; i += blockDim.x) table[i] = 0;
    if (threadIdx.x == 0) pairs = crowd = 0;
    __syncthreads();
    uint32_t mine = 0, most_mates = 0;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      const uint64_t bucket = uint64_t(key(uint64_t(i) * stride + __umulhi(scatter(i), stride)) >> first_bit);
      // Two digits stay as they are.
      const uint32_t place = uint32_t(bucket + (bucket >> 16) * 40503) % places;
      const uint32_t before = ptx::fetch_add_shared(ptx::shared_address(&table[place / 2]), place % 2 ? 1u << 16 : 1);
      const uint32_t mates = place % 2 ? before >> 16 : before & 0xffff;
      mine += mates;
      most_mates = max_of(most_mates, mates);
    }
#pragma unroll
    for (int delta = warp_threads / 2; delta > 0; delta /= 2) {
      mine += __shfl_xor_sync(full_warp, mine, delta);
      most_mates = max_of(most_mates, __shfl_xor_sync(full_warp, most_mates, delta));
    }
    if (ptx::lane_id() == 0) {
      ptx::add_shared(ptx::shared_address(&pairs), mine);
      atomicMax(&crowd, most_mates + 1);
    }
    __syncthreads();
    const float of_sample = float(count), keys_each = float(num_items) / of_sample;
    const bool is_even = float(num_items) * 2 * float(pairs) / (of_sample * of_sample) <= most(call);
    return is_even && (crowd < least_crowd || float(crowd) * keys_each <= float(call.local_items));
  }

 private:
  static __device__ float most(const RadixSortCall &call) { return float(call.local_items) * most_share / 256; }
  static constexpr uint32_t power_of_two(uint32_t most) {
    uint32_t places = 1;
    while (places * 2 <= most && places < 65536) places *= 2;
    return places;
  }
  static __device__ uint32_t scatter(uint32_t i) {
    i = (i ^ i >> 16) * 0x85ebca6bu;
    return (i ^ i >> 13) * 0xc2b2ae35u;
  }
};

}  // namespace jig
