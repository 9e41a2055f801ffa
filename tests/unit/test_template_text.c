/* What is left of a template when its comments and the blanks that mean nothing are taken out. */
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
  check("asm(\"// a\" : x);  // \"b\"\nc //", "asm(\"// a\":x);\nc");
  check("a / b\n/ c\n  /\n", "a/b\n/c\n/\n");
  check("  a\n\t b  c\n   \n  ", "a\nb c\n\n");
}
END_TEST

START_TEST(blanks_stay_where_they_part_tokens) {
  check("static int f(int a, int b) { return a + b; }", "static int f(int a,int b){return a+b;}");
  check("a + +b - -c & &d < ::e > > f", "a+ +b- -c& &d< ::e> >f");
  check("x = -1 ? *p : ~q", "x= -1? *p: ~q");
  check("0xe + 1, f + 1, size - 1, n - 1", "0xe +1,f+1,size -1,n-1");
  check("asm volatile (\"a  b\" \"c\" SUFFIX : \"=r\"(x))",
        "asm volatile(\"a  b\" \"c\" SUFFIX:\"=r\"(x))");
  check("case ' ' : case 1 ... 2 :", "case ' ':case 1 ... 2:");
}
END_TEST

START_TEST(directives_keep_one_blank_of_many) {
  check("#define F (a) \n", "#define F (a)\n");
  check("  #define F(x)   \\\n    g(x);       \\\n    h (x)  // end\na = 1;",
        "#define F(x) \\\ng(x); \\\nh (x)\na=1;");
  check("#if A && \\\n  B\n#endif  // A\na = b;\n", "#if A && \\\nB\n#endif\na=b;\n");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(comments_and_indents_are_left_out),
                                     SUITE_TEST(blanks_stay_where_they_part_tokens),
                                     SUITE_TEST(directives_keep_one_blank_of_many)};
  return SUITE_RUN("unit/template_text", tests, false);
}
