#include "jit/link_options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* What NVRTC calls it, and nvJitLink. A truth value is true or false to the one and 1 or 0 to the other.
 */
typedef struct option_pair {
  const char *name, *linked;
  enum { FLAG, TRUTH, VALUE } kind;
} option_pair;

static const option_pair pairs[] = {
    {"use_fast_math", "-ftz=1", FLAG},
    {"use_fast_math", "-prec-div=0", FLAG},
    {"use_fast_math", "-prec-sqrt=0", FLAG},
    {"ftz", "-ftz", TRUTH},
    {"prec-div", "-prec-div", TRUTH},
    {"prec-sqrt", "-prec-sqrt", TRUTH},
    {"fmad", "-fma", TRUTH},
    {"maxrregcount", "-maxrregcount", VALUE},
    {"ptxas-options", "-Xptxas", VALUE},
    {"Xptxas", "-Xptxas", VALUE},
    {"device-debug", "-g", FLAG},
    {"G", "-g", FLAG},
    {"generate-line-info", "-lineinfo", FLAG},
    {"lineinfo", "-lineinfo", FLAG},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* The value of an option of that name, which may be in the next element; "" of a flag, NULL if it has
 * another name. */
static const char *value_of(const option_pair *pair, char *const *option) {
  const size_t length = strlen(pair->name);
  const char *name = *option + strspn(*option, " -");
  if (strncmp(name, pair->name, length) != 0) return NULL;
  if (name[length] == '=') return name + length + 1;
  if (name[length] != '\0') return NULL;
  return pair->kind == FLAG || option[1] == NULL ? "" : option[1];
}

static char *write_option(const option_pair *pair, const char *value) {
  text t = {0};
  text_add(&t, pair->linked);
  if (pair->kind == TRUTH) value = strcmp(value, "true") == 0 ? "1" : "0";
  if (pair->kind != FLAG) text_format(&t, "=%s", value);
  return text_take(&t);
}

char **link_options(char *const *options) {
  size_t given = 0, count = 0;
  while (options != NULL && options[given] != NULL) ++given;
  char **list = calloc(given * PAIRS + 1, sizeof *list);
  for (size_t i = 0; list != NULL && i < given; ++i) {
    for (size_t k = 0; k < PAIRS; ++k) {
      const char *value = value_of(&pairs[k], options + i);
      if (value == NULL) continue;
      list[count] = write_option(&pairs[k], value);
      if (list[count++] != NULL) continue;
      link_options_free(list);
      return NULL;
    }
  }
  return list;
}

void link_options_free(char **list) {
  for (size_t i = 0; list != NULL && list[i] != NULL; ++i) free(list[i]);
  free(list);
}
