/* jig_copy(): see include/jig/copy.h and templates/jig/agent/copy/copy.cuh. */
#include <jig/copy.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/tile_state.h"
#include "algorithm/vector_plan.h"
#include "policy/copy.h"
#include "spec/complete.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { IN, NUM_ITEMS_IN, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [IN] = {.name = "in",
            .use = USE_MOVED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .places = {"in"},
             .help = "where they are stored",
             .like = "in",
             .option = "out-type"},
};

static jig_status check(const spec *s) {
  return type_check_conversion(&s->slots[IN].iter->type, &s->slots[OUT].iter->type, "in: the item type");
}

enum { MAX_WORD = 8 };
static const jig_type_kind word_kinds[] = {
    [1] = JIG_KIND_U8, [2] = JIG_KIND_U16, [4] = JIG_KIND_U32, [MAX_WORD] = JIG_KIND_U64};

/* Whether items are only moved, from memory to memory. */
static bool are_moved(const jig_iter *in, const jig_iter *out) {
  return in->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER &&
         type_check(&in->type, "in") == JIG_SUCCESS && type_identical(&in->type, &out->type);
}

/* Such items are moved as words as large as their alignment, of 8 bytes at most, whatever they are: how
 * many of them an item has. They are unsigned integers then, so that such copies share programs. Words of
 * 16 bytes would be single items, and no vectors. */
static uint64_t share_words(jig_iter *in, jig_iter *out) {
  if (!are_moved(in, out)) return 1;
  const uint32_t size = in->type.size, word = (uint32_t)min_of(in->type.align, MAX_WORD);
  in->type = out->type = jig_type_of_kind(word_kinds[word]);
  return size / word;
}

static jig_status complete(parsed_spec *p) {
  (void)share_words(parsed_iter(p, "in"), parsed_iter(p, "out"));
  return JIG_SUCCESS;
}

/* What the kernel takes beside iterators. */
typedef struct copy_values {
  item_count num_items;
  uint32_t words; /* of an item, where the kernel multiplies */
  uint64_t rotation;
  uint32_t block_items;
} copy_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    COUNT_PARAMETER(copy_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(copy_values, words, "uint32_t"),
    VALUE_PARAMETER(copy_values, rotation, "uint64_t"),
    VALUE_PARAMETER(copy_values, block_items, "uint32_t"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_copy",
     .templates = "jig/kernel/copy/copy.cuh",
     .function = "jig::copy<jig_policy>",
     .parameters = parameters,
     .space = &copy_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_copy_args, 664, FIELDS);

const algorithm copy_algorithm = {
    .schema =
        {.algorithm = "copy", .slots = slots, .slot_count = SLOTS, .check = check, .complete = complete},
    .args = &layout_of_jig_copy_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_copy_args *args;
  jig_iter in, out;
  uint64_t words;    /* of an item */
  uint64_t rotation; /* the item that comes first */
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_copy_args *args = args_;
  bound_spec *b = bound;
  (void)name;
  b->args = args;
  b->rotation = 0;
  b->in = args->in;
  b->out = args->out;
  b->words = share_words(&b->in, &b->out);
  b->s.schema = &copy_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[IN].iter = &b->in;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OUT].iter = &b->out;
  return JIG_SUCCESS;
}

static vector_shape shape_of(const call *c, uint64_t words) {
  return vector_shape_of(c->program, words, VECTORS_MOVED);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_copy_args *args = b->args;
  (void)temp; /* none is needed */
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status == JIG_SUCCESS)
    status = call_check_count(c, "num_items", args->num_items, &args->out, "out");
  if (status != JIG_SUCCESS) return status;
  return call_check_blocks(c, "num_items", shape_of(c, product_of(args->num_items, b->words)).blocks);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_copy_args *args = b->args;
  const uint64_t n = args->num_items, words = n * b->words;
  const vector_shape vectors = shape_of(c, words);
  const copy_values values = {{args->num_items_in != NULL ? n : words, args->num_items_in},
                              (uint32_t)b->words,
                              b->rotation * b->words,
                              vectors.block_items};
  (void)temp;
  jig_status status = call_check_item_for_item(c, &args->in, &args->out, n);
  const launch_shape shape = {.grid = (unsigned)vectors.blocks, .pdl = n > MAX_ITEMS_WITHOUT_PDL};
  return status == JIG_SUCCESS ? call_launch(c, 0, shape, &values) : status;
}

const call_steps copy_steps = {
    "jig_copy", CALL_WORK_ARGS(jig_copy_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_copy(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                    const jig_copy_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&copy_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_copy_spec(const jig_copy_args *args, char **text) {
  bound_spec b;
  return call_spec(&copy_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_fill(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter out,
                    const void *value, uint64_t num_items, CUstream stream) {
  const jig_copy_args args = {.in = jig_constant(value, out.type), .out = out, .num_items = num_items};
  return jig_copy(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_tabulate(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                        jig_iter out, jig_op op, uint64_t num_items, CUstream stream) {
  const jig_copy_args args = {.in = jig_iter_source(op, out.type), .out = out, .num_items = num_items};
  return jig_copy(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_generate(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                        jig_iter out, jig_op op, uint64_t num_items, CUstream stream) {
  return jig_tabulate(engine, d_temp_storage, temp_storage_bytes, out, op, num_items, stream);
}

jig_status jig_gather(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter in,
                      jig_iter indices, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_copy_args args = {.in = jig_permutation(&in, &indices), .out = out, .num_items = num_items};
  return jig_copy(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_scatter(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter in,
                       jig_iter indices, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_copy_args args = {.in = in, .out = jig_permutation(&out, &indices), .num_items = num_items};
  return jig_copy(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

/* For a call that reads items after it has stored others; size queries look at no pointers. */
static jig_status check_apart(const char *name, const void *d_temp_storage,
                              const size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                              uint64_t num_items) {
  const bool is_query = d_temp_storage == NULL && temp_storage_bytes != NULL;
  const bool are_pointers = in.kind == JIG_ITER_POINTER && out.kind == JIG_ITER_POINTER;
  if (!is_query && are_pointers && num_items > 0 && in.pointer != NULL && out.pointer != NULL &&
      iter_overlaps(&in, num_items, out.pointer, product_of(num_items, out.type.size)))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: out overlaps in", name);
  return JIG_SUCCESS;
}

/* A copy of items that are only moved, which begins with another one than the first. */
typedef struct rotate_args {
  jig_copy_args copy;
  uint64_t first;
} rotate_args;

static jig_status bind_rotation(const char *name, const void *args, void *bound) {
  const jig_status status = bind(name, args, bound);
  ((bound_spec *)bound)->rotation = ((const rotate_args *)args)->first;
  return status;
}

static const call_steps rotate_steps = {"jig_copy", CALL_WORK_ARGS(jig_copy_args, num_items),
                                        bind_rotation, prepare, launch};

static jig_status rotate_words(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               const rotate_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&rotate_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_rotate(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter in,
                      jig_iter out, uint64_t num_items, uint64_t first, CUstream stream) {
  static const char place[] =
      "const unsigned long long first = state, count = state >> 64;"
      "return first + i < count ? first + i : first + i - count;";
  const uint64_t state[] = {first, num_items}; /* one number there */
  const jig_op op = jig_op_with_state(jig_op_source(place), state, JIG_U128);
  const rotate_args args = {{.in = in, .out = out, .num_items = num_items}, first};
  if (first > num_items)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_rotate: first: there is no item %llu of %llu",
                     (unsigned long long)first, (unsigned long long)num_items);
  const jig_status status =
      check_apart("jig_rotate", d_temp_storage, temp_storage_bytes, in, out, num_items);
  if (status != JIG_SUCCESS) return status;
  /* Words of 4 bytes and more are moved as fast one by one. */
  if (are_moved(&in, &out) && (in.type.align < 4 || in.type.align < in.type.size))
    return rotate_words(engine, d_temp_storage, temp_storage_bytes, &args, stream);
  return jig_gather(engine, d_temp_storage, temp_storage_bytes, in, jig_iter_source(op, JIG_U64), out,
                    num_items, stream);
}

jig_status jig_shuffle(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter in,
                       jig_iter out, uint64_t num_items, uint64_t seed, CUstream stream) {
  const jig_status status =
      check_apart("jig_shuffle", d_temp_storage, temp_storage_bytes, in, out, num_items);
  if (status != JIG_SUCCESS) return status;
  return jig_gather(engine, d_temp_storage, temp_storage_bytes, in,
                    jig_iter_shuffle(num_items, seed, JIG_U64), out, num_items, stream);
}
