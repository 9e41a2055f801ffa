/* What the environment says about the software GPU. Read once. */
#ifndef SOFTGPU_API_SETTINGS_H
#define SOFTGPU_API_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct settings {
  int devices;         /* JIG_SOFTGPU_DEVICES, 1 */
  int sm;              /* JIG_SOFTGPU_SM, 90 */
  int multiprocessors; /* JIG_SOFTGPU_MULTIPROCESSORS, 4 */
  uint64_t memory;     /* JIG_SOFTGPU_MEMORY, 16G: of each device, in bytes; suffixes K, M, G */
  int workers;         /* JIG_SOFTGPU_WORKERS: threads that execute; as many as there are processors */
  uint64_t seed;       /* JIG_SOFTGPU_SEED: whose turn it is, of blocks and warps, and for how long; 0:
                        * plain order */
  double watchdog;     /* JIG_SOFTGPU_WATCHDOG, 60: seconds without progress that are a deadlock */
  bool check;          /* JIG_SOFTGPU_CHECK=0: no checks for uninitialised reads and races */
  bool check_leaks;    /* JIG_SOFTGPU_LEAKS=0: leaks are not told */
  bool strict_polling; /* JIG_SOFTGPU_STRICT=1: relaxed, acquire, volatile and atomic reads of memory that
                        * nobody wrote count as uninitialised reads too */
  bool statistics;     /* JIG_SOFTGPU_STATISTICS=1: a line on standard error for each kernel that ends */
  int exit_status;     /* JIG_SOFTGPU_EXIT, 97: the process's, if there was a report; 0: left alone */
} settings;

const settings *settings_get(void);

#endif
