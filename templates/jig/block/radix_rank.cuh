// Ranks the keys of a block by a digit: which place each would have if all were put in order of it; those with
// the same digit keep their order.
//
//   basic  keys in blocked arrangement; as much shared memory as 2 bytes for each thread and digit
//   match  keys in warp-striped arrangement, whole warps; 4 bytes for each warp and digit
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
#include <jig/block/thread_id.cuh>

namespace jig {

enum class BlockRadixRankAlgorithm { basic, match };

template <int DimX, int RadixBits, BlockRadixRankAlgorithm Algorithm = BlockRadixRankAlgorithm::basic,
          int DimY = 1, int DimZ = 1>
class BlockRadixRank {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockRadixRank: a block has 1 to 1024 threads");
  using Implementation =
      conditional<Algorithm == BlockRadixRankAlgorithm::basic, BlockRadixRankBasic<threads, RadixBits>,
                  BlockRadixRankMatch<threads, RadixBits>>;

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
    return implementation_.Rank(key_digits);
  }

  // The same, and how many keys have lower digits than those that are a thread's: thread * digits_per_thread and up. Of
  // digits that there are not, nothing is said.
  static constexpr int digits_per_thread = ceil_div(digits, threads);
  template <int N>
  __device__ array<int, N> Rank(const array<uint32_t, N> &key_digits, array<int, digits_per_thread> &digit_prefix) {
    const array<int, N> ranks = Rank(key_digits);
    const int first = linear_thread_id<DimX, DimY, DimZ>() * digits_per_thread;
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i)
      if (first + i < digits) digit_prefix[i] = DigitStart(first + i);
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
