/* $JIG_RECORD: the specs that calls ask for, appended to a manifest, each of them once by an engine. */
#ifndef JIG_ENGINE_RECORD_H
#define JIG_ENGINE_RECORD_H

#include <pthread.h>

#include "spec/spec.h"
#include "util/digest.h"

typedef struct recorder {
  char *path; /* NULL: nothing is recorded */
  pthread_mutex_t mutex;
  digest *lines; /* that are written */
  size_t count, capacity;
} recorder;

/* Nothing is opened yet. */
void recorder_open(recorder *r, const char *path);
void recorder_close(recorder *r);

/* Appends a sound spec as a line, by one write, unless it is there from before. What fails is logged. */
void recorder_add(recorder *r, const spec *s);

#endif
