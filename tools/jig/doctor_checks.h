/* What jig doctor tries, one after the other. */
#ifndef JIG_CLI_DOCTOR_CHECKS_H
#define JIG_CLI_DOCTOR_CHECKS_H

#include <stdbool.h>

#include <jansson.h>

enum { CHECK_TEXT_SIZE = 1024 };

typedef enum check_outcome { CHECK_OK, CHECK_WARNING, CHECK_FAILED } check_outcome;

typedef struct check {
  const char *name;
  check_outcome outcome;
  char found[CHECK_TEXT_SIZE];  /* what there is, or why there is not */
  char advice[CHECK_TEXT_SIZE]; /* what to do; "": nothing */
} check;

enum { CHECK_COMPILE, CHECK_CACHE, CHECK_LAUNCH, CHECK_ENVIRONMENT, CHECKS };

/* Does all of them; `info` is what jig_info() says. */
void doctor_check(const json_t *info, check checks[CHECKS]);

#endif
