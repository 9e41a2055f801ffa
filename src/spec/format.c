#include "spec/format.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

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

jig_format format_of(const void *data, size_t size) {
  enum { MACHINE = 18, EM_CUDA_MACHINE = 190 };
  static const struct {
    jig_format format;
    unsigned char magic[4];
  } magics[] = {
      {JIG_FORMAT_LTO_IR, {0xed, 0x43, 0x4e, 0x7f}},
      {JIG_FORMAT_OBJECT, {0x7f, 'E', 'L', 'F'}},
      {JIG_FORMAT_FATBIN, {0x50, 0xed, 0x55, 0xba}},
  };
  const unsigned char *bytes = data;
  for (size_t i = 0; size > MACHINE + 1 && i < sizeof magics / sizeof magics[0]; ++i) {
    if (memcmp(bytes, magics[i].magic, sizeof magics[i].magic) != 0) continue;
    if (magics[i].format != JIG_FORMAT_OBJECT) return magics[i].format;
    return (bytes[MACHINE] | bytes[MACHINE + 1] << 8) == EM_CUDA_MACHINE ? JIG_FORMAT_CUBIN
                                                                         : JIG_FORMAT_OBJECT;
  }
  static const char directive[] = ".version";
  for (size_t i = 0; i + sizeof directive <= size && bytes[i] != '\0'; ++i) {
    if (memcmp(bytes + i, directive, sizeof directive - 1) == 0) return JIG_FORMAT_PTX;
  }
  return JIG_FORMAT_NONE;
}

/* ---- whether it is all there */

static bool lies_within(uint64_t offset, uint64_t length, size_t size) {
  return offset <= size && length <= size - offset;
}

static bool elf_is_whole(const unsigned char *data, size_t size) {
  Elf64_Ehdr header;
  if (size < sizeof header) return false;
  memcpy(&header, data, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
  if (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  if (!lies_within(header.e_shoff, (uint64_t)header.e_shnum * header.e_shentsize, size) ||
      !lies_within(header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize, size))
    return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    memcpy(&section, data + header.e_shoff + i * sizeof section, sizeof section);
    const bool in_file = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (in_file && !lies_within(section.sh_offset, section.sh_size, size)) return false;
  }
  return true;
}

/* A header of 16 bytes, of which the last 8 say how many follow. */
static bool fatbin_is_whole(const unsigned char *data, size_t size) {
  uint16_t header_size;
  uint64_t rest;
  if (size < 16) return false;
  memcpy(&header_size, data + 6, sizeof header_size);
  memcpy(&rest, data + 8, sizeof rest);
  return lies_within(header_size, rest, size);
}

bool format_is_whole(jig_format format, const void *data, size_t size) {
  if (format == JIG_FORMAT_CUBIN || format == JIG_FORMAT_OBJECT) return elf_is_whole(data, size);
  return format != JIG_FORMAT_FATBIN || fatbin_is_whole(data, size);
}
