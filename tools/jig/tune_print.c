#include "tune_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jit/tuned.h"
#include "report.h"
#include "screen.h"
#include "spec/canonical.h"

/* ---- spaces */

/* How many are one step from the tables in one knob: the first round. */
static void print_knob(const policy_knob *knob, int by_table) {
  int column = printf("  %-16s %6d  ", knob->name, by_table);
  char values[16 * KNOB_MAX_VALUES] = "";
  for (int i = 0; i < knob->count; ++i) {
    const size_t length = strlen(values);
    (void)snprintf(values + length, sizeof values - length, "%s%d", i > 0 ? " " : "", knob->values[i]);
  }
  screen_wrap(column, values);
}

void tune_print_spaces(const spec *s, int sm) {
  const tuning_told tables = tuned_defaults(s, sm);
  for (int i = 0; i < tables.count; ++i) {
    const tuned_kernel *k = &tables.of[i];
    printf("%s%s\n", i > 0 ? "\n" : "", tuned_kernel_of(s, sm, k->space)->name);
    for (int v = 0; v < space_knob_count(k->space); ++v) print_knob(&k->space->knobs[v], k->values[v]);
  }
  printf("\nknob, what the table says for sm_%d, and what is tried\n", sm);
}

/* ---- results */

/* Nothing is told of kernels that are as the tables say. */
static tuning_told changed(const tune_bench *b, const tuning_told *at) {
  tuning_told only = {.count = 0};
  for (int k = 0; k < at->count; ++k)
    if (memcmp(at->of[k].values, b->tables->of[k].values, sizeof at->of[k].values) != 0)
      only.of[only.count++] = at->of[k];
  return only;
}

void tune_print_check(const tune_bench *b, const tune_trial *t, tune_result *r) {
  const tuning_told only = changed(b, &t->at);
  ++r->tried;
  if (t->why_not == NULL) return;
  ++r->out;
  json_t *line = tuned_line(b->s, b->target.sm, &only);
  char *values = canonical_text(json_object_get(line, "tuning"));
  printf("%s: %s\n", t->why_not, values != NULL ? values : "?");
  jig_free(values);
  json_decref(line);
}

static void print_changes(const tune_bench *b, const tune_result *r) {
  for (int k = 0; k < r->best.count; ++k) {
    const tuned_kernel *now = &r->best.of[k], *before = &b->tables->of[k];
    const char *name = tuned_kernel_of(b->s, b->target.sm, now->space)->name;
    for (int v = 0; v < space_knob_count(now->space); ++v)
      if (now->values[v] != before->values[v])
        printf("  %-26s %-16s %6d -> %d\n", name, now->space->knobs[v].name, before->values[v],
               now->values[v]);
  }
}

static void print_gains(const tune_bench *b, const tune_result *r) {
  for (int i = 0; i < b->size_count; ++i) {
    const double power = log2((double)b->sizes[i]);
    if (power == floor(power))
      printf("  2^%-12.0f %6.3f\n", power, r->gains[i]);
    else
      printf("  %-14" PRIu64 " %6.3f\n", b->sizes[i], r->gains[i]);
  }
}

void tune_print_result(const tune_bench *b, const tune_result *r, double took_ms, const char *path) {
  printf("%zu candidate%s tried; %.0f s\n", r->tried, plural(r->tried), took_ms / 1e3);
  for (int i = 0; i < TUNE_MAX_REASONS && r->reasons[i].why != NULL; ++i)
    printf("%zu left out: %s\n", r->reasons[i].count, r->reasons[i].why);
  if (r->was_cut) printf("the time was up before all was tried; see --budget\n");
  if (r->gain <= 1) {
    printf("nothing is faster than what the tables say\n");
    return;
  }
  print_changes(b, r);
  printf("how many times as fast, by the number of items:\n");
  print_gains(b, r);
  printf("  geometric mean %.3f\n", r->gain);
  printf("results: %s\n", b->likeness == TUNE_SAME
                              ? "the same, bit by bit"
                              : "the same but for rounding, as a fold may be grouped in another way");
  printf("kept in %s\n", path);
}

json_t *tune_line(const tune_bench *b, const tune_result *r) {
  const tuning_told only = changed(b, &r->best);
  json_t *line = tuned_line(b->s, b->target.sm, &only);
  int count;
  const device_info *devices = driver_devices(&count);
  char gain[16];
  (void)snprintf(gain, sizeof gain, "%.3f", r->gain);
  (void)json_object_set_new(line, "gain", json_string(gain));
  (void)json_object_set_new(line, "jig", json_string(jig_version()));
  if (devices != NULL) (void)json_object_set_new(line, "gpu", json_string(devices[b->g.device].name));
  return line;
}
