/** Prepared calls: a call that is made again and again is checked and looked up once, and from then on
 * only launched, with other pointers and counts if need be.
 *
 *     jig_prepared *prepared;
 *     check(JIG_PREPARE(NULL, reduce, &sum, &prepared));          // builds the program
 *     check(jig_prepared_launch(prepared, NULL, &bytes, stream)); // how much temp storage
 *     for (...) {
 *       check(jig_prepared_set_pointer(prepared, "in", next));
 *       check(jig_prepared_launch(prepared, temp, &bytes, stream)); // only launches
 *     }
 *     jig_prepared_free(prepared);
 *
 * What it does is what the ordinary call does with the same args, bit for bit, with the same checks of
 * pointers and counts and the same rules (jig/jig.h); errors begin with the algorithm's name. It leaves
 * out finding the program, which takes an ordinary call a fraction of a microsecond: it is for programs
 * whose calls are many and small.
 *
 * Threads: any number of threads may have prepared calls, of one engine, too; one of them is used by one
 * thread at a time.
 *
 * Contexts and streams: any, as of ordinary calls. In a context on another kind of GPU the next launch
 * finds the program anew. docs/prepared.md shows more. */
#ifndef JIG_PREPARED_H
#define JIG_PREPARED_H

#include <jig/engine.h>
#include <jig/iterator.h>
#include <jig/status.h>

JIG_BEGIN_DECLS

/** A graph of CUDA work, and one that can be launched, declared as cuda.h declares them. */
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

/** A prepared call. It must not be used when its engine is gone, but may still be freed. */
typedef struct jig_prepared jig_prepared;

/**
 * Prepares a call: checks its args, and builds or loads what it takes of the program, as a size query of
 * the ordinary call does, also while streams are being captured: but if one is the thread's own default
 * stream (CU_STREAM_PER_THREAD), a program that nobody has asked for is JIG_ERROR_NOT_BUILT.
 *
 * The args are copied, with the iterators' bases, the texts and the compiled operators that they point
 * to; all of these may go then. Host memory that calls read values from, or write to (init, an
 * iterator's value or step, an operator's state, extents, a selector, ...), is not copied: it has to be
 * there at each launch, which finds in it what is there by then.
 * @param engine    NULL: the process-wide one
 * @param algorithm its name as in specs, "reduce" for jig_reduce(); see JIG_PREPARE
 * @param args      its struct. Pointers of iterators may still be NULL.
 * @param args_size sizeof of that struct
 * @param prepared  *prepared is the caller's, for jig_prepared_free(); NULL on failure
 */
JIG_API jig_status jig_prepare(jig_engine *engine, const char *algorithm, const void *args,
                               size_t args_size, jig_prepared **prepared);

/* A pointer that has to be one to that type, in either language. */
#ifdef __cplusplus
#define JIG_POINTER_TO(type, pointer) static_cast<const type *>(pointer)
#else
#define JIG_POINTER_TO(type, pointer) (1 ? (pointer) : (const type *)0)
#endif

/** jig_prepare() of a pointer that has to be one to the algorithm's args: JIG_PREPARE(NULL, reduce, &sum,
 * &prepared). */
#define JIG_PREPARE(engine, algorithm, args, prepared)                            \
  jig_prepare((engine), #algorithm, JIG_POINTER_TO(jig_##algorithm##_args, args), \
              sizeof(jig_##algorithm##_args), (prepared))

/** Frees a prepared call; NULL is fine. What it has launched goes on. */
JIG_API void jig_prepared_free(jig_prepared *prepared);

/**
 * Has further launches use another pointer.
 * @param argument the field of the args, "in", or of an array of pointers an element, "counts[1]". An
 *                 iterator that has a pointer of its own (jig_pointer(), jig_pointer_hinted(),
 *                 jig_strided()); an operator with a state, whose state it is; or a pointer, which stays
 *                 NULL if it was and does not become so.
 */
JIG_API jig_status jig_prepared_set_pointer(jig_prepared *prepared, const char *argument,
                                            const void *pointer);

/**
 * Has further launches use another count.
 * @param argument the field of the args, of type uint64_t: "num_items", "k", "segment_size", ... More may
 *                 take more temp storage: jig_prepared_launch() says how much. What a count takes of the
 *                 program that the earlier ones did not is built by that query, or by the launch.
 */
JIG_API jig_status jig_prepared_set_count(jig_prepared *prepared, const char *argument, uint64_t count);

/**
 * Has further launches use another iterator, which differs in nothing but what moves: pointers, where
 * values are, steps, strides, counts, seeds and states, of its bases, too.
 * @param argument the field of the args, "in"; the inputs of a transform by number, "in[0]"
 * @param iter     JIG_ERROR_INVALID_ARGUMENT if it is of another kind, type or operator
 */
JIG_API jig_status jig_prepared_set_iter(jig_prepared *prepared, const char *argument,
                                         const jig_iter *iter);

/**
 * The call itself: with d_temp_storage == NULL a query of how much temp storage it takes, else a launch;
 * with both NULL it takes temp storage for itself. As the ordinary call does, with its errors. It may be
 * captured.
 */
JIG_API jig_status jig_prepared_launch(jig_prepared *prepared, void *d_temp_storage,
                                       size_t *temp_storage_bytes, CUstream stream);

/**
 * The call as a graph of its own, to be instantiated, or to be part of another one as a child. Nothing is
 * launched. Its kernels use the pointers and counts that the prepared call has now, and that temp
 * storage.
 * @param d_temp_storage not NULL
 * @param graph          *graph is the caller's, for cuGraphDestroy(); NULL on failure
 */
JIG_API jig_status jig_prepared_graph(jig_prepared *prepared, void *d_temp_storage,
                                      size_t *temp_storage_bytes, CUgraph *graph);

/**
 * Puts the pointers and counts that the prepared call has now, and that temp storage, into an
 * instantiated graph, for its further launches; one that is under way is not changed. Counts may change
 * if they take the same kernels in the same form; on how many blocks does not matter, in clusters of how
 * many does. One that takes others (another kernel for many items, none for no items), or what else
 * cuGraphExecUpdate() cannot change, is JIG_ERROR_UNSUPPORTED, and the graph stays as it was: instantiate
 * another one.
 * @param graph instantiated of the last graph that jig_prepared_graph() made of this prepared call
 * @param d_temp_storage not NULL
 */
JIG_API jig_status jig_prepared_update(jig_prepared *prepared, void *d_temp_storage,
                                       size_t *temp_storage_bytes, CUgraphExec graph);

JIG_END_DECLS

#endif
