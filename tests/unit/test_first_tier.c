/* Which operators the first tier takes to be exact. */
#include "jit/first_tier.h"
#include "numbers.h"
#include "suite.h"

START_TEST(texts_are_exact_or_not) {
  static const char *const exact[] = {
      "return a + b;",
      "pair r; r.m = a.m * b.m; r.c = a.c * b.m + b.c; return r;",
      "return max(a, b) + __popc(a);",
      "for (int i = 0; i < 3; ++i) { if (a > b) a += 0x1e3u; } return a; // 1.5",
      "return uint32_t(uint64_t(a) * b % 1000003u);",
      "struct pair { unsigned m, c; bool operator<(const pair &o) const { return m < o.m; } };",
  };
  static const char *const others[] = {
      "return a + 1.0 * b;", "return a + 1e3;",          "return 0x1p3 + a;",
      "return a * 0.5f;",    "float x = a; return x;",   "return (double)a;",
      "return sqrt(a);",     "return f(a, b);",          "return g<int>(a);",
      "#include <x.h>\n",    "asm(\"\"); return a;",     "struct s { float x; };",
      "f16 x; return a;",    "return \"x\"[0] + a;",     "float4 v; return a;",
      "return a > (b);",     "return a.plus(b);", "__half2 h; return a + b;", "return .5 > a;",     "flo\\\nat x; return a;", "return 1. > a;",
  };
  for (size_t i = 0; i < COUNT_OF(exact); ++i) ck_assert_msg(first_tier_is_exact(exact[i]), "%s", exact[i]);
  for (size_t i = 0; i < COUNT_OF(others); ++i) ck_assert_msg(!first_tier_is_exact(others[i]), "%s", others[i]);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(texts_are_exact_or_not)};
  return SUITE_RUN("unit/first_tier", tests, false);
}
