#include <stdio.h>

#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "gpu.h"

/* ---- one result */

/* How much faster jig is. */
static double ratio(const spread s[CONTENDERS]) {
  return s[BENCH_CUB].median / s[BENCH_JIG].median;
}

static bool is_measured(const spread s[CONTENDERS]) {
  return s[BENCH_JIG].samples > 0 && s[BENCH_CUB].samples > 0;
}

/* Whether the middle four fifths of both overlap: no difference can be claimed then. */
static bool is_noise(const spread s[CONTENDERS]) {
  return s[BENCH_JIG].p10 <= s[BENCH_CUB].p90 && s[BENCH_CUB].p10 <= s[BENCH_JIG].p90;
}

/* Nothing where nothing was measured. */
static void print_number(FILE *file, const spread *s, double value) {
  if (s->samples > 0) (void)fprintf(file, "%.4f", value);
}

static void write_rows(FILE *csv, const result *r) {
  static const char *const verified[] = {"unchecked", "yes", "NO"};
  const bench_case *c = r->benched;
  const double moved = (double)case_moved_bytes(c, r->n);
  for (int k = 0; k < r->count; ++k) {
    const spread *stream = &r->stream[k], *graph = &r->graph[k];
    (void)fprintf(csv, "%s,%s,%s,%llu,%s,", c->algorithm, c->type, c->variant, (unsigned long long)r->n,
                  contender_names[k]);
    (void)fprintf(csv, "%.4f,%.4f,%.4f,", stream->median, stream->min, stream->p90);
    print_number(csv, graph, graph->median);
    (void)fprintf(csv, ",%.2f,%zu,%.4f,", moved / stream->median / 1e3, r->temp_bytes[k], stream->p10);
    print_number(csv, graph, graph->min);
    (void)fputc(',', csv);
    print_number(csv, graph, graph->p10);
    (void)fputc(',', csv);
    print_number(csv, graph, graph->p90);
    (void)fprintf(csv, ",%d,%s\n", stream->samples, verified[r->verified]);
  }
  (void)fflush(csv);
}

static const char *size_text(uint64_t n, char text[24]) {
  int power = 0;
  while ((uint64_t)1 << power < n && power < 63) ++power;
  if ((uint64_t)1 << power == n)
    (void)snprintf(text, 24, "2^%d", power);
  else
    (void)snprintf(text, 24, "%llu", (unsigned long long)n);
  return text;
}

static void print_times(const spread s[CONTENDERS]) {
  if (s[BENCH_JIG].samples > 0)
    (void)printf(" %9.2f", s[BENCH_JIG].median);
  else
    (void)printf(" %9s", "-");
  if (is_measured(s))
    (void)printf(" %9.2f %6.2fx%c", s[BENCH_CUB].median, ratio(s), is_noise(s) ? '~' : ' ');
  else
    (void)printf(" %9s %7s ", "-", "-");
}

static void print_heading(void) {
  (void)printf("%-42s %6s |%10s%10s %7s  |%10s%10s %7s  | %8s | %16s |\n", "", "", "jig us", "CUB us",
               "stream", "jig us", "CUB us", "graph", "jig GB/s", "temp bytes");
}

static void print_line(const result *r) {
  static const char *const verified[] = {"unchecked", "same", "DIFFERENT"};
  char name[CASE_NAME_SIZE], size[24];
  case_name(r->benched, name);
  (void)printf("%-42s %6s |", name, size_text(r->n, size));
  print_times(r->stream);
  (void)printf(" |");
  print_times(r->graph);
  (void)printf(" | %8.1f | %7zu",
               (double)case_moved_bytes(r->benched, r->n) / r->stream[BENCH_JIG].median / 1e3,
               r->temp_bytes[BENCH_JIG]);
  if (r->count == CONTENDERS)
    (void)printf(" %8zu", r->temp_bytes[BENCH_CUB]);
  else
    (void)printf(" %8s", "-");
  (void)printf(" | %s\n", verified[r->verified]);
  (void)fflush(stdout);
}

/* ---- all of them */

report report_open(const options *o) {
  report r = {0};
  r.csv = csv_open(o, true,
                   "algorithm,type,variant,n,impl,stream_us_median,stream_us_min,stream_us_p90,"
                   "graph_us_median,gbps,temp_bytes,stream_us_p10,graph_us_min,graph_us_p10,"
                   "graph_us_p90,samples,verified",
                   &r.before);
  print_heading();
  return r;
}

void report_add(report *r, const result *added) {
  if (r->count == r->capacity) {
    r->capacity = 2 * r->capacity + 64;
    r->results = realloc(r->results, (size_t)r->capacity * sizeof *r->results);
    if (r->results == NULL) die("out of memory");
  }
  r->results[r->count++] = *added;
  if (r->csv != NULL) write_rows(r->csv, added);
  print_line(added);
}

static const result *find_result(const report *r, const bench_case *c, uint64_t n) {
  for (int i = 0; i < r->count; ++i) {
    if (r->results[i].benched == c && r->results[i].n == n) return &r->results[i];
  }
  return NULL;
}

/* The sizes of all results, ascending. */
static int list_sizes(const report *r, uint64_t sizes[MOST_SIZES]) {
  int count = 0;
  for (int i = 0; i < r->count; ++i) {
    int place = 0;
    while (place < count && sizes[place] < r->results[i].n) ++place;
    if (place < count && sizes[place] == r->results[i].n) continue;
    if (count == MOST_SIZES) break;
    memmove(sizes + place + 1, sizes + place, (size_t)(count - place) * sizeof *sizes);
    sizes[place] = r->results[i].n;
    ++count;
  }
  return count;
}

static void print_ratios(const report *r, const char *title, bool graph) {
  uint64_t sizes[MOST_SIZES];
  const int size_count = list_sizes(r, sizes);
  char text[24];
  (void)printf("\n%s: CUB's time / jig's (above 1, jig is faster; ~ within the spread)\n%-42s", title,
               "");
  for (int s = 0; s < size_count; ++s) (void)printf(" %7s ", size_text(sizes[s], text));
  (void)printf("\n");
  for (int i = 0; i < r->count; ++i) {
    const bench_case *c = r->results[i].benched;
    if (i > 0 && r->results[i - 1].benched == c) continue;
    char name[CASE_NAME_SIZE];
    case_name(c, name);
    (void)printf("%-42s", name);
    for (int s = 0; s < size_count; ++s) {
      const result *found = find_result(r, c, sizes[s]);
      const spread *pair = found == NULL ? NULL : graph ? found->graph : found->stream;
      if (pair != NULL && is_measured(pair))
        (void)printf(" %7.2f%c", ratio(pair), is_noise(pair) ? '~' : ' ');
      else
        (void)printf(" %7s ", "-");
    }
    (void)printf("\n");
  }
}

void report_close(report *r) {
  bool compared = false;
  for (int i = 0; i < r->count; ++i) compared |= is_measured(r->results[i].stream);
  if (compared) {
    print_ratios(r, "back to back in a stream", false);
    print_ratios(r, "replayed from a graph", true);
  } else {
    (void)printf("\nCUB did not run: nothing to compare with, and no result was checked\n");
  }
  csv_close(r->csv);
  finished_free(&r->before);
  free(r->results);
  *r = (report){0};
}

void report_figure(FILE *csv, const char *figure, const char *name, const char *impl, const char *unit,
                   spread s) {
  (void)printf("  %-42s %-12s %9.3f %s   (min %.3f, p10 %.3f, p90 %.3f, %d samples)\n", figure, impl,
               s.median, unit, s.min, s.p10, s.p90, s.samples);
  (void)fflush(stdout);
  if (csv == NULL) return;
  (void)fprintf(csv, "%s,%s,%s,%s,%.4f,%.4f,%.4f,%.4f,%d\n", figure, name, impl, unit, s.median, s.min,
                s.p10, s.p90, s.samples);
  (void)fflush(csv);
}
