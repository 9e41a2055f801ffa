/* How a finished job of jig prewarm looks; see prewarm_jobs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "prewarm_jobs.h"
#include "report.h"
#include "screen.h"
#include "util/json_text.h"

static const char *const outcome_names[] = {
    [JOB_COMPILED] = "compiled", [JOB_HIT] = "hit", [JOB_MISSING] = "missing", [JOB_FAILED] = "failed"};

/* "32", or "-" where the compiler does not tell. */
static const char *number_text(int number, char text[16]) {
  (void)snprintf(text, 16, number < 0 ? "-" : "%d", number);
  return text;
}

/* Where there is little room, what hardly anybody looks at is left out. Returns how long it is. */
static int print_cost(const job *j) {
  enum { SHORT_KEY = 12, WIDE = 160 };
  char bytes[BYTES_TEXT_SIZE], registers[16], spills[16];
  const bool is_short = screen_cuts() && screen_width() < WIDE;
  int column = printf("%8.1f ms  %9s  ", j->ms, bytes_text((double)j->result.payload_bytes, bytes));
  if (!screen_is_narrow())
    column += printf("%4s regs  %4s spilled  ", number_text(j->result.registers, registers),
                     number_text(j->result.spill_bytes, spills));
  return column + printf("%.*s  ", is_short ? SHORT_KEY : (int)strlen(j->result.key), j->result.key);
}

static screen_colour colour_of(job_outcome outcome) {
  return outcome == JOB_FAILED ? COLOUR_BAD : outcome == JOB_MISSING ? COLOUR_WARNING : COLOUR_NONE;
}

void job_print(const job *j) {
  const screen_colour colour = colour_of(j->outcome);
  if (colour != COLOUR_NONE) printf("%s", screen_colour_text(colour));
  int column = printf("%-8s", outcome_names[j->outcome]);
  if (colour != COLOUR_NONE) printf("%s", screen_colour_text(COLOUR_NONE));
  column += printf("  %-10s  ", j->arch);
  if (j->outcome == JOB_COMPILED || j->outcome == JOB_HIT) column += print_cost(j);
  char *text = NULL;
  if (j->place != NULL && asprintf(&text, "%s  (%s)", j->shown, j->place) < 0) text = NULL;
  screen_print_rest(column, text != NULL ? text : j->shown);
  free(text);
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
