// Ranks the keys of a block by a digit: which place each would have if all were put in order of it; those with
// the same digit keep their order.
//
//   basic  keys in blocked arrangement; as much shared memory as 2 bytes for each thread and digit
//   match  keys in warp-striped arrangement, whole warps; 4 bytes for each warp and digit
//   match_early_counts_any        the same, and knows how many keys each digit has before it ranks any: for whoever
//                                 hands that on; 4 bytes more for each digit
//   match_early_counts_atomic_or  the same, by atomic operations instead of ballots; 4 more for each warp and digit
//
// Digits are below 1 << RadixBits; RadixDigit in core/radix.cuh takes them from keys. After Rank(), DigitStart()
// says where the keys of a digit begin, until the storage is used again.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/radix_rank_basic.cuh>
#include <jig/block/radix_rank_match.cuh>
#include <jig/block/radix_rank_match_early_counts.cuh>
#include <jig/block/thread_id.cuh>

namespace jig {

enum class BlockRadixRankAlgorithm { basic, match, match_early_counts_any, match_early_counts_atomic_or };

// Whether the counts are known before the ranks.
constexpr bool has_early_counts(BlockRadixRankAlgorithm a) {
  return a == BlockRadixRankAlgorithm::match_early_counts_any ||
         a == BlockRadixRankAlgorithm::match_early_counts_atomic_or;
}

// What is called with counts that nobody asks for.
struct ignore_counts {
  template <class Counts> __device__ void operator()(const Counts &) const {}
};

template <int DimX, int RadixBits, BlockRadixRankAlgorithm Algorithm = BlockRadixRankAlgorithm::basic,
          int DimY = 1, int DimZ = 1>
class BlockRadixRank {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockRadixRank: a block has 1 to 1024 threads");
  static constexpr bool is_early = has_early_counts(Algorithm);
  using Early = BlockRadixRankMatchEarlyCounts<
      is_early ? threads : warp_threads, RadixBits,
      Algorithm == BlockRadixRankAlgorithm::match_early_counts_atomic_or>;
  using Implementation =
      conditional<is_early, Early,
                  conditional<Algorithm == BlockRadixRankAlgorithm::basic, BlockRadixRankBasic<threads, RadixBits>,
                              BlockRadixRankMatch<is_early ? warp_threads : threads, RadixBits>>>;

 public:
  static constexpr int digits = 1 << RadixBits;
  // Whether keys are in warp-striped arrangement.
  static constexpr bool warp_striped = Implementation::warp_striped;
  using TempStorage = typename Implementation::TempStorage;

  __device__ BlockRadixRank() : BlockRadixRank(private_storage()) {}
  __device__ explicit BlockRadixRank(TempStorage &storage)
      : implementation_(storage, linear_thread_id<DimX, DimY, DimZ>()) {}

  // The ranks of keys with these digits.
  template <int N> __device__ array<int, N> Rank(const array<uint32_t, N> &key_digits) {
    if constexpr (is_early) return implementation_.Rank(key_digits, ignore_counts());
    else return implementation_.Rank(key_digits);
  }

  // The same, and how many keys have lower digits than those that are a thread's: thread * digits_per_thread and up. Of
  // digits that there are not, nothing is said.
  static constexpr int digits_per_thread = ceil_div(digits, threads);
  using Counts = array<int, digits_per_thread>;
  template <int N> __device__ array<int, N> Rank(const array<uint32_t, N> &key_digits, Counts &digit_prefix) {
    return Rank(key_digits, digit_prefix, ignore_counts());
  }

  // The same; note(counts) is called with how many keys have each of the thread's digits, 0 for those that there are
  // not: before keys are ranked if the algorithm has early counts, else afterwards.
  template <int N, class Note>
  __device__ array<int, N> Rank(const array<uint32_t, N> &key_digits, Counts &digit_prefix, Note note) {
    array<int, N> ranks;
    if constexpr (is_early) ranks = implementation_.Rank(key_digits, note);
    else ranks = implementation_.Rank(key_digits);
    const int first = linear_thread_id<DimX, DimY, DimZ>() * digits_per_thread;
    Counts counts;
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i) {
      const int digit = first + i;
      counts[i] = 0;
      if (digit >= digits) continue;
      digit_prefix[i] = DigitStart(digit);
      if constexpr (!is_early) counts[i] = (digit + 1 < digits ? DigitStart(digit + 1) : threads * N) - digit_prefix[i];
    }
    if constexpr (!is_early) note(counts);
    return ranks;
  }

  // How many keys have lower digits.
  __device__ int DigitStart(int digit) const { return implementation_.DigitStart(digit); }

 private:
  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  Implementation implementation_;
};

}  // namespace jig
