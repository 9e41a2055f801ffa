#include "spec/iterator.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spec/iterator_memory.h"
#include "spec/reserved.h"
#include "spec/source.h"
#include "spec/type.h"
#include "util/count_text.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the table */

/* What an iterator of one kind may have for items. */
typedef enum item_rule {
  ITEMS_ANY,
  ITEMS_COUNTED, /* numbers that can be counted in */
  ITEMS_INDICES, /* integers */
  ITEMS_GROUPED, /* structs with a member for each base */
  ITEMS_OF_BASE, /* those of the first base */
} item_rule;

typedef enum op_rule {
  NO_OP,
  OP_READS,     /* its operand is the base's item, its result the iterator's */
  OP_READS_ALL, /* an operand of each base */
  OP_WRITES,    /* the other way round */
  OP_OF_INDEX,  /* makes an item of its index */
} op_rule;

typedef enum vector_rule {
  VECTORS_GENERATED, /* item by item */
  VECTORS_IN_MEMORY,
  VECTORS_OF_BASES, /* if all have the same; else item by item */
} vector_rule;

/* What moves from call to call beside bases and operator. */
typedef enum part {
  NO_PART,
  PART_POINTER,
  PART_START, /* the value; NULL: 0 */
  PART_VALUE,
  PART_STEP,
  PART_STRIDE,
  PART_LAST,  /* count - 1 */
  PART_COUNT, /* of an iterator's own items, numbers below that */
  PART_SEED,
} part;

enum { MAX_PARTS = 2 };

typedef struct kind_row {
  const char *name, *cxx;
  unsigned roles;
  unsigned min_bases, max_bases;
  unsigned indices; /* the base that is read as indices, whatever the iterator is used for; 0: none */
  item_rule items;
  op_rule op;
  vector_rule vectors;
  part parts[MAX_PARTS + 1]; /* ends with NO_PART */
} kind_row;

/* clang-format off */
static const kind_row kinds[] = {
    [JIG_ITER_POINTER] = {"pointer", "Pointer", ITER_INPUT | ITER_OUTPUT, .vectors = VECTORS_IN_MEMORY,
                          .parts = {PART_POINTER}},
    [JIG_ITER_COUNTING] = {"counting", "Counting", ITER_INPUT, .items = ITEMS_COUNTED,
                           .parts = {PART_START}},
    [JIG_ITER_CONSTANT] = {"constant", "Constant", ITER_INPUT, .parts = {PART_VALUE}},
    [JIG_ITER_TRANSFORM] = {"transform", "Transform", ITER_INPUT, 1, 1, .op = OP_READS,
                            .vectors = VECTORS_OF_BASES},
    [JIG_ITER_COUNTING_BY] = {"counting_by", "CountingBy", ITER_INPUT, .items = ITEMS_COUNTED,
                              .parts = {PART_START, PART_STEP}},
    [JIG_ITER_STRIDED] = {"strided", "Strided", ITER_INPUT | ITER_OUTPUT,
                          .parts = {PART_POINTER, PART_STRIDE}},
    [JIG_ITER_REVERSE] = {"reverse", "Reverse", ITER_INPUT | ITER_OUTPUT, 1, 1,
                          .items = ITEMS_OF_BASE, .parts = {PART_LAST}},
    [JIG_ITER_PERMUTATION] = {"permutation", "Permutation", ITER_INPUT | ITER_OUTPUT, 2, 2,
                              .indices = 1, .items = ITEMS_OF_BASE},
    [JIG_ITER_ZIP] = {"zip", "Zip", ITER_INPUT | ITER_OUTPUT, 1, ITER_MAX_BASES,
                      .items = ITEMS_GROUPED, .vectors = VECTORS_OF_BASES},
    [JIG_ITER_TRANSFORM_OUTPUT] = {"transform_output", "TransformOutput", ITER_OUTPUT, 1, 1,
                                   .op = OP_WRITES},
    [JIG_ITER_DISCARD] = {"discard", "Discard", ITER_OUTPUT},
    [JIG_ITER_SOURCE] = {"source", "Source", ITER_INPUT, .op = OP_OF_INDEX},
    [JIG_ITER_ZIP_TRANSFORM] = {"zip_transform", "ZipTransform", ITER_INPUT, 1, ITER_MAX_BASES,
                                .op = OP_READS_ALL, .vectors = VECTORS_OF_BASES},
    [JIG_ITER_SHUFFLE] = {"shuffle", "Shuffle", ITER_INPUT, .items = ITEMS_INDICES,
                          .parts = {PART_COUNT, PART_SEED}},
    [JIG_ITER_POINTER_STREAMING] = {"pointer_streaming", "PointerStreaming", ITER_INPUT | ITER_OUTPUT,
                          .vectors = VECTORS_IN_MEMORY, .parts = {PART_POINTER}},
    [JIG_ITER_POINTER_GLOBAL] = {"pointer_global", "PointerGlobal", ITER_INPUT | ITER_OUTPUT,
                          .vectors = VECTORS_IN_MEMORY, .parts = {PART_POINTER}},
    [JIG_ITER_POINTER_KEEP] = {"pointer_keep", "PointerKeep", ITER_INPUT | ITER_OUTPUT,
                          .vectors = VECTORS_IN_MEMORY, .parts = {PART_POINTER}},
    [JIG_ITER_POINTER_READ_ONLY] = {"pointer_read_only", "PointerReadOnly", ITER_INPUT,
                          .vectors = VECTORS_IN_MEMORY, .parts = {PART_POINTER}},
    [JIG_ITER_POINTER_LAST_USE] = {"pointer_last_use", "PointerLastUse", ITER_INPUT,
                          .vectors = VECTORS_IN_MEMORY, .parts = {PART_POINTER}},
    [JIG_ITER_POINTER_WRITE_THROUGH] = {"pointer_write_through", "PointerWriteThrough", ITER_OUTPUT,
                          .vectors = VECTORS_IN_MEMORY, .parts = {PART_POINTER}},
};
/* clang-format on */

bool iter_kind_exists(jig_iter_kind kind) {
  return kind > JIG_ITER_NONE && (size_t)kind < sizeof kinds / sizeof kinds[0];
}

jig_iter_kind iter_kind_from_name(const char *name) {
  for (jig_iter_kind kind = JIG_ITER_NONE + 1; name != NULL && iter_kind_exists(kind); ++kind) {
    if (strcmp(name, kinds[kind].name) == 0) return kind;
  }
  return JIG_ITER_NONE;
}

const char *iter_name(jig_iter_kind kind) {
  return kinds[kind].name;
}

const char *iter_class(jig_iter_kind kind) {
  return kinds[kind].cxx;
}

unsigned iter_min_bases(jig_iter_kind kind) {
  return kinds[kind].min_bases;
}

unsigned iter_max_bases(jig_iter_kind kind) {
  return kinds[kind].max_bases;
}

bool iter_has_op(jig_iter_kind kind) {
  return kinds[kind].op != NO_OP;
}

bool iter_groups(jig_iter_kind kind) {
  return kinds[kind].items == ITEMS_GROUPED;
}

static const kind_row *row_of(const jig_iter *iter) {
  return &kinds[iter->kind];
}

unsigned iter_base_count(const jig_iter *iter) {
  const kind_row *row = row_of(iter);
  if (row->min_bases == row->max_bases) return row->min_bases;
  return iter->base_count >= row->min_bases && iter->base_count <= row->max_bases
             ? (unsigned)iter->base_count
             : 0;
}

const jig_iter *iter_base_at(const jig_iter *iter, unsigned k) {
  if (k > 0 && k == row_of(iter)->indices) return iter->indices;
  return iter->base != NULL ? iter->base + k : NULL;
}

op_signature iter_op_signature(const jig_iter *iter) {
  switch (row_of(iter)->op) {
    case OP_READS:
      return (op_signature){.arity = 1, .operand = &iter->base->type, .result = &iter->type};
    case OP_READS_ALL:
      return (op_signature){.arity = (int)iter_base_count(iter),
                            .operand = &iter->base->type,
                            .inputs = iter->base,
                            .result = &iter->type};
    case OP_WRITES:
      return (op_signature){.arity = 1, .operand = &iter->type, .result = &iter->base->type};
    default:
      return (op_signature){.operand = op_index_type(), .result = &iter->type};
  }
}

/* ---- errors: an iterator is an argument, or a base of another iterator */

typedef struct place {
  const char *argument;      /* or NULL, and then */
  const struct place *outer; /* where the iterator is that it is a base of, */
  const jig_iter *iter;      /* that iterator, */
  unsigned base;             /* and which of its bases */
} place;

enum { NAME_SIZE = 256 };

/* The argument's name, and which of its bases' bases it is, where there is a choice. */
static const char *name_of(const place *at, char name[NAME_SIZE]) {
  if (at->argument != NULL) {
    (void)snprintf(name, NAME_SIZE, "%s", at->argument);
    return name;
  }
  (void)name_of(at->outer, name);
  const kind_row *row = row_of(at->iter);
  const size_t length = strlen(name);
  if (row->indices > 0) {
    (void)snprintf(name + length, NAME_SIZE - length, ": %s of '%s'",
                   at->base == row->indices ? "indices" : "values", row->name);
  } else if (row->max_bases > 1) {
    (void)snprintf(name + length, NAME_SIZE - length, ": base %u of '%s'", at->base + 1, row->name);
  }
  return name;
}

__attribute__((format(printf, 2, 3))) static jig_status refuse(const place *at, const char *format, ...) {
  char name[NAME_SIZE], problem[NAME_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s", name_of(at, name), problem);
}

/* ---- what is compiled */

static jig_status check_items(const jig_iter *iter, const place *at) {
  const kind_row *row = row_of(iter);
  switch (row->items) {
    case ITEMS_COUNTED:
      if (type_is_number(&iter->type) && iter->type.kind != JIG_KIND_BOOL) return JIG_SUCCESS;
      return refuse(at, "'%s' cannot count in %s", row->name, jig_type_name(&iter->type));
    case ITEMS_INDICES:
      if (type_is_integer(&iter->type) && iter->type.kind != JIG_KIND_BOOL) return JIG_SUCCESS;
      return refuse(at, "the items of '%s' are integers, not %s", row->name, jig_type_name(&iter->type));
    case ITEMS_GROUPED:
      if (iter->type.kind == JIG_KIND_STRUCT) return JIG_SUCCESS;
      return refuse(at, "the items of '%s' are structs, not %s", row->name, jig_type_name(&iter->type));
    case ITEMS_OF_BASE:
      if (type_equal(&iter->type, &iter->base->type)) return JIG_SUCCESS;
      return refuse(at, "the items of '%s' are those of its base, %s, not %s", row->name,
                    jig_type_name(&iter->base->type), jig_type_name(&iter->type));
    default:
      return JIG_SUCCESS;
  }
}

static jig_status check_role(const jig_iter *iter, iter_role role, const place *at) {
  const kind_row *row = row_of(iter);
  if ((row->roles & role) != 0) return JIG_SUCCESS;
  if (role == ITER_OUTPUT)
    return refuse(at, "an output must be an iterator that can be written, which '%s' cannot", row->name);
  return refuse(at, "an input must be an iterator that can be read, which '%s' cannot", row->name);
}

typedef struct progress {
  const char *slot;
  int depth, ops; /* ops: checked so far */
  unsigned left;  /* of the iterators that there may be */
} progress;

static jig_status check_at(const jig_iter *iter, iter_role role, const place *at, progress *p);

static jig_status check_bases(const jig_iter *iter, iter_role role, const place *at, progress *p) {
  const kind_row *row = row_of(iter);
  const unsigned count = iter_base_count(iter);
  if (count < row->min_bases) {
    return refuse(at, "'%s' has %zu bases; %u to %u are possible", row->name, iter->base_count,
                  row->min_bases, row->max_bases);
  }
  for (unsigned k = 0; k < count; ++k) {
    if (iter_base_at(iter, k) == NULL) return refuse(at, "'%s' was given no iterator", row->name);
  }
  ++p->depth;
  for (unsigned k = 0; k < count; ++k) {
    const bool indices = k > 0 && k == row->indices;
    const place there = {NULL, at, iter, k};
    const jig_iter *base = iter_base_at(iter, k);
    jig_status status = check_at(base, indices ? ITER_INPUT : role, &there, p);
    if (status != JIG_SUCCESS) return status;
    if (indices && (!type_is_integer(&base->type) || base->type.kind == JIG_KIND_BOOL))
      return refuse(&there, "they must be integers, not %s", jig_type_name(&base->type));
  }
  --p->depth;
  return JIG_SUCCESS;
}

static jig_status check_at(const jig_iter *iter, iter_role role, const place *at, progress *p) {
  char name[NAME_SIZE], text_name[NAME_SIZE];
  if (p->depth > ITER_MAX_DEPTH)
    return refuse(at, "iterators are nested more than %d deep", (int)ITER_MAX_DEPTH);
  if (p->left-- == 0) return refuse(at, "it is made of more than %d iterators", (int)ITER_MAX_COUNT);
  if (!iter_kind_exists(iter->kind)) {
    return refuse(at, "no iterator is given, or one that does not exist (kind %d)", (int)iter->kind);
  }
  if (reserved_of_iter(iter) != 0) return refuse(at, RESERVED_PROBLEM);
  jig_status status = check_role(iter, role, at);
  if (status == JIG_SUCCESS) status = check_bases(iter, role, at, p);
  if (status == JIG_SUCCESS) status = type_check(&iter->type, name_of(at, name));
  if (status == JIG_SUCCESS) status = check_items(iter, at);
  if (status != JIG_SUCCESS || !iter_has_op(iter->kind)) return status;
  const op_signature signature = iter_op_signature(iter);
  source_name_of_op(text_name, sizeof text_name, p->slot, p->ops++);
  return op_check(&iter->op, &signature, name_of(at, name), text_name);
}

jig_status iter_check(const jig_iter *iter, iter_role role, const char *what, const char *slot) {
  const place at = {.argument = what};
  progress p = {.slot = slot, .depth = 1, .left = ITER_MAX_COUNT};
  return check_at(iter, role, &at, &p);
}

unsigned iter_count(const jig_iter *iter) {
  unsigned count = 1;
  for (unsigned k = 0; k < iter_base_count(iter); ++k) count += iter_count(iter_base_at(iter, k));
  return count;
}

unsigned iter_vector_items(const jig_iter *iter) {
  enum { WORD_BYTES = 16, MAX_VECTOR_BYTES = 64, GENERATED_ITEMS = 4 };
  const unsigned generated = type_is_wide(&iter->type) ? 1 : GENERATED_ITEMS;
  if (row_of(iter)->vectors == VECTORS_OF_BASES) {
    const unsigned first = iter_vector_items(iter->base);
    for (unsigned k = 1; k < iter_base_count(iter); ++k) {
      if (iter_vector_items(iter_base_at(iter, k)) != first) return generated;
    }
    return first;
  }
  if (row_of(iter)->vectors == VECTORS_GENERATED) return generated;
  /* The fewest items that fill whole 16-byte words, unless that is long: what divides an item's size and
   * a word's is a power of two. */
  const unsigned shared = iter->type.size & -iter->type.size;
  const unsigned items = shared > 0 && shared < WORD_BYTES ? WORD_BYTES / shared : 1;
  return items * iter->type.size <= MAX_VECTOR_BYTES ? items : 1;
}

/* ---- what moves */

static bool has_part(const jig_iter *iter, part wanted) {
  _Static_assert(MAX_PARTS == 2, "these are all");
  const part *parts = row_of(iter)->parts;
  return parts[0] == wanted || parts[1] == wanted;
}

/* Of an iterator with a pointer: from one item to the next; and all of num_items, which are not none. */
static int64_t stride_of(const jig_iter *iter) {
  return has_part(iter, PART_STRIDE) ? iter->stride : (int64_t)iter->type.size;
}
static uint64_t extent_of(const jig_iter *iter, uint64_t num_items) {
  const int64_t stride = stride_of(iter);
  const uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
  return sum_of(product_of(num_items - 1, step), iter->type.size);
}

bool iter_fits_memory(const jig_iter *iter, uint64_t num_items) {
  if (num_items == 0) return true;
  if (iter_is_pointed(iter)) return product_of(num_items, iter->type.size) <= MOST_BYTES;
  if (has_part(iter, PART_POINTER)) return extent_of(iter, num_items) <= MOST_BYTES;
  const unsigned count = iter_base_count(iter);
  const unsigned indices = row_of(iter)->indices; /* which values they reach is not known */
  for (unsigned k = indices; k < count; ++k) {
    if (!iter_fits_memory(iter_base_at(iter, k), num_items)) return false;
  }
  return true;
}

uint64_t iter_known_items(const jig_iter *iter) {
  const unsigned count = iter_base_count(iter);
  if ((has_part(iter, PART_COUNT) || has_part(iter, PART_LAST)) && iter->count == 0) return 0;
  for (unsigned k = 0; k < count; ++k) {
    if (iter_known_items(iter_base_at(iter, k)) == 0) return 0;
  }
  return 1;
}

/* Whether no item lies beyond the first address or the last. */
static jig_status check_addresses(const jig_iter *iter, uint64_t num_items, const place *at) {
  const uint64_t address = (uintptr_t)iter->pointer, extent = extent_of(iter, num_items);
  const uint64_t size = iter->type.size, others = extent - size;
  const bool is_downward = stride_of(iter) < 0;
  const uint64_t before = is_downward ? others : 0, behind = is_downward ? size : extent;
  if (extent <= MOST_BYTES && before <= address && behind - 1 <= UINTPTR_MAX - address)
    return JIG_SUCCESS;
  count_text shown;
  return refuse(at, "from %p on there are no addresses for %s items", iter->pointer,
                text_of_count(&shown, num_items));
}

/* For items 0 .. num_items - 1; 0 if it is not known which. */
static jig_status check_part(const jig_iter *iter, part p, uint64_t num_items, const place *at) {
  const char *kind = iter_name(iter->kind);
  count_text shown;
  switch (p) {
    case PART_POINTER:
      if (iter->pointer == NULL) return refuse(at, "the pointer is NULL");
      if ((uintptr_t)iter->pointer % iter->type.align != 0)
        return refuse(at, "pointer %p is not aligned to the %u bytes of %s", iter->pointer,
                      iter->type.align, jig_type_name(&iter->type));
      return num_items > 0 ? check_addresses(iter, num_items, at) : JIG_SUCCESS;
    case PART_VALUE:
      return iter->value != NULL ? JIG_SUCCESS : refuse(at, "'%s' was given no value", kind);
    case PART_STEP:
      return iter->step != NULL ? JIG_SUCCESS : refuse(at, "'%s' was given no step", kind);
    case PART_STRIDE:
      if (iter->stride % (int64_t)iter->type.align == 0) return JIG_SUCCESS;
      return refuse(at, "a stride of %lld bytes does not keep the %u bytes' alignment of %s",
                    (long long)iter->stride, iter->type.align, jig_type_name(&iter->type));
    case PART_COUNT:
      if (iter->count > 0 && iter->count - 1 > type_largest(&iter->type))
        return refuse(at, "%s has no room for the numbers below %llu of '%s'", jig_type_name(&iter->type),
                      (unsigned long long)iter->count, kind);
      if (iter->count > (uint64_t)1 << 63)
        return refuse(at, "'%s' of %llu items: it has 2^63 at most", kind,
                      (unsigned long long)iter->count);
      /* fall through */
    case PART_LAST:
      if (num_items <= iter->count) return JIG_SUCCESS;
      return refuse(at, "'%s' of %llu items is to have %s", kind, (unsigned long long)iter->count,
                    text_of_count(&shown, num_items));
    default:
      return JIG_SUCCESS;
  }
}

bool iter_loads_each(const jig_iter *iter) {
  const kind_row *row = row_of(iter);
  return row->vectors == VECTORS_GENERATED && (row->min_bases > 0 || has_part(iter, PART_POINTER));
}

static jig_status check_values_at(const jig_iter *iter, uint64_t num_items, const place *at) {
  const kind_row *row = row_of(iter);
  for (const part *p = row->parts; *p != NO_PART; ++p) {
    jig_status status = check_part(iter, *p, num_items, at);
    if (status != JIG_SUCCESS) return status;
  }
  if (row->op != NO_OP && op_has_state(&iter->op) && op_check_state_value(&iter->op, "") != JIG_SUCCESS) {
    char name[NAME_SIZE]; /* which warm calls do not put together */
    return op_check_state_value(&iter->op, name_of(at, name));
  }
  /* Its end is where a reversed iterator begins. */
  const uint64_t of_base = has_part(iter, PART_LAST) && num_items > 0 ? iter->count : num_items;
  const unsigned count = iter_base_count(iter);
  for (unsigned k = 0; k < count; ++k) {
    const jig_iter *base = iter_base_at(iter, k);
    const uint64_t items = row->indices > 0 && k != row->indices ? 0 : of_base; /* 0: unknown */
    const place there = {NULL, at, iter, k};
    if (iter_is_sound_pointer(base, items)) continue;
    jig_status status = check_values_at(base, items, &there);
    if (status != JIG_SUCCESS) return status;
  }
  return JIG_SUCCESS;
}

jig_status iter_check_parts(const jig_iter *iter, uint64_t num_items, const char *what) {
  const place at = {.argument = what};
  return check_values_at(iter, num_items, &at);
}

static value_layout part_layout(const jig_iter *iter, part p) {
  switch (p) {
    case PART_POINTER:
      return (value_layout){sizeof(void *), _Alignof(void *)};
    case PART_STRIDE:
    case PART_LAST:
    case PART_COUNT:
    case PART_SEED:
      return (value_layout){sizeof(uint64_t), _Alignof(uint64_t)};
    default:
      return (value_layout){iter->type.size, iter->type.align};
  }
}

/* A value that was not given: the bytes are 0. */
static void pack_part(const jig_iter *iter, part p, unsigned char *bytes) {
  const uint64_t last = iter->count - 1;
  const void *source = p == PART_POINTER  ? &iter->pointer
                       : p == PART_STRIDE ? &iter->stride
                       : p == PART_LAST   ? &last
                       : p == PART_COUNT  ? &iter->count
                       : p == PART_SEED   ? &iter->seed
                       : p == PART_STEP   ? iter->step
                                          : iter->value;
  const size_t size = part_layout(iter, p).size;
  if (source != NULL)
    memcpy(bytes, source, size);
  else
    memset(bytes, 0, size);
}

/* Puts another member behind those that a struct has so far, and zeros in between unless bytes is NULL;
 * where it is. */
static size_t add_member(value_layout *all, value_layout member, unsigned char *bytes) {
  const size_t offset = align_up(all->size, member.align);
  if (bytes != NULL && offset > all->size) memset(bytes + all->size, 0, offset - all->size);
  all->size = offset + member.size;
  if (member.align > all->align) all->align = member.align;
  return offset;
}

/* Lays out an iterator's struct, and writes its bytes unless these are NULL. */
static value_layout lay_out(const jig_iter *iter, unsigned char *bytes) {
  const value_layout pointer = {sizeof iter->pointer, _Alignof(void *)};
  if (iter_is_pointed(iter)) { /* most are, and most bases */
    if (bytes != NULL) memcpy(bytes, &iter->pointer, sizeof iter->pointer);
    return pointer;
  }
  const kind_row *row = row_of(iter);
  const unsigned count = iter_base_count(iter);
  value_layout all = {0, 1};
  for (unsigned k = 0; k < count; ++k) {
    const jig_iter *base = iter_base_at(iter, k);
    const size_t offset = add_member(&all, iter_is_pointed(base) ? pointer : lay_out(base, NULL), bytes);
    if (bytes != NULL) (void)lay_out(base, bytes + offset);
  }
  if (row->op != NO_OP) {
    const size_t offset = add_member(&all, op_layout(&iter->op), bytes);
    if (bytes != NULL) op_pack(&iter->op, bytes + offset);
  }
  for (const part *p = row->parts; *p != NO_PART; ++p) {
    const size_t offset = add_member(&all, part_layout(iter, *p), bytes);
    if (bytes != NULL) pack_part(iter, *p, bytes + offset);
  }
  if (all.size == 0) { /* C++ has no objects without an address */
    if (bytes != NULL) bytes[0] = 0;
    all.size = 1;
  }
  (void)add_member(&all, (value_layout){0, all.align}, bytes);
  return all;
}

value_layout iter_layout(const jig_iter *iter) {
  return lay_out(iter, NULL);
}

size_t iter_pack(const jig_iter *iter, unsigned char *bytes) {
  return lay_out(iter, bytes).size;
}

/* ---- overlap */

__extension__ typedef __int128 int128;

/* Which items of an iterator are meant. */
typedef struct range {
  uint64_t first, count;
  bool known; /* otherwise only where the iterator's pointers point to counts */
} range;

/* Whether one of the items at a pointer overlaps [begin, end). */
static bool items_overlap(const jig_iter *iter, range items, int128 begin, int128 end) {
  const int128 size = items.known ? iter->type.size : 1;
  const int128 stride = has_part(iter, PART_STRIDE) ? iter->stride : size;
  int128 lowest = (int128)(uintptr_t)iter->pointer + (int128)items.first * stride;
  if (stride < 0) lowest += (int128)(items.count - 1) * stride;
  const int128 step = stride < 0 ? -stride : stride;
  /* The lowest item that ends behind the beginning. */
  int128 k = 0;
  if (lowest + size <= begin) {
    if (step == 0) return false;
    k = (begin - size - lowest) / step + 1;
  }
  return k < (int128)items.count && lowest + k * step < end;
}

static bool range_overlaps(const jig_iter *iter, range items, int128 begin, int128 end) {
  if (has_part(iter, PART_POINTER)) return items_overlap(iter, items, begin, end);
  const unsigned indices = row_of(iter)->indices;
  if (has_part(iter, PART_LAST) && items.known) {
    items.known = items.count <= iter->count && items.first <= iter->count - items.count;
    if (items.known) items.first = iter->count - items.first - items.count;
  }
  const unsigned count = iter_base_count(iter);
  for (unsigned k = 0; k < count; ++k) {
    const bool known = items.known && (indices == 0 || k == indices);
    const range there = known ? items : (range){0, 1, false};
    if (range_overlaps(iter_base_at(iter, k), there, begin, end)) return true;
  }
  return false;
}

bool iter_parts_overlap(const jig_iter *iter, uint64_t num_items, const void *begin, size_t size) {
  if (row_of(iter)->vectors == VECTORS_OF_BASES) { /* item i is made of theirs */
    const unsigned count = iter_base_count(iter);
    for (unsigned k = 0; k < count; ++k)
      if (iter_overlaps(&iter->base[k], num_items, begin, size)) return true;
    return false;
  }
  const int128 first = (int128)(uintptr_t)begin;
  return range_overlaps(iter, (range){0, num_items, true}, first, first + (int128)size);
}

bool iter_reads_in_place(const jig_iter *in, const jig_iter *out, uint64_t num_items) {
  if (in->kind == JIG_ITER_POINTER && in->pointer == out->pointer && in->type.size == out->type.size)
    return true;
  if (row_of(in)->vectors != VECTORS_OF_BASES)
    return !iter_overlaps(in, num_items, out->pointer, product_of(num_items, out->type.size));
  const unsigned count = iter_base_count(in);
  for (unsigned k = 0; k < count; ++k)
    if (!iter_reads_in_place(&in->base[k], out, num_items)) return false;
  return true;
}
