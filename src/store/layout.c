/* Names of files, see layout.h. A version is numbers without leading zeros, with dots between them: one
 * spelling per version is what lets two different names never compare equal. */
#include "store/layout.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* How many characters at the start of a text are decimal digits; a number with leading zeros has none. */
static size_t number_length(const char *text) {
  size_t length = 0;
  while (is_digit(text[length])) ++length;
  return length > 1 && text[0] == '0' ? 0 : length;
}

/* How many characters at the start of a text are a version. */
static size_t version_length(const char *text) {
  size_t length = number_length(text);
  while (length > 0 && text[length] == '.') {
    size_t next = number_length(text + length + 1);
    if (next == 0) break;
    length += 1 + next;
  }
  return length;
}

/* Reads exactly `count` lower-case hex digits into the low end of *value. */
static bool hex_digits(const char *text, int count, uint64_t *value) {
  for (int i = 0; i < count; ++i) {
    char c = text[i];
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return false;
    *value = *value << 4 | (uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return true;
}

void layout_shard(unsigned shard, char name[LAYOUT_SHARD_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  name[0] = digits[shard >> 4 & 15];
  name[1] = digits[shard & 15];
  name[2] = '\0';
}

bool layout_entry(hash128 key, const char *compiler, char name[LAYOUT_NAME_SIZE]) {
  size_t length = version_length(compiler);
  if (length == 0 || length >= LAYOUT_COMPILER_SIZE || compiler[length] != '\0') return false;
  char hex[HASH_HEX_SIZE];
  hash_hex(key, hex);
  (void)snprintf(name, LAYOUT_NAME_SIZE, "%s-%s.jig", hex + 2, compiler);
  return true;
}

void layout_lock(hash128 key, char name[LAYOUT_NAME_SIZE]) {
  char hex[HASH_HEX_SIZE];
  hash_hex(key, hex);
  (void)snprintf(name, LAYOUT_NAME_SIZE, "%s.lock", hex + 2);
}

void layout_temporary(pid_t pid, uint64_t random, char name[LAYOUT_NAME_SIZE]) {
  (void)snprintf(name, LAYOUT_NAME_SIZE, ".tmp-%ld-%016llx", (long)pid, (unsigned long long)random);
}

static bool is_temporary(const char *name) {
  static const char start[] = ".tmp-";
  if (strncmp(name, start, sizeof start - 1) != 0) return false;
  name += sizeof start - 1;
  size_t length = number_length(name);
  uint64_t random = 0;
  return length > 0 && name[length] == '-' && hex_digits(name + length + 1, 16, &random) &&
         name[length + 1 + 16] == '\0';
}

layout_name layout_parse(unsigned shard, const char *name) {
  layout_name foreign = {.kind = LAYOUT_FOREIGN}, parsed = foreign;
  if (is_temporary(name)) {
    parsed.kind = LAYOUT_TEMPORARY;
    return parsed;
  }
  parsed.key.high = shard;
  if (!hex_digits(name, 14, &parsed.key.high)) return foreign;
  if (!hex_digits(name + 14, 16, &parsed.key.low)) return foreign;
  const char *rest = name + 30;
  if (strcmp(rest, ".lock") == 0) {
    parsed.kind = LAYOUT_LOCK;
    return parsed;
  }
  if (rest[0] != '-') return foreign;
  size_t length = version_length(++rest);
  if (length == 0 || length >= LAYOUT_COMPILER_SIZE || strcmp(rest + length, ".jig") != 0) return foreign;
  memcpy(parsed.compiler, rest, length);
  parsed.kind = LAYOUT_ENTRY;
  return parsed;
}

int layout_compare_compilers(const char *a, const char *b) {
  for (;;) {
    size_t a_length = number_length(a), b_length = number_length(b);
    if (a_length != b_length) return a_length < b_length ? -1 : 1;
    int order = memcmp(a, b, a_length);
    if (order != 0) return order;
    a += a_length;
    b += b_length;
    if (*a != '.' || *b != '.') return (*a == '.') - (*b == '.');
    ++a;
    ++b;
  }
}
