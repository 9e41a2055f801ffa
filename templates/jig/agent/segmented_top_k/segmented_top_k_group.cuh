// How a warp group finds the top-k of what a source has, reading it once.
//
// What may be in the result goes to a buffer in shared memory. Of the first tile, which threads hold in registers,
// each thread tells the best item of all its own, or of parts of these: the k-th best of those that are told is no
// better than the k-th best item, so what comes after it can be left out. Whenever the buffer is full, the k best
// items in it are found, and the last of these is what later items have to be better than. So no luck is needed:
// where keys are as bad as can be, all that happens is that the buffer is full more often.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_buffer.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_source.cuh>

namespace jig {

// In which order results are told.
enum class TopKOrder { none, by_key, by_place };

// `Items` of a thread's tile; of these a thread tells the best one, or that of each of so many `Parts`.
template <int Items, int Parts, class Buffer> class SegmentedTopKGroup {
  using Bits = typename Buffer::Bits;
  using Bound = typename Buffer::Bound;

 public:
  __device__ explicit SegmentedTopKGroup(const Buffer &buffer) : buffer_(buffer), group_(buffer.group()) {}

  // Calls emit(number, bits, place) for each of the `wanted` best items, numbers being those of results. The
  // buffer has to have room for all items, or for twice as many as are wanted. Begins and ends with a barrier.
  template <class Source, class Emit>
  __device__ void Run(const Source &source, uint32_t wanted, TopKOrder order, const Emit &emit) {
    const uint32_t all = source.end - source.head;
    if (group_.thread() == 0) buffer_.used() = buffer_.taken() = 0;
    group_.sync();
    if (wanted >= all && order != TopKOrder::by_key) {
      emit_all(source, emit);
      group_.sync();
      return;
    }
    wanted = min_of(wanted, all);
    look_through(source, wanted);
    const uint32_t count = buffer_.used();
    group_.sync();
    Bound bound = Bound::everything();
    if (count > wanted) bound = buffer_.find(count, wanted, bit_length(source.end));
    if (order == TopKOrder::none) emit_any(count, bound, emit);
    else emit_sorted(count, wanted, bound, order, emit);
    group_.sync();
  }

 private:
  static constexpr bool is_power_of_two(int x) { return (x & (x - 1)) == 0; }
  static_assert(is_power_of_two(Parts), "a thread's items have equal parts");

  // ---- reading

  template <class Source> __device__ void look_through(const Source &source, uint32_t wanted) {
    using Tile = SegmentedTopKTile<Items, Source>;
    bound_ = Bound::everything();
    const uint32_t tile_items = Tile::items(group_);
    uint32_t first = 0;
#pragma unroll 1
    for (; source.end - first >= tile_items; first += tile_items) {
      const Tile tile(source, group_, first);
      if (first == 0) find_limit(tile, wanted);
      if (bound_.is_everything() || !append(tile, first)) append_each(source, wanted, first, first + tile_items);
    }
    append_each(source, wanted, first, source.end);
  }

  // What the bits of items of a tile have to be less than, if there is a bound. That has been found by a first tile,
  // and then it holds all items with its bits; or by items before the tile, whose places are less, and then it holds none
  // of the tile's with its bits.
  __device__ Bits limit() const { return bound_.holds_equals() ? Bits(bound_.bits + 1) : bound_.bits; }

  // By the first tile: there have to be twice as many best items as are wanted, or they would not tell enough.
  template <class Tile> __device__ void find_limit(const Tile &tile, uint32_t wanted) {
    constexpr int parts = min_of(Parts, int(Tile::vectors)), part_items = Tile::size / parts;
    static_assert(Tile::vectors % parts == 0, "parts are of whole vectors");
    const uint32_t threads = group_.threads();
    const bool by_thread = 2 * wanted <= threads;
    if (!by_thread && 2 * wanted > parts * threads) return;
    array<Bits, parts> best;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      best[p] = tile.bits[p * part_items];
#pragma unroll
      for (int i = 1; i < part_items; ++i) best[p] = min_of(best[p], tile.bits[p * part_items + i]);
    }
    if (by_thread) {
      Bits least = best[0];
#pragma unroll
      for (int p = 1; p < parts; ++p) least = min_of(least, best[p]);
      buffer_.bits(group_.thread()) = least;
    } else {
#pragma unroll
      for (int p = 0; p < parts; ++p) buffer_.bits(p * threads + group_.thread()) = best[p];
    }
    group_.sync();
    bound_ = Bound::upto(buffer_.find_roughly(by_thread ? threads : parts * threads, wanted));
    group_.sync();
  }

  // What of a tile is below the limit; whether there was room. A barrier at its end.
  template <class Tile> __device__ bool append(const Tile &tile, uint32_t first) {
    const Bits limit = this->limit();
    uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < Tile::size; ++i) count += tile.bits[i] < limit;
    bool fits = true;
    if (__any_sync(full_warp, count > 0)) {
      uint32_t slot = count > 0 ? buffer_.take_slots(count) : 0;
      fits = slot + count <= buffer_.capacity();
      if (count > 0 && fits) {
#pragma unroll
        for (int i = 0; i < Tile::size; ++i) {
          if (tile.bits[i] < limit) buffer_.put(slot++, tile.bits[i], Tile::place(group_, first, i));
        }
      }
      if (!fits) give_back(count);
    }
    if (!group_.any(!fits)) return true;
    // Of those that did fit some are in the buffer, others are in slots behind which there are gaps.
    if (fits && count > 0) give_back(count);
    group_.sync();
    return false;
  }
  __device__ void give_back(uint32_t count) { buffer_.take_slots(0 - count); }

  // Items that there may be no room for: so many of each thread at a time that there is. A barrier at its end.
  template <class Source>
  __device__ void append_each(const Source &source, uint32_t wanted, uint32_t first, uint32_t end) {
    const uint32_t threads = group_.threads(), capacity = buffer_.capacity();
    const bool has_room_for_all = source.end - source.head <= capacity;
    first = max_of(first, source.head);
#pragma unroll 1
    while (first < end) {
      const uint32_t count = buffer_.used();
      const uint32_t room = has_room_for_all ? capacity : (capacity - count) / threads * threads;
      group_.sync();
      if (room == 0) {
        shrink(count, wanted, bit_length(source.end));
        continue;
      }
      const uint32_t stop = min_of(room, end - first) + first;
#pragma unroll 4
      for (uint32_t place = first + group_.thread(); place < stop; place += threads) {
        const Bits bits = source.bits(place);
        if (bound_.holds(bits, place)) buffer_.put(buffer_.take_slots(1), bits, place);
      }
      first = stop;
      group_.sync();
    }
  }

  // Leaves the best items, as many as are wanted. Items of later tiles have greater places, so that they have to have
  // less bits than the last of these.
  __device__ void shrink(uint32_t count, uint32_t wanted, int place_bits) {
    bound_ = buffer_.find(count, wanted, place_bits);
    buffer_.keep(count, bound_);
  }

  // ---- results

  template <class Source, class Emit> __device__ void emit_all(const Source &source, const Emit &emit) const {
#pragma unroll 4
    for (uint32_t at = source.head + group_.thread(); at < source.end; at += group_.threads())
      emit(at - source.head, source.bits(at), at);
  }

  template <class Emit> __device__ void emit_any(uint32_t count, const Bound &bound, const Emit &emit) const {
#pragma unroll 1
    for (uint32_t i = group_.thread(); i < count; i += group_.threads()) {
      const Bits bits = buffer_.bits(i);
      const uint32_t place = buffer_.place(i);
      if (bound.holds(bits, place)) emit(buffer_.take_result(), bits, place);
    }
  }

  template <class Emit>
  __device__ void emit_sorted(uint32_t count, uint32_t wanted, const Bound &bound, TopKOrder order,
                              const Emit &emit) const {
    if (count > wanted) buffer_.keep(count, bound);
    if (order == TopKOrder::by_key)
      buffer_.sort(wanted, [&](uint32_t i, uint32_t j) { return buffer_.is_better(i, j); });
    else buffer_.sort(wanted, [&](uint32_t i, uint32_t j) { return buffer_.place(i) < buffer_.place(j); });
#pragma unroll 1
    for (uint32_t i = group_.thread(); i < wanted; i += group_.threads())
      emit(i, buffer_.bits(i), buffer_.place(i));
  }

  Buffer buffer_;
  WarpGroup group_;
  Bound bound_;  // no item that it does not hold is in the result
};

}  // namespace jig
