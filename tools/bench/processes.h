/* Processes that have done nothing else: bench-run starts itself again. And a folder for their caches. */
#ifndef JIG_BENCH_PROCESSES_H
#define JIG_BENCH_PROCESSES_H

#include <stdio.h>
#include <sys/types.h>

enum { SCRATCH_SIZE = 512 };

/* A new folder; removed, with all in it, by scratch_remove() or when the program ends. */
const char *scratch_make(void);
void scratch_remove(void);

/* posix_spawn() takes what is not const and leaves it alone. */
char *process_word(const char *text);

/* Starts bench-run with these arguments, that folder as its cache, and gives what it prints;
 * process_end() closes that, waits, and returns its exit status. */
FILE *process_start(char *const arguments[], const char *cache, pid_t *child);
int process_end(FILE *output, pid_t child);

#endif
