#include "sort_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "scan_support.h"
#include "util/hash.h"

unsigned char *random_bytes(size_t count, uint64_t seed) {
  unsigned char *bytes = malloc(count + 1);
  for (size_t i = 0; i < count; ++i) bytes[i] = (unsigned char)(next_random(&seed) >> 30);
  return bytes;
}

void *permuted(const void *items, size_t size, const size_t *order, size_t count) {
  char *result = malloc(count * size + 1);
  for (size_t i = 0; i < count; ++i)
    memcpy(result + i * size, (const char *)items + order[i] * size, size);
  return result;
}

void check_sorted(const void *device, const void *wanted, size_t size, size_t count, const char *what) {
  void *got = malloc(count * size + 1);
  gpu_read(got, device, count * size);
  check_items(got, wanted, size, count, what);
  free(got);
}

void check_kept(const void *device, const void *items, size_t bytes, const char *what) {
  void *kept = malloc(bytes + 1);
  gpu_read(kept, device, bytes);
  ck_assert_msg(memcmp(kept, items, bytes) == 0, "%s: the input has changed", what);
  free(kept);
}

/* ---- the same items in another order */

/* Keys and values side by side. */
static char *rows_of(const void *keys, size_t key_size, const void *values, size_t value_size,
                     size_t count) {
  const size_t size = key_size + value_size;
  char *rows = malloc(count * size + 1);
  for (size_t i = 0; i < count; ++i) {
    memcpy(rows + i * size, (const char *)keys + i * key_size, key_size);
    if (value_size > 0)
      memcpy(rows + i * size + key_size, (const char *)values + i * value_size, value_size);
  }
  return rows;
}

static char *read_rows(const void *device_keys, size_t key_size, const void *device_values,
                       size_t value_size, size_t count) {
  char *keys = malloc(count * key_size + 1), *values = malloc(count * value_size + 1);
  gpu_read(keys, device_keys, count * key_size);
  if (value_size > 0) gpu_read(values, device_values, count * value_size);
  char *rows = rows_of(keys, key_size, values, value_size, count);
  free(keys);
  free(values);
  return rows;
}

/* A hash of each row. There are millions: sorting them would take longer than all else. */
static uint64_t *hashes_of(const char *rows, size_t size, size_t count) {
  uint64_t *hashes = malloc(count * sizeof *hashes + 1);
  for (size_t i = 0; i < count; ++i) hashes[i] = XXH3_64bits(rows + i * size, size);
  return hashes;
}

/* A set of hashes: open addressing, 0 is an empty place. */
typedef struct hash_set {
  uint64_t *places, last;
} hash_set;

/* Where it is, or could be put. */
static uint64_t *find_hash(const hash_set *set, uint64_t hash) {
  uint64_t i = hash & set->last;
  while (set->places[i] != 0 && set->places[i] != hash) i = (i + 1) & set->last;
  return &set->places[i];
}

static hash_set set_of(const uint64_t *hashes, size_t count) {
  hash_set set = {.last = 1};
  while (set.last < 2 * count) set.last = 2 * set.last + 1;
  set.places = calloc(set.last + 1, sizeof *set.places);
  for (size_t i = 0; i < count; ++i) *find_hash(&set, hashes[i]) = hashes[i];
  return set;
}

/* The output's rows, each of which is one of the input's. */
typedef struct both_rows {
  uint64_t *got, *wanted;
  size_t count;
} both_rows;

static both_rows check_rows(const void *device_keys, const void *keys, size_t key_size,
                            const void *device_values, const void *values, size_t value_size,
                            size_t count, const char *what) {
  const size_t size = key_size + value_size;
  char *got = read_rows(device_keys, key_size, device_values, value_size, count);
  char *wanted = rows_of(keys, key_size, values, value_size, count);
  const both_rows rows = {hashes_of(got, size, count), hashes_of(wanted, size, count), count};
  hash_set set = set_of(rows.wanted, count);
  for (size_t i = 0; i < count; ++i)
    ck_assert_msg(*find_hash(&set, rows.got[i]) == rows.got[i],
                  "%s: item %zu of %zu is none of the input's", what, i, count);
  free(set.places);
  free(got);
  free(wanted);
  return rows;
}

static void free_rows(const both_rows *rows) {
  free(rows->got);
  free(rows->wanted);
}

void check_only_items(const void *device_keys, const void *keys, size_t key_size,
                      const void *device_values, const void *values, size_t value_size, size_t count,
                      const char *what) {
  const both_rows rows =
      check_rows(device_keys, keys, key_size, device_values, values, value_size, count, what);
  free_rows(&rows);
}

/* So many of each, if the sums of both sides' hashes are equal. */
void check_same_items(const void *device_keys, const void *keys, size_t key_size,
                      const void *device_values, const void *values, size_t value_size, size_t count,
                      const char *what) {
  const both_rows rows =
      check_rows(device_keys, keys, key_size, device_values, values, value_size, count, what);
  uint64_t difference = 0;
  for (size_t i = 0; i < count; ++i) difference += rows.got[i] - rows.wanted[i];
  ck_assert_msg(difference == 0, "%s: of %zu items some come twice and others not at all", what, count);
  free_rows(&rows);
}

/* ---- operators that are no strict weak orders */

static const struct {
  const char *name, *answer; /* about x and y, of which h is a hash */
} hostile_answers[HOSTILE_OPS] = {
    {"always", "true"},
    {"never", "false"},
    {"different", "x != y"},
    {"not after", "x <= y"},
    {"in a circle", "(x + 1) % 3 == y % 3"},
    {"at random", "h >> 31"},
    {"one in a thousand wrong", "(x < y) != (h % 1000 == 0)"},
    {"by different halves", "(x & 0xff) < (y >> 4 & 0xff)"},
    {"equal, but not in a row", "x % 256 + 16 < y % 256"},
    {"by address", "x % 8 ? &x < &y : (size_t)&a > (size_t)&b"},
};

const char *hostile_name(size_t number) {
  return hostile_answers[number].name;
}

/* All in one, so that a type takes one program: the state tells which. */
const char *hostile_body(bool of_structs) {
  static char bodies[2][2048];
  char *body = bodies[of_structs];
  if (body[0] != 0) return body;
  size_t length = (size_t)snprintf(
      body, sizeof bodies[0], "%s%s",
      of_structs ? "const unsigned x = a.x, y = b.x;\n"
                   "if (a.check != (x ^ 0x5bd1e995u) || b.check != (y ^ 0x5bd1e995u)) __trap();\n"
                 : "const unsigned x = (unsigned)a, y = (unsigned)b;\n",
      "unsigned h = x * 2654435761u ^ (y + 40503u) * 2246822519u;\n"
      "h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;\n"
      "switch (state) {\n");
  for (size_t o = 0; o < HOSTILE_OPS; ++o)
    length += (size_t)snprintf(body + length, sizeof bodies[0] - length, "case %zu: return %s;\n", o,
                               hostile_answers[o].answer);
  (void)snprintf(body + length, sizeof bodies[0] - length, "default: __trap(); return false;\n}\n");
  return body;
}

jig_op hostile_op(size_t number, jig_type key) {
  static uint32_t numbers[HOSTILE_OPS];
  numbers[number] = (uint32_t)number;
  return jig_op_with_state(jig_op_source(hostile_body(key.kind == JIG_KIND_STRUCT)), &numbers[number],
                           JIG_U32);
}

const jig_op undecided_op = {
    .kind = JIG_OP_SOURCE,
    .source = "return (a * 31 + b * 17 + blockIdx.x * 7 + threadIdx.x * 3) % 5 < 2;"};

jig_type hostile_type(size_t size) {
  static char definitions[8][64]; /* of the last sizes that were asked for */
  static unsigned next;
  if (size == 8) return jig_struct("hostile", "struct hostile { unsigned x, check; };", size, 4);
  char *definition = definitions[next++ % 8];
  (void)snprintf(definition, sizeof definitions[0], "struct hostile { unsigned x, check, rest[%zu]; };",
                 size / 4 - 2);
  return jig_struct("hostile", definition, size, 4);
}

void *hostile_items(jig_type type, size_t count, uint64_t seed) {
  uint32_t *items = malloc(count * type.size + 1), words = type.size / 4;
  for (size_t i = 0; i < count; ++i) {
    uint32_t *item = items + i * words;
    item[0] = (uint32_t)(next_random(&seed) >> 20);
    item[1] = item[0] ^ 0x5bd1e995u;
    for (uint32_t k = 2; k < words; ++k) item[k] = (uint32_t)i;
  }
  return items;
}
