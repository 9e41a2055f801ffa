#include "cache_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "engine/engine.h"
#include "report.h"

/* ---- adding up */

static void add_to(json_t *object, const char *name, json_int_t amount) {
  const json_int_t before = json_integer_value(json_object_get(object, name));
  (void)json_object_set_new(object, name, json_integer(before + amount));
}

static void add_entry(json_t *sums, const cached *e) {
  add_to(sums, "entries", 1);
  add_to(sums, "bytes", (json_int_t)e->bytes);
}

/* The element for a layer; there is one for each below it, too. */
static json_t *layer_sums(json_t *layers, int layer) {
  for (int i = (int)json_array_size(layers); i <= layer; ++i) {
    (void)json_array_append_new(layers, json_pack("{s:i,s:i,s:i}", "layer", i, "entries", 0, "bytes", 0));
  }
  return json_array_get(layers, (size_t)layer);
}

static json_t *algorithm_sums(json_t *algorithms, const char *name) {
  if (json_object_get(algorithms, name) == NULL)
    (void)json_object_set_new(algorithms, name, json_object());
  return json_object_get(algorithms, name);
}

json_t *cache_stats(const cache_list *list) {
  json_t *layers = json_array(), *algorithms = json_object();
  json_t *stats = json_pack("{s:i,s:i,s:i,s:n,s:n,s:o,s:o}", "entries", 0, "bytes", 0, "damaged", 0,
                            "oldest", "newest", "layers", layers, "algorithms", algorithms);
  if (list->count > 0) {
    (void)json_object_set_new(stats, "oldest", json_integer(list->entries[0].last_used));
    (void)json_object_set_new(stats, "newest", json_integer(list->entries[list->count - 1].last_used));
  }
  for (size_t i = 0; i < list->count; ++i) {
    const cached *e = &list->entries[i];
    add_entry(stats, e);
    add_entry(layer_sums(layers, e->layer), e);
    if (e->sound)
      add_entry(algorithm_sums(algorithms, cached_algorithm(e)), e);
    else
      add_to(stats, "damaged", 1);
  }
  return stats;
}

/* ---- use */

/* What is found would have been compiled: as long as what was, kernel by kernel. */
static double saved_ms(const store_stats *s) {
  return s->built > 0 ? (double)s->build_us / 1e3 / (double)s->built * (double)s->found : 0;
}

void cache_stats_add_use(json_t *stats) {
  jig_engine *engine = NULL;
  if (engine_resolve(&engine) != JIG_SUCCESS) return;
  const store_stats s = store_get_stats(engine->build.cache);
  (void)json_object_update_new(
      stats, json_pack("{s:I,s:I,s:I,s:I,s:f}", "hits", (json_int_t)s.hits, "misses",
                       (json_int_t)s.misses, "kernels_found", (json_int_t)s.found, "kernels_built",
                       (json_int_t)s.built, "build_ms", (double)s.build_us / 1e3));
  if (s.built > 0) (void)json_object_set_new(stats, "saved_ms", json_real(saved_ms(&s)));
}

/* ---- printing */

static json_int_t number(const json_t *object, const char *name) {
  return json_integer_value(json_object_get(object, name));
}

static void print_count(const char *label, json_int_t count) {
  printf("%-20s %8" JSON_INTEGER_FORMAT " %-7s", label, count, count == 1 ? "entry" : "entries");
}

static void print_sums(const char *label, const json_t *sums) {
  char size[BYTES_TEXT_SIZE];
  print_count(label, number(sums, "entries"));
  printf("  %10s\n", bytes_text((double)number(sums, "bytes"), size));
}

static void print_time(const char *label, const json_t *seconds) {
  char date[32];
  const time_t when = (time_t)json_integer_value(seconds);
  struct tm local;
  if (!json_is_integer(seconds) || localtime_r(&when, &local) == NULL) return;
  (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
  printf("%-20s %s\n", label, date);
}

/* How much of what it may hold the user's directory does. */
static void print_limit(const json_t *stats) {
  char size[BYTES_TEXT_SIZE];
  const json_t *own = json_array_get(json_object_get(stats, "layers"), 0);
  const double limit = (double)number(stats, "limit"), used = (double)number(own, "bytes");
  if (limit > 0)
    printf("%-20s %s, %.0f %% of it used\n", "limit", bytes_text(limit, size), 100 * used / limit);
  else
    printf("%-20s none\n", "limit");
}

static void print_duration(double ms) {
  const double s = ms / 1e3;
  if (s < 100)
    printf("%.1f s", s);
  else if (s < 100 * 60)
    printf("%.1f min", s / 60);
  else
    printf("%.1f h", s / 3600);
}

/* Of calls that did not have it in memory. */
static void print_use(const json_t *stats) {
  const json_int_t hits = number(stats, "hits"), misses = number(stats, "misses"),
                   found = number(stats, "kernels_found"), built = number(stats, "kernels_built");
  const json_t *saved = json_object_get(stats, "saved_ms");
  if (hits + misses == 0) {
    printf("%-20s not yet\n", "used");
    return;
  }
  printf("%-20s %.1f %%, %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " programs\n", "hit rate",
         100 * (double)hits / (double)(hits + misses), hits, hits + misses);
  printf("%-20s %" JSON_INTEGER_FORMAT " in ", "kernels compiled", built);
  print_duration(json_real_value(json_object_get(stats, "build_ms")));
  printf("\n%-20s ", "time saved");
  if (saved == NULL)
    printf("not known: none was compiled here");
  else
    print_duration(json_real_value(saved));
  printf(", %" JSON_INTEGER_FORMAT " kernel%s found\n", found, plural((unsigned long long)found));
}

void cache_stats_print(const json_t *stats) {
  size_t i;
  const json_t *layer;
  const char *name;
  json_t *sums;
  print_sums("all", stats);
  json_array_foreach(json_object_get(stats, "layers"), i, layer) {
    char label[32] = "user's directory";
    if (i > 0) (void)snprintf(label, sizeof label, "read-only layer %d", (int)i);
    print_sums(label, layer);
  }
  json_object_foreach(json_object_get(stats, "algorithms"), name, sums) print_sums(name, sums);
  print_count("damaged", number(stats, "damaged"));
  printf("\n");
  print_limit(stats);
  print_use(stats);
  print_time("oldest use", json_object_get(stats, "oldest"));
  print_time("newest use", json_object_get(stats, "newest"));
}
