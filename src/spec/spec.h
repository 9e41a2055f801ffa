/* The spec: everything that decides what is compiled for a call, and nothing else.
 *
 * An algorithm has a schema: the named slots its kernels are written in terms of, each a type, an
 * iterator, an operator or a choice. A spec fills them. It exists in two forms: as pointers into a
 * caller's args, put together on the stack at every call and hashed for the in-memory table; and as
 * canonical text. */
#ifndef JIG_SPEC_SPEC_H
#define JIG_SPEC_SPEC_H

#include <stdbool.h>

#include <jig/iterator.h>
#include <jig/kernel.h>
#include <jig/status.h>

#include "spec/iterator.h"
#include "spec/operator.h"
#include "util/hash.h"

enum { SPEC_MAX_SLOTS = 11 };

typedef enum slot_kind {
  SLOT_TYPE,
  SLOT_ITER,
  SLOT_OP,
  SLOT_CHOICE,
  SLOT_KERNEL, /* a kernel of the user's own, which is all that its schema has */
  /* Whether the call takes other programs as well (algorithm.h). It is in no program's own spec. */
  SLOT_FLAG
} slot_kind;

/* What is done with a slot's items, or with values of its type: shared.h. */
typedef enum slot_use {
  USE_OPEN,  /* anything */
  USE_MOVED, /* unless an operator is over them, they are moved to the slots that are `like` this one, */
  USE_EQUATED, /* or compared by == where the operator over them is left out, or with 0; and nothing else
                */
  USE_COUNTED, /* whole numbers are stored there, or added up, and nothing else comes of them */
  USE_FOLDED   /* they become accumulators, or come of these; or are taken from each other */
} slot_use;

typedef struct slot_schema {
  const char *name;     /* "accum", "in", ...: `<name>_t` in device code */
  const char *formerly; /* what it was called once: specs may still say so; NULL: it never changed */
  slot_kind kind;
  bool optional;  /* may be left out: `jig::none` in device code; of a choice it is the first one then */
  iter_role role; /* of an iterator */
  /* Of an operator: its arity, and the slot whose type its operands have, the first of these that is
   * filled. Its result has the type of slot `returns`; where that is NULL, that of its operands, or it is
   * a bool if the operator is a test; of two operands, one that tells an order, perhaps: left out it is
   * JIG_LESS, or what the algorithm has as its own default. */
  int arity;
  const char *over[2];
  const char *returns;
  bool test, orders, own_default;
  /* It returns nothing. An operator over no slot is one of an index, in as many dimensions as the choice
   * in slot `ranked` says, if there is one. `by_value`: a choice, too, NULL or 1 if its operand is a
   * copy. */
  bool acts;
  const char *ranked, *by_value;
  /* The operator's source is a list of expressions over x, which device code gets as one object: what
   * jig::key_fields() makes of them. */
  bool lists;
  /* Of an iterator whose items, where they are too large for registers, kernels get the places of: the
   * slots of the one or two inputs that they are items of. So it is with the operands of operators over
   * such a slot, then. */
  const char *places[2];
  /* What items have at most of which kernels get no places; 0: TYPE_HELD_SIZE. */
  uint32_t held_bytes;
  /* Of a type: kernels hold values of it, so that it must not be too large for registers. */
  bool held;
  slot_use use;
  const char *const *choices; /* their names, ending with NULL; `constexpr int <name>` in device code */

  /* For specs that people write, see complete.h. What a slot is for, in a few words. */
  const char *help;
  /* The slot whose type its own is, where that is not said; where there is none, `usually` in its place.
   * One that has to be filled and is left out then is that type, or a pointer to such items. */
  const char *like;
  /* What it is where it is left out, as specs have it: a type, an operator, of an iterator the type. */
  const char *usually;
  bool follows;       /* of an optional one: it is there if the one that it is like is there */
  bool commutes;      /* of an operator: kernels make use of it if its operands may change places */
  const char *option; /* the tool's option for it, beside its name: "type"; NULL: there is none */
} slot_schema;

struct spec;
struct parsed_spec;
typedef struct spec_schema {
  const char *algorithm; /* "reduce", ... */
  const slot_schema *slots;
  int slot_count;
  /* What the schema cannot say: JIG_SUCCESS, or what is wrong with a spec whose slots are sound. */
  jig_status (*check)(const struct spec *s);
  /* Makes of a spec that somebody wrote what a call's would be: fills slots that follow from others in
   * ways that slots cannot say, such as accumulators, and puts types in the form that programs share.
   * Iterators and operators that have to be there are; nothing else has been checked. NULL: there is
   * nothing to do. */
  jig_status (*complete)(struct parsed_spec *p);
  size_t
      other_parameters; /* bytes of them, beside iterators and operators; 0: PARAMETER_OTHERS, or less */
} spec_schema;

typedef struct spec_slot {
  const jig_type *type;            /* SLOT_TYPE; NULL where left out, like the others */
  const jig_iter *iter;            /* SLOT_ITER */
  const jig_op *op;                /* SLOT_OP */
  const jig_kernel_config *kernel; /* SLOT_KERNEL, which is never left out */
  bool ignore_nan;                 /* of a minimum or maximum */
  int choice;                      /* SLOT_CHOICE: its number; 0 where left out. SLOT_FLAG: 0 or 1 */
} spec_slot;

typedef struct spec {
  const spec_schema *schema;
  spec_slot slots[SPEC_MAX_SLOTS]; /* in the schema's order */
} spec;

/* The kernel of the user's own that it is of; NULL: it is an algorithm's. */
static inline const jig_kernel_config *spec_own_kernel(const spec *s) {
  return s->slots[0].kernel;
}

/* The slot of that name; NULL if the schema has none. */
const spec_slot *spec_find(const spec *s, const char *name);

/* Whether its folds are to have the same bits on every GPU: that is what slot "determinism" says. */
bool spec_is_gpu_to_gpu(const spec *s);

/* What its items are, or the type that it is; NULL where it is left out, and of an operator. */
const jig_type *spec_slot_type(const spec_slot *slot);

/* The signature of the operator in a slot. */
op_signature spec_op_signature(const spec *s, int slot);

/* Whether kernels get the places of a slot's items, or of its operator's operands, instead of these; and
 * of one that is so the inputs that these are items of, the second of which may be NULL. */
bool spec_has_places(const spec *s, int slot);
const char *const *spec_places(const spec *s, int slot);

/* The spec as policies see it, and whoever else goes by what kernels hold: what they get places for is
 * counted there, 8 bytes each. */
typedef struct placed_spec {
  spec s;
  /* In the place of each of these iterators; `single` of an output whose items lanes cannot share, as
   * they are not moved from memory to memory: jig::shares_items. */
  jig_iter counted, single;
} placed_spec;
const spec *spec_placed(const spec *s, placed_spec *room);

/* Whether all slots, and the spec as a whole, are sound, pointers and values aside; the error names the
 * slot. `who` is what the error begins with. */
jig_status spec_check(const spec *s, const char *who);

/* For a schema's check: whether the iterators of two slots, if the first is filled, are of one type; and
 * whether of some slots, ending with NULL, all are filled or none. */
jig_status spec_check_same_type(const spec *s, const char *slot, const char *other);
jig_status spec_check_together(const spec *s, const char *const *slots);

/* Whether the iterator in that slot is of an integer type, bool not being one. */
jig_status spec_check_integer(const spec *s, const char *slot);

/* For the in-memory table. Equal for equal specs, and not only for these: whoever finds something by it
 * compares the specs, see identity.h. Of a compiled operator it trusts the digest, which is the caller's
 * word. No heap, no formatting. */
uint64_t spec_hash(const spec *s);

#endif
