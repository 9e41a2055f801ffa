#include "matrix_type.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "util/text.h"

const matrix_type matrix_types[MATRIX_TYPES] = {
    {"i8", "signed char", 1, 1, JIG_KIND_I8, 1, 4, NULL},
    {"i16", "short", 2, 2, JIG_KIND_I16, 1, 8, NULL},
    {"i32", "int", 4, 4, JIG_KIND_I32, 1, 16, NULL},
    {"i64", "long", 8, 8, JIG_KIND_I64, 1, 32, NULL},
    {"i128", "__int128", 16, 16, JIG_KIND_I128, 1, 64, NULL},
    {"u8", "unsigned char", 1, 1, JIG_KIND_U8, 1, 4, NULL},
    {"u16", "unsigned short", 2, 2, JIG_KIND_U16, 1, 8, NULL},
    {"u32", "unsigned", 4, 4, JIG_KIND_U32, 1, 16, NULL},
    {"u64", "unsigned long", 8, 8, JIG_KIND_U64, 1, 32, NULL},
    {"u128", "unsigned __int128", 16, 16, JIG_KIND_U128, 1, 64, NULL},
    {"f16", "f16_bits", 2, 2, JIG_KIND_F16, 1, 5, NULL},
    {"bf16", "bf16_bits", 2, 2, JIG_KIND_BF16, 1, 4, NULL},
    {"f32", "float", 4, 4, JIG_KIND_F32, 1, 8, NULL},
    {"f64", "double", 8, 8, JIG_KIND_F64, 1, 16, NULL},
    {"bool_", "bool", 1, 1, JIG_KIND_BOOL, 1, 1, NULL},
    {"rgb", "rgb", 3, 1, JIG_KIND_U8, 3, 8, "unsigned char r, g, b;"},
    {"pair", "pair", 8, 4, JIG_KIND_U32, 2, 32, "unsigned m, n;"},
    {"four", "four", 16, 4, JIG_KIND_U32, 4, 32, "unsigned m, n, o, p;"},
    {"line", "line", 64, 16, JIG_KIND_U32, 16, 32, "unsigned w[16];"},
    {"large", "large", 256, 4, JIG_KIND_U32, 64, 32, "unsigned w[64];"},
    {"cfloat", "cfloat", 8, 4, JIG_KIND_F32, 2, 8, "float re, im;"},
    {"cdouble", "cdouble", 16, 8, JIG_KIND_F64, 2, 16, "double re, im;"},
    {"o4", NULL, 4, 4, JIG_KIND_U8, 4, 8, NULL},
    {"o8", NULL, 8, 4, JIG_KIND_U32, 2, 32, NULL},
    {"o16", NULL, 16, 16, JIG_KIND_U64, 2, 64, NULL},
    {"o24", NULL, 24, 8, JIG_KIND_U64, 3, 64, NULL},
    {"o64", NULL, 64, 8, JIG_KIND_U32, 16, 32, NULL},
};

const jig_type matrix_state_type = {.kind = JIG_KIND_STRUCT,
                                    .size = sizeof(matrix_state),
                                    .align = 8,
                                    .name = "matrix_state",
                                    .definition = "struct matrix_state { unsigned long mask, flip; };"};

static uint64_t low_bits(unsigned bits) {
  return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

matrix_state matrix_plain(const matrix_type *t) {
  return (matrix_state){low_bits(t->bits), 1};
}

matrix_state matrix_other(const matrix_type *t) {
  if (t->element == JIG_KIND_BOOL) return (matrix_state){3, 0};
  return (matrix_state){low_bits(t->bits - 1), 5};
}

static bool is_number(const matrix_type *t) {
  return t->name != NULL && t->members == NULL;
}

bool matrix_has_members(const matrix_type *t) {
  return t->members != NULL && t->count <= 8;
}

/* ---- texts */

/* Every text, made once. */
static struct {
  char symbols[3][2][2][32];
  char *bodies[3][2], *functions[3][2], *file, *definition;
} texts[MATRIX_TYPES];
static char *file_of_all;

/* How an element is read as a word and made of one: text that an operand and a ')' follow. NULL: by a
 * cast. The first two are for jig, whose halves have types of their own. */
typedef struct element {
  const char *name, *bits, *word; /* in C */
  const char *jig, *get, *put, *c_get, *c_put;
} element;

#define HALF(half)                                                                               \
  {                                                                                              \
#half "_bits", "unsigned", "unsigned", "jig::" #half, "(word)(float)(", "(element)(float)(", \
        "get_" #half "(", "put_" #half "("                                                       \
  }
static const element elements[] = {
    [JIG_KIND_I8] = {.name = "signed char", .bits = "unsigned char", .word = "unsigned"},
    [JIG_KIND_I16] = {.name = "short", .bits = "unsigned short", .word = "unsigned"},
    [JIG_KIND_I32] = {.name = "int", .bits = "unsigned", .word = "unsigned"},
    [JIG_KIND_I64] = {.name = "long", .bits = "unsigned long", .word = "unsigned long"},
    [JIG_KIND_I128] = {.name = "__int128", .bits = "unsigned __int128", .word = "unsigned __int128"},
    [JIG_KIND_U8] = {.name = "unsigned char", .bits = "unsigned char", .word = "unsigned"},
    [JIG_KIND_U16] = {.name = "unsigned short", .bits = "unsigned short", .word = "unsigned"},
    [JIG_KIND_U32] = {.name = "unsigned", .bits = "unsigned", .word = "unsigned"},
    [JIG_KIND_U64] = {.name = "unsigned long", .bits = "unsigned long", .word = "unsigned long"},
    [JIG_KIND_U128] = {.name = "unsigned __int128",
                       .bits = "unsigned __int128",
                       .word = "unsigned __int128"},
    [JIG_KIND_F16] = HALF(f16),
    [JIG_KIND_BF16] = HALF(bf16),
    [JIG_KIND_F32] = {.name = "float", .bits = "unsigned", .word = "unsigned"},
    [JIG_KIND_F64] = {.name = "double", .bits = "unsigned long", .word = "unsigned long"},
    [JIG_KIND_BOOL] = {.name = "bool", .bits = "unsigned char", .word = "unsigned"},
};

/* What is written around an operator. */
typedef struct manner {
  bool for_jig;
  bool by_pointer;
  const char *state; /* how its members are reached: "state." and the like; NULL: there is none */
} manner;

static const char *name_for(const matrix_type *t, const manner *m) {
  return m->for_jig && elements[t->element].jig != NULL ? elements[t->element].jig : t->name;
}

/* r of p and q. */
static void add_fold(text *out, const matrix_type *t, const char *get, const char *put) {
  if (t->element == JIG_KIND_BOOL)
    text_format(out, "r[0] = %s(%sp[0]) ^ %sq[0]) ^ mask >> 1) & 1);\n", put, get, get);
  else if (is_number(t))
    text_format(out,
                "const word u = %sp[0]), v = %sq[0]);\n"
                "r[0] = %s((u >> %u) * (v >> %u) & mask) << %u |\n"
                "          (((u & full) * (v >> %u) + (v & full)) & mask));\n",
                get, get, put, t->bits, t->bits, t->bits, t->bits);
  else
    text_format(out,
                "const word m = %sq[0]);\n"
                "for (int k = 0; k < %u; ++k)\n"
                "  r[k] = %s(%sp[k]) * m + (k > 0 ? %sq[k]) : 0)) & mask);\n",
                get, t->count, put, get, get);
}

/* r of p. */
static void add_turn(text *out, const matrix_type *t, const char *get, const char *put) {
  text_format(out,
              "for (int k = 0; k < %u; ++k)\n"
              "  r[k] = %s%sp[k]) ^ (k == %d ? flip & full & mask : 0));\n",
              t->count, put, get, t->count > 1);
}

/* r of index. */
static void add_make(text *out, const matrix_type *t, const char *put) {
  text_add(out, "unsigned long h = index * 0x9e3779b97f4a7c15ul + flip;\n");
  if (t->element == JIG_KIND_BOOL)
    text_format(out, "r[0] = %sh >> 40 & 1);\n", put);
  else if (is_number(t))
    text_format(out,
                "const unsigned long g = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ul;\n"
                "r[0] = %s((word)(g >> 23) & mask | 1) << %u | ((word)(h >> 17) & mask));\n",
                put, t->bits);
  else
    text_format(out,
                "for (int k = 0; k < %u; ++k) {\n"
                "  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ul;\n"
                "  r[k] = %s((word)(h >> 23) & mask) | (k == 0));\n"
                "}\n",
                t->count, put);
}

/* All that an operator does, with operands a and b, x, or i, up to what it returns. */
static void add_work(text *out, const matrix_type *t, matrix_op op, const manner *m) {
  const element *e = &elements[t->element];
  const char *of = m->by_pointer ? "" : "&", *get = "(word)(bits)(", *put = "(element)(";
  if (e->get != NULL) {
    get = m->for_jig ? e->get : e->c_get;
    put = m->for_jig ? e->put : e->c_put;
  }
  text_format(out, "typedef %s element; typedef %s bits; typedef %s word;\n",
              m->for_jig && e->jig != NULL ? e->jig : e->name, e->bits, e->word);
  text_format(out, "const word full = 0x%llxul;\n", (unsigned long long)low_bits(t->bits));
  if (m->state != NULL)
    text_format(out, "const word mask = %smask, flip = %sflip;\n", m->state, m->state);
  else
    text_add(out, "const word mask = full, flip = 1;\n");
  if (!m->by_pointer) text_format(out, "%s result;\n", name_for(t, m));
  text_format(out, "element *r = (element *)%sresult;\n", of);
  if (op == MATRIX_MAKE)
    text_format(out, "const unsigned long index = %s;\n",
                m->by_pointer ? "*(const unsigned long *)i" : "i");
  else
    text_format(out, "const element *p = (const element *)%s%s;\n", of, op == MATRIX_FOLD ? "a" : "x");
  if (op == MATRIX_FOLD) {
    text_format(out, "const element *q = (const element *)%sb;\n", of);
    add_fold(out, t, get, put);
  } else if (op == MATRIX_TURN) {
    add_turn(out, t, get, put);
  } else {
    add_make(out, t, put);
  }
  if (!m->by_pointer) text_add(out, "return result;\n");
}

/* The operands' names, each after its type. */
static void add_operands(text *out, const matrix_type *t, matrix_op op, const manner *m) {
  static const char *const names[] = {[MATRIX_FOLD] = "a", [MATRIX_TURN] = "x", [MATRIX_MAKE] = "i"};
  const char *type = m->by_pointer       ? "const void *"
                     : op == MATRIX_MAKE ? "unsigned long"
                                         : name_for(t, m);
  text_format(out, "%s %s", type, names[op]);
  if (op == MATRIX_FOLD) text_format(out, ", %s b", type);
  if (m->by_pointer) text_add(out, ", void *result");
}

static char *new_body(const matrix_type *t, matrix_op op, bool with_state) {
  const manner m = {.for_jig = true, .state = with_state ? "state." : NULL};
  text out = {0};
  add_work(&out, t, op, &m);
  return text_take(&out);
}

static char *new_function(const matrix_type *t, matrix_op op, bool with_state) {
  const manner m = {.for_jig = true, .state = with_state ? "s." : NULL};
  text out = {0};
  text_format(&out, "%s f(%s", name_for(t, &m), with_state ? "matrix_state s, " : "");
  add_operands(&out, t, op, &m);
  text_add(&out, ") {\n");
  add_work(&out, t, op, &m);
  text_add(&out, "}\n");
  return text_take(&out);
}

static void add_exported(text *out, const matrix_type *t, matrix_op op, bool by_pointer,
                         bool with_state) {
  const manner m = {.by_pointer = by_pointer,
                    .state = with_state ? "((const struct matrix_state *)s)->" : NULL};
  text_format(out, "EXPORT %s %s(%s", by_pointer ? "void" : t->name,
              texts[t - matrix_types].symbols[op][by_pointer][with_state],
              with_state ? "const void *s, " : "");
  add_operands(out, t, op, &m);
  text_add(out, ") {\n");
  add_work(out, t, op, &m);
  text_add(out, "}\n");
}

/* Halves that are small whole numbers. */
static void add_half(text *out, const char *half, int fraction, int bias) {
  text_format(out,
              "typedef struct %s_bits { unsigned short bits; } %s_bits;\n"
              "LOCAL unsigned get_%s(%s_bits h) {\n"
              "  const unsigned m = (h.bits & %du) | %du;\n"
              "  const int e = (h.bits >> %d) - %d;\n"
              "  return h.bits == 0 ? 0 : e < 0 ? m >> -e : m << e;\n"
              "}\n"
              "LOCAL %s_bits put_%s(unsigned v) {\n"
              "  %s_bits h;\n"
              "  unsigned e = %d;\n"
              "  h.bits = 0;\n"
              "  if (v == 0) return h;\n"
              "  for (; v < %du; v <<= 1) --e;\n"
              "  h.bits = e << %d | (v & %du);\n"
              "  return h;\n"
              "}\n",
              half, half, half, half, (1 << fraction) - 1, 1 << fraction, fraction, bias + fraction, half,
              half, half, bias + fraction, 1 << fraction, fraction, (1 << fraction) - 1);
}

static void add_file(text *out, const matrix_type *t) {
  if (t->element == JIG_KIND_F16) add_half(out, "f16", 10, 15);
  if (t->element == JIG_KIND_BF16) add_half(out, "bf16", 7, 127);
  if (t->members != NULL)
    text_format(out, "typedef struct %s { %s } __attribute__((aligned(%zu))) %s;\n", t->name, t->members,
                t->align, t->name);
  for (matrix_op op = MATRIX_FOLD; op <= MATRIX_MAKE; ++op) {
    for (int form = t->name != NULL ? 0 : 2; form < 4; ++form)
      add_exported(out, t, op, form >= 2, form % 2 == 1);
  }
}

/* Of one type, or of all. */
static char *new_file(const matrix_type *first, size_t count) {
  text out = {0};
  text_format(&out,
              "%s"
              "#ifdef __cplusplus\n#define LOCAL static __device__\n"
              "#else\n#define LOCAL static\n#define bool _Bool\n#endif\n"
              "struct matrix_state { unsigned long mask, flip; };\n",
              binary_prelude);
  for (size_t i = 0; i < count; ++i) add_file(&out, first + i);
  return text_take(&out);
}

static char *new_definition(const matrix_type *t) {
  text out = {0};
  text_format(&out, "struct alignas(%zu) %s { %s };\n%s operator+(%s a, %s b) {\n", t->align, t->name,
              t->members, t->name, t->name, t->name);
  const manner m = {.for_jig = true};
  add_work(&out, t, MATRIX_FOLD, &m);
  text_add(&out, "}\n");
  return text_take(&out);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_texts(void) {
  free(file_of_all);
  for (size_t i = 0; i < MATRIX_TYPES; ++i) {
    for (int k = 0; k < 6; ++k) {
      free(texts[i].bodies[k / 2][k % 2]);
      free(texts[i].functions[k / 2][k % 2]);
    }
    free(texts[i].file);
    free(texts[i].definition);
  }
}

static void make_symbols(size_t i) {
  static const char *const verbs[] = {"fold", "turn", "make"};
  for (int k = 0; k < 12; ++k)
    (void)snprintf(texts[i].symbols[k / 4][k / 2 % 2][k % 2], sizeof texts[i].symbols[0][0][0],
                   "%s_%s_%s%s", matrix_types[i].tag, verbs[k / 4], k / 2 % 2 ? "p" : "v",
                   k % 2 ? "s" : "");
}

static void make_texts(void) {
  for (size_t i = 0; i < MATRIX_TYPES; ++i) {
    const matrix_type *t = &matrix_types[i];
    make_symbols(i);
    texts[i].file = new_file(t, 1);
    if (t->members != NULL) texts[i].definition = new_definition(t);
    for (int k = 0; t->name != NULL && k < 6; ++k) {
      texts[i].bodies[k / 2][k % 2] = new_body(t, (matrix_op)(k / 2), k % 2);
      texts[i].functions[k / 2][k % 2] = new_function(t, (matrix_op)(k / 2), k % 2);
    }
  }
  file_of_all = new_file(matrix_types, MATRIX_TYPES);
  (void)atexit(free_texts);
}

#define TEXT_OF(t, member) (pthread_once(&once, make_texts), texts[(t)-matrix_types].member)

const char *matrix_body(const matrix_type *t, matrix_op op, bool with_state) {
  return TEXT_OF(t, bodies[op][with_state]);
}

const char *matrix_function(const matrix_type *t, matrix_op op, bool with_state) {
  return TEXT_OF(t, functions[op][with_state]);
}

const char *matrix_file(const matrix_type *t) {
  if (t != NULL) return TEXT_OF(t, file);
  (void)pthread_once(&once, make_texts);
  return file_of_all;
}

const char *matrix_symbol(const matrix_type *t, matrix_op op, bool by_pointer, bool with_state) {
  return TEXT_OF(t, symbols[op][by_pointer][with_state]);
}

jig_type matrix_jig_type(const matrix_type *t) {
  if (is_number(t)) return type_of(t->element);
  if (t->name == NULL) return jig_opaque(t->size, t->align);
  return jig_struct(t->name, TEXT_OF(t, definition), t->size, t->align);
}

/* ---- on the host */

static uint128 get(const matrix_type *t, const void *item, size_t k) {
  return is_floating(t->element) ? (uint128)get_float(t->element, item, k)
                                 : (uint128)get_integer(t->element, item, k);
}

static void put(const matrix_type *t, void *item, size_t k, uint128 value) {
  if (is_floating(t->element))
    put_float(t->element, item, k, (double)value);
  else
    put_integer(t->element, item, k, (int128)value);
}

/* Of a number, whose sign is not to be seen in its upper half. */
static uint128 upper(const matrix_type *t, uint128 value) {
  const unsigned width = 8 * (unsigned)t->size;
  return (width < 128 ? value & (((uint128)1 << width) - 1) : value) >> t->bits;
}

void matrix_fold(const matrix_type *t, matrix_state s, const void *a, const void *b, void *result) {
  const uint128 m = get(t, b, 0), n = get(t, a, 0);
  if (t->element == JIG_KIND_BOOL) {
    put(t, result, 0, (n ^ m ^ s.mask >> 1) & 1);
  } else if (is_number(t)) {
    const uint128 factor = upper(t, m);
    put(t, result, 0,
        (upper(t, n) * factor & s.mask) << t->bits | ((n * factor + (m & low_bits(t->bits))) & s.mask));
  } else {
    for (size_t k = 0; k < t->count; ++k)
      put(t, result, k, (get(t, a, k) * m + (k > 0 ? get(t, b, k) : 0)) & s.mask);
  }
}

void matrix_turn(const matrix_type *t, matrix_state s, const void *x, void *result) {
  const size_t place = t->count > 1;
  for (size_t k = 0; k < t->count; ++k)
    put(t, result, k, get(t, x, k) ^ (k == place ? s.flip & s.mask & low_bits(t->bits) : 0));
}

void matrix_make(const matrix_type *t, matrix_state s, uint64_t i, void *result) {
  uint64_t h = i * 0x9e3779b97f4a7c15u + s.flip;
  const uint64_t g = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  if (t->element == JIG_KIND_BOOL) {
    put(t, result, 0, h >> 40 & 1);
  } else if (is_number(t)) {
    put(t, result, 0, (uint128)((g >> 23 & s.mask) | 1) << t->bits | (h >> 17 & s.mask));
  } else {
    for (size_t k = 0; k < t->count; ++k) {
      h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
      put(t, result, k, (h >> 23 & s.mask) | (k == 0));
    }
  }
}
