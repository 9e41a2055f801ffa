/* What every public algorithm does around its own work: the same two phases, the same rules about temp
 * storage, the same errors. An algorithm gives its steps; its public functions are then
 *
 *   const call_steps thing_steps = {"jig_thing", ..., sizeof(bound_spec)};
 *   jig_status jig_thing(...) {
 *     bound_spec b;
 *     return call_run(&thing_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
 *   }
 *   jig_status jig_thing_spec(const jig_thing_args *args, char **text) {
 *     bound_spec b;
 *     return call_spec(&thing_steps, args, text, &b);
 *   }
 *
 * A call that was prepared, prepared.c, goes by the same steps, and by those alone. */
#ifndef JIG_ALGORITHM_CALL_H
#define JIG_ALGORITHM_CALL_H

#include <jig/reduce.h>

#include "algorithm/temp_storage.h"
#include "engine/engine.h"
#include "spec/canonical.h"
#include "spec/layout.h"

typedef struct call {
  const char *name; /* "jig_reduce": what errors begin with */
  jig_engine *engine;
  void *storage; /* temp storage; NULL in a size query */
  size_t *bytes; /* NULL: the call gets temp storage for itself */
  CUstream stream;
  uint64_t number;
  bool in_memory;    /* what it needs of the program was */
  double slow_since; /* when it was found that it was not: see clock_ms(); 0: not so */
  bool ranged;       /* an NVTX range is open */
  void *owned;       /* temp storage to be given back */
  size_t owned_bytes;
  const spec *s;                  /* what the program is of */
  const void *counted;            /* the args, if counts of theirs are in device memory; otherwise NULL */
  const struct call_steps *steps; /* of these args */
  program *program;
  kernel_set needs;    /* the kernels that it is planned to launch; none: all */
  kernel_set launched; /* those that it has launched */
  bool is_rebound;     /* a launch has put something else into the bound spec than bind() did */
  bool is_queued;      /* more of the kind come behind it, rather than that somebody waits */
} call;

/* A count of the args that may be read in device memory. */
typedef struct call_count {
  const char *name;         /* "num_items_in": where it is read; NULL: there is no such count */
  unsigned short at, in_at; /* of the count in the args, and of the pointer that is called so */
  bool is_of_work;          /* of the first one: a count of 0 leaves nothing to launch */
} call_count;

/* What an algorithm does in a call of its own. `bound` is what its public functions have for it: a struct
 * that begins with a spec, and has besides what the spec points to and what later steps need. */
typedef struct call_steps {
  const char *name;          /* "jig_thing": what errors begin with */
  const struct_layout *args; /* of its args */
  /* Before launch(), each that is in device memory is looked for in the temp storage and in the first
   * items of the spec's outputs, of which launch() looks at the others: call_check_output(). It is left
   * out if there is nothing to launch. */
  call_count count, second_count;
  /* Makes a spec of the args, and checks what a spec cannot: choices, and what goes together. Pointers
   * and values are left alone, as calls and jig_thing_spec() both begin with this. */
  jig_status (*bind)(const char *name, const void *args, void *bound);
  /* Plans the call by its program's tuning: checks counts, lays out temp storage, and tells which of
   * several kernels will be launched (call_needs). Size queries end here. It may be done several times:
   * while there is only the tuning, and again once these kernels are loaded. */
  jig_status (*prepare)(call *c, void *bound, temp_layout *temp);
  /* Checks pointers and values, and launches. c->storage is at least as large as laid out. */
  jig_status (*launch)(call *c, void *bound, const temp_layout *temp);
  size_t bound_size;
} call_steps;

/* Args with one count, with one of work, and with two. */
/* clang-format off */
#define CALL_COUNT(s, of_, is_of_work_) {#of_ "_in", offsetof(s, of_), offsetof(s, of_##_in), is_of_work_}
#define CALL_ARGS(s, of_) &layout_of_##s, CALL_COUNT(s, of_, false), {0}
#define CALL_WORK_ARGS(s, of_) &layout_of_##s, CALL_COUNT(s, of_, true), {0}
#define CALL_PAIR_ARGS(s, of_, other) &layout_of_##s, CALL_COUNT(s, of_, false), CALL_COUNT(s, other, false)
/* clang-format on */

/* Those of every algorithm, in the order of algorithm_table; ends with NULL. */
extern const call_steps *const call_table[];

jig_status call_run(const call_steps *steps, jig_engine *engine, void *storage, size_t *bytes,
                    const void *args, CUstream stream, void *bound);

/* The first thing in between: checks args, as far as bind() does, and makes a spec of them. */
jig_status call_bind(const call_steps *steps, const char *name, const void *args, void *bound);

/* What it does then, by what bind() has made of sound args, which have not changed. `known` may be NULL,
 * or is what remembers the program from one call of the same spec to the next one. */
typedef struct known_program {
  program *program; /* NULL: none yet */
  uint64_t place;   /* see engine_place() */
} known_program;
jig_status call_run_bound(call *c, const call_steps *steps, const void *args, void *bound,
                          known_program *known);

/* What call_run() begins and ends with; whoever begins one ends it. */
jig_status call_begin(call *c, const char *name, jig_engine *engine, void *storage, size_t *bytes,
                      CUstream stream);
jig_status call_end(call *c, jig_status status);

/* Writes the spec's text; malloc'ed, NULL on failure. */
jig_status call_spec(const call_steps *steps, const void *args, char **text, void *bound);

/* Whether an enumeration's value is one of 0 .. last. `name` is the call's. */
jig_status call_check_choice(const char *name, const char *field, int value, int last);

/* Whether a fold's choices are there. */
jig_status call_check_fold(const char *name, jig_nan nan, jig_determinism determinism);

/* Whether an operator's state is somewhere, unless it is left out (kind NONE). */
jig_status call_check_op(const call *c, const jig_op *op, const char *what);

/* Whether an iterator's pointers and values are there, for so many items. Its name is put into words only
 * where they are not, as warm calls pass here. */
jig_status call_check_iter(const call *c, const jig_iter *iter, uint64_t num_items, const char *what);

/* Finds, loads or builds what a call takes of the program of a spec, which must last as long as the call,
 * and plans it: plan() is as call_steps' prepare(). What call_run() does for calls; of use to calls
 * within calls. */
typedef jig_status call_plan(call *c, void *user);
jig_status call_program(call *c, const spec *s, call_plan *plan, void *user);

/* In plans: that a kernel will be launched, by its number in the algorithm's row. An algorithm of several
 * tells of some in every plan, even if nothing is launched in the end, or never of any. */
static inline void call_needs(call *c, int kernel) {
  c->needs |= kernel_set_of(kernel);
}

/* Whether there can be so many items of an iterator, which is argument `name`; `argument` is what counts
 * them, as errors say it: "num_items". To be asked in size queries, too. */
jig_status call_check_count(const call *c, const char *argument, uint64_t count, const jig_iter *iter,
                            const char *name);

/* Whether kernels can count so many: less than 2^63. Of what has no iterator; the same. */
jig_status call_check_countable(const call *c, const char *argument, uint64_t count);

/* The slot that says whether a number is read on the GPU: a choice, as device code is another then. `of_`
 * is the number, as in "num_items". */
#define DEVICE_COUNT_SLOT(of_)                                                                \
  {                                                                                           \
    .name = #of_ "_in", .kind = SLOT_CHOICE, .optional = true, .choices = call_device_counts, \
    .help = "the type of " #of_ " in device memory, if it is read there"                      \
  }
#define NUM_ITEMS_IN_SLOT DEVICE_COUNT_SLOT(num_items)
#define NUM_SEGMENTS_IN_SLOT DEVICE_COUNT_SLOT(num_segments)
extern const char *const call_device_counts[];

/* Whether the integers of output `name` have room for `largest`, an index or a count. The same. */
jig_status call_check_index(const call *c, const jig_type *type, const char *name, uint64_t largest);

/* Whether a launch can have so many blocks, which is for `argument` to answer for. The same. */
jig_status call_check_blocks(const call *c, const char *argument, uint64_t blocks);

/* Whether there can be so much temp storage. The same. */
jig_status call_check_temp(const call *c, const char *argument, uint64_t bytes);

/* Whether iterator `what` may be used beside the temp storage. */
jig_status call_check_overlap(const call *c, const jig_iter *iter, uint64_t num_items, const char *what);

/* Whether output `what`, of so many items, may be used beside that and counts in device memory. */
jig_status call_check_output(const call *c, const jig_iter *out, uint64_t num_items, const char *what);

/* Whether output `what` may be used beside input `other` by an algorithm that reads item i before it
 * writes item i: not if pointers tell that they overlap in any other way than item for item. */
jig_status call_check_in_place(const call *c, const jig_iter *out, const char *what, const jig_iter *in,
                               const char *other, uint64_t num_items);

/* Whether input `in` and output `out`, of an algorithm that reads item i before it writes item i, can be
 * used: they are somewhere, not in the temp storage, and overlap item for item or not at all. */
jig_status call_check_item_for_item(const call *c, const jig_iter *in, const jig_iter *out,
                                    uint64_t num_items);

/* Whether output `what` may be used beside another argument, `other`: not if pointers tell that they
 * overlap. */
jig_status call_check_apart(const call *c, const jig_iter *out, uint64_t num_items, const char *what,
                            const jig_iter *other, uint64_t num_others, const char *other_what);

/* Whether the stream is being captured: a graph is replayed, and nobody waits for one of its kernels. */
bool call_is_captured(const call *c);

/* Waits for what has been launched, unless it is captured: $JIG_DEBUG_SYNC. */
jig_status call_wait(const call *c);

/* Launches one of the program's kernels, by its number in the algorithm's row. `values` is the struct
 * that the kernel's parameters are members of; iterators and operators are those of the call's spec. */
jig_status call_launch(call *c, int kernel, launch_shape shape, const void *values);

/* Whether an output overwrites items that are too large for registers before all of them have been moved,
 * so that they have to be copied to temp storage first, as call_copy_input() does. They are so many.
 * Otherwise pointers tell nothing of the kind. */
bool call_has_to_copy(const jig_iter *in, const jig_iter *out, uint64_t num_items);

/* Copies them there; `copy` then stands for the input, in the bound spec, too. That has to be a pointer;
 * `what` is its name. */
jig_status call_copy_input(call *c, const jig_iter *in, uint64_t num_items, const char *what,
                           void *storage, jig_iter *copy);

/* Fills temp storage with a byte, which is for `what`. */
jig_status call_fill(const call *c, void *storage, unsigned char byte, size_t bytes, const char *what);

/* If the stream is being captured, fills temp storage with zeros first: for what a graph's replays must
 * not find as the one before has left it. */
jig_status call_clear_for_graph(const call *c, void *storage, size_t bytes);

#endif
