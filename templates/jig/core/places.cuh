// Items that are too large for registers (is_wide) stay where they are: kernels move their places about, look at the
// items there, and move these once, at the end. What kernels get in the stead of the caller's iterators and operators
// is made of these by a program's entry point (src/jit/places.c).
#pragma once
#include <jig/core/iterator/items.cuh>
#include <jig/core/less.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

// Which item of an input; of the second of two inputs, with the highest bit.
struct item_place { uint64_t index; };
constexpr uint64_t of_second_input = uint64_t(1) << 63;

template <> constexpr bool has_references<none> = true;

// One input or two whose items are meant.
template <class First, class Second = none> struct Origin {
  using T = typename First::value_type;
  static constexpr bool in_memory = has_references<First> && has_references<Second>;
  const First *first;
  const Second *second;

  // The item, by a reference if it lies in memory.
  __device__ conditional<in_memory, const T &, made_item<T>> operator[](item_place place) const {
    if constexpr (is_same<Second, none>) {
      return of(*first, place.index);
    } else {
      const uint64_t index = place.index & ~of_second_input;
      const bool is_second = place.index != index;
      if constexpr (in_memory) return *(is_second ? &second->reference(index) : &first->reference(index));
      else return is_second ? made_item<T>((*second)[index]) : made_item<T>((*first)[index]);
    }
  }

 private:
  static __device__ conditional<in_memory, const T &, made_item<T>> of(const First &in, uint64_t i) {
    if constexpr (in_memory) return in.reference(i);
    else return in[i];
  }
};

// The places of an input's items.
template <class In, uint64_t Bit = 0> struct Places {
  using value_type = item_place;
  static constexpr int vector_items = 4;
  using vector_type = array<item_place, vector_items>;
  const In *in;

  __device__ item_place operator[](uint64_t i) const { return {i | Bit}; }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const {
    vector_type vector;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) vector[k] = (*this)[i + k];
    return vector;
  }
};

// An operator over such items; where an algorithm has a default instead, that one.
struct equal_items {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a == b; }
};
template <class From, class Op> struct PlacesOp {
  From from;
  Op op;
  __device__ auto operator()(item_place x) const { return op(from[x]); }
  __device__ auto operator()(item_place a, item_place b) const { return op(from[a], from[b]); }
};

// Where such items go.
template <class From, class Out> struct PlacesOut {
  using value_type = item_place;
  static constexpr int vector_items = 4;
  // Whether lanes can share an item's words.
  static constexpr bool shares = From::in_memory && has_references<Out>;
  From from;
  const Out *out;

  __device__ void store(uint64_t i, item_place place) const {
    if constexpr (shares) copy_item(&out->reference(i), &from[place]);
    else out->store(i, from[place]);
  }
  // Items first .. first + count - 1 by all lanes of a warp; place_at(k) is where the k-th of them lies.
  template <class PlaceAt> __device__ void share(uint64_t first, int count, const PlaceAt &place_at) const {
    using T = typename From::T;
    copy_items<T>(
        count, [&](int k) { return &from[place_at(k)]; }, [&](int k) { return &out->reference(first + k); });
  }
};

template <class From, class Out> constexpr bool takes_places<PlacesOut<From, Out>> = true;
template <class From, class Out> constexpr bool shares_items<PlacesOut<From, Out>> = PlacesOut<From, Out>::shares;
template <class From, class Out>
constexpr int items_at_once<PlacesOut<From, Out>> =
    PlacesOut<From, Out>::shares ? max_of(shared_bytes_at_once / int(sizeof(typename From::T)), 1) : warp_threads;

}  // namespace jig
