/* Select, unique and the partitions of every built-in type and of structs, by tests and by flags, at the
 * sizes where they go another way. What takes turns is drawn by $JIG_TEST_SEED. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "select_support.h"
#include "suite.h"

/* ---- input */

/* Items of `classes` classes, which their lowest byte tells by itself: it is the class, plus 3 times
 * something. The lowest byte of a floating-point item is not, so those are whole numbers instead. */
typedef struct scene {
  jig_type type;
  size_t count;
  void *items, *device;
  uint8_t *classes;
} scene;

static void put_class(jig_type_kind kind, void *items, size_t i, uint8_t class, uint64_t r) {
  if (is_floating(kind))
    put_float(kind, items, i, class + 3.0 * (double)(r % 30));
  else if (kind == JIG_KIND_BOOL)
    ((uint8_t *)items)[i] = class == 0;
  else
    put_integer(kind, items, i, class + 3 * (int)(r % 30));
}

static scene open_scene(jig_type type, size_t count, unsigned percent, uint8_t class_count,
                        size_t offset) {
  scene s = {type, count, malloc(count * type.size + 1), NULL,
             random_classes(count, percent, class_count, 7)};
  uint64_t seed = 99;
  for (size_t i = 0; i < count; ++i) {
    if (type.kind == JIG_KIND_STRUCT) {
      for (size_t b = 0; b < type.size; ++b)
        ((uint8_t *)s.items)[i * type.size + b] = (uint8_t)next_random(&seed);
      ((uint8_t *)s.items)[i * type.size] = (uint8_t)(s.classes[i] + 3 * (next_random(&seed) % 30));
    } else {
      put_class(type.kind, s.items, i, s.classes[i], next_random(&seed) >> 30);
    }
  }
  s.device = gpu_copy(s.items, count * type.size, offset);
  return s;
}

static void close_scene(scene *s) {
  gpu_free(s->device);
  free(s->items);
  free(s->classes);
}

/* What tells the class of such an item. */
static jig_op test_of(jig_type type, int class) {
  static const char *const bodies[3][4] = {
      {"return (unsigned)x % 3 == 0;", "return int(float(x)) % 3 == 0;", "return x;",
       "return x.m[0] % 3 == 0;"},
      {"return (unsigned)x % 3 == 1;", "return int(float(x)) % 3 == 1;", "return !x;",
       "return x.m[0] % 3 == 1;"},
      {"", "", "", ""}};
  const int form = type.kind == JIG_KIND_STRUCT ? 3
                   : type.kind == JIG_KIND_BOOL ? 2
                                                : is_floating(type.kind);
  return jig_op_source(bodies[class][form]);
}

static select_wanted wanted_of(const scene *s, size_t offset, const char *what) {
  static char text[160];
  (void)snprintf(text, sizeof text, "%s of %zu %s (%u bytes), %zu bytes off", what, s->count,
                 jig_type_name(&s->type), s->type.size, offset);
  return (select_wanted){s->items, s->type, s->classes, offset, text};
}

/* ---- each algorithm, of one scene */

static void select_scene(const scene *s, size_t offset) {
  const select_wanted w = wanted_of(s, offset, "select");
  check_select(
      (jig_select_args){
          .in = jig_pointer(s->device, s->type), .num_items = s->count, .op = test_of(s->type, 0)},
      &w);
}

static void select_flagged_scene(const scene *s, size_t offset, bool tested) {
  const select_wanted w = wanted_of(s, offset, tested ? "select by tested flags" : "select by flags");
  uint8_t *flags = malloc(s->count + 1);
  for (size_t i = 0; i < s->count; ++i) flags[i] = tested ? s->classes[i] : s->classes[i] == 0;
  void *device = gpu_copy(flags, s->count, offset % 3);
  jig_select_args args = {
      .in = jig_pointer(s->device, s->type), .flags = jig_pointer(device, JIG_U8), .num_items = s->count};
  if (tested) args.op = jig_op_source("return x == 0;");
  check_select(args, &w);
  gpu_free(device);
  free(flags);
}

static void partition_scene(const scene *s, size_t offset, bool apart) {
  const select_wanted w = wanted_of(s, offset, apart ? "partition apart" : "partition");
  check_partition(
      (jig_partition_args){
          .in = jig_pointer(s->device, s->type), .num_items = s->count, .op = test_of(s->type, 0)},
      &w, apart);
}

static void three_way_scene(const scene *s, size_t offset) {
  const select_wanted w = wanted_of(s, offset, "three ways");
  check_three_way((jig_three_way_partition_args){.in = jig_pointer(s->device, s->type),
                                                 .num_items = s->count,
                                                 .first_op = test_of(s->type, 0),
                                                 .second_op = test_of(s->type, 1)},
                  &w);
}

/* ---- types */

/* What every size of item is moved by at each run, but not every type: it takes turns with the types of a
 * size. */
enum { BY_FLAGS, IN_TWO, IN_THREE, WAYS };

static bool has_turn(const jig_type_kind *kind, int way) {
  const uint32_t size = type_of(*kind).size;
  unsigned long before = 0, all = 0; /* types of this size */
  for (const jig_type_kind *other = all_kinds; *other != JIG_KIND_NONE; ++other) {
    if (type_of(*other).size != size) continue;
    ++all;
    before += other < kind;
  }
  return all < WAYS || (test_seed() + before) % WAYS == (unsigned long)way;
}

START_TEST(every_type) {
  static const size_t counts[] = {1, 37, 5003};
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      scene two = open_scene(type, counts[c], 40, 2, type.size * (c % 3));
      select_scene(&two, type.size * (c % 2));
      if (has_turn(kind, BY_FLAGS)) select_flagged_scene(&two, type.size, c == 1);
      if (has_turn(kind, IN_TWO)) partition_scene(&two, type.size * c, c == 1);
      close_scene(&two);
      if (!has_turn(kind, IN_THREE)) continue;
      scene three = open_scene(type, counts[c], 30, *kind == JIG_KIND_BOOL ? 2 : 3, 0);
      three_way_scene(&three, type.size * c);
      close_scene(&three);
    }
  }
}
END_TEST

START_TEST(structs) {
  static const uint32_t sizes[] = {3, 6, 12, 16, 20, 64, 100, 256};
  static const size_t counts[] = {2, 701, 3001};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    char definition[64];
    (void)snprintf(definition, sizeof definition, "struct s { uint8_t m[%u]; };", sizes[i]);
    const jig_type type = jig_struct("s", definition, sizes[i], 1);
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      scene two = open_scene(type, counts[c], 60, 2, 0);
      select_scene(&two, c);
      partition_scene(&two, 2 * c, c == 1);
      close_scene(&two);
      scene three = open_scene(type, counts[c], 30, 3, 0);
      three_way_scene(&three, c);
      close_scene(&three);
    }
  }
}
END_TEST

/* ---- sizes */

static scan_marks marks_of(jig_type type) {
  const jig_select_args args = {.in = jig_pointer(NULL, type),
                                .out = jig_pointer(NULL, type),
                                .num_selected_out = jig_pointer(NULL, JIG_U64),
                                .op = test_of(type, 0)};
  char *text = NULL;
  OK(jig_select_spec(&args, &text));
  return select_marks_of(text);
}

START_TEST(every_size) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_U32, JIG_KIND_I128};
  size_t sizes[SCAN_MAX_SIZES];
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    const scan_marks marks = marks_of(type);
    const size_t count = scan_sizes(&marks, marks.alone + 4 * marks.row, sizes);
    for (size_t i = 0; i < count; ++i) {
      scene s = open_scene(type, sizes[i], (unsigned)(i % 5 * 25), 2, 0);
      select_scene(&s, 0);
      partition_scene(&s, type.size * (i % 4), false);
      close_scene(&s);
    }
  }
}
END_TEST

/* Just beyond what the single wave of fewer rows takes, and at the end of what the other does. */
START_TEST(long_waves) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_F64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    const scan_marks marks = marks_of(type);
    const size_t counts[] = {marks.short_wave + 1, marks.single_wave, marks.single_wave + 1};
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      scene s = open_scene(type, counts[c], 40, 2, 0);
      select_scene(&s, 0);
      partition_scene(&s, type.size, c == 1);
      close_scene(&s);
    }
  }
}
END_TEST

/* Beyond what a single wave takes. */
START_TEST(long_inputs) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F64, JIG_KIND_I128};
  static const unsigned percents[] = {50, 0, 100, 2};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    const scan_marks marks = marks_of(type);
    const size_t count = scan_long_size(&marks, (size_t)-1);
    for (size_t p = 0; p < (k == 1 ? COUNT_OF(percents) : 1); ++p) {
      scene s = open_scene(type, count, percents[p], 2, 0);
      select_scene(&s, type.size);
      if (p == 0) partition_scene(&s, type.size, false);
      close_scene(&s);
    }
    scene three = open_scene(type, count, 30, 3, 0);
    three_way_scene(&three, 0);
    close_scene(&three);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type), SUITE_TEST(structs),     SUITE_TEST(every_size),
      SUITE_TEST(long_waves), SUITE_TEST(long_inputs),
  };
  return SUITE_RUN("device/select_types", tests, true);
}
