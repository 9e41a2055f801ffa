/* One temp storage for calls of different programs, in stream order and without waiting: what one left
 * there, items of another size included, is nothing to the next. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* The same words are read as words, as numbers of 8 bytes and as structs of 16 words. */
enum { WORDS = 1 << 20, LINE_WORDS = 16, LINES = WORDS / LINE_WORDS, ROUNDS = 250 };

typedef struct line {
  uint32_t w[LINE_WORDS];
} line;
static const char line_definition[] = "struct line { uint32_t w[16]; };";

typedef enum which { WORD_SUM, WORD_SUM_IN_ORDER, LINE_XOR, LONG_XOR, LEAST, WHICH_COUNT } which;
static const char *const names[] = {"the sum of u32", "the ordered sum of u32",
                                    "the xor of 64-byte structs", "the xor of u64", "the arg-min of u32"};
static const size_t limits[] = {WORDS, WORDS, LINES, WORDS / 2, WORDS};

/* Where the result of one call goes, and the result of any: 64 bytes. */
typedef union outcome {
  line l;
  uint32_t word;
  uint64_t number;
  struct {
    uint32_t least, unused;
    int64_t index;
  } place;
} outcome;

/* ---- what is right, for every count */

typedef struct tables {
  uint32_t *words, *sums,
      *least; /* sums[n] is the sum of the first n words, least[n] where the least is */
  uint64_t *xors;
  line *lines;
} tables;

static void fill_word_tables(tables *t) {
  t->sums[0] = 0;
  for (uint32_t i = 0; i < WORDS; ++i) {
    t->sums[i + 1] = t->sums[i] + t->words[i];
    t->least[i + 1] = i == 0 || t->words[i] < t->words[t->least[i]] ? i : t->least[i];
  }
}

static void fill_wide_tables(tables *t) {
  t->xors[0] = 0;
  memset(&t->lines[0], 0, sizeof t->lines[0]);
  for (size_t i = 0; i < WORDS / 2; ++i) {
    uint64_t number;
    memcpy(&number, t->words + 2 * i, sizeof number);
    t->xors[i + 1] = t->xors[i] ^ number;
  }
  for (size_t i = 0; i < WORDS; ++i) {
    t->lines[i / LINE_WORDS + 1].w[i % LINE_WORDS] =
        t->lines[i / LINE_WORDS].w[i % LINE_WORDS] ^ t->words[i];
  }
}

static tables new_tables(void) {
  tables t = {.words = malloc(WORDS * sizeof *t.words),
              .sums = malloc((WORDS + 1) * sizeof *t.sums),
              .least = malloc((WORDS + 1) * sizeof *t.least),
              .xors = malloc((WORDS / 2 + 1) * sizeof *t.xors),
              .lines = malloc((LINES + 1) * sizeof *t.lines)};
  fill_random(JIG_KIND_U32, t.words, WORDS, 60);
  fill_word_tables(&t);
  fill_wide_tables(&t);
  return t;
}

static void free_tables(tables *t) {
  free(t->words);
  free(t->sums);
  free(t->least);
  free(t->xors);
  free(t->lines);
}

static bool is_right(const tables *t, which w, size_t count, const outcome *o) {
  switch (w) {
    case WORD_SUM:
    case WORD_SUM_IN_ORDER:
      return o->word == t->sums[count];
    case LINE_XOR:
      return memcmp(&o->l, &t->lines[count], sizeof o->l) == 0;
    case LONG_XOR:
      return o->number == t->xors[count];
    default:
      return o->place.index == (int64_t)t->least[count] && o->place.least == t->words[t->least[count]];
  }
}

/* ---- the calls */

static jig_status call_reduce(which w, void *storage, size_t *bytes, const void *items, size_t count,
                              outcome *out, CUstream stream) {
  const jig_type type = w == LINE_XOR   ? jig_struct("line", line_definition, sizeof(line), 4)
                        : w == LONG_XOR ? JIG_U64
                                        : JIG_U32;
  const jig_op op = w == WORD_SUM            ? JIG_PLUS
                    : w == WORD_SUM_IN_ORDER ? jig_op_source("return a + b;")
                    : w == LONG_XOR
                        ? jig_op_commutative(jig_op_source("return a ^ b;"))
                        : jig_op_source("for (int i = 0; i < 16; ++i) a.w[i] ^= b.w[i];\nreturn a;");
  const jig_reduce_args args = {
      .in = jig_pointer(items, type), .out = jig_pointer(out, type), .num_items = count, .op = op};
  return jig_reduce(NULL, storage, bytes, &args, stream);
}

static jig_status call_any(which w, void *storage, size_t *bytes, const void *items, size_t count,
                           outcome *out, CUstream stream) {
  if (w != LEAST) return call_reduce(w, storage, bytes, items, count, out, stream);
  const jig_arg_reduce_args args = {.in = jig_pointer(items, JIG_U32),
                                    .value_out = jig_pointer(&out->place.least, JIG_U32),
                                    .index_out = jig_pointer(&out->place.index, JIG_I64),
                                    .num_items = count};
  return jig_arg_reduce(NULL, storage, bytes, &args, stream);
}

/* The most that any of them needs; all programs are loaded then. */
static size_t storage_for_all(const void *items, outcome *out, CUstream stream) {
  size_t most = 0;
  for (which w = WORD_SUM; w < WHICH_COUNT; ++w) {
    size_t bytes = 0;
    OK(call_any(w, NULL, &bytes, items, limits[w], out, stream));
    most = bytes > most ? bytes : most;
  }
  return most;
}

/* A count from one item to all, the small ones as likely as the large ones. */
static size_t random_count(which w, uint64_t *seed) {
  const uint64_t r = next_random(seed);
  return 1 + (r >> 8) % (limits[w] >> r % 8);
}

typedef struct issued {
  which w;
  size_t count;
} issued;

static void check_outcomes(const tables *t, const issued *calls, const outcome *results, size_t offset) {
  for (size_t i = 0; i < ROUNDS * WHICH_COUNT; ++i) {
    ck_assert_msg(is_right(t, calls[i].w, calls[i].count, &results[i]),
                  "call %zu in a row, %s of %zu, storage at offset %zu: %s is wrong; before it %s of %zu",
                  i, names[calls[i].w], calls[i].count, offset, bits_of(&results[i], 16),
                  i > 0 ? names[calls[i - 1].w] : "nothing", i > 0 ? calls[i - 1].count : 0);
  }
}

static void run_in_turn(const tables *t, const void *items, size_t offset, CUstream stream) {
  enum { CALLS = ROUNDS * WHICH_COUNT };
  outcome *out = gpu_alloc(CALLS * sizeof *out, 0), *results = malloc(CALLS * sizeof *results);
  issued *calls = malloc(CALLS * sizeof *calls);
  size_t bytes = storage_for_all(items, out, stream);
  void *storage = gpu_alloc(bytes, offset);
  uint64_t seed = 61 + offset;
  for (size_t i = 0; i < CALLS; ++i) {
    /* Each program follows each other one sooner or later. */
    const which w = (which)(i < CALLS / 2 ? i % WHICH_COUNT : next_random(&seed) % WHICH_COUNT);
    calls[i] = (issued){w, random_count(w, &seed)};
    OK(call_any(w, storage, &bytes, items, calls[i].count, &out[i], stream));
  }
  GPU(gpu()->cuStreamSynchronize(stream));
  gpu_read(results, out, CALLS * sizeof *results);
  check_outcomes(t, calls, results, offset);
  gpu_free(storage);
  gpu_free(out);
  free(calls);
  free(results);
}

START_TEST(programs_take_turns_with_one_storage) {
  tables t = new_tables();
  void *items = gpu_copy(t.words, WORDS * sizeof *t.words, 0);
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  run_in_turn(&t, items, 0, stream);
  run_in_turn(&t, items, 8, stream);
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(items);
  free_tables(&t);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(programs_take_turns_with_one_storage)};
  return SUITE_RUN("device/shared_storage", tests, true);
}
