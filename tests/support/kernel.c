#include "kernel.h"

#include <check.h>

#include "gpu.h"
#include "jit/compiler.h"

static CUresult load(const char *source, bool ptx, CUmodule *module) {
  int count;
  size_t template_count;
  const arch target = arch_of_sm(driver_devices(&count)[0].sm, ptx);
  const template_file *templates = templates_get(&template_count);
  const compiler *c = compiler_get();
  ck_assert_msg(c != NULL && templates != NULL, "%s", jig_last_error());
  compiled result;
  const compile_request request = {
      .program = source, .files = templates, .file_count = template_count, .target = &target, .jobs = 1};
  jig_status status = compiler_compile(c, &request, &result);
  ck_assert_msg(status == JIG_SUCCESS, "%s\n%s", jig_last_error(), source);
  CUresult loaded = gpu()->cuModuleLoadData(module, result.payload);
  compiled_free(&result);
  return loaded;
}

kernel kernel_build(const char *source) {
  kernel k;
  CUresult loaded = load(source, false, &k.module);
  if (loaded == CUDA_ERROR_NO_BINARY_FOR_GPU) loaded = load(source, true, &k.module); /* as jig does */
  GPU(loaded);
  GPU(gpu()->cuModuleGetFunction(&k.function, k.module, "test"));
  return k;
}

void kernel_free(kernel *k) {
  GPU(gpu()->cuModuleUnload(k->module));
}
