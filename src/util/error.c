#include "util/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that fits lives in the thread's own block; a longer one, such as a compiler's log, on the heap,
 * freed by the next error, by error_clear() or when the thread ends. */
static _Thread_local char short_text[512];
static _Thread_local char *long_text;
static _Thread_local int driver_result; /* a CUresult */

static pthread_key_t at_thread_end;
static bool has_key; /* otherwise a thread's last long text stays behind it */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static void make_key(void) {
  has_key = pthread_key_create(&at_thread_end, free) == 0;
}

static void drop_long_text(void) {
  if (long_text == NULL) return;
  free(long_text);
  long_text = NULL;
  if (has_key) (void)pthread_setspecific(at_thread_end, NULL);
}

/* The main thread's text: exit() ends it without running its thread's destructors. */
__attribute__((destructor)) static void drop_at_exit(void) {
  drop_long_text();
}

__attribute__((format(printf, 1, 0))) static void set_text(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  char text[sizeof short_text];
  int length = vsnprintf(text, sizeof text, format, arguments);
  char *heap = NULL;
  if (length >= (int)sizeof text && (heap = malloc((size_t)length + 1)) != NULL) {
    (void)vsnprintf(heap, (size_t)length + 1, format, again);
  }
  va_end(again);
  /* The arguments may have pointed into the old text: only now may it go. */
  drop_long_text();
  memcpy(short_text, text, sizeof text);
  if (heap != NULL) {
    long_text = heap;
    (void)pthread_once(&key_once, make_key);
    if (has_key) (void)pthread_setspecific(at_thread_end, heap);
  }
}

jig_status error_set(jig_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  set_text(format, arguments);
  va_end(arguments);
  driver_result = 0;
  return status;
}

jig_status error_of_driver(jig_status status, int result) {
  driver_result = result;
  return status;
}

jig_status error_prefix(jig_status status, const char *format, ...) {
  char context[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(context, sizeof context, format, arguments);
  va_end(arguments);
  const int result = driver_result;
  (void)error_set(status, "%s: %s", context, jig_last_error());
  return error_of_driver(status, result);
}

jig_status error_begin(jig_status status, const char *who) {
  const char *text = jig_last_error();
  const size_t length = strlen(who);
  const bool begins_so = strncmp(text, who, length) == 0 && text[length] == ':';
  return begins_so ? status : error_prefix(status, "%s", who);
}

void error_clear(void) {
  driver_result = 0;
  short_text[0] = '\0';
  if (long_text != NULL) drop_long_text();
}

jig_status error_memory(const char *what) {
  return error_set(JIG_ERROR_OUT_OF_MEMORY, "out of memory: %s", what);
}

const char *jig_last_error(void) {
  return long_text != NULL ? long_text : short_text;
}

int jig_last_driver_error(void) {
  return driver_result;
}

const char *jig_status_string(jig_status status) {
  switch (status) {
#define STATUS_CASE(name, number, text) \
  case name:                            \
    return text;
    JIG_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown status";
}

const char *jig_status_name(jig_status status) {
  switch (status) {
#define STATUS_CASE(name, number, text) \
  case name:                            \
    return #name;
    JIG_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown status";
}
