/* Calls every public function of libjig.so as a binding of another language does: through dlsym() alone.
 * The program is not linked with jig, and the headers give it nothing but types.
 *
 *   symbols <libjig.so> <the driver> <file for the names that it called>
 *
 * tests/scripts/test_symbols.sh compares these names with those that the headers declare. */
#include <cuda.h>
#include <dlfcn.h>
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library, *driver;
static FILE *names;
static int passed, failed;

static void *symbol(void *from, const char *name) {
  void *found = dlsym(from, name);
  if (found != NULL) return found;
  printf("failed: %s: %s\n", name, dlerror());
  exit(EXIT_FAILURE);
}

static void *public_symbol(const char *name) {
  (void)fprintf(names, "%s\n", name);
  return symbol(library, name);
}

/* A function of jig's, or of the driver's, as the headers declare it. */
#define JIG(name) ((__typeof__(&(name)))public_symbol(#name))
#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x) /* cuda.h has macros for newer versions of a function */
#define CUDA(name) ((__typeof__(&(name)))symbol(driver, NAME_OF(name)))

static void check(int is_right, const char *what) {
  passed += is_right != 0;
  failed += is_right == 0;
  if (!is_right) printf("failed: %s: %s\n", what, JIG(jig_last_error)());
}
#define CHECK(condition) check((condition), #condition)

/* ---- device memory */

enum { ITEMS = 8, ROOM = 16, TEMP_BYTES = 8 << 20 };

static CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr pointer = 0;
  if (CUDA(cuMemAlloc)(&pointer, bytes) != CUDA_SUCCESS) exit(EXIT_FAILURE);
  return pointer;
}

static CUdeviceptr copy_of(const int *items) {
  const CUdeviceptr pointer = allocate(ITEMS * sizeof *items);
  if (CUDA(cuMemcpyHtoD)(pointer, items, ITEMS * sizeof *items) != CUDA_SUCCESS) exit(EXIT_FAILURE);
  return pointer;
}

static jig_type int32(void) {
  return JIG(jig_type_of_kind)(JIG_KIND_I32);
}

static jig_iter at(CUdeviceptr pointer) {
  return JIG(jig_device_pointer)(pointer, int32());
}

/* Whether device memory begins with these items. */
static int holds(CUdeviceptr pointer, int count, const int *wanted) {
  int found[ROOM] = {0};
  if (CUDA(cuCtxSynchronize)() != CUDA_SUCCESS ||
      CUDA(cuMemcpyDtoH)(found, pointer, (size_t)count * sizeof *found) != CUDA_SUCCESS)
    return 0;
  return memcmp(found, wanted, (size_t)count * sizeof *found) == 0;
}
#define COUNT(...) ((int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))
#define HOLDS(pointer, ...) \
  check(holds(pointer, COUNT(__VA_ARGS__), (int[]){__VA_ARGS__}), #pointer " holds " #__VA_ARGS__)

static const int items[ITEMS] = {3, 1, 2, 2, 5, 5, 5, 4}, keys[ITEMS] = {1, 1, 2, 2, 2, 3, 3, 3},
                 flags[ITEMS] = {1, 0, 1, 0, 0, 1, 0, 1}, places[ITEMS] = {0, 1, 2, 3, 4, 5, 6, 7},
                 offsets[ITEMS] = {0, 3, 8};
static CUdeviceptr d_items, d_keys, d_flags, d_places, d_offsets, d_temp;
static CUdeviceptr a, b, c, d; /* outputs */

static void make_memory(void) {
  d_items = copy_of(items);
  d_keys = copy_of(keys);
  d_flags = copy_of(flags);
  d_places = copy_of(places);
  d_offsets = copy_of(offsets);
  d_temp = allocate(TEMP_BYTES);
  a = allocate(ROOM * sizeof(int));
  b = allocate(ROOM * sizeof(int));
  c = allocate(ROOM * sizeof(int));
  d = allocate(ROOM * sizeof(int));
}

static jig_engine *engine;

/* Both phases of a call. */
#define RUN(name, ...)                                                                            \
  do {                                                                                            \
    size_t bytes = 0;                                                                             \
    check(JIG(name)(engine, NULL, &bytes, __VA_ARGS__, NULL) == JIG_SUCCESS, #name ", its size"); \
    CHECK(bytes <= TEMP_BYTES);                                                                   \
    check(JIG(name)(engine, (void *)d_temp, &bytes, __VA_ARGS__, NULL) == JIG_SUCCESS, #name);    \
  } while (0)

/* A spec, which names the algorithm. */
#define SPEC(name, args)                                                  \
  do {                                                                    \
    char *spec = NULL;                                                    \
    check(JIG(name##_spec)(args, &spec) == JIG_SUCCESS && spec != NULL && \
              strstr(spec, &#name[sizeof "jig"]) != NULL,                 \
          #name "_spec");                                                 \
    JIG(jig_free)(spec);                                                  \
  } while (0)

static jig_op plus(void) {
  return JIG(jig_op_of_kind)(JIG_OP_PLUS);
}

/* ---- what the library says of itself */

static int visit(void *user, const jig_cache_entry *entry) {
  *(int *)user += entry->sound;
  return 0;
}

static void call_engine(void) {
  size_t tile_states = 0;
  char *json = NULL;
  jig_engine_stats stats;
  CHECK(strchr(JIG(jig_version)(), '.') != NULL);
  CHECK(JIG(jig_last_error)()[0] == '\0');
  CHECK(JIG(jig_last_driver_error)() == 0);
  CHECK(JIG(jig_version_number)() == JIG_VERSION_NUMBER);
  CHECK(strcmp(JIG(jig_status_string)(JIG_SUCCESS), "success") == 0);
  CHECK(JIG(jig_set_log)(NULL, NULL, JIG_LOG_DEFAULT) == JIG_SUCCESS);
  CHECK(JIG(jig_tile_state_size)(4, 1, &tile_states) == JIG_SUCCESS && tile_states > 0);
  CHECK(strcmp(JIG(jig_status_name)(JIG_ERROR_CUDA), "JIG_ERROR_CUDA") == 0);
  CHECK(JIG(jig_engine_get_stats)(engine, &stats) == JIG_SUCCESS && stats.calls == 0);
  CHECK(JIG(jig_info)(engine, &json) == JIG_SUCCESS && strstr(json, "driver") != NULL);
  JIG(jig_free)(json);
}

static void call_cache(void) {
  int entries = 0;
  uint64_t removed = 0;
  const jig_reduce_args args = {.in = at(d_items), .out = at(a), .num_items = ITEMS};
  char *spec = NULL, *source = NULL;
  jig_prewarm_result result;
  CHECK(JIG(jig_reduce_spec)(&args, &spec) == JIG_SUCCESS);
  CHECK(JIG(jig_prewarm)(engine, spec, "compute_75", &result) == JIG_SUCCESS && result.payload_bytes > 0);
  CHECK(JIG(jig_source)(engine, spec, "sm_90", &source) == JIG_SUCCESS && strstr(source, "jig") != NULL);
  JIG(jig_free)(source);
  JIG(jig_free)(spec);
  CHECK(JIG(jig_cache_path)(engine)[0] != '\0');
  CHECK(JIG(jig_cache_walk)(engine, visit, &entries) == JIG_SUCCESS && entries > 0);
  CHECK(JIG(jig_cache_clear)(engine, &removed) == JIG_SUCCESS && removed == (uint64_t)entries);
}

/* ---- types, operators, iterators */

static void call_types(void) {
  const jig_type pair = JIG(jig_struct)("pair", "struct pair { int a, b; };", 8, 4);
  const jig_type bytes = JIG(jig_opaque)(12, 4);
  const jig_type f32 = JIG(jig_type_from_name)("f32");
  CHECK(strcmp(JIG(jig_type_name)(&pair), "pair") == 0);
  CHECK(strcmp(JIG(jig_type_name)(&bytes), "opaque") == 0);
  CHECK(f32.kind == JIG_KIND_F32 && JIG(jig_type_of_kind)(JIG_KIND_F32).size == 4);
  CHECK(JIG(jig_type_of_kind)(JIG_KIND_STRUCT).kind == JIG_KIND_NONE);
}

static void reduce_by(jig_op op, int wanted) {
  const jig_reduce_args args = {.in = at(d_items), .out = at(a), .num_items = ITEMS, .op = op};
  RUN(jig_reduce, &args);
  HOLDS(a, wanted);
}

static void call_operators(void) {
  const int two = 2;
  const jig_op scaled = JIG(jig_op_source)("return a + b + 0 * state;");
  const jig_op last = JIG(jig_op_function)("int last(int a, int b) { return b; }", "last");
  reduce_by(JIG(jig_op_from_name)("max"), 5);
  reduce_by(plus(), 27);
  reduce_by(last, 4);
  reduce_by(JIG(jig_op_with_state)(scaled, &two, int32()), 27);
  reduce_by(JIG(jig_op_with_device_state)(scaled, (const void *)d_items, int32()), 27);
  reduce_by(JIG(jig_op_commutative)(JIG(jig_op_source)("return a * b;")), 6000);
  static const char ptx[] = "// nothing\n.version 8.0\n.target sm_75\n";
  const jig_op binary = JIG(jig_op_by_pointer)(JIG(jig_op_binary)(JIG_FORMAT_PTX, ptx, sizeof ptx, "f"));
  const jig_reduce_args args = {.in = at(d_items), .out = at(a), .op = binary};
  char *spec = NULL;
  CHECK(JIG(jig_reduce_spec)(&args, &spec) == JIG_SUCCESS && strstr(spec, "ptx") != NULL);
  JIG(jig_free)(spec);
}

static void sum_of(jig_iter in, int wanted) {
  RUN(jig_reduce_sum, in, at(a), ITEMS);
  HOLDS(a, wanted);
}

static void call_iterators(void) {
  const int two = 2, three = 3;
  const jig_iter x = JIG(jig_pointer)((const void *)d_items, int32());
  const jig_iter indices = at(d_places), sides[] = {x, indices}, out = at(a);
  const jig_type pair = JIG(jig_struct)("pair", "struct pair { int a, b; };", 8, 4);
  const jig_iter zip = JIG(jig_zip)(sides, 2, pair);
  sum_of(JIG(jig_counting)(&two, int32()), 44);
  sum_of(JIG(jig_counting_by)(&two, &three, int32()), 100);
  sum_of(JIG(jig_constant)(&three, int32()), 24);
  sum_of(JIG(jig_iter_transform)(&zip, JIG(jig_op_source)("return x.a * x.b;"), int32()), 114);
  sum_of(JIG(jig_pointer_hinted)((const void *)d_items, int32(), JIG_CACHE_STREAMING), 27);
  sum_of(JIG(jig_strided)((const void *)d_items, 0, int32()), 24);
  sum_of(JIG(jig_iter_reverse)(&x, ITEMS), 27);
  sum_of(JIG(jig_permutation)(&x, &indices), 27);
  sum_of(JIG(jig_iter_source)(JIG(jig_op_source)("return (int)i;"), int32()), 28);
  sum_of(JIG(jig_iter_shuffle)(ITEMS, 1, int32()), 28);
  RUN(jig_reduce_sum, x, JIG(jig_transform_output)(&out, JIG(jig_op_source)("return -x;"), int32()),
      ITEMS);
  HOLDS(a, -27);
  RUN(jig_reduce_sum, x, JIG(jig_discard)(int32()), ITEMS);
  HOLDS(a, -27);
}

/* ---- algorithms */

static void call_reduce(void) {
  const jig_iter x = at(d_items);
  const jig_reduce_args args = {.in = x, .out = at(a), .num_items = ITEMS};
  const jig_arg_reduce_args arg = {.in = x, .value_out = at(a), .index_out = at(b), .num_items = ITEMS};
  RUN(jig_reduce_min, x, at(a), ITEMS);
  HOLDS(a, 1);
  RUN(jig_reduce_max, x, at(a), ITEMS);
  HOLDS(a, 5);
  RUN(jig_transform_reduce, &args, JIG(jig_op_source)("return 2 * x;"), int32());
  HOLDS(a, 54);
  SPEC(jig_arg_reduce, &arg);
  RUN(jig_arg_reduce, &arg);
  HOLDS(b, 1);
  RUN(jig_reduce_argmin, x, at(a), at(b), ITEMS);
  HOLDS(b, 1);
  RUN(jig_reduce_argmax, x, at(a), at(b), ITEMS);
  HOLDS(b, 4);
}

static void call_scan(void) {
  const int hundred = 100;
  const jig_iter x = at(d_items);
  const jig_scan_args args = {.in = x, .out = at(a), .num_items = ITEMS};
  SPEC(jig_scan, &args);
  RUN(jig_scan, &args);
  HOLDS(a, 3, 4, 6, 8, 13, 18, 23, 27);
  RUN(jig_inclusive_sum, x, at(b), ITEMS);
  HOLDS(b, 3, 4, 6, 8, 13, 18, 23, 27);
  RUN(jig_exclusive_sum, x, at(a), ITEMS);
  HOLDS(a, 0, 3, 4, 6, 8, 13, 18, 23);
  RUN(jig_inclusive_scan, x, at(a), JIG(jig_op_from_name)("max"), NULL, int32(), ITEMS);
  HOLDS(a, 3, 3, 3, 3, 5, 5, 5, 5);
  RUN(jig_exclusive_scan, x, at(a), plus(), &hundred, int32(), ITEMS);
  HOLDS(a, 100, 103, 104, 106, 108, 113, 118, 123);
}

static void call_scan_by_key(void) {
  const int hundred = 100;
  const jig_iter k = at(d_keys), x = at(d_items);
  const jig_scan_by_key_args args = {
      .keys_in = k, .values_in = x, .values_out = at(a), .num_items = ITEMS};
  SPEC(jig_scan_by_key, &args);
  RUN(jig_scan_by_key, &args);
  HOLDS(a, 3, 4, 2, 4, 9, 5, 10, 14);
  RUN(jig_inclusive_sum_by_key, k, x, at(b), ITEMS);
  HOLDS(b, 3, 4, 2, 4, 9, 5, 10, 14);
  RUN(jig_exclusive_sum_by_key, k, x, at(a), ITEMS);
  HOLDS(a, 0, 3, 0, 2, 4, 0, 5, 10);
  RUN(jig_inclusive_scan_by_key, k, x, at(a), plus(), ITEMS);
  HOLDS(a, 3, 4, 2, 4, 9, 5, 10, 14);
  RUN(jig_exclusive_scan_by_key, k, x, at(a), plus(), &hundred, int32(), ITEMS);
  HOLDS(a, 100, 103, 100, 102, 104, 100, 105, 110);
}

static void call_runs(void) {
  const jig_iter x = at(d_items);
  const jig_reduce_by_key_args by_key = {.keys_in = at(d_keys),
                                         .unique_out = at(a),
                                         .values_in = x,
                                         .aggregates_out = at(b),
                                         .num_runs_out = at(c),
                                         .num_items = ITEMS};
  const jig_run_length_encode_args encode = {
      .in = x, .unique_out = at(a), .lengths_out = at(b), .num_runs_out = at(c), .num_items = ITEMS};
  const jig_non_trivial_runs_args runs = {
      .in = x, .offsets_out = at(a), .lengths_out = at(b), .num_runs_out = at(c), .num_items = ITEMS};
  SPEC(jig_reduce_by_key, &by_key);
  RUN(jig_reduce_by_key, &by_key);
  HOLDS(a, 1, 2, 3);
  HOLDS(b, 4, 9, 14);
  HOLDS(c, 3);
  SPEC(jig_run_length_encode, &encode);
  RUN(jig_run_length_encode, &encode);
  HOLDS(a, 3, 1, 2, 5, 4);
  HOLDS(b, 1, 1, 2, 3, 1);
  HOLDS(c, 5);
  SPEC(jig_non_trivial_runs, &runs);
  RUN(jig_non_trivial_runs, &runs);
  HOLDS(a, 2, 4);
  HOLDS(b, 2, 3);
  HOLDS(c, 2);
}

static void call_segments(void) {
  const jig_iter x = at(d_items), begins = at(d_offsets), ends = at(d_offsets + sizeof(int));
  const jig_segmented_scan_args scan = {
      .in = x, .out = at(a), .begin_offsets = begins, .end_offsets = ends, .num_segments = 2};
  const jig_segmented_sort_args sort = {.keys_in = x,
                                        .keys_out = at(a),
                                        .num_items = ITEMS,
                                        .begin_offsets = begins,
                                        .end_offsets = ends,
                                        .num_segments = 2};
  SPEC(jig_segmented_scan, &scan);
  RUN(jig_segmented_scan, &scan);
  HOLDS(a, 3, 4, 6, 2, 7, 12, 17, 21);
  RUN(jig_inclusive_segmented_sum, x, at(b), begins, ends, 2);
  HOLDS(b, 3, 4, 6, 2, 7, 12, 17, 21);
  RUN(jig_exclusive_segmented_sum, x, at(a), begins, ends, 2);
  HOLDS(a, 0, 3, 4, 0, 2, 7, 12, 17);
  SPEC(jig_segmented_sort, &sort);
  RUN(jig_segmented_sort, &sort);
  HOLDS(a, 1, 2, 3, 2, 4, 5, 5, 5);
  RUN(jig_segmented_sort_keys, x, at(b), ITEMS, 2, begins, ends, JIG_SORT_ASCENDING);
  HOLDS(b, 1, 2, 3, 2, 4, 5, 5, 5);
  RUN(jig_segmented_sort_pairs, x, at(a), at(d_places), at(b), ITEMS, 2, begins, ends,
      JIG_SORT_ASCENDING);
  HOLDS(b, 1, 2, 0, 3, 7, 4, 5, 6);
  RUN(jig_segmented_radix_sort_keys, x, at(a), ITEMS, 2, begins, ends, 0, 1, JIG_SORT_DESCENDING);
  HOLDS(a, 3, 1, 2, 5, 5, 5, 2, 4);
  RUN(jig_segmented_radix_sort_pairs, x, at(a), at(d_places), at(b), ITEMS, 2, begins, ends, 0, 1,
      JIG_SORT_DESCENDING);
  HOLDS(b, 0, 1, 2, 4, 5, 6, 3, 7);
}

static void call_segmented_reduces(void) {
  const jig_iter x = at(d_items), begins = at(d_offsets), ends = at(d_offsets + sizeof(int));
  const jig_segmented_reduce_args sum = {
      .in = x, .out = at(a), .begin_offsets = begins, .end_offsets = ends, .num_segments = 2};
  const jig_segmented_arg_reduce_args least = {
      .in = x, .value_out = at(a), .index_out = at(b), .num_segments = 2, .segment_size = 4};
  SPEC(jig_segmented_reduce, &sum);
  RUN(jig_segmented_reduce, &sum);
  HOLDS(a, 6, 21);
  RUN(jig_segmented_reduce_sum, x, at(b), begins, ends, 2);
  HOLDS(b, 6, 21);
  RUN(jig_segmented_reduce_min, x, at(c), begins, ends, 2);
  HOLDS(c, 1, 2);
  RUN(jig_segmented_reduce_max, x, at(d), begins, ends, 2);
  HOLDS(d, 3, 5);
  SPEC(jig_segmented_arg_reduce, &least);
  RUN(jig_segmented_arg_reduce, &least);
  HOLDS(a, 1, 4);
  HOLDS(b, 1, 3);
  RUN(jig_segmented_reduce_argmin, x, at(a), at(c), begins, ends, 2);
  HOLDS(c, 1, 0);
  RUN(jig_segmented_reduce_argmax, x, at(a), at(d), begins, ends, 2);
  HOLDS(d, 0, 1);
}

static void call_select(void) {
  const jig_iter x = at(d_items), f = at(d_flags);
  const jig_op large = JIG(jig_op_source)("return x > 2;");
  const jig_select_args select = {
      .in = x, .flags = f, .out = at(a), .num_selected_out = at(b), .num_items = ITEMS};
  const jig_unique_args unique = {.in = x, .out = at(a), .num_selected_out = at(b), .num_items = ITEMS};
  SPEC(jig_select, &select);
  RUN(jig_select, &select);
  HOLDS(a, 3, 2, 5, 4);
  RUN(jig_select_flagged, x, f, at(c), at(b), ITEMS);
  HOLDS(c, 3, 2, 5, 4);
  RUN(jig_select_if, x, at(a), at(b), ITEMS, large);
  HOLDS(a, 3, 5, 5, 5, 4);
  HOLDS(b, 5);
  RUN(jig_select_flagged_if, x, f, at(a), at(b), ITEMS, JIG(jig_op_source)("return x == 0;"));
  HOLDS(a, 1, 2, 5, 5);
  SPEC(jig_unique, &unique);
  RUN(jig_unique, &unique);
  HOLDS(a, 3, 1, 2, 5, 4);
  RUN(jig_unique_by_key, at(d_keys), x, at(a), at(b), at(c), ITEMS, JIG(jig_op_of_kind)(JIG_OP_NONE));
  HOLDS(b, 3, 2, 5);
}

static void call_partition(void) {
  const jig_iter x = at(d_items);
  const jig_op large = JIG(jig_op_source)("return x > 2;"), largest = JIG(jig_op_source)("return x > 4;");
  const jig_partition_args two = {
      .in = x, .out = at(a), .num_selected_out = at(b), .num_items = ITEMS, .op = large};
  const jig_three_way_partition_args three = {.in = x,
                                              .first_out = at(a),
                                              .second_out = at(b),
                                              .unselected_out = at(c),
                                              .num_selected_out = at(d),
                                              .num_items = ITEMS,
                                              .first_op = largest,
                                              .second_op = large};
  SPEC(jig_partition, &two);
  RUN(jig_partition, &two);
  HOLDS(a, 3, 5, 5, 5, 4, 2, 2, 1);
  RUN(jig_partition_if, x, at(c), at(b), ITEMS, large);
  HOLDS(c, 3, 5, 5, 5, 4, 2, 2, 1);
  RUN(jig_partition_flagged, x, at(d_flags), at(a), at(b), ITEMS);
  HOLDS(a, 3, 2, 5, 4, 5, 5, 2, 1);
  SPEC(jig_three_way_partition, &three);
  RUN(jig_three_way_partition, &three);
  HOLDS(a, 5, 5, 5);
  HOLDS(b, 3, 4);
  HOLDS(c, 1, 2, 2);
  HOLDS(d, 3, 2);
}

static void call_sorts(void) {
  const jig_iter x = at(d_items), k = at(d_keys);
  const jig_op less = JIG(jig_op_from_name)("less");
  const jig_radix_sort_args radix = {.keys_in = x, .keys_out = at(a), .num_items = ITEMS};
  const jig_merge_sort_args sort = {.keys_in = x, .keys_out = at(a), .num_items = ITEMS};
  const jig_merge_args merge = {.first_keys_in = x,
                                .second_keys_in = k,
                                .keys_out = at(a),
                                .first_num_items = 1,
                                .second_num_items = ITEMS};
  SPEC(jig_radix_sort, &radix);
  RUN(jig_radix_sort, &radix);
  HOLDS(a, 1, 2, 2, 3, 4, 5, 5, 5);
  RUN(jig_radix_sort_keys, x, at(b), ITEMS, JIG_SORT_DESCENDING);
  HOLDS(b, 5, 5, 5, 4, 3, 2, 2, 1);
  RUN(jig_radix_sort_pairs, x, at(a), at(d_places), at(b), ITEMS, JIG_SORT_ASCENDING);
  HOLDS(b, 1, 2, 3, 0, 7, 4, 5, 6);
  SPEC(jig_merge_sort, &sort);
  RUN(jig_merge_sort, &sort);
  HOLDS(a, 1, 2, 2, 3, 4, 5, 5, 5);
  RUN(jig_merge_sort_keys, x, at(b), ITEMS, JIG(jig_op_of_kind)(JIG_OP_GREATER));
  HOLDS(b, 5, 5, 5, 4, 3, 2, 2, 1);
  RUN(jig_merge_sort_pairs, x, at(a), at(d_places), at(b), ITEMS, less);
  HOLDS(b, 1, 2, 3, 0, 7, 4, 5, 6);
  SPEC(jig_merge, &merge);
  RUN(jig_merge, &merge);
  HOLDS(a, 1, 1, 2, 2, 2, 3, 3, 3, 3);
}

static void call_top_k(void) {
  const jig_iter x = at(d_items), v = at(d_places);
  const jig_top_k_args args = {
      .keys_in = x, .keys_out = at(a), .num_items = ITEMS, .k = 4, .is_sorted = 1};
  SPEC(jig_top_k, &args);
  RUN(jig_top_k, &args);
  HOLDS(a, 5, 5, 5, 4);
  RUN(jig_top_k_max_keys, x, at(b), ITEMS, 3);
  HOLDS(b, 5, 5, 5);
  RUN(jig_top_k_min_keys, x, at(a), ITEMS, 1);
  HOLDS(a, 1);
  RUN(jig_top_k_max_pairs, x, at(a), v, at(b), ITEMS, 1);
  HOLDS(b, 4);
  RUN(jig_top_k_min_pairs, x, at(a), v, at(b), ITEMS, 1);
  HOLDS(b, 1);
}

static void call_segmented_top_k(void) {
  const jig_iter x = at(d_items), v = at(d_places);
  const jig_iter begins = at(d_offsets), ends = at(d_offsets + sizeof(int));
  const jig_segmented_top_k_args rows = {.keys_in = x,
                                         .keys_out = at(a),
                                         .num_segments = 2,
                                         .segment_size = ITEMS / 2,
                                         .k = 2,
                                         .is_sorted = 1};
  SPEC(jig_segmented_top_k, &rows);
  RUN(jig_segmented_top_k, &rows);
  HOLDS(a, 3, 2, 5, 5);
  RUN(jig_segmented_top_k_max_keys, x, at(b), ITEMS, 2, begins, ends, 1);
  HOLDS(b, 3, 5);
  RUN(jig_segmented_top_k_min_keys, x, at(a), ITEMS, 2, begins, ends, 1);
  HOLDS(a, 1, 2);
  RUN(jig_segmented_top_k_max_pairs, x, at(a), v, at(b), ITEMS, 2, begins, ends, 1);
  HOLDS(b, 0, 4);
  RUN(jig_segmented_top_k_min_pairs, x, at(a), v, at(b), ITEMS, 2, begins, ends, 1);
  HOLDS(b, 1, 3);
}

static void call_nth_element(void) {
  const jig_nth_element_args args = {.in = at(d_items), .out = at(a), .num_items = ITEMS, .nth = 3};
  SPEC(jig_nth_element, &args);
  RUN(jig_nth_element, &args);
  HOLDS(a, 1, 2, 2, 3, 5, 5, 5, 4);
}

static void call_copy(void) {
  static const int seven = 7;
  const jig_iter x = at(d_items), places = at(d_places);
  const jig_copy_args args = {.in = x, .out = at(a), .num_items = ITEMS};
  SPEC(jig_copy, &args);
  RUN(jig_copy, &args);
  HOLDS(a, 3, 1, 2, 2, 5, 5, 5, 4);
  RUN(jig_fill, at(b), &seven, 3);
  HOLDS(b, 7, 7, 7);
  RUN(jig_tabulate, at(b), JIG(jig_op_source)("return int(i * i);"), 4);
  HOLDS(b, 0, 1, 4, 9);
  RUN(jig_generate, at(b), JIG(jig_op_source)("return 6;"), 4);
  HOLDS(b, 6, 6, 6, 6);
  RUN(jig_gather, places, x, at(c), ITEMS);
  HOLDS(c, 3, 1, 2, 2, 5, 5, 5, 4);
  RUN(jig_scatter, x, places, at(d), ITEMS);
  HOLDS(d, 3, 1, 2, 2, 5, 5, 5, 4);
}

static void call_adjacent_difference(void) {
  const jig_iter x = at(d_items);
  const jig_op none = JIG_ZERO;
  const jig_adjacent_difference_args args = {.in = x, .out = at(a), .num_items = ITEMS};
  SPEC(jig_adjacent_difference, &args);
  RUN(jig_adjacent_difference, &args);
  HOLDS(a, 3, -2, 1, 0, 3, 0, 0, -1);
  RUN(jig_subtract_left, x, at(b), ITEMS, none);
  HOLDS(b, 3, -2, 1, 0, 3, 0, 0, -1);
  RUN(jig_subtract_right, x, at(c), ITEMS, none);
  HOLDS(c, 2, -1, 0, -3, 0, 0, 1, 4);
}

static void call_sets(void) {
  const jig_iter x = at(d_places), k = at(d_keys);
  const jig_op none = JIG_ZERO;
  const jig_set_operation_args set = {.first_keys_in = x,
                                      .second_keys_in = k,
                                      .keys_out = at(a),
                                      .num_items_out = at(b),
                                      .first_num_items = ITEMS,
                                      .second_num_items = ITEMS,
                                      .mode = JIG_SET_INTERSECTION};
  SPEC(jig_set_operation, &set);
  RUN(jig_set_operation, &set);
  HOLDS(a, 1, 2, 3);
  HOLDS(b, 3);
  RUN(jig_set_union, x, 4, k, 2, at(a), at(b), none);
  HOLDS(a, 0, 1, 1, 2, 3);
  HOLDS(b, 5);
  RUN(jig_set_intersection, x, 4, k, 2, at(a), at(b), none);
  HOLDS(a, 1);
  HOLDS(b, 1);
  RUN(jig_set_difference, x, 4, k, 2, at(a), at(b), none);
  HOLDS(a, 0, 2, 3);
  HOLDS(b, 3);
  RUN(jig_set_symmetric_difference, x, 4, k, 2, at(a), at(b), none);
  HOLDS(a, 0, 1, 2, 3);
  HOLDS(b, 4);
  RUN(jig_includes, x, 4, k, 2, at(a), none);
  HOLDS(a, 0);
  RUN(jig_includes, x, 4, k, 1, at(a), none);
  HOLDS(a, 1);
}

static void call_orders(void) {
  const jig_iter x = at(d_items);
  const jig_op none = JIG_ZERO;
  const jig_is_sorted_args sorted = {.in = x, .out = at(a), .num_items = ITEMS};
  const jig_reverse_args reverse = {.in = x, .out = at(a), .num_items = ITEMS};
  SPEC(jig_is_sorted, &sorted);
  RUN(jig_is_sorted, &sorted);
  HOLDS(a, 0);
  RUN(jig_is_sorted_until, x, at(a), ITEMS, none);
  HOLDS(a, 1);
  SPEC(jig_reverse, &reverse);
  RUN(jig_reverse, &reverse);
  HOLDS(a, 4, 5, 5, 5, 2, 2, 1, 3);
  RUN(jig_rotate, x, at(a), ITEMS, 2);
  HOLDS(a, 2, 2, 5, 5, 5, 4, 3, 1);
  RUN(jig_shuffle, x, at(a), ITEMS, 1);
  RUN(jig_reduce_sum, at(a), at(b), ITEMS);
  HOLDS(b, 27);
}

static void call_searches(void) {
  const jig_iter x = at(d_items), sorted = at(d_places);
  const jig_op none = JIG_ZERO, is_five = JIG(jig_op_source)("return x == 5;");
  const jig_find_if_args find = {.in = x, .out = at(a), .num_items = ITEMS, .predicate = is_five};
  const jig_binary_search_args search = {
      .in = sorted, .needles_in = x, .out = at(a), .num_items = ITEMS, .num_needles = ITEMS};
  const jig_min_max_args extremes = {
      .in = x, .min_out = at(a), .max_index_out = at(b), .num_items = ITEMS};
  SPEC(jig_find_if, &find);
  RUN(jig_find_if, &find);
  HOLDS(a, 4);
  RUN(jig_any_of, x, at(a), ITEMS, is_five);
  HOLDS(a, 1);
  RUN(jig_all_of, x, at(a), ITEMS, is_five);
  HOLDS(a, 0);
  RUN(jig_none_of, x, at(a), ITEMS, is_five);
  HOLDS(a, 0);
  RUN(jig_count_if, x, at(a), ITEMS, is_five);
  HOLDS(a, 3);
  RUN(jig_mismatch, x, sorted, at(a), ITEMS, none);
  HOLDS(a, 0);
  RUN(jig_equal, x, x, at(a), ITEMS, none);
  HOLDS(a, 1);
  SPEC(jig_binary_search, &search);
  RUN(jig_binary_search, &search);
  HOLDS(a, 3, 1, 2, 2, 5, 5, 5, 4);
  RUN(jig_lower_bound, sorted, ITEMS, x, ITEMS, at(a), none);
  HOLDS(a, 3, 1, 2, 2, 5, 5, 5, 4);
  RUN(jig_upper_bound, sorted, ITEMS, x, ITEMS, at(a), none);
  HOLDS(a, 4, 2, 3, 3, 6, 6, 6, 5);
  RUN(jig_equal_range, sorted, ITEMS, x, ITEMS, at(a), at(b), none);
  HOLDS(a, 3, 1, 2, 2, 5, 5, 5, 4);
  HOLDS(b, 4, 2, 3, 3, 6, 6, 6, 5);
  RUN(jig_partition_point, sorted, ITEMS, at(a), JIG(jig_op_source)("return x < 3;"));
  HOLDS(a, 3);
  SPEC(jig_min_max, &extremes);
  RUN(jig_min_max, &extremes);
  HOLDS(a, 1);
  HOLDS(b, 4);
}

static void call_transform(void) {
  const jig_iter both[] = {at(d_items), at(d_items)};
  const jig_op sum = JIG(jig_op_source)("return a + b;"), one_more = JIG(jig_op_source)("return x + 1;");
  const jig_transform_args args = {
      .in = both, .num_inputs = 2, .out = at(a), .num_items = ITEMS, .op = sum};
  SPEC(jig_transform, &args);
  RUN(jig_transform, &args);
  HOLDS(a, 6, 2, 4, 4, 10, 10, 10, 8);
  RUN(jig_transform_unary, both[0], at(b), ITEMS, one_more);
  HOLDS(b, 4, 2, 3, 3, 6, 6, 6, 5);
  RUN(jig_transform_binary, both[0], at(b), at(c), ITEMS, sum);
  HOLDS(c, 7, 3, 5, 5, 11, 11, 11, 9);
  RUN(jig_transform_if, both[0], at(c), ITEMS, JIG(jig_op_source)("return x > 4;"), one_more);
  HOLDS(c, 7, 3, 5, 5, 6, 6, 6, 9);
  RUN(jig_copy,
      (&(jig_copy_args){
          .in = JIG(jig_zip_transform)(both, 2, sum, int32()), .out = at(d), .num_items = ITEMS}));
  HOLDS(d, 6, 2, 4, 4, 10, 10, 10, 8);
}

static void call_for_each(void) {
  static const uint64_t extents[] = {2, 4};
  const jig_op set = JIG(jig_op_source)("x = 3;");
  const jig_op store = JIG(jig_op_with_device_state)(
      JIG(jig_op_source)("(&state)[i] = int(10 * at[0] + at[1]);"), (const void *)(uintptr_t)b, int32());
  const jig_op count = JIG(jig_op_with_device_state)(JIG(jig_op_source)("(&state)[i] = int(i);"),
                                                     (const void *)(uintptr_t)c, int32());
  const jig_for_each_args each = {.in = at(a), .num_items = 3, .op = set};
  const jig_bulk_args bulk = {.num_items = ITEMS, .op = count};
  SPEC(jig_for_each, &each);
  RUN(jig_for_each, &each);
  HOLDS(a, 3, 3, 3);
  SPEC(jig_bulk, &bulk);
  RUN(jig_bulk, &bulk);
  HOLDS(c, 0, 1, 2, 3, 4, 5, 6, 7);
  RUN(jig_for_each_in_extents, extents, 2, store);
  HOLDS(b, 0, 1, 2, 3, 10, 11, 12, 13);
}

static void call_batched_copies(void) {
  static const int two_items = 2 * sizeof(int), one = 1;
  const jig_type address = JIG(jig_type_of_kind)(JIG_KIND_U64);
  const CUdeviceptr from = d_items + sizeof(int), to = a;
  const jig_memcpy_batched_args buffers = {.sources = JIG(jig_constant)(&from, address),
                                           .destinations = JIG(jig_constant)(&to, address),
                                           .sizes = JIG(jig_constant)(&two_items, int32()),
                                           .num_buffers = 1};
  SPEC(jig_memcpy_batched, &buffers);
  RUN(jig_memcpy_batched, &buffers);
  HOLDS(a, 1, 2);
  const jig_copy_batched_args ranges = {.in = at(d_items),
                                        .out = at(b),
                                        .in_offsets = at(d_offsets),
                                        .out_offsets = at(d_places),
                                        .sizes = JIG(jig_constant)(&one, int32()),
                                        .num_ranges = 2};
  SPEC(jig_copy_batched, &ranges);
  RUN(jig_copy_batched, &ranges);
  HOLDS(b, 3, 2);
}

static void call_histogram(void) {
  static const int zero = 0, six = 6;
  const jig_iter x = at(d_items);
  const jig_histogram_args args = {.samples = x,
                                   .counter_type = JIG(jig_type_of_kind)(JIG_KIND_I32),
                                   .counts = {(void *)a},
                                   .num_bins = {3},
                                   .lower = {&zero},
                                   .upper = {&six},
                                   .num_row_pixels = ITEMS,
                                   .num_rows = 1};
  SPEC(jig_histogram, &args);
  RUN(jig_histogram, &args);
  HOLDS(a, 1, 3, 4);
  RUN(jig_histogram_even, x, at(b), 2, &zero, &six, x.type, ITEMS);
  HOLDS(b, 3, 5);
  RUN(jig_histogram_range, x, at(c), 2, at(d_keys), ITEMS);
}

static void call_kernel(void) {
  const jig_type none = JIG_ZERO;
  const jig_definition definitions[] = {
      JIG(jig_define_text)("FIRST", "1 + 1"),
      JIG(jig_define_int)("SECOND", -3),
      JIG(jig_define_uint)("THIRD", 5),
      JIG(jig_define_float)("HALF", 0.5f),
      JIG(jig_define_double)("FOURTH", 0.25),
      JIG(jig_define_type)("T", int32()),
      JIG(jig_define_op)("Op", JIG(jig_op_source)("return a - b;"), 2, int32(), none)};
  const jig_kernel_config config = {
      .entry = "words",
      .source =
          "extern \"C\" __global__ void words(T *out, T bias) {\n"
          "  out[0] = FIRST; out[1] = SECOND; out[2] = THIRD; out[3] = HALF * 10; out[4] = FOURTH * 16;\n"
          "  out[5] = Op()(9, bias);\n"
          "}\n",
      .definitions = definitions,
      .definition_count = sizeof definitions / sizeof definitions[0]};
  const int bias = 2;
  const jig_kernel_shape shape = {.block = {1}};
  const jig_kernel_arg args[] = {JIG_ARG(a), JIG_ARG(bias)};
  void *parameters[] = {&b, (void *)(uintptr_t)&bias};
  jig_kernel *kernel = NULL;
  jig_occupancy occupancy;
  CUfunction function;
  char *spec = NULL;
  CHECK(JIG(jig_kernel_spec)(&config, &spec) == JIG_SUCCESS && strstr(spec, "words") != NULL);
  JIG(jig_free)(spec);
  CHECK(JIG(jig_kernel_get)(engine, &config, &kernel) == JIG_SUCCESS);
  if (kernel == NULL) return;
  CHECK(JIG(jig_kernel_launch)(kernel, &shape, args, 2, NULL) == JIG_SUCCESS);
  HOLDS(a, 2, -3, 5, 5, 4, 7);
  CHECK(JIG(jig_kernel_occupancy)(kernel, &shape, &occupancy) == JIG_SUCCESS &&
        occupancy.parameters == 2);
  CHECK(JIG(jig_kernel_function)(kernel, &function) == JIG_SUCCESS);
  CHECK(CUDA(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL) == CUDA_SUCCESS);
  HOLDS(b, 2, -3, 5, 5, 4, 7);
}

static void call_prepared(void) {
  const jig_iter out = JIG(jig_device_pointer)(b, int32()),
                 in = JIG(jig_device_pointer)(d_items, int32());
  const jig_reduce_args args = {.in = in, .out = JIG(jig_device_pointer)(a, int32()), .num_items = 8};
  size_t bytes = 0;
  void *temp = (void *)(uintptr_t)d_temp;
  jig_prepared *prepared = NULL;
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  CHECK(JIG(jig_prepare)(engine, "reduce", &args, sizeof args, &prepared) == JIG_SUCCESS);
  if (prepared == NULL) return;
  CHECK(JIG(jig_prepared_launch)(prepared, NULL, &bytes, NULL) == JIG_SUCCESS);
  CHECK(JIG(jig_prepared_graph)(prepared, temp, &bytes, &graph) == JIG_SUCCESS);
  CHECK(CUDA(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  CHECK(JIG(jig_prepared_set_iter)(prepared, "out", &out) == JIG_SUCCESS);
  CHECK(JIG(jig_prepared_set_pointer)(prepared, "in", in.pointer) == JIG_SUCCESS);
  CHECK(JIG(jig_prepared_set_count)(prepared, "num_items", 2) == JIG_SUCCESS);
  CHECK(JIG(jig_prepared_launch)(prepared, temp, &bytes, NULL) == JIG_SUCCESS);
  HOLDS(b, 4);
  CHECK(JIG(jig_prepared_update)(prepared, temp, &bytes, exec) == JIG_SUCCESS);
  CHECK(CUDA(cuGraphLaunch)(exec, NULL) == CUDA_SUCCESS);
  HOLDS(b, 4);
  CHECK(CUDA(cuGraphExecDestroy)(exec) == CUDA_SUCCESS && CUDA(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  JIG(jig_prepared_free)(prepared);
}

/* ---- all */

static void open_gpu(void) {
  CUdevice device;
  CUcontext context;
  if (CUDA(cuInit)(0) != CUDA_SUCCESS || CUDA(cuDeviceGet)(&device, 0) != CUDA_SUCCESS ||
      CUDA(cuDevicePrimaryCtxRetain)(&context, device) != CUDA_SUCCESS ||
      CUDA(cuCtxSetCurrent)(context) != CUDA_SUCCESS) {
    printf("failed: there is no GPU\n");
    exit(EXIT_FAILURE);
  }
}

static void close_gpu(void) {
  const CUdeviceptr all[] = {d_items, d_keys, d_flags, d_places, d_offsets, d_temp, a, b, c, d};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) (void)CUDA(cuMemFree)(all[i]);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  driver = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  names = fopen(arguments[3], "w");
  if (library == NULL || driver == NULL || names == NULL) {
    printf("failed: %s\n", dlerror());
    return EXIT_FAILURE;
  }
  open_gpu();
  make_memory();
  CHECK(JIG(jig_engine_create)(&engine, NULL) == JIG_SUCCESS);
  call_engine();
  call_types();
  call_operators();
  call_iterators();
  call_reduce();
  call_scan();
  call_scan_by_key();
  call_runs();
  call_segments();
  call_segmented_reduces();
  call_select();
  call_partition();
  call_sorts();
  call_top_k();
  call_segmented_top_k();
  call_nth_element();
  call_copy();
  call_adjacent_difference();
  call_searches();
  call_sets();
  call_orders();
  call_transform();
  call_for_each();
  call_batched_copies();
  call_histogram();
  call_kernel();
  call_prepared();
  call_cache();
  JIG(jig_engine_destroy)(engine);
  close_gpu();
  (void)fclose(names);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
