/* Tables of instructions: kernels built around them, operands, comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_internal.h"
#include "ptx_support.h"

enum { THREADS = 128, MAX_TEXT = 1024, RANDOM = 1187, SCRATCH = 32, TOLD = 4, ALL_16 = 0x10000 };

/* One combination of a row's types and choices. */
typedef struct variant {
  const ptx_row *row;
  char text[MAX_TEXT];
  ptx_case shape; /* what all its cases have in common */
  unsigned sources;
  char choices[CHOICES][48];
} variant;

typedef struct variant_list {
  variant *items;
  size_t count;
} variant_list;

/* ---- text */

static const char *bit_type(const value_type *t, unsigned factor) {
  const unsigned bits = t->bits * factor;
  return bits == 8 ? "b8" : bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
}

static const char *double_type(const value_type *t) {
  const bool is_signed = t->class == VALUE_SIGNED;
  return t->bits == 16 ? (is_signed ? "s32" : "u32") : (is_signed ? "s64" : "u64");
}

/* Replaces $, $b, $2 and ?1 to ?4. */
static void expand(const char *from, const variant *v, char *to, size_t size) {
  size_t used = 0;
  while (*from != '\0') {
    const char *piece = NULL;
    size_t taken = 2;
    if (*from == '?') {
      piece = v->choices[from[1] - '1'];
    } else if (*from == '$' && from[1] == 'b') {
      piece = bit_type(v->shape.type, 1);
    } else if (*from == '$' && from[1] == '2') {
      piece = double_type(v->shape.type);
    } else if (*from == '$') {
      piece = v->shape.type->name;
      taken = 1;
    }
    const char one[] = {*from, '\0'};
    if (piece == NULL) piece = one, taken = 1;
    ck_assert_msg(used + strlen(piece) < size, "too long: %s", v->row->text);
    used += (size_t)snprintf(to + used, size - used, "%s", piece);
    from += taken;
  }
  to[used] = '\0';
}

static void take_operands(variant *v) {
  char names[128];
  expand(v->row->operands, v, names, sizeof names);
  char *rest = NULL;
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    if (v->shape.result == NULL) {
      v->shape.result = value_type_of(name);
    } else {
      ck_assert(v->sources < SOURCES);
      v->shape.of[v->sources++] = value_type_of(name);
    }
  }
}

static void add_variant(variant_list *list, variant *v) {
  expand(v->row->text, v, v->text, sizeof v->text);
  take_operands(v);
  v->shape.text = v->text;
  for (size_t k = 0; k < CHOICES; ++k) v->shape.choice[k] = v->choices[k];
  if (v->row->is_legal == NULL || v->row->is_legal(&v->shape)) {
    list->items = realloc(list->items, (list->count + 1) * sizeof *v);
    list->items[list->count++] = *v;
  }
  v->shape.result = NULL;
  v->sources = 0;
}

/* Goes through the words of the group-th list of choices, and for each through those behind it. */
static void choose(variant_list *list, variant *v, const char *groups, size_t group) {
  if (groups == NULL) {
    add_variant(list, v);
    return;
  }
  const char *bar = strchr(groups, '|'), *end = bar != NULL ? bar : groups + strlen(groups);
  while (true) {
    groups += strspn(groups, " ");
    if (groups >= end) break;
    const size_t length = strcspn(groups, " |");
    ck_assert(group < CHOICES && length < sizeof v->choices[group]);
    memcpy(v->choices[group], groups, length);
    v->choices[group][length] = '\0';
    if (strcmp(v->choices[group], "-") == 0) v->choices[group][0] = '\0';
    choose(list, v, bar != NULL ? bar + 1 : NULL, group + 1);
    groups += length;
  }
}

static variant_list variants_of(const ptx_row *row) {
  variant_list list = {NULL, 0};
  variant *v = calloc(1, sizeof *v);
  v->row = row;
  char types[256];
  (void)snprintf(types, sizeof types, "%s", row->types != NULL ? row->types : "b32");
  char *rest = NULL;
  for (char *name = strtok_r(types, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    v->shape.type = value_type_of(name);
    choose(&list, v, row->choices, 0);
  }
  free(v);
  for (size_t i = 0; i < list.count; ++i) { /* the addresses are final now */
    list.items[i].shape.text = list.items[i].text;
    for (size_t k = 0; k < CHOICES; ++k) list.items[i].shape.choice[k] = list.items[i].choices[k];
  }
  return list;
}

static const char source_names[SOURCES] = "abce";

static void write_operand_loads(FILE *f, const variant *v) {
  for (unsigned s = 0; s < v->sources; ++s) {
    const value_type *t = v->shape.of[s];
    const char name = source_names[s];
    (void)fprintf(f, "  ld.param.u64 %%q1, [p_%c];\n  cvta.to.global.u64 %%q1, %%q1;\n", name);
    (void)fprintf(f, "  mad.wide.u32 %%q%d, %%i, 8, %%q1;\n", s == 0 ? 2 : 1);
    if (t->class == VALUE_PRED) {
      (void)fprintf(f, "  ld.global.u32 %%t, [%%q%d];\n  setp.ne.u32 %%%c, %%t, 0;\n", s == 0 ? 2 : 1,
                    name);
    } else {
      (void)fprintf(f, "  ld.global.%s %%%c, [%%q%d];\n", t->reg, name, s == 0 ? 2 : 1);
    }
  }
  if (strstr(v->text, "%pa") != NULL) (void)fprintf(f, "  mov.u64 %%pa, %%q2;\n");
}

static void write_scratch(FILE *f, const variant *v) {
  if (strstr(v->text, "%ps") != NULL)
    (void)fprintf(f,
                  "  ld.param.u64 %%ps, [p_s];\n  cvta.to.global.u64 %%ps, %%ps;\n"
                  "  mad.wide.u32 %%ps, %%i, %d, %%ps;\n",
                  SCRATCH);
  if (strstr(v->text, "%ss") != NULL)
    (void)fprintf(f,
                  "  .shared .align 16 .b8 shared_scratch[%d];\n  mov.u32 %%t, %%tid.x;\n"
                  "  mov.u32 %%ss, shared_scratch;\n  mad.lo.u32 %%ss, %%t, %d, %%ss;\n",
                  THREADS * SCRATCH, SCRATCH);
  if (strstr(v->text, "%sl") != NULL)
    (void)fprintf(f, "  .local .align 16 .b8 local_scratch[%d];\n  mov.u32 %%sl, local_scratch;\n",
                  SCRATCH);
}

static void write_entry(FILE *f, const variant *v, size_t number) {
  (void)fprintf(
      f,
      ".visible .entry test%zu(.param .u64 p_a, .param .u64 p_b, .param .u64 p_c,\n"
      "  .param .u64 p_e, .param .u64 p_d, .param .u64 p_s, .param .u32 p_n)\n{\n"
      "  .reg .b64 %%q<3>, %%pa, %%ps, %%w<8>;\n  .reg .b32 %%i, %%t, %%n, %%ss, %%sl, %%r<8>;\n"
      "  .reg .b16 %%h<8>;\n  .reg .pred %%z, %%g, %%p<4>;\n",
      number);
  for (unsigned s = 0; s < v->sources; ++s)
    (void)fprintf(f, "  .reg .%s %%%c;\n", v->shape.of[s]->reg, source_names[s]);
  (void)fprintf(f,
                "  .reg .%s %%d;\n  mov.u32 %%i, %%ctaid.x;\n  mov.u32 %%t, %%ntid.x;\n"
                "  mov.u32 %%n, %%tid.x;\n  mad.lo.u32 %%i, %%i, %%t, %%n;\n  ld.param.u32 %%n, [p_n];\n"
                "  setp.ge.u32 %%z, %%i, %%n;\n  @%%z bra done;\n",
                v->shape.result->reg);
  write_scratch(f, v);
  write_operand_loads(f, v);
  /* odd warps take two ways, by a bit that looks random */
  (void)fprintf(f,
                "  mul.lo.u32 %%t, %%i, 0x9e3779b9;\n  shr.u32 %%t, %%t, 26;\n  shl.b32 %%n, %%t, 5;\n"
                "  and.b32 %%t, %%n, %%i;\n  and.b32 %%t, %%t, 32;\n  setp.ne.u32 %%g, %%t, 0;\n"
                "  @%%g bra other;\n  { %s }\n  bra join;\nother:\n  { %s }\njoin:\n",
                v->text, v->text);
  (void)fprintf(f,
                "  ld.param.u64 %%q0, [p_d];\n  cvta.to.global.u64 %%q0, %%q0;\n"
                "  mad.wide.u32 %%q0, %%i, 8, %%q0;\n");
  if (v->shape.result->class == VALUE_PRED) {
    (void)fprintf(f, "  selp.u32 %%t, 1, 0, %%d;\n  st.global.u32 [%%q0], %%t;\n");
  } else {
    (void)fprintf(f, "  st.global.%s [%%q0], %%d;\n", v->shape.result->reg);
  }
  (void)fprintf(f, "done:\n  ret;\n}\n");
}

static char *module_text(const variant *variants, size_t count) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  const char *version = variants[0].row->version;
  (void)fprintf(f, ".version %s\n.target sm_90\n.address_size 64\n", version != NULL ? version : "8.0");
  for (size_t i = 0; i < count; ++i) write_entry(f, &variants[i], i);
  (void)fclose(f);
  return text;
}

/* ---- operands */

typedef struct inputs {
  uint64_t *of[SOURCES]; /* NULL: there is no such source */
  size_t count, room;
} inputs;

static uint64_t *source_of(ptx_case *c, unsigned s) {
  uint64_t *const all[SOURCES] = {&c->a, &c->b, &c->c, &c->e};
  return all[s];
}

static ptx_case case_of(const variant *v, const inputs *in, size_t i) {
  ptx_case c = v->shape;
  c.index = (unsigned)i;
  for (unsigned s = 0; s < v->sources; ++s) *source_of(&c, s) = in->of[s][i];
  return c;
}

static void add_case(inputs *in, const variant *v, const uint64_t values[SOURCES]) {
  if (in->count == in->room) {
    in->room = in->room == 0 ? 1024 : 2 * in->room;
    for (unsigned s = 0; s < v->sources; ++s) in->of[s] = realloc(in->of[s], in->room * sizeof(uint64_t));
  }
  for (unsigned s = 0; s < v->sources; ++s) in->of[s][in->count] = values[s];
  if (v->row->skips != NULL) {
    const ptx_case c = case_of(v, in, in->count);
    if (v->row->skips(&c)) return;
  }
  in->count++;
}

static void add_edges(inputs *in, const variant *v, unsigned s, uint64_t values[SOURCES]) {
  static const size_t at_most[SOURCES + 1] = {1, 1000, 50, 16, 7};
  if (s >= v->sources || s >= SOURCES) {
    add_case(in, v, values);
    return;
  }
  for (size_t i = 0; i < at_most[v->sources] && ptx_edge(v->shape.of[s], i, &values[s]); ++i)
    add_edges(in, v, s + 1, values);
}

static inputs inputs_of(const variant *v) {
  inputs in = {.count = 0};
  uint64_t values[SOURCES] = {0}, seed = 4711;
  if (v->sources == 1 && v->shape.of[0]->size == 2) {
    for (values[0] = 0; values[0] < ALL_16; ++values[0]) add_case(&in, v, values);
    return in;
  }
  add_edges(&in, v, 0, values);
  for (unsigned i = 0; i < RANDOM; ++i) {
    for (unsigned s = 0; s < v->sources; ++s) values[s] = ptx_random(v->shape.of[s], &seed);
    add_case(&in, v, values);
  }
  return in;
}

/* ---- running and comparing */

static uint64_t hash_inputs(const inputs *in, unsigned sources) {
  uint64_t hash = HASH_START;
  for (unsigned s = 0; s < sources; ++s) hash = hash_bytes(in->of[s], in->count * sizeof(uint64_t), hash);
  return hash;
}

static void execute(const variant *v, CUfunction function, const inputs *in, uint64_t *results) {
  void *device[SOURCES + 2] = {NULL};
  void *parameters[SOURCES + 3];
  for (unsigned s = 0; s < v->sources; ++s)
    device[s] = gpu_copy(in->of[s], in->count * sizeof(uint64_t), 0);
  device[SOURCES] = gpu_alloc(in->count * sizeof(uint64_t), 0);
  device[SOURCES + 1] = strstr(v->text, "%ps") != NULL ? gpu_alloc(in->count * SCRATCH, 0) : NULL;
  for (unsigned k = 0; k < SOURCES + 2; ++k) parameters[k] = &device[k];
  uint32_t n = (uint32_t)in->count;
  parameters[SOURCES + 2] = &n;
  GPU(gpu()->cuLaunchKernel(function, (n + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, NULL,
                            parameters, NULL));
  gpu_read(results, device[SOURCES], in->count * sizeof(uint64_t));
  for (unsigned k = 0; k < SOURCES + 2; ++k) {
    if (device[k] != NULL) gpu_free(device[k]);
  }
}

static void tell(const ptx_case *c, unsigned sources, uint64_t got, uint64_t wanted) {
  printf("  %s:", c->text);
  const uint64_t values[SOURCES] = {c->a, c->b, c->c, c->e};
  for (unsigned s = 0; s < sources; ++s) printf(" %c=0x%" PRIx64, source_names[s], values[s]);
  printf(": 0x%" PRIx64 ", not 0x%" PRIx64 "\n", got, wanted);
}

static void compare(const char *test, const variant *v, const inputs *in, const uint64_t *results) {
  const unsigned size = v->shape.result->size;
  const uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
  const uint64_t poison = UINT64_C(0xcdcdcdcdcdcdcdcd) & ~mask;
  unsigned wrong = 0;
  for (size_t i = 0; i < in->count; ++i) {
    const ptx_case c = case_of(v, in, i);
    const uint64_t wanted = v->row->model(&c) & mask, got = results[i] & mask;
    const bool right = got == wanted || (v->row->accepts != NULL && v->row->accepts(&c, got, wanted));
    if (right && (results[i] & ~mask) == poison) continue;
    if (wrong++ < TOLD) tell(&c, v->sources, right ? results[i] : got, wanted);
  }
  if (wrong > 0) ptx_fail("%s: %s: %u of %zu results are wrong", test, v->text, wrong, in->count);
}

static void check_variant(const char *test, const variant *v, CUmodule module, size_t number) {
  char name[32];
  (void)snprintf(name, sizeof name, "test%zu", number);
  CUfunction function;
  GPU(gpu()->cuModuleGetFunction(&function, module, name));
  inputs in = inputs_of(v);
  uint64_t *results = malloc((in.count + 1) * sizeof *results);
  execute(v, function, &in, results);
  compare(test, v, &in, results);
  write_result(test, v->text, hash_inputs(&in, v->sources),
               hash_bytes(results, in.count * sizeof *results, HASH_START), v->row->varies);
  free(results);
  for (unsigned s = 0; s < v->sources; ++s) free(in.of[s]);
}

/* All in one module; if that does not load, each in its own, to see which are at fault. */
static void check_variants(const char *test, const variant *variants, size_t count) {
  char log[2048];
  char *text = module_text(variants, count);
  CUmodule module = load_module(text, log, sizeof log);
  free(text);
  if (module != NULL) {
    for (size_t i = 0; i < count; ++i) check_variant(test, &variants[i], module, i);
    GPU(gpu()->cuModuleUnload(module));
  } else if (count > 1) {
    for (size_t i = 0; i < count; ++i) check_variants(test, &variants[i], 1);
  } else {
    ptx_fail("%s: %s: not loaded: %s", test, variants[0].text, log);
  }
}

void ptx_rows(const char *test, const ptx_row *rows, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    variant_list list = variants_of(&rows[i]);
    if (!wanted_now(test, rows[i].text)) {
    } else if (dumping()) {
      char name[32], *text = module_text(list.items, list.count);
      (void)snprintf(name, sizeof name, "%zu", i);
      dump_program(test, name, text);
      free(text);
    } else {
      check_variants(test, list.items, list.count);
    }
    free(list.items);
  }
  ptx_end();
}

bool ptx_has(const ptx_case *c, const char *part) {
  const size_t length = strlen(part);
  for (const char *at = strstr(c->text, part); at != NULL; at = strstr(at + 1, part)) {
    if (strchr(". ;", at[length]) != NULL) return true;
  }
  return false;
}
