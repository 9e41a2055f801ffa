// T{base0[i], base1[i], ...}: several iterators side by side, as structs with a member for each. When one
// is stored, each member goes to its iterator.
#pragma once
#include <jig/core/iterator/parts.cuh>
#include <jig/core/store_vector.cuh>

namespace jig {

// f(every member of a struct that has N, in order).
template <int N, class T, class F> __device__ auto zip_apply(T &members, F f) {
#define JIG_ZIP_APPLY(COUNT, ...)                                                                  \
  if constexpr (N == COUNT) {                                                                      \
    auto &[__VA_ARGS__] = members;                                                                 \
    return f(__VA_ARGS__);                                                                         \
  }
  JIG_ZIP_APPLY(1, a)
  else JIG_ZIP_APPLY(2, a, b)
  else JIG_ZIP_APPLY(3, a, b, c)
  else JIG_ZIP_APPLY(4, a, b, c, d)
  else JIG_ZIP_APPLY(5, a, b, c, d, e)
  else JIG_ZIP_APPLY(6, a, b, c, d, e, g)
  else JIG_ZIP_APPLY(7, a, b, c, d, e, g, h)
  else JIG_ZIP_APPLY(8, a, b, c, d, e, g, h, i)
#undef JIG_ZIP_APPLY
}

// Whether a T can be initialised by so many values of any type: whether it has that many members.
template <int K> struct zip_any { template <class U> operator U() const; };
template <class...> using zip_void = void;
template <class T, class Places, class = void> constexpr bool zip_takes = false;
template <class T, int... K>
constexpr bool zip_takes<T, places<K...>, zip_void<decltype(T{zip_any<K>()...})>> = true;

// Whether two types are the same, or integers that differ in name only, such as long and long long.
template <class A, class B> __device__ constexpr bool zip_same() {
  if constexpr (is_same<A, B>) return true;
  else if constexpr (is_integer<A> && is_integer<B> && !is_any_of<bool, A, B>)
    return sizeof(A) == sizeof(B) && (A(-1) < A(0)) == (B(-1) < B(0));
  else return false;
}

template <int Number, class Member, class Item> struct zip_member {
  static_assert(zip_same<Member, Item>(),
                "jig_zip(): a member of the struct has another type than its iterator's items");
  using type = void;
};

template <class... Types> struct zip_list {};
template <class T> __device__ T &zip_value();  // for decltype only

// Called with a struct's members, it fails to compile if their types are not Items...
template <class Places, class... Items> struct zip_compare;
template <int... K, class... Items> struct zip_compare<places<K...>, Items...> {
  template <class... Members>
  __device__ zip_list<typename zip_member<K + 1, Members, Items>::type...>
  operator()(Members &...) const;
};

// Fails to compile, saying why, if a T does not have a member for each of Items..., of that type.
template <class T, class... Items> struct zip_check {
  static constexpr int count = sizeof...(Items);
  using Places = typename places_up_to<count>::type;
  static constexpr bool enough = zip_takes<T, Places>;
  static constexpr bool too_many = zip_takes<T, typename places_up_to<count + 1>::type>;
  static_assert(enough, "jig_zip(): the struct has fewer members than there are iterators");
  static_assert(!too_many, "jig_zip(): the struct has more members than there are iterators");

  template <class Checked> static __device__ auto compare() {
    if constexpr (enough && !too_many)
      return zip_apply<count>(zip_value<Checked>(), zip_compare<Places, Items...>());
  }
  using type = decltype(compare<T>());
};

// Vectors side by side, still as they were loaded.
template <class T, int Items, class Places, class... Vectors> struct zip_vector;
template <class T, int Items, int... K, class... Vectors>
struct zip_vector<T, Items, places<K...>, Vectors...> : zip_part<K, Vectors>... {
  static constexpr int size = Items;
  __device__ T operator[](int i) const { return T{zip_get<K>(*this)[i]...}; }
};

template <class T, class Places, class... Bases> struct zip_of;
template <class T, int... K, class... Bases>
struct zip_of<T, places<K...>, Bases...> : zip_part<K, Bases>... {
  using checked = typename zip_check<T, typename Bases::value_type...>::type;

  using value_type = T;
  static constexpr int common_items = common_vector_items<Bases...>();
  static constexpr int vector_items = common_items > 0 ? common_items : loose_items<T>;
  using vector_type =
      conditional<(common_items > 0), zip_vector<T, vector_items, places<K...>, typename Bases::vector_type...>,
                  loose_vector<T>>;

  __device__ T operator[](uint64_t i) const { return T{zip_get<K>(*this)[i]...}; }
  __device__ bool vectorizable() const {
    if constexpr (common_items > 0) return (zip_get<K>(*this).vectorizable() && ...);
    else return true;
  }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const {
    if constexpr (common_items > 0) return vector_type{{zip_get<K>(*this).load_vector(i, vectorize)}...};
    else return load_loose_vector(*this, i);
  }
  __device__ void store(uint64_t i, const T &value) const {
    zip_apply<sizeof...(Bases)>(value, [&](const auto &...members) {
      (zip_get<K>(*this).store(i, members), ...);
    });
  }
  template <int N> __device__ bool can_store() const { return (can_store_vectors<N>(zip_get<K>(*this)) && ...); }
  template <bool Vectorize, int N> __device__ void store_items(uint64_t first, const array<T, N> &items) const {
    (store_vector<Vectorize>(zip_get<K>(*this), first, members_of<K, typename Bases::value_type>(items)), ...);
  }
  template <int Member, class Item, int N> static __device__ array<Item, N> members_of(const array<T, N> &items) {
    array<Item, N> members;
#pragma unroll
    for (int k = 0; k < N; ++k)
      members[k] =
          zip_apply<sizeof...(Bases)>(items[k], [](const auto &...all) -> Item { return zip_pick<Member>(all...); });
    return members;
  }
};

// The K-th of some values.
template <int K, class First, class... Others>
__device__ const auto &zip_pick(const First &first, const Others &...others) {
  if constexpr (K == 0) return first;
  else return zip_pick<K - 1>(others...);
}

// A vector is stored member by member, each as wide as its iterator allows.
template <int N, class T, class Places, class... Bases>
__device__ bool can_store_vectors(const zip_of<T, Places, Bases...> &out) {
  return out.template can_store<N>();
}
template <bool Vectorize, class T, class Places, class... Bases, int N>
__device__ void store_vector(const zip_of<T, Places, Bases...> &out, uint64_t first, const array<T, N> &items) {
  out.template store_items<Vectorize>(first, items);
}

template <class T, class... Bases>
using Zip = zip_of<T, typename places_up_to<sizeof...(Bases)>::type, Bases...>;

}  // namespace jig
