#include "segments.h"

#include <stdlib.h>

#include "numbers.h"

segment_list new_segments(size_t count, size_t average, bool gaps) {
  segment_list list = {count, 0, malloc(count * 8 + 8), malloc(count * 8 + 8)};
  uint64_t seed = 9 + count + average;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed) >> 20;
    list.begins[i] = (int64_t)list.items;
    list.items += r % 7 == 0 ? 0 : r / 7 % (2 * average + 1);
    list.ends[i] = (int64_t)list.items;
    if (gaps) list.items += r / 7 % 3;
    /* An end before its beginning is an empty segment, too. */
    if (gaps && list.begins[i] == list.ends[i] && list.begins[i] > 0) --list.ends[i];
  }
  return list;
}

segment_list segments_of(const size_t *lengths, size_t count, bool gaps) {
  segment_list list = {count, 0, malloc(count * 8 + 8), malloc(count * 8 + 8)};
  for (size_t i = 0; i < count; ++i) {
    list.begins[i] = (int64_t)list.items;
    list.items += lengths[i];
    list.ends[i] = (int64_t)list.items;
    if (gaps) list.items += i % 3;
  }
  return list;
}

void shuffle_segments(segment_list *list) {
  uint64_t seed = 77;
  for (size_t i = list->count; i > 1; --i) {
    const size_t other = (next_random(&seed) >> 20) % i;
    const int64_t begin = list->begins[i - 1], end = list->ends[i - 1];
    list->begins[i - 1] = list->begins[other];
    list->ends[i - 1] = list->ends[other];
    list->begins[other] = begin;
    list->ends[other] = end;
  }
}

void free_segments(segment_list *list) {
  free(list->begins);
  free(list->ends);
}
