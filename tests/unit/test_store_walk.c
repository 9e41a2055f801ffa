/* The store on a healthy disk: walking over its entries, and its warnings. */
#include <stdio.h>
#include <sys/stat.h>

#include "store_support.h"

/* ---- walking ---- */

typedef struct seen {
  unsigned count, limit;
  char path[SCRATCH_PATH], key[64], spec[128], arch[32], compiler[32], fault[64];
  uint64_t bytes;
  int64_t last_used;
  int layer, sound;
} seen;

static int see(void *user, const jig_cache_entry *e) {
  seen *last = user;
  (void)snprintf(last->path, sizeof last->path, "%s", e->path);
  (void)snprintf(last->key, sizeof last->key, "%s", e->key);
  (void)snprintf(last->spec, sizeof last->spec, "%s", e->spec);
  (void)snprintf(last->arch, sizeof last->arch, "%s", e->arch);
  (void)snprintf(last->compiler, sizeof last->compiler, "%s", e->compiler);
  (void)snprintf(last->fault, sizeof last->fault, "%s", e->fault);
  last->bytes = e->bytes;
  last->last_used = e->last_used;
  last->layer = e->layer;
  last->sound = e->sound;
  return ++last->count == last->limit;
}

START_TEST(test_walk_tells_all) {
  make_layer("layer", 1, 11);
  store *s = scratch_store_at(scratch_path("cache"), scratch_path("layer"), 0);
  const char *file = sample_path(scratch_path("layer"), 1, "13.0");
  file_set_time(file, 1234567890);
  seen last = {0};
  store_walk(s, see, &last, NULL);
  char hex[HASH_HEX_SIZE];
  hash_hex(sample_key(1), hex);
  ck_assert_uint_eq(last.count, 1);
  ck_assert_str_eq(last.path, file);
  ck_assert_str_eq(last.key, hex);
  ck_assert_str_eq(last.spec, sample_record(1));
  ck_assert_str_eq(last.arch, "sm_81");
  ck_assert_str_eq(last.compiler, "13.0");
  ck_assert_str_eq(last.fault, "");
  ck_assert_uint_eq(last.bytes, sample_size(1, 11));
  ck_assert_int_eq(last.last_used, 1234567890);
  ck_assert_int_eq(last.layer, 1);
  ck_assert_int_eq(last.sound, 1);
  ck_assert_int_eq(file_time(file), 1234567890);
  store_close(s);
}
END_TEST

START_TEST(test_walk_shows_what_is_damaged) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 10));
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  file_flip(file, 95, 4);
  seen last = {0};
  store_walk(s, see, &last, NULL);
  ck_assert_uint_eq(last.count, 1);
  ck_assert_int_eq(last.sound, 0);
  ck_assert_str_eq(last.fault, "damaged body");
  ck_assert_str_eq(last.spec, "");
  ck_assert_str_eq(last.arch, "");
  ck_assert_str_eq(last.compiler, "13.0");
  ck_assert_uint_eq(last.bytes, sample_size(1, 10));
  ck_assert_msg(file_exists(file), "a walk only looks");
  ck_assert_uint_eq(counts_of(s).faults, 0);
  store_close(s);
}
END_TEST

START_TEST(test_walk_ends_when_told) {
  store *s = scratch_store(0);
  for (unsigned n = 0; n < 9; ++n) ck_assert(sample_put(s, n, 10));
  seen last = {.limit = 4};
  store_walk(s, see, &last, NULL);
  ck_assert_uint_eq(last.count, 4);
  last = (seen){0};
  store_walk(s, see, &last, NULL);
  ck_assert_uint_eq(last.count, 9);
  store_close(s);
}
END_TEST

static void check_arch(const char *meta, const char *arch) {
  store *s = scratch_store(0);
  entry e = sample_entry(1, 10, "13.0");
  e.meta = (char *)(uintptr_t)meta;
  ck_assert(store_put(s, sample_key(1), &e));
  seen last = {0};
  store_walk(s, see, &last, NULL);
  ck_assert_str_eq(last.arch, arch);
  ck_assert_int_eq(last.sound, 1);
  store_close(s);
}

START_TEST(test_walk_takes_any_meta) {
  check_arch("", "");
  check_arch("not JSON", "");
  check_arch("[\"arch\"]", "");
  check_arch("{\"arch\":90}", "");
  check_arch("{\"kernels\":{\"arch\":\"sm_1\"},\"arch\" : \"sm_90a\"}", "sm_90a");
}
END_TEST

/* ---- warnings ---- */

START_TEST(test_warning_ends_with_the_trouble) {
  put_one(1);
  ck_assert_int_eq(chmod(scratch_path("cache"), 0777), 0);
  store *s = scratch_store(0);
  ck_assert(!sample_put(s, 2, 10));
  char small[8];
  store_warning(s, small, sizeof small);
  ck_assert_str_eq(small, "the cac");
  store_warning(s, NULL, 0);
  ck_assert_int_eq(chmod(scratch_path("cache"), 0700), 0);
  ck_assert(sample_put(s, 2, 10));
  ck_assert_str_eq(warning_of(s), "");
  store_close(s);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_walk_tells_all);
  tcase_add_test(tests, test_walk_shows_what_is_damaged);
  tcase_add_test(tests, test_walk_ends_when_told);
  tcase_add_test(tests, test_walk_takes_any_meta);
  tcase_add_test(tests, test_warning_ends_with_the_trouble);
}

int main(void) {
  return run_suite("store, walking", fill, 30);
}
