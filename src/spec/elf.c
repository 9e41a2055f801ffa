#include "spec/elf.h"

bool elf_open(elf *file, view bytes) {
  view segments;
  *file = (elf){.bytes = bytes, .sections = view_of(bytes.at, 0)};
  if (!view_copy(bytes, 0, &file->header, sizeof file->header)) return false;
  const Elf64_Ehdr *h = &file->header;
  if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
      h->e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  if (h->e_shnum > 0 && h->e_shentsize != sizeof(Elf64_Shdr)) return false;
  if (h->e_phnum > 0 && h->e_phentsize != sizeof(Elf64_Phdr)) return false;
  return view_part(bytes, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), &file->sections) &&
         view_part(bytes, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr), &segments);
}

bool elf_section(const elf *file, uint64_t number, Elf64_Shdr *section) {
  return view_item(file->sections, number, section, sizeof *section);
}

static bool is_in_file(const Elf64_Shdr *section) {
  return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
}

view elf_bytes(const elf *file, const Elf64_Shdr *section) {
  view bytes = view_of(file->bytes.at, 0);
  if (is_in_file(section)) (void)view_part(file->bytes, section->sh_offset, section->sh_size, &bytes);
  return bytes;
}

/* The names that a section refers to by its link; empty if what is there has none. */
static view names_at(const elf *file, uint64_t number) {
  Elf64_Shdr names;
  (void)elf_section(file, number, &names);
  return names.sh_type == SHT_STRTAB ? elf_bytes(file, &names) : view_of(file->bytes.at, 0);
}

bool elf_section_named(const elf *file, const char *name, Elf64_Shdr *section) {
  const view names = names_at(file, file->header.e_shstrndx);
  view its;
  for (uint64_t i = 1; elf_section(file, i, section); ++i) {
    if (view_string(names, section->sh_name, &its) && its.size == strlen(name) &&
        memcmp(its.at, name, its.size) == 0)
      return true;
  }
  return false;
}

/* The first section of a type; false, and zeros, if there is none. */
static bool find_section(const elf *file, uint32_t type, Elf64_Shdr *section) {
  uint64_t i = 1;
  while (elf_section(file, i, section) && section->sh_type != type) ++i;
  return section->sh_type == type;
}

bool elf_symbols(const elf *file, view *symbols, view *names) {
  Elf64_Shdr table;
  const bool found = find_section(file, SHT_SYMTAB, &table);
  *symbols = elf_bytes(file, &table);
  *names = names_at(file, table.sh_link);
  return found;
}

unsigned elf_sm(const elf *file) {
  switch (file->header.e_ident[EI_ABIVERSION]) {
    case 7: /* of CUDA 12, up to SM 90 */
      return file->header.e_flags & 0xff;
    case 8:
      return file->header.e_flags >> 8 & 0xff;
    default:
      return 0;
  }
}

/* ---- whether it is whole */

static bool segments_are_whole(const elf *file) {
  Elf64_Phdr segment;
  view bytes;
  for (unsigned i = 0; i < file->header.e_phnum; ++i) {
    if (!view_copy(file->bytes, file->header.e_phoff + i * sizeof segment, &segment, sizeof segment) ||
        !view_part(file->bytes, segment.p_offset, segment.p_filesz, &bytes))
      return false;
  }
  return true;
}

/* Every name is a string that ends within its section. */
static bool names_are_whole(const elf *file, const Elf64_Shdr *section) {
  const view names = elf_bytes(file, section);
  return names.size == 0 || names.at[names.size - 1] == '\0';
}

/* What a symbol of an object stands for lies within the section that defines it. */
static bool symbol_is_whole(const elf *file, const Elf64_Sym *symbol, view names) {
  Elf64_Shdr section;
  if (symbol->st_name >= names.size && symbol->st_name != 0) return false;
  if (symbol->st_shndx >= SHN_LORESERVE) return true;
  if (!elf_section(file, symbol->st_shndx, &section) && symbol->st_shndx != SHN_UNDEF) return false;
  if (symbol->st_shndx == SHN_UNDEF || file->header.e_type != ET_REL) return true;
  return symbol->st_value <= section.sh_size && symbol->st_size <= section.sh_size - symbol->st_value;
}

static bool symbols_are_whole(const elf *file, const Elf64_Shdr *section) {
  const view symbols = elf_bytes(file, section), names = names_at(file, section->sh_link);
  Elf64_Sym symbol;
  if (section->sh_entsize != sizeof symbol || symbols.size % sizeof symbol != 0) return false;
  if (section->sh_info > view_count(symbols, sizeof symbol)) return false;
  for (uint64_t i = 0; view_item(symbols, i, &symbol, sizeof symbol); ++i) {
    if (!symbol_is_whole(file, &symbol, names)) return false;
  }
  return true;
}

/* Relocations are of symbols of the table that they link to, and within the section that they are for. */
static bool relocations_are_whole(const elf *file, const Elf64_Shdr *section) {
  const view relocations = elf_bytes(file, section);
  const size_t size = section->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  Elf64_Shdr target, table;
  Elf64_Rel relocation; /* which an Elf64_Rela begins with */
  if (section->sh_entsize != size || relocations.size % size != 0) return false;
  if (!elf_section(file, section->sh_info, &target) || !elf_section(file, section->sh_link, &table))
    return false;
  const uint64_t symbols = view_count(elf_bytes(file, &table), sizeof(Elf64_Sym));
  for (uint64_t at = 0; view_copy(relocations, at, &relocation, sizeof relocation); at += size) {
    if (ELF64_R_SYM(relocation.r_info) >= symbols) return false;
    if (section->sh_info != 0 && relocation.r_offset >= target.sh_size) return false;
  }
  return true;
}

static bool section_is_whole(const elf *file, const Elf64_Shdr *section) {
  view bytes;
  if (!is_in_file(section)) return true;
  if (!view_part(file->bytes, section->sh_offset, section->sh_size, &bytes)) return false;
  switch (section->sh_type) {
    case SHT_STRTAB:
      return names_are_whole(file, section);
    case SHT_SYMTAB:
      return symbols_are_whole(file, section);
    case SHT_REL:
    case SHT_RELA:
      return relocations_are_whole(file, section);
    default:
      return true;
  }
}

bool elf_is_whole(view bytes) {
  elf file;
  Elf64_Shdr section;
  if (!elf_open(&file, bytes) || !segments_are_whole(&file)) return false;
  const view names = names_at(&file, file.header.e_shstrndx);
  int symbol_tables = 0;
  for (uint64_t i = 0; elf_section(&file, i, &section); ++i) {
    symbol_tables += section.sh_type == SHT_SYMTAB;
    if (symbol_tables > 1 || !section_is_whole(&file, &section)) return false;
    if (section.sh_name >= names.size && section.sh_name != 0) return false;
  }
  return true;
}
