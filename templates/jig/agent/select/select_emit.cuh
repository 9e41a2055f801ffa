// Stores a few rows of vectors, which a warp has sorted into classes, in the order of each class's output.
//
// Items are put in that order in a stage, a part of shared memory that the warp has for itself, and stored
// from there together. Runs that would take too much of it go straight to the outputs.
#pragma once
#include <jig/agent/select/select_rule.cuh>
#include <jig/agent/select/select_sink.cuh>
#include <jig/agent/chain/stage.cuh>

namespace jig {

// What N items of an iterator are that there may be none of: one of them, what load_items() yields, and packed.
template <class From, int N> struct vectors_of {
  using item = typename From::value_type;
  using loaded = typename items_of<From, N>::type;
  using packed = memory_vector<item, N>;
};
template <int N> struct vectors_of<none, N> {
  using item = none;
  using loaded = none;
  using packed = none;
};

// Whether an output that may lie over the input begins where what it is made of does.
template <class Out, class From> __device__ bool is_same_memory(const Out &out, const From &from, bool in_place) {
  if constexpr (is_same<Out, From> && stores_bytes<typename From::value_type, From>)
    return in_place && out.data == from.data;
  else return false;
}

// Of items of type T, in vectors of VectorItems, whose first Selected classes are those that a rule selects.
template <class T, class Sink, int Selected, int VectorItems> class SelectEmit {
  static constexpr int classes = Sink::classes;

 public:
  static constexpr bool is_staged = sizeof(T) * VectorItems <= 128;
  // What a warp needs for so many rows.
  template <int Rows>
  static constexpr int stage_bytes =
      is_staged ? Rows * warp_threads * VectorItems * int(sizeof(T)) + 2 * classes * stage_align<T> : 1;

  __device__ SelectEmit(const Sink &sink, uint32_t stage) : sink_(sink), stage_(stage) {}

  // First of all: `items` items are to come, `counts` of them of each selected class, when `earlier` items
  // and `before` of these come before.
  __device__ void Place(const class_counts<Selected> &before, uint64_t earlier, const int (&counts)[Selected],
                        int items) {
    place<0>(before, earlier, counts, items, stage_);
  }

  // Whether all items are selected and would be stored where they are: `earlier` items after the first.
  __device__ bool KeepsAll(uint64_t earlier, int items) const {
    return classes == 1 && first_[0] == earlier && count_[0] == items;
  }

  // Puts a vector where it belongs: `ranks` items of each selected class, and `index` items in all, come
  // before it in these rows. Of its items those in `masks` are of these classes; in a sink of all classes
  // every other one of the first `items` is of the last class.
  template <class Vector>
  __device__ void Put(const Vector &vector, const class_masks<Selected> &masks, const int (&ranks)[Selected],
                      int index, int items = VectorItems) const {
    int slots[classes];  // of the next item of each class: addresses in the stage, or items of the output
    find_slots<0>(ranks, index, slots);
#pragma unroll
    for (int k = 0; k < VectorItems; ++k)
      if (k < items) put<0>(vector[k], k, masks, slots);
  }

  // Last of all; the warp's lanes have put all their vectors.
  __device__ void Store() const {
    if constexpr (is_staged) store<0>();
  }

  // Without the rest: stores an item that comes after `earlier` items and the items of each selected class
  // that `before` tells of, and after those of the lanes below, of which the masks tell.
  __device__ void StoreOne(const class_counts<Selected> &before, uint64_t earlier,
                           const class_masks<Selected> &masks, const T &item) const {
    store_one<0>(before, earlier, masks, item);
  }

 private:
  template <int C>
  __device__ void place(const class_counts<Selected> &before, uint64_t earlier, const int (&counts)[Selected],
                        int items, uint32_t begin) {
    if constexpr (C < classes) {
      constexpr uint32_t align = stage_align<T>;
      if constexpr (C < Selected) {
        count_[C] = counts[C];
        first_[C] = sink_.template first<C>(before.count[C], count_[C]);
        earlier -= before.count[C];
      } else {
        count_[C] = items;
        first_[C] = sink_.template first<C>(earlier, items);
      }
      begin_[C] = ((begin + align - 1) & -align) + stage_offset<T>(sink_.template out<C>(), first_[C]);
      place<C + 1>(before, earlier, counts, items - count_[C], begin_[C] + count_[C] * int(sizeof(T)));
    }
  }

  template <int C>
  __device__ void find_slots(const int (&ranks)[Selected], int others, int (&slots)[classes]) const {
    if constexpr (C < classes) {
      int rank = others;
      if constexpr (C < Selected) rank = ranks[C];
      const int place = Sink::template reversed<C> ? count_[C] - 1 - rank : rank;
      slots[C] = is_staged ? int(begin_[C]) + place * int(sizeof(T)) : place;
      find_slots<C + 1>(ranks, others - rank, slots);
    }
  }

  // Puts item k of a vector, of class C or a later one. The slot moves on within the branch or behind it,
  // whichever takes fewer instructions.
  template <int C>
  __device__ void put(const T &item, int k, const class_masks<Selected> &masks, int (&slots)[classes]) const {
    if constexpr (C < classes) {
      constexpr int step = (is_staged ? int(sizeof(T)) : 1) * (Sink::template reversed<C> ? -1 : 1);
      constexpr bool within = classes <= 2;
      const bool mine = C == Selected || (masks[C < Selected ? C : 0] >> k & 1) != 0;
      if (mine) {
        if constexpr (is_staged) ptx::shared_at<T>(slots[C]) = item;
        else store_item(sink_.template out<C>(), first_[C] + slots[C], item);
        if constexpr (within) slots[C] += step;
      } else {
        put<C + 1>(item, k, masks, slots);
      }
      if constexpr (!within) slots[C] += mine ? step : 0;
    }
  }

  template <int C> __device__ void store() const {
    if constexpr (C < classes) {
      store_staged<T>(begin_[C], count_[C], sink_.template out<C>(), first_[C]);
      store<C + 1>();
    }
  }

  // An item of class C or a later one; `earlier` items are of none before C.
  template <int C>
  __device__ void store_one(const class_counts<Selected> &before, uint64_t earlier,
                            const class_masks<Selected> &masks, const T &item) const {
    if constexpr (C < Selected) {
      const int lane = threadIdx.x % warp_threads;
      const uint64_t rank = before.count[C] + __popc(masks[C] & ((1u << lane) - 1));
      if (masks[C] >> lane & 1) store_item(sink_.template out<C>(), sink_.template first<C>(rank, 1), item);
      else store_one<C + 1>(before, earlier - rank, masks, item);
    } else if constexpr (C < classes) {
      store_item(sink_.template out<C>(), sink_.template first<C>(earlier, 1), item);
    }
  }

  const Sink &sink_;
  uint32_t stage_;
  uint64_t first_[classes];  // where each class's items go in its output,
  int count_[classes];       // how many,
  uint32_t begin_[classes];  // and where they are in the stage
};

}  // namespace jig
