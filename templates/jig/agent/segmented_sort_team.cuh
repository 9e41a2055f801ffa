// Sorts a segment that fits shared memory, by a team of warps: every pass there.
//
// Values stay where they are until the end; with them, keys have their indices beside them. Whether adding has
// ranked them all in the right order (radix_rank.cuh) is looked at once, at the end; if it has not, all
// is done again by matching.
#pragma once
#include <jig/agent/radix_team.cuh>
#include <jig/agent/segmented_sort_items.cuh>

namespace jig {

template <class Keys, class Value> class AgentSegmentedSortTeam {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr bool has_values = !is_same<Value, none>;
  using Team = RadixTeam<Keys, has_values>;
  using Items = typename Team::Items;

 public:
  __device__ AgentSegmentedSortTeam(const Team &team, const Items &first, const Items &second,
                                    const RadixSortCall &call, uint64_t begin)
      : team_(team),
        items_{first, second},
        call_(call),
        range_{call.begin_bit, call.end_bit},
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)),
        begin_(begin) {}

  // Ends without a barrier.
  __device__ void Run() {
    const Bits mask = radix_mask<Bits>(range_.begin, range_.end - range_.begin);
    bool matches = JIG_RADIX_SORT_FORCE == 1;
    int at;
#pragma unroll 1
    while (true) {
      matches = team_.team().any(load() || matches);
      at = sort(matches);
      if (matches || !team_.team().any(JIG_RADIX_SORT_FORCE == 2 || !team_.in_order(items_[at], flip_, mask))) break;
      matches = true;
    }
    write(items_[at], items_[at ^ 1]);
  }

 private:
  __device__ bool load() const {
    const Key *from = static_cast<const Key *>(call_.keys_in) + begin_;
    return team_.fill(items_[0], range_.end - range_.begin == int(sizeof(Bits) * 8),
                      [&](int i) { return Keys::enter(from[i]); });
  }

  // From one place to the other and back, but for passes in which there is nothing to do; where they are in the
  // end.
  __device__ int sort(bool matches) const {
    int at = 0;
#pragma unroll 1
    for (int p = 0; p < range_.passes(); ++p) {
      const RadixDigit<Keys> digit(range_.first(p), range_.count(p), flip_);
      const RadixRankMode mode = team_.count(items_[at], digit);
      if (mode == RankIsIndex) continue;
      team_.move(items_[at], items_[at ^ 1], digit, matches ? RankByMatching : mode);
      team_.team().sync();
      at ^= 1;
    }
    return at;
  }

  __device__ void write(const Items &sorted, const Items &other) const {
    Key *to = static_cast<Key *>(call_.keys_out) + begin_;
    const int threads = team_.team().threads();
#pragma unroll 4
    for (int i = team_.team().thread(); i < team_.num_items(); i += threads) to[i] = Keys::leave(sorted.keys[i]);
    if constexpr (has_values) {
      const ItemValues<Value, Kept> values(static_cast<const Value *>(call_.values_in) + begin_, other.keys);
      values.stage(team_.team(), team_.num_items());
      Value *values_to = static_cast<Value *>(call_.values_out) + begin_;
#pragma unroll 4
      for (int i = team_.team().thread(); i < team_.num_items(); i += threads)
        values_to[i] = values[sorted.indices[i]];
    }
  }

  const Team &team_;
  const Items items_[2];
  const RadixSortCall &call_;
  RadixRange range_;
  Bits flip_;
  uint64_t begin_;
};

}  // namespace jig
