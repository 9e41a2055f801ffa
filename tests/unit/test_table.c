/* The table of algorithms: every row fits what is sized for all, and names what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "jit/algorithm.h"
#include "jit/templates.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/type.h"
#include "suite.h"
#include "util/text_file.h"

static bool is_template(const char *name) {
  size_t count;
  const template_file *templates = templates_get(&count);
  for (size_t i = 0; i < count; ++i)
    if (strcmp(templates[i].name, name) == 0) return true;
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
        ck_assert_msg(strncmp(k->name, "jig_", 4) == 0, "%s", k->name);
        ck_assert_msg(k->space != NULL && k->choose_policy == NULL, "%s: it cannot be tuned", k->name);
      }
    }
  }
}
END_TEST

/* A struct's fields are all of it: what is between them is what aligning the next one takes. */
static void check_fields(const char *kernel, const kernel_parameter *p) {
  enum { MAX_ALIGN = 8 };
  size_t end = 0;
  for (const parameter_field *f = p->fields; f->name != NULL; ++f) {
    ck_assert_msg(f->offset >= end && f->offset - end < MAX_ALIGN, "%s: %s: before %s", kernel, p->name,
                  f->name);
    end = f->offset + f->size;
  }
  ck_assert_msg(p->size >= end && p->size - end < MAX_ALIGN, "%s: %s: its end", kernel, p->name);
}

static bool has_field(const kernel_parameter *p, const char *name) {
  for (const parameter_field *f = p->fields; f != NULL && f->name != NULL; ++f)
    if (strcmp(f->name, name) == 0) return true;
  return false;
}

/* A number in a struct that may be read on the GPU: where a pointer beside it says, if a choice does. */
static void check_count(const char *kernel, const spec_schema *schema, const kernel_parameter *p) {
  char in[64];
  (void)snprintf(in, sizeof in, "%s_in", p->count);
  ck_assert_msg(has_field(p, p->count) && has_field(p, in), "%s: %s: %s", kernel, p->name, p->count);
  ck_assert_msg(p->slot >= 0 && p->slot < schema->slot_count, "%s: %s: slot %d", kernel, p->name,
                p->slot);
  ck_assert_msg(schema->slots[p->slot].choices == call_device_counts, "%s: %s", kernel,
                schema->slots[p->slot].name);
}

/* A launch packs iterators and operators from slots that have them, and has room for all. */
START_TEST(parameters_fit) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const spec_schema *schema = &(*a)->schema;
    for (int i = 0; i < (*a)->kernel_count; ++i) {
      for (const kernel_row *k = &(*a)->kernels[i]; k != NULL; k = k->instead) {
        int count = 0;
        for (const kernel_parameter *p = k->parameters; p->kind != PARAMETERS_END; ++p, ++count) {
          if (p->kind == PARAMETER_VALUE) {
            ck_assert_msg(p->name != NULL && p->type != NULL && p->size > 0, "%s: %d", k->name, count);
            if (p->fields != NULL) check_fields(k->name, p);
            if (p->count != NULL) check_count(k->name, schema, p);
            continue;
          }
          ck_assert_msg(p->slot >= 0 && p->slot < schema->slot_count, "%s: %d", k->name, count);
          const slot_kind kind = schema->slots[p->slot].kind;
          const bool fits = p->kind == PARAMETER_COUNT     ? kind == SLOT_CHOICE
                            : p->kind == PARAMETER_POINTED ? kind == SLOT_TYPE
                                                           : kind == SLOT_ITER || kind == SLOT_OP;
          ck_assert_msg(fits, "%s: %s", k->name, schema->slots[p->slot].name);
        }
        ck_assert_msg(count > 0 && count <= KERNEL_MAX_PARAMETERS, "%s: %d", k->name, count);
      }
    }
  }
}
END_TEST

/* What a kernel's parameters take at most, iterators and operators aside, and what alignment adds to
 * each. */
static size_t other_bytes(const spec_schema *schema, const kernel_row *k) {
  enum { ALIGNMENT = 16 };
  size_t bytes = 0;
  for (const kernel_parameter *p = k->parameters; p->kind != PARAMETERS_END; ++p) {
    bytes += ALIGNMENT - 1;
    if (p->kind == PARAMETER_VALUE) bytes += p->size;
    if (p->kind == PARAMETER_COUNT) bytes += sizeof(item_count);
    if (p->kind == PARAMETER_SLOT) bytes += 1; /* jig::none, where it is left out */
    if (p->kind != PARAMETER_POINTED) continue;
    ck_assert_msg(schema->slots[p->slot].held, "%s: %s", k->name, schema->slots[p->slot].name);
    bytes += TYPE_HELD_SIZE;
  }
  return bytes;
}

/* So that what is left is as much as spec_check() says. */
START_TEST(there_is_room_for_parameters) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const spec_schema *schema = &(*a)->schema;
    const size_t others = schema->other_parameters > 0 ? schema->other_parameters : PARAMETER_OTHERS;
    for (int i = 0; i < (*a)->kernel_count; ++i)
      for (const kernel_row *k = &(*a)->kernels[i]; k != NULL; k = k->instead)
        ck_assert_msg(other_bytes(schema, k) <= others, "%s: %zu bytes, not %zu", k->name,
                      other_bytes(schema, k), others);
  }
}
END_TEST

/* ---- who counts what operators are called with */

/* The device test of an algorithm's operands, which are to be items and nothing else; NULL: it has no
 * operator of its own, and asks iterators only, as all do. */
static const struct {
  const char *algorithm, *test;
} operand_tests[] = {
    {"reduce", "operand_domain_folds"},
    {"arg_reduce", "operand_domain_sorts"},
    {"scan", "operand_domain_folds"},
    {"scan_by_key", "operand_domain_runs"},
    {"segmented_scan", "operand_domain_segments"},
    {"reduce_by_key", "operand_domain_runs"},
    {"run_length_encode", "operand_domain_runs"},
    {"non_trivial_runs", "operand_domain_runs"},
    {"select", "operand_domain_items"},
    {"unique", "operand_domain_runs"},
    {"partition", "operand_domain_items"},
    {"three_way_partition", "operand_domain_items"},
    {"radix_sort", "operand_domain_sorts"},
    {"segmented_sort", "operand_domain_sorts"},
    {"merge_sort", "operand_domain_sorts"},
    {"merge", "operand_domain_sorts"},
    {"top_k", "operand_domain_sorts"},
    {"segmented_top_k", "operand_domain_sorts"},
    {"nth_element", "operand_domain_orders"},
    {"copy", NULL},
    {"adjacent_difference", "operand_domain_each"},
    {"memcpy_batched", NULL},
    {"copy_batched", NULL},
    {"transform", "operand_domain_each"},
    {"for_each", "operand_domain_each"},
    {"bulk", "operand_domain_each"},
    {"histogram", NULL},
    {"segmented_reduce", "segmented_reduce"},
    {"segmented_arg_reduce", "operand_domain_orders"},
    {"find_if", "operand_domain_each"},
    {"binary_search", "operand_domain_orders"},
    {"min_max", "operand_domain_orders"},
    {"set_operation", "operand_domain_sorts"},
    {"is_sorted", "operand_domain_sorts"},
    {"reverse", NULL},
};

static bool has_operator(const spec_schema *schema) {
  for (int i = 0; i < schema->slot_count; ++i)
    if (schema->slots[i].kind == SLOT_OP) return true;
  return false;
}

/* Whether a test makes calls of an algorithm, and has operators watched. */
static bool watches(const char *test, const char *of) {
  char path[128], args[64];
  (void)snprintf(path, sizeof path, "tests/device/test_%s.c", test);
  (void)snprintf(args, sizeof args, "jig_%s_args", of);
  char *text = NULL;
  size_t length;
  ck_assert_msg(text_file_read(path, (size_t)1 << 20, &text, &length) == 0,
                "%s is not there: run this at the top of the tree", path);
  const bool found = strstr(text, args) != NULL && strstr(text, "check_watch(") != NULL;
  free(text);
  return found;
}

START_TEST(operands_are_watched) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const char *name = (*a)->schema.algorithm;
    size_t i = 0;
    while (i < COUNT_OF(operand_tests) && strcmp(operand_tests[i].algorithm, name) != 0) ++i;
    ck_assert_msg(i < COUNT_OF(operand_tests), "%s: no test counts what its operators get", name);
    const char *test = operand_tests[i].test;
    ck_assert_msg(test != NULL || !has_operator(&(*a)->schema), "%s: it has operators", name);
    ck_assert_msg(test == NULL || watches(test, name), "%s: not in device/%s", name, test);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(slots_and_kernels_fit),        SUITE_TEST(names_are_different),
      SUITE_TEST(templates_are_there),          SUITE_TEST(parameters_fit),
      SUITE_TEST(there_is_room_for_parameters), SUITE_TEST(operands_are_watched),
  };
  return SUITE_RUN("unit/table", tests, false);
}
