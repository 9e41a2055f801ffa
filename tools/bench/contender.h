/* jig and CUB on one case at one size: the same inputs, each its own outputs and temp storage. */
#ifndef JIG_BENCH_CONTENDER_H
#define JIG_BENCH_CONTENDER_H

#include "cases.h"
#include "timing.h"

enum { BENCH_JIG, BENCH_CUB, CONTENDERS };
extern const char *const contender_names[CONTENDERS];

typedef struct contender {
  const bench_case *benched;
  const cub_case *peer;   /* NULL: this is jig */
  jig_engine *engine;     /* jig's, */
  jig_prepared *prepared; /* and a call that was prepared, while one is measured */
  bench_data data;
  void *temp;
  size_t temp_bytes;
  _Alignas(16) unsigned char args[BENCH_ARGS_SIZE]; /* what data.args points to */
} contender;

/* The memory of one case, for sizes up to most_items. */
typedef struct arena {
  const bench_case *benched;
  void *in[BENCH_ARRAYS], *out[CONTENDERS][BENCH_ARRAYS];
} arena;
arena arena_new(const bench_case *c, uint64_t most_items);
void arena_free(arena *a);

/* Sets both up for n items and fills the inputs. Returns how many there are: 2, or 1 if CUB has no such
 * case or not for so many, or jig is to be alone. jig's size query, here, builds the program. */
int contenders_open(contender both[CONTENDERS], const arena *a, uint64_t n, jig_engine *engine,
                    bool alone);
void contenders_close(contender both[CONTENDERS], int count);

/* Puts one call on the stream. */
task contender_task(contender *c);

#endif
