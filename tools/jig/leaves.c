#include "leaves.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "npy_struct.h"
#include "report.h"
#include "spec/canonical.h"
#include "type_text.h"
#include "util/clock.h"

/* ---- the list. It grows, so a leaf's place holds until the next one is added. */

leaf *leaves_add(leaf_list *list) {
  leaf *more = realloc(list->leaves, ((size_t)list->count + 1) * sizeof *more);
  if (more == NULL) {
    complain("out of memory");
    return NULL;
  }
  list->leaves = more;
  more[list->count] = (leaf){.in = {.fd = -1}, .ahead = list->ahead};
  return &more[list->count++];
}

void leaves_free(leaf_list *list) {
  for (int i = 0; i < list->count; ++i) {
    leaf *l = &list->leaves[i];
    if (l->is_open) input_close(&l->in);
    for (int k = 0; k < LEAF_VALUES; ++k) free(l->values[k]);
    free(l->definition);
    free(l->file);
  }
  free(list->leaves);
  *list = (leaf_list){.count = 0};
}

/* ---- reading the command line */

int leaf_open(leaf *l) {
  if (l->is_open) return EXIT_OK;
  l->is_open = true; /* to be closed, however that goes */
  return input_open(&l->in, l->file, l->ahead);
}

/* A struct of the file's fields; the same one for files that have the same. */
static jig_type struct_of(leaf_list *list, leaf *l) {
  static const char *const names[] = {"item",  "item2", "item3", "item4",
                                      "item5", "item6", "item7", "item8"};
  const jig_type none = jig_type_from_name(NULL);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const char *name = names[i];
    size_t align;
    free(l->definition);
    l->definition = npy_definition(&l->in.npy, name, &align);
    if (l->definition == NULL) return none;
    const jig_type *there = struct_named(list->structs, name);
    if (there != NULL && strcmp(there->definition, l->definition) == 0) return *there;
    if (there != NULL || list->structs->count == MAX_STRUCTS) continue;
    jig_type *added = &list->structs->types[list->structs->count++];
    *added = jig_struct(name, l->definition, l->in.npy.item_size, align);
    return *added;
  }
  return none;
}

jig_type leaf_type(leaf_list *list, leaf *l) {
  if (l->type.kind != JIG_KIND_NONE || !l->in.is_npy) return l->type;
  l->type = l->in.npy.field_count > 0 ? struct_of(list, l) : l->in.npy.type;
  return l->type;
}

static char *take_text(text_reader *r, const char *end) {
  char *text = strndup(r->at, (size_t)(end - r->at));
  r->at = end;
  if (text == NULL) (void)reader_wrong(r, "out of memory");
  return text;
}

/* A file's name, in quotes or up to what may follow it. */
static char *take_file(text_reader *r) {
  const char quote = *r->at;
  if (quote == '\'' || quote == '"') {
    const char *end = strchr(++r->at, quote);
    if (end == NULL) return (void)reader_wrong(r, "a %c is not closed", quote), NULL;
    char *name = take_text(r, end);
    ++r->at;
    return name;
  }
  return take_text(r, r->depth > 0 ? r->at + strcspn(r->at, ",)") : r->at + strlen(r->at));
}

static json_t *type_of_file(text_reader *r, leaf *l) {
  if ((r->code = leaf_open(l)) != EXIT_OK) return NULL;
  const jig_type type = leaf_type(r->leaves, l);
  if (type.kind != JIG_KIND_NONE) return type_to_json(&type);
  if (r->depth == 0) return json_null();
  return reader_wrong(r, "%s holds %s: write TYPE@%s", l->in.path,
                      l->in.is_npy ? l->in.npy.dtype : "raw bytes", l->file);
}

json_t *leaf_read(text_reader *r) {
  json_t *type = NULL;
  reader_skip_blanks(r);
  if (*r->at != '@' && (type = type_read(r)) == NULL) return NULL;
  if (r->leaves == NULL && *r->at == '@')
    return json_decref(type), reader_wrong(r, "files are for jig run only");
  if (r->leaves == NULL) return type;
  leaf *l = leaves_add(r->leaves);
  if (l == NULL) return json_decref(type), NULL;
  if (!reader_take(r, '@')) return type;
  l->file = take_file(r);
  if (l->file == NULL) return json_decref(type), NULL;
  return type != NULL ? type : type_of_file(r, l);
}

bool leaf_read_values(text_reader *r) {
  while (reader_take(r, ',')) {
    leaf *l = r->leaves != NULL ? &r->leaves->leaves[r->leaves->count - 1] : NULL;
    if (l == NULL) return reader_wrong(r, "values are for jig run only") != NULL;
    if (l->value_count == LEAF_VALUES) return reader_wrong(r, "'%s' is one too many", r->at) != NULL;
    reader_skip_blanks(r);
    const char *end = r->at + strcspn(r->at, ",)");
    while (end > r->at && end[-1] == ' ') --end;
    l->values[l->value_count] = take_text(r, end);
    if (l->values[l->value_count++] == NULL) return false;
  }
  return true;
}

static bool is_leaf(jig_iter_kind kind) {
  return kind != JIG_ITER_NONE && iter_max_bases(kind) == 0 && !iter_has_op(kind);
}

bool leaf_skip_all(text_reader *r, const json_t *iter) {
  if (r->leaves == NULL) return true;
  const char *kind = json_string_value(json_object_get(iter, "kind"));
  if (kind != NULL && is_leaf(iter_kind_from_name(kind)) && leaves_add(r->leaves) == NULL) {
    r->code = EXIT_FAILED;
    return false;
  }
  const json_t *base = json_object_get(iter, "base"), *bases = json_object_get(iter, "bases");
  if (base != NULL && !leaf_skip_all(r, base)) return false;
  for (size_t i = 0; i < json_array_size(bases); ++i)
    if (!leaf_skip_all(r, json_array_get(bases, i))) return false;
  return true;
}

/* ---- measuring */

typedef struct measure {
  leaf *next, *end;
  const char *name;
  bool in_step;
} measure;

static int measure_iter(measure *m, jig_iter *iter, uint64_t *items);

static int no_file(const measure *m) {
  return usage_error("%s: no file is given for it; see --help", m->name);
}

static int parse_value(const measure *m, leaf *l, int i, const jig_type *type) {
  if (value_parse(l->values[i], type, l->bytes[i])) return EXIT_OK;
  return usage_error("%s: '%s' is no %s", m->name, l->values[i], jig_type_name(type));
}

static int parse_number(const measure *m, leaf *l, int i, int64_t *number) {
  const jig_type type = JIG_I64;
  const int code = parse_value(m, l, i, &type);
  memcpy(number, l->bytes[i], sizeof *number);
  return code;
}

static int measure_strided(const measure *m, leaf *l, jig_iter *iter, uint64_t *items) {
  int64_t skipped = 0;
  iter->stride = iter->type.size;
  int code = l->value_count > 0 ? parse_number(m, l, 0, &iter->stride) : EXIT_OK;
  if (code == EXIT_OK && l->value_count > 1) code = parse_number(m, l, 1, &skipped);
  if (code != EXIT_OK) return code;
  if (iter->stride <= 0 || skipped < 0)
    return usage_error("%s: strided: bytes from item to item are more than 0", m->name);
  l->skipped = (uint64_t)skipped;
  const uint64_t first = l->skipped + iter->type.size;
  *items = l->in.bytes < first ? 0 : (l->in.bytes - first) / (uint64_t)iter->stride + 1;
  return EXIT_OK;
}

static int measure_file(const measure *m, leaf *l, jig_iter *iter, uint64_t *items) {
  static const input_part all = {.offset = 0};
  if (l == NULL || l->file == NULL) return no_file(m);
  int code = leaf_open(l);
  const bool is_part =
      l->part != NULL && l->part->has_count && !l->in.is_npy; /* of what may have no end */
  l->in_step = m->in_step;
  if (code == EXIT_OK && !m->in_step && !is_part) code = input_read_rest(&l->in);
  if (code == EXIT_OK) code = input_select(&l->in, &iter->type, l->part != NULL ? l->part : &all);
  if (code != EXIT_OK) return code;
  l->iter = iter;
  if (iter->kind == JIG_ITER_STRIDED) return measure_strided(m, l, iter, items);
  *items = l->in.count;
  if (!l->leaves_out_first && !l->leaves_out_last) return EXIT_OK;
  if (*items == 0)
    return usage_error("%s: %s has no offsets; there is one more than segments", m->name, l->file);
  *items -= 1;
  l->skipped = l->leaves_out_first ? iter->type.size : 0;
  return EXIT_OK;
}

static int measure_value(const measure *m, leaf *l, jig_iter *iter) {
  const int needed = iter->kind == JIG_ITER_CONSTANT ? 1 : iter->kind == JIG_ITER_COUNTING_BY ? 2 : 0;
  const int count = l != NULL ? l->value_count : 0;
  int code = EXIT_OK;
  if (count < needed)
    return usage_error("%s: '%s' needs %s", m->name, iter_name(iter->kind),
                       needed == 1 ? "a value: constant(TYPE, VALUE)" : "a start and a step");
  for (int i = 0; i < count && code == EXIT_OK; ++i) code = parse_value(m, l, i, &iter->type);
  if (count > 0) iter->value = l->bytes[0];
  if (count > 1) iter->step = l->bytes[1];
  if (l != NULL && m->in_step && iter->kind != JIG_ITER_CONSTANT) {
    l->in_step = true;
    l->counts = iter;
    iter->value = l->bytes[0];
  }
  return code;
}

static int measure_shuffle(const measure *m, leaf *l, jig_iter *iter, uint64_t *items) {
  int64_t number = 0;
  if (l == NULL || l->value_count == 0)
    return usage_error("%s: write shuffle(TYPE, COUNT, SEED)", m->name);
  int code = parse_number(m, l, 0, &number);
  *items = iter->count = (uint64_t)number;
  if (code == EXIT_OK && l->value_count > 1) {
    code = parse_number(m, l, 1, &number);
    iter->seed = (uint64_t)number;
  }
  return code;
}

static int measure_leaf(measure *m, jig_iter *iter, uint64_t *items) {
  leaf *l = m->next < m->end ? m->next++ : NULL;
  switch (iter->kind) {
    case JIG_ITER_COUNTING:
    case JIG_ITER_CONSTANT:
    case JIG_ITER_COUNTING_BY:
      return measure_value(m, l, iter);
    case JIG_ITER_SHUFFLE:
      return measure_shuffle(m, l, iter, items);
    case JIG_ITER_DISCARD:
      return EXIT_OK;
    default:
      return measure_file(m, l, iter, items);
  }
}

/* Whether a base has an item for each; of a permutation, its indices do. */
static bool base_counts(const jig_iter *iter, unsigned k) {
  return k == 1 || iter->kind != JIG_ITER_PERMUTATION;
}

/* As many as the base with the fewest has. */
static int measure_bases(measure *m, jig_iter *iter, uint64_t *items) {
  int code = EXIT_OK;
  const bool in_step = m->in_step;
  for (unsigned k = 0; k < iter_base_count(iter) && code == EXIT_OK; ++k) {
    uint64_t own;
    m->in_step = in_step && base_counts(iter, k);
    code = measure_iter(m, (jig_iter *)(uintptr_t)iter_base_at(iter, k), &own);
    if (own < *items && base_counts(iter, k)) *items = own;
  }
  m->in_step = in_step;
  return code;
}

static int measure_iter(measure *m, jig_iter *iter, uint64_t *items) {
  *items = UINT64_MAX;
  if (is_leaf(iter->kind)) return measure_leaf(m, iter, items);
  const int code = measure_bases(m, iter, items);
  if (code != EXIT_OK || iter->kind != JIG_ITER_REVERSE) return code;
  if (*items == UINT64_MAX) return usage_error("%s: 'reverse' of what has no end", m->name);
  iter->count = *items;
  return EXIT_OK;
}

int leaves_measure(leaf_list *list, leaf_range range, const char *name, bool in_step, jig_iter *iter,
                   uint64_t *items) {
  leaf *first = range.count > 0 ? &list->leaves[range.first] : NULL;
  measure m = {.next = first, .end = first + range.count, .name = name, .in_step = in_step};
  return measure_iter(&m, iter, items);
}

bool leaves_are_open_ended(const leaf_list *list, leaf_range range) {
  for (int i = range.first; i < range.first + range.count; ++i)
    if (list->leaves[i].iter != NULL && list->leaves[i].in.count == INPUT_UNKNOWN) return true;
  return false;
}

/* What counts in whole numbers can go on where a chunk begins. */
static bool leaf_has_steps(const jig_iter *iter) {
  const bool counts = iter->kind == JIG_ITER_COUNTING || iter->kind == JIG_ITER_COUNTING_BY;
  const int kind = (int)iter->type.kind;
  if (counts)
    return iter->type.size <= sizeof(uint64_t) && kind >= (int)JIG_KIND_I8 && kind <= (int)JIG_KIND_U64;
  return iter->kind != JIG_ITER_STRIDED && iter->kind != JIG_ITER_SHUFFLE;
}

bool leaves_have_steps(const jig_iter *iter) {
  if (is_leaf(iter->kind)) return leaf_has_steps(iter);
  const jig_iter_kind kind = iter->kind;
  if (kind != JIG_ITER_TRANSFORM && kind != JIG_ITER_ZIP && kind != JIG_ITER_ZIP_TRANSFORM &&
      kind != JIG_ITER_PERMUTATION)
    return false;
  for (unsigned k = 0; k < iter_base_count(iter); ++k)
    if (base_counts(iter, k) && !leaves_have_steps(iter_base_at(iter, k))) return false;
  return true;
}

/* ---- memory */

static int measure_again(leaf *l) {
  static const input_part all = {.offset = 0};
  return input_select(&l->in, &l->iter->type, l->part != NULL ? l->part : &all);
}

static int upload(leaf *l, gpu *g, leaf_costs *costs) {
  if (l->in.bytes == INPUT_UNKNOWN) { /* of a zip that ends before this does */
    int code = input_read_rest(&l->in);
    if (code == EXIT_OK) code = measure_again(l);
    if (code != EXIT_OK) return code;
  }
  void *host = malloc(l->in.bytes > 0 ? l->in.bytes : 1);
  if (host == NULL) {
    complain("out of memory: the content of %s", l->in.path);
    return EXIT_FAILED;
  }
  double start = clock_ms();
  int code = input_read(&l->in, host);
  costs->file_ms += clock_ms() - start;
  unsigned char *items = code == EXIT_OK ? gpu_alloc(g, l->in.bytes) : NULL;
  start = clock_ms();
  if (items == NULL || !gpu_upload(g, items, host, l->in.bytes))
    code = code == EXIT_OK ? EXIT_FAILED : code;
  costs->transfer_ms += clock_ms() - start;
  costs->bytes += l->in.bytes;
  l->iter->pointer = items + l->skipped;
  free(host);
  return code;
}

int leaves_upload(leaf_list *list, gpu *g, bool chunks, leaf_costs *costs) {
  int code = EXIT_OK;
  for (int i = 0; i < list->count && code == EXIT_OK; ++i) {
    leaf *l = &list->leaves[i];
    if (l->iter != NULL && !(chunks && l->in_step)) code = upload(l, g, costs);
  }
  return code;
}
