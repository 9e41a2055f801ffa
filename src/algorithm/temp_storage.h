/* Lays out temp storage: slots that are in use at the same time follow one another, aligned; what shares
 * a slot (and so is not) overlaps there.
 *
 *   temp_layout layout = {0};
 *   int partials = temp_slot(&layout, bytes_a);      slots are numbered from 0
 *   temp_share(&layout, partials, bytes_b);          the slot is as large as its largest tenant
 *   ... temp_size(&layout) is what to ask for; temp_address(&layout, partials, storage) where it is.
 *
 * The caller's storage may have any alignment; the size asked for covers that. Sizes may be TOO_LARGE
 * (util/integer.h), and then the whole is. */
#ifndef JIG_ALGORITHM_TEMP_STORAGE_H
#define JIG_ALGORITHM_TEMP_STORAGE_H

#include <stddef.h>
#include <stdint.h>

enum { TEMP_ALIGNMENT = 256, TEMP_MAX_SLOTS = 12 };

typedef struct temp_layout {
  int slots;
  uint64_t sizes[TEMP_MAX_SLOTS];
} temp_layout;

/* A slot more than there is room for makes the layout TOO_LARGE: no call of such an algorithm works. */
int temp_slot(temp_layout *layout, uint64_t bytes);
void temp_share(temp_layout *layout, int slot, uint64_t bytes);

/* At least 1. */
uint64_t temp_size(const temp_layout *layout);

void *temp_address(const temp_layout *layout, int slot, void *storage);

#endif
