// Scan over the items of a block, one per thread or several in blocked arrangement.
//
//   warp_scans      lowest latency
//   raking          fewest shuffles; the first warp does most of the work
//   raking_memoize  the same, with more registers and less traffic to shared memory
//
// All threads of the block call, with the block's dimensions given as template arguments. Order is kept,
// an initial value or prefix being on the left, so the operator only has to be associative. The aggregate
// is the fold of all inputs, without what is on their left, in every thread. Without an initial value,
// the first result of an exclusive scan means nothing.
//
// WithPrefix scans one tile of several: when the aggregate is known, the threads of the first warp call
// callback(aggregate) together, and what it returns in thread 0 is on the left of all items. A callback that has a
// member HasPrefix(), which says the same in all threads, may say that nothing is: then its result means nothing.
//
// The default constructor uses shared memory of its own; the other one the caller's, which may be used
// again after a __syncthreads().
#pragma once
#include <jig/block/scan_raking.cuh>
#include <jig/block/scan_warp_scans.cuh>
#include <jig/block/thread_id.cuh>
#include <jig/thread/reduce.cuh>
#include <jig/thread/scan.cuh>

namespace jig {

enum class BlockScanAlgorithm { warp_scans, raking, raking_memoize };

template <class Callback> __device__ auto callback_has_prefix(const Callback &callback, int)
    -> decltype(callback.HasPrefix()) {
  return callback.HasPrefix();
}
template <class Callback> __device__ constexpr bool callback_has_prefix(const Callback &, long) { return true; }

template <class T, int DimX, BlockScanAlgorithm Algorithm = BlockScanAlgorithm::warp_scans,
          int DimY = 1, int DimZ = 1>
class BlockScan {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockScan: a block has 1 to 1024 threads");
  using Implementation =
      conditional<Algorithm == BlockScanAlgorithm::warp_scans, BlockScanWarpScans<T, threads>,
                  BlockScanRaking<T, threads, Algorithm == BlockScanAlgorithm::raking_memoize>>;

 public:
  using TempStorage = typename Implementation::TempStorage;

  __device__ BlockScan() : BlockScan(private_storage()) {}
  __device__ explicit BlockScan(TempStorage &storage)
      : implementation_(storage, linear_thread_id<DimX, DimY, DimZ>()),
        thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // Several items per thread.
  template <int N, class Op>
  __device__ array<T, N> InclusiveScan(const array<T, N> &items, Op op, T &aggregate) {
    return inclusive(items, op, aggregate);
  }
  template <int N, class Op>
  __device__ array<T, N> ExclusiveScan(const array<T, N> &items, Op op, T &aggregate) {
    return exclusive(items, op, aggregate);
  }
  template <int N, class Op>
  __device__ array<T, N> InclusiveScan(const array<T, N> &items, T initial, Op op, T &aggregate) {
    return inclusive_from(initial, items, op, aggregate);
  }
  template <int N, class Op>
  __device__ array<T, N> ExclusiveScan(const array<T, N> &items, T initial, Op op, T &aggregate) {
    return exclusive_from(initial, items, op, aggregate);
  }

  template <int N, class Op, class Callback>
  __device__ array<T, N> InclusiveScanWithPrefix(const array<T, N> &items, Op op, Callback &callback) {
    const bool has_prefix = callback_has_prefix(callback, 0);
    const T fold = thread_reduce<T>(items, op);
    const T prefix = implementation_.ExclusiveScanWithPrefix(fold, op, callback, has_prefix);
    return thread_inclusive_scan(items, op, prefix, has_prefix || thread_ > 0);
  }
  template <int N, class Op, class Callback>
  __device__ array<T, N> ExclusiveScanWithPrefix(const array<T, N> &items, Op op, Callback &callback) {
    const bool has_prefix = callback_has_prefix(callback, 0);
    const T fold = thread_reduce<T>(items, op);
    const T prefix = implementation_.ExclusiveScanWithPrefix(fold, op, callback, has_prefix);
    return thread_exclusive_scan(items, op, prefix, has_prefix || thread_ > 0);
  }

  // Without the aggregate.
  template <int N, class Op> __device__ array<T, N> InclusiveScan(const array<T, N> &items, Op op) {
    none nobody_asks;
    return inclusive(items, op, nobody_asks);
  }
  template <int N, class Op> __device__ array<T, N> ExclusiveScan(const array<T, N> &items, Op op) {
    none nobody_asks;
    return exclusive(items, op, nobody_asks);
  }
  template <int N, class Op>
  __device__ array<T, N> InclusiveScan(const array<T, N> &items, T initial, Op op) {
    none nobody_asks;
    return inclusive_from(initial, items, op, nobody_asks);
  }
  template <int N, class Op>
  __device__ array<T, N> ExclusiveScan(const array<T, N> &items, T initial, Op op) {
    none nobody_asks;
    return exclusive_from(initial, items, op, nobody_asks);
  }

  // Sums; the exclusive one begins with 0. With the aggregate or without.
  template <int N, class... Aggregate>
  __device__ array<T, N> InclusiveSum(const array<T, N> &items, Aggregate &...aggregate) {
    return InclusiveScan(items, plus(), aggregate...);
  }
  template <int N, class... Aggregate>
  __device__ array<T, N> ExclusiveSum(const array<T, N> &items, Aggregate &...aggregate) {
    return ExclusiveScan(items, scan_start<plus, T>(), plus(), aggregate...);
  }
  [[nodiscard]] __device__ T InclusiveSum(const T &input) { return InclusiveSum(array<T, 1>{input})[0]; }
  template <class Aggregate> [[nodiscard]] __device__ T InclusiveSum(const T &input, Aggregate &aggregate) {
    return InclusiveSum(array<T, 1>{input}, aggregate)[0];
  }
  [[nodiscard]] __device__ T ExclusiveSum(const T &input) { return ExclusiveSum(array<T, 1>{input})[0]; }
  template <class Aggregate> [[nodiscard]] __device__ T ExclusiveSum(const T &input, Aggregate &aggregate) {
    return ExclusiveSum(array<T, 1>{input}, aggregate)[0];
  }

  // Of a tile of which only the first valid_items hold a value: the others' results mean nothing, and the operator
  // never sees them. If there are none, the aggregate means nothing.
  template <int N, class Op>
  __device__ array<T, N> InclusiveScanPartialTile(const array<T, N> &items, Op op, int valid_items, T &aggregate) {
    const int valid_here = valid_items - thread_ * N;
    const T prefix = scan_partial(items, op, valid_items, aggregate);
    return thread_inclusive_scan_partial(items, op, prefix, thread_ > 0, valid_here);
  }
  template <int N, class Op>
  __device__ array<T, N> ExclusiveScanPartialTile(const array<T, N> &items, Op op, int valid_items, T &aggregate) {
    const int valid_here = valid_items - thread_ * N;
    const T prefix = scan_partial(items, op, valid_items, aggregate);
    return thread_exclusive_scan_partial(items, op, prefix, thread_ > 0, valid_here);
  }
  template <int N, class Op>
  __device__ array<T, N> InclusiveScanPartialTile(const array<T, N> &items, T initial, Op op, int valid_items,
                                                  T &aggregate) {
    const int valid_here = valid_items - thread_ * N;
    const T prefix = scan_partial(items, op, valid_items, aggregate);
    if (thread_ > 0 && valid_here > 0) initial = op(initial, prefix);
    return thread_inclusive_scan_partial(items, op, initial, true, valid_here);
  }
  template <int N, class Op>
  __device__ array<T, N> ExclusiveScanPartialTile(const array<T, N> &items, T initial, Op op, int valid_items,
                                                  T &aggregate) {
    const int valid_here = valid_items - thread_ * N;
    const T prefix = scan_partial(items, op, valid_items, aggregate);
    if (thread_ > 0 && valid_here > 0) initial = op(initial, prefix);
    return thread_exclusive_scan_partial(items, op, initial, true, valid_here);
  }

  // One item per thread, with whatever else the functions above take.
  template <class... Rest> [[nodiscard]] __device__ T InclusiveScan(const T &input, Rest &&...rest) {
    return InclusiveScan(array<T, 1>{input}, rest...)[0];
  }
  template <class... Rest> [[nodiscard]] __device__ T ExclusiveScan(const T &input, Rest &&...rest) {
    return ExclusiveScan(array<T, 1>{input}, rest...)[0];
  }
  template <class Op, class Callback>
  [[nodiscard]] __device__ T InclusiveScanWithPrefix(const T &input, Op op, Callback &callback) {
    const bool has_prefix = callback_has_prefix(callback, 0);
    const T prefix = implementation_.ExclusiveScanWithPrefix(input, op, callback, has_prefix);
    return has_prefix || thread_ > 0 ? op(prefix, input) : input;
  }
  template <class Op, class Callback>
  [[nodiscard]] __device__ T ExclusiveScanWithPrefix(const T &input, Op op, Callback &callback) {
    return implementation_.ExclusiveScanWithPrefix(input, op, callback, callback_has_prefix(callback, 0));
  }

 private:
  template <int N, class Op, class Aggregate>
  __device__ array<T, N> inclusive(const array<T, N> &items, Op op, Aggregate &aggregate) {
    const T prefix = implementation_.ExclusiveScan(thread_reduce<T>(items, op), op, aggregate);
    return thread_inclusive_scan(items, op, prefix, can_undo<T, Op> || thread_ > 0);
  }
  template <int N, class Op, class Aggregate>
  __device__ array<T, N> exclusive(const array<T, N> &items, Op op, Aggregate &aggregate) {
    const T prefix = implementation_.ExclusiveScan(thread_reduce<T>(items, op), op, aggregate);
    return thread_exclusive_scan(items, op, prefix, thread_ > 0);
  }
  template <int N, class Op, class Aggregate>
  __device__ array<T, N> inclusive_from(const T &initial, const array<T, N> &items, Op op, Aggregate &aggregate) {
    const T prefix = implementation_.ExclusiveScan(thread_reduce<T>(items, op), initial, op, aggregate);
    return thread_inclusive_scan(items, op, prefix);
  }
  template <int N, class Op, class Aggregate>
  __device__ array<T, N> exclusive_from(const T &initial, const array<T, N> &items, Op op, Aggregate &aggregate) {
    const T prefix = implementation_.ExclusiveScan(thread_reduce<T>(items, op), initial, op, aggregate);
    return thread_exclusive_scan(items, op, prefix);
  }

  // What comes before this thread's items, if any of them is valid and it is not the first one.
  template <int N, class Op>
  __device__ T scan_partial(const array<T, N> &items, Op op, int valid_items, T &aggregate) {
    T fold = items[0];
#pragma unroll
    for (int i = 1; i < N; ++i)
      if (thread_ * N + i < valid_items) fold = op(fold, items[i]);
    return implementation_.ExclusiveScan(fold, op, aggregate, max_of(ceil_div(valid_items, N), 1));
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  Implementation implementation_;
  int thread_;
};

}  // namespace jig
