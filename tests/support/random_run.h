/* Random calls: making one. */
#ifndef JIG_TESTS_RANDOM_RUN_H
#define JIG_TESTS_RANDOM_RUN_H

#include "random_places.h"

/* A call in all of its phases, with temp storage of the very size, after one that is too small perhaps,
 * or of the stream's; in a graph or not; prepared with other pointers and counts, or not. */
typedef enum random_step { STEP_BEGIN, STEP_QUERY, STEP_TOO_SMALL, STEP_LAUNCH, STEP_OVER } random_step;
typedef struct random_run {
  random_step step;
  const char *algorithm;
  jig_prepared *prepared; /* NULL: it is an ordinary call */
  bool in_graph;
  size_t bytes, *bytes_argument, most_bytes; /* the last one: that there may be */
  void *storage;
  CUstream stream;
  jig_status status; /* of the step */
} random_run;

/* Prepares it, perhaps. */
void run_begin(random_run *run, const void *args, size_t args_size);
/* Whether there is another step to take, and what it is. */
bool run_more(random_run *run);
/* Waits; false if the call failed, of which it has told. */
bool run_ended(random_run *run);

/* Makes a call, and ends the case if that fails. */
#define RUN(call_, args)                                                                           \
  do {                                                                                             \
    char *spec_ = NULL;                                                                            \
    random_describe(call_##_spec((args), &spec_) == JIG_SUCCESS ? spec_ : NULL, #call_);           \
    jig_free(spec_);                                                                               \
    random_run run_ = {.algorithm = #call_, .in_graph = data_one_in(4)};                           \
    run_begin(&run_, (args), sizeof *(args));                                                      \
    while (run_more(&run_)) {                                                                      \
      run_.status =                                                                                \
          run_.prepared != NULL                                                                    \
              ? jig_prepared_launch(run_.prepared, run_.storage, run_.bytes_argument, run_.stream) \
              : call_(NULL, run_.storage, run_.bytes_argument, (args), run_.stream);               \
    }                                                                                              \
    if (!run_ended(&run_)) return;                                                                 \
  } while (0)

#endif
