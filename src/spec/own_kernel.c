#include "spec/own_kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spec/layout.h"
#include "spec/name.h"
#include "spec/source.h"
#include "spec/spec.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/text.h"

/* ---- texts */

size_t own_text_count(const jig_kernel_config *k) {
  return k->text_count + 1;
}

own_text own_text_at(const jig_kernel_config *k, size_t i) {
  const bool is_last = i == k->text_count;
  own_text t = {.text = is_last ? k->source : k->texts[i].text,
                .given_name = is_last ? k->source_name : k->texts[i].name};
  if (t.given_name != NULL)
    (void)snprintf(t.shown, sizeof t.shown, "%s", t.given_name);
  else if (is_last)
    (void)snprintf(t.shown, sizeof t.shown, "source");
  else
    (void)snprintf(t.shown, sizeof t.shown, "source %zu", i + 1);
  return t;
}

/* Whether a text can be called so in a #line, and in a message that is told from jig's own places. */
static bool is_fine_name(const char *name) {
  static const char *const own[] = {"jig/", "jig program", "call of ", "layout of ", "end of "};
  const size_t length = strlen(name);
  bool fine = length > 0 && length < OWN_NAME_SIZE;
  for (const char *c = name; *c != '\0'; ++c)
    fine = fine && (unsigned char)*c >= ' ' && *c != '"' && *c != '\\';
  for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
    fine = fine && strncmp(name, own[i], strlen(own[i])) != 0;
  return fine;
}

static jig_status check_text(const jig_kernel_config *k, size_t i, const char *who) {
  const own_text t = own_text_at(k, i);
  const char *name_field = i < k->text_count ? "name" : "source_name";
  char what[64] = "";
  if (i < k->text_count) (void)snprintf(what, sizeof what, "texts[%zu]: ", i);
  if (i < k->text_count) {
    jig_status status = layout_check(LAYOUT(jig_kernel_text), &k->texts[i], who, "texts");
    if (status != JIG_SUCCESS) return status;
  }
  if (t.text == NULL || (i == k->text_count && t.text[0] == '\0'))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s%s is %s", who, what,
                     i < k->text_count ? "text" : "source", t.text == NULL ? "NULL" : "empty");
  if (t.given_name != NULL && *text_past_utf8(t.given_name) != '\0')
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s%s is not UTF-8", who, what, name_field);
  if (t.given_name != NULL && !is_fine_name(t.given_name))
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: %s%s: '%.150s' cannot be a text's name: it is empty or long, has a quote, a "
                     "backslash or a line's end in it, or begins as jig's own",
                     who, what, name_field, t.given_name);
  return source_check(t.text, who, t.shown);
}

/* ---- definitions */

op_signature own_signature(const jig_definition *d) {
  static const jig_type truth = {.kind = JIG_KIND_BOOL, .size = sizeof(bool), .align = _Alignof(bool)};
  const bool orders = op_is_order(&d->op);
  const jig_type *operand = d->arity > 0 ? &d->type : op_index_type();
  const jig_type *otherwise = orders ? &truth : operand;
  return (op_signature){.arity = (int)d->arity,
                        .operand = operand,
                        .result = d->result.kind != JIG_KIND_NONE ? &d->result : otherwise,
                        .orders = orders};
}

void own_operator_name(const jig_definition *d, char shown[OWN_NAME_SIZE]) {
  (void)snprintf(shown, OWN_NAME_SIZE, "operator %.100s", d->name);
}

static jig_status check_name(const char *name, const char *what) {
  enum { LONGEST = 100 };
  if (name == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the name is NULL", what);
  if (!is_identifier(name) || strchr(name, ':') != NULL || strlen(name) > LONGEST)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%.120s' is no identifier of up to %d characters",
                     what, name, (int)LONGEST);
  return name_check_own(name, what);
}

/* A macro may be called as a keyword, and a type by its own name. */
static jig_status check_keyword(const jig_definition *d, const char *what) {
  char type[TYPE_NAME_SIZE];
  const bool is_type = d->kind == JIG_DEFINITION_TYPE, is_op = d->kind == JIG_DEFINITION_OP;
  if (is_type && strcmp(type_cxx_name(&d->type, type), d->name) == 0) return JIG_SUCCESS;
  return is_type || is_op ? name_check_keyword(d->name, what) : JIG_SUCCESS;
}

static jig_status check_macro_text(const jig_definition *d, const char *what) {
  char shown[OWN_NAME_SIZE];
  if (d->text == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: text is NULL", what);
  if (strpbrk(d->text, "\r\n") != NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: a macro's text is one line", what);
  if (strpbrk(d->text, "([{<\"'/\\#%?)]}>") == NULL) return JIG_SUCCESS; /* names and numbers */
  (void)snprintf(shown, sizeof shown, "definition of %s", d->name);
  return source_check(d->text, what, shown);
}

static jig_status check_number(const jig_definition *d, const char *what) {
  const bool is_float = d->kind == JIG_DEFINITION_FLOAT;
  const jig_type_kind kind = d->type.kind;
  const bool fits = is_float ? kind == JIG_KIND_F32 || kind == JIG_KIND_F64
                             : kind == JIG_KIND_I64 || kind == JIG_KIND_U64;
  if (!fits)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the type of %s is %s, not %s", what,
                     is_float ? "a number" : "an integer", is_float ? "f32 or f64" : "i64 or u64",
                     jig_type_name(&d->type));
  if (is_float && !isfinite(d->number))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the number is not finite", what);
  if (is_float && kind == JIG_KIND_F32 && (double)(float)d->number != d->number)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the number is none of f32", what);
  return JIG_SUCCESS;
}

static jig_status check_op(const jig_definition *d, const char *what) {
  char shown[OWN_NAME_SIZE];
  if (d->arity > OP_MAX_ARITY)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: arity: %u; up to %d are possible", what, d->arity,
                     (int)OP_MAX_ARITY);
  jig_status status = d->arity > 0 ? type_check(&d->type, what) : JIG_SUCCESS;
  if (status == JIG_SUCCESS && d->result.kind != JIG_KIND_NONE) status = type_check(&d->result, what);
  const op_signature signature = own_signature(d);
  own_operator_name(d, shown);
  return status == JIG_SUCCESS ? op_check(&d->op, &signature, what, shown) : status;
}

/* What a definition of its kind has no use for is left out, as the program is made of all that is there.
 */
static jig_status check_left_out(const jig_definition *d, const char *what) {
  const bool is_op = d->kind == JIG_DEFINITION_OP;
  const bool has_type = is_op ? d->arity > 0 : d->kind != JIG_DEFINITION_TEXT;
  const bool has_op = d->op.kind != JIG_OP_NONE || d->op.state_type.kind != JIG_KIND_NONE;
  const char *field = !has_type && d->type.kind != JIG_KIND_NONE  ? "type"
                      : !is_op && d->result.kind != JIG_KIND_NONE ? "result"
                      : !is_op && has_op                          ? "op"
                                                                  : NULL;
  if (field == NULL) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: a definition of this kind has none", what, field);
}

/* Macros come before jig's lines about types and operators. */
static jig_status check_macro_name(const jig_definition *d, const char *what) {
  if (!own_is_macro(d) || !name_is_of_type(d->name, strlen(d->name))) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: a macro called '%s' would change types of jig's own; give it another name, or "
                   "#define it in the source",
                   what, d->name);
}

static jig_status check_definition(const jig_kernel_config *k, size_t i, const char *who) {
  const jig_definition *d = &k->definitions[i];
  char what[160];
  (void)snprintf(what, sizeof what, "%s: definitions[%zu]", who, i);
  jig_status status = check_name(d->name, what);
  if (status != JIG_SUCCESS) return status;
  (void)snprintf(what, sizeof what, "%s: definition of %s", who, d->name);
  status = layout_check(LAYOUT(jig_definition), d, who, what + strlen(who) + 2);
  if (status != JIG_SUCCESS) return status;
  for (size_t other = 0; other < i; ++other)
    if (strcmp(k->definitions[other].name, d->name) == 0)
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: there is one already", what);
  status = check_left_out(d, what);
  if (status == JIG_SUCCESS) status = check_macro_name(d, what);
  if (status != JIG_SUCCESS) return status;
  switch (d->kind) {
    case JIG_DEFINITION_TEXT:
      return check_macro_text(d, what);
    case JIG_DEFINITION_INTEGER:
    case JIG_DEFINITION_FLOAT:
      return check_number(d, what);
    case JIG_DEFINITION_TYPE:
      status = type_check(&d->type, what);
      return status == JIG_SUCCESS ? check_keyword(d, what) : status;
    case JIG_DEFINITION_OP:
      status = check_keyword(d, what);
      return status == JIG_SUCCESS ? check_op(d, what) : status;
    default:
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: no such kind (%d)", what, (int)d->kind);
  }
}

/* Whoever lists them has so much room. */
static jig_status check_compiled(const jig_kernel_config *k, const char *who) {
  size_t count = 0;
  for (size_t i = 0; i < k->definition_count; ++i) count += k->definitions[i].op.kind == JIG_OP_BINARY;
  if (count <= SPEC_MAX_SLOTS) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: definitions: more than %d compiled operators", who,
                   (int)SPEC_MAX_SLOTS);
}

static jig_status check_bounds(const jig_kernel_config *k, const char *who) {
  enum { MOST_THREADS = 1024, MOST_BLOCKS = 32 };
  bool is_used = false;
  if (k->max_threads > MOST_THREADS)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: max_threads: %u; a block has %d at most", who,
                     k->max_threads, (int)MOST_THREADS);
  if (k->min_blocks > MOST_BLOCKS)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: min_blocks: %u; a multiprocessor has %d at most",
                     who, k->min_blocks, (int)MOST_BLOCKS);
  if (k->min_blocks > 0 && k->max_threads == 0)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: min_blocks: there are no max_threads", who);
  for (size_t i = 0; i < own_text_count(k); ++i)
    is_used = is_used || strstr(own_text_at(k, i).text, "JIG_LAUNCH_BOUNDS") != NULL;
  if (k->max_threads == 0 || is_used) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: max_threads: the source has no JIG_LAUNCH_BOUNDS",
                   who);
}

/* ---- all of it */

jig_status own_kernel_check_pointers(const jig_kernel_config *k, const char *who) {
  if (k->texts == NULL && k->text_count > 0)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: texts: the pointer is NULL", who);
  if (k->definitions == NULL && k->definition_count > 0)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: definitions: the pointer is NULL", who);
  return JIG_SUCCESS;
}

jig_status own_kernel_check(const jig_kernel_config *k, const char *who) {
  char what[96];
  (void)snprintf(what, sizeof what, "%s: entry", who);
  jig_status status = own_kernel_check_pointers(k, who);
  if (status == JIG_SUCCESS) status = layout_check(LAYOUT(jig_kernel_config), k, who, "config");
  if (status == JIG_SUCCESS) status = check_name(k->entry, what);
  if (status == JIG_SUCCESS) status = name_check_keyword(k->entry, what);
  for (size_t i = 0; i < own_text_count(k) && status == JIG_SUCCESS; ++i) status = check_text(k, i, who);
  for (size_t i = 0; i < k->definition_count && status == JIG_SUCCESS; ++i)
    status = check_definition(k, i, who);
  if (status == JIG_SUCCESS) status = check_bounds(k, who);
  return status == JIG_SUCCESS ? check_compiled(k, who) : status;
}
