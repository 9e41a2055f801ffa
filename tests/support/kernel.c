#include "kernel.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "jit/compiler.h"
#include "seed.h"
#include "util/digest.h"
#include "util/text_file.h"

/* ---- kernels that were compiled before, by the same compiler, in the folder that $JIG_TEST_KERNELS
 * names */

/* Where the program's code is kept; false: nowhere. */
static bool path_of(const compile_request *r, char *path, size_t size) {
  const char *folder = getenv("JIG_TEST_KERNELS");
  char hex[DIGEST_HEX_SIZE];
  digester d;
  if (folder == NULL) return false;
  const digest templates = files_digest(r->files, r->file_count);
  digest_begin(&d);
  digest_add(&d, templates.bytes, sizeof templates.bytes);
  digest_add(&d, r->target->name, strlen(r->target->name) + 1);
  digest_add(&d, r->program, strlen(r->program));
  digest_hex(digest_end(&d), hex);
  return snprintf(path, size, "%s/%s", folder, hex) < (int)size;
}

static bool find_kept(const char *path, compiled *result) {
  enum { MOST = 1 << 26 };
  char *content;
  *result = (compiled){.payload = NULL};
  if (text_file_read(path, MOST, &content, &result->payload_size) != 0) return false;
  result->payload = (unsigned char *)content;
  return true;
}

/* Whole or not at all, as others may be at it. */
static void keep(const char *path, const compiled *result) {
  char fresh[4096];
  if (snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid()) >= (int)sizeof fresh) return;
  FILE *file = fopen(fresh, "wb");
  if (file == NULL) return;
  const bool whole = fwrite(result->payload, 1, result->payload_size, file) == result->payload_size;
  if (fclose(file) != 0 || !whole || rename(fresh, path) != 0) (void)remove(fresh);
}

static void compile(const compile_request *request, compiled *result) {
  char path[4096];
  const bool is_kept = path_of(request, path, sizeof path);
  if (is_kept && find_kept(path, result)) return;
  const compiler *c = compiler_get();
  ck_assert_msg(c != NULL, "%s", jig_last_error());
  const jig_status status = compiler_compile(c, request, result);
  ck_assert_msg(status == JIG_SUCCESS, "%.1500s\n%.1500s", jig_last_error(), request->program);
  if (is_kept) keep(path, result);
}

static CUresult load(const char *source, bool ptx, CUmodule *module) {
  int count;
  size_t template_count;
  const arch target = arch_of_sm(driver_devices(&count)[0].sm, ptx);
  const template_file *templates = templates_get(&template_count);
  ck_assert_msg(templates != NULL, "%s", jig_last_error());
  compiled result;
  const compile_request request = {
      .program = source, .files = templates, .file_count = template_count, .target = &target, .jobs = 1};
  compile(&request, &result);
  CUresult loaded = gpu()->cuModuleLoadData(module, result.payload);
  compiled_free(&result);
  return loaded;
}

/* The software GPU takes PTX alone. There one kernel of four is compiled to machine code as well, which
 * the assembler has to take; another one on another day. */
static bool has_machine_code(const char *source) {
  enum { TURNS = 4 };
  if (!gpu_is_software()) return true;
  digester d;
  digest_begin(&d);
  digest_add(&d, source, strlen(source));
  return (test_seed() + digest_end(&d).bytes[0]) % TURNS == 0;
}

kernel kernel_build(const char *source) {
  kernel k;
  CUresult loaded =
      has_machine_code(source) ? load(source, false, &k.module) : CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (loaded == CUDA_ERROR_NO_BINARY_FOR_GPU) loaded = load(source, true, &k.module); /* as jig does */
  GPU(loaded);
  GPU(gpu()->cuModuleGetFunction(&k.function, k.module, "test"));
  return k;
}

void kernel_free(kernel *k) {
  GPU(gpu()->cuModuleUnload(k->module));
}
