/* Specs that are told in part: what is left out becomes what a call would have there. */
#include <jig/jig.h>
#include <string.h>

#include "jit/algorithm.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/complete.h"
#include "suite.h"

/* A draft, with ' for "; a slot's P(type) is a pointer. */
#define P(type) "{'kind':'pointer','type':'" type "'}"

static jig_status complete(const char *name, const char *draft, parsed_spec *parsed) {
  char text[1024];
  ck_assert(strlen(draft) < sizeof text);
  (void)strcpy(text, draft);
  for (char *c = text; *c != '\0'; ++c)
    if (*c == '\'') *c = '"';
  json_error_t problem;
  json_t *json = json_loads(text, 0, &problem);
  ck_assert_msg(json != NULL, "%s: %s", text, problem.text);
  return spec_complete(json, algorithm_schema(name), parsed);
}

/* Takes over the text of what a call would be compiled for. */
static void is_completed(const char *name, const char *draft, char *wanted) {
  parsed_spec parsed, again;
  char *text = NULL, *same = NULL;
  ck_assert_msg(wanted != NULL, "%s: %s", name, jig_last_error());
  ck_assert_msg(complete(name, draft, &parsed) == JIG_SUCCESS, "%s: %s", draft, jig_last_error());
  OK(spec_write(&parsed.s, "x", &text));
  ck_assert_str_eq(text, wanted);
  /* What is complete stays as it is, but that what may be left out has to be. */
  json_t *whole = json_loads(text, 0, NULL);
  (void)json_object_del(whole, "algorithm");
  for (int i = 0; i < parsed.s.schema->slot_count; ++i) {
    const slot_schema *slot = &parsed.s.schema->slots[i];
    if (slot->follows && json_object_get(whole, slot->name) == NULL)
      (void)json_object_set_new(whole, slot->name, json_null());
  }
  OK(spec_complete(whole, algorithm_schema(name), &again));
  OK(spec_write(&again.s, "x", &same));
  ck_assert_str_eq(same, text);
  parsed_spec_free(&again);
  parsed_spec_free(&parsed);
  jig_free(same);
  jig_free(text);
  jig_free(wanted);
}

#define COMPLETED(algorithm, draft, ...)                        \
  do {                                                          \
    const jig_##algorithm##_args args_of_call = {__VA_ARGS__};  \
    char *text_of_call = NULL;                                  \
    (void)jig_##algorithm##_spec(&args_of_call, &text_of_call); \
    is_completed(#algorithm, draft, text_of_call);              \
  } while (0)

static jig_iter ptr(jig_type type) {
  return jig_pointer(NULL, type);
}

START_TEST(folds) {
  COMPLETED(reduce, "{'in':" P("i8") "}", .in = ptr(JIG_I8), .out = ptr(JIG_I8));
  COMPLETED(reduce, "{'in':" P("f32") ",'out':" P("f64") "}", .in = ptr(JIG_F32), .out = ptr(JIG_F64));
  COMPLETED(reduce, "{'in':" P("f32") ",'accum':'f64'}", .in = ptr(JIG_F32), .out = ptr(JIG_F32),
            .accum_type = JIG_F64);
  COMPLETED(reduce, "{'in':" P("u8") ",'init':true,'out':" P("u64") "}", .in = ptr(JIG_U8),
            .out = ptr(JIG_U64), .init = "");
  COMPLETED(reduce, "{'in':" P("f16") ",'init':'f64'}", .in = ptr(JIG_F16), .out = ptr(JIG_F16),
            .init = "", .init_type = JIG_F64);
  COMPLETED(reduce, "{'in':" P("f32") ",'init_in':" P("f64") ",'op':'max'}", .in = ptr(JIG_F32),
            .out = ptr(JIG_F32), .init_in = ptr(JIG_F64), .op = JIG_MAX);
  COMPLETED(reduce, "{'in':" P("i32") ",'op':{'kind':'min','nan':'ignore'}}", .in = ptr(JIG_I32),
            .out = ptr(JIG_I32), .op = JIG_MIN, .nan = JIG_NAN_IGNORE);
  COMPLETED(reduce, "{'in':" P("f32") ",'op':{'kind':'min','nan':'ignore'}}", .in = ptr(JIG_F32),
            .out = ptr(JIG_F32), .op = JIG_MIN, .nan = JIG_NAN_IGNORE);
  COMPLETED(scan, "{'in':" P("i8") ",'mode':'exclusive','init':{'kind':'constant'},'out':" P("i32") "}",
            .in = ptr(JIG_I8), .out = ptr(JIG_I32), .mode = JIG_SCAN_EXCLUSIVE, .init = "");
  COMPLETED(scan, "{'in':" P("f32") "}", .in = ptr(JIG_F32), .out = ptr(JIG_F32));
  COMPLETED(scan_by_key, "{'in':" P("f32") ",'out':" P("f64") ",'keys_in':" P("u8") "}",
            .keys_in = ptr(JIG_U8), .values_in = ptr(JIG_F32), .values_out = ptr(JIG_F64));
  COMPLETED(segmented_scan,
            "{'in':" P("i16") ",'begin_offsets':" P("u32") ",'out_offsets':{'kind':'pointer'}}",
            .in = ptr(JIG_I16), .out = ptr(JIG_I16), .begin_offsets = ptr(JIG_U32),
            .end_offsets = ptr(JIG_U32), .out_offsets = ptr(JIG_U32));
  COMPLETED(reduce_by_key, "{'values_in':" P("u8") ",'keys_in':" P("i32") "}", .keys_in = ptr(JIG_I32),
            .unique_out = ptr(JIG_I32), .values_in = ptr(JIG_U8), .aggregates_out = ptr(JIG_U8),
            .num_runs_out = ptr(JIG_I64));
}
END_TEST

START_TEST(orders) {
  COMPLETED(arg_reduce, "{'in':" P("f32") "}", .in = ptr(JIG_F32), .value_out = ptr(JIG_F32),
            .index_out = ptr(JIG_I64));
  COMPLETED(arg_reduce, "{'in':" P("i32") ",'compare':'greater','value_out':null,'nan':'ignore'}",
            .in = ptr(JIG_I32), .index_out = ptr(JIG_I64), .compare = JIG_GREATER, .nan = JIG_NAN_IGNORE);
  COMPLETED(arg_reduce, "{'in':" P("f32") ",'order':'greater','nan':'ignore'}", .in = ptr(JIG_F32),
            .value_out = ptr(JIG_F32), .index_out = ptr(JIG_I64), .compare = JIG_GREATER,
            .nan = JIG_NAN_IGNORE);
  COMPLETED(merge_sort, "{'keys_in':" P("f32") ",'op':'less','values_in':" P("u8") "}",
            .keys_in = ptr(JIG_F32), .keys_out = ptr(JIG_F32), .values_in = ptr(JIG_U8),
            .values_out = ptr(JIG_U8));
  COMPLETED(merge, "{'first_keys_in':" P("f32") ",'first_values_in':" P("u8") "}",
            .first_keys_in = ptr(JIG_F32), .second_keys_in = ptr(JIG_F32), .keys_out = ptr(JIG_F32),
            .first_values_in = ptr(JIG_U8), .second_values_in = ptr(JIG_U8), .values_out = ptr(JIG_U8));
  COMPLETED(set_operation, "{'first_keys_in':" P("f32") ",'first_values_in':" P("u8") "}",
            .first_keys_in = ptr(JIG_F32), .second_keys_in = ptr(JIG_F32), .keys_out = ptr(JIG_F32),
            .first_values_in = ptr(JIG_U8), .second_values_in = ptr(JIG_U8), .values_out = ptr(JIG_U8),
            .num_items_out = ptr(JIG_I64));
  /* The second input's values are in no program of a difference. */
  COMPLETED(set_operation,
            "{'first_keys_in':" P("f32") ",'first_values_in':" P("u8") ",'mode':'difference'}",
            .first_keys_in = ptr(JIG_F32), .second_keys_in = ptr(JIG_F32), .keys_out = ptr(JIG_F32),
            .first_values_in = ptr(JIG_U8), .second_values_in = ptr(JIG_U64), .values_out = ptr(JIG_U8),
            .num_items_out = ptr(JIG_I64), .mode = JIG_SET_DIFFERENCE);
  COMPLETED(set_operation, "{'first_keys_in':" P("f32") ",'keys_out':null}",
            .first_keys_in = ptr(JIG_F32), .second_keys_in = ptr(JIG_F32), .num_items_out = ptr(JIG_I64));
  COMPLETED(is_sorted, "{'in':" P("f32") "}", .in = ptr(JIG_F32), .out = ptr(JIG_I64));
  COMPLETED(reverse, "{'in':" P("f32") "}", .in = ptr(JIG_F32), .out = ptr(JIG_F32));
}
END_TEST

START_TEST(radix_keys) {
  const jig_type hit = jig_struct("hit", "struct hit { float d; int id; };", 8, 4);
  COMPLETED(radix_sort, "{'key':'f32','value':'f64'}", .keys_in = ptr(JIG_F32), .keys_out = ptr(JIG_F32),
            .values_in = ptr(JIG_F64), .values_out = ptr(JIG_F64));
  COMPLETED(radix_sort, "{'key':'i128'}", .keys_in = ptr(JIG_I128), .keys_out = ptr(JIG_I128));
  COMPLETED(radix_sort, "{'key':'f32','values_in':{'kind':'counting','type':'u32'}}",
            .keys_in = ptr(JIG_F32), .keys_out = ptr(JIG_F32), .values_in = jig_counting(NULL, JIG_U32),
            .values_out = ptr(JIG_U32));
  COMPLETED(radix_sort, "{'keys_in':{'kind':'counting','type':'f32'}}",
            .keys_in = jig_counting(NULL, JIG_F32), .keys_out = ptr(JIG_F32));
  COMPLETED(radix_sort,
            "{'key':{'align':4,'definition':'struct hit { float d; int id; };','name':'hit','size':8},"
            "'decomposer':{'kind':'source','source':'x.id, x.d'}}",
            .keys_in = ptr(hit), .keys_out = ptr(hit), .decomposer = "x.id, x.d");
  COMPLETED(segmented_sort,
            "{'key':'bool','begin_offsets':" P("i64") ",'values_in':{'kind':'counting','type':'u32'}}",
            .keys_in = ptr(JIG_BOOL), .keys_out = ptr(JIG_BOOL), .values_in = jig_counting(NULL, JIG_U32),
            .values_out = ptr(JIG_U32), .begin_offsets = ptr(JIG_I64), .end_offsets = ptr(JIG_I64));
  COMPLETED(segmented_sort, "{'key':'bool','begin_offsets':" P("i64") "}", .keys_in = ptr(JIG_BOOL),
            .keys_out = ptr(JIG_BOOL), .begin_offsets = ptr(JIG_I64), .end_offsets = ptr(JIG_I64));
  COMPLETED(top_k, "{'keys_in':" P("f16") ",'values_in':" P("i64") ",'is_sorted':true}",
            .keys_in = ptr(JIG_F16), .keys_out = ptr(JIG_F16), .values_in = ptr(JIG_I64),
            .values_out = ptr(JIG_I64), .is_sorted = true);
  COMPLETED(top_k, "{'keys_in':" P("f32") ",'keys_out':{'kind':'discard'}}", .keys_in = ptr(JIG_F32),
            .keys_out = jig_discard(JIG_F32));
  COMPLETED(segmented_top_k, "{'keys_in':" P("f16") ",'values_in':" P("i64") "}", .keys_in = ptr(JIG_F16),
            .keys_out = ptr(JIG_F16), .values_in = ptr(JIG_I64), .values_out = ptr(JIG_I64));
  COMPLETED(segmented_top_k, "{'keys_in':" P("i32") ",'begin_offsets':" P("i64") "}",
            .keys_in = ptr(JIG_I32), .keys_out = ptr(JIG_I32), .begin_offsets = ptr(JIG_I64),
            .end_offsets = ptr(JIG_I64));
  COMPLETED(nth_element, "{'in':" P("f32") ",'nth_out':" P("f32") "}", .in = ptr(JIG_F32),
            .nth_out = ptr(JIG_F32));
  COMPLETED(nth_element,
            "{'in':" P("i64") ",'out':" P("i64") ",'nth_out':" P("i64") ",'values_in':" P("f64") "}",
            .in = ptr(JIG_I64), .out = ptr(JIG_I64), .nth_out = ptr(JIG_I64), .values_in = ptr(JIG_F64),
            .values_out = ptr(JIG_F64));
}
END_TEST

START_TEST(selections) {
  const jig_op test = jig_op_source("return x < 9;"), equal = jig_op_source("return a == b;");
  COMPLETED(select, "{'in':" P("i32") ",'op':{'kind':'source','source':'return x < 9;'}}",
            .in = ptr(JIG_I32), .out = ptr(JIG_I32), .num_selected_out = ptr(JIG_I64), .op = test);
  COMPLETED(select, "{'in':" P("i32") ",'flags':" P("u8") ",'num_selected_out':" P("u32") "}",
            .in = ptr(JIG_I32), .flags = ptr(JIG_U8), .out = ptr(JIG_I32),
            .num_selected_out = ptr(JIG_U32));
  COMPLETED(partition, "{'in':" P("i32") ",'flags':" P("u8") ",'rejected_out':{'kind':'pointer'}}",
            .in = ptr(JIG_I32), .flags = ptr(JIG_U8), .out = ptr(JIG_I32), .unselected_out = ptr(JIG_I32),
            .num_selected_out = ptr(JIG_I64));
  COMPLETED(three_way_partition,
            "{'in':" P("i32") ",'first_op':{'kind':'source','source':'return x < 9;'},"
                              "'second_op':{'kind':'source','source':'return x < 9;'}}",
            .in = ptr(JIG_I32), .first_out = ptr(JIG_I32), .second_out = ptr(JIG_I32),
            .unselected_out = ptr(JIG_I32), .num_selected_out = ptr(JIG_I64), .first_op = test,
            .second_op = test);
  COMPLETED(
      unique,
      "{'in':" P("i32") ",'values_in':" P("f64") ",'op':{'kind':'source','source':'return a == b;'}}",
      .in = ptr(JIG_I32), .out = ptr(JIG_I32), .values_in = ptr(JIG_F64), .values_out = ptr(JIG_F64),
      .num_selected_out = ptr(JIG_I64), .equality = equal);
  COMPLETED(run_length_encode, "{'in':" P("u16") ",'counts_out':" P("i32") "}", .in = ptr(JIG_U16),
            .unique_out = ptr(JIG_U16), .lengths_out = ptr(JIG_I32), .num_runs_out = ptr(JIG_I64));
  COMPLETED(non_trivial_runs, "{'in':" P("u16") "}", .in = ptr(JIG_U16), .offsets_out = ptr(JIG_I64),
            .lengths_out = ptr(JIG_I64), .num_runs_out = ptr(JIG_I64));
}
END_TEST

START_TEST(copies) {
  COMPLETED(memcpy_batched, "{'sizes':" P("i32") "}", .sources = ptr(JIG_U64),
            .destinations = ptr(JIG_U64), .sizes = ptr(JIG_I32));
  COMPLETED(copy_batched, "{'in':" P("f32") ",'in_offsets':" P("u32") "}", .in = ptr(JIG_F32),
            .out = ptr(JIG_F32), .in_offsets = ptr(JIG_U32), .out_offsets = ptr(JIG_U32),
            .sizes = ptr(JIG_U32));
  COMPLETED(copy_batched, "{'in':" P("f32") ",'out':" P("f64") "}", .in = ptr(JIG_F32),
            .out = ptr(JIG_F64), .in_offsets = ptr(JIG_I64), .out_offsets = ptr(JIG_I64),
            .sizes = ptr(JIG_I64));
}
END_TEST

START_TEST(what_cannot_be_completed) {
  static const struct {
    const char *algorithm, *draft, *part;
  } rows[] = {
      {"reduce", "{}", "reduce: in: missing"},
      {"reduce", "{'accum':'f32','init':true}", "reduce: init: its type is missing"},
      {"reduce", "{'in':{'kind':'counting'}}", "reduce: in: its type is missing"},
      {"reduce", "{'in':{'kind':'pointer','type':'f33'}}", "in: not a type"},
      {"reduce", "{'in':" P("f32") ",'out':null}", "reduce: out: missing"},
      {"reduce", "{'in':" P("f32") ",'values':'i8'}",
       "reduce has no slot 'values' (it has: accum, determinism, in, init, init_in, num_items_in, op, "
       "out)"},
      {"reduce", "{'in':" P("f32") ",'accum':null,'op':null}", "reduce: accum: missing"},
      {"reduce", "[]", "reduce: the spec is no object"},
      {"scan", "{'in':" P("f32") ",'mode':'sideways'}", "mode: no such choice"},
      {"scan_by_key", "{'in':" P("f32") ",'values_in':" P("f32") "}", "in: an older name"},
      {"radix_sort", "{'value':'f32'}", "radix_sort: key: missing"},
      {"radix_sort", "{'key':'f32','order':'integer'}", "order: these keys are ordered as 'float'"},
      {"radix_sort", "{'key':{'align':4,'definition':'struct s { int x; };','name':'s','size':4}}",
       "or there has to be a decomposer"},
      {"three_way_partition", "{'in':" P("i32") "}", "first_op: missing"},
      {"bulk", "{'op':{'kind':'min','nan':'ignore'}}", "bulk: op: 'min' only computes"},
      {"for_each", "{'in':" P("f32") ",'op':'plus'}", "for_each: op: 'plus' only computes"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    parsed_spec parsed;
    FAILS(complete(rows[i].algorithm, rows[i].draft, &parsed), JIG_ERROR_INVALID_ARGUMENT, rows[i].part);
  }
}
END_TEST

/* What the rows of all algorithms say, whoever adds one. */
START_TEST(slots_are_described) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    const spec_schema *schema = &(*a)->schema;
    for (int i = 0; i < schema->slot_count; ++i) {
      const slot_schema *slot = &schema->slots[i];
      ck_assert_msg(slot->help != NULL, "%s: %s: no help", schema->algorithm, slot->name);
      ck_assert_msg(slot->like == NULL || schema_slot(schema, slot->like) >= 0, "%s: %s: like %s",
                    schema->algorithm, slot->name, slot->like);
      ck_assert_msg(!slot->follows || (slot->optional && slot->like != NULL), "%s: %s: follows what?",
                    schema->algorithm, slot->name);
      if (slot->usually == NULL) continue;
      ck_assert_msg(slot->kind == SLOT_OP ? jig_op_from_name(slot->usually).kind != JIG_OP_NONE
                                          : jig_type_from_name(slot->usually).kind != JIG_KIND_NONE,
                    "%s: %s: usually %s", schema->algorithm, slot->name, slot->usually);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(folds),
      SUITE_TEST(orders),
      SUITE_TEST(radix_keys),
      SUITE_TEST(selections),
      SUITE_TEST(copies),
      SUITE_TEST(what_cannot_be_completed),
      SUITE_TEST(slots_are_described),
  };
  return SUITE_RUN("unit/complete", tests, false);
}
