/* ELF files of 64 bits, little-endian: cubins, and objects of hosts. Every offset and size in them is
 * checked where it is used. */
#ifndef JIG_SPEC_ELF_H
#define JIG_SPEC_ELF_H

#include <elf.h>
#include <stdbool.h>

#include "util/view.h"

typedef struct elf {
  view bytes;
  Elf64_Ehdr header;
  view sections; /* the table of their headers */
} elf;

/* False if it is none, or does not hold its own tables of headers. */
bool elf_open(elf *file, view bytes);

/* The header of a section; false, and zeros, if there is no such section. */
bool elf_section(const elf *file, uint64_t number, Elf64_Shdr *section);

/* The first section of that name; the same. */
bool elf_section_named(const elf *file, const char *name, Elf64_Shdr *section);

/* The bytes of a section; empty if it has none in the file, or states what is not there. */
view elf_bytes(const elf *file, const Elf64_Shdr *section);

/* Its table of symbols, of which there is one at most; false, and two empty ones, if there is none. */
bool elf_symbols(const elf *file, view *symbols, view *names);

/* The SM that a cubin is for; 0 if that cannot be told. */
unsigned elf_sm(const elf *file);

/* Whether all that its headers, symbols and relocations refer to is there. */
bool elf_is_whole(view bytes);

#endif
