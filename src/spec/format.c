#include "spec/format.h"

#include <string.h>

#include "spec/elf.h"
#include "spec/fatbin.h"

static const char *const formats[] = {
#define FORMAT_ROW(format, name) [format] = name,
    JIG_FORMAT_MAP(FORMAT_ROW)
#undef FORMAT_ROW
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const char *format_name(jig_format format) {
  return format > JIG_FORMAT_NONE && (size_t)format < FORMAT_COUNT ? formats[format] : NULL;
}

jig_format format_from_name(const char *name) {
  for (jig_format f = JIG_FORMAT_NONE + 1; name != NULL && (size_t)f < FORMAT_COUNT; ++f) {
    if (strcmp(name, formats[f]) == 0) return f;
  }
  return JIG_FORMAT_NONE;
}

/* ---- by how it begins */

static bool is_ptx(view bytes) {
  static const char directive[] = ".version";
  for (size_t i = 0; i + sizeof directive <= bytes.size && bytes.at[i] != '\0'; ++i) {
    if (memcmp(bytes.at + i, directive, sizeof directive - 1) == 0) return true;
  }
  return false;
}

jig_format format_of(const void *data, size_t size) {
  enum { AT_MACHINE = 18, EM_CUDA_MACHINE = 190 };
  static const unsigned char lto_magic[] = {0xed, 0x43, 0x4e, 0x7f};
  const view bytes = view_of(data, size);
  if (size > AT_MACHINE + 1) {
    if (view_begins(bytes, lto_magic, sizeof lto_magic)) return JIG_FORMAT_LTO_IR;
    if (fatbin_begins(bytes)) return JIG_FORMAT_FATBIN;
    if (view_begins(bytes, ELFMAG, SELFMAG))
      return view_number(bytes, AT_MACHINE, 2) == EM_CUDA_MACHINE ? JIG_FORMAT_CUBIN : JIG_FORMAT_OBJECT;
  }
  return is_ptx(bytes) ? JIG_FORMAT_PTX : JIG_FORMAT_NONE;
}

bool format_is_whole(jig_format format, const void *data, size_t size) {
  const view bytes = view_of(data, size);
  if (format == JIG_FORMAT_CUBIN || format == JIG_FORMAT_OBJECT) return elf_is_whole(bytes);
  return format != JIG_FORMAT_FATBIN || fatbin_is_whole(bytes);
}
