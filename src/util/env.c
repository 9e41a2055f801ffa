#include "util/env.h"

#include <ctype.h>
#include <errno.h>
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
