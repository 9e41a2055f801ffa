/* How the result of jig run looks; see run.h. */
#include "report.h"
#include "run.h"

void run_print(const run_spec *r, const run_result *result) {
  if (r->value.kind != JIG_KIND_NONE) value_print(stdout, &r->value, result->value);
  if (r->index.kind != JIG_KIND_NONE) {
    if (r->value.kind != JIG_KIND_NONE) printf(" ");
    value_print(stdout, &r->index, result->index);
  }
  printf("\n");
}

/* Billions of bytes per second; 0 if that cannot be said. */
static double rate(const input *in, double ms) {
  return ms > 0 ? (double)in->bytes / ms / 1e6 : 0;
}

static json_t *program_json(const run_result *result) {
  return json_pack("{s:s,s:f,s:f,s:f}", "origin", result->compiled ? "compiled" : "cache", "compile_ms",
                   result->compile_ms, "load_ms", result->load_ms, "ms", result->program_ms);
}

static json_t *kernel_json(const input *in, const run_result *result) {
  return json_pack("{s:i,s:f,s:f,s:f}", "repeats", (int)result->repeats, "median_ms",
                   result->kernel_median_ms, "best_ms", result->kernel_best_ms, "gb_per_s",
                   rate(in, result->kernel_median_ms));
}

void run_print_json(const run_spec *r, const input *in, const run_result *result) {
  json_t *line = json_pack("{s:s,s:s,s:I,s:I,s:o,s:f,s:f}", "algorithm", r->algorithm->name, "type",
                           jig_type_name(&r->item), "items", (json_int_t)in->count, "bytes",
                           (json_int_t)in->bytes, "program", program_json(result), "file_ms",
                           result->file_ms, "transfer_ms", result->transfer_ms);
  if (r->value.kind != JIG_KIND_NONE) {
    (void)json_object_set_new(line, "out_type", json_string(jig_type_name(&r->value)));
    (void)json_object_set_new(line, "value", value_json(&r->value, result->value));
  }
  if (r->index.kind != JIG_KIND_NONE)
    (void)json_object_set_new(line, "index", value_json(&r->index, result->index));
  if (result->repeats > 0) (void)json_object_set_new(line, "kernel", kernel_json(in, result));
  print_json(line);
}

void run_print_times(const input *in, const run_result *result) {
  char size[BYTES_TEXT_SIZE];
  (void)fflush(stdout);
  if (result->compiled)
    (void)fprintf(stderr, "program   %10.3f ms  compiled in %.3f ms, loaded in %.3f ms\n",
                  result->program_ms, result->compile_ms, result->load_ms);
  else
    (void)fprintf(stderr, "program   %10.3f ms  found in the cache, loaded in %.3f ms\n",
                  result->program_ms, result->load_ms);
  (void)fprintf(stderr, "file      %10.3f ms  %s, %.2f GB/s\n", result->file_ms,
                bytes_text((double)in->bytes, size), rate(in, result->file_ms));
  (void)fprintf(stderr, "transfer  %10.3f ms  %.2f GB/s\n", result->transfer_ms,
                rate(in, result->transfer_ms));
  if (result->repeats == 0) return;
  (void)fprintf(stderr, "kernel    %10.4f ms  %.1f GB/s; median of %u, the best %.4f ms\n",
                result->kernel_median_ms, rate(in, result->kernel_median_ms), result->repeats,
                result->kernel_best_ms);
}
