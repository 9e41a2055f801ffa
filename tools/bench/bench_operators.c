/* Cases of one sum by a user's operator, given as source and as a function compiled elsewhere. The peers,
 * in cub_operators.cu, are the same for all forms, so that their ratios compare the forms. */
#include "cases.h"
#include "gpu.h"
#include "jit/compiler.h"

/* Numbers side by side, added one by one; they wrap around, so that every order gives the same. */
#define NUMBERS(count) "struct numbers { unsigned x[" #count "]; };\n"
#define ADD(count) \
  "numbers sum; for (int k = 0; k < " #count "; ++k) sum.x[k] = a.x[k] + b.x[k]; return sum;"
#define FILL(count)                                         \
  "struct item { unsigned x[" #count                        \
  "]; }; inline item make(uint64_t r, uint64_t) {"          \
  "  item it; for (int k = 0; k < " #count                  \
  "; ++k) it.x[k] = unsigned(r >> (k % 32)) * (2 * k + 1);" \
  "  return it; }"
/* The same operator as C++ for a compiler, in both calling forms. */
#define COMPILED(count) \
  NUMBERS(count)        \
  "static numbers add(const numbers &a, const numbers &b) { " ADD(count) " }\n"                      \
  "extern \"C\" numbers by_value(numbers a, numbers b) { return add(a, b); }\n"                      \
  "extern \"C\" void by_pointer(const void *a, const void *b, void *result) {\n"                     \
  "  *(numbers *)result = add(*(const numbers *)a, *(const numbers *)b);\n}\n"

typedef struct item_type {
  size_t size;
  const char *definition, *body, *compiled, *fill;
} item_type;

#define ITEM_TYPE(count) \
  { 4 * (count), NUMBERS(count), ADD(count), COMPILED(count), FILL(count) }
static const item_type b4 = ITEM_TYPE(1);
static const item_type b16 = ITEM_TYPE(4);
static const item_type b32 = ITEM_TYPE(8);
static const item_type b64 = ITEM_TYPE(16);
static const item_type b256 = ITEM_TYPE(64);

typedef enum form { SOURCE, LTO_IR, LTO_IR_BY_POINTER, PTX } form;

typedef struct own {
  const item_type *items;
  form form;
} own;

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, ((const own *)c->own)->items->fill, seed);
}

/* What a compiler makes of by_value() for one number. */
static const char ptx[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".visible .func (.param .align 4 .b8 sum[4]) by_value(.param .align 4 .b8 a[4], .param .align 4 .b8 "
    "b[4])\n"
    "{\n"
    "  .reg .b32 %r<4>;\n"
    "  ld.param.u32 %r1, [a];\n"
    "  ld.param.u32 %r2, [b];\n"
    "  add.u32 %r3, %r1, %r2;\n"
    "  st.param.b32 [sum], %r3;\n"
    "  ret;\n"
    "}\n";

/* LTO-IR for the oldest GPU, which serves every other; made once a process. */
static const compiled *make_lto_ir(const item_type *items) {
  enum { MOST = 8 };
  static const item_type *known[MOST];
  static compiled made[MOST];
  int i = 0;
  while (i < MOST && known[i] != NULL && known[i] != items) ++i;
  if (i == MOST) die("more types than there is room for");
  if (known[i] == items) return &made[i];
  const compiler *c = compiler_get();
  if (c == NULL) die("%s", jig_last_error());
  const arch target = arch_of_sm(75, true);
  const compile_request request = {.program = items->compiled, .target = &target, .lto = true, .jobs = 1};
  JIG(compiler_compile(c, &request, &made[i]));
  known[i] = items;
  return &made[i];
}

static jig_op operator_of(const own *o) {
  if (o->form == SOURCE) return jig_op_source(o->items->body);
  if (o->form == PTX) return jig_op_binary(JIG_FORMAT_PTX, ptx, sizeof ptx, "by_value");
  const compiled *code = make_lto_ir(o->items);
  const bool by_pointer = o->form == LTO_IR_BY_POINTER;
  const jig_op op = jig_op_binary(JIG_FORMAT_LTO_IR, code->payload, code->payload_size,
                                  by_pointer ? "by_pointer" : "by_value");
  return by_pointer ? jig_op_by_pointer(op) : op;
}

static void arrange(const bench_case *c, const bench_data *data) {
  static const unsigned char zeros[256]; /* CUB cannot do without an init */
  const own *o = c->own;
  const jig_type type = jig_struct("numbers", o->items->definition, o->items->size, 4);
  *(jig_reduce_args *)data->args = (jig_reduce_args){.in = jig_pointer(data->in[0], type),
                                                     .out = jig_pointer(data->out[0], type),
                                                     .num_items = data->n,
                                                     .op = jig_op_commutative(operator_of(o)),
                                                     .init = zeros};
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_reduce(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  return jig_reduce_spec(data->args, text);
}

#define OPERATOR_CASE(items_, size, variant_, form_)                                  \
  {                                                                                   \
    .algorithm = "operator", .type = #items_, .variant = variant_, .in = {{size, 0}}, \
    .out = {{0, size}}, .fill = fill, .arrange = arrange, .call = call, .spec = spec, \
    .own = &(const own) {                                                             \
      &items_, form_                                                                  \
    }                                                                                 \
  }

static const bench_case cases[] = {
    OPERATOR_CASE(b4, 4, "source", SOURCE),
    OPERATOR_CASE(b4, 4, "lto_ir", LTO_IR),
    OPERATOR_CASE(b4, 4, "lto_ir_by_pointer", LTO_IR_BY_POINTER),
    OPERATOR_CASE(b4, 4, "ptx", PTX),
    OPERATOR_CASE(b16, 16, "source", SOURCE),
    OPERATOR_CASE(b16, 16, "lto_ir", LTO_IR),
    OPERATOR_CASE(b16, 16, "lto_ir_by_pointer", LTO_IR_BY_POINTER),
    OPERATOR_CASE(b32, 32, "source", SOURCE),
    OPERATOR_CASE(b32, 32, "lto_ir", LTO_IR),
    OPERATOR_CASE(b64, 64, "source", SOURCE),
    OPERATOR_CASE(b64, 64, "lto_ir", LTO_IR),
    OPERATOR_CASE(b256, 256, "source", SOURCE),
};

const bench_family bench_operators = {cases, sizeof cases / sizeof cases[0]};
