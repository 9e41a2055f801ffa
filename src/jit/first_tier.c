#include "jit/first_tier.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/assemble.h"
#include "jit/linker.h"
#include "jit/ptx_merge.h"
#include "jit/tuned.h"
#include "spec/shared.h"
#include "spec/tokens.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/log.h"

/* ---- exact texts */

/* What may stand before a bracket: nothing else is called. */
static bool may_be_called(const token *name) {
  static const char *const known[] = {
      "if",       "for",      "while",   "switch",    "return",     "sizeof",   "alignof",  "min",
      "max",      "abs",      "bool",    "char",      "short",      "int",      "long",     "unsigned",
      "int8_t",   "int16_t",  "int32_t", "int64_t",   "uint8_t",    "uint16_t", "uint32_t", "uint64_t",
      "__popc",   "__popcll", "__clz",   "__clzll",   "__ffs",      "__ffsll",  "__brev",   "__brevll",
      "__umulhi", "__mulhi",  "size_t",  "__mul64hi", "__umul64hi", "float",    "double"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (token_is(name, known[i])) return true;
  return false;
}

/* Vectors, numbers of 16 bits and fewer, whose operators are functions, and what no compiler looks into.
 */
static bool is_unknown(const token *name) {
  static const char *const begins[] = {"float", "double", "half", "__half", "f16",
                                       "bf16",  "__nv",   "asm",  "__asm"};
  if (token_is(name, "float") || token_is(name, "double")) return false;
  for (size_t i = 0; i < sizeof begins / sizeof begins[0]; ++i)
    if (strncmp(name->begin, begins[i], strlen(begins[i])) == 0) return true;
  return false;
}

/* Not 1e3, nor 0x1p3, but 0x1e3. */
static bool is_whole(const token *number) {
  const bool is_hex = number->begin[0] == '0' && (number->begin[1] == 'x' || number->begin[1] == 'X');
  const char *exponents = is_hex ? "pP" : "eE";
  for (const char *c = number->begin; c < number->end; ++c)
    if (strchr(exponents, *c) != NULL) return false;
  return true;
}

/* Of two tokens. Those of "1." and ".5" are a number and a point; behind '>' a template's function is
 * called, perhaps. */
static first_tier_text text_of(const token *before, const token *t) {
  first_tier_text one = {0};
  switch (t->kind) {
    case TOKEN_NAME:
      one.has_floats = token_is(t, "float") || token_is(t, "double");
      one.is_unknown = is_unknown(t);
      break;
    case TOKEN_NUMBER:
      one.has_floats = !is_whole(t) || token_is(before, ".");
      break;
    case TOKEN_OPEN:
      one.is_unknown = *t->begin == '(' &&
                       (before->kind == TOKEN_NAME ? !may_be_called(before) : token_is(before, ">"));
      break;
    case TOKEN_PUNCTUATION:
      one.has_floats = before->kind == TOKEN_NUMBER && token_is(t, ".");
      one.has_products = token_is(t, "*") || token_is(t, "/");
      break;
    default:
      one.is_unknown = t->kind != TOKEN_CLOSE;
  }
  return one;
}

static void add_text(first_tier_text *all, first_tier_text one) {
  all->has_floats |= one.has_floats;
  all->has_products |= one.has_products;
  all->is_unknown |= one.is_unknown;
}

first_tier_text first_tier_read(const char *source) {
  token_reader reader = {.at = source};
  token before = {.kind = TOKEN_END};
  first_tier_text all = {.is_unknown = strchr(source, '\\') != NULL}; /* it may divide a name */
  for (token t; (t = token_next(&reader)).kind != TOKEN_END; before = t)
    add_text(&all, text_of(&before, &t));
  return all;
}

static first_tier_text read_type(const jig_type *type) {
  if (type->kind == JIG_KIND_STRUCT) return first_tier_read(type->definition);
  const bool is_float = type->kind == JIG_KIND_F32 || type->kind == JIG_KIND_F64;
  return (first_tier_text){
      .has_floats = is_float,
      .is_unknown = !is_float && type->kind != JIG_KIND_OPAQUE && !type_is_integer(type)};
}

static bool is_exact(const first_tier_text *all) {
  return !all->is_unknown && !(all->has_floats && all->has_products);
}

/* ---- what is served */

/* The spec of the kernel that is linked with: its operators from source are functions that nobody
 * defines. */
typedef struct linked_spec {
  spec s;
  jig_type types[SPEC_MAX_SLOTS];
  jig_iter iters[SPEC_MAX_SLOTS];
  jig_op ops[SPEC_MAX_SLOTS];
  char names[SPEC_MAX_SLOTS][64]; /* of these; empty for other slots */
  int op_count;
  first_tier_text text; /* all of them, and of types, as one */
} linked_spec;

static bool take_type(linked_spec *l, jig_type *type) {
  add_text(&l->text, read_type(type));
  if (type_is_wide(type)) return false;
  if (type->kind == JIG_KIND_STRUCT) *type = jig_opaque(type->size, type->align);
  return true;
}

/* A default may be an operator that a struct's definition has. */
static bool takes_default(const op_signature *signature) {
  return signature->operand == NULL || signature->operand->kind != JIG_KIND_STRUCT;
}

/* An operator of one text and no state that gives a result. */
static bool take_source(linked_spec *l, int i, const op_signature *signature) {
  const slot_schema *schema = &l->s.schema->slots[i];
  const jig_op *op = l->s.slots[i].op;
  if (op->kind != JIG_OP_SOURCE || op_has_state(op) || schema->lists || signature->result == NULL)
    return false;
  add_text(&l->text, first_tier_read(op->source));
  (void)snprintf(l->names[i], sizeof l->names[i], "jig_linked_%s", schema->name);
  l->ops[i] = (jig_op){.kind = JIG_OP_BINARY,
                       .name = l->names[i],
                       .commutative = op->commutative,
                       .format = JIG_FORMAT_CUBIN,
                       .data = ""};
  ++l->op_count;
  return true;
}

/* Before any type is taken, as signatures go by these. */
static bool take_op(linked_spec *l, int i) {
  const op_signature signature = spec_op_signature(&l->s, i);
  const jig_op *op = l->s.slots[i].op;
  if (op == NULL) return takes_default(&signature);
  return op_is_built_in(op, signature.operand) || take_source(l, i, &signature);
}

/* One that does nothing with items, nor has others. */
static bool take_iter(linked_spec *l, jig_iter *iter) {
  static const jig_iter_kind kinds[] = {JIG_ITER_POINTER, JIG_ITER_CONSTANT, JIG_ITER_COUNTING,
                                        JIG_ITER_DISCARD};
  bool is_one = false;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) is_one |= iter->kind == kinds[i];
  return is_one && take_type(l, &iter->type);
}

static bool take_slot(linked_spec *l, int i) {
  spec_slot *slot = &l->s.slots[i];
  if (slot->type != NULL) {
    l->types[i] = *slot->type;
    slot->type = &l->types[i];
    return take_type(l, &l->types[i]);
  }
  if (slot->iter != NULL) {
    l->iters[i] = *slot->iter;
    slot->iter = &l->iters[i];
    return take_iter(l, &l->iters[i]);
  }
  if (l->names[i][0] != '\0') slot->op = &l->ops[i];
  return true;
}

static bool has_options(const build_settings *settings) {
  return settings->options != NULL && settings->options[0] != NULL;
}

static bool same_policy(const policy *a, const policy *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; ++i)
    if (a->values[i] != b->values[i] || strcmp(a->names[i], b->names[i]) != 0) return false;
  return true;
}

/* Options may say anything of how an operator is compiled. */
static bool serves(const build_settings *settings, const spec *s, const kernel_row *kernel,
                   const arch *target, linked_spec *l) {
  *l = (linked_spec){.s = *s};
  if (spec_own_kernel(s) != NULL || has_options(settings)) return false;
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (s->schema->slots[i].kind == SLOT_OP && !take_op(l, i)) return false;
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (!take_slot(l, i)) return false;
  if (l->op_count == 0 || !is_exact(&l->text)) return false;
  const policy own = tuned_policy(settings->wisdom, kernel, s, target->sm),
               linked = tuned_policy(settings->wisdom, kernel, &l->s, target->sm);
  return same_policy(&own, &linked);
}

/* ---- the kernel */

static jig_status have_kernel(const build_settings *settings, const linked_spec *l,
                              const kernel_row *kernel, const arch *target, bool only_cached,
                              artifact *a) {
  build_settings own = *settings;
  own.never |= only_cached;
  own.first_tier = false;
  own.relocatable = true;
  return build_kernel(&own, &l->s, kernel, target, a);
}

static jig_status not_served(void) {
  return error_set(JIG_ERROR_UNSUPPORTED,
                   "no kernel is linked with the operators of this, see "
                   "docs/configuration.md#the-first-tier");
}

jig_status first_tier_prepare(const build_settings *settings, const spec *given, const kernel_row *kernel,
                              const arch *target, artifact *a) {
  shared_spec room;
  linked_spec l;
  return serves(settings, spec_shared(given, &room), kernel, target, &l)
             ? have_kernel(settings, &l, kernel, target, false, a)
             : not_served();
}

/* ---- the operators */

/* What a thread may have of registers, so that as many blocks fit a multiprocessor as every kernel is
 * planned for. */
static int most_registers(const build_settings *settings, const spec *s, int sm) {
  enum { ALL = 65536, UNIT = 8, MOST = 255 };
  tuning_told told = tuned_of(settings->wisdom, s, sm);
  int most = MOST;
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const policy tuning = kernel_policy(algorithm_kernel(s, i, sm), s, sm, &told);
    const int threads = (int)policy_threads(&tuning) * policy_value(&tuning, "min_blocks", 1);
    const int share = ALL / threads / UNIT * UNIT;
    if (share < most) most = share;
  }
  return most;
}

static jig_status compile_ops(const build_settings *settings, const spec *s, const linked_spec *l,
                              const arch *target, compiled *ops) {
  size_t count;
  const template_file *templates = templates_get(&count);
  header_set headers;
  char *program, limit[32];
  const compiler *c = compiler_get();
  if (templates == NULL || c == NULL) return JIG_ERROR_NO_COMPILER;
  jig_status status = headers_open(&headers, &settings->headers, templates, count);
  if (status != JIG_SUCCESS) return status;
  const char *names[SPEC_MAX_SLOTS] = {0};
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (l->names[i][0] != '\0') names[i] = l->names[i];
  status = assemble_operators(s, names, &headers, &program);
  if (status == JIG_SUCCESS) {
    (void)snprintf(limit, sizeof limit, "--maxrregcount=%d", most_registers(settings, s, target->sm));
    char *const options[] = {limit, NULL};
    const compile_request request = {.program = program,
                                     .files = headers.files,
                                     .file_count = headers.count,
                                     .options = options,
                                     .target = target,
                                     .relocatable = true,
                                     .jobs = settings->jobs};
    status = compiler_compile(c, &request, ops);
    free(program);
  }
  headers_close(&headers);
  return status;
}

/* What the first of a program's kernels has compiled. *ms: how long that took this one. */
static jig_status share_ops(const build_settings *settings, const spec *s, const linked_spec *l,
                            const arch *target, linked_operators *ops, double *ms) {
  *ms = 0;
  (void)pthread_mutex_lock(&ops->mutex);
  if (ops->tried) {
    if (ops->status != JIG_SUCCESS) (void)error_set(ops->status, "its operators do not compile");
  } else {
    ops->tried = true;
    ops->status = compile_ops(settings, s, l, target, &ops->code);
    *ms = ops->code.ms;
  }
  (void)pthread_mutex_unlock(&ops->mutex);
  return ops->status;
}

void linked_operators_free(linked_operators *ops) {
  compiled_free(&ops->code);
  (void)pthread_mutex_destroy(&ops->mutex);
}

/* ---- both */

/* Drivers that take PTX get it as one text. */
static jig_status merge(const artifact *kernel, const jig_op *ops, const arch *target, compiled *result) {
  *result = (compiled){.cost = {-1, -1, -1}, .payload = malloc(kernel->payload_size)};
  if (result->payload == NULL) return error_memory("a linked program");
  memcpy(result->payload, kernel->payload, kernel->payload_size);
  result->payload_size = kernel->payload_size;
  return ptx_merge(&ops, 1, target, result);
}

static jig_status link_machine_code(const build_settings *settings, const artifact *kernel,
                                    const jig_op *ops, const arch *target, compiled *result) {
  const compiled program = {.payload = kernel->payload, .payload_size = kernel->payload_size};
  const link_request request = {.program = &program,
                                .is_machine_code = true,
                                .compiler = kernel->compiler,
                                .binaries = &ops,
                                .count = 1,
                                .target = target,
                                .jobs = settings->jobs};
  const linker *l = linker_get();
  return l != NULL ? linker_link(l, &request, result) : JIG_ERROR_NO_COMPILER;
}

/* What was compiled is one binary, of the name that errors would speak of. */
static jig_status link_ops(const build_settings *settings, const artifact *kernel, const compiled *code,
                           const arch *target, artifact *a) {
  const jig_op ops = {.kind = JIG_OP_BINARY,
                      .name = "jig_linked",
                      .format = target->ptx ? JIG_FORMAT_PTX : JIG_FORMAT_CUBIN,
                      .data = code->payload,
                      .size = code->payload_size};
  compiled result = {0};
  const jig_status status = target->ptx ? merge(kernel, &ops, target, &result)
                                        : link_machine_code(settings, kernel, &ops, target, &result);
  if (status == JIG_SUCCESS) {
    a->payload = result.payload;
    a->payload_size = result.payload_size;
    result.payload = NULL;
    a->cost = kernel->cost;
    a->compile_ms = result.ms;
    a->linked = true;
    memcpy(a->compiler, kernel->compiler, sizeof a->compiler);
  }
  compiled_free(&result);
  return status;
}

static jig_status build_linked(const build_settings *settings, const spec *s, const linked_spec *l,
                               const artifact *kernel, linked_operators *ops, artifact *a) {
  double ms;
  jig_status status = share_ops(settings, s, l, &a->target, ops, &ms);
  if (status == JIG_SUCCESS) status = link_ops(settings, kernel, &ops->code, &a->target, a);
  if (status == JIG_SUCCESS) {
    a->compile_ms += ms;
    log_info("%s linked in %.1f ms for %s", a->name, a->compile_ms, a->target.name);
  } else {
    log_info("%s cannot be linked: %s", a->name, jig_last_error());
  }
  return status;
}

jig_status first_tier_build(const build_settings *settings, const spec *given, const kernel_row *row,
                            artifact *a) {
  shared_spec room;
  linked_spec l;
  artifact kernel;
  linked_operators own = LINKED_OPERATORS;
  const spec *s = spec_shared(given, &room);
  if (!serves(settings, s, row, &a->target, &l)) return not_served();
  jig_status status = have_kernel(settings, &l, row, &a->target, true, &kernel);
  if (status != JIG_SUCCESS) return status;
  status =
      build_linked(settings, s, &l, &kernel, settings->operators != NULL ? settings->operators : &own, a);
  linked_operators_free(&own);
  artifact_free(&kernel);
  return status;
}
