/* What is reserved in types, operators and iterators, or-ed together: 0 if all of it is zero, as it has
 * to be. See docs/abi.md. Warm calls pass here. */
#ifndef JIG_SPEC_RESERVED_H
#define JIG_SPEC_RESERVED_H

#include <string.h>

#include <jig/iterator.h>

/* How an error ends that says where it is not. */
#define RESERVED_PROBLEM "reserved is not zero: made for a newer jig, or not zero-initialised"

static inline uint64_t reserved_of_type(const jig_type *type) {
  return type->reserved32 | type->reserved[0] | type->reserved[1];
}

static inline uint64_t reserved_of_op(const jig_op *op) {
  return op->reserved32 | op->reserved[0] | op->reserved[1] | op->reserved[2] |
         reserved_of_type(&op->state_type);
}

/* Without its bases. */
static inline uint64_t reserved_of_iter(const jig_iter *iter) {
  return iter->reserved32 | iter->reserved[0] | iter->reserved[1] | reserved_of_type(&iter->type) |
         reserved_of_op(&iter->op);
}

/* Of a struct's own reserved members. */
static inline uint64_t reserved_of_words(const void *words, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char *)words + i, sizeof word);
    bits |= word;
  }
  return bits;
}

/* Of members of any other type. */
static inline uint64_t reserved_of_plain(const void *member) {
  (void)member;
  return 0;
}

#endif
