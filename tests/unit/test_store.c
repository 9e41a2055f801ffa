/* The store on a healthy disk: getting, putting, layers, trust, size and recency. Names of files are
 * tested here, too. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/layout.h"
#include "store_support.h"

static const uid_t nobody = 65534;

static store_counts counts_of(store *s) {
  return store_get_counts(s);
}

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

static const char *const foreign_names[] = {
    "",
    ".",
    "..",
    "usage",
    "README",
    ".tmp-",
    ".tmp-1",
    ".tmp-1-",
    ".tmp-1-0123456789abcde",
    ".tmp-1-0123456789abcdef0",
    ".tmp-1-0123456789ABCDEF",
    ".tmp-01-0123456789abcdef",
    ".tmp--1-0123456789abcdef",
    "0000000000f00d0123456789abcdef",
    "0000000000f00d0123456789abcdef.jig",
    "0000000000f00d0123456789abcdef-.jig",
    "0000000000f00d0123456789abcdef-13.0",
    "0000000000f00d0123456789abcdef-13.0.jig~",
    "0000000000f00d0123456789abcdef-13.0.jigs",
    "0000000000f00d0123456789abcdef-13..0.jig",
    "0000000000f00d0123456789abcdef-.13.jig",
    "0000000000f00d0123456789abcdef-13.0..jig",
    "0000000000f00d0123456789abcdef-13.00.jig",
    "0000000000f00d0123456789abcdef-013.0.jig",
    "0000000000f00d0123456789abcdef-13.x.jig",
    "0000000000f00d0123456789abcdef-13.0-1.jig",
    "0000000000F00d0123456789abcdef-13.0.jig",
    "0000000000f00d0123456789abcde-13.0.jig",
    "0000000000f00d0123456789abcdef0-13.0.jig",
    "0000000000f00d0123456789abcdef-1234567890123456.jig",
    "0000000000f00d0123456789abcdef.lock2",
    " 0000000000f00d0123456789abcdef.lock",
    "0000000000f00g0123456789abcdef.lock",
};
enum { FOREIGN_NAMES = sizeof foreign_names / sizeof foreign_names[0] };

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
  store_set_aside(s, sample_key(1), "13.0");
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
  store_set_aside(s, sample_key(1), "13.0");
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
  ck_assert_uint_eq(store_clear(s), 0);
  store_set_aside(s, sample_key(1), "13.0");
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
  ck_assert_uint_eq(store_clear(s), 0);
  ck_assert_msg(strstr(warning_of(s), reason) != NULL, "%s", warning_of(s));
  store_close(s);
}

static void put_one(unsigned n) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, n, 10));
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

static const char *shard_path(unsigned n) {
  char hex[HASH_HEX_SIZE];
  hash_hex(sample_key(n), hex);
  return scratch_path("cache/v1/%.2s", hex);
}

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

START_TEST(test_directory_in_place_of_an_entry) {
  put_one(1);
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  ck_assert_int_eq(unlink(file), 0);
  ck_assert_int_eq(mkdir(file, 0700), 0);
  store *s = scratch_store(1000000);
  ck_assert(!sample_get(s, 1));
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_str_ne(warning_of(s), "");
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 0);
  ck_assert(sample_put(s, 2, 10));
  ck_assert_uint_eq(usage_number(), sample_size(2, 10));
  store_close(s);
}
END_TEST

/* ---- layers ---- */

/* Makes a layer with one entry, of which the payload has `size` bytes. */
static void make_layer(const char *name, unsigned n, size_t size) {
  store *s = scratch_store_at(scratch_path("%s", name), NULL, 0);
  ck_assert(sample_put(s, n, size));
  store_close(s);
}

static size_t found_size(store *s, unsigned n) {
  entry found;
  if (!store_get(s, sample_key(n), sample_record(n), NULL, &found)) return 0;
  size_t size = found.payload_size;
  ck_assert(sample_is(&found, n));
  entry_free(&found);
  return size;
}

START_TEST(test_layers_in_order) {
  make_layer("first", 1, 11);
  make_layer("second", 1, 12);
  make_layer("second", 2, 22);
  store *s =
      scratch_store_at(scratch_path("cache"),
                       scratch_path("absent:%s::%s:", scratch_path("first"), scratch_path("second")), 0);
  ck_assert_str_eq(warning_of(s), "");
  ck_assert_str_eq(store_layer_dir(s, 1), scratch_path("absent"));
  ck_assert_str_eq(store_layer_dir(s, 3), scratch_path("second"));
  ck_assert_ptr_null(store_layer_dir(s, 4));
  ck_assert_uint_eq(found_size(s, 1), 11);
  ck_assert_uint_eq(found_size(s, 2), 22);
  ck_assert_uint_eq(found_size(s, 3), 0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert_msg(found_size(s, 1) == 10, "the user's own comes first");
  ck_assert_uint_eq(survey_of(s).sound, 4);
  ck_assert_uint_eq(store_clear(s), 1);
  ck_assert_uint_eq(found_size(s, 1), 11);
  store_close(s);
}
END_TEST

START_TEST(test_layers_without_a_directory) {
  make_layer("first", 1, 11);
  store *s = scratch_store_at(NULL, scratch_path("first"), 0);
  ck_assert_uint_eq(found_size(s, 1), 11);
  ck_assert(!sample_put(s, 1, 10));
  store_close(s);
}
END_TEST

START_TEST(test_layers_are_never_written) {
  make_layer("layer", 1, 11);
  make_layer("layer", 2, 22);
  make_layer("layer", 3, 33);
  const char *layer = scratch_path("layer");
  file_set_age(sample_path(layer, 1, "13.0"), -1e6);
  file_flip(sample_path(layer, 2, "13.0"), 90, 1);
  uint64_t before = tree_fingerprint(layer);
  store *s = scratch_store_at(scratch_path("cache"), layer, 1000);
  ck_assert(sample_get(s, 1));
  ck_assert(!sample_get(s, 2));
  ck_assert_uint_eq(counts_of(s).faults, 1);
  store_set_aside(s, sample_key(3), "13.0");
  ck_assert(sample_get(s, 3));
  store_unlock_key(s, sample_key(1), store_lock_key(s, sample_key(1), 100));
  for (unsigned n = 1; n < 20; ++n) ck_assert(sample_put(s, n, 200));
  (void)store_clear(s);
  ck_assert_uint_eq(survey_of(s).damaged, 1);
  ck_assert_uint_eq(tree_fingerprint(layer), before);
  store_close(s);
}
END_TEST

START_TEST(test_refused_layer) {
  make_layer("bad", 1, 11);
  make_layer("good", 2, 22);
  ck_assert_int_eq(chmod(scratch_path("bad"), 0775), 0);
  store *s = scratch_store_at(scratch_path("cache"), scratch_path("bad:%s", scratch_path("good")), 0);
  ck_assert_ptr_nonnull(strstr(warning_of(s), scratch_path("bad")));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "writable by others"));
  ck_assert_uint_eq(found_size(s, 1), 0);
  ck_assert_uint_eq(found_size(s, 2), 22);
  ck_assert(sample_put(s, 1, 10));
  store_close(s);
}
END_TEST

/* Runs as somebody else: root's layers are fine, a third one's are not. */
START_TEST(test_roots_layer_is_trusted) {
  if (geteuid() != 0) return;
  make_layer("roots", 1, 11);
  make_layer("others", 2, 22);
  static const char *const readable[] = {"roots", "others"};
  for (int i = 0; i < 2; ++i) {
    const char *dir = scratch_path("%s", readable[i]), *file = sample_path(dir, (unsigned)i + 1, "13.0");
    char shard[SCRATCH_PATH];
    (void)snprintf(shard, sizeof shard, "%.*s", (int)(strrchr(file, '/') - file), file);
    ck_assert(chmod(dir, 0755) == 0 && chmod(scratch_path("%s/v1", readable[i]), 0755) == 0);
    ck_assert(chmod(shard, 0755) == 0 && chmod(file, 0644) == 0);
  }
  ck_assert_int_eq(chmod(scratch_path("%s", ""), 0755), 0);
  ck_assert_int_eq(chown(scratch_path("others"), 12345, 0), 0);
  ck_assert_int_eq(seteuid(nobody), 0);
  store *s = scratch_store_at(NULL, scratch_path("others:%s", scratch_path("roots")), 0);
  size_t first = found_size(s, 1), second = found_size(s, 2);
  bool warned = strstr(warning_of(s), "owned by somebody else") != NULL;
  store_close(s);
  s = scratch_store_at(scratch_path("roots"), NULL, 0);
  bool refused = strstr(warning_of(s), "owned by somebody else") != NULL;
  store_close(s);
  ck_assert_int_eq(seteuid(0), 0);
  ck_assert_uint_eq(first, 11);
  ck_assert_uint_eq(second, 0);
  ck_assert(warned);
  ck_assert_msg(refused, "as a user's own directory it must be the user's");
}
END_TEST

/* ---- recency ---- */

static int64_t time_after_get(double age) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 10));
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  file_set_age(file, age);
  ck_assert(sample_get(s, 1));
  store_close(s);
  return (int64_t)time(NULL) - file_time(file);
}

START_TEST(test_hit_refreshes_after_an_hour) {
  ck_assert_int_ge(time_after_get(-3500), 3500);
  ck_assert_int_le(time_after_get(-3700), 60);
}
END_TEST

/* ---- size ---- */

enum { PAYLOAD = 1000 };

/* All samples of one number of digits have files of one size. */
static uint64_t unit(void) {
  return sample_size(10, PAYLOAD);
}

START_TEST(test_usage_is_exact) {
  store *s = scratch_store(1 << 20);
  uint64_t expected = 0;
  for (unsigned n = 0; n < 20; ++n) {
    ck_assert(sample_put(s, n, 100 * n));
    expected += sample_size(n, 100 * n);
    ck_assert_uint_eq(usage_number(), expected);
  }
  ck_assert(sample_put(s, 3, 5));
  expected -= sample_size(3, 300) - sample_size(3, 5);
  ck_assert(sample_put(s, 4, 5000));
  expected += sample_size(4, 5000) - sample_size(4, 400);
  ck_assert_uint_eq(usage_number(), expected);
  ck_assert_uint_eq(files_bytes(scratch_path("cache"), ".jig"), expected);
  file_flip(sample_path(scratch_path("cache"), 7, "13.0"), 100, 1);
  ck_assert(!sample_get(s, 7));
  ck_assert(sample_put(s, 2, 200));
  expected -= sample_size(7, 700);
  ck_assert_uint_eq(usage_number(), expected);
  ck_assert_uint_eq(store_clear(s), 19);
  ck_assert_uint_eq(usage_number(), 0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert_uint_eq(usage_number(), sample_size(1, 10));
  ck_assert_uint_eq(counts_of(s).evictions, 0);
  store_close(s);
}
END_TEST

START_TEST(test_usage_is_counted_when_in_doubt) {
  static const char *const doubtful[] = {
      "", "12", "x", "?0000000000000000012\n", "99999999999999999999\n", "00000000000000000012\nx"};
  store *s = scratch_store(1 << 20);
  uint64_t expected = 0;
  for (unsigned i = 0; i < sizeof doubtful / sizeof doubtful[0]; ++i) {
    ck_assert(sample_put(s, 2 * i, 100));
    file_write(scratch_path("cache/v1/usage"), doubtful[i], strlen(doubtful[i]));
    ck_assert(sample_put(s, 2 * i + 1, 100));
    expected += sample_size(2 * i, 100) + sample_size(2 * i + 1, 100);
    ck_assert_uint_eq(usage_number(), expected);
  }
  ck_assert_int_eq(unlink(scratch_path("cache/v1/usage")), 0);
  ck_assert(sample_put(s, 0, 200));
  ck_assert_uint_eq(usage_number(), expected + 100);
  store_close(s);
}
END_TEST

START_TEST(test_least_recently_used_go_first) {
  store *s = scratch_store(10 * unit());
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), n == 15 ? -5000 : -(double)n);
  }
  ck_assert_uint_eq(counts_of(s).evictions, 0);
  ck_assert_uint_eq(usage_number(), 10 * unit());
  /* 11 units are over the limit of 10; the oldest go until 9 are left: 15 and 19. */
  ck_assert(sample_put(s, 20, PAYLOAD));
  ck_assert_uint_eq(counts_of(s).evictions, 2);
  ck_assert_uint_eq(usage_number(), 9 * unit());
  for (unsigned n = 10; n <= 20; ++n) {
    ck_assert_msg(sample_get(s, n) == (n != 15 && n != 19), "%u", n);
  }
  store_close(s);
}
END_TEST

START_TEST(test_hit_saves_from_eviction) {
  store *s = scratch_store(10 * unit());
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), -100000.0 + n);
  }
  ck_assert(sample_get(s, 10));
  ck_assert(sample_put(s, 20, PAYLOAD));
  ck_assert(sample_get(s, 10));
  ck_assert(!sample_get(s, 11));
  ck_assert(!sample_get(s, 12));
  ck_assert(sample_get(s, 13));
  store_close(s);
}
END_TEST

START_TEST(test_ties_go_by_name) {
  store *s = scratch_store(10 * unit());
  int64_t when = (int64_t)time(NULL) - 1000;
  unsigned first = 10;
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_time(sample_path(scratch_path("cache"), n, "13.0"), when);
    if (sample_key(n).high < sample_key(first).high) first = n;
  }
  ck_assert(sample_put(s, 20, PAYLOAD));
  ck_assert_uint_eq(counts_of(s).evictions, 2);
  ck_assert(!sample_get(s, first));
  store_close(s);
}
END_TEST

START_TEST(test_newest_is_kept) {
  uint64_t limit = sample_size(20, 9500);
  store *s = scratch_store(limit);
  for (unsigned n = 10; n < 15; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), 100);
  }
  ck_assert_msg(sample_put(s, 20, 9500), "it fills the cache");
  ck_assert_uint_eq(usage_number(), limit);
  ck_assert_uint_eq(counts_of(s).evictions, 5);
  ck_assert(sample_get(s, 20));
  ck_assert_msg(!sample_put(s, 21, 9501), "larger than the cache");
  ck_assert_ptr_nonnull(strstr(warning_of(s), "larger"));
  ck_assert(sample_get(s, 20));
  store_close(s);
}
END_TEST

START_TEST(test_no_limit) {
  store *s = scratch_store(0);
  for (unsigned n = 0; n < 50; ++n) ck_assert(sample_put(s, n, 60000));
  ck_assert_uint_eq(survey_of(s).sound, 50);
  ck_assert_uint_eq(counts_of(s).evictions, 0);
  store_close(s);
}
END_TEST

START_TEST(test_busy_usage_is_caught_up_with) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 1, 100));
  int fd = open(scratch_path("cache/v1/usage"), O_RDWR | O_CLOEXEC);
  ck_assert_int_eq(flock(fd, LOCK_EX), 0);
  double start = now_ms();
  ck_assert(sample_put(s, 2, 100));
  double took = now_ms() - start;
  ck_assert_msg(took >= 90 && took < 5000, "%g ms", took);
  ck_assert_str_eq(warning_of(s), "");
  ck_assert_uint_eq(usage_number(), sample_size(1, 100));
  (void)close(fd);
  ck_assert(sample_put(s, 3, 100));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
  store_close(s);
}
END_TEST

/* Files of a dead process, and of a live one, in the shard of sample 1. */
static void leave_files(int *held) {
  static const char *const names[] = {".tmp-99-00000000000000aa", ".tmp-99-00000000000000bb",
                                      ".tmp-99-00000000000000cc", "000000000000000000000000000001.lock",
                                      "000000000000000000000000000002.lock"};
  const char *shard = shard_path(1);
  for (int i = 0; i < 5; ++i) {
    char path[SCRATCH_PATH];
    (void)snprintf(path, sizeof path, "%.4000s/%s", shard, names[i]);
    file_write(path, "x", 1);
    if (i == 1 || i == 2) file_set_age(path, -4000);
    if (i != 2 && i != 4) continue;
    held[i / 4] = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(flock(held[i / 4], LOCK_EX), 0);
  }
}

START_TEST(test_eviction_sweeps_what_is_stale) {
  put_one(1);
  int held[2];
  leave_files(held);
  store *s = scratch_store(1000000);
  ck_assert(sample_put(s, 2, 10));
  const char *shard = shard_path(1);
  ck_assert_uint_eq(files_count(shard, "00aa"), 1); /* young */
  ck_assert_uint_eq(files_count(shard, "00bb"), 0);
  ck_assert_uint_eq(files_count(shard, "00cc"), 1); /* held */
  ck_assert_uint_eq(files_count(shard, "1.lock"), 0);
  ck_assert_uint_eq(files_count(shard, "2.lock"), 1); /* held */
  ck_assert_uint_eq(usage_number(), sample_size(1, 10) + sample_size(2, 10));
  store_close(s);
  (void)close(held[0]);
  (void)close(held[1]);
}
END_TEST

START_TEST(test_clear_takes_what_nobody_holds) {
  put_one(1);
  int held[2];
  leave_files(held);
  store *s = scratch_store(1000000);
  ck_assert_uint_eq(store_clear(s), 1);
  ck_assert_uint_eq(files_count(shard_path(1), ".tmp"), 1);
  ck_assert_uint_eq(files_count(shard_path(1), ".lock"), 1);
  (void)close(held[0]);
  (void)close(held[1]);
  ck_assert_uint_eq(store_clear(s), 0);
  ck_assert_uint_eq(files_count(shard_path(1), ""), 0);
  store_close(s);
}
END_TEST

START_TEST(test_foreign_files_survive) {
  put_one(1);
  for (int i = 3; i < FOREIGN_NAMES; ++i) {
    char path[2 * SCRATCH_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", shard_path(1), foreign_names[i]);
    file_write(path, "precious", 8);
    file_set_age(path, -1e7);
  }
  ck_assert_int_eq(mkdir(scratch_path("cache/v1/zz"), 0700), 0);
  ck_assert_int_eq(mkdir(scratch_path("cache/v0"), 0700), 0);
  file_write(scratch_path("cache/v1/zz/000000000000000000000000000001-13.0.jig"), "x", 1);
  file_write(scratch_path("cache/v0/000000000000000000000000000001-13.0.jig"), "x", 1);
  store *s = scratch_store(2000);
  for (unsigned n = 2; n < 20; ++n) ck_assert(sample_put(s, n, 500));
  ck_assert_uint_gt(counts_of(s).evictions, 0);
  (void)store_clear(s);
  ck_assert_uint_eq(files_count(shard_path(1), ""), FOREIGN_NAMES - 3);
  ck_assert_uint_eq(files_count(scratch_path("cache"), "-13.0.jig"), 2 + 5);
  store_close(s);
}
END_TEST

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
  store_walk(s, see, &last);
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
  store_walk(s, see, &last);
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
  store_walk(s, see, &last);
  ck_assert_uint_eq(last.count, 4);
  last = (seen){0};
  store_walk(s, see, &last);
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
  store_walk(s, see, &last);
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
  tcase_add_test(tests, test_directory_in_place_of_an_entry);
  tcase_add_test(tests, test_warning_ends_with_the_trouble);
}

static void add_layers(TCase *tests) {
  tcase_add_test(tests, test_layers_in_order);
  tcase_add_test(tests, test_layers_without_a_directory);
  tcase_add_test(tests, test_layers_are_never_written);
  tcase_add_test(tests, test_refused_layer);
  tcase_add_test(tests, test_roots_layer_is_trusted);
}

static void add_size(TCase *tests) {
  tcase_add_test(tests, test_hit_refreshes_after_an_hour);
  tcase_add_test(tests, test_usage_is_exact);
  tcase_add_test(tests, test_usage_is_counted_when_in_doubt);
  tcase_add_test(tests, test_least_recently_used_go_first);
  tcase_add_test(tests, test_hit_saves_from_eviction);
  tcase_add_test(tests, test_ties_go_by_name);
  tcase_add_test(tests, test_newest_is_kept);
  tcase_add_test(tests, test_no_limit);
  tcase_add_test(tests, test_busy_usage_is_caught_up_with);
  tcase_add_test(tests, test_eviction_sweeps_what_is_stale);
  tcase_add_test(tests, test_clear_takes_what_nobody_holds);
  tcase_add_test(tests, test_foreign_files_survive);
}

static void add_walk(TCase *tests) {
  tcase_add_test(tests, test_walk_tells_all);
  tcase_add_test(tests, test_walk_shows_what_is_damaged);
  tcase_add_test(tests, test_walk_ends_when_told);
  tcase_add_test(tests, test_walk_takes_any_meta);
}

static void fill(TCase *tests) {
  add_names(tests);
  add_get_and_put(tests);
  add_trust(tests);
  add_layers(tests);
  add_size(tests);
  add_walk(tests);
}

int main(void) {
  return run_suite("store", fill, 30);
}
