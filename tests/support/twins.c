#include "twins.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum { STRIPE = 64, LANES = 8, WORD = 8, HALF = 4, STRIPES = 16 };

/* Two words of a lane; the first one is in the comment, the second one ends it. */
typedef struct place {
  size_t first, second; /* where they begin, in the stream */
  char lows[2][HALF];   /* their lower halves */
} place;

static const unsigned char *secret_of(size_t at) {
  return XXH3_kSecret + (at / STRIPE + at % STRIPE / WORD) * WORD;
}

static bool fits_comment(int c) {
  return c >= ' ' && c <= '~' && strchr("*/\\\"'", c) == NULL;
}

/* Characters for the lower halves, so that with the secret they are the same. */
static bool find_lows(place *p) {
  const unsigned char *s = secret_of(p->first), *t = secret_of(p->second);
  for (int i = 0; i < HALF; ++i) {
    int c = ' ';
    while (c <= '~' && !(fits_comment(c) && fits_comment(c ^ s[i] ^ t[i]))) ++c;
    if (c > '~') return false;
    p->lows[0][i] = (char)c;
    p->lows[1][i] = (char)(c ^ s[i] ^ t[i]);
  }
  return true;
}

/* The last character of a word has the bit. Both words are of the first 1024 bytes, and not of the
 * last 64. */
static bool find_place(size_t begin, unsigned bit, place *p) {
  for (p->first = (begin + STRIPE) / WORD * WORD; p->first < STRIPE * STRIPES; p->first += WORD) {
    for (p->second = p->first + STRIPE; p->second < STRIPE * STRIPES; p->second += STRIPE) {
      const unsigned same = secret_of(p->first)[WORD - 1] ^ secret_of(p->second)[WORD - 1] ^ 0xffu;
      if ((same & bit) != 0 && find_lows(p)) return true;
    }
  }
  return false;
}

twins twins_make(const char *head, const char digits[2], const char *tail, size_t before) {
  const size_t head_size = strlen(head) - 1, tail_size = strlen(tail);
  const unsigned bit = (unsigned)(digits[0] ^ digits[1]);
  place p;
  ck_assert_msg(find_place(before + head_size, bit, &p), "no two words of XXH3's secret will do");
  const size_t first = p.first - before, second = p.second - before;
  twins t = {.size = second + WORD + tail_size + STRIPE};
  for (int i = 0; i < 2; ++i) {
    char *text = t.texts[i] = malloc(t.size + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', t.size);
    text[t.size] = '\0';
    memcpy(text, head, head_size);
    memcpy(text + head_size, "/*", 2);
    memcpy(text + first, p.lows[0], HALF);
    text[first + WORD - 1] = (char)(i == 0 ? '@' | bit : '@');
    memcpy(text + second, p.lows[1], HALF);
    memcpy(text + second + HALF, "*/", 2);
    text[second + HALF + 2] = head[head_size];
    text[second + HALF + 3] = digits[i];
    memcpy(text + second + WORD, tail, tail_size);
  }
  return t;
}

void twins_free(twins *t) {
  free(t->texts[0]);
  free(t->texts[1]);
}
