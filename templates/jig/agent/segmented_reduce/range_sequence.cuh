// Folds one range of items after another, by a block, with an operator that is commutative. Before threads fold
// together what they have of a range, they load what they take first of the next one, so that loads never stop.
#pragma once
#include <jig/core/load_vector.cuh>
#include <jig/thread/reduce.cuh>

namespace jig {

// Of fewer than 2^32 vectors.
struct SequenceRange {
  uint64_t begin, end;
  unsigned number;
};

template <int Threads, int Unroll, class Accum, class In, class Rule> class RangeSequence {
  using Op = typename Rule::op_type;
  using Vector = typename In::vector_type;
  static constexpr int vector_items = In::vector_items;
  static_assert(2 * vector_items - 2 <= Threads, "a thread for each item that fills no vector");

 public:
  __device__ RangeSequence(const In &in, const Rule &rule)
      : in_(in), rule_(rule), vectorizable_(in.vectorizable()), thread_(threadIdx.x % Threads) {}

  // next(range) says whether there is another one; done(number, value, threads) takes what each of the first threads has.
  template <class Next, class Done> __device__ void Run(Next next, Done done) const {
    SequenceRange range;
    bool is_there = next(range);
    if (!is_there) return;
    Held held;
    begin(held, range);
#pragma unroll 1
    do {
      Accum value;
      const int valid = fold(held, value);
      const unsigned number = range.number;
      is_there = next(range);
      if (is_there) begin(held, range);
      done(number, value, valid);
    } while (is_there);
  }

 private:
  struct Held {
    Vector vectors[Unroll];
    Accum edge;  // an item before the first whole vector, or behind the last one
    uint64_t middle;
    uint32_t count;  // of whole vectors
    int edges;
  };

  __device__ void add(Accum &value, bool &started, const Accum &item) const {
    value = started ? rule_.op(value, item) : item;
    started = true;
  }

  // A range without a whole vector has nothing but edges.
  __device__ void begin(Held &held, const SequenceRange &range) const {
    const uint64_t end = max_of(range.begin, range.end);
    held.middle = min_of(ceil_div(range.begin, uint64_t(vector_items)) * vector_items, end);
    held.count = uint32_t((end - held.middle) / vector_items);
    const int before = int(held.middle - range.begin);
    const uint64_t rest = held.middle + uint64_t(held.count) * vector_items;
    held.edges = before + int(end - rest);
    if (thread_ < held.count) load(held, thread_);
    const uint64_t mine = (thread_ < before ? range.begin : rest - before) + thread_;
    if (thread_ < held.edges) held.edge = rule_.lift(in_[mine], mine);
  }

  // What is not there is the first one once more.
  __device__ void load(Held &held, uint32_t mine) const {
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const uint32_t vector = u == 0 || mine + u * Threads < held.count ? mine + u * Threads : mine;
      held.vectors[u] = in_.load_vector(held.middle + uint64_t(vector) * vector_items, vectorizable_);
    }
  }

  // How many of the first threads have a value.
  __device__ int fold(Held &held, Accum &value) const {
    bool started = has_identity<Op>;
    if constexpr (has_identity<Op>) value = Op::template identity<Accum>();
    if (thread_ < held.edges) add(value, started, held.edge);
#pragma unroll 1
    for (uint32_t mine = thread_; mine < held.count;) {
#pragma unroll
      for (int u = 0; u < Unroll; ++u) {
        const uint32_t vector = mine + u * Threads;
        if (u > 0 && vector >= held.count) break;
        add(value, started,
            rule_.template fold<Accum>(held.vectors[u], held.middle + uint64_t(vector) * vector_items));
      }
      mine += Unroll * Threads;
      if (mine < held.count) load(held, mine);
    }
    return max_of(int(min_of(held.count, uint32_t(Threads))), held.edges);
  }

  const In &in_;
  const Rule &rule_;
  bool vectorizable_;
  int thread_;
};

}  // namespace jig
