#include "spec/spelling.h"

#include <ctype.h>
#include <string.h>

const char *cxx_past_splices(const char *at) {
  for (;;) {
    if (at[0] == '\\' && at[1] == '\n')
      at += 2;
    else if (at[0] == '\\' && at[1] == '\r' && at[2] == '\n')
      at += 3;
    else
      return at;
  }
}

const char *cxx_after(const char *at) {
  return cxx_past_splices(at + 1);
}

bool cxx_is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

bool cxx_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

const char *cxx_read_word(const char *at, char *word, size_t size) {
  size_t length = 0;
  for (; cxx_is_name_char(*at); at = cxx_after(at)) {
    if (length + 1 < size) word[length++] = *at;
  }
  word[length] = '\0';
  return at;
}

bool cxx_is_word(const char *at, const char *word) {
  at = cxx_past_spelling(at, word);
  return at != NULL && !cxx_is_name_char(*at);
}

const char *cxx_past_spelling(const char *at, const char *spelling) {
  for (; *spelling != '\0'; ++spelling) {
    if (*at != *spelling) return NULL;
    at = cxx_after(at);
  }
  return at;
}

const char *cxx_past_comment(const char *at) {
  for (at = cxx_after(cxx_after(at)); *at != '\0'; at = cxx_after(at)) {
    if (*at == '*' && *cxx_after(at) == '/') return cxx_after(cxx_after(at));
  }
  return NULL;
}

const char *cxx_past_space(const char *at) {
  for (;;) {
    const char *end = *at == '/' && *cxx_after(at) == '*' ? cxx_past_comment(at) : NULL;
    if (end == NULL && !cxx_is_blank(*at)) return at;
    at = end != NULL ? end : cxx_after(at);
  }
}

const char *cxx_past_suffix(const char *at) {
  if (isdigit((unsigned char)*at)) return at;
  while (cxx_is_name_char(*at)) at = cxx_after(at);
  return at;
}
