/* Where the items of iterators are, and whether they can be there. Most iterators are pointers, which is
 * looked at in place, as warm calls pass here; of all others iterator.c knows. */
#ifndef JIG_SPEC_ITERATOR_MEMORY_H
#define JIG_SPEC_ITERATOR_MEMORY_H

#include "spec/iterator.h"
#include "util/integer.h"

/* Alignments are powers of two, and 0 wraps around. */
static inline bool iter_is_sound_pointer(const jig_iter *iter, uint64_t num_items) {
  const uint64_t address = (uintptr_t)iter->pointer, bytes = product_of(num_items, iter->type.size);
  return iter->kind == JIG_ITER_POINTER && address != 0 && (address & (iter->type.align - 1)) == 0 &&
         bytes <= MOST_BYTES && bytes <= UINTPTR_MAX - address;
}

/* Whether the pointers and values of a checked iterator can be used for items 0 .. num_items - 1: none is
 * NULL, pointers and strides are aligned, no item is beyond the last address, counts suffice. */
jig_status iter_check_parts(const jig_iter *iter, uint64_t num_items, const char *what);
static inline jig_status iter_check_values(const jig_iter *iter, uint64_t num_items, const char *what) {
  return iter_is_sound_pointer(iter, num_items) ? JIG_SUCCESS : iter_check_parts(iter, num_items, what);
}

/* Whether any of the first num_items items of a checked iterator overlaps [begin, begin + size), as far
 * as pointers tell. Gaps between strided items do not count. Which values a permutation reaches is not
 * known: they count only if their pointer itself lies there. What operators reach by their states does
 * not count. */
bool iter_parts_overlap(const jig_iter *iter, uint64_t num_items, const void *begin, size_t size);
static inline bool iter_overlaps(const jig_iter *iter, uint64_t num_items, const void *begin,
                                 size_t size) {
  const uint64_t address = (uintptr_t)iter->pointer, other = (uintptr_t)begin;
  if (num_items == 0 || size == 0) return false;
  if (iter->kind != JIG_ITER_POINTER) return iter_parts_overlap(iter, num_items, begin, size);
  return address < sum_of(other, size) && other < sum_of(address, product_of(num_items, iter->type.size));
}

#endif
