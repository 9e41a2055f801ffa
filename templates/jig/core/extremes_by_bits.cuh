// Minima and maxima of doubles, whose NaNs are not passed over, by the bits of both.
#pragma once
#include <jig/core/operator.cuh>

namespace jig {

namespace ptx {
// The smaller or the larger of two, or the NaN that the hardware makes. Which number is below the other is told by their
// bits: integers, whose order is turned about where both are negative. That takes fewer instructions than min.f64 and
// max.f64, but more one after the other.
#define JIG_PTX_OR_NAN(NAME, IF_BELOW, OTHERWISE)                                                  \
  __device__ inline double NAME(double a, double b) {                                              \
    double r;                                                                                      \
    asm("{ .reg .pred is_nan, is_negative, is_below; .reg .b64 a, b, r;"                           \
        " setp.nan.f64 is_nan, %1, %2;"                                                            \
        " mov.b64 a, %1; mov.b64 b, %2; and.b64 r, a, b;"                                          \
        " setp.lt.s64 is_negative, r, 0; setp.lt.xor.s64 is_below, a, b, is_negative;"             \
        " selp.b64 r, " IF_BELOW ", " OTHERWISE ", is_below;"                                      \
        " selp.b64 r, 0x7fffffffffffffff, r, is_nan; mov.b64 %0, r; }"                             \
        : "=d"(r)                                                                                  \
        : "d"(a), "d"(b));                                                                         \
    return r;                                                                                      \
  }
JIG_PTX_OR_NAN(min_or_nan, "a", "b")
JIG_PTX_OR_NAN(max_or_nan, "b", "a")
#undef JIG_PTX_OR_NAN
}  // namespace ptx

// minimum<true> and maximum<true> of doubles, for threads that have others beside them.
struct minimum_by_bits : minimum<true> {
  __device__ double operator()(double a, double b) const { return ptx::min_or_nan(a, b); }
};
struct maximum_by_bits : maximum<true> {
  __device__ double operator()(double a, double b) const { return ptx::max_or_nan(a, b); }
};
template <> constexpr bool is_well_known<minimum_by_bits> = true;
template <> constexpr bool is_well_known<maximum_by_bits> = true;

}  // namespace jig
