#include "run_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "run_buffers.h"
#include "spec/complete.h"
#include "spec/iterator.h"

/* ---- fields */

void *run_plan_field(const run_plan *p, const char *name) {
  const struct_field *field = run_field(p->algorithm, name);
  return field != NULL ? (char *)p->args + field->offset : NULL;
}

uint64_t run_plan_number(const run_plan *p, const char *name) {
  uint64_t number = 0;
  const struct_field *field = run_field(p->algorithm, name);
  if (field != NULL) memcpy(&number, (char *)p->args + field->offset, field->size);
  return number;
}

/* Hosts are little-endian, as GPUs are. */
void run_plan_set(run_plan *p, const char *name, uint64_t number) {
  const struct_field *field = run_field(p->algorithm, name);
  if (field != NULL) memcpy((char *)p->args + field->offset, &number, field->size);
}

const run_array *run_plan_output(const run_plan *p, const char *slot) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &p->outputs[i];
    if (o->row != NULL && strcmp(o->row->slot, slot) == 0) return o;
  }
  return NULL;
}

/* ---- the spec as it was told: calls share types among programs by themselves */

static int read_told(run_plan *p) {
  const json_t *root = p->request->spec.root;
  p->told = (parsed_spec){.root = json_deep_copy(root), .s = {.schema = p->request->schema}};
  p->is_told = true;
  for (int i = 0; i < p->request->schema->slot_count; ++i) {
    const json_t *json = json_object_get(p->told.root, p->request->schema->slots[i].name);
    if (json == NULL || json_is_null(json)) continue;
    const jig_status status = spec_read_slot(json, i, &p->told);
    if (status != JIG_SUCCESS) return jig_failure(status);
  }
  return EXIT_OK;
}

static const spec_slot *told(const run_plan *p, const char *slot) {
  return spec_find(&p->told.s, slot);
}

/* ---- the args, field by field */

static void set_iter(run_plan *p, const char *name, jig_iter *to) {
  const spec_slot *slot = told(p, name);
  const run_input *source = run_input_named(p->row, name, strlen(name));
  if (slot != NULL && slot->iter != NULL) {
    *to = *slot->iter;
  } else if (source != NULL && source->type != NULL && told(p, source->type)->type != NULL) {
    *to = jig_pointer(NULL, *told(p, source->type)->type);
  }
}

static void set_op(const run_plan *p, const char *name, jig_op *to) {
  const int i = schema_slot(p->request->schema, name);
  const spec_slot *slot = told(p, name);
  if (slot == NULL) return;
  if (slot->op != NULL)
    *to = *slot->op;
  else if (p->request->schema->slots[i].kind == SLOT_CHOICE) /* of an arg_reduce */
    *to = slot->choice == 0 ? JIG_MIN : JIG_MAX;
}

/* A type that the spec has by another name, or with the init. */
static void set_type(const run_plan *p, const char *name, jig_type *to) {
  static const char *const slots[][2] = {{"accum_type", "accum"},
                                         {"counter_type", "counter"},
                                         {"level_type", "level"},
                                         {"init_type", "init"}};
  for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i) {
    const spec_slot *slot = strcmp(name, slots[i][0]) == 0 ? told(p, slots[i][1]) : NULL;
    const jig_type *type = slot != NULL ? spec_slot_type(slot) : NULL;
    if (type != NULL) *to = *type;
  }
}

static bool ignores_nan(const run_plan *p) {
  const spec_slot *nan = told(p, "nan"), *op = told(p, "op");
  return nan != NULL ? nan->choice == JIG_NAN_IGNORE : op != NULL && op->ignore_nan;
}

/* What a choice of the spec's name has; the order of radix sorts is another thing there. */
static void set_plain(run_plan *p, const char *name) {
  const int i = schema_slot(p->request->schema, name);
  const slot_schema *slot = i >= 0 ? &p->request->schema->slots[i] : NULL;
  if (strcmp(name, "order") == 0 || strstr(name, "_in") != NULL) return;
  if (slot != NULL && (slot->kind == SLOT_CHOICE || slot->kind == SLOT_FLAG))
    run_plan_set(p, name, (uint64_t)p->told.s.slots[i].choice);
}

static void set_fields(run_plan *p) {
  const struct_layout *layout = p->algorithm->args;
  for (size_t i = 0; i < layout->field_count; ++i) {
    const struct_field *field = &layout->fields[i];
    void *to = (char *)p->args + field->offset;
    if (field->kind == FIELD_ITER) set_iter(p, field->name, to);
    if (field->kind == FIELD_OP) set_op(p, field->name, to);
    if (field->kind == FIELD_TYPE) set_type(p, field->name, to);
    if (field->kind == FIELD_PLAIN) set_plain(p, field->name);
  }
  if (ignores_nan(p)) run_plan_set(p, "nan", JIG_NAN_IGNORE);
  const spec_slot *decomposer = told(p, "decomposer");
  if (decomposer != NULL && decomposer->op != NULL)
    *(const char **)run_plan_field(p, "decomposer") = decomposer->op->source;
}

/* Numbers that are no choices of the spec, each in algorithms that have a field for it. */
static void set_numbers(run_plan *p) {
  const run_numbers *n = p->numbers;
  run_plan_set(p, "k", n->k);
  run_plan_set(p, "nth", n->nth);
  run_plan_set(p, "segment_size", n->segment_size);
  run_plan_set(p, "begin_bit", n->begin_bit);
  run_plan_set(p, "end_bit", n->end_bit);
  run_plan_set(p, "order", n->descending ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING);
  if (n->sorted) run_plan_set(p, "is_sorted", 1);
  run_plan_set(p, "choice", n->smallest ? JIG_TOP_K_MIN : JIG_TOP_K_MAX);
  if (p->row->has_array && n->extent_count > 0)
    *(const uint64_t **)run_plan_field(p, "extents") = n->extents;
}

/* ---- the init: by value, or of a file */

static int wrong_value(const char *option, const char *text, const jig_type *type) {
  if (type->kind != JIG_KIND_STRUCT)
    return usage_error("--%s: '%s' is no %s", option, text, jig_type_name(type));
  return usage_error("--%s: '%s' is not the bytes of struct %s: %u hex digits", option, text,
                     jig_type_name(type), 2 * type->size);
}

static int set_init(run_plan *p) {
  const spec_slot *slot = told(p, "init");
  const jig_iter *iter = slot != NULL ? slot->iter : NULL;
  if (slot == NULL || (slot->type == NULL && iter == NULL)) return EXIT_OK;
  if (iter != NULL && iter->kind != JIG_ITER_CONSTANT) {
    *(jig_iter *)run_plan_field(p, "init_in") = *iter;
    memset(run_plan_field(p, "init_type"), 0, sizeof(jig_type));
    return EXIT_OK;
  }
  const jig_type *type = spec_slot_type(slot);
  const leaf_range range = p->request->leaves[schema_slot(p->request->schema, "init")];
  const leaf *l = range.count == 1 ? &p->request->files->leaves.leaves[range.first] : NULL;
  const char *text = l != NULL && l->value_count > 0 ? l->values[0] : p->numbers->init;
  if (text == NULL) return usage_error("init: its value is missing: --init VALUE");
  if (!value_parse(text, type, p->init)) return wrong_value("init", text, type);
  *(const void **)run_plan_field(p, "init") = p->init;
  return EXIT_OK;
}

/* ---- how many items there are */

static int set_count(run_plan *p, const run_input *source, uint64_t items, const run_input *by[]) {
  if (items == UINT64_MAX || source->count == NULL) return EXIT_OK;
  const ptrdiff_t i = source - p->row->inputs;
  for (ptrdiff_t k = 0; k < i; ++k) {
    if (by[k] == NULL || strcmp(by[k]->count, source->count) != 0) continue;
    const uint64_t others = run_plan_number(p, source->count);
    if (others == items) return EXIT_OK;
    return usage_error("%s: %" PRIu64 " items, but %s has %" PRIu64, source->slot, items, by[k]->slot,
                       others);
  }
  by[i] = source;
  run_plan_set(p, source->count, items);
  return EXIT_OK;
}

jig_iter *run_plan_input(run_plan *p, const run_input *source) {
  const char *name = strcmp(source->slot, "init") == 0 ? "init_in" : source->slot;
  const struct_field *field = run_field(p->algorithm, name);
  if (field != NULL && field->kind == FIELD_ITER) return run_plan_field(p, name);
  const spec_slot *slot = told(p, source->slot);
  if (slot == NULL || slot->iter == NULL) return NULL;
  p->in = *slot->iter;
  *(const jig_iter **)run_plan_field(p, "in") = &p->in;
  run_plan_set(p, "num_inputs", 1);
  return &p->in;
}

/* Whether its inputs, as far as they have an item for each, can be read in chunks. */
static bool can_chunk(run_plan *p) {
  if (p->row->chunks == NULL || !p->numbers->may_chunk) return false;
  for (const run_input *source = p->row->inputs; source->slot != NULL; ++source) {
    const jig_iter *iter = source->count != NULL ? run_plan_input(p, source) : NULL;
    if (iter != NULL && iter->kind != JIG_ITER_NONE && !leaves_have_steps(iter)) return false;
  }
  return true;
}

static int measure_inputs(run_plan *p) {
  const run_input *by[RUN_MAX_INPUTS] = {NULL};
  leaf_list *leaves = &p->request->files->leaves;
  bool has_end = false;
  p->main_items = UINT64_MAX;
  p->can_chunk = can_chunk(p);
  for (const run_input *source = p->row->inputs; source->slot != NULL; ++source) {
    jig_iter *iter = run_plan_input(p, source);
    if (iter == NULL || iter->kind == JIG_ITER_NONE) continue;
    const int i = schema_slot(p->request->schema, source->slot);
    uint64_t items;
    const bool in_step = p->can_chunk && source->count != NULL;
    int code = leaves_measure(leaves, p->request->leaves[i], source->slot, in_step, iter, &items);
    if (code == EXIT_OK && items == UINT64_MAX && leaves_are_open_ended(leaves, p->request->leaves[i]))
      p->is_open_ended = true;
    if (code == EXIT_OK && items == UINT64_MAX && source == p->row->inputs && p->numbers->has_count)
      items = p->numbers->count;
    if (source == p->row->inputs) p->main_items = items;
    if (code == EXIT_OK) code = set_count(p, source, items, by);
    if (code != EXIT_OK) return code;
    p->has_end[source - p->row->inputs] = items != UINT64_MAX;
    has_end |= items != UINT64_MAX;
  }
  if (p->row->inputs[0].slot == NULL && p->numbers->has_count) {
    run_plan_set(p, "num_items", p->numbers->count);
    has_end = true;
  }
  return has_end || p->is_open_ended
             ? EXIT_OK
             : usage_error("--count is missing: no file says how many items there are");
}

/* Of one size, side by side. */
static int set_segments(run_plan *p) {
  if (run_field(p->algorithm, "segment_size") == NULL) return EXIT_OK;
  const jig_iter *begins = run_plan_field(p, "begin_offsets");
  const uint64_t size = p->numbers->segment_size;
  if (begins->kind != JIG_ITER_NONE)
    return size == 0 ? EXIT_OK : usage_error("--segment-size: not beside offsets");
  if (size == 0) return usage_error("give --offsets or --segment-size");
  if (p->main_items == UINT64_MAX || p->main_items % size != 0)
    return usage_error("--segment-size: %" PRIu64 " items are no whole number of segments of %" PRIu64,
                       p->main_items, size);
  run_plan_set(p, "num_segments", p->main_items / size);
  return EXIT_OK;
}

static int set_even_bins(run_plan *p, const jig_type *level) {
  const run_numbers *n = p->numbers;
  const jig_type number = JIG_I64;
  if (n->bins == NULL || n->lower == NULL || n->upper == NULL)
    return usage_error("give --bins, --lower and --upper, or --levels");
  if (!value_parse(n->bins, &number, &p->bins) || p->bins <= 0)
    return usage_error("--bins: '%s' is no number of bins", n->bins);
  if (!value_parse(n->lower, level, p->lower)) return wrong_value("lower", n->lower, level);
  if (!value_parse(n->upper, level, p->upper)) return wrong_value("upper", n->upper, level);
  return EXIT_OK;
}

static int set_other_bins(run_plan *p, const jig_type *level) {
  uint64_t levels;
  if (p->numbers->levels.count == 0) return usage_error("--levels is missing");
  p->levels = jig_pointer(NULL, *level);
  const int code = leaves_measure(&p->request->files->leaves, p->numbers->levels, "levels", false,
                                  &p->levels, &levels);
  if (code == EXIT_OK && levels < 2) return usage_error("--levels: two of them make a bin");
  p->bins = code == EXIT_OK ? (int64_t)levels - 1 : 0;
  return code;
}

/* Of every channel the same. Where a file has the levels, their pointer is set when it is read. */
static int set_bins(run_plan *p) {
  if (run_field(p->algorithm, "num_bins") == NULL) return EXIT_OK;
  const unsigned channels = (unsigned)told(p, "channels")->choice + 1;
  const unsigned active = (unsigned)told(p, "active_channels")->choice + 1;
  const bool is_even = told(p, "bins")->choice == JIG_HISTOGRAM_EVEN;
  const jig_type *level = told(p, "level")->type;
  const int code = is_even ? set_even_bins(p, level) : set_other_bins(p, level);
  if (code != EXIT_OK) return code;
  if (!p->is_open_ended && p->main_items % channels != 0)
    return usage_error("samples: %" PRIu64 " are no whole number of pixels", p->main_items);
  jig_histogram_args *args = p->args;
  args->num_channels = channels;
  args->num_active_channels = active;
  args->num_row_pixels = p->main_items / channels;
  args->num_rows = 1;
  for (unsigned c = 0; c < active; ++c) {
    args->num_bins[c] = (uint64_t)p->bins;
    if (is_even) args->lower[c] = p->lower;
    if (is_even) args->upper[c] = p->upper;
  }
  return EXIT_OK;
}

/* ---- outputs */

static bool is_pointer(const jig_iter *iter) {
  return iter->kind == JIG_ITER_POINTER || iter->kind >= JIG_ITER_POINTER_STREAMING;
}

/* Where an iterator stores in the end; NULL: in several places, or by an order of its own. */
static jig_iter *stored_by(jig_iter *iter) {
  while (iter->kind == JIG_ITER_TRANSFORM_OUTPUT) iter = (jig_iter *)(uintptr_t)iter_base_at(iter, 0);
  return is_pointer(iter) ? iter : NULL;
}

/* Its type and pointer; of kind JIG_KIND_NONE: it is not wanted. Where the spec has no slot for it, what
 * the args need is a pointer. */
static int set_output(run_plan *p, const run_output *row, run_array *o) {
  const spec_slot *slot = told(p, row->type != NULL ? row->type : row->slot);
  const struct_field *field = run_field(p->algorithm, row->slot);
  jig_iter *iter = field != NULL && field->kind == FIELD_ITER ? run_plan_field(p, row->slot) : NULL;
  o->type = jig_type_from_name(NULL);
  if (slot == NULL || (iter != NULL && iter->kind == JIG_ITER_DISCARD)) return EXIT_OK;
  if (spec_slot_type(slot) != NULL) o->type = *spec_slot_type(slot);
  if (iter == NULL || o->type.kind == JIG_KIND_NONE || strcmp(row->slot, "in") == 0) return EXIT_OK;
  if (iter->kind == JIG_ITER_NONE) *iter = jig_pointer(NULL, o->type);
  o->pointer = stored_by(iter);
  if (o->pointer == NULL)
    return usage_error("%s: jig run stores by pointers, 'transform_output' of one, or 'discard'",
                       row->slot);
  o->type = o->pointer->type;
  return EXIT_OK;
}

static int set_outputs(run_plan *p, const char *const files[]) {
  for (int i = 0; p->row->outputs[i].slot != NULL; ++i) {
    run_array *o = &p->outputs[i];
    const run_output *row = &p->row->outputs[i];
    int code = set_output(p, row, o);
    if (code != EXIT_OK) return code;
    if (p->row->takes_buffers) o->type = JIG_U8;
    if (p->row->has_array && p->numbers->array != NULL) o->type = *p->numbers->array;
    if (o->type.kind != JIG_KIND_NONE) o->row = row;
    o->file = files[i];
    if (o->row == NULL && files[i] != NULL) return usage_error("--out: there is no %s here", row->slot);
  }
  return EXIT_OK;
}

/* ---- all of it */

static int check_numbers(const run_plan *p) {
  if (run_field(p->algorithm, "k") != NULL && !p->numbers->has_k) return usage_error("--k is missing");
  if (run_field(p->algorithm, "nth") != NULL && !p->numbers->has_nth)
    return usage_error("--nth is missing");
  return EXIT_OK;
}

int run_plan_make(run_plan *p, const run_row *row, request *r, const run_numbers *numbers,
                  const char *const files[RUN_MAX_OUTPUTS]) {
  *p = (run_plan){.row = row, .algorithm = run_algorithm_of(row), .request = r, .numbers = numbers};
  p->args = calloc(1, p->algorithm->args->size);
  if (p->args == NULL) return complain("out of memory"), EXIT_FAILED;
  int code = check_numbers(p);
  if (code == EXIT_OK) code = read_told(p);
  if (code != EXIT_OK) return code;
  set_fields(p);
  set_numbers(p);
  code = set_init(p);
  if (code == EXIT_OK) code = row->takes_buffers ? run_buffers_measure(p) : measure_inputs(p);
  if (code == EXIT_OK) code = set_segments(p);
  if (code == EXIT_OK) code = set_bins(p);
  return code == EXIT_OK ? set_outputs(p, files) : code;
}

void run_plan_free(run_plan *p) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) free(p->outputs[i].host);
  if (p->is_told) parsed_spec_free(&p->told);
  free(p->args);
  *p = (run_plan){.args = NULL};
}
