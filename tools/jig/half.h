/* The 16-bit floating-point formats. */
#ifndef JIG_CLI_HALF_H
#define JIG_CLI_HALF_H

#include <stdint.h>

typedef struct half_format {
  int exponent_bits, mantissa_bits;
} half_format;

static const half_format format_f16 = {5, 10}, format_bf16 = {8, 7};

/* The nearest one, ties to even; infinity beyond the largest. */
uint16_t half_from_double(double value, half_format format);
double half_to_double(uint16_t bits, half_format format);

#endif
