/* v1/usage: how many bytes the entries of the user's directory have, so that a put need not count them.
 *
 *   usage = 20 decimal digits and a newline
 *
 * Whoever changes what is there holds a lock on this file, and has put a '?' in place of the first digit
 * until the new number is written: if he dies in between, the number is malformed, and the next one
 * counts anew. So the number is right or known not to be. */
#ifndef JIG_STORE_USAGE_H
#define JIG_STORE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct usage {
  int fd;         /* -1: not open, and the functions below do nothing */
  bool known;     /* false: the entries have to be counted */
  uint64_t total; /* if known */
} usage;

/* Opens, locks and reads it; makes it if asked to. False if it is absent or busy for too long. */
bool usage_open(int version, bool make, usage *u);

/* The entries have become larger or smaller by so many bytes. */
void usage_change(usage *u, int64_t change);

/* Something was damaged, and its size need not be the one that was added once: let the next one count. */
void usage_forget(usage *u);

/* The entries have been counted. */
void usage_set(usage *u, uint64_t total);

/* Writes the number, if it is known, and unlocks. */
void usage_close(usage *u);

#endif
