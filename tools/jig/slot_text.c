#include "slot_text.h"

#include <stdio.h>
#include <string.h>

#include "leaves.h"
#include "op_text.h"
#include "spec/iterator.h"
#include "suggest.h"
#include "type_text.h"

json_t *pointer_to(json_t *type) {
  return type != NULL ? json_pack("{s:s,s:o}", "kind", "pointer", "type", type) : NULL;
}

/* ---- iterators */

static json_t *iter_read(text_reader *r);

static json_t *no_iterator(text_reader *r, const char *name) {
  char names[512] = "";
  size_t length = 0;
  for (int kind = JIG_ITER_NONE + 1; iter_kind_exists((jig_iter_kind)kind) && length < sizeof names;
       ++kind)
    length +=
        (size_t)snprintf(names + length, sizeof names - length, " %s", iter_name((jig_iter_kind)kind));
  return reader_wrong(r, "there is no iterator '%s' (there are:%s)", name, names);
}

/* Whether there is nothing to it but its type. */
static bool is_by_type(jig_iter_kind kind) {
  return kind != JIG_ITER_NONE && iter_max_bases(kind) == 0 && !iter_has_op(kind);
}

/* Its bases, separated by commas. An operator that follows is no more of them. */
static json_t *bases_read(text_reader *r, jig_iter_kind kind) {
  json_t *bases = json_array();
  for (unsigned count = 1;; ++count) {
    json_t *base = iter_read(r);
    if (base == NULL) break;
    (void)json_array_append_new(bases, base);
    const bool may_end = count >= iter_min_bases(kind);
    if (count == iter_max_bases(kind)) return bases;
    const char *here = r->at;
    if (reader_take(r, ',')) {
      if (!may_end || !iter_has_op(kind) || !op_is_next(r)) continue;
      r->at = here;
    }
    if (may_end) return bases;
    (void)reader_wrong(r, "'%s' has %u bases", iter_name(kind), iter_min_bases(kind));
    break;
  }
  json_decref(bases);
  return NULL;
}

/* What is between the parentheses. */
static bool parts_read(text_reader *r, jig_iter_kind kind, json_t *iter) {
  json_t *part;
  if (iter_max_bases(kind) > 0) {
    if ((part = bases_read(r, kind)) == NULL) return false;
    if (iter_max_bases(kind) == 1) {
      (void)json_object_set(iter, "base", json_array_get(part, 0));
      json_decref(part);
    } else {
      (void)json_object_set_new(iter, "bases", part);
    }
  }
  if (iter_has_op(kind)) {
    if (iter_max_bases(kind) > 0 && !reader_take(r, ','))
      return reader_wrong(r, "'%s' needs an operator", iter_name(kind)) != NULL;
    if ((part = op_read(r)) == NULL) return false;
    (void)json_object_set_new(iter, "op", part);
  }
  if (is_by_type(kind)) {
    reader_skip_blanks(r);
    if (*r->at == ')') return leaf_skip_all(r, iter); /* the type is the slot's default */
    if ((part = leaf_read(r)) == NULL) return false;
    (void)json_object_set_new(iter, "type", part);
    return leaf_read_values(r);
  }
  return true;
}

/* "as" and the type, or that of the first base, unless items are put together of several. */
static bool result_read(text_reader *r, jig_iter_kind kind, json_t *iter) {
  char word[TEXT_WORD_SIZE];
  const char *begin = r->at;
  reader_take_word(r, word);
  if (strcmp(word, "as") == 0) {
    json_t *type = type_read(r);
    if (type != NULL) (void)json_object_set_new(iter, "type", type);
    return type != NULL;
  }
  r->at = begin;
  json_t *base = json_object_get(iter, "base");
  if (base == NULL) base = json_array_get(json_object_get(iter, "bases"), 0);
  if (base == NULL) return true;
  if (iter_groups(kind)) return reader_wrong(r, "write '%s(...) as STRUCT'", iter_name(kind)) != NULL;
  return json_object_set(iter, "type", json_object_get(base, "type")) == 0;
}

static json_t *object_read(text_reader *r) {
  json_t *iter = reader_object(r);
  if (iter == NULL || leaf_skip_all(r, iter)) return iter;
  json_decref(iter);
  return NULL;
}

static json_t *kind_read(text_reader *r, const char *kind) {
  json_t *iter = json_pack("{s:s}", "kind", kind);
  if (leaf_skip_all(r, iter)) return iter;
  json_decref(iter);
  return NULL;
}

/* Of items of a raw file, about which nothing is told, the type is the slot's default. */
static json_t *pointer_read(text_reader *r) {
  json_t *type = leaf_read(r);
  return json_is_null(type) ? json_pack("{s:s}", "kind", "pointer") : pointer_to(type);
}

static json_t *iter_read(text_reader *r) {
  char word[TEXT_WORD_SIZE];
  if (reader_is_object(r)) return object_read(r);
  const char *begin = r->at;
  reader_take_word(r, word);
  const jig_iter_kind kind = iter_kind_from_name(word);
  const bool has_parts = strcmp(word, "opaque") != 0 && reader_take(r, '(');
  if (!has_parts && is_by_type(kind) && struct_named(r->structs, word) == NULL)
    return kind_read(r, word); /* of the slot's default type */
  if (!has_parts) {
    r->at = begin;
    return pointer_read(r);
  }
  if (kind == JIG_ITER_NONE) return no_iterator(r, word);
  if (!reader_enter(r)) return NULL;
  json_t *iter = json_pack("{s:s}", "kind", word);
  bool ok = parts_read(r, kind, iter);
  reader_leave(r);
  if (ok && !reader_take(r, ')')) ok = reader_wrong(r, "there is no ')' for '%s('", word) != NULL;
  if (ok && result_read(r, kind, iter)) return iter;
  json_decref(iter);
  return NULL;
}

/* ---- slots */

static json_t *choice_read(text_reader *r, const slot_schema *slot) {
  char names[256] = "";
  size_t length = 0;
  suggestions s = {.word = r->at};
  for (int i = 0; slot->choices[i] != NULL; ++i) {
    if (strcmp(slot->choices[i], r->at) == 0) return json_string(r->at);
    if (length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, " %s", slot->choices[i]);
    suggest_try(&s, slot->choices[i]);
  }
  return reader_wrong(r, "there is no choice '%s' (there are:%s)%s", r->at, names, suggest_text(&s));
}

static json_t *flag_read(text_reader *r) {
  if (strcmp(r->at, "true") == 0) return json_true();
  return strcmp(r->at, "false") == 0 ? json_false()
                                     : reader_wrong(r, "'%s' is neither true nor false", r->at);
}

json_t *slot_read(text_reader *r, const slot_schema *slot) {
  const bool may_be_left_out =
      slot->kind == SLOT_TYPE || slot->kind == SLOT_ITER || slot->kind == SLOT_OP;
  if (may_be_left_out && strcmp(r->at, "none") == 0)
    return slot->optional ? json_null() : reader_wrong(r, "it cannot be left out");
  switch (slot->kind) {
    case SLOT_TYPE:
      return reader_end(r, type_read(r));
    case SLOT_ITER:
      return reader_end(r, iter_read(r));
    case SLOT_OP:
      return op_read_whole(r, slot->lists);
    case SLOT_CHOICE:
      return choice_read(r, slot);
    default:
      return flag_read(r);
  }
}
