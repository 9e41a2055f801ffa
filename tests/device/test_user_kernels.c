/* Kernels of the user's own: definitions of every kind, several texts and headers, shapes of launches,
 * arguments, what is refused and how, captures, threads, engines, strict mode. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "gpu.h"
#include "store_support.h"
#include "strict_support.h"
#include "suite.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- helpers */

static jig_kernel *get_from(jig_engine *engine, jig_kernel_config config) {
  jig_kernel *kernel = NULL;
  const jig_status status = jig_kernel_get(engine, &config, &kernel);
  ck_assert_msg(status == JIG_SUCCESS, "%s: %s", config.entry, jig_last_error());
  ck_assert_ptr_nonnull(kernel);
  return kernel;
}

static jig_kernel *get(jig_kernel_config config) {
  return get_from(NULL, config);
}

static void launch(jig_kernel *kernel, jig_kernel_shape shape, const jig_kernel_arg *args, size_t count) {
  const jig_status status = jig_kernel_launch(kernel, &shape, args, count, NULL);
  ck_assert_msg(status == JIG_SUCCESS, "%s", jig_last_error());
}

/* That a call was refused like this, the error saying all of these, up to NULL. */
static void check_error(jig_status status, jig_status wanted, const char *const *parts) {
  ck_assert_msg(status == wanted, "%s, not %s: %s", jig_status_name(status), jig_status_name(wanted),
                jig_last_error());
  for (; *parts != NULL; ++parts)
    ck_assert_msg(strstr(jig_last_error(), *parts) != NULL, "no '%s' in: %s", *parts, jig_last_error());
}
#define SAYS(...) \
  (const char *const[]) { __VA_ARGS__, NULL }

static void refused(jig_kernel_config config, jig_status wanted, const char *const *parts) {
  jig_kernel *kernel = (jig_kernel *)&config;
  check_error(jig_kernel_get(NULL, &config, &kernel), wanted, parts);
  ck_assert_ptr_null(kernel);
}

/* Words of device memory that a kernel fills. */
static uint32_t *new_words(size_t count) {
  uint32_t *words = gpu_alloc(count * sizeof *words, 0);
  gpu_fill(words, 0, count * sizeof *words);
  return words;
}

static void check_words(uint32_t *words, const uint32_t *wanted, size_t count) {
  uint32_t *got = malloc(count * sizeof *got);
  gpu_read(got, words, count * sizeof *got);
  for (size_t i = 0; i < count; ++i)
    ck_assert_msg(got[i] == wanted[i], "word %zu: %u, not %u", i, got[i], wanted[i]);
  free(got);
  gpu_free(words);
}

/* ---- a kernel, and jig's templates in it */

static const char *const block_sum =
    "#include <jig/block/reduce.cuh>\n"
    "extern \"C\" __global__ void block_sum(const unsigned *in, unsigned *out, int count) {\n"
    "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
    "  const unsigned sum = jig::BlockReduce<unsigned, 128>().Sum(i < count ? in[i] : 0u);\n"
    "  if (threadIdx.x == 0) out[blockIdx.x] = sum;\n"
    "}\n";

START_TEST(collectives_are_there) {
  enum { ITEMS = 1000, BLOCKS = (ITEMS + 127) / 128 };
  uint32_t items[ITEMS], wanted[BLOCKS] = {0};
  for (uint32_t i = 0; i < ITEMS; ++i) {
    items[i] = i * 2654435761u;
    wanted[i / 128] += items[i];
  }
  uint32_t *in = gpu_copy(items, sizeof items, 0), *out = new_words(BLOCKS);
  int count = ITEMS;
  jig_kernel *kernel = get((jig_kernel_config){.entry = "block_sum", .source = block_sum});
  const jig_kernel_arg args[] = {JIG_ARG(in), JIG_ARG(out), JIG_ARG(count)};
  launch(kernel, (jig_kernel_shape){.grid = {BLOCKS}, .block = {128}}, args, 3);
  check_words(out, wanted, BLOCKS);
  gpu_free(in);
}
END_TEST

static const suite_test tests[] = {
    SUITE_TEST(collectives_are_there),
};

int main(void) {
  return SUITE_RUN("device/user_kernels", tests, true);
}
