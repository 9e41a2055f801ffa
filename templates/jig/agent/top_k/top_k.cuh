// What the kernels of a top-k have in common: the order of items, and what they are told.
//
// Items are ordered by their keys' bits, turned so that the best come first, and equal keys by their indices: no
// two items are equal, and the k best are all that come before some bound. Many equal keys are nothing
// special then, and it is always the same items that are found.
//
// Of many items, a sample tells two bounds: what comes before the first is among the k best almost for
// certain, and what comes after the second is not. One pass over the input writes the former to the
// output, and what is between to a list of candidates. Digit by digit the candidates are searched for the bound
// that leaves just as many as are still wanted. Should the sample have misled, the input is searched
// like that, so that results never depend on luck.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/core/radix_fields.cuh>

namespace jig {

// The same as top_k_call in src/algorithm/top_k.c.
struct TopKCall {
  uint64_t num_items, k;
  void *control;  // TopKControl
  // Candidates: bits of keys, and indices; or both as one number, of which the index has so many bits: TopKPacking.
  void *bits;
  uint64_t *indices;
  uint64_t capacity;  // how many there may be
  void *records;      // TopKRecord, k of them: the result, to be sorted; null: it goes to the outputs
  // Of so many items, the bounds are after the one of either rank, from 1 on; 0: there is no such bound.
  uint32_t samples, sure_rank, last_rank;
  int32_t is_signed, is_descending;
  int32_t is_dense;  // whether nearly every tile has something for the outputs or the candidates
  uint32_t index_width;
  const uint64_t *num_items_in;  // where num_items is, if only the GPU knows it
  // Of bytes that are counted: this call's; control is what blocks tell each other then, and bits, how many keys come up
  // to each byte, for a launch that writes the result; null: the one that counts does.
  uint64_t tag;
};

// The call where only the GPU knows how many items there are, and `given` has that number.
__device__ inline TopKCall counted_call(TopKCall given) {
  given.k = min_of(given.k, given.num_items);
  return given;
}

// Keys as unsigned integers of which the least is the best.
template <class Base> struct TopKKeys {
  using Narrow = typename Base::Bits;
  using Bits = conditional<(sizeof(Narrow) < 4), uint32_t, Narrow>;
  static constexpr int width = sizeof(Narrow) * 8;
  static constexpr bool takes_any_bytes = Base::takes_any_bytes;
  Narrow flip;

  template <class Call, class In>
  __device__ TopKKeys(const Call &call, const In &) : flip(radix_flip<Narrow>(call.is_signed, call.is_descending)) {}
  template <class T> __device__ Bits operator()(const T &key) const {
    return Narrow(Base::bits(Base::enter(bit_cast<typename Base::Key>(key))) ^ flip);
  }
  // Bits in the same order but that keys which are equal and not the same differ, for the best of several keys; what
  // makes of these the key's bits; and the greatest that makes these.
  template <class T> __device__ Bits rough(const T &key) const {
    if constexpr (Base::has_twins) return Narrow(Base::enter(bit_cast<typename Base::Key>(key)) ^ flip);
    else return (*this)(key);
  }
  __device__ Bits exact(Bits rough) const {
    if constexpr (Base::has_twins) return Narrow(Base::bits(Narrow(Narrow(rough) ^ flip)) ^ flip);
    else return rough;
  }
  __device__ Bits most_rough(Bits exact) const {
    if constexpr (Base::has_twins)
      return Narrow(exact ^ flip) == Base::sign ? max_of(exact, Bits(Narrow(Base::minus_zero ^ flip))) : exact;
    else return exact;
  }
  // The key of an input's item whose bits are known, which are mostly all that there is of it.
  template <class In> __device__ typename In::value_type key_of(Bits bits, const In &in, uint64_t i) const {
    using Value = typename In::value_type;
    if constexpr (Base::is_exact && sizeof(Value) == sizeof(Narrow)) {
      const Narrow kept = Narrow(Narrow(bits) ^ flip);
      bool is_all = true;
      if constexpr (Base::has_twins) is_all = kept != Base::sign;
      if (is_all) return bit_cast<Value>(Base::leave(kept));
    }
    return in[i];
  }
};

// Structs that are too large to be held, told by their places (core/places.cuh): a decomposer of these knows whose.
template <class Decomposer> struct PlacedKeys;
template <class Decomposer> struct TopKKeys<PlacedKeys<Decomposer>> {
  using Bits = uint128_t;
  static constexpr int width = sizeof(Bits) * 8;
  static constexpr bool takes_any_bytes = false;
  Bits flip;
  Decomposer decomposer;

  template <class Call, class In>
  __device__ TopKKeys(const Call &call, const In &places)
      : flip(radix_flip<Bits>(call.is_signed, call.is_descending)), decomposer{{places.in, nullptr}, {}} {}
  template <class Place> __device__ Bits operator()(const Place &place) const {
    const auto fields = decomposer(place);
    static_assert(decltype(fields)::words == 1, "a key's fields have more bits than are selected by");
    return Bits(fields.word(0) ^ flip);
  }
  template <class Place> __device__ Bits rough(const Place &place) const { return (*this)(place); }
  __device__ Bits exact(Bits rough) const { return rough; }
  __device__ Bits most_rough(Bits exact) const { return exact; }
  template <class In> __device__ typename In::value_type key_of(Bits, const In &in, uint64_t i) const { return in[i]; }
};

template <class Bits> __device__ Bits low_bits(int count) {
  return count <= 0 ? Bits(0) : Bits(Bits(~Bits(0)) >> (int(sizeof(Bits)) * 8 - count));
}
// What comes before an item, which need not exist.
template <class Bits> struct TopKBound {
  Bits bits;
  uint64_t index;

  static __device__ TopKBound nothing() { return {0, 0}; }
  // Of keys of so many bits, all but those whose bits are all set.
  static __device__ TopKBound greatest(int width) { return {low_bits<Bits>(width), 0}; }
  static __device__ TopKBound everything() { return {Bits(~Bits(0)), ~uint64_t(0)}; }
  __device__ bool holds(Bits other, uint64_t other_index) const {
    return other < bits || (other == bits && other_index < index);
  }
};

// A result that is still to be sorted, by a sort to which src/algorithm/top_k.c describes the same.
template <class Bits> struct TopKRecord {
  Bits bits;
  uint64_t index;
};

// Candidates with keys of up to 4 bytes are one number each, of the key's bits and the index behind them: what a thread
// holds tells them apart, and no two are equal.
template <class Bits> constexpr bool top_k_packs = sizeof(Bits) <= 4;
template <class Bits> using TopKOrdered = conditional<top_k_packs<Bits>, uint64_t, Bits>;

constexpr int top_k_digit_bits = 11, top_k_digits = 1 << top_k_digit_bits;

// How far the search for an item of some rank has come: what is known of it, and its rank among the items of
// which the same is true. The bits of its key are found first, and then those of its index.
template <class Bits, int DigitBits = top_k_digit_bits> struct TopKSearch {
  static constexpr int digits = 1 << DigitBits;

  Bits bits, unknown_bits;
  uint64_t index, unknown_index;
  uint64_t rank;  // from 1 on
  int left, index_left;  // how many bits are unknown; of the index, once those of the key are known
  bool takes_all;  // whether all items of which the same is true are wanted

  // Among items between two bounds, of which there are so many that an index has `index_width` bits.
  static __device__ TopKSearch between(const TopKBound<Bits> &first, const TopKBound<Bits> &last, int index_width,
                                       uint64_t rank) {
    TopKSearch s;
    s.left = bit_length(Bits(first.bits ^ last.bits));
    s.unknown_bits = low_bits<Bits>(s.left);
    s.bits = Bits(first.bits & ~s.unknown_bits);
    s.index_left = s.left > 0 ? index_width : min_of(index_width, bit_length(first.index ^ last.index));
    s.index = s.left > 0 ? 0 : first.index & ~low_bits<uint64_t>(s.index_left);
    s.unknown_index = low_bits<uint64_t>(s.left > 0 ? 64 : s.index_left);
    s.rank = rank;
    s.takes_all = s.left == 0 && s.index_left == 0;
    return s;
  }
  // Among all items.
  static __device__ TopKSearch all(int width, int index_width, uint64_t rank) {
    return between(TopKBound<Bits>::nothing(), TopKBound<Bits>::greatest(width), index_width, rank);
  }

  __device__ bool is_by_index() const { return left == 0; }
  __device__ bool is_over() const { return takes_all; }
  __device__ int shift() const { return max_of((is_by_index() ? index_left : left) - DigitBits, 0); }
  __device__ bool holds_bits(Bits other) const { return ((other ^ bits) & ~unknown_bits) == 0; }
  __device__ bool holds_index(uint64_t other) const { return ((other ^ index) & ~unknown_index) == 0; }
  __device__ uint32_t digit_of(Bits other) const {
    return uint32_t((other & unknown_bits) >> shift());
  }
  __device__ uint32_t digit_of_index(uint64_t other) const {
    return uint32_t((other & unknown_index) >> shift());
  }

  // One more digit is known, and that `below` of the items have a lower one, and `count` the same.
  __device__ void narrow(uint32_t digit, uint64_t below, uint64_t count) {
    const int at = shift();
    rank -= below;
    if (!is_by_index()) {
      bits |= Bits(Bits(digit) << at);
      left = at;
      unknown_bits = low_bits<Bits>(left);
      if (left == 0) unknown_index = low_bits<uint64_t>(index_left);
    } else {
      index |= uint64_t(digit) << at;
      index_left = at;
      unknown_index = low_bits<uint64_t>(index_left);
    }
    takes_all = count == rank || (left == 0 && index_left == 0);
  }

  // Of the key's unknown bits only so many of the lowest differ, and the others are these.
  __device__ void narrow_to(Bits others, int differing) {
    left = differing;
    bits |= Bits(others & unknown_bits & ~low_bits<Bits>(left));
    unknown_bits = low_bits<Bits>(left);
  }
  // The keys are the same, and the item's index is in first .. last.
  __device__ void narrow_to_indices(uint64_t first, uint64_t last, uint64_t index_rank) {
    *this = between({bits, first}, {bits, last}, 64, index_rank);
  }

  // It is the item with these bits, which no other has.
  __device__ void narrow_to_item(Bits item) {
    bits = item;
    left = 0;
    unknown_bits = 0;
    unknown_index = low_bits<uint64_t>(index_left);
    takes_all = true;
  }

  // For a search for that item itself, rather than for all up to it: it goes on until there is no other one.
  __device__ void narrow_to_one(uint32_t digit, uint64_t below, uint64_t count) {
    narrow(digit, below, count);
    takes_all = count == 1 || (left == 0 && index_left == 0);
  }
  // What comes before all items of which what is known is true.
  __device__ TopKBound<Bits> lower_bound() const { return {bits, is_by_index() ? index : 0}; }

  // When it is over: what comes before it and the item itself.
  __device__ TopKBound<Bits> bound() const {
    if (!is_by_index()) return {Bits(bits | unknown_bits), ~uint64_t(0)};
    return {bits, (index | unknown_index) + 1};
  }
};

// What all blocks of a launch do together, in tickets of several tiles each.
template <class Bits> struct TopKStep {
  TopKSearch<Bits> search;
  TopKBound<Bits> bound;
  uint64_t first_ticket, end_ticket;
  uint64_t first_item, end_item;
  uint64_t count;        // of the candidates
  uint32_t candidates;   // whether it is about these, rather than the input
  uint32_t writes;       // whether it writes what is before the bound, and is the last; others count digits
};

// As many digits as keys of 128 bits and indices of 64 have, and the last step.
constexpr int top_k_max_steps = 20;
// What the host has for a TopKControl.
constexpr int top_k_control_bytes = 24 * 1024;

// Counters have lines of their own.
template <class Bits> struct alignas(128) TopKControl {
  uint64_t bins[top_k_digits];
  alignas(128) uint64_t taken;   // results that have a place after the pass over the input
  alignas(128) uint64_t kept;    // candidates
  alignas(128) uint64_t placed;  // results that have one since
  alignas(128) uint64_t tickets;
  alignas(128) uint64_t counted;  // of a step's tickets, those whose digits are in the bins
  alignas(128) uint32_t step;     // the latest
  TopKBound<Bits> sure, last;     // what the sample says
  alignas(128) TopKStep<TopKOrdered<Bits>> steps[top_k_max_steps];
};

// How a candidate is one number, once the sample has been taken. Where indices have more than 32 bits, there is room
// only for keys that are not much before the last bound.
template <class Bits> struct TopKPacking {
  int index_width;
  Bits least;

  __device__ explicit TopKPacking(const TopKCall &call) : index_width(int(call.index_width)), least(0) {
    if (index_width <= 32) return;
    const Bits last = static_cast<const TopKControl<Bits> *>(call.control)->last.bits;
    const Bits range = low_bits<Bits>(64 - index_width);
    least = last > range ? last - range : 0;
  }

  __device__ uint64_t pack(Bits bits, uint64_t index) const { return uint64_t(bits - least) << index_width | index; }
  __device__ Bits bits(uint64_t packed) const { return Bits(packed >> index_width) + least; }
  __device__ uint64_t index(uint64_t packed) const { return packed & low_bits<uint64_t>(index_width); }
  __device__ TopKBound<uint64_t> pack(const TopKBound<Bits> &bound) const {
    if (bound.bits < least) return TopKBound<uint64_t>::nothing();
    return {pack(bound.bits, min_of(bound.index, low_bits<uint64_t>(index_width))), 0};
  }
};

template <class Bits>
__device__ void keep_candidate(const TopKCall &call, uint64_t place, Bits bits, uint64_t index) {
  if (place >= call.capacity) return;
  if constexpr (top_k_packs<Bits>) {
    const TopKPacking<Bits> packing(call);
    if (bits >= packing.least) {
      static_cast<uint64_t *>(call.bits)[place] = packing.pack(bits, index);
    } else {
      // As if there were too many; once or a few times, so that it counts for nothing else.
      uint64_t *kept = &static_cast<TopKControl<Bits> *>(call.control)->kept;
      if (ptx::load_relaxed_gpu(kept) <= call.capacity) ptx::fetch_add_relaxed_gpu(kept, call.capacity + 1);
    }
  } else {
    static_cast<Bits *>(call.bits)[place] = bits;
    call.indices[place] = index;
  }
}

}  // namespace jig
