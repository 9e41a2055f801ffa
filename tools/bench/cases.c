#include "cases.h"

#include <stdio.h>
#include <string.h>

#include "gpu.h"

void case_name(const bench_case *c, char name[CASE_NAME_SIZE]) {
  (void)snprintf(name, CASE_NAME_SIZE, "%s/%s/%s", c->algorithm, c->type, c->variant);
}

const bench_case *case_find(const char *wanted) {
  for (const bench_family *const *family = bench_families; *family != NULL; ++family) {
    for (size_t i = 0; i < (*family)->count; ++i) {
      char name[CASE_NAME_SIZE];
      case_name(&(*family)->cases[i], name);
      if (strcmp(name, wanted) == 0) return &(*family)->cases[i];
    }
  }
  return NULL;
}

void case_prewarm(const bench_case *c, const char *cache, const char *arch, prewarm_function *prewarm) {
  _Alignas(16) static unsigned char args[BENCH_ARGS_SIZE];
  const bench_data data = {.n = 1024, .args = args};
  const jig_engine_config config = {.cache_dir = cache, .cache_path = ""};
  jig_engine *engine;
  char *text;
  c->arrange(c, &data);
  JIG(c->spec(&data, &text));
  JIG(jig_engine_create(&engine, &config));
  JIG(prewarm(engine, text, arch, NULL));
  jig_engine_destroy(engine);
  jig_free(text);
}

const cub_case *case_peer(const bench_case *c) {
  for (const cub_family *const *family = cub_families; *family != NULL; ++family) {
    for (const cub_case *peer = (*family)->cases; peer < (*family)->cases + (*family)->count; ++peer) {
      if (strcmp(peer->algorithm, c->algorithm) == 0 && strcmp(peer->type, c->type) == 0 &&
          strcmp(peer->variant, c->variant) == 0) {
        return peer;
      }
    }
  }
  return NULL;
}

uint64_t whole_items(uint64_t n, uint64_t group) {
  return (n + group - 1) / group * group;
}

size_t array_bytes(const bench_array *array, uint64_t n) {
  const uint64_t each = array->share > 0 ? n / array->share : n;
  const uint64_t items = array->whole > 0 ? whole_items(each, array->whole) : each;
  return array->per_item * (size_t)(items > array->fewer ? items - array->fewer : 0) + array->fixed;
}

uint64_t case_footprint(const bench_case *c, uint64_t n) {
  uint64_t bytes = 0;
  for (int i = 0; i < BENCH_ARRAYS; ++i) bytes += array_bytes(&c->in[i], n) + array_bytes(&c->out[i], n);
  return bytes;
}

uint64_t case_moved_bytes(const bench_case *c, uint64_t n) {
  return c->bytes != NULL ? c->bytes(c, n) : case_footprint(c, n);
}
