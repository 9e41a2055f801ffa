#include "kernel_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "op_text.h"
#include "report.h"
#include "spec/own_kernel.h"
#include "type_text.h"

enum {
  OPTION_ENTRY = OPTION_OF_SPEC,
  OPTION_TYPE,
  OPTION_OP,
  OPTION_STRUCT,
  OPTION_TEXT,
  OPTION_MAX_THREADS,
  OPTION_MIN_BLOCKS
};

const option_row kernel_option_rows[] = {
    {OPTION_ENTRY, "entry", "NAME", "the kernel's name; default: that of the file, up to its '.'"},
    {'D', "define", "NAME[=VALUE]",
     "a macro: a decimal number is what jig_define_int(), _uint() (5u),\n"
     "_double() (0.5) and _float() (0.5f) make of it, all else its text;\n"
     "without a value 1"},
    {OPTION_TYPE, "type", "NAME=T", "a name for a type: of a number, or of a --struct"},
    {OPTION_OP, "op", "NAME(T,...)=OP",
     "a name for the class of an operator over these types, all alike:\n"
     "'Add(f32, f32)=plus', 'Far(hit) -> bool=return x.d > 9;'"},
    {OPTION_STRUCT, "struct", "S", "defines a type, as NAME:SIZE:ALIGN:definition"},
    {OPTION_TEXT, "text", "FILE", "a text that comes before the file's; may be repeated"},
    {OPTION_MAX_THREADS, "max-threads", "N", "the launch bounds, JIG_LAUNCH_BOUNDS in the file"},
    {OPTION_MIN_BLOCKS, "min-blocks", "N", "blocks of a multiprocessor, the same"},
    OPTION_END_ROW,
};

/* ---- taking */

static int add_text(char **list, int most, int *count, const char *option, char *value) {
  if (*count == most) return usage_error("--%s: more than %d of them", option, most);
  list[(*count)++] = value;
  return EXIT_OK;
}

int kernel_options_take(kernel_options *o, int id, char *value, bool *mine) {
  *mine = true;
  switch (id) {
    case OPTION_ENTRY:
      o->entry = value;
      return EXIT_OK;
    case 'D':
    case OPTION_TYPE:
    case OPTION_OP:
      if (o->definition_count == KERNEL_MAX_DEFINITIONS)
        return usage_error("more than %d definitions", (int)KERNEL_MAX_DEFINITIONS);
      o->definitions[o->definition_count++] = (kernel_definition){id, value};
      return EXIT_OK;
    case OPTION_STRUCT:
      return add_text(o->structs, MAX_STRUCTS, &o->struct_count, "struct", value);
    case OPTION_TEXT:
      return add_text(o->texts, KERNEL_MAX_TEXTS, &o->text_count, "text", value);
    case OPTION_MAX_THREADS:
      return options_number("--max-threads", value, 1, 1024, &o->max_threads) ? EXIT_OK : EXIT_USAGE;
    case OPTION_MIN_BLOCKS:
      return options_number("--min-blocks", value, 1, 32, &o->min_blocks) ? EXIT_OK : EXIT_USAGE;
    default:
      return build_options_take(&o->build, id, value, mine);
  }
}

/* ---- numbers, as C has them */

static json_t *number_json(const char *kind, const char *type, json_t *value) {
  return json_pack("{s:s,s:s,s:o}", "kind", kind, "type", type, "value", value);
}

static json_t *integer_json(const char *given) {
  char *end;
  const bool negative = *given == '-';
  const size_t digits = strspn(given + negative, "0123456789");
  const char *suffix = given + negative + digits;
  if (digits == 0 || (*given == '0' && digits > 1) || (*suffix != '\0' && strcmp(suffix, "u") != 0))
    return NULL;
  errno = 0;
  if (*suffix == 'u') {
    const unsigned long long value = strtoull(given, &end, 10);
    return errno == 0 && !negative ? number_json("integer", "u64", json_integer((json_int_t)value))
                                   : NULL;
  }
  const long long value = strtoll(given, &end, 10);
  return errno == 0 ? number_json("integer", "i64", json_integer(value)) : NULL;
}

static json_t *float_json(const char *given) {
  char *end, written[FLOAT_TEXT_SIZE];
  if (strspn(given, "+-.0123456789eEf") != strlen(given) || strpbrk(given, ".e") == NULL) return NULL;
  const float single = strtof(given, &end);
  const bool is_single = *end == 'f' && end[1] == '\0';
  const double number = is_single ? (double)single : strtod(given, &end);
  if ((!is_single && *end != '\0') || end == given || !isfinite(number)) return NULL;
  float_text(number, written);
  return number_json("float", is_single ? "f32" : "f64", json_string(written));
}

static json_t *macro_json(const char *given) {
  json_t *json = integer_json(given);
  if (json == NULL) json = float_json(given);
  return json != NULL ? json : json_pack("{s:s,s:s}", "kind", "text", "text", given);
}

/* ---- definitions */

/* "-D NAME" and "-D NAME=VALUE". */
static json_t *read_macro(text_reader *r, char name[TEXT_WORD_SIZE]) {
  reader_take_word(r, name);
  if (*r->at == '\0') return macro_json("1");
  if (*r->at != '=') return reader_wrong(r, "write NAME=VALUE");
  json_t *json = macro_json(r->at + 1);
  return json != NULL ? json : reader_wrong(r, "the text is not UTF-8");
}

static json_t *read_type(text_reader *r, char name[TEXT_WORD_SIZE]) {
  reader_take_word(r, name);
  if (!reader_take(r, '=')) return reader_wrong(r, "write NAME=TYPE");
  json_t *type = reader_end(r, type_read(r));
  return type != NULL ? json_pack("{s:s,s:o}", "kind", "type", "type", type) : NULL;
}

/* The operands' types, up to the parenthesis; of none an index's. *type is NULL having complained. */
static int read_operands(text_reader *r, json_t **type) {
  int arity = 0;
  *type = NULL;
  for (bool more = !reader_take(r, ')'); more; more = !reader_take(r, ')')) {
    if (arity > 0 && !reader_take(r, ',')) return (void)reader_wrong(r, "a ',' or ')' is missing"), 0;
    json_t *next = type_read(r);
    if (next == NULL) return 0;
    const bool is_same = *type == NULL || json_equal(*type, next);
    json_decref(*type);
    *type = next;
    ++arity;
    if (is_same) continue;
    json_decref(next);
    *type = NULL;
    return (void)reader_wrong(r, "its operands are of one type"), 0;
  }
  if (*type == NULL) *type = json_string("u64");
  return arity;
}

/* "NAME(T, T) -> R=OP" */
static json_t *read_op(text_reader *r, char name[TEXT_WORD_SIZE]) {
  json_t *type = NULL, *result = NULL;
  reader_take_word(r, name);
  if (!reader_take(r, '(')) return reader_wrong(r, "write NAME(TYPE,...)=OPERATOR");
  const int arity = read_operands(r, &type);
  if (type == NULL) return NULL;
  if (reader_take(r, '-') && reader_take(r, '>')) result = type_read(r);
  if (r->code != EXIT_OK || !reader_take(r, '=')) {
    json_decref(type);
    json_decref(result);
    return r->code != EXIT_OK ? NULL : reader_wrong(r, "write NAME(TYPE,...)=OPERATOR");
  }
  json_t *op = op_read_whole(r, false);
  const char *known = json_string_value(op);
  const bool orders = known != NULL && (strcmp(known, "less") == 0 || strcmp(known, "greater") == 0);
  if (result == NULL) result = orders ? json_string("bool") : json_incref(type);
  return json_pack("{s:i,s:s,s:o,s:o,s:o}", "arity", arity, "kind", "op", "op", op, "result", result,
                   "type", type);
}

static json_t *read_definition(const kernel_definition *d, const struct_table *structs, int *code) {
  char name[TEXT_WORD_SIZE] = "";
  const char *label = d->option == 'D' ? "-D" : d->option == OPTION_TYPE ? "--type" : "--op";
  text_reader r = {.label = label, .at = d->text, .structs = structs};
  json_t *json = d->option == 'D'           ? read_macro(&r, name)
                 : d->option == OPTION_TYPE ? read_type(&r, name)
                                            : read_op(&r, name);
  *code = r.code;
  if (json == NULL && *code == EXIT_OK) *code = EXIT_FAILED;
  if (json != NULL) (void)json_object_set_new(json, "name", json_string(name));
  return json;
}

static int put_definitions(const kernel_options *o, json_t *kernel) {
  struct_table structs = {.count = 0};
  json_t *all = json_array();
  int code = EXIT_OK;
  for (int i = 0; i < o->struct_count && code == EXIT_OK; ++i)
    code = struct_table_add(&structs, o->structs[i]);
  for (int i = 0; i < o->definition_count && code == EXIT_OK; ++i) {
    json_t *json = read_definition(&o->definitions[i], &structs, &code);
    if (json != NULL) (void)json_array_append_new(all, json);
  }
  (void)json_object_set_new(kernel, "definitions", all);
  return code;
}

/* ---- texts */

static const char *name_in_path(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Where a file includes headers in quotes, its folder is looked in. */
static int add_folder(kernel_options *o, const char *path, const char *content) {
  static char folders[KERNEL_MAX_TEXTS + 1][4096];
  static int count;
  const char *slash = strrchr(path, '/');
  bool mine;
  if (strstr(content, "#include \"") == NULL || count > KERNEL_MAX_TEXTS) return EXIT_OK;
  char *folder = folders[count++];
  (void)snprintf(folder, sizeof folders[0], "%.*s", slash != NULL ? (int)(slash - path) : 1,
                 slash != NULL ? path : ".");
  return build_options_take(&o->build, 'I', folder[0] != '\0' ? folder : "/", &mine);
}

static int put_text(kernel_options *o, json_t *object, const char *path, const char *text_member,
                    const char *name_member) {
  char *content = file_read_text("", path);
  if (content == NULL) return EXIT_FAILED;
  int code = add_folder(o, path, content);
  json_t *json = json_string(content);
  free(content);
  if (json == NULL) {
    complain("%s: the text is not UTF-8", path);
    return EXIT_FAILED;
  }
  (void)json_object_set_new(object, text_member, json);
  (void)json_object_set_new(object, name_member, json_string(name_in_path(path)));
  return code;
}

static int put_texts(kernel_options *o, json_t *kernel, const char *file) {
  json_t *texts = json_array();
  int code = EXIT_OK;
  for (int i = 0; i < o->text_count && code == EXIT_OK; ++i) {
    json_t *content = json_object();
    code = put_text(o, content, o->texts[i], "text", "name");
    (void)json_array_append_new(texts, content);
  }
  (void)json_object_set_new(kernel, "texts", texts);
  return code == EXIT_OK ? put_text(o, kernel, file, "source", "source_name") : code;
}

/* ---- all of it */

static void put_entry(const kernel_options *o, json_t *kernel, const char *file) {
  const char *name = name_in_path(file);
  json_t *entry = o->entry != NULL ? json_string(o->entry) : json_stringn(name, strcspn(name, "."));
  (void)json_object_set_new(kernel, "entry", entry);
}

int kernel_options_spec(kernel_options *o, const char *file, char **spec_text) {
  json_t *kernel = json_object();
  *spec_text = NULL;
  put_entry(o, kernel, file);
  if (o->max_threads > 0)
    (void)json_object_set_new(kernel, "max_threads", json_integer((json_int_t)o->max_threads));
  if (o->min_blocks > 0)
    (void)json_object_set_new(kernel, "min_blocks", json_integer((json_int_t)o->min_blocks));
  int code = put_definitions(o, kernel);
  if (code == EXIT_OK) code = put_texts(o, kernel, file);
  json_t *whole = json_pack("{s:s,s:o}", "algorithm", "kernel", "kernel", kernel);
  if (code == EXIT_OK) *spec_text = canonical_text(whole);
  json_decref(whole);
  if (code == EXIT_OK && *spec_text == NULL) {
    complain("out of memory");
    code = EXIT_FAILED;
  }
  return code;
}
