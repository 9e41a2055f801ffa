#include "suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "algorithms.h"
#include "jit/algorithm.h"
#include "util/strings.h"

enum { FAR = 1000, WITHIN = 10 /* farther than what is misspelt, nearer than nothing */ };

/* What others call it. */
static const char *const synonyms[][2] = {
    {"sum", "plus"},
    {"add", "plus"},
    {"prod", "multiplies"},
    {"product", "multiplies"},
    {"mul", "multiplies"},
    {"and", "bit_and"},
    {"or", "bit_or"},
    {"xor", "bit_xor"},
    {"char", "i8"},
    {"int8", "i8"},
    {"short", "i16"},
    {"int16", "i16"},
    {"int", "i32"},
    {"int32", "i32"},
    {"long", "i64"},
    {"int64", "i64"},
    {"byte", "u8"},
    {"uint8", "u8"},
    {"uint16", "u16"},
    {"uint", "u32"},
    {"unsigned", "u32"},
    {"uint32", "u32"},
    {"uint64", "u64"},
    {"size_t", "u64"},
    {"half", "f16"},
    {"float16", "f16"},
    {"bfloat16", "bf16"},
    {"float", "f32"},
    {"float32", "f32"},
    {"double", "f64"},
    {"float64", "f64"},
    {"sum", "reduce"},
    {"min", "reduce"},
    {"max", "reduce"},
    {"count_if", "reduce"},
    {"transform_reduce", "reduce"},
    {"argmin", "arg_reduce"},
    {"argmax", "arg_reduce"},
    {"min_element", "arg_reduce"},
    {"max_element", "arg_reduce"},
    {"minmax_element", "min_max"},
    {"cumsum", "scan"},
    {"inclusive_scan", "scan"},
    {"exclusive_scan", "scan"},
    {"prefix_sum", "scan"},
    {"rle", "run_length_encode"},
    {"copy_if", "select"},
    {"remove_if", "select"},
    {"filter", "select"},
    {"compress", "select"},
    {"argsort", "radix_sort"},
    {"sort_by_key", "radix_sort"},
    {"stable_sort", "merge_sort"},
    {"lexsort", "merge_sort"},
    {"argpartition", "top_k"},
    {"median", "nth_element"},
    {"percentile", "nth_element"},
    {"fill", "copy"},
    {"gather", "copy"},
    {"scatter", "copy"},
    {"take", "copy"},
    {"shuffle", "copy"},
    {"diff", "adjacent_difference"},
    {"map", "transform"},
    {"bincount", "histogram"},
    {"any_of", "find_if"},
    {"all_of", "find_if"},
    {"mismatch", "find_if"},
    {"find", "find_if"},
    {"searchsorted", "binary_search"},
    {"lower_bound", "binary_search"},
    {"upper_bound", "binary_search"},
    {"set_union", "set_operation"},
    {"set_difference", "set_operation"},
    {"set_intersection", "set_operation"},
    {"flip", "reverse"},
};

static bool is_synonym(const char *word, const char *name) {
  for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; ++i)
    if (strcmp(word, synonyms[i][0]) == 0 && strcmp(name, synonyms[i][1]) == 0) return true;
  return false;
}

static int distance(const char *word, const char *name) {
  const size_t length = strlen(word);
  if (is_synonym(word, name)) return 0;
  const int count = (int)strings_distance(word, name);
  if (count <= (length < 4 ? 1 : 2)) return count;
  if (length >= 3 && strncmp(name, word, length) == 0) return WITHIN;
  return length >= 3 && strstr(name, word) != NULL ? WITHIN + 1 : FAR;
}

void suggest_try(suggestions *s, const char *name) {
  const int own = distance(s->word, name);
  if (own == FAR || (s->count > 0 && s->distances[0] < WITHIN && own >= WITHIN)) return;
  if (s->count > 0 && own < WITHIN && s->distances[0] >= WITHIN) s->count = 0;
  int at = s->count < SUGGEST_MAX ? s->count++ : SUGGEST_MAX;
  for (; at > 0 && s->distances[at - 1] > own; --at) {
    if (at == SUGGEST_MAX) continue;
    s->names[at] = s->names[at - 1];
    s->distances[at] = s->distances[at - 1];
  }
  if (at == SUGGEST_MAX) return;
  s->names[at] = name;
  s->distances[at] = own;
}

const char *suggest_text(const suggestions *s) {
  static char text[SUGGEST_MAX * 64 + 32];
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < s->count; ++i)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s'%s%.60s'",
                               i == 0              ? "; did you mean "
                               : i + 1 == s->count ? " or "
                                                   : ", ",
                               s->prefix != NULL ? s->prefix : "", s->names[i]);
  if (s->count > 0) (void)snprintf(text + length, sizeof text - length, "?");
  return text;
}

const char *suggest_algorithm(const char *word) {
  suggestions s = {.word = word};
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row)
    suggest_try(&s, (*row)->schema.algorithm);
  static char all[2048];
  if (s.count > 0) return suggest_text(&s);
  (void)snprintf(all, sizeof all, " (there are: %s)", algorithm_names());
  return all;
}
