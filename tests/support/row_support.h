/* Structs that radix sorts do not move themselves, and what the host makes of their fields. */
#ifndef JIG_TESTS_ROW_SUPPORT_H
#define JIG_TESTS_ROW_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROW_MAX_FIELDS = 8 };

/* Fields that a decomposer lists, the most significant first: where they are, and of what kind. */
typedef struct row_field {
  size_t offset;
  jig_type_kind kind;
} row_field;
typedef struct row_kind {
  const char *name, *definition, *decomposer;
  uint32_t size, align;
  row_field fields[ROW_MAX_FIELDS]; /* ends with kind NONE */
} row_kind;

/* Of 65 to 4096 bytes with up to 128 bits of fields, and of 20 bytes and more with 160 bits and more. */
enum { ROW_KINDS = 8 };
extern const row_kind row_kinds[ROW_KINDS];

jig_type row_type(const row_kind *kind);
int row_bits(const row_kind *kind); /* of all fields */
jig_type row_value(size_t bytes);

/* Random bytes, but for fields, which have few different values: zeros and ones of either sign. */
unsigned char *rows_of(const row_kind *kind, size_t count, uint64_t seed);

/* The indices of rows first .. first + count - 1 in order. end_bit 0: to the end. */
typedef struct row_order {
  bool is_descending;
  int begin_bit, end_bit;
} row_order;
void rows_in_order(const row_kind *kind, const unsigned char *rows, row_order order, size_t first,
                   size_t count, size_t *indices);

/* Keys and values, on the host and on the GPU. */
typedef struct row_arrays {
  const row_kind *kind;
  size_t count, value_bytes; /* of a value; 0: there are none */
  unsigned char *keys, *values;
  void *keys_in, *keys_out, *values_in, *values_out;
} row_arrays;
row_arrays row_arrays_make(const row_kind *kind, size_t count, size_t value_bytes);
void row_arrays_free(row_arrays *a);

/* Fails unless the first outputs are the items of these indices, or not written. */
#define ROW_UNTOUCHED SIZE_MAX
void row_arrays_check(const row_arrays *a, const size_t *order, size_t count);

#endif
