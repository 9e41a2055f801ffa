/* The names in a text that may be those of types: all that do not look like a variable's or member's. */
#ifndef JIG_SPEC_MENTIONS_H
#define JIG_SPEC_MENTIONS_H

#include "spec/tokens.h"

typedef struct mention_reader {
  token_reader tokens;
  token before[2], ahead;
  bool begun;
} mention_reader;

/* The next one, or TOKEN_END; the reader begins as {.tokens = {.at = text}}. */
token mention_next(mention_reader *reader);

#endif
