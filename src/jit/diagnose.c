#include "jit/diagnose.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compiled.h"
#include "spec/tokens.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"

/* ---- reading a log. NVRTC writes a message as
 *
 *   operator(1): error: identifier "y" is undefined
 *     return a + y;
 *                ^
 *
 * and ends it with an empty line. Details may come before the line that it is about, further in than
 * that, and notes after the caret. The column is where the caret is, less the two blanks before the line.
 */

typedef struct span {
  const char *at;
  size_t length;
} span;

typedef struct message {
  span place; /* "operator", "jig/core/ptx.cuh", ...: the name that a #line gave; "" at the end of all */
  int line, column; /* from 1; a column of 0: not known */
  bool is_error;
  span sentence, details, source, notes;
} message;

static span line_at(const char *at) {
  return (span){at, strcspn(at, "\n")};
}

static const char *next_line(const char *at) {
  at += strcspn(at, "\n");
  return at + (*at == '\n');
}

static span up_to(const char *begin, const char *end) {
  return (span){begin, (size_t)(end - begin)};
}

static bool begins_with(span s, const char *beginning) {
  const size_t length = strlen(beginning);
  return s.length >= length && memcmp(s.at, beginning, length) == 0;
}

static bool same(span a, span b) {
  return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* Where a string is within a span; NULL if it is not. */
static const char *find(span s, const char *string) {
  const size_t length = strlen(string);
  return s.length < length ? NULL : memmem(s.at, s.length, string, length);
}

/* What is between a string and the next quotation mark; "" if there is none. */
static span quoted_after(span s, const char *string) {
  const char *at = find(s, string);
  if (at == NULL) return (span){"", 0};
  at += strlen(string);
  const char *end = memchr(at, '"', s.length - (size_t)(at - s.at));
  return end == NULL ? (span){"", 0} : up_to(at, end);
}

/* Past "(12): ", which is in one line; NULL if that is not what it is. */
static const char *past_number(const char *at, const char *end, int *number) {
  *number = 0;
  for (++at; at < end && isdigit((unsigned char)*at) && *number < INT_MAX / 10 - 1; ++at)
    *number = *number * 10 + (*at - '0');
  return *number > 0 && end - at >= 3 && memcmp(at, "): ", 3) == 0 ? at + 3 : NULL;
}

/* "operator(1): error #940-D: ...", "At end of source: error: ..."; false for any other line. */
static bool read_first_line(span line, message *m) {
  static const char *const errors[] = {"error", "catastrophic error", "internal error"};
  static const char *const others[] = {"warning", "note", "remark"};
  const char *end = line.at + line.length, *kind = NULL;
  *m = (message){.place = {"", 0}};
  if (line.length == 0 || *line.at == ' ') return false;
  for (const char *open = line.at; kind == NULL; ++open) {
    open = memchr(open, '(', (size_t)(end - open));
    if (open == NULL) break;
    kind = past_number(open, end, &m->line);
    m->place = up_to(line.at, open);
  }
  if (kind == NULL) {
    m->place = (span){"", 0};
    if (!begins_with(line, "At end of source: ")) return false;
    kind = line.at + strlen("At end of source: ");
  }
  const span rest = up_to(kind, end);
  bool is_message = false;
  for (int i = 0; i < 3; ++i) {
    m->is_error = m->is_error || begins_with(rest, errors[i]);
    is_message = is_message || begins_with(rest, others[i]);
  }
  const char *sentence = find(rest, ": ");
  if (sentence == NULL || (!is_message && !m->is_error)) return false;
  m->sentence = up_to(sentence + 2, end);
  return true;
}

/* The column that a caret line points to; 0 if the line is none. */
static int caret_column(span line) {
  const size_t blanks = line.length > 0 ? line.length - 1 : 0;
  if (blanks < 2 || line.at[blanks] != '^') return 0;
  for (size_t i = 0; i < blanks; ++i) {
    if (line.at[i] != ' ' && line.at[i] != '\t') return 0;
  }
  return (int)blanks - 1;
}

/* The next message from *at on, with its notes; false at the end of the log. */
static bool read_message(const char **at, message *m) {
  for (; **at != '\0' && !read_first_line(line_at(*at), m); *at = next_line(*at)) {}
  if (**at == '\0') return false;
  const char *first = *at = next_line(*at), *previous = first, *notes = NULL;
  for (; **at != '\0' && **at != '\n'; *at = next_line(*at)) {
    message next;
    if (read_first_line(line_at(*at), &next) && next.is_error) break;
    if (notes == NULL && *at != first && (m->column = caret_column(line_at(*at))) > 0) {
      const span shown = line_at(previous);
      const size_t indent = shown.length < 2 ? shown.length : 2; /* a text may print such lines, too */
      m->details = up_to(first, previous);
      m->source = (span){shown.at + indent, shown.length - indent};
      notes = next_line(*at);
    }
    previous = *at;
  }
  if (notes != NULL) m->notes = up_to(notes, *at);
  return true;
}

static bool next_error(const char **at, message *m) {
  while (read_message(at, m)) {
    if (m->is_error) return true;
  }
  return false;
}

/* ---- what a message is about */

static bool is_in_templates(const message *m) {
  return m->place.length == 0 || begins_with(m->place, "jig/") || begins_with(m->place, "jig program");
}

/* The rest of the place's name, if it begins like that. */
static bool is_in(const message *m, const char *kind, span *name) {
  const size_t length = strlen(kind);
  if (!begins_with(m->place, kind)) return false;
  *name = (span){m->place.at + length, m->place.length - length};
  return true;
}

/* ---- writing */

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* How much of s is a qualifier that only jig's program has: "jig_op_source::", "jig_op_t::". */
static size_t own_qualifier(span s) {
  if (!begins_with(s, "jig_")) return 0;
  size_t length = 0;
  while (length < s.length && is_name_char(s.at[length])) ++length;
  const span rest = {s.at + length, s.length - length};
  return begins_with(rest, "::") ? length + 2 : 0;
}

/* How much of s is a place that only jig has: "at line 9 of jig/core/types.cuh". */
static size_t own_place(span s) {
  if (!begins_with(s, "at line ")) return 0;
  size_t length = 0;
  while (length < s.length && s.at[length] != ')' && s.at[length] != '\n') ++length;
  const span place = {s.at, length};
  return find(place, " of jig/") != NULL || find(place, " of jig program") != NULL ? length : 0;
}

/* What the compiler says, without names that the user has not given. */
static void add_words(text *out, span s) {
  while (s.length > 0) {
    const bool within_name = out->length > 0 && is_name_char(out->data[out->length - 1]);
    const size_t qualifier = within_name ? 0 : own_qualifier(s), place = own_place(s);
    const size_t taken = qualifier > 0 ? qualifier : place > 0 ? place : 1;
    if (place > 0) text_add(out, "by jig");
    if (qualifier == 0 && place == 0) text_append(out, s.at, 1);
    s = (span){s.at + taken, s.length - taken};
  }
}

/* "struct hit", where an instantiation with T=hit is among a message's notes. */
static void add_struct_of(text *out, span notes) {
  const char *at = find(notes, " T=");
  if (at != NULL) text_format(out, "struct %.*s: ", (int)strcspn(at + 3, ",]"), at + 3);
}

/* The end of a text in the program: its last line with anything in it, and the column past that. */
static bool find_end(const char *program, span name, message *m) {
  text mark = {0}, end_mark = {0};
  text_format(&mark, "\n#line 1 \"%.*s\"\n", (int)name.length, name.at);
  text_format(&end_mark, "\n#line 1 \"end of %.*s\"\n", (int)name.length, name.at);
  char *begins = text_take(&mark), *ends = text_take(&end_mark);
  const char *begin = begins != NULL ? strstr(program, begins) : NULL;
  if (begin != NULL) begin += strlen(begins);
  const char *end = begin != NULL && ends != NULL ? strstr(begin, ends) : NULL;
  free(begins);
  free(ends);
  if (end == NULL) return false;
  while (end > begin && isspace((unsigned char)end[-1])) --end;
  m->place = name;
  m->line = 1;
  for (const char *next; (next = memchr(begin, '\n', (size_t)(end - begin))) != NULL; begin = next + 1) {
    ++m->line;
  }
  m->source = up_to(begin, end);
  m->column = (int)m->source.length + 1;
  return true;
}

/* An #include that stands for nothing, or a macro that must not stay, has become an #error; false if the
 * message is about anything else. */
static bool add_own_error(text *out, const message *m) {
  static const char directive[] = "#error directive: ";
  static const struct {
    const char *problem, *line, *end;
  } rows[] = {{"cannot include \"", "#include \"", "\""}, {"cannot keep the macro \"", "#define ", ""}};
  if (!begins_with(m->sentence, directive)) return false;
  const span problem = {m->sentence.at + strlen(directive), m->sentence.length - strlen(directive)};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const span name = quoted_after(problem, rows[i].problem);
    if (!begins_with(problem, rows[i].problem) || name.length == 0) continue;
    text line = {0};
    text_format(&line, "%s%.*s%s", rows[i].line, (int)name.length, name.at, rows[i].end);
    text_format(out, "%.*s:%d:1: error: %.*s", (int)m->place.length, m->place.at, m->line,
                (int)problem.length, problem.at);
    if (line.data != NULL) text_excerpt(out, line.data, line.length, 1);
    text_free(&line);
    return true;
  }
  return false;
}

/* What the compiler found in a text of the user's. */
static void add_found(text *out, const message *m) {
  if (add_own_error(out, m)) return;
  text_format(out, "%.*s:%d", (int)m->place.length, m->place.at, m->line);
  if (m->column > 0) text_format(out, ":%d", m->column);
  text_add(out, ": error: ");
  add_words(out, m->sentence);
  if (m->details.length > 0) {
    text_add(out, "\n");
    add_words(out, (span){m->details.at, m->details.length - 1});
  }
  if (m->column > 0) text_excerpt(out, m->source.at, m->source.length, m->column);
  /* Which of the user's own templates it is in; unless jig's are among those. */
  const bool is_chain = begins_with(m->notes, "          detected during");
  if (is_chain && find(m->notes, "jig/") == NULL && find(m->notes, "jig::") == NULL) {
    text_add(out, "\n");
    add_words(out, (span){m->notes.at, m->notes.length - 1});
  }
}

/* What it found where jig calls a function of the user's; `call` is "operator: float f(float, float)". */
static void add_call(text *out, const message *m, span call) {
  const char *function = find(call, ": ");
  const span missing = quoted_after(m->sentence, "has no member \"");
  if (function == NULL) return;
  text_format(out, "%.*s: error: calling %.*s: ", (int)(function - call.at), call.at,
              (int)(call.at + call.length - function - 2), function + 2);
  if (missing.length > 0) {
    text_format(out, "the text has no function \"%.*s\"", (int)missing.length, missing.at);
    return;
  }
  add_words(out, m->sentence);
  if (m->details.length == 0) return;
  text_add(out, "\n");
  add_words(out, (span){m->details.at, m->details.length - 1});
}

static bool is_of_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(span s, span name) {
  const char *end = s.at + s.length, *at = s.at;
  while ((at = memmem(at, (size_t)(end - at), name.at, name.length)) != NULL) {
    const char *behind = at + name.length;
    if ((at == s.at || !is_of_name(at[-1])) && (behind == end || !is_of_name(*behind))) return true;
    at = behind;
  }
  return false;
}

/* The struct that a sentence is about. It may name a class of jig's that has one of the program's in it:
 * `"jig::array<..., 8>" (aka "jig::array<hit, 8>")`. */
static span struct_in(span sentence, const char *program) {
  static const char mark[] = "#line 1 \"layout of ";
  const span name = quoted_after(sentence, "\""), alias = quoted_after(sentence, "(aka \"");
  for (const char *at = strstr(program, mark); at != NULL; at = strstr(at, mark)) {
    at += strlen(mark);
    const span of_program = {at, strcspn(at, "\"")};
    if (mentions(name, of_program) || mentions(alias, of_program)) return of_program;
  }
  const char *member = find(name, "::operator=(");
  return member != NULL ? up_to(name.at, member) : name;
}

/* What it found in jig's own code, if that is known to be about a struct. */
static bool add_struct_problem(text *out, const message *m, const char *program) {
  static const struct {
    const char *sentence, *problem;
  } needs[] = {{"no default constructor exists for class \"", "has no default constructor"},
               {"the default constructor of \"", "has no default constructor"},
               {"no instance of constructor \"", "has no default constructor"},
               {"::operator=(", "cannot be assigned"}};
  const span asserted = quoted_after(m->sentence, "static assertion failed with \"");
  if (asserted.length > 0) {
    if (begins_with(asserted, "a key's fields") || begins_with(asserted, "the fields of a key"))
      text_add(out, "decomposer: ");
    else
      add_struct_of(out, m->notes);
    text_format(out, "error: %.*s", (int)asserted.length, asserted.at);
    return true;
  }
  for (size_t i = 0; i < sizeof needs / sizeof needs[0]; ++i) {
    if (find(m->sentence, needs[i].sentence) == NULL) continue;
    const span name = struct_in(m->sentence, program);
    text_format(out, "struct %.*s: error: it %s; jig declares values, and assigns to them later",
                (int)name.length, name.at, needs[i].problem);
    return true;
  }
  return false;
}

/* ---- macros of the user's in jig's own lines */

/* The name that a line defines as a macro without parameters; "" if it does not. */
static span macro_of(span line) {
  token_reader reader = {.at = line.at};
  const token hash = token_next(&reader);
  if (hash.kind != TOKEN_HASH || hash.begin >= line.at + line.length) return (span){"", 0};
  const token directive = token_next(&reader), name = token_next(&reader);
  const bool is_one = token_is(&directive, "define") && name.kind == TOKEN_NAME && *name.end != '(';
  return is_one ? up_to(name.begin, name.end) : (span){"", 0};
}

/* What "#line 3 \"struct hit\"" says; false if the line is none. */
static bool read_line_directive(span line, message *at) {
  static const char mark[] = "#line ";
  if (!begins_with(line, mark)) return false;
  at->line = (int)strtol(line.at + strlen(mark), NULL, 10) - 1;
  at->place = quoted_after(line, "\"");
  return true;
}

/* Where the program defines a macro that is in a line of it, the last one; false if it does not. */
static bool find_macro(const char *program, span in, message *macro) {
  message at = {.place = {"", 0}};
  bool found = false;
  for (const char *next = program; *next != '\0'; next = next_line(next)) {
    const span line = line_at(next), name = macro_of(line);
    ++at.line;
    if (read_line_directive(line, &at)) continue;
    if (name.length == 0 || is_in_templates(&at) || !mentions(in, name)) continue;
    *macro = at;
    macro->source = line;
    macro->column = (int)(name.at - line.at) + 1;
    macro->sentence = name;
    found = true;
  }
  return found;
}

/* If the first that is wrong is a line of jig's with a macro in it. */
static void tell_macro(text *out, const char *log, const char *program) {
  message m, macro;
  span ignored;
  if (!next_error(&log, &m)) return;
  const bool is_own =
      is_in_templates(&m) || is_in(&m, "call of ", &ignored) || is_in(&m, "layout of ", &ignored);
  if (!is_own || !find_macro(program, m.source, &macro)) return;
  text_format(out, "%.*s:%d:%d: error: the macro '%.*s' is in the way of what jig writes: ",
              (int)macro.place.length, macro.place.at, macro.line, macro.column,
              (int)macro.sentence.length, macro.sentence.at);
  add_words(out, m.sentence);
  text_excerpt(out, macro.source.at, macro.source.length, macro.column);
}

/* ---- what is told: the first of these that there is */

/* What is wrong with the texts; jig's own lines about a text, only until something is wrong within one,
 * which they may follow from. */
static void tell_texts(text *out, const char *log, const char *program) {
  enum { MAX_TOLD = 10 };
  message m, last = {.place = {"", 0}, .sentence = {"", 0}};
  span name = {NULL, 0};
  int errors = 0;
  bool within = false;
  for (const char *at = log; next_error(&at, &m);) {
    const bool call = is_in(&m, "call of ", &name), layout = is_in(&m, "layout of ", &name);
    if (is_in_templates(&m) || (call && within) || (layout && errors > 0)) continue;
    within = within || (!call && !layout);
    /* Of both operands, it may be the same. */
    if (call && same(m.sentence, last.sentence) && same(m.place, last.place)) continue;
    last = m;
    if (++errors > MAX_TOLD) continue;
    if (errors > 1) text_add(out, "\n");
    if (call) {
      add_call(out, &m, name);
    } else if (layout) {
      const bool is_taken =
          find(m.sentence, "function \"") != NULL || find(m.sentence, "variable \"") != NULL;
      text_format(out, "struct %.*s: error: %s: ", (int)name.length, name.at,
                  is_taken ? "its name is that of something else" : "the definition does not define it");
      add_words(out, m.sentence);
    } else {
      if (is_in(&m, "end of ", &name)) (void)find_end(program, name, &m);
      add_found(out, &m);
    }
  }
  if (errors > MAX_TOLD) text_format(out, "\nand %d more errors", errors - MAX_TOLD);
}

/* The outermost place of a message's instantiations, " at line 4 of softmax.cu"; false if that is none of
 * the user's. */
static bool find_use(const message *m, message *use) {
  static const char mark[] = " at line ", of[] = " of ";
  const char *at = NULL, *next = find(m->notes, mark);
  span ignored;
  for (; next != NULL; next = find(up_to(next + 1, m->notes.at + m->notes.length), mark)) at = next;
  if (at == NULL) return false;
  *use = (message){.sentence = m->sentence, .details = m->details};
  use->line = (int)strtol(at + strlen(mark), NULL, 10);
  const span rest = line_at(at);
  const char *place = find(rest, of);
  if (place == NULL) return false;
  use->place = up_to(place + strlen(of), rest.at + rest.length);
  return !is_in_templates(use) && !is_in(use, "call of ", &ignored) &&
         !is_in(use, "layout of ", &ignored);
}

/* The line of a text in the program that a message is about; false if it is not there. */
static bool find_line(const char *program, message *m) {
  text mark = {0};
  text_format(&mark, "\n#line 1 \"%.*s\"\n", (int)m->place.length, m->place.at);
  char *begins = text_take(&mark);
  const char *at = begins != NULL ? strstr(program, begins) : NULL;
  if (at != NULL) at += strlen(begins);
  free(begins);
  for (int line = 1; at != NULL && line < m->line; ++line) at = *at != '\0' ? next_line(at) : NULL;
  if (at == NULL) return false;
  m->source = line_at(at);
  m->column = 1 + (int)strspn(at, " \t");
  return true;
}

/* The first of what is wrong in jig's own code because of what a text asks of it. */
static void tell_use(text *out, const char *log, const char *program) {
  message m, use;
  for (const char *at = log; next_error(&at, &m);) {
    if (!find_use(&m, &use)) continue;
    const span asserted = quoted_after(m.sentence, "static assertion failed with \"");
    if (asserted.length > 0) use.sentence = asserted;
    (void)find_line(program, &use);
    add_found(out, &use);
    return;
  }
}

/* What is wrong with a struct; or else the first of what is wrong in jig's own code. */
static void tell_own(text *out, const char *log, const char *program) {
  message m;
  for (const char *at = log; next_error(&at, &m);) {
    if (add_struct_problem(out, &m, program)) return;
  }
  const char *at = log;
  if (!next_error(&at, &m)) return;
  text_add(out, "error: jig's own code does not compile with these texts ");
  text_add(out, "(does a struct, a macro or a name get in its way?): ");
  add_words(out, m.sentence);
}

/* What is wrong with an option: "Command-line error: invalid macro definition: 3=4". */
static void tell_options(text *out, const char *log) {
  static const char mark[] = "Command-line error: ";
  for (const char *at = log; *at != '\0' && out->length == 0; at = next_line(at)) {
    const span line = line_at(at);
    if (!begins_with(line, mark)) continue;
    text_format(out, "compile_options: %.*s", (int)(line.length - strlen(mark)), at + strlen(mark));
  }
}

/* The first that the assembler says: "ptxas fatal   : Unresolved extern function '_Z1fff'". */
static void tell_assembler(text *out, const char *log) {
  for (const char *at = log; *at != '\0'; at = next_line(at)) {
    const span line = line_at(at);
    const char *sentence = find(line, "error   : ");
    if (sentence == NULL) sentence = find(line, "fatal   : ");
    if (!begins_with(line, "ptxas") || sentence == NULL) continue;
    const span rest = up_to(sentence + strlen("error   : "), at + line.length);
    text_format(out, "error: the program compiles, but %s: %.*s",
                begins_with(rest, "Unresolved") ? "a function is declared and nowhere defined"
                                                : "cannot be assembled",
                (int)rest.length, rest.at);
    return;
  }
}

/* Kernels with more static shared memory than a block can have. Some assemblers say so: "ptxas error   :
 * Entry function 'f' uses too much shared data (0xcb20 bytes, 0xc000 max)"; others only say what each
 * uses, behind "Compiling entry function 'f' for 'sm_90'". */
static void tell_shared(text *out, const char *log) {
  enum { MOST_STATIC_BYTES = 48 << 10 };
  static const char names[] = "ntry function '", too_much[] = "' uses too much shared data (";
  span name = {"", 0};
  for (const char *at = log; *at != '\0'; at = next_line(at)) {
    const span line = line_at(at);
    const char *named = find(line, names), *told = find(line, too_much);
    long bytes = kernel_cost_of_line(line.at, line.length).shared_bytes;
    if (!begins_with(line, "ptxas")) continue;
    if (named != NULL) {
      named += strlen(names);
      const char *end = memchr(named, '\'', line.length - (size_t)(named - line.at));
      if (end != NULL) name = up_to(named, end);
    }
    if (told != NULL) bytes = strtol(told + strlen(too_much), NULL, 16);
    if (bytes <= MOST_STATIC_BYTES) continue;
    text_format(out,
                "%serror: the kernel '%.*s' has %ld bytes of static shared memory; it can have %d, and "
                "more only as dynamic shared memory",
                out->length > 0 ? "\n" : "", (int)name.length, name.at, bytes, (int)MOST_STATIC_BYTES);
  }
}

/* The number after a name in "[with T=hit, Size=8UL, ...]". */
static unsigned long number_after(span notes, const char *name) {
  const char *at = find(notes, name);
  return at == NULL ? 0 : strtoul(at + strlen(name), NULL, 10);
}

static void tell_mismatch(text *out, span notes) {
  const char *where = find(notes, "layout of ");
  char name[128] = "?";
  if (where != NULL) (void)sscanf(where, "layout of %127[A-Za-z0-9_:]", name);
  text_format(out,
              "struct '%s': its definition has size %lu and alignment %lu, "
              "jig_struct() was given size %lu and alignment %lu",
              name, number_after(notes, " Size="), number_after(notes, " Align="),
              number_after(notes, "StatedSize="), number_after(notes, "StatedAlign="));
}

/* Only if it comes before anything in a text: what does not compile may have a wrong size, too. */
static bool find_mismatch(const char *log, message *m) {
  for (const char *at = log; next_error(&at, m) && is_in_templates(m);) {
    if (find(m->sentence, "JIG_TYPE_MISMATCH") != NULL) return true;
  }
  return false;
}

jig_status diagnose(const char *log, const char *program) {
  text out = {0};
  message m;
  const bool mismatch = find_mismatch(log, &m);
  if (mismatch) tell_mismatch(&out, m.notes);
  if (out.length == 0) tell_macro(&out, log, program);
  if (out.length == 0) tell_texts(&out, log, program);
  if (out.length == 0) tell_use(&out, log, program);
  if (out.length == 0) tell_own(&out, log, program);
  if (out.length == 0) tell_options(&out, log);
  if (out.length == 0) tell_shared(&out, log);
  if (out.length == 0) tell_assembler(&out, log);
  if (out.length == 0) text_format(&out, "the compiler failed and gave no reason\n%s", log);
  if (log_current_level() >= LOG_DEBUG) text_format(&out, "\nThe compiler's log:\n%s", log);
  char *readable = text_take(&out);
  jig_status status = error_set(mismatch ? JIG_ERROR_TYPE_MISMATCH : JIG_ERROR_COMPILE, "%s",
                                readable != NULL ? readable : log);
  free(readable);
  return status;
}

bool diagnose_shared(const char *log) {
  text out = {0};
  tell_shared(&out, log);
  char *readable = out.length > 0 ? text_take(&out) : NULL;
  if (readable != NULL) (void)error_set(JIG_ERROR_COMPILE, "%s", readable);
  text_free(&out);
  free(readable);
  return readable != NULL;
}
