/* How a histogram is tuned.
 *
 * One block of a multiprocessor has all of its shared memory, so that there are many copies of few
 * counters, and as few flushes as can be. It has 64 registers for a thread: room for four vectors, of
 * which three are under way while one is counted. On an H200 2^28 floats take 308 us with one, 255 with
 * two, 246 with three and 245 with four. Other GPUs: not measured. */
#include "policy/histogram.h"

#include "policy/shared_memory.h"
#include "policy/vector.h"

enum {
  THREADS = 1024,
  FEWER_THREADS = 512,
  INIT_THREADS = 256,
  MOST_UNITS = 4,
  /* Samples of a thread at once: bytes are counted as they are; what bins others are in has to be
   * computed. */
  MOST_COPIED = 64,
  MOST_SHORT = 32,
  MOST_SAMPLES = 16,
  MOST_CLUSTER = 16
};

/* A vector, or as many as make whole pixels. */
static int unit_items(const jig_iter *samples, int channels) {
  const jig_iter *source = iter_source(samples);
  const int vector = VECTOR_BYTES / (int)samples->type.size;
  const int items = source->kind == JIG_ITER_POINTER ? vector : smaller(vector, 4);
  return items % channels == 0 ? items : channels % items == 0 ? channels : items * channels;
}

static int most_samples(const jig_iter *samples, int channels) {
  if (samples->kind == JIG_ITER_POINTER && samples->type.size == 1) return MOST_COPIED;
  if (samples->kind == JIG_ITER_POINTER && samples->type.size == 2) return MOST_SHORT;
  return channels > 1 ? MOST_SAMPLES / 2 : MOST_SAMPLES;
}

policy histogram_policy(const spec *s, int sm) {
  const jig_iter *samples = spec_find(s, "samples")->iter;
  const int channels = spec_find(s, "channels")->choice + 1, items = unit_items(samples, channels);
  const bool is_byte = samples->type.size == 1 && samples->kind == JIG_ITER_POINTER;
  const bool is_short = samples->type.size == 2 && samples->kind == JIG_ITER_POINTER;
  /* Many samples of a vector take more registers, three channels' bins, and numbers of 8 bytes. */
  const bool is_large =
      is_short ||
      (!is_byte && (samples->type.size >= 8 || spec_find(s, "level")->type->size >= 8 || channels > 2));
  return histogram_tuning_pack((histogram_tuning){
      .threads = sm < 80 || sm >= 120 || is_large ? FEWER_THREADS : THREADS,
      .items = items,
      .unroll = larger(1, smaller(MOST_UNITS, most_samples(samples, channels) / items)),
      .min_blocks = 1,
      .shared_bytes = (shared_kibibytes(sm) - 4) * KIBIBYTE,
      .cluster = sm < 90 ? 1 : MOST_CLUSTER});
}

policy histogram_init_policy(const spec *s, int sm) {
  (void)s;
  (void)sm;
  return histogram_init_tuning_pack((histogram_init_tuning){.threads = INIT_THREADS});
}
