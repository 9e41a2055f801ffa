// Writes out runs that a block holds as values and lengths, RunsPerThread for each thread in blocked arrangement, a
// window of DecodedItemsPerThread items for each thread at a time.
//
// First Init() with lengths, or InitOffsets() with where runs begin; then RunLengthDecode(from) as often as wanted: the
// items from place `from` of what is decoded on, blocked; what comes behind the last run is of the last run. Lengths
// may be 0.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which holds the runs, and may be used for
// anything else, or for other runs, after a __syncthreads().
#pragma once
#include <jig/block/scan.cuh>
#include <jig/thread/search.cuh>

namespace jig {

template <class T, int DimX, int RunsPerThread, int DecodedItemsPerThread, class Offset = uint32_t, int DimY = 1,
          int DimZ = 1>
class BlockRunLengthDecode {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockRunLengthDecode: a block has 1 to 1024 threads");
  static_assert(RunsPerThread >= 1 && DecodedItemsPerThread >= 1,
                "BlockRunLengthDecode: a thread has one run or more, and decodes one item or more");
  static constexpr int runs = threads * RunsPerThread;
  using Scan = BlockScan<Offset, DimX, BlockScanAlgorithm::raking_memoize, DimY, DimZ>;

 public:
  static constexpr int window_items = threads * DecodedItemsPerThread;
  using Items = array<T, DecodedItemsPerThread>;
  using Offsets = array<Offset, DecodedItemsPerThread>;

  struct TempStorage {
    typename Scan::TempStorage scan;
    uninitialized<T, runs> values;
    Offset offsets[runs];
  };

  __device__ BlockRunLengthDecode() : BlockRunLengthDecode(private_storage()) {}
  __device__ explicit BlockRunLengthDecode(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // How many items the runs are, in every thread.
  template <class Length>
  __device__ Offset Init(const array<T, RunsPerThread> &values, const array<Length, RunsPerThread> &lengths) {
    array<Offset, RunsPerThread> offsets;
#pragma unroll
    for (int i = 0; i < RunsPerThread; ++i) offsets[i] = Offset(lengths[i]);
    Offset total;
    offsets = Scan(storage_.scan).ExclusiveScan(offsets, Offset(0), plus(), total);
    InitOffsets(values, offsets);
    return total;
  }

  // Where each run begins; none before the one before it, the first one at 0.
  __device__ void InitOffsets(const array<T, RunsPerThread> &values, const array<Offset, RunsPerThread> &offsets) {
#pragma unroll
    for (int i = 0; i < RunsPerThread; ++i) {
      storage_.values[thread_ * RunsPerThread + i] = values[i];
      storage_.offsets[thread_ * RunsPerThread + i] = offsets[i];
    }
    __syncthreads();
  }

  __device__ Items RunLengthDecode(Offset from = 0) const {
    return decode(from, [](int, Offset) {});
  }
  // The same, and each item's place in its run.
  __device__ Items RunLengthDecode(Offsets &relative_offsets, Offset from = 0) const {
    return decode(from, [&](int i, Offset place_in_run) { relative_offsets[i] = place_in_run; });
  }

 private:
  template <class Note> __device__ Items decode(Offset from, Note note) const {
    Offset place = from + Offset(thread_ * DecodedItemsPerThread);
    int run = upper_bound(storage_.offsets, int(runs), place) - 1;
    T value = storage_.values[run];
    Items items;
#pragma unroll
    for (int i = 0; i < DecodedItemsPerThread; ++i, ++place) {
      if (i > 0 && run + 1 < runs && storage_.offsets[run + 1] <= place) {
        do ++run;  // several, if there are empty ones
        while (run + 1 < runs && storage_.offsets[run + 1] <= place);
        value = storage_.values[run];
      }
      items[i] = value;
      note(i, place - storage_.offsets[run]);
    }
    return items;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
