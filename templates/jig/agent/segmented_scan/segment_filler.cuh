// What brings a tile's items to its stage (segment_stage.cuh), and says what is there: what scouts of all kinds do.
#pragma once
#include <jig/agent/segmented_scan/segment_stage.cuh>

namespace jig {

// In shared memory: what is known only when the launch's counters are ready, as the barrier says.
struct SegmentStart {
  uint64_t tag, known;
  uint32_t has_claimed;  // whether the block does the chunk that it begins with
  uint32_t known_chunk, known_tiles;  // a chunk that all know, if it has any
};

// A scout's, in shared memory: which items of a chunk are known to be of one segment; and a barrier at which copied
// offsets arrive.
struct SegmentCover {
  uint64_t begin, end, copied;
};

// Items that lie side by side, and so do their results.
struct SegmentPlace {
  int count;
  uint64_t in, out;  // where the first item is, and where what comes of it goes to
  int lead;          // of these items, which are nothing
};

template <class Stage> class SegmentFiller {
 public:
  using Item = typename Stage::item_type;

  // How many places are nothing before an item that a segment begins with.
  static __device__ uint32_t Lead(const Pointer<Item> &in, uint64_t item) {
    return uint32_t(reinterpret_cast<uintptr_t>(in.data + item) % Stage::align / sizeof(Item));
  }

 protected:
  __device__ explicit SegmentFiller(const Pointer<Item> &in) : in_(in) {}

  // Of a turn whose items are known to lie side by side.
  __device__ SegmentPlace place_of(const SegmentTurn &turn) const {
    const int lead = int(Lead(in_, turn.in));
    const uint64_t in = turn.in - lead + turn.first;
    return {turn.count, in, in, turn.first == 0 ? lead : 0};
  }

  __device__ uintptr_t address(const SegmentPlace &w) const { return reinterpret_cast<uintptr_t>(in_.data + w.in); }

  // What is to be told of a stage, and the barrier, when all else is done.
  __device__ void finish(Stage &stage, const SegmentPlace &w, bool scattered, uint64_t *barrier) const {
    describe(stage, w, scattered);
    __syncwarp();
    mark_end<warp_threads>(stage, first_byte_of(w, scattered), w.count);
    ptx::fence_bulk_copies();
    __syncwarp();
    if (lane() == 0) ptx::mbarrier_arrive(barrier);
  }

  __device__ void describe(Stage &stage, const SegmentPlace &w, bool scattered) const {
    const int first_byte = first_byte_of(w, scattered);
    if (lane() != 0) return;
    stage.in = w.in;
    stage.out = w.out;
    stage.count = w.count;
    stage.lead = w.lead;
    stage.is_scattered = scattered;
    stage.first_byte = first_byte;
  }

  static __device__ void clear(Stage &stage) {
    __syncwarp();
    stage.template Clear<warp_threads>();
    __syncwarp();
  }

  // In the rest of the last row that has items; there are zeros then. By a warp, or a block.
  template <int Threads> static __device__ void mark_end(Stage &stage, int first_byte, int count) {
    const int last = ceil_div(count, Stage::row_items) * Stage::row_items, thread = threadIdx.x % Threads;
    auto *const words = reinterpret_cast<typename staged_word<sizeof(Item)>::type *>(stage.bytes + first_byte);
#pragma unroll 1
    for (int i = count + thread; i < last; i += Threads) words[i] = {};
#pragma unroll 1
    for (int word = count / warp_threads + thread; word * warp_threads < last; word += Threads) {
      const int kept = count - word * warp_threads;
      ptx::or_shared(ptx::shared_address(&stage.heads[word]), kept > 0 ? full_warp << kept : full_warp);
    }
  }

  // Where the first item is in the stage's bytes.
  __device__ int first_byte_of(const SegmentPlace &w, bool scattered) const {
    return scattered || w.count == 0 ? 0 : int(address(w) % 16);
  }

  // To the stage's places from `at` on, by bulk copies, but for what comes before the first vector and after the last
  // one. Arrives at the barrier once.
  __device__ void copy(Stage &stage, const SegmentPlace &w, uint64_t *barrier, int at = 0) const {
    using Word = typename staged_word<sizeof(Item)>::type;
    constexpr int vector = 16, size = sizeof(Item);
    const Item *const items = in_.data + w.in;
    const int first_byte = first_byte_of(w, false);
    const int head = min_of((w.lead > 0 ? vector - first_byte : (vector - first_byte) % vector) / size, w.count);
    const int body = (w.count - head) * size / vector * (vector / size);
    if (lane() == 0) {
      ptx::mbarrier_arrive_expect(barrier, body * size);
      if (body > 0) ptx::bulk_copy(stage.bytes + first_byte + (at + head) * size, items + head, body * size, barrier);
    }
    if (body == w.count) return;
    const int i = lane() < vector ? lane() : head + body + lane() - vector;
    if (i >= (lane() < vector ? head : w.count)) return;
    Word word = {};
    if (i >= w.lead) word = *reinterpret_cast<const Word *>(items + i);
    reinterpret_cast<Word *>(stage.bytes + first_byte)[at + i] = word;
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }

  const Pointer<Item> &in_;
};

}  // namespace jig
