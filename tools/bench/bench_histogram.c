/* Cases of jig_histogram(). The peers are in cub_histogram.cu. */
#include <string.h>

#include "cases.h"
#include "gpu.h"

#define BYTES \
  "typedef unsigned char item; inline item make(uint64_t r, uint64_t) { return item(r >> 40); }"
#define BYTES_SAME "typedef unsigned char item; inline item make(uint64_t, uint64_t) { return 77; }"
#define WORDS(make_) "typedef unsigned item; inline item make(uint64_t r, uint64_t) { " make_ " }"
#define UNIFORM_LONGS                                                \
  "typedef long long item; inline item make(uint64_t r, uint64_t) {" \
  "  return item(r >> 32) & 0xfffff; }"
#define UNIFORM_WORDS WORDS("return unsigned(r >> 32) & 0xfffff;")
#define SAME_WORDS WORDS("return 12345;")
/* Every other sample is in one bin. */
#define HALF_WORDS WORDS("return r & 1 ? 12345 : unsigned(r >> 32) & 0xfffff;")
#define FLOATS \
  "typedef float item; inline item make(uint64_t r, uint64_t) { return float(r >> 40) / 16777216; }"
#define FLOATS_SAME "typedef float item; inline item make(uint64_t, uint64_t) { return 0.3f; }"

typedef struct own {
  const char *sample, *source;
  uint64_t bins; /* of all channels */
  jig_histogram_bins kind;
  uint32_t channels, counted; /* of pixels, the first ones; 0: one */
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n * c->in[0].per_item / jig_type_from_name(own_of(c)->sample).size,
           own_of(c)->source, seed);
  if (own_of(c)->kind == JIG_HISTOGRAM_RANGE)
    gpu_fill(
        data->in[1], own_of(c)->bins + 1,
        "typedef unsigned item; inline item make(uint64_t, uint64_t i) { return unsigned(i * 512); }", 1);
}

static void arrange(const bench_case *c, const bench_data *data) {
  static const int32_t zero = 0, byte_end = 256, word_end = 1 << 20;
  static const float float_zero = 0, float_one = 1;
  const own *o = own_of(c);
  const jig_type sample = jig_type_from_name(o->sample);
  const bool is_float = sample.kind == JIG_KIND_F32;
  jig_histogram_args *args = data->args;
  *args = (jig_histogram_args){.samples = jig_pointer(data->in[0], sample),
                               .counter_type = JIG_I32,
                               .level_type = is_float                         ? JIG_F32
                                             : o->kind == JIG_HISTOGRAM_RANGE ? JIG_U32
                                                                              : JIG_I32,
                               .counts = {data->out[0]},
                               .num_bins = {o->bins},
                               .lower = {is_float ? (const void *)&float_zero : &zero},
                               .upper = {is_float           ? (const void *)&float_one
                                         : sample.size == 1 ? &byte_end
                                                            : &word_end},
                               .levels = {data->in[1]},
                               .num_row_pixels = data->n,
                               .num_rows = 1,
                               .bins = o->kind,
                               .num_channels = o->channels,
                               .num_active_channels = o->counted};
  for (uint32_t k = 0; k < o->counted; ++k) {
    const uint64_t bins = o->bins / o->counted;
    args->counts[k] = (int32_t *)data->out[0] + k * bins;
    args->num_bins[k] = bins;
    args->lower[k] = args->lower[0];
    args->upper[k] = args->upper[0];
  }
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_histogram(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  return jig_histogram_spec(data->args, text);
}

#define CASE(type_, variant_, size_, source_, bins_, levels_, ...)                                  \
  {                                                                                                 \
    .algorithm = "histogram", .type = type_, .variant = variant_, .in = {{size_, 0}, {0, levels_}}, \
    .out = {{0, (bins_)*4}}, .fill = fill, .arrange = arrange, .call = call, .spec = spec,          \
    .own = &(const own) {                                                                           \
      type_, source_, bins_, __VA_ARGS__                                                            \
    }                                                                                               \
  }
#define EVEN(type_, variant_, size_, source_, bins_) \
  CASE(type_, variant_, size_, source_, bins_, 0, JIG_HISTOGRAM_EVEN)

static const bench_case cases[] = {
    EVEN("u8", "even256_uniform", 1, BYTES, 256),
    EVEN("u8", "even16_uniform", 1, BYTES, 16),
    CASE("u8", "rgb_of_rgba", 4, BYTES, 3 * 256, 0, JIG_HISTOGRAM_EVEN, 4, 3),
    EVEN("u8", "even256_allsame", 1, BYTES_SAME, 256),
    EVEN("f32", "even128_uniform", 4, FLOATS, 128),
    EVEN("f32", "even128_allsame", 4, FLOATS_SAME, 128),
    EVEN("i32", "even2048_uniform", 4, UNIFORM_WORDS, 2048),
    EVEN("i32", "even2048_half", 4, HALF_WORDS, 2048),
    EVEN("i32", "even2048_allsame", 4, SAME_WORDS, 2048),
    EVEN("i32", "even40000_uniform", 4, UNIFORM_WORDS, 40000),
    EVEN("i32", "even1000000_uniform", 4, UNIFORM_WORDS, 1000000),
    EVEN("i32", "even1000000_half", 4, HALF_WORDS, 1000000),
    EVEN("i32", "even1000000_allsame", 4, SAME_WORDS, 1000000),
    EVEN("i64", "even2048_uniform", 8, UNIFORM_LONGS, 2048),
    CASE("f32", "three_of_four", 16, FLOATS, 3 * 128, 0, JIG_HISTOGRAM_EVEN, 4, 3),
    CASE("u32", "range2048_uniform", 4, UNIFORM_WORDS, 2048, 2049 * 4, JIG_HISTOGRAM_RANGE),
};

const bench_family bench_histogram = {cases, sizeof cases / sizeof cases[0]};
