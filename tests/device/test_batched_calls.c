/* Batched copies as they are called: arguments, errors, temp storage, graphs, strict mode. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "batched_support.h"
#include "gpu.h"
#include "numbers.h"
#include "strict_support.h"
#include "suite.h"

/* ---- arguments */

START_TEST(sizes_of_any_type) {
  static const int64_t sizes[] = {5, 0, 100, 17};
  unsigned char bytes[128], got[4][128], wanted[4][128];
  fill_random(JIG_KIND_U8, bytes, sizeof bytes, 3);
  unsigned char *source = gpu_copy(bytes, sizeof bytes, 3), *target = gpu_alloc(sizeof got, 1);
  const uint64_t start = (uintptr_t)target, step = 128;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (is_floating(*kind) || *kind == JIG_KIND_BOOL) continue;
    unsigned char numbers[64];
    uint64_t sources[4];
    const jig_type type = type_of(*kind);
    memset(wanted, 0xcd, sizeof wanted);
    for (size_t i = 0; i < 4; ++i) {
      sources[i] = (uintptr_t)source + i;
      put_integer(*kind, numbers, i, sizes[i] == 0 && is_signed(*kind) ? -9 : sizes[i]);
      memcpy(wanted[i], bytes + i, (size_t)sizes[i]);
    }
    void *device = gpu_copy(numbers, sizeof numbers, 0),
         *addresses = gpu_copy(sources, sizeof sources, 0);
    gpu_fill(target, 0xcd, sizeof got);
    run_memcpy_batched(&(jig_memcpy_batched_args){.sources = jig_pointer(addresses, JIG_U64),
                                                  .destinations = jig_counting_by(&start, &step, JIG_U64),
                                                  .sizes = jig_pointer(device, type),
                                                  .num_buffers = 4},
                       5);
    check_target(target, wanted[0], sizeof got, 1, jig_type_name(&type));
    gpu_free(device);
    gpu_free(addresses);
  }
  gpu_free(source);
  gpu_free(target);
}
END_TEST

/* For no buffer and for empty ones, wherever they are said to be. */
START_TEST(nothing) {
  enum { COUNT = 100 };
  const uint64_t none = 0;
  const uint32_t no_size = 0;
  const jig_memcpy_batched_args empty = {.sources = jig_constant(&none, JIG_U64),
                                         .destinations = jig_constant(&none, JIG_U64),
                                         .sizes = jig_constant(&no_size, JIG_U32),
                                         .num_buffers = COUNT};
  run_memcpy_batched(&empty, 0);
  const jig_iter nowhere = jig_pointer(NULL, JIG_U64);
  size_t bytes = 0;
  const jig_memcpy_batched_args no_buffers = {
      .sources = nowhere, .destinations = nowhere, .sizes = nowhere};
  OK(jig_memcpy_batched(NULL, NULL, &bytes, &no_buffers, NULL));
  ck_assert_uint_eq(bytes, 1);
  run_memcpy_batched(&no_buffers, 0);
  run_copy_batched(
      &(jig_copy_batched_args){
          .in = nowhere, .out = nowhere, .in_offsets = nowhere, .out_offsets = nowhere, .sizes = nowhere},
      0);
}
END_TEST

START_TEST(what_cannot_be_memcpy) {
  uint64_t *memory = gpu_alloc(800, 0);
  const jig_iter at = jig_pointer(memory, JIG_U64);
  const jig_memcpy_batched_args good = {
      .sources = at, .destinations = at, .sizes = at, .num_buffers = 10};
  jig_memcpy_batched_args args = good;
  size_t bytes = 0;
#define REFUSED(part) \
  FAILS(jig_memcpy_batched(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)
#define REFUSED_CALL(part) \
  FAILS(jig_memcpy_batched(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)
  args.sources = jig_pointer(memory, JIG_U32);
  REFUSED("sources: addresses are of type u64, not u32");
  args = good;
  args.destinations = jig_pointer(memory, JIG_I64);
  REFUSED("destinations: addresses are of type u64, not i64");
  args = good;
  args.sizes = jig_pointer(memory, JIG_F32);
  REFUSED("sizes: it must be of an integer type, not f32");
  args = good;
  args.sizes = (jig_iter){0};
  REFUSED("sizes");
  args = good;
  args.destinations = jig_discard(JIG_U64);
  REFUSED("destinations");
  args = good;
  args.num_buffers = UINT64_MAX;
  REFUSED("jig_memcpy_batched: num_buffers");
  args = good;
  args.num_buffers = (uint64_t)1 << 50;
  args.sources = args.destinations = args.sizes = jig_counting(NULL, JIG_U64);
  FAILS(jig_memcpy_batched(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_UNSUPPORTED,
        "jig_memcpy_batched: num_buffers");
  args = good;
  args.sources.pointer = NULL;
  REFUSED_CALL("jig_memcpy_batched: sources: the pointer is NULL");
  args = good;
  args.sizes.pointer = (char *)memory + 1;
  REFUSED_CALL("sizes");
  args = good;
  args.reserved[5] = 1;
  REFUSED("reserved is not zero");
  FAILS(jig_memcpy_batched(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  OK(jig_memcpy_batched(NULL, NULL, &bytes, &good, NULL));
  ck_assert_uint_le(bytes, 800);
  FAILS(jig_memcpy_batched(NULL, memory, &bytes, &good, NULL), JIG_ERROR_INVALID_ARGUMENT, "sources");
  --bytes;
  FAILS(jig_memcpy_batched(NULL, memory, &bytes, &good, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
        "temp_storage_bytes");
  ck_assert(gpu_is_untouched(memory, 800));
  gpu_free(memory);
}
END_TEST

START_TEST(what_cannot_be_copied) {
  uint64_t *memory = gpu_alloc(800, 0);
  const jig_iter at = jig_pointer(memory, JIG_U64);
  const jig_copy_batched_args good = {
      .in = at, .out = at, .in_offsets = at, .out_offsets = at, .sizes = at, .num_ranges = 10};
  jig_copy_batched_args args = good;
  size_t bytes = 0;
#undef REFUSED
#undef REFUSED_CALL
#define REFUSED(part) \
  FAILS(jig_copy_batched(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)
#define REFUSED_CALL(part) \
  FAILS(jig_copy_batched(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)
  args.out = jig_pointer(memory, jig_opaque(3, 1));
  REFUSED("in: the item type");
  args = good;
  args.in_offsets = jig_pointer(memory, JIG_BOOL);
  REFUSED("in_offsets: it must be of an integer type, not bool");
  args = good;
  args.out_offsets = jig_pointer(memory, JIG_F64);
  REFUSED("out_offsets: it must be of an integer type, not f64");
  args = good;
  args.sizes = jig_pointer(memory, JIG_F16);
  REFUSED("sizes: it must be of an integer type, not f16");
  args = good;
  args.out = jig_counting(NULL, JIG_U64);
  REFUSED("out");
  args = good;
  args.num_ranges = UINT64_MAX;
  REFUSED("jig_copy_batched: num_ranges");
  args = good;
  args.out.pointer = NULL;
  REFUSED_CALL("jig_copy_batched: out: the pointer is NULL");
  args = good;
  args.in.pointer = NULL;
  REFUSED_CALL("jig_copy_batched: in: the pointer is NULL");
  ck_assert(gpu_is_untouched(memory, 800));
  gpu_free(memory);
}
END_TEST

/* ---- graphs, strict mode */

/* Replays find other sizes each time: long ones among them, and none. */
START_TEST(a_captured_call_is_replayed) {
  enum { COUNT = 40, ROOM = 20000, BYTES = COUNT * ROOM };
  unsigned char *bytes = malloc(BYTES), *wanted = malloc(BYTES);
  uint32_t sizes[COUNT];
  fill_random(JIG_KIND_U8, bytes, BYTES, 7);
  unsigned char *source = gpu_copy(bytes, BYTES, 5), *target = gpu_alloc(BYTES, 2);
  const uint64_t from = (uintptr_t)source, to = (uintptr_t)target, step = ROOM;
  void *d_sizes = gpu_alloc(sizeof sizes, 0);
  size_t temp = 0;
  const jig_memcpy_batched_args args = {.sources = jig_counting_by(&from, &step, JIG_U64),
                                        .destinations = jig_counting_by(&to, &step, JIG_U64),
                                        .sizes = jig_pointer(d_sizes, JIG_U32),
                                        .num_buffers = COUNT};
  CUstream stream;
  OK(jig_memcpy_batched(NULL, NULL, &temp, &args, NULL));
  void *storage = gpu_alloc(temp, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_memcpy_batched(NULL, storage, &temp, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (size_t replay = 0; replay < 5; ++replay) {
    memset(wanted, 0xcd, BYTES);
    gpu_fill(target, 0xcd, BYTES);
    for (size_t i = 0; i < COUNT; ++i) {
      sizes[i] = replay == 2 ? 20 : (uint32_t)((i * 977 + replay * 4111) % ROOM);
      memcpy(wanted + i * ROOM, bytes + i * ROOM, sizes[i]);
    }
    gpu_write(d_sizes, sizes, sizeof sizes);
    gpu_replay(exec, stream);
    check_target(target, wanted, BYTES, 1, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(source);
  gpu_free(target);
  gpu_free(d_sizes);
  free(bytes);
  free(wanted);
}
END_TEST

/* Temp storage that other calls have used stays good, and so does a stream's order. */
START_TEST(calls_one_after_the_other) {
  enum { BYTES = 100003, CALLS = 6 };
  unsigned char *bytes = malloc(BYTES);
  fill_random(JIG_KIND_U8, bytes, BYTES, 7);
  unsigned char *places[2] = {gpu_copy(bytes, BYTES, 3), gpu_alloc(BYTES, 8)};
  const uint64_t size = BYTES;
  size_t temp = 0;
  void *storage = NULL;
  for (int call = 0; call < CALLS; ++call) {
    const uint64_t from = (uintptr_t)places[call % 2], to = (uintptr_t)places[1 - call % 2];
    const jig_memcpy_batched_args args = {.sources = jig_constant(&from, JIG_U64),
                                          .destinations = jig_constant(&to, JIG_U64),
                                          .sizes = jig_constant(&size, JIG_U64),
                                          .num_buffers = 1};
    if (storage == NULL) OK(jig_memcpy_batched(NULL, NULL, &temp, &args, NULL));
    if (storage == NULL) storage = gpu_alloc(temp, 0);
    OK(jig_memcpy_batched(NULL, storage, &temp, &args, NULL));
  }
  check_target(places[0], bytes, BYTES, 1, "there and back");
  gpu_free(storage);
  gpu_free(places[0]);
  gpu_free(places[1]);
  free(bytes);
}
END_TEST

/* Segments of keys, each to where it is already. */
static void strict_bytes(strict_call *t) {
  const uint64_t from = (uintptr_t)t->d_keys, to = (uintptr_t)t->out[0], step = STRICT_SEGMENT * 4;
  const uint32_t length = STRICT_SEGMENT * 4;
  const jig_memcpy_batched_args args = {.sources = jig_counting_by(&from, &step, JIG_U64),
                                        .destinations = jig_counting_by(&to, &step, JIG_U64),
                                        .sizes = jig_constant(&length, JIG_U32),
                                        .num_buffers = t->n / STRICT_SEGMENT};
  STRICT(t, jig_memcpy_batched, args);
  const size_t bytes = t->n / STRICT_SEGMENT * length;
  ck_assert(memcmp(strict_read(t, t->out[0], bytes), t->keys, bytes) == 0);
}

static jig_copy_batched_args segments_of(const strict_call *t, jig_type type, const int64_t *length) {
  const jig_iter offsets = jig_pointer(t->d_offsets, JIG_I64);
  return (jig_copy_batched_args){.in = jig_pointer(t->d_keys, JIG_U32),
                                 .out = jig_pointer(t->out[0], type),
                                 .in_offsets = offsets,
                                 .out_offsets = offsets,
                                 .sizes = jig_constant(length, JIG_I64),
                                 .num_ranges = t->n / STRICT_SEGMENT};
}

static void strict_ranges(strict_call *t) {
  const int64_t length = STRICT_SEGMENT;
  const jig_copy_batched_args args = segments_of(t, JIG_U32, &length);
  STRICT(t, jig_copy_batched, args);
  const size_t bytes = t->n / STRICT_SEGMENT * STRICT_SEGMENT * 4;
  ck_assert(memcmp(strict_read(t, t->out[0], bytes), t->keys, bytes) == 0);
}

static void strict_conversion(strict_call *t) {
  const int64_t length = STRICT_SEGMENT;
  const jig_copy_batched_args args = segments_of(t, JIG_I64, &length);
  STRICT(t, jig_copy_batched, args);
  const uint64_t count = t->n / STRICT_SEGMENT * STRICT_SEGMENT;
  const int64_t *got = strict_read(t, t->out[0], count * 8);
  for (uint64_t i = 0; i < count; ++i) ck_assert_int_eq(got[i], t->keys[i]);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_bytes), STRICT_CASE(strict_ranges),
                                      STRICT_CASE(strict_conversion)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sizes_of_any_type),           SUITE_TEST(nothing),
      SUITE_TEST(what_cannot_be_memcpy),       SUITE_TEST(what_cannot_be_copied),
      SUITE_TEST(a_captured_call_is_replayed), SUITE_TEST(calls_one_after_the_other),
      SUITE_TEST(a_spec_prewarms_its_calls),
  };
  return SUITE_RUN("device/batched_calls", tests, true);
}
