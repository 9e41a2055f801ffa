/* Which declarations are the same, and of what name. */
#include <string.h>

#include "spec/declarations.h"
#include "spec/tokens.h"

static size_t length_of_name(const declaration *d) {
  return (size_t)(d->name_end - d->name);
}

/* Whether a name is that of a declaration, or of a member of what it declares. */
static bool covers(const declaration *d, const char *name) {
  if (d->name == NULL) return false;
  const size_t scope = strlen(d->scope), length = length_of_name(d);
  if (strncmp(name, d->scope, scope) != 0 || strncmp(name + scope, d->name, length) != 0) return false;
  const char *rest = name + scope + length;
  return *rest == '\0' || (d->head != NULL && strncmp(rest, "::", 2) == 0);
}

bool declarations_equal(const declaration *a, const declaration *b) {
  return a->hash == b->hash && strcmp(a->scope, b->scope) == 0 &&
         tokens_equal(a->begin, a->end, b->begin, b->end);
}

bool declarations_name_same(const declaration *a, const declaration *b) {
  return a->head != NULL && b->head != NULL && a->name != NULL && b->name != NULL &&
         strcmp(a->scope, b->scope) == 0 && tokens_equal(a->name, a->name_end, b->name, b->name_end);
}

bool declarations_define_same(const declaration *a, const declaration *b) {
  if (a->head == NULL || b->head == NULL) return declarations_equal(a, b);
  return declarations_name_same(a, b) && tokens_equal(a->head, a->body_end, b->head, b->body_end);
}

bool source_defines_same(const char *a, const char *b, const char *name) {
  if (strcmp(a, b) == 0) return true;
  declaration_list of_a = {0}, of_b = {0};
  const bool read =
      declarations_read(a, &of_a) == JIG_SUCCESS && declarations_read(b, &of_b) == JIG_SUCCESS;
  bool same = read && tokens_equal(a, a + strlen(a), b, b + strlen(b));
  for (size_t i = 0; i < of_a.count; ++i) {
    const declaration *x = &of_a.of[i];
    for (size_t k = 0; k < of_b.count && read && !x->is_forward && !x->is_function && covers(x, name);
         ++k)
      same = same || declarations_define_same(x, &of_b.of[k]);
  }
  declarations_free(&of_a);
  declarations_free(&of_b);
  return same;
}
