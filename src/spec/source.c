#include "spec/source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spelling.h"
#include "spec/tokens.h"
#include "util/error.h"
#include "util/text.h"

#define SOURCE_OPERATOR "operator"

const char *source_name_of_slot(const char *slot) {
  return strcmp(slot, "op") == 0 ? SOURCE_OPERATOR : slot;
}

void source_name_of_op(char *name, size_t size, const char *slot, int number) {
  if (number == 0)
    (void)snprintf(name, size, SOURCE_OPERATOR " of %s", slot);
  else
    (void)snprintf(name, size, SOURCE_OPERATOR " %d of %s", number + 1, slot);
}

void source_name_of_struct(char *name, size_t size, const char *type_name) {
  (void)snprintf(name, size, "struct %s", type_name);
}

source_place source_place_of(const char *source, const char *at) {
  source_place place = {.line = 1, .begin = source};
  for (const char *c = source; c < at; ++c) {
    if (*c != '\n') continue;
    ++place.line;
    place.begin = c + 1;
  }
  place.column = (int)(at - place.begin) + 1;
  return place;
}

jig_status source_refuse(const char *source, const char *at, const char *what, const char *name,
                         const char *problem) {
  const source_place place = source_place_of(source, at);
  text shown = {0};
  text_excerpt(&shown, place.begin, strcspn(place.begin, "\n"), place.column);
  char *excerpt = text_take(&shown);
  jig_status status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s:%d:%d: error: %s%s", what, name,
                                place.line, place.column, problem, excerpt != NULL ? excerpt : "");
  free(excerpt);
  return status;
}

/* ---- the lexer */

/* What has been read of a statement, or of an item of a list. */
typedef struct run {
  unsigned tokens, items;
  char end; /* ';' or '}' if it may end here; '\0' if it does not */
} run;

/* An open bracket, and the one around it: a stack is known by its top, so that a branch of an #if can go
 * back to the one that it began with. */
typedef struct bracket {
  const char *at;
  char closer;
  int around;             /* NONE: nothing */
  run before;             /* what it interrupts */
  unsigned depth, tokens; /* brackets so far, and tokens of all statements that it is in */
} bracket;

typedef struct conditional {
  const char *at; /* its #if */
  int before;     /* the stack there, with which every branch begins, */
  int after;      /* and what all branches have to leave of it; UNKNOWN until the first one ends */
  run run_before, run_after; /* the same for the statement; the longest is what is left */
  bool has_else, inside_skipped;
} conditional;

enum { NONE = -1, UNKNOWN = -2, MAX_CONDITIONALS = 64 };

/* The compiler needs stack for every bracket and for every token of a statement, since it may be one more
 * operator around all that follows: 2.9 KiB for each, at most. See util/deep_call.h, where there is
 * enough for twice as many. An item of a list in braces needs less than a sixteenth of that. */
enum { MOST_BRACKETS = 1000, MOST_TOKENS = 40000, ITEMS_PER_TOKEN = 16 };

typedef struct lexer {
  const char *source, *what, *name; /* for messages */
  const char *at;
  bool line_begins; /* nothing but blanks and comments so far: here '#' is a directive's */
  bool in_macro;    /* between #define and its line's end */
  bool in_other;    /* in any other directive, whose tokens mean nothing here */
  bool skipped;     /* under #if 0 */
  bool is_header;   /* of which only the nesting is checked */
  bracket *brackets;
  int bracket_count, top;
  int macro_top;            /* where the macro began */
  run run, run_before_line; /* the latter during a directive */
  conditional conditionals[MAX_CONDITIONALS];
  int depth; /* of conditionals */
  jig_status status;
} lexer;

/* Of several things that are wrong, the first is told. */
static void refuse_nesting(lexer *l, const char *at, const char *problem) {
  if (l->status == JIG_SUCCESS) l->status = source_refuse(l->source, at, l->what, l->name, problem);
}

static void refuse(lexer *l, const char *at, const char *problem) {
  if (!l->is_header) refuse_nesting(l, at, problem);
}

/* Tokens that mean nothing need not be sound either: "don't" is fine after #error and under #if 0. */
static bool is_void(const lexer *l) {
  return l->skipped || l->in_other;
}

/* ---- nesting */

static unsigned depth_of(const lexer *l, int top) {
  return top == NONE ? 0 : l->brackets[top].depth;
}

static unsigned tokens_of(const lexer *l, int top) {
  return top == NONE ? 0 : l->brackets[top].tokens;
}

/* Whether a token goes on with a statement that may have ended before it. */
static bool goes_on(const run *r, const char *at) {
  if (r->end == '\0' || cxx_is_word(at, "else")) return true;
  return r->end == '}' && !cxx_is_name_char(*at) && *at != '{' && *at != '}';
}

/* Every token but literals, of which one may follow another for ever. */
static void count_token(lexer *l, const char *at) {
  if (l->skipped) return;
  if (!goes_on(&l->run, at)) l->run = (run){0};
  l->run.end = *at == ';' ? ';' : '\0';
  const bool in_list = l->top == NONE || l->brackets[l->top].closer == '}';
  if (*at == ',' && in_list) {
    ++l->run.items;
    l->run.tokens = l->run.items / ITEMS_PER_TOKEN;
  } else if (*at != '"' && *at != '\'') {
    ++l->run.tokens;
  }
  if (l->run.tokens + tokens_of(l, l->top) <= MOST_TOKENS) return;
  char problem[96];
  (void)snprintf(problem, sizeof problem, "a statement, with those around it, has more than %d tokens",
                 (int)MOST_TOKENS);
  refuse_nesting(l, at, problem);
}

static void check_depth(lexer *l, const char *at) {
  char problem[64];
  if (depth_of(l, l->top) <= MOST_BRACKETS) return;
  (void)snprintf(problem, sizeof problem, "nested more than %d deep", (int)MOST_BRACKETS);
  refuse_nesting(l, at, problem);
}

/* ---- brackets */

static void open_bracket(lexer *l, const char *at, char closer) {
  if (is_void(l)) return;
  l->brackets[l->bracket_count] = (bracket){.at = at,
                                            .closer = closer,
                                            .around = l->top,
                                            .before = l->run,
                                            .depth = depth_of(l, l->top) + 1,
                                            .tokens = tokens_of(l, l->top) + l->run.tokens};
  l->top = l->bracket_count++;
  l->run = (run){0};
  check_depth(l, at);
}

static void close_bracket(lexer *l, const char *at, char closer) {
  if (is_void(l)) return;
  char problem[96];
  if (l->in_macro && l->top == l->macro_top) {
    (void)snprintf(problem, sizeof problem, "this '%c' closes what its macro did not open", closer);
  } else if (l->top == NONE) {
    (void)snprintf(problem, sizeof problem, "this '%c' closes what the text did not open", closer);
  } else if (l->brackets[l->top].closer != closer) {
    (void)snprintf(problem, sizeof problem, "a '%c' has to come before this '%c'",
                   l->brackets[l->top].closer, closer);
  } else {
    l->run = l->brackets[l->top].before;
    l->run.end = closer == '}' ? '}' : '\0';
    l->top = l->brackets[l->top].around;
    return;
  }
  refuse(l, at, problem);
}

static void refuse_unclosed(lexer *l) {
  const bracket *b = &l->brackets[l->top];
  const char opener = b->closer == ')' ? '(' : b->closer == ']' ? '[' : '{';
  char problem[96];
  (void)snprintf(problem, sizeof problem, "this '%c' is not closed%s", opener,
                 l->in_macro ? " within its macro" : "");
  refuse(l, b->at, problem);
}

/* Whether the same brackets are open. */
static bool same_stack(const lexer *l, int a, int b) {
  while (a != b && a != NONE && b != NONE && l->brackets[a].closer == l->brackets[b].closer) {
    a = l->brackets[a].around;
    b = l->brackets[b].around;
  }
  return a == b;
}

/* ---- directives */

static void begin_conditional(lexer *l, const char *at, bool never) {
  if (l->depth == MAX_CONDITIONALS) {
    refuse_nesting(l, at, "#if are nested too deep");
    return;
  }
  l->conditionals[l->depth++] = (conditional){.at = at,
                                              .before = l->top,
                                              .after = UNKNOWN,
                                              .run_before = l->run_before_line,
                                              .inside_skipped = l->skipped};
  l->skipped = l->skipped || never;
}

/* Of branches of a header that differ in what they leave open, the deepest counts. */
static void end_branch(lexer *l, conditional *c) {
  if (!l->skipped) {
    if (c->after == UNKNOWN) c->after = l->top;
    if (!same_stack(l, c->after, l->top))
      refuse(l, c->at, "what is open after this #if depends on which of its branches is compiled");
    if (depth_of(l, l->top) > depth_of(l, c->after)) c->after = l->top;
    if (l->run_before_line.tokens > c->run_after.tokens) c->run_after = l->run_before_line;
  }
  l->top = c->before;
  l->run_before_line = c->run_before;
  l->skipped = c->inside_skipped;
}

static void next_branch(lexer *l, const char *at, bool is_else) {
  if (l->depth == 0 || l->conditionals[l->depth - 1].has_else) {
    refuse(l, at, "there is no #if for this");
    return;
  }
  conditional *c = &l->conditionals[l->depth - 1];
  end_branch(l, c);
  c->has_else = is_else;
}

static void end_conditional(lexer *l, const char *at) {
  if (l->depth == 0) {
    refuse(l, at, "there is no #if for this");
    return;
  }
  conditional *c = &l->conditionals[l->depth - 1];
  end_branch(l, c);
  if (!c->has_else) end_branch(l, c); /* as if there were an empty one */
  if (c->after != UNKNOWN) l->top = c->after;
  l->run_before_line = c->run_after;
  --l->depth;
}

static bool begins_with(const char *word, const char *beginning) {
  return strncmp(word, beginning, strlen(beginning)) == 0;
}

/* Whether what comes after "#if" is "0" and no more than that. */
static bool is_zero(const char *at) {
  char word[4];
  at = cxx_past_space(cxx_read_word(cxx_past_space(at), word, sizeof word));
  const bool ends = *at == '\0' || *at == '\n' || (*at == '/' && *cxx_after(at) == '/');
  return ends && strcmp(word, "0") == 0;
}

static void check_macro_name(lexer *l, const char *at) {
  char name[8];
  at = cxx_past_space(at);
  (void)cxx_read_word(at, name, sizeof name);
  if (begins_with(name, "jig")) refuse(l, at, "names that begin with 'jig' are jig's own");
}

/* What a directive does to the reading of the text. Its tokens, from `at` on, are read after this. */
static void read_directive(lexer *l, const char *hash, const char *at) {
  char word[16];
  l->at = at;
  l->in_other = true;
  l->run_before_line = l->run;
  l->run = (run){0};
  at = cxx_read_word(cxx_past_space(at), word, sizeof word);
  if (strcmp(word, "if") == 0 || strcmp(word, "ifdef") == 0 || strcmp(word, "ifndef") == 0) {
    begin_conditional(l, hash, strcmp(word, "if") == 0 && is_zero(at));
  } else if (strcmp(word, "else") == 0 || begins_with(word, "elif")) {
    next_branch(l, hash, strcmp(word, "else") == 0);
  } else if (strcmp(word, "endif") == 0) {
    end_conditional(l, hash);
  } else if (l->skipped) {
    return;
  } else if (strcmp(word, "define") == 0 || strcmp(word, "undef") == 0) {
    check_macro_name(l, at);
    l->in_other = false;
    l->in_macro = true;
    l->macro_top = l->top;
  } else if (strcmp(word, "line") == 0 || isdigit((unsigned char)word[0])) {
    refuse(l, hash, "this counts the lines anew, and messages would be misplaced; leave it out");
  }
}

static void end_line(lexer *l) {
  if (l->in_macro && l->top != l->macro_top) refuse_unclosed(l);
  if (l->in_macro) l->top = l->macro_top;
  if (l->in_macro || l->in_other) l->run = l->run_before_line;
  l->in_macro = l->in_other = false;
  l->line_begins = true;
}

/* ---- tokens */

static void read_line_comment(lexer *l) {
  while (*l->at != '\0' && *l->at != '\n') l->at = cxx_after(l->at);
}

/* A directive may begin after a comment of several lines, and does not end in one. */
static void read_block_comment(lexer *l) {
  const char *begin = l->at, *end = cxx_past_comment(begin);
  if (end == NULL) {
    refuse(l, begin, "this comment is not closed");
    l->at += strlen(begin);
    return;
  }
  const bool several_lines = memchr(begin, '\n', (size_t)(end - begin)) != NULL;
  if (several_lines && !l->in_macro && !l->in_other) l->line_begins = true;
  l->at = end;
}

/* A raw one, which something comes before, would swallow what follows even where it means nothing. */
static void check_literal(lexer *l, const token *t) {
  const bool raw = *t->begin != '"' && *t->begin != '\'';
  const char *quote = raw ? strchr(t->begin, '"') : t->begin;
  if (t->problem != NULL && (raw || !is_void(l))) refuse(l, quote, t->problem);
}

static void read_other(lexer *l) {
  const token t = token_at(l->at);
  count_token(l, t.begin);
  l->at = t.end;
  if (t.kind == TOKEN_LITERAL) check_literal(l, &t);
  if (t.kind == TOKEN_OPEN) open_bracket(l, t.begin, t.closer);
  if (t.kind == TOKEN_CLOSE) close_bracket(l, t.begin, t.closer);
}

static void read_token(lexer *l) {
  const char *at = l->at, *second = cxx_after(at);
  const bool directive = l->line_begins && (*at == '#' || (*at == '%' && *second == ':'));
  if (*at == '/' && *second == '/') {
    read_line_comment(l);
  } else if (*at == '/' && *second == '*') {
    read_block_comment(l);
  } else if (*at == '\n') {
    l->at = second;
    end_line(l);
  } else if (cxx_is_blank(*at)) {
    l->at = second;
  } else {
    l->line_begins = false;
    if (directive)
      read_directive(l, at, *at == '#' ? second : cxx_after(second));
    else
      read_other(l);
  }
}

/* It would join the last line and what jig writes next. */
static void check_last_char(lexer *l) {
  const char *last = l->source + strlen(l->source);
  if (last > l->source && last[-1] == '\r') --last;
  if (last > l->source && last[-1] == '\\') refuse(l, last - 1, "a text must not end with a backslash");
}

static size_t count_chars(const char *string, const char *chars) {
  size_t count = 0;
  while ((string = strpbrk(string, chars)) != NULL) {
    ++count;
    ++string;
  }
  return count;
}

static jig_status read_text(lexer *l) {
  l->at = cxx_past_splices(l->source);
  l->line_begins = true;
  l->top = NONE;
  l->brackets = malloc((count_chars(l->source, "([{<") + 1) * sizeof *l->brackets);
  if (l->brackets == NULL) return error_memory("a source to be checked");
  while (l->status == JIG_SUCCESS && *l->at != '\0') read_token(l);
  end_line(l);
  check_last_char(l);
  if (l->depth > 0) refuse(l, l->conditionals[l->depth - 1].at, "this #if has no #endif");
  if (l->top != NONE) refuse_unclosed(l);
  free(l->brackets);
  return l->status;
}

/* What is cached by it is JSON; and messages, which are UTF-8, do not show it. */
static jig_status check_characters(const char *source, const char *what, const char *name) {
  const char *at = text_past_utf8(source);
  if (*at == '\0') return JIG_SUCCESS;
  const source_place place = source_place_of(source, at);
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s:%d:%d: error: byte 0x%02x is not UTF-8", what,
                   name, place.line, place.column, (unsigned char)*at);
}

jig_status source_check(const char *source, const char *what, const char *name) {
  const jig_status status = check_characters(source, what, name);
  if (status != JIG_SUCCESS) return status;
  return read_text(&(lexer){.source = source, .what = what, .name = name});
}

jig_status source_check_header(const char *source, const char *name) {
  /* Most are too short for what is looked for. */
  if (strlen(source) <= MOST_TOKENS && count_chars(source, "([{<") <= MOST_BRACKETS) return JIG_SUCCESS;
  return read_text(&(lexer){.source = source, .what = "#include", .name = name, .is_header = true});
}
