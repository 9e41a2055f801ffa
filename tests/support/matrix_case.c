#include "matrix_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

#define BOTH_WAYS(family, kind, maker) \
  {family, kind, maker, false}, {      \
    family, kind, maker, true          \
  }
const matrix_form matrix_forms[MATRIX_FORMS] = {
    {.family = WELL_KNOWN},
    {.family = SOURCE},
    {.family = FUNCTION},
    {LTO_VALUE, BINARY_LTO_IR, BY_NVRTC, false},
    {LTO_VALUE, BINARY_LTO_IR, BY_NVCC, false},
    {LTO_VALUE, BINARY_LTO_IR, BY_CLANG, false},
    {LTO_POINTER, BINARY_LTO_IR, BY_NVRTC, true},
    {LTO_POINTER, BINARY_LTO_IR, BY_NVCC, true},
    {LTO_POINTER, BINARY_LTO_IR, BY_CLANG, true},
    {PTX_VALUE, BINARY_PTX, BY_NVRTC, false},
    {PTX_VALUE, BINARY_PTX, BY_NVCC, false},
    {PTX_VALUE, BINARY_PTX, BY_CLANG, false},
    {PTX_POINTER, BINARY_PTX, BY_NVRTC, true},
    {PTX_POINTER, BINARY_PTX, BY_NVCC, true},
    {PTX_POINTER, BINARY_PTX, BY_CLANG, true},
    BOTH_WAYS(CUBIN, BINARY_CUBIN, BY_NVRTC),
    BOTH_WAYS(OBJECT, BINARY_OBJECT_LTO, BY_NVCC),
    BOTH_WAYS(OBJECT, BINARY_OBJECT_MACHINE, BY_NVCC),
    BOTH_WAYS(FATBIN, BINARY_FATBIN_LTO, BY_NVCC),
    BOTH_WAYS(FATBIN, BINARY_FATBIN_MACHINE, BY_NVCC),
};

bool matrix_is_compiled(const matrix_form *f) {
  return f->family >= LTO_VALUE;
}

const char *matrix_case_name(const matrix_case *c) {
  static const char *const ins[] = {"pointer", "counting", "counting_by", "constant", "transform",
                                    "strided", "reverse",  "permutation", "zip",      "source"};
  static const char *const outs[] = {"pointer", "strided",          "reverse", "permutation",
                                     "zip",     "transform_output", "discard"};
  static const char *const families[] = {"well-known", "source", "function"};
  static const char *const kept[] = {"", ", with a state", ", with a state on the device"};
  static _Thread_local char names[4][160];
  static _Thread_local unsigned next;
  char form[64], *name = names[next++ % COUNT_OF(names)];
  if (matrix_is_compiled(c->form))
    (void)snprintf(form, sizeof form, "%s of %s by %s", binary_kind_name(c->form->kind),
                   maker_name(c->form->maker), c->form->by_pointer ? "pointer" : "value");
  else
    (void)snprintf(form, sizeof form, "%s", families[c->form->family]);
  (void)snprintf(name, sizeof names[0], "%s: %s%s, from %s to %s%s", c->type->tag, form, kept[c->kept],
                 ins[c->in], outs[c->out], c->with_init ? ", with init" : "");
  return name;
}

/* ---- what there is */

static bool is_opaque(const matrix_type *t) {
  return t->name == NULL;
}

static bool is_wide(const matrix_type *t) {
  return t->element == JIG_KIND_I128 || t->element == JIG_KIND_U128;
}

static bool form_is_possible(const matrix_case *c) {
  const matrix_form *f = c->form;
  if (f->family == WELL_KNOWN && c->kept != NO_STATE) return false;
  /* clang 14 hands over 128-bit integers as two of 64 bits, which no other compiler does. */
  if (f->maker == BY_CLANG && f->kind == BINARY_PTX && !f->by_pointer && is_wide(c->type)) return false;
  return !is_opaque(c->type) || (matrix_is_compiled(f) && f->by_pointer);
}

bool matrix_is_possible(const matrix_case *c) {
  const matrix_type *t = c->type;
  const bool counts = t->members == NULL && !is_opaque(t) && t->element != JIG_KIND_BOOL;
  if ((c->in == IN_COUNTING || c->in == IN_COUNTING_BY) && !counts) return false;
  const bool zips = c->in == IN_ZIP || c->out == OUT_ZIP || c->out == OUT_DISCARD;
  if (zips && !matrix_has_members(t) && (is_opaque(t) || t->size + sizeof(uint32_t) > 256)) return false;
  return form_is_possible(c);
}

bool matrix_needs_init(const matrix_case *c) {
  return c->form->family == WELL_KNOWN && c->out == OUT_TRANSFORM && c->type->members == NULL &&
         is_floating(c->type->element);
}

const char *matrix_form_file(const matrix_form *f, const matrix_type *t) {
  return matrix_file(f->maker == BY_NVCC ? NULL : t);
}

/* ---- items */

/* So many that several blocks take part. */
static size_t count_for(const matrix_type *t) {
  return t->size == 1   ? 70001
         : t->size == 2 ? 36001
         : t->size == 3 ? 40001
         : t->size == 4 ? 18001
         : t->size < 16 ? 9001
         : t->size < 64 ? 5003
                        : 2503;
}

enum { SPREAD = 2 }; /* how many items apart spread items are */

matrix_stock matrix_stock_new(const matrix_type *t) {
  matrix_stock s = {.type = t, .count = count_for(t)};
  const matrix_state other = matrix_other(t);
  unsigned char *spread = malloc(s.count * t->size * SPREAD);
  uint64_t seed = 1 + t->size;
  s.host = malloc(s.count * t->size);
  s.order = malloc(s.count * sizeof *s.order);
  for (size_t i = 0; i < s.count; ++i) {
    matrix_make(t, matrix_plain(t), i, s.host + i * t->size);
    memcpy(spread + i * t->size * SPREAD, s.host + i * t->size, t->size);
    matrix_make(t, matrix_plain(t), ~i, spread + (i * SPREAD + 1) * t->size);
    const size_t k = next_random(&seed) % (i + 1);
    s.order[i] = s.order[k];
    s.order[k] = (uint32_t)i;
  }
  s.items = gpu_copy(s.host, s.count * t->size, t->align);
  s.spread = gpu_copy(spread, s.count * t->size * SPREAD, 0);
  s.places = gpu_copy(s.order, s.count * sizeof *s.order, 0);
  s.state = gpu_copy(&other, sizeof other, sizeof other);
  free(spread);
  return s;
}

void matrix_stock_free(matrix_stock *s) {
  free(s->host);
  free(s->order);
  gpu_free(s->items);
  gpu_free(s->spread);
  gpu_free(s->places);
  gpu_free((void *)(uintptr_t)s->state);
}
