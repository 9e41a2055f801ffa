// What a warp group has in shared memory of the items that it looks through: those that may be in the result.
//
// They are found by their bits, and equal ones by their places, digit by digit from the first one on in which they
// differ: few digits are needed, as all that is far from the result has been left out before.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_item.cuh>
#include <jig/agent/top_k/top_k.cuh>
#include <jig/block/warp_group.cuh>
#include <jig/warp/inclusive_sum.cuh>
#include <jig/warp/sort_lanes.cuh>

namespace jig {

constexpr int top_k_buffer_digit_bits = 8, top_k_buffer_digits = 1 << top_k_buffer_digit_bits;

// The last item that may be in a result.
template <class Bits> struct TopKBufferBound {
  Bits bits;
  uint32_t place;

  // All items with these bits, wherever they are, and what is better.
  static __device__ TopKBufferBound upto(Bits bits) { return {bits, ~uint32_t(0)}; }
  static __device__ TopKBufferBound everything() { return upto(Bits(~Bits(0))); }
  __device__ bool holds_equals() const { return place == ~uint32_t(0); }
  __device__ bool is_everything() const { return holds_equals() && bits == Bits(~Bits(0)); }
  __device__ bool holds(Bits other, uint32_t other_place) const {
    return other < bits || (other == bits && other_place <= place);
  }
};

// Of a block: `Capacity` items for each warp. All digits' counters and `differ` are 0 whenever nobody is searching.
template <class Bits, int Warps, int Capacity> struct TopKBufferStorage {
  alignas(16) Bits bits[Warps * Capacity];
  uint32_t places[Warps * Capacity];
  alignas(16) uint32_t counters[Warps][top_k_buffer_digits];
  uint32_t differ[Warps][sizeof(Bits) / 4];
  // The digit that was found, how many items are below it and how many have it.
  uint32_t digit[Warps], below[Warps], count[Warps];
  uint32_t used[Warps];  // items that there are, or more if there was no room for all
  uint32_t taken[Warps];
  uint32_t flooded[Warps];  // whether a warp has not even tried to append its items
  Bits limits[Warps];
};

template <class KeyBits, int Warps, int WarpCapacity> class TopKBuffer {
 public:
  using Bits = KeyBits;
  using Bound = TopKBufferBound<Bits>;
  using Item = TopKItem<Bits>;
  static constexpr int thread_items = WarpCapacity / warp_threads;
  using Storage = TopKBufferStorage<Bits, Warps, WarpCapacity>;

  __device__ TopKBuffer(Storage &storage, const WarpGroup &group)
      : storage_(storage), group_(group) {}

  // By the whole block, before anything else and with a barrier behind it.
  static __device__ void Begin(Storage &storage, int threads) {
#pragma unroll 1
    for (int i = threadIdx.x; i < Warps * top_k_buffer_digits; i += threads) storage.counters[0][i] = 0;
    if (threadIdx.x < Warps) {
      storage.flooded[threadIdx.x] = 0;
#pragma unroll
      for (int w = 0; w < int(sizeof(Bits) / 4); ++w) storage.differ[threadIdx.x][w] = 0;
    }
  }

  __device__ const WarpGroup &group() const { return group_; }
  // What is computed from the group from here on is computed anew, rather than kept where registers are few.
  __device__ void forget() { asm volatile("" : "+r"(group_.log_warps)); }
  __device__ uint32_t capacity() const { return uint32_t(group_.warps() * WarpCapacity); }
  __device__ Item item(uint32_t i) const { return Item(bits(i), place(i)); }
  __device__ Bits &bits(uint32_t i) const { return storage_.bits[group_.first() * WarpCapacity + i]; }
  __device__ uint32_t &place(uint32_t i) const { return storage_.places[group_.first() * WarpCapacity + i]; }
  __device__ uint32_t &used() const { return storage_.used[group_.first()]; }
  __device__ uint32_t &flooded() const { return storage_.flooded[group_.first()]; }
  // What each warp of the group says, when a limit is looked for.
  __device__ Bits &limit(int warp) const { return storage_.limits[group_.first() + warp]; }
  // Results that have a place.
  __device__ uint32_t &taken() const { return storage_.taken[group_.first()]; }
  // Slots for `count` items; whether they are there is for the caller to see.
  __device__ uint32_t take_slots(uint32_t count) const {
    return ptx::fetch_add_shared(ptx::shared_address(&used()), count);
  }
  __device__ uint32_t take_result() const { return ptx::fetch_add_shared(ptx::shared_address(&taken()), 1); }
  __device__ void put(uint32_t slot, Bits item_bits, uint32_t item_place) const {
    bits(slot) = item_bits;
    place(slot) = item_place;
  }

  // The sum of what all warps have in a lane, of so many lanes. Ends with a barrier.
  __device__ uint32_t sum_of_warps(uint32_t x, int lanes) const {
    uint32_t *counters = storage_.counters[group_.first()];
    const bool is_in = int(ptx::lane_id()) < lanes;
    if (is_in) ptx::add_shared(ptx::shared_address(&counters[ptx::lane_id()]), x);
    group_.sync();
    if (is_in) x = counters[ptx::lane_id()];
    group_.sync();
    if (is_in && group_.warp() == 0) counters[ptx::lane_id()] = 0;
    return x;
  }

  // The bits of the item of a rank from 1 on, or more if that leaves few items too many. Behind a barrier; ends with
  // one.
  __device__ Bits find_roughly(uint32_t count, uint32_t rank) const {
    Search<Bits> search = begin(count, rank);
#pragma unroll 1
    while (uniform(!search.is_over())) {
      narrow(search, count, [&](uint32_t i, Bits &word) { return word = bits(i), true; });
      if (search.count - search.rank <= rank / few_share) break;
    }
    return Bits(search.word | low_bits<Bits>(search.left));
  }

  // The item of that rank among more, whose places have so many bits. The same barriers.
  __device__ Bound find(uint32_t count, uint32_t rank, int place_bits) const {
    Search<Bits> search = begin(count, rank);
#pragma unroll 1
    while (uniform(!search.is_over()))
      narrow(search, count, [&](uint32_t i, Bits &word) { return word = bits(i), true; });
    if (search.count == search.rank) return Bound::upto(Bits(search.word | low_bits<Bits>(search.left)));
    Search<uint32_t> equals = {0, place_bits, search.rank, search.count};
#pragma unroll 1
    while (uniform(!equals.is_over()))
      narrow(equals, count, [&](uint32_t i, uint32_t &word) { return word = place(i), bits(i) == search.word; });
    return {search.word, equals.word | low_bits<uint32_t>(equals.left)};
  }

  // Leaves only the items for which is_kept(bits, place). Barriers before it and at its end.
  template <class IsKept> __device__ void keep(uint32_t count, const IsKept &is_kept) const {
    const uint32_t threads = group_.threads();
    if (group_.thread() == 0) used() = 0;
#pragma unroll 1
    for (uint32_t first = 0; first < count; first += threads) {
      const uint32_t i = first + group_.thread();
      Bits own = 0;
      uint32_t at = 0;
      bool stays = false;
      if (i < count) own = bits(i), at = place(i), stays = is_kept(own, at);
      group_.sync();  // all that may now be written has been read
      if (stays) put(take_slots(1), own, at);
    }
    group_.sync();
  }

  // Puts every 32 items in order, behind the last of which there is room. A barrier at its end, and before it.
  __device__ void sort_lists(uint32_t count) const {
#pragma unroll 1
    for (uint32_t first = group_.warp() * warp_threads; first < count; first += group_.threads()) {
      const uint32_t i = first + ptx::lane_id();
      array<Item, 1> own = {i < count ? item(i) : Item::greatest()};
      sort_lanes<warp_threads>(own);
      put(i, own[0].bits(), own[0].place());
    }
    group_.sync();
  }
  // How many items of all these lists are better than item i.
  __device__ uint32_t rank_of(uint32_t i, uint32_t count) const {
    const Item own = item(i);
    uint32_t rank = i % warp_threads;
#pragma unroll 1
    for (uint32_t first = 0; first < count; first += warp_threads) {
      if (first == i / warp_threads * warp_threads) continue;
      uint32_t below = 0;
#pragma unroll
      for (uint32_t step = warp_threads / 2; step > 0; step /= 2)
        if (item(first + below + step - 1) < own) below += step;
      rank += below + (item(first + below) < own);
    }
    return rank;
  }

  // Puts the items in order, by `before` of two items' numbers. Barriers before it and at its end.
  template <class Before> __device__ void sort(uint32_t count, const Before &before) const {
    uint32_t size = 2;
#pragma unroll 1
    while (size < count) size *= 2;
#pragma unroll 1
    for (uint32_t i = count + group_.thread(); i < size; i += group_.threads()) put(i, Bits(~Bits(0)), ~uint32_t(0));
    group_.sync();
    // Bitonic. A warp has pairs side by side, so that short steps stay within it.
#pragma unroll 1
    for (uint32_t run = 2; run <= size; run *= 2) {
#pragma unroll 1
      for (uint32_t step = run / 2; step > 0; step /= 2) {
#pragma unroll 1
        for (uint32_t p = group_.thread(); p < size / 2; p += group_.threads()) {
          const uint32_t i = 2 * p - (p & (step - 1)), j = i + step;
          if (((i & run) == 0) == before(j, i)) exchange(i, j);
        }
        const uint32_t next = step > 1 ? step / 2 : run;
        if (step > warp_threads || next > warp_threads) group_.sync();
        else __syncwarp();
      }
    }
    group_.sync();
  }

  __device__ bool is_better(uint32_t i, uint32_t j) const { return item(i) < item(j); }

 private:
  // Of a bound that need not be exact, this part of the rank more may be left.
  static constexpr uint32_t few_share = 8;

  // How far the search for a rank has come: among the items that are as `word` in all bits but `left` ones; these are
  // `count`.
  template <class Word> struct Search {
    Word word;
    int left;
    uint32_t rank, count;

    __device__ bool is_over() const { return left == 0 || count == rank; }
    __device__ bool holds(Word other) const {
      return left >= int(sizeof(Word)) * 8 || Word((other ^ word) >> left) == 0;
    }
  };

  // What all have in common is known.
  __device__ Search<Bits> begin(uint32_t count, uint32_t rank) const {
    constexpr int words = sizeof(Bits) / 4;
    const Bits first = bits(0);
    Bits differ = 0;
#pragma unroll 1
    for (uint32_t i = group_.thread(); i < count; i += group_.threads()) differ |= Bits(bits(i) ^ first);
    uint32_t *shared = storage_.differ[group_.first()];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      uint32_t word = uint32_t(differ >> (32 * w));
#pragma unroll
      for (int delta = warp_threads / 2; delta > 0; delta /= 2) word |= __shfl_xor_sync(full_warp, word, delta);
      if (ptx::lane_id() == 0 && word != 0) ptx::or_shared(ptx::shared_address(&shared[w]), word);
    }
    group_.sync();
    differ = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) differ |= Bits(Bits(shared[w]) << (32 * w));
    group_.sync();
    if (group_.thread() < words) shared[group_.thread()] = 0;
    const int left = bit_length(differ);
    return {Bits(first & ~low_bits<Bits>(left)), left, rank, count};
  }

  // One digit more. take(i, word) says whether an item counts, and what it is searched by. All lanes have the same
  // number of turns, so that the compiler knows that they are together afterwards.
  template <class Word, class Take>
  __device__ void narrow(Search<Word> &search, uint32_t count, const Take &take) const {
    const int at = max_of(search.left - top_k_buffer_digit_bits, 0);
    const uint32_t mask = (1u << (search.left - at)) - 1;
    const uint32_t counters = ptx::kept_shared_address(storage_.counters[group_.first()]);
#pragma unroll 1
    for (uint32_t first = 0; first < count; first += group_.threads()) {
      const uint32_t i = first + group_.thread();
      Word word;
      if (i < count && take(i, word) && search.holds(word))
        ptx::add_shared(counters + 4 * (uint32_t(word >> at) & mask), 1);
    }
    group_.sync();
    if (group_.warp() == 0) pick(search.rank);
    group_.sync();
    const int who = group_.first();
    search.word |= Word(Word(storage_.digit[who]) << at);
    search.left = at;
    search.rank -= storage_.below[who];
    search.count = storage_.count[who];
  }

  // The digit of that rank, by a warp, which clears what was counted.
  __device__ void pick(uint32_t rank) const {
    constexpr int own = top_k_buffer_digits / warp_threads;
    struct alignas(16) Counters {
      uint32_t of[own];
    };
    const int who = group_.first();
    Counters &mine = reinterpret_cast<Counters *>(storage_.counters[who])[ptx::lane_id()];
    uint32_t sum = 0;
#pragma unroll
    for (int d = 0; d < own; ++d) sum += mine.of[d];
    uint32_t end = inclusive_sum(sum);
    uint32_t before = end - sum;
    if (before < rank && rank <= end) {
      int d = 0;
#pragma unroll 1
      for (; before + mine.of[d] < rank; ++d) before += mine.of[d];
      storage_.digit[who] = ptx::lane_id() * own + d;
      storage_.below[who] = before;
      storage_.count[who] = mine.of[d];
    }
    mine = Counters{};
  }

  __device__ void exchange(uint32_t i, uint32_t j) const {
    const Bits other_bits = bits(i);
    const uint32_t other_place = place(i);
    put(i, bits(j), place(j));
    put(j, other_bits, other_place);
  }

  Storage &storage_;
  WarpGroup group_;
};

}  // namespace jig
