// A block's share of segments that adjoin, if it has so few items that its threads hold them: no warp has a role then.
#pragma once
#include <jig/agent/segmented_scan/few_segments.cuh>
#include <jig/agent/segmented_scan/segmented_scan_tile.cuh>

namespace jig {

// Work is a SegmentedScanTile, of Rows rows of a warp at most.
template <int Threads, int Rows, class Work> class AgentSmallShare {
  using State = typename Work::State;
  static constexpr int warps = Threads / warp_threads;

 public:
  struct TempStorage {
    uint32_t heads[warps * Rows];
    uninitialized<State, warps> totals;
    typename Work::TempStorage items;  // which a share makes no use of
  };

  __device__ AgentSmallShare(TempStorage &storage, Work &work) : storage_(storage), work_(work) {}

  template <class Segments> __device__ void Run(const Segments &segments, const FewTurns &turns) {
    if (turns.items == 0) return;
    const int items = int(turns.items), rows = ceil_div(items, Threads);
    const Tile tile = {storage_.heads, turns.in, items, rows};
    // What is past the end counts as heads, so that nothing is folded with it.
    const int kept = items - int(threadIdx.x) * warp_threads;
    if (threadIdx.x < warps * Rows)
      storage_.heads[threadIdx.x] = kept <= 0 ? full_warp : kept < warp_threads ? full_warp << kept : 0;
    work_.Load(tile);
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < turns.segments; i += Threads) {
      const uint64_t at = uint64_t(int64_t(segments.begins[turns.segment + i])) - turns.in;
      if (at < turns.items)
        ptx::or_shared(ptx::shared_address(&storage_.heads[at / warp_threads]), 1u << at % warp_threads);
    }
    __syncthreads();
    const State total = work_.Fold(tile);
    if (lane() == 0) storage_.totals[warp()] = total;
    __syncthreads();
    const State folded =
        Lanes<State>::ScanHeld(storage_.totals[min_of(lane(), warps - 1)], work_.op(), lane() < warp());
    work_.Emit(tile, Lanes<State>::Broadcast(folded, max_of(warp() - 1, 0)));
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  // As of segment_tile.cuh.
  struct Tile {
    const uint32_t *words;
    uint64_t begin;
    int count, used_rows;

    __device__ int rows() const { return used_rows; }
    __device__ int place_of(int row) const { return (warp() * used_rows + row) * warp_threads + lane(); }
    __device__ uint32_t heads(int row) const { return words[warp() * used_rows + row]; }
    __device__ bool exists(int row) const { return place_of(row) < count; }
    __device__ uint64_t in(int row) const { return begin + place_of(row); }
    __device__ uint64_t out(int row) const { return in(row); }
    static constexpr __device__ bool is_scattered() { return false; }
    template <class Then> __device__ void ForEachItem(Then) const {}
  };

  TempStorage &storage_;
  Work &work_;
};

}  // namespace jig
