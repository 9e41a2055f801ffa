/* Fat binaries: code for several GPUs in one file. The format is not documented; what is read here is
 * what has not changed since there are such files. */
#ifndef JIG_SPEC_FATBIN_H
#define JIG_SPEC_FATBIN_H

#include <stdbool.h>

#include "util/view.h"

typedef enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2, FATBIN_LTO_IR = 8 } fatbin_kind;

typedef struct fatbin_entry {
  unsigned kind;    /* a fatbin_kind, or another */
  unsigned version; /* of PTX and LTO-IR; the major one from bit 16 on */
} fatbin_entry;

/* Whether a fat binary begins here. */
bool fatbin_begins(view bytes);

/* Its entries, of which the file may have fewer than it states; empty if it is none. */
view fatbin_entries(view bytes);

/* Takes the next entry off; false if there is none, or it states what is not there: then *entries are not
 * empty. */
bool fatbin_next(view *entries, fatbin_entry *entry);

/* Whether all that its headers state is there. */
bool fatbin_is_whole(view bytes);

#endif
