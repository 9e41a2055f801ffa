/* Readers of compiled operators, given what nobody's compiler makes: offsets and sizes that lead out of
 * the file are refused where a file is checked, and not followed where it is read. */
#include <elf.h>
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "jit/arch.h"
#include "jit/binary.h"
#include "jit/ptx_merge.h"
#include "jit/symbols.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/elf.h"
#include "spec/fatbin.h"
#include "spec/format.h"
#include "spec/operator.h"
#include "suite.h"
#include "util/text.h"

/* ---- views */

START_TEST(views_hold_what_is_within) {
  static const unsigned char bytes[] = {1, 2, 3, 'a', 'b', 0, 'c'};
  const view all = view_of(bytes, sizeof bytes);
  view part;
  uint16_t pair = 7;
  ck_assert(view_part(all, 0, 7, &part) && part.size == 7);
  ck_assert(view_part(all, 7, 0, &part) && part.size == 0);
  ck_assert(!view_part(all, 7, 1, &part) && part.size == 0);
  ck_assert(!view_part(all, 8, 0, &part));
  ck_assert(!view_part(all, 1, UINT64_MAX, &part) && !view_part(all, UINT64_MAX, 1, &part));
  ck_assert(!view_part(all, UINT64_MAX - 1, 3, &part));
  ck_assert_uint_eq(view_from(all, 5).size, 2);
  ck_assert_uint_eq(view_from(all, UINT64_MAX).size, 0);
  ck_assert_uint_eq(view_number(all, 0, 3), 0x030201);
  ck_assert_uint_eq(view_number(all, 5, 3), 0);
  ck_assert_uint_eq(view_count(all, 2), 3);
  ck_assert(view_item(all, 2, &pair, 2) && pair == 'b');
  ck_assert(!view_item(all, 3, &pair, 2) && pair == 0);
  ck_assert(!view_item(all, UINT64_MAX / 2 + 1, &pair, 2)); /* times 2 it would be 0 */
  ck_assert(view_string(all, 3, &part) && part.size == 2);
  ck_assert(!view_string(all, 6, &part) && !view_string(all, 7, &part));
  ck_assert(view_begins(all, "\1\2", 2) && !view_begins(all, bytes, 8));
}
END_TEST

/* ---- ELF files */

/* A cubin with a function "f", a table of symbols, their names, names of sections, and a relocation. */
typedef struct cubin {
  Elf64_Ehdr header;
  Elf64_Shdr sections[5];
  Elf64_Phdr segment;
  Elf64_Sym symbols[2];
  Elf64_Rela relocation;
  char names[8];
} cubin;

enum { OF_NOTHING, OF_CODE, OF_SYMBOLS, OF_NAMES, OF_RELOCATIONS };

static cubin sound_cubin(void) {
  cubin c = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                        .e_type = ET_REL,
                        .e_machine = 190,
                        .e_shoff = offsetof(cubin, sections),
                        .e_phoff = offsetof(cubin, segment),
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_phnum = 1,
                        .e_shentsize = sizeof(Elf64_Shdr),
                        .e_shnum = 5,
                        .e_shstrndx = OF_NAMES},
             .segment = {.p_offset = 0, .p_filesz = sizeof(cubin)},
             .relocation = {.r_offset = 8, .r_info = ELF64_R_INFO(1, 2)},
             .names = "\0f\0text"};
  c.sections[OF_CODE] =
      (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_name = 3, .sh_offset = 0, .sh_size = 64};
  c.sections[OF_SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                        .sh_offset = offsetof(cubin, symbols),
                                        .sh_size = sizeof c.symbols,
                                        .sh_link = OF_NAMES,
                                        .sh_info = 1,
                                        .sh_entsize = sizeof(Elf64_Sym)};
  c.sections[OF_NAMES] =
      (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = offsetof(cubin, names), .sh_size = sizeof c.names};
  c.sections[OF_RELOCATIONS] = (Elf64_Shdr){.sh_type = SHT_RELA,
                                            .sh_offset = offsetof(cubin, relocation),
                                            .sh_size = sizeof c.relocation,
                                            .sh_link = OF_SYMBOLS,
                                            .sh_info = OF_CODE,
                                            .sh_entsize = sizeof(Elf64_Rela)};
  c.symbols[1] =
      (Elf64_Sym){.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = OF_CODE};
  return c;
}

/* Everything that reads an operator, of bytes that end where a page of the heap's does, or a sanitizer's
 * zone begins. Whether they are taken for a whole one. */
static bool read_all(jig_format format, const void *bytes, size_t size) {
  char *copy = malloc(size), version[BINARY_VERSION_SIZE];
  memcpy(copy, bytes, size);
  const jig_op op = jig_op_binary(format, copy, size, "f");
  symbol_list symbols = {NULL};
  binary_version(&op, version);
  if (format == JIG_FORMAT_CUBIN) (void)symbols_of_cubin(&symbols, copy, size, 0);
  if (format == JIG_FORMAT_PTX) symbols_of_ptx(&symbols, copy, copy + size, 0);
  ck_assert(symbols_sort(&symbols));
  (void)symbols_clash(&symbols, false);
  for (size_t i = 0; i < symbols.count; ++i) {
    const symbol *s = &symbols.all[i];
    ck_assert(s->name >= copy && s->length <= size - (size_t)(s->name - copy));
  }
  symbols_free(&symbols);
  const bool whole = format_of(copy, size) == format && format_is_whole(format, copy, size);
  free(copy);
  return whole;
}

static bool is_whole(const cubin *c) {
  return read_all(JIG_FORMAT_CUBIN, c, sizeof *c);
}

START_TEST(symbols_of_cubins_are_found) {
  cubin c = sound_cubin();
  symbol_list symbols = {NULL};
  ck_assert(is_whole(&c));
  ck_assert(symbols_of_cubin(&symbols, &c, sizeof c, 4));
  ck_assert_uint_eq(symbols.count, 1);
  ck_assert(symbol_is(&symbols.all[0], "f") && symbols.all[0].defined && symbols.all[0].file == 4);
  symbols_free(&symbols);
  c.sections[OF_SYMBOLS].sh_type = SHT_NULL;
  ck_assert(!symbols_of_cubin(&symbols, &c, sizeof c, 4));
}
END_TEST

/* The names of symbols in a section that has no bytes in the file, far away. */
START_TEST(names_are_not_looked_for_outside_of_the_file) {
  static const uint32_t types[] = {SHT_NOBITS, SHT_NULL, SHT_STRTAB, SHT_PROGBITS};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    cubin c = sound_cubin();
    c.sections[OF_NAMES].sh_type = types[i];
    c.sections[OF_NAMES].sh_offset = 0x7000000000;
    c.sections[OF_NAMES].sh_size = 1 << 20;
    ck_assert(!is_whole(&c));
    const jig_op op = jig_op_binary(JIG_FORMAT_CUBIN, &c, sizeof c, "f");
    const jig_type number = JIG_F32;
    const op_signature of_numbers = {.arity = 2, .operand = &number, .result = &number};
    FAILS(op_check(&op, &of_numbers, "op", "operator"), JIG_ERROR_INVALID_ARGUMENT,
          "op: the data of jig_op_binary() is damaged");
  }
}
END_TEST

#define REFUSED(member, value)                                \
  do {                                                        \
    cubin c = sound_cubin();                                  \
    c.member = (value);                                       \
    ck_assert_msg(!is_whole(&c), "%s = %s", #member, #value); \
  } while (0)

START_TEST(what_leads_out_of_a_cubin_is_refused) {
  REFUSED(header.e_shoff, sizeof(cubin) - 100);
  REFUSED(header.e_shoff, UINT64_MAX - 63);
  REFUSED(header.e_shnum, 200);
  REFUSED(header.e_shentsize, 63);
  REFUSED(header.e_phentsize, 32);
  REFUSED(header.e_phnum, 100);
  REFUSED(segment.p_offset, 1);
  REFUSED(segment.p_filesz, UINT64_MAX);
  REFUSED(sections[OF_CODE].sh_name, 8);
  REFUSED(sections[OF_CODE].sh_offset, sizeof(cubin) - 63);
  REFUSED(sections[OF_CODE].sh_size, UINT64_MAX);
  REFUSED(sections[OF_SYMBOLS].sh_link, 5);
  REFUSED(sections[OF_SYMBOLS].sh_link, OF_CODE);
  REFUSED(sections[OF_SYMBOLS].sh_entsize, 1);
  REFUSED(sections[OF_SYMBOLS].sh_size, 47);
  REFUSED(sections[OF_NAMES].sh_size, 7); /* the last name has no end */
  REFUSED(sections[OF_CODE].sh_type, SHT_SYMTAB);
  REFUSED(symbols[1].st_name, 8);
  REFUSED(symbols[1].st_shndx, 5);
  REFUSED(symbols[1].st_value, 65);
  REFUSED(symbols[1].st_size, UINT64_MAX);
  REFUSED(sections[OF_SYMBOLS].sh_info, 3);
  REFUSED(sections[OF_RELOCATIONS].sh_link, 5);
  REFUSED(sections[OF_RELOCATIONS].sh_info, 5);
  REFUSED(sections[OF_RELOCATIONS].sh_entsize, 16);
  REFUSED(relocation.r_offset, 64);
  REFUSED(relocation.r_info, ELF64_R_INFO(2, 2));
}
END_TEST

/* Names in the second one would be looked at by nobody but the linker. */
START_TEST(a_cubin_has_one_table_of_symbols) {
  cubin c = sound_cubin();
  c.sections[OF_RELOCATIONS] = c.sections[OF_SYMBOLS];
  ck_assert(!is_whole(&c));
  c.sections[OF_SYMBOLS].sh_type = SHT_PROGBITS;
  ck_assert(is_whole(&c));
}
END_TEST

/* Each field of two, four and eight bytes as something else; and cut off anywhere. */
static void change_everything(jig_format format, const void *bytes, size_t size) {
  static const uint64_t values[] = {0,          1,          0x7f,      0xff,       0xffff,
                                    0x7fffffff, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 15};
  unsigned char *changed = malloc(size);
  for (size_t at = 0; at < size; ++at) {
    (void)read_all(format, bytes, at + 1);
    for (size_t width = 1; width <= 8; width *= 2) {
      for (size_t i = 0; i < COUNT_OF(values) && at % width == 0 && at + width <= size; ++i) {
        memcpy(changed, bytes, size);
        memcpy(changed + at, &values[i], width);
        (void)read_all(format, changed, size);
      }
    }
  }
  free(changed);
}

START_TEST(no_field_of_a_cubin_is_believed) {
  const cubin c = sound_cubin();
  change_everything(JIG_FORMAT_CUBIN, &c, sizeof c);
  change_everything(JIG_FORMAT_OBJECT, &c, sizeof c);
}
END_TEST

/* ---- fat binaries */

/* A fat binary with an entry of PTX 8.4 and one of LTO-IR 12.3, of eight bytes each. */
typedef struct fat {
  unsigned char header[16];
  struct {
    uint16_t kind, unused;
    uint32_t header_size;
    uint64_t code_size;
    unsigned char more[8];
    uint16_t minor, major;
    unsigned char rest[4], code[8];
  } entries[2];
} fat;

static fat sound_fat(void) {
  fat f = {.header = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, sizeof f.entries}};
  for (int i = 0; i < 2; ++i) {
    f.entries[i].kind = i == 0 ? FATBIN_PTX : FATBIN_LTO_IR;
    f.entries[i].header_size = offsetof(fat, entries[0].code) - offsetof(fat, entries[0]);
    f.entries[i].code_size = sizeof f.entries[i].code;
    f.entries[i].major = i == 0 ? 8 : 12;
    f.entries[i].minor = i == 0 ? 4 : 3;
  }
  return f;
}

START_TEST(fat_binaries_are_read_to_their_end) {
  fat f = sound_fat();
  char version[BINARY_VERSION_SIZE];
  const jig_op op = jig_op_binary(JIG_FORMAT_FATBIN, &f, sizeof f, "f");
  binary_version(&op, version);
  ck_assert_str_eq(version, "LTO-IR 12.3 (fatbin)");
  ck_assert(read_all(JIG_FORMAT_FATBIN, &f, sizeof f));
  ck_assert(!read_all(JIG_FORMAT_FATBIN, &f, sizeof f - 1));
  /* One that is refused, but within an object nobody looks at it but for its version. */
  f.entries[1].code_size += 1;
  ck_assert(!read_all(JIG_FORMAT_FATBIN, &f, sizeof f));
  binary_version(&op, version);
  ck_assert_str_eq(version, "PTX 8.4 (fatbin)");
  f = sound_fat();
  f.entries[0].header_size = 31;
  ck_assert(!read_all(JIG_FORMAT_FATBIN, &f, sizeof f));
  f = sound_fat();
  f.header[6] = 15;
  ck_assert(!read_all(JIG_FORMAT_FATBIN, &f, sizeof f));
  f = sound_fat();
  f.header[8] -= 1;
  ck_assert(!read_all(JIG_FORMAT_FATBIN, &f, sizeof f));
}
END_TEST

START_TEST(no_field_of_a_fat_binary_is_believed) {
  const fat f = sound_fat();
  change_everything(JIG_FORMAT_FATBIN, &f, sizeof f);
  change_everything(JIG_FORMAT_OBJECT, &f, sizeof f);
}
END_TEST

START_TEST(ltoir_that_is_cut_off_has_no_version) {
  static const unsigned char ir[] = {0xed, 0x43, 0x4e, 0x7f, 3, 0, 2, 0};
  for (size_t size = 1; size <= sizeof ir; ++size) (void)read_all(JIG_FORMAT_LTO_IR, ir, size);
}
END_TEST

/* ---- many */

/* Seconds, where they take a time that grows with the square of their number: hours. */
START_TEST(many_symbols_take_no_time) {
  enum { MANY = 300000 };
  text ptx = {0}, program = {0};
  text_add(&ptx, ".version 6.3\n.target sm_75\n");
  text_add(&program, ".version 6.3\n.target sm_75\n.address_size 64\n");
  for (int i = 0; i < MANY; ++i) {
    text_format(&ptx, ".visible .func f%d() { ret; }\n", i);
    text_format(&program, ".extern .func f%d();\n", i);
  }
  char *definitions = text_take(&ptx);
  const jig_op op = jig_op_binary(JIG_FORMAT_PTX, definitions, strlen(definitions), "f0");
  const jig_op *ops[] = {&op};
  const arch target = arch_of_sm(90, true);
  compiled result = {.payload_size = program.length + 1};
  result.payload = (unsigned char *)text_take(&program);
  OK(ptx_merge(ops, 1, &target, &result));
  ck_assert_ptr_null(strstr((char *)result.payload, ".extern"));
  compiled_free(&result);
  free(definitions);
}
END_TEST

/* Every 32 bytes a fat binary begins, whose entries go on to the end. */
START_TEST(many_fat_binaries_take_no_time) {
  enum { MANY = 1 << 19 };
  static const unsigned char unit[32] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 1, [20] = 32};
  static unsigned char bytes[MANY * sizeof unit];
  for (size_t i = 0; i < MANY; ++i) memcpy(bytes + i * sizeof unit, unit, sizeof unit);
  (void)read_all(JIG_FORMAT_OBJECT, bytes, sizeof bytes);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(views_hold_what_is_within),
      SUITE_TEST(symbols_of_cubins_are_found),
      SUITE_TEST(names_are_not_looked_for_outside_of_the_file),
      SUITE_TEST(what_leads_out_of_a_cubin_is_refused),
      SUITE_TEST(a_cubin_has_one_table_of_symbols),
      SUITE_TEST(no_field_of_a_cubin_is_believed),
      SUITE_TEST(fat_binaries_are_read_to_their_end),
      SUITE_TEST(no_field_of_a_fat_binary_is_believed),
      SUITE_TEST(ltoir_that_is_cut_off_has_no_version),
      SUITE_TEST(many_symbols_take_no_time),
      SUITE_TEST(many_fat_binaries_take_no_time),
  };
  return SUITE_RUN("unit/binary_readers", tests, false);
}
