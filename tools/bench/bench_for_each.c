/* Cases of jig_for_each() and jig_bulk(), whose effects are the same however often they are called. The
 * peers are in cub_for_each.cu. */
#include "cases.h"
#include "gpu.h"

/* The operator that only reads finds something in any case. */
#define WORDS                                                         \
  "typedef unsigned item; inline item make(uint64_t r, uint64_t i) {" \
  "  return i % 4096 == 0 ? ~0u : item(r >> 32); }"

/* Places of a box that are neighbours in all dimensions but the first. */
enum { ROWS = 4, ROW = 16, PLANE = ROWS * ROW };

typedef enum kind { IN_PLACE, READ, INDEX, BOX } kind;

/* What operators have as their state. */
typedef struct place {
  uint32_t *out, mask, reserved;
} place;

typedef struct for_each_call {
  place state;
  uint64_t extents[3];
  jig_for_each_args each;
  jig_bulk_args bulk;
} for_each_call;

static kind kind_of(const bench_case *c) {
  return *(const kind *)c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  if (kind_of(c) == READ) gpu_fill(data->in[0], data->n, WORDS, seed);
}

static void arrange(const bench_case *c, const bench_data *data) {
  static const char *const bodies[] = {[IN_PLACE] = "x = (x & state.mask) | 5;",
                                       [READ] = "if (x > 0xfffffff0u) *state.out = 1;",
                                       [INDEX] = "state.out[i] = unsigned(i) * 3;",
                                       [BOX] = "state.out[i] = unsigned(at[0] + 3 * at[1] + 5 * at[2]);"};
  for_each_call *r = data->args;
  const kind k = kind_of(c);
  const uint64_t planes = whole_items(data->n, PLANE) / PLANE;
  const jig_type type =
      jig_struct("place", "struct place { unsigned *out, mask, reserved; };", sizeof(place), 8);
  *r = (for_each_call){.state = {.out = data->out[0]}, .extents = {planes, ROWS, ROW}};
  const jig_op op = jig_op_with_state(jig_op_source(bodies[k]), &r->state, type);
  r->each = (jig_for_each_args){.in = jig_pointer(k == READ ? data->in[0] : data->out[0], JIG_U32),
                                .num_items = k <= READ ? data->n : 0,
                                .op = op,
                                .mode = k == READ ? JIG_FOR_EACH_COPY : JIG_FOR_EACH_REFERENCE};
  r->bulk = (jig_bulk_args){.num_items = k == BOX ? planes * PLANE : data->n,
                            .op = op,
                            .extents = r->extents,
                            .rank = k == BOX ? 3 : 0};
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  const for_each_call *r = data->args;
  return r->each.num_items > 0 ? jig_for_each(engine, temp, temp_bytes, &r->each, stream)
                               : jig_bulk(engine, temp, temp_bytes, &r->bulk, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  const for_each_call *r = data->args;
  return r->each.num_items > 0 ? jig_for_each_spec(&r->each, text) : jig_bulk_spec(&r->bulk, text);
}

#define CASE(variant_, kind_, in_, ...)                                                                  \
  {                                                                                                      \
    .algorithm = "for_each", .type = "u32", .variant = variant_, .in = {{in_, 0}}, .out = {__VA_ARGS__}, \
    .fill = fill, .arrange = arrange, .call = call, .spec = spec, .own = &(const kind) {                 \
      kind_                                                                                              \
    }                                                                                                    \
  }

static const bench_case cases[] = {
    CASE("in_place", IN_PLACE, 0, {4}),
    CASE("read_only", READ, 4, {0, 4}),
    CASE("bulk", INDEX, 0, {4}),
    CASE("extents", BOX, 0, {4, .whole = PLANE}),
};

const bench_family bench_for_each = {cases, sizeof cases / sizeof cases[0]};
