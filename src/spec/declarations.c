#include "spec/declarations.h"

#include <stdlib.h>
#include <string.h>

#include "spec/spelling.h"
#include "spec/tokens.h"
#include "util/error.h"
#include "util/text.h"

enum { MAX_IFS = 64, MAX_NAMESPACES = 64 };

typedef struct parser {
  token_reader tokens;
  declaration_list *list;
  int depth;             /* of brackets within a declaration */
  int if_depth;          /* of #if, */
  int item_ifs;          /* the same where the declaration began, */
  bool branched;         /* and whether another branch has begun since */
  int if_start[MAX_IFS]; /* and the other depth at each */
  int namespace_depth;
  const char *namespaces[MAX_NAMESPACES]; /* the scope around each */
  const char *scope;
  bool lost;   /* cannot be followed */
  bool failed; /* no memory */
} parser;

static bool goes_on(const parser *p) {
  return !p->lost && !p->failed;
}

/* ---- directives */

/* Past the rest of a directive; whether it is no more than "0". */
static bool skip_directive(parser *p) {
  int count = 0;
  bool zero = false;
  for (token t; (t = token_next(&p->tokens)).kind != TOKEN_LINE_END && t.kind != TOKEN_END; ++count)
    zero = count == 0 && t.kind == TOKEN_NUMBER && cxx_past_spelling(t.begin, "0") == t.end;
  return zero && count == 1;
}

static void begin_if(parser *p) {
  if (p->if_depth == MAX_IFS)
    p->lost = true;
  else
    p->if_start[p->if_depth++] = p->depth;
}

static bool begins_if(const token *t) {
  return token_is(t, "if") || token_is(t, "ifdef") || token_is(t, "ifndef");
}

/* Past what is under "#if 0", up to its #endif, or to the #else or #elif that takes its place. */
static void skip_branch(parser *p) {
  for (int ifs = 1; ifs > 0;) {
    token t = token_next(&p->tokens);
    if (t.kind == TOKEN_END) {
      p->lost = true;
      return;
    }
    if (t.kind != TOKEN_HASH) continue;
    t = token_next(&p->tokens);
    if (t.kind == TOKEN_LINE_END) continue;
    (void)skip_directive(p);
    if (begins_if(&t)) ++ifs;
    if (token_is(&t, "endif")) --ifs;
    if (ifs == 1 && (token_is(&t, "else") || token_is(&t, "elif"))) {
      begin_if(p);
      return;
    }
  }
}

/* Every branch begins with the brackets that its #if has found. What is open at the end of one is at the
 * end of all.
 */
static void next_branch(parser *p, bool begins) {
  p->branched = p->branched || p->if_depth <= p->item_ifs;
  if (p->if_depth == 0)
    p->lost = true;
  else if (begins)
    p->depth = p->if_start[p->if_depth - 1];
}

static void read_directive(parser *p) {
  const token t = token_next(&p->tokens);
  if (t.kind == TOKEN_LINE_END) return;
  const bool zero = skip_directive(p);
  if (begins_if(&t)) {
    if (token_is(&t, "if") && zero)
      skip_branch(p);
    else
      begin_if(p);
  } else if (token_is(&t, "else") || token_is(&t, "elif")) {
    next_branch(p, true);
  } else if (token_is(&t, "endif")) {
    next_branch(p, false);
    --p->if_depth;
  }
}

/* The next token that is not a directive's. */
static token next(parser *p) {
  token t = token_next(&p->tokens);
  while (t.kind == TOKEN_HASH && goes_on(p)) {
    read_directive(p);
    t = token_next(&p->tokens);
  }
  return t;
}

/* Past the bracket that closes the one before, and where it ends. */
static const char *skip_brackets(parser *p) {
  const int outside = p->depth++;
  const char *end = p->tokens.at;
  while (p->depth > outside && goes_on(p)) {
    const token t = next(p);
    end = t.end;
    if (t.kind == TOKEN_END) p->lost = true;
    if (t.kind == TOKEN_OPEN) ++p->depth;
    if (t.kind == TOKEN_CLOSE) --p->depth;
  }
  return end;
}

/* Past the parameters of a template, whose '<' was the token before. */
static void skip_angles(parser *p) {
  for (int depth = 1; depth > 0 && goes_on(p);) {
    const token t = next(p);
    if (t.kind == TOKEN_OPEN) (void)skip_brackets(p);
    if (token_is(&t, "<")) ++depth;
    if (token_is(&t, ">")) --depth;
    if (t.kind == TOKEN_END || t.kind == TOKEN_CLOSE) p->lost = true;
  }
}

/* ---- namespaces */

/* Another scope within this one; `name` is that of the namespace, "" if it has none. */
static void enter(parser *p, const char *name, bool is_namespace) {
  declaration_list *list = p->list;
  if (p->namespace_depth == MAX_NAMESPACES) {
    p->lost = true;
    return;
  }
  p->namespaces[p->namespace_depth++] = p->scope;
  if (!is_namespace) return;
  text scope = {0};
  text_format(&scope, "%s%s::", p->scope, name);
  char **scopes = realloc(list->scopes, (list->scope_count + 1) * sizeof *scopes);
  if (scopes != NULL) list->scopes = scopes;
  char *taken = text_take(&scope);
  p->failed = scopes == NULL || taken == NULL;
  if (p->failed) {
    free(taken);
    return;
  }
  p->scope = list->scopes[list->scope_count++] = taken;
}

static void leave(parser *p) {
  if (p->namespace_depth == 0)
    p->lost = true;
  else
    p->scope = p->namespaces[--p->namespace_depth];
}

/* Of "namespace a::b {", whose first token was read: enters it, or reads "namespace a = b;" to its end.
 */
static void read_namespace(parser *p) {
  text name = {0};
  for (token t; goes_on(p);) {
    t = next(p);
    if (t.kind == TOKEN_END) p->lost = true;
    if (t.kind == TOKEN_OPEN && t.closer != '}') (void)skip_brackets(p); /* an attribute's */
    if (token_is(&t, ";")) break;
    if (t.kind == TOKEN_NAME || token_is(&t, "::"))
      text_append(&name, t.begin, (size_t)(t.end - t.begin));
    if (t.kind != TOKEN_OPEN || t.closer != '}') continue;
    enter(p, name.data != NULL ? name.data : "", true);
    break;
  }
  p->failed = p->failed || name.failed;
  text_free(&name);
}

/* ---- one declaration */

typedef struct item {
  declaration d;
  token last;             /* before this one */
  bool naming;            /* after "struct" and the like, and before what they define */
  bool bases;             /* after the ':' there */
  const char *first_name; /* of what could be names there */
  bool template, typedef_, using_;
  bool parameters, assigned, in_operator; /* "(" or "=" was there; between "operator" and its "(" */
} item;

static void add(parser *p, item *i, const char *end) {
  declaration_list *list = p->list;
  i->d.end = end;
  i->d.is_certain = p->if_depth == 0;
  if (p->branched || p->if_depth != p->item_ifs || !goes_on(p)) return;
  if (i->template) i->d.head = NULL;
  if (i->template && !i->d.is_function) i->d.name = NULL;
  i->d.is_function = i->d.is_function && i->d.name != NULL && !i->typedef_;
  if (list->count == list->capacity) {
    const size_t capacity = 2 * list->capacity + 8;
    declaration *grown = realloc(list->of, capacity * sizeof *grown);
    p->failed = grown == NULL;
    if (p->failed) return;
    list->of = grown;
    list->capacity = capacity;
  }
  i->d.hash = tokens_hash(i->d.begin, end);
  list->of[list->count++] = i->d;
}

/* Whether "(" after this name is no list of parameters. */
static bool takes_arguments(const token *name) {
  static const char *const names[] = {"alignas",    "__align__", "__attribute__",     "__attribute",
                                      "__declspec", "decltype",  "__launch_bounds__", "noexcept"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (token_is(name, names[i])) return true;
  return false;
}

static bool is_class_key(const token *t) {
  return token_is(t, "struct") || token_is(t, "class") || token_is(t, "union") || token_is(t, "enum");
}

static void read_name(item *i, const token *t) {
  const bool joined = token_is(&i->last, "::");
  if (token_is(t, "operator")) i->in_operator = true;
  if (token_is(t, "template")) i->template = true;
  if (token_is(t, "typedef")) i->typedef_ = true;
  if (token_is(t, "using")) i->using_ = true;
  if (i->naming) {
    if (i->bases || is_class_key(t) || token_is(t, "final")) return; /* "enum class" */
    if (!joined) i->d.name = t->begin;
    if (i->first_name == NULL) i->first_name = i->d.name;
    i->d.name_end = t->end;
  } else if (is_class_key(t) && i->d.head == NULL && !i->parameters && !i->assigned) {
    i->naming = true;
    i->d.head = t->begin;
    i->d.name = i->d.name_end = NULL;
  } else if (i->typedef_ && (i->d.body_end == NULL || i->d.name == NULL)) {
    i->d.name = t->begin; /* the last one, or that of a struct without a name of its own */
    i->d.name_end = t->end;
  }
}

/* What came after "struct" was no definition. */
static void stop_naming(item *i) {
  i->naming = false;
  i->d.head = NULL;
  if (!i->typedef_) i->d.name = NULL;
}

static void read_punctuation(parser *p, item *i, const token *t) {
  if (token_is(t, "<") && token_is(&i->last, "template")) {
    skip_angles(p);
  } else if (token_is(t, "=") && !i->in_operator) {
    if (i->naming) stop_naming(i);
    if (i->using_ && !i->assigned) {
      i->d.name = i->last.begin;
      i->d.name_end = i->last.end;
    }
    i->assigned = true;
  } else if (i->naming && token_is(t, ":")) {
    i->bases = true;
  } else if (i->naming && !i->bases && token_is(t, "<")) {
    i->template = true; /* specialised */
  } else if (i->naming && !i->bases && !i->template && !token_is(t, "::")) {
    stop_naming(i);
  }
}

/* "(" after "struct a f" is a function's, and after any other name there that of an attribute or a macro.
 */
static void read_parentheses(item *i) {
  const bool has_two_names = i->naming && i->first_name != NULL && i->d.name != i->first_name;
  const bool is_named = i->last.kind == TOKEN_NAME && !i->in_operator;
  i->in_operator = false;
  if (has_two_names) stop_naming(i);
  if (i->naming || takes_arguments(&i->last)) {
    if (i->d.name == i->last.begin) i->d.name = i->first_name = NULL;
    return;
  }
  if (is_named && !i->parameters && !i->assigned && !i->typedef_ && i->d.head == NULL) {
    i->d.is_function = true;
    i->d.name = i->last.begin;
    i->d.name_end = i->last.end;
  }
  i->parameters = true;
}

/* Whether the declaration goes on behind the bracket that closes this one. */
static bool read_brackets(parser *p, item *i, const token *t) {
  if (t->closer == '}' && i->last.kind == TOKEN_LITERAL) {
    enter(p, "", false); /* extern "C" */
    return false;
  }
  if (t->closer == ')') read_parentheses(i);
  const char *end = skip_brackets(p);
  if (t->closer != '}') return true;
  const bool is_function = !i->naming && i->parameters && !i->assigned;
  if (is_function) add(p, i, end);
  if (i->naming) i->d.body_end = end;
  i->naming = false;
  return !is_function;
}

static bool begins_namespace(const item *i, const token *t) {
  return token_is(t, "namespace") && (i->last.kind == TOKEN_END || token_is(&i->last, "inline"));
}

/* What a token of a declaration means; whether the declaration goes on. */
static bool read_token(parser *p, item *i, const token *t) {
  if (begins_namespace(i, t)) {
    read_namespace(p);
    return false;
  }
  if (t->kind == TOKEN_OPEN) return read_brackets(p, i, t);
  if (t->kind == TOKEN_CLOSE) p->lost = true;
  if (t->kind == TOKEN_NAME) read_name(i, t);
  if (t->kind == TOKEN_PUNCTUATION) read_punctuation(p, i, t);
  return true;
}

/* Up to its ';', or to the end of the text or the namespace. */
static void read_item(parser *p, token t) {
  item i = {.d = {.begin = t.begin, .scope = p->scope}};
  const char *end = t.end;
  int end_ifs = p->item_ifs = p->if_depth;
  p->branched = false;
  for (; goes_on(p) && !token_is(&t, ";"); i.last = t, t = next(p)) {
    if (t.kind == TOKEN_END || (t.kind == TOKEN_CLOSE && t.closer == '}')) {
      p->tokens.at = t.begin; /* to be read once more */
      break;
    }
    const char *before = i.d.body_end;
    if (!read_token(p, &i, &t)) return;
    /* What is defined here begins, or ends, in a branch that the rest is not in. */
    const bool is_border = i.d.head == t.begin || i.d.body_end != before;
    p->branched = p->branched || (is_border && p->if_depth != p->item_ifs);
    end = p->tokens.at;
    end_ifs = p->if_depth;
  }
  if (token_is(&t, ";"))
    end = t.end;
  else
    p->branched = p->branched || end_ifs != p->item_ifs; /* an #endif came after the last token */
  i.d.is_forward = i.naming && !i.bases && i.d.name == i.first_name;
  if (i.d.body_end == NULL) i.d.head = NULL;
  if (i.d.head == NULL && !i.typedef_ && !i.using_ && !i.d.is_forward && !i.d.is_function)
    i.d.name = NULL;
  add(p, &i, end);
}

static void read_all(parser *p) {
  while (goes_on(p)) {
    const token t = next(p);
    if (t.kind == TOKEN_END) break;
    if (t.kind == TOKEN_CLOSE && t.closer == '}')
      leave(p);
    else if (!token_is(&t, ";"))
      read_item(p, t);
  }
  p->lost = p->lost || p->if_depth != 0 || p->namespace_depth != 0 || p->depth != 0;
}

jig_status declarations_read(const char *source, declaration_list *list) {
  *list = (declaration_list){0};
  parser p = {.tokens = {.at = source}, .list = list, .scope = ""};
  read_all(&p);
  if (p.lost) list->count = 0;
  return p.failed ? error_memory("the declarations of a source") : JIG_SUCCESS;
}

void declarations_free(declaration_list *list) {
  for (size_t i = 0; i < list->scope_count; ++i) free(list->scopes[i]);
  free(list->scopes);
  free(list->of);
  *list = (declaration_list){0};
}
