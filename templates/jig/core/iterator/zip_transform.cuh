// op(base0[i], base1[i], ...): an operator over several input iterators, each loaded as wide as it allows.
#pragma once
#include <jig/core/iterator/parts.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/operator.cuh>

namespace jig {

template <class... Bases> struct bases {};

// Vectors as the bases have loaded them: the operator is called when an item is needed.
template <class Op, class Result, int Items, class Places, class... Vectors> struct zip_transform_vector;
template <class Op, class Result, int Items, int... K, class... Vectors>
struct zip_transform_vector<Op, Result, Items, places<K...>, Vectors...> : zip_part<K, Vectors>... {
  static constexpr int size = Items;
  const Op *op;
  __device__ Result operator[](int i) const { return (*op)(zip_get<K>(*this)[i]...); }
};

template <class Op, class Result, class Places, class... Bases> struct zip_transform_of;
template <class Op, class Result, int... K, class... Bases>
struct zip_transform_of<Op, Result, places<K...>, Bases...> : zip_part<K, Bases>... {
  using value_type = Result;
  static constexpr int common_items = common_vector_items<Bases...>();
  static constexpr int vector_items = common_items > 0 ? common_items : loose_items<Result>;
  template <int N>
  using vector_of = zip_transform_vector<Op, Result, N, places<K...>, typename items_of<Bases, N>::type...>;
  using vector_type = vector_of<vector_items>;

  Op op;

  __device__ Result operator[](uint64_t i) const { return op(zip_get<K>(*this)[i]...); }
  // All addresses are tested at once, not one after another.
  template <int N> __device__ bool can_load() const { return (can_load_vectors<N>(zip_get<K>(*this)) & ...); }
  template <int N> __device__ vector_of<N> load(uint64_t i, bool vectorize) const {
    return {{load_items<N>(zip_get<K>(*this), i, vectorize)}..., &op};
  }
  __device__ bool vectorizable() const { return can_load<vector_items>(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return load<vector_items>(i, vectorize); }
};

template <class Bases, class Op, class Result> struct zip_transform_from;
template <class... Bases, class Op, class Result> struct zip_transform_from<bases<Bases...>, Op, Result> {
  using type = zip_transform_of<Op, Result, typename places_up_to<sizeof...(Bases)>::type, Bases...>;
};
template <class Bases, class Op, class Result>
using ZipTransform = typename zip_transform_from<Bases, Op, Result>::type;

// Vectors of any length are loaded from the bases as such.
template <class Op, class Result, class Places, class... Bases, int N>
struct items_of<zip_transform_of<Op, Result, Places, Bases...>, N> {
  using type = typename zip_transform_of<Op, Result, Places, Bases...>::template vector_of<N>;
};
template <int N, class Op, class Result, class Places, class... Bases>
__device__ bool can_load_vectors(const zip_transform_of<Op, Result, Places, Bases...> &in) {
  return in.template can_load<N>();
}
template <int N, class Op, class Result, class Places, class... Bases>
__device__ auto load_items(const zip_transform_of<Op, Result, Places, Bases...> &in, uint64_t first, bool vectorize) {
  return in.template load<N>(first, vectorize);
}

}  // namespace jig
