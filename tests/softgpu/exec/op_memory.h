/* What the families of memory instructions share: their modifiers, and the host's side of loads and
 * stores. */
#ifndef SOFTGPU_EXEC_OP_MEMORY_H
#define SOFTGPU_EXEC_OP_MEMORY_H

#include "exec/access.h"
#include "exec/warp.h"

typedef enum memory_order_kind {
  ORDER_NONE, /* not said */
  ORDER_WEAK,
  ORDER_VOLATILE,
  ORDER_RELAXED,
  ORDER_ACQUIRE,
  ORDER_RELEASE,
  ORDER_ACQ_REL,
} memory_order_kind;

typedef struct memory_modifiers {
  memory_order_kind order;
  bool scope, mmio;
  bool space_given, func_param;
  ptx_space space;
  bool non_coherent;
  bool policy; /* .L2::cache_hint: a last operand that says how to cache */
} memory_modifiers;

/* Takes the parts that say order, scope, space, and how to cache, in whatever sequence, until one that
 * says something else. */
void memory_take_modifiers(decoder *d, memory_modifiers *m);
/* Takes .v2, .v4, .v8; 1 if there is none. */
unsigned memory_take_vector(decoder *d);
/* Appends the address operand and sets out->space and, for .param of functions, that it is local memory.
 */
bool memory_decode_address(decoder *d, const ptx_operand *o, const memory_modifiers *m);
/* Whether order and scope go together. */
bool memory_check_order(decoder *d, const memory_modifiers *m);

/* Loads and stores in out->arg. */
enum { ARG_SIZE, ARG_COUNT, ARG_FLAGS };
enum { FLAG_SIGNED = 1, FLAG_STRONG = 2 };

/* Marks memory that gets the values of the operands from `first` on: set, but for what was unset in them.
 */
void memory_mark_stored(warp *w, const insn *i, int first, uint32_t mask, const access_lanes *at,
                        const uint64_t addresses[LANES]);

__extension__ typedef unsigned __int128 wide;
/* Compares and exchanges 16 bytes, aligned to as many; what was there. */
wide memory_exchange_wide(uint8_t *at, wide expected, wide desired);
wide memory_load_wide(const uint8_t *from);
void memory_store_wide(uint8_t *to, wide value);

/* Opcodes that other files execute. */
bool decode_cvta(decoder *d);
bool decode_isspacep(decoder *d);
bool decode_mapa(decoder *d);
bool decode_getctarank(decoder *d);
bool decode_membar(decoder *d);
bool decode_fence(decoder *d);
bool decode_prefetch(decoder *d);
bool decode_prefetchu(decoder *d);
bool decode_createpolicy(decoder *d);
bool decode_discard(decoder *d);
bool decode_applypriority(decoder *d);

#endif
