#include "jit/ptx_inline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "jit/ptx_merge.h"
#include "jit/symbols.h"
#include "spec/type.h"

enum {
  WORD = 4,
  MOST_REGISTERS = 64, /* declarations of them */
  MOST_TOKENS = 32,    /* of a statement */
  MOST_OPERANDS = 30,  /* of an asm statement */
  MOST_BYTES = MOST_OPERANDS * WORD,
  NEWEST_MAJOR = 9, /* PTX that the instructions below are known of */
  NEWEST_MINOR = 0,
};

/* ".reg .b32 %r<4>": %r0 to %r3; or one of that very name. */
typedef struct register_kind {
  ptx_token name;
  bool is_range;
  char letter; /* of its type, 'p' of a predicate */
  unsigned bits;
} register_kind;

/* An operand, or the result, in the function's head. */
typedef struct parameter {
  ptx_token name;
  uint32_t size;   /* in PTX, */
  uint32_t filled; /* and what of it is there */
} parameter;

typedef struct word_operand {
  int parameter;
  uint32_t word;
} word_operand;

typedef struct inliner {
  const char *at, *end;
  parameter parameters[OP_MAX_ARITY], result;
  int parameter_count, result_words;
  register_kind registers[MOST_REGISTERS];
  int register_count;
  word_operand inputs[MOST_OPERANDS];
  int input_count;
  text body;
  bool failed; /* it is not to be inlined */
} inliner;

static size_t length_of(ptx_token t) {
  return (size_t)(t.end - t.begin);
}

static bool are_equal(ptx_token a, ptx_token b) {
  return length_of(a) == length_of(b) && memcmp(a.begin, b.begin, length_of(a)) == 0;
}

static ptx_token take(inliner *i) {
  const ptx_token t = ptx_next_token(i->at, i->end);
  i->at = t.end;
  return t;
}

static ptx_token peek(const inliner *i) {
  return ptx_next_token(i->at, i->end);
}

static bool take_if(inliner *i, const char *word) {
  const ptx_token t = peek(i);
  if (!ptx_token_is(t, word)) return false;
  i->at = t.end;
  return true;
}

static void expect(inliner *i, const char *word) {
  if (!take_if(i, word)) i->failed = true;
}

/* ---- types */

/* Of a word's last part: ".b32", 'b' and 32; false for types that registers have not. */
static bool read_type(const char *type, const char *end, char *letter, unsigned *bits) {
  static const struct {
    const char *name;
    unsigned bits;
  } types[] = {{"b8", 8},   {"u8", 8},   {"s8", 8},   {"b16", 16}, {"u16", 16}, {"s16", 16}, {"b32", 32},
               {"u32", 32}, {"s32", 32}, {"f32", 32}, {"b64", 64}, {"u64", 64}, {"s64", 64}, {"f64", 64}};
  for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
    if (strlen(types[k].name) != (size_t)(end - type) ||
        memcmp(types[k].name, type, (size_t)(end - type)) != 0)
      continue;
    *letter = *type;
    *bits = types[k].bits;
    return true;
  }
  return false;
}

static bool read_number(ptx_token t, uint32_t *number) {
  *number = 0;
  if (t.begin == t.end || length_of(t) > 4) return false;
  for (const char *c = t.begin; c < t.end; ++c) {
    if (!isdigit((unsigned char)*c)) return false;
    *number = *number * 10 + (uint32_t)(*c - '0');
  }
  return true;
}

static void take_number(inliner *i, uint32_t *number) {
  if (!read_number(take(i), number)) i->failed = true;
}

/* ---- registers, whose names are those of nobody else in what is made of them */

static const register_kind *find_register(const inliner *i, ptx_token t) {
  for (int k = 0; k < i->register_count; ++k) {
    const register_kind *r = &i->registers[k];
    const size_t length = length_of(r->name);
    if (!r->is_range && are_equal(r->name, t)) return r;
    if (!r->is_range || length_of(t) <= length || memcmp(t.begin, r->name.begin, length) != 0) continue;
    const char *c = t.begin + length;
    while (c < t.end && isdigit((unsigned char)*c)) ++c;
    if (c == t.end) return r;
  }
  return NULL;
}

static void write_name(inliner *i, ptx_token t) {
  const char first = *t.begin;
  const bool is_marked = first == '%' || first == '$';
  text_add(&i->body, first == '%' ? "jig_p_" : first == '$' ? "jig_d_" : "jig_n_");
  for (const char *c = t.begin + is_marked; c < t.end; ++c) {
    if (isalnum((unsigned char)*c) || *c == '_')
      text_append(&i->body, c, 1);
    else
      i->failed = true;
  }
}

/* A number, an instruction or a type, in which nothing has a meaning of its own to asm. */
static void write_word(inliner *i, ptx_token t) {
  for (const char *c = t.begin; c < t.end; ++c)
    if (*c == '%' || *c == '$') i->failed = true;
  text_append(&i->body, t.begin, length_of(t));
}

/* Behind ".reg". */
static void read_registers(inliner *i) {
  const ptx_token type = take(i);
  register_kind kind = {.letter = 'p', .bits = 1};
  if (type.begin == type.end || *type.begin != '.' ||
      (!ptx_token_is(type, ".pred") && !read_type(type.begin + 1, type.end, &kind.letter, &kind.bits))) {
    i->failed = true;
    return;
  }
  text_add(&i->body, ".reg ");
  write_word(i, type);
  text_add(&i->body, " ");
  while (!i->failed) {
    uint32_t count = 0;
    kind.name = take(i);
    if (kind.name.begin == kind.name.end || i->register_count == MOST_REGISTERS) i->failed = true;
    if (i->failed) return;
    write_name(i, kind.name);
    kind.is_range = take_if(i, "<");
    if (kind.is_range) {
      take_number(i, &count);
      expect(i, ">");
      text_format(&i->body, "<%u>", count);
    }
    i->registers[i->register_count++] = kind;
    if (take_if(i, ";")) break;
    expect(i, ",");
    text_add(&i->body, ", ");
  }
  text_add(&i->body, ";\\n\"\n    \"");
}

/* ---- the head */

/* ".param .align 4 .b8 a[4]" or ".param .b32 a". */
static void read_parameter(inliner *i, parameter *p) {
  char letter;
  unsigned bits;
  uint32_t number;
  expect(i, ".param");
  if (take_if(i, ".align")) take_number(i, &number);
  const ptx_token type = take(i);
  if (type.begin == type.end || *type.begin != '.' ||
      !read_type(type.begin + 1, type.end, &letter, &bits))
    i->failed = true;
  p->name = take(i);
  if (i->failed || p->name.begin == p->name.end) return;
  p->size = bits / 8;
  if (!take_if(i, "[")) return;
  take_number(i, &number);
  expect(i, "]");
  if (!i->failed) p->size *= number;
}

/* Numbers of less than a word are handed on as words, if that is no matter of signs. */
static bool suits(parameter *p, const jig_type *type, bool is_result) {
  const bool is_unsigned =
      type_is_integer(type) && (is_result || type->kind == JIG_KIND_BOOL || type->kind == JIG_KIND_U8 ||
                                type->kind == JIG_KIND_U16);
  p->filled = p->size;
  return type->size <= MOST_BYTES &&
         (p->size == type->size || (p->size == WORD && type->size < WORD && is_unsigned));
}

/* ".visible .func (.param .b32 sum) add(.param .b32 a, .param .b32 b)". */
static void read_head(inliner *i, const jig_op *op, const op_signature *signature) {
  const int wanted = signature->arity > 0 ? signature->arity : 1;
  if (!take_if(i, ".visible")) expect(i, ".weak");
  expect(i, ".func");
  expect(i, "(");
  read_parameter(i, &i->result);
  expect(i, ")");
  expect(i, op->name);
  expect(i, "(");
  do {
    if (i->parameter_count == wanted) i->failed = true;
    if (i->failed) return;
    read_parameter(i, &i->parameters[i->parameter_count++]);
  } while (take_if(i, ","));
  expect(i, ")");
  expect(i, "{");
  if (i->parameter_count != wanted || !suits(&i->result, signature->result, true)) i->failed = true;
  for (int k = 0; k < i->parameter_count && !i->failed; ++k)
    if (!suits(&i->parameters[k], op_operand(signature, k), false)) i->failed = true;
  i->result_words = (int)((i->result.size + WORD - 1) / WORD);
}

/* ---- statements */

typedef struct statement {
  ptx_token predicate;
  bool is_guarded, is_inverted;
  ptx_token opcode;
  ptx_token operands[MOST_TOKENS];
  int count;
} statement;

static void read_statement(inliner *i, statement *s) {
  *s = (statement){.opcode = take(i)};
  if (ptx_token_is(s->opcode, "@")) {
    s->is_guarded = true;
    s->is_inverted = take_if(i, "!");
    s->predicate = take(i);
    if (find_register(i, s->predicate) == NULL) i->failed = true;
    s->opcode = take(i);
  }
  for (ptx_token t = take(i); !ptx_token_is(t, ";"); t = take(i)) {
    if (t.begin == t.end || s->count == MOST_TOKENS) {
      i->failed = true;
      return;
    }
    s->operands[s->count++] = t;
  }
}

static void begin_instruction(inliner *i, const statement *s) {
  if (!s->is_guarded) return;
  text_add(&i->body, s->is_inverted ? "@!" : "@");
  write_name(i, s->predicate);
  text_add(&i->body, " ");
}

static void end_instruction(inliner *i) {
  text_add(&i->body, ";\\n\"\n    \"");
}

/* How the asm statement's operand that is this word of a parameter is called. */
static int input_of(inliner *i, int of, uint32_t word) {
  int k = 0;
  while (k < i->input_count && (i->inputs[k].parameter != of || i->inputs[k].word != word)) ++k;
  if (k == i->input_count) {
    if (i->result_words + k >= MOST_OPERANDS) {
      i->failed = true;
      return 0;
    }
    i->inputs[i->input_count++] = (word_operand){of, word};
  }
  return i->result_words + k;
}

/* What "ld.param.v2.f32 {%f1, %f2}, [a+8]" moves. */
typedef struct access {
  char letter;
  unsigned bits;
  uint32_t offset;
  ptx_token parameter;
  ptx_token values[4];
  int count;
} access;

static void take_type(inliner *i, const char *suffix, const char *end, access *a) {
  a->count = 1;
  if (end - suffix > 3 && (memcmp(suffix, "v2.", 3) == 0 || memcmp(suffix, "v4.", 3) == 0)) {
    a->count = suffix[1] - '0';
    suffix += 3;
  }
  if (!read_type(suffix, end, &a->letter, &a->bits)) i->failed = true;
}

static void take_values(inliner *i, const statement *s, int *k, access *a) {
  const bool is_list = a->count > 1;
  for (int v = 0; v < a->count; ++v) {
    if (is_list && (*k >= s->count || !ptx_token_is(s->operands[(*k)++], v == 0 ? "{" : ",")))
      i->failed = true;
    if (*k < s->count)
      a->values[v] = s->operands[(*k)++];
    else
      i->failed = true;
  }
  if (is_list && (*k >= s->count || !ptx_token_is(s->operands[(*k)++], "}"))) i->failed = true;
}

static void take_place(inliner *i, const statement *s, int *k, access *a) {
  const int left = s->count - *k;
  const bool has_offset = left > 3 && ptx_token_is(s->operands[*k + 2], "+");
  const int length = has_offset ? 5 : 3;
  if (left < length || !ptx_token_is(s->operands[*k], "[") ||
      !ptx_token_is(s->operands[*k + length - 1], "]") ||
      (has_offset && !read_number(s->operands[*k + 3], &a->offset))) {
    i->failed = true;
    return;
  }
  a->parameter = s->operands[*k + 1];
  *k += length;
}

/* Whether what is moved are whole items of their size, within the parameter. */
static bool is_within(const access *a, const parameter *p) {
  const uint32_t bytes = a->bits / 8;
  return a->offset % bytes == 0 && a->offset + (uint32_t)a->count * bytes <= p->size;
}

static bool is_narrow_integer(const register_kind *r) {
  return r != NULL && (r->letter == 'b' || r->letter == 'u' || r->letter == 's') && r->bits >= 16;
}

static void load_narrow(inliner *i, const statement *s, const access *a, int number, uint32_t offset,
                        ptx_token to) {
  const register_kind *r = find_register(i, to);
  const char sign = a->letter == 's' ? 's' : 'u';
  if (!is_narrow_integer(r)) {
    i->failed = true;
    return;
  }
  text_format(&i->body, "bfe.%c32 jig_t, %%%d, %u, %u", sign, number, offset % WORD * 8, a->bits);
  end_instruction(i);
  begin_instruction(i, s);
  if (r->bits == 32)
    text_add(&i->body, "mov.b32 ");
  else
    text_format(&i->body, "cvt.%c%u.%c32 ", sign, r->bits, sign);
  write_name(i, to);
  text_add(&i->body, ", jig_t");
}

static void write_load(inliner *i, const statement *s, const access *a) {
  int p = 0;
  while (p < i->parameter_count && !are_equal(i->parameters[p].name, a->parameter)) ++p;
  if (p == i->parameter_count || !is_within(a, &i->parameters[p])) i->failed = true;
  for (int v = 0; v < a->count && !i->failed; ++v) {
    const uint32_t offset = a->offset + (uint32_t)v * a->bits / 8;
    const register_kind *r = find_register(i, a->values[v]);
    const int number = input_of(i, p, offset / WORD);
    if (a->bits < 32) {
      load_narrow(i, s, a, number, offset, a->values[v]);
    } else {
      if (r == NULL || r->bits != a->bits) i->failed = true;
      begin_instruction(i, s);
      text_format(&i->body, "mov.b%u ", a->bits);
      write_name(i, a->values[v]);
      if (a->bits == 32)
        text_format(&i->body, ", %%%d", number);
      else
        text_format(&i->body, ", {%%%d, %%%d}", number, input_of(i, p, offset / WORD + 1));
    }
    end_instruction(i);
  }
}

/* A register, or a number. */
static void write_value(inliner *i, ptx_token t) {
  if (find_register(i, t) != NULL)
    write_name(i, t);
  else if (isdigit((unsigned char)*t.begin))
    write_word(i, t);
  else
    i->failed = true;
}

static void store_narrow(inliner *i, const statement *s, const access *a, uint32_t offset,
                         ptx_token from) {
  const register_kind *r = find_register(i, from);
  if (!is_narrow_integer(r)) {
    i->failed = true;
    return;
  }
  if (r->bits == 32)
    text_add(&i->body, "mov.b32 jig_t, ");
  else
    text_format(&i->body, "cvt.u32.u%u jig_t, ", r->bits);
  write_name(i, from);
  end_instruction(i);
  begin_instruction(i, s);
  text_format(&i->body, "bfi.b32 jig_o%u, jig_t, jig_o%u, %u, %u", offset / WORD, offset / WORD,
              offset % WORD * 8, a->bits);
}

static void write_store(inliner *i, const statement *s, const access *a) {
  if (!are_equal(i->result.name, a->parameter) || !is_within(a, &i->result)) i->failed = true;
  for (int v = 0; v < a->count && !i->failed; ++v) {
    const uint32_t offset = a->offset + (uint32_t)v * a->bits / 8, word = offset / WORD;
    if (a->bits < 32) {
      store_narrow(i, s, a, offset, a->values[v]);
    } else {
      begin_instruction(i, s);
      text_format(&i->body, a->bits == 32 ? "mov.%c%u jig_o%u, " : "mov.%c%u jig_w, ", a->letter, a->bits,
                  word);
      write_value(i, a->values[v]);
      if (a->bits == 64) {
        end_instruction(i);
        begin_instruction(i, s);
        text_format(&i->body, "mov.b64 {jig_o%u, jig_o%u}, jig_w", word, word + 1);
      }
    }
    end_instruction(i);
  }
}

static bool begins(ptx_token t, const char *word) {
  return length_of(t) > strlen(word) && memcmp(t.begin, word, strlen(word)) == 0;
}

/* Instructions whose results depend on nothing but their operands, which are registers and numbers. */
static bool computes(ptx_token opcode) {
  static const char *const names[] = {
      "abs",      "add",   "addc", "and",  "bfe",   "bfi",  "bfind", "bmsk",  "brev",  "clz", "cnot",
      "copysign", "cos",   "cvt",  "div",  "dp2a",  "dp4a", "ex2",   "fma",   "fns",   "lg2", "lop3",
      "mad",      "mad24", "madc", "max",  "min",   "mov",  "mul",   "mul24", "neg",   "not", "or",
      "popc",     "prmt",  "rcp",  "rem",  "rsqrt", "sad",  "selp",  "set",   "setp",  "shf", "shl",
      "shr",      "sin",   "slct", "sqrt", "sub",   "subc", "szext", "tanh",  "testp", "xor"};
  const char *dot = memchr(opcode.begin, '.', length_of(opcode));
  if (dot == NULL) return false;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    if (strlen(names[k]) == (size_t)(dot - opcode.begin) &&
        memcmp(names[k], opcode.begin, strlen(names[k])) == 0)
      return true;
  }
  return false;
}

static void write_computation(inliner *i, const statement *s) {
  begin_instruction(i, s);
  write_word(i, s->opcode);
  text_add(&i->body, " ");
  for (int k = 0; k < s->count; ++k) {
    const ptx_token t = s->operands[k];
    if (length_of(t) == 1 && strchr(",{}-!", *t.begin) != NULL)
      write_word(i, t);
    else
      write_value(i, t);
  }
  end_instruction(i);
}

static void write_branch(inliner *i, const statement *s) {
  if (s->count != 1) i->failed = true;
  if (i->failed) return;
  begin_instruction(i, s);
  text_add(&i->body, "bra ");
  write_name(i, s->operands[0]);
  end_instruction(i);
}

static void write_return(inliner *i, const statement *s) {
  if (s->count != 0) i->failed = true;
  if (!s->is_guarded && ptx_token_is(peek(i), "}")) return; /* the end comes next */
  begin_instruction(i, s);
  text_add(&i->body, "bra jig_end");
  end_instruction(i);
}

/* "ld.param.b32 %r1, [a]" or "st.param.b32 [r], %r1"; behind the prefix is the type. */
static void take_access(inliner *i, const statement *s, const char *prefix, bool loads) {
  access a = {0};
  int k = 0;
  take_type(i, s->opcode.begin + strlen(prefix), s->opcode.end, &a);
  if (!i->failed) (loads ? take_values : take_place)(i, s, &k, &a);
  if (k >= s->count || !ptx_token_is(s->operands[k++], ",")) i->failed = true;
  if (!i->failed) (loads ? take_place : take_values)(i, s, &k, &a);
  if (k != s->count) i->failed = true;
  if (!i->failed) (loads ? write_load : write_store)(i, s, &a);
}

static void take_statement(inliner *i) {
  static const char load[] = "ld.param.", store[] = "st.param.";
  statement s;
  read_statement(i, &s);
  if (i->failed) return;
  if (begins(s.opcode, load)) {
    take_access(i, &s, load, true);
  } else if (begins(s.opcode, store)) {
    take_access(i, &s, store, false);
  } else if (ptx_token_is(s.opcode, "bra") || ptx_token_is(s.opcode, "bra.uni")) {
    write_branch(i, &s);
  } else if (ptx_token_is(s.opcode, "ret") || ptx_token_is(s.opcode, "ret.uni")) {
    write_return(i, &s);
  } else if (computes(s.opcode)) {
    write_computation(i, &s);
  } else {
    i->failed = true;
  }
}

static bool take_label(inliner *i) {
  const ptx_token name = peek(i);
  if (name.begin == name.end || !ptx_token_is(ptx_next_token(name.end, i->end), ":")) return false;
  i->at = name.end;
  expect(i, ":");
  write_name(i, name);
  text_add(&i->body, ":\\n\"\n    \"");
  return true;
}

static void take_body(inliner *i) {
  while (!i->failed && !take_if(i, "}")) {
    if (take_label(i)) continue;
    if (take_if(i, ".reg"))
      read_registers(i);
    else
      take_statement(i);
  }
}

/* ---- all of it */

/* The definition of that name, from its first directive to its last brace. */
static bool find_function(const jig_op *op, inliner *i) {
  symbol_list symbols = {NULL};
  ptx_module module;
  bool found = false;
  if (!ptx_read_module(op->data, op->size, &module) || module.major > NEWEST_MAJOR ||
      (module.major == NEWEST_MAJOR && module.minor > NEWEST_MINOR))
    return false;
  symbols_of_ptx(&symbols, module.body, module.end, 0);
  for (size_t k = 0; k < symbols.count && !found; ++k) {
    const symbol *s = &symbols.all[k];
    found = s->defined && symbol_is(s, op->name);
    if (found) *i = (inliner){.at = s->begin, .end = s->end};
  }
  found = found && !symbols.failed;
  symbols_free(&symbols);
  return found;
}

static bool translate(const jig_op *op, const op_signature *signature, inliner *i) {
  if (op->kind != JIG_OP_BINARY || op->format != JIG_FORMAT_PTX || op->by_pointer || op_has_state(op) ||
      signature->result == NULL || signature->by_reference || signature->rank > 0 ||
      !find_function(op, i))
    return false;
  read_head(i, op, signature);
  if (!i->failed) take_body(i);
  return !i->failed;
}

bool ptx_is_inlined(const jig_op *op, const op_signature *signature) {
  inliner i = {.failed = true};
  const bool is_inlined = translate(op, signature, &i);
  text_free(&i.body);
  return is_inlined;
}

static void write_asm(const inliner *i, const char *body, text *out) {
  text_format(out,
              "    jig::array<uint32_t, %d> jig_out;\n    asm(\"{\\n\"\n    \".reg .b32 jig_t;\\n.reg "
              ".b64 jig_w;\\n\"\n    \"",
              i->result_words);
  for (int k = 0; k < i->result_words; ++k)
    text_format(out, ".reg .b32 jig_o%d;\\nmov.b32 jig_o%d, 0;\\n", k, k);
  text_format(out, "\"\n    \"%sjig_end:\\n", body);
  for (int k = 0; k < i->result_words; ++k) text_format(out, "mov.b32 %%%d, jig_o%d;\\n", k, k);
  text_add(out, "}\" : ");
  for (int k = 0; k < i->result_words; ++k)
    text_format(out, "%s\"=r\"(jig_out[%d])", k > 0 ? ", " : "", k);
  text_add(out, " : ");
  for (int k = 0; k < i->input_count; ++k)
    text_format(out, "%s\"r\"(jig_in%d[%u])", k > 0 ? ", " : "", i->inputs[k].parameter,
                i->inputs[k].word);
  text_add(out, ");\n");
}

bool ptx_inline(const jig_op *op, const op_signature *signature,
                const char *(*operand_name)(const op_signature *, int), text *out) {
  inliner i = {.failed = true};
  char *body = NULL;
  bool is_inlined = translate(op, signature, &i);
  if (is_inlined) body = text_take(&i.body);
  text_free(&i.body);
  if (body == NULL) return false;
  for (int k = 0; k < i.parameter_count; ++k)
    text_format(out, "    const auto jig_in%d = jig::words_of(%s);\n", k, operand_name(signature, k));
  write_asm(&i, body, out);
  char result[TYPE_NAME_SIZE];
  text_format(out, "    return jig::item_of<%s>(jig_out);\n", type_cxx_name(signature->result, result));
  free(body);
  return true;
}
