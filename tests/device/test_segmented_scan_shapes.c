/* Segmented scan of segments of very different lengths: giants among tiny ones, empty ones by the
 * thousand, in any order and place; with so many tiles that their states are used again and again;
 * replayed from graphs over other segments. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/segment_plan.h"
#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "segments.h"
#include "suite.h"

/* ---- segments */

/* Where each begins and ends, and where what comes of it begins. */
typedef struct layout {
  segment_list list;
  int64_t *outs;
  bool adjoin; /* each begins where the one before ends, whatever that means */
} layout;

typedef enum shape {
  ONE,
  TINY,
  GIANT_FIRST,
  GIANT_MIDDLE,
  GIANT_LAST,
  TWO_GIANTS,
  LOGARITHMIC,
  MOST_EMPTY,
  ALL_EMPTY,
  MEDIUM,
  SHAPES
} shape;
static const char *const shape_names[SHAPES] = {
    "one",        "tiny",        "giant first", "giant in the middle", "giant last",
    "two giants", "logarithmic", "most empty",  "all empty",           "medium"};

/* Of about so many items, the length of the segment after `done` of them. */
static size_t length_of(shape s, size_t items, size_t done, size_t i, uint64_t *seed) {
  const uint64_t r = next_random(seed) >> 20;
  const size_t tiny = r % 6, giant = items / 2;
  switch (s) {
    case ONE:
      return items;
    case GIANT_FIRST:
      return i == 0 ? giant : tiny;
    case GIANT_MIDDLE:
      return done >= items / 4 && done < items / 2 ? giant : tiny;
    case GIANT_LAST:
      return done >= giant ? items - done : tiny;
    case TWO_GIANTS:
      return i == 100 || i == 101 ? items / 3 : tiny;
    case LOGARITHMIC:
      return ((size_t)1 << r % 15) + (r >> 8) % ((size_t)1 << r % 15);
    case MOST_EMPTY:
      return r % 8 == 0 ? 1 + (r >> 8) % 16 : 0;
    case MEDIUM:
      return (r >> 8) % 700;
    default:
      return tiny;
  }
}

static layout layout_of(const size_t *lengths, size_t count, bool gaps) {
  layout l = {segments_of(lengths, count, gaps), malloc(count * 8 + 8), !gaps};
  memcpy(l.outs, l.list.begins, count * 8);
  return l;
}

static layout new_layout(shape s, size_t items, bool gaps) {
  const size_t most = s == ALL_EMPTY ? items / 8 : 2 * items + 200;
  size_t *lengths = malloc(most * sizeof *lengths), count = 0, done = 0;
  uint64_t seed = 7 + items + (unsigned)s;
  for (; count < most && (done < items || s == ALL_EMPTY); ++count) {
    lengths[count] = s == ALL_EMPTY ? 0 : length_of(s, items, done, count, &seed);
    done += lengths[count];
  }
  const layout l = layout_of(lengths, count, gaps);
  free(lengths);
  return l;
}

static void free_layout(layout *l) {
  free_segments(&l->list);
  free(l->outs);
}

/* Moves the segments of the back half to the front, so that all still adjoin, but at one place where an
 * empty segment ends before it begins. */
static void turn_round(layout *l) {
  const size_t count = l->list.count, half = count / 2;
  int64_t *begins = malloc(count * 8 + 8), *ends = malloc(count * 8 + 8);
  for (size_t i = 0; i + 1 < count; ++i) {
    const size_t from = i < count - half - 1 ? half + 1 + i : i - (count - half - 1);
    begins[i] = l->list.begins[from];
    ends[i] = l->list.ends[from];
  }
  /* The one that is left out is what joins both. */
  const size_t joint = count - half - 1;
  memmove(begins + joint + 1, begins + joint, (count - 1 - joint) * 8);
  memmove(ends + joint + 1, ends + joint, (count - 1 - joint) * 8);
  begins[joint] = joint > 0 ? ends[joint - 1] : 0;
  ends[joint] = joint + 1 < count ? begins[joint + 1] : begins[joint];
  free(l->list.begins);
  free(l->list.ends);
  l->list.begins = begins;
  l->list.ends = ends;
  memcpy(l->outs, begins, count * 8);
}

/* What comes of them goes somewhere else, in another order, with gaps. */
static void scatter_outputs(layout *l) {
  layout other = {
      {l->list.count, 0, malloc(l->list.count * 8 + 8), malloc(l->list.count * 8 + 8)}, NULL, false};
  for (size_t i = 0; i < l->list.count; ++i) {
    other.list.begins[i] = (int64_t)i;
    other.list.ends[i] = 0;
  }
  shuffle_segments(&other.list);
  int64_t place = 3;
  for (size_t k = 0; k < l->list.count; ++k) {
    const size_t i = (size_t)other.list.begins[k];
    l->outs[i] = place;
    if (l->list.ends[i] > l->list.begins[i])
      place += l->list.ends[i] - l->list.begins[i] + (int64_t)(i % 3 == 0);
  }
  free_segments(&other.list);
}

static size_t out_items(const layout *l) {
  size_t most = l->list.items;
  for (size_t i = 0; i < l->list.count; ++i) {
    const int64_t length = l->list.ends[i] - l->list.begins[i];
    if (length > 0 && (size_t)(l->outs[i] + length) > most) most = (size_t)(l->outs[i] + length);
  }
  return most;
}

/* ---- calls */

typedef struct operation {
  jig_type type;
  jig_op op;
  scan_model model;
  jig_type_kind words; /* that items are made of */
} operation;

static operation sum_of(jig_type_kind kind) {
  return (operation){type_of(kind), JIG_PLUS, sum_model(type_of(kind)), kind};
}
static operation pairs(void) {
  return (operation){jig_struct("pair", "struct pair { uint32_t w[2]; };", 8, 4),
                     jig_op_source("return {a.w[0] * b.w[0], a.w[1] * b.w[0] + b.w[1]};"),
                     {8, compose_pair},
                     JIG_KIND_U32};
}
/* Items of two bytes that may lie at odd addresses. */
static void compose_bytes(void *fold, const void *item) {
  uint8_t *a = fold;
  const uint8_t *b = item;
  a[1] = (uint8_t)(a[1] * b[0] + b[1]);
  a[0] = (uint8_t)(a[0] * b[0]);
}
static operation byte_pairs(void) {
  return (operation){
      jig_struct("bytes", "struct bytes { uint8_t w[2]; };", 2, 1),
      jig_op_source("return {uint8_t(a.w[0] * b.w[0]), uint8_t(a.w[1] * b.w[0] + b.w[1])};"),
      {2, compose_bytes},
      JIG_KIND_U8};
}
static operation lines(void) {
  return (operation){
      jig_struct("line", "struct line { uint32_t w[16]; };", 64, 4),
      jig_op_source("line c;\nc.w[0] = a.w[0] * b.w[0];\nc.w[1] = a.w[1] * b.w[0] + b.w[1];\n"
                    "for (int i = 2; i < 16; ++i) c.w[i] = a.w[i] + b.w[i];\nreturn c;"),
      {64, compose_line},
      JIG_KIND_U32};
}

static void *random_items(const operation *o, size_t count, uint64_t seed) {
  const size_t words = (count + 1) * o->type.size / type_of(o->words).size;
  void *items = malloc((count + 1) * o->type.size);
  fill_random(o->words, items, words, seed);
  return items;
}

/* Offsets on the device, as one array if segments adjoin, unless that would not fit i32; that one `skew`
 * bytes past an aligned address. */
typedef struct offsets {
  void *memory[3];
  jig_iter begins, ends, outs;
} offsets;

static offsets upload_offsets(const layout *l, bool with_outs, size_t skew) {
  const size_t count = l->list.count;
  offsets o = {{NULL}, .outs = {0}};
  if (l->adjoin) {
    int32_t *both = malloc(count * 4 + 4);
    for (size_t i = 0; i < count; ++i) both[i] = (int32_t)l->list.begins[i];
    both[count] = (int32_t)l->list.ends[count - 1];
    int32_t *device = o.memory[0] = gpu_copy(both, count * 4 + 4, skew);
    o.begins = jig_pointer(device, JIG_I32);
    o.ends = jig_pointer(device + 1, JIG_I32);
    free(both);
  } else {
    o.memory[0] = gpu_copy(l->list.begins, count * 8, 0);
    o.memory[1] = gpu_copy(l->list.ends, count * 8, 8);
    o.begins = jig_pointer(o.memory[0], JIG_I64);
    o.ends = jig_pointer(o.memory[1], JIG_U64);
  }
  if (with_outs) {
    o.memory[2] = gpu_copy(l->outs, count * 8, 0);
    o.outs = jig_pointer(o.memory[2], JIG_I64);
  }
  return o;
}

static void free_offsets(offsets *o) {
  for (size_t i = 0; i < COUNT_OF(o->memory); ++i)
    if (o->memory[i] != NULL) gpu_free(o->memory[i]);
}

static void scan_on_cpu(const operation *o, const layout *l, jig_scan_mode mode, const void *init,
                        const char *items, char *out) {
  const size_t size = o->type.size;
  for (size_t i = 0; i < l->list.count; ++i) {
    const int64_t length = l->list.ends[i] - l->list.begins[i];
    if (length > 0)
      scan_on_host(&o->model, mode, init, items + (size_t)l->list.begins[i] * size, (size_t)length,
                   out + (size_t)l->outs[i] * size);
  }
}

/* `way`: how items and results lie, what is asked for, and which segments count as long. What is between
 * segments stays in `out`. */
static void check_call(const operation *o, const layout *l, bool with_outs, int way, const char *what) {
  const size_t size = o->type.size, bytes = l->list.items * size, out_bytes = out_items(l) * size;
  const bool in_place = way % 4 == 3 && !with_outs, has_init = way % 3 > 0;
  const jig_scan_mode mode = way % 2 == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE;
  const bool needs_init = mode == JIG_SCAN_EXCLUSIVE;
  unsigned char init[64];
  memset(init, 3, sizeof init);
  char *items = random_items(o, l->list.items, 11 + (unsigned)way), *wanted = malloc(out_bytes + 1),
       *got = malloc(out_bytes + 1);
  offsets at = upload_offsets(l, with_outs, way / 5 % 2 == 0 ? 4 : 0);
  /* Not aligned as bulk copies and vectors want it, and not alike. */
  void *in = gpu_copy(items, bytes, (size_t)(way % 5) * o->type.align);
  void *out = in_place ? in : gpu_alloc(out_bytes, (size_t)(way % 3) * o->type.align);
  if (in_place)
    memcpy(wanted, items, bytes);
  else
    gpu_read(wanted, out, out_bytes);
  const jig_segmented_scan_args args = {.in = jig_pointer(in, o->type),
                                        .out = jig_pointer(out, o->type),
                                        .begin_offsets = at.begins,
                                        .end_offsets = at.ends,
                                        .out_offsets = at.outs,
                                        .num_segments = l->list.count,
                                        .op = o->op,
                                        .mode = mode,
                                        .init = has_init || needs_init ? init : NULL,
                                        .init_type = o->type,
                                        .accum_type = o->type};
  static const uint64_t shorts[] = {UINT64_MAX, 700, 1};
  plan_limits *limits = limits_of(NULL);
  const uint64_t most_short = limits->segment_most_short;
  limits->segment_most_short = shorts[(size_t)way / 2 % COUNT_OF(shorts)];
  size_t needed = 0;
  OK(jig_segmented_scan(NULL, NULL, &needed, &args, NULL));
  void *storage = gpu_alloc(needed, (size_t)way);
  OK(jig_segmented_scan(NULL, storage, &needed, &args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  limits->segment_most_short = most_short;
  gpu_free(storage);
  scan_on_cpu(o, l, mode, args.init, items, wanted);
  gpu_read(got, out, out_bytes);
  check_items(got, wanted, size, out_bytes / size, what);
  gpu_free(in);
  if (!in_place) gpu_free(out);
  free_offsets(&at);
  free(items);
  free(wanted);
  free(got);
}

/* Segments that adjoin and are few, though they are many for the tests, are scanned as many are as well:
 * where there is a pipeline, by other kernels. */
enum { FEW_SEGMENTS = 4320, PIPELINE_SM = 90 };
static void check_layout(const operation *o, const layout *l, bool with_outs, int way, const char *what) {
  plan_limits *limits = limits_of(NULL);
  const device_info *device;
  OK(driver_current_device(&device));
  check_call(o, l, with_outs, way, what);
  if (!l->adjoin || l->list.count <= FEW_SEGMENTS || device->sm < PIPELINE_SM) return;
  limits->segment_most_few = FEW_SEGMENTS;
  check_call(o, l, with_outs, way, what);
  limits->segment_most_few = UINT64_MAX;
}

/* Segments that adjoin, in order and not; with gaps, in order and not, with outputs elsewhere. */
static void check_shape(const operation *o, shape s, size_t items, int *way) {
  enum { PLACES = 5 };
  for (int place = 0; place < PLACES; ++place, ++*way) {
    if (!test_turn((unsigned)*way / 2)) continue;
    layout l = new_layout(s, items, place >= 2);
    if (place == 1 && l.list.count > 2) turn_round(&l);
    if (place == 3) shuffle_segments(&l.list);
    if (place == 3) memcpy(l.outs, l.list.begins, l.list.count * 8);
    if (place == 4) scatter_outputs(&l);
    char what[128];
    (void)snprintf(what, sizeof what, "%s, %zu items of %s, place %d, way %d", shape_names[s], items,
                   jig_type_name(&o->type), place, *way);
    check_layout(o, &l, place == 4, *way, what);
    free_layout(&l);
  }
}

static void check_shapes(operation o, size_t items) {
  int way = 0;
  for (int s = 0; s < SHAPES; ++s) check_shape(&o, (shape)s, items, &way);
}

START_TEST(shapes_of_words) {
  check_shapes(sum_of(JIG_KIND_U32), 60000);
}
END_TEST
START_TEST(shapes_of_few_words) {
  check_shapes(sum_of(JIG_KIND_U32), 3000);
}
END_TEST
START_TEST(shapes_of_bytes) {
  check_shapes(sum_of(JIG_KIND_U8), 150000);
}
END_TEST
START_TEST(shapes_of_pairs_of_bytes) {
  check_shapes(byte_pairs(), 20000);
}
END_TEST
START_TEST(shapes_of_pairs) {
  check_shapes(pairs(), 30000);
}
END_TEST
START_TEST(shapes_of_wide_numbers) {
  check_shapes(sum_of(JIG_KIND_I128), 20000);
}
END_TEST
START_TEST(shapes_of_lines) {
  check_shapes(lines(), 10000);
}
END_TEST

/* ---- a tile or two for each block; and more than blocks have from the start */

START_TEST(shapes_of_a_tile_for_each_block) {
  check_shapes(sum_of(JIG_KIND_U32), 25000);
}
END_TEST
START_TEST(shapes_of_many_words) {
  check_shapes(sum_of(JIG_KIND_U32), 400000);
}
END_TEST

/* Of a few segments for each block: as many as a warp holds, more than shared memory does at a time, and
 * one for all blocks. */
START_TEST(shapes_of_a_few_for_each_block) {
  enum { EACH = 5, BLOCK_EACH = 9, HELD = 250, LONG = 20001, GIANT = 200000 };
  int multiprocessors;
  GPU(gpu()->cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  size_t *lengths = malloc(BLOCK_EACH * (size_t)multiprocessors * sizeof *lengths);
  const operation o = sum_of(JIG_KIND_U32);
  for (int way = 0; way < 18; ++way) {
    const size_t count = (size_t)multiprocessors * (way < 9 ? EACH : BLOCK_EACH);
    for (size_t i = 0; i < count; ++i) lengths[i] = way % 9 < 3 ? i % HELD : i * 7919 % LONG;
    if (way % 9 >= 6) lengths[count / 2] = GIANT;
    layout l = layout_of(lengths, count, way % 3 > 0);
    if (way % 3 == 2) scatter_outputs(&l);
    check_layout(&o, &l, way % 3 == 2, way, "a few for each block");
    free_layout(&l);
  }
  free(lengths);
}
END_TEST

/* Of segments that adjoin as many for each block as its warps take by themselves: of one row, of all that
 * a warp holds and of some more; the longest are the block's, or lie in shared memory with all others. */
static void check_short_segments(operation o, size_t longest, size_t most_long) {
  static const size_t each[] = {1, 2, 27, 31, 32, 33, 60},
                      lengths[] = {30,  64, 0,   65, 1,  319, 320, 33, 321, 511, 512, 63,
                                   128, 31, 129, 32, 40, 0,   2,   90, 300, 127, 17};
  int multiprocessors;
  GPU(gpu()->cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  for (size_t e = 0; e < COUNT_OF(each); ++e) {
    const size_t count = each[e] * (size_t)multiprocessors - e % 2;
    size_t *mine = malloc(count * sizeof *mine);
    for (size_t i = 0; i < count; ++i) mine[i] = lengths[i % COUNT_OF(lengths)];
    for (size_t i = 5; longest > 0 && i < count; i += 41) mine[i] = 513 + i * 7919 % (longest - 512);
    for (size_t i = 0; i < most_long && i < count; ++i) mine[count - 1 - i] = longest;
    layout l = layout_of(mine, count, false);
    for (int way = 0; way < 4; ++way) {
      char what[96];
      (void)snprintf(what, sizeof what, "%zu short segments for each block, %s", each[e],
                     jig_type_name(&o.type));
      check_layout(&o, &l, false, way + 4 * (int)e, what);
    }
    free_layout(&l);
    free(mine);
  }
}

START_TEST(short_segments_that_adjoin) {
  check_short_segments(sum_of(JIG_KIND_U32), 0, 0);
  check_short_segments(pairs(), 0, 0);
  if (test_turn(0)) check_short_segments(sum_of(JIG_KIND_U8), 0, 0);
  if (test_turn(1)) check_short_segments(sum_of(JIG_KIND_I128), 0, 0);
}
END_TEST
START_TEST(short_segments_with_longer_ones) {
  check_short_segments(sum_of(JIG_KIND_U32), 2000, 2);
  check_short_segments(pairs(), 1500, 1);
}
END_TEST

/* At most one for each block, some of them so long that its threads hold all of it, or just not; that lie
 * in order, so that they may adjoin, and not. */
static void check_single_segments(operation o) {
  static const size_t lengths[] = {1,    5,    128,  159,  160,  161,  300,  511,  512,  599,  640, 641,
                                   1024, 1025, 1280, 1281, 1727, 1728, 2592, 3000, 3455, 3456, 3457};
  int way = 0;
  for (size_t count = 1; count <= 9; count += 4) {
    for (size_t first = 0; first < COUNT_OF(lengths); ++first, ++way) {
      if (!test_turn((unsigned)way)) continue;
      size_t mine[9];
      for (size_t i = 0; i < count; ++i) mine[i] = lengths[(first + i * 5) % COUNT_OF(lengths)];
      layout l = layout_of(mine, count, way % 2 > 0);
      if (way % 4 == 3) shuffle_segments(&l.list);
      if (way % 4 == 3) memcpy(l.outs, l.list.begins, count * 8);
      char what[96];
      (void)snprintf(what, sizeof what, "%zu single segments, the first of %zu %s", count, mine[0],
                     jig_type_name(&o.type));
      for (int k = 0; k < 3; ++k) check_layout(&o, &l, false, way + k * 7, what);
      free_layout(&l);
    }
  }
}

START_TEST(single_segments_of_blocks) {
  check_single_segments(sum_of(JIG_KIND_U32));
  check_single_segments(sum_of(JIG_KIND_U8));
  check_single_segments(pairs());
  check_single_segments(byte_pairs());
}
END_TEST

/* Segments that adjoin, from item BEFORE on, but that the first ones are before that, where an empty one
 * goes back to; and one of the last is behind all. Each item is in one segment, and every chunk ends
 * behind where it begins. */
static void check_falling(size_t segments) {
  enum { BEFORE = 20000, FIRST = 900, BEHIND = 30, GIANT = 30000 };
  const operation o = sum_of(JIG_KIND_U32);
  for (int way = 0; way < 24; ++way) {
    const int length = way < 8 ? 3 : 8; /* of the others, which make a tile or two for each block */
    const bool has_giant = way >= 16;   /* in the first chunk, for several blocks */
    layout l = {{segments, 0, malloc(segments * 8), malloc(segments * 8)}, malloc(segments * 8), true};
    int64_t at = BEFORE;
    for (size_t i = 0; i < segments; ++i) {
      l.list.begins[i] = l.outs[i] = at;
      if (i == 0)
        at = 0;
      else if (i == 300)
        at = BEFORE - (FIRST - 300) * 3; /* a long one */
      else if (i == FIRST + 100 && has_giant)
        at += GIANT;
      else if (i == segments - 2)
        at += BEHIND;
      else if (i == segments - 1)
        at -= BEHIND;
      else
        at += i <= FIRST ? 3 : length;
      l.list.ends[i] = at;
      if ((size_t)at > l.list.items) l.list.items = (size_t)at;
    }
    check_layout(&o, &l, false, way, "offsets that fall");
    free_layout(&l);
  }
}

START_TEST(offsets_fall_within_chunks) {
  check_falling(6000);
}
END_TEST
START_TEST(offsets_of_few_segments_fall) {
  check_falling(2000);
}
END_TEST

/* ---- many tiles */

/* As if there were so many that all states are used several times, which takes few of them. */
static void check_rounds(const operation *o, const layout *l, int way, const char *what) {
  plan_limits *limits = limits_of(NULL);
  const unsigned bits = limits->segment_part_bits, reach = limits->segment_reach;
  limits->segment_part_bits = 7;
  limits->segment_reach = 2;
  check_layout(o, l, false, way, what);
  limits->segment_part_bits = bits;
  limits->segment_reach = reach;
}

static void check_rounds_of_shapes(operation o, size_t items) {
  static const shape shapes[] = {GIANT_MIDDLE, LOGARITHMIC, TWO_GIANTS};
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
    layout l = new_layout(shapes[i], items, false);
    check_rounds(&o, &l, (int)i, shape_names[shapes[i]]);
    free_layout(&l);
  }
}

START_TEST(states_are_used_again) {
  check_rounds_of_shapes(lines(), 300000);
  check_rounds_of_shapes(sum_of(JIG_KIND_I128), 1500000);
}
END_TEST

/* The same of few segments that do not adjoin, each of more tiles than there are states. */
static void check_rounds_of_few(operation o, size_t tile) {
  const size_t lengths[] = {30, 600 * tile + 1, 0, 5000, 700 * tile, 1};
  layout l = layout_of(lengths, COUNT_OF(lengths), true);
  for (int way = 0; way < 2; ++way) check_rounds(&o, &l, way, "few");
  free_layout(&l);
}

START_TEST(states_of_few_are_used_again) {
  check_rounds_of_few(lines(), 256);
  if (test_turn(0)) check_rounds_of_few(sum_of(JIG_KIND_I128), 1024);
}
END_TEST

/* A giant of 39 tiles, then a tile of which every row begins a segment, the eighth of its group: that
 * tile's flags, which are as narrow as its sums, are told eight times over where the next tile looks
 * back. */
START_TEST(many_flags_are_not_none) {
  enum { TILE = 12 * 3 * 32 * 28, GIANT = 39 * TILE, SHORT = 900, SEGMENTS = 200 };
  size_t lengths[SEGMENTS];
  for (size_t i = 0; i < SEGMENTS; ++i) lengths[i] = i == 0 ? GIANT : SHORT;
  layout l = layout_of(lengths, SEGMENTS, false);
  const operation o = sum_of(JIG_KIND_U8);
  check_layout(&o, &l, false, 0, "a giant, then 900 each");
  free_layout(&l);
}
END_TEST

/* ---- graphs */

static void check_replays(size_t segments) {
  enum { ITEMS = 40000, ROUNDS = 6, MOST = ITEMS + 1 };
  static const shape rounds[ROUNDS] = {GIANT_LAST, MEDIUM, GIANT_FIRST, ONE, ONE, LOGARITHMIC};
  const operation o = sum_of(JIG_KIND_U32);
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint32_t *in = gpu_alloc(2 * ITEMS * 4, 0), *out = gpu_alloc(2 * ITEMS * 4, 4);
  int32_t *ends = gpu_alloc(MOST * 4, 0), *host_ends = malloc(MOST * 4);
  const jig_segmented_scan_args args = {.in = jig_pointer(in, JIG_U32),
                                        .out = jig_pointer(out, JIG_U32),
                                        .begin_offsets = jig_pointer(ends, JIG_I32),
                                        .end_offsets = jig_pointer(ends + 1, JIG_I32),
                                        .num_segments = segments};
  size_t bytes = 0;
  OK(jig_segmented_scan(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(jig_segmented_scan(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int round = 0; round < ROUNDS; ++round) {
    layout l = new_layout(rounds[round], ITEMS, false);
    /* As many as the graph has: what is over is one segment, what lacks is empty. */
    for (size_t i = 0; i <= segments; ++i)
      host_ends[i] = i == 0 ? 0
                            : (int32_t)(i < l.list.count && i < segments ? l.list.ends[i - 1]
                                                                         : (int64_t)l.list.items);
    layout cut = {
        {segments, l.list.items, malloc(segments * 8), malloc(segments * 8)}, malloc(segments * 8), true};
    for (size_t i = 0; i < segments; ++i) {
      cut.list.begins[i] = cut.outs[i] = host_ends[i];
      cut.list.ends[i] = host_ends[i + 1];
    }
    char *items = random_items(&o, l.list.items, 5 + (unsigned)round), *wanted = malloc(l.list.items * 4),
         *got = malloc(l.list.items * 4);
    ck_assert_uint_le(l.list.items, 2 * ITEMS);
    GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)ends, host_ends, (segments + 1) * 4, stream));
    GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)in, items, l.list.items * 4, stream));
    GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)out, 0xee, l.list.items * 4, stream));
    gpu_replay(exec, stream);
    scan_on_cpu(&o, &cut, JIG_SCAN_INCLUSIVE, NULL, items, wanted);
    gpu_read(got, out, l.list.items * 4);
    check_items(got, wanted, 4, l.list.items, shape_names[rounds[round]]);
    free(items);
    free(wanted);
    free(got);
    free_layout(&cut);
    free_layout(&l);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  gpu_free(ends);
  free(host_ends);
  GPU(gpu()->cuStreamDestroy(stream));
}

START_TEST(replays_find_other_segments) {
  check_replays(700);
  check_replays(12000);
  limits_of(NULL)->segment_most_few = FEW_SEGMENTS;
  check_replays(12000);
  limits_of(NULL)->segment_most_few = UINT64_MAX;
}
END_TEST

/* ---- the same bits */

/* Numbers whose sums depend on how they are associated: twice the same, and see
 * tests/scripts/test_other_gpus.sh. */
START_TEST(sums_are_the_same_bits) {
  for (int s = 0; s < SHAPES; ++s) {
    layout l = new_layout((shape)s, 50000, false);
    const size_t count = l.list.items;
    float *items = malloc(count * 4 + 4), *got[2] = {malloc(count * 4 + 4), malloc(count * 4 + 4)};
    uint64_t seed = 99;
    for (size_t i = 0; i < count; ++i) items[i] = (float)(next_random(&seed) >> 40) * 0x1p-20f - 8;
    offsets at = upload_offsets(&l, false, 4);
    void *in = gpu_copy(items, count * 4, 0), *out = gpu_alloc(count * 4, 0);
    for (int k = 0; k < 2; ++k) {
      OK(jig_inclusive_segmented_sum(NULL, NULL, NULL, jig_pointer(in, JIG_F32),
                                     jig_pointer(out, JIG_F32), at.begins, at.ends, l.list.count, NULL));
      GPU(gpu()->cuStreamSynchronize(NULL));
      gpu_read(got[k], out, count * 4);
    }
    check_items(got[1], got[0], 4, count, shape_names[s]);
    gpu_free(in);
    gpu_free(out);
    free_offsets(&at);
    free_layout(&l);
    free(items);
    free(got[0]);
    free(got[1]);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(shapes_of_words),
      SUITE_TEST(shapes_of_few_words),
      SUITE_TEST(shapes_of_bytes),
      SUITE_TEST(shapes_of_pairs_of_bytes),
      SUITE_TEST(shapes_of_pairs),
      SUITE_TEST(shapes_of_wide_numbers),
      SUITE_TEST(shapes_of_lines),
      SUITE_TEST(shapes_of_a_tile_for_each_block),
      SUITE_TEST(shapes_of_many_words),
      SUITE_TEST(shapes_of_a_few_for_each_block),
      SUITE_TEST(single_segments_of_blocks),
      SUITE_TEST(short_segments_that_adjoin),
      SUITE_TEST(short_segments_with_longer_ones),
      SUITE_TEST(offsets_fall_within_chunks),
      SUITE_TEST(offsets_of_few_segments_fall),
      SUITE_TEST(states_are_used_again),
      SUITE_TEST(states_of_few_are_used_again),
      SUITE_TEST(replays_find_other_segments),
      SUITE_TEST(sums_are_the_same_bits),
      SUITE_TEST(many_flags_are_not_none),
  };
  return SUITE_RUN("device/segmented_scan_shapes", tests, true);
}
