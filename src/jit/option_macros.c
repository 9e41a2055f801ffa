#include "jit/option_macros.h"

#include <ctype.h>
#include <string.h>

#include "spec/name.h"

typedef struct option {
  const char *value; /* NULL: another option */
  size_t count;      /* of words */
} option;

/* Of -D and -U, in all their forms: "-Dx", "-D" "x", "--define-macro=x", "--define-macro" "x". */
static option read_option(char *const *options, size_t i, const char *letter, const char *name) {
  const option none = {NULL, 0};
  const char *at = options[i] + strspn(options[i], " \t");
  if (*at != '-') return none;
  at += strspn(at, "-");
  const size_t length = strlen(name);
  if (strncmp(at, name, length) == 0 && at[length] == '=') return (option){at + length + 1, 1};
  if (strcmp(at, name) == 0 || strcmp(at, letter) == 0) return (option){options[i + 1], 2};
  return strncmp(at, letter, 1) == 0 ? (option){at + 1, 1} : none;
}

static size_t name_length(const char *value) {
  size_t length = 0;
  while (isalnum((unsigned char)value[length]) || value[length] == '_') ++length;
  return isalpha((unsigned char)*value) ? length : 0;
}

/* Past the name and its parameters; NULL if there is no line of the program that does the same. */
static const char *past_head(const char *value) {
  const size_t length = name_length(value);
  const char *at = value + length;
  if (length == 0 || strncmp(value, "JIG", 3) == 0 || strpbrk(value, "\r\n\\") != NULL) return NULL;
  if (strstr(value, "/*") != NULL || strstr(value, "//") != NULL || strstr(value, "R\"") != NULL)
    return NULL;
  if (*at == '(') at = strchr(at, ')');
  if (at != NULL && *at == ')') ++at;
  return at != NULL && (*at == '\0' || *at == '=') ? at : NULL;
}

static bool undefines(char *const *options) {
  bool any = false;
  for (size_t i = 0; options[i] != NULL; ++i)
    any = any || read_option(options, i, "U", "undefine-macro").value != NULL;
  return any;
}

static option macro_at(char *const *options, size_t i) {
  const option o = read_option(options, i, "D", "define-macro");
  const bool is_line = o.value != NULL && past_head(o.value) != NULL;
  return is_line && !undefines(options) ? o : (option){NULL, 0};
}

void option_macros_write(text *out, char *const *options) {
  for (size_t i = 0; options != NULL && options[i] != NULL; ++i) {
    const option o = macro_at(options, i);
    if (o.value == NULL) continue;
    const char *rest = past_head(o.value);
    text_format(out, "#undef %.*s\n#line %zu \"compile_options\"\n#define %.*s %s\n",
                (int)name_length(o.value), o.value, i + 1, (int)(rest - o.value), o.value,
                *rest == '=' ? rest + 1 : "1");
    text_add(out, "#line 1 \"jig program\"\n");
    i += o.count - 1;
  }
}

bool option_macro_is_type(char *const *options, size_t i) {
  const option o = read_option(options, i, "D", "define-macro");
  return o.value != NULL && name_is_of_type(o.value, name_length(o.value));
}

size_t option_macro_at(char *const *options, size_t i) {
  return macro_at(options, i).count;
}
