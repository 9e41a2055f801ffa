/* Rounding to formats with fewer bits than a double has. */
#ifndef SOFTGPU_EXEC_ROUNDING_H
#define SOFTGPU_EXEC_ROUNDING_H

typedef enum rounding {
  ROUND_RN,  /* nearest, ties to even */
  ROUND_RZ,  /* towards zero */
  ROUND_RM,  /* down */
  ROUND_RP,  /* up */
  ROUND_RNA, /* nearest, ties away from zero */
} rounding;

/* Integral values. */
double round_integral(double x, rounding how);

/* The value with `precision` significant bits, its last one never below 2^least_exponent (that of the
 * format's smallest subnormal). Overflow is left to the caller. NaN and infinities stay. */
double round_to_precision(double x, int precision, int least_exponent, rounding how);

/* What a value beyond the format's largest becomes: that one or infinity. */
double round_overflow(double x, double largest, rounding how);

float f32_from_f64(double x, rounding how);

#endif
