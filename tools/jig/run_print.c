/* What jig run tells beside the results; see run.h. */
#include <inttypes.h>

#include "report.h"
#include "run.h"
#include "run_outputs.h"

/* Billions of bytes per second; 0 if that cannot be said. */
static double rate(uint64_t bytes, double ms) {
  return ms > 0 ? (double)bytes / ms / 1e6 : 0;
}

static json_t *program_json(const run_times *t) {
  return json_pack("{s:s,s:f,s:f,s:f}", "origin", t->compiled ? "compiled" : "cache", "compile_ms",
                   t->compile_ms, "load_ms", t->load_ms, "ms", t->program_ms);
}

static json_t *kernel_json(const run_times *t) {
  return json_pack("{s:i,s:f,s:f,s:f}", "repeats", (int)t->repeats, "median_ms", t->kernel_median_ms,
                   "best_ms", t->kernel_best_ms, "gb_per_s", rate(t->inputs.bytes, t->kernel_median_ms));
}

static json_t *chunks_json(const run_times *t) {
  const chunk_times *c = &t->chunks;
  return json_pack("{s:I,s:I,s:f,s:f,s:f,s:I,s:I}", "count", (json_int_t)c->chunks, "items",
                   (json_int_t)c->items, "ms", c->all_ms, "gb_per_s", rate(t->inputs.bytes, c->all_ms),
                   "kernel_ms", c->kernel_ms, "runs", (json_int_t)c->runs, "spilled_bytes",
                   (json_int_t)c->spilled);
}

/* Of one that is stored, where; otherwise its items. */
static json_t *output_json(const run_array *o) {
  json_t *json = json_pack("{s:s,s:I}", "type", jig_type_name(&o->type), "items", (json_int_t)o->count);
  if (o->file != NULL) {
    (void)json_object_set_new(json, "file", json_string(o->file));
    return json;
  }
  json_t *values = json_array();
  for (uint64_t i = 0; i < o->count; ++i)
    (void)json_array_append_new(values, value_json(&o->type, o->host + i * o->type.size));
  (void)json_object_set_new(json, "values", values);
  return json;
}

/* A single value, and its index, as reduce and arg_reduce have always had them. */
static void set_value(json_t *line, const run_plan *p) {
  const run_array *value = run_plan_output(p, "value_out"), *index = run_plan_output(p, "index_out");
  if (value == NULL) value = run_plan_output(p, "out");
  if (value != NULL && value->row->extent == EXTENT_ONE) {
    (void)json_object_set_new(line, "out_type", json_string(jig_type_name(&value->type)));
    (void)json_object_set_new(line, "value", value_json(&value->type, value->host));
  }
  if (index != NULL && index->row->extent == EXTENT_ONE)
    (void)json_object_set_new(line, "index", value_json(&index->type, index->host));
}

void run_print_json(const run_plan *p, const run_times *t) {
  const leaf_list *leaves = &p->request->files->leaves;
  json_t *line = json_pack("{s:s}", "algorithm", p->row->name), *outputs = json_object();
  if (leaves->count > 0 && leaves->leaves[0].iter != NULL)
    (void)json_object_set_new(line, "type", json_string(jig_type_name(&leaves->leaves[0].iter->type)));
  if (p->main_items != UINT64_MAX)
    (void)json_object_set_new(line, "items", json_integer((json_int_t)p->main_items));
  (void)json_object_set_new(line, "bytes", json_integer((json_int_t)t->inputs.bytes));
  (void)json_object_set_new(line, "program", program_json(t));
  (void)json_object_set_new(line, "file_ms", json_real(t->inputs.file_ms));
  (void)json_object_set_new(line, "transfer_ms", json_real(t->inputs.transfer_ms));
  set_value(line, p);
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i)
    if (p->outputs[i].row != NULL)
      (void)json_object_set_new(outputs, p->outputs[i].row->slot, output_json(&p->outputs[i]));
  (void)json_object_set_new(line, "outputs", outputs);
  if (t->repeats > 0) (void)json_object_set_new(line, "kernel", kernel_json(t));
  if (t->chunks.chunks > 0) (void)json_object_set_new(line, "chunks", chunks_json(t));
  print_json(line);
}

/* What is above overlaps. */
static void print_chunks(const chunk_times *c, uint64_t in) {
  char size[BYTES_TEXT_SIZE];
  if (c->runs > 0)
    (void)fprintf(stderr, "merged    %10" PRIu64 "     runs, of %s in temporary files\n", c->runs,
                  bytes_text((double)c->spilled, size));
  (void)fprintf(stderr,
                "all       %10.3f ms  %.2f GB/s; %" PRIu64 " chunk%s of %" PRIu64 " items at most\n",
                c->all_ms, rate(in, c->all_ms), c->chunks, plural(c->chunks), c->items);
}

void run_print_times(const run_plan *p, const run_times *t) {
  char size[BYTES_TEXT_SIZE];
  const uint64_t in = t->inputs.bytes, out = run_outputs_bytes(p);
  (void)fflush(stdout);
  if (t->compiled)
    (void)fprintf(stderr, "program   %10.3f ms  compiled in %.3f ms, loaded in %.3f ms\n", t->program_ms,
                  t->compile_ms, t->load_ms);
  else
    (void)fprintf(stderr, "program   %10.3f ms  found in the cache, loaded in %.3f ms\n", t->program_ms,
                  t->load_ms);
  (void)fprintf(stderr, "file      %10.3f ms  %s, %.2f GB/s\n", t->inputs.file_ms,
                bytes_text((double)in, size), rate(in, t->inputs.file_ms));
  if (t->inputs.transfer_ms > 0)
    (void)fprintf(stderr, "transfer  %10.3f ms  %.2f GB/s\n", t->inputs.transfer_ms,
                  rate(in, t->inputs.transfer_ms));
  if (t->chunks.chunks > 0)
    (void)fprintf(stderr, "kernels   %10.3f ms  %.2f GB/s\n", t->chunks.kernel_ms,
                  rate(in, t->chunks.kernel_ms));
  if (t->repeats > 0)
    (void)fprintf(stderr, "kernel    %10.4f ms  %.1f GB/s; median of %u, the best %.4f ms\n",
                  t->kernel_median_ms, rate(in, t->kernel_median_ms), t->repeats, t->kernel_best_ms);
  (void)fprintf(stderr, "results   %10.3f ms  %s, %.2f GB/s\n", t->output_ms,
                bytes_text((double)out, size), rate(out, t->output_ms));
  if (t->chunks.chunks > 0) print_chunks(&t->chunks, in);
}
