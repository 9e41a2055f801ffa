#include "run_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "op_text.h"
#include "report.h"
#include "slot_options.h"
#include "slot_text.h"
#include "spec/canonical.h"
#include "type_text.h"

/* ---- taking them */

int run_files_add(run_files *f, const char *option, const char *name, const char *text) {
  if (f->binding_count == RUN_MAX_FILES)
    return usage_error("%s: more than %d files", text, RUN_MAX_FILES);
  f->bindings[f->binding_count++] = (run_binding){
      .option = option, .name = name, .name_length = name != NULL ? strlen(name) : 0, .text = text};
  return EXIT_OK;
}

int run_files_add_output(run_files *f, const char *text) {
  const size_t length = strcspn(text, "=");
  const bool is_named = text[length] == '=';
  const run_output *o = is_named ? run_output_named(f->row, text, length) : &f->row->outputs[0];
  if (o == NULL) {
    char names[256] = "";
    size_t end = 0;
    for (const run_output *row = f->row->outputs; row->slot != NULL && end < sizeof names; ++row)
      end += (size_t)snprintf(names + end, sizeof names - end, " %s", row->slot);
    return usage_error("--out: %s has no output '%.*s' (it has:%s)", f->row->name, (int)length, text,
                       names);
  }
  const char **file = &f->outputs[o - f->row->outputs];
  if (*file != NULL) return usage_error("--out: %s is given twice", o->slot);
  *file = is_named ? text + length + 1 : text;
  const char *suffix = strrchr(*file, '.');
  if ((*file)[0] == '\0') return usage_error("--out: %s: the name of a file is missing", o->slot);
  if (suffix != NULL && strcmp(suffix, ".npz") == 0)
    return usage_error("--out: %s: an array is stored in an .npy file, or raw", *file);
  return EXIT_OK;
}

bool run_files_is_slot(const spec_schema *schema, const char *operand) {
  char name[TEXT_WORD_SIZE];
  const size_t length = strcspn(operand, "=");
  if (length >= sizeof name) return false;
  (void)snprintf(name, sizeof name, "%.*s", (int)length, operand);
  const int i = schema_slot(schema, name);
  return i >= 0 && (operand[length] == '=' || schema->slots[i].kind == SLOT_FLAG);
}

/* ---- inputs */

static const slot_schema *slot_named(const request *r, const char *name) {
  return &r->schema->slots[schema_slot(r->schema, name)];
}

static bool is_told(const request *r, const run_input *source) {
  const int i = schema_slot(r->schema, source->slot);
  return r->leaves[i].count > 0 || json_object_get(r->draft, source->slot) != NULL;
}

/* Where a pointer has its type: of radix sorts another slot. */
static void move_pointer(request *r, const run_input *source) {
  const json_t *iter = json_object_get(r->draft, source->slot);
  const char *kind = json_string_value(json_object_get(iter, "kind"));
  if (source->type == NULL || kind == NULL || strcmp(kind, "pointer") != 0) return;
  json_t *type = json_object_get(iter, "type");
  if (type != NULL) (void)json_object_set(r->draft, source->type, type);
  (void)json_object_del(r->draft, source->slot);
}

static bool is_typed_by(const request *r, int option, const slot_schema *slot) {
  return r->options->text[option] != NULL && slot_option_fits(option, slot);
}

/* Of a raw file the type is what options say, or what is usual. */
static int put_raw(request *r, const slot_schema *slot, const char *label, const leaf *l) {
  const char *what = l->in.is_npy ? l->in.npy.dtype : "raw bytes";
  const bool is_main = slot_option_fits(SPEC_TYPE, slot) && slot->like == NULL;
  const bool is_like = slot->like != NULL && json_object_get(r->draft, slot->like) != NULL;
  if (!slot->optional && !is_main) return EXIT_OK;
  if (is_main && !slot->optional)
    return usage_error("--type is missing: %s holds %s; say what its items are, such as --type f32",
                       l->in.path, what);
  if (slot->follows && is_like) return EXIT_OK;
  if (!is_like && slot->usually == NULL)
    return usage_error("%s: %s holds %s: write TYPE@%s", label, l->in.path, what, l->file);
  return request_put(r, slot, label,
                     slot->kind == SLOT_ITER ? json_pack("{s:s}", "kind", "pointer") : json_true());
}

static int bind_file(request *r, const run_input *source, const char *label, const char *file) {
  leaf_list *leaves = &r->files->leaves;
  leaf *l = leaves_add(leaves);
  if (l == NULL || (l->file = strdup(file)) == NULL) return EXIT_FAILED;
  r->leaves[schema_slot(r->schema, source->slot)] = (leaf_range){leaves->count - 1, 1};
  const int code = leaf_open(l);
  if (code != EXIT_OK) return code;
  const jig_type type = leaf_type(leaves, l);
  const slot_schema *slot = slot_named(r, source->type != NULL ? source->type : source->slot);
  if (is_typed_by(r, SPEC_TYPE, slot) || is_typed_by(r, SPEC_KEY_TYPE, slot)) return EXIT_OK;
  if (type.kind == JIG_KIND_NONE) return put_raw(r, slot, label, l);
  json_t *json = type_to_json(&type);
  return request_put(r, slot, label, slot->kind == SLOT_ITER ? pointer_to(json) : json);
}

/* A file, or what an iterator is written as. */
static int bind(request *r, const run_input *source, const char *option, const char *text) {
  const char *label = option[0] != '\0' ? option : source->slot;
  const bool is_file = strcmp(text, "-") == 0 || access(text, F_OK) == 0 || strpbrk(text, "@(") == NULL;
  if (is_file) return bind_file(r, source, label, text);
  const int code = request_put_text(r, slot_named(r, source->slot), label, text);
  move_pointer(r, source);
  return code;
}

/* One array as both begins and ends. */
static int bind_offsets(run_files *f, request *r, const char *text) {
  static const char *const names[] = {"begin_offsets", "end_offsets"};
  int code = EXIT_OK;
  for (int i = 0; i < 2 && code == EXIT_OK; ++i) {
    const run_input *source = run_input_named(f->row, names[i], strlen(names[i]));
    if (source == NULL) return usage_error("--offsets: %s has no segments", f->row->name);
    code = bind(r, source, "--offsets", text);
    const leaf_range range = r->leaves[schema_slot(r->schema, names[i])];
    if (code != EXIT_OK || range.count != 1) continue;
    leaf *l = &r->files->leaves.leaves[range.first];
    l->leaves_out_first = i == 1;
    l->leaves_out_last = i == 0;
  }
  return code;
}

static const run_input *next_input(const run_files *f, const request *r) {
  const run_input *source = f->row->inputs;
  while (source->slot != NULL && (is_told(r, source) || strncmp(source->slot, "init", 4) == 0)) ++source;
  return source->slot != NULL ? source : NULL;
}

static int put_buffer(request *r, const char *text) {
  leaf *l = leaves_add(&r->files->leaves);
  return l != NULL && (l->file = strdup(text)) != NULL ? EXIT_OK : EXIT_FAILED;
}

static int one_too_many(const run_files *f, const char *text) {
  char names[256] = "";
  size_t end = 0;
  for (const run_input *i = f->row->inputs; i->slot != NULL && end < sizeof names; ++i)
    end += (size_t)snprintf(names + end, sizeof names - end, " %s", i->slot);
  return usage_error("unexpected argument '%s': %s has no other input (it has:%s)", text, f->row->name,
                     end > 0 ? names : " none");
}

static int put_binding(run_files *f, request *r, const run_binding *b) {
  const run_input *source = b->name != NULL ? run_input_named(f->row, b->name, b->name_length) : NULL;
  if (f->row->takes_buffers && b->name == NULL) return put_buffer(r, b->text);
  const bool is_main = b->name != NULL && strcmp(b->name, "keys") == 0;
  if (source == NULL && is_main) source = f->row->inputs;
  if (b->name != NULL && (source == NULL || source->slot == NULL))
    return usage_error("%s: %s has no input '%.*s'", b->option, f->row->name, (int)b->name_length,
                       b->name);
  if (source == NULL) source = next_input(f, r);
  if (source == NULL) return one_too_many(f, b->text);
  if (is_told(r, source)) return usage_error("%s: %s is given twice", b->option, source->slot);
  if (strcmp(source->slot, "begin_offsets") == 0 && b->name == NULL) return bind_offsets(f, r, b->text);
  return bind(r, source, b->option, b->text);
}

static int put_inputs(run_files *f, request *r) {
  int code = EXIT_OK;
  for (const run_input *source = f->row->inputs; source->slot != NULL; ++source) move_pointer(r, source);
  for (int named = 1; named >= 0; --named) {
    for (int i = 0; i < f->binding_count && code == EXIT_OK; ++i)
      if ((f->bindings[i].name != NULL) == named) code = put_binding(f, r, &f->bindings[i]);
    if (named && code == EXIT_OK && f->offsets != NULL) code = bind_offsets(f, r, f->offsets);
  }
  if (code != EXIT_OK || f->row->inputs[0].slot == NULL) return code;
  const leaf_range range = r->leaves[schema_slot(r->schema, f->row->inputs[0].slot)];
  leaf *l = range.count > 0 ? &r->files->leaves.leaves[range.first] : NULL;
  if (l != NULL && l->file != NULL && (f->part.has_count || f->part.has_offset)) l->part = &f->part;
  return EXIT_OK;
}

/* ---- outputs. What is optional is there if it has a file. */

static int put_output(request *r, const char *name) {
  const int i = schema_slot(r->schema, name);
  const slot_schema *slot = i >= 0 ? &r->schema->slots[i] : NULL;
  if (slot == NULL || slot->kind != SLOT_ITER || !slot->optional || slot->follows) return EXIT_OK;
  if (json_object_get(r->draft, name) != NULL) return EXIT_OK;
  json_t *pointer = json_pack("{s:s}", "kind", "pointer");
  if (slot->like == NULL && slot->usually == NULL)
    (void)json_object_set_new(pointer, "type", json_string("i64")); /* an index */
  return request_put(r, slot, "--out", pointer);
}

static int put_outputs(const run_files *f, request *r) {
  int code = EXIT_OK;
  bool is_any = false, is_needed = true; /* of outputs that are all optional, the first one */
  for (int i = 0; f->row->outputs[i].slot != NULL && code == EXIT_OK; ++i) {
    const char *name = f->row->outputs[i].slot;
    const int slot = schema_slot(r->schema, name);
    if (f->outputs[i] != NULL) code = put_output(r, name);
    is_any |= f->outputs[i] != NULL || json_object_get(r->draft, name) != NULL;
    is_needed &= slot >= 0 && r->schema->slots[slot].optional;
  }
  const bool has_values = json_object_get(r->draft, "values_in") != NULL;
  if (code == EXIT_OK && is_needed && has_values) code = put_output(r, "out");
  return code == EXIT_OK && is_needed && !is_any && !has_values ? put_output(r, f->row->outputs[0].slot)
                                                                : code;
}

/* ---- what single algorithms have besides */

static int put_levels(run_files *f, request *r) {
  if (f->levels == NULL) return EXIT_OK;
  if (schema_slot(r->schema, "bins") < 0) return usage_error("--levels: %s has no bins", f->row->name);
  leaf *l = leaves_add(&r->files->leaves);
  if (l == NULL || (l->file = strdup(f->levels)) == NULL) return EXIT_FAILED;
  f->levels_range = (leaf_range){r->files->leaves.count - 1, 1};
  if (json_object_get(r->draft, "bins") == NULL)
    (void)json_object_set_new(r->draft, "bins", json_string("range"));
  int code = leaf_open(l);
  const jig_type type = leaf_type(&r->files->leaves, l);
  if (code == EXIT_OK && type.kind != JIG_KIND_NONE && json_object_get(r->draft, "level") == NULL)
    (void)json_object_set_new(r->draft, "level", type_to_json(&type));
  return code;
}

/* The levels of bytes and the like go up to 256, which is none of them. */
static void widen_levels(request *r) {
  if (schema_slot(r->schema, "level") < 0 || json_object_get(r->draft, "level") != NULL) return;
  const json_t *type = json_object_get(json_object_get(r->draft, "samples"), "type");
  const char *name = type != NULL ? json_string_value(type) : r->options->text[SPEC_TYPE];
  const jig_type sample = jig_type_from_name(name);
  const bool is_small = sample.size <= 2 && sample.kind != JIG_KIND_F16 && sample.kind != JIG_KIND_BF16;
  if (sample.kind != JIG_KIND_NONE && is_small)
    (void)json_object_set_new(r->draft, "level", json_string("i32"));
}

static const char *cxx_name(const jig_type *type) {
  switch (type->kind) {
#define CXX_ROW(row, name, cxx, size) \
  case row:                           \
    return cxx;
    JIG_TYPE_MAP(CXX_ROW)
#undef CXX_ROW
    default:
      return NULL;
  }
}

/* An operator that stores into an array has that in its state. */
static int put_array(run_files *f, request *r) {
  if (f->array_op == NULL) return EXIT_OK;
  f->array_item = jig_type_from_name(f->array_type != NULL ? f->array_type : "f32");
  if (cxx_name(&f->array_item) == NULL)
    return usage_error("--type: '%s' is no built-in type", f->array_type);
  (void)snprintf(f->array_definition, sizeof f->array_definition, "struct arrays { %s *out; };",
                 cxx_name(&f->array_item));
  const jig_type state = jig_struct("arrays", f->array_definition, sizeof(void *), sizeof(void *));
  text_reader reader = {.label = "--op-source", .at = f->array_op, .structs = &r->structs};
  json_t *op = op_body(&reader, f->array_op, strlen(f->array_op));
  if (op == NULL) return reader.code;
  (void)json_object_set_new(op, "state", type_to_json(&state));
  return request_put(r, slot_named(r, "op"), "--op-source", op);
}

/* Several files of a transform are what its operator has operands from. */
static int put_operands(run_files *f, request *r) {
  int count = 0;
  for (int i = 0; i < f->binding_count; ++i) count += f->bindings[i].name == NULL;
  if (strcmp(f->row->name, "transform") != 0 || count < 2 || f->zip_body == NULL) return EXIT_OK;
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) return EXIT_FAILED;
  (void)fprintf(out, "zip_transform(");
  for (int i = 0; i < f->binding_count; ++i) {
    const char *file = f->bindings[i].text;
    const bool has_type = strchr(file, '@') != NULL && access(file, F_OK) != 0;
    if (f->bindings[i].name == NULL) (void)fprintf(out, "%s%s, ", has_type ? "" : "@", file);
  }
  (void)fprintf(out, "{ %s })", f->zip_body);
  if (f->zip_type != NULL) (void)fprintf(out, " as %s", f->zip_type);
  (void)fclose(out);
  int kept = 0;
  for (int i = 0; i < f->binding_count; ++i)
    if (f->bindings[i].name != NULL) f->bindings[kept++] = f->bindings[i];
  f->binding_count = kept;
  const int code = request_put_text(r, slot_named(r, "in"), "--transform", text);
  free(text);
  return code;
}

/* ---- all of it */

int run_files_put(request *r, void *files) {
  run_files *f = files;
  int code = put_operands(f, r);
  if (code == EXIT_OK) code = put_inputs(f, r);
  if (code == EXIT_OK) code = put_outputs(f, r);
  if (code == EXIT_OK) code = put_levels(f, r);
  if (code != EXIT_OK) return code;
  widen_levels(r);
  return put_array(f, r);
}
