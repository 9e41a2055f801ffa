#include "cache_list.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

static void free_entry(cached *e) {
  free(e->path);
  free(e->key);
  free(e->arch);
  free(e->compiler);
  free(e->fault);
  json_decref(e->spec);
}

static bool copy_entry(const jig_cache_entry *shown, cached *e) {
  *e = (cached){
      .path = strdup(shown->path),
      .key = strdup(shown->key),
      .arch = strdup(shown->arch),
      .compiler = strdup(shown->compiler),
      .fault = strdup(shown->fault),
      .spec = shown->sound ? json_loads(shown->spec, 0, NULL) : NULL,
      .bytes = shown->bytes,
      .last_used = shown->last_used,
      .layer = shown->layer,
      .sound = shown->sound != 0,
  };
  return e->path != NULL && e->key != NULL && e->arch != NULL && e->compiler != NULL && e->fault != NULL;
}

static int visit(void *user, const jig_cache_entry *shown) {
  cache_list *list = user;
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
    cached *entries = realloc(list->entries, capacity * sizeof *entries);
    list->failed = entries == NULL;
    if (list->failed) return 1;
    list->entries = entries;
    list->capacity = capacity;
  }
  list->failed = !copy_entry(shown, &list->entries[list->count++]);
  return list->failed;
}

static int compare(const void *left, const void *right) {
  const cached *a = left, *b = right;
  if (a->last_used != b->last_used) return a->last_used < b->last_used ? -1 : 1;
  const int keys = strcmp(a->key, b->key);
  return keys != 0 ? keys : strcmp(a->compiler, b->compiler);
}

static int read_list(cache_list *list, bool quiet) {
  *list = (cache_list){0};
  jig_status status = jig_cache_walk(NULL, visit, list);
  if (list->count > 0) qsort(list->entries, list->count, sizeof *list->entries, compare);
  if (list->failed) {
    complain("out of memory");
    return EXIT_FAILED;
  }
  if (status == JIG_SUCCESS) return EXIT_OK;
  return quiet && status == JIG_ERROR_CACHE ? EXIT_FAILED : jig_failure(status);
}

int cache_list_read(cache_list *list) {
  return read_list(list, false);
}

int cache_list_read_quietly(cache_list *list) {
  return read_list(list, true);
}

void cache_list_free(cache_list *list) {
  for (size_t i = 0; i < list->count; ++i) free_entry(&list->entries[i]);
  free(list->entries);
  *list = (cache_list){0};
}

const char *cached_algorithm(const cached *entry) {
  const char *name = json_string_value(json_object_get(entry->spec, "algorithm"));
  return name != NULL ? name : "?";
}
