/* Which entries of a cache are meant, and in what order: what jig cache ls, rm and prune have in common.
 */
#ifndef JIG_CLI_CACHE_FILTER_H
#define JIG_CLI_CACHE_FILTER_H

#include "cache_list.h"
#include "options.h"

typedef struct cache_filter {
  const char *algorithm, *arch; /* NULL: any */
  int64_t used_before;          /* seconds since the epoch; 0: at any time */
  bool only_damaged;
  operand_list words; /* beginnings of keys, or parts of programs; any of them will do. None: all */
} cache_filter;

/* --algorithm, --arch, --older-than and --damaged; and --older-than alone. */
extern const option_row cache_filter_rows[];
extern const option_row cache_age_rows[];

/* Takes an option if it is one of these; else *mine is false. EXIT_OK or EXIT_USAGE, having complained.
 */
int cache_filter_take(cache_filter *f, int id, const char *value, bool *mine);

/* Whether it lets anything out. */
bool cache_filter_is_any(const cache_filter *f);

bool cache_filter_passes(const cache_filter *f, const cached *entry);

/* Sorts by "used" (the most recent last), "size" (the largest last), "key", "arch" or "program". False:
 * there is no such order. */
bool cache_sort(cache_list *list, const char *by);

#endif
