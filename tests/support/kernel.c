#include "kernel.h"

#include <check.h>

#include "gpu.h"
#include "jit/compiler.h"

kernel kernel_build(const char *source) {
  int count;
  size_t template_count;
  const arch target = arch_of_sm(driver_devices(&count)[0].sm, false);
  const template_file *templates = templates_get(&template_count);
  const compiler *c = compiler_get();
  ck_assert_msg(c != NULL && templates != NULL, "%s", jig_last_error());
  compiled result;
  jig_status status = compiler_compile(c, source, templates, template_count, &target, 1, &result);
  ck_assert_msg(status == JIG_SUCCESS, "%s\n%s", jig_last_error(), source);
  kernel k;
  GPU(gpu()->cuModuleLoadData(&k.module, result.payload));
  GPU(gpu()->cuModuleGetFunction(&k.function, k.module, "test"));
  compiled_free(&result);
  return k;
}

void kernel_free(kernel *k) {
  GPU(gpu()->cuModuleUnload(k->module));
}
