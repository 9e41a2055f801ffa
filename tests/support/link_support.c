#include "link_support.h"

#include <check.h>
#include <elf.h>
#include <string.h>

#include "jit/arch.h"
#include "reduce_support.h"
#include "spec/canonical.h"

/* nvJitLink leaks what it refuses; for the address sanitizer, which asks for this. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libnvJitLink\n";
}

jig_status link_args(const jig_reduce_args *args, const char *target, artifact *a) {
  const store_config no_cache = {0};
  char *text = NULL;
  arch parsed_target;
  parsed_spec parsed;
  *a = (artifact){.payload = NULL};
  jig_status status = jig_reduce_spec(args, &text);
  if (status != JIG_SUCCESS) return status;
  OK(arch_parse(target, &parsed_target));
  OK(spec_parse(text, algorithm_schema, &parsed));
  const build_settings settings = {.cache = store_open(&no_cache), .jobs = 64};
  status = build_kernel(&settings, &parsed.s, &algorithm_of(&parsed.s)->kernels[0], &parsed_target, a);
  store_close(settings.cache);
  parsed_spec_free(&parsed);
  jig_free(text);
  return status;
}

jig_status link_reduce(jig_op op, jig_type type, const char *target, artifact *a) {
  const jig_reduce_args args = {.in = jig_pointer(NULL, type), .out = jig_pointer(NULL, type), .op = op};
  return link_args(&args, target, a);
}

hash128 link_key(const jig_reduce_args *args, const char *target) {
  artifact a;
  ck_assert_msg(link_args(args, target, &a) == JIG_SUCCESS, "%s", jig_last_error());
  const hash128 key = a.key;
  artifact_free(&a);
  return key;
}

/* ---- what is in a cubin */

static const Elf64_Shdr *section_at(const artifact *a, unsigned i) {
  const Elf64_Ehdr *header = (const void *)a->payload;
  return (const void *)(a->payload + header->e_shoff + (size_t)i * header->e_shentsize);
}

static const char *string_at(const artifact *a, const Elf64_Shdr *strings, unsigned at) {
  return (const char *)a->payload + strings->sh_offset + at;
}

bool cubin_has_section(const artifact *a, const char *name) {
  const Elf64_Ehdr *header = (const void *)a->payload;
  ck_assert_mem_eq(header->e_ident, ELFMAG, SELFMAG);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr *strings = section_at(a, header->e_shstrndx);
    if (strcmp(string_at(a, strings, section_at(a, i)->sh_name), name) == 0) return true;
  }
  return false;
}

bool cubin_has_symbol(const artifact *a, const char *name) {
  const Elf64_Ehdr *header = (const void *)a->payload;
  ck_assert_mem_eq(header->e_ident, ELFMAG, SELFMAG);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr *table = section_at(a, i);
    if (table->sh_type != SHT_SYMTAB) continue;
    for (size_t at = 0; at < table->sh_size; at += sizeof(Elf64_Sym)) {
      const Elf64_Sym *symbol = (const void *)(a->payload + table->sh_offset + at);
      if (strcmp(string_at(a, section_at(a, table->sh_link), symbol->st_name), name) == 0) return true;
    }
  }
  return false;
}
