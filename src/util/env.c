#include "util/env.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

bool env_is_trusted(void) {
  return getauxval(AT_SECURE) == 0;
}

const char *env_get(const char *name) {
  const char *value = secure_getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *env_get_absolute(const char *name) {
  const char *value = env_get(name);
  return value != NULL && value[0] == '/' ? value : NULL;
}

/* ---- what counts for the whole process */

typedef struct fixed_variable {
  const char *name;
  _Atomic(char *) value; /* NULL: nobody has chosen or asked */
} fixed_variable;

static fixed_variable fixed[] = {
    {"JIG_DRIVER", NULL}, {"JIG_NVRTC", NULL}, {"JIG_NVJITLINK", NULL}, {"JIG_TEMPLATE_PATH", NULL}};

static fixed_variable *find_fixed(const char *name) {
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) {
    if (strcmp(fixed[i].name, name) == 0) return &fixed[i];
  }
  return NULL;
}

/* Fixes the value, unless it is; returns what it is then. Without memory it is as if it were "". No lock,
 * which a fork() might leave to a child that has no thread to open it. */
static const char *fix(fixed_variable *variable, const char *value) {
  char *found = atomic_load(&variable->value), *copy = found == NULL ? strdup(value) : NULL;
  if (found == NULL && copy != NULL && atomic_compare_exchange_strong(&variable->value, &found, copy))
    return copy;
  free(copy);
  return found != NULL ? found : "";
}

const char *env_get_fixed(const char *name) {
  const char *set = env_get(name);
  fixed_variable *variable = find_fixed(name);
  if (variable == NULL) return set;
  const char *value = fix(variable, set != NULL ? set : "");
  return value[0] != '\0' ? value : NULL;
}

bool env_choose(const char *name, const char *value) {
  fixed_variable *variable = find_fixed(name);
  return variable != NULL && strcmp(fix(variable, value), value) == 0;
}

bool env_parse_size(const char *text, uint64_t *bytes) {
  if (!isdigit((unsigned char)text[0])) return false;
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno != 0) return false;
  unsigned shift = 0;
  if (*end != '\0') {
    static const char units[] = "KMGT";
    const char *unit = strchr(units, toupper((unsigned char)*end));
    if (unit == NULL) return false;
    shift = 10 * (unsigned)(unit - units + 1);
    if (strcmp(end + 1, "") != 0 && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0) {
      return false;
    }
  }
  if (number > UINT64_MAX >> shift) return false;
  *bytes = (uint64_t)number << shift;
  return true;
}
