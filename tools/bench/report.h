/* What was measured, as CSV and for reading. */
#ifndef JIG_BENCH_REPORT_H
#define JIG_BENCH_REPORT_H

#include "contender.h"
#include "finished.h"
#include "options.h"

typedef enum agreement { UNCHECKED, AGREED, DIFFERED } agreement;

/* One case at one size. */
typedef struct result {
  const bench_case *benched;
  uint64_t n;
  int count; /* of contenders */
  spread stream[CONTENDERS], graph[CONTENDERS];
  size_t temp_bytes[CONTENDERS];
  agreement verified;
} result;

typedef struct report {
  FILE *csv;       /* NULL: none */
  finished before; /* what the file had already */
  result *results; /* all, for the summary */
  int count, capacity;
} report;

/* Opens the CSV file of the options, if there is to be one, and writes what was measured where: lines
 * that begin with '#'. Then the line of column names. If the options say so, it goes on with a file, and
 * *f (which may be NULL: it begins anew) becomes what that has already. */
FILE *csv_open(const options *o, bool with_gpu, const char *columns, finished *f);
void csv_close(FILE *csv);

report report_open(const options *o);
/* Adds a result: rows to the file, a line to stdout. */
void report_add(report *r, const result *added);
/* The ratios of all, case by size, and the end of the file. */
void report_close(report *r);

/* A figure of the host, by a name that README.md explains: a line to stdout, a row to the file (which may
 * be NULL). */
#define FIGURE_COLUMNS "figure,case,impl,unit,median,min,p10,p90,samples"
void report_figure(FILE *csv, const char *figure, const char *name, const char *impl, const char *unit,
                   spread s);

#endif
