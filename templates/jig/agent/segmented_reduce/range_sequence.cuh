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

  // From a range on. next(range) says whether there is another one. check() is called once, when what the first one
  // takes first is being loaded; false: nothing is done. ahead() is called whenever what a range takes first is being
  // loaded: what next() will look at is loaded behind that. done(number, value, threads) takes what each of the first
  // threads has.
  template <class Next, class Check, class Ahead, class Done>
  __device__ bool Run(SequenceRange range, Next next, Check check, Ahead ahead, Done done) const {
    Held held;
    begin(held, range);
    ahead();
    if (!check()) return false;
    bool is_there;
#pragma unroll 1
    do {
      Accum value;
      const int valid = fold(held, value);
      const unsigned number = range.number;
      is_there = next(range);
      if (is_there) begin(held, range);
      ahead();
      done(number, value, valid);
    } while (is_there);
    return true;
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
    const uint64_t length = range.end - min_of(range.begin, range.end);
    const int lead = (vector_items - int(range.begin % vector_items)) % vector_items;
    const int before = int(min_of(uint64_t(lead), length));
    held.middle = range.begin + before;
    held.count = uint32_t((length - before) / vector_items);
    held.edges = before + int((length - before) % vector_items);
    if (thread_ < held.count) load(held, thread_);
    const uint64_t mine = (thread_ < before ? range.begin : range.end - held.edges) + thread_;
    if (thread_ < held.edges) held.edge = rule_.lift(in_[mine], mine);
  }

  // What is not there is the first one once more.
  __device__ void load(Held &held, uint32_t mine) const {
    const uint64_t first = held.middle + uint64_t(mine) * vector_items;
    const uint32_t left = held.count - mine;
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      held.vectors[u] =
          in_.load_vector(first + (u * Threads < left ? u * Threads * vector_items : 0), vectorizable_);
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
