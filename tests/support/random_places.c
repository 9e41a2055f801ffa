#include "random_places.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

enum { POISON = 0xa5, MAX_KEPT = 4096, MAX_OFFSET = 17, MOST_CONSTANT_BYTES = 1024 };

static struct {
  CUdeviceptr device[MAX_KEPT];
  size_t devices;
  void *host[MAX_KEPT];
  size_t hosts;
} kept;

unsigned random_failures;
static char description[16384];

void random_describe(const char *spec, const char *algorithm) {
  (void)snprintf(description, sizeof description, "%s", spec != NULL ? spec : algorithm);
}

void random_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("FAILED: ");
  vprintf(format, args);
  printf("\n  in %s\n", description);
  va_end(args);
  (void)fflush(stdout);
  ++random_failures;
}

void places_free(void) {
  GPU(gpu()->cuCtxSynchronize());
  while (kept.devices > 0) GPU(gpu()->cuMemFree(kept.device[--kept.devices]));
  while (kept.hosts > 0) free(kept.host[--kept.hosts]);
}

void *host_alloc(size_t bytes) {
  void *host = calloc(bytes + 1, 1);
  kept.host[kept.hosts++] = host;
  return host;
}

void *place_alloc(size_t bytes, size_t align) {
  const size_t offset = align * (data_one_in(2) ? data_below(MAX_OFFSET) : 0);
  CUdeviceptr base;
  GPU(gpu()->cuMemAlloc(&base, offset + bytes + (offset + bytes == 0)));
  kept.device[kept.devices++] = base;
  return (char *)(uintptr_t)base + offset;
}

void *place_copy(const void *host, size_t bytes, size_t align) {
  void *device = place_alloc(bytes, align);
  gpu_write(device, host, bytes);
  return device;
}

static jig_iter *kept_iters(const jig_iter *iters, size_t count) {
  jig_iter *copy = host_alloc(count * sizeof *copy);
  memcpy(copy, iters, count * sizeof *copy);
  return copy;
}

/* ---- inputs */

/* Of no items it may be NULL. */
static jig_iter pointer_to(const item_kind *k, const void *host, size_t count) {
  if (count == 0 && data_one_in(2)) return jig_pointer(NULL, k->type);
  return jig_pointer(place_copy(host, count * k->type.size, k->type.align), k->type);
}

static jig_iter hinted(const item_kind *k, const void *host, size_t count) {
  static const jig_cache_hint hints[] = {JIG_CACHE_STREAMING, JIG_CACHE_GLOBAL, JIG_CACHE_KEEP,
                                         JIG_CACHE_READ_ONLY, JIG_CACHE_LAST_USE};
  const jig_cache_hint hint = hints[shape_below(COUNT_OF(hints))];
  return jig_pointer_hinted(place_copy(host, count * k->type.size, k->type.align), k->type, hint);
}

/* Between the items there is what nobody wrote. */
static jig_iter strided(const item_kind *k, const void *host, size_t count) {
  const size_t size = k->type.size, stride = size + k->type.align * data_below(4);
  const bool down = data_one_in(2);
  if (count == 0) return jig_strided(place_alloc(0, k->type.align), (int64_t)stride, k->type);
  char *base = place_alloc((count - 1) * stride + size, k->type.align);
  char *copy = malloc(count * stride);
  for (size_t i = 0; i < count; ++i) {
    memcpy(copy + stride * (down ? count - 1 - i : i), item(k, host, i), size);
  }
  gpu_write(base, copy, (count - 1) * stride + size);
  free(copy);
  return jig_strided(down ? base + (count - 1) * stride : base, down ? -(int64_t)stride : (int64_t)stride,
                     k->type);
}

static void *reversed(const item_kind *k, const void *host, size_t count) {
  char *copy = host_alloc(count * k->type.size);
  for (size_t i = 0; i < count; ++i) memcpy(item(k, copy, count - 1 - i), item(k, host, i), k->type.size);
  return copy;
}

static size_t *shuffled_places(size_t count, size_t room) {
  size_t *places = host_alloc(room * sizeof *places);
  for (size_t i = 0; i < room; ++i) places[i] = i;
  for (size_t i = 0; i < count; ++i) {
    const size_t j = i + data_below(room - i), place = places[j];
    places[j] = places[i];
    places[i] = place;
  }
  return places;
}

static jig_iter indices_of(const size_t *places, size_t count) {
  const item_kind k = random_counter();
  char *numbers = host_alloc(count * k.type.size);
  for (size_t i = 0; i < count; ++i) put_integer(k.word, numbers, i, (int128)places[i]);
  return pointer_to(&k, numbers, count);
}

static jig_iter permuted_input(const item_kind *k, const void *host, size_t count) {
  const size_t room = count + data_below(5);
  const size_t *places = shuffled_places(count, room);
  char *values = host_alloc(room * k->type.size);
  for (size_t i = 0; i < count; ++i) memcpy(item(k, values, places[i]), item(k, host, i), k->type.size);
  const jig_iter base = pointer_to(k, values, room), indices = indices_of(places, count);
  return jig_permutation(kept_iters(&base, 1), kept_iters(&indices, 1));
}

/* An operator that undoes itself, with or without a state; not of NaNs, whose bits it keeps. */
static jig_op flip_op(const item_kind *k) {
  if (k->words > 1) return jig_op_source("x.m0 ^= 1; return x;");
  if (is_floating(k->word)) return jig_op_source("return x;");
  return k->word == JIG_KIND_BOOL ? jig_op_source("return !x;") : jig_op_source("return ~x;");
}

static void flip(const item_kind *k, void *at) {
  unsigned char *bytes = at;
  if (k->words > 1 || k->word == JIG_KIND_BOOL) {
    bytes[0] ^= 1;
  } else if (!is_floating(k->word)) {
    for (size_t i = 0; i < k->type.size; ++i) bytes[i] = (unsigned char)~bytes[i];
  }
}

static void *flipped(const item_kind *k, const void *host, size_t count) {
  char *copy = host_alloc(count * k->type.size);
  memcpy(copy, host, count * k->type.size);
  for (size_t i = 0; i < count; ++i) flip(k, item(k, copy, i));
  return copy;
}

/* A struct of its members, each from somewhere else. */
static jig_iter zipped(const item_kind *k, const void *host, size_t count) {
  jig_iter bases[8];
  const item_kind word = kind_of_number(k->word);
  for (unsigned w = 0; w < k->words; ++w) {
    char *column = host_alloc(count * word.type.size);
    for (size_t i = 0; i < count; ++i) {
      memcpy(item(&word, column, i), item(&word, host, i * k->words + w), word.type.size);
    }
    bases[w] = shape_one_in(4) ? strided(&word, column, count) : pointer_to(&word, column, count);
  }
  return jig_zip(kept_iters(bases, k->words), k->words, k->type);
}

/* By an operator of the index, which reads through a pointer in its state. */
static jig_iter by_source(const item_kind *k, const void *host, size_t count) {
  char *text = host_alloc(128), *source = host_alloc(32);
  static const char *const names[] = {
#define NAME(kind, name, cxx, size) [kind] = cxx,
      JIG_TYPE_MAP(NAME)
#undef NAME
  };
  (void)sprintf(source, "source_%u_%u", (unsigned)k->word, k->words);
  (void)sprintf(text, "struct %s { const %s *items; };", source,
                k->words > 1 ? k->type.name : names[k->word]);
  void **state = host_alloc(sizeof *state);
  *state = place_copy(host, count * k->type.size, k->type.align);
  const jig_op op = jig_op_source("return state.items[i];");
  const jig_type type = jig_struct(source, text, sizeof *state, sizeof *state);
  if (shape_one_in(2)) return jig_iter_source(jig_op_with_state(op, state, type), k->type);
  const void *there = place_copy(state, sizeof *state, sizeof *state);
  return jig_iter_source(jig_op_with_device_state(op, there, type), k->type);
}

/* The one of two items that a flag says, which lies beside them. */
static jig_iter chosen(const item_kind *k, const void *host, size_t count) {
  const item_kind flag = kind_of_number(JIG_KIND_U16);
  char *items[2] = {host_alloc(count * k->type.size), host_alloc(count * k->type.size)};
  uint16_t *flags = host_alloc(count * sizeof *flags);
  for (size_t i = 0; i < count; ++i) {
    flags[i] = (uint16_t)data_below(2);
    memcpy(item(k, items[flags[i]], i), item(k, host, i), k->type.size);
  }
  const jig_iter bases[] = {pointer_to(&flag, flags, count), strided(k, items[0], count),
                            pointer_to(k, items[1], count)};
  return jig_zip_transform(kept_iters(bases, COUNT_OF(bases)), COUNT_OF(bases),
                           jig_op_source("return a ? c : b;"), k->type);
}

static jig_iter counting(const item_kind *k, void *host, size_t count) {
  char *start = host_alloc(k->type.size), *step = host_alloc(k->type.size);
  const bool by = shape_one_in(2), floats = is_floating(k->word);
  if (floats) {
    put_float(k->word, start, 0, (double)data_below(10));
    put_float(k->word, step, 0, by ? (double)data_below(3) - 1 : 1);
  } else {
    fill_items(k, MIX_BITS, start, 1);
    put_integer(k->word, step, 0, by ? (int128)data_below(7) - 3 : 1);
  }
  for (size_t i = 0; i < count; ++i) {
    put_integer(k->word, host, i,
                get_integer(k->word, start, 0) + (int128)i * get_integer(k->word, step, 0));
  }
  return by ? jig_counting_by(start, step, k->type) : jig_counting(start, k->type);
}

static jig_iter constant(const item_kind *k, void *host, size_t count) {
  char *value = host_alloc(k->type.size);
  fill_items(k, MIX_FEW, value, 1);
  for (size_t i = 0; i < count; ++i) memcpy(item(k, host, i), value, k->type.size);
  return jig_constant(value, k->type);
}

static jig_iter any_input(const item_kind *k, void *host, size_t count, int depth);

static jig_iter composed(const item_kind *k, void *host, size_t count, int depth) {
  jig_iter base;
  if (shape_one_in(2)) {
    base = any_input(k, reversed(k, host, count), count, depth + 1);
    return jig_iter_reverse(kept_iters(&base, 1), count);
  }
  base = any_input(k, flipped(k, host, count), count, depth + 1);
  return jig_iter_transform(kept_iters(&base, 1), flip_op(k), k->type);
}

static jig_iter any_input(const item_kind *k, void *host, size_t count, int depth) {
  switch (shape_below(depth < 3 ? 9 : 5)) {
    case 0:
      return strided(k, host, count);
    case 1:
      return permuted_input(k, host, count);
    case 2:
      return k->words > 1 && k->words <= 8 ? zipped(k, host, count) : hinted(k, host, count);
    case 3:
      return pointer_to(k, host, count);
    case 4:
      return chosen(k, host, count);
    case 5:
      return by_source(k, host, count);
    default:
      return composed(k, host, count, depth);
  }
}

jig_iter place_input(const item_kind *k, void *host, size_t count, place_rule rule) {
  if (rule == PLACE_POINTER || shape_one_in(2)) return pointer_to(k, host, count);
  if (rule == PLACE_ANY && k->type.size <= MOST_CONSTANT_BYTES && shape_one_in(8)) {
    if (k->words == 1 && !is_floating(k->word) && k->word != JIG_KIND_BOOL)
      return counting(k, host, count);
    return constant(k, host, count);
  }
  return any_input(k, host, count, 0);
}

/* ---- outputs */

place_output place_output_at(const item_kind *k, size_t count, const jig_iter *pointer) {
  return (place_output){.kind = *k,
                        .count = count,
                        .iter = *pointer,
                        .memory = pointer->pointer,
                        .bytes = count * k->type.size,
                        .size = k->type.size,
                        .stride = (int64_t)k->type.size};
}

static place_output plain_output(const item_kind *k, size_t count, size_t stride) {
  const size_t bytes = count == 0 ? 0 : (count - 1) * stride + k->type.size;
  char *memory = place_alloc(bytes, k->type.align);
  gpu_fill(memory, POISON, bytes);
  return (place_output){.kind = *k,
                        .count = count,
                        .iter = jig_pointer(count == 0 && data_one_in(2) ? NULL : memory, k->type),
                        .memory = memory,
                        .bytes = bytes,
                        .size = k->type.size,
                        .stride = (int64_t)stride};
}

/* Each member in an array of its own. */
static place_output zipped_output(const item_kind *k, size_t count) {
  jig_iter bases[8];
  const item_kind word = kind_of_number(k->word);
  place_output out = plain_output(k, count, k->type.size);
  out.stride = word.type.size;
  out.column = count * word.type.size;
  for (unsigned w = 0; w < k->words; ++w) bases[w] = jig_pointer(out.memory + w * out.column, word.type);
  out.iter = jig_zip(kept_iters(bases, k->words), k->words, k->type);
  return out;
}

static void turn_round(place_output *out) {
  if (out->count > 0) out->first += (int64_t)(out->count - 1) * out->stride;
  out->stride = -out->stride;
}

place_output place_output_of(const item_kind *k, size_t count, place_rule rule) {
  place_output out = plain_output(k, count, k->type.size);
  if (rule == PLACE_POINTER || shape_one_in(2)) return out;
  jig_iter base;
  switch (shape_below(8)) {
    case 0:
      out = plain_output(k, count, k->type.size + k->type.align * data_below(4));
      out.iter = jig_strided(out.memory, out.stride, k->type);
      return out;
    case 1:
      turn_round(&out);
      out.iter = jig_strided(out.memory + out.first, out.stride, k->type);
      return out;
    case 2:
      turn_round(&out);
      out.iter = jig_iter_reverse(kept_iters(&out.iter, 1), count);
      return out;
    case 3:
      out.places = shuffled_places(count, count);
      base = indices_of(out.places, count);
      out.iter = jig_permutation(kept_iters(&out.iter, 1), kept_iters(&base, 1));
      return out;
    case 4:
      if (shape_one_in(2)) out = place_output_of(k, count, rule);
      out.iter = jig_transform_output(kept_iters(&out.iter, 1), flip_op(k), k->type);
      out.flips = !out.flips;
      return out;
    case 5:
      out.iter = jig_pointer_hinted(out.memory, k->type,
                                    shape_one_in(2) ? JIG_CACHE_STREAMING : JIG_CACHE_WRITE_THROUGH);
      return out;
    case 6:
      return k->words > 1 && k->words <= 8 ? zipped_output(k, count) : out;
    default:
      out.memory = NULL;
      out.iter = jig_discard(k->type);
      return out;
  }
}

static bool is_poison(const void *at, size_t size) {
  const unsigned char *bytes = at;
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] != POISON) return false;
  }
  return true;
}

static void take_item(const place_output *out, const char *bytes, size_t i, char *to) {
  const char *at = bytes + out->first + out->stride * (int64_t)(out->places != NULL ? out->places[i] : i);
  const size_t parts = out->column != 0 ? out->kind.words : 1, size = out->size / parts;
  for (size_t w = 0; w < parts; ++w) memcpy(to + w * size, at + w * out->column, size);
}

static char *raw_bytes(const place_output *out) {
  char *bytes = malloc(out->bytes + 1);
  if (out->bytes > 0) gpu_read(bytes, out->memory, out->bytes);
  return bytes;
}

void place_read(const place_output *out, void *items) {
  char *bytes = raw_bytes(out);
  for (size_t i = 0; i < out->count; ++i) {
    char *at = item(&out->kind, items, i);
    take_item(out, bytes, i, at);
    if (out->flips) flip(&out->kind, at);
  }
  free(bytes);
}

bool place_check(const place_output *out, const void *wanted, size_t count, bool keeps_others,
                 const char *what) {
  if (out->memory == NULL) return true;
  char *bytes = raw_bytes(out);
  bool right = true;
  for (size_t i = 0; i < out->count && right; ++i) {
    char got[MOST_ITEM_BYTES];
    take_item(out, bytes, i, got);
    if (i >= count) {
      right = !keeps_others || is_poison(got, out->size);
      if (!right)
        random_fail("%s: item %zu of %zu was written: only %zu are", what, i, out->count, count);
    } else {
      if (out->flips) flip(&out->kind, got);
      const void *want = item(&out->kind, wanted, i);
      right = same_item(&out->kind, got, want);
      if (!right) {
        random_fail("%s: item %zu of %zu is %s, not %s", what, i, count, bits_of(got, out->size),
                    bits_of(want, out->size));
      }
    }
  }
  free(bytes);
  return right;
}

/* ---- counts */

const uint64_t *place_count(size_t most, size_t *count) {
  *count = most;
  if (!shape_one_in(3)) return NULL;
  uint64_t there = most;
  switch (data_below(4)) {
    case 0:
      there = data_below(most + 1);
      break;
    case 1:
      there = most + 1 + data_below(1000);
      break;
    case 2:
      there = data_one_in(2) ? 0 : UINT64_MAX;
      break;
    default:
      there = most > 0 ? most - 1 : 0;
  }
  if (there < most) *count = there;
  return place_copy(&there, sizeof there, sizeof there);
}
