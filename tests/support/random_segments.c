/* Segments for random calls. */
#include "random_cases.h"

size_t random_length(size_t left) {
  size_t length;
  switch (data_below(6)) {
    case 0:
      length = 0;
      break;
    case 1:
      length = data_below(4);
      break;
    case 2:
      length = ((size_t)1 << data_below(13)) + data_below(3) - 1;
      break;
    case 3:
      length = data_below(300);
      break;
    default:
      length = data_one_in(8) ? left : data_below(40);
  }
  return length < left ? length : left;
}

/* In one array, in ascending order; or in two, in any order, with gaps, some ends before their begins. */
segment_case random_segments(size_t items, segment_rule rule) {
  const item_kind k = random_index(&items);
  if (items == 0) items = 1; /* offsets say that there are none */
  segment_case s = {.items = items, .one_array = shape_one_in(2)};
  const size_t most = data_one_in(10) ? 0 : data_one_in(5) ? 1 : 1 + data_below(400);
  s.begins = host_alloc((most + 1) * 8), s.ends = host_alloc((most + 1) * 8);
  size_t at = data_one_in(2) ? 0 : data_below(items / 4 + 1);
  const bool anywhere = rule == SEGMENTS_OVERLAP && !s.one_array && data_one_in(2);
  while (s.count < most) {
    if (anywhere) at = data_below(items + 1);
    if (!s.one_array && data_one_in(4)) at += data_below((items - at) / 8 + 1);
    const size_t length = random_length(items - at);
    s.begins[s.count] = (int64_t)at;
    at += length;
    s.ends[s.count++] = (int64_t)at;
  }
  for (size_t i = 0; !s.one_array && i < s.count; ++i) {
    const size_t j = i + data_below(s.count - i);
    const int64_t b = s.begins[i], e = s.ends[i];
    s.begins[i] = s.begins[j], s.ends[i] = s.ends[j];
    s.begins[j] = b, s.ends[j] = e;
    if (s.begins[i] == s.ends[i] && s.ends[i] > 0 && data_one_in(2)) --s.ends[i];
  }
  char *numbers = host_alloc((s.count + 1) * k.type.size),
       *ends = host_alloc((s.count + 1) * k.type.size);
  for (size_t i = 0; i < s.count; ++i) {
    put_integer(k.word, numbers, i, s.begins[i]);
    put_integer(k.word, ends, i, s.ends[i]);
  }
  if (s.one_array) {
    if (s.count == 0)
      put_integer(k.word, numbers, 0, (int128)at);
    else
      put_integer(k.word, numbers, s.count, s.ends[s.count - 1]);
    char *array = place_copy(numbers, (s.count + 1) * k.type.size, k.type.align);
    s.begin_offsets = jig_pointer(array, k.type);
    s.end_offsets = jig_pointer(array + k.type.size, k.type);
  } else {
    s.begin_offsets = place_input(&k, numbers, s.count, PLACE_ITEMS);
    s.end_offsets = place_input(&k, ends, s.count, PLACE_ITEMS);
  }
  return s;
}

/* Of one size, side by side. */
static segment_case random_rows(size_t *size) {
  segment_case s = {0};
  *size = data_one_in(8) ? 0 : random_length(5000);
  s.count = data_one_in(8) ? data_below(2) : data_below(*size > 100 ? 20000 / *size : 200);
  s.items = s.count * *size;
  s.begins = host_alloc((s.count + 1) * 8), s.ends = host_alloc((s.count + 1) * 8);
  for (size_t i = 0; i < s.count; ++i) {
    s.begins[i] = (int64_t)(i * *size);
    s.ends[i] = s.begins[i] + (int64_t)*size;
  }
  return s;
}

size_t segment_length(const segment_case *s, size_t i) {
  return s->ends[i] > s->begins[i] ? (size_t)(s->ends[i] - s->begins[i]) : 0;
}

segment_case segments_or_rows(size_t item_size, size_t *row, segment_rule rule) {
  *row = 0;
  if (shape_one_in(3)) return random_rows(row);
  return random_segments(data_count(item_size), rule);
}
