/* How a histogram is tuned.
 *
 * One block of a multiprocessor has all of its shared memory, so that there are many copies of few
 * counters, and as few flushes as can be. It has 64 registers for a thread: where bins have to be
 * computed there is room for two vectors, and the next two under way. On an H200 half the threads with
 * twice the vectors took a third longer from 2^28 samples on, and as many threads with twice the vectors
 * spilled registers. Other GPUs: not measured. */
#include "policy/histogram.h"

#include "policy/shared_memory.h"
#include "policy/vector.h"

enum { THREADS = 1024, FEWER_THREADS = 512, INIT_THREADS = 256, MOST_SAMPLES = 16, MOST_COPIED = 32 };

/* A vector, or as many as make whole pixels. */
static int unit_items(const jig_iter *samples, int channels) {
  const jig_iter *source = iter_source(samples);
  const int vector = VECTOR_BYTES / (int)samples->type.size;
  const int items = source->kind == JIG_ITER_POINTER ? vector : smaller(vector, 4);
  return items % channels == 0 ? items : channels % items == 0 ? channels : items * channels;
}

policy histogram_policy(const spec *s, int sm) {
  const jig_iter *samples = spec_find(s, "samples")->iter;
  const int items = unit_items(samples, spec_find(s, "channels")->choice + 1);
  /* Bytes are counted as they are; what bins others are in has to be computed. */
  const bool is_short = samples->type.size == 2 && samples->kind == JIG_ITER_POINTER;
  const bool is_byte = samples->type.size == 1 && samples->kind == JIG_ITER_POINTER;
  const int most = is_byte || is_short ? MOST_COPIED : MOST_SAMPLES;
  /* Many samples of a vector take more registers, three channels' bins, and numbers of 8 bytes. */
  const bool is_large =
      is_short || (!is_byte && (samples->type.size >= 8 || spec_find(s, "level")->type->size >= 8 ||
                                spec_find(s, "channels")->choice >= 2));
  return histogram_tuning_pack(
      (histogram_tuning){.threads = sm < 80 || sm >= 120 || is_large ? FEWER_THREADS : THREADS,
                         .items = items,
                         .unroll = larger(1, smaller(is_byte || is_short ? 4 : 2, most / items)),
                         .min_blocks = 1,
                         .shared_bytes = (shared_kibibytes(sm) - 4) * KIBIBYTE});
}

policy histogram_init_policy(const spec *s, int sm) {
  (void)s;
  (void)sm;
  return histogram_init_tuning_pack((histogram_init_tuning){.threads = INIT_THREADS});
}
