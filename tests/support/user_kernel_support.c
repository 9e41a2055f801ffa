#include "user_kernel_support.h"

#include <string.h>

#include "gpu.h"
#include "suite.h"
#include "words.h"

const char *const user_kernel_fill_text =
    "extern \"C\" __global__ void fill(unsigned *out, unsigned value) {\n"
    "  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n"
    "  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
    "  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;\n"
    "  out[i] = value + i;\n"
    "}\n";

jig_kernel *user_kernel_from(jig_engine *engine, jig_kernel_config config) {
  jig_kernel *kernel = NULL;
  const jig_status status = jig_kernel_get(engine, &config, &kernel);
  ck_assert_msg(status == JIG_SUCCESS, "%s: %s", config.entry, jig_last_error());
  ck_assert_ptr_nonnull(kernel);
  return kernel;
}

jig_kernel *user_kernel(jig_kernel_config config) {
  return user_kernel_from(NULL, config);
}

jig_kernel *user_kernel_fill(jig_engine *engine) {
  return user_kernel_from(engine, (jig_kernel_config){.entry = "fill", .source = user_kernel_fill_text});
}

void user_kernel_launch(jig_kernel *kernel, jig_kernel_shape shape, const jig_kernel_arg *args,
                        size_t count) {
  const jig_status status = jig_kernel_launch(kernel, &shape, args, count, NULL);
  ck_assert_msg(status == JIG_SUCCESS, "%s", jig_last_error());
}

void user_kernel_error(jig_status status, jig_status wanted, const char *const *parts) {
  ck_assert_msg(status == wanted, "%s, not %s: %s", jig_status_name(status), jig_status_name(wanted),
                jig_last_error());
  for (; *parts != NULL; ++parts)
    ck_assert_msg(strstr(jig_last_error(), *parts) != NULL, "no '%s' in: %s", *parts, jig_last_error());
}

uint32_t *user_kernel_words(size_t count) {
  uint32_t *words = gpu_alloc(count * sizeof *words, 0);
  gpu_fill(words, 0, count * sizeof *words);
  return words;
}

void user_kernel_expect(uint32_t *words, const uint32_t *wanted, size_t count) {
  check_words(words, wanted, count, "what a kernel fills");
  gpu_free(words);
}

driver *user_kernel_driver(void) {
  return (driver *)(uintptr_t)gpu();
}
