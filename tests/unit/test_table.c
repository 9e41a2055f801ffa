/* The table of algorithms: every row fits what is sized for all, and names what is there. */
#include <stdlib.h>
#include <string.h>

#include "jit/algorithm.h"
#include "jit/templates.h"
#include "reduce_support.h"
#include "suite.h"

static bool is_template(const char *name) {
  for (size_t i = 0; i < embedded_template_count; ++i)
    if (strcmp(embedded_templates[i].name, name) == 0) return true;
  return false;
}

START_TEST(slots_and_kernels_fit) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const spec_schema *schema = &(*a)->schema;
    ck_assert_msg(schema->slot_count > 0 && schema->slot_count <= SPEC_MAX_SLOTS, "%s: %d slots",
                  schema->algorithm, schema->slot_count);
    ck_assert_msg((*a)->kernel_count > 0 && (*a)->kernel_count <= ALGORITHM_MAX_KERNELS, "%s: %d kernels",
                  schema->algorithm, (*a)->kernel_count);
  }
}
END_TEST

/* A spec's members are its slots, found by name; kernels are found by theirs in what was compiled. */
START_TEST(names_are_different) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const spec_schema *schema = &(*a)->schema;
    for (const algorithm *const *b = algorithm_table; b != a; ++b)
      ck_assert_str_ne(schema->algorithm, (*b)->schema.algorithm);
    for (int i = 0; i < schema->slot_count; ++i) {
      ck_assert_str_ne(schema->slots[i].name, "algorithm");
      for (int k = 0; k < i; ++k) ck_assert_str_ne(schema->slots[i].name, schema->slots[k].name);
    }
    for (int i = 0; i < (*a)->kernel_count; ++i)
      for (int k = 0; k < i; ++k) ck_assert_str_ne((*a)->kernels[i].name, (*a)->kernels[k].name);
  }
}
END_TEST

START_TEST(templates_are_there) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    for (int i = 0; i < (*a)->kernel_count; ++i) {
      for (const kernel_row *k = &(*a)->kernels[i]; k != NULL; k = k->instead) {
        ck_assert_msg(is_template(k->templates), "%s: %s", k->name, k->templates);
        ck_assert_msg(is_template(k->entry), "%s: %s", k->name, k->entry);
        ck_assert_msg(strncmp(k->name, "jig_", 4) == 0 && k->choose_policy != NULL, "%s", k->name);
      }
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(slots_and_kernels_fit),
      SUITE_TEST(names_are_different),
      SUITE_TEST(templates_are_there),
  };
  return SUITE_RUN("unit/table", tests, false);
}
