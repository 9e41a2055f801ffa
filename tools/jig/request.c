#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"
#include "files.h"
#include "report.h"

#define ROW(option, name, value, help) \
  { OPTION_OF_SPEC + (option), name, value, help }

const option_row spec_option_rows[] = {
    ROW(SPEC_TYPE, "type", "T",
        "item type: i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f16 bf16\n"
        "f32 f64 bool, or a --struct's name"),
    ROW(SPEC_STRUCT, "struct", "S",
        "defines a type, as NAME:SIZE:ALIGN:definition, such as\n"
        "'hit:8:4:struct hit { float d; int id; };'; may be repeated"),
    ROW(SPEC_OP, "op", "NAME",
        "plus (the default of reduce* and scan*), multiplies, min (the default\n"
        "of arg_reduce), max, bit_and, bit_or, bit_xor, logical_and,\n"
        "logical_or; arg_reduce has min and max; merge_sort and merge have\n"
        "less (their default) and greater"),
    ROW(SPEC_OP_SOURCE, "op-source", "BODY",
        "reduce, scan*: the operator's body over a and b: 'return a + b;'; of\n"
        "select and the partitions, a test of x: 'return x < 9;'; of unique,\n"
        "default ==: 'return a == b;'; of arg_reduce the order, default <:\n"
        "'return a.d < b.d;'"),
    ROW(SPEC_OP_FUNCTION, "op-function", "F:NAME",
        "the operator is function NAME in the source file F\n"
        "('-': standard input)"),
    ROW(SPEC_OP_BINARY, "op-binary", "FORMAT:F:NAME",
        "*reduce: the operator is function NAME in the file F, which is\n"
        "lto_ir, ptx, cubin, object or fatbin"),
    ROW(SPEC_BY_POINTER, "by-pointer", NULL, "*reduce: that function takes and returns by pointers"),
    ROW(SPEC_COMMUTATIVE, "commutative", NULL,
        "reduce: the operator of --op-source, --op-function or\n"
        "--op-binary may take its operands in either order"),
    ROW(SPEC_NAN, "nan", "WHAT", "for min and max: propagate (default) or ignore"),
    ROW(SPEC_TRANSFORM, "transform", "BODY",
        "reduce*, scan*: applied to each item x first: 'return x * x;'"),
    ROW(SPEC_TRANSFORM_TYPE, "transform-type", "T",
        "reduce*, scan*: what --transform returns; default: the item type"),
    ROW(SPEC_OUT_TYPE, "out-type", "T",
        "reduce*, scan*: the result's type; default: the type that is\nreduced or scanned; in jig run "
        "reduce: the accumulator's"),
    ROW(SPEC_ACCUM, "accum", "T",
        "reduce*, scan*: the accumulator, which the operator works on;\ndefault: see jig/reduce.h"),
    ROW(SPEC_INIT_TYPE, "init-type", "T", "reduce, scan*: the init's type; default: the result's type"),
    ROW(SPEC_NO_VALUE, "no-value", NULL, "arg_reduce: only the index is wanted"),
    ROW(SPEC_INDEX_TYPE, "index-type", "T", "arg_reduce: the index's type; default: i64"),
    ROW(SPEC_EXCLUSIVE, "exclusive", NULL, "scan*: of the items before each; default: inclusive"),
    ROW(SPEC_FLAGS, "flags", "T",
        "select, partition: there are flags of that type, which the operator\n"
        "tests, if there is one"),
    ROW(SPEC_VALUES, "values", "T",
        "unique, the sorts, merge, top_k: there are values of that type beside the keys"),
    ROW(SPEC_SECOND_OP_SOURCE, "second-op-source", "BODY",
        "three_way_partition: the second operator's body"),
    ROW(SPEC_COUNT_TYPE, "count-type", "T",
        "select, unique, partitions: what they count in; default: i64"),
    ROW(SPEC_KEY_TYPE, "key-type", "T", "*_by_key: the keys' type; default: the item type"),
    ROW(SPEC_EQUALITY, "equality", "BODY",
        "*_by_key: whether two neighbouring keys, a and b, are equal;\ndefault: by =="),
    ROW(SPEC_DECOMPOSER, "decomposer", "LIST",
        "radix_sort, segmented_sort, top_k of structs: what keys are ordered by,\nthe most significant "
        "first: 'x.d, x.id'"),
    ROW(SPEC_SORTED, "sorted", NULL, "top_k: the result comes in order, which takes a second program"),
    OPTION_END_ROW,
};

/* ---- taking */

static const char *name_of(int option) {
  if (option == SPEC_INIT) return "init";
  const option_row *row = spec_option_rows;
  while (row->id != OPTION_OF_SPEC + option) ++row;
  return row->name;
}

int spec_options_take(spec_options *o, int id, char *value, bool *mine) {
  static char flag[] = "";
  const int option = id - OPTION_OF_SPEC;
  *mine = option >= 0 && option < SPEC_OPTIONS;
  if (!*mine) return EXIT_OK;
  if (option == SPEC_STRUCT) {
    if (o->struct_count == MAX_STRUCTS) return usage_error("--struct: more than %d of them", MAX_STRUCTS);
    o->structs[o->struct_count++] = value;
  } else if (o->text[option] != NULL && value != NULL) {
    return usage_error("--%s: given twice", name_of(option));
  }
  o->text[option] = value != NULL ? value : flag;
  return EXIT_OK;
}

const char *spec_options_first(const spec_options *o) {
  static char dashed[32];
  for (int option = 0; option < SPEC_OPTIONS; ++option) {
    if (o->text[option] == NULL) continue;
    (void)snprintf(dashed, sizeof dashed, "--%s", name_of(option));
    return dashed;
  }
  return NULL;
}

/* ---- types */

/* A number before a ':', which is passed over; false if it is anything else. */
static bool take_number(const char **text, size_t *number) {
  enum { TOO_LARGE = 1 << 20 };
  const char *at = *text;
  for (*number = 0; *at >= '0' && *at <= '9' && *number < TOO_LARGE; ++at) {
    *number = *number * 10 + (size_t)(*at - '0');
  }
  if (at == *text || *at != ':') return false;
  *text = at + 1;
  return true;
}

/* Cuts "NAME:SIZE:ALIGN:definition" at the ':' that a digit follows: a NAME may have "::" in it. */
static int read_struct(char *text, jig_type *type) {
  char *colon = text;
  while ((colon = strchr(colon, ':')) != NULL && (colon[1] < '0' || colon[1] > '9')) ++colon;
  const char *rest = colon != NULL ? colon + 1 : NULL;
  size_t size, align;
  if (rest == NULL || !take_number(&rest, &size) || !take_number(&rest, &align)) {
    return usage_error("--struct: '%s' is not NAME:SIZE:ALIGN:definition", text);
  }
  *colon = '\0';
  *type = jig_struct(text, rest, size, align);
  if (jig_type_from_name(text).kind == JIG_KIND_NONE) return EXIT_OK;
  return usage_error("--struct: '%s' is the name of a built-in type", text);
}

typedef struct struct_table {
  jig_type types[MAX_STRUCTS];
  int count;
} struct_table;

static int read_structs(spec_options *o, struct_table *table) {
  table->count = 0;
  for (int i = 0; i < o->struct_count; ++i) {
    int code = read_struct(o->structs[i], &table->types[i]);
    if (code != EXIT_OK) return code;
    ++table->count;
  }
  return EXIT_OK;
}

/* The type that an option names; what is there already stays if the option is not given. */
static int read_type(const spec_options *o, int option, const struct_table *table, jig_type *type) {
  const char *name = o->text[option];
  if (name == NULL) return EXIT_OK;
  *type = jig_type_from_name(name);
  for (int i = 0; i < table->count && type->kind == JIG_KIND_NONE; ++i) {
    if (strcmp(table->types[i].name, name) == 0) *type = table->types[i];
  }
  if (type->kind != JIG_KIND_NONE) return EXIT_OK;
  return usage_error("--%s: '%s' is neither a built-in type nor the name of a --struct", name_of(option),
                     name);
}

static int read_types(request *r, spec_options *o, const jig_type *item) {
  struct_table table;
  int code = read_structs(o, &table);
  if (code != EXIT_OK) return code;
  if (o->text[SPEC_TYPE] == NULL && item == NULL) return usage_error("--type is missing");
  if (item != NULL) r->item = *item;
  if (code == EXIT_OK) code = read_type(o, SPEC_TYPE, &table, &r->item);
  r->mapped = r->item;
  if (code == EXIT_OK) code = read_type(o, SPEC_TRANSFORM_TYPE, &table, &r->mapped);
  r->out = r->mapped;
  if (code == EXIT_OK) code = read_type(o, SPEC_OUT_TYPE, &table, &r->out);
  if (code == EXIT_OK) code = read_type(o, SPEC_ACCUM, &table, &r->accum);
  if (code == EXIT_OK) code = read_type(o, SPEC_FLAGS, &table, &r->flags);
  if (code == EXIT_OK) code = read_type(o, SPEC_VALUES, &table, &r->values);
  r->count = JIG_I64;
  if (code == EXIT_OK) code = read_type(o, SPEC_COUNT_TYPE, &table, &r->count);
  r->index = JIG_I64;
  if (code == EXIT_OK) code = read_type(o, SPEC_INDEX_TYPE, &table, &r->index);
  r->key = r->item;
  if (code == EXIT_OK) code = read_type(o, SPEC_KEY_TYPE, &table, &r->key);
  r->init_type = r->out;
  return code == EXIT_OK ? read_type(o, SPEC_INIT_TYPE, &table, &r->init_type) : code;
}

/* ---- operators */

#define OP_IN_LIST(kind, name) " " name
#define ALL_OPS JIG_OP_MAP(OP_IN_LIST) JIG_ORDER_MAP(OP_IN_LIST)

/* The single ':' nearest to the end: the function's name may have "::" in it. */
static char *last_single_colon(char *text) {
  for (char *at = text + strlen(text); at-- > text;) {
    if (*at != ':') continue;
    if (at == text || at[-1] != ':') return at;
    --at;
  }
  return NULL;
}

static int read_op_function(request *r, char *text, jig_op *op) {
  char *colon = last_single_colon(text);
  if (colon == NULL || colon == text || colon[1] == '\0') {
    return usage_error("--op-function: '%s' is not FILE:NAME", text);
  }
  *colon = '\0';
  r->op_file = file_read_text("--op-function: ", text);
  if (r->op_file == NULL) return EXIT_FAILED;
  *op = jig_op_function(r->op_file, colon + 1);
  return EXIT_OK;
}

static jig_format format_named(const char *name) {
#define RETURN_FORMAT(format, format_name) \
  if (strcmp(name, format_name) == 0) return format;
  JIG_FORMAT_MAP(RETURN_FORMAT)
#undef RETURN_FORMAT
  return JIG_FORMAT_NONE;
}

static int read_op_binary(request *r, char *text, jig_op *op) {
  char *first = strchr(text, ':'), *last = strrchr(text, ':');
  if (first == NULL || first == last || last == first + 1 || last[1] == '\0')
    return usage_error("--op-binary: '%s' is not FORMAT:FILE:NAME", text);
  *first = *last = '\0';
  const jig_format format = format_named(text);
  if (format == JIG_FORMAT_NONE) return usage_error("--op-binary: there is no format '%s'", text);
  size_t size;
  r->op_file = file_read(first + 1, &size);
  if (r->op_file == NULL) {
    complain("--op-binary: %s: %s", first + 1, strerror(errno));
    return EXIT_FAILED;
  }
  *op = jig_op_binary(format, r->op_file, size, last + 1);
  return EXIT_OK;
}

static int check_op_options(char *const *text, bool takes_order) {
  const int user =
      (text[SPEC_OP_SOURCE] != NULL) + (text[SPEC_OP_FUNCTION] != NULL) + (text[SPEC_OP_BINARY] != NULL);
  if (user + (text[SPEC_OP] != NULL && !takes_order) > 1)
    return usage_error("give only one of %s--op-source, --op-function and --op-binary",
                       takes_order ? "" : "--op, ");
  if (text[SPEC_COMMUTATIVE] != NULL && user == 0)
    return usage_error("--commutative: only for --op-source, --op-function and --op-binary");
  if (text[SPEC_BY_POINTER] != NULL && text[SPEC_OP_BINARY] == NULL)
    return usage_error("--by-pointer: only for --op-binary");
  return EXIT_OK;
}

/* The operator of the user's own, unless there is none. */
static int read_user_op(request *r, char *const *text, jig_op *op) {
  int code = EXIT_OK;
  if (text[SPEC_OP_SOURCE] != NULL)
    *op = jig_op_source(text[SPEC_OP_SOURCE]);
  else if (text[SPEC_OP_FUNCTION] != NULL)
    code = read_op_function(r, text[SPEC_OP_FUNCTION], op);
  else if (text[SPEC_OP_BINARY] != NULL)
    code = read_op_binary(r, text[SPEC_OP_BINARY], op);
  if (text[SPEC_COMMUTATIVE] != NULL) *op = jig_op_commutative(*op);
  if (text[SPEC_BY_POINTER] != NULL) *op = jig_op_by_pointer(*op);
  return code;
}

static int read_op(request *r, const spec_options *o) {
  char *const *text = o->text;
  int code = check_op_options(text, r->algorithm->takes_order);
  if (code == EXIT_OK) code = read_user_op(r, text, r->algorithm->takes_order ? &r->order : &r->op);
  if (code == EXIT_OK && text[SPEC_OP] != NULL) {
    r->op = jig_op_from_name(text[SPEC_OP]);
    if (r->op.kind == JIG_OP_NONE) {
      return usage_error("--op: there is no operator '%s' (there are:" ALL_OPS ")", text[SPEC_OP]);
    }
  }
  r->decomposer = text[SPEC_DECOMPOSER];
  r->sorted = text[SPEC_SORTED] != NULL;
  if (text[SPEC_SECOND_OP_SOURCE] != NULL) r->second_op = jig_op_source(text[SPEC_SECOND_OP_SOURCE]);
  return code;
}

static int read_transform(request *r, const spec_options *o) {
  if (o->text[SPEC_TRANSFORM] != NULL) {
    r->transform = jig_op_source(o->text[SPEC_TRANSFORM]);
  } else if (o->text[SPEC_TRANSFORM_TYPE] != NULL) {
    return usage_error("--transform-type: there is no --transform");
  }
  return EXIT_OK;
}

static int read_nan(request *r, const char *text) {
  if (text == NULL || strcmp(text, "propagate") == 0) return EXIT_OK;
  if (strcmp(text, "ignore") != 0)
    return usage_error("--nan: '%s' is neither propagate nor ignore", text);
  r->nan = JIG_NAN_IGNORE;
  return EXIT_OK;
}

/* ---- all of it */

static int check_options(const struct cli_algorithm *algorithm, const spec_options *o) {
  for (int option = 0; option < SPEC_OPTIONS; ++option) {
    if (o->text[option] == NULL || (algorithm->options >> option & 1) != 0) continue;
    return usage_error("--%s: %s has no such option", name_of(option), algorithm->name);
  }
  if (o->text[SPEC_INIT_TYPE] == NULL || o->text[SPEC_INIT] != NULL) return EXIT_OK;
  return usage_error("--init-type: there is no --init");
}

int request_resolve(request *r, const struct cli_algorithm *algorithm, spec_options *o,
                    const jig_type *item) {
  *r = (request){.algorithm = algorithm,
                 .init = o->text[SPEC_INIT],
                 .wants_value = o->text[SPEC_NO_VALUE] == NULL,
                 .exclusive = o->text[SPEC_EXCLUSIVE] != NULL};
  int code = check_options(algorithm, o);
  if (code == EXIT_OK) code = read_types(r, o, item);
  if (code == EXIT_OK) code = read_op(r, o);
  if (code == EXIT_OK) code = read_transform(r, o);
  if (o->text[SPEC_EQUALITY] != NULL) r->equality = jig_op_source(o->text[SPEC_EQUALITY]);
  return code == EXIT_OK ? read_nan(r, o->text[SPEC_NAN]) : code;
}

void request_free(request *r) {
  free(r->op_file);
  r->op_file = NULL;
}
