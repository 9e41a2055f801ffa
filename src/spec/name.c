#include "spec/name.h"

#include <ctype.h>
#include <string.h>

#include "util/error.h"

/* Those of C++17. What a newer C++ adds, where an option asks for that, the compiler finds at its place.
 */
static const char *const keywords[] = {
    "alignas",   "alignof",  "and",      "and_eq",    "asm",          "auto",          "bitand",
    "bitor",     "bool",     "break",    "case",      "catch",        "char",          "char16_t",
    "char32_t",  "class",    "compl",    "const",     "const_cast",   "constexpr",     "continue",
    "decltype",  "default",  "delete",   "do",        "double",       "dynamic_cast",  "else",
    "enum",      "explicit", "export",   "extern",    "false",        "float",         "for",
    "friend",    "goto",     "if",       "inline",    "int",          "long",          "mutable",
    "namespace", "new",      "noexcept", "not",       "not_eq",       "nullptr",       "operator",
    "or",        "or_eq",    "private",  "protected", "public",       "register",      "reinterpret_cast",
    "return",    "short",    "signed",   "sizeof",    "static",       "static_assert", "static_cast",
    "struct",    "switch",   "template", "this",      "thread_local", "throw",         "true",
    "try",       "typedef",  "typeid",   "typename",  "union",        "unsigned",      "using",
    "virtual",   "void",     "volatile", "wchar_t",   "while",        "xor",           "xor_eq",
    NULL};

bool name_is_one_of(const char *const *names, const char *begin, size_t length) {
  while (*names != NULL && (strncmp(*names, begin, length) != 0 || (*names)[length] != '\0')) ++names;
  return *names != NULL;
}

bool name_is_keyword(const char *begin, size_t length) {
  return name_is_one_of(keywords, begin, length);
}

bool is_identifier(const char *name) {
  do {
    if (!isalpha((unsigned char)*name) && *name != '_') return false;
    while (isalnum((unsigned char)*name) || *name == '_') ++name;
    if (*name == '\0') return true;
    if (strncmp(name, "::", 2) != 0) return false;
    name += 2;
  } while (true);
}

jig_status name_check_keyword(const char *name, const char *what) {
  for (const char *part = name;; part += 2) {
    const size_t length = strcspn(part, ":");
    if (name_is_keyword(part, length)) {
      const bool is_part = length < strlen(name);
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s%s%s'%.*s' is a keyword of C++", what,
                       is_part ? "'" : "", is_part ? name : "", is_part ? "': " : "", (int)length, part);
    }
    part += length;
    if (*part == '\0') return JIG_SUCCESS;
  }
}

jig_status name_check_own(const char *name, const char *what) {
  if (strncmp(name, "jig", 3) != 0) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s': names that begin with 'jig' are jig's own",
                   what, name);
}

jig_status name_check(const char *name, const char *what) {
  const jig_status status = name_check_own(name, what);
  return status == JIG_SUCCESS ? name_check_keyword(name, what) : status;
}

bool name_is_of_type(const char *name, size_t length) {
  static const char *const types[] = {
      "bf16",     "bool",     "char",      "double",   "f16",   "float",  "int",    "int8_t",  "int16_t",
      "int32_t",  "int64_t",  "int128_t",  "long",     "short", "signed", "size_t", "uint8_t", "uint16_t",
      "uint32_t", "uint64_t", "uint128_t", "unsigned", "void",  "true",   "false",  NULL};
  return name_is_one_of(types, name, length);
}

/* Operands, and what else src/jit/define_op.c writes into an operator's class. */
bool name_is_hidden(const char *name, size_t length) {
  static const char *const hidden[] = {"a", "b", "c", "d",  "e",     "f",           "g",
                                       "h", "i", "x", "at", "state", "commutative", NULL};
  return name_is_one_of(hidden, name, length);
}
