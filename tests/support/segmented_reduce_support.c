#include "segmented_reduce_support.h"

#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"

typedef size_t (*length_fn)(uint64_t r, size_t i, size_t items);

static size_t none(uint64_t r, size_t i, size_t items) {
  return (void)r, (void)i, (void)items, 0;
}
static size_t one(uint64_t r, size_t i, size_t items) {
  return (void)r, (void)i, (void)items, 1;
}
static size_t sixteen(uint64_t r, size_t i, size_t items) {
  return (void)r, (void)i, (void)items, 16;
}
static size_t tiny(uint64_t r, size_t i, size_t items) {
  return (void)i, (void)items, r % 6;
}
static size_t small(uint64_t r, size_t i, size_t items) {
  return (void)i, (void)items, r % 70;
}
static size_t medium(uint64_t r, size_t i, size_t items) {
  return (void)i, (void)items, r % 1500;
}
static size_t around_tile(uint64_t r, size_t i, size_t items) {
  return (void)i, (void)items, 4090 + r % 9;
}
static size_t large(uint64_t r, size_t i, size_t items) {
  return (void)i, (void)items, 7000 + r % 12000;
}
static size_t all(uint64_t r, size_t i, size_t items) {
  return (void)r, (void)i, items;
}
static size_t giant_first(uint64_t r, size_t i, size_t items) {
  return i == 0 ? items / 2 : r % 6;
}
static size_t giant_later(uint64_t r, size_t i, size_t items) {
  return i == 300 || i == 301 ? items / 3 : r % 6;
}
static size_t few_long(uint64_t r, size_t i, size_t items) {
  return (void)items, i % 97 == 96 ? 5000 + r % 9000 : r % 3;
}
static size_t logarithmic(uint64_t r, size_t i, size_t items) {
  const size_t power = (size_t)1 << r % 14;
  return (void)i, (void)items, power + (r >> 8) % power;
}
static size_t mostly_empty(uint64_t r, size_t i, size_t items) {
  return (void)i, (void)items, r % 10 == 0 ? 1 + (r >> 8) % 160 : 0;
}

static const struct {
  const char *name;
  length_fn length;
} shapes[] = {{"none has items", none},
              {"of one item", one},
              {"of sixteen", sixteen},
              {"tiny", tiny},
              {"small", small},
              {"medium", medium},
              {"as long as a tile", around_tile},
              {"large", large},
              {"one", all},
              {"a giant first", giant_first},
              {"giants later", giant_later},
              {"few long ones", few_long},
              {"logarithmic", logarithmic},
              {"mostly empty", mostly_empty}};
const size_t shape_count = COUNT_OF(shapes);

segment_list shaped_segments(size_t shape, size_t items, segment_way way, const char **name) {
  const size_t most = items / 8 + 1000;
  size_t *lengths = malloc(most * sizeof *lengths), count = 0, done = 0;
  uint64_t seed = 77 + items + shape;
  for (; count < most && done < items && !(shape == 0 && count == 700); ++count) {
    lengths[count] = shapes[shape].length(next_random(&seed) >> 20, count, items);
    if (way == FIXED) lengths[count] = lengths[0];
    done += lengths[count];
  }
  segment_list list = segments_of(lengths, count, way == APART || way == SHUFFLED);
  if (way == SHUFFLED) shuffle_segments(&list);
  free(lengths);
  *name = shapes[shape].name;
  return list;
}

segment_offsets put_segments(const segment_list *list, segment_way way, jig_type_kind kind) {
  segment_offsets offsets = {.size = 0};
  if (way == FIXED) {
    offsets.size = list->count > 0 ? (uint64_t)(list->ends[0] - list->begins[0]) : 0;
    return offsets;
  }
  const jig_type type = type_of(kind);
  const size_t first_end = way == ADJOINING ? 1 : list->count;
  char *both = calloc(2 * list->count + 2, type.size);
  for (size_t s = 0; s < list->count; ++s) {
    put_integer(kind, both, s, list->begins[s]);
    if (way == ADJOINING) put_integer(kind, both, s + 1, list->ends[s]);
  }
  for (size_t s = 0; way != ADJOINING && s < list->count; ++s)
    put_integer(kind, both, first_end + s, list->ends[s]);
  const size_t misaligned = list->count / 2 % 2 * type.size; /* vectors of them are loaded, or not */
  char *device = gpu_copy(both, (first_end + list->count) * type.size, misaligned);
  free(both);
  offsets.begins = jig_pointer(device, type);
  offsets.ends = jig_pointer(device + first_end * type.size, type);
  return offsets;
}
