#include "policy/space.h"

#include "policy/shared_memory.h"

tuned_kernel *tuning_find(tuning_told *told, const policy_space *space) {
  for (int i = 0; told != NULL && i < told->count; ++i)
    if (told->of[i].space == space) return &told->of[i];
  return NULL;
}

void tuning_take(tuning_told *told, const policy_space *space, void *row) {
  tuned_kernel *of = tuning_find(told, space);
  for (int i = 0; of != NULL && space->knobs[i].name != NULL; ++i) {
    int *field = (int *)((char *)row + space->knobs[i].offset);
    if (of->values[i] == KNOB_UNTOLD)
      of->values[i] = *field;
    else
      *field = of->values[i];
  }
}

int space_knob_count(const policy_space *space) {
  int count = 0;
  while (space->knobs[count].name != NULL) ++count;
  return count;
}

int space_knob(const policy_space *space, const char *name) {
  for (int i = 0; space->knobs[i].name != NULL; ++i)
    if (strcmp(space->knobs[i].name, name) == 0) return i;
  return -1;
}

bool knob_has(const policy_knob *knob, int value) {
  for (int i = 0; i < knob->count; ++i)
    if (knob->values[i] == value) return true;
  return false;
}

bool policy_fits(const policy *p, int sm) {
  enum { WARP_THREADS = 32, MOST_THREADS = 1024 };
  const int threads = (int)policy_threads(p), blocks = policy_value(p, "min_blocks", 1);
  const int bytes = policy_value(p, "shared_bytes", 0), all = shared_kibibytes(sm) * KIBIBYTE;
  if (threads < WARP_THREADS || threads > MOST_THREADS || threads % WARP_THREADS != 0 || blocks < 1)
    return false;
  if (blocks * threads > multiprocessor_threads(sm)) return false;
  return bytes == 0 || (bytes > 0 && bytes <= all - KIBIBYTE && blocks * (bytes + KIBIBYTE) <= all);
}
