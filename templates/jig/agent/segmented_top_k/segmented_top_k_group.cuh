// How a warp group finds the top-k of what a source has, reading it once but for a few vectors.
//
// What may be in the result goes to a buffer in shared memory. By the first tile, which as a rule is all that there is,
// a limit is found of which it is certain that so many items as are wanted are no worse (segmented_top_k_limit.cuh).
// Vectors whose best item is within it are read once more, and their items appended. When the buffer becomes full the
// best items in it are found, and the last of these is the new limit. Should items of one tile fill it, a limit is
// found by that tile; if they still do, one that tells equal items apart by their places; and at last its items are
// taken a few at a time. So no luck is needed.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_buffer.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_limit.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_source.cuh>

namespace jig {

// In which order results are told.
enum class TopKOrder { none, by_key, by_place };

// `Items` of a thread's tile, and whether it has loops.
template <int Items, class Buffer, bool Loops> class SegmentedTopKGroup {
  using Bits = typename Buffer::Bits;
  using Bound = typename Buffer::Bound;

 public:
  __device__ explicit SegmentedTopKGroup(const Buffer &buffer) : buffer_(buffer) { buffer_.forget(); }

  // Calls emit(number, bits, place) for each of the `wanted` best items, numbers being those of results. The
  // buffer has to have room for all items, or for twice as many as are wanted. Ends with a barrier, and what was done
  // before has to have ended with one.
  template <class Source, class Emit>
  __device__ void Run(const Source &source, uint32_t wanted, TopKOrder order, const Emit &emit) {
    const uint32_t all = source.end - source.head;
    if (wanted >= all && order != TopKOrder::by_key) {
      group().sync();
      emit_all(source, emit);
      group().sync();
      return;
    }
    wanted = min_of(wanted, all);
    if (group().thread() == 0) buffer_.used() = buffer_.taken() = 0;
    look_through(source, wanted);
    emit_found(source, buffer_.used(), wanted, order, emit);
    group().sync();
  }

 private:
  __device__ const WarpGroup &group() const { return buffer_.group(); }

  // ---- reading

  // Whether there may be more items than the buffer has room for.
  template <class Source> __device__ bool is_tight(const Source &source) const {
    return source.end - source.head > buffer_.capacity();
  }

  // A barrier at its end.
  template <class Source> __device__ void look_through(const Source &source, uint32_t wanted) {
    constexpr uint32_t vector = Source::vector_items;
    using Tile = SegmentedTopKTile<Items, Source, Loops>;
    bound_ = Bound::everything();
    const uint32_t stop = source.end / vector * vector;
    uint32_t first = 0;
#pragma unroll 1
    do {
      uint32_t end = min_of(stop - first, Tile::items(group())) + first;
      Appended appended = Appended::all;
      if (stop == 0) group().sync();
      else appended = append_tile(source, load<Tile>(source, first, stop), first, end, wanted);
      const uint32_t each = appended == Appended::none ? first : end;
      if (end == stop) end = source.end;
      if (appended == Appended::and_full || each < end)
        append_each(source, wanted, each, end, appended == Appended::and_full);
      first = end;
    } while (first < source.end);
  }
  // What has become of a tile: it is in the buffer; so it is, but others would not fit; it did not fit.
  enum class Appended { all, and_full, none };

  template <class Tile, class Source>
  __device__ Tile load(const Source &source, uint32_t first, uint32_t stop) {
    buffer_.forget();
    const Tile tile(source, group(), first, stop);
    buffer_.forget();
    return tile;
  }

  // A barrier at its end.
  template <class Source, class Tile>
  __device__ Appended append_tile(const Source &source, const Tile &tile, uint32_t first, uint32_t end,
                                  uint32_t wanted) {
#pragma unroll 1
    for (int attempt = first == 0 ? by_bits : by_bits - 1; attempt <= by_place; ++attempt) {
      buffer_.forget();
      if (attempt >= by_bits) find_limit(source, tile, first, end, wanted, attempt);
      if (!append(source, tile, first, end)) return Appended::all;
      if (is_whole()) return Appended::and_full;
      take_back(first);
    }
    return Appended::none;
  }
  enum { by_bits = 1, by_place };

  // No item after a tile is in the result if it is as good as the last that a limit by the tile holds. Has a barrier.
  template <class Source, class Tile>
  __device__ void find_limit(const Source &source, const Tile &tile, uint32_t first, uint32_t end, uint32_t wanted,
                             int attempt) {
    const SegmentedTopKLimit<Buffer> limit(buffer_);
    Bound found;
    if (attempt == by_bits) {
      const Bits bits = limit.Find(tile, wanted, first == 0);
      found = bits == Bits(~Bits(0)) ? Bound::everything() : Bound::upto(source.exact(bits));
    } else {
      found = {bound_.bits, limit.FindPlace(tile, first, wanted, source.most_rough(bound_.bits))};
    }
    if (!found.is_everything()) found.place = min_of(found.place, end - 1);
    if (bound_.holds(found.bits, found.place)) bound_ = found;
  }

  // What of a tile is within the limit. Whether the buffer has become rather full, or was too small; a barrier.
  template <class Source, class Tile>
  __device__ bool append(const Source &source, const Tile &tile, uint32_t first, uint32_t end) {
    uint32_t found = found_by<true>(source, tile);
    if (bound_.place < end - 1)
      found = found_by<false>(source, tile) | (found & low_bits<uint32_t>(rows_until<Tile>(first)));
    bool is_full = false;
    if (is_tight(source) && is_flood<Tile>(found)) {
      if (ptx::lane_id() == 0) ptx::or_shared(ptx::shared_address(&buffer_.flooded()), 1);
      is_full = true;
    } else {
      const bool vectorizes = source.vectorizable();
#pragma unroll 1
      for (; __any_sync(full_warp, found != 0); found &= found - 1) {
        const uint32_t at = Tile::place(group(), first, __ffs(int(found)) - 1);
        if (found != 0 && at < end) is_full |= append_vector(source, source.load(at, vectorizes), at);
      }
    }
    return group().any(is_full && is_tight(source));
  }

  // The vectors of which the best item is as good as the last that the bound holds, or better.
  template <bool WithEquals, class Source, class Tile>
  __device__ uint32_t found_by(const Source &source, const Tile &tile) const {
    const Bits most = source.most_rough(bound_.bits);
    uint32_t found = 0;
#pragma unroll
    for (int r = 0; r < Tile::vectors; ++r)
      found |= uint32_t(WithEquals ? tile.best[r] <= most : tile.best[r] < bound_.bits) << r;
    return found;
  }
  // How many of this thread's vectors begin where equal items are still held.
  template <class Tile> __device__ int rows_until(uint32_t first) const {
    const uint32_t own = Tile::place(group(), first, 0), row = uint32_t(group().threads()) * Tile::vector_items;
    return bound_.place < own ? 0 : int(min_of((bound_.place - own) / row + 1, uint32_t(Tile::vectors)));
  }

  // Whether most of what a warp has of a tile is within the limit, so that there cannot be room for all.
  template <class Tile> static __device__ bool is_flood(uint32_t found) {
    if constexpr (Tile::vectors < 4) return false;
    else return __popc(__ballot_sync(full_warp, __popc(found) > Tile::vectors / 2)) > warp_threads / 2;
  }

  template <class Source>
  __device__ bool append_vector(const Source &source, const typename Source::Vector &vector, uint32_t at) {
    bool is_full = false;
#pragma unroll
    for (int k = 0; k < Source::vector_items; ++k) {
      const Bits bits = source.bits_of(vector, k);
      if (!bound_.holds(bits, at + k) || at + k < source.head) continue;
      const uint32_t slot = buffer_.take_slots(1);
      if (slot < buffer_.capacity()) buffer_.put(slot, bits, at + k);
      is_full |= slot >= buffer_.capacity() / 2;
    }
    return is_full;
  }

  // Whether all of a tile is in the buffer; between barriers.
  __device__ bool is_whole() const { return buffer_.used() <= buffer_.capacity() && buffer_.flooded() == 0; }

  // Leaves what was there before a tile. The same barriers.
  __device__ void take_back(uint32_t first) {
    const uint32_t count = min_of(buffer_.used(), buffer_.capacity());
    group().sync();
    if (group().thread() == 0) buffer_.flooded() = 0;
    buffer_.keep(count, [&](Bits, uint32_t place) { return place < first; });
  }

  // Items that there may be no room for: so many of each thread at a time that there is; and, if that is asked for, no
  // more in the buffer than are wanted to begin with. A barrier at its end.
  template <class Source>
  __device__ void append_each(const Source &source, uint32_t wanted, uint32_t first, uint32_t end, bool is_full) {
    const uint32_t threads = group().threads(), capacity = buffer_.capacity();
    first = max_of(first, source.head);
#pragma unroll 1
    while (first < end || is_full) {
      buffer_.forget();
      const uint32_t count = buffer_.used();
      const uint32_t room = is_tight(source) ? (capacity - count) / threads * threads : capacity;
      group().sync();
      if (room == 0 || is_full) {
        shrink(count, wanted, source, first - 1);
        is_full = false;
        continue;
      }
      const uint32_t stop = min_of(room, end - first) + first;
#pragma unroll 4
      for (; first < stop; first += threads) {
        const uint32_t place = first + group().thread();
        if (place >= stop) continue;
        const Bits bits = source.bits(place);
        if (bound_.holds(bits, place)) buffer_.put(buffer_.take_slots(1), bits, place);
      }
      first = stop;
      group().sync();
    }
  }

  // Leaves the best items of those until `last`, as many as are wanted. Later ones have to have less bits than the last
  // of these.
  template <class Source>
  __device__ void shrink(uint32_t count, uint32_t wanted, const Source &source, uint32_t last) {
    bound_ = buffer_.find(count, wanted, bit_length(source.end));
    bound_.place = min_of(bound_.place, last);
    buffer_.keep(count, [&](Bits bits, uint32_t place) { return bound_.holds(bits, place); });
  }

  // ---- results

  template <class Source, class Emit> __device__ void emit_all(const Source &source, const Emit &emit) const {
#pragma unroll 4
    for (uint32_t at = source.head + group().thread(); at < source.end; at += group().threads())
      emit(at - source.head, source.bits(at), at);
  }

  // Few are ranked, and so are those that are to be in order once there are no others.
  template <class Source, class Emit>
  __device__ void emit_found(const Source &source, uint32_t count, uint32_t wanted, TopKOrder order,
                             const Emit &emit) {
    buffer_.forget();
    if (count > most_ranked() || order == TopKOrder::by_place) {
      Bound bound = Bound::everything();
      if (count > wanted) bound = buffer_.find(count, wanted, bit_length(source.end));
      if (order == TopKOrder::none) return emit_any(count, bound, emit);
      if (count > wanted) buffer_.keep(count, [&](Bits bits, uint32_t place) { return bound.holds(bits, place); });
      count = wanted;
      if (order == TopKOrder::by_place || count > most_sorted) return emit_sorted(count, order, emit);
    }
    if (count <= warp_threads && order == TopKOrder::none) emit_few(count, wanted, emit);
    else emit_ranked(count, wanted, emit);
  }
  __device__ uint32_t most_ranked() const { return 64 + 8 * uint32_t(group().warps()); }
  static constexpr uint32_t most_sorted = 512;

  // As many as a warp has lanes.
  template <class Emit> __device__ void emit_few(uint32_t count, uint32_t wanted, const Emit &emit) const {
    if (group().warp() > 0) return;
    const uint32_t i = ptx::lane_id();
    const Bits bits = i < count ? buffer_.bits(i) : Bits(~Bits(0));
    array<Bits, 1> all = {bits};
    sort_lanes<warp_threads>(all);
    const Bits limit = shuffle_from(all[0], int(wanted) - 1, warp_threads, full_warp);
    const uint32_t less = __ballot_sync(full_warp, bits < limit);
    const uint32_t equal = __ballot_sync(full_warp, i < count && bits == limit);
    const uint32_t place = i < count ? buffer_.place(i) : 0;
    uint32_t kept = less | equal;
    if (__popc(kept) > int(wanted)) kept = less | first_of(equal, place, wanted - __popc(less));
    if ((kept >> i & 1) != 0) emit(__popc(kept & ptx::lanes_below()), bits, place);
  }
  // So many of these lanes, which have the least places.
  static __device__ uint32_t first_of(uint32_t lanes, uint32_t place, uint32_t count) {
    uint32_t before = 0;
#pragma unroll 1
    for (int lane = 0; lane < warp_threads; ++lane)
      before += __shfl_sync(full_warp, place, lane) < place && (lanes >> lane & 1) != 0;
    return lanes & __ballot_sync(full_warp, before < count);
  }

  template <class Emit> __device__ void emit_ranked(uint32_t count, uint32_t wanted, const Emit &emit) const {
    buffer_.sort_lists(count);
#pragma unroll 1
    for (uint32_t i = group().thread(); i < count; i += group().threads()) {
      const uint32_t rank = buffer_.rank_of(i, count);
      if (rank < wanted) emit(rank, buffer_.bits(i), buffer_.place(i));
    }
  }

  template <class Emit> __device__ void emit_any(uint32_t count, const Bound &bound, const Emit &emit) const {
#pragma unroll 1
    for (uint32_t i = group().thread(); i < count; i += group().threads()) {
      const Bits bits = buffer_.bits(i);
      const uint32_t place = buffer_.place(i);
      if (bound.holds(bits, place)) emit(buffer_.take_result(), bits, place);
    }
  }

  template <class Emit> __device__ void emit_sorted(uint32_t count, TopKOrder order, const Emit &emit) const {
    buffer_.sort(count, [&](uint32_t i, uint32_t j) {
      return order == TopKOrder::by_key ? buffer_.is_better(i, j) : buffer_.place(i) < buffer_.place(j);
    });
#pragma unroll 1
    for (uint32_t i = group().thread(); i < count; i += group().threads())
      emit(i, buffer_.bits(i), buffer_.place(i));
  }

  Buffer buffer_;
  Bound bound_;  // no item that it does not hold is in the result
};

}  // namespace jig
