/* Twins: two texts that differ and have one XXH3, of 128 and of 64 bits, as anybody can make them.
 *
 * XXH3 reads what is longer than 240 bytes in words of 8 bytes, eight lanes side by side. A word d, with
 * the secret's word s for its place, adds low(d ^ s) * high(d ^ s) to one sum of its lane and d to
 * another. Take two words of one lane, give both the same low(d ^ s), then set a bit of the upper half in
 * one of them and clear it in the other: both sums stay as they are, if the bit is the same in both words
 * of the secret. In one of the words the bit is what tells the twins apart; the other one stands in a
 * comment, as does all that is chosen for the sake of the sums. Everything is printable ASCII. */
#ifndef JIG_TESTS_TWINS_H
#define JIG_TESTS_TWINS_H

#include <stddef.h>

typedef struct twins {
  char *texts[2]; /* malloc'ed */
  size_t size;    /* of each, without its NUL */
} twins;

/* The texts <head><digits[0]><tail> and <head><digits[1]><tail>, with a comment before the last character
 * of the head. The digits differ in one bit, which is set in the second one. `before` is how many bytes
 * are hashed before the text, in one stream. Ends the test if it cannot be done. */
twins twins_make(const char *head, const char digits[2], const char *tail, size_t before);
void twins_free(twins *t);

#endif
