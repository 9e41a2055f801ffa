/* What the fragment about specs in docs/cache.md stands in. */
#include "example.h"

int main(void) {
  /* here */
  return result.registers > 0 ? 0 : 1;
}
