/* Cases of jig_select(), jig_unique(), jig_partition() and jig_three_way_partition(). The peers are in
 * cub_select.cu. */
#include <limits.h>

#include "cases.h"
#include "gpu.h"
#include "vec3.h"

/* ---- types and data */

typedef struct item_type {
  const char *name;
  size_t size;
  const char *source; /* for gpu_fill(): random over the whole range */
} item_type;

#define INTEGER_ITEM(type, shift) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t) { return item(r >> " shift "); }"

static const item_type i8 = {"i8", 1, INTEGER_ITEM("signed char", "56")};
static const item_type i32 = {"i32", 4, INTEGER_ITEM("int", "32")};
static const item_type i64 = {"i64", 8, INTEGER_ITEM("long long", "0")};
static const item_type u64 = {"u64", 8, INTEGER_ITEM("unsigned long long", "0")};
static const item_type vec3 = {"vec3", 12,
                               VEC3_SOURCE
                               " typedef vec3 item; inline item make(uint64_t r, uint64_t) {"
                               "  return vec3{unit(r), unit(r << 7), unit(r << 13)}; }"};

#define B24_SOURCE "struct b24 { unsigned x[6]; };"
static const item_type b24 = {"b24", 24,
                              B24_SOURCE
                              " typedef b24 item; inline item make(uint64_t r, uint64_t i) {"
                              "  return {{unsigned(r), unsigned(r >> 32), unsigned(i)}}; }"};

#define B16_SOURCE "struct b16 { unsigned x[4]; };"
static const item_type b16 = {"b16", 16,
                              B16_SOURCE
                              " typedef b16 item; inline item make(uint64_t r, uint64_t i) {"
                              "  return {{unsigned(r), unsigned(r >> 32), unsigned(i)}}; }"};

static jig_type library_type(const item_type *type) {
  if (type == &b16) return jig_struct("b16", B16_SOURCE, 16, 4);
  if (type == &b24) return jig_struct("b24", B24_SOURCE, 24, 4);
  return type == &vec3 ? vec3_type() : jig_type_from_name(type->name);
}

/* 1 for half of the items. */
static const char half_flags[] = INTEGER_ITEM("unsigned char", "63");

/* Runs of about 8 and 1000 items, of two lengths each, which no vector's length divides. */
#define RUNS(type, per_65536)                       \
  "typedef " type                                   \
  " item; inline item make(uint64_t, uint64_t i) {" \
  "  return item(((i * " per_65536 ") >> 16) * 2654435761u); }"
static const char runs_of_8[] = RUNS("int", "8107"), runs_of_1000[] = RUNS("int", "66");
static const char wide_runs_of_8[] = RUNS("unsigned long long", "8107");

/* NONZERO: the indices of the flags that are set. */
typedef enum family { SELECT, FLAGGED, NONZERO, UNIQUE, UNIQUE_BY_KEY, PARTITION, THREE_WAY } family;

typedef struct own {
  family family;
  const item_type *type;
  unsigned kept;    /* percent; items below a threshold, or of unique, as data have it */
  const char *data; /* NULL: the type's */
  const item_type *value;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  if (o->family != NONZERO)
    gpu_fill(data->in[0], data->n, o->data != NULL ? o->data : o->type->source, seed);
  if (o->family == FLAGGED || o->family == NONZERO) gpu_fill(data->in[1], data->n, half_flags, seed + 1);
  if (o->family == UNIQUE_BY_KEY) gpu_fill(data->in[1], data->n, o->value->source, seed + 1);
}

static uint64_t bytes(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  const uint64_t size = o->type->size, kept = n * o->kept / 100;
  switch (o->family) {
    case FLAGGED:
      return n * (size + 1) + kept * size;
    case NONZERO:
      return n + kept * size;
    case UNIQUE_BY_KEY:
      return (n + kept) * (size + o->value->size);
    case PARTITION:
    case THREE_WAY:
      return 2 * n * size;
    default:
      return (n + kept) * size;
  }
}

/* ---- the calls */

/* So many percent of an integer type's values are below; as cub_select.cu has it. */
static jig_op below(const item_type *type, unsigned percent) {
  if (type == &b24) return jig_op_source("return x.x[0] < 0x80000000u;");
  if (type == &vec3) return jig_op_source(percent < 50 ? "return x.x < -0.8f;" : "return x.x < 0;");
  static const signed char of_i8[] = {-102, 0, 102};
  static const int of_i32[] = {-1717986918, 0, 1717986918};
  static const long long of_i64[] = {-7378697629483820646, 0, 7378697629483820646};
  const int row = percent < 50 ? 0 : percent == 50 ? 1 : 2;
  const void *state = type == &i8    ? (const void *)&of_i8[row]
                      : type == &i32 ? (const void *)&of_i32[row]
                                     : (const void *)&of_i64[row];
  return jig_op_with_state(jig_op_source("return x < state;"), state, jig_type_from_name(type->name));
}

typedef union any_args {
  jig_select_args select;
  jig_unique_args unique;
  jig_partition_args partition;
  jig_three_way_partition_args three_way;
} any_args;
_Static_assert(sizeof(any_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type type = library_type(o->type);
  const jig_iter in = o->family == NONZERO ? jig_counting(NULL, type) : jig_pointer(data->in[0], type),
                 out = jig_pointer(data->out[0], type), count = jig_pointer(data->out[1], JIG_I32);
  any_args *args = data->args;
  switch (o->family) {
    case SELECT:
    case FLAGGED:
    case NONZERO:
      args->select =
          (jig_select_args){.in = in, .out = out, .num_selected_out = count, .num_items = data->n};
      if (o->family == SELECT)
        args->select.op = below(o->type, o->kept);
      else
        args->select.flags = jig_pointer(data->in[1], JIG_U8);
      break;
    case UNIQUE:
    case UNIQUE_BY_KEY:
      args->unique =
          (jig_unique_args){.in = in, .out = out, .num_selected_out = count, .num_items = data->n};
      if (o->family == UNIQUE) break;
      args->unique.values_in = jig_pointer(data->in[1], library_type(o->value));
      args->unique.values_out = jig_pointer(data->out[2], library_type(o->value));
      break;
    case PARTITION:
      args->partition = (jig_partition_args){.in = in,
                                             .out = out,
                                             .num_selected_out = count,
                                             .num_items = data->n,
                                             .op = below(o->type, o->kept)};
      break;
    case THREE_WAY:
      args->three_way = (jig_three_way_partition_args){.in = in,
                                                       .first_out = out,
                                                       .second_out = jig_pointer(data->out[2], type),
                                                       .unselected_out = jig_pointer(data->out[3], type),
                                                       .num_selected_out = count,
                                                       .num_items = data->n,
                                                       .first_op = below(o->type, 10),
                                                       .second_op = below(o->type, 50)};
      break;
  }
}

#define CALL(name)                                                                      \
  static jig_status call_##name(const bench_data *data, jig_engine *engine, void *temp, \
                                size_t *temp_bytes, CUstream stream) {                  \
    return jig_##name(engine, temp, temp_bytes, data->args, stream);                    \
  }                                                                                     \
  static jig_status spec_##name(const bench_data *data, char **text) {                  \
    return jig_##name##_spec(data->args, text);                                         \
  }
CALL(select)
CALL(unique)
CALL(partition)
CALL(three_way_partition)

/* ---- the table */

/* As jig_select_single_wave has it without flags: pointers, an empty struct, the operator's
 * state, count, whether in place, rows, temp storage, tag. */
static const bench_null select_null = {
    .definitions = "struct none {}; struct test { int state; };",
    .parameters =
        "const void *in, const none flags, void *out, void *count, const test op, uint64_t num_items, "
        "int in_place, int rows, void *control, uint64_t tag",
    .parameter_count = 10};

/* Where the counts are, for what they count. */
enum { COUNT = 2 };

#define CASE(algorithm_, family_, type_, size_, variant_, kept_, data_) \
  VALUES_CASE(algorithm_, family_, type_, size_, variant_, kept_, data_, NULL)
#define VALUES_CASE(algorithm_, family_, type_, size_, variant_, kept_, data_, value_)             \
  .algorithm = #algorithm_, .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
  .call = call_##algorithm_, .spec = spec_##algorithm_, .bytes = bytes, .own = &(const own) {      \
    family_, &type_, kept_, data_, value_                                                          \
  }
#define SELECT_CASE(type_, size_, kept_)                                             \
  CASE(select, SELECT, type_, size_, "if_" #kept_, kept_, NULL), .in = {{size_, 0}}, \
                                                                 .out = {{size_, 0, COUNT, 0}, {0, 4}}
#define UNIQUE_CASE(type_, size_, runs_, kept_, data_)                                             \
  {                                                                                                \
    CASE(unique, UNIQUE, type_, size_, "runs_" #runs_, kept_, data_), .in = {{size_, 0}}, .out = { \
      {size_, 0, COUNT, 0},                                                                        \
      {0, 4}                                                                                       \
    }                                                                                              \
  }
#define FLAGGED_CASE(type_, size_)                                                                    \
  {                                                                                                   \
    CASE(select, FLAGGED, type_, size_, "flagged_50", 50, NULL), .in = {{size_, 0}, {1, 0}}, .out = { \
      {size_, 0, COUNT, 0},                                                                           \
      {0, 4}                                                                                          \
    }                                                                                                 \
  }
#define BY_KEY_CASE(type_, size_, runs_, kept_, data_, value_, value_size_)                   \
  {                                                                                           \
    VALUES_CASE(unique, UNIQUE_BY_KEY, type_, size_, "by_key_" runs_, kept_, data_, &value_), \
        .in = {{size_, 0}, {value_size_, 0}}, .out = {                                        \
          {size_, 0, COUNT, 0},                                                               \
          {0, 4},                                                                             \
          {value_size_, 0, COUNT, 0}                                                          \
        }                                                                                     \
  }
#define THREE_WAY_CASE(type_, size_)                                         \
  {                                                                          \
    CASE(three_way_partition, THREE_WAY, type_, size_, "if_10_40", 0, NULL), \
        .in = {{size_, 0}}, .out = {                                         \
          {size_, 0, COUNT, 0},                                              \
          {0, 8},                                                            \
          {size_, 0, COUNT, 1},                                              \
          {size_, 0, COUNT, NOT_COUNTED}                                     \
        }                                                                    \
  }
#define PARTITION_CASE(type_, size_)                                                          \
  {                                                                                           \
    CASE(partition, PARTITION, type_, size_, "if_50", 50, NULL), .in = {{size_, 0}}, .out = { \
      {size_, 0},                                                                             \
      {0, 4}                                                                                  \
    }                                                                                         \
  }

static const bench_case cases[] = {
    {SELECT_CASE(i32, 4, 10)},
    {SELECT_CASE(i32, 4, 50), .null_kernel = &select_null},
    {SELECT_CASE(i32, 4, 90)},
    {SELECT_CASE(i8, 1, 10)},
    {SELECT_CASE(i8, 1, 50)},
    {SELECT_CASE(i8, 1, 90)},
    {SELECT_CASE(i64, 8, 10)},
    {SELECT_CASE(i64, 8, 50)},
    {SELECT_CASE(i64, 8, 90)},
    {SELECT_CASE(vec3, 12, 50)},
    FLAGGED_CASE(i32, 4),
    FLAGGED_CASE(i64, 8),
    FLAGGED_CASE(b24, 24),
    {CASE(select, NONZERO, i32, 4, "nonzero_50", 50, NULL), .in = {{0}, {1, 0}},
     .out = {{4, 0, COUNT, 0}, {0, 4}}},
    UNIQUE_CASE(i32, 4, 1, 100, NULL),
    UNIQUE_CASE(i32, 4, 8, 12, runs_of_8),
    UNIQUE_CASE(i32, 4, 1000, 0, runs_of_1000),
    UNIQUE_CASE(u64, 8, 8, 12, wide_runs_of_8),
    BY_KEY_CASE(i32, 4, "1", 100, NULL, i32, 4),
    BY_KEY_CASE(i32, 4, "8", 12, runs_of_8, i32, 4),
    BY_KEY_CASE(i32, 4, "1000", 0, runs_of_1000, i32, 4),
    BY_KEY_CASE(u64, 8, "8", 12, wide_runs_of_8, i32, 4),
    BY_KEY_CASE(i32, 4, "1_b16", 100, NULL, b16, 16),
    BY_KEY_CASE(i32, 4, "8_b16", 12, runs_of_8, b16, 16),
    BY_KEY_CASE(i32, 4, "1_b24", 100, NULL, b24, 24),
    BY_KEY_CASE(i32, 4, "8_b24", 12, runs_of_8, b24, 24),
    PARTITION_CASE(i32, 4),
    PARTITION_CASE(i8, 1),
    PARTITION_CASE(i64, 8),
    PARTITION_CASE(b24, 24),
    THREE_WAY_CASE(i32, 4),
    THREE_WAY_CASE(vec3, 12),
};

const bench_family bench_select = {cases, sizeof cases / sizeof cases[0]};
