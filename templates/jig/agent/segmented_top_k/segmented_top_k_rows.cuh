// How a block, or the blocks of a cluster, find the top-k of a row whose items their threads hold.
//
// What counts is how few instructions and barriers there are. As a rule few are wanted: digits are counted of the best
// items of vectors, and the k-th of these is a limit of which it is certain that so many items are no worse, and few
// others are. What is within it goes to a list in shared memory, where one block goes on. Where that would tell too
// little, or leave too much, digits are counted of all items, which are read once more for each, by their places if
// their bits are equal. In either case few items are left in the end, which are ranked among each other.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_item.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_source.cuh>
#include <jig/core/cluster.cuh>
#include <jig/core/uniform.cuh>
#include <jig/warp/fold_of_lanes.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

constexpr int top_k_row_digit_bits = 8, top_k_row_digits = 1 << top_k_row_digit_bits;
// Items that are ranked among each other. src/algorithm/segmented_top_k_plan.c has the same.
constexpr int top_k_row_most_ranked = 128;

// How far the search for an item of some rank, from 1 on, has come: among `count` items that have the bits of `word`
// but for the last `left`; or, when all bits are known, just these bits, and places as `place` but for the last `left`.
template <class Bits> struct TopKRowSearch {
  Bits word;
  uint32_t place;
  int left;
  bool is_by_place;
  uint32_t rank, count;

  __device__ bool takes_all() const { return count == rank; }
  __device__ bool holds_bits(Bits bits) const {
    return left >= int(sizeof(Bits)) * 8 || Bits((bits ^ word) >> left) == 0;
  }
  __device__ bool holds(Bits bits, uint32_t at) const {
    return is_by_place ? bits == word && (at ^ place) >> left == 0 : holds_bits(bits);
  }
  __device__ bool is_before(Bits bits, uint32_t at) const {
    return bits < word || (is_by_place && bits == word && at < place);
  }
  __device__ Bits last_bits() const { return Bits(word | low_bits<Bits>(left)); }
};

// The launch has Policy::threads threads in each block at most, and most_ranked at least but for rows that are ranked
// at once; and Policy::cluster blocks in a cluster at most.
template <class Policy, class Keys, class Sink> class AgentSegmentedTopKRow {
  using Bits = typename Keys::Bits;

 public:
  using Source = SegmentedTopKInput<Keys, typename Sink::Input>;

 private:
  using Item = TopKItem<Bits>;
  using Search = TopKRowSearch<Bits>;
  using Vector = typename Source::Vector;
  static constexpr int digits = top_k_row_digits, lane_digits = digits / warp_threads;
  static constexpr bool is_clustered = Policy::cluster > 1;
  static constexpr int vector_items = Source::vector_items, vectors = max_of(Policy::items / vector_items, 1);
  // So many vectors are asked for at once.
  static constexpr int step = max_of(min_of(vectors, 64 / int(sizeof(Vector))), 1);
  static constexpr int batch = sizeof(Bits) <= 4 ? 4 : 1;  // of items, the same; of wider ones registers are missed
  static constexpr uint32_t capacity = Policy::capacity, most_ranked = top_k_row_most_ranked;
  static_assert(Policy::threads >= digits && digits >= int(most_ranked), "a thread for each");

  struct alignas(16) Counters {
    uint32_t of[digits];
  };
  // That was found: by itself in 16 bytes, which may be read at once.
  struct alignas(16) Digit {
    uint32_t digit, below, count;
  };
  struct List {
    uint32_t used;  // or more if there was no room for all
    Item items[capacity];
  };
  struct OtherBlocks {
    Counters totals, received[2][Policy::cluster];
    ClusterMail mail[2];
    List gathered;  // the first block's, of all
  };
  struct NoBlocks {};

 public:
  struct TempStorage : conditional<is_clustered, OtherBlocks, NoBlocks> {
    Counters counters;
    Digit found;
    uint32_t equals[2][warp_threads], all_equals;  // of each warp, the one time or the other, and of the block
    uint32_t taken;  // results that have a place
    uint32_t few_used;
    Item few[most_ranked];
    List list;  // for which there is no room where all items are ranked at once
  };
  static_assert(sizeof(TempStorage) - sizeof(List) <= Policy::shared_bytes - Policy::capacity * sizeof(Item));

  // If results are to be in order, the list has to have room for half as many again as are wanted.
  __device__ AgentSegmentedTopKRow(TempStorage &storage, const Sink &sink, const Source &source, uint32_t wanted,
                                   uint64_t out, bool is_sorted)
      : storage_(storage), sink_(sink), source_(source), is_sorted_(is_sorted), wanted_(wanted), out_(out) {}

  // A block by itself need not have more threads than there are items if these are most_ranked at most.
  __device__ void Run() {
    if (!is_clustered && all() <= most_ranked) return rank_all();
    share_out();
    find();
    if constexpr (is_clustered) {
      cluster_.arrive_relaxed();
      cluster_.wait();  // nobody leaves whose list is still read
    }
  }

 private:
  __device__ uint32_t all() const { return source_.end - source_.head; }

  // Whole vectors are shared out to the blocks, in their order; what is behind them is the last one's.
  __device__ void share_out() {
    stop_ = source_.end / vector_items * vector_items;
    tail_ = stop_;
    if constexpr (is_clustered) {
      const uint32_t each = ceil_div(stop_ / vector_items, cluster_.size()) * vector_items;
      stop_ = min_of((cluster_.rank() + 1) * each, stop_);
      first_ = min_of(cluster_.rank() * each, stop_);
      if (cluster_.rank() + 1 < cluster_.size()) tail_ = source_.end;
    }
  }

  __device__ uint32_t end() const { return tail_ < source_.end ? source_.end : stop_; }

  __device__ void begin() {
    // There may be fewer threads than digits. A loop over these takes more registers.
    if (threadIdx.x < digits / 4) reinterpret_cast<uint4 *>(storage_.counters.of)[threadIdx.x] = uint4{};
    if (threadIdx.x == 0) {
      storage_.taken = storage_.few_used = storage_.list.used = storage_.all_equals = 0;
      if constexpr (is_clustered) storage_.mail[0].open(), storage_.mail[1].open();
    }
    __syncthreads();
    if constexpr (is_clustered) cluster_.arrive_relaxed(), cluster_.wait();
  }

  __device__ void find() {
    const bool by_best = wanted_ < all() && most_of_best() <= capacity / 4 * 3 && 2 * wanted_ <= all() / vector_items;
    if (!by_best || !list_by_best()) {
      if (!by_best) begin();
      list_ = &storage_.list;
      Search search = everything(all());
      search_on(search, InInput{*this}, is_sorted_ ? most_of_best() : most_ranked);
      split(search, InInput{*this}, storage_.list.used, storage_.list.items, is_sorted_);
      if (!is_sorted_) wanted_ = search.takes_all() ? 0 : search.rank;
      meet();
    }
    if (rank_of_block() > 0) return;
    uint32_t count = list_->used;
    const Item *items = list_->items;
    if (count > most_ranked) {
      if (is_sorted_) return sort(count);
      Search search = everything(count);
      search_on(search, InList{*this, count}, most_ranked);
      split(search, InList{*this, count}, storage_.few_used, storage_.few, false);
      wanted_ = search.takes_all() ? 0 : search.rank;
      __syncthreads();
      count = storage_.few_used;
      items = storage_.few;
    }
    rank(items, count);
  }

  __device__ uint32_t rank_of_block() const {
    if constexpr (is_clustered) return cluster_.rank();
    else return 0;
  }
  __device__ Search everything(uint32_t count) const { return {0, 0, Keys::width, false, wanted_, count}; }

  // ---- by the best items of vectors

  // How many of these may be within the limit.
  __device__ uint32_t most_of_best() const { return max_of(wanted_ + wanted_ / 2, most_ranked / 4 * 3); }

  // Whether there was room for what is within the limit. Rough bits will do until there.
  __device__ bool list_by_best() {
    Bits bits[vectors][vector_items], behind = Bits(~Bits(0));
    if (tail_ + threadIdx.x < source_.end) behind = source_.bits(max_of(tail_ + threadIdx.x, source_.head));
    load(bits);
    Search search = everything(nowhere);
    bool is_enough = false;
#pragma unroll 1
    while (true) {
      is_enough = !is_enough && wanted_ - search.rank + search.count <= most_of_best();
      if (is_enough || search.left == 0) {
        const Bits exact = source_.exact(search.last_bits()), last = source_.most_rough(exact);
        // What is no item has all bits set.
        if (last == Bits(~Bits(0))) return false;
        // Each of so many vectors has an item at least.
        if (wanted_ - search.rank + search.count <= capacity) {
          append(bits, behind, last, exact);
          if (meet_with_room()) return true;
        }
        if (search.left == 0) return list_less(exact, search.rank == wanted_);
      }
      narrow(search, true, [&](uint32_t counters, int at, uint32_t mask) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          if (first_ + v * row_items_ >= stop_) break;
          Bits best = bits[v][0];
#pragma unroll
          for (int k = 1; k < vector_items; ++k) best = min_of(best, bits[v][k]);
          if (search.holds_bits(best)) ptx::add_shared(counters + 4 * (uint32_t(best >> at) & mask), 1);
        }
      });
    }
  }

  // Where there is no room for all that are as good as one whose bits are known: lists what is better. If that is less
  // than is wanted, the first ones of those that are equal are taken, in the order of their places. `is_least`: whether
  // no vector's best one is better.
  __device__ bool list_less(Bits equal, bool is_least) {
    uint32_t listed = 0, before = 0;
    if (is_clustered || !is_least || tail_ < source_.end) {
      if (!list_less(equal, listed, before)) return false;
      if (listed >= wanted_) return true;
    }
    take_equals(equal, listed, before);
    wanted_ = listed;
    return true;
  }

  // How many are listed by all blocks, and how many that are equal others have before this one's.
  __device__ bool list_less(Bits equal, uint32_t &listed, uint32_t &before) {
    const uint32_t lane = ptx::lane_id();
    uint32_t less = 0;
    for_each_vector([&](int, uint32_t, const Bits (&own)[vector_items]) {
      uint32_t equals = 0;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) less += own[k] < equal, equals += own[k] == equal;
      if constexpr (is_clustered) {
        equals = fold_of_lanes(equals, plus{});
        if (lane == 0) ptx::add_shared(ptx::shared_address(&storage_.all_equals), equals);
      }
      return true;
    });
    List &list = storage_.list;
    uint32_t slot = less > 0 ? ptx::fetch_add_shared(ptx::shared_address(&list.used), less) : 0;
    if (less > 0 && slot + less <= capacity)
      for_each_vector([&](int, uint32_t first, const Bits (&own)[vector_items]) {
#pragma unroll
        for (int k = 0; k < vector_items; ++k)
          if (own[k] < equal) list.items[slot++] = Item(own[k], first + k);
        return true;
      });
    if (!meet_with_room()) return false;
    listed = list.used;
    if constexpr (is_clustered) {
      listed = fold_of_lanes(listed_by_lane(), plus{});
      if (lane < cluster_.rank()) before = *cluster_.in_block(&storage_.all_equals, lane);
      before = fold_of_lanes(before, plus{});
    }
    return true;
  }

  // Behind what is listed; other blocks have `before` that come before this one's. A vector of each thread at a time.
  __device__ void take_equals(Bits equal, uint32_t listed, uint32_t before) {
    const uint32_t lane = ptx::lane_id(), warp = threadIdx.x / warp_threads, warps = blockDim.x / warp_threads;
    for_each_vector([&](int v, uint32_t first, const Bits (&own)[vector_items]) {
      uint32_t equals = 0;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) equals += own[k] == equal;
      const uint32_t upto = inclusive_sum(equals);
      uint32_t (&of_warps)[warp_threads] = storage_.equals[v & 1];
      if (lane == warp_threads - 1) of_warps[warp] = upto;
      __syncthreads();
      const uint32_t of_warp = lane < warps ? of_warps[lane] : 0;
      uint32_t rank = before + fold_of_lanes(lane < warp ? of_warp : 0u, plus{}) + upto - equals;
      before += fold_of_lanes(of_warp, plus{});
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        if (own[k] != equal) continue;
        if (rank < wanted_ - listed) emit(listed + rank, equal, first + k);
        ++rank;
      }
      return before < wanted_ - listed;
    });
  }

  // All threads' vectors, read once more, and what is behind them, as long as f(number, place, bits) says so, which all
  // threads do alike. What is no item has all bits set.
  template <class F> __device__ void for_each_vector(const F &f) const {
    bool is_last = false, goes_on = true;
#pragma unroll 1
    for (int v = 0; goes_on && !is_last; ++v) {
      is_last = first_ + v * row_items_ >= stop_;
      const uint32_t first = is_last ? tail_ + threadIdx.x : place_of(v);
      const uint32_t end = is_last ? min_of(first + 1, source_.end) : min_of(first + vector_items, stop_);
      Bits own[vector_items];
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        const bool is_there = first + k >= source_.head && first + k < end;
        own[k] = is_there ? source_.bits(first + k) : Bits(~Bits(0));
      }
      goes_on = f(v, first, own);
    }
  }

  // Shared memory is made ready while the first ones come.
  __device__ void load(Bits (&bits)[vectors][vector_items]) {
    const bool vectorizes = source_.vectorizable();
#pragma unroll
    for (int first = 0; first < vectors; first += step) {
      if (first > 0 && first_ + first * row_items_ >= stop_) break;
      Vector loaded[step];
#pragma unroll
      for (int v = first; v < first + step && v < vectors; ++v)
        if (place_of(v) < stop_) loaded[v - first] = source_.load(place_of(v), vectorizes);
      if (first == 0) begin();
#pragma unroll
      for (int v = first; v < first + step && v < vectors; ++v) {
        if (first_ + v * row_items_ >= stop_) break;
        const bool has = place_of(v) < stop_;
#pragma unroll
        for (int k = 0; k < vector_items; ++k)
          bits[v][k] = has ? source_.rough_bits_of(loaded[v - first], k) : Bits(~Bits(0));
      }
    }
    // Of the first vector some items may be before the head.
    if (first_ + threadIdx.x * vector_items >= source_.head) return;
#pragma unroll
    for (int k = 0; k < vector_items; ++k)
      if (uint32_t(k) < source_.head) bits[0][k] = Bits(~Bits(0));
  }
  __device__ uint32_t place_of(int v) const { return first_ + threadIdx.x * vector_items + v * row_items_; }

  __device__ void append(const Bits (&bits)[vectors][vector_items], Bits behind, Bits last, Bits exact) {
    const bool has_behind = tail_ + threadIdx.x < source_.end && tail_ + threadIdx.x >= source_.head && behind <= exact;
    uint32_t own = has_behind;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (first_ + v * row_items_ >= stop_) break;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) own += bits[v][k] <= last;
    }
    if (own == 0) return;
    List &list = storage_.list;
    uint32_t slot = ptx::fetch_add_shared(ptx::shared_address(&list.used), own);
    if (slot + own > capacity) return;
    if (has_behind) list.items[slot++] = Item(behind, tail_ + threadIdx.x);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (first_ + v * row_items_ >= stop_) break;
#pragma unroll
      for (int k = 0; k < vector_items; ++k)
        if (bits[v][k] <= last) list.items[slot++] = Item(source_.exact(bits[v][k]), place_of(v) + k);
    }
  }

  // ---- by all items

  // Items of the input that are this block's, by a thread each, so that all have some of a short row, of whatever
  // vectors; and those of the list.
  struct InInput {
    const AgentSegmentedTopKRow &row;
    static constexpr bool is_of_all = true;
    template <class F> __device__ void for_each(const F &f) const {
#pragma unroll 1
      for (uint32_t first = max_of(row.first_, row.source_.head) + threadIdx.x; first < row.end();
           first += batch * blockDim.x) {
        Bits own[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) own[k] = row.source_.bits(min_of(first + k * blockDim.x, row.source_.end - 1));
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (first + k * blockDim.x < row.end()) f(own[k], first + k * blockDim.x);
      }
    }
  };
  struct InList {
    const AgentSegmentedTopKRow &row;
    uint32_t count;
    static constexpr bool is_of_all = false;
    template <class F> __device__ void for_each(const F &f) const {
#pragma unroll 1
      for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        f(row.list_->items[i].bits(), row.list_->items[i].place());
    }
  };

  // Until all that have the last digit are wanted, or there are so few, or, if results are sorted, so few altogether.
  template <class From> __device__ void search_on(Search &search, const From &from, uint32_t most) {
#pragma unroll 1
    while (!search.takes_all() && (is_sorted_ ? wanted_ - search.rank : 0) + search.count > most) {
      if (search.left == 0) search.is_by_place = true, search.left = bit_length(source_.end);
      narrow(search, From::is_of_all, [&](uint32_t counters, int at, uint32_t mask) {
        from.for_each([&](Bits bits, uint32_t place) {
          if (!search.holds(bits, place)) return;
          const uint32_t digit = search.is_by_place ? place >> at : uint32_t(bits >> at);
          ptx::add_shared(counters + 4 * (digit & mask), 1);
        });
      });
    }
  }

  // What is before is in the result, and so is the rest if all of it is wanted; otherwise that goes to a list. Or all
  // goes there.
  template <class From>
  __device__ void split(const Search &search, const From &from, uint32_t &used, Item *items, bool lists_all) {
    const bool takes_all = search.takes_all();
    uint32_t sure = 0, kept = 0;
    from.for_each([&](Bits bits, uint32_t place) {
      const bool is_before = search.is_before(bits, place), is_held = search.holds(bits, place);
      sure += !lists_all && (is_before || (takes_all && is_held));
      kept += lists_all ? is_before || is_held : is_held && !takes_all;
    });
    if (kept > 0) kept = ptx::fetch_add_shared(ptx::shared_address(&used), kept);
    if (sure > 0) {
      if constexpr (is_clustered && From::is_of_all) sure = atomicAdd(cluster_.in_block(&storage_.taken, 0), sure);
      else sure = ptx::fetch_add_shared(ptx::shared_address(&storage_.taken), sure);
    }
    from.for_each([&](Bits bits, uint32_t place) {
      const bool is_before = search.is_before(bits, place), is_held = search.holds(bits, place);
      if (!is_before && !is_held) return;
      if (!lists_all && (is_before || takes_all)) emit(sure++, bits, place);
      else items[kept++] = Item(bits, place);
    });
  }

  // ---- digits

  // One digit more. count(counters, at, mask) counts it of all items that a block has.
  template <class Count> __device__ void narrow(Search &search, bool is_of_all, const Count &count) {
    const int at = max_of(search.left - top_k_row_digit_bits, 0);
    const uint32_t mask = (1u << (search.left - at)) - 1;
    count(ptx::kept_shared_address(storage_.counters.of), at, mask);
    __syncthreads();
    const bool is_first_warp = uniform(threadIdx.x < warp_threads);
    if (is_first_warp || (is_clustered && is_of_all)) {
      if constexpr (is_clustered) {
        if (is_of_all) add_up();
        if (is_first_warp) pick(is_of_all ? storage_.totals : storage_.counters, search.rank);
      } else {
        pick(storage_.counters, search.rank);
      }
    }
    __syncthreads();
    const Digit found = storage_.found;
    if (search.is_by_place) search.place |= found.digit << at;
    else search.word |= Bits(Bits(found.digit) << at);
    search.left = at;
    search.rank -= found.below;
    search.count = found.count;
  }

  // What all blocks have counted. A block tells the others something the next time but one only when it has had what
  // they have told since: so there are two places for it.
  __device__ void add_up() {
    if constexpr (is_clustered) {
      const uint32_t which = round_ & 1, blocks = cluster_.size(), d = threadIdx.x;
      ClusterMail &mail = storage_.mail[which];
      if (d < digits) {
        const uint32_t own = storage_.counters.of[d];
        storage_.counters.of[d] = 0;
#pragma unroll 4
        for (uint32_t r = 0; r < blocks; ++r) mail.send(&storage_.received[which][cluster_.rank()].of[d], own, r);
      }
      mail.await(digits * blocks, round_ >> 1);
      if (d < digits) {
        uint32_t total = 0;
#pragma unroll 4
        for (uint32_t r = 0; r < blocks; ++r) total += storage_.received[which][r].of[d];
        storage_.totals.of[d] = total;
      }
      ++round_;
      __syncthreads();
    }
  }

  // The digit of that rank, by a warp, which clears what was counted.
  __device__ void pick(Counters &counters, uint32_t rank) {
    struct alignas(16) Share {
      uint32_t of[lane_digits];
    };
    Share &shared = reinterpret_cast<Share *>(counters.of)[ptx::lane_id()];
    const Share mine = shared;
    shared = Share{};
    uint32_t sum = 0;
#pragma unroll
    for (int d = 0; d < lane_digits; ++d) sum += mine.of[d];
    uint32_t before = inclusive_sum(sum) - sum;
    if (before >= rank || rank > before + sum) return;
    int digit = 0;
    uint32_t below = before, count = mine.of[0];
#pragma unroll
    for (int d = 1; d < lane_digits; ++d) {
      before += mine.of[d - 1];
      if (before < rank) digit = d, below = before, count = mine.of[d];
    }
    storage_.found = {ptx::lane_id() * lane_digits + digit, below, count};
  }

  // ---- lists

  // When all have listed what they have: the first block gets what the others have.
  __device__ void meet() {
    if constexpr (is_clustered) {
      cluster_.sync();
      // Others would not wait for what they read, and leave, and so might those that it is read of.
      if (cluster_.rank() == 0) gather(listed_by_lane());
    } else {
      __syncthreads();
    }
  }
  // The same if there is room for all; otherwise lists are empty again.
  __device__ bool meet_with_room() {
    if constexpr (is_clustered) {
      cluster_.sync();
      const uint32_t listed = listed_by_lane();
      const bool is_room = fold_of_lanes(listed, plus{}) <= capacity;
      if (is_room) gather(listed);
      else cluster_.sync();
      if (is_room) return true;
    } else {
      __syncthreads();
      if (storage_.list.used <= capacity) return true;
      __syncthreads();
    }
    if (threadIdx.x == 0) storage_.list.used = 0;
    __syncthreads();
    return false;
  }
  __device__ uint32_t listed_by_lane() const {
    const uint32_t lane = ptx::lane_id();
    return lane < cluster_.size() ? *cluster_.in_block(&storage_.list.used, lane) : 0;
  }
  __device__ void gather(uint32_t listed) {
    if constexpr (is_clustered) {
      if (cluster_.rank() > 0) return;
      const uint32_t upto = inclusive_sum(listed), before = upto - listed;
      list_ = &storage_.gathered;
      if (threadIdx.x == warp_threads - 1) list_->used = upto;
#pragma unroll 1
      for (uint32_t r = threadIdx.x / warp_threads; r < cluster_.size(); r += blockDim.x / warp_threads) {
        const uint32_t first = __shfl_sync(full_warp, before, int(r)), count = __shfl_sync(full_warp, listed, int(r));
        const Item *from = cluster_.in_block(storage_.list.items, r);
#pragma unroll 1
        for (uint32_t i = ptx::lane_id(); i < count; i += warp_threads) list_->items[first + i] = from[i];
      }
      __syncthreads();
    }
  }

  // ---- results

  __device__ void emit(uint32_t slot, Bits bits, uint32_t place) const {
    sink_.store(out_ + slot, bits, source_.base + place);
  }

  __device__ void rank_all() {
    const uint32_t place = source_.head + threadIdx.x;
    if (threadIdx.x < all()) storage_.few[threadIdx.x] = Item(source_.bits(place), place);
    if (threadIdx.x == 0) storage_.taken = 0;
    __syncthreads();
    rank(storage_.few, all());
  }

  // A thread for each of few items: how many are better.
  __device__ void rank(const Item *items, uint32_t count) const {
    if (threadIdx.x >= count) return;
    const Item own = items[threadIdx.x];
    uint32_t before = 0;
#pragma unroll 4
    for (uint32_t i = 0; i < count; ++i) before += items[i] < own;
    if (before < wanted_) emit(storage_.taken + before, own.bits(), own.place());
  }

  // Puts what is listed in order, and emits what is wanted of it. Bitonic; a warp has pairs side by side, so that short
  // steps stay within it.
  __device__ void sort(uint32_t count) {
    Item *const items = list_->items;
    uint32_t size = 2;
#pragma unroll 1
    while (size < count) size *= 2;
#pragma unroll 1
    for (uint32_t i = count + threadIdx.x; i < size; i += blockDim.x) items[i] = Item::greatest();
    __syncthreads();
#pragma unroll 1
    for (uint32_t run = 2; run <= size; run *= 2) {
#pragma unroll 1
      for (uint32_t apart = run / 2; apart > 0; apart /= 2) {
#pragma unroll 1
        for (uint32_t p = threadIdx.x; p < size / 2; p += blockDim.x) {
          const uint32_t i = 2 * p - (p & (apart - 1)), j = i + apart;
          const Item a = items[i], b = items[j];
          if (((i & run) == 0) == (b < a)) items[i] = b, items[j] = a;
        }
        const uint32_t next = apart > 1 ? apart / 2 : run;
        if (apart > warp_threads || next > warp_threads) __syncthreads();
        else __syncwarp();
      }
    }
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < wanted_; i += blockDim.x) emit(i, items[i].bits(), items[i].place());
  }

  static constexpr uint32_t nowhere = ~uint32_t(0);

  TempStorage &storage_;
  const Sink &sink_;
  const Source &source_;
  const BlockCluster cluster_;
  List *list_ = &storage_.list;
  const bool is_sorted_;
  uint32_t wanted_;
  uint32_t round_ = 0;
  const uint64_t out_;
  const uint32_t row_items_ = blockDim.x * vector_items;
  uint32_t first_ = 0, stop_;  // of this block's whole vectors
  uint32_t tail_;              // where what is behind them begins
};

}  // namespace jig
