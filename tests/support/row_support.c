#include "row_support.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "scan_support.h"

const row_kind row_kinds[ROW_KINDS] = {
    {"row65",
     "struct row65 { unsigned char b[65]; };",
     "(signed char)x.b[64], x.b[1]",
     65,
     1,
     {{64, JIG_KIND_I8}, {1, JIG_KIND_U8}}},
    {"row100",
     "struct row100 { float f; int i; unsigned u[23]; };",
     "x.f, x.i",
     100,
     4,
     {{0, JIG_KIND_F32}, {4, JIG_KIND_I32}}},
    {"row504",
     "struct row504 { double d; long long n; int m[122]; };",
     "x.d, x.n",
     504,
     8,
     {{0, JIG_KIND_F64}, {8, JIG_KIND_I64}}},
    {"row4096", "struct row4096 { int m[1023]; unsigned k; };", "x.k", 4096, 4, {{4092, JIG_KIND_U32}}},
    {"row24",
     "struct row24 { double a; long long b; unsigned long long c; };",
     "x.a, x.b, x.c",
     24,
     8,
     {{0, JIG_KIND_F64}, {8, JIG_KIND_I64}, {16, JIG_KIND_U64}}},
    {"row20",
     "struct row20 { unsigned a; float b; int c, d, e; };",
     "x.a, x.b, x.c, x.d, x.e",
     20,
     4,
     {{0, JIG_KIND_U32}, {4, JIG_KIND_F32}, {8, JIG_KIND_I32}, {12, JIG_KIND_I32}, {16, JIG_KIND_I32}}},
    /* One of the fields lies across two words. */
    {"row104",
     "struct row104 { long long a; double b; unsigned long long c; unsigned char d, rest[79]; };",
     "x.d, x.a, x.rest[0], x.b, x.c",
     104,
     8,
     {{24, JIG_KIND_U8}, {0, JIG_KIND_I64}, {25, JIG_KIND_U8}, {8, JIG_KIND_F64}, {16, JIG_KIND_U64}}},
    {"row512",
     "struct row512 { unsigned long long a[64]; };",
     "x.a[7], x.a[6], x.a[5], x.a[4], (long long)x.a[63]",
     512,
     8,
     {{56, JIG_KIND_U64},
      {48, JIG_KIND_U64},
      {40, JIG_KIND_U64},
      {32, JIG_KIND_U64},
      {504, JIG_KIND_I64}}},
};

static size_t size_of(jig_type_kind kind) {
  return jig_type_of_kind(kind).size;
}

jig_type row_type(const row_kind *kind) {
  return jig_struct(kind->name, kind->definition, kind->size, kind->align);
}

jig_type row_value(size_t bytes) {
  return bytes == 4 ? JIG_U32 : jig_opaque((uint32_t)bytes, 4);
}

int row_bits(const row_kind *kind) {
  int bits = 0;
  for (const row_field *f = kind->fields; f->kind != JIG_KIND_NONE; ++f)
    bits += 8 * (int)size_of(f->kind);
  return bits;
}

/* ---- rows */

static void put_field(unsigned char *at, jig_type_kind kind, uint64_t r) {
  static const double numbers[] = {0.0, -0.0, 1.0, -1.0, 1e30, -3.5};
  static const int64_t integers[] = {0, 1, -1, INT64_MIN, 0x0123456789abcdef, 256};
  const double number = numbers[r % COUNT_OF(numbers)];
  const float single = (float)number;
  if (kind == JIG_KIND_F64)
    memcpy(at, &number, sizeof number);
  else if (kind == JIG_KIND_F32)
    memcpy(at, &single, sizeof single);
  else
    memcpy(at, &integers[r % COUNT_OF(integers)], size_of(kind));
  /* Of integers of few bytes the last ones of these are zeros, and so is a sign. */
  if (!is_floating(kind) && r % 7 == 0) at[size_of(kind) - 1] ^= 0x80;
}

unsigned char *rows_of(const row_kind *kind, size_t count, uint64_t seed) {
  unsigned char *rows = malloc(count * kind->size);
  for (size_t i = 0; i < count * kind->size; ++i) rows[i] = (unsigned char)(next_random(&seed) >> 24);
  for (size_t i = 0; i < count; ++i)
    for (const row_field *f = kind->fields; f->kind != JIG_KIND_NONE; ++f)
      put_field(rows + i * kind->size + f->offset, f->kind, next_random(&seed) >> 16);
  return rows;
}

/* ---- order */

enum { MAX_BYTES = 16 * ROW_MAX_FIELDS };

/* A field's bytes as an unsigned integer's that is ordered as it is, the least significant first. */
static void ordered_field(const unsigned char *from, jig_type_kind kind, unsigned char *to) {
  const size_t size = size_of(kind);
  memcpy(to, from, size);
  double number = 1;
  if (kind == JIG_KIND_F64) memcpy(&number, from, sizeof number);
  if (kind == JIG_KIND_F32) number = (double)*(const float *)(const void *)from;
  if (number == 0) memset(to, 0, size); /* of either sign */
  const bool is_negative = (to[size - 1] & 0x80) != 0;
  if (is_floating(kind) && is_negative)
    for (size_t i = 0; i < size; ++i) to[i] = (unsigned char)~to[i];
  else if (is_floating(kind) || is_signed(kind))
    to[size - 1] ^= 0x80;
}

static void ordered_row(const row_kind *kind, const unsigned char *row, row_order order,
                        unsigned char bytes[MAX_BYTES]) {
  const int bits = row_bits(kind), end = order.end_bit != 0 ? order.end_bit : bits;
  size_t at = (size_t)bits / 8;
  memset(bytes, 0, MAX_BYTES);
  for (const row_field *f = kind->fields; f->kind != JIG_KIND_NONE; ++f) {
    at -= size_of(f->kind);
    ordered_field(row + f->offset, f->kind, bytes + at);
  }
  for (int bit = 0; bit < bits; ++bit)
    if (bit < order.begin_bit || bit >= end) bytes[bit / 8] &= (unsigned char)~(1u << bit % 8);
}

typedef struct sorted_row {
  unsigned char bytes[MAX_BYTES];
  size_t index;
  bool is_descending;
} sorted_row;

static int compare(const void *a_, const void *b_) {
  const sorted_row *a = a_, *b = b_;
  for (int i = MAX_BYTES - 1; i >= 0; --i)
    if (a->bytes[i] != b->bytes[i]) return (a->bytes[i] < b->bytes[i]) != a->is_descending ? -1 : 1;
  return a->index < b->index ? -1 : 1;
}

void rows_in_order(const row_kind *kind, const unsigned char *rows, row_order order, size_t first,
                   size_t count, size_t *indices) {
  sorted_row *sorted = malloc((count + 1) * sizeof *sorted);
  for (size_t i = 0; i < count; ++i) {
    ordered_row(kind, rows + (first + i) * kind->size, order, sorted[i].bytes);
    sorted[i].index = first + i;
    sorted[i].is_descending = order.is_descending;
  }
  qsort(sorted, count, sizeof *sorted, compare);
  for (size_t i = 0; i < count; ++i) indices[i] = sorted[i].index;
  free(sorted);
}

/* ---- arrays */

enum { UNTOUCHED = 0xa5 };

static void *fresh(size_t size) {
  void *memory = gpu_alloc(size, 0);
  gpu_fill(memory, UNTOUCHED, size);
  return memory;
}

row_arrays row_arrays_make(const row_kind *kind, size_t count, size_t value_bytes) {
  row_arrays a = {.kind = kind, .count = count, .value_bytes = value_bytes};
  uint64_t seed = count + kind->size;
  a.keys = rows_of(kind, count, seed);
  a.keys_in = gpu_copy(a.keys, count * kind->size, 0);
  a.keys_out = fresh(count * kind->size);
  if (value_bytes == 0) return a;
  a.values = malloc(count * value_bytes);
  for (size_t i = 0; i < count * value_bytes; ++i)
    a.values[i] = (unsigned char)(next_random(&seed) >> 24);
  a.values_in = gpu_copy(a.values, count * value_bytes, 0);
  a.values_out = fresh(count * value_bytes);
  return a;
}

void row_arrays_free(row_arrays *a) {
  gpu_free(a->keys_in);
  gpu_free(a->keys_out);
  if (a->values != NULL) gpu_free(a->values_in);
  if (a->values != NULL) gpu_free(a->values_out);
  free(a->keys);
  free(a->values);
}

static void check_array(const unsigned char *all, const void *out, size_t size, const size_t *order,
                        size_t count, const char *what) {
  unsigned char *got = malloc(count * size), *wanted = malloc(count * size);
  gpu_read(got, out, count * size);
  memset(wanted, UNTOUCHED, count * size);
  for (size_t i = 0; i < count; ++i)
    if (order[i] != ROW_UNTOUCHED) memcpy(wanted + i * size, all + order[i] * size, size);
  check_items(got, wanted, size, count, what);
  free(got);
  free(wanted);
}

void row_arrays_check(const row_arrays *a, const size_t *order, size_t count) {
  check_array(a->keys, a->keys_out, a->kind->size, order, count, a->kind->name);
  if (a->values != NULL) check_array(a->values, a->values_out, a->value_bytes, order, count, "values");
}
