#include "exec/access.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/settings.h"
#include "check/watch.h"
#include "memory/memory.h"

enum { OFFSET_BITS = 24 }; /* of a shared address; the rank plus one is above */

typedef struct request {
  warp *w;
  const insn *i;
  const access *a;
  bool check; /* unset bytes are looked for */
} request;

static const char *kind_name(access_kind kind) {
  switch (kind) {
    case ACCESS_READ:
      return "read";
    case ACCESS_WRITE:
      return "write";
    case ACCESS_ATOMIC:
      break;
  }
  return "atomic access";
}

/* Reports what is wrong with a lane's access, and ends the grid; false. */
__attribute__((format(printf, 5, 6))) static bool refuse(const request *q, unsigned lane,
                                                         report_kind kind, const uint64_t *address,
                                                         const char *format, ...) {
  char what[256];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  report_place place = place_of(q->w, q->i, lane);
  if (address != NULL) {
    place.address = *address;
    place.has_address = true;
  }
  report(kind, &place, "%s of %u bytes %s", kind_name(q->a->kind), q->a->bytes, what);
  fault(q->w, kind == REPORT_MISALIGNED ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_ILLEGAL_ADDRESS);
  return false;
}

static const char *window_name(uint64_t address) {
  if (address - WINDOW_SHARED < WINDOW_SIZE) return "shared memory";
  if (address - WINDOW_LOCAL < WINDOW_SIZE) return "local memory";
  if (address - WINDOW_PARAM < WINDOW_SIZE) return "the kernel's parameters";
  if (address - WINDOW_CODE < WINDOW_SIZE) return "a function";
  return NULL;
}

/* ---- global memory and constants */

static bool permitted(const request *q, const allocation *found) {
  if (q->a->kind != ACCESS_READ) return !found->read_only;
  return q->a->space != SPACE_CONST || found->read_only;
}

static bool refuse_global(const request *q, unsigned lane, uint64_t address, const allocation *found) {
  if (found != NULL && q->a->space == SPACE_CONST)
    return refuse(q, lane, REPORT_OUT_OF_BOUNDS, &address, "as of .const, which the address is not in");
  if (found != NULL) return refuse(q, lane, REPORT_READ_ONLY, &address, "that is constant");
  enum { NEAR_NULL = 4096 };
  if (address < NEAR_NULL)
    return refuse(q, lane, REPORT_OUT_OF_BOUNDS, &address, "through a null pointer (address %" PRIu64 ")",
                  address);
  const char *window = window_name(address);
  if (window != NULL)
    return refuse(q, lane, REPORT_OUT_OF_BOUNDS, NULL, "by the generic address 0x%" PRIx64 " of %s",
                  address, window);
  const allocation *near = memory_nearest(address);
  const bool inside = near != NULL && address - near->address < near->size;
  if (inside && atomic_load_explicit(&near->freed, memory_order_relaxed))
    return refuse(q, lane, REPORT_USE_AFTER_FREE, &address, "of freed memory");
  if (inside)
    return refuse(q, lane, REPORT_OUT_OF_BOUNDS, &address, "that reaches past the end of an allocation");
  return refuse(q, lane, REPORT_OUT_OF_BOUNDS, &address, "outside of every allocation");
}

static bool counts_as_set(const request *q, const allocation *found) {
  return !q->check || found->kind == ALLOCATION_HOST || found->kind == ALLOCATION_MANAGED ||
         found->kind == ALLOCATION_REGISTERED ||
         atomic_load_explicit(&found->all_set, memory_order_relaxed);
}

static bool is_row(uint32_t mask, const uint64_t at[LANES], uint64_t bytes) {
  uint64_t difference = 0;
  FOR_LANES(l) difference |= at[l] ^ (at[0] + (uint64_t)l * bytes);
  return mask == (uint32_t)FULL && difference == 0;
}

/* The common case: all that the lanes access is in one allocation. */
static bool find_together(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  const uint64_t one = at[__builtin_ctz(mask)];
  uint64_t low = one, high = one;
  FOR_LANES(l) {
    const uint64_t address = (mask >> l & 1) ? at[l] : one;
    low = address < low ? address : low;
    high = address > high ? address : high;
  }
  if (high - low > memory_arena.size) return false;
  const allocation *found = memory_holding(low, high - low + q->a->bytes);
  if (found == NULL || !permitted(q, found)) return false;
  FOR_LANES(l) to->host[l] = (uint8_t *)(uintptr_t)at[l];
  if (counts_as_set(q, found)) {
    FOR_LANES(l) to->shadow[l] = NULL;
  } else {
    const uint64_t shadow = (uint64_t)(uintptr_t)memory_shadow(low) - low;
    FOR_LANES(l) to->shadow[l] = (uint8_t *)(uintptr_t)(at[l] + shadow);
  }
  to->in_a_row = is_row(mask, at, q->a->bytes);
  return true;
}

static touch_kind touch_of(const access *a) {
  return a->strong || a->kind == ACCESS_ATOMIC ? TOUCH_ATOMIC
         : a->kind == ACCESS_WRITE             ? TOUCH_WRITE
                                               : TOUCH_READ;
}

/* Whether other operations may touch the same memory meanwhile. */
static void look_for_order(const request *q, uint32_t mask, const uint64_t at[LANES]) {
  static const char *const verbs[] = {
      [TOUCH_READ] = "reads", [TOUCH_WRITE] = "writes", [TOUCH_ATOMIC] = "updates"};
  watch *w = q->w->block->grid->launch.watch;
  const watch_foe *foe;
  touch_conflict c;
  const int lane = watch_access(w, grid_worker(), touch_of(q->a), mask, at, q->a->bytes, &foe, &c);
  if (lane < 0) return;
  report_place place = place_of(q->w, q->i, (unsigned)lane);
  place.address = c.address;
  place.has_address = true;
  if (report(REPORT_ORDER, &place, "%s of %u bytes that nothing orders with %s, which %s some of them",
             kind_name(q->a->kind), q->a->bytes, foe->what, verbs[c.other]) &&
      w->own != NULL)
    report_detail("by %s", w->own);
}

static bool find_global(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  if (q->w->block->grid->launch.watch != NULL) look_for_order(q, mask, at);
  if (find_together(q, mask, at, to)) return true;
  const uint64_t bytes = q->a->bytes;
  FOR_EACH(l, mask) {
    const allocation *found = memory_holding(at[l], bytes);
    if (found == NULL || !permitted(q, found)) return refuse_global(q, l, at[l], found);
    to->host[l] = (uint8_t *)(uintptr_t)at[l];
    to->shadow[l] = counts_as_set(q, found) ? NULL : memory_shadow(at[l]);
  }
  return true;
}

/* ---- shared memory */

static bool refuse_shared_address(const request *q, unsigned lane, uint64_t address) {
  const char *window = window_name(address);
  if (window != NULL)
    return refuse(q, lane, REPORT_OUT_OF_BOUNDS, NULL,
                  "of shared memory by 0x%" PRIx64 ", which is a generic address of %s", address, window);
  return refuse(q, lane, REPORT_OUT_OF_BOUNDS, NULL,
                "of shared memory by 0x%" PRIx64 ", which is no address there", address);
}

/* The block that a shared address belongs to; NULL if that was reported. */
static block *block_at(const request *q, unsigned lane, uint64_t address) {
  block *own = q->w->block;
  if (address >> OFFSET_BITS == 0) return own;
  if (address >= WINDOW_SIZE) {
    refuse_shared_address(q, lane, address);
    return NULL;
  }
  const unsigned rank = (unsigned)(address >> OFFSET_BITS) - 1;
  if (rank == own->rank) return own;
  if (q->a->space == SPACE_SHARED || rank >= own->cluster->block_count) {
    refuse_shared_address(q, lane, address);
    return NULL;
  }
  block *other = own->cluster->blocks[rank];
  if (other == NULL || other->live_warps == 0) {
    refuse(q, lane, REPORT_USE_AFTER_FREE, NULL,
           "of shared memory of the cluster's block of rank %u, which is over", rank);
    return NULL;
  }
  return other;
}

static bool find_shared_place(const request *q, unsigned lane, uint64_t address, shared_place *to) {
  block *b = block_at(q, lane, address);
  if (b == NULL) return false;
  const uint64_t offset = address & ((UINT64_C(1) << OFFSET_BITS) - 1);
  if (offset >= b->shared_bytes || q->a->bytes > b->shared_bytes - offset)
    return refuse(q, lane, REPORT_OUT_OF_BOUNDS, NULL,
                  "at offset %" PRIu64 " of shared memory, of which there are %" PRIu32 " bytes", offset,
                  b->shared_bytes);
  *to = (shared_place){.block = b, .offset = (uint32_t)offset};
  return true;
}

static void report_race(warp *w, const insn *i, unsigned lane, const access *a, uint32_t offset,
                        const race_conflict *c) {
  const report_place place = place_of(w, i, lane);
  if (!report(REPORT_RACE, &place,
              "%s of %u bytes at offset %" PRIu32 " of shared memory is not ordered with "
              "a %s of byte %" PRIu32 " by another thread",
              kind_name(a->kind), a->bytes, offset, c->was_write ? "write" : "read", c->offset))
    return;
  const warp *other = &w->block->warps[c->thread / LANES];
  const unsigned l = c->thread % LANES;
  report_detail("the other: %s by thread (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") at PTX line %u",
                c->was_write ? "write" : "read", other->tid[0][l], other->tid[1][l], other->tid[2][l],
                c->ptx_line);
}

static race_access tracked(const insn *i, const access *a) {
  return (race_access){.bytes = a->bytes,
                       .is_write = a->kind != ACCESS_READ,
                       .strong = a->strong || a->kind == ACCESS_ATOMIC,
                       .ptx_line = i->ptx->line};
}

void access_track(warp *w, const insn *i, unsigned lane, const access *a, uint32_t offset) {
  race_tracker *r = w->block->races;
  if (r == NULL) return;
  const race_access how = tracked(i, a);
  race_conflict conflict;
  if ((how.is_write ? race_write : race_read)(r, thread_of(w, lane), offset, how.bytes, how.strong,
                                              how.ptx_line, &conflict))
    report_race(w, i, lane, a, offset, &conflict);
}

static void track_all(const request *q, uint32_t mask, const uint32_t offsets[LANES]) {
  warp *w = q->w;
  if (w->block->races == NULL) return;
  const race_access how = tracked(q->i, q->a);
  race_conflict conflict;
  const int lane = race_warp_access(w->block->races, w->index, mask, offsets, &how, &conflict);
  if (lane >= 0) report_race(w, q->i, (unsigned)lane, q->a, offsets[lane], &conflict);
}

/* The common case: all lanes access their own block's memory, by offsets in it. */
static bool find_own_shared(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  block *b = q->w->block;
  if (q->a->bytes > b->shared_bytes) return false;
  const uint64_t last = b->shared_bytes - q->a->bytes;
  uint64_t bits = 0, beyond = 0; /* loops of vector code, as the next ones */
  FOR_LANES(l) {
    const uint64_t offset = at[l] & (0 - (uint64_t)(mask >> l & 1));
    bits |= offset;
    beyond |= last - offset; /* the sign says so */
  }
  if (bits >> 32 != 0 || beyond >> 63 != 0 || b->shared_bytes >> OFFSET_BITS != 0) return false;
  const uint64_t host = (uint64_t)(uintptr_t)b->shared, shadow = (uint64_t)(uintptr_t)b->shared_shadow;
  FOR_LANES(l) to->host[l] = (uint8_t *)(uintptr_t)(host + at[l]);
  if (q->check)
    FOR_LANES(l) to->shadow[l] = (uint8_t *)(uintptr_t)(shadow + at[l]);
  else
    FOR_LANES(l) to->shadow[l] = NULL;
  to->in_a_row = is_row(mask, at, q->a->bytes);
  if (q->a->kind != ACCESS_READ) ++b->changes;
  uint32_t offsets[LANES];
  FOR_LANES(l) offsets[l] = (uint32_t)at[l];
  track_all(q, mask, offsets);
  return true;
}

static bool find_shared(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  if (find_own_shared(q, mask, at, to)) return true;
  uint32_t own = 0, offsets[LANES];
  FOR_EACH(l, mask) {
    shared_place s = {0};
    if (!find_shared_place(q, l, at[l], &s)) return false;
    to->host[l] = s.block->shared + s.offset;
    to->shadow[l] = q->check ? shared_shadow_at(&s) : NULL;
    if (q->a->kind != ACCESS_READ) ++s.block->changes;
    if (s.block == q->w->block) own |= UINT32_C(1) << l;
    offsets[l] = s.offset;
  }
  track_all(q, own, offsets);
  return true;
}

/* ---- the threads' own memory, and parameters */

static bool find_local(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  const warp *w = q->w;
  const uint64_t size = w->block->local_bytes;
  FOR_EACH(l, mask) {
    if (at[l] >= size || q->a->bytes > size - at[l])
      return refuse(q, l, REPORT_OUT_OF_BOUNDS, NULL,
                    "at offset %" PRIu64 " of local memory, of which there are %" PRIu64 " bytes", at[l],
                    size);
    to->host[l] = w->local + l * size + at[l];
    to->shadow[l] = q->check && w->local_shadow != NULL ? w->local_shadow + l * size + at[l] : NULL;
  }
  return true;
}

static bool find_param(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  const grid_launch *launch = &q->w->block->grid->launch;
  const uint64_t size = launch->kernel->param_bytes;
  FOR_EACH(l, mask) {
    if (q->a->kind != ACCESS_READ)
      return refuse(q, l, REPORT_READ_ONLY, NULL, "to a kernel's parameters");
    if (at[l] >= size || q->a->bytes > size - at[l])
      return refuse(q, l, REPORT_OUT_OF_BOUNDS, NULL,
                    "at offset %" PRIu64 " of the kernel's parameters, which are %" PRIu64 " bytes",
                    at[l], size);
    to->host[l] = launch->params + at[l];
    to->shadow[l] = NULL;
  }
  return true;
}

/* ---- all of them */

/* The lanes of mask whose addresses are in a window, with its beginning taken off. */
static uint32_t in_window(uint32_t mask, uint64_t window, const uint64_t at[LANES],
                          uint64_t inside[LANES]) {
  uint32_t lanes = 0;
  FOR_LANES(l) {
    inside[l] = at[l] - window;
    lanes |= (uint32_t)(inside[l] < WINDOW_SIZE) << l;
  }
  return lanes & mask;
}

/* Whether no address is between the first window and the last: then all are global. */
static bool outside_windows(const uint64_t at[LANES]) {
  uint32_t near = 0;
  FOR_LANES(l) near |= at[l] - WINDOW_SHARED < WINDOW_CODE + WINDOW_SIZE - WINDOW_SHARED;
  return near == 0;
}

typedef bool finder(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to);

/* Some of the lanes of an access: finders may write entries beside their lanes', which are others' here.
 */
static bool find_some(const request *q, uint32_t all, uint32_t lanes, const uint64_t at[LANES],
                      finder *find, access_lanes *to) {
  if (lanes == 0) return true;
  if (lanes == all) return find(q, lanes, at, to);
  access_lanes part;
  if (!find(q, lanes, at, &part)) return false;
  FOR_EACH(l, lanes) {
    to->host[l] = part.host[l];
    to->shadow[l] = part.shadow[l];
  }
  return true;
}

static bool find_generic(const request *q, uint32_t mask, const uint64_t at[LANES], access_lanes *to) {
  static const struct {
    uint64_t window;
    finder *find;
  } windows[] = {{WINDOW_SHARED, find_shared}, {WINDOW_LOCAL, find_local}, {WINDOW_PARAM, find_param}};
  if (outside_windows(at)) return find_global(q, mask, at, to);
  uint32_t rest = mask;
  for (size_t k = 0; k < sizeof windows / sizeof *windows; ++k) {
    uint64_t inside[LANES];
    const uint32_t lanes = in_window(rest, windows[k].window, at, inside);
    if (!find_some(q, mask, lanes, inside, windows[k].find, to)) return false;
    rest &= ~lanes;
  }
  return find_some(q, mask, rest, at, find_global, to);
}

static bool aligned(const request *q, uint32_t mask, const uint64_t at[LANES]) {
  const uint64_t low = q->a->align - 1;
  uint64_t bits = 0;
  FOR_LANES(l) bits |= (mask >> l & 1) ? at[l] & low : 0;
  if (bits == 0) return true;
  FOR_EACH(l, mask) {
    if ((at[l] & low) == 0) continue;
    const bool global = q->a->space == SPACE_GLOBAL || q->a->space == SPACE_CONST ||
                        (q->a->space == SPACE_GENERIC && window_name(at[l]) == NULL);
    return refuse(q, l, REPORT_MISALIGNED, global ? &at[l] : NULL,
                  "at 0x%" PRIx64 ", which is no multiple of %u", at[l], q->a->align);
  }
  return true;
}

bool access_find(warp *w, const insn *i, uint32_t mask, const access *a, const uint64_t addresses[LANES],
                 access_lanes *found) {
  const request q = {.w = w, .i = i, .a = a, .check = settings_get()->check};
  found->in_a_row = false;
  if (!aligned(&q, mask, addresses)) return false;
  switch (a->space) {
    case SPACE_GLOBAL:
    case SPACE_CONST:
      return find_global(&q, mask, addresses, found);
    case SPACE_SHARED:
    case SPACE_SHARED_CLUSTER:
      return find_shared(&q, mask, addresses, found);
    case SPACE_LOCAL:
      return find_local(&q, mask, addresses, found);
    case SPACE_PARAM:
      return find_param(&q, mask, addresses, found);
    case SPACE_GENERIC:
    case SPACE_REG:
      break;
  }
  return find_generic(&q, mask, addresses, found);
}

bool access_shared(warp *w, const insn *i, unsigned lane, const access *a, uint64_t address,
                   shared_place *found) {
  const request q = {.w = w, .i = i, .a = a};
  if ((address & (a->align - 1)) != 0)
    return refuse(&q, lane, REPORT_MISALIGNED, NULL, "at 0x%" PRIx64 ", which is no multiple of %u",
                  address, a->align);
  if (a->space == SPACE_GENERIC) {
    if (address - WINDOW_SHARED >= WINDOW_SIZE) return refuse_shared_address(&q, lane, address);
    address -= WINDOW_SHARED;
  }
  return find_shared_place(&q, lane, address, found);
}

void access_addresses_at(const warp *w, const insn *i, int k, int64_t offset, uint64_t addresses[LANES]) {
  if (i->width[k] == 8) {
    const uint64_t *base = REG(const uint64_t, k);
    FOR_LANES(l) addresses[l] = base[l] + (uint64_t)offset;
  } else { /* 32-bit addresses wrap around as such */
    const uint32_t *base = REG(const uint32_t, k);
    FOR_LANES(l) addresses[l] = base[l] + (uint32_t)offset;
  }
}

void access_addresses(const warp *w, const insn *i, int k, uint64_t addresses[LANES]) {
  access_addresses_at(w, i, k, i->offset + (i->frame_relative ? (int64_t)w->frame->local_base : 0),
                      addresses);
}

/* ---- shadow */

uint8_t *shared_shadow_at(const shared_place *s) {
  return s->block->shared_shadow == NULL ? NULL : s->block->shared_shadow + s->offset;
}

void shadow_fill(uint8_t *shadow, unsigned bytes, bool set) {
  const int value = set ? SHADOW_SET : SHADOW_UNSET;
  if (shadow == NULL) return;
  switch (bytes) { /* sizes that are known make memset() one instruction */
    case 1:
      memset(shadow, value, 1);
      break;
    case 4:
      memset(shadow, value, 4);
      break;
    case 8:
      memset(shadow, value, 8);
      break;
    case 16:
      memset(shadow, value, 16);
      break;
    default:
      memset(shadow, value, bytes);
  }
}

static bool is_all_set(const uint8_t *shadow, unsigned bytes) {
  static const uint8_t all_set[16] = {
      SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET,
      SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET, SHADOW_SET};
  switch (bytes) {
    case 1:
      return shadow[0] == SHADOW_SET;
    case 4:
      return memcmp(shadow, all_set, 4) == 0;
    case 8:
      return memcmp(shadow, all_set, 8) == 0;
    case 16:
      return memcmp(shadow, all_set, 16) == 0;
    default:
      return false;
  }
}

uint32_t shadow_unset(const uint8_t *shadow, unsigned bytes) {
  uint32_t unset = 0;
  if (shadow == NULL || is_all_set(shadow, bytes)) return 0;
  for (unsigned b = 0; b < bytes; ++b) unset |= (uint32_t)(shadow[b] == SHADOW_UNSET) << b;
  return unset;
}
