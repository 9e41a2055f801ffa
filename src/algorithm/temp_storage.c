#include "algorithm/temp_storage.h"

#include "util/integer.h"

static uint64_t aligned(uint64_t bytes) {
  return align_up(bytes, TEMP_ALIGNMENT);
}

int temp_slot(temp_layout *layout, uint64_t bytes) {
  if (layout->slots == TEMP_MAX_SLOTS) {
    layout->sizes[TEMP_MAX_SLOTS - 1] = TOO_LARGE;
    return TEMP_MAX_SLOTS - 1;
  }
  layout->sizes[layout->slots] = bytes;
  return layout->slots++;
}

void temp_share(temp_layout *layout, int slot, uint64_t bytes) {
  layout->sizes[slot] = max_of(layout->sizes[slot], bytes);
}

uint64_t temp_size(const temp_layout *layout) {
  uint64_t total = 0;
  for (int i = 0; i < layout->slots; ++i) total = sum_of(total, aligned(layout->sizes[i]));
  /* An allocation is aligned; storage cut out of a larger one may start anywhere. */
  return total == 0 ? 1 : sum_of(total, TEMP_ALIGNMENT - 1);
}

void *temp_address(const temp_layout *layout, int slot, void *storage) {
  uintptr_t address = aligned((uintptr_t)storage);
  for (int i = 0; i < slot; ++i) address += aligned(layout->sizes[i]);
  return (void *)address;
}
