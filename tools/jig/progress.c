#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "util/clock.h"

enum { FIRST_MS = 300, NEXT_MS = 100, BAR_WIDTH = 24 };

void progress_begin(progress *p, const char *what, uint64_t total) {
  const double now = clock_ms();
  *p = (progress){.what = isatty(STDERR_FILENO) ? what : NULL,
                  .total = total,
                  .start_ms = now,
                  .shown_ms = now + FIRST_MS - NEXT_MS};
}

void progress_begin_count(progress *p, const char *what, const char *unit, uint64_t total) {
  progress_begin(p, what, total);
  p->unit = unit;
}

/* "1:02", of seconds. */
static void print_left(double seconds) {
  const unsigned long whole = (unsigned long)(seconds + 0.5);
  if (whole >= 3600)
    (void)fprintf(stderr, ", %lu:%02lu:%02lu left", whole / 3600, whole / 60 % 60, whole % 60);
  else
    (void)fprintf(stderr, ", %lu:%02lu left", whole / 60, whole % 60);
}

static void print_bar(double part) {
  static const char full[] = "########################";
  const int width = (int)(part * BAR_WIDTH);
  (void)fprintf(stderr, " [%.*s%*s] %3.0f %%", width, full, BAR_WIDTH - width, "", part * 100);
}

/* As fast as it has been for the first `ms`. */
static double left_ms(const progress *p, double ms, uint64_t done) {
  const double left = ms * (double)(p->total - done) / (double)done, most = p->most_ms - ms;
  return p->most_ms <= 0 || left < most ? left : most > 0 ? most : 0;
}

void progress_at(progress *p, uint64_t done) {
  const double now = clock_ms();
  if (p->what == NULL || now - p->shown_ms < NEXT_MS) return;
  char size[BYTES_TEXT_SIZE];
  const double ms = now - p->start_ms;
  p->shown_ms = now;
  (void)fprintf(stderr, "\r%s", p->what);
  const bool has_total = p->total != UINT64_MAX && p->total > 0;
  if (has_total) print_bar(done < p->total ? (double)done / (double)p->total : 1);
  if (p->unit != NULL)
    (void)fprintf(stderr, "  %" PRIu64 " of %" PRIu64 " %s", done, p->total, p->unit);
  else
    (void)fprintf(stderr, "  %s, %.2f GB/s", bytes_text((double)done, size), (double)done / ms / 1e6);
  if (has_total && done > 0 && done <= p->total) print_left(left_ms(p, ms, done) / 1000);
  (void)fprintf(stderr, "\033[K");
  (void)fflush(stderr);
}

void progress_end(progress *p) {
  if (p->what != NULL) (void)fprintf(stderr, "\r\033[K");
  p->what = NULL;
}
