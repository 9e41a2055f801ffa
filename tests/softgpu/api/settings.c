#include "api/settings.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static settings the;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *get(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

/* What is no number, or out of the range, counts as not given. */
static uint64_t number(const char *name, uint64_t otherwise, uint64_t least, uint64_t most) {
  const char *value = get(name);
  if (value == NULL) return otherwise;
  char *end = NULL;
  uint64_t n = strtoull(value, &end, 0);
  unsigned shift = 0;
  switch (*end) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      break;
  }
  if (end == value || n > UINT64_MAX >> shift) return otherwise;
  n <<= shift;
  return n >= least && n <= most ? n : otherwise;
}

static bool flag(const char *name, bool otherwise) {
  const char *value = get(name);
  return value == NULL ? otherwise : strcmp(value, "0") != 0;
}

static double seconds(const char *name, double otherwise) {
  const char *value = get(name);
  char *end = NULL;
  const double s = value != NULL ? strtod(value, &end) : otherwise;
  return value == NULL || end == value || s < 0 ? otherwise : s;
}

static void read_all(void) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  the.devices = (int)number("JIG_SOFTGPU_DEVICES", 1, 0, 64);
  the.sm = (int)number("JIG_SOFTGPU_SM", 90, 20, 999);
  the.multiprocessors = (int)number("JIG_SOFTGPU_MULTIPROCESSORS", 4, 1, 1024);
  the.memory = number("JIG_SOFTGPU_MEMORY", (uint64_t)16 << 30, 1 << 20, (uint64_t)1 << 44);
  the.workers = (int)number("JIG_SOFTGPU_WORKERS", processors > 0 ? (uint64_t)processors : 1, 1, 1024);
  the.seed = number("JIG_SOFTGPU_SEED", 0, 0, UINT64_MAX);
  the.watchdog = seconds("JIG_SOFTGPU_WATCHDOG", 60);
  the.check = flag("JIG_SOFTGPU_CHECK", true);
  the.check_leaks = flag("JIG_SOFTGPU_LEAKS", true);
  the.strict_polling = flag("JIG_SOFTGPU_STRICT", false);
  the.statistics = flag("JIG_SOFTGPU_STATISTICS", false);
  the.exit_status = (int)number("JIG_SOFTGPU_EXIT", 97, 0, 255);
}

const settings *settings_get(void) {
  (void)pthread_once(&once, read_all);
  return &the;
}
