// How the bytes of buffers are copied, whatever their alignment: whole vectors of 16 bytes where they go to, each made
// of two such vectors of where they come from if these are aligned otherwise; and at either end single words, of which
// addresses and sizes are multiples. Nothing outside of a buffer is read.
#pragma once
#include <jig/agent/copy_batched/batched_list.cuh>
#include <jig/agent/copy_batched/share_runs.cuh>
#include <jig/core/load_across.cuh>
#include <jig/core/load_if.cuh>

namespace jig {

// Said to be in global memory, so that the compiler takes instructions for that.
template <class T> __device__ T *global_at(uint64_t address) {
  T *pointer = reinterpret_cast<T *>(address);
  __builtin_assume(__isGlobal(pointer));
  return pointer;
}

constexpr uint32_t batched_vector_bytes = 16;

// Bytes of a vector that are before this multiple of a word.
template <class Word> __device__ uint32_t skipped_of(uint64_t address) {
  return address % batched_vector_bytes / sizeof(Word) * sizeof(Word);
}

// By words.
template <class Word> struct CopyWords : RunsBySteps<sizeof(Word)> {
  using Run = typename RunsBySteps<sizeof(Word)>::Run;
  struct Piece {
    uint64_t to;
    Word word;
    bool is_there;
  };
  static __device__ Piece load(const Run &run, uint32_t i, bool is_there) {
    return {run.to + i * sizeof(Word), ptx::load_if<Word>(run.from + i * sizeof(Word), is_there), is_there};
  }
  static __device__ void store(const Piece &piece) {
    if (piece.is_there) *global_at<Word>(piece.to) = piece.word;
  }
};

// By vectors.
template <class Word> struct CopyVectors : RunsBySteps<batched_vector_bytes> {
  struct Piece {
    uint64_t to;
    uint4 low, high;
    uint32_t skipped;
    bool is_there;
  };
  static __device__ Piece load(const Run &run, uint32_t i, bool is_there) {
    const uint64_t offset = uint64_t(i) * batched_vector_bytes, from = run.from + offset;
    const uint32_t skipped = skipped_of<Word>(from);
    return {run.to + offset, ptx::load_if<uint4>(from - skipped, is_there),
            ptx::load_if<uint4>(from - skipped + batched_vector_bytes, is_there && skipped != 0), skipped, is_there};
  }
  static __device__ void store(const Piece &piece) {
    const uint4 vector = joined(piece.low, piece.high, piece.skipped);
    if (piece.is_there) *global_at<uint4>(piece.to) = vector;
  }
};

// By words and, between them, by vectors: all in order, as words and vectors are in the same sectors, which would
// otherwise have left L2 before both are there.
template <class Word> struct CopyWordsAndVectors {
  struct alignas(16) Run {
    uint64_t from, to;
    uint32_t begin;
    uint16_t head, vectors;  // words before the vectors
  };
  struct Piece {
    uint64_t to;
    uint4 low, high;
    uint32_t skipped;
    Word word;
    bool is_word, is_vector;
  };
  static __device__ Run begin_at(Run run, uint32_t i) {
    run.begin = i;
    return run;
  }
  static __device__ Piece load(const Run &run, uint32_t i, bool is_there) {
    constexpr uint32_t bytes = batched_vector_bytes, word = sizeof(Word);
    const uint32_t of_run = i - run.begin;
    const int vector = int(of_run) - run.head;
    const bool is_vector = is_there && uint32_t(vector) < run.vectors;
    const uint32_t vectors = min_of(max_of(vector, 0), int(run.vectors));  // before it
    const uint32_t offset = of_run * word + vectors * (bytes - word);
    const uint64_t from = run.from + offset;
    const uint32_t skipped = skipped_of<Word>(from);
    return {run.to + offset,
            ptx::load_if<uint4>(from - skipped, is_vector),
            ptx::load_if<uint4>(from - skipped + bytes, is_vector && skipped != 0),
            skipped,
            ptx::load_if<Word>(from, is_there && !is_vector),
            is_there && !is_vector,
            is_vector};
  }
  static __device__ void store(const Piece &piece) {
    const uint4 vector = joined(piece.low, piece.high, piece.skipped);
    if (piece.is_vector) *global_at<uint4>(piece.to) = vector;
    if (piece.is_word) *global_at<Word>(piece.to) = piece.word;
  }
};

// Words, then vectors, then words again, in bytes: a part of a buffer, of which bytes from .. readable - 1 may be read,
// and those from `first_readable` on.
template <class Word> struct VectorizedBytes {
  uint32_t head, vectors, tail;

  __device__ VectorizedBytes(uint64_t from, uint64_t to, uint32_t size, uint64_t first_readable, uint64_t readable)
      : head(size), vectors(0), tail(0) {
    constexpr uint32_t bytes = batched_vector_bytes;
    if (size < bytes) return;
    uint32_t before = skipped_of<Word>(-to);
    const uint32_t skipped = skipped_of<Word>(from + before);
    if (skipped != 0 && from + before < first_readable + skipped) before += bytes;
    if (before + bytes > size) return;
    uint32_t most = (size - before) / bytes;
    if (skipped != 0) {
      const uint64_t words = (readable - (from + before - skipped)) / bytes;
      if (words < 2) return;
      most = uint32_t(min_of(uint64_t(most), words - 1));
    }
    head = before;
    vectors = most;
    tail = size - head - vectors * bytes;
  }
};

// Of `Word` addresses and sizes are multiples.
template <class Policy, class Word> class CopyBytes {
  static constexpr uint32_t word = sizeof(Word);
  // A tile begins where a line does.
  static constexpr uint32_t line_bytes = 128;
  static constexpr uint64_t tile_bytes = Policy::tile_units;
  // Where a buffer has more, words and vectors are copied in order; else in two turns, which take fewer instructions.
  static constexpr uint32_t in_order_bytes = 128;
  static constexpr uint32_t bytes = batched_vector_bytes;

 public:
  static constexpr uint64_t tile_units = tile_bytes;
  union Storage {
    SharedRuns<typename CopyWords<Word>::Run, 2> words;  // before the vectors, and behind them
    SharedRuns<typename CopyVectors<Word>::Run, 1> vectors;
    SharedRuns<typename CopyWordsAndVectors<Word>::Run, 1> both;
  };

  // A buffer for each lane, as short as makes counters of 32 bits do.
  __device__ void Share(Storage &shared, const BatchedBuffer &b) const {
    const VectorizedBytes<Word> part(b.from, b.to, b.size, b.from, b.from + b.size);
    const uint32_t head = part.head / word, tail = part.tail / word;
    if (__any_sync(full_warp, b.size > in_order_bytes)) {
      share_runs<Policy::unroll>(shared.both, {{head + part.vectors + tail}},
                                 {{{b.from, b.to, 0, uint16_t(head), uint16_t(part.vectors)}}},
                                 CopyWordsAndVectors<Word>{});
    } else {
      const uint32_t before_tail = part.head + part.vectors * bytes;
      share_runs<Policy::unroll_units>(shared.words, {{head, tail}},
                                       {{{b.from, b.to}, {b.from + before_tail, b.to + before_tail}}},
                                       CopyWords<Word>{});
      share_runs<Policy::unroll>(shared.vectors, {{part.vectors}}, {{{b.from + part.head, b.to + part.head}}},
                                 CopyVectors<Word>{});
    }
  }

  __device__ uint64_t tiles_of(const BatchedBuffer &b) const {
    return ceil_div(b.size + b.to % line_bytes, tile_bytes);
  }

  // By a whole warp.
  __device__ void Tile(const BatchedBuffer &b, uint64_t tile) const {
    const uint32_t in_line = b.to % line_bytes;
    const uint64_t first = tile == 0 ? 0 : tile * tile_bytes - in_line;
    const uint64_t end = min_of(b.size, (tile + 1) * tile_bytes - in_line);
    const uint64_t from = b.from + first, to = b.to + first;
    const VectorizedBytes<Word> part(from, to, end - first, b.from, b.from + b.size);
#pragma unroll 1
    for (uint32_t k = ptx::lane_id() * word; k < part.head + part.tail; k += warp_threads * word) {
      const uint32_t i = k < part.head ? k : k + part.vectors * bytes;
      *global_at<Word>(to + i) = *global_at<const Word>(from + i);
    }
    const uint32_t skipped = skipped_of<Word>(from + part.head);
    const uint4 *source = global_at<const uint4>(from + part.head - skipped);
    uint4 *target = global_at<uint4>(to + part.head);
    if (skipped == 0) Vectors<false>(source, target, part.vectors, 0);
    else Vectors<true>(source, target, part.vectors, skipped);
  }

 private:
  // Joined ones take twice the registers.
  template <bool Join>
  static __device__ void Vectors(const uint4 *source, uint4 *target, int count, uint32_t skipped) {
    constexpr int unroll = Join ? Policy::unroll / 2 : Policy::unroll;
    source += ptx::lane_id();
    target += ptx::lane_id();
#pragma unroll 1
    for (int left = count - int(ptx::lane_id()); left > 0; left -= unroll * warp_threads) {
      uint4 low[unroll], high[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u * warp_threads >= left) continue;
        low[u] = source[u * warp_threads];
        if constexpr (Join) high[u] = source[u * warp_threads + 1];
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (u * warp_threads < left)
          target[u * warp_threads] = Join ? joined(low[u], high[u], skipped) : low[u];
      source += unroll * warp_threads;
      target += unroll * warp_threads;
    }
  }
};

}  // namespace jig
