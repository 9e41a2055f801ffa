// What a block does in a top-k's last kernel, which looks at what became of the pass over the input. Few candidates are
// searched by the first cluster; otherwise all blocks search the candidates, or the input, and write what is before the
// bound that they find.
//
// Blocks take tickets, each for a chunk of items. Those of a step count one digit of them all; the block that
// completes a step's count finds the digit that is wanted, and says what the next step is. A block waits
// for a step only when it has counted all it has taken, and for blocks only that run, as they have
// tickets: however few are resident, there is always one that goes on.
#pragma once
#include <jig/agent/top_k/top_k_cluster.cuh>

namespace jig {

// What the steps of a top-k look through, as only the GPU knows: candidates, or the input where the sample has misled.
// Code for each would take longer to compile.
template <class Input, class Candidates> struct TopKStepItems {
  using Bits = typename Candidates::Bits;
  static constexpr bool is_cut = true, is_ordered = false;
  static constexpr int vector_items = 1, most_items = 4;
  using Vector = array<Bits, 1>;

  const Input &input;
  const Candidates candidates;
  bool is_input;

  __device__ uint64_t count() const { return is_input ? input.count() : candidates.count(); }
  __device__ Bits bits(uint64_t i) const { return is_input ? Bits(input.bits(i)) : candidates.bits(i); }
  __device__ uint64_t index(uint64_t i) const { return is_input ? i : candidates.index(i); }
  __device__ uint64_t tie(uint64_t i) const { return is_input ? i : tie_of(candidates, i); }
  __device__ auto key_bits(uint64_t i) const { return is_input ? input.bits(i) : candidates.key_bits(i); }
  template <class In> __device__ typename In::value_type key(uint64_t i, const In &in) const {
    return is_input ? in[i] : candidates.key(i, in);
  }
  __device__ bool vectorizable() const { return false; }
  __device__ Vector load(uint64_t i) const { return {{bits(i)}}; }
  __device__ Bits bits_of(const Vector &vector, int) const { return vector[0]; }
};

template <class Input, class Candidates>
constexpr bool is_packed_source<TopKStepItems<Input, Candidates>> = is_packed_source<Candidates>;

// How the steps of a top-k are cut into tickets.
template <class Tile> struct TopKSteps {
  using Bits = typename Tile::Bits;
  static constexpr int chunk = 2 * Tile::block_items;

  // The first one, of a search among `count` candidates or the input; no ticket is taken yet.
  static __device__ TopKStep<Bits> first(bool candidates, const TopKSearch<Bits> &search, uint64_t count) {
    TopKStep<Bits> step;
    step.candidates = candidates;
    step.end_ticket = 0;
    step.count = count;
    step.search = search;
    return next(step);
  }

  // The one after it, where the search has come so far.
  static __device__ TopKStep<Bits> next(const TopKStep<Bits> &step) {
    TopKStep<Bits> n = step;
    n.writes = n.search.is_over();
    n.bound = n.writes ? n.search.bound() : TopKBound<Bits>::nothing();
    n.first_item = 0;
    n.end_item = n.count;
    if (!n.candidates && !n.writes && n.search.is_by_index()) {
      n.first_item = n.search.index;
      if (n.search.unknown_index < n.count - n.search.index) n.end_item = n.search.index + n.search.unknown_index + 1;
    }
    n.first_ticket = n.end_ticket;
    n.end_ticket += ceil_div(n.end_item - n.first_item, uint64_t(chunk));
    return n;
  }
};

template <class Policy, class Keys, class Sink> class AgentTopKSelect {
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, items = Policy::items;
  static constexpr bool packs = top_k_packs<Bits>;
  using Input = TopKInput<Keys, typename Sink::KeysIn>;
  using Candidates = conditional<packs, TopKPackedCandidates<Keys>, TopKCandidates<Bits>>;
  using Source = TopKStepItems<Input, Candidates>;
  using Tile = TopKTile<threads, items, Source>;
  using Steps = TopKSteps<Tile>;
  using Ordered = TopKOrdered<Bits>;
  using Step = TopKStep<Ordered>;
  using Pick = TopKPick<threads>;
  using Finish = AgentTopKCluster<Policy, Candidates, Sink>;
  using Filter = TopKFilter<threads, items, Source, Sink, Sink::finds_one>;
  static constexpr int step_words = word_count<Step>;
  // Counted before the bins are told: a counter has 32 bits.
  static constexpr uint64_t most_tickets = 1 << 14;

 public:
  struct Shared {
    uint32_t counters[top_k_digits];
    typename Pick::TempStorage pick;
    typename Filter::TempStorage filter;
    Step step;
    uint64_t ticket;
    uint32_t is_last;
  };
  union TempStorage {
    Shared shared;
    typename Finish::TempStorage finish;
  };

  __device__ AgentTopKSelect(TempStorage &storage, const Sink &sink)
      : temp_storage_(storage),
        storage_(storage.shared),
        call_(sink.call),
        control_(*static_cast<TopKControl<Bits> *>(call_.control)),
        input_{sink.keys_in, Keys(call_, sink.keys_in), call_.num_items},
        sink_(sink) {}

  __device__ void Run() {
    const uint64_t taken = control_.taken, kept = control_.kept;
    // An item that is searched for must not be taken already.
    const bool misled = taken > call_.k - uint64_t(Sink::finds_one) || taken + kept < call_.k || kept > call_.capacity;
    const uint64_t rank = misled ? call_.k : call_.k - taken;
    if (rank == 0) return;
    if (!misled && kept <= Policy::finish_items) {
      const BlockCluster cluster;
      const Candidates candidates = candidates_of(kept);
      if (blockIdx.x < cluster.size())
        Finish::Run(temp_storage_.finish, candidates, sink_, packs ? 0 : call_.num_items - 1, rank, taken);
      return;
    }
    first_place_ = misled ? 0 : taken;
    if (threadIdx.x == 0) {
      storage_.step = Steps::first(!misled, first_search(misled, rank), misled ? call_.num_items : kept);
    }
    run_steps();
  }

 private:
  __device__ Candidates candidates_of(uint64_t count) const {
    if constexpr (packs)
      return {static_cast<const uint64_t *>(call_.bits), count, TopKPacking<Bits>(call_), input_.keys};
    else return {static_cast<Bits *>(call_.bits), call_.indices, count};
  }
  // Among candidates, or all items.
  __device__ TopKSearch<Ordered> first_search(bool all, uint64_t rank) const {
    using OrderedBound = TopKBound<Ordered>;
    const OrderedBound sure = all ? OrderedBound::nothing() : ordered(control_.sure);
    const OrderedBound last = all ? OrderedBound::greatest(Keys::width) : ordered(control_.last);
    return TopKSearch<Ordered>::between(sure, last, packs && !all ? 0 : bit_length(call_.num_items - 1), rank);
  }
  __device__ TopKBound<Ordered> ordered(const TopKBound<Bits> &bound) const {
    if constexpr (packs) return TopKPacking<Bits>(call_).pack(bound);
    else return bound;
  }

  __device__ void run_steps() {
#pragma unroll 1
    for (int d = threadIdx.x; d < top_k_digits; d += threads) storage_.counters[d] = 0;
    uint64_t ticket = take_ticket(), counted = 0;  // tickets of a step
#pragma unroll 1
    for (uint32_t number = 0;; ++number) {
      if (number > 0) await_step(number);
      bool is_beyond = false;
      while (!is_beyond) {
        is_beyond = ticket >= storage_.step.end_ticket;
        if (is_beyond && storage_.step.writes) return;
        if (!is_beyond) {
          work_on(ticket);
          ++counted;
          ticket = take_ticket();
        }
        if (counted == most_tickets || (is_beyond && counted > 0)) {
          hand_in(number, counted);
          counted = 0;
        }
      }
    }
  }

  __device__ uint64_t take_ticket() {
    __syncthreads();
    if (threadIdx.x == 0) storage_.ticket = ptx::fetch_add_relaxed_gpu(&control_.tickets, 1);
    __syncthreads();
    return storage_.ticket;
  }

  // Until a step is known, and then all threads know it.
  __device__ void await_step(uint32_t number) {
    __syncthreads();
    if (threadIdx.x == 0) {
      while (ptx::load_relaxed_gpu(&control_.step) < number) continue;
      __threadfence();
    }
    __syncthreads();
    const uint32_t *from = reinterpret_cast<const uint32_t *>(&control_.steps[number]);
    uint32_t *to = reinterpret_cast<uint32_t *>(&storage_.step);
#pragma unroll 1
    for (int w = threadIdx.x; w < step_words; w += threads) to[w] = ptx::load_relaxed_gpu(from + w);
    __syncthreads();
  }

  __device__ void work_on(uint64_t ticket) {
    const Step &step = storage_.step;
    const bool is_input = step.candidates == 0;
    const Source source = {input_, candidates_of(is_input ? 0 : step.count), is_input};
    const uint64_t begin = step.first_item + (ticket - step.first_ticket) * Steps::chunk;
    const uint64_t end = min_of(begin + Steps::chunk, step.end_item);
    const Filter filter = filter_of(source);
    const uint32_t counters = ptx::kept_shared_address(storage_.counters);
#pragma unroll 1
    for (uint64_t first = begin; first < end; first += Tile::block_items) {
      const Tile tile(source, first, end);
      if (step.writes) filter.Sort(tile, false);
      else top_k_count(tile, source, step.search, counters);
    }
  }

  __device__ Filter filter_of(const Source &source) const {
    const Step &step = storage_.step;
    if constexpr (Sink::finds_one)
      return {storage_.filter, source, sink_, {&control_.placed, &control_.placed}, step.search.lower_bound(),
              step.bound};
    else return {storage_.filter, source, sink_, {&control_.placed, nullptr, first_place_}, step.bound, step.bound};
  }

  // What is counted goes to the bins. Who hands in the last of it finds the next step.
  __device__ void hand_in(uint32_t number, uint64_t counted) {
    __syncthreads();
#pragma unroll 1
    for (int d = threadIdx.x; d < top_k_digits; d += threads) {
      if (storage_.counters[d] == 0) continue;
      ptx::add_relaxed_gpu(&control_.bins[d], storage_.counters[d]);
      storage_.counters[d] = 0;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      const uint64_t all = storage_.step.end_ticket - storage_.step.first_ticket;
      storage_.is_last = ptx::fetch_add_relaxed_gpu(&control_.counted, counted) + counted == all;
      __threadfence();
    }
    __syncthreads();
    if (storage_.is_last) find_step(number + 1);
  }

  __device__ void find_step(uint32_t number) {
    const auto count = [&](int d) { return ptx::load_relaxed_gpu(&control_.bins[d]); };
    const TopKDigit found = Pick::Find(storage_.pick, count, storage_.step.search.rank);
#pragma unroll 1
    for (int d = threadIdx.x; d < top_k_digits; d += threads) control_.bins[d] = 0;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      if constexpr (Sink::finds_one) storage_.step.search.narrow_to_one(found.digit, found.below, found.count);
      else storage_.step.search.narrow(found.digit, found.below, found.count);
      control_.steps[number] = Steps::next(storage_.step);
      control_.counted = 0;
      __threadfence();
      ptx::store_relaxed_gpu(&control_.step, number);
    }
  }

  TempStorage &temp_storage_;
  Shared &storage_;
  const TopKCall &call_;
  TopKControl<Bits> &control_;
  Input input_;
  const Sink &sink_;
  uint64_t first_place_ = 0;  // of the results that are found here
};

}  // namespace jig
