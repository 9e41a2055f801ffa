#include "jit/binary.h"

#include <stdio.h>
#include <string.h>

#include "jit/linker.h"
#include "jit/ptx_inline.h"
#include "jit/ptx_merge.h"
#include "jit/symbols.h"
#include "spec/elf.h"
#include "spec/fatbin.h"
#include "spec/format.h"
#include "util/error.h"

/* ---- which ones */

static bool same_data(const jig_op *a, const jig_op *b) {
  return a->format == b->format && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

bool binary_is_repeated(const jig_op *const *ops, int i) {
  int k = 0;
  while (k < i && !same_data(ops[k], ops[i])) ++k;
  return k < i;
}

static bool has_op(const binary_set *set, int begin, int end, const jig_op *op) {
  for (int i = begin; i < end; ++i) {
    if (same_data(set->ops[i], op) && strcmp(set->ops[i]->name, op->name) == 0) return true;
  }
  return false;
}

/* What has no signature is a function of a kernel of the user's own, which calls it by its name. */
static void add_op(binary_set *set, const jig_op *op, const op_signature *signature) {
  if (op->kind != JIG_OP_BINARY) return;
  if (signature != NULL && ptx_is_inlined(op, signature)) {
    if (!has_op(set, set->count, set->all, op)) set->ops[set->all++] = op;
  } else if (!has_op(set, 0, set->count, op)) {
    set->ops[set->all++] = set->ops[set->count];
    set->ops[set->count++] = op;
  }
}

static void add_ops_of_iter(binary_set *set, const jig_iter *iter) {
  if (iter_has_op(iter->kind)) {
    const op_signature signature = iter_op_signature(iter);
    add_op(set, &iter->op, &signature);
  }
  for (unsigned k = 0; k < iter_base_count(iter); ++k) add_ops_of_iter(set, iter_base_at(iter, k));
}

void binary_find(const spec *s, binary_set *set) {
  set->count = set->all = 0;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (s->slots[i].op != NULL) {
      const op_signature signature = spec_op_signature(s, i);
      add_op(set, s->slots[i].op, &signature);
    }
    if (s->slots[i].iter != NULL) add_ops_of_iter(set, s->slots[i].iter);
    const jig_kernel_config *own = s->slots[i].kernel;
    for (size_t k = 0; own != NULL && k < own->definition_count; ++k)
      add_op(set, &own->definitions[k].op, NULL);
  }
}

/* ---- what they are */

/* What the fat binaries in a file hold: the newest version of each kind, 0 if there is none. */
typedef struct contents {
  unsigned lto, ptx;
} contents;

/* Reads the fat binary at the beginning, and returns what is behind it. */
static view read_fatbin(view bytes, contents *found) {
  fatbin_entry entry;
  view entries = fatbin_entries(bytes);
  while (fatbin_next(&entries, &entry)) {
    if (entry.kind == FATBIN_LTO_IR && entry.version > found->lto) found->lto = entry.version;
    if (entry.kind == FATBIN_PTX && entry.version > found->ptx) found->ptx = entry.version;
  }
  const view rest = view_from(bytes, (uint64_t)(entries.at - bytes.at));
  return rest.size < bytes.size ? rest : view_from(bytes, 1);
}

static contents contents_of(const jig_op *op) {
  contents found = {0, 0};
  for (view rest = view_of(op->data, op->size); rest.size > 0;)
    rest = fatbin_begins(rest) ? read_fatbin(rest, &found) : view_from(rest, 1);
  return found;
}

/* The version of the container and that of the IR in it: whichever is newer than nvJitLink's own, it
 * refuses. */
static void lto_version(view bytes, char version[BINARY_VERSION_SIZE]) {
  const unsigned char *data = bytes.at;
  if (bytes.size < 8) return;
  (void)snprintf(version, BINARY_VERSION_SIZE, "LTO-IR %u.%u of NVVM IR %u.%u", data[4], data[5], data[6],
                 data[7]);
}

static void version_of_contents(const jig_op *op, char version[BINARY_VERSION_SIZE]) {
  const contents found = contents_of(op);
  const unsigned number = found.lto != 0 ? found.lto : found.ptx;
  if (number == 0) return;
  (void)snprintf(version, BINARY_VERSION_SIZE, "%s %u.%u (%s)", found.lto != 0 ? "LTO-IR" : "PTX",
                 number >> 16, number & 0xffff, format_name(op->format));
}

void binary_version(const jig_op *op, char version[BINARY_VERSION_SIZE]) {
  (void)snprintf(version, BINARY_VERSION_SIZE, "%s", format_name(op->format));
  if (op->format == JIG_FORMAT_LTO_IR)
    lto_version(view_of(op->data, op->size), version);
  else if (op->format == JIG_FORMAT_PTX)
    ptx_version(op->data, op->size, version, BINARY_VERSION_SIZE);
  else if (op->format != JIG_FORMAT_CUBIN)
    version_of_contents(op, version);
}

jig_status binary_lacks_symbol(const jig_op *op) {
  char version[BINARY_VERSION_SIZE];
  binary_version(op, version);
  return error_set(JIG_ERROR_COMPILE,
                   "operator '%s': it is %s, and has no such function that could be linked: it must be "
                   "visible, extern \"C\" and compiled as relocatable device code",
                   op->name, version);
}

jig_status binary_undefined(const char *name, size_t length) {
  return error_set(JIG_ERROR_COMPILE, "a compiled operator calls '%.*s', which none defines", (int)length,
                   name);
}

jig_status binary_clash(const char *name, size_t length) {
  return error_set(JIG_ERROR_COMPILE,
                   "two files of compiled operators define '%.*s'; rename it in one of them, or make it "
                   "static",
                   (int)length, name);
}

/* ---- linking */

/* Machine code serves GPUs of its own SM and of later ones of that generation. nvJitLink refuses others,
 * too, but holds a lock of its own from then on. */
static jig_status check_sm(const jig_op *op, const arch *target) {
  elf cubin;
  (void)elf_open(&cubin, view_of(op->data, op->size));
  const unsigned sm = elf_sm(&cubin), needed = (unsigned)target->sm;
  if (sm == 0 || (sm / 10 == needed / 10 && sm <= needed)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_COMPILE, "operator '%s': it is a cubin for sm_%u, and %s is needed here",
                   op->name, sm, target->name);
}

static jig_status add_symbols(symbol_list *symbols, const link_request *request, int i) {
  const jig_op *op = request->binaries[i];
  const char *data = op->data;
  if (op->format == JIG_FORMAT_PTX) symbols_of_ptx(symbols, data, data + strnlen(data, op->size), i);
  if (op->format != JIG_FORMAT_CUBIN) return JIG_SUCCESS;
  if (!symbols_of_cubin(symbols, data, op->size, i)) return binary_lacks_symbol(op);
  return check_sm(op, request->target);
}

static jig_status check_sorted(symbol_list *symbols) {
  if (!symbols_sort(symbols)) return error_memory("the symbols of operators");
  const symbol *twice = symbols_clash(symbols, true);
  return twice != NULL ? binary_clash(twice->name, twice->length) : JIG_SUCCESS;
}

/* Of PTX and cubins, what they define for all others; what LTO-IR does nvJitLink finds out by itself. */
static jig_status check_clash(const link_request *request) {
  symbol_list symbols = {NULL};
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < request->count && status == JIG_SUCCESS; ++i) {
    if (!binary_is_repeated(request->binaries, i)) status = add_symbols(&symbols, request, i);
  }
  if (status == JIG_SUCCESS) status = check_sorted(&symbols);
  symbols_free(&symbols);
  return status;
}

static jig_status link_binaries(const link_request *request, compiled *result) {
  const linker *l = linker_get();
  if (l == NULL) return JIG_ERROR_NO_COMPILER;
  jig_status status = check_clash(request);
  return status == JIG_SUCCESS ? linker_link(l, request, result) : status;
}

/* Whether an operator is or has what PTX can be made of. */
static bool is_portable(const jig_op *op) {
  if (op->format == JIG_FORMAT_LTO_IR || op->format == JIG_FORMAT_PTX) return true;
  return op->format != JIG_FORMAT_CUBIN && contents_of(op).lto != 0;
}

/* nvJitLink makes PTX of LTO-IR only; PTX is merged with what comes out. */
static jig_status link_to_ptx(const link_request *request, compiled *result) {
  const jig_op *linked[BINARY_MAX_COUNT];
  link_request of_lto = *request;
  of_lto.binaries = linked;
  of_lto.count = 0;
  for (int i = 0; i < request->count; ++i) {
    const jig_op *op = request->binaries[i];
    if (!is_portable(op)) {
      return error_set(
          JIG_ERROR_UNSUPPORTED,
          "operator '%s': this %s has machine code, and PTX is needed here; give LTO-IR or PTX", op->name,
          format_name(op->format));
    }
    if (op->format != JIG_FORMAT_PTX) linked[of_lto.count++] = op;
  }
  jig_status status = link_binaries(&of_lto, result);
  if (status != JIG_SUCCESS) return status;
  return ptx_merge(request->binaries, request->count, request->target, result);
}

/* Two functions of one name are one function to the linker, whatever file it takes it from. */
static jig_status check_names(const binary_set *set) {
  for (int i = 0; i < set->all; ++i) {
    for (int k = 0; k < i; ++k) {
      const char *name = set->ops[i]->name;
      if (strcmp(set->ops[k]->name, name) == 0 && !same_data(set->ops[k], set->ops[i]))
        return binary_clash(name, strlen(name));
    }
  }
  return JIG_SUCCESS;
}

jig_status binary_check_inlined(const binary_set *set, const arch *target) {
  char version[BINARY_VERSION_SIZE];
  for (int i = set->count; i < set->all; ++i) {
    const jig_op *op = set->ops[i];
    ptx_module module;
    if (ptx_read_module(op->data, op->size, &module) && module.sm <= (unsigned)target->sm) continue;
    binary_version(op, version);
    return error_set(JIG_ERROR_COMPILE, "operator '%s': it is %s, and %s is needed here", op->name,
                     version, target->name);
  }
  return set->count < set->all ? check_names(set) : JIG_SUCCESS;
}

jig_status binary_compile(const compiler *c, const compile_request *request, const binary_set *set,
                          compiled *result) {
  compile_request for_linker = *request;
  compiled program;
  *result = (compiled){.cost = {-1, -1, -1}};
  jig_status status = check_names(set);
  if (status != JIG_SUCCESS) return status;
  for_linker.lto = true;
  status = compiler_compile(c, &for_linker, &program);
  if (status == JIG_SUCCESS) {
    const link_request linking = {.program = &program,
                                  .compiler = c->version,
                                  .binaries = set->ops,
                                  .count = set->count,
                                  .options = request->options,
                                  .target = request->target,
                                  .jobs = request->jobs};
    status = request->target->ptx ? link_to_ptx(&linking, result) : link_binaries(&linking, result);
    result->ms += program.ms;
    compiled_free(&program);
  } else {
    *result = program;
  }
  return status;
}
