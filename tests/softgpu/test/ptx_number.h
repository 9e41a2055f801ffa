/* Floating-point numbers of any format as bits, with one rounding at the end of an exact calculation. */
#ifndef SOFTGPU_TEST_PTX_NUMBER_H
#define SOFTGPU_TEST_PTX_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct number_format {
  unsigned mantissa, exponent; /* bits */
  bool no_infinity;            /* e4m3: the largest exponent has numbers too, all ones is NaN */
} number_format;
extern const number_format F16, BF16, F32, F64, TF32, E4M3, E5M2;

typedef enum rounding {
  ROUND_NEAREST, /* ties to even */
  ROUND_ZERO,
  ROUND_DOWN,
  ROUND_UP,
  ROUND_AWAY, /* to nearest, ties away from zero */
} rounding;
/* .rn, .rz, .rm, .rp, .rna and their like for whole numbers among an instruction's parts; nearest if
 * there is none. */
rounding rounding_of(const char *text);

/* The value of bits, exact. NaN for every NaN. */
double number_value(const number_format *f, uint64_t bits);
long double number_value_wide(const number_format *f, uint64_t bits);
/* Rounded; the only NaN is the canonical one, all ones but the sign. */
uint64_t number_round(const number_format *f, long double value, rounding way);
uint64_t number_nan(const number_format *f);
bool number_is_nan(const number_format *f, uint64_t bits);
/* Subnormals become zeros of the same sign. */
uint64_t number_flush(const number_format *f, uint64_t bits);
/* number_round(), and 0 with the sign of what is too small for a normal number before it is rounded. */
uint64_t number_round_flushed(const number_format *f, long double value, rounding way);
/* [0, 1]; NaN becomes 0. */
uint64_t number_saturate(const number_format *f, uint64_t bits);
/* Negative numbers become +0, NaN the canonical one. */
uint64_t number_relu(const number_format *f, uint64_t bits);

/* a + b, a / b, sqrt(a) in double, rounded to odd: rounding that once more, to any format of at most 50
 * bits, is as good as rounding the exact result. */
double odd_sum(double a, double b);
double odd_quotient(double a, double b);
double odd_root(double a);

float as_float(uint64_t bits);
double as_double(uint64_t bits);
uint64_t float_bits(float value);
uint64_t double_bits(double value);

#endif
