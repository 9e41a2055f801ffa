/* The user's compile options in the linker's words. */
#include <stdio.h>
#include <string.h>

#include "jit/link_options.h"
#include "suite.h"

static void check(const char *const *given, const char *expected) {
  char joined[256] = "";
  char **list = link_options((char *const *)(uintptr_t)given);
  ck_assert_ptr_nonnull(list);
  for (char **option = list; *option != NULL; ++option) {
    (void)strncat(joined, *option, sizeof joined - strlen(joined) - 1);
    (void)strncat(joined, " ", sizeof joined - strlen(joined) - 1);
  }
  ck_assert_str_eq(joined, expected);
  link_options_free(list);
}

#define GIVEN(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(what_concerns_the_linker_is_passed_on) {
  check(NULL, "");
  check(GIVEN("-DSCALE=3", "--std=c++20"), "");
  check(GIVEN("--use_fast_math"), "-ftz=1 -prec-div=0 -prec-sqrt=0 ");
  check(GIVEN("-use_fast_math", "--fmad=false"), "-ftz=1 -prec-div=0 -prec-sqrt=0 -fma=0 ");
  check(GIVEN("--ftz=true", "--prec-div=false", "--prec-sqrt=true"), "-ftz=1 -prec-div=0 -prec-sqrt=1 ");
  check(GIVEN("--fmad", "true"), "-fma=1 ");
  check(GIVEN("-maxrregcount=32"), "-maxrregcount=32 ");
  check(GIVEN("--maxrregcount", "40", "-G"), "-maxrregcount=40 -g ");
  check(GIVEN("--ptxas-options=-O1", "-lineinfo"), "-Xptxas=-O1 -lineinfo ");
  check(GIVEN("-DG=1", "-DGG", "--ftzx=true"), "");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(what_concerns_the_linker_is_passed_on)};
  return SUITE_RUN("unit/link_options", tests, false);
}
