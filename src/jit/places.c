#include "jit/places.h"

#include <string.h>

bool places_are_used(const spec *s) {
  bool used = false;
  for (int i = 0; i < s->schema->slot_count; ++i) used = used || spec_has_places(s, i);
  return used;
}

void places_begin_given(text *out, const spec *s, int slot) {
  if (spec_has_places(s, slot)) text_add(out, "namespace jig_given {\n");
}

void places_end_given(text *out, const spec *s, int slot) {
  if (spec_has_places(s, slot)) text_add(out, "}\n");
}

/* The inputs that a slot's items, or operands, are of; the second one is NULL if there is one only. */
typedef struct origin {
  const char *first, *second;
} origin;

static origin origin_of(const spec *s, int slot) {
  const char *const *places = spec_places(s, slot);
  const bool has_second = places[1] != NULL && spec_find(s, places[1])->iter != NULL;
  return (origin){places[0], has_second ? places[1] : NULL};
}

static void write_origin_type(text *out, origin from) {
  text_format(out, "jig::Origin<jig_given::jig_%s_t", from.first);
  if (from.second != NULL) text_format(out, ", jig_given::jig_%s_t", from.second);
  text_add(out, ">");
}

static void write_origin(text *out, origin from) {
  text_format(out, "{&jig_given_%s, ", from.first);
  if (from.second != NULL)
    text_format(out, "&jig_given_%s}", from.second);
  else
    text_add(out, "nullptr}");
}

static void define_slot(text *out, const spec *s, int slot) {
  const slot_schema *schema = &s->schema->slots[slot];
  const origin from = origin_of(s, slot);
  text_format(out, "using jig_%s_t = ", schema->name);
  if (schema->kind == SLOT_ITER && schema->role == ITER_INPUT) {
    const bool is_second = from.second != NULL && strcmp(from.second, schema->name) == 0;
    text_format(out, "jig::Places<jig_given::jig_%s_t%s>;\n", schema->name,
                is_second ? ", jig::of_second_input" : "");
    return;
  }
  text_format(out, "jig::Places%s<", schema->kind == SLOT_ITER ? "Out" : "Op");
  write_origin_type(out, from);
  if (schema->kind == SLOT_ITER || s->slots[slot].op != NULL)
    text_format(out, ", jig_given::jig_%s_t>;\n", schema->name);
  else
    text_format(out, ", jig::%s>;\n", schema->orders ? "less_than" : "equal_items");
}

void places_define(text *out, const spec *s) {
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (spec_has_places(s, i)) define_slot(out, s, i);
}

void places_write_parameter(text *out, const spec *s, int slot) {
  const char *name = s->schema->slots[slot].name;
  text_format(out, "const __grid_constant__ jig_given::jig_%s_t jig_given_%s", name, name);
}

void places_write_local(text *out, const spec *s, int slot) {
  const slot_schema *schema = &s->schema->slots[slot];
  text_format(out, "  const jig_%s_t jig_%s = {", schema->name, schema->name);
  if (schema->kind == SLOT_ITER && schema->role == ITER_INPUT) {
    text_format(out, "&jig_given_%s};\n", schema->name);
    return;
  }
  write_origin(out, origin_of(s, slot));
  if (schema->kind == SLOT_ITER)
    text_format(out, ", &jig_given_%s};\n", schema->name);
  else if (s->slots[slot].op != NULL)
    text_format(out, ", jig_given_%s};\n", schema->name);
  else
    text_add(out, ", {}};\n");
}
