#include "op_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jig/operator.h>

#include "files.h"
#include "report.h"
#include "spec/format.h"
#include "spec/operator.h"
#include "suggest.h"
#include "util/base64.h"

#define OP_IN_LIST(kind, name) " " name
#define OP_TRY(kind, name) suggest_try(&s, name);
#define WELL_KNOWN_OPS JIG_OP_MAP(OP_IN_LIST) JIG_ORDER_MAP(OP_IN_LIST)

static bool is_word(const char *name) {
  for (; *name != '\0'; ++name) {
    if (!isalnum((unsigned char)*name) && *name != '_') return false;
  }
  return true;
}

json_t *op_named(text_reader *r, const char *name) {
  if (jig_op_from_name(name).kind != JIG_OP_NONE) return json_string(name);
  if (!is_word(name))
    return reader_wrong(r, "'%s' is no operator's name; give a body by --op-source", name);
  suggestions s = {.word = name};
  char bodies[256] = "";
  JIG_OP_MAP(OP_TRY)
  JIG_ORDER_MAP(OP_TRY)
  for (size_t i = 0, used = 0; op_body_name(i) != NULL && used < sizeof bodies; ++i) {
    suggest_try(&s, op_body_name(i));
    used += (size_t)snprintf(bodies + used, sizeof bodies - used, " %s", op_body_name(i));
  }
  return reader_wrong(r, "there is no operator '%s' (there are:" WELL_KNOWN_OPS "%s)%s", name, bodies,
                      suggest_text(&s));
}

json_t *op_body(text_reader *r, const char *body, size_t length) {
  json_t *source = reader_string(r, body, length);
  return source != NULL ? json_pack("{s:s,s:o}", "kind", "source", "source", source) : NULL;
}

/* ---- in files */

/* The single ':' nearest to the end: the function's name may have "::" in it. */
static char *last_single_colon(char *text) {
  for (char *at = text + strlen(text); at-- > text;) {
    if (*at != ':') continue;
    if (at == text || at[-1] != ':') return at;
    --at;
  }
  return NULL;
}

static json_t *function_of(text_reader *r, char *text) {
  char *colon = last_single_colon(text), what[TEXT_WORD_SIZE];
  if (colon == NULL || colon == text || colon[1] == '\0')
    return reader_wrong(r, "'%s' is not FILE:NAME", text);
  *colon = '\0';
  (void)snprintf(what, sizeof what, "%s: ", r->label);
  char *content = file_read_text(what, text);
  if (content == NULL) {
    r->code = EXIT_FAILED;
    return NULL;
  }
  json_t *source = reader_string(r, content, strlen(content)), *name = NULL;
  free(content);
  if (source != NULL) name = reader_string(r, colon + 1, strlen(colon + 1));
  return source != NULL && name != NULL
             ? json_pack("{s:s,s:o,s:o}", "kind", "function", "name", name, "source", source)
             : (json_decref(source), NULL);
}

static json_t *binary_of(text_reader *r, char *text) {
  char *first = strchr(text, ':'), *last = strrchr(text, ':');
  if (first == NULL || first == last || last == first + 1 || last[1] == '\0')
    return reader_wrong(r, "'%s' is not FORMAT:FILE:NAME", text);
  *first = *last = '\0';
  if (format_from_name(text) == JIG_FORMAT_NONE) return reader_wrong(r, "there is no format '%s'", text);
  size_t size;
  char *content = file_read(first + 1, &size);
  if (content == NULL) {
    complain("%s: %s: %s", r->label, first + 1, strerror(errno));
    r->code = EXIT_FAILED;
    return NULL;
  }
  char *data = base64_encode(content, size);
  json_t *name = reader_string(r, last + 1, strlen(last + 1));
  json_t *json = name != NULL ? json_pack("{s:s,s:s,s:s,s:o}", "data", data, "format", text, "kind",
                                          "binary", "name", name)
                              : NULL;
  free(data);
  free(content);
  return json;
}

/* Both cut the text into its parts. */
static json_t *with_copy(text_reader *r, const char *text, json_t *(*read)(text_reader *r, char *text)) {
  char *copy = strdup(text);
  json_t *json = copy != NULL ? read(r, copy) : reader_wrong(r, "memory is out");
  free(copy);
  return json;
}

json_t *op_function(text_reader *r, const char *text) {
  return with_copy(r, text, function_of);
}

json_t *op_binary(text_reader *r, const char *text) {
  return with_copy(r, text, binary_of);
}

/* ---- said of others */

json_t *op_marked(json_t *op, const char *mark) {
  if (json_is_string(op)) {
    json_t *named = json_pack("{s:O}", "kind", op);
    json_decref(op);
    op = named;
  }
  if (op != NULL) (void)json_object_set_new(op, mark, json_true());
  return op;
}

json_t *op_ignoring_nan(json_t *op) {
  const char *name = json_string_value(json_is_object(op) ? json_object_get(op, "kind") : op);
  if (name == NULL || (strcmp(name, "min") != 0 && strcmp(name, "max") != 0)) return op;
  json_t *named = json_pack("{s:s,s:s}", "kind", name, "nan", "ignore");
  json_decref(op);
  return named;
}

/* ---- in their forms */

static json_t *quoted(text_reader *r) {
  const char *end = strchr(r->at, '\'');
  if (end == NULL) return reader_wrong(r, "there is no ' for a '");
  json_t *json = op_body(r, r->at, (size_t)(end - r->at));
  r->at = end + 1;
  return json;
}

/* The '}' for a '{' that was before; what is in quotes does not count. NULL: there is none. */
static const char *closing_brace(const char *at) {
  char quote = '\0';
  for (int depth = 1; *at != '\0'; ++at) {
    if (quote != '\0') {
      if (*at == '\\' && at[1] != '\0')
        ++at;
      else if (*at == quote)
        quote = '\0';
    } else if (*at == '"' || *at == '\'') {
      quote = *at;
    } else {
      depth += (*at == '{') - (*at == '}');
      if (depth == 0) return at;
    }
  }
  return NULL;
}

/* The body is what is between the braces, blanks around it aside. */
static json_t *braced(text_reader *r) {
  const char *end = closing_brace(r->at);
  if (end == NULL) return reader_wrong(r, "there is no '}' for a '{'");
  reader_skip_blanks(r);
  size_t length = (size_t)(end - r->at);
  while (length > 0 && strchr(" \t\n", r->at[length - 1]) != NULL) --length;
  json_t *json = op_body(r, r->at, length);
  r->at = end + 1;
  return json;
}

/* What a word is said of, up to the ')'. */
static json_t *marked(text_reader *r, const char *mark) {
  if (!reader_enter(r)) return NULL;
  json_t *op = op_read(r);
  reader_leave(r);
  if (op == NULL) return NULL;
  if (reader_take(r, ')')) return op_marked(op, mark);
  json_decref(op);
  return reader_wrong(r, "there is no ')' for a '('");
}

static json_t *ignoring_nan(text_reader *r, const char *name) {
  static const char *const extremes[] = {"min", "max"};
  json_t *within = reader_up_to_parenthesis(r);
  if (within == NULL) return NULL;
  const bool says_it = strcmp(json_string_value(within), "nan ignored") == 0;
  json_decref(within);
  for (size_t i = 0; says_it && i < sizeof extremes / sizeof extremes[0]; ++i)
    if (strcmp(name, extremes[i]) == 0) return op_ignoring_nan(json_string(name));
  return reader_wrong(r, "'%s' takes nothing in parentheses but, if it is min or max, 'nan ignored'",
                      name);
}

static json_t *in_file(text_reader *r, json_t *(*read)(text_reader *r, const char *text)) {
  json_t *within = reader_up_to_parenthesis(r);
  json_t *op = within != NULL ? read(r, json_string_value(within)) : NULL;
  json_decref(within);
  return op;
}

static bool is_form(const char *word) {
  static const char *const forms[] = {"commutative", "by_pointer", "function", "binary", "min", "max"};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i)
    if (strcmp(word, forms[i]) == 0) return true;
  return false;
}

bool op_is_next(const text_reader *r) {
  char word[TEXT_WORD_SIZE];
  text_reader ahead = *r;
  if (reader_is_object(r)) return false;
  if (reader_take(&ahead, '\'') || reader_take(&ahead, '{')) return true;
  reader_take_word(&ahead, word);
  return is_form(word) || jig_op_from_name(word).kind != JIG_OP_NONE;
}

json_t *op_read(text_reader *r) {
  char word[TEXT_WORD_SIZE];
  if (reader_is_object(r)) return reader_object(r);
  if (reader_take(r, '\'')) return quoted(r);
  if (reader_take(r, '{')) return braced(r);
  const char *begin = r->at;
  reader_take_word(r, word);
  if (word[0] == '\0') return reader_wrong(r, "'%s' is no operator", begin);
  if (!reader_take(r, '(')) return op_named(r, word);
  if (strcmp(word, "function") == 0) return in_file(r, op_function);
  if (strcmp(word, "binary") == 0) return in_file(r, op_binary);
  if (strcmp(word, "commutative") == 0 || strcmp(word, "by_pointer") == 0) return marked(r, word);
  return ignoring_nan(r, word);
}

/* A body as it is has a ';', and begins like none of the forms. */
static bool is_bare_body(const text_reader *r) {
  char word[TEXT_WORD_SIZE];
  text_reader ahead = *r;
  reader_skip_blanks(&ahead);
  if (*ahead.at == '{' || *ahead.at == '\'' || strchr(ahead.at, ';') == NULL) return false;
  reader_take_word(&ahead, word);
  return !(is_form(word) && reader_take(&ahead, '('));
}

json_t *op_read_whole(text_reader *r, bool lists) {
  const bool is_list = lists && !reader_is_object(r);
  if (is_list || is_bare_body(r)) return op_body(r, r->at, strlen(r->at));
  return reader_end(r, op_read(r));
}
