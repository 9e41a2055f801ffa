/* The store on a healthy disk: names of files, getting and putting, the directory, and trust. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/layout.h"
#include "store_support.h"

static const uid_t nobody = 65534;

/* ---- names ---- */

START_TEST(test_names_come_back) {
  hash128 key = {.low = 0x0123456789abcdefu, .high = 0xa90000000000f00du};
  char name[LAYOUT_NAME_SIZE];
  ck_assert(layout_entry(key, "13.0", name));
  ck_assert_str_eq(name, "0000000000f00d0123456789abcdef-13.0.jig");
  layout_name parsed = layout_parse(0xa9, name);
  ck_assert_int_eq(parsed.kind, LAYOUT_ENTRY);
  ck_assert(hash_equal(parsed.key, key));
  ck_assert_str_eq(parsed.compiler, "13.0");
  layout_lock(key, name);
  ck_assert_str_eq(name, "0000000000f00d0123456789abcdef.lock");
  ck_assert_int_eq(layout_parse(0xa9, name).kind, LAYOUT_LOCK);
  layout_temporary(12345, 0xabc, name);
  ck_assert_str_eq(name, ".tmp-12345-0000000000000abc");
  ck_assert_int_eq(layout_parse(0xa9, name).kind, LAYOUT_TEMPORARY);
}
END_TEST

START_TEST(test_other_names_are_foreign) {
  ck_assert_msg(layout_parse(1, foreign_names[_i]).kind == LAYOUT_FOREIGN, "%s", foreign_names[_i]);
}
END_TEST

START_TEST(test_versions_compare_by_numbers) {
  static const char *const ascending[] = {"0",    "1",      "2.0",   "9.9",     "12",   "12.0",
                                          "12.9", "12.9.1", "12.10", "12.10.1", "13.0", "100.0"};
  enum { COUNT = sizeof ascending / sizeof ascending[0] };
  for (int a = 0; a < COUNT; ++a) {
    for (int b = 0; b < COUNT; ++b) {
      int order = layout_compare_compilers(ascending[a], ascending[b]);
      ck_assert_msg((order > 0) == (a > b) && (order < 0) == (a < b), "%s %s", ascending[a],
                    ascending[b]);
    }
  }
}
END_TEST

/* ---- getting and putting ---- */

START_TEST(test_put_then_get) {
  store *s = scratch_store(0);
  ck_assert_str_eq(store_dir(s), scratch_path("cache"));
  ck_assert(!sample_get(s, 1));
  ck_assert_msg(!file_exists(scratch_path("cache")), "a get must not make the directory");
  ck_assert(sample_put(s, 1, 1000));
  ck_assert(sample_get(s, 1));
  ck_assert(!sample_get(s, 2));
  ck_assert(file_exists(sample_path(scratch_path("cache"), 1, "13.0")));
  ck_assert_str_eq(warning_of(s), "");
  store_close(s);
  s = scratch_store(0);
  ck_assert_msg(sample_get(s, 1), "another store, the same directory");
  ck_assert_uint_eq(counts_of(s).faults, 0);
  store_close(s);
}
END_TEST

START_TEST(test_kind_and_payload_survive) {
  store *s = scratch_store(0);
  entry ptx = sample_entry(1, 10, "13.0"), found;
  ptx.kind = PAYLOAD_PTX;
  ptx.payload[9] = '\0';
  ck_assert(store_put(s, sample_key(1), &ptx));
  ck_assert(store_get(s, sample_key(1), sample_record(1), NULL, &found));
  ck_assert_int_eq((int)found.kind, PAYLOAD_PTX);
  ck_assert_uint_eq(found.payload_size, 10);
  ck_assert_mem_eq(found.payload, ptx.payload, 10);
  ck_assert_str_eq(found.compiler, "13.0");
  entry_free(&found);
  store_close(s);
}
END_TEST

START_TEST(test_put_replaces) {
  store *s = scratch_store(0);
  entry found;
  ck_assert(sample_put(s, 1, 1000));
  ck_assert(sample_put(s, 1, 10));
  ck_assert(store_get(s, sample_key(1), sample_record(1), NULL, &found));
  ck_assert_uint_eq(found.payload_size, 10);
  entry_free(&found);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".jig"), 1);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 0);
  store_close(s);
}
END_TEST

static void put_compiler(store *s, unsigned n, const char *compiler) {
  entry e = sample_entry(n, 100, compiler);
  ck_assert(store_put(s, sample_key(n), &e));
}

START_TEST(test_newest_compiler_first) {
  store *s = scratch_store(0);
  char compiler[16];
  static const char *const order[] = {"12.9", "12.10", "9.2", "13.0"};
  static const char *const newest[] = {"12.9", "12.10", "12.10", "13.0"};
  for (int i = 0; i < 4; ++i) {
    put_compiler(s, 1, order[i]);
    ck_assert(sample_get_compiler(s, 1, NULL, compiler));
    ck_assert_str_eq(compiler, newest[i]);
  }
  store_set_aside(s, &(store_place){sample_key(1), "13.0", 0});
  ck_assert(sample_get_compiler(s, 1, NULL, compiler));
  ck_assert_str_eq(compiler, "12.10");
  store_close(s);
}
END_TEST

START_TEST(test_exact_compiler) {
  store *s = scratch_store(0);
  char compiler[16];
  put_compiler(s, 1, "12.9");
  put_compiler(s, 1, "13.0");
  ck_assert(sample_get_compiler(s, 1, "12.9", compiler));
  ck_assert_str_eq(compiler, "12.9");
  ck_assert(!sample_get_compiler(s, 1, "12.8", NULL));
  ck_assert(!sample_get_compiler(s, 1, "", NULL));
  ck_assert(!sample_get_compiler(s, 1, "../../x", NULL));
  store_close(s);
}
END_TEST

START_TEST(test_unusable_compilers_are_refused) {
  static const char *const refused[] = {"", "13.", ".5", "13.0a", "../x", "13/0", "013"};
  store *s = scratch_store(0);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    entry e = sample_entry(1, 10, refused[i]);
    ck_assert(!store_put(s, sample_key(1), &e));
    ck_assert_ptr_nonnull(strstr(warning_of(s), "compiler"));
  }
  store_close(s);
}
END_TEST

START_TEST(test_another_record_is_a_miss) {
  store *s = scratch_store(0);
  entry found;
  ck_assert(sample_put(s, 1, 10));
  ck_assert(!store_get(s, sample_key(1), "another record", NULL, &found));
  ck_assert(!store_get(s, sample_key(1), "", NULL, &found));
  ck_assert_uint_eq(counts_of(s).faults, 0);
  ck_assert_msg(sample_get(s, 1), "it is not damaged, and stays");
  store_close(s);
}
END_TEST

START_TEST(test_set_aside) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 1, 10));
  ck_assert(sample_put(s, 2, 10));
  store_set_aside(s, &(store_place){sample_key(1), "13.0", 0});
  ck_assert(!sample_get(s, 1));
  ck_assert(sample_get(s, 2));
  ck_assert_uint_eq(counts_of(s).faults, 1);
  ck_assert_uint_eq(usage_number(), sample_size(2, 10));
  ck_assert(sample_put(s, 1, 10));
  ck_assert(sample_get(s, 1));
  store_close(s);
}
END_TEST

START_TEST(test_relative_directory_stays) {
  const char *elsewhere = scratch_path("%s", "");
  ck_assert_int_eq(chdir(elsewhere), 0);
  store *s = scratch_store_at("cache//", NULL, 0);
  ck_assert_int_eq(chdir("/"), 0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert(file_exists(sample_path(scratch_path("cache"), 1, "13.0")));
  store_close(s);
}
END_TEST

START_TEST(test_no_directory_at_all) {
  store *s = scratch_store_at(NULL, NULL, 0);
  ck_assert_str_eq(store_dir(s), "");
  ck_assert(!sample_put(s, 1, 10));
  ck_assert(!sample_get(s, 1));
  store_lock lock = store_lock_key(s, sample_key(1), 1000);
  ck_assert_int_eq(lock.fd, -1);
  store_unlock_key(s, sample_key(1), lock);
  ck_assert_uint_eq(store_clear(s, NULL), 0);
  store_set_aside(s, &(store_place){sample_key(1), "13.0", 0});
  ck_assert_uint_eq(survey_of(s).sound, 0);
  ck_assert_str_eq(warning_of(s), "");
  store_close(s);
  store_close(NULL);
}
END_TEST

START_TEST(test_directory_may_vanish) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 1, 10));
  ck_assert_int_eq(rename(scratch_path("cache"), scratch_path("moved")), 0);
  ck_assert(!sample_get(s, 1));
  ck_assert(sample_put(s, 1, 10));
  ck_assert(sample_get(s, 1));
  ck_assert_uint_eq(usage_number(), sample_size(1, 10));
  store_close(s);
}
END_TEST

/* ---- the directory ---- */

static mode_t mode_of(const char *path) {
  struct stat status;
  ck_assert_int_eq(lstat(path, &status), 0);
  return status.st_mode & 07777;
}

START_TEST(test_directories_are_private) {
  (void)umask(0);
  store *s = scratch_store_at(scratch_path("a/b/cache"), NULL, 1000000);
  ck_assert(sample_put(s, 1, 10));
  const char *file = sample_path(scratch_path("a/b/cache"), 1, "13.0");
  ck_assert_uint_eq(mode_of(file), 0600);
  ck_assert_uint_eq(mode_of(scratch_path("a")), 0700);
  ck_assert_uint_eq(mode_of(scratch_path("a/b/cache")), 0700);
  ck_assert_uint_eq(mode_of(scratch_path("a/b/cache/v1")), 0700);
  ck_assert_uint_eq(mode_of(scratch_path("a/b/cache/v1/usage")), 0600);
  store_close(s);
}
END_TEST

START_TEST(test_cachedir_tag) {
  unsigned char tag[1024] = "";
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 10));
  (void)file_read(scratch_path("cache/CACHEDIR.TAG"), tag, sizeof tag - 1);
  static const char signature[] = "Signature: 8a477f597d28d172789f06886806bc55\n";
  ck_assert_mem_eq(tag, signature, sizeof signature - 1);
  store_close(s);
}
END_TEST

/* Somebody may give a directory in which other things live. */
START_TEST(test_no_tag_in_a_directory_that_was_there) {
  ck_assert_int_eq(mkdir(scratch_path("cache"), 0755), 0);
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert(!file_exists(scratch_path("cache/CACHEDIR.TAG")));
  store_close(s);
}
END_TEST

/* ---- trust ---- */

static void check_refused(const char *reason) {
  store *s = scratch_store(0);
  ck_assert_msg(strstr(warning_of(s), scratch_path("cache")) != NULL, "%s", warning_of(s));
  ck_assert_msg(strstr(warning_of(s), reason) != NULL, "%s", warning_of(s));
  ck_assert(!sample_put(s, 2, 10));
  ck_assert(!sample_get(s, 1));
  ck_assert_int_eq(store_lock_key(s, sample_key(1), 1000).fd, -1);
  ck_assert_uint_eq(survey_of(s).sound, 0);
  ck_assert_uint_eq(store_clear(s, NULL), 0);
  ck_assert_msg(strstr(warning_of(s), reason) != NULL, "%s", warning_of(s));
  store_close(s);
}

START_TEST(test_writable_by_others_is_refused) {
  put_one(1);
  ck_assert_int_eq(chmod(scratch_path("cache"), 0777), 0);
  check_refused("writable by others");
  ck_assert_int_eq(chmod(scratch_path("cache"), 0720), 0);
  check_refused("writable by others");
  ck_assert_int_eq(chmod(scratch_path("cache"), 0755), 0);
  store *s = scratch_store(0);
  ck_assert(sample_get(s, 1));
  store_close(s);
}
END_TEST

START_TEST(test_version_directory_is_checked) {
  put_one(1);
  ck_assert_int_eq(chmod(scratch_path("cache/v1"), 0770), 0);
  check_refused("/v1 is not used: writable by others");
}
END_TEST

START_TEST(test_file_as_directory_is_refused) {
  file_write(scratch_path("cache"), "x", 1);
  check_refused("not a directory");
  ck_assert_int_eq(unlink(scratch_path("cache")), 0);
  ck_assert_int_eq(symlink("nowhere", scratch_path("cache")), 0);
  store *s = scratch_store(0);
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_str_ne(warning_of(s), "");
  store_close(s);
}
END_TEST

START_TEST(test_link_to_a_directory_is_followed_at_the_top_only) {
  ck_assert_int_eq(mkdir(scratch_path("real"), 0700), 0);
  ck_assert_int_eq(symlink("real", scratch_path("cache")), 0);
  put_one(1);
  ck_assert_int_eq(rename(scratch_path("real/v1"), scratch_path("real/elsewhere")), 0);
  ck_assert_int_eq(symlink("elsewhere", scratch_path("real/v1")), 0);
  check_refused("not a directory");
}
END_TEST

START_TEST(test_shard_directory_is_checked) {
  put_one(1);
  ck_assert_int_eq(chmod(shard_path(1), 0777), 0);
  store *s = scratch_store(0);
  ck_assert(!sample_get(s, 1));
  ck_assert_ptr_nonnull(strstr(warning_of(s), shard_path(1)));
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_uint_eq(survey_of(s).sound, 0);
  ck_assert_msg(sample_put(s, 2, 10), "another shard");
  ck_assert_str_eq(warning_of(s), "");
  store_close(s);
}
END_TEST

START_TEST(test_owner_is_checked) {
  if (geteuid() != 0) return;
  put_one(1);
  ck_assert_int_eq(chown(shard_path(1), nobody, 0), 0);
  store *s = scratch_store(0);
  ck_assert(!sample_get(s, 1));
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "owned by somebody else"));
  store_close(s);
  ck_assert_int_eq(chown(shard_path(1), 0, 0), 0);
  ck_assert_int_eq(chown(scratch_path("cache"), nobody, 0), 0);
  check_refused("owned by somebody else");
}
END_TEST

/* What has our name but cannot be ours is set aside like any damaged entry. */
static void check_untrusted_entry(const char *fault) {
  store *s = scratch_store(0);
  survey before = survey_of(s);
  ck_assert_uint_eq(before.sound, 0);
  ck_assert_uint_eq(before.damaged, 1);
  ck_assert(!sample_get(s, 1));
  ck_assert_msg(counts_of(s).faults == 1, "%s", fault);
  ck_assert(!file_exists(sample_path(scratch_path("cache"), 1, "13.0")));
  ck_assert(sample_put(s, 1, 10));
  ck_assert(sample_get(s, 1));
  store_close(s);
}

START_TEST(test_linked_entry_is_not_followed) {
  put_one(1);
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  ck_assert_int_eq(rename(file, scratch_path("target")), 0);
  ck_assert_int_eq(symlink(scratch_path("target"), file), 0);
  check_untrusted_entry("link");
  ck_assert_msg(file_exists(scratch_path("target")), "only the link goes");
}
END_TEST

START_TEST(test_untrusted_entries) {
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  put_one(1);
  ck_assert_int_eq(chmod(file, 0620), 0);
  check_untrusted_entry("group");
  ck_assert_int_eq(unlink(file), 0);
  ck_assert_int_eq(mkfifo(file, 0600), 0);
  check_untrusted_entry("fifo");
  if (geteuid() != 0) return;
  ck_assert_int_eq(chown(file, nobody, 0), 0);
  check_untrusted_entry("owner");
}
END_TEST

/* A directory where an entry should be; if it is not empty, jig does not remove it, and names it. */
static store *with_a_directory(void) {
  put_one(1);
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  ck_assert_int_eq(unlink(file), 0);
  ck_assert_int_eq(mkdir(file, 0700), 0);
  return scratch_store(1000000);
}

START_TEST(test_empty_directory_in_place_of_an_entry) {
  store *s = with_a_directory();
  ck_assert_uint_eq(survey_of(s).damaged, 1);
  ck_assert(!sample_get(s, 1));
  ck_assert_msg(!file_exists(sample_path(scratch_path("cache"), 1, "13.0")), "set aside, like any other");
  ck_assert_uint_eq(counts_of(s).faults, 1);
  store_close(s);
  s = with_a_directory();
  ck_assert_msg(sample_put(s, 1, 10) && sample_get(s, 1), "a put does not need a get before it");
  ck_assert_uint_eq(usage_number(), sample_size(1, 10));
  store_close(s);
  s = with_a_directory();
  store_troubles troubles;
  ck_assert_uint_eq(store_clear(s, &troubles), 1);
  ck_assert_uint_eq(troubles.count, 0);
  store_close(s);
}
END_TEST

START_TEST(test_full_directory_in_place_of_an_entry) {
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  store *s = with_a_directory();
  char inside[SCRATCH_PATH];
  (void)snprintf(inside, sizeof inside, "%.*s/inside", SCRATCH_PATH - 8, file);
  ck_assert_int_eq(mkdir(inside, 0700), 0);
  ck_assert(!sample_get(s, 1));
  ck_assert_msg(strstr(warning_of(s), file) != NULL, "%s", warning_of(s));
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_msg(strstr(warning_of(s), strstr(file, "v1/")) != NULL, "%s", warning_of(s));
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 0);
  ck_assert(sample_put(s, 2, 10));
  ck_assert_uint_eq(usage_number(), sample_size(2, 10));
  store_troubles troubles;
  ck_assert_uint_eq(store_clear(s, &troubles), 1);
  ck_assert_uint_eq(troubles.count, 1);
  ck_assert_msg(strstr(troubles.first, file) != NULL, "%s", troubles.first);
  store_close(s);
}
END_TEST

/* Nor does what stands in the place of v1/usage, of a lock or of a temporary file stay. */
START_TEST(test_directories_in_other_places) {
  put_one(1);
  char lock[SCRATCH_PATH];
  (void)snprintf(lock, sizeof lock, "%s/00000000000000000000000000000a.lock", shard_path(1));
  store *s = scratch_store(1000000);
  (void)unlink(scratch_path("cache/v1/usage"));
  ck_assert_int_eq(mkdir(scratch_path("cache/v1/usage"), 0700), 0);
  ck_assert(sample_put(s, 2, 10) && sample_put(s, 3, 10));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
  ck_assert_int_eq(mkdir(lock, 0700), 0);
  ck_assert_uint_eq(store_clear(s, NULL), 3);
  ck_assert(!file_exists(lock));
  put_one(1);
  ck_assert_int_eq(mkdir(lock, 0700), 0);
  (void)strcat(lock, "/inside");
  ck_assert_int_eq(mkdir(lock, 0700), 0);
  store_troubles troubles;
  ck_assert_uint_eq(store_clear(s, &troubles), 1);
  ck_assert_uint_eq(troubles.count, 1);
  *strrchr(lock, '/') = '\0';
  ck_assert_msg(strstr(troubles.first, lock) != NULL, "%s", troubles.first);
  store_close(s);
}
END_TEST

static void add_names(TCase *tests) {
  tcase_add_test(tests, test_names_come_back);
  tcase_add_loop_test(tests, test_other_names_are_foreign, 0, FOREIGN_NAMES);
  tcase_add_test(tests, test_versions_compare_by_numbers);
}

static void add_get_and_put(TCase *tests) {
  tcase_add_test(tests, test_put_then_get);
  tcase_add_test(tests, test_kind_and_payload_survive);
  tcase_add_test(tests, test_put_replaces);
  tcase_add_test(tests, test_newest_compiler_first);
  tcase_add_test(tests, test_exact_compiler);
  tcase_add_test(tests, test_unusable_compilers_are_refused);
  tcase_add_test(tests, test_another_record_is_a_miss);
  tcase_add_test(tests, test_set_aside);
  tcase_add_test(tests, test_relative_directory_stays);
  tcase_add_test(tests, test_no_directory_at_all);
  tcase_add_test(tests, test_directory_may_vanish);
  tcase_add_test(tests, test_directories_are_private);
  tcase_add_test(tests, test_cachedir_tag);
  tcase_add_test(tests, test_no_tag_in_a_directory_that_was_there);
}

static void add_trust(TCase *tests) {
  tcase_add_test(tests, test_writable_by_others_is_refused);
  tcase_add_test(tests, test_version_directory_is_checked);
  tcase_add_test(tests, test_file_as_directory_is_refused);
  tcase_add_test(tests, test_link_to_a_directory_is_followed_at_the_top_only);
  tcase_add_test(tests, test_shard_directory_is_checked);
  tcase_add_test(tests, test_owner_is_checked);
  tcase_add_test(tests, test_linked_entry_is_not_followed);
  tcase_add_test(tests, test_untrusted_entries);
  tcase_add_test(tests, test_empty_directory_in_place_of_an_entry);
  tcase_add_test(tests, test_full_directory_in_place_of_an_entry);
  tcase_add_test(tests, test_directories_in_other_places);
}

static void fill(TCase *tests) {
  add_names(tests);
  add_get_and_put(tests);
  add_trust(tests);
}

int main(void) {
  return run_suite("store", fill, 30);
}
