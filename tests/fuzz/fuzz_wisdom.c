/* Files of wisdom: whatever they hold, lines are read or told of; what is read can be written and read
 * again; and what it says of a spec is used only if blocks fit the GPU. */
#include <jig/jig.h>

#include "fuzz.h"
#include "jit/tuned.h"
#include "spec/canonical.h"
#include "util/error.h"

static void hear(void *user, const char *problem) {
  MUST(problem[0] != '\0');
  ++*(size_t *)user;
}

static void use(const wisdom *w, const spec *s, int sm) {
  tuning_told told = tuned_of(w, s, sm);
  char room[TUNED_WHY_SIZE];
  if (told.count > 0) MUST(tuned_fault(s, sm, &told, room) == NULL);
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const kernel_row *kernel = algorithm_kernel(s, i, sm);
    const policy p = kernel_policy(kernel, s, sm, &told), by_table = kernel_policy(kernel, s, sm, NULL);
    if (memcmp(p.values, by_table.values, sizeof p.values) != 0) MUST(policy_fits(&p, sm));
  }
}

static void use_all(const wisdom *w) {
  for (size_t i = 0; i < w->count; ++i) {
    const wisdom_entry *e = &w->entries[i];
    parsed_spec parsed;
    MUST(wisdom_find(w, e->spec, e->sm) == e);
    if (e->sm < POLICY_OLDEST_SM || spec_parse(e->spec, algorithm_schema, &parsed) != JIG_SUCCESS)
      continue;
    use(w, &parsed.s, e->sm);
    parsed_spec_free(&parsed);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  wisdom first = {.count = 0}, second = {.count = 0};
  size_t problems = 0, more = 0;
  char *lines = (char *)fuzz_bytes(data, size);
  error_clear();
  MUST(wisdom_add_text(&first, "fuzz", lines, size, hear, &problems));
  char *written = wisdom_text(&first);
  MUST(written != NULL);
  MUST(wisdom_add_text(&second, "again", written, strlen(written), hear, &more));
  MUST(more == 0 && second.count == first.count);
  char *again = wisdom_text(&second);
  MUST(again != NULL && strcmp(written, again) == 0);
  use_all(&first);
  free(lines);
  free(written);
  free(again);
  wisdom_free(&first);
  wisdom_free(&second);
  return 0;
}
