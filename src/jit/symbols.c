#include "jit/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "spec/elf.h"

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

void symbols_free(symbol_list *list) {
  free(list->all);
  free(list->by_name);
  *list = (symbol_list){NULL};
}

/* ---- by name */

static int compare_names(const symbol *a, const symbol *b) {
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  return memcmp(a->name, b->name, a->length);
}

static int by_name_and_place(const void *a, const void *b) {
  const symbol *x = *(const symbol *const *)a, *y = *(const symbol *const *)b;
  const int order = compare_names(x, y);
  return order != 0 ? order : (x > y) - (x < y);
}

bool symbols_sort(symbol_list *list) {
  list->by_name = malloc((list->count + 1) * sizeof *list->by_name);
  if (list->by_name == NULL) list->failed = true;
  if (list->failed) return false;
  for (size_t i = 0; i < list->count; ++i) list->by_name[i] = &list->all[i];
  qsort(list->by_name, list->count, sizeof *list->by_name, by_name_and_place);
  return true;
}

/* Where those of a name begin. */
static size_t find_name(const symbol_list *list, const symbol *s) {
  size_t low = 0, high = list->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_names(list->by_name[middle], s) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const symbol *symbols_first(const symbol_list *list, const symbol *s) {
  return list->by_name[find_name(list, s)];
}

const symbol *symbols_definition(const symbol_list *list, const symbol *s) {
  for (size_t i = find_name(list, s); i < list->count && compare_names(list->by_name[i], s) == 0; ++i) {
    if (list->by_name[i]->defined) return list->by_name[i];
  }
  return NULL;
}

const symbol *symbols_clash(const symbol_list *list, bool only_visible) {
  const symbol *before = NULL;
  for (size_t i = 0; i < list->count; ++i) {
    const symbol *s = list->by_name[i];
    if (!s->defined || (only_visible && !s->is_visible)) continue;
    if (before != NULL && compare_names(before, s) == 0 && before->file != s->file) return s;
    before = s;
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

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

ptx_token ptx_next_token(const char *c, const char *end) {
  ptx_token t;
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

bool ptx_token_is(ptx_token t, const char *text) {
  return (size_t)(t.end - t.begin) == strlen(text) && memcmp(t.begin, text, strlen(text)) == 0;
}

/* Behind what an opening token is closed by. */
static const char *skip_nested(const char *c, const char *end, char open, char close) {
  int depth = 1;
  while (depth > 0) {
    const ptx_token t = ptx_next_token(c, end);
    if (t.begin == t.end) break;
    depth += (*t.begin == open) - (*t.begin == close);
    c = t.end;
  }
  return c;
}

/* After ".func" or ".entry": attributes, what is returned, the name, parameters; a body or a semicolon.
 */
static const char *read_function(const char *c, const char *end, symbol *s) {
  for (ptx_token t = ptx_next_token(c, end); t.begin < t.end; t = ptx_next_token(c, end)) {
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
  for (ptx_token t = ptx_next_token(c, end); t.begin < t.end; t = ptx_next_token(c, end)) {
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

static bool is_one_of(ptx_token t, const char *const *names) {
  while (*names != NULL && !ptx_token_is(t, *names)) ++names;
  return *names != NULL;
}

void symbols_of_ptx(symbol_list *list, const char *ptx, const char *end, int file) {
  static const char *const functions[] = {".func", ".entry", NULL};
  static const char *const variables[] = {".global", ".const", ".shared", ".local", NULL};
  static const char *const linking[] = {".extern", ".visible", ".weak", ".common", NULL};
  symbol s = {.file = file, .defined = true};
  for (ptx_token t = ptx_next_token(ptx, end); t.begin < t.end; t = ptx_next_token(ptx, end)) {
    ptx = t.end;
    if (s.begin == NULL) s.begin = t.begin;
    if (is_one_of(t, linking)) {
      s.defined = s.defined && !ptx_token_is(t, ".extern");
      s.is_visible = s.is_visible || ptx_token_is(t, ".visible");
      continue;
    }
    const bool declared = !s.defined;
    s.is_given = declared && ptx_token_is(t, ".shared");
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

bool symbols_of_cubin(symbol_list *list, const void *data, size_t size, int file) {
  elf cubin;
  view symbols, names, name;
  Elf64_Sym entry;
  if (!elf_open(&cubin, view_of(data, size)) || !elf_symbols(&cubin, &symbols, &names)) return false;
  for (uint64_t i = 0; view_item(symbols, i, &entry, sizeof entry); ++i) {
    if (ELF64_ST_BIND(entry.st_info) != STB_GLOBAL || entry.st_shndx == SHN_UNDEF ||
        !view_string(names, entry.st_name, &name) || name.size == 0)
      continue;
    const symbol s = {.name = (const char *)name.at,
                      .length = name.size,
                      .file = file,
                      .defined = true,
                      .is_visible = true};
    add(list, &s);
  }
  return true;
}
