/* Wisdom: how programs are tuned on some architecture, found by measuring, in text files.
 *
 * A line is JSON: {"sm": 90, "spec": {...}, "tuning": {"jig_scan_lookback": {"rows": 6, "threads": 512}}}
 *
 *   sm      the architecture that this is for, and no other
 *   spec    of a program, as src/spec/canonical.h has it, of types as programs share them (shared.h), and
 *           with digests of compiled operators; however it is formatted
 *   tuning  of kernels, by their names, the knobs of their spaces (policy/space.h)
 *
 * and what else people may want to know, such as "gain" and "gpu", is kept and not looked at. Blank lines
 * and those that begin with '#' are left out. Of lines for the same spec and architecture the last one
 * holds, so files can be put one behind the other.
 *
 * A line that is none of that is told of and left out. What a tuning says is checked where it is used:
 * see jit/tuned.h. */
#ifndef JIG_POLICY_WISDOM_H
#define JIG_POLICY_WISDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

typedef struct wisdom_entry {
  int sm;
  uint64_t hash;
  char *spec;   /* canonical text, malloc'ed */
  json_t *line; /* all of it */
  char *place;  /* "file:3", malloc'ed: where it was read */
} wisdom_entry;

typedef struct wisdom {
  wisdom_entry *entries;
  size_t count, capacity;
} wisdom;

/* Is told what is wrong: "file:3: ...". */
typedef void wisdom_tell(void *user, const char *problem);

/* Adds what lines of a text say, which is called `name`; false when out of memory. */
bool wisdom_add_text(wisdom *w, const char *name, const char *lines, size_t length, wisdom_tell *tell,
                     void *user);

/* The same of a file; what cannot be read is told of as well. False: nothing of it was read. In
 * "/dev/null" there is nothing. */
bool wisdom_add_file(wisdom *w, const char *path, wisdom_tell *tell, void *user);

/* Adds one more line, which is taken over, in the place of one for the same. False: it is none, or memory
 * is out. */
bool wisdom_add_line(wisdom *w, json_t *line, const char *place);

void wisdom_free(wisdom *w);

/* What there is for a spec, by its canonical text; NULL: nothing. */
const wisdom_entry *wisdom_find(const wisdom *w, const char *spec_text, int sm);

/* All lines, in order of their specs and architectures, with a comment on top; malloc'ed, NULL when out
 * of memory. */
char *wisdom_text(const wisdom *w);

/* Whether it could be in a file of that name: a file, or nothing is there. */
bool wisdom_can_be_at(const char *path);

/* Writes that to a file, which is replaced at a stroke, and its folder made if need be. 0 or an errno
 * value; EINVAL, if something else is there, such as /dev/null. */
int wisdom_save(const wisdom *w, const char *path);

#endif
