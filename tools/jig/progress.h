/* How far something is, in a line on standard error, if people look at that. */
#ifndef JIG_CLI_PROGRESS_H
#define JIG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
  const char *what; /* NULL: nobody looks */
  uint64_t total;   /* bytes; UINT64_MAX: it is not known */
  double start_ms, shown_ms;
} progress;

/* Nothing is shown before it has taken a while. */
void progress_begin(progress *p, const char *what, uint64_t total);

/* So many bytes are done. */
void progress_at(progress *p, uint64_t done);

/* Removes the line. */
void progress_end(progress *p);

#endif
