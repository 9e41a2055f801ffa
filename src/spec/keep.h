/* Copies in one block of memory, with all that they point to: of specs (identity.h), and of args
 * (args_copy.h). All is copied twice: without a block, to find out how large it has to be, and into it.
 */
#ifndef JIG_SPEC_KEEP_H
#define JIG_SPEC_KEEP_H

#include "spec/iterator.h"

typedef struct block {
  unsigned char *begin; /* NULL: nothing is written */
  size_t used;
} block;

/* Room for so many bytes; copied from there if `from` is not NULL. */
void *block_take(block *b, const void *from, size_t size);

/* A string's copy; NULL of NULL. */
const char *block_text(block *b, const char *from);

/* What a kind of type or operator has, and nothing else. Of an operator that is what it is compiled by,
 * and not where its state is. */
jig_type keep_type(block *b, const jig_type *from);
jig_op keep_op(block *b, const jig_op *from);

#endif
