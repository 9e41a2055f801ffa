#include "jit/code_entries.h"

#include <ctype.h>
#include <stdlib.h>

#include "jit/symbols.h"
#include "spec/elf.h"

enum { MOST_PARAMETERS = 1 << 15 }; /* of a byte each, in as many as there are bytes of them */

static void list_name(text *out, view name) {
  text_format(out, "%s'%.*s'", out->length > 0 ? ", " : "", (int)name.size, (const char *)name.at);
}

static bool is_name(view v, const char *name) {
  return v.size == strlen(name) && memcmp(v.at, name, v.size) == 0;
}

/* What is done with each kernel's name; false ends it. */
typedef bool visit_entry(void *user, view name);

/* ---- cubins */

/* A function's symbol with this bit is a kernel's. */
enum { STO_CUDA_ENTRY = 0x10 };

static void visit_cubin(view code, visit_entry *visit, void *user) {
  elf file;
  view symbols, names, name;
  Elf64_Sym s;
  if (!elf_open(&file, code) || !elf_symbols(&file, &symbols, &names)) return;
  for (uint64_t i = 0; view_item(symbols, i, &s, sizeof s); ++i) {
    const bool is_entry = ELF64_ST_TYPE(s.st_info) == STT_FUNC && (s.st_other & STO_CUDA_ENTRY) != 0;
    if (is_entry && view_string(names, s.st_name, &name) && !visit(user, name)) return;
  }
}

/* The section ".nv.info.<kernel>" is a list of attributes. Each has a format, a name, and a number of 16
 * bits, which of format 4 says how many bytes follow. A parameter's bytes are three words: one of no
 * meaning here; its ordinal, with its offset above 16 bits; and its size from bit 18 on, or, of the
 * second kind, which came for larger ones, in the lower 16 bits. */
enum { FORMAT_BYTES = 4, PARAMETER = 0x17, PARAMETER_LARGE = 0x45 };

static bool note_parameter(view attribute, bool is_large, entry_parameters *parameters) {
  const uint32_t ordinal = (uint32_t)view_number(attribute, 4, 2);
  const uint32_t word = (uint32_t)view_number(attribute, 8, 4);
  if (ordinal >= MOST_PARAMETERS) return false;
  if (ordinal >= parameters->count) {
    uint32_t *sizes = realloc(parameters->sizes, (ordinal + 1) * sizeof *sizes);
    if (sizes == NULL) {
      parameters->failed = true;
      return false;
    }
    memset(sizes + parameters->count, 0, (ordinal + 1 - parameters->count) * sizeof *sizes);
    parameters->sizes = sizes;
    parameters->count = ordinal + 1;
  }
  parameters->sizes[ordinal] = is_large ? word & 0xffff : word >> 18;
  return true;
}

static bool read_attributes(view info, entry_parameters *parameters) {
  for (uint64_t at = 0; at + 4 <= info.size;) {
    const uint64_t format = view_number(info, at, 1), name = view_number(info, at + 1, 1);
    const uint64_t size = format == FORMAT_BYTES ? view_number(info, at + 2, 2) : 0;
    view bytes;
    if (!view_part(info, at + 4, size, &bytes)) return false;
    at += 4 + size;
    if ((name == PARAMETER || name == PARAMETER_LARGE) &&
        !note_parameter(bytes, name == PARAMETER_LARGE, parameters))
      return false;
  }
  return true;
}

static bool read_cubin(view code, const char *name, entry_parameters *parameters) {
  elf file;
  Elf64_Shdr section;
  char section_name[256] = ".nv.info.";
  if (strlen(name) >= sizeof section_name - strlen(section_name)) return false;
  (void)strcat(section_name, name);
  return elf_open(&file, code) && elf_section_named(&file, section_name, &section) &&
         read_attributes(elf_bytes(&file, &section), parameters);
}

/* ---- PTX */

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static const char *past_word(const char *c, const char *end) {
  while (c < end && (is_name_char(*c) || *c == '.')) ++c;
  return c;
}

/* The next kernel's name from *at on, behind which *at is then; false at the end. */
static bool next_entry(const char **at, const char *end, view *name) {
  static const char directive[] = ".entry";
  const char *found = memmem(*at, (size_t)(end - *at), directive, strlen(directive));
  if (found == NULL) return false;
  const char *begin = ptx_skip_blank(found + strlen(directive), end), *c = begin;
  while (c < end && is_name_char(*c)) ++c;
  *name = view_of(begin, (size_t)(c - begin));
  *at = c;
  return true;
}

static const char *end_of(view ptx) {
  const char *nul = memchr(ptx.at, '\0', ptx.size);
  return nul != NULL ? nul : (const char *)ptx.at + ptx.size;
}

static void visit_ptx(view code, visit_entry *visit, void *user) {
  const char *at = (const char *)code.at, *end = end_of(code);
  for (view name; next_entry(&at, end, &name);)
    if (!visit(user, name)) return;
}

/* ".param .align 8 .b8 name[32]" is of 32 bytes, ".param .u64 .ptr .align 1 name" of 8. */
static uint32_t parameter_size(const char *c, const char *end) {
  uint32_t element = 0;
  for (; c < end && *c != '['; c = ptx_skip_blank(past_word(c, end), end)) {
    if (*c == '.' && element == 0 && end - c > 2 && isdigit((unsigned char)c[2]))
      element = (uint32_t)strtoul(c + 2, NULL, 10) / 8;
    if (past_word(c, end) == c) return 0;
  }
  return c < end ? element * (uint32_t)strtoul(c + 1, NULL, 10) : element;
}

static bool read_ptx(view code, const char *name, entry_parameters *parameters) {
  const char *at = (const char *)code.at, *end = end_of(code);
  view found;
  do {
    if (!next_entry(&at, end, &found)) return false;
  } while (!is_name(found, name));
  at = ptx_skip_blank(at, end);
  const char *close = at < end && *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
  if (close == NULL) return at < end && (*at == '{' || *at == '.'); /* it has none */
  for (at = ptx_skip_blank(at + 1, close); at < close; at = ptx_skip_blank(at + 1, close)) {
    const char *comma = memchr(at, ',', (size_t)(close - at));
    const char *stop = comma != NULL ? comma : close;
    uint32_t *sizes = realloc(parameters->sizes, (parameters->count + 1) * sizeof *sizes);
    if (sizes == NULL) {
      parameters->failed = true;
      return false;
    }
    parameters->sizes = sizes;
    sizes[parameters->count++] = parameter_size(at, stop);
    at = stop;
  }
  return true;
}

/* ---- both */

static void visit_all(view code, bool ptx, visit_entry *visit, void *user) {
  if (ptx)
    visit_ptx(code, visit, user);
  else
    visit_cubin(code, visit, user);
}

typedef struct search {
  const char *name;
  bool found;
} search;

static bool compare(void *user, view name) {
  search *s = user;
  s->found = is_name(name, s->name);
  return !s->found;
}

bool code_has_entry(view code, bool ptx, const char *name) {
  search s = {name, false};
  visit_all(code, ptx, compare, &s);
  return s.found;
}

static bool add_name(void *user, view name) {
  list_name(user, name);
  return true;
}

void code_list_entries(view code, bool ptx, text *out) {
  visit_all(code, ptx, add_name, out);
}

bool code_read_parameters(view code, bool ptx, const char *name, entry_parameters *parameters) {
  *parameters = (entry_parameters){.count = 0};
  if (ptx ? read_ptx(code, name, parameters) : read_cubin(code, name, parameters)) return true;
  free(parameters->sizes);
  *parameters = (entry_parameters){.failed = parameters->failed};
  return false;
}
