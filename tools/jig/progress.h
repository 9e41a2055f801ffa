/* How far something is, in a line on standard error, if people look at that. */
#ifndef JIG_CLI_PROGRESS_H
#define JIG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
  const char *what; /* NULL: nobody looks */
  const char *unit; /* of what is counted; NULL: it is bytes */
  uint64_t total;   /* UINT64_MAX: it is not known */
  double start_ms, shown_ms;
  double most_ms; /* it does not go on for longer, whatever is left; 0: as long as it takes */
} progress;

/* Nothing is shown before it has taken a while. */
void progress_begin(progress *p, const char *what, uint64_t total);

/* The same of other things than bytes: "candidates". The total may change. */
void progress_begin_count(progress *p, const char *what, const char *unit, uint64_t total);

/* So many are done. */
void progress_at(progress *p, uint64_t done);

/* Removes the line. */
void progress_end(progress *p);

#endif
