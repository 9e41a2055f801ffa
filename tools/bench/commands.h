/* The subcommands. Each returns the exit status. */
#ifndef JIG_BENCH_COMMANDS_H
#define JIG_BENCH_COMMANDS_H

#include <stdio.h>

#include "cases.h"
#include "options.h"

enum {
  EXIT_DONE = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_NO_GPU = 3,
  EXIT_UNFINISHED = 4, /* the limit was reached */
  EXIT_DIFFERED = 5    /* all was measured, but results differ */
};

int command_run(const options *o);
int command_host(const options *o);
int command_cold(const options *o);
int command_linked(const options *o);

/* The part of `host` that uses fresh processes, which find out for themselves whether there is a GPU. */
void measure_builds(const options *o, const bench_case *c, FILE *csv);

/* One such process: `bench-run fresh-process <case> <mode> <arch> <payload file>`. */
#define FRESH_PROCESS "fresh-process"
int command_fresh_process(int argc, char **argv);

/* One of `cold`: `bench-run first-call <case> <items> <when it was started, ms> <1: on a GPU>`. */
#define FIRST_CALL "first-call"
int command_first_call(int argc, char **argv);

#endif
