/* Scans of random sizes and kinds on several streams at once, beside reduces, behind kernels that hold
 * the GPU for a while; and one of more items than 32 bits count. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "util/clock.h"

/* ---- many at once */

enum { STREAMS = 4, MAX_CALLS = 6000, SECONDS = 8 };

/* How many words there are to scan: more than a single wave takes, on large GPUs, too. */
static size_t word_count;

/* Holds as much of the GPU as it has blocks, for as long as it is told. */
static const char delay_source[] =
    "extern \"C\" __global__ void test(long long cycles) {\n"
    "  const long long until = clock64() + cycles;\n"
    "  while (clock64() < until) {}\n"
    "}\n";

/* Counts the words that are not as wanted. */
static const char compare_source[] =
    "extern \"C\" __global__ void test(const unsigned *got, const unsigned *wanted, unsigned long long "
    "count,\n"
    "                                 unsigned *wrong) {\n"
    "  const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;\n"
    "  unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  for (; i < count; i += threads)\n"
    "    if (got[i] != wanted[i]) atomicAdd(wrong, 1u);\n"
    "}\n";

typedef enum which { SUMS, MAPS, LINES, REDUCE, WHICH_COUNT } which;
static const char *const names[] = {"sums of u32", "composed maps", "sums of 64-byte structs",
                                    "the sum of u32"};
static const size_t item_words[] = {1, 2, 16, 1};

/* What all streams share: the items, and what is right. */
typedef struct stage {
  kernel delay, compare;
  uint32_t *words, *wanted[WHICH_COUNT]; /* on the device */
} stage;

static void add_maps(uint32_t *maps) {
  for (size_t i = 2; i < word_count; i += 2) {
    const uint32_t a = maps[i], b = maps[i + 1];
    maps[i] = a * maps[i - 2];
    maps[i + 1] = a * maps[i - 1] + b;
  }
}

static stage open_stage(void) {
  int count;
  word_count = (size_t)1 << (driver_devices(&count)->multiprocessors < 16 ? 20 : 23);
  stage s = {.delay = kernel_build(delay_source), .compare = kernel_build(compare_source)};
  uint32_t *words = malloc(word_count * 4), *wanted = malloc(word_count * 4);
  fill_random(JIG_KIND_U32, words, word_count, 3);
  for (size_t i = 0; i < word_count; i += 2) words[i] |= 1;
  s.words = gpu_copy(words, word_count * 4, 0);
  memcpy(wanted, words, word_count * 4);
  for (size_t i = 1; i < word_count; ++i) wanted[i] += wanted[i - 1];
  s.wanted[SUMS] = s.wanted[REDUCE] = gpu_copy(wanted, word_count * 4, 0);
  memcpy(wanted, words, word_count * 4);
  for (size_t i = 16; i < word_count; ++i) wanted[i] += wanted[i - 16];
  s.wanted[LINES] = gpu_copy(wanted, word_count * 4, 0);
  memcpy(wanted, words, word_count * 4);
  add_maps(wanted);
  s.wanted[MAPS] = gpu_copy(wanted, word_count * 4, 0);
  free(words);
  free(wanted);
  return s;
}

static void close_stage(stage *s) {
  kernel_free(&s->delay);
  kernel_free(&s->compare);
  gpu_free(s->words);
  for (which w = SUMS; w < REDUCE; ++w) gpu_free(s->wanted[w]);
}

/* A stream with memory of its own. */
typedef struct lane {
  CUstream stream;
  void *storage;
  size_t storage_size;
  uint32_t *out, *wrong; /* a counter for each call */
} lane;

static jig_status enqueue(which w, const stage *s, void *storage, size_t *bytes, void *out, size_t count,
                          CUstream stream) {
  if (w == REDUCE)
    return jig_reduce_sum(NULL, storage, bytes, jig_pointer(s->words, JIG_U32), jig_pointer(out, JIG_U32),
                          count, stream);
  const jig_type type = w == SUMS   ? JIG_U32
                        : w == MAPS ? jig_struct("map", "struct map { uint32_t a, b; };", 8, 4)
                                    : jig_struct("line", "struct line { uint32_t w[16]; };", 64, 4);
  const jig_scan_args args = {
      .in = jig_pointer(s->words, type),
      .out = jig_pointer(out, type),
      .num_items = count,
      .op = w == SUMS   ? JIG_PLUS
            : w == MAPS ? jig_op_source("return {a.a * b.a, a.b * b.a + b.b};")
                        : jig_op_source("for (int i = 0; i < 16; ++i) a.w[i] += b.w[i];\nreturn a;")};
  return jig_scan(NULL, storage, bytes, &args, stream);
}

static lane open_lane(const stage *s) {
  lane l = {.storage_size = 0};
  GPU(gpu()->cuStreamCreate(&l.stream, CU_STREAM_NON_BLOCKING));
  l.out = gpu_alloc(word_count * 4, 0);
  l.wrong = gpu_alloc(MAX_CALLS * 4, 0);
  gpu_fill(l.wrong, 0, MAX_CALLS * 4);
  for (which w = SUMS; w < WHICH_COUNT; ++w) {
    size_t bytes = 0;
    OK(enqueue(w, s, NULL, &bytes, l.out, word_count / item_words[w], l.stream));
    l.storage_size = bytes > l.storage_size ? bytes : l.storage_size;
  }
  l.storage = gpu_alloc(l.storage_size, 0);
  return l;
}

static void close_lane(lane *l) {
  GPU(gpu()->cuStreamDestroy(l->stream));
  gpu_free(l->out);
  gpu_free(l->wrong);
  gpu_free(l->storage);
}

static void launch(const kernel *k, unsigned blocks, void **parameters, CUstream stream) {
  GPU(gpu()->cuLaunchKernel(k->function, blocks, 1, 1, 256, 1, 1, 0, stream, parameters, NULL));
}

typedef struct issued {
  which w;
  size_t count;
} issued;

/* One call with what comes before and after it. */
static issued add_call(const stage *s, const lane *l, size_t number, uint64_t *seed) {
  issued call = {(which)(next_random(seed) % WHICH_COUNT), 0};
  const uint64_t r = next_random(seed);
  call.count = 1 + (r >> 8) % ((word_count >> r % 12) / item_words[call.w]);
  if (next_random(seed) % 4 == 0) {
    long long cycles = (long long)(next_random(seed) % 20000);
    void *parameters[] = {&cycles};
    launch(&s->delay, 1 + (unsigned)(next_random(seed) % 40), parameters, l->stream);
  }
  size_t bytes = l->storage_size;
  OK(enqueue(call.w, s, l->storage, &bytes, l->out, call.count, l->stream));
  uint64_t words = call.w == REDUCE ? 1 : call.count * item_words[call.w];
  const uint32_t *wanted = s->wanted[call.w] + (call.w == REDUCE ? call.count - 1 : 0);
  uint32_t *wrong = l->wrong + number;
  void *parameters[] = {(void *)(uintptr_t)&l->out, &wanted, &words, &wrong};
  launch(&s->compare, 1 + (unsigned)(words >> 12), parameters, l->stream);
  GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)l->out, 0xee, words * 4, l->stream));
  return call;
}

START_TEST(streams_are_scanned_on_at_once) {
  enum { BATCH = 25 };
  stage s = open_stage();
  lane lanes[STREAMS];
  issued *calls = malloc(STREAMS * MAX_CALLS * sizeof *calls);
  uint32_t *wrong = malloc(MAX_CALLS * sizeof *wrong);
  for (int k = 0; k < STREAMS; ++k) lanes[k] = open_lane(&s);
  const double end = clock_ms() + SECONDS * 1e3;
  uint64_t seed = 17;
  size_t count = 0;
  while (count < MAX_CALLS && clock_ms() < end) {
    for (size_t batch = 0; batch < BATCH; ++batch, ++count)
      for (size_t k = 0; k < STREAMS; ++k)
        calls[k * MAX_CALLS + count] = add_call(&s, &lanes[k], count, &seed);
    GPU(gpu()->cuCtxSynchronize()); /* so that the time is known on a GPU that is slow */
  }
  for (size_t k = 0; k < STREAMS; ++k) {
    gpu_read(wrong, lanes[k].wrong, count * sizeof *wrong);
    for (size_t i = 0; i < count; ++i)
      ck_assert_msg(wrong[i] == 0, "stream %zu, call %zu: %u words of %s of %zu are wrong", k, i,
                    wrong[i], names[calls[k * MAX_CALLS + i].w], calls[k * MAX_CALLS + i].count);
    close_lane(&lanes[k]);
  }
  printf("%zu calls on each of %d streams\n", count, STREAMS);
  close_stage(&s);
  free(calls);
  free(wrong);
}
END_TEST

/* ---- more items than 32 bits count: 2^33 and some */

static const uint64_t large = ((uint64_t)1 << 33) + 12345;

static uint64_t sum_of_bytes(CUdeviceptr bytes, uint64_t count) {
  uint64_t sum;
  reduce_to_host(
      (jig_reduce_args){.in = jig_pointer((void *)(uintptr_t)bytes, JIG_U8), .num_items = count}, JIG_U64,
      &sum);
  return sum;
}

static void scan_bytes(CUdeviceptr in, CUdeviceptr out, jig_op op) {
  const jig_scan_args args = {.in = jig_pointer((void *)(uintptr_t)in, JIG_U8),
                              .out = jig_pointer((void *)(uintptr_t)out, JIG_U8),
                              .num_items = large,
                              .op = op,
                              .accum_type = JIG_U8};
  size_t bytes = 0;
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_scan(NULL, storage, &bytes, &args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

static uint8_t byte_at(CUdeviceptr bytes, uint64_t i) {
  uint8_t byte;
  GPU(gpu()->cuMemcpyDtoH(&byte, bytes + i, 1));
  return byte;
}

/* Steps up at a few places: the sum of all bytes then tells that each is as it should be. */
static void check_steps(CUdeviceptr in, CUdeviceptr out) {
  const uint64_t places[] = {12345, 1u << 31, UINT32_MAX, (uint64_t)1 << 32, large - 100000, large - 1};
  uint64_t wanted = 0;
  gpu_fill((void *)(uintptr_t)in, 0, large);
  for (size_t k = 0; k < COUNT_OF(places); ++k) {
    const uint8_t value = (uint8_t)(k + 1);
    gpu_write((void *)(uintptr_t)(in + places[k]), &value, 1);
    wanted += large - places[k];
  }
  scan_bytes(in, out, JIG_MAX);
  for (size_t k = 0; k < COUNT_OF(places); ++k) {
    ck_assert_uint_eq(byte_at(out, places[k] - 1), k);
    ck_assert_uint_eq(byte_at(out, places[k]), k + 1);
  }
  ck_assert_uint_eq(sum_of_bytes(out, large), wanted);
}

/* Ones: the sums go round and round, and so does what is left of them in a byte. */
static void check_ones(CUdeviceptr in, CUdeviceptr out) {
  uint64_t seed = 5;
  gpu_fill((void *)(uintptr_t)in, 1, large);
  scan_bytes(in, out, JIG_PLUS);
  for (int k = 0; k < 5000; ++k) {
    const uint64_t i = next_random(&seed) % large;
    ck_assert_uint_eq(byte_at(out, i), (uint8_t)(i + 1));
  }
  const uint64_t rest = large % 256;
  ck_assert_uint_eq(sum_of_bytes(out, large), large / 256 * (255 * 128) + rest * (rest + 1) / 2);
}

START_TEST(more_items_than_32_bits_count) {
  if (!gpu_begin_large("device/scan_stress: more_items_than_32_bits_count", (size_t)40 << 30)) return;
  CUdeviceptr in, out;
  GPU(gpu()->cuMemAlloc(&in, large));
  GPU(gpu()->cuMemAlloc(&out, large));
  check_steps(in, out);
  check_ones(in, out);
  scan_bytes(in, in, JIG_PLUS); /* in place */
  ck_assert_uint_eq(sum_of_bytes(in, large), sum_of_bytes(out, large));
  GPU(gpu()->cuMemFree(in));
  GPU(gpu()->cuMemFree(out));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(streams_are_scanned_on_at_once),
      SUITE_TEST(more_items_than_32_bits_count),
  };
  return SUITE_RUN("device/scan_stress", tests, true);
}
