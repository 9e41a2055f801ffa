#include "reduce_support.h"

#include <check.h>
#include <string.h>

#include "gpu.h"

void check_status(jig_status got, jig_status wanted, const char *call, const char *file, int line) {
  if (got == wanted) return;
  /* Check gives up at messages of 8 KiB. */
  ck_abort_msg("%s:%d: %s: %s: %.4000s", file, line, call, jig_status_name(got), jig_last_error());
}

void check_failure(jig_status got, jig_status wanted, const char *part, const char *call,
                   const char *file, int line) {
  check_status(got, wanted, call, file, line);
  if (strstr(jig_last_error(), part) != NULL) return;
  ck_abort_msg("%s:%d: %s: the error does not say '%s': %.4000s", file, line, call, part,
               jig_last_error());
}

void run_reduce(const jig_reduce_args *args, size_t storage_offset) {
  size_t bytes = 0;
  OK(jig_reduce(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, storage_offset);
  OK(jig_reduce(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

void run_arg_reduce(const jig_arg_reduce_args *args, size_t storage_offset) {
  size_t bytes = 0;
  OK(jig_arg_reduce(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, storage_offset);
  OK(jig_arg_reduce(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

void reduce_to_host(jig_reduce_args args, jig_type out_type, void *result) {
  void *out = gpu_alloc(out_type.size, 0);
  args.out = jig_pointer(out, out_type);
  run_reduce(&args, 0);
  gpu_read(result, out, out_type.size);
  gpu_free(out);
}

arg_result arg_reduce_to_host(jig_arg_reduce_args args) {
  arg_result f = {{0}, 0};
  const size_t size = args.in.type.size;
  void *value = gpu_alloc(size, 0), *index = gpu_alloc(sizeof f.index, 0);
  args.value_out = jig_pointer(value, args.in.type);
  args.index_out = jig_pointer(index, JIG_I64);
  run_arg_reduce(&args, 0);
  gpu_read(f.value, value, size);
  gpu_read(&f.index, index, sizeof f.index);
  gpu_free(value);
  gpu_free(index);
  return f;
}
