/* What jig prewarm is to do: a list of programs, each a spec for an architecture. */
#ifndef JIG_CLI_PREWARM_JOBS_H
#define JIG_CLI_PREWARM_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/jig.h>

#include "archs.h"
#include "build_options.h"

typedef enum job_outcome {
  JOB_COMPILED,
  JOB_HIT,     /* the cache has it already */
  JOB_MISSING, /* it would be compiled: what a dry run finds */
  JOB_FAILED
} job_outcome;

typedef struct job {
  const char *spec;  /* of the list's texts, like `shown` */
  const char *shown; /* the spec in short */
  char *place;       /* "file.jsonl:3"; NULL: from the command line */
  const char *arch;
  job_outcome outcome;
  jig_status status;
  double ms;   /* of the compiler, or of the look-up on a hit */
  char *error; /* JOB_FAILED: the whole story */
  jig_prewarm_result result;
} job;

typedef struct job_list {
  job *jobs;
  size_t count, capacity;
  char **texts; /* owned: specs and their short forms */
  size_t text_count, text_capacity;
} job_list;

/* Adds a job for each program that the spec names and each architecture. Memory that is out ends the
 * program: there is nothing to lose yet. */
void jobs_add_spec(job_list *list, const char *spec, const char *file, size_t line,
                   const arch_list *archs);

/* Adds those of each line of a manifest ("-": standard input), which is a spec or, as on the command
 * line, an algorithm and its slots; blank lines and those that begin with '#' are left out. EXIT_OK or,
 * having complained, EXIT_FAILED: also if a line has a NUL, or a carriage return that is not at its end.
 */
int jobs_add_manifest(job_list *list, const char *path, const arch_list *archs);

void jobs_free(job_list *list);

/* Prewarms them all. `dry` compiles nothing and finds out what would be. Results go to standard output as
 * each job ends, a progress bar to standard error if that is a terminal. EXIT_OK or, having complained,
 * EXIT_FAILED; failures of single jobs are in the jobs. */
typedef struct prewarm_settings {
  unsigned threads; /* 0: one per processor */
  bool dry, json;
  bool first_tier; /* not the programs: prewarm_first_tier() */
  const char *to;  /* the cache directory to fill, whatever other layers have; NULL: the user's */
  build_options build;
} prewarm_settings;
int jobs_run(job_list *list, const prewarm_settings *settings);

/* Takes --jobs, --to, --dry-run and --json; of others *mine is false. EXIT_OK or EXIT_USAGE, having
 * complained. */
int prewarm_settings_take(prewarm_settings *settings, int id, const char *value, bool *mine);

/* The same with all that is told in the end; also EXIT_FAILED if a job failed. */
int jobs_prewarm(job_list *list, const prewarm_settings *settings);

/* A finished job on standard output: a line for people, or one of JSON. */
void job_print(const job *j);
void job_print_json(const job *j);

#endif
