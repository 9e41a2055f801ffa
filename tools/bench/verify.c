#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

static void print_bytes(const char *who, const unsigned char *bytes, size_t count) {
  (void)fprintf(stderr, "  %s:", who);
  for (size_t i = 0; i < count && i < 32; ++i) (void)fprintf(stderr, " %02x", bytes[i]);
  (void)fputc('\n', stderr);
}

static void report(const contender *jig, int output, size_t offset, const unsigned char *const host[2],
                   size_t bytes, const char *what) {
  char name[CASE_NAME_SIZE];
  case_name(jig->benched, name);
  size_t first = 0;
  while (first + 1 < bytes && host[0][first] == host[1][first]) ++first;
  first -= first % 16;
  (void)fprintf(stderr, "MISMATCH: %s, n = %llu, %s: output %d from byte %zu\n", name,
                (unsigned long long)jig->data.n, what, output, offset + first);
  print_bytes("jig", host[0] + first, bytes - first);
  print_bytes("cub", host[1] + first, bytes - first);
}

/* How many items of a counted output a contender has written. */
static uint64_t written_items(const contender *c, const bench_array *array) {
  enum { MAX_COUNTS = 4 };
  int32_t counts[MAX_COUNTS] = {0};
  const int source = array->counted_by - 1;
  const size_t bytes = c->benched->out[source].fixed;
  uint64_t counted = 0;
  gpu_read(counts, c->data.out[source], bytes < sizeof counts ? bytes : sizeof counts);
  if (array->count_item >= 0)
    return counts[array->count_item] > 0 ? (uint64_t)counts[array->count_item] : 0;
  for (int i = 0; i < MAX_COUNTS; ++i) counted += counts[i] > 0 ? (uint64_t)counts[i] : 0;
  return counted < c->data.n ? c->data.n - counted : 0;
}

/* How many bytes of an output jig and CUB have both written. */
static size_t written_bytes(const contender both[CONTENDERS], int output) {
  const bench_array *array = &both[BENCH_JIG].benched->out[output];
  size_t bytes = array_bytes(array, both[BENCH_JIG].data.n);
  for (int k = 0; k < CONTENDERS && array->counted_by > 0; ++k) {
    const size_t written = (size_t)written_items(&both[k], array) * array->per_item;
    bytes = written < bytes ? written : bytes;
  }
  return bytes;
}

/* What is known of two outputs by the pieces that were compared. */
typedef struct comparison {
  bool same;
  uint64_t digests[CONTENDERS]; /* of cases that have them, which say nothing before the last piece */
} comparison;

static void compare_piece(comparison *found, const contender *jig, int output,
                          const unsigned char *const host[CONTENDERS], size_t bytes, size_t offset) {
  const bench_case *c = jig->benched;
  const uint64_t n = jig->data.n;
  if (c->digest != NULL) {
    for (int k = 0; k < CONTENDERS; ++k)
      found->digests[k] += c->digest(c, output, host[k], bytes, offset, n);
    return;
  }
  found->same = c->agree != NULL ? c->agree(c, output, host[BENCH_JIG], host[BENCH_CUB], bytes, n)
                                 : memcmp(host[BENCH_JIG], host[BENCH_CUB], bytes) == 0;
}

/* Compares one output: on the GPU, as copies of gigabytes would take most of a run; if not all bytes are
 * the same, here, in pieces of whole items. */
static bool compare_output(const contender both[CONTENDERS], int output, const char *what) {
  enum { MOST_BYTES = 64 << 20 };
  const bench_case *c = both[BENCH_JIG].benched;
  const size_t item = c->out[output].per_item > 0 ? c->out[output].per_item : 1;
  const size_t total = written_bytes(both, output);
  if (gpu_same(both[BENCH_JIG].data.out[output], both[BENCH_CUB].data.out[output], total)) return true;
  const size_t piece = total < MOST_BYTES ? total : MOST_BYTES / item * item;
  const size_t aligned = (piece + 15) / 16 * 16;
  unsigned char *memory = malloc(2 * aligned);
  if (memory == NULL) die("out of memory");
  const unsigned char *const host[2] = {memory, memory + aligned};
  comparison found = {.same = true};
  for (size_t done = 0; done < total && found.same; done += piece) {
    const size_t bytes = total - done < piece ? total - done : piece;
    const bool is_last = done + bytes == total;
    for (int k = 0; k < CONTENDERS; ++k) {
      gpu_read(memory + (size_t)k * aligned, (const char *)both[k].data.out[output] + done, bytes);
    }
    compare_piece(&found, &both[BENCH_JIG], output, host, bytes, done);
    if (is_last) found.same &= found.digests[BENCH_JIG] == found.digests[BENCH_CUB];
    if (!found.same) report(&both[BENCH_JIG], output, done, host, bytes, what);
  }
  free(memory);
  return found.same;
}

/* Different ones, so that what neither has written is no agreement. */
static const unsigned char poison[CONTENDERS] = {[BENCH_JIG] = JIG_POISON, [BENCH_CUB] = CUB_POISON};

bool verify(contender both[CONTENDERS], const task tasks[CONTENDERS], uint64_t seed, const char *what) {
  const bench_case *c = both[BENCH_JIG].benched;
  const uint64_t n = both[BENCH_JIG].data.n;
  c->fill(c, &both[BENCH_JIG].data, seed);
  for (int k = 0; k < CONTENDERS; ++k) {
    for (int i = 0; i < BENCH_ARRAYS; ++i) {
      gpu_set(both[k].data.out[i], poison[k], array_bytes(&c->out[i], n));
    }
    tasks[k].run(tasks[k].self, gpu_stream());
  }
  GPU(gpu()->cuStreamSynchronize(gpu_stream()));
  bool same = true;
  for (int i = 0; i < BENCH_ARRAYS; ++i) {
    if (array_bytes(&c->out[i], n) > 0) same &= compare_output(both, i, what);
  }
  return same;
}
