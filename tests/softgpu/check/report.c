#include "check/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/memory.h"

enum { MAX_TOLD = 100, MAX_TEXT = 4096 };

static const char *const names[REPORT_KINDS] = {
    [REPORT_OUT_OF_BOUNDS] = "out of bounds",
    [REPORT_USE_AFTER_FREE] = "use after free",
    [REPORT_MISALIGNED] = "misaligned access",
    [REPORT_READ_ONLY] = "write to read-only memory",
    [REPORT_UNINITIALISED] = "uninitialised read",
    [REPORT_RACE] = "shared-memory race",
    [REPORT_ORDER] = "missing order",
    [REPORT_BARRIER] = "barrier not reached by all",
    [REPORT_MEMBER_MASK] = "invalid member mask",
    [REPORT_DEADLOCK] = "deadlock",
    [REPORT_TRAP] = "trap",
    [REPORT_HOST] = "host call",
    [REPORT_LEAK] = "leak",
};

/* A defect that has been told, and where. */
typedef struct defect {
  report_kind kind;
  unsigned ptx_line;
  char *kernel; /* NULL: not to be compared */
} defect;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static defect told[MAX_TOLD];
static unsigned told_count, counts[REPORT_KINDS];
static bool said_enough;
static int output = -1;

/* The number of the report that this thread's details belong to; 0: that one was not told. */
static _Thread_local unsigned current;

/* Goes out at once, whole: what comes next may be a crash. */
static void put(const char *text, size_t length) {
  if (output < 0) {
    const char *path = getenv("JIG_SOFTGPU_LOG");
    if (path != NULL && path[0] != '\0') {
      output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    if (output < 0) output = STDERR_FILENO;
  }
  while (length > 0) {
    const ssize_t n = write(output, text, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    length -= (size_t)n;
  }
}

/* The lines of one report, each with the mark in front. */
typedef struct lines {
  size_t length;
  char text[MAX_TEXT];
} lines;

__attribute__((format(printf, 3, 0))) static void add_list(lines *l, const char *mark, const char *format,
                                                           va_list arguments) {
  /* A line break is kept free at the end, for what does not fit. */
  const size_t capacity = sizeof l->text - 1;
  const char *const parts[] = {"=========", mark};
  for (size_t i = 0; i < 2; i++) {
    const size_t length = strlen(parts[i]);
    if (length >= capacity - l->length) return;
    memcpy(l->text + l->length, parts[i], length);
    l->length += length;
  }
  const int n = vsnprintf(l->text + l->length, capacity - l->length, format, arguments);
  if (n > 0) {
    const size_t rest = capacity - l->length - 1;
    l->length += (size_t)n < rest ? (size_t)n : rest;
  }
  l->text[l->length++] = '\n';
}

__attribute__((format(printf, 3, 4))) static void add(lines *l, const char *mark, const char *format,
                                                      ...) {
  va_list arguments;
  va_start(arguments, format);
  add_list(l, mark, format, arguments);
  va_end(arguments);
}

static const char title[] = " jig software GPU: ", indent[] = "   ";

/* "4 bytes past the end of" and the like. */
static void describe_position(char *text, size_t size, const allocation *a, uint64_t address) {
  if (address < a->address) {
    const uint64_t n = a->address - address;
    (void)snprintf(text, size, "%" PRIu64 " byte%s before", n, n == 1 ? "" : "s");
  } else if (address - a->address < a->size) {
    (void)snprintf(text, size, "at byte %" PRIu64 " of", address - a->address);
  } else if (address - a->address == a->size) {
    (void)snprintf(text, size, "right past the end of");
  } else {
    const uint64_t n = address - a->address - a->size;
    (void)snprintf(text, size, "%" PRIu64 " byte%s past the end of", n, n == 1 ? "" : "s");
  }
}

static void add_address(lines *l, uint64_t address) {
  const allocation *a = memory_nearest(address);
  if (a == NULL) {
    add(l, indent, "address 0x%" PRIx64 " is not near anything allocated", address);
    return;
  }
  char position[64];
  describe_position(position, sizeof position, a, address);
  const bool named = a->name != NULL;
  add(l, indent, "address 0x%" PRIx64 " is %s %" PRIu64 " bytes %s%s%s (allocation %u%s)", address,
      position, a->size, allocation_kind_name(a->kind), named ? " " : "", named ? a->name : "", a->serial,
      atomic_load(&a->freed) ? ", freed" : "");
}

static void add_place(lines *l, const report_place *p) {
  const bool has_line = p->ptx_line != 0, has_text = p->instruction != NULL;
  if (p->kernel != NULL || has_line || has_text) {
    char line[32] = "";
    if (has_line) (void)snprintf(line, sizeof line, ", PTX line %u", p->ptx_line);
    add(l, indent, "at %s%s%s%s%s", p->kernel != NULL ? "kernel " : "an unknown kernel",
        p->kernel != NULL ? p->kernel : "", line, has_text ? ": " : "", has_text ? p->instruction : "");
  }
  if (p->source != NULL) add(l, indent, "source %s:%u", p->source, p->source_line);
  if (p->has_thread) {
    add(l, indent, "thread (%u,%u,%u) of block (%u,%u,%u)", p->thread[0], p->thread[1], p->thread[2],
        p->block[0], p->block[1], p->block[2]);
  }
  if (p->has_address) add_address(l, p->address);
}

/* Defects at unknown places cannot be known to be the same one. */
static bool is_once_only(report_kind kind, const report_place *place) {
  return kind != REPORT_LEAK && kind != REPORT_HOST && place != NULL && place->kernel != NULL;
}

/* Under the lock: the number to tell it by, from 1; 0: it is only counted. */
static unsigned count_and_decide(report_kind kind, const report_place *place) {
  counts[kind]++;
  if (told_count == MAX_TOLD) {
    if (!said_enough) {
      lines l = {0};
      add(&l, title, "%d reports have been told, further ones are counted only", MAX_TOLD);
      put(l.text, l.length);
    }
    said_enough = true;
    return 0;
  }
  defect *next = &told[told_count];
  *next = (defect){.kind = kind};
  if (is_once_only(kind, place)) {
    for (const defect *d = told; d < next; d++) {
      if (d->kind == kind && d->ptx_line == place->ptx_line && d->kernel != NULL &&
          strcmp(d->kernel, place->kernel) == 0) {
        return 0;
      }
    }
    next->ptx_line = place->ptx_line;
    next->kernel = strdup(place->kernel);
  }
  return ++told_count;
}

bool report(report_kind kind, const report_place *place, const char *format, ...) {
  (void)pthread_mutex_lock(&lock);
  current = count_and_decide(kind, place);
  if (current != 0) {
    lines l = {0};
    add(&l, title, "%s (report %u)", names[kind], current);
    va_list arguments;
    va_start(arguments, format);
    add_list(&l, indent, format, arguments);
    va_end(arguments);
    if (place != NULL) add_place(&l, place);
    put(l.text, l.length);
  }
  (void)pthread_mutex_unlock(&lock);
  return current != 0;
}

void report_detail(const char *format, ...) {
  if (current == 0) return;
  (void)pthread_mutex_lock(&lock);
  lines l = {0};
  /* Another thread's report may have come in between. */
  if (current != told_count) add(&l, title, "more on report %u", current);
  va_list arguments;
  va_start(arguments, format);
  add_list(&l, indent, format, arguments);
  va_end(arguments);
  put(l.text, l.length);
  (void)pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static unsigned count_of(report_kind kind) {
  if (kind < REPORT_KINDS) return counts[kind];
  unsigned sum = 0;
  for (int i = 0; i < REPORT_KINDS; i++) sum += counts[i];
  return sum;
}

unsigned report_count(report_kind kind) {
  (void)pthread_mutex_lock(&lock);
  const unsigned count = count_of(kind);
  (void)pthread_mutex_unlock(&lock);
  return count;
}

void report_end(void) {
  (void)pthread_mutex_lock(&lock);
  const unsigned all = count_of(REPORT_KINDS);
  if (all != 0) {
    char kinds[512] = "";
    size_t length = 0;
    for (int i = 0; i < REPORT_KINDS && length < sizeof kinds; i++) {
      if (counts[i] == 0) continue;
      const int n = snprintf(kinds + length, sizeof kinds - length, "%s%u %s", length > 0 ? ", " : "",
                             counts[i], names[i]);
      if (n > 0) length += (size_t)n;
    }
    lines l = {0};
    add(&l, title, "%u report%s (%u told): %s", all, all == 1 ? "" : "s", told_count, kinds);
    put(l.text, l.length);
  }
  (void)pthread_mutex_unlock(&lock);
}
