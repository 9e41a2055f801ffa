/* Cases of jig_memcpy_batched() and jig_copy_batched(): n bytes or items altogether. The peers are in
 * cub_copy_batched.cu. */
#include <string.h>

#include "cases.h"
#include "gpu.h"

/* Each of `average` units has a random place at which one buffer ends and the next begins; but the first
 * one begins at 0, and the last one has the rest. So sizes are 1 to 2 * average - 1; or all the same. */
#define BEGINS                                                                          \
  "#define SEEDED\n"                                                                    \
  "inline unsigned long long begin_of(unsigned long long i, unsigned long long seed) {" \
  "  unsigned long long h = (i + seed) * 0x9e3779b97f4a7c15ull;"                        \
  "  h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9ull;"                                        \
  "  return i == 0 || SAME ? i * AVERAGE : i * AVERAGE - (h >> 33) % AVERAGE;"          \
  "}"
#define MAKE(type, value)                                                                             \
  "typedef " type " item; inline item make(uint64_t, uint64_t i, uint64_t seed) { return item(" value \
  "); }"
/* Sources in order, or all over windows of 4096 buffers. */
#define IN_ORDER "begin_of(i, seed)"
#define SCATTERED "begin_of((i & ~4095ull) | (i * 1237 & 4095), seed)"
enum { WINDOW = 4096 };

typedef struct own {
  const char *from, *to, *sizes;
  uint64_t average;
  unsigned share;   /* buffers but the last one have 1 / share of all units */
  const char *type; /* of the items that are copied; NULL: bytes */
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static uint64_t count_of(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  const uint64_t whole = n / o->share / o->average + (o->share > 1);
  return whole > 0 ? whole : 1;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  const uint64_t count = count_of(c, data->n), words = array_bytes(&c->in[0], data->n) / 4;
  uint64_t last_begin;
  gpu_fill(data->in[0], words,
           "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }",
           seed);
  gpu_fill(data->in[1], count, o->from, seed + 1);
  gpu_fill(data->in[2], count, o->to, seed + 1);
  gpu_fill(data->in[3], count, o->sizes, seed + 1);
  gpu_read(&last_begin, (uint64_t *)data->in[2] + count - 1, sizeof last_begin);
  const uint32_t last_size = (uint32_t)(data->n - last_begin);
  gpu_write((uint64_t *)data->in[1] + count - 1, &last_begin, sizeof last_begin);
  gpu_write((uint32_t *)data->in[3] + count - 1, &last_size, sizeof last_size);
}

static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  return n * (c->in[0].per_item + c->out[0].per_item) + count_of(c, n) * (8 + 8 + 4);
}

/* ---- the calls */

typedef struct memcpy_call {
  jig_memcpy_batched_args args;
  jig_iter from, to;
  uint64_t source, target;
} memcpy_call;
_Static_assert(sizeof(memcpy_call) <= BENCH_ARGS_SIZE, "data->args is too small");
_Static_assert(sizeof(jig_copy_batched_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange_memcpy(const bench_case *c, const bench_data *data) {
  memcpy_call *r = data->args;
  *r = (memcpy_call){.from = jig_pointer(data->in[1], JIG_U64),
                     .to = jig_pointer(data->in[2], JIG_U64),
                     .source = (uintptr_t)data->in[0],
                     .target = (uintptr_t)data->out[0]};
  const jig_op add = jig_op_source("return x + state;");
  r->args = (jig_memcpy_batched_args){
      .sources = jig_iter_transform(&r->from, jig_op_with_state(add, &r->source, JIG_U64), JIG_U64),
      .destinations = jig_iter_transform(&r->to, jig_op_with_state(add, &r->target, JIG_U64), JIG_U64),
      .sizes = jig_pointer(data->in[3], JIG_U32),
      .num_buffers = count_of(c, data->n)};
}

static jig_status call_memcpy(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  const memcpy_call *r = data->args;
  return jig_memcpy_batched(engine, temp, temp_bytes, &r->args, stream);
}

static jig_status memcpy_spec(const bench_data *data, char **text) {
  const memcpy_call *r = data->args;
  return jig_memcpy_batched_spec(&r->args, text);
}

static void arrange_copy(const bench_case *c, const bench_data *data) {
  jig_copy_batched_args *args = data->args;
  *args = (jig_copy_batched_args){.in = jig_pointer(data->in[0], jig_type_from_name(c->type)),
                                  .out = jig_pointer(data->out[0], jig_type_from_name(own_of(c)->type)),
                                  .in_offsets = jig_pointer(data->in[1], JIG_U64),
                                  .out_offsets = jig_pointer(data->in[2], JIG_U64),
                                  .sizes = jig_pointer(data->in[3], JIG_U32),
                                  .num_ranges = count_of(c, data->n)};
}

static jig_status call_copy(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                            CUstream stream) {
  return jig_copy_batched(engine, temp, temp_bytes, data->args, stream);
}

static jig_status copy_spec(const bench_data *data, char **text) {
  return jig_copy_batched_spec(data->args, text);
}

/* ---- the table */

#define OWN(average_, same_, order_, share_, type_)                                                     \
  .own = &(const own) {                                                                                 \
    .from = "#define AVERAGE " #average_ "\n#define SAME " #same_ "\n" BEGINS MAKE("uint64_t", order_), \
    .to = "#define AVERAGE " #average_ "\n#define SAME " #same_ "\n" BEGINS MAKE("uint64_t", IN_ORDER), \
    .sizes = "#define AVERAGE " #average_ "\n#define SAME " #same_                                      \
             "\n" BEGINS MAKE("unsigned", "begin_of(i + 1, seed) - begin_of(i, seed)"),                 \
    .average = (average_), .share = (share_), .type = (type_)                                           \
  }
#define INPUTS(item, average_)                              \
  .in = {{item, (item) * (size_t)WINDOW * (average_)},      \
         {.per_item = 8, .share = (average_), .fixed = 64}, \
         {.per_item = 8, .share = (average_), .fixed = 64}, \
         {.per_item = 4, .share = (average_), .fixed = 64}}
#define MEMCPY(variant_, average_, same_, order_, share_)                                     \
  {                                                                                           \
    .algorithm = "memcpy_batched", .type = "u8", .variant = variant_, .fill = fill,           \
    .arrange = arrange_memcpy, .call = call_memcpy, .spec = memcpy_spec, INPUTS(1, average_), \
    .out = {{1, 0}}, .bytes = moved_bytes, OWN(average_, same_, order_, share_, NULL)         \
  }
#define COPY(type_, variant_, average_, order_, size_, out_, out_size_)                     \
  {                                                                                         \
    .algorithm = "copy_batched", .type = type_, .variant = variant_, .fill = fill,          \
    .arrange = arrange_copy, .call = call_copy, .spec = copy_spec, INPUTS(size_, average_), \
    .out = {{out_size_, 0}}, .bytes = moved_bytes, OWN(average_, 0, order_, 1, out_)        \
  }

static const bench_case cases[] = {
    MEMCPY("bytes1_7", 4, 0, IN_ORDER, 1),
    MEMCPY("bytes1_63", 32, 0, IN_ORDER, 1),
    MEMCPY("bytes1_63_scattered", 32, 0, SCATTERED, 1),
    MEMCPY("bytes1_1023", 512, 0, IN_ORDER, 1),
    MEMCPY("bytes1_1023_scattered", 512, 0, SCATTERED, 1),
    MEMCPY("bytes256_each_scattered", 256, 1, SCATTERED, 1),
    MEMCPY("bytes1_8191", 4096, 0, IN_ORDER, 1),
    MEMCPY("bytes64k_each", 65536, 1, IN_ORDER, 1),
    MEMCPY("half_of_bytes1_31_half_in_one", 16, 0, IN_ORDER, 2),
    COPY("u32", "items1_255", 128, IN_ORDER, 4, "u32", 4),
    COPY("u32", "items1_255_to_f32", 128, IN_ORDER, 4, "f32", 4),
};

const bench_family bench_copy_batched = {cases, sizeof cases / sizeof cases[0]};
