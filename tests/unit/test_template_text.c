/* What is left of a template when its comments and what it is indented by are taken out. */
#include "jit/template_text.h"

#include <string.h>

#include "suite.h"

static void check(const char *text, const char *wanted) {
  char got[200];
  (void)strcpy(got, text);
  const size_t length = template_text_strip(got, strlen(got));
  ck_assert_str_eq(got, wanted);
  ck_assert_uint_eq(length, strlen(wanted));
}

START_TEST(comments_and_indents_are_left_out) {
  check("", "");
  check("int a;\n", "int a;\n");
  check("// one\nint a; // two\n  // three\n\n\t//four\nint b;\n", "\nint a;\n\n\n\nint b;\n");
  check("int a;\n// the end", "int a;\n");
  check("//\n//\n", "\n\n");
  check("asm(\"// a\" : x);  // \"b\"\nc //", "asm(\"// a\" : x);\nc");
  check("a / b\n/ c\n  /\n", "a / b\n/ c\n/\n");
  check("  a\n\t b  c\n   \n  ", "a\nb  c\n\n");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(comments_and_indents_are_left_out)};
  return SUITE_RUN("unit/template_text", tests, false);
}
