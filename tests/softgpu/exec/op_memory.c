/* Loads and stores.
 *
 * PTX ISA, "Data Movement and Conversion Instructions: ld, ld.global.nc, ldu, st". What only concerns
 * caches is read and forgotten. */
#include "exec/op_memory.h"

#include <string.h>

#include "api/settings.h"
#include "check/taint.h"
#include "exec/async.h"
#include "memory/memory.h"

/* ---- modifiers */

static bool take_order(decoder *d, memory_modifiers *m) {
  static const struct {
    const char *part;
    memory_order_kind order;
  } orders[] = {{"weak", ORDER_WEAK},       {"volatile", ORDER_VOLATILE}, {"relaxed", ORDER_RELAXED},
                {"acquire", ORDER_ACQUIRE}, {"release", ORDER_RELEASE},   {"acq_rel", ORDER_ACQ_REL}};
  if (m->order != ORDER_NONE) return false;
  for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
    if (!decode_take(d, orders[o].part)) continue;
    m->order = orders[o].order;
    return true;
  }
  return false;
}

static bool take_space(decoder *d, memory_modifiers *m) {
  static const struct {
    const char *part;
    ptx_space space;
  } spaces[] = {{"global", SPACE_GLOBAL},      {"shared", SPACE_SHARED},
                {"shared::cta", SPACE_SHARED}, {"shared::cluster", SPACE_SHARED_CLUSTER},
                {"local", SPACE_LOCAL},        {"const", SPACE_CONST},
                {"param", SPACE_PARAM},        {"param::entry", SPACE_PARAM},
                {"param::func", SPACE_PARAM}};
  if (m->space_given) return false;
  for (size_t s = 0; s < sizeof spaces / sizeof *spaces; ++s) {
    if (!decode_take(d, spaces[s].part)) continue;
    m->space = spaces[s].space;
    m->func_param = strcmp(spaces[s].part, "param::func") == 0;
    m->space_given = true;
    return true;
  }
  return false;
}

static bool take_scope(decoder *d, memory_modifiers *m) {
  if (m->scope) return false;
  return m->scope = decode_take(d, "cta") || decode_take(d, "cluster") || decode_take(d, "gpu") ||
                    decode_take(d, "sys");
}

static bool take_cache(decoder *d, memory_modifiers *m) {
  static const char *const hints[] = {"ca",
                                      "cg",
                                      "cs",
                                      "lu",
                                      "cv",
                                      "wb",
                                      "wt",
                                      "L1::evict_normal",
                                      "L1::evict_unchanged",
                                      "L1::evict_first",
                                      "L1::evict_last",
                                      "L1::no_allocate",
                                      "L2::evict_normal",
                                      "L2::evict_first",
                                      "L2::evict_last",
                                      "L2::64B",
                                      "L2::128B",
                                      "L2::256B"};
  for (size_t h = 0; h < sizeof hints / sizeof *hints; ++h)
    if (decode_take(d, hints[h])) return true;
  if (decode_take(d, "L2::cache_hint")) return m->policy = true;
  if (decode_take(d, "nc")) return m->non_coherent = true;
  if (decode_take(d, "mmio")) return m->mmio = true;
  return false;
}

void memory_take_modifiers(decoder *d, memory_modifiers *m) {
  while (take_order(d, m) || take_space(d, m) || take_scope(d, m) || take_cache(d, m)) {}
}

unsigned memory_take_vector(decoder *d) {
  if (decode_take(d, "v2")) return 2;
  if (decode_take(d, "v4")) return 4;
  return decode_take(d, "v8") ? 8 : 1;
}

bool memory_check_order(decoder *d, const memory_modifiers *m) {
  const bool needs = m->order >= ORDER_RELAXED;
  if (needs != m->scope)
    return decode_refuse(d, needs ? "lacks a scope" : "has a scope but is not strong");
  if (m->mmio && m->order != ORDER_RELAXED) return decode_refuse(d, ".mmio needs .relaxed");
  if (m->non_coherent && (m->order > ORDER_WEAK || m->space != SPACE_GLOBAL))
    return decode_refuse(d, ".nc is for weak accesses to .global");
  return true;
}

bool memory_decode_address(decoder *d, const ptx_operand *o, const memory_modifiers *m) {
  d->out->space = (uint8_t)m->space;
  if (!decode_address(d, o)) return false;
  /* What is passed between functions lies in local memory. */
  const bool inner = o->reg != NULL && (m->func_param || !d->function->is_entry);
  if (m->space == SPACE_PARAM && (d->out->frame_relative || inner)) d->out->space = SPACE_LOCAL;
  if (d->out->frame_relative && m->space == SPACE_GENERIC) d->out->space = SPACE_LOCAL;
  return true;
}

/* ---- 16 bytes at once */

#if defined(__x86_64__)
__attribute__((target("cx16"))) wide memory_exchange_wide(uint8_t *at, wide expected, wide desired) {
  return __sync_val_compare_and_swap((wide *)(void *)at, expected, desired);
}
#else
wide memory_exchange_wide(uint8_t *at, wide expected, wide desired) {
  (void)__atomic_compare_exchange_n((wide *)(void *)at, &expected, desired, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
  return expected;
}
#endif

wide memory_load_wide(const uint8_t *from) {
  return memory_exchange_wide((uint8_t *)(uintptr_t)from, 0, 0);
}

void memory_store_wide(uint8_t *to, wide value) {
  wide expected = 0;
  for (;;) {
    const wide found = memory_exchange_wide(to, expected, value);
    if (found == expected) return;
    expected = found;
  }
}

/* ---- loads */

enum { MOST_BYTES = 32 }; /* of a lane's access */

static access access_of(const insn *i, access_kind kind) {
  const unsigned bytes = i->arg[ARG_SIZE] * i->arg[ARG_COUNT];
  return (access){.kind = kind,
                  .space = (ptx_space)i->space,
                  .strong = (i->arg[ARG_FLAGS] & FLAG_STRONG) != 0,
                  .bytes = bytes,
                  .align = bytes};
}

/* Does something with the unsigned type of a size. */
#define BY_SIZE(size, DO) \
  switch (size) {         \
    case 1:               \
      DO(uint8_t) break;  \
    case 2:               \
      DO(uint16_t) break; \
    case 4:               \
      DO(uint32_t) break; \
    default:              \
      DO(uint64_t)        \
  }

/* Element e of all lanes, as it is in memory. Acquiring costs nothing, so that all reads do. */
static void gather(const access_lanes *at, uint32_t mask, unsigned size, unsigned e,
                   uint64_t values[LANES]) {
  uint8_t *const *host = at->host;
#define GATHER(type)                                                   \
  FOR_EACH(l, mask) {                                                  \
    const void *from = host[l] + e * sizeof(type);                     \
    values[l] = __atomic_load_n((const type *)from, __ATOMIC_ACQUIRE); \
  }
  BY_SIZE(size, GATHER)
#undef GATHER
}

/* What weak accesses to a row read and write at once: elements are not torn by copies of vectors. */
typedef struct row {
  _Alignas(64) uint8_t bytes[LANES * MOST_BYTES];
} row;

static void unpack(const row *from, unsigned size, unsigned count, unsigned e, uint64_t values[LANES]) {
#define UNPACK(type)                                                \
  {                                                                 \
    const type *elements = (const type *)(const void *)from->bytes; \
    FOR_LANES(l) values[l] = elements[(unsigned)l * count + e];     \
  }
  BY_SIZE(size, UNPACK)
#undef UNPACK
}

static void load_wide(warp *w, const insn *i, uint32_t mask, const access_lanes *at) {
  wide *to = REG(wide, 0);
  FOR_EACH(l, mask) {
    if (i->arg[ARG_FLAGS] & FLAG_STRONG)
      to[l] = memory_load_wide(at->host[l]);
    else
      memcpy(&to[l], at->host[l], sizeof *to);
  }
}

static void load_elements(warp *w, const insn *i, uint32_t mask, const access_lanes *at) {
  const unsigned size = i->arg[ARG_SIZE], count = i->arg[ARG_COUNT], bytes = size * count;
  const bool at_once = at->in_a_row && !(i->arg[ARG_FLAGS] & FLAG_STRONG);
  if (size == sizeof(wide)) {
    load_wide(w, i, mask, at);
    return;
  }
  if (at_once && count == 1 && size == i->width[0]) {
    memcpy(w->regs + i->op[0], at->host[0], LANES * bytes);
    return;
  }
  row copy;
  if (at_once) memcpy(copy.bytes, at->host[0], LANES * bytes);
  for (unsigned e = 0; e < count; ++e) {
    uint64_t values[LANES];
    if (at_once)
      unpack(&copy, size, count, e, values);
    else
      gather(at, mask, size, e, values);
    if ((i->arg[ARG_FLAGS] & FLAG_SIGNED) && size < i->width[e]) {
      const unsigned unused = 64 - 8 * size;
      FOR_LANES(l) values[l] = (uint64_t)((int64_t)(values[l] << unused) >> unused);
    }
    write_lanes(w, i, (int)e, (const int64_t *)values, mask);
  }
}

/* Whether all bytes of a row are set, told quickly where that is so. */
static bool row_is_set(const access_lanes *at, unsigned bytes) {
  if (at->shadow[0] == NULL) return true;
  uint64_t all = UINT64_MAX;
  for (unsigned b = 0; b < LANES * bytes; b += sizeof all) {
    uint64_t eight;
    memcpy(&eight, at->shadow[0] + b, sizeof eight);
    all &= eight;
  }
  return all == UINT64_MAX;
}

/* The same for lanes anywhere. What is neither is looked at more closely by shadow_unset(). */
static bool lanes_are_set(const access_lanes *at, uint32_t mask, unsigned bytes) {
  uint64_t doubtful = 0;
#define LOOK(type)                                                         \
  FOR_EACH(l, mask) {                                                      \
    const uint8_t *shadow = at->shadow[l];                                 \
    for (unsigned b = 0; shadow != NULL && b < bytes; b += sizeof(type)) { \
      type some;                                                           \
      memcpy(&some, shadow + b, sizeof some);                              \
      doubtful |= (type)~some;                                             \
    }                                                                      \
  }
  BY_SIZE(bytes, LOOK)
#undef LOOK
  return doubtful == 0;
}

/* Marks what came from unset memory in the destinations, and nothing else there. */
static void mark_loaded(warp *w, const insn *i, uint32_t mask, const access_lanes *at) {
  const unsigned size = i->arg[ARG_SIZE], count = i->arg[ARG_COUNT];
  const bool trusted = (i->arg[ARG_FLAGS] & FLAG_STRONG) && !settings_get()->strict_polling;
  const bool all_set =
      trusted || (at->in_a_row ? row_is_set(at, size * count) : lanes_are_set(at, mask, size * count));
  if (all_set && !taint_any(w)) return;
  FOR_EACH(l, mask) {
    const uint32_t unset = all_set ? 0 : shadow_unset(at->shadow[l], size * count);
    if (unset == 0 && !taint_any(w)) continue;
    for (unsigned e = 0; e < count; ++e) {
      uint32_t bytes = unset >> (e * size) & ((UINT32_C(1) << size) - 1);
      if ((i->arg[ARG_FLAGS] & FLAG_SIGNED) && (bytes >> (size - 1) & 1)) bytes |= ~UINT32_C(0) << size;
      taint_mark(w, i, (int)e, l, bytes);
    }
  }
}

static flow run_load(warp *w, const insn *i, uint32_t mask) {
  const access a = access_of(i, ACCESS_READ);
  uint64_t addresses[LANES];
  access_lanes at;
  if (taint_any(w) && !taint_use(w, i, i->dst_count, mask)) return FLOW_FAULT;
  access_addresses(w, i, i->dst_count, addresses);
  if (!access_find(w, i, mask, &a, addresses, &at)) return FLOW_FAULT;
  if (a.strong) w->polled = true;
  load_elements(w, i, mask, &at);
  mark_loaded(w, i, mask, &at);
  return FLOW_NEXT;
}

/* A kernel's parameter at an offset that is known: the same value in all lanes. */
static flow run_load_param(warp *w, const insn *i, uint32_t mask) {
  const unsigned size = i->arg[ARG_SIZE];
  const uint64_t offset = *REG(const uint64_t, 1) + (uint64_t)i->offset;
  const grid_launch *launch = &w->block->grid->launch;
  const uint64_t bytes = launch->kernel->param_bytes;
  if (taint_any(w) || size > 8 || offset % size != 0 || offset >= bytes || size > bytes - offset)
    return run_load(w, i, mask);
  int64_t value = 0, values[LANES];
  memcpy(&value, launch->params + offset, size);
  if (i->arg[ARG_FLAGS] & FLAG_SIGNED)
    value = (int64_t)((uint64_t)value << (64 - 8 * size)) >> (64 - 8 * size);
  FOR_LANES(l) values[l] = value;
  write_lanes(w, i, 0, values, mask);
  return FLOW_NEXT;
}

/* ---- stores */

/* Releasing costs nothing either. */
static void scatter(const access_lanes *at, uint32_t mask, unsigned size, unsigned e,
                    const uint64_t values[LANES]) {
  uint8_t *const *host = at->host;
#define SCATTER(type)                                                \
  FOR_EACH(l, mask) {                                                \
    void *to = host[l] + e * sizeof(type);                           \
    __atomic_store_n((type *)to, (type)values[l], __ATOMIC_RELEASE); \
  }
  BY_SIZE(size, SCATTER)
#undef SCATTER
}

static void pack(row *to, unsigned size, unsigned count, unsigned e, const uint64_t values[LANES]) {
#define PACK(type)                                                    \
  {                                                                   \
    type *elements = (type *)(void *)to->bytes;                       \
    FOR_LANES(l) elements[(unsigned)l * count + e] = (type)values[l]; \
  }
  BY_SIZE(size, PACK)
#undef PACK
}

static void store_wide(warp *w, const insn *i, uint32_t mask, const access_lanes *at) {
  const wide *from = REG(const wide, 1);
  FOR_EACH(l, mask) {
    if (i->arg[ARG_FLAGS] & FLAG_STRONG)
      memory_store_wide(at->host[l], from[l]);
    else
      memcpy(at->host[l], &from[l], sizeof *from);
  }
}

static void store_elements(warp *w, const insn *i, uint32_t mask, const access_lanes *at) {
  const unsigned size = i->arg[ARG_SIZE], count = i->arg[ARG_COUNT], bytes = size * count;
  const bool at_once = at->in_a_row && !(i->arg[ARG_FLAGS] & FLAG_STRONG);
  if (size == sizeof(wide)) {
    store_wide(w, i, mask, at);
    return;
  }
  if (at_once && count == 1 && size == i->width[1]) {
    memcpy(at->host[0], w->regs + i->op[1], LANES * bytes);
    return;
  }
  row copy;
  for (unsigned e = 0; e < count; ++e) {
    uint64_t values[LANES];
    read_lanes(w, i, (int)e + 1, (int)size, false, (int64_t *)values);
    if (at_once)
      pack(&copy, size, count, e, values);
    else
      scatter(at, mask, size, e, values);
  }
  if (at_once) memcpy(at->host[0], copy.bytes, LANES * bytes);
}

void memory_mark_stored(warp *w, const insn *i, int first, uint32_t mask, const access_lanes *at,
                        const uint64_t addresses[LANES]) {
  const unsigned size = i->arg[ARG_SIZE], count = i->arg[ARG_COUNT];
  if (at->in_a_row)
    shadow_fill(at->shadow[0], LANES * size * count, true);
  else
    FOR_EACH(l, mask) shadow_fill(at->shadow[l], size * count, true);
  if (!taint_any(w)) return;
  FOR_EACH(l, mask) {
    for (unsigned b = 0; b < size * count; ++b) {
      const int k = first + (int)(b / size);
      if ((taint_of(w, i, k, l) >> (b % size) & 1) == 0) continue;
      if (at->shadow[l] != NULL) {
        at->shadow[l][b] = SHADOW_UNSET;
        continue;
      }
      /* The allocation has no shadow yet, as all of it was set. */
      allocation *a = memory_holding(addresses[l] + b, 1);
      if (a != NULL) memory_mark(a, addresses[l] + b, 1, false);
    }
  }
}

/* Whether nobody else can see it. */
static bool is_private(const insn *i, uint64_t address) {
  return i->space == SPACE_LOCAL || i->space == SPACE_PARAM || address - WINDOW_LOCAL < WINDOW_SIZE;
}

static flow run_store(warp *w, const insn *i, uint32_t mask) {
  const access a = access_of(i, ACCESS_WRITE);
  uint64_t addresses[LANES];
  access_lanes at;
  if (taint_any(w) && !taint_use(w, i, 0, mask)) return FLOW_FAULT;
  access_addresses(w, i, 0, addresses);
  if (!access_find(w, i, mask, &a, addresses, &at)) return FLOW_FAULT;
  /* First of all, so that who reads the value finds it set. */
  memory_mark_stored(w, i, 1, mask, &at, addresses);
  store_elements(w, i, mask, &at);
  if (!is_private(i, addresses[__builtin_ctz(mask)])) ++w->stores;
  return FLOW_NEXT;
}

/* ---- decoding */

static bool is_signed(ptx_type type) {
  return type >= TYPE_S8 && type <= TYPE_S64;
}
static bool is_float(ptx_type type) {
  return type == TYPE_F32 || type == TYPE_F64;
}

/* .v2.u32 and what goes with it. */
static bool decode_form(decoder *d, const memory_modifiers *m, ptx_type *type) {
  insn *out = d->out;
  out->taint = TAINT_OWN;
  out->arg[ARG_COUNT] = memory_take_vector(d);
  *type = decode_type(d);
  if (*type < TYPE_B8 || (*type > TYPE_S64 && !is_float(*type))) return decode_refuse(d, "its type");
  out->arg[ARG_SIZE] = (uint32_t)ptx_type_size(*type);
  if (is_signed(*type)) out->arg[ARG_FLAGS] |= FLAG_SIGNED;
  if (m->order > ORDER_WEAK) out->arg[ARG_FLAGS] |= FLAG_STRONG;
  const unsigned bytes = out->arg[ARG_SIZE] * out->arg[ARG_COUNT];
  const unsigned most = m->space == SPACE_GLOBAL || m->space == SPACE_GENERIC ? MOST_BYTES : 16;
  return bytes <= most || decode_refuse(d, "accesses %u bytes", bytes);
}

/* Registers may be wider than the type, but not narrower; those for floats are of their type. */
static bool check_width(decoder *d, ptx_type type, int k) {
  const int size = ptx_type_size(type), width = d->out->width[k];
  if (width >= size && (!is_float(type) || width == size) && (width == 16) == (size == 16)) return true;
  return decode_refuse(d, "a register of %d bits", 8 * width);
}

static bool decode_policy(decoder *d, const memory_modifiers *m, size_t operand) {
  if (!decode_operand_count(d, operand + m->policy, operand + m->policy)) return false;
  return !m->policy || decode_src(d, &d->in->operands[operand], TYPE_B64);
}

static bool is_vector_of(decoder *d, const ptx_operand *o, const ptx_operand **elements) {
  const size_t count = decode_vector(o, elements);
  return count == d->out->arg[ARG_COUNT] || decode_refuse(d, "%zu registers", count);
}

static bool decode_load(decoder *d) {
  memory_modifiers m = {0};
  ptx_type type;
  memory_take_modifiers(d, &m);
  if (m.order == ORDER_RELEASE || m.order == ORDER_ACQ_REL) return decode_refuse(d, "its order");
  if (!memory_check_order(d, &m) || !decode_form(d, &m, &type) || !decode_operand_count(d, 2, 3))
    return false;
  const ptx_operand *elements, *o = d->in->operands;
  if (!is_vector_of(d, &o[0], &elements)) return false;
  for (size_t e = 0; e < d->out->arg[ARG_COUNT]; ++e)
    if (!decode_dst_any(d, &elements[e], ptx_type_size(type)) || !check_width(d, type, (int)e))
      return false;
  if (!memory_decode_address(d, &o[1], &m)) return false;
  const bool fixed = d->out->space == SPACE_PARAM && o[1].reg == NULL && d->out->arg[ARG_COUNT] == 1;
  d->out->run = fixed ? run_load_param : run_load;
  return decode_policy(d, &m, 2);
}

static bool decode_store(decoder *d) {
  memory_modifiers m = {0};
  ptx_type type;
  if (decode_take(d, "async")) return decode_st_async(d);
  memory_take_modifiers(d, &m);
  if (m.order == ORDER_ACQUIRE || m.order == ORDER_ACQ_REL) return decode_refuse(d, "its order");
  if (m.non_coherent || m.space == SPACE_CONST) return decode_refuse(d, "its memory cannot be written");
  if (!memory_check_order(d, &m) || !decode_form(d, &m, &type) || !decode_operand_count(d, 2, 3))
    return false;
  const ptx_operand *elements, *o = d->in->operands;
  if (!memory_decode_address(d, &o[0], &m) || !is_vector_of(d, &o[1], &elements)) return false;
  for (size_t e = 0; e < d->out->arg[ARG_COUNT]; ++e)
    if (!decode_src_any(d, &elements[e], type) || !check_width(d, type, (int)e + 1)) return false;
  d->out->run = run_store;
  return decode_policy(d, &m, 2);
}

const decode_row rows_memory[] = {{"ld", decode_load},
                                  {"ldu", decode_load},
                                  {"st", decode_store},
                                  {"cvta", decode_cvta},
                                  {"isspacep", decode_isspacep},
                                  {"mapa", decode_mapa},
                                  {"getctarank", decode_getctarank},
                                  {"membar", decode_membar},
                                  {"fence", decode_fence},
                                  {"prefetch", decode_prefetch},
                                  {"prefetchu", decode_prefetchu},
                                  {"createpolicy", decode_createpolicy},
                                  {"discard", decode_discard},
                                  {"applypriority", decode_applypriority},
                                  {NULL, NULL}};
