/* The PTX parser: what it makes of a text, and that it refuses what is none. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "suite.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define HEADER ".version 8.7\n.target sm_90a, debug\n.address_size 64\n"

static ptx_module *parse(const char *text) {
  ptx_error error;
  ptx_module *module = ptx_parse(text, &error);
  ck_assert_msg(module != NULL, "line %u: %s", error.line, error.message);
  return module;
}

/* A kernel k with some registers and this body, after these declarations. */
static char *kernel_text(const char *declarations, const char *body) {
  char *text;
  int length =
      asprintf(&text,
               HEADER
               "%s\n.visible .entry k(.param .u64 k_p) {\n"
               ".reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<9>; .reg .b64 %%d<9>;\n%s\n}\n",
               declarations, body);
  ck_assert_int_gt(length, 0);
  return text;
}

static ptx_module *parse_kernel(const char *declarations, const char *body) {
  char *text = kernel_text(declarations, body);
  ptx_module *module = parse(text);
  free(text); /* nothing in the module points into it */
  return module;
}

static const ptx_function *function_named(const ptx_module *module, const char *name) {
  for (size_t i = 0; i < module->function_count; ++i)
    if (strcmp(module->functions[i]->name, name) == 0) return module->functions[i];
  ck_abort_msg("no function %s", name);
}

static const ptx_variable *variable_named(const ptx_module *module, const char *name) {
  for (size_t i = 0; i < module->variable_count; ++i)
    if (strcmp(module->variables[i]->name, name) == 0) return module->variables[i];
  ck_abort_msg("no variable %s", name);
}

static const ptx_instruction *instruction_of(const ptx_module *module, size_t index) {
  const ptx_function *k = function_named(module, "k");
  ck_assert_uint_lt(index, k->instruction_count);
  return &k->instructions[index];
}

START_TEST(types_have_names_and_sizes) {
  ck_assert_int_eq(ptx_type_of("u32"), TYPE_U32);
  ck_assert_int_eq(ptx_type_of("e5m2x2"), TYPE_E5M2X2);
  ck_assert_int_eq(ptx_type_of("u33"), TYPE_NONE);
  ck_assert_int_eq(ptx_type_of(""), TYPE_NONE);
  ck_assert_str_eq(ptx_type_name(TYPE_BF16X2), "bf16x2");
  ck_assert_int_eq(ptx_type_size(TYPE_B128), 16);
  ck_assert_int_eq(ptx_type_size(TYPE_PRED), 0);
}
END_TEST

START_TEST(modules_say_what_they_are_for) {
  ptx_module *m = parse("// made by hand\n# 1 \"x.cu\"\n" HEADER
                        ".file 2 \"a\\\"b.cu\", 12, 34 /* two\nlines */ @@DWARF .byte 1\n"
                        ".section .debug_str { L: .b8 1, 2 { } .b64 L }\n.pragma \"nounroll\";");
  ck_assert_int_eq(m->version_major, 8);
  ck_assert_int_eq(m->version_minor, 7);
  ck_assert_int_eq(m->target_sm, 90);
  ck_assert_int_eq(m->target_suffix, 'a');
  ck_assert_uint_eq(m->file_count, 3);
  ck_assert_str_eq(m->files[2], "a\"b.cu");
  ck_assert_ptr_null(m->files[1]);
  ptx_free(m);
  ptx_free(NULL);
}
END_TEST

START_TEST(variables_have_sizes_and_values) {
  static const struct {
    const char *text;
    uint64_t size;
    uint32_t align;
    const char *bytes; /* in hex, or NULL */
  } cases[] = {
      {".global .u32 v", 4, 4, NULL},
      {".global .align 16 .u32 v = -2", 4, 16, "feffffff"},
      {".const .b8 v[6] = {1, 0x20, (1 << 3) + 4}", 6, 1, "01200c000000"},
      {".global .u16 v[2][3] = {{1, 2}, {3}}", 12, 2, "010002000000030000000000"},
      {".global .u16 v[] = {1, 2, 3}", 6, 2, "010002000300"},
      {".global .u8 v[][2] = {{1}, {2, 3}}", 4, 1, "01000203"},
      {".global .v4 .f32 v", 16, 16, NULL},
      {".global .v2 .f32 v = {1.0, 0fC0000000}", 8, 8, "0000803f000000c0"},
      {".global .f64 v = 1.5e0", 8, 8, "000000000000f83f"},
      {".global .f64 v = 0d3FF0000000000000", 8, 8, "000000000000f03f"},
      {".global .b32 v = 0f3F800000", 4, 4, "0000803f"},
      {".global .b8 v[] = \"ab\\n\\x41\\101\"", 6, 1, "61620a414100"},
      {".global .b8 v[2] = \"ab\"", 2, 1, "6162"},
      {".visible .global .attribute(.managed) .align 4 .u32 v = 3", 4, 4, "03000000"},
      {".extern .shared .align 128 .b8 v[]", 0, 128, NULL},
      {".shared .b128 v[3]", 48, 16, NULL},
      {".weak .global .u64 u, v[2], w = 7", 16, 8, NULL},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char text[256], bytes[64] = "";
    (void)snprintf(text, sizeof text, HEADER "%s;", cases[i].text);
    ptx_module *m = parse(text);
    const ptx_variable *v = variable_named(m, "v");
    ck_assert_msg(v->size == cases[i].size && v->align == cases[i].align, "%s: %llu bytes, aligned %u",
                  cases[i].text, (unsigned long long)v->size, v->align);
    ck_assert_msg((v->initial == NULL) == (cases[i].bytes == NULL), "%s", cases[i].text);
    for (size_t k = 0; v->initial != NULL && k < v->size; ++k)
      (void)snprintf(bytes + 2 * k, 3, "%02x", v->initial[k]);
    if (v->initial != NULL) ck_assert_str_eq(bytes, cases[i].bytes);
    ptx_free(m);
  }
}
END_TEST

START_TEST(values_can_be_addresses) {
  ptx_module *m = parse(HEADER
                        ".global .u64 a[4] = {x, generic(y)+16, 5, f};\n"
                        ".global .u8 b[3] = {0xff00(x+4), mask(0xff, generic(y)), 3};\n"
                        ".global .u32 x; .extern .global .u32 y[]; .func f;\n"
                        ".visible .global .u32 y[2] = {1, 2};");
  const ptx_variable *a = variable_named(m, "a"), *b = variable_named(m, "b");
  ck_assert_uint_eq(a->relocation_count, 3);
  const ptx_relocation *r = a->relocations;
  ck_assert(r[0].offset == 0 && r[0].size == 8 && r[0].shift == 0 && !r[0].generic && r[0].addend == 0);
  ck_assert_ptr_eq(r[0].variable, variable_named(m, "x"));
  ck_assert(r[1].offset == 8 && r[1].generic && r[1].addend == 16);
  ck_assert_uint_eq(r[1].variable->size, 8); /* the definition's, not the declaration's */
  ck_assert(r[2].offset == 24 && r[2].variable == NULL);
  ck_assert_str_eq(r[2].symbol, "f");
  ck_assert_uint_eq(b->relocation_count, 2);
  r = b->relocations;
  ck_assert(r[0].offset == 0 && r[0].size == 1 && r[0].shift == 8 && r[0].addend == 4 && !r[0].generic);
  ck_assert(r[1].offset == 1 && r[1].size == 1 && r[1].shift == 0 && r[1].generic);
  ck_assert_uint_eq(b->initial[2], 3);
  ptx_free(m);
}
END_TEST

START_TEST(functions_have_parameters_and_limits) {
  ptx_module *m =
      parse(HEADER
            ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
            ".func (.param .align 8 .b8 r[16]) f(.param .b64 _) .noreturn;\n"
            ".visible .entry e(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 q[24])\n"
            ".maxntid 512, 1, 1\n.reqntid 32,2\n.minnctapersm 2 .maxnreg 64 .pragma \"nounroll\"; "
            ".reqnctapercluster 2 .explicitcluster .maxclusterrank 4 .blocksareclusters\n{ ret; }\n"
            ".visible .func (.param .align 8 .b8 r[16]) f(.param .b64 x) .noreturn { exit; }\n"
            ".weak .func g(.param .b64 x); .alias g, f0; .func f0(.param .b64 x) { trap; ret; }");
  ck_assert_uint_eq(m->function_count, 5);
  ck_assert(function_named(m, "vprintf")->is_extern);
  const ptx_function *f = function_named(m, "f"), *e = function_named(m, "e"),
                     *g = function_named(m, "g");
  ck_assert(!f->is_extern && !f->is_entry && f->return_count == 1 && f->param_count == 1);
  ck_assert(f->returns[0]->size == 16 && f->returns[0]->align == 8 && f->returns[0]->function == f);
  ck_assert_str_eq(f->params[0]->name, "x");
  ck_assert(e->is_entry && e->param_count == 2 && e->variable_count == 2);
  ck_assert(e->params[0]->align == 8 && e->params[0]->is_kernel_param && e->params[0]->type == TYPE_U64);
  ck_assert(e->params[1]->size == 24 && e->params[1]->index == 1 && e->params[1]->space == SPACE_PARAM);
  ck_assert(e->max_threads[0] == 512 && e->max_threads[1] == 1 && e->required_threads[1] == 2);
  ck_assert(e->required_threads[2] == 1 && e->required_cluster[0] == 2 && e->explicit_cluster);
  ck_assert_uint_eq(e->min_blocks, 2);
  ck_assert(!g->is_extern && g->instruction_count == 2);
  ck_assert_str_eq(g->alias_of, "f0");
  ptx_free(m);
}
END_TEST

START_TEST(instructions_keep_their_parts) {
  ptx_module *m =
      parse_kernel("",
                   "ld.relaxed.gpu.global.L1::no_allocate.L2::128B.v2.u64 {%d1, %d2}, [%d3+8];\n"
                   "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;\n"
                   "cp.async.bulk.tensor.2d.mbarrier::complete_tx::bytes\n"
                   "  [%r1], [%d1, {%r2, 3}], [%r4];\n.loc 1 55 4, function_name L+3, inlined_at 2 3 4\n"
                   "ret;");
  const ptx_instruction *i = instruction_of(m, 0);
  static const char *const parts[] = {"relaxed",  "gpu", "global", "L1::no_allocate",
                                      "L2::128B", "v2",  "u64"};
  ck_assert_str_eq(i->opcode, "ld");
  ck_assert_uint_eq(i->part_count, COUNT_OF(parts));
  for (size_t k = 0; k < COUNT_OF(parts); ++k) ck_assert_str_eq(i->parts[k], parts[k]);
  ck_assert(i->guard == NULL && i->operand_count == 2 && i->line == 7 && i->source_line == 0);
  ck_assert(i->operands[0].kind == OPERAND_VECTOR && i->operands[0].element_count == 2);
  ck_assert_str_eq(i->operands[0].elements[1].reg->name, "%d2");
  ck_assert(i->operands[1].kind == OPERAND_ADDRESS && i->operands[1].value == 8);
  ck_assert_int_eq(i->operands[1].reg->type, TYPE_B64);
  i = instruction_of(m, 1);
  ck_assert(i->guard_negated && i->operand_count == 3 && i->operands[0].kind == OPERAND_SINK);
  ck_assert_str_eq(i->guard->name, "%p1");
  i = instruction_of(m, 2);
  ck_assert_str_eq(i->parts[4], "mbarrier::complete_tx::bytes");
  ck_assert(i->operand_count == 3 && i->operands[1].kind == OPERAND_ADDRESS &&
            i->operands[1].element_count == 1);
  ck_assert(i->operands[1].elements[0].kind == OPERAND_VECTOR && i->line == 9);
  i = instruction_of(m, 3);
  ck_assert(i->source_file == 1 && i->source_line == 55 && i->operand_count == 0);
  ptx_free(m);
}
END_TEST

START_TEST(constants_are_computed) {
  static const struct {
    const char *text;
    int64_t value;
  } cases[] = {{"12", 12},
               {"-1", -1},
               {"0x1FU", 31},
               {"017", 15},
               {"0b101", 5},
               {"0xFFFFFFFFFFFFFFFF", -1},
               {"(1<<3)+4", 12},
               {"1+2*3-4/2 % 3", 5},
               {"~0", -1},
               {"!0 + 1", 2},
               {"!5", 0},
               {"-7/2", -3},
               {"-8>>1", -4},
               {"(.u64)-8>>60", 15},
               {"(.s64)2.9", 2},
               {"-1 < 0U ? 1 : 2", 2},
               {"-1 < 0 ? 1 : 2", 1},
               {"1 && 0 || 3 == 3", 1},
               {"6 & 3 | 8 ^ 1", 11},
               {"1.5 > 1", 1},
               {"WARP_SZ - 1", 31},
               {"(-9223372036854775807 - 1) / -1", INT64_MIN},
               {"1 << 64", 0},
               {"-1 >> 70", -1}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char body[128];
    (void)snprintf(body, sizeof body, "mov.s64 %%d1, %s;", cases[i].text);
    ptx_module *m = parse_kernel("", body);
    const ptx_operand *operand = &instruction_of(m, 0)->operands[1];
    ck_assert_msg(operand->kind == OPERAND_INTEGER && operand->value == cases[i].value, "%s is %lld",
                  cases[i].text, (long long)operand->value);
    ptx_free(m);
  }
}
END_TEST

START_TEST(floats_keep_their_bits) {
  ptx_module *m =
      parse_kernel("", "x 0f7F800001, 0d3FF8000000000000, 1.25, -1e1, 2., 3.e1, -0f00000000;");
  const ptx_operand *o = instruction_of(m, 0)->operands;
  for (size_t i = 0; i < 7; ++i) ck_assert_int_eq(o[i].kind, OPERAND_FLOAT);
  ck_assert(o[0].is_f32 && o[0].f32_bits == 0x7f800001);
  ck_assert(!o[1].is_f32 && o[1].real == 1.5 && o[1].f32_bits == 0x3fc00000);
  ck_assert(o[2].real == 1.25 && o[3].real == -10 && o[4].real == 2 && o[5].real == 30);
  ck_assert_uint_eq(o[6].f32_bits, 0x80000000);
  ptx_free(m);
}
END_TEST

START_TEST(operands_of_all_kinds) {
  ptx_module *m = parse_kernel("", "x %tid.y, %laneid, %envreg3, !%p1, %r1|%p2, _|%p3, %r1|_;");
  ck_assert_uint_eq(instruction_of(m, 0)->operand_count, 7);
  const ptx_operand *o = instruction_of(m, 0)->operands;
  ck_assert(o[0].kind == OPERAND_SPECIAL && o[0].special == SPECIAL_TID && o[0].dimension == 1);
  ck_assert(o[1].kind == OPERAND_SPECIAL && o[1].special == SPECIAL_LANEID);
  ck_assert(o[2].special == SPECIAL_ENVREG && o[2].dimension == 3);
  ck_assert(o[3].kind == OPERAND_REGISTER && o[3].negated);
  ck_assert(o[4].kind == OPERAND_PAIR && o[4].elements[0].reg->type == TYPE_B32);
  ck_assert(o[4].elements[1].reg->type == TYPE_PRED);
  ck_assert(o[5].elements[0].kind == OPERAND_SINK && o[6].elements[1].kind == OPERAND_SINK);
  ptx_free(m);

  m = parse_kernel(".extern .shared .b8 dyn[]; .func f;",
                   "x [dyn+8], [dyn], [16], [%r1+-8], [late+(1<<2)], late+4, dyn, f, k_p, [k_p];\n}\n"
                   ".global .u32 late;\n.func g() {");
  ck_assert_uint_eq(instruction_of(m, 0)->operand_count, 10);
  o = instruction_of(m, 0)->operands;
  const ptx_variable *dyn = variable_named(m, "dyn"), *late = variable_named(m, "late");
  ck_assert(o[0].kind == OPERAND_ADDRESS && o[0].variable == dyn && o[0].value == 8 && o[0].name == NULL);
  ck_assert(o[1].kind == OPERAND_ADDRESS && o[1].variable == dyn && o[1].value == 0);
  ck_assert(o[2].kind == OPERAND_ADDRESS && o[2].variable == NULL && o[2].reg == NULL &&
            o[2].value == 16);
  ck_assert(o[3].reg != NULL && o[3].value == -8);
  ck_assert(o[4].variable == late && o[4].value == 4);
  ck_assert(o[5].kind == OPERAND_VARIABLE && o[5].variable == late && o[5].value == 4);
  ck_assert(o[6].kind == OPERAND_VARIABLE && o[6].variable == dyn);
  ck_assert(o[7].kind == OPERAND_FUNCTION && strcmp(o[7].name, "f") == 0);
  ck_assert(o[8].kind == OPERAND_VARIABLE && o[8].variable->is_kernel_param);
  ck_assert(o[9].kind == OPERAND_ADDRESS && o[9].variable == o[8].variable);
  ptx_free(m);
}
END_TEST

START_TEST(scopes_have_their_own_names) {
  ptx_module *m = parse_kernel("",
                               "{ .reg .b16 one; .local .b32 v; mov.b16 one, 1; bra L; L: bra M; }\n"
                               "{ .reg .b32 one, %r1; L: mov.b32 one, %r1; bra L; }\n"
                               "L: M: { { bra L; } } mov.u32 %r1, 1; bra END; END:");
  const ptx_function *k = function_named(m, "k");
  ck_assert_uint_eq(k->instruction_count, 8);
  const ptx_instruction *i = k->instructions;
  ck_assert_int_eq(i[0].operands[0].reg->type, TYPE_B16);
  ck_assert_uint_eq(i[1].operands[0].target, 2); /* the inner L, though it comes later */
  ck_assert_uint_eq(i[2].operands[0].target, 5);
  ck_assert_int_eq(i[3].operands[0].reg->type, TYPE_B32);
  ck_assert_ptr_ne(i[3].operands[1].reg, i[6].operands[0].reg);
  ck_assert_uint_eq(i[4].operands[0].target, 3);
  ck_assert_uint_eq(i[5].operands[0].target, 5);
  ck_assert_uint_eq(i[7].operands[0].target, k->instruction_count);
  ck_assert_ptr_null(i[7].operands[0].list);
  for (size_t r = 0; r < k->register_count; ++r) ck_assert_uint_eq(k->registers[r]->index, r);
  ck_assert_uint_eq(k->register_count, 4 + 4 + 9 + 9 + 3);
  ck_assert_uint_eq(k->variable_count, 2);
  ck_assert_ptr_eq(k->variables[1]->function, k);
  ptx_free(m);
}
END_TEST

START_TEST(calls_and_lists) {
  ptx_module *m =
      parse_kernel(".func (.param .b32 r) f(.param .b64 a);",
                   "{ .param .b32 ret; .param .b64 arg;\n"
                   "call.uni (ret), f, (arg);\n"
                   "p : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[12]);\n"
                   "t: .calltargets f, f;\n"
                   "call (ret), %d1, (arg), p;\ncall later;\ncall (ret), %d1, (arg, %r1), t; }\n"
                   "j: .branchtargets A, B; brx.idx %r1, j;\nA: ret;\nB: call later, ();\n}\n"
                   ".func later { ret;");
  const ptx_function *k = function_named(m, "k");
  const ptx_operand *o = k->instructions[0].operands;
  ck_assert(o[0].kind == OPERAND_LIST && o[0].element_count == 1 &&
            o[0].elements[0].kind == OPERAND_VARIABLE);
  ck_assert(o[1].kind == OPERAND_FUNCTION && strcmp(o[1].name, "f") == 0 && o[2].kind == OPERAND_LIST);
  o = k->instructions[1].operands;
  ck_assert(o[1].kind == OPERAND_REGISTER && o[3].kind == OPERAND_LABEL && o[3].list == &k->lists[0]);
  ck_assert(o[3].list->kind == LIST_PROTOTYPE && o[3].list->return_count == 1 && o[3].list->count == 3);
  ck_assert(o[3].list->targets[0] == 4 && o[3].list->targets[1] == 8 && o[3].list->targets[2] == 12);
  ck_assert(k->instructions[2].operands[0].kind == OPERAND_FUNCTION &&
            k->instructions[2].operand_count == 1);
  ck_assert(k->instructions[3].operands[2].element_count == 2);
  ck_assert(k->lists[1].kind == LIST_CALL_TARGETS && strcmp(k->lists[1].names[1], "f") == 0);
  o = k->instructions[4].operands;
  ck_assert(o[1].list == &k->lists[2] && o[1].list->kind == LIST_BRANCH_TARGETS && o[1].list->count == 2);
  ck_assert(o[1].list->targets[0] == 5 && o[1].list->targets[1] == 6);
  ck_assert_uint_eq(k->instructions[6].operands[1].element_count, 0);
  ptx_free(m);
}
END_TEST

static const struct {
  const char *declarations, *body;
  unsigned line; /* of the error: declarations start at 4, the body at 7 */
  const char *says;
} wrong[] = {
    {"", "\nadd.s32 %r1, %r99, 2;", 8, "'%r99'"},
    {"", "mov.u32 %r1, q; .reg .b32 q;", 7, "'q' is not declared"},
    {"", "bra L; { L: ret; }", 7, "'L' is not declared"},
    {"", "call f;", 7, "'f' is not declared"},
    {"", "ld.u32 %r1, [v+4];", 7, "'v' is not declared"},
    {"", ".reg .b32 %r1;", 7, "'%r1' is declared twice"},
    {"", "L: ret;\nL: ret;", 8, "'L' is declared twice"},
    {".global .u32 v; .global .u32 v;", "", 4, "'v' is declared twice"},
    {".func f {ret;} .func f {ret;}", "", 4, "'f' is defined twice"},
    {".func f(.param .u32 a); .func f {ret;}", "", 4, "declared otherwise"},
    {".global .u32 k;", "", 5, "'k' is declared twice"},
    {"", "add.s32 %r1, %r1, 1\nret;", 8, "found 'ret': ret;"},
    {"", "@%r1 ret;", 7, "no predicate"},
    {"", "mov.u32 %r1, %tid;", 7, "'%tid'"},
    {"", "mov.u32 %r1, %tid.q;", 7, "'%tid'"},
    {"", "mov.u32 %r1, %pm8;", 7, "'%pm8'"},
    {"", "ld.u32 %r1, [%d1-8];", 7, "found '-'"},
    {"", "ld.u32 %r1, [%tid.x];", 7, "special register"},
    {"", "mov.u32 %r1, 0x;", 7, "bad number '0x'"},
    {"", "mov.u32 %r1, 08;", 7, "bad number '08'"},
    {"", "mov.u32 %r1, 0f123;", 7, "bad number '0f123'"},
    {"", "mov.u64 %d1, 18446744073709551616;", 7, "bad number"},
    {"", "mov.u32 %r1, 1/0;", 7, "division by zero"},
    {"", "mov.u32 %r1, 1.0 | 2;", 7, "operator"},
    {"", "mov.u32 %r1, %d1.x;", 7, "vector"},
    {"", ".reg .v4 .f32 v;", 7, "vector registers"},
    {"", ".reg .b32 a<9999999>;", 7, "'9999999'"},
    {"", "st.u32 [%d1], {};", 7, "'}'"},
    {"", ".frob 3;", 7, ".frob"},
    {"", "ret;;", 7, "found ';'"},
    {"", "j: .branchtargets v; brx.idx %r1, j;", 7, "'v' is not declared"},
    {".frobnicate 3", "", 4, ".frobnicate"},
    {"frobnicate", "", 4, "'frobnicate'"},
    {".entry e() .frob { ret; }", "", 4, ".frob"},
    {".func f(.reg .u32 a) { ret; }", "", 4, "registers"},
    {".global .u33 v;", "", 4, ".u33"},
    {".global .align 3 .u32 v;", "", 4, "power of 2"},
    {".global .pred v;", "", 4, ".pred"},
    {".global .u32 v[0];", "", 4, "without elements"},
    {".global .u32 v[];", "", 4, "no length"},
    {".global .u32 v[1099511627776];", "", 4, "too large"},
    {".global .u32 v[][1099511627776][1099511627776] = {{{1}}};", "", 4, "too large"},
    {".global .u32 v[2] = {1, 2, 3};", "", 4, "too many"},
    {".global .u32 v[2][2] = {{1, 2, 3}};", "", 4, "too many"},
    {".global .u32 v = 1.0;", "", 4, "no .u32"},
    {".global .f32 v = 1;", "", 4, "no .f32"},
    {".global .f16 v = 1;", "", 4, ".f16"},
    {".global .u64 v = x;", "", 4, "'x' is not declared"},
    {".global .u16 v = v;", "", 4, "does not fit"},
    {".global .u8 v = 0xf0(v);", "", 4, "mask"},
    {".shared .u32 v = 1;", "", 4, "initial value"},
    {".func f; .alias f, g;", "", 4, "'g' is not declared"},
    {".func f; .func g; .alias f, g;", "", 4, "alias"},
    {"/* never\nended", "", 4, "comment"},
    {".pragma \"never ended", "", 4, "string"},
    {".section .debug_info { {", "", 4, "not closed"},
    {".address_size 32", "", 4, "64 bits"},
    {".target sm_x", "", 4, "'sm_x'"},
};

START_TEST(errors_name_what_was_found) {
  for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
    ptx_error error;
    char *text = kernel_text(wrong[i].declarations, wrong[i].body);
    ptx_module *m = ptx_parse(text, &error);
    ck_assert_msg(m == NULL, "taken: %s %s", wrong[i].declarations, wrong[i].body);
    ck_assert_msg(strstr(error.message, wrong[i].says) != NULL && error.line == wrong[i].line,
                  "%s %s: line %u: %s", wrong[i].declarations, wrong[i].body, error.line, error.message);
    free(text);
  }
  ptx_error error;
  ck_assert_ptr_null(ptx_parse("", &error));
  ck_assert_ptr_nonnull(strstr(error.message, ".version"));
}
END_TEST

START_TEST(depth_is_bounded) {
  enum { DEPTH = 100000 };
  static const char *const starts[] = {"mov.u32 %r1, ", "mov.u32 %r1, ", "mov.u32 %r1, ", "x "};
  static const char marks[] = "(-!{";
  char *body = malloc(DEPTH + 64);
  ck_assert_ptr_nonnull(body);
  for (size_t i = 0; i < COUNT_OF(starts); ++i) {
    ptx_error error;
    size_t length = strlen(starts[i]);
    memcpy(body, starts[i], length);
    memset(body + length, marks[i], DEPTH);
    body[length + DEPTH] = '\0';
    char *text = kernel_text("", body);
    ck_assert_ptr_null(ptx_parse(text, &error));
    ck_assert_msg(strstr(error.message, "nested") != NULL, "%s", error.message);
    free(text);
  }
  free(body);
}
END_TEST

/* Every beginning of a text, and the text with one byte changed, ends in a module or an error. */
START_TEST(damaged_texts_do_no_harm) {
  static const char marks[] = "{}()[]<>;:,.@!%|+-*/\"\\#_0x \n";
  char *text = kernel_text(
      ".func (.param .b32 r) f(.param .b64 a);\n.global .u64 v[2][2] = {{generic(w)+4, 1}, {0xff}};"
      ".const .f32 w = 0f3F800000;",
      "{ .reg .b16 one; t: .branchtargets L; mov.b16 one, (1<<3)+4; L: brx.idx %r1, t; }\n"
      ".loc 1 2 3, function_name L, inlined_at 1 2 3\n@!%p1 ld.global.v2.u64 {%d1, _}, [w+8];\n"
      "{ .param .b32 q; call.uni (q), f, (%d1); } setp.eq.s32 %p1|%p2, %r1, !0;");
  size_t length = strlen(text), taken = 0;
  for (size_t i = 0; i < length; ++i) {
    ptx_error error;
    char kept = text[i];
    for (size_t k = 0; k < sizeof marks; ++k) { /* the last is NUL: an early end */
      text[i] = marks[k];
      ptx_module *m = ptx_parse(text, &error);
      taken += m != NULL;
      ck_assert_msg(m != NULL || (error.line != 0 && error.message[0] != '\0'), "%s", text);
      ptx_free(m);
    }
    text[i] = kept;
  }
  ck_assert_uint_gt(taken, 0);
  free(text);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(types_have_names_and_sizes),
                                     SUITE_TEST(modules_say_what_they_are_for),
                                     SUITE_TEST(variables_have_sizes_and_values),
                                     SUITE_TEST(values_can_be_addresses),
                                     SUITE_TEST(functions_have_parameters_and_limits),
                                     SUITE_TEST(instructions_keep_their_parts),
                                     SUITE_TEST(constants_are_computed),
                                     SUITE_TEST(floats_keep_their_bits),
                                     SUITE_TEST(operands_of_all_kinds),
                                     SUITE_TEST(scopes_have_their_own_names),
                                     SUITE_TEST(calls_and_lists),
                                     SUITE_TEST(errors_name_what_was_found),
                                     SUITE_TEST(depth_is_bounded),
                                     SUITE_TEST(damaged_texts_do_no_harm)};
  return SUITE_RUN("ptx_parse", tests, false);
}
