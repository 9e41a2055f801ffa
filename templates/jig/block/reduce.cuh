// Reduce over the threads of a block.
//
//   warp_reductions          lowest latency; keeps order
//   raking                   fewest shuffles; keeps order
//   raking_commutative_only  for operators that are commutative too
//   warp_reductions_nondeterministic
//                            the same, by atomic operations: floating-point sums may differ from launch to launch;
//                            values of more than 8 bytes are folded as by warp_reductions
//
// All threads of the block call, with the block's dimensions given as template arguments. The result
// is defined in thread 0 only. The default constructor uses shared memory of its own; the other one
// the caller's, which may be used again after a __syncthreads().
#pragma once
#include <jig/block/reduce_raking.cuh>
#include <jig/block/reduce_raking_commutative_only.cuh>
#include <jig/block/reduce_warp_reductions.cuh>
#include <jig/block/reduce_warp_reductions_nondeterministic.cuh>
#include <jig/block/thread_id.cuh>
#include <jig/thread/reduce.cuh>

namespace jig {

enum class BlockReduceAlgorithm {
  warp_reductions,
  raking,
  raking_commutative_only,
  warp_reductions_nondeterministic
};

template <class T, int Threads, BlockReduceAlgorithm Algorithm> struct block_reduce {
  using type = BlockReduceWarpReductions<T, Threads>;
};
template <class T, int Threads> struct block_reduce<T, Threads, BlockReduceAlgorithm::raking> {
  using type = BlockReduceRaking<T, Threads>;
};
template <class T, int Threads> struct block_reduce<T, Threads, BlockReduceAlgorithm::raking_commutative_only> {
  using type = BlockReduceRakingCommutativeOnly<T, Threads>;
};
template <class T, int Threads>
struct block_reduce<T, Threads, BlockReduceAlgorithm::warp_reductions_nondeterministic> {
  // Named without being instantiated where values are too large for it.
  using type = conditional<(sizeof(T) <= 8), BlockReduceWarpReductionsNondeterministic<T, Threads>,
                           BlockReduceWarpReductions<T, Threads>>;
};

template <class T, int DimX,
          BlockReduceAlgorithm Algorithm = BlockReduceAlgorithm::warp_reductions, int DimY = 1,
          int DimZ = 1>
class BlockReduce {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockReduce: a block has 1 to 1024 threads");
  using Implementation = typename block_reduce<T, threads, Algorithm>::type;

 public:
  // Whole words are aligned so that they are read by vectors in which there is nothing that others may be writing.
  struct alignas(max_of(sizeof(T) % 4 == 0 ? 16 : 1, int(alignof(typename Implementation::TempStorage)))) TempStorage {
    typename Implementation::TempStorage storage;
  };

  __device__ BlockReduce() : BlockReduce(private_storage()) {}
  __device__ explicit BlockReduce(TempStorage &storage)
      : implementation_(storage.storage, linear_thread_id<DimX, DimY, DimZ>()) {}

  template <class Op> __device__ T Reduce(T input, Op op) {
    // A user's operator may be more than is worth doing in every lane.
    if constexpr (Algorithm == BlockReduceAlgorithm::warp_reductions && threads % warp_threads == 0 &&
                  is_well_known<Op> && sizeof(T) <= 8) {
      if constexpr (has_redux<T, Op> && sizeof(T) == 4) return implementation_.ReduceToFirstInAnyOrder(input, op);
      else return implementation_.ReduceToFirst(input, op);
    } else {
      return implementation_.Reduce(input, op);
    }
  }

  // The first valid_threads >= 1 threads hold a value; the operator never sees any other.
  template <class Op> __device__ T Reduce(T input, Op op, int valid_threads) {
    return implementation_.Reduce(input, op, valid_threads);
  }

  // Each thread's items, in blocked arrangement.
  template <int N, class Op> __device__ T Reduce(const array<T, N> &items, Op op) {
    return Reduce(thread_reduce<T>(items, op), op);
  }

  __device__ T Sum(T input) { return Reduce(input, plus()); }
  __device__ T Sum(T input, int valid_threads) { return Reduce(input, plus(), valid_threads); }
  template <int N> __device__ T Sum(const array<T, N> &items) { return Reduce(items, plus()); }

 private:
  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  Implementation implementation_;
};

}  // namespace jig
