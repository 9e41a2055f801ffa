#include "spec/fatbin.h"

/* A header of 16 bytes: magic, version, its own size, how many bytes of entries follow. */
enum { HEADER_MIN = 16, AT_HEADER_SIZE = 6, AT_ENTRIES_SIZE = 8 };

/* Each entry begins with a header of the same few fields: kind, its own size, that of the code after it,
 * the version. */
enum { ENTRY_MIN = 32, AT_ENTRY_SIZE = 4, AT_CODE_SIZE = 8, AT_VERSION = 24 };

bool fatbin_begins(view bytes) {
  static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
  return bytes.size >= HEADER_MIN && view_begins(bytes, magic, sizeof magic);
}

view fatbin_entries(view bytes) {
  const uint64_t header_size = view_number(bytes, AT_HEADER_SIZE, 2);
  const uint64_t stated = view_number(bytes, AT_ENTRIES_SIZE, 8);
  if (!fatbin_begins(bytes) || header_size < HEADER_MIN) return view_of(bytes.at, 0);
  view entries = view_from(bytes, header_size);
  if (stated < entries.size) entries.size = (size_t)stated;
  return entries;
}

bool fatbin_next(view *entries, fatbin_entry *entry) {
  view header, code;
  const uint64_t header_size = view_number(*entries, AT_ENTRY_SIZE, 4);
  const uint64_t code_size = view_number(*entries, AT_CODE_SIZE, 8);
  if (header_size < ENTRY_MIN || !view_part(*entries, 0, header_size, &header) ||
      !view_part(*entries, header_size, code_size, &code))
    return false;
  *entry = (fatbin_entry){.kind = (unsigned)view_number(header, 0, 2),
                          .version = (unsigned)view_number(header, AT_VERSION, 4)};
  *entries = view_from(*entries, header_size + code_size);
  return true;
}

bool fatbin_is_whole(view bytes) {
  const uint64_t header_size = view_number(bytes, AT_HEADER_SIZE, 2);
  view entries;
  fatbin_entry entry;
  if (!fatbin_begins(bytes) || header_size < HEADER_MIN ||
      !view_part(bytes, header_size, view_number(bytes, AT_ENTRIES_SIZE, 8), &entries))
    return false;
  while (fatbin_next(&entries, &entry)) continue;
  return entries.size == 0;
}
