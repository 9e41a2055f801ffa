/* Compiled operators without a compiler: what data is taken for, every check, specs, keys' parts, and PTX
 * merged as text. */
#include <elf.h>
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "jit/algorithm.h"
#include "jit/ptx_merge.h"
#include "jit/symbols.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "spec/format.h"
#include "spec/operator.h"
#include "suite.h"
#include "util/base64.h"

/* ---- data that looks like each format */

enum { FAKE_SIZE = 64 };

typedef struct fake {
  unsigned char bytes[FAKE_SIZE];
} fake;

static fake fake_elf(unsigned machine) {
  fake f = {{0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}};
  f.bytes[18] = (unsigned char)machine;
  return f;
}

static fake fake_of(jig_format format) {
  static const char ptx[] = "// made by hand\n.version 8.0\n.target sm_75\n";
  fake f = {{0}};
  switch (format) {
    case JIG_FORMAT_LTO_IR:
      return (fake){{0xed, 0x43, 0x4e, 0x7f, 1, 65, 2, 98}};
    case JIG_FORMAT_CUBIN:
      return fake_elf(190);
    case JIG_FORMAT_OBJECT:
      return fake_elf(EM_X86_64);
    case JIG_FORMAT_FATBIN:
      return (fake){
          {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, FAKE_SIZE - 16, [16] = 2, [20] = FAKE_SIZE - 16}};
    default:
      memcpy(f.bytes, ptx, sizeof ptx);
      return f;
  }
}

static const jig_type number = JIG_F32;
static const op_signature of_numbers = {.arity = 2, .operand = &number, .result = &number};

static jig_status check(jig_op op) {
  return op_check(&op, &of_numbers, "op", "operator");
}

#define REFUSES(op, part) FAILS(check(op), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(every_format_is_told_from_every_other) {
  for (jig_format is = JIG_FORMAT_LTO_IR; is <= JIG_FORMAT_FATBIN; ++is) {
    const fake f = fake_of(is);
    ck_assert_int_eq(format_of(f.bytes, sizeof f.bytes), is);
    ck_assert_int_eq(format_from_name(format_name(is)), is);
    for (jig_format said = JIG_FORMAT_LTO_IR; said <= JIG_FORMAT_FATBIN; ++said) {
      const jig_op op = jig_op_binary(said, f.bytes, sizeof f.bytes, "add");
      char part[128];
      (void)snprintf(part, sizeof part, "op: the data of jig_op_binary() is %s, not %s", format_name(is),
                     format_name(said));
      if (is == said)
        OK(check(op));
      else
        REFUSES(op, part);
    }
  }
  ck_assert_ptr_null(format_name(JIG_FORMAT_NONE));
  ck_assert_ptr_null(format_name((jig_format)99));
  ck_assert_int_eq(format_from_name("elf"), JIG_FORMAT_NONE);
  ck_assert_int_eq(format_from_name(NULL), JIG_FORMAT_NONE);
}
END_TEST

START_TEST(data_that_is_nothing_is_refused) {
  static const char words[] = "a text that is long enough to be something";
  const fake f = fake_of(JIG_FORMAT_CUBIN);
  REFUSES(jig_op_binary(JIG_FORMAT_PTX, words, sizeof words, "add"), "of no format that jig knows");
  REFUSES(jig_op_binary(JIG_FORMAT_CUBIN, f.bytes, 4, "add"), "of no format that jig knows");
  REFUSES(jig_op_binary(JIG_FORMAT_PTX, ".versio", 7, "add"), "of no format that jig knows");
  REFUSES(jig_op_binary(JIG_FORMAT_PTX, NULL, 10, "add"), "was given no data");
  REFUSES(jig_op_binary(JIG_FORMAT_PTX, f.bytes, 0, "add"), "was given no data");
  REFUSES(jig_op_binary(JIG_FORMAT_NONE, f.bytes, sizeof f, "add"), "no such format (0)");
  REFUSES(jig_op_binary((jig_format)6, f.bytes, sizeof f, "add"), "no such format (6)");
  REFUSES(jig_op_binary((jig_format)-1, f.bytes, sizeof f, "add"), "no such format (-1)");
}
END_TEST

/* Whether data goes as far as its own headers say. */
START_TEST(data_that_is_cut_off_is_refused) {
  const fake fat = fake_of(JIG_FORMAT_FATBIN);
  REFUSES(jig_op_binary(JIG_FORMAT_FATBIN, fat.bytes, FAKE_SIZE - 1, "add"), "more than these 63 bytes");
  for (int object = 0; object < 2; ++object) {
    unsigned char elf[FAKE_SIZE + 3 * sizeof(Elf64_Shdr)] = {0};
    const jig_format format = object ? JIG_FORMAT_OBJECT : JIG_FORMAT_CUBIN;
    const fake f = fake_of(format);
    memcpy(elf, f.bytes, FAKE_SIZE);
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)elf;
    Elf64_Shdr *section = (Elf64_Shdr *)(void *)(elf + FAKE_SIZE);
    header->e_shoff = FAKE_SIZE;
    header->e_shentsize = sizeof(Elf64_Shdr);
    header->e_shnum = 3;
    section[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = 60, .sh_size = sizeof elf - 60};
    section[2] = (Elf64_Shdr){.sh_type = SHT_NOBITS, .sh_offset = 60, .sh_size = 1 << 20};
    OK(check(jig_op_binary(format, elf, sizeof elf, "add")));
    REFUSES(jig_op_binary(format, elf, sizeof elf - 1, "add"), "damaged");
    section[1].sh_size += 1;
    REFUSES(jig_op_binary(format, elf, sizeof elf, "add"), "damaged");
    section[1].sh_size = UINT64_MAX;
    REFUSES(jig_op_binary(format, elf, sizeof elf, "add"), "damaged");
    section[1].sh_size = 0;
    header->e_shentsize = 1;
    REFUSES(jig_op_binary(format, elf, sizeof elf, "add"), "damaged");
    header->e_shentsize = sizeof(Elf64_Shdr);
    header->e_phnum = 1;
    header->e_phentsize = 56;
    header->e_phoff = UINT64_MAX - 8;
    REFUSES(jig_op_binary(format, elf, sizeof elf, "add"), "damaged");
    header->e_phnum = 0;
    elf[EI_CLASS] = ELFCLASS32;
    REFUSES(jig_op_binary(format, elf, sizeof elf, "add"), "damaged");
  }
}
END_TEST

START_TEST(data_that_changes_is_refused) {
  fake f = fake_of(JIG_FORMAT_LTO_IR);
  const jig_op op = jig_op_binary(JIG_FORMAT_LTO_IR, f.bytes, sizeof f, "add");
  OK(check(op));
  f.bytes[FAKE_SIZE - 1] ^= 1;
  REFUSES(op, "the data has changed since jig_op_binary()");
  f.bytes[FAKE_SIZE - 1] ^= 1;
  OK(check(op));
}
END_TEST

START_TEST(symbols_are_identifiers_of_the_users) {
  static const char *const bad[] = {"", "1add", "a b", "ns::add", "add(float)", "a-b", "a\xc3\xa9"};
  static const char *const good[] = {"add", "_Z3addff", "_", "a1", "Jig_add"};
  const fake f = fake_of(JIG_FORMAT_LTO_IR);
  for (size_t i = 0; i < COUNT_OF(bad); ++i)
    REFUSES(jig_op_binary(JIG_FORMAT_LTO_IR, f.bytes, sizeof f, bad[i]), "needs a symbol, not '");
  for (size_t i = 0; i < COUNT_OF(good); ++i)
    OK(check(jig_op_binary(JIG_FORMAT_LTO_IR, f.bytes, sizeof f, good[i])));
  REFUSES(jig_op_binary(JIG_FORMAT_LTO_IR, f.bytes, sizeof f, NULL), "not '(null)'");
  REFUSES(jig_op_binary(JIG_FORMAT_LTO_IR, f.bytes, sizeof f, "jig_add"), "jig's own");
}
END_TEST

/* ---- ways of calling, states */

START_TEST(pointers_are_for_compiled_operators) {
  const fake f = fake_of(JIG_FORMAT_LTO_IR);
  const jig_op by_value = jig_op_binary(JIG_FORMAT_LTO_IR, f.bytes, sizeof f, "add");
  OK(check(jig_op_by_pointer(by_value)));
  REFUSES(jig_op_by_pointer(jig_op_source("return a;")),
          "jig_op_by_pointer() is for jig_op_binary() only");
  REFUSES(jig_op_by_pointer(jig_op_function("float f(float a, float b);", "f")), "jig_op_binary() only");
}
END_TEST

START_TEST(opaque_items_go_by_pointer) {
  const jig_type opaque = jig_opaque(24, 8);
  const op_signature signatures[] = {{.arity = 2, .operand = &opaque, .result = &opaque},
                                     {.arity = 1, .operand = &number, .result = &opaque},
                                     {.arity = 1, .operand = &opaque, .result = &number}};
  const fake f = fake_of(JIG_FORMAT_PTX);
  const jig_op by_value = jig_op_binary(JIG_FORMAT_PTX, f.bytes, sizeof f, "add");
  const jig_op by_pointer = jig_op_by_pointer(by_value), well_known = JIG_PLUS;
  for (size_t i = 0; i < COUNT_OF(signatures); ++i) {
    OK(op_check(&by_pointer, &signatures[i], "op", "operator"));
    FAILS(op_check(&by_value, &signatures[i], "op", "operator"), JIG_ERROR_INVALID_ARGUMENT,
          "opaque types cannot be passed by value; use jig_op_by_pointer()");
  }
  FAILS(op_check(&well_known, &signatures[0], "op", "operator"), JIG_ERROR_INVALID_ARGUMENT,
        "'plus' is not defined for opaque; give jig_op_by_pointer() of a compiled one");
}
END_TEST

START_TEST(opaque_types_have_sound_layouts) {
  static const struct {
    size_t size, align;
    const char *problem;
  } rows[] = {{1, 1, NULL},           {256, 256, NULL},
              {24, 8, NULL},          {0, 1, "has size 0; 1 to 4096 bytes"},
              {4097, 1, "size 4097"}, {24, 16, "a power of two that divides size 24"},
              {24, 0, "alignment 0"}, {24, 3, "alignment 3"}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *text = NULL;
    const jig_iter in = jig_pointer(NULL, jig_opaque(rows[i].size, rows[i].align));
    const fake f = fake_of(JIG_FORMAT_PTX);
    const jig_reduce_args args = {
        .in = in,
        .out = in,
        .op = jig_op_by_pointer(jig_op_binary(JIG_FORMAT_PTX, f.bytes, sizeof f, "add"))};
    if (rows[i].problem == NULL)
      OK(jig_reduce_spec(&args, &text));
    else
      FAILS(jig_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT, rows[i].problem);
    jig_free(text);
  }
}
END_TEST

static jig_type bytes_of(size_t size) {
  return jig_struct("bytes", "struct bytes { char c[1]; };", size, 1);
}

START_TEST(states_have_to_have_room) {
  const fake f = fake_of(JIG_FORMAT_FATBIN);
  const jig_op ops[] = {jig_op_source("return a;"), jig_op_function("float f(bytes, float, float);", "f"),
                        jig_op_binary(JIG_FORMAT_FATBIN, f.bytes, sizeof f, "add")};
  for (size_t i = 0; i < COUNT_OF(ops); ++i) {
    OK(check(jig_op_with_state(ops[i], "", bytes_of(PARAMETER_MAX_SIZE))));
    REFUSES(jig_op_with_state(ops[i], "", bytes_of(PARAMETER_MAX_SIZE + 1)),
            "a state of 3585 bytes has no room among a kernel's parameters");
    REFUSES(jig_op_with_state(ops[i], "", bytes_of(PARAMETER_MAX_SIZE + 1)),
            "jig_op_with_device_state()");
    OK(check(jig_op_with_device_state(ops[i], "", bytes_of(1 << 20))));
    REFUSES(jig_op_with_state(ops[i], "", jig_struct("", "x", 4, 4)), "identifier");
    REFUSES(jig_op_with_device_state(ops[i], "", jig_opaque(6, 4)), "divides size 6");
  }
  /* A state that has room by itself, and does not beside an iterator's. */
  char *text = NULL;
  const jig_iter in = jig_pointer(NULL, JIG_F32);
  const jig_op half = jig_op_with_state(ops[0], "", bytes_of(2000));
  const jig_op unary = jig_op_with_state(jig_op_source("return x;"), "", bytes_of(2000));
  const jig_reduce_args args = {.in = jig_iter_transform(&in, unary, JIG_F32), .out = in, .op = half};
  FAILS(jig_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT,
        "give operators their states in device");
}
END_TEST

START_TEST(states_are_there_and_aligned) {
  const double value = 1;
  const jig_op op = jig_op_source("return a;");
  const jig_op none = jig_op_with_state(op, NULL, JIG_F64),
               there = jig_op_with_state(op, &value, JIG_F64),
               none_there = jig_op_with_device_state(op, NULL, JIG_F64),
               aligned = jig_op_with_device_state(op, (void *)4096, JIG_F64),
               unaligned = jig_op_with_device_state(op, (void *)4100, JIG_F64);
  OK(op_check_state_value(&op, "op"));
  OK(op_check_state_value(&there, "op"));
  OK(op_check_state_value(&aligned, "op"));
  FAILS(op_check_state_value(&none, "op"), JIG_ERROR_INVALID_ARGUMENT, "state is NULL");
  FAILS(op_check_state_value(&none_there, "op"), JIG_ERROR_INVALID_ARGUMENT, "state is NULL");
  FAILS(op_check_state_value(&unaligned, "op"), JIG_ERROR_INVALID_ARGUMENT, "not aligned to the 8 bytes");
}
END_TEST

/* ---- well-known operators over structs */

static jig_status check_struct(jig_op op, const char *definition) {
  const jig_type type = jig_struct("s", definition, 4, 4);
  return op_check(&op, &(op_signature){.arity = 2, .operand = &type, .result = &type}, "op", "operator");
}

START_TEST(structs_need_the_operator_that_is_used) {
  static const struct {
    jig_op op;
    const char *with, *without, *advice;
  } rows[] = {
      {JIG_PLUS, "struct s { int a; }; s operator+(s, s);", "struct s { int a; s operator++(); };",
       "operator+ to"},
      {JIG_PLUS, "struct s { int a; s operator +(s) const; };",
       "struct s { int a; void operator+=(s); };", "operator+ to"},
      {JIG_MULTIPLIES, "struct s { int a; s operator*(s); };", "struct s { int a; s operator/(s); };",
       "operator* to"},
      {JIG_MIN, "struct s { int a; bool operator<(s); };", "struct s { int a; bool operator<=(s); };",
       "operator< to"},
      {JIG_MAX, "struct s { int a; bool operator<(s); };", "struct s { int a; bool operator<<(s); };",
       "operator< to"},
      {JIG_BIT_AND, "struct s { int a; s operator&(s); };", "struct s { int a; s operator&&(s); };",
       "operator& to"},
      {JIG_BIT_OR, "struct s { int a; s operator|(s); };", "struct s { int a; s operator||(s); };",
       "operator| to"},
      {JIG_BIT_XOR, "struct s { int a; s operator^(s); };", "struct s { int a; };", "operator^ to"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    OK(check_struct(rows[i].op, rows[i].with));
    FAILS(check_struct(rows[i].op, rows[i].without), JIG_ERROR_INVALID_ARGUMENT, rows[i].advice);
    FAILS(check_struct(rows[i].op, rows[i].without), JIG_ERROR_INVALID_ARGUMENT, "give jig_op_source()");
  }
  static const char everything[] = "struct s { int a; bool operator&&(s); bool operator||(s); };";
  FAILS(check_struct(JIG_LOGICAL_AND, everything), JIG_ERROR_INVALID_ARGUMENT,
        "'logical_and' is not defined for struct s; give jig_op_source()");
  FAILS(check_struct(JIG_LOGICAL_OR, everything), JIG_ERROR_INVALID_ARGUMENT,
        "'logical_or' is not defined for struct s; give jig_op_source()");
}
END_TEST

/* ---- base64 */

START_TEST(base64_is_that_of_rfc_4648) {
  static const char *const rows[][2] = {{"", ""},
                                        {"f", "Zg=="},
                                        {"fo", "Zm8="},
                                        {"foo", "Zm9v"},
                                        {"foob", "Zm9vYg=="},
                                        {"fooba", "Zm9vYmE="},
                                        {"foobar", "Zm9vYmFy"}};
  size_t size;
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *text = base64_encode(rows[i][0], strlen(rows[i][0]));
    ck_assert_str_eq(text, rows[i][1]);
    unsigned char *bytes = base64_decode(text, &size);
    ck_assert_uint_eq(size, strlen(rows[i][0]));
    ck_assert_int_eq(memcmp(bytes, rows[i][0], size), 0);
    free(text);
    free(bytes);
  }
  unsigned char all[256 * 3], *back;
  uint64_t seed = 7;
  for (size_t i = 0; i < sizeof all; ++i)
    all[i] = i < 256 ? (unsigned char)i : (unsigned char)next_random(&seed);
  for (size_t length = 0; length <= sizeof all; ++length) {
    char *text = base64_encode(all, length);
    ck_assert_uint_eq(strlen(text), (length + 2) / 3 * 4);
    back = base64_decode(text, &size);
    ck_assert_uint_eq(size, length);
    ck_assert_int_eq(memcmp(back, all, length), 0);
    free(text);
    free(back);
  }
}
END_TEST

START_TEST(bad_base64_is_refused) {
  static const char *const bad[] = {"Z",    "Zg",    "Zg=",      "Zh==",   "Zm9=",   "====",
                                    "Z===", "=g==",  "Zg==Zg==", "Zm9v\n", "Zm 9v",  "Zm9-",
                                    "Zm9_", "Zm9v=", "Zg=v",     "Zm9vZg", "\x80m9v"};
  size_t size;
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    unsigned char *bytes = base64_decode(bad[i], &size);
    ck_assert_msg(bytes == NULL, "'%s'", bad[i]);
  }
}
END_TEST

/* ---- specs */

static char *spec_text(jig_op op) {
  char *text = NULL;
  const jig_iter in = jig_pointer(NULL, JIG_F32);
  OK(jig_reduce_spec(&(jig_reduce_args){.in = in, .out = in, .op = op}, &text));
  return text;
}

static uint64_t spec_hash_of(jig_op op) {
  char *text = spec_text(op);
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  const uint64_t hash = spec_hash(&parsed.s);
  parsed_spec_free(&parsed);
  jig_free(text);
  return hash;
}

START_TEST(specs_carry_the_data) {
  for (jig_format format = JIG_FORMAT_LTO_IR; format <= JIG_FORMAT_FATBIN; ++format) {
    const fake f = fake_of(format);
    const jig_op op = jig_op_with_device_state(
        jig_op_commutative(jig_op_by_pointer(jig_op_binary(format, f.bytes, sizeof f, "add"))), "",
        jig_opaque(24, 8));
    char *text = spec_text(op), *again = NULL;
    parsed_spec parsed;
    OK(spec_parse(text, algorithm_schema, &parsed));
    const jig_op *read = spec_find(&parsed.s, "op")->op;
    ck_assert_uint_eq(read->size, sizeof f);
    ck_assert_mem_eq(read->data, f.bytes, sizeof f);
    ck_assert_mem_eq(read->digest, op.digest, sizeof op.digest);
    ck_assert_str_eq(read->name, "add");
    ck_assert(read->format == format && read->by_pointer && read->commutative && read->device_state);
    ck_assert(read->state_type.kind == JIG_KIND_OPAQUE && read->state_type.size == 24);
    OK(spec_write(&parsed.s, "x", &again));
    ck_assert_str_eq(text, again);
    parsed_spec_free(&parsed);
    jig_free(text);
    jig_free(again);
  }
}
END_TEST

START_TEST(specs_with_digests_cannot_be_read) {
  static const char pattern[] =
      "{\"accum\":\"f32\",\"algorithm\":\"reduce\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},"
      "\"op\":{%s\"kind\":\"binary\",\"name\":\"add\"},\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}";
  static const struct {
    const char *members, *problem;
  } rows[] = {
      {"\"digest\":\"00112233445566778899aabbccddeeff\",\"format\":\"ptx\",", "a digest is not enough"},
      {"\"data\":\"Zm9v\",", "op: 'format' is missing, or no format"},
      {"\"data\":\"Zm9v\",\"format\":\"elf\",", "op: 'format' is missing, or no format"},
      {"\"data\":\"Zm9\",\"format\":\"ptx\",", "op: 'data' is not base64"},
      {"\"data\":7,\"format\":\"ptx\",", "op: 'data' is missing"},
      {"\"data\":\"\",\"format\":\"ptx\",", "op: jig_op_binary() was given no data"},
      {"\"data\":\"Zm9v\",\"format\":\"ptx\",", "of no format that jig knows"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char text[1024];
    parsed_spec parsed;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, sizeof text, pattern, rows[i].members);
#pragma GCC diagnostic pop
    FAILS(spec_parse(text, algorithm_schema, &parsed), JIG_ERROR_INVALID_ARGUMENT, rows[i].problem);
  }
}
END_TEST

START_TEST(what_tells_operators_apart_is_in_hash_and_text) {
  static const float state = 1, other_state = 2;
  const fake f = fake_of(JIG_FORMAT_PTX), same = f;
  fake changed = f;
  changed.bytes[40] = ' ';
  const fake cubin = fake_of(JIG_FORMAT_CUBIN);
  const jig_op op = jig_op_binary(JIG_FORMAT_PTX, f.bytes, sizeof f, "add");
  const jig_op variants[] = {op,
                             jig_op_binary(JIG_FORMAT_PTX, changed.bytes, sizeof changed, "add"),
                             jig_op_binary(JIG_FORMAT_PTX, f.bytes, sizeof f - 1, "add"),
                             jig_op_binary(JIG_FORMAT_CUBIN, cubin.bytes, sizeof cubin, "add"),
                             jig_op_binary(JIG_FORMAT_PTX, f.bytes, sizeof f, "mul"),
                             jig_op_by_pointer(op),
                             jig_op_commutative(op),
                             jig_op_with_state(op, &state, JIG_F32),
                             jig_op_with_state(op, &state, JIG_I32),
                             jig_op_with_device_state(op, &state, JIG_F32)};
  for (size_t i = 0; i < COUNT_OF(variants); ++i) {
    for (size_t k = 0; k < i; ++k) {
      char *a = spec_text(variants[i]), *b = spec_text(variants[k]);
      ck_assert_msg(spec_hash_of(variants[i]) != spec_hash_of(variants[k]), "%zu, %zu", i, k);
      ck_assert_str_ne(a, b);
      jig_free(a);
      jig_free(b);
    }
  }
  /* Neither where the data is nor what the state holds. */
  const jig_op elsewhere = jig_op_binary(JIG_FORMAT_PTX, same.bytes, sizeof same, "add");
  ck_assert(spec_hash_of(op) == spec_hash_of(elsewhere));
  ck_assert(spec_hash_of(variants[7]) == spec_hash_of(jig_op_with_state(op, &other_state, JIG_F32)));
  ck_assert(spec_hash_of(variants[9]) ==
            spec_hash_of(jig_op_with_device_state(elsewhere, (void *)256, JIG_F32)));
}
END_TEST

/* ---- PTX as text */

static const arch compute_90 = {.sm = 90, .ptx = true, .name = "compute_90"};

#define DECLARED(name) ".extern .func  (.param .b32 r) " name "\n(\n\t.param .b32 a\n)\n;\n"
#define DEFINED(name) ".visible .func (.param .b32 r) " name "(.param .b32 a)\n{\n\t{ }\n\tret;\n}\n"

/* Merges operators into a program of nvJitLink's kind, which declares them; "" if that fails. */
static char *merged(const char *program, const jig_op *ops, int count) {
  const jig_op *list[4];
  for (int i = 0; i < count; ++i) list[i] = &ops[i];
  compiled result = {.payload = (unsigned char *)strdup(program), .payload_size = strlen(program) + 1};
  char *text = strdup("");
  if (ptx_merge(list, count, &compute_90, &result) == JIG_SUCCESS) {
    ck_assert_uint_eq(result.payload_size, strlen((char *)result.payload) + 1);
    free(text);
    text = strdup((char *)result.payload);
  }
  compiled_free(&result);
  return text;
}

static jig_op ptx_op(const char *ptx, const char *name) {
  return jig_op_binary(JIG_FORMAT_PTX, ptx, strlen(ptx), name);
}

static int occurrences(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)) != NULL; text += strlen(part)) ++count;
  return count;
}

#define PROGRAM_OF(declarations)                                 \
  ".version 8.4\n.target sm_90\n.address_size 64\n" declarations \
  ".visible .entry jig_reduce()\n{ ret; }\n"

START_TEST(ptx_of_several_compilers_becomes_one_module) {
  const jig_op ops[] = {
      ptx_op("// clang's\n.version 6.3\n.target sm_75\n" DEFINED("add"), "add"),
      ptx_op("/* .version 9.9 */ .version 8.7 // newer\n.target sm_80, debug\n.address_size 64\n"
             ".file 1 \"a;b{.c\"\n.global .align 4 .b8 table[8] = {1, 2};\n" DEFINED("neg"),
             "neg")};
  char *text = merged(PROGRAM_OF(DECLARED("add") DECLARED("neg")), ops, 2);
  ck_assert_int_eq(strncmp(text, ".version 8.7\n.target sm_90\n.address_size 64\n", 41), 0);
  ck_assert_int_eq(occurrences(text, ".version"), 1);
  ck_assert_int_eq(occurrences(text, ".target"), 1);
  ck_assert_int_eq(occurrences(text, ".extern"), 0);
  ck_assert_int_eq(occurrences(text, ".visible .func (.param .b32 r) add"), 1);
  ck_assert_int_eq(occurrences(text, ".visible .func (.param .b32 r) neg"), 1);
  ck_assert_int_eq(occurrences(text, ".visible .entry jig_reduce"), 1);
  ck_assert_int_eq(occurrences(text, "table[8] = {1, 2};"), 1);
  ck_assert(strstr(text, " add(") < strstr(text, "jig_reduce"));
  free(text);
}
END_TEST

/* With its NUL, with several, without; and what follows a NUL is not read. */
START_TEST(the_nul_of_ptx_may_be_counted) {
  static const char ptx[] = ".version 6.3\n.target sm_75\n" DEFINED("add") "\0\0 } garbage";
  const size_t sizes[] = {strlen(ptx), strlen(ptx) + 1, strlen(ptx) + 2, sizeof ptx};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    const jig_op op = jig_op_binary(JIG_FORMAT_PTX, ptx, sizes[i], "add");
    char *text = merged(PROGRAM_OF(DECLARED("add")), &op, 1);
    ck_assert_int_eq(occurrences(text, " add("), 1);
    ck_assert_ptr_null(strstr(text, "garbage"));
    ck_assert_ptr_nonnull(strstr(text, "jig_reduce"));
    free(text);
  }
}
END_TEST

static void check_refused(const char *program, const jig_op *ops, int count, const char *problem) {
  char *text = merged(program, ops, count);
  ck_assert_str_eq(text, "");
  ck_assert_msg(strstr(jig_last_error(), problem) != NULL, "%s, not %s", jig_last_error(), problem);
  free(text);
}

#define HEAD ".version 6.3\n.target sm_75\n.address_size 64\n"

START_TEST(ptx_that_cannot_be_merged_is_refused) {
  const jig_op missing = ptx_op(HEAD DEFINED("sub"), "add"),
               only_declared = ptx_op(HEAD DECLARED("add"), "add"),
               unresolved = ptx_op(HEAD DECLARED("twice") DEFINED("add"), "add"),
               newer = ptx_op(".version 8.0\n.target sm_100\n" DEFINED("add"), "add"),
               headless = ptx_op(".target sm_75\n.version 6.3\n" DEFINED("add"), "add"),
               clash[] = {ptx_op(HEAD DEFINED("add") ".func help() { ret; }\n", "add"),
                          ptx_op(HEAD DEFINED("neg") ".global .b32 help = 5;\n", "neg")};
  const char *program = PROGRAM_OF(DECLARED("add"));
  check_refused(program, &missing, 1,
                "operator 'add': it is PTX 6.3 for sm_75, and has no such function");
  check_refused(program, &only_declared, 1,
                "operator 'add': it is PTX 6.3 for sm_75, and has no such function");
  check_refused(program, &unresolved, 1, "a compiled operator calls 'twice', which none defines");
  check_refused(program, &newer, 1, "its PTX is for sm_100, and compute_90 is needed here");
  check_refused(program, &headless, 1, "does not begin with .version and .target");
  check_refused(PROGRAM_OF(DECLARED("add") DECLARED("neg")), clash, 2,
                "two files of compiled operators define 'help'");
}
END_TEST

/* Operators that call each other, and printf(), which every one declares. */
START_TEST(declarations_are_there_once) {
  const jig_op ops[] = {
      ptx_op(HEAD DECLARED("vprintf") DECLARED("neg") DECLARED("neg") DEFINED("add"), "add"),
      ptx_op(HEAD DECLARED("vprintf") DEFINED("neg"), "neg")};
  char *text = merged(PROGRAM_OF(DECLARED("vprintf") DECLARED("add") DECLARED("neg")), ops, 2);
  ck_assert_int_eq(occurrences(text, ".extern"), 1);
  ck_assert_int_eq(occurrences(text, "vprintf"), 1);
  /* Declared before what defines it, as what it is. */
  ck_assert_int_eq(occurrences(text, ".visible .func  (.param .b32 r) neg\n(\n\t.param .b32 a\n)\n;"), 1);
  ck_assert_int_eq(occurrences(text, "neg"), 2);
  free(text);
}
END_TEST

START_TEST(symbols_of_ptx_are_found) {
  static const char ptx[] = HEAD
      "\t// .globl add\n.weak .func weak(.param .b32 p) .noreturn { trap; }\n"
      ".func (.param .align 16 .b8 r[16]) hidden(.param .align 16 .b8 a[16])\n{ .reg .b32 %r<3>; { } }\n"
      ".visible .entry k(.param .u64 p) .maxntid 32, 1, 1 { /* } */ ret; }\n"
      ".const .align 8 .u64 $c = 7;\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .global .align 4 .f32 x[2] = {0f3F800000, 0f40000000};\n"
      ".section .debug_abbrev\n{\n.b8 1\n}\n.extern .func nothing;\n";
  static const struct {
    const char *name;
    bool defined, visible;
  } rows[] = {{"weak", true, false},    {"hidden", true, false},   {"k", true, true},
              {"$c", true, false},      {"dynamic", false, false}, {"x", true, true},
              {"nothing", false, false}};
  symbol_list list = {NULL};
  symbols_of_ptx(&list, ptx, ptx + strlen(ptx), 3);
  ck_assert_uint_eq(list.count, COUNT_OF(rows));
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const symbol *s = &list.all[i];
    ck_assert_msg(symbol_is(s, rows[i].name), "%.*s", (int)s->length, s->name);
    ck_assert(s->defined == rows[i].defined && s->is_visible == rows[i].visible && s->file == 3);
  }
  symbols_free(&list);
  /* A text that ends anywhere is read no further. */
  for (size_t length = 0; length <= strlen(ptx); ++length) {
    char *part = malloc(length + 1);
    memcpy(part, ptx, length);
    list = (symbol_list){NULL};
    symbols_of_ptx(&list, part, part + length, 0);
    symbols_free(&list);
    free(part);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_format_is_told_from_every_other),
      SUITE_TEST(data_that_is_nothing_is_refused),
      SUITE_TEST(data_that_is_cut_off_is_refused),
      SUITE_TEST(data_that_changes_is_refused),
      SUITE_TEST(symbols_are_identifiers_of_the_users),
      SUITE_TEST(pointers_are_for_compiled_operators),
      SUITE_TEST(opaque_items_go_by_pointer),
      SUITE_TEST(opaque_types_have_sound_layouts),
      SUITE_TEST(states_have_to_have_room),
      SUITE_TEST(states_are_there_and_aligned),
      SUITE_TEST(structs_need_the_operator_that_is_used),
      SUITE_TEST(base64_is_that_of_rfc_4648),
      SUITE_TEST(bad_base64_is_refused),
      SUITE_TEST(specs_carry_the_data),
      SUITE_TEST(specs_with_digests_cannot_be_read),
      SUITE_TEST(what_tells_operators_apart_is_in_hash_and_text),
      SUITE_TEST(ptx_of_several_compilers_becomes_one_module),
      SUITE_TEST(the_nul_of_ptx_may_be_counted),
      SUITE_TEST(ptx_that_cannot_be_merged_is_refused),
      SUITE_TEST(declarations_are_there_once),
      SUITE_TEST(symbols_of_ptx_are_found),
  };
  return SUITE_RUN("unit/binary", tests, false);
}
