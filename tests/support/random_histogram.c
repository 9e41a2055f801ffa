/* Random calls of histogram: of integers of any type, or of floating-point numbers where bins are exact;
 * with levels of the same type or of another one. */
#include <stdlib.h>
#include <string.h>

#include "random_cases.h"

typedef struct histogram_case {
  item_kind sample, level, counter;
  bool range;
  char *samples, *levels[JIG_HISTOGRAM_MAX_CHANNELS];
  jig_histogram_args args;
  place_output counts[JIG_HISTOGRAM_MAX_CHANNELS];
  size_t row_pixels; /* that there are */
} histogram_case;

static bool is_negative(jig_type_kind kind, const void *x) {
  return is_signed(kind) && get_integer(kind, x, 0) < 0;
}

/* A sample and a level, neither of which is NaN, by their values. */
static int compare_to_level(const histogram_case *h, const void *x, const void *level) {
  const jig_type_kind a = h->sample.word, b = h->level.word;
  if (is_floating(a)) {
    const double value = get_float(a, x, 0), other = get_float(b, level, 0);
    return (value > other) - (value < other);
  }
  if (is_negative(a, x) != is_negative(b, level)) return is_negative(a, x) ? -1 : 1;
  const uint128 value = (uint128)get_integer(a, x, 0), other = (uint128)get_integer(b, level, 0);
  return (value > other) - (value < other);
}

static int by_level(const void *context, size_t a, size_t b) {
  const place_output *levels = context; /* of which kind and memory are used */
  return compare_items(&levels->kind, item(&levels->kind, levels->memory, a),
                       item(&levels->kind, levels->memory, b));
}

/* In ascending order. */
static char *random_levels(const histogram_case *h, size_t count) {
  place_output levels = {.kind = h->level, .memory = new_items(&h->level, MIX_BITS, count)};
  for (size_t i = 0; i < count && is_floating(h->level.word); ++i) {
    put_float(h->level.word, levels.memory, i, (double)data_below(8) / 2 - 2);
  }
  size_t *order = indices_in_order(count, by_level, &levels);
  char *sorted = picked(&h->level, levels.memory, order, count);
  free(order);
  return sorted;
}

/* False if there are no such bins. */
static bool choose_bins(histogram_case *h, uint32_t c) {
  jig_histogram_args *args = &h->args;
  const bool of_floats = is_floating(h->sample.word);
  args->num_bins[c] = data_one_in(4) ? 1 : 1 + data_below(data_one_in(4) ? 5000 : 100);
  if (of_floats && !h->range) args->num_bins[c] = 4; /* of a half each: what is computed is exact */
  h->levels[c] = random_levels(h, h->range ? args->num_bins[c] + 1 : 2);
  if (of_floats && !h->range) {
    put_float(h->level.word, h->levels[c], 0, -1);
    put_float(h->level.word, h->levels[c], 1, 1);
  }
  if (h->range) {
    args->levels[c] =
        place_copy(h->levels[c], (args->num_bins[c] + 1) * h->level.type.size, h->level.type.align);
  } else {
    args->lower[c] = h->levels[c];
    args->upper[c] = item(&h->level, h->levels[c], 1);
  }
  h->counts[c] = place_output_of(&h->counter, args->num_bins[c], PLACE_POINTER);
  args->counts[c] = h->counts[c].memory;
  return h->range || compare_items(&h->level, args->lower[c], args->upper[c]) < 0;
}

/* floor(distance * bins / width), whose product may have more than 128 bits: bit by bit of the bins. */
static uint64_t share_of(uint128 distance, uint64_t bins, uint128 width) {
  uint128 rest = 0;
  uint64_t quotient = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const bool carries = rest >> 127 != 0;
    rest <<= 1;
    quotient <<= 1;
    if (carries || rest >= width) rest -= width, ++quotient;
    if ((bins >> bit & 1) == 0) continue;
    const uint128 before = rest;
    rest += distance;
    if (rest < before || rest >= width) rest -= width, ++quotient;
  }
  return quotient;
}

static uint64_t bin_of(const histogram_case *h, uint32_t c, const void *x) {
  const uint64_t bins = h->args.num_bins[c];
  if (h->range) {
    uint64_t low = 0, high = bins;
    while (high - low > 1) {
      const uint64_t middle = (low + high) / 2;
      *(compare_to_level(h, x, item(&h->level, h->levels[c], middle)) >= 0 ? &low : &high) = middle;
    }
    return low;
  }
  if (is_floating(h->sample.word)) {
    const double above = get_float(h->sample.word, x, 0) + 1;
    const bool is_double = h->sample.word == JIG_KIND_F64 || h->level.word == JIG_KIND_F64;
    const uint64_t bin = (uint64_t)((is_double ? above : (double)(float)above) * 2);
    return bin < bins ? bin : bins - 1;
  }
  const int128 lower = get_integer(h->level.word, h->levels[c], 0),
               upper = get_integer(h->level.word, h->levels[c], 1);
  return share_of((uint128)get_integer(h->sample.word, x, 0) - (uint128)lower, bins,
                  (uint128)upper - (uint128)lower);
}

static void check_channel(const histogram_case *h, uint32_t c) {
  const jig_histogram_args *args = &h->args;
  uint64_t *tally = host_alloc(args->num_bins[c] * sizeof *tally);
  const void *end = item(&h->level, h->levels[c], h->range ? args->num_bins[c] : 1);
  for (size_t r = 0; r < args->num_rows; ++r) {
    for (size_t p = 0; p < h->row_pixels; ++p) {
      const void *x = item(&h->sample, h->samples, r * args->row_stride + p * args->num_channels + c);
      if (!equal_items(&h->sample, x, x)) continue; /* NaN */
      if (compare_to_level(h, x, h->levels[c]) >= 0 && compare_to_level(h, x, end) < 0)
        ++tally[bin_of(h, c, x)];
    }
  }
  char *wanted = host_alloc(args->num_bins[c] * h->counter.type.size);
  for (size_t b = 0; b < args->num_bins[c]; ++b)
    put_integer(h->counter.word, wanted, b, (int128)tally[b]);
  place_check(&h->counts[c], wanted, args->num_bins[c], true, "counts");
}

static item_kind random_sample(bool is_float) {
  static const jig_type_kind floats[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};
  return is_float ? kind_of_number(floats[shape_below(COUNT_OF(floats))]) : random_integer();
}

void random_histogram(void) {
  const bool of_floats = shape_one_in(3);
  histogram_case h = {.sample = random_sample(of_floats), .counter = random_integer()};
  h.level = shape_one_in(2) ? h.sample : random_sample(of_floats);
  const uint32_t channels = 1 + (uint32_t)shape_below(JIG_HISTOGRAM_MAX_CHANNELS),
                 active = 1 + (uint32_t)shape_below(channels);
  h.range = shape_one_in(2);
  const size_t pixels = data_count(h.sample.type.size * channels);
  size_t row_pixels;
  const uint64_t *row_pixels_in = place_count(pixels, &row_pixels);
  const size_t rows = row_pixels_in == NULL && data_one_in(3) ? data_below(4) : 1;
  const size_t stride = pixels * channels + (rows > 1 ? data_below(5) : 0);
  h.row_pixels = rows > 1 ? pixels / rows : row_pixels;
  const size_t row = (rows > 1 ? h.row_pixels : pixels) * channels,
               extent = rows == 0 || row == 0 ? 0 : (rows - 1) * stride + row;
  h.samples = new_items(&h.sample, random_mix(), extent);
  h.args = (jig_histogram_args){.samples = place_input(&h.sample, h.samples, extent, PLACE_ITEMS),
                                .counter_type = h.counter.type,
                                .level_type = h.level.type,
                                .num_row_pixels = rows > 1 ? h.row_pixels : pixels,
                                .num_rows = rows,
                                .row_stride = stride,
                                .bins = h.range ? JIG_HISTOGRAM_RANGE : JIG_HISTOGRAM_EVEN,
                                .num_channels = channels,
                                .num_active_channels = active,
                                .num_row_pixels_in = row_pixels_in};
  for (uint32_t c = 0; c < active; ++c) {
    if (!choose_bins(&h, c)) return;
  }
  RUN(jig_histogram, &h.args);
  for (uint32_t c = 0; c < active; ++c) check_channel(&h, c);
}
