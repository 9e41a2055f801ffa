#include "spec/structs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/mentions.h"
#include "spec/source.h"
#include "spec/spelling.h"
#include "spec/tokens.h"
#include "spec/type.h"
#include "util/error.h"

enum { NAME_SIZE = 256 };

/* ---- finding them */

typedef struct collector {
  struct_list *list;
  const char *who, *slot;
  jig_status status;
} collector;

static jig_status refuse_layout(const collector *c, const struct_entry *e, const jig_type *type) {
  return error_set(
      JIG_ERROR_INVALID_ARGUMENT,
      "%s: %s: struct '%s' has size %u and alignment %u here, and %u and %u as it is given for %s",
      c->who, c->slot, type->name, type->size, type->align, e->type->size, e->type->align, e->slot);
}

/* Whether a type is there with the same text. */
static bool is_there(collector *c, const jig_type *type) {
  for (int i = 0; i < c->list->count; ++i) {
    const struct_entry *e = &c->list->of[i];
    if (strcmp(e->type->name, type->name) != 0) continue;
    if (e->type->size != type->size || e->type->align != type->align) {
      c->status = refuse_layout(c, e, type);
      return true;
    }
    if (strcmp(e->type->definition, type->definition) == 0) return true;
  }
  return false;
}

static void collect(collector *c, const jig_type *type) {
  if (c->status != JIG_SUCCESS || type->kind != JIG_KIND_STRUCT || is_there(c, type)) return;
  if (c->list->count == MAX_STRUCTS) {
    c->status =
        error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: more than %d structs", c->who, (int)MAX_STRUCTS);
    return;
  }
  struct_entry *e = &c->list->of[c->list->count++];
  *e = (struct_entry){.type = type, .slot = c->slot};
  c->status = declarations_read(type->definition, &e->declared);
}

static void collect_of_iter(collector *c, const jig_iter *iter) {
  collect(c, &iter->type);
  if (iter_has_op(iter->kind)) collect(c, &iter->op.state_type);
  for (unsigned k = 0; k < iter_base_count(iter); ++k) collect_of_iter(c, iter_base_at(iter, k));
}

/* The structs that are members of other structs: these come before all others. */
static void collect_members(collector *c, const jig_iter *iter, bool is_member) {
  for (unsigned k = 0; k < iter_base_count(iter); ++k)
    collect_members(c, iter_base_at(iter, k), is_member || iter_groups(iter->kind));
  if (is_member) collect(c, &iter->type);
}

/* What the definitions of a kernel of the user's own name. */
static void collect_of_kernel(collector *c, const jig_kernel_config *k) {
  for (size_t i = 0; i < k->definition_count; ++i) {
    const jig_definition *d = &k->definitions[i];
    c->slot = d->name;
    collect(c, &d->type);
    collect(c, &d->result);
    collect(c, &d->op.state_type);
  }
}

static void collect_all(collector *c, const spec *s) {
  enum { MEMBERS, ITERATORS, OTHERS, PASSES };
  for (int pass = MEMBERS; pass < PASSES; ++pass) {
    for (int i = 0; i < s->schema->slot_count; ++i) {
      const spec_slot *slot = &s->slots[i];
      c->slot = s->schema->slots[i].name;
      if (pass == MEMBERS && slot->iter != NULL) collect_members(c, slot->iter, false);
      if (pass == ITERATORS && slot->iter != NULL) collect_of_iter(c, slot->iter);
      if (pass == OTHERS && slot->type != NULL) collect(c, slot->type);
      if (pass == OTHERS && slot->op != NULL) collect(c, &slot->op->state_type);
      if (pass == OTHERS && slot->kernel != NULL) collect_of_kernel(c, slot->kernel);
    }
  }
}

/* ---- one name, one definition */

static jig_status refuse_definition(const char *who, const struct_entry *e, const declaration *d,
                                    const struct_entry *other, const declaration *o) {
  char shown[NAME_SIZE], other_shown[NAME_SIZE], problem[3 * NAME_SIZE], what[NAME_SIZE];
  const source_place there = source_place_of(other->type->definition, o->head);
  source_name_of_struct(shown, sizeof shown, e->type->name);
  source_name_of_struct(other_shown, sizeof other_shown, other->type->name);
  (void)snprintf(
      problem, sizeof problem, "'%.*s' is defined here in another way than for %s, at %s:%d:%d",
      (int)(d->name_end - d->name), d->name, other->slot, other_shown, there.line, there.column);
  (void)snprintf(what, sizeof what, "%s: %s", who, e->slot);
  return source_refuse(e->type->definition, d->head, what, shown, problem);
}

static jig_status check_pair(const char *who, const struct_entry *e, const struct_entry *other) {
  for (size_t i = 0; i < e->declared.count; ++i) {
    const declaration *d = &e->declared.of[i];
    for (size_t k = 0; k < other->declared.count; ++k) {
      const declaration *o = &other->declared.of[k];
      if (d->is_certain && o->is_certain && declarations_name_same(d, o) &&
          !declarations_define_same(d, o))
        return refuse_definition(who, e, d, other, o);
    }
  }
  if (strcmp(e->type->name, other->type->name) != 0 || type_equal(e->type, other->type))
    return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: struct '%s' has another definition than for %s",
                   who, e->slot, e->type->name, other->slot);
}

static jig_status check_pairs(const struct_list *list, const char *who) {
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < list->count; ++i) {
    for (int k = 0; k < i && status == JIG_SUCCESS; ++k)
      status = check_pair(who, &list->of[i], &list->of[k]);
  }
  return status;
}

/* ---- their order */

/* Whether a name is that one, or the last of several joined by "::". */
static bool ends_with(const char *begin, const char *end, const token *name) {
  const size_t length = (size_t)(name->end - name->begin);
  if ((size_t)(end - begin) < length || memcmp(end - length, name->begin, length) != 0) return false;
  return (size_t)(end - begin) == length || end[-(ptrdiff_t)length - 1] == ':';
}

/* Whether a text declares a type of that name: for certain, here or, if that will do, elsewhere. */
static bool declares(const struct_entry *e, const token *name, bool elsewhere) {
  const char *own = e->type->name;
  bool found = ends_with(own, own + strlen(own), name);
  for (size_t i = 0; i < e->declared.count; ++i) {
    const declaration *d = &e->declared.of[i];
    found = found || (d->name != NULL && d->is_certain && !d->is_function &&
                      (elsewhere || !d->is_forward) && ends_with(d->name, d->name_end, name));
  }
  return found;
}

/* Which of the others a text needs, a bit each: that have what it mentions and does not declare. */
static uint32_t needs_of(const struct_list *list, int i) {
  uint32_t needs = 0;
  mention_reader reader = {.tokens = {.at = list->of[i].type->definition}};
  for (token name; (name = mention_next(&reader)).kind != TOKEN_END;) {
    if (declares(&list->of[i], &name, true)) continue;
    for (int k = 0; k < list->count; ++k)
      if (declares(&list->of[k], &name, false)) needs |= (uint32_t)1 << k;
  }
  return needs;
}

/* The first that is not done and needs nothing else that is not; of a circle the first. */
static int choose(const uint32_t *needs, int count, uint32_t done) {
  int first = -1;
  for (int i = 0; i < count; ++i) {
    if ((done >> i & 1) != 0) continue;
    if ((needs[i] & ~done) == 0) return i;
    if (first < 0) first = i;
  }
  return first;
}

static void put_in_order(struct_list *list) {
  uint32_t needs[MAX_STRUCTS], done = 0;
  struct_entry sorted[MAX_STRUCTS];
  for (int i = 0; i < list->count; ++i) needs[i] = needs_of(list, i);
  for (int i = 0; i < list->count; ++i) {
    const int next = choose(needs, list->count, done);
    sorted[i] = list->of[next];
    done |= (uint32_t)1 << next;
  }
  memcpy(list->of, sorted, (size_t)list->count * sizeof sorted[0]);
}

static void mark_repeated(struct_list *list) {
  for (int i = 0; i < list->count; ++i) {
    for (int k = 0; k < i; ++k)
      list->of[i].is_again |= strcmp(list->of[k].type->name, list->of[i].type->name) == 0;
  }
}

jig_status structs_of(const spec *s, const char *who, struct_list *list) {
  list->count = 0;
  collector c = {.list = list, .who = who, .status = JIG_SUCCESS};
  collect_all(&c, s);
  if (c.status == JIG_SUCCESS) c.status = check_pairs(list, who);
  if (c.status == JIG_SUCCESS) put_in_order(list);
  if (c.status == JIG_SUCCESS) mark_repeated(list);
  return c.status;
}

void structs_free(struct_list *list) {
  for (int i = 0; i < list->count; ++i) declarations_free(&list->of[i].declared);
  list->count = 0;
}

/* ---- their texts */

/* Blanks in as many lines: a backslash that joins two of them stays. */
static void blank(char *copy, const char *source, const char *begin, const char *end) {
  for (const char *c = begin; c < end; ++c)
    if (*c != '\n' && cxx_past_splices(c) == c) copy[c - source] = ' ';
}

/* A declaration leaves a ';', so that what follows it in its last line does not begin that: '#' would be
 * a directive's there. */
static void remove_all(char *copy, const char *source, const declaration *d) {
  const char *last = d->end - 1;
  while (*last == '\n' || cxx_past_splices(last) != last || *last == '\r') --last;
  blank(copy, source, d->begin, d->end);
  copy[last - source] = ';';
}

/* Of "typedef struct a { ... } b;" leaves "typedef struct a b;". */
static void remove_body(char *copy, const char *source, const declaration *d) {
  token_reader reader = {.at = d->head};
  const token key = token_next(&reader);
  token_reader rest = {.at = d->body_end};
  const token next = token_next(&rest);
  const bool alone = d->begin == d->head && (next.begin >= d->end || token_is(&next, ";"));
  if (alone) {
    remove_all(copy, source, d);
  } else if (*next.begin != '#' && *next.begin != '%') {
    blank(copy, source, key.end, d->name);
    blank(copy, source, d->name_end, d->body_end);
  }
}

static bool is_function_of(const declaration *d, const char *name) {
  return d->is_function && tokens_equal(d->name, d->name_end, name, name + strlen(name));
}

/* Takes out of a text what another one declares; but, if it stands in a namespace of its own to be called
 * there, neither its function nor what is in namespaces. */
static void remove_declared(char *copy, const char *source, const declaration_list *list,
                            const declaration_list *others, const char *function) {
  for (size_t i = 0; i < list->count; ++i) {
    const declaration *d = &list->of[i];
    for (size_t k = 0; k < others->count; ++k) {
      const declaration *o = &others->of[k];
      if (!o->is_certain) continue;
      if (function != NULL && (d->scope[0] != '\0' || is_function_of(d, function))) continue;
      if (declarations_equal(d, o))
        remove_all(copy, source, d);
      else if (declarations_name_same(d, o) && declarations_define_same(d, o))
        remove_body(copy, source, d);
      else
        continue;
      break;
    }
  }
}

char *structs_text(const struct_list *list, int i) {
  const struct_entry *e = &list->of[i];
  char *copy = strdup(e->type->definition);
  for (int k = 0; k < i && copy != NULL; ++k)
    remove_declared(copy, e->type->definition, &e->declared, &list->of[k].declared, NULL);
  return copy;
}

char *structs_rest(const struct_list *list, const char *source, const char *function) {
  declaration_list declared = {0};
  char *copy = strdup(source);
  if (copy == NULL || list->count == 0) return copy;
  if (declarations_read(source, &declared) != JIG_SUCCESS) {
    free(copy);
    copy = NULL;
  }
  for (int k = 0; k < list->count && copy != NULL; ++k)
    remove_declared(copy, source, &declared, &list->of[k].declared, function);
  declarations_free(&declared);
  return copy;
}
