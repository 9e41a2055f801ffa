/* Addresses of instructions checked and made host addresses. */
#ifndef SOFTGPU_EXEC_ACCESS_H
#define SOFTGPU_EXEC_ACCESS_H

#include "exec/warp.h"

typedef enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } access_kind;

typedef struct access {
  access_kind kind;
  ptx_space space; /* as the instruction says; generic addresses are sorted out */
  bool strong;     /* relaxed or stronger, volatile, atomic */
  unsigned bytes;  /* that each lane accesses */
  unsigned align;  /* a power of two */
} access;

/* What the lanes' addresses are in the host. Only the entries of the mask mean something. */
typedef struct access_lanes {
  uint8_t *host[LANES];
  uint8_t *shadow[LANES]; /* NULL where all counts as set */
  bool in_a_row; /* all 32 lanes, one behind the other in one piece; the shadow too, or all NULL */
} access_lanes;

/* A place in the shared memory of a block of the cluster. */
typedef struct shared_place {
  block *block;
  uint32_t offset;
} shared_place;

/* The lanes' addresses: register operand k plus the instruction's offset. */
void access_addresses(const warp *w, const insn *i, int k, uint64_t addresses[LANES]);
/* The same with an offset of its own, for instructions with more than one address. */
void access_addresses_at(const warp *w, const insn *i, int k, int64_t offset, uint64_t addresses[LANES]);

/* Bounds, life time, alignment, write protection and races of the lanes of mask are checked, unset bytes
 * are not. False: a fault was reported and the grid is ending. */
bool access_find(warp *w, const insn *i, uint32_t mask, const access *a, const uint64_t addresses[LANES],
                 access_lanes *found);

/* One lane's access to shared memory, possibly another block's, by a shared or generic address as the
 * space says. Races are not looked for. False: a fault was reported. */
bool access_shared(warp *w, const insn *i, unsigned lane, const access *a, uint64_t address,
                   shared_place *found);
/* Tells the race tracker of an access to the thread's own block's memory, and reports. */
void access_track(warp *w, const insn *i, unsigned lane, const access *a, uint32_t offset);

/* The shadow of a place; NULL where all counts as set. */
uint8_t *shared_shadow_at(const shared_place *s);
/* Marks bytes of a shadow, which may be NULL. */
void shadow_fill(uint8_t *shadow, unsigned bytes, bool set);
/* Bit b: byte b is unset. At most 32 bytes. */
uint32_t shadow_unset(const uint8_t *shadow, unsigned bytes);

#endif
