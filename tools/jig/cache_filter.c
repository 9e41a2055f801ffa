#include "cache_filter.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "describe.h"
#include "jit/algorithm.h"
#include "report.h"
#include "suggest.h"

enum { OPTION_ALGORITHM = OPTION_OF_BUILD, OPTION_ARCH, OPTION_OLDER_THAN, OPTION_DAMAGED };

const option_row cache_age_rows[] = {
    {OPTION_OLDER_THAN, "older-than", "AGE",
     "what was not used for that long goes, too: 30d, 12h, 45m, 10s"},
    OPTION_END_ROW,
};

const option_row cache_filter_rows[] = {
    {OPTION_ALGORITHM, "algorithm", "NAME", "only of that algorithm"},
    {OPTION_ARCH, "arch", "ARCH", "only for that architecture, such as sm_90"},
    {OPTION_OLDER_THAN, "older-than", "AGE", "only what was not used for that long: 30d, 12h, 45m, 10s"},
    {OPTION_DAMAGED, "damaged", NULL, "only what is damaged"},
    OPTION_END_ROW,
};

/* "30d" in seconds; false if it is no such text. */
static bool parse_age(const char *text, int64_t *seconds) {
  static const struct {
    char unit;
    int64_t seconds;
  } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  enum { MOST = 1000000 };
  char *end;
  const long number = strtol(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || number > MOST || *end == '\0' || end[1] != '\0') return false;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
    if (units[i].unit != *end) continue;
    *seconds = number * units[i].seconds;
    return true;
  }
  return false;
}

int cache_filter_take(cache_filter *f, int id, const char *value, bool *mine) {
  int64_t age;
  *mine = true;
  switch (id) {
    case OPTION_ALGORITHM:
      if (algorithm_schema(value) == NULL)
        return usage_error("--algorithm: there is no algorithm '%s'%s", value, suggest_algorithm(value));
      f->algorithm = value;
      return EXIT_OK;
    case OPTION_ARCH:
      f->arch = value;
      return EXIT_OK;
    case OPTION_OLDER_THAN:
      if (!parse_age(value, &age))
        return usage_error("--older-than: '%s' is no age, such as 30d or 12h", value);
      f->used_before = (int64_t)time(NULL) - age;
      return EXIT_OK;
    case OPTION_DAMAGED:
      f->only_damaged = true;
      return EXIT_OK;
    default:
      *mine = false;
      return EXIT_OK;
  }
}

bool cache_filter_is_any(const cache_filter *f) {
  return f->algorithm != NULL || f->arch != NULL || f->used_before != 0 || f->only_damaged ||
         f->words.count > 0;
}

static bool has_word(const cache_filter *f, const cached *e) {
  if (f->words.count == 0) return true;
  char *program = e->sound ? describe_spec(e->spec) : NULL;
  bool found = false;
  for (int i = 0; i < f->words.count && !found; ++i) {
    const char *word = f->words.names[i];
    found =
        strncmp(e->key, word, strlen(word)) == 0 || (program != NULL && strstr(program, word) != NULL);
  }
  free(program);
  return found;
}

bool cache_filter_passes(const cache_filter *f, const cached *e) {
  if (f->only_damaged && e->sound) return false;
  if (f->algorithm != NULL && strcmp(cached_algorithm(e), f->algorithm) != 0) return false;
  if (f->arch != NULL && strcmp(e->arch, f->arch) != 0) return false;
  if (f->used_before != 0 && e->last_used >= f->used_before) return false;
  return has_word(f, e);
}

/* ---- order. What is equal stays by last use, as the list is read. */

static int by_used(const cached *a, const cached *b) {
  return (a->last_used > b->last_used) - (a->last_used < b->last_used);
}

static int by_size(const cached *a, const cached *b) {
  return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int by_key(const cached *a, const cached *b) {
  return strcmp(a->key, b->key);
}

static int by_arch(const cached *a, const cached *b) {
  return strcmp(a->arch, b->arch);
}

static int by_program(const cached *a, const cached *b) {
  char *left = describe_spec(a->spec), *right = describe_spec(b->spec);
  const int order = left != NULL && right != NULL ? strcmp(left, right) : 0;
  free(left);
  free(right);
  return order;
}

typedef int (*order_fn)(const cached *a, const cached *b);

static int compare(const void *left, const void *right, void *order) {
  const int by = (*(order_fn *)order)(left, right);
  if (by != 0) return by;
  const int used = by_used(left, right);
  return used != 0 ? used : by_key(left, right);
}

bool cache_sort(cache_list *list, const char *by) {
  static const struct {
    const char *name;
    order_fn order;
  } orders[] = {
      {"used", by_used}, {"size", by_size}, {"key", by_key}, {"arch", by_arch}, {"program", by_program}};
  for (size_t k = 0; k < sizeof orders / sizeof orders[0]; ++k) {
    if (strcmp(orders[k].name, by) != 0) continue;
    order_fn order = orders[k].order;
    if (list->count > 0) qsort_r(list->entries, list->count, sizeof *list->entries, compare, &order);
    return true;
  }
  return false;
}
