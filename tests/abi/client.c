/* A program as it was compiled once: built with the headers of a kept version, which
 * tests/scripts/test_abi.sh names, and run with today's library. It calls what programs call, and looks
 * whether the library leaves alone what lies behind the structs that it fills in.
 *
 *   client <the driver>
 *
 * It is part of what is kept: what it has used once stays, and it uses nothing that is newer. */
#include <cuda.h>
#include <dlfcn.h>
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *driver;
static int passed, failed;

static void *symbol(const char *name) {
  void *found = dlsym(driver, name);
  if (found != NULL) return found;
  printf("failed: %s\n", dlerror());
  exit(EXIT_FAILURE);
}
#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)
#define CUDA(name) ((__typeof__(&(name)))symbol(NAME_OF(name)))

static void check(int is_right, const char *what) {
  passed += is_right != 0;
  failed += is_right == 0;
  if (!is_right) printf("failed: %s: %s\n", what, jig_last_error());
}
#define CHECK(condition) check((condition), #condition)

enum { ITEMS = 8, TEMP_BYTES = 8 << 20 };
static CUdeviceptr temp, in, places, out, places_out, offsets;
static const float items[ITEMS] = {3, 1, 2, 2, 5, 5, 5, 4};

static CUdeviceptr copy_of(const void *host, size_t size) {
  CUdeviceptr pointer = 0;
  if (CUDA(cuMemAlloc)(&pointer, size) != CUDA_SUCCESS ||
      CUDA(cuMemcpyHtoD)(pointer, host, size) != CUDA_SUCCESS) {
    printf("failed: no device memory\n");
    exit(EXIT_FAILURE);
  }
  return pointer;
}

static int holds(CUdeviceptr pointer, const void *wanted, size_t size) {
  unsigned char found[256];
  return CUDA(cuCtxSynchronize)() == CUDA_SUCCESS &&
         CUDA(cuMemcpyDtoH)(found, pointer, size) == CUDA_SUCCESS && memcmp(found, wanted, size) == 0;
}
#define HOLDS(pointer, type, ...)                                             \
  check(holds(pointer, (type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__})), \
        #pointer " holds " #__VA_ARGS__)

#define RUN(name, args)                                                                     \
  do {                                                                                      \
    size_t bytes = 0;                                                                       \
    CHECK(name(engine, NULL, &bytes, &(args), NULL) == JIG_SUCCESS && bytes <= TEMP_BYTES); \
    CHECK(name(engine, (void *)temp, &bytes, &(args), NULL) == JIG_SUCCESS);                \
  } while (0)

static jig_iter at(CUdeviceptr pointer, jig_type type) {
  return jig_pointer((const void *)pointer, type);
}

static void reduce(jig_engine *engine) {
  const jig_iter x = at(in, JIG_F32), sides[] = {x, x};
  const jig_iter zip = jig_zip(sides, 2, jig_struct("pair", "struct pair { float a, b; };", 8, 4));
  const float init = 100, scale = 2;
  const jig_op scaled = jig_op_with_state(jig_op_source("return state * x.a * x.b;"), &scale, JIG_F32);
  const jig_reduce_args sum = {.in = x, .out = at(out, JIG_F32), .num_items = ITEMS, .op = JIG_PLUS};
  const jig_reduce_args dot = {.in = jig_iter_transform(&zip, scaled, JIG_F32),
                               .out = at(out, JIG_F32),
                               .num_items = ITEMS,
                               .init = &init};
  const jig_arg_reduce_args most = {.in = x,
                                    .value_out = at(out, JIG_F32),
                                    .index_out = at(places_out, JIG_I32),
                                    .num_items = ITEMS,
                                    .op = JIG_MAX};
  RUN(jig_reduce, sum);
  HOLDS(out, float, 27);
  RUN(jig_reduce, dot);
  HOLDS(out, float, 318);
  RUN(jig_arg_reduce, most);
  HOLDS(places_out, int, 4);
}

static void scan(jig_engine *engine) {
  const jig_scan_args args = {.in = at(in, JIG_F32),
                              .out = at(out, JIG_F32),
                              .num_items = ITEMS,
                              .mode = JIG_SCAN_EXCLUSIVE,
                              .init_in = at(in, JIG_F32)};
  const jig_segmented_scan_args segments = {.in = at(in, JIG_F32),
                                            .out = at(out, JIG_F32),
                                            .begin_offsets = at(offsets, JIG_I32),
                                            .end_offsets = at(offsets + sizeof(int), JIG_I32),
                                            .num_segments = 2,
                                            .op = JIG_MAX};
  RUN(jig_scan, args);
  HOLDS(out, float, 3, 6, 7, 9, 11, 16, 21, 26);
  RUN(jig_segmented_scan, segments);
  HOLDS(out, float, 3, 3, 3, 2, 5, 5, 5, 5);
}

static void sort(jig_engine *engine) {
  const jig_radix_sort_args radix = {.keys_in = at(in, JIG_F32),
                                     .keys_out = at(out, JIG_F32),
                                     .values_in = at(places, JIG_I32),
                                     .values_out = at(places_out, JIG_I32),
                                     .num_items = ITEMS,
                                     .order = JIG_SORT_DESCENDING};
  const jig_merge_sort_args merge = {
      .keys_in = at(in, JIG_F32), .keys_out = at(out, JIG_F32), .num_items = ITEMS, .compare = JIG_LESS};
  const jig_segmented_sort_args segments = {.keys_in = at(in, JIG_F32),
                                            .keys_out = at(out, JIG_F32),
                                            .num_items = ITEMS,
                                            .begin_offsets = at(offsets, JIG_I32),
                                            .end_offsets = at(offsets + sizeof(int), JIG_I32),
                                            .num_segments = 2};
  RUN(jig_radix_sort, radix);
  HOLDS(out, float, 5, 5, 5, 4, 3, 2, 2, 1);
  HOLDS(places_out, int, 4, 5, 6, 7, 0, 2, 3, 1);
  RUN(jig_merge_sort, merge);
  HOLDS(out, float, 1, 2, 2, 3, 4, 5, 5, 5);
  RUN(jig_segmented_sort, segments);
  HOLDS(out, float, 1, 2, 3, 2, 4, 5, 5, 5);
}

/* What lies behind a struct that the library fills in. */
enum { BEHIND = 256 };

static int is_untouched(const unsigned char *bytes) {
  int same = 1;
  for (int i = 0; i < BEHIND; ++i) same &= bytes[i] == 0xa5;
  return same;
}

static void fill_in(jig_engine *engine) {
  struct {
    jig_engine_stats stats;
    unsigned char behind[BEHIND];
  } s;
  struct {
    jig_prewarm_result result;
    unsigned char behind[BEHIND];
  } p;
  char *spec = NULL;
  const jig_reduce_args sum = {.in = at(in, JIG_F32), .out = at(out, JIG_F32)};
  memset(&s, 0xa5, sizeof s);
  memset(&p, 0xa5, sizeof p);
  CHECK(jig_engine_get_stats(engine, &s.stats) == JIG_SUCCESS);
  CHECK(s.stats.calls == 16 && s.stats.memory_hits == 8 && s.stats.misses + s.stats.disk_hits == 8);
  CHECK(is_untouched(s.behind));
  CHECK(jig_reduce_spec(&sum, &spec) == JIG_SUCCESS);
  CHECK(jig_prewarm(engine, spec, "compute_75", &p.result) == JIG_SUCCESS && strlen(p.result.key) == 32);
  CHECK(is_untouched(p.behind));
  jig_free(spec);
}

static void open_gpu(const char *path) {
  CUdevice device;
  CUcontext context;
  driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (driver == NULL || CUDA(cuInit)(0) != CUDA_SUCCESS ||
      CUDA(cuDeviceGet)(&device, 0) != CUDA_SUCCESS ||
      CUDA(cuDevicePrimaryCtxRetain)(&context, device) != CUDA_SUCCESS ||
      CUDA(cuCtxSetCurrent)(context) != CUDA_SUCCESS) {
    printf("failed: there is no GPU\n");
    exit(EXIT_FAILURE);
  }
}

int main(int count, char **arguments) {
  static const int numbers[ITEMS] = {0, 1, 2, 3, 4, 5, 6, 7}, ends[3] = {0, 3, 8};
  static const unsigned char zeros[TEMP_BYTES];
  if (count != 2) return 2;
  open_gpu(arguments[1]);
  in = copy_of(items, sizeof items);
  places = copy_of(numbers, sizeof numbers);
  offsets = copy_of(ends, sizeof ends);
  out = copy_of(items, sizeof items);
  places_out = copy_of(numbers, sizeof numbers);
  temp = copy_of(zeros, sizeof zeros);
  const jig_header headers[] = {{.name = "nothing.h", .text = ""}};
  const jig_engine_config config = {.jobs = 2, .headers = headers, .header_count = 1};
  jig_engine *engine = NULL;
  CHECK(jig_engine_create(&engine, &config) == JIG_SUCCESS);
  reduce(engine);
  scan(engine);
  sort(engine);
  fill_in(engine);
  jig_engine_destroy(engine);
  const CUdeviceptr all[] = {in, places, offsets, out, places_out, temp};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) (void)CUDA(cuMemFree)(all[i]);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
