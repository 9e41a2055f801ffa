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
  MOST_CLUSTER = 16,
  OTHER_KIBIBYTES = 4
};

static int most_cluster(int sm) {
  return sm < 90 ? 1 : MOST_CLUSTER;
}

/* A vector, or as many as make whole pixels. */
static int unit_items(const jig_iter *samples, int channels) {
  const jig_iter *source = iter_source(samples);
  const int vector = VECTOR_BYTES / (int)samples->type.size;
  const int items = source->kind == JIG_ITER_POINTER ? vector : smaller(vector, 4);
  return items % channels == 0 ? items : channels % items == 0 ? channels : items * channels;
}

static int most_samples(const jig_iter *samples, int channels, bool is_vector) {
  if (samples->kind == JIG_ITER_POINTER && samples->type.size == 1) return MOST_COPIED;
  if (samples->kind == JIG_ITER_POINTER && samples->type.size == 2) return MOST_SHORT;
  return channels > 1 && !is_vector ? MOST_SAMPLES / 2 : MOST_SAMPLES;
}

static policy choose(const spec *s, int sm, tuning_told *told) {
  const jig_iter *samples = spec_find(s, "samples")->iter;
  const int channels = spec_find(s, "channels")->choice + 1, items = unit_items(samples, channels);
  const bool is_byte = samples->type.size == 1 && samples->kind == JIG_ITER_POINTER;
  const bool is_short = samples->type.size == 2 && samples->kind == JIG_ITER_POINTER;
  /* Many samples of a vector take more registers, three channels' bins of more than a vector, and numbers
   * of 8 bytes. */
  const bool is_vector = samples->kind == JIG_ITER_POINTER && items == channels;
  const bool is_large =
      is_short || (!is_byte && (samples->type.size >= 8 || spec_find(s, "level")->type->size >= 8 ||
                                (channels > 2 && !is_vector)));
  histogram_tuning to = {
      .threads = sm < 80 || sm >= 120 || is_large ? FEWER_THREADS : THREADS,
      .items = items,
      .unroll = larger(1, smaller(MOST_UNITS, most_samples(samples, channels, is_vector) / items)),
      .min_blocks = 1,
      .cluster = most_cluster(sm)};
  tuning_take(told, &histogram_space, &to);
  to.shared_bytes = (shared_kibibytes(sm) / to.min_blocks - OTHER_KIBIBYTES) * KIBIBYTE;
  return histogram_tuning_pack(to);
}

/* Counters have room beside levels. */
static bool has_room(const spec *s, int sm, const policy *p) {
  enum { LEAST_BYTES = 32 * KIBIBYTE };
  const histogram_tuning to = histogram_tuning_of(p);
  (void)s;
  return to.cluster <= most_cluster(sm) && to.shared_bytes >= LEAST_BYTES;
}

const policy_space histogram_space = {.choose = choose,
                                      .knobs = {KNOB(histogram_tuning, threads, 256, 384, 512, 768, 1024),
                                                KNOB(histogram_tuning, unroll, 1, 2, 3, 4, 5, 6, 8),
                                                KNOB(histogram_tuning, min_blocks, 1, 2, 3, 4),
                                                KNOB(histogram_tuning, cluster, 1, 2, 4, 8, 16)},
                                      .allows = has_room};

static policy choose_init(const spec *s, int sm, tuning_told *told) {
  histogram_init_tuning to = {.threads = INIT_THREADS};
  (void)s;
  (void)sm;
  tuning_take(told, &histogram_init_space, &to);
  return histogram_init_tuning_pack(to);
}

static policy choose_convert(const spec *s, int sm, tuning_told *told) {
  histogram_init_tuning to = {.threads = INIT_THREADS};
  (void)s;
  (void)sm;
  tuning_take(told, &histogram_convert_space, &to);
  return histogram_init_tuning_pack(to);
}

#define INIT_KNOBS \
  { KNOB(histogram_init_tuning, threads, 64, 128, 256, 512, 1024) }
const policy_space histogram_init_space = {.choose = choose_init, .knobs = INIT_KNOBS},
                   histogram_convert_space = {.choose = choose_convert, .knobs = INIT_KNOBS};
