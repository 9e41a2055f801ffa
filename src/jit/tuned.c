#include "jit/tuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/canonical.h"
#include "spec/shared.h"
#include "util/log.h"

static json_t *spec_json(const spec *s) {
  shared_spec room;
  return spec_to_json(spec_shared(s, &room), SPEC_DIGESTS);
}

char *tuned_spec_text(const spec *s) {
  json_t *json = spec_json(s);
  char *written = canonical_text(json);
  json_decref(json);
  return written;
}

/* ---- spaces */

tuning_told tuned_spaces(const spec *s, int sm) {
  tuning_told told = {.count = 0};
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const policy_space *space = algorithm_kernel(s, i, sm)->space;
    if (space == NULL || tuning_find(&told, space) != NULL) continue;
    tuned_kernel *k = &told.of[told.count++];
    k->space = space;
    for (int v = 0; v < SPACE_MAX_KNOBS; ++v) k->values[v] = KNOB_UNTOLD;
  }
  return told;
}

tuning_told tuned_defaults(const spec *s, int sm) {
  tuning_told told = tuned_spaces(s, sm);
  for (int i = 0; i < algorithm_kernel_count(s); ++i)
    (void)kernel_policy(algorithm_kernel(s, i, sm), s, sm, &told);
  return told;
}

const kernel_row *tuned_kernel_of(const spec *s, int sm, const policy_space *space) {
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const kernel_row *kernel = algorithm_kernel(s, i, sm);
    if (kernel->space == space) return kernel;
  }
  return NULL;
}

static const char *fault_of_values(const spec *s, int sm, const tuning_told *told,
                                   char room[TUNED_WHY_SIZE]) {
  tuning_told defaults = tuned_defaults(s, sm);
  for (int i = 0; i < told->count; ++i) {
    const tuned_kernel *k = &told->of[i];
    const tuned_kernel *by_table = tuning_find(&defaults, k->space);
    for (int v = 0; v < space_knob_count(k->space); ++v) {
      const int value = k->values[v];
      if (value == KNOB_UNTOLD || knob_has(&k->space->knobs[v], value)) continue;
      if (by_table != NULL && value == by_table->values[v]) continue;
      const kernel_row *kernel = tuned_kernel_of(s, sm, k->space);
      (void)snprintf(room, TUNED_WHY_SIZE, "%s: %s is none of the values that are tried: %d",
                     kernel != NULL ? kernel->name : "?", k->space->knobs[v].name, value);
      return room;
    }
  }
  return NULL;
}

static bool is_same(const policy *a, const policy *b) {
  return memcmp(a->values, b->values, (size_t)a->count * sizeof a->values[0]) == 0;
}

/* What is as the tables say is good, whatever that is. */
static const char *fault_of_policies(const spec *s, int sm, const tuning_told *told,
                                     char room[TUNED_WHY_SIZE]) {
  shared_spec shared;
  placed_spec places;
  const spec *seen = spec_placed(spec_shared(s, &shared), &places);
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const kernel_row *kernel = algorithm_kernel(s, i, sm);
    tuning_told copy = *told;
    const policy p = kernel_policy(kernel, s, sm, &copy), by_table = kernel_policy(kernel, s, sm, NULL);
    if (kernel->space == NULL || is_same(&p, &by_table)) continue;
    if (policy_fits(&p, sm) && (kernel->space->allows == NULL || kernel->space->allows(seen, sm, &p)))
      continue;
    (void)snprintf(room, TUNED_WHY_SIZE, "%s: its values do not go together on SM %d", kernel->name, sm);
    return room;
  }
  return NULL;
}

const char *tuned_fault(const spec *s, int sm, const tuning_told *told, char room[TUNED_WHY_SIZE]) {
  const char *fault = fault_of_values(s, sm, told, room);
  return fault != NULL ? fault : fault_of_policies(s, sm, told, room);
}

/* ---- wisdom */

bool tuned_tell(tuning_told *told, const spec *s, int sm, const char *kernel, const char *knob,
                int value) {
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const kernel_row *row = algorithm_kernel(s, i, sm);
    tuned_kernel *k = row->space != NULL ? tuning_find(told, row->space) : NULL;
    const int v = k != NULL && strcmp(row->name, kernel) == 0 ? space_knob(row->space, knob) : -1;
    if (v < 0) continue;
    k->values[v] = value;
    return true;
  }
  return false;
}

/* A number that no int holds is none that any knob has. */
static int int_of(const json_t *number) {
  const json_int_t value = json_integer_value(number);
  return value >= 0 && value <= INT32_MAX ? (int)value : INT32_MAX;
}

static const char *read_entry(const wisdom_entry *e, const spec *s, int sm, tuning_told *told,
                              char room[TUNED_WHY_SIZE]) {
  const char *kernel, *knob;
  json_t *knobs, *value;
  *told = tuned_spaces(s, sm);
  json_object_foreach(json_object_get(e->line, "tuning"), kernel, knobs) {
    json_object_foreach(knobs, knob, value) {
      if (tuned_tell(told, s, sm, kernel, knob, int_of(value))) continue;
      (void)snprintf(room, TUNED_WHY_SIZE, "there is no %.80s of %.80s that can be tuned", knob, kernel);
      return room;
    }
  }
  return tuned_fault(s, sm, told, room);
}

tuning_told tuned_of(const wisdom *w, const spec *s, int sm) {
  const tuning_told none = {.count = 0};
  tuning_told told;
  char room[TUNED_WHY_SIZE];
  if (w == NULL || w->count == 0 || spec_own_kernel(s) != NULL || spec_is_gpu_to_gpu(s)) return none;
  char *spec_text = tuned_spec_text(s);
  const wisdom_entry *e = spec_text != NULL ? wisdom_find(w, spec_text, sm) : NULL;
  free(spec_text);
  if (e == NULL) return none;
  const char *fault = read_entry(e, s, sm, &told, room);
  if (fault == NULL) {
    log_debug("wisdom: %s tunes %s for SM %d", e->place, s->schema->algorithm, sm);
    return told;
  }
  log_info("wisdom: %s is not used: %s", e->place, fault);
  return none;
}

policy tuned_policy(const wisdom *w, const kernel_row *kernel, const spec *s, int sm) {
  tuning_told told = tuned_of(w, s, sm);
  return kernel_policy(kernel, s, sm, &told);
}

/* ---- writing */

static json_t *knobs_of(const tuned_kernel *k) {
  json_t *knobs = json_object();
  for (int v = 0; v < space_knob_count(k->space); ++v)
    if (k->values[v] != KNOB_UNTOLD)
      (void)json_object_set_new(knobs, k->space->knobs[v].name, json_integer(k->values[v]));
  return knobs;
}

json_t *tuned_line(const spec *s, int sm, const tuning_told *told) {
  json_t *kernels = json_object();
  for (int i = 0; i < told->count; ++i) {
    const kernel_row *kernel = tuned_kernel_of(s, sm, told->of[i].space);
    json_t *knobs = knobs_of(&told->of[i]);
    if (kernel != NULL && json_object_size(knobs) > 0)
      (void)json_object_set_new(kernels, kernel->name, knobs);
    else
      json_decref(knobs);
  }
  return json_pack("{s:i,s:o,s:o}", "sm", sm, "spec", spec_json(s), "tuning", kernels);
}
