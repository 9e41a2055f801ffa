/* What every public algorithm does around its own work: the same two phases, the same rules about temp
 * storage, the same errors.
 *
 *   jig_status jig_thing(...) {
 *     call c;
 *     jig_status status = call_begin(&c, "jig_thing", engine, ..., stream);
 *     if (status == JIG_SUCCESS) status = thing(&c, args);
 *     return call_end(&c, status);
 *   }
 *
 * and in thing(): describe the args as a spec; call_program(); lay out temp storage; call_temp_storage();
 * and if that says to go on, call_launch(). */
#ifndef JIG_ALGORITHM_CALL_H
#define JIG_ALGORITHM_CALL_H

#include <jig/reduce.h>

#include "algorithm/temp_storage.h"
#include "engine/engine.h"
#include "spec/layout.h"

typedef struct call {
  const char *name; /* "jig_reduce": what errors begin with */
  jig_engine *engine;
  void *storage; /* temp storage; NULL in a size query */
  size_t *bytes; /* NULL: the call gets temp storage for itself */
  CUstream stream;
  uint64_t number;
  bool in_memory; /* the program was */
  bool ranged;    /* an NVTX range is open */
  void *owned;    /* temp storage to be given back */
  size_t owned_bytes;
  program *program;
} call;

jig_status call_begin(call *c, const char *name, jig_engine *engine, void *storage, size_t *bytes,
                      CUstream stream);

/* Closes the call and returns the status. */
jig_status call_end(call *c, jig_status status);

/* Whether an enumeration's value is one of 0 .. last. */
jig_status call_check_choice(const call *c, const char *field, int value, int last);

/* Whether a fold can be had as deterministic as that. */
jig_status call_check_determinism(const call *c, jig_determinism wanted, const jig_op *op,
                                  const jig_type *accum);

/* Whether an operator's state is somewhere, unless it is left out (kind NONE). */
jig_status call_check_op(const call *c, const jig_op *op, const char *what);

/* Whether an iterator's pointers and values are there, for so many items. Its name is put into words only
 * where they are not, as warm calls pass here. */
jig_status call_check_iter(const call *c, const jig_iter *iter, uint64_t num_items, const char *what);

/* Whether there are args, and what is reserved in them is zero. */
jig_status call_check_args(const call *c, const struct_layout *layout, const void *args);

/* How a jig_..._spec() begins: the same of its args, and neither pointer may be NULL; *text is. */
jig_status call_check_spec_query(const char *name, const struct_layout *layout, const void *args,
                                 char **text);

/* Finds, loads or builds the program of a spec. */
jig_status call_program(call *c, const spec *s);

/* Whether there can be so many items of an iterator, which is argument `name`; `argument` is what counts
 * them, as errors say it: "num_items". To be asked in size queries, too. */
jig_status call_check_count(const call *c, const char *argument, uint64_t count, const jig_iter *iter,
                            const char *name);

/* Whether a launch can have so many blocks, which is for `argument` to answer for. The same. */
jig_status call_check_blocks(const call *c, const char *argument, uint64_t blocks);

/* Whether there can be so much temp storage. The same. */
jig_status call_check_temp(const call *c, const char *argument, uint64_t bytes);

/* Settles temp storage for a layout, which is checked for num_items. In a size query it writes the size
 * and *go_on is false; otherwise c->storage is at least that large and *go_on is true, unless an error is
 * returned. */
jig_status call_temp_storage(call *c, const temp_layout *layout, bool *go_on);

/* Whether iterator `what` may be used beside the temp storage. */
jig_status call_check_overlap(const call *c, const jig_iter *iter, uint64_t num_items, const char *what);

/* Whether output `what` may be used beside input `other` by an algorithm that reads item i before it
 * writes item i: not if pointers tell that they overlap in any other way than item for item. */
jig_status call_check_in_place(const call *c, const jig_iter *out, const char *what, const jig_iter *in,
                               const char *other, uint64_t num_items);

/* Whether output `what` may be used beside another argument, `other`: not if pointers tell that they
 * overlap. */
jig_status call_check_apart(const call *c, const jig_iter *out, uint64_t num_items, const char *what,
                            const jig_iter *other, uint64_t num_others, const char *other_what);

/* Launches one of the program's kernels, by its number in the algorithm's row. */
jig_status call_launch(call *c, int kernel, launch_shape shape, void **parameters);

/* If the stream is being captured, fills temp storage with zeros first: for what a graph's replays must
 * not find as the one before has left it. */
jig_status call_clear_for_graph(const call *c, void *storage, size_t bytes);

#endif
