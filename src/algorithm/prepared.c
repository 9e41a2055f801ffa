/* jig_prepare() and what is done with its calls: see include/jig/prepared.h. They go by the steps of
 * their algorithms, as ordinary calls do. */
#include <jig/prepared.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/prepared_form.h"
#include "spec/args_copy.h"
#include "spec/identity.h"
#include "spec/reserved.h"
#include "util/error.h"

struct jig_prepared {
  jig_engine *engine;
  const call_steps *steps;
  void *args;    /* by args_copy() */
  void *bound;   /* what the steps have of the args, */
  bool is_bound; /* if they have not changed since */
  known_program known;
  uint64_t clusters; /* of its last graph */
};

uint64_t *prepared_clusters(jig_prepared *prepared) {
  return &prepared->clusters;
}

/* ---- preparing */

static const call_steps *steps_of(const char *wanted) {
  static const char prefix[] = "jig_";
  const call_steps *const *steps = call_table;
  while (*steps != NULL && strcmp((*steps)->name + strlen(prefix), wanted) != 0) ++steps;
  return *steps;
}

static jig_status check_asked(const char *wanted, const void *args, size_t args_size,
                              const call_steps **steps) {
  static const char name[] = "jig_prepare";
  if (wanted == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: algorithm: the pointer is NULL", name);
  *steps = steps_of(wanted);
  if (*steps == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: algorithm: there is no '%.64s'", name, wanted);
  if (args != NULL && args_size != (*steps)->args->size)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: args_size: %zu; %s has %zu bytes", name, args_size,
                     (*steps)->args->name, (*steps)->args->size);
  return JIG_SUCCESS;
}

static jig_status bind(jig_prepared *p) {
  if (p->is_bound) return JIG_SUCCESS;
  const jig_status status = p->steps->bind(p->steps->name, p->args, p->bound);
  p->is_bound = status == JIG_SUCCESS;
  return status;
}

/* Args are copied as soon as they are known to be sound. */
static jig_status prepare(jig_prepared *p, call *c, const void *args) {
  p->engine = c->engine;
  p->bound = malloc(p->steps->bound_size);
  if (p->bound == NULL) return error_memory("a prepared call");
  jig_status status = call_bind(p->steps, c->name, args, p->bound);
  if (status == JIG_SUCCESS) status = call_run_bound(c, p->steps, args, p->bound, &p->known);
  if (status != JIG_SUCCESS) return status;
  p->args = args_copy(p->steps->args, args);
  return p->args != NULL ? bind(p) : error_memory("a prepared call");
}

jig_status jig_prepare(jig_engine *engine, const char *wanted, const void *args, size_t args_size,
                       jig_prepared **prepared) {
  const call_steps *steps = NULL;
  size_t bytes = 0;
  call c;
  error_clear();
  if (prepared == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_prepare: prepared: the pointer is NULL");
  *prepared = NULL;
  jig_status status = check_asked(wanted, args, args_size, &steps);
  if (status != JIG_SUCCESS) return status;
  jig_prepared *p = calloc(1, sizeof *p);
  if (p == NULL) return error_memory("a prepared call");
  p->steps = steps;
  status = call_begin(&c, steps->name, engine, NULL, &bytes, CU_STREAM_PER_THREAD);
  if (status == JIG_SUCCESS) status = prepare(p, &c, args);
  status = call_end(&c, status);
  if (status == JIG_SUCCESS)
    *prepared = p;
  else
    jig_prepared_free(p);
  return status;
}

void jig_prepared_free(jig_prepared *prepared) {
  if (prepared == NULL) return;
  free(prepared->args);
  free(prepared->bound);
  free(prepared);
}

/* ---- moving */

/* A field of a prepared call's args, or an element of one. */
typedef struct target {
  const char *who, *argument; /* as errors say it */
  const struct_field *field;
  void *at;
} target;

static jig_status refuse(const target *t, const char *problem) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %.64s: %s", t->who, t->argument, problem);
}

static size_t elements_of(const jig_prepared *p, const struct_field *field) {
  if (field->content == CONTENT_POINTERS) return field->size / sizeof(void *);
  return field->content == CONTENT_ITERS ? args_iters(field, p->args) : 0;
}

static void *element_at(const jig_prepared *p, const struct_field *field, size_t i) {
  unsigned char *at = (unsigned char *)p->args + field->offset;
  if (field->content == CONTENT_POINTERS) return at + i * sizeof(void *);
  jig_iter *iters;
  memcpy(&iters, at, sizeof iters);
  return &iters[i];
}

static jig_status find_element(const jig_prepared *p, target *t, const char *number) {
  char *end;
  const bool has_number = *number == '[' && number[1] >= '0' && number[1] <= '9';
  const unsigned long i = has_number ? strtoul(number + 1, &end, 10) : 0;
  const size_t count = elements_of(p, t->field);
  if (!has_number || strcmp(end, "]") != 0) return refuse(t, "which of them is missing, as in 'name[0]'");
  if (i >= count) return refuse(t, "there are not so many");
  t->at = element_at(p, t->field, i);
  return JIG_SUCCESS;
}

static jig_status find_target(const char *who, const jig_prepared *p, const char *argument, target *t) {
  *t = (target){.who = who, .argument = argument};
  error_clear();
  if (p == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: prepared: the pointer is NULL", who);
  if (argument == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: argument: the pointer is NULL", who);
  const struct_layout *args = p->steps->args;
  const size_t length = strcspn(argument, "[");
  for (size_t i = 0; i < args->field_count && t->field == NULL; ++i) {
    const struct_field *field = &args->fields[i];
    if (field->kind != FIELD_RESERVED && strncmp(field->name, argument, length) == 0 &&
        field->name[length] == '\0')
      t->field = field;
  }
  if (t->field == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: argument: %s has no '%.64s'", who, args->name,
                     argument);
  if (elements_of(p, t->field) > 0) return find_element(p, t, argument + length);
  t->at = (unsigned char *)p->args + t->field->offset;
  return argument[length] == '\0' ? JIG_SUCCESS : refuse(t, "it is no array");
}

static jig_status set_plain(const target *t, const void *pointer) {
  const void *before;
  memcpy(&before, t->at, sizeof before);
  if (before == NULL && pointer != NULL) return refuse(t, "it was NULL when the call was prepared");
  if (before != NULL && pointer == NULL) return refuse(t, "the pointer is NULL");
  memcpy(t->at, &pointer, sizeof pointer);
  return JIG_SUCCESS;
}

static jig_status set_pointer(const target *t, const void *pointer) {
  jig_iter *iter = t->at;
  jig_op *op = t->at;
  if (t->field->kind == FIELD_ITER || t->field->content == CONTENT_ITERS) {
    if (!iter_is_pointed(iter) && iter->kind != JIG_ITER_STRIDED)
      return refuse(t, "the iterator has no pointer of its own; see jig_prepared_set_iter()");
    iter->pointer = (void *)(uintptr_t)pointer;
    return JIG_SUCCESS;
  }
  if (t->field->kind == FIELD_OP) {
    if (!op_has_state(op)) return refuse(t, "the operator has no state");
    op->state = pointer;
    return JIG_SUCCESS;
  }
  if (t->field->content == CONTENT_POINTER || t->field->content == CONTENT_POINTERS)
    return set_plain(t, pointer);
  return refuse(t, "it has no pointer that could be another one");
}

jig_status jig_prepared_set_pointer(jig_prepared *prepared, const char *argument, const void *pointer) {
  target t;
  jig_status status = find_target("jig_prepared_set_pointer", prepared, argument, &t);
  if (status == JIG_SUCCESS) status = set_pointer(&t, pointer);
  if (status == JIG_SUCCESS) prepared->is_bound = false;
  return status;
}

jig_status jig_prepared_set_count(jig_prepared *prepared, const char *argument, uint64_t count) {
  target t;
  jig_status status = find_target("jig_prepared_set_count", prepared, argument, &t);
  if (status != JIG_SUCCESS) return status;
  if (t.field->content != CONTENT_COUNT) return refuse(&t, "it is no count of 64 bits");
  memcpy(t.at, &count, sizeof count);
  prepared->is_bound = false;
  return JIG_SUCCESS;
}

jig_status jig_prepared_set_iter(jig_prepared *prepared, const char *argument, const jig_iter *iter) {
  target t;
  jig_status status = find_target("jig_prepared_set_iter", prepared, argument, &t);
  if (status != JIG_SUCCESS) return status;
  if (iter == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_prepared_set_iter: iter: the pointer is NULL");
  if (t.field->kind != FIELD_ITER && t.field->content != CONTENT_ITERS)
    return refuse(&t, "it is no iterator");
  if (!iter_equal(iter, t.at))
    return refuse(&t, "it differs from the one that was prepared in its kind, type, operator or bases");
  if (reserved_of_iter(iter) != 0) return refuse(&t, RESERVED_PROBLEM);
  iter_move(t.at, iter);
  prepared->is_bound = false;
  return JIG_SUCCESS;
}

/* ---- launching */

static jig_status check_given(const char *who, const jig_prepared *p) {
  if (p != NULL) return JIG_SUCCESS;
  error_clear();
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: prepared: the pointer is NULL", who);
}

jig_status jig_prepared_launch(jig_prepared *prepared, void *d_temp_storage, size_t *temp_storage_bytes,
                               CUstream stream) {
  call c;
  jig_prepared *p = prepared;
  jig_status status = check_given("jig_prepared_launch", p);
  if (status != JIG_SUCCESS) return status;
  status = call_begin(&c, p->steps->name, p->engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = bind(p);
  c.is_queued = true;
  if (status == JIG_SUCCESS) status = call_run_bound(&c, p->steps, p->args, p->bound, &p->known);
  if (c.is_rebound) p->is_bound = false;
  return call_end(&c, status);
}
