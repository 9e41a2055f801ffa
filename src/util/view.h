/* Bytes that somebody else made, read at offsets and sizes that they state themselves: whatever these
 * are, nothing outside is read. */
#ifndef JIG_UTIL_VIEW_H
#define JIG_UTIL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct view {
  const unsigned char *at;
  size_t size;
} view;

static inline view view_of(const void *bytes, size_t size) {
  return (view){bytes, size};
}

/* `size` bytes of it from `offset` on; false, and an empty *part, if it has not all of them. */
static inline bool view_part(view v, uint64_t offset, uint64_t size, view *part) {
  const bool within = offset <= v.size && size <= v.size - offset;
  *part = within ? view_of(v.at + offset, (size_t)size) : view_of(v.at, 0);
  return within;
}

/* What is left of it from `offset` on; empty if that is past its end. */
static inline view view_from(view v, uint64_t offset) {
  return offset <= v.size ? view_of(v.at + offset, v.size - (size_t)offset) : view_of(v.at, 0);
}

/* Copies a struct that lies at `offset`; false, and zeros, if it does not lie within. */
static inline bool view_copy(view v, uint64_t offset, void *to, size_t size) {
  view part;
  const bool within = view_part(v, offset, size, &part);
  memset(to, 0, size);
  if (within) memcpy(to, part.at, size);
  return within;
}

/* The same for a table of structs of one size, without a gap. */
static inline uint64_t view_count(view table, size_t size) {
  return table.size / size;
}

static inline bool view_item(view table, uint64_t i, void *to, size_t size) {
  return view_copy(table, i < view_count(table, size) ? i * size : UINT64_MAX, to, size);
}

/* A little-endian number of up to 8 bytes; 0 if it does not lie within. */
static inline uint64_t view_number(view v, uint64_t offset, unsigned bytes) {
  view part;
  uint64_t number = 0;
  if (!view_part(v, offset, bytes, &part)) return 0;
  while (bytes-- > 0) number = number << 8 | part.at[bytes];
  return number;
}

/* Whether it begins like that. */
static inline bool view_begins(view v, const void *bytes, size_t size) {
  return v.size >= size && memcmp(v.at, bytes, size) == 0;
}

/* A string without its NUL, which has to lie within; false, and an empty one, if it does not. */
static inline bool view_string(view v, uint64_t offset, view *string) {
  const view rest = view_from(v, offset);
  const unsigned char *nul = rest.size > 0 ? memchr(rest.at, '\0', rest.size) : NULL;
  *string = view_of(rest.at, nul != NULL ? (size_t)(nul - rest.at) : 0);
  return nul != NULL;
}

#endif
