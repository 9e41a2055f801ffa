#include "wide_items.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "seed.h"

jig_type wide_type(int number) {
  const jig_type types[WIDE_TYPES] = {
      jig_struct("w", "struct w { unsigned char m[3]; };", 3, 1),
      jig_struct("w", "struct alignas(8) w { unsigned char m[24]; };", 24, 8),
      jig_struct("w", "struct alignas(4) w { unsigned char m[504]; };", 504, 4),
      jig_struct("w", "struct alignas(16) w { unsigned char m[4096]; };", 4096, 16),
      jig_struct("w", "struct w { unsigned char m[505]; };", 505, 1)};
  return types[number];
}

static void set_key(wide_items *w, size_t i, unsigned key) {
  w->host[i * w->type.size] = (unsigned char)key;
}

static void upload(wide_items *w) {
  w->device = gpu_copy(w->host, w->count * w->type.size, w->type.align);
  w->in = jig_pointer(w->device, w->type);
}

static wide_items make(jig_type type, size_t count, unsigned seed) {
  wide_items w = {.type = type, .count = count};
  uint64_t state = seed + 1;
  w.host = malloc(count * type.size + 1);
  w.order = malloc((2 * count + 1) * sizeof *w.order);
  for (size_t i = 0; i < count * type.size; ++i) w.host[i] = (unsigned char)(next_random(&state) >> 56);
  return w;
}

wide_items wide_make(jig_type type, size_t count, unsigned seed) {
  wide_items w = make(type, count, seed);
  for (size_t i = 0; i < count; ++i) set_key(&w, i, w.host[i * type.size] % 16);
  upload(&w);
  return w;
}

wide_items wide_make_runs(jig_type type, size_t count, unsigned seed) {
  wide_items w = make(type, count, seed);
  for (size_t i = 0, left = 0, key = 0; i < count; ++i, --left) {
    if (left == 0) {
      left = 1 + w.host[i * type.size] % 5u;
      ++key;
    }
    set_key(&w, i, (unsigned)(key % 16));
  }
  upload(&w);
  return w;
}

wide_items wide_make_sorted(jig_type type, size_t count, unsigned seed) {
  wide_items w = make(type, count, seed);
  for (size_t i = 0; i < count; ++i) set_key(&w, i, (unsigned)(i * (14 + seed % 3) / (count + 1)));
  upload(&w);
  return w;
}

void wide_free(wide_items *w) {
  gpu_free(w->device);
  free(w->host);
  free(w->order);
}

void wide_expect(const wide_items *w, const void *out, size_t count, const char *what) {
  const size_t size = w->type.size;
  unsigned char *got = malloc(count * size + 1);
  gpu_read(got, out, count * size);
  for (size_t i = 0; i < count; ++i)
    ck_assert_msg(memcmp(got + i * size, w->host + w->order[i] * size, size) == 0,
                  "%s of %zu items of %zu bytes: item %zu is not item %zu of the input", what, w->count,
                  size, i, w->order[i]);
  free(got);
}

void wide_expect_kept(const wide_items *w, const char *what) {
  for (size_t i = 0; i < w->count; ++i) w->order[i] = i;
  wide_expect(w, w->device, w->count, what);
}

int64_t wide_count(const void *device) {
  int64_t count;
  gpu_read(&count, device, sizeof count);
  return count;
}

void wide_for_all(void (*fn)(jig_type type, size_t count)) {
  static const size_t counts[] = {1, 33, 700};
  for (int t = 0; t < WIDE_TYPES; ++t)
    for (size_t c = 0; c < COUNT_OF(counts) && test_turn((unsigned)t); ++c) fn(wide_type(t), counts[c]);
}
