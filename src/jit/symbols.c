#include "jit/symbols.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static void add(symbol_list *list, const symbol *s) {
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
    symbol *all = realloc(list->all, capacity * sizeof *all);
    if (all == NULL) {
      list->failed = true;
      return;
    }
    list->all = all;
    list->capacity = capacity;
  }
  list->all[list->count++] = *s;
}

bool symbol_is(const symbol *s, const char *name) {
  return strlen(name) == s->length && memcmp(name, s->name, s->length) == 0;
}

bool symbols_equal(const symbol *a, const symbol *b) {
  return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

const symbol *symbols_clash(const symbol_list *list, bool only_visible) {
  for (size_t i = 0; i < list->count; ++i) {
    const symbol *a = &list->all[i];
    if (!a->defined || (only_visible && !a->is_visible)) continue;
    for (size_t k = 0; k < i; ++k) {
      const symbol *b = &list->all[k];
      if (b->defined && b->file != a->file && (b->is_visible || !only_visible) && symbols_equal(a, b))
        return a;
    }
  }
  return NULL;
}

/* ---- PTX */

const char *ptx_skip_blank(const char *c, const char *end) {
  while (c < end) {
    if (isspace((unsigned char)*c)) {
      ++c;
    } else if (end - c > 1 && c[0] == '/' && c[1] == '/') {
      while (c < end && *c != '\n') ++c;
    } else if (end - c > 1 && c[0] == '/' && c[1] == '*') {
      for (c += 2; c < end && !(c[-1] == '*' && c[0] == '/'); ++c) continue;
      c += c < end;
    } else {
      break;
    }
  }
  return c;
}

/* A word with its dots, a string, or any other character; an empty one at the end of the text. */
typedef struct token {
  const char *begin, *end;
} token;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static token next_token(const char *c, const char *end) {
  token t;
  t.begin = t.end = ptx_skip_blank(c, end);
  if (t.begin == end) return t;
  if (*t.begin == '"') {
    for (++t.end; t.end < end && *t.end != '"'; ++t.end) t.end += *t.end == '\\' && end - t.end > 1;
    t.end += t.end < end;
    return t;
  }
  while (t.end < end && is_word(*t.end)) ++t.end;
  t.end += t.end == t.begin;
  return t;
}

static bool is_token(token t, const char *text) {
  return (size_t)(t.end - t.begin) == strlen(text) && memcmp(t.begin, text, strlen(text)) == 0;
}

/* Behind what an opening token is closed by. */
static const char *skip_nested(const char *c, const char *end, char open, char close) {
  int depth = 1;
  while (depth > 0) {
    const token t = next_token(c, end);
    if (t.begin == t.end) break;
    depth += (*t.begin == open) - (*t.begin == close);
    c = t.end;
  }
  return c;
}

/* After ".func" or ".entry": attributes, what is returned, the name, parameters; a body or a semicolon.
 */
static const char *read_function(const char *c, const char *end, symbol *s) {
  for (token t = next_token(c, end); t.begin < t.end; t = next_token(c, end)) {
    c = t.end;
    if (*t.begin == '(') {
      c = skip_nested(c, end, '(', ')');
    } else if (*t.begin == '{' || *t.begin == ';') {
      s->defined = *t.begin == '{';
      return s->defined ? skip_nested(c, end, '{', '}') : c;
    } else if (s->name == NULL && *t.begin != '.') {
      s->name = t.begin;
      s->length = (size_t)(t.end - t.begin);
    }
  }
  return c;
}

/* After ".global" and the like: type and alignment, the name, its size, a value. */
static const char *read_variable(const char *c, const char *end, symbol *s) {
  bool named = false;
  for (token t = next_token(c, end); t.begin < t.end; t = next_token(c, end)) {
    c = t.end;
    if (*t.begin == ';') return c;
    if (*t.begin == '{') c = skip_nested(c, end, '{', '}');
    named = named || *t.begin == '[' || *t.begin == '=';
    if (named || *t.begin == '.' || !is_word(*t.begin) || isdigit((unsigned char)*t.begin)) continue;
    s->name = t.begin;
    s->length = (size_t)(t.end - t.begin);
  }
  return c;
}

static bool is_one_of(token t, const char *const *names) {
  while (*names != NULL && !is_token(t, *names)) ++names;
  return *names != NULL;
}

void symbols_of_ptx(symbol_list *list, const char *ptx, const char *end, int file) {
  static const char *const functions[] = {".func", ".entry", NULL};
  static const char *const variables[] = {".global", ".const", ".shared", ".local", NULL};
  static const char *const linking[] = {".extern", ".visible", ".weak", ".common", NULL};
  symbol s = {.file = file, .defined = true};
  for (token t = next_token(ptx, end); t.begin < t.end; t = next_token(ptx, end)) {
    ptx = t.end;
    if (s.begin == NULL) s.begin = t.begin;
    if (is_one_of(t, linking)) {
      s.defined = s.defined && !is_token(t, ".extern");
      s.is_visible = s.is_visible || is_token(t, ".visible");
      continue;
    }
    const bool declared = !s.defined;
    s.is_given = declared && is_token(t, ".shared");
    if (is_one_of(t, functions))
      ptx = read_function(ptx, end, &s);
    else if (is_one_of(t, variables))
      ptx = read_variable(ptx, end, &s);
    else if (*t.begin == '{')
      ptx = skip_nested(ptx, end, '{', '}');
    s.defined = s.defined && !declared;
    s.end = ptx;
    if (s.name != NULL) add(list, &s);
    s = (symbol){.file = file, .defined = true};
  }
}

/* ---- cubins */

void symbols_of_cubin(symbol_list *list, const void *data, size_t size, int file) {
  const char *bytes = data;
  Elf64_Ehdr header;
  memcpy(&header, bytes, sizeof header);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    memcpy(&table, bytes + header.e_shoff + i * sizeof table, sizeof table);
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) continue;
    memcpy(&strings, bytes + header.e_shoff + table.sh_link * sizeof strings, sizeof strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym entry;
      memcpy(&entry, bytes + table.sh_offset + at, sizeof entry);
      if (ELF64_ST_BIND(entry.st_info) != STB_GLOBAL || entry.st_shndx == SHN_UNDEF ||
          entry.st_name >= strings.sh_size)
        continue;
      const char *name = bytes + strings.sh_offset + entry.st_name;
      const size_t room = size - (size_t)(name - bytes);
      const symbol s = {
          .name = name, .length = strnlen(name, room), .file = file, .defined = true, .is_visible = true};
      if (s.length > 0) add(list, &s);
    }
  }
}
