/* How a finished job of jig prewarm looks; see prewarm_jobs.h. */
#include <stdio.h>

#include <jansson.h>

#include "prewarm_jobs.h"
#include "report.h"
#include "util/json_text.h"

static const char *const outcome_names[] = {
    [JOB_COMPILED] = "compiled", [JOB_HIT] = "hit", [JOB_MISSING] = "missing", [JOB_FAILED] = "failed"};

/* "32", or "-" where the compiler does not tell. */
static const char *number_text(int number, char text[16]) {
  (void)snprintf(text, 16, number < 0 ? "-" : "%d", number);
  return text;
}

static void print_cost(const job *j) {
  char bytes[BYTES_TEXT_SIZE], registers[16], spills[16];
  printf("%8.1f ms  %9s  %4s regs  %4s spilled  %s  ", j->ms,
         bytes_text((double)j->result.payload_bytes, bytes), number_text(j->result.registers, registers),
         number_text(j->result.spill_bytes, spills), j->result.key);
}

void job_print(const job *j) {
  printf("%-8s  %-10s  ", outcome_names[j->outcome], j->arch);
  if (j->outcome == JOB_COMPILED || j->outcome == JOB_HIT) print_cost(j);
  printf("%s", j->shown);
  if (j->place != NULL) printf("  (%s)", j->place);
  printf("\n");
}

static void set_cost(json_t *line, const job *j) {
  (void)json_object_set_new(line, "ms", json_real(j->ms));
  (void)json_object_set_new(line, "bytes", json_integer((json_int_t)j->result.payload_bytes));
  (void)json_object_set_new(line, "registers", json_integer(j->result.registers));
  (void)json_object_set_new(line, "spill_bytes", json_integer(j->result.spill_bytes));
  (void)json_object_set_new(line, "shared_bytes", json_integer(j->result.shared_bytes));
  (void)json_object_set_new(line, "key", json_string(j->result.key));
}

void job_print_json(const job *j) {
  json_t *spec = json_loads(j->spec, 0, NULL);
  if (spec == NULL) spec = json_text(j->spec); /* whatever it is, so that it can be found */
  json_t *line = json_pack("{s:s,s:o,s:o}", "outcome", outcome_names[j->outcome], "arch",
                           json_text(j->arch), "spec", spec);
  if (j->place != NULL) (void)json_object_set_new(line, "place", json_text(j->place));
  if (j->outcome == JOB_COMPILED || j->outcome == JOB_HIT) set_cost(line, j);
  if (j->outcome == JOB_FAILED) {
    (void)json_object_set_new(line, "status", json_string(jig_status_name(j->status)));
    (void)json_object_set_new(line, "error", json_text(j->error != NULL ? j->error : ""));
  }
  print_json(line);
}
