/* Texts, sizes, hashes, errors, temp storage. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/temp_storage.h"
#include "numbers.h"
#include "suite.h"
#include "util/env.h"
#include "util/error.h"
#include "util/hash.h"
#include "util/integer.h"
#include "util/json_text.h"
#include "util/strings.h"
#include "util/text.h"

START_TEST(texts_grow) {
  text t = {0};
  char *whole;
  for (int i = 0; i < 1000; ++i) text_format(&t, "%d,", i);
  text_add(&t, "end");
  ck_assert_uint_eq(t.length, strlen(t.data));
  whole = text_take(&t);
  ck_assert_int_eq(strncmp(whole, "0,1,2,", 6), 0);
  ck_assert_str_eq(whole + strlen(whole) - 7, "999,end");
  free(whole);
  whole = text_take(&t); /* an empty text is an empty string */
  ck_assert_str_eq(whole, "");
  free(whole);
  text_append(&t, "x", SIZE_MAX / 2); /* cannot be had: remembered, not fatal */
  text_add(&t, "y");
  ck_assert_ptr_null(text_take(&t));
}
END_TEST

START_TEST(strings_are_so_far_apart) {
  static const struct {
    const char *one, *other;
    size_t distance;
  } rows[] = {{"", "", 0},         {"", "abc", 3},           {"scan", "scan", 0}, {"scam", "scan", 1},
              {"scna", "scan", 1}, {"sacn", "scan", 1},      {"scn", "scan", 1},  {"scaan", "scan", 1},
              {"nacs", "scan", 3}, {"kitten", "sitting", 3}, {"ca", "abc", 3}};
  char a[300], b[300];
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    ck_assert_uint_eq(strings_distance(rows[i].one, rows[i].other), rows[i].distance);
    ck_assert_uint_eq(strings_distance(rows[i].other, rows[i].one), rows[i].distance);
  }
  memset(a, 'a', sizeof a);
  memset(b, 'b', sizeof b);
  a[299] = b[299] = '\0';
  ck_assert_uint_eq(strings_distance(a, b), 127);
}
END_TEST

/* Of a line of so many letters, with one of two bytes at each end of what is shown. */
START_TEST(excerpts_of_long_lines_are_short) {
  static const struct {
    int length, column;
    const char *line, *caret; /* how they begin */
    size_t shown;             /* bytes between what is in place of the rest */
  } rows[] = {{10, 3, "\n  xxxxxxxxxx\n", "\n    ^", 10},
              {10, 11, "\n  xxxxxxxxxx\n", "\n            ^", 10},
              {200, 121, "\n  xxx", "\n      ", 200},
              {100000, 1, "\n  xxx", "\n  ^", 80},
              {100000, 50000, "\n  ... xxx", "\n      ", 200},
              {100000, 100000, "\n  ... xxx", "\n      ", 121}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *line = malloc((size_t)rows[i].length);
    memset(line, 'x', (size_t)rows[i].length);
    text t = {0};
    text_excerpt(&t, line, (size_t)rows[i].length, rows[i].column);
    const char *caret = strchr(t.data + 1, '\n');
    ck_assert_msg(strncmp(t.data, rows[i].line, strlen(rows[i].line)) == 0, "%zu: %s", i, t.data);
    ck_assert_msg(strncmp(caret, rows[i].caret, strlen(rows[i].caret)) == 0, "%zu: %s", i, t.data);
    size_t shown = 0;
    for (const char *c = t.data; *c != '\0'; ++c) shown += *c == 'x';
    ck_assert_uint_eq(shown, rows[i].shown);
    if (rows[i].length > 1000 && rows[i].column < rows[i].length)
      ck_assert_ptr_nonnull(strstr(t.data, "x ...\n"));
    text_free(&t);
    free(line);
  }
  /* No character is cut in two. */
  char line[2000];
  for (size_t i = 0; i < sizeof line; ++i) line[i] = i % 2 == 0 ? '\xc3' : '\xa9';
  for (int column = 990; column < 994; ++column) {
    text t = {0};
    text_excerpt(&t, line, sizeof line, column);
    ck_assert_ptr_nonnull(strstr(t.data, "... \xc3"));
    ck_assert_ptr_nonnull(strstr(t.data, "\xa9 ...\n"));
    text_free(&t);
  }
}
END_TEST

START_TEST(sizes_are_read_strictly) {
  static const struct {
    const char *text;
    uint64_t bytes;
  } good[] = {{"0", 0},
              {"123", 123},
              {"4K", 4096},
              {"4k", 4096},
              {"1M", 1 << 20},
              {"2GiB", (uint64_t)2 << 30},
              {"3TB", (uint64_t)3 << 40}};
  static const char *const bad[] = {
      "", "x", "-1", " 1", "1X", "1Ki", "1GiBs", "1 G", "99999999999999999999", "99999999999999T"};
  uint64_t bytes;
  for (size_t i = 0; i < COUNT_OF(good); ++i) {
    ck_assert(env_parse_size(good[i].text, &bytes));
    ck_assert_uint_eq(bytes, good[i].bytes);
  }
  for (size_t i = 0; i < COUNT_OF(bad); ++i)
    ck_assert_msg(!env_parse_size(bad[i], &bytes), "'%s'", bad[i]);
}
END_TEST

START_TEST(hashes_in_hex) {
  char hex[HASH_HEX_SIZE];
  hash_hex((hash128){.high = 0x0123456789abcdefu, .low = 0xfedcba9876543210u}, hex);
  ck_assert_str_eq(hex, "0123456789abcdeffedcba9876543210");
  hash_hex(hash_bytes("", 0), hex); /* XXH3-128 of nothing, as xxHash's specification gives it */
  ck_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
}
END_TEST

static void check_json(const char *bytes, const char *wanted, const char *base64) {
  json_t *string = json_text(bytes), *object = json_object();
  ck_assert_str_eq(json_string_value(string), wanted);
  ck_assert_int_eq(json_set_path(object, "path", bytes), 0);
  ck_assert_str_eq(json_string_value(json_object_get(object, "path")), wanted);
  const char *exact = json_string_value(json_object_get(object, "path_base64"));
  ck_assert_int_eq(exact != NULL, base64 != NULL);
  if (exact != NULL) ck_assert_str_eq(exact, base64);
  json_decref(string);
  json_decref(object);
}

/* What is not UTF-8 is U+FFFD, byte by byte; Jansson itself would take none of it. */
START_TEST(json_takes_any_text) {
#define FFFD "\xef\xbf\xbd"
  check_json("", "", NULL);
  check_json("/a b/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x01\"\\",
             "/a b/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x01\"\\", NULL);
  check_json("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\xe0\xa0\x80\xf0\x90\x80\x80",
             "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\xe0\xa0\x80\xf0\x90\x80\x80", NULL);
  check_json("/a/\xff", "/a/" FFFD, "L2Ev/w==");
  check_json("\x80x", FFFD "x", "gHg=");
  check_json("\xc3", FFFD, "ww=="); /* cut short */
  check_json("\xe2\x82/", FFFD FFFD "/", "4oIv");
  check_json("\xc0\xaf", FFFD FFFD, "wK8="); /* longer than need be */
  check_json("\xe0\x9f\xbf", FFFD FFFD FFFD, "4J+/");
  check_json("\xf0\x8f\xbf\xbf", FFFD FFFD FFFD FFFD, "8I+/vw==");
  check_json("\xed\xa0\x80", FFFD FFFD FFFD, "7aCA");              /* a surrogate */
  check_json("\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD, "9JCAgA=="); /* beyond U+10FFFF */
  check_json("\xf8\x88\x80\x80\x80", FFFD FFFD FFFD FFFD FFFD, "+IiAgIA=");
  for (int byte = 1; byte < 256; ++byte) {
    const char bytes[] = {(char)byte, 'x', '\0'};
    json_t *string = json_text(bytes);
    ck_assert_msg(string != NULL, "%d", byte);
    json_decref(string);
  }
}
END_TEST

START_TEST(every_status_has_a_name) {
  static const jig_status all[] = {
#define STATUS(name, number, text) name,
      JIG_STATUS_MAP(STATUS)
#undef STATUS
  };
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    ck_assert_int_eq(strncmp(jig_status_name(all[i]), "JIG_", 4), 0);
    for (size_t j = 0; j < i; ++j) ck_assert_int_ne(all[i], all[j]);
  }
  ck_assert_str_eq(jig_status_name((jig_status)12345), "unknown status");
}
END_TEST

static void *fail_elsewhere(void *long_error) {
  (void)error_set(JIG_ERROR_INTERNAL, "%s", (const char *)long_error);
  return strcmp(jig_last_error(), long_error) == 0 ? long_error : NULL;
}

START_TEST(errors_belong_to_threads) {
  char long_error[5000];
  memset(long_error, 'x', sizeof long_error - 1);
  long_error[sizeof long_error - 1] = '\0';
  ck_assert_int_eq(error_set(JIG_ERROR_INVALID_ARGUMENT, "short %d", 1), JIG_ERROR_INVALID_ARGUMENT);
  pthread_t thread;
  void *result;
  ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, long_error), 0);
  ck_assert_int_eq(pthread_join(thread, &result), 0);
  ck_assert_ptr_nonnull(result);
  ck_assert_str_eq(jig_last_error(), "short 1");
  (void)error_prefix(JIG_ERROR_INTERNAL, "while %s", "testing");
  ck_assert_str_eq(jig_last_error(), "while testing: short 1");
  (void)error_set(JIG_ERROR_INTERNAL, "%s", long_error);
  (void)error_prefix(JIG_ERROR_INTERNAL, "again"); /* the old text goes into the new one */
  ck_assert_uint_eq(strlen(jig_last_error()), strlen(long_error) + strlen("again: "));
  error_clear();
  ck_assert_str_eq(jig_last_error(), "");
}
END_TEST

START_TEST(temp_storage_is_laid_out) {
  temp_layout layout = {0};
  ck_assert_uint_eq(temp_size(&layout), 1);
  int a = temp_slot(&layout, 10), b = temp_slot(&layout, 300), c = temp_slot(&layout, 0);
  temp_share(&layout, a, 5);
  size_t before = temp_size(&layout);
  temp_share(&layout, a, 1000); /* the slot grows to its largest tenant */
  ck_assert_uint_gt(temp_size(&layout), before);
  for (uintptr_t start = 4096; start < 4096 + 600; start += 7) {
    char *storage = (char *)start, *end = storage + temp_size(&layout);
    char *pa = temp_address(&layout, a, storage), *pb = temp_address(&layout, b, storage);
    char *pc = temp_address(&layout, c, storage);
    ck_assert(pa >= storage && pb >= pa + 1000 && pc >= pb + 300 && pc <= end);
    ck_assert_uint_eq((uintptr_t)pa % TEMP_ALIGNMENT, 0);
    ck_assert_uint_eq((uintptr_t)pb % TEMP_ALIGNMENT, 0);
  }
}
END_TEST

START_TEST(arithmetic_does_not_wrap) {
  static const uint64_t large[] = {0,
                                   1,
                                   2,
                                   255,
                                   256,
                                   1u << 31,
                                   (uint64_t)1 << 32,
                                   INT64_MAX,
                                   (uint64_t)1 << 63,
                                   UINT64_MAX - 1,
                                   UINT64_MAX};
  for (size_t i = 0; i < COUNT_OF(large); ++i) {
    for (size_t k = 0; k < COUNT_OF(large); ++k) {
      const uint64_t a = large[i], b = large[k];
      const uint128 sum = (uint128)a + b, product = (uint128)a * b;
      ck_assert(sum_of(a, b) == (sum < TOO_LARGE ? sum : TOO_LARGE));
      ck_assert(product_of(a, b) == (product < TOO_LARGE ? product : TOO_LARGE));
      ck_assert(min_of(a, b) <= max_of(a, b) && min_of(a, b) + (uint128)max_of(a, b) == sum);
      if (b > 0) ck_assert(ceil_div(a, b) == (a + (uint128)b - 1) / b);
    }
    ck_assert(align_up(large[i], 1) == large[i]);
    ck_assert(align_up(large[i], 256) >= large[i]);
  }
  ck_assert_uint_eq(align_up(257, 256), 512);
  ck_assert(align_up(UINT64_MAX - 100, 256) == TOO_LARGE);
}
END_TEST

START_TEST(temp_storage_is_too_large_if_a_slot_is) {
  temp_layout layout = {0};
  const int a = temp_slot(&layout, INT64_MAX);
  (void)temp_slot(&layout, 100);
  ck_assert_uint_lt(temp_size(&layout), TOO_LARGE);
  const int b = temp_slot(&layout, INT64_MAX);
  ck_assert(temp_size(&layout) == TOO_LARGE);
  temp_share(&layout, a, TOO_LARGE);
  temp_share(&layout, b, 0);
  ck_assert(temp_size(&layout) == TOO_LARGE);
}
END_TEST

/* Nothing is written behind what has a fixed capacity. */
START_TEST(capacities_are_kept) {
  struct {
    temp_layout layout;
    uint64_t behind;
  } temp = {.behind = 7};
  for (int i = 0; i < TEMP_MAX_SLOTS; ++i) ck_assert_int_eq(temp_slot(&temp.layout, 1), i);
  ck_assert(temp_size(&temp.layout) < TOO_LARGE);
  ck_assert_int_lt(temp_slot(&temp.layout, 1), TEMP_MAX_SLOTS);
  ck_assert(temp_size(&temp.layout) == TOO_LARGE);
  ck_assert_uint_eq(temp.behind, 7);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(capacities_are_kept),      SUITE_TEST(texts_grow),
      SUITE_TEST(strings_are_so_far_apart), SUITE_TEST(excerpts_of_long_lines_are_short),
      SUITE_TEST(sizes_are_read_strictly),  SUITE_TEST(hashes_in_hex),
      SUITE_TEST(json_takes_any_text),      SUITE_TEST(every_status_has_a_name),
      SUITE_TEST(errors_belong_to_threads), SUITE_TEST(temp_storage_is_laid_out),
      SUITE_TEST(arithmetic_does_not_wrap), SUITE_TEST(temp_storage_is_too_large_if_a_slot_is),
  };
  return SUITE_RUN("unit/util", tests, false);
}
