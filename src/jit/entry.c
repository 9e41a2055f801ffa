#include "jit/entry.h"

#include "jit/places.h"

static bool has_slot_name(const kernel_parameter *p) {
  return p->kind == PARAMETER_SLOT || p->kind == PARAMETER_POINTED;
}

static const char *name_of(const spec *s, const kernel_parameter *p) {
  return has_slot_name(p) ? s->schema->slots[p->slot].name : p->name;
}

/* Whether it is, or has in it, a count that is read on the GPU. */
static bool is_counted(const spec *s, const kernel_parameter *p) {
  return (p->kind == PARAMETER_COUNT || p->count != NULL) && s->slots[p->slot].choice != 0;
}

static bool has_places(const spec *s, const kernel_parameter *p) {
  return p->kind == PARAMETER_SLOT && spec_has_places(s, p->slot);
}

static void write_parameter(text *out, const spec *s, const kernel_parameter *p) {
  const char *name = name_of(s, p);
  if (has_places(s, p))
    places_write_parameter(out, s, p->slot);
  else if (has_slot_name(p))
    text_format(out, "const jig_%s_t jig_%s", name, name);
  else if (p->kind == PARAMETER_COUNT && is_counted(s, p))
    text_format(out, "const jig::DeviceCount jig_%s", name);
  else
    text_format(out, "%s%s jig_%s", p->fields != NULL ? "const __grid_constant__ " : "", p->type, name);
}

static void check_size(text *out, const kernel_parameter *p) {
  text_format(out, "static_assert(sizeof(%s) == %u, \"jig: parameter layout\");\n", p->type, p->size);
}

static void check_fields(text *out, const kernel_parameter *p) {
  text_add(out, "static_assert(");
  for (const parameter_field *f = p->fields; f->name != NULL; ++f)
    text_format(out, "%sJIG_OFFSET_OF(%s, %s) == %u", f > p->fields ? " && " : "", p->type, f->name,
                f->offset);
  text_add(out, ", \"jig: parameter layout\");\n");
}

void entry_write_structs(text *out, const spec *s, const kernel_row *kernel) {
  bool counted = false;
  for (const kernel_parameter *p = kernel->parameters; p->kind != PARAMETERS_END; ++p) {
    if (p->fields != NULL) check_fields(out, p);
    counted = counted || is_counted(s, p);
  }
  if (!counted) return;
  text_add(out, "#include <jig/core/count.cuh>\n");
  text_format(out, "static_assert(sizeof(jig::DeviceCount) == %zu, \"jig: parameter layout\");\n",
              sizeof(item_count));
}

/* A copy of the struct in which the number is known. */
static void read_count(text *out, const kernel_parameter *p) {
  text_format(out, "  %s jig_counted_%s = jig_%s;\n", p->type, p->name, p->name);
  text_format(out, "  jig_counted_%s.%s = jig::DeviceCount{jig_%s.%s, jig_%s.%s_in};\n", p->name,
              p->count, p->name, p->count, p->name, p->count);
}

void entry_write(text *out, const spec *s, const kernel_row *kernel, const policy *p) {
  const kernel_parameter *all = kernel->parameters;
  /* A slot's type has been checked where it was defined. */
  for (const kernel_parameter *i = all; i->kind != PARAMETERS_END; ++i)
    if (i->kind == PARAMETER_VALUE) check_size(out, i);
  text_format(out, "extern \"C\" __global__ void __launch_bounds__(%u, %d)\n%s(", policy_threads(p),
              policy_value(p, "min_blocks", 1), kernel->name);
  for (const kernel_parameter *i = all; i->kind != PARAMETERS_END; ++i) {
    if (i > all) text_add(out, ", ");
    write_parameter(out, s, i);
  }
  text_add(out, ") {\n");
  for (const kernel_parameter *i = all; i->kind != PARAMETERS_END; ++i)
    if (has_places(s, i)) places_write_local(out, s, i->slot);
  for (const kernel_parameter *i = all; i->kind != PARAMETERS_END; ++i)
    if (i->count != NULL && is_counted(s, i)) read_count(out, i);
  text_format(out, "  %s(", kernel->function);
  for (const kernel_parameter *i = all; i->kind != PARAMETERS_END; ++i)
    text_format(out, "%sjig_%s%s", i > all ? ", " : "",
                i->count != NULL && is_counted(s, i) ? "counted_" : "", name_of(s, i));
  text_add(out, ");\n}\n");
}
