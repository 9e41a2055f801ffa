/* See store_support.h. */
#include "store_support.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/layout.h"
#include "util/clock.h"

/* ---- the directory ---- */

static char scratch[64];

void scratch_setup(void) {
  (void)snprintf(scratch, sizeof scratch, "/tmp/jig-store-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)place;
  if (kind == FTW_DNR) (void)chmod(path, 0700);
  (void)remove(path);
  return 0;
}

void scratch_teardown(void) {
  (void)umount2(scratch_path("cache"), MNT_DETACH); /* of a test that mounted there */
  (void)nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

const char *scratch_path(const char *format, ...) {
  static _Thread_local char paths[8][SCRATCH_PATH];
  static _Thread_local unsigned next;
  char *path = paths[next++ % 8];
  int length = snprintf(path, SCRATCH_PATH, "%s/", scratch);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(path + length, SCRATCH_PATH - (size_t)length, format, arguments);
  va_end(arguments);
  return path;
}

store *scratch_store_at(const char *dir, const char *layers, uint64_t max_size) {
  store_config config = {.dir = dir, .layers = layers, .max_size = max_size};
  store *s = store_open(&config);
  if (s == NULL) ck_abort_msg("store_open: no memory"); /* children open stores, too: see below */
  return s;
}

store *scratch_store(uint64_t max_size) {
  return scratch_store_at(scratch_path("cache"), NULL, max_size);
}

/* ---- entries ----
 *
 * Threads and forked children use these, and Check's assertions are not for them, as each writes to a
 * file even if it holds: here they are only reached to fail. */

const char *sample_record(unsigned n) {
  static _Thread_local char records[8][64];
  char *record = records[n % 8];
  (void)snprintf(record, sizeof records[0], "{\"algorithm\":\"sample\",\"number\":%u}", n);
  return record;
}

hash128 sample_key(unsigned n) {
  const char *record = sample_record(n);
  return hash_bytes(record, strlen(record));
}

static unsigned char payload_byte(unsigned n, size_t i) {
  return (unsigned char)(n * 37 + i * 11 + (i >> 8));
}

entry sample_entry(unsigned n, size_t size, const char *compiler) {
  static _Thread_local char metas[8][64], records[8][64];
  static _Thread_local unsigned char *payloads[8];
  static _Thread_local unsigned char buffers[8][1 << 16];
  unsigned i = n % 8;
  payloads[i] = buffers[i];
  if (size > sizeof buffers[0]) abort();
  (void)snprintf(metas[i], sizeof metas[i], "{\"arch\":\"sm_%u\"}", 80 + n % 10);
  (void)snprintf(records[i], sizeof records[i], "%s", sample_record(n));
  for (size_t b = 0; b < size; ++b) payloads[i][b] = payload_byte(n, b);
  entry e = {.record = records[i],
             .meta = metas[i],
             .payload = payloads[i],
             .payload_size = size,
             .kind = PAYLOAD_CUBIN};
  (void)snprintf(e.compiler, sizeof e.compiler, "%s", compiler);
  return e;
}

uint64_t sample_size(unsigned n, size_t size) {
  entry e = sample_entry(n, size, "13.0");
  return 88 + strlen(e.record) + strlen(e.meta) + size;
}

const char *sample_path(const char *dir, unsigned n, const char *compiler) {
  static _Thread_local char paths[8][SCRATCH_PATH];
  static _Thread_local unsigned next;
  char *path = paths[next++ % 8], hex[HASH_HEX_SIZE];
  hash_hex(sample_key(n), hex);
  (void)snprintf(path, SCRATCH_PATH, "%s/v1/%.2s/%s-%s.jig", dir, hex, hex + 2, compiler);
  return path;
}

const char *shard_path(unsigned n) {
  char hex[HASH_HEX_SIZE];
  hash_hex(sample_key(n), hex);
  return scratch_path("cache/v1/%.2s", hex);
}

bool sample_is(const entry *e, unsigned n) {
  char meta[64];
  (void)snprintf(meta, sizeof meta, "{\"arch\":\"sm_%u\"}", 80 + n % 10);
  bool same = e->kind == PAYLOAD_CUBIN && strcmp(e->record, sample_record(n)) == 0;
  same = same && strcmp(e->meta, meta) == 0;
  for (size_t i = 0; i < e->payload_size; ++i) same = same && e->payload[i] == payload_byte(n, i);
  return same;
}

bool sample_put(store *s, unsigned n, size_t size) {
  entry e = sample_entry(n, size, "13.0");
  return store_put(s, sample_key(n), &e);
}

bool sample_get_compiler(store *s, unsigned n, const char *compiler, char found_compiler[16]) {
  entry e;
  if (!store_get(s, sample_key(n), sample_record(n), compiler, &e)) return false;
  bool same = sample_is(&e, n);
  if (found_compiler != NULL) memcpy(found_compiler, e.compiler, sizeof e.compiler);
  entry_free(&e);
  if (!same) ck_abort_msg("not entry %u", n);
  return true;
}

bool sample_get(store *s, unsigned n) {
  return sample_get_compiler(s, n, NULL, NULL);
}

/* ---- files ---- */

bool file_exists(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

size_t file_read(const char *path, unsigned char *bytes, size_t capacity) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "cannot open %s", path);
  size_t size = fread(bytes, 1, capacity, file);
  (void)fclose(file);
  return size;
}

void file_write(const char *path, const void *bytes, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ck_assert_msg(fd >= 0, "cannot write %s", path);
  ck_assert(write(fd, bytes, size) == (ssize_t)size);
  (void)close(fd);
}

void file_flip(const char *path, size_t offset, unsigned char mask) {
  unsigned char byte;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  ck_assert_msg(fd >= 0, "cannot open %s", path);
  ck_assert(pread(fd, &byte, 1, (off_t)offset) == 1);
  byte ^= mask;
  ck_assert(pwrite(fd, &byte, 1, (off_t)offset) == 1);
  (void)close(fd);
}

void file_set_time(const char *path, int64_t epoch) {
  struct timespec times[2] = {{.tv_sec = epoch}, {.tv_sec = epoch}};
  ck_assert_msg(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0, "cannot touch %s", path);
}

void file_set_age(const char *path, double seconds_from_now) {
  file_set_time(path, (int64_t)time(NULL) + (int64_t)seconds_from_now);
}

int64_t file_time(const char *path) {
  struct stat status;
  ck_assert_msg(lstat(path, &status) == 0, "no %s", path);
  return status.st_mtime;
}

/* nftw() has no argument for its callback. */
static struct {
  const char *part;
  unsigned count;
  uint64_t bytes, fingerprint;
} tally;

static int tally_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  hash128 name = hash_bytes(path, strlen(path));
  tally.fingerprint += name.low * (uint64_t)(status->st_mtim.tv_nsec + 1) + (uint64_t)status->st_mtime +
                       (uint64_t)status->st_size + status->st_ino + status->st_mode;
  if (kind != FTW_F || strstr(path + place->base, tally.part) == NULL) return 0;
  ++tally.count;
  tally.bytes += (uint64_t)status->st_size;
  return 0;
}

static void tally_all(const char *dir, const char *part) {
  memset(&tally, 0, sizeof tally);
  tally.part = part;
  (void)nftw(dir, tally_one, 16, FTW_PHYS);
}

unsigned files_count(const char *dir, const char *part) {
  tally_all(dir, part);
  return tally.count;
}

uint64_t files_bytes(const char *dir, const char *part) {
  tally_all(dir, part);
  return tally.bytes;
}

uint64_t tree_fingerprint(const char *dir) {
  tally_all(dir, "");
  return tally.fingerprint;
}

uint64_t usage_number(void) {
  unsigned char bytes[64] = "";
  size_t size = file_read(scratch_path("cache/v1/usage"), bytes, sizeof bytes - 1);
  bytes[size] = '\0';
  char *end;
  unsigned long long number = strtoull((const char *)bytes, &end, 10);
  return size > 0 && strcmp(end, "\n") == 0 ? number : UINT64_MAX;
}

const char *const foreign_names[] = {
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
_Static_assert(sizeof foreign_names / sizeof foreign_names[0] == FOREIGN_NAMES, "count them");

/* ---- the rest ---- */

void put_one(unsigned n) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, n, 10));
  store_close(s);
}

void make_layer(const char *name, unsigned n, size_t size) {
  store *s = scratch_store_at(scratch_path("%s", name), NULL, 0);
  ck_assert(sample_put(s, n, size));
  store_close(s);
}

store_counts counts_of(store *s) {
  return store_get_counts(s);
}

const char *warning_of(store *s) {
  static _Thread_local char warning[8192];
  store_warning(s, warning, sizeof warning);
  return warning;
}

double now_ms(void) {
  return clock_ms();
}

bool under_valgrind(void) {
  const char *preloaded = getenv("LD_PRELOAD");
  return preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
}

void end_child(int status) {
  for (;;) (void)syscall(SYS_exit_group, status);
}

static int count_entry(void *user, const jig_cache_entry *e) {
  survey *counts = user;
  *(e->sound ? &counts->sound : &counts->damaged) += 1;
  return 0;
}

survey survey_of(store *s) {
  survey counts = {0};
  store_walk(s, count_entry, &counts, NULL);
  return counts;
}

bool private_mounts(void) {
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0;
}

int run_suite(const char *name, void (*fill)(TCase *), double timeout_s) {
  Suite *suite = suite_create(name);
  TCase *tests = tcase_create(name);
  tcase_add_checked_fixture(tests, scratch_setup, scratch_teardown);
  tcase_set_timeout(tests, timeout_s);
  fill(tests);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
