/* jig_histogram(): see include/jig/histogram.h and templates/jig/agent/histogram. */
#include <jig/histogram.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/call_places.h"
#include "algorithm/histogram_plan.h"
#include "algorithm/tile_state.h"
#include "policy/histogram.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { ACTIVE_CHANNELS, BINS, CHANNELS, COUNTER, LEVEL, NUM_ROW_PIXELS_IN, SAMPLES, SLOTS };

static const char *const channel_counts[] = {"1", "2", "3", "4", NULL};
static const char *const bin_kinds[] = {"even", "range", NULL};

static const slot_schema slots[SLOTS] = {
    [ACTIVE_CHANNELS] = {.name = "active_channels",
                         .kind = SLOT_CHOICE,
                         .choices = channel_counts,
                         .help = "how many of them are counted"},
    [BINS] = {.name = "bins",
              .kind = SLOT_CHOICE,
              .choices = bin_kinds,
              .help = "whether bins are of one width, or between any levels"},
    [CHANNELS] = {.name = "channels",
                  .kind = SLOT_CHOICE,
                  .choices = channel_counts,
                  .help = "interleaved channels of the samples"},
    [COUNTER] = {.name = "counter", .kind = SLOT_TYPE, .help = "the counts' type", .usually = "u32"},
    [LEVEL] = {.name = "level", .kind = SLOT_TYPE, .help = "the levels' type", .like = "samples"},
    [NUM_ROW_PIXELS_IN] = DEVICE_COUNT_SLOT(num_row_pixels),
    [SAMPLES] = {.name = "samples",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .help = "what is counted",
                 .option = "type"},
};

static jig_status check_number(const jig_type *type, const char *what) {
  return type_is_number(type) ? JIG_SUCCESS
                              : error_set(JIG_ERROR_UNSUPPORTED, "%s: the type is no number", what);
}

static jig_status check(const spec *s) {
  const jig_type *counter = s->slots[COUNTER].type;
  jig_status status = check_number(&s->slots[SAMPLES].iter->type, "samples");
  if (status == JIG_SUCCESS) status = check_number(s->slots[LEVEL].type, "level_type");
  if (status != JIG_SUCCESS) return status;
  if (!type_is_integer(counter) || counter->kind == JIG_KIND_BOOL)
    return error_set(JIG_ERROR_UNSUPPORTED, "counter_type: the type is no integer");
  if (s->slots[ACTIVE_CHANNELS].choice > s->slots[CHANNELS].choice)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "num_active_channels: there are only %d channels",
                     s->slots[CHANNELS].choice + 1);
  return JIG_SUCCESS;
}

/* Counters of one size, and levels that are compared in the same way, share programs. */
static jig_type shared_counter(const jig_type *type) {
  if (!type_is_integer(type) || type->kind == JIG_KIND_BOOL) return *type;
  switch (type->size) {
    case 1:
      return JIG_U8;
    case 2:
      return JIG_U16;
    case 4:
      return JIG_U32;
    case 8:
      return JIG_U64;
    default:
      return JIG_U128;
  }
}

static jig_type shared_level(const jig_type *sample, const jig_type *level, int bins) {
  if (bins == JIG_HISTOGRAM_RANGE || !type_is_number(level)) return *level;
  if (type_is_integer(sample) && type_is_integer(level))
    return sample->size == 16 || level->size == 16 ? JIG_I128 : JIG_I32;
  return sample->kind == JIG_KIND_F64 || level->kind == JIG_KIND_F64 ? JIG_F64 : JIG_F32;
}

static jig_status complete(parsed_spec *p) {
  jig_type *counter = parsed_type(p, "counter"), *level = parsed_type(p, "level");
  *counter = shared_counter(counter);
  *level = shared_level(&p->s.slots[SAMPLES].iter->type, level, p->s.slots[BINS].choice);
  return JIG_SUCCESS;
}

#define FIELD(name) PARAMETER_FIELD(histogram_call, name)
static const parameter_field call_fields[] = {FIELD(num_units),
                                              FIELD(row_units),
                                              FIELD(num_rows),
                                              FIELD(row_samples),
                                              FIELD(row_stride),
                                              FIELD(row_scale),
                                              FIELD(head),
                                              FIELD(vectorize),
                                              FIELD(counters),
                                              FIELD(window),
                                              FIELD(windows),
                                              FIELD(replicas),
                                              FIELD(turn),
                                              FIELD(cache_bits),
                                              FIELD(clears),
                                              FIELD(level_bytes),
                                              FIELD(round),
                                              FIELD(zero),
                                              FIELD(tag),
                                              FIELD(cleared),
                                              FIELD(channels),
                                              FIELD(high),
                                              FIELD(num_row_pixels),
                                              FIELD(num_row_pixels_in),
                                              {NULL}};
#undef FIELD
#define FIELD(name) PARAMETER_FIELD(histogram_conversion, name)
static const parameter_field conversion_fields[] = {FIELD(words), FIELD(counts), FIELD(bins), {NULL}};
#undef FIELD

/* What the kernels take beside iterators. */
typedef struct histogram_values {
  histogram_call call;
  histogram_conversion conversion;
} histogram_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(SAMPLES),
    COUNTED_STRUCT_PARAMETER(histogram_values, call, "jig::HistogramCall", call_fields, num_row_pixels,
                             NUM_ROW_PIXELS_IN),
    {PARAMETERS_END},
};
static const kernel_parameter init_parameters[] = {
    STRUCT_PARAMETER(histogram_values, call, "jig::HistogramCall", call_fields),
    {PARAMETERS_END},
};
static const kernel_parameter convert_parameters[] = {
    STRUCT_PARAMETER(histogram_values, conversion, "jig::HistogramConversion", conversion_fields),
    {PARAMETERS_END},
};
#define KERNEL(name_, room_)                                                                \
  {                                                                                         \
    .name = (name_), .templates = "jig/kernel/histogram/histogram.cuh",                     \
    .function = "jig::histogram<jig_policy, jig::HistogramRoom::" room_                     \
                ", jig_num_row_pixels_in != 0, jig_channels + 1, jig_active_channels + 1, " \
                "jig_bins == 1, jig_counter_t, jig_level_t>",                               \
    .parameters = parameters, .space = &histogram_space                                     \
  }
static const kernel_row kernels[] = {
    [HISTOGRAM] = KERNEL("jig_histogram", "all"),
    [HISTOGRAM_FEW] = KERNEL("jig_histogram_few", "few"),
    [HISTOGRAM_WINDOW] = KERNEL("jig_histogram_window", "window"),
    [HISTOGRAM_ANY] = KERNEL("jig_histogram_any", "any"),
    [HISTOGRAM_INIT] = {.name = "jig_histogram_init",
                        .templates = "jig/kernel/histogram/histogram_init.cuh",
                        .function =
                            "jig::histogram_init<jig_policy, jig_active_channels + 1, jig_counter_t>",
                        .parameters = init_parameters,
                        .space = &histogram_init_space},
    [HISTOGRAM_CONVERT] = {.name = "jig_histogram_convert",
                           .templates = "jig/kernel/histogram/histogram_convert.cuh",
                           .function = "jig::histogram_convert<jig_policy, jig_active_channels + 1, "
                                       "jig_counter_t>",
                           .parameters = convert_parameters,
                           .space = &histogram_convert_space},
};
#undef KERNEL

static int count_kernels(const spec *s) {
  return histogram_converts(s->slots[COUNTER].type) ? HISTOGRAM_KERNELS : HISTOGRAM_CONVERT;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                                       \
  F(s, samples) F(s, counter_type) F(s, level_type) F(s, counts) F(s, num_bins) F(s, lower)   \
  F(s, upper) F(s, levels) F(s, num_row_pixels) F(s, num_rows) F(s, row_stride) F(s, bins)    \
  F(s, num_channels) F(s, num_active_channels) R(s, reserved32) F(s, num_row_pixels_in)      \
  R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_histogram_args, 656, FIELDS);

const algorithm histogram_algorithm = {
    .schema = {.algorithm = "histogram",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete,
               .other_parameters = 768},
    .args = &layout_of_jig_histogram_args,
    .kernels = kernels,
    .kernel_count = HISTOGRAM_KERNELS,
    .count_kernels = count_kernels,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_histogram_args *args;
  histogram_types types;
  jig_type counter, level; /* of the program */
  histogram_plan plan;
  bool has_bins; /* of which the levels have been read */
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_histogram_args *args = args_;
  bound_spec *b = bound;
  jig_status status = call_check_choice(name, "bins", (int)args->bins, JIG_HISTOGRAM_RANGE);
  if (status == JIG_SUCCESS)
    status = call_check_choice(name, "num_channels", (int)args->num_channels, JIG_HISTOGRAM_MAX_CHANNELS);
  if (status == JIG_SUCCESS)
    status = call_check_choice(name, "num_active_channels", (int)args->num_active_channels,
                               JIG_HISTOGRAM_MAX_CHANNELS);
  if (status != JIG_SUCCESS) return status;
  const unsigned channels = args->num_channels == 0 ? 1 : args->num_channels;
  const jig_type *sample = &args->samples.type;
  b->args = args;
  b->types = (histogram_types){
      .counter = args->counter_type.kind == JIG_KIND_NONE ? JIG_U32 : args->counter_type,
      .level = args->level_type.kind == JIG_KIND_NONE ? *sample : args->level_type,
      .channels = channels,
      .active = args->num_active_channels == 0 ? channels : args->num_active_channels};
  b->counter = shared_counter(&b->types.counter);
  b->level = shared_level(sample, &b->types.level, (int)args->bins);
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &histogram_algorithm.schema;
  b->s.slots[ACTIVE_CHANNELS].choice = (int)b->types.active - 1;
  b->s.slots[BINS].choice = (int)args->bins;
  b->s.slots[CHANNELS].choice = (int)channels - 1;
  b->s.slots[COUNTER].type = &b->counter;
  b->s.slots[LEVEL].type = &b->level;
  b->s.slots[NUM_ROW_PIXELS_IN].choice = args->num_row_pixels_in != NULL;
  b->s.slots[SAMPLES].iter = &args->samples;
  if (args->num_row_pixels_in != NULL && args->num_rows > 1)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: num_row_pixels_in: there is more than one row",
                     name);
  return JIG_SUCCESS;
}

/* Samples up to the last row's end. */
static uint64_t extent_of(const bound_spec *b) {
  const uint64_t row = product_of(b->args->num_row_pixels, b->types.channels);
  const uint64_t stride = b->args->row_stride == 0 ? row : b->args->row_stride;
  if (row == 0 || b->args->num_rows == 0) return 0;
  return sum_of(product_of(b->args->num_rows - 1, stride), row);
}

static jig_status check_bins(const call *c, const bound_spec *b) {
  uint64_t sum = 0;
  for (unsigned k = 0; k < b->types.active; ++k) {
    const uint64_t bins = b->args->num_bins[k];
    sum = sum_of(sum, bins);
    if (bins == 0) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: num_bins[%u] is 0", c->name, k);
    if (bins > INT32_MAX || sum > UINT32_MAX)
      return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_bins[%u]: there are too many bins", c->name, k);
  }
  return JIG_SUCCESS;
}

static jig_status read_levels(const bound_spec *b, histogram_call *bins) {
  jig_status status = JIG_SUCCESS;
  if (b->args->bins == JIG_HISTOGRAM_RANGE) return status;
  for (unsigned k = 0; k < b->types.active && status == JIG_SUCCESS; ++k) {
    bins->channels[k].bins = (uint32_t)b->args->num_bins[k];
    status = histogram_even_bins(b->args, &b->types.level, k, bins);
  }
  return status;
}

/* By levels that cannot be read, which only the call refuses, all kernels would do. */
static void plan_kernels(call *c, bound_spec *b) {
  histogram_call bins = {0};
  b->has_bins = read_levels(b, &bins) == JIG_SUCCESS;
  if (!b->has_bins) error_clear();
  b->plan = histogram_plan_of(c->program, &c->engine->limits, b->args, &b->types, &bins);
  call_needs(c, b->plan.kernel);
  if (b->plan.init.grid > 0) call_needs(c, HISTOGRAM_INIT);
  if (b->plan.convert.grid > 0) call_needs(c, HISTOGRAM_CONVERT);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_histogram_args *args = b->args;
  const uint64_t row = product_of(args->num_row_pixels, b->types.channels);
  jig_status status = call_check_count(c, "num_row_pixels", row, &args->samples, "samples");
  if (status == JIG_SUCCESS)
    status = call_check_count(c, "num_rows", extent_of(b), &args->samples, "samples");
  if (status != JIG_SUCCESS) return status;
  if (args->row_stride != 0 && args->row_stride < row && args->num_rows > 1)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: row_stride is less than a row has samples",
                     c->name);
  status = check_bins(c, b);
  if (status != JIG_SUCCESS) return status;
  plan_kernels(c, b);
  if (histogram_converts(&b->types.counter))
    for (unsigned k = 0; k < b->types.active; ++k)
      (void)temp_slot(temp, args->num_bins[k] * histogram_word_bytes(&b->types.counter));
  (void)temp_slot(temp, histogram_most_blocks(c->program) * tile_state_bytes(sizeof(uint32_t)));
  return JIG_SUCCESS;
}

/* The arrays of a channel, as iterators have them. */
static jig_iter counts_of(const bound_spec *b, unsigned k) {
  return jig_pointer(b->args->counts[k], b->types.counter);
}

static jig_iter levels_of(const bound_spec *b, unsigned k) {
  return jig_pointer(b->args->levels[k], b->types.level);
}

static const char *const count_names[] = {"counts[0]", "counts[1]", "counts[2]", "counts[3]"};
static const char *const level_names[] = {"levels[0]", "levels[1]", "levels[2]", "levels[3]"};

static jig_status check_levels(const call *c, const bound_spec *b, unsigned k, const jig_iter *counts) {
  if (b->args->bins != JIG_HISTOGRAM_RANGE) return JIG_SUCCESS;
  const jig_iter levels = levels_of(b, k);
  const uint64_t bins = b->args->num_bins[k];
  jig_status status = call_check_iter(c, &levels, bins + 1, level_names[k]);
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &levels, bins + 1, level_names[k]);
  if (status != JIG_SUCCESS) return status;
  return call_check_apart(c, counts, bins, count_names[k], &levels, bins + 1, level_names[k]);
}

static jig_status check_channel(const call *c, const bound_spec *b, unsigned k) {
  const jig_iter counts = counts_of(b, k);
  const uint64_t bins = b->args->num_bins[k];
  jig_status status = call_check_iter(c, &counts, bins, count_names[k]);
  if (status == JIG_SUCCESS) status = call_check_output(c, &counts, bins, count_names[k]);
  if (status == JIG_SUCCESS)
    status =
        call_check_apart(c, &counts, bins, count_names[k], &b->args->samples, extent_of(b), "samples");
  for (unsigned other = 0; other < k && status == JIG_SUCCESS; ++other) {
    const jig_iter others = counts_of(b, other);
    status = call_check_apart(c, &counts, bins, count_names[k], &others, b->args->num_bins[other],
                              count_names[other]);
  }
  return status == JIG_SUCCESS ? check_levels(c, b, k, &counts) : status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const call_place samples = {&b->args->samples, extent_of(b), "samples", false};
  jig_status status = call_check_places(c, &samples, 1);
  for (unsigned k = 0; k < b->types.active && status == JIG_SUCCESS; ++k) status = check_channel(c, b, k);
  return status;
}

/* Counters that cannot be added to by themselves are counted in words of the temp storage. */
static void count_in_words(const call *c, const bound_spec *b, const temp_layout *temp,
                           histogram_values *values) {
  values->conversion = (histogram_conversion){{NULL}};
  for (unsigned k = 0; k < b->types.active; ++k) {
    void *words = temp_address(temp, (int)k, c->storage);
    values->conversion.words[k] = words;
    values->conversion.counts[k] = b->args->counts[k];
    values->conversion.bins[k] = (uint32_t)b->args->num_bins[k];
    values->call.channels[k].counts = words;
  }
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  histogram_values values;
  jig_status status = check_values(c, b);
  if (status != JIG_SUCCESS) return status;
  const histogram_plan *plan = &b->plan;
  values.call = plan->call;
  if (!b->has_bins) return read_levels(b, &values.call);
  if (plan->convert.grid > 0) count_in_words(c, b, temp, &values);
  values.call.cleared = temp_address(temp, plan->convert.grid > 0 ? (int)b->types.active : 0, c->storage);
  values.call.tag = engine_tag(c->engine, c->number);
  if (plan->init.grid > 0) status = call_launch(c, HISTOGRAM_INIT, plan->init, &values);
  if (status == JIG_SUCCESS) status = call_launch(c, plan->kernel, plan->count, &values);
  if (status == JIG_SUCCESS && plan->convert.grid > 0)
    status = call_launch(c, HISTOGRAM_CONVERT, plan->convert, &values);
  return status;
}

const call_steps histogram_steps = {
    "jig_histogram",   CALL_ARGS(jig_histogram_args, num_row_pixels), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_histogram(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                         const jig_histogram_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&histogram_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_histogram_spec(const jig_histogram_args *args, char **text) {
  bound_spec b;
  return call_spec(&histogram_steps, args, text, &b);
}

/* ---- the same by name */

static jig_status check_pointer(const jig_iter *iter, const char *what) {
  error_clear();
  return iter->kind == JIG_ITER_POINTER
             ? JIG_SUCCESS
             : error_set(JIG_ERROR_UNSUPPORTED, "jig_histogram: %s: it is no pointer", what);
}

jig_status jig_histogram_even(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter samples, jig_iter counts, uint64_t num_bins, const void *lower,
                              const void *upper, jig_type level_type, uint64_t num_samples,
                              CUstream stream) {
  const jig_histogram_args args = {.samples = samples,
                                   .counter_type = counts.type,
                                   .level_type = level_type,
                                   .counts = {counts.pointer},
                                   .num_bins = {num_bins},
                                   .lower = {lower},
                                   .upper = {upper},
                                   .num_row_pixels = num_samples,
                                   .num_rows = 1};
  const jig_status status = check_pointer(&counts, "counts");
  if (status != JIG_SUCCESS) return status;
  return jig_histogram(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_histogram_range(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter samples, jig_iter counts, uint64_t num_bins, jig_iter levels,
                               uint64_t num_samples, CUstream stream) {
  const jig_histogram_args args = {.samples = samples,
                                   .counter_type = counts.type,
                                   .level_type = levels.type,
                                   .counts = {counts.pointer},
                                   .num_bins = {num_bins},
                                   .levels = {levels.pointer},
                                   .num_row_pixels = num_samples,
                                   .num_rows = 1,
                                   .bins = JIG_HISTOGRAM_RANGE};
  jig_status status = check_pointer(&counts, "counts");
  if (status == JIG_SUCCESS) status = check_pointer(&levels, "levels");
  if (status != JIG_SUCCESS) return status;
  return jig_histogram(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
