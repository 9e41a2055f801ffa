// T{base0[i], base1[i], ...}: several iterators side by side, as structs with a member for each. When one
// is stored, each member goes to its iterator.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <int... K> struct places {};
template <int N, int... K> struct places_up_to : places_up_to<N - 1, N - 1, K...> {};
template <int... K> struct places_up_to<0, K...> { using type = places<K...>; };

// One of the parts of a struct that has them as its base classes, in order.
template <int K, class Part> struct zip_part { Part part; };
template <int K, class Part> __device__ const Part &zip_get(const zip_part<K, Part> &whole) {
  return whole.part;
}

// f(every member of a struct that has N, in order).
template <int N, class T, class F> __device__ auto zip_apply(T &members, F f) {
#define JIG_ZIP_APPLY(COUNT, ...)                                                                  \
  if constexpr (N == COUNT) {                                                                      \
    auto &[__VA_ARGS__] = members;                                                                 \
    return f(__VA_ARGS__);                                                                         \
  }
  JIG_ZIP_APPLY(2, a, b)
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

// How many items a vector of each has, if that is the same; otherwise 0.
template <class First, class... Others> __device__ constexpr int common_vector_items() {
  return ((Others::vector_items == First::vector_items) && ...) ? First::vector_items : 0;
}

template <class T, class Places, class... Bases> struct zip_of;
template <class T, int... K, class... Bases>
struct zip_of<T, places<K...>, Bases...> : zip_part<K, Bases>... {
  using checked = typename zip_check<T, typename Bases::value_type...>::type;

  using value_type = T;
  static constexpr int common_items = common_vector_items<Bases...>();
  static constexpr int vector_items = common_items > 0 ? common_items : loose_items;
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
};

template <class T, class... Bases>
using Zip = zip_of<T, typename places_up_to<sizeof...(Bases)>::type, Bases...>;

}  // namespace jig
