#include "jit/entry.h"

#include "jit/places.h"

static const char *name_of(const spec *s, const kernel_parameter *p) {
  return p->kind == PARAMETER_VALUE ? p->name : s->schema->slots[p->slot].name;
}

static bool has_places(const spec *s, const kernel_parameter *p) {
  return p->kind == PARAMETER_SLOT && spec_has_places(s, p->slot);
}

static void write_parameter(text *out, const spec *s, const kernel_parameter *p) {
  const char *name = name_of(s, p);
  if (has_places(s, p))
    places_write_parameter(out, s, p->slot);
  else if (p->kind != PARAMETER_VALUE)
    text_format(out, "const jig_%s_t jig_%s", name, name);
  else
    text_format(out, "%s%s jig_%s", p->fields != NULL ? "const __grid_constant__ " : "", p->type, name);
}

static void check_size(text *out, const kernel_parameter *p) {
  text_format(out, "static_assert(sizeof(%s) == %zu, \"jig: parameter layout\");\n", p->type, p->size);
}

static void check_fields(text *out, const kernel_parameter *p) {
  text_add(out, "static_assert(");
  for (const parameter_field *f = p->fields; f->name != NULL; ++f)
    text_format(out, "%sJIG_OFFSET_OF(%s, %s) == %zu", f > p->fields ? " && " : "", p->type, f->name,
                f->offset);
  text_add(out, ", \"jig: parameter layout\");\n");
}

void entry_write_structs(text *out, const kernel_row *kernel) {
  for (const kernel_parameter *p = kernel->parameters; p->kind != PARAMETERS_END; ++p)
    if (p->fields != NULL) check_fields(out, p);
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
  text_format(out, "  %s(", kernel->function);
  for (const kernel_parameter *i = all; i->kind != PARAMETERS_END; ++i)
    text_format(out, "%sjig_%s", i > all ? ", " : "", name_of(s, i));
  text_add(out, ");\n}\n");
}
