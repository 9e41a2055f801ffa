/* Numbers as 16-bit floating-point ones. */
#ifndef JIG_CLI_HALF_H
#define JIG_CLI_HALF_H

#include "util/half.h"

/* The nearest one, ties to even; infinity beyond the largest. */
uint16_t half_from_double(double value, half_format format);

#endif
