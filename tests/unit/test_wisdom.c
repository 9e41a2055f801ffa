/* Files of wisdom: what is read of them, what is told of what cannot be, how they are put together and
 * written. */
#include <errno.h>
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "numbers.h"
#include "policy/wisdom.h"
#include "store_support.h"
#include "suite.h"

#define LINE(sm, spec, rows) \
  "{\"sm\":" #sm ",\"spec\":{\"a\":" #spec "},\"tuning\":{\"k\":{\"rows\":" #rows "}}}\n"

typedef struct told {
  int count;
  char last[1024];
} told;

static void hear(void *user, const char *problem) {
  told *t = user;
  ++t->count;
  (void)snprintf(t->last, sizeof t->last, "%s", problem);
}

static void add(wisdom *w, const char *lines, told *t) {
  ck_assert(wisdom_add_text(w, "file", lines, strlen(lines), hear, t));
}

static int rows_of(const wisdom *w, const char *spec_text, int sm) {
  const wisdom_entry *e = wisdom_find(w, spec_text, sm);
  return e != NULL ? (int)json_integer_value(json_object_get(
                         json_object_get(json_object_get(e->line, "tuning"), "k"), "rows"))
                   : -1;
}

START_TEST(later_lines_hold) {
  wisdom w = {.count = 0};
  told t = {.count = 0};
  add(&w, "# a comment\n\n  \t" LINE(90, 1, 4) LINE(80, 1, 5) LINE(90, 2, 6) LINE(90, 1, 7), &t);
  ck_assert_uint_eq(w.count, 3);
  ck_assert_int_eq(t.count, 0);
  ck_assert_int_eq(rows_of(&w, "{\"a\":1}", 90), 7);
  ck_assert_int_eq(rows_of(&w, "{\"a\":1}", 80), 5);
  ck_assert_int_eq(rows_of(&w, "{\"a\":2}", 90), 6);
  ck_assert_int_eq(rows_of(&w, "{\"a\":2}", 86), -1);
  ck_assert_int_eq(rows_of(&w, "{\"a\":3}", 90), -1);
  add(&w, LINE(90, 2, 8), &t); /* another file */
  ck_assert_int_eq(rows_of(&w, "{\"a\":2}", 90), 8);
  ck_assert_uint_eq(w.count, 3);
  wisdom_free(&w);
}
END_TEST

START_TEST(specs_may_be_formatted) {
  wisdom w = {.count = 0};
  told t = {.count = 0};
  add(&w,
      " { \"tuning\": {\"k\": {\"rows\": 3}},  \"spec\": {\"b\": [ 1, \"x\" ], \"a\": 2}, \"sm\": 75, "
      "\"gain\": \"1.1\" }\r\n",
      &t);
  ck_assert_int_eq(t.count, 0);
  ck_assert_int_eq(rows_of(&w, "{\"a\":2,\"b\":[1,\"x\"]}", 75), 3);
  wisdom_free(&w);
}
END_TEST

START_TEST(what_is_no_wisdom_is_told_of) {
  static const struct {
    const char *line, *why;
  } rows[] = {
      {"{", "file:2: "},
      {"[1]", "file:2: it is no JSON object"},
      {"7 8", "file:2: "},
      {"{\"sm\":90,\"sm\":90}", "file:2: duplicate"},
      {"{\"spec\":{},\"tuning\":{\"k\":{}}}", "\"sm\" is no architecture"},
      {"{\"sm\":\"sm_90\",\"spec\":{},\"tuning\":{\"k\":{}}}", "\"sm\" is no architecture"},
      {"{\"sm\":-90,\"spec\":{},\"tuning\":{\"k\":{}}}", "\"sm\" is no architecture"},
      {"{\"sm\":99999999999999999999,\"spec\":{},\"tuning\":{\"k\":{}}}", "file:2: "},
      {"{\"sm\":90,\"tuning\":{\"k\":{}}}", "\"spec\" is no spec"},
      {"{\"sm\":90,\"spec\":\"reduce\",\"tuning\":{\"k\":{}}}", "\"spec\" is no spec"},
      {"{\"sm\":90,\"spec\":{}}", "\"tuning\" is no object"},
      {"{\"sm\":90,\"spec\":{},\"tuning\":{}}", "\"tuning\" is no object"},
      {"{\"sm\":90,\"spec\":{},\"tuning\":{\"k\":7}}", "\"tuning\" is no object"},
      {"{\"sm\":90,\"spec\":{},\"tuning\":{\"k\":{\"rows\":\"7\"}}}", "\"tuning\" is no object"},
      {"{\"sm\":90,\"spec\":{},\"tuning\":{\"k\":{\"rows\":7.5}}}", "\"tuning\" is no object"},
      {"\xff\xfe", "file:2: "},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    wisdom w = {.count = 0};
    told t = {.count = 0};
    char lines[512];
    (void)snprintf(lines, sizeof lines, LINE(90, 1, 4) "%s\n" LINE(90, 2, 5), rows[i].line);
    add(&w, lines, &t);
    ck_assert_msg(t.count == 1 && strstr(t.last, rows[i].why) != NULL, "%s: %s", rows[i].line, t.last);
    ck_assert_uint_eq(w.count, 2); /* what is around it counts */
    wisdom_free(&w);
  }
}
END_TEST

/* NULs, no newline at the end, depth, and nothing to tell it to. */
START_TEST(odd_texts_are_read) {
  wisdom w = {.count = 0};
  told t = {.count = 0};
  static const char with_nul[] = "\0\n" LINE(90, 1, 4) "{\0}";
  ck_assert(wisdom_add_text(&w, "file", with_nul, sizeof with_nul - 1, hear, &t));
  ck_assert_int_eq(t.count, 2);
  ck_assert_uint_eq(w.count, 1);
  enum { DEEP = 100000 };
  char *deep = malloc(DEEP + 1);
  ck_assert_ptr_nonnull(deep);
  memset(deep, '[', DEEP);
  deep[DEEP] = '\0';
  ck_assert(wisdom_add_text(&w, "file", deep, DEEP, NULL, NULL));
  free(deep);
  ck_assert_uint_eq(w.count, 1);
  wisdom_free(&w);
}
END_TEST

static char *text_of_file(const char *path) {
  enum { MOST = 4096 };
  char *content = calloc(MOST, 1);
  ck_assert_ptr_nonnull(content);
  (void)file_read(path, (unsigned char *)content, MOST - 1);
  return content;
}

START_TEST(files_are_replaced_at_a_stroke) {
  scratch_setup();
  wisdom w = {.count = 0}, again = {.count = 0};
  told t = {.count = 0};
  struct stat status;
  const char *path = scratch_path("new/folder/wisdom"), *link = scratch_path("link");
  add(&w, LINE(90, 2, 6) LINE(90, 1, 4) LINE(80, 1, 5), &t);
  ck_assert_int_eq(wisdom_save(&w, path), 0);
  char *content = text_of_file(path);
  ck_assert_str_eq(
      content, "# jig's wisdom: how programs are tuned, a line each; see jig tune --help\n" LINE(80, 1, 5)
                   LINE(90, 1, 4) LINE(90, 2, 6));
  free(content);
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_mode & 0777, 0644);
  ck_assert_int_eq(symlink(path, link), 0);
  add(&w, LINE(90, 1, 9), &t);
  ck_assert_int_eq(wisdom_save(&w, link), 0); /* which stays one */
  ck_assert_int_eq(lstat(link, &status), 0);
  ck_assert(S_ISLNK(status.st_mode));
  ck_assert(wisdom_add_file(&again, path, hear, &t));
  ck_assert_int_eq(rows_of(&again, "{\"a\":1}", 90), 9);
  ck_assert_uint_eq(again.count, 3);
  ck_assert_uint_eq(files_count(scratch_path("new/folder"), ""), 1); /* nothing is left beside it */
  ck_assert_int_ne(wisdom_save(&w, scratch_path("new/folder/")), 0);
  ck_assert_int_ne(wisdom_save(&w, "/proc/no/wisdom"), 0);
  wisdom_free(&w);
  wisdom_free(&again);
  scratch_teardown();
}
END_TEST

START_TEST(what_is_no_file_is_told_of) {
  scratch_setup();
  wisdom w = {.count = 0};
  told t = {.count = 0};
  struct stat status;
  const char *fifo = scratch_path("fifo");
  ck_assert_int_eq(mkfifo(fifo, 0600), 0);
  ck_assert(!wisdom_add_file(&w, scratch_path("none"), hear, &t));
  ck_assert(strstr(t.last, "none: No such file") != NULL);
  ck_assert(!wisdom_add_file(&w, scratch_path("."), hear, &t));
  ck_assert(strstr(t.last, "Is a directory") != NULL);
  ck_assert(!wisdom_add_file(&w, fifo, hear, &t)); /* without waiting for a writer */
  ck_assert(strstr(t.last, "it is no file") != NULL);
  ck_assert_int_eq(t.count, 3);
  ck_assert_int_eq(wisdom_save(&w, fifo), EINVAL); /* which stays what it is */
  ck_assert_int_eq(lstat(fifo, &status), 0);
  ck_assert(S_ISFIFO(status.st_mode));
  ck_assert(!wisdom_can_be_at("/dev/null") && wisdom_can_be_at(scratch_path("none")));
  ck_assert(wisdom_add_file(&w, "/dev/null", hear, &t));
  ck_assert_int_eq(t.count, 3);
  ck_assert_uint_eq(w.count, 0);
  wisdom_free(&w);
  scratch_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(later_lines_hold),
      SUITE_TEST(specs_may_be_formatted),
      SUITE_TEST(what_is_no_wisdom_is_told_of),
      SUITE_TEST(odd_texts_are_read),
      SUITE_TEST(files_are_replaced_at_a_stroke),
      SUITE_TEST(what_is_no_file_is_told_of),
  };
  return SUITE_RUN("unit/wisdom", tests, false);
}
