// How a block, or the blocks of a cluster, find the top-k of a row whose items their threads hold.
//
// Each digit that is searched by costs a step of the whole block, so there are to be few, and what is counted is to be
// little. As long as a few are wanted, digits are of the best items of vectors: the k-th of these is a limit of which it
// is certain that so many items are no worse, and few others are. What is within it goes to a list in shared memory,
// which one block searches on. Where that would tell too little, or leave too much, digits are of all items, and what
// is better than those that have the last digit is in the result. Few items that are left are ranked, each by a warp.
// When all digits of the bits are known and many items are equal, they are searched by their places.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_item.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_source.cuh>
#include <jig/core/cluster.cuh>
#include <jig/warp/fold_of_lanes.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

// Items in shared memory, by their bits and places.
template <class Bits, int Capacity> struct TopKRowList {
  alignas(16) Bits bits[Capacity];
  uint32_t places[Capacity];
  uint32_t used;  // or more if there was no room for all
};

// The launch has Policy::threads threads in a block at most, a power of two, and Policy::cluster blocks in a cluster.
template <class Policy, class Keys, class Sink> class AgentSegmentedTopKRow {
  using Bits = typename Keys::Bits;

 public:
  using Source = SegmentedTopKInput<Keys, typename Sink::Input>;

 private:
  static constexpr int vector_items = Source::vector_items, vectors = max_of(Policy::items / vector_items, 1);
  // The first is one of those behind the last whole vector, of which a few threads have one each.
  static constexpr int size = 1 + vectors * vector_items;
  // So many vectors are asked for at once.
  static constexpr int step = max_of(min_of(vectors, 64 / int(sizeof(typename Source::Vector))), 1);
  static_assert(size <= 32, "a bit for each item of a thread");
  static constexpr int digit_bits = 8, digits = 1 << digit_bits, lane_digits = digits / warp_threads;
  static constexpr uint32_t most_ranked = 2 * warp_threads, capacity = Policy::capacity, nowhere = ~uint32_t(0);
  using List = TopKRowList<Bits, Policy::capacity>;

  // How far the search for an item of some rank, from 1 on, has come: of `count` items all bits but the last `left` are
  // those of `word`.
  struct Search {
    Bits word;
    int left;
    uint32_t rank, count;

    __device__ bool takes_all() const { return count == rank; }
    __device__ bool holds(Bits bits) const {
      return left >= int(sizeof(Bits)) * 8 || Bits((bits ^ word) >> left) == 0;
    }
    __device__ Bits last() const { return Bits(word | low_bits<Bits>(left)); }
  };

  struct alignas(16) Counters {
    uint32_t of[digits];
  };
  struct Digit {
    uint32_t digit, below, count;
  };

 public:
  // What a block has that is by itself, and what the blocks of a cluster have besides.
  struct TempStorage {
    Counters counters;
    Digit found;
    uint64_t taken;  // results that have a place
    TopKRowList<Bits, most_ranked> few;
    List list;
  };
  struct ClusterStorage : TempStorage {
    Counters totals, received[2][Policy::cluster];
    ClusterMail mail[2];
    List gathered;  // the first block's, of all
  };

  // If results are to be in order, the list has to have room for half as many again as are wanted.
  __device__ AgentSegmentedTopKRow(ClusterStorage &storage, const Sink &sink, const Source &source, uint32_t wanted,
                                   uint64_t out, bool is_sorted)
      : storage_(storage), sink_(sink), source_(source), is_sorted_(is_sorted), wanted_(wanted), out_(out) {}

  __device__ void Run() {
    begin();
    load();
    bool by_best = are_best_enough(source_.end - source_.head);
#pragma unroll 1
    while (true) {
      if (!look_through(by_best)) {
        clear();
      } else {
        if (is_listed_) break;
        if (!cluster_.is_one()) gather();
        if (cluster_.rank() > 0 || count_ <= most_ranked || is_sorted_) break;
        hold_list();
      }
      by_best = false;
    }
    if (cluster_.rank() == 0) {
      if (count_ > most_ranked && is_sorted_) sort();
      else rank();
    }
    if (!cluster_.is_one()) cluster_.wait();  // nobody leaves whose list is still read
  }

 private:
  // ---- items

  __device__ void begin() {
#pragma unroll 1
    for (int d = threadIdx.x; d < digits; d += blockDim.x) storage_.counters.of[d] = 0;
    if (threadIdx.x == 0) {
      storage_.taken = 0;
      storage_.few.used = storage_.list.used = 0;
      if (!cluster_.is_one()) storage_.mail[0].open(), storage_.mail[1].open();
    }
    __syncthreads();
    cluster_.arrive_relaxed();
  }
  // Before other blocks are told or asked something.
  __device__ void open() {
    if (!is_open_) cluster_.wait();
    is_open_ = true;
  }

  // Of the input: whole vectors, of which each block has a share. What is no item has all bits set.
  __device__ void load() {
    const uint32_t whole = source_.end / vector_items;
    const uint32_t each = ceil_div(whole, cluster_.size());
    stop_ = min_of((cluster_.rank() + 1) * each, whole) * vector_items;
    first_ = min_of(cluster_.rank() * each * vector_items, stop_);
    used_ = 1 + int(ceil_div(stop_ - first_, uint32_t(blockDim.x) * vector_items)) * vector_items;
    const bool vectorizes = source_.vectorizable();
    bits_[0] = Bits(~Bits(0));
    const uint32_t behind = tail();
    if (behind < source_.end && behind >= source_.head) bits_[0] = source_.bits(behind);
#pragma unroll
    for (int first = 0; first < vectors; first += step) {
      typename Source::Vector loaded[step];
#pragma unroll
      for (int v = first; v < first + step && v < vectors; ++v)
        if (place_of_vector(v) < stop_) loaded[v - first] = source_.load(place_of_vector(v), vectorizes);
#pragma unroll
      for (int v = first; v < first + step && v < vectors; ++v) {
        const uint32_t at = place_of_vector(v);
#pragma unroll
        for (int k = 0; k < vector_items; ++k) {
          const bool has = at < stop_ && at + k >= source_.head;
          bits_[1 + v * vector_items + k] = has ? source_.bits_of(loaded[v - first], k) : Bits(~Bits(0));
        }
      }
    }
  }
  // The last items belong to the first block.
  __device__ uint32_t tail() const {
    const uint32_t place = source_.end / vector_items * vector_items + threadIdx.x;
    return cluster_.rank() == 0 ? place : nowhere;
  }
  __device__ uint32_t place_of_vector(int v) const {
    return first_ + uint32_t(v * blockDim.x + threadIdx.x) * vector_items;
  }
  // Of a thread's item; nowhere if there is none.
  __device__ uint32_t place_of(int i) const {
    if (is_listed_) {
      const uint32_t slot = slot_of(i);
      return slot < count_ ? list_->places[slot] : nowhere;
    }
    if (i == 0) return tail() < source_.end && tail() >= source_.head ? tail() : nowhere;
    const uint32_t v = uint32_t(i - 1) / vector_items, at = place_of_vector(int(v)) + uint32_t(i - 1) % vector_items;
    return at < stop_ && at >= source_.head ? at : nowhere;
  }
  __device__ uint32_t slot_of(int i) const { return uint32_t(i * blockDim.x + threadIdx.x); }

  // ---- search

  // Whether a limit by the best items of vectors leaves as much as the list has room for.
  __device__ bool are_best_enough(uint32_t all) const {
    return wanted_ < all && most_of_best() <= capacity / 4 * 3 && 2 * wanted_ <= all / vector_items;
  }
  __device__ uint32_t most_of_best() const { return max_of(wanted_ + wanted_ / 2, most_ranked / 4 * 3); }

  // Sorts out what the threads hold: false if there is more to be searched on than there is room for.
  __device__ bool look_through(bool by_best) {
    Search search = {0, Keys::width, wanted_, is_listed_ ? count_ : source_.end - source_.head};
    Bits equals = 0;
    bool are_equal = false;
#pragma unroll 1
    while (!is_enough(search, by_best)) {
      if (search.left == 0) {
        if (by_best) break;
        equals = search.word;
        are_equal = true;
        search_places(search);
      }
      narrow(search, by_best);
    }
    if (by_best || is_sorted_) return split(0, search.last(), false, are_equal, equals, wanted_);
    return split(search.word, search.last(), search.takes_all(), are_equal, equals, search.rank);
  }

  __device__ bool is_enough(const Search &search, bool by_best) const {
    if (by_best || is_sorted_) return wanted_ - search.rank + search.count <= most_of_best();
    return search.takes_all() || search.count <= (is_listed_ ? most_ranked : capacity / 2);
  }

  // Of equal items the first ones are searched, by their places: what is better comes before these, the rest behind.
  __device__ void search_places(Search &search) {
    const int width = bit_length(source_.end);
    const Bits equals = search.word;
    search.word = Bits(Bits(1) << width);
    search.left = width;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if (i >= used_) break;
      const Bits bits = bits_[i];
      bits_[i] = bits < equals ? Bits(0) : Bits(~Bits(0));
      if (bits == equals && place_of(i) != nowhere) bits_[i] = search.word | place_of(i);
    }
  }

  // One digit more.
  __device__ void narrow(Search &search, bool by_best) {
    const int at = max_of(search.left - digit_bits, 0);
    const uint32_t mask = (1u << (search.left - at)) - 1;
    const uint32_t counters = ptx::kept_shared_address(storage_.counters.of);
    const auto count = [&](Bits bits) {
      if (search.holds(bits)) ptx::add_shared(counters + 4 * (uint32_t(bits >> at) & mask), 1);
    };
    if (by_best) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        if (1 + v * vector_items >= used_) break;
        Bits best = bits_[1 + v * vector_items];
#pragma unroll
        for (int k = 1; k < vector_items; ++k) best = min_of(best, bits_[1 + v * vector_items + k]);
        count(best);
      }
    } else {
#pragma unroll
      for (int i = 0; i < size; ++i) {
        if (i >= used_) break;
        count(bits_[i]);
      }
    }
    __syncthreads();
    if (!cluster_.is_one() && !is_listed_) add_up();
    Counters &all = cluster_.is_one() || is_listed_ ? storage_.counters : storage_.totals;
    if (threadIdx.x < warp_threads) pick(all, search.rank);
    __syncthreads();
    search.word |= Bits(Bits(storage_.found.digit) << at);
    search.left = at;
    search.rank -= storage_.found.below;
    search.count = storage_.found.count;
  }

  // What all blocks have counted. A block tells the others something the next time but one only when it has had what
  // they have told since: so there are two places for it.
  __device__ void add_up() {
    const uint32_t which = round_ & 1, blocks = cluster_.size();
    open();
    ClusterMail &mail = storage_.mail[which];
#pragma unroll 1
    for (int d = threadIdx.x; d < digits; d += blockDim.x) {
      const uint32_t own = storage_.counters.of[d];
      storage_.counters.of[d] = 0;
#pragma unroll 1
      for (uint32_t r = 0; r < blocks; ++r) mail.send(&storage_.received[which][cluster_.rank()].of[d], own, r);
    }
    mail.await(digits * blocks, round_ >> 1);
#pragma unroll 1
    for (int d = threadIdx.x; d < digits; d += blockDim.x) {
      uint32_t total = 0;
#pragma unroll
      for (int r = 0; r < Policy::cluster; ++r)
        if (r < int(blocks)) total += storage_.received[which][r].of[d];
      storage_.totals.of[d] = total;
    }
    ++round_;
    __syncthreads();
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
#pragma unroll
    for (int d = 0; d < lane_digits; ++d) {
      if (before < rank && rank <= before + mine.of[d])
        storage_.found = {ptx::lane_id() * lane_digits + d, before, mine.of[d]};
      before += mine.of[d];
    }
  }

  // ---- what is found

  // Items before `first` are in the result, and so are those until `last` if all are taken; otherwise these go to a
  // list, of which so many are wanted. Whether there was room for them.
  __device__ bool split(Bits first, Bits last, bool takes_all, bool are_equal, Bits equals, uint32_t wanted) {
    uint32_t sure = 0, kept = 0;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if (i >= used_) break;
      sure |= uint32_t(bits_[i] < first || (takes_all && bits_[i] <= last)) << i;
      kept |= uint32_t(bits_[i] <= last) << i;
    }
    kept &= ~sure;
    if (last == Bits(~Bits(0))) kept = existing(kept);
    open();
    if (__any_sync(full_warp, sure != 0)) take(existing(sure));
    if (__any_sync(full_warp, kept != 0)) keep(kept, are_equal, equals);
    wanted_ = takes_all ? 0 : wanted;
    return is_room();
  }

  // Without those that have the bits of what is no item.
  __device__ uint32_t existing(uint32_t items) const {
#pragma unroll 1
    for (uint32_t left = items; left != 0; left &= left - 1)
      if (place_of(__ffs(int(left)) - 1) == nowhere) items &= ~(left & -left);
    return items;
  }

  // By a whole warp.
  __device__ void keep(uint32_t kept, bool are_equal, Bits equals) {
    const Found to = is_listed_ ? found_in(storage_.few) : found_in(*list_);
    const uint32_t most = is_listed_ ? most_ranked : capacity;
    uint32_t slot = slots(kept, [&](uint32_t count) { return ptx::fetch_add_shared(ptx::shared_address(to.used), count); });
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if (i >= used_) break;
      if ((kept >> i & 1) == 0) continue;
      const uint32_t place = place_of(i);
      Bits bits = bits_[i];
      if (are_equal) bits = bits == 0 ? source_.bits(place) : equals;
      if (slot < most) to.bits[slot] = bits, to.places[slot] = place;
      ++slot;
    }
  }

  // Where a thread's items go, by one atomic operation for the warp.
  template <class Take> static __device__ uint32_t slots(uint32_t items, const Take &take) {
    const uint32_t own = __popc(items), some = __ballot_sync(full_warp, own > 0);
    uint32_t before = __popc(some & ptx::lanes_below()), all = __popc(some);
    if (__any_sync(full_warp, own > 1)) {
      const uint32_t upto = inclusive_sum(own);
      before = upto - own;
      all = __shfl_sync(full_warp, upto, warp_threads - 1);
    }
    uint32_t first = 0;
    if (ptx::lane_id() == 0) first = take(all);
    return __shfl_sync(full_warp, first, 0) + before;
  }

  // By a whole warp.
  __device__ void take(uint32_t sure) {
    uint32_t slot = slots(sure, [&](uint32_t count) {
      return uint32_t(ptx::fetch_add_relaxed_gpu(cluster_.in_block(&storage_.taken, 0), uint64_t(count)));
    });
#pragma unroll 1
    for (; sure != 0; sure &= sure - 1) {
      const int i = __ffs(int(sure)) - 1;
      const uint32_t place = place_of(i);
      emit(slot++, is_listed_ ? list_->bits[slot_of(i)] : source_.bits(place), place);
    }
  }
  __device__ void emit(uint32_t slot, Bits bits, uint32_t place) const {
    sink_.store(out_ + slot, bits, source_.base + place);
  }

  // Has a barrier of all blocks that have something to do with it.
  __device__ bool is_room() {
    if (is_listed_ || cluster_.is_one()) {
      __syncthreads();
      if (!is_listed_) count_ = list_->used;
      return count_ <= capacity;
    }
    cluster_.sync();
    const uint32_t lane = ptx::lane_id();
    listed_ = lane < cluster_.size() ? *cluster_.in_block(&list_->used, lane) : 0;
    count_ = fold_of_lanes(listed_, plus{});
    return count_ <= capacity;
  }
  // When others have seen that there is no room.
  __device__ void clear() {
    cluster_.sync();
    if (threadIdx.x == 0) list_->used = 0;
    __syncthreads();
  }

  // The first block gets what the others have. Each thread arrives.
  __device__ void gather() {
    if (cluster_.rank() == 0) {
      const uint32_t before = inclusive_sum(listed_) - listed_, lane = ptx::lane_id();
#pragma unroll 1
      for (uint32_t r = threadIdx.x / warp_threads; r < cluster_.size(); r += blockDim.x / warp_threads) {
        const uint32_t first = __shfl_sync(full_warp, before, int(r)), count = __shfl_sync(full_warp, listed_, int(r));
        const List &from = *cluster_.in_block(&storage_.list, r);
#pragma unroll 1
        for (uint32_t i = lane; i < count; i += warp_threads)
          storage_.gathered.bits[first + i] = from.bits[i], storage_.gathered.places[first + i] = from.places[i];
      }
      list_ = &storage_.gathered;
      if (threadIdx.x == 0) list_->used = count_;
      __syncthreads();
    }
    cluster_.arrive_relaxed();
  }

  // ---- what is listed

  __device__ void hold_list() {
    is_listed_ = true;
    used_ = int(ceil_div(count_, uint32_t(blockDim.x)));
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if (i >= used_) break;
      bits_[i] = slot_of(i) < count_ ? list_->bits[slot_of(i)] : Bits(~Bits(0));
    }
  }

  // Of two items each lane has, how many are better than one.
  __device__ void rank() {
    const Found from = is_listed_ ? found_in(storage_.few) : found_in(*list_);
    const uint32_t count = *from.used;
    const auto item = [&](uint32_t i) {
      return i < count ? TopKItem<Bits>(from.bits[i], from.places[i]) : TopKItem<Bits>::greatest();
    };
    const uint32_t lane = ptx::lane_id(), first = uint32_t(storage_.taken);
    const TopKItem<Bits> low = item(lane), high = item(lane + warp_threads);
#pragma unroll 2
    for (uint32_t i = threadIdx.x / warp_threads; i < count; i += blockDim.x / warp_threads) {
      const TopKItem<Bits> one = item(i);
      const uint32_t before =
          __popc(__ballot_sync(full_warp, low < one)) + __popc(__ballot_sync(full_warp, high < one));
      if (lane == 0 && before < wanted_) emit(first + before, one.bits(), one.place());
    }
  }

  // Puts what is listed in order, and emits what is wanted of it. Bitonic; a warp has pairs side by side, so that short
  // steps stay within it.
  __device__ void sort() {
    List &list = *list_;
    uint32_t size = 2;
#pragma unroll 1
    while (size < count_) size *= 2;
#pragma unroll 1
    for (uint32_t i = count_ + threadIdx.x; i < size; i += blockDim.x)
      list.bits[i] = Bits(~Bits(0)), list.places[i] = nowhere;
    __syncthreads();
#pragma unroll 1
    for (uint32_t run = 2; run <= size; run *= 2) {
#pragma unroll 1
      for (uint32_t step = run / 2; step > 0; step /= 2) {
#pragma unroll 1
        for (uint32_t p = threadIdx.x; p < size / 2; p += blockDim.x) {
          const uint32_t i = 2 * p - (p & (step - 1)), j = i + step;
          const TopKItem<Bits> a(list.bits[i], list.places[i]), b(list.bits[j], list.places[j]);
          if (((i & run) == 0) != (b < a)) continue;
          list.bits[i] = b.bits(), list.places[i] = b.place();
          list.bits[j] = a.bits(), list.places[j] = a.place();
        }
        const uint32_t next = step > 1 ? step / 2 : run;
        if (step > warp_threads || next > warp_threads) __syncthreads();
        else __syncwarp();
      }
    }
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < wanted_; i += blockDim.x) emit(i, list.bits[i], list.places[i]);
  }

  // A list, of any capacity.
  struct Found {
    Bits *bits;
    uint32_t *places, *used;
  };
  template <class Some> static __device__ Found found_in(Some &list) { return {list.bits, list.places, &list.used}; }

  ClusterStorage &storage_;  // of a block by itself only what TempStorage has
  const Sink &sink_;
  Source source_;
  BlockCluster cluster_;
  List *list_ = &storage_.list;
  bool is_open_ = cluster_.is_one();
  const bool is_sorted_;
  bool is_listed_ = false;  // whether threads hold items of the list
  uint32_t wanted_;
  uint32_t count_, listed_;  // items in the list, and of a lane's block
  uint32_t round_ = 0;
  uint64_t out_;
  uint32_t first_, stop_;  // of this block's whole vectors
  int used_;               // a thread's items that may be some
  Bits bits_[size];
};

}  // namespace jig
