// Integer names, the few type traits jig needs, and bit-level copies. Freestanding: nothing outside
// jig is included, so a program compiles where no toolkit header is installed.
#pragma once

using int8_t   = signed char;
using uint8_t  = unsigned char;
using int16_t  = short;
using uint16_t = unsigned short;
using int32_t  = int;
using uint32_t = unsigned int;
using int64_t  = long long; // as CUDA's own headers have it under NVRTC, for users who include these
using uint64_t = unsigned long long;
using size_t   = decltype(sizeof(0));
using uintptr_t = uint64_t;

// Where a member lies in a struct: NVRTC has no offsetof(), but what its front end makes one of.
#define JIG_OFFSET_OF(type, member) __INTADDR__(&((type *)0)->member)

namespace jig {

using int128_t  = __int128;
using uint128_t = unsigned __int128;

// The type of a kernel parameter that a program does not use.
struct none {};

constexpr int warp_threads = 32;
constexpr uint32_t full_warp = 0xffffffffu;

template <class A, class B> constexpr bool is_same = false;
template <class A> constexpr bool is_same<A, A> = true;
// The same as an enumerator: the compiler keeps each variable of a template that it meets in the program.
template <class A, class B> struct same_types { enum : bool { value = false }; };
template <class A> struct same_types<A, A> { enum : bool { value = true }; };

template <bool Condition, class Then, class Else> struct conditional_type { using type = Then; };
template <class Then, class Else> struct conditional_type<false, Then, Else> { using type = Else; };
template <bool Condition, class Then, class Else>
using conditional = typename conditional_type<Condition, Then, Else>::type;

template <class T, class... Candidates>
constexpr bool is_any_of = (same_types<T, Candidates>::value || ...);

template <bool Condition> struct enable_type {};
template <> struct enable_type<true> { using type = int; };
// As the type of a last template parameter: the template exists only where Condition holds.
template <bool Condition> using enable_if = typename enable_type<Condition>::type;

template <class T>
constexpr bool is_integer = is_any_of<T, bool, char, int8_t, uint8_t, int16_t, uint16_t, int32_t,
                                      uint32_t, int64_t, uint64_t, long, unsigned long,
                                      int128_t, uint128_t>;
template <class T> constexpr bool is_floating_point = is_any_of<T, float, double>;

// Defined in core/half.cuh, which only programs that use them include.
struct f16;
struct bf16;
template <class T> constexpr bool is_half = is_any_of<T, f16, bf16>;
template <class T> constexpr bool is_number = is_integer<T> || is_floating_point<T> || is_half<T>;

template <class T> __device__ constexpr T min_of(T a, T b) { return b < a ? b : a; }
template <class T> __device__ constexpr T max_of(T a, T b) { return a < b ? b : a; }
template <class T> __device__ constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
__device__ constexpr bool is_power_of_two(int x) { return x > 0 && (x & (x - 1)) == 0; }
__device__ constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

// An unsigned type in which T's arithmetic can be done: integers wrap around, while the overflow of a
// signed type, to which narrow ones are promoted, would be undefined.
template <class T> struct wrapping_type { using type = T; };
template <> struct wrapping_type<int8_t> { using type = uint32_t; };
template <> struct wrapping_type<uint8_t> { using type = uint32_t; };
template <> struct wrapping_type<int16_t> { using type = uint32_t; };
template <> struct wrapping_type<uint16_t> { using type = uint32_t; };
template <> struct wrapping_type<int32_t> { using type = uint32_t; };
template <> struct wrapping_type<int64_t> { using type = uint64_t; };
template <> struct wrapping_type<int128_t> { using type = uint128_t; };
template <class T> using wrapping = typename wrapping_type<T>::type;

// A value type's array that can be returned, copied and kept in registers. One that is returned is what somebody asked
// for: who leaves it means that his own has changed, as CUB's functions have it.
template <class T, int N> struct [[nodiscard]] array {
  static constexpr int size = N;
  T data[N];
  __device__ T &operator[](int i) { return data[i]; }
  __device__ const T &operator[](int i) const { return data[i]; }
};

// Reads the bytes of one trivially copyable object as another of the same size.
template <class To, class From> __device__ To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast needs two types of one size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// Bytes of which only their number and alignment are known, kept in the largest words that allow.
template <size_t Size, size_t Align> struct alignas(Align) opaque {
  using word = conditional<(Align > 4), uint64_t,
                           conditional<(Align > 2), uint32_t, conditional<(Align > 1), uint16_t, uint8_t>>>;
  word words[Size / sizeof(word)];
};

// Instantiated for each struct of the caller's with the size and alignment that were stated for it.
template <class T, size_t Size, size_t Align, size_t StatedSize, size_t StatedAlign>
struct stated_layout {
  static_assert(Size == StatedSize && Align == StatedAlign, "JIG_TYPE_MISMATCH");
  static_assert(__is_trivially_copyable(T), "a value type must be trivially copyable");
};

// Whether items are too large for registers: TYPE_HELD_SIZE in src/spec/type.h. Mostly kernels have their places then
// (core/places.cuh).
constexpr int most_held_bytes = 256;
template <class T> constexpr bool is_wide = sizeof(T) > most_held_bytes;
// Whether an output takes places, and has the lanes of a warp share the words of the items that are there.
template <class Out> constexpr bool shares_items = false;
// Whether it takes places.
template <class Out> constexpr bool takes_places = false;
// How many items a warp stores there at a time, so that all of its lanes have something to do.
template <class Out> constexpr int items_at_once = warp_threads;
// The part of `count` items that the warps of a block of so many threads share evenly.
struct warp_share { int first, count; };
template <int Threads> __device__ warp_share share_of_warp(int count) {
  const int most = ceil_div(count, Threads / warp_threads), first = int(threadIdx.x) / warp_threads * most;
  return {first, max_of(0, min_of(most, count - first))};
}

// Stores items first .. first + count - 1 by all lanes of a warp; item_at(k) is the k-th of them.
template <class Out, class ItemAt>
__device__ void store_by_warp(const Out &out, uint64_t first, int count, const ItemAt &item_at) {
  if constexpr (shares_items<Out>) {
    out.share(first, count, item_at);
  } else {
#pragma unroll 1
    for (int k = threadIdx.x % warp_threads; k < count; k += warp_threads) out.store(first + k, item_at(k));
  }
}

// The 32-bit words that hold a T; a last partial word is zero above the value's bytes.
template <class T> constexpr int word_count = (sizeof(T) + 3) / 4;

template <class T> __device__ array<uint32_t, word_count<T>> to_words(T value) {
  array<uint32_t, word_count<T>> words{};
  memcpy(&words, &value, sizeof(T));
  return words;
}

template <class T> __device__ T from_words(array<uint32_t, word_count<T>> words) {
  T value;
  memcpy(&value, &words, sizeof(T));
  return value;
}

// Shared or other raw memory for N values whose constructors never run.
template <class T, int N = 1> struct uninitialized {
  alignas(T) unsigned char bytes[sizeof(T) * N];
  __device__ T &operator[](int i) { return reinterpret_cast<T *>(bytes)[i]; }
};

}  // namespace jig
