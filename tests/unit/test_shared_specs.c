/* Which specs share a program, and which do not; and the manifest of what is shipped, which has each of
 * its programs once. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/algorithm.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "spec/complete.h"
#include "spec/shared.h"
#include "suite.h"

/* ---- specs from what somebody would write */

/* The spec whose program serves, as text; malloc'ed. */
static char *shared_text(const parsed_spec *p) {
  shared_spec room, again;
  char *text, *text_again;
  const spec *s = spec_shared(&p->s, &room);
  OK(spec_write(s, "shared", &text)); /* which is sound, too */
  OK(spec_write(spec_shared(s, &again), "shared", &text_again));
  ck_assert_str_eq(text, text_again);
  jig_free(text_again);
  return text;
}

static char *own_text(const parsed_spec *p) {
  char *text;
  OK(spec_write(&p->s, "own", &text));
  return text;
}

static void read_draft(const char *draft, parsed_spec *p) {
  json_t *json = json_loads(draft, 0, NULL);
  ck_assert_msg(json != NULL, "no JSON: %s", draft);
  const spec_schema *schema = algorithm_schema(json_string_value(json_object_get(json, "algorithm")));
  ck_assert_ptr_nonnull(schema);
  const jig_status status = spec_complete(json, schema, p);
  ck_assert_msg(status == JIG_SUCCESS, "%s: %s", draft, jig_last_error());
}

/* Two drafts of one algorithm, with ' in the place of ". */
static char *draft_of(const char *name, const char *slots) {
  char *draft = NULL;
  ck_assert_int_gt(asprintf(&draft, "{'algorithm':'%s',%s}", name, slots), 0);
  for (char *c = draft; *c != '\0'; ++c)
    if (*c == '\'') *c = '"';
  return draft;
}

static void compare(const char *name, const char *one, const char *other, bool shares) {
  char *drafts[2] = {draft_of(name, one), draft_of(name, other)}, *shared[2], *own[2];
  for (int i = 0; i < 2; ++i) {
    parsed_spec p;
    read_draft(drafts[i], &p);
    own[i] = own_text(&p);
    shared[i] = shared_text(&p);
    char *after = own_text(&p); /* of which nothing has changed */
    ck_assert_str_eq(own[i], after);
    jig_free(after);
    parsed_spec_free(&p);
  }
  ck_assert_str_ne(own[0], own[1]);
  ck_assert_msg((strcmp(shared[0], shared[1]) == 0) == shares, "%s: %s %s %s: %s, %s", name, one,
                shares ? "shares no program with" : "shares one with", other, shared[0], shared[1]);
  for (int i = 0; i < 2; ++i) {
    free(drafts[i]);
    jig_free(own[i]);
    jig_free(shared[i]);
  }
}

#define P(type) "{'kind':'pointer','type':'" type "'}"
#define BYTES(size, align) "{'kind':'pointer','type':{'kind':'opaque','size':" size ",'align':" align "}}"
#define HIT "{'name':'hit','definition':'struct hit { float d; int id; };','size':8,'align':4}"
#define AT_HIT "{'kind':'pointer','type':" HIT "}"
#define AT_SUM                                                                                          \
  "{'kind':'pointer','type':{'name':'sum','definition':'struct sum { int a; sum operator+(sum) const; " \
  "};',"                                                                                                \
  "'size':4,'align':4}}"
#define WIDE "{'name':'w','definition':'struct w { int a[100]; };','size':400,'align':4}"
#define AT_WIDE "{'kind':'pointer','type':" WIDE "}"
#define AT(values, index) \
  "{'kind':'permutation','type':'" values "','bases':[" P(values) "," P(index) "]}"
#define SOURCE(text) "{'kind':'source','source':'" text "'}"

typedef struct pair_row {
  const char *algorithm, *one, *other;
} pair_row;

START_TEST(what_is_alike_shares) {
  static const pair_row rows[] = {
      {"reduce", "'in':" P("i32"), "'in':" P("u32")},
      {"reduce", "'in':" P("f32"), "'in':" P("f32") ",'op':{'kind':'plus','commutative':true}"},
      {"reduce", "'in':" P("i64") ",'init':'i64'", "'in':" P("u64") ",'init':'u64'"},
      {"reduce", "'in':" P("i32") ",'init_in':" P("i32"), "'in':" P("u32") ",'init_in':" P("u32")},
      {"reduce", "'in':" P("i16") ",'out':" P("i32"), "'in':" P("i16") ",'out':" P("u32")},
      {"reduce", "'in':" P("bool") ",'out':" P("i64"), "'in':" P("bool") ",'out':" P("u64")},
      {"reduce", "'in':" P("i128") ",'op':'multiplies'", "'in':" P("u128") ",'op':'multiplies'"},
      {"reduce", "'in':" P("i32") ",'op':'bit_xor'", "'in':" P("u32") ",'op':'bit_xor'"},
      {"scan", "'in':" P("i32") ",'mode':'exclusive','init':{'kind':'constant','type':'i32'}",
       "'in':" P("u32") ",'mode':'exclusive','init':{'kind':'constant','type':'u32'}"},
      {"segmented_scan", "'mode':'inclusive','in':" P("i64"), "'mode':'inclusive','in':" P("u64")},
      {"segmented_reduce", "'in':" P("i32"), "'in':" P("u32")},
      {"scan_by_key", "'mode':'inclusive','keys_in':" P("i32") ",'values_in':" P("i64"),
       "'mode':'inclusive','keys_in':" P("u32") ",'values_in':" P("u64")},
      {"reduce_by_key", "'keys_in':" P("i64") ",'values_in':" P("f32") ",'num_runs_out':" P("i32"),
       "'keys_in':" P("u64") ",'values_in':" P("f32") ",'num_runs_out':" P("u32")},
      {"run_length_encode", "'in':" P("i8") ",'lengths_out':" P("i32"),
       "'in':" P("u8") ",'lengths_out':" P("u32")},
      {"non_trivial_runs", "'in':" P("i8") ",'offsets_out':" P("i32"),
       "'in':" P("u8") ",'offsets_out':" P("u32")},
      {"select", "'in':" P("f32") ",'flags':" P("bool"), "'in':" P("i32") ",'flags':" P("i8")},
      {"select", "'in':" P("f64") ",'flags':" P("u8"), "'in':" BYTES("8", "8") ",'flags':" P("u8")},
      {"select", "'flags':" P("u8") ",'in':" AT_HIT, "'flags':" P("u8") ",'in':" BYTES("8", "4")},
      {"select", "'in':" P("f32") ",'flags':" P("i32") ",'op':" SOURCE("return x > 3;"),
       "'in':" P("u32") ",'flags':" P("i32") ",'op':" SOURCE("return x > 3;")},
      {"partition", "'in':" P("bf16") ",'flags':" P("u8") ",'unselected_out':" P("bf16"),
       "'in':" P("f16") ",'flags':" P("u8") ",'unselected_out':" P("f16")},
      {"unique", "'in':" P("i32"), "'in':" P("u32")},
      {"unique", "'in':" P("f32") ",'values_in':" P("i64"), "'in':" P("f32") ",'values_in':" P("f64")},
      {"merge_sort", "'keys_in':" P("f32") ",'values_in':" P("i32"),
       "'keys_in':" P("f32") ",'values_in':" P("f32")},
      {"merge", "'first_keys_in':" P("i32") ",'first_values_in':" P("f64"),
       "'first_keys_in':" P("i32") ",'first_values_in':" P("i64")},
      {"set_operation", "'mode':'union','first_keys_in':" P("i32") ",'first_values_in':" P("f32"),
       "'mode':'union','first_keys_in':" P("i32") ",'first_values_in':" P("u32")},
      {"copy", "'in':" AT("f32", "i32"), "'in':" AT("i32", "i32")},
      {"copy", "'in':{'kind':'constant','type':'f32'}", "'in':{'kind':'constant','type':'u32'}"},
      {"copy", "'in':" P("i16") ",'out':" AT("i16", "i64"),
       "'in':" P("bf16") ",'out':" AT("bf16", "i64")},
      {"reverse", "'in':" P("i16"), "'in':" P("f16")},
      {"reverse", "'in':{'kind':'strided','type':'f32'}", "'in':{'kind':'strided','type':'i32'}"},
      {"copy_batched", "'in':" P("i64"), "'in':" P("f64")},
      {"nth_element", "'in':" P("f32") ",'out':" P("f32") ",'values_in':{'kind':'strided','type':'i64'}",
       "'in':" P("f32") ",'out':" P("f32") ",'values_in':{'kind':'strided','type':'f64'}"},
      {"arg_reduce", "'in':" P("f32") ",'index_out':" P("i32"),
       "'in':" P("f32") ",'index_out':" P("u32")},
      {"binary_search", "'in':" P("f32") ",'out':" P("i64"), "'in':" P("f32") ",'out':" P("u64")},
      {"adjacent_difference", "'direction':'left','in':" P("i32"), "'direction':'left','in':" P("u32")},
      {"adjacent_difference", "'direction':'right','in':" P("i64") ",'out':" P("i16"),
       "'direction':'right','in':" P("u64") ",'out':" P("i16")},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i)
    compare(rows[i].algorithm, rows[i].one, rows[i].other, true);
}
END_TEST

START_TEST(what_differs_does_not) {
  static const pair_row rows[] = {
      {"reduce", "'in':" AT_SUM ",'op':'plus'",
       "'in':" AT_SUM ",'op':{'kind':'plus','commutative':true}"},
      /* Signs are widened, or compared. */
      {"reduce", "'in':" P("i8"), "'in':" P("u8")},
      {"reduce", "'in':" P("i32") ",'out':" P("i64"), "'in':" P("u32") ",'out':" P("i64")},
      {"reduce", "'in':" P("i32") ",'op':'min'", "'in':" P("u32") ",'op':'min'"},
      {"reduce", "'in':" P("i32") ",'op':" SOURCE("return a + b;"),
       "'in':" P("u32") ",'op':" SOURCE("return a + b;")},
      /* Numbers are converted from or to them, and iterators go by them. */
      {"reduce", "'in':" P("i32") ",'accum':'i32','out':" P("f64"),
       "'in':" P("u32") ",'accum':'u32','out':" P("f64")},
      {"reduce", "'in':" P("f32") ",'accum':'i32','out':" P("i32"),
       "'in':" P("f32") ",'accum':'u32','out':" P("u32")},
      {"reduce", "'in':" P("i16") ",'accum':'i32','out':" P("i64"),
       "'in':" P("i16") ",'accum':'u32','out':" P("i64")},
      {"reduce",
       "'in':{'kind':'transform','type':'i32','base':" P("i32") ",'op':" SOURCE("return x;") "}",
       "'in':{'kind':'transform','type':'u32','base':" P("u32") ",'op':" SOURCE("return x;") "}"},
      {"reduce", "'in':" P("f32"), "'in':" P("i32")},
      {"adjacent_difference", "'direction':'left','in':" P("i32") ",'out':" P("i64"),
       "'direction':'left','in':" P("u32") ",'out':" P("i64")},
      {"adjacent_difference", "'direction':'left','in':" P("i32") ",'op':" SOURCE("return a - b;"),
       "'direction':'left','in':" P("u32") ",'op':" SOURCE("return a - b;")},
      /* An operator looks at them, or ==, which has its own idea of floating-point numbers. */
      {"select", "'in':" P("f32") ",'op':" SOURCE("return x > 3;"),
       "'in':" P("i32") ",'op':" SOURCE("return x > 3;")},
      {"select", "'in':" P("f32") ",'flags':" P("i32"), "'in':" P("f32") ",'flags':" P("f32")},
      {"unique", "'in':" P("f32"), "'in':" P("i32")},
      {"unique", "'in':" P("i32") ",'equality':" SOURCE("return a <= b;"),
       "'in':" P("u32") ",'equality':" SOURCE("return a <= b;")},
      {"merge_sort", "'keys_in':" P("i32"), "'keys_in':" P("u32")},
      {"merge", "'first_keys_in':" P("i32"), "'first_keys_in':" P("u32")},
      {"set_operation", "'mode':'union','first_keys_in':" P("i32"),
       "'mode':'union','first_keys_in':" P("u32")},
      {"three_way_partition",
       "'first_op':" SOURCE("return x < 1;") ",'second_op':" SOURCE("return x < 2;") ",'in':" P("i32"),
       "'first_op':" SOURCE("return x < 1;") ",'second_op':" SOURCE("return x < 2;") ",'in':" P("u32")},
      {"min_max", "'in':" P("i32"), "'in':" P("u32")},
      {"arg_reduce", "'in':" P("i32"), "'in':" P("u32")},
      /* They are converted on the way. */
      {"copy", "'in':" P("i32") ",'out':" P("f32"), "'in':" P("u32") ",'out':" P("f32")},
      {"select", "'flags':" P("u8") ",'in':" P("i32") ",'out':" P("i64"),
       "'flags':" P("u8") ",'in':" P("u32") ",'out':" P("i64")},
      {"copy", "'in':{'kind':'counting','type':'i32'}", "'in':{'kind':'counting','type':'f32'}"},
      /* Of another size or alignment; too large to be held; named in another text. */
      {"select", "'flags':" P("u8") ",'in':" P("i32"), "'flags':" P("u8") ",'in':" P("i64")},
      {"select", "'flags':" P("u8") ",'in':" BYTES("8", "4"),
       "'flags':" P("u8") ",'in':" BYTES("8", "8")},
      {"select", "'flags':" P("u8") ",'in':" AT_WIDE, "'flags':" P("u8") ",'in':" BYTES("400", "4")},
      {"merge_sort",
       "'keys_in':" P("i32") ",'compare':" SOURCE("hit h; return a < b;") ",'values_in':" AT_HIT,
       "'keys_in':" P("i32") ",'compare':" SOURCE("hit h; return a < b;") ",'values_in':" BYTES("8",
                                                                                                "4")},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i)
    compare(rows[i].algorithm, rows[i].one, rows[i].other, false);
}
END_TEST

/* Nothing but types differs: every other slot is what it was, and so are types' sizes and alignments, and
 * which of them are equal. */
static void check_same_but_types(const spec *s, const spec *shared) {
  ck_assert_ptr_eq(s->schema, shared->schema);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *a = &s->slots[i], *b = &shared->slots[i];
    ck_assert(a->op == b->op && a->choice == b->choice && a->ignore_nan == b->ignore_nan);
    ck_assert((a->type == NULL) == (b->type == NULL) && (a->iter == NULL) == (b->iter == NULL));
    const jig_type *of_a = spec_slot_type(a), *of_b = spec_slot_type(b);
    if (of_a == NULL) continue;
    ck_assert_uint_eq(of_a->size, of_b->size);
    ck_assert_uint_eq(of_a->align, of_b->align);
    if (a->iter == NULL) continue;
    ck_assert_uint_eq(a->iter->kind, b->iter->kind);
    ck_assert_uint_eq(iter_layout(a->iter).size, iter_layout(b->iter).size);
    ck_assert_uint_eq(iter_vector_items(a->iter), iter_vector_items(b->iter));
  }
}

/* ---- the table */

/* Slots of which kernels tell types apart: by an order, an operator of the user's that has to be there, a
 * conversion of what has signs, or the places that they are; or of which the spec has a form that types
 * share (keys of sorts, values, counters). What is like another slot goes with that. */
static const char *const told_apart[] = {"arg_reduce.in",
                                         "segmented_scan.begin_offsets",
                                         "segmented_scan.end_offsets",
                                         "segmented_scan.out_offsets",
                                         "three_way_partition.in",
                                         "radix_sort.key",
                                         "radix_sort.keys_in",
                                         "radix_sort.value",
                                         "radix_sort.values_in",
                                         "segmented_sort.begin_offsets",
                                         "segmented_sort.end_offsets",
                                         "segmented_sort.key",
                                         "segmented_sort.keys_in",
                                         "segmented_sort.value",
                                         "segmented_sort.values_in",
                                         "merge_sort.keys_in",
                                         "merge.first_keys_in",
                                         "top_k.keys_in",
                                         "segmented_top_k.begin_offsets",
                                         "segmented_top_k.end_offsets",
                                         "segmented_top_k.keys_in",
                                         "nth_element.in",
                                         "memcpy_batched.destinations",
                                         "memcpy_batched.sizes",
                                         "memcpy_batched.sources",
                                         "copy_batched.in_offsets",
                                         "copy_batched.out_offsets",
                                         "copy_batched.sizes",
                                         "transform.stencil",
                                         "for_each.in",
                                         "histogram.counter",
                                         "histogram.level",
                                         "histogram.samples",
                                         "segmented_reduce.begin_offsets",
                                         "segmented_reduce.end_offsets",
                                         "segmented_arg_reduce.begin_offsets",
                                         "segmented_arg_reduce.end_offsets",
                                         "segmented_arg_reduce.in",
                                         "find_if.in",
                                         "binary_search.in",
                                         "min_max.in",
                                         "set_operation.first_keys_in",
                                         "is_sorted.in"};

static bool is_told_apart(const char *slot) {
  for (size_t i = 0; i < COUNT_OF(told_apart); ++i)
    if (strcmp(told_apart[i], slot) == 0) return true;
  return false;
}

/* A slot that is added says what is done with its items, or is in the list. */
START_TEST(every_slot_says_what_is_done_with_its_items) {
  size_t told = 0;
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    for (int i = 0; i < (*a)->schema.slot_count; ++i) {
      const slot_schema *slot = &(*a)->schema.slots[i];
      char name[96];
      const bool has_items = slot->kind == SLOT_ITER || slot->kind == SLOT_TYPE;
      (void)snprintf(name, sizeof name, "%s.%s", (*a)->schema.algorithm, slot->name);
      const bool is_listed = is_told_apart(name);
      told += is_listed;
      if (!has_items || (slot->like != NULL && !is_listed)) continue;
      ck_assert_msg((slot->use == USE_OPEN) == is_listed, "%s", name);
    }
  }
  ck_assert_uint_eq(told, COUNT_OF(told_apart));
}
END_TEST

/* ---- the manifest */

/* What has no specialisation of built-in types and operators alone. */
static const char *const users_alone[] = {"three_way_partition", "for_each", "bulk"};

static bool is_users_alone(const char *name) {
  for (size_t i = 0; i < COUNT_OF(users_alone); ++i)
    if (strcmp(users_alone[i], name) == 0) return true;
  return false;
}

/* A line of what `jig prewarm --dry-run --json` says of the manifest. */
static void look_at(const char *line, json_t *lines_of_programs, json_t *algorithms) {
  json_t *job = json_loads(line, 0, NULL), *spec_of = json_object_get(job, "spec");
  char *text = json_dumps(spec_of, 0);
  const char *place = json_string_value(json_object_get(job, "place"));
  parsed_spec p;
  ck_assert_msg(text != NULL && place != NULL, "%s", line);
  ck_assert_msg(strcmp(json_string_value(json_object_get(job, "outcome")), "failed") != 0, "%s", line);
  OK(spec_parse(text, algorithm_schema, &p));
  char *shared = shared_text(&p);
  shared_spec room;
  check_same_but_types(&p.s, spec_shared(&p.s, &room));
  const char *name = p.s.schema->algorithm;
  json_t *before = json_object_get(lines_of_programs, shared);
  /* A sorted top-k takes a merge sort's program, which may be another's as well. */
  const bool is_extra = strstr(shared, "top_k_record") != NULL || strcmp(name, "top_k") == 0;
  ck_assert_msg(before == NULL || is_extra, "%s and %s are one program: %s", json_string_value(before),
                place, shared);
  if (before == NULL) (void)json_object_set_new(lines_of_programs, shared, json_string(place));
  (void)json_object_set_new(algorithms, name, json_true());
  jig_free(shared);
  parsed_spec_free(&p);
  free(text);
  json_decref(job);
}

START_TEST(the_manifest_has_all_once) {
  char command[256], *line = NULL;
  size_t size = 0, count = 0;
  const char *build = getenv("BUILD");
  (void)snprintf(command, sizeof command,
                 "cache/manifest.sh | %s/jig prewarm - --dry-run --json --arch sm_90",
                 build != NULL ? build : "build");
  FILE *jobs = popen(command, "r");
  ck_assert_ptr_nonnull(jobs);
  json_t *lines_of_programs = json_object(), *algorithms = json_object();
  for (; getline(&line, &size, jobs) > 0; ++count) look_at(line, lines_of_programs, algorithms);
  ck_assert_int_eq(pclose(jobs), 0);
  ck_assert_uint_gt(count, 300);
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const char *name = (*a)->schema.algorithm;
    ck_assert_msg((json_object_get(algorithms, name) == NULL) == is_users_alone(name),
                  "cache/manifest.sh: %s", name);
  }
  json_decref(lines_of_programs);
  json_decref(algorithms);
  free(line);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(what_is_alike_shares), SUITE_TEST(what_differs_does_not),
                                     SUITE_TEST(every_slot_says_what_is_done_with_its_items),
                                     SUITE_TEST(the_manifest_has_all_once)};
  return SUITE_RUN("unit/shared_specs", tests, false);
}
