/* A case's args, and what the host makes of the same items. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix_case.h"

/* ---- operators */

/* The well-known operator of a type: one whose result is exact. */
static jig_op well_known(const matrix_type *t) {
  if (t->members != NULL) return JIG_PLUS;
  return t->element == JIG_KIND_BOOL ? JIG_BIT_XOR : is_floating(t->element) ? JIG_MAX : JIG_PLUS;
}

static jig_op with_state(const matrix_scene *scene, jig_op op) {
  const matrix_kept kept = scene->of->kept;
  if (kept == STATE_BY_VALUE) return jig_op_with_state(op, &scene->state, matrix_state_type);
  if (kept == STATE_ON_DEVICE)
    return jig_op_with_device_state(op, scene->stock->state, matrix_state_type);
  return op;
}

/* The case's form; iterators' operators are never well-known. */
static jig_op op_in_form(const matrix_scene *scene, matrix_op op, int sm) {
  const matrix_type *t = scene->of->type;
  const matrix_form *f = scene->of->form;
  const bool has_state = scene->of->kept != NO_STATE;
  if (f->family == WELL_KNOWN && op == MATRIX_FOLD) return well_known(t);
  if (f->family == FUNCTION)
    return with_state(scene, jig_op_function(matrix_function(t, op, has_state), "f"));
  if (!matrix_is_compiled(f)) return with_state(scene, jig_op_source(matrix_body(t, op, has_state)));
  const binary *b = binary_make(f->maker, f->kind, matrix_form_file(f, t), sm);
  const jig_op compiled = binary_op(b, matrix_symbol(t, op, f->by_pointer, has_state));
  return with_state(scene, f->by_pointer ? jig_op_by_pointer(compiled) : compiled);
}

/* ---- iterators */

static jig_iter *keep(matrix_scene *scene, size_t place, jig_iter iter) {
  scene->iters[place] = iter;
  return &scene->iters[place];
}

/* A struct of an item and a number. */
static jig_type numbered(matrix_scene *scene) {
  const matrix_type *t = scene->of->type;
  const size_t align = t->align > 4 ? t->align : 4, number = (t->size + 3) / 4 * 4;
  const char *name = t->element == JIG_KIND_F16    ? "jig::f16"
                     : t->element == JIG_KIND_BF16 ? "jig::bf16"
                                                   : t->name;
  (void)snprintf(scene->numbered, sizeof scene->numbered,
                 "struct numbered { %s item; unsigned number; };", name);
  return jig_struct("numbered", scene->numbered, (number + 4 + align - 1) / align * align, align);
}

/* The members of structs that lie one after the other, each as a side; the last one may be another. */
static jig_iter zip_of_members(matrix_scene *scene, size_t place, void *items, bool discard_last) {
  const matrix_type *t = scene->of->type;
  const jig_type member = type_of(t->element);
  for (unsigned k = 0; k < t->count; ++k)
    scene->iters[place + k] =
        jig_strided((unsigned char *)items + k * member.size, (int64_t)t->size, member);
  if (discard_last) scene->iters[place + t->count - 1] = jig_discard(member);
  return jig_zip(&scene->iters[place], t->count, matrix_jig_type(t));
}

static jig_iter set_zip_in(matrix_scene *scene) {
  const matrix_type *t = scene->of->type;
  if (matrix_has_members(t)) return zip_of_members(scene, 1, scene->stock->items, false);
  scene->iters[1] = jig_pointer(scene->stock->items, matrix_jig_type(t));
  scene->iters[2] = jig_counting(NULL, JIG_U32);
  const jig_iter *zip = keep(scene, 3, jig_zip(&scene->iters[1], 2, numbered(scene)));
  return jig_iter_transform(zip, jig_op_source("return x.item;"), matrix_jig_type(t));
}

static jig_iter set_in(matrix_scene *scene, size_t count, int sm) {
  const matrix_stock *s = scene->stock;
  const jig_type type = matrix_jig_type(scene->of->type);
  const jig_iter *plain = keep(scene, 0, jig_pointer(s->items, type));
  switch (scene->of->in) {
    case IN_COUNTING:
      return jig_counting(scene->start, type);
    case IN_COUNTING_BY:
      return jig_counting_by(scene->start, scene->step, type);
    case IN_CONSTANT:
      return jig_constant(scene->start, type);
    case IN_TRANSFORM:
      return jig_iter_transform(plain, op_in_form(scene, MATRIX_TURN, sm), type);
    case IN_STRIDED:
      return jig_strided(s->spread, 2 * (int64_t)type.size, type);
    case IN_REVERSE:
      return jig_iter_reverse(plain, count);
    case IN_PERMUTATION:
      return jig_permutation(plain, keep(scene, 1, jig_pointer(s->places, JIG_U32)));
    case IN_ZIP:
      return set_zip_in(scene);
    case IN_SOURCE:
      return jig_iter_source(op_in_form(scene, MATRIX_MAKE, sm), type);
    default:
      return *plain;
  }
}

/* Where each kind of output writes. */
static const size_t places[MATRIX_OUTPUTS] = {
    [OUT_POINTER] = 0, [OUT_STRIDED] = 3,   [OUT_REVERSE] = 2, [OUT_PERMUTATION] = 4,
    [OUT_ZIP] = 1,     [OUT_TRANSFORM] = 3, [OUT_DISCARD] = 2};

static jig_iter set_zip_out(matrix_scene *scene, unsigned char *there, void *numbers, bool discard) {
  const matrix_type *t = scene->of->type;
  if (matrix_has_members(t)) return zip_of_members(scene, 9, there, discard);
  scene->iters[9] = jig_pointer(there, matrix_jig_type(t));
  scene->iters[10] = discard ? jig_discard(JIG_U32) : jig_pointer(numbers, JIG_U32);
  const jig_iter *zip = keep(scene, 11, jig_zip(&scene->iters[9], 2, numbered(scene)));
  return jig_transform_output(zip, jig_op_source("return {x, 7u};"), matrix_jig_type(t));
}

static jig_iter set_out(matrix_scene *scene, unsigned char *out, void *numbers, int sm) {
  const jig_type type = matrix_jig_type(scene->of->type);
  unsigned char *there = out == NULL ? NULL : out + places[scene->of->out] * type.size;
  switch (scene->of->out) {
    case OUT_STRIDED:
      return jig_strided(there, -2 * (int64_t)type.size, type);
    case OUT_REVERSE:
      return jig_iter_reverse(keep(scene, 8, jig_pointer(out, type)), places[OUT_REVERSE] + 1);
    case OUT_PERMUTATION:
      scene->place = (uint32_t)places[OUT_PERMUTATION];
      return jig_permutation(keep(scene, 8, jig_pointer(out, type)),
                             keep(scene, 9, jig_constant(&scene->place, JIG_U32)));
    case OUT_ZIP:
    case OUT_DISCARD:
      return set_zip_out(scene, there, numbers, scene->of->out == OUT_DISCARD);
    case OUT_TRANSFORM:
      return jig_transform_output(keep(scene, 8, jig_pointer(there, type)),
                                  op_in_form(scene, MATRIX_TURN, sm), type);
    default:
      return jig_pointer(there, type);
  }
}

/* ---- values */

enum { STEP = 3 };

/* A number whose upper half is odd, from where halves can be counted some way exactly. */
static uint128 first_number(const matrix_type *t) {
  const bool half = t->element == JIG_KIND_F16 || t->element == JIG_KIND_BF16;
  return half ? 3 : (uint128)5 << t->bits | 3;
}

static void put_number(const matrix_type *t, void *item, uint128 value) {
  if (is_floating(t->element))
    put_float(t->element, item, 0, (double)value);
  else
    put_integer(t->element, item, 0, (int128)value);
}

/* How many of those can be counted. */
static size_t countable(const matrix_case *c) {
  const bool counts = c->in == IN_COUNTING || c->in == IN_COUNTING_BY;
  if (!counts) return SIZE_MAX;
  return c->type->element == JIG_KIND_F16 ? 600 : c->type->element == JIG_KIND_BF16 ? 80 : SIZE_MAX;
}

static void set_values(matrix_scene *scene) {
  const matrix_type *t = scene->of->type;
  const matrix_state plain = matrix_plain(t);
  scene->state = scene->of->kept == NO_STATE ? plain : matrix_other(t);
  matrix_make(t, plain, 12345, scene->init);
  if (scene->of->in == IN_COUNTING || scene->of->in == IN_COUNTING_BY) {
    put_number(t, scene->start, first_number(t));
    put_number(t, scene->step, STEP);
  } else {
    matrix_make(t, plain, 54321, scene->start);
  }
}

void matrix_scene_set(matrix_scene *scene, const matrix_case *c, const matrix_stock *stock, size_t count,
                      void *out, void *numbers, int sm) {
  scene->of = c;
  scene->stock = stock;
  set_values(scene);
  if (count > countable(c)) count = countable(c);
  scene->args = (jig_reduce_args){.in = set_in(scene, count, sm),
                                  .out = set_out(scene, out, numbers, sm),
                                  .num_items = count,
                                  .op = op_in_form(scene, MATRIX_FOLD, sm),
                                  .accum_type = matrix_jig_type(c->type)};
  if (c->with_init) scene->args.init = scene->init;
}

/* ---- on the host */

/* Item i as reduce gets it. */
static void make_item(const matrix_scene *scene, size_t i, void *item) {
  const matrix_type *t = scene->of->type;
  const matrix_stock *s = scene->stock;
  size_t place = i;
  switch (scene->of->in) {
    case IN_COUNTING:
    case IN_COUNTING_BY:
      put_number(t, item, first_number(t) + (scene->of->in == IN_COUNTING ? 1 : STEP) * (uint128)i);
      return;
    case IN_CONSTANT:
      memcpy(item, scene->start, t->size);
      return;
    case IN_TRANSFORM:
      matrix_turn(t, scene->state, s->host + i * t->size, item);
      return;
    case IN_SOURCE:
      matrix_make(t, scene->state, i, item);
      return;
    case IN_REVERSE:
      place = scene->args.num_items - 1 - i;
      break;
    case IN_PERMUTATION:
      place = s->order[i];
      break;
    default:
      break;
  }
  memcpy(item, s->host + place * t->size, t->size);
}

static void fold(const matrix_scene *scene, const void *a, const void *b, void *result) {
  const matrix_type *t = scene->of->type;
  if (scene->of->form->family != WELL_KNOWN || t->members != NULL)
    matrix_fold(t, scene->state, a, b, result);
  else if (is_floating(t->element))
    put_float(t->element, result, 0, fmax(get_float(t->element, a, 0), get_float(t->element, b, 0)));
  else if (t->element == JIG_KIND_BOOL)
    put_integer(t->element, result, 0, get_integer(t->element, a, 0) ^ get_integer(t->element, b, 0));
  else
    put_number(t, result,
               (uint128)get_integer(t->element, a, 0) + (uint128)get_integer(t->element, b, 0));
}

/* What the items are folded to; false if nothing is written. */
static bool fold_all(const matrix_scene *scene, unsigned char *result) {
  const matrix_type *t = scene->of->type;
  const size_t count = scene->args.num_items;
  unsigned char item[256], so_far[256];
  if (!scene->of->with_init && count == 0) {
    if (scene->of->form->family != WELL_KNOWN || t->members != NULL) return false;
    if (is_floating(t->element))
      put_float(t->element, result, 0, -INFINITY);
    else
      put_number(t, result, 0);
    return true;
  }
  if (scene->of->with_init)
    memcpy(result, scene->init, t->size);
  else
    make_item(scene, 0, result);
  for (size_t i = !scene->of->with_init; i < count; ++i) {
    make_item(scene, i, item);
    memcpy(so_far, result, t->size);
    fold(scene, so_far, item, result);
  }
  return true;
}

void matrix_scene_expect(const matrix_scene *scene, unsigned char *out, uint32_t *number) {
  const matrix_case *c = scene->of;
  const matrix_type *t = c->type;
  unsigned char result[256], turned[256];
  memset(out, MATRIX_POISON, MATRIX_PLACES * t->size);
  memset(number, MATRIX_POISON, sizeof *number);
  if (!fold_all(scene, result)) return;
  if (c->out == OUT_TRANSFORM) {
    matrix_turn(t, scene->state, result, turned);
    memcpy(result, turned, t->size);
  }
  const bool members = matrix_has_members(t), last_is_lost = c->out == OUT_DISCARD && members;
  memcpy(out + places[c->out] * t->size, result, t->size - (last_is_lost ? type_of(t->element).size : 0));
  if (c->out == OUT_ZIP && !members) *number = MATRIX_NUMBER;
}
