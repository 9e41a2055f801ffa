/* Counts in device memory: a program of each algorithm that reads them. */
#include <jig/jig.h>

#include "device_count_cases.h"
#include "specs.h"

static void add_cases(const device_count_case *cases) {
  static const uint64_t counts[2];
  char *text = NULL;
  const device_count_call c = {.count_in = &counts[0], .second_count_in = &counts[1], .spec = &text};
  for (const device_count_case *test = cases; test->name != NULL; ++test) {
    text = NULL;
    (void)test->call(NULL, NULL, NULL, &c, NULL);
    specs_add(text, true); /* a number in registers that would be in constant memory: a few bytes */
  }
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_cases(device_count_folds);
  add_cases(device_count_selections);
  add_cases(device_count_items);
  add_cases(device_count_sorts);
  add_cases(device_count_segments);
}

const specs_family specs_device_counts = {add_all};
