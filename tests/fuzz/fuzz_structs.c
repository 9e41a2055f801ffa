/* Struct definitions that are given together: read declaration by declaration, put in order, and what
 * several of them define taken out of all but one, which leaves a text as sound as it was. The input is
 * up to three definitions, an operator's source and the name of its function, with a NUL after each. */
#include <jig/jig.h>

#include "fuzz.h"
#include "jit/algorithm.h"
#include "spec/declarations.h"
#include "spec/source.h"
#include "spec/structs.h"
#include "spec/tokens.h"
#include "util/error.h"

enum { TYPES = 3 };

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (; (text = strchr(text, '\n')) != NULL; ++text) ++lines;
  return lines;
}

/* Tokens and declarations come one after the other, within the text. */
static void read_text(const char *text) {
  const char *end = text + strlen(text), *before = text;
  token_reader reader = {.at = text};
  for (token t; (t = token_next(&reader)).kind != TOKEN_END; before = t.end)
    MUST(before <= t.begin && t.begin <= t.end && t.end <= end);
  declaration_list list;
  MUST(declarations_read(text, &list) == JIG_SUCCESS);
  for (size_t i = 0; i < list.count; ++i) {
    const declaration *d = &list.of[i];
    MUST(text <= d->begin && d->begin < d->end && d->end <= end);
    if (i > 0) MUST(list.of[i - 1].end <= d->begin);
    if (d->name != NULL) MUST(d->begin <= d->name && d->name < d->name_end && d->name_end <= d->end);
    if (d->head != NULL) MUST(d->begin <= d->head && d->head < d->body_end && d->body_end <= d->end);
    MUST(declarations_equal(d, d));
  }
  declarations_free(&list);
}

/* What is left of a text that was sound is sound, and every line is where it was. */
static void check_rest(char *rest, const char *source) {
  MUST(rest != NULL && strlen(rest) == strlen(source) && lines_of(rest) == lines_of(source));
  if (source_check(rest, "rest", "rest") != JIG_SUCCESS) {
    (void)fprintf(stderr, "%s\nof\n%s\n%s\n", rest, source, jig_last_error());
    abort();
  }
  free(rest);
}

static void put_together(const jig_type *types, const char *source, const char *function) {
  const jig_iter in = jig_pointer(NULL, types[0]), out = jig_pointer(NULL, types[1]);
  jig_op op = jig_op_function(source, function);
  op.state_type = types[2];
  spec s = {.schema = algorithm_schema("reduce")};
  struct_list list = {.count = 0};
  for (int i = 0; i < s.schema->slot_count; ++i) {
    const char *name = s.schema->slots[i].name;
    if (strcmp(name, "in") == 0) s.slots[i].iter = &in;
    if (strcmp(name, "out") == 0) s.slots[i].iter = &out;
    if (strcmp(name, "op") == 0) s.slots[i].op = &op;
  }
  if (structs_of(&s, "fuzz", &list) == JIG_SUCCESS) {
    for (int i = 0; i < list.count; ++i) check_rest(structs_text(&list, i), list.of[i].type->definition);
    check_rest(structs_rest(&list, source, function), source);
  }
  structs_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[TYPES] = {"a", "b", "c"};
  char *texts[TYPES + 2];
  jig_type types[TYPES];
  bool sound = true;
  error_clear();
  for (int i = 0; i < TYPES + 2; ++i) {
    texts[i] = fuzz_take_text(&data, &size);
    sound = sound && source_check(texts[i], "text", "text") == JIG_SUCCESS;
    if (i < TYPES) types[i] = jig_struct(names[i], texts[i], 8, 4);
  }
  for (int i = 0; i < TYPES + 1 && sound; ++i) read_text(texts[i]);
  if (sound) {
    (void)source_defines_same(texts[0], texts[1], "a");
    put_together(types, texts[TYPES], texts[TYPES + 1]);
  }
  for (int i = 0; i < TYPES + 2; ++i) free(texts[i]);
  return 0;
}
