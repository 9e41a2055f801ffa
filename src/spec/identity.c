#include "spec/identity.h"

#include <stdlib.h>
#include <string.h>

#include "spec/keep.h"
#include "spec/reserved.h"

/* ---- comparing. The caller's strings are read each time: that a pointer is the one of an earlier call
 * says nothing about what is there now. What is reserved in iterators' bases, in texts and in
 * definitions, which nobody has looked at before, is 0 or like nothing that is kept, so that it will be
 * refused. */

static bool same_text(const char *given, const char *kept) {
  return given != NULL && kept != NULL ? strcmp(given, kept) == 0 : given == kept;
}

static inline bool same_type(const jig_type *given, const jig_type *kept) {
  if (given->kind != kept->kind || given->size != kept->size || given->align != kept->align) return false;
  return kept->kind != JIG_KIND_STRUCT ||
         (same_text(given->name, kept->name) && same_text(given->definition, kept->definition));
}

/* A digest that is not the data's will be refused. */
static bool same_data(const jig_op *given, const jig_op *kept) {
  return given->format == kept->format && given->size == kept->size &&
         given->digest[0] == kept->digest[0] && given->digest[1] == kept->digest[1] &&
         given->data != NULL && memcmp(given->data, kept->data, kept->size) == 0;
}

static bool same_op(const jig_op *given, const jig_op *kept) {
  if (given->kind != kept->kind || !given->commutative != !kept->commutative ||
      !given->device_state != !kept->device_state || !given->by_pointer != !kept->by_pointer ||
      !same_type(&given->state_type, &kept->state_type))
    return false;
  switch (kept->kind) {
    case JIG_OP_SOURCE:
      return same_text(given->source, kept->source);
    case JIG_OP_FUNCTION:
      return same_text(given->source, kept->source) && same_text(given->name, kept->name);
    case JIG_OP_BINARY:
      return same_text(given->name, kept->name) && same_data(given, kept);
    default:
      return true;
  }
}

static bool same_parts(const jig_iter *given, const jig_iter *kept) {
  if (!iter_kind_exists(kept->kind)) return kept->kind == JIG_ITER_NONE;
  if (iter_has_op(kept->kind) && !same_op(&given->op, &kept->op)) return false;
  const unsigned count = iter_base_count(kept);
  bool same = iter_base_count(given) == count;
  for (unsigned k = 0; same && k < count; ++k) {
    const jig_iter *base = iter_base_at(given, k), *other = iter_base_at(kept, k);
    same = base != NULL && other != NULL && reserved_of_iter(base) == 0 && iter_equal(base, other);
  }
  return same;
}

/* As deep as the one that is kept, however the other one goes on. Most are pointers, without operator and
 * bases. */
bool iter_equal(const jig_iter *given, const jig_iter *kept) {
  return given->kind == kept->kind && same_type(&given->type, &kept->type) &&
         (kept->kind == JIG_ITER_POINTER || same_parts(given, kept));
}

static uint64_t reserved_of_definition(const jig_definition *d) {
  return reserved_of_words(d->reserved, sizeof d->reserved) | reserved_of_type(&d->type) |
         reserved_of_type(&d->result) | reserved_of_op(&d->op);
}

static bool same_definition(const jig_definition *given, const jig_definition *kept) {
  if (reserved_of_definition(given) != 0) return false;
  if (given->kind != kept->kind || !same_text(given->name, kept->name)) return false;
  switch (kept->kind) {
    case JIG_DEFINITION_TEXT:
      return same_text(given->text, kept->text);
    case JIG_DEFINITION_INTEGER:
      return given->integer == kept->integer && same_type(&given->type, &kept->type);
    case JIG_DEFINITION_FLOAT: /* bit for bit, as zeros have signs */
      return memcmp(&given->number, &kept->number, sizeof kept->number) == 0 &&
             same_type(&given->type, &kept->type);
    case JIG_DEFINITION_TYPE:
      return same_type(&given->type, &kept->type);
    default:
      return given->arity == kept->arity && same_type(&given->type, &kept->type) &&
             same_type(&given->result, &kept->result) && same_op(&given->op, &kept->op);
  }
}

static bool same_kernel_text(const jig_kernel_text *given, const jig_kernel_text *kept) {
  return reserved_of_words(given->reserved, sizeof given->reserved) == 0 &&
         same_text(given->name, kept->name) && same_text(given->text, kept->text);
}

static bool same_kernel(const jig_kernel_config *given, const jig_kernel_config *kept) {
  bool same = given->text_count == kept->text_count &&
              given->definition_count == kept->definition_count &&
              given->max_threads == kept->max_threads && given->min_blocks == kept->min_blocks &&
              same_text(given->entry, kept->entry) && same_text(given->source, kept->source) &&
              same_text(given->source_name, kept->source_name);
  for (size_t i = 0; same && i < kept->text_count; ++i)
    same = same_kernel_text(&given->texts[i], &kept->texts[i]);
  for (size_t i = 0; same && i < kept->definition_count; ++i)
    same = same_definition(&given->definitions[i], &kept->definitions[i]);
  return same;
}

/* What is left out is NULL in both. */
static inline bool same_slot(const spec_slot *given, const spec_slot *kept) {
  if (kept->iter != NULL) return given->iter != NULL && iter_equal(given->iter, kept->iter);
  if (kept->type != NULL) return given->type != NULL && same_type(given->type, kept->type);
  if (kept->op != NULL)
    return given->op != NULL && given->ignore_nan == kept->ignore_nan && same_op(given->op, kept->op);
  if (kept->kernel != NULL) return given->kernel != NULL && same_kernel(given->kernel, kept->kernel);
  return given->choice == kept->choice && given->iter == NULL && given->type == NULL &&
         given->op == NULL && given->kernel == NULL;
}

bool spec_equal(const spec *given, const spec *kept) {
  const spec_schema *schema = kept->schema;
  if (given->schema != schema) return false;
  const spec_slot *mine = given->slots, *end = mine + schema->slot_count;
  for (const spec_slot *other = kept->slots; mine < end; ++mine, ++other)
    if (!same_slot(mine, other)) return false;
  return true;
}

/* ---- keeping: see keep.h */

static jig_iter keep_iter(block *b, const jig_iter *from) {
  jig_iter iter = {.kind = from->kind, .type = keep_type(b, &from->type)};
  if (iter_has_op(from->kind)) iter.op = keep_op(b, &from->op);
  const unsigned count = iter_base_count(from);
  if (count == 0) return iter;
  jig_iter *bases = block_take(b, NULL, count * sizeof *bases);
  for (unsigned k = 0; k < count; ++k) {
    const jig_iter base = keep_iter(b, iter_base_at(from, k));
    if (bases != NULL) bases[k] = base;
  }
  iter.base = bases;
  iter.indices = bases != NULL && count > 1 ? &bases[1] : NULL;
  iter.base_count = count;
  return iter;
}

static jig_definition keep_definition(block *b, const jig_definition *from) {
  return (jig_definition){.name = block_text(b, from->name),
                          .kind = from->kind,
                          .arity = from->arity,
                          .text = from->kind == JIG_DEFINITION_TEXT ? block_text(b, from->text) : NULL,
                          .integer = from->integer,
                          .number = from->number,
                          .type = keep_type(b, &from->type),
                          .result = keep_type(b, &from->result),
                          .op = keep_op(b, &from->op)};
}

static const jig_kernel_config *keep_kernel(block *b, const jig_kernel_config *from) {
  jig_kernel_config k = {.entry = block_text(b, from->entry),
                         .source = block_text(b, from->source),
                         .source_name = block_text(b, from->source_name),
                         .text_count = from->text_count,
                         .definition_count = from->definition_count,
                         .max_threads = from->max_threads,
                         .min_blocks = from->min_blocks};
  jig_kernel_text *texts = block_take(b, NULL, from->text_count * sizeof *texts);
  for (size_t i = 0; i < from->text_count; ++i) {
    const jig_kernel_text t = {.name = block_text(b, from->texts[i].name),
                               .text = block_text(b, from->texts[i].text)};
    if (texts != NULL) texts[i] = t;
  }
  jig_definition *definitions = block_take(b, NULL, from->definition_count * sizeof *definitions);
  for (size_t i = 0; i < from->definition_count; ++i) {
    const jig_definition d = keep_definition(b, &from->definitions[i]);
    if (definitions != NULL) definitions[i] = d;
  }
  k.texts = texts;
  k.definitions = definitions;
  return block_take(b, &k, sizeof k);
}

static spec_slot keep_slot(block *b, const spec_slot *from) {
  spec_slot slot = {.ignore_nan = from->ignore_nan, .choice = from->choice};
  if (from->type != NULL) {
    const jig_type type = keep_type(b, from->type);
    slot.type = block_take(b, &type, sizeof type);
  } else if (from->iter != NULL) {
    const jig_iter iter = keep_iter(b, from->iter);
    slot.iter = block_take(b, &iter, sizeof iter);
  } else if (from->op != NULL) {
    const jig_op op = keep_op(b, from->op);
    slot.op = block_take(b, &op, sizeof op);
  } else if (from->kernel != NULL) {
    slot.kernel = keep_kernel(b, from->kernel);
  }
  return slot;
}

static spec *keep_spec(block *b, const spec *from) {
  spec s = {.schema = from->schema};
  spec *room = block_take(b, NULL, sizeof s);
  for (int i = 0; i < from->schema->slot_count; ++i) s.slots[i] = keep_slot(b, &from->slots[i]);
  if (room != NULL) *room = s;
  return room;
}

spec *spec_copy(const spec *s) {
  block b = {NULL, 0};
  (void)keep_spec(&b, s);
  b.begin = malloc(b.used);
  b.used = 0;
  return b.begin != NULL ? keep_spec(&b, s) : NULL;
}
