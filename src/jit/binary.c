#include "jit/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/linker.h"
#include "jit/ptx_merge.h"
#include "util/error.h"

/* ---- which ones */

static bool same_data(const jig_op *a, const jig_op *b) {
  return a->format == b->format && memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

bool binary_is_repeated(const jig_op *const *ops, int i) {
  int k = 0;
  while (k < i && !same_data(ops[k], ops[i])) ++k;
  return k < i;
}

static void add_op(binary_set *set, const jig_op *op) {
  if (op->kind != JIG_OP_BINARY) return;
  for (int i = 0; i < set->count; ++i) {
    if (same_data(set->ops[i], op) && strcmp(set->ops[i]->name, op->name) == 0) return;
  }
  set->ops[set->count++] = op;
}

static void add_ops_of_iter(binary_set *set, const jig_iter *iter) {
  if (iter_has_op(iter->kind)) add_op(set, &iter->op);
  for (unsigned k = 0; k < iter_base_count(iter); ++k) add_ops_of_iter(set, iter_base_at(iter, k));
}

void binary_find(const spec *s, binary_set *set) {
  set->count = 0;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (s->slots[i].op != NULL) add_op(set, s->slots[i].op);
    if (s->slots[i].iter != NULL) add_ops_of_iter(set, s->slots[i].iter);
  }
}

/* ---- what they are */

static unsigned read_number(const unsigned char *bytes, int count) {
  unsigned number = 0;
  while (count-- > 0) number = number << 8 | bytes[count];
  return number;
}

/* The first fat binary in a file, and in that the newest entry of one kind. Each begins with a header of
 * the same few fields: kind, its own size, that of the code after it, the version. */
static void version_in_fatbin(const unsigned char *data, size_t size, char version[BINARY_VERSION_SIZE]) {
  static const unsigned char magic[4] = {0x50, 0xed, 0x55, 0xba};
  enum { FATBIN_HEADER = 16, ENTRY_MIN = 32, KIND_PTX = 1, KIND_LTO_IR = 8 };
  size_t at = 0;
  while (at + FATBIN_HEADER <= size && memcmp(data + at, magic, sizeof magic) != 0) ++at;
  unsigned newest = 0;
  for (at += FATBIN_HEADER; at + ENTRY_MIN <= size;) {
    const unsigned char *entry = data + at;
    const unsigned kind = read_number(entry, 2), number = read_number(entry + 24, 4);
    const size_t step = (size_t)read_number(entry + 4, 4) + read_number(entry + 8, 4);
    if ((kind == KIND_PTX || kind == KIND_LTO_IR) && number > newest) {
      newest = number;
      (void)snprintf(version, BINARY_VERSION_SIZE, "%s %u.%u", kind == KIND_PTX ? "PTX" : "LTO-IR",
                     number >> 16, number & 0xffff);
    }
    if (step == 0 || step > size - at) break;
    at += step;
  }
}

void binary_version(const jig_op *op, char version[BINARY_VERSION_SIZE]) {
  const unsigned char *data = op->data;
  (void)snprintf(version, BINARY_VERSION_SIZE, "%s", format_name(op->format));
  if (op->format == JIG_FORMAT_LTO_IR)
    (void)snprintf(version, BINARY_VERSION_SIZE, "LTO-IR %u.%u", data[4], data[5]);
  else if (op->format == JIG_FORMAT_PTX)
    ptx_version(op->data, op->size, version, BINARY_VERSION_SIZE);
  else if (op->format != JIG_FORMAT_CUBIN)
    version_in_fatbin(data, op->size, version);
}

jig_status binary_lacks_symbol(const jig_op *op) {
  char version[BINARY_VERSION_SIZE];
  binary_version(op, version);
  return error_set(JIG_ERROR_COMPILE,
                   "operator '%s': it is %s, and has no such function that could be linked: it must be "
                   "visible, extern \"C\" and compiled as relocatable device code",
                   op->name, version);
}

/* ---- linking */

static jig_status link_binaries(const link_request *request, compiled *result) {
  const linker *l = linker_get();
  return l != NULL ? linker_link(l, request, result) : JIG_ERROR_NO_COMPILER;
}

/* nvJitLink makes PTX of LTO-IR only; PTX is merged with what comes out. */
static jig_status link_to_ptx(const link_request *request, compiled *result) {
  const jig_op *linked[BINARY_MAX_COUNT];
  link_request of_lto = *request;
  of_lto.binaries = linked;
  of_lto.count = 0;
  for (int i = 0; i < request->count; ++i) {
    const jig_op *op = request->binaries[i];
    if (op->format == JIG_FORMAT_CUBIN) {
      return error_set(
          JIG_ERROR_UNSUPPORTED,
          "operator '%s': a cubin is machine code, and PTX is needed here; give LTO-IR or PTX", op->name);
    }
    if (op->format != JIG_FORMAT_PTX) linked[of_lto.count++] = op;
  }
  jig_status status = link_binaries(&of_lto, result);
  if (status != JIG_SUCCESS) return status;
  return ptx_merge(request->binaries, request->count, request->target, result);
}

jig_status binary_compile(const compiler *c, const compile_request *request, const binary_set *set,
                          compiled *result) {
  compile_request for_linker = *request;
  compiled program;
  *result = (compiled){.cost = {-1, -1, -1}};
  for_linker.lto = true;
  jig_status status = compiler_compile(c, &for_linker, &program);
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
