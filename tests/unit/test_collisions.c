/* Texts that differ and have one XXH3, wherever one may be part of a program: what is found by a hash is
 * compared in full, or by a cryptographic digest, and nobody gets another one's program. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "engine_support.h"
#include "link_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "spec/identity.h"
#include "store_support.h"
#include "suite.h"
#include "twins.h"

static hash128 hash_after(size_t before, const char *text, size_t size) {
  char *stream = calloc(1, before + size);
  memcpy(stream + before, text, size);
  const hash128 hash = hash_bytes(stream, before + size);
  free(stream);
  return hash;
}

START_TEST(twins_have_one_hash) {
  for (size_t before = 0; before < 128; ++before) {
    twins t = twins_make("return x + ", "23", ";", before);
    ck_assert_str_ne(t.texts[0], t.texts[1]);
    ck_assert_uint_eq(strlen(t.texts[0]), t.size);
    ck_assert_uint_eq(strlen(t.texts[1]), t.size);
    ck_assert(hash_equal(hash_after(before, t.texts[0], t.size), hash_after(before, t.texts[1], t.size)));
    twins_free(&t);
  }
}
END_TEST

/* ---- in memory */

/* Finds the spec that is equal to one of two; both have one hash, and either is itself. */
static void check_told_apart(const spec *a, const spec *b, const char *what) {
  const spec *both[2] = {a, b};
  ck_assert_msg(spec_hash(a) == spec_hash(b), "%s: two hashes", what);
  for (int i = 0; i < 2; ++i) {
    spec *kept = spec_copy(both[i]);
    ck_assert_ptr_nonnull(kept);
    ck_assert_msg(spec_hash(kept) == spec_hash(a), "%s: the copy's hash", what);
    ck_assert_msg(spec_equal(both[i], kept), "%s: not equal to its own copy", what);
    ck_assert_msg(!spec_equal(both[1 - i], kept), "%s: equal to its twin", what);
    free(kept);
  }
}

/* What is before and after a text, in each place that it can have in a spec. */
#define PTR "{\"kind\":\"pointer\",\"type\":\"i32\"}"
#define SOURCE "{\"kind\":\"source\",\"source\":\""
static const struct {
  const char *before, *after;
} places[] = {
    /* the source of an operator; of a function */
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"in\":" PTR ",\"out\":" PTR ",\"op\":" SOURCE, "\"}}"},
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"in\":" PTR ",\"out\":" PTR
     ",\"op\":{\"kind\":\"function\",\"name\":\"f\",\"source\":\"",
     "\"}}"},
    /* of an iterator; of a base; of one of several */
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"op\":\"plus\",\"out\":" PTR
     ",\"in\":{\"kind\":\"source\",\"type\":\"i32\",\"op\":" SOURCE,
     "\"}}}"},
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"op\":\"plus\",\"out\":" PTR
     ",\"in\":{\"kind\":\"reverse\",\"type\":\"i32\",\"base\":{\"kind\":\"transform\",\"type\":\"i32\","
     "\"base\":" PTR ",\"op\":" SOURCE,
     "\"}}}}"},
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"op\":\"plus\",\"out\":" PTR
     ",\"in\":{\"kind\":\"permutation\",\"type\":\"i32\",\"bases\":[" PTR
     ",{\"kind\":\"source\",\"type\":\"u64\",\"op\":" SOURCE,
     "\"}}]}}"},
    /* the definition of an item; of a state */
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"op\":\"plus\",\"out\":" PTR
     ",\"in\":{\"kind\":\"transform\",\"type\":\"i32\",\"op\":" SOURCE
     "return x.x;\"},\"base\":{\"kind\":\"pointer\",\"type\":{\"align\":4,\"size\":4,\"name\":\"s\","
     "\"definition\":\"",
     "\"}}}}"},
    {"{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"in\":" PTR ",\"out\":" PTR ",\"op\":" SOURCE
     "return a;\",\"state\":{\"align\":4,\"size\":4,\"name\":\"s\",\"definition\":\"",
     "\"}}}"},
};

static parsed_spec *parse(const char *before, const char *between, const char *after) {
  char *whole = NULL;
  parsed_spec *parsed = malloc(sizeof *parsed);
  ck_assert_int_gt(asprintf(&whole, "%s%s%s", before, between, after), 0);
  OK(spec_parse(whole, algorithm_schema, parsed));
  free(whole);
  return parsed;
}

static parsed_spec *parse_in_place(size_t place, const char *source) {
  return parse(places[place].before, source, places[place].after);
}

static void free_parsed(parsed_spec *parsed) {
  parsed_spec_free(parsed);
  free(parsed);
}

START_TEST(texts_of_one_hash_are_told_apart) {
  twins t = twins_make("struct s { int x; }; int f(int a) { return a + ", "23", "; }", 0);
  for (size_t i = 0; i < COUNT_OF(places); ++i) {
    char what[32];
    (void)snprintf(what, sizeof what, "place %zu", i);
    parsed_spec *a = parse_in_place(i, t.texts[0]);
    parsed_spec *b = parse_in_place(i, t.texts[1]);
    check_told_apart(&a->s, &b->s, what);
    free_parsed(a);
    free_parsed(b);
  }
  twins_free(&t);
}
END_TEST

/* PTX of a function that is called f and the digit, and adds and subtracts. */
static twins twin_functions(const char digits[2]) {
  return twins_make(".version 8.0\n.target sm_75\n.address_size 64\n.visible .func (.param .b32 r) f",
                    digits,
                    "(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [a];\n"
                    "ld.param.b32 %r2, [b];\nadd.s32 %r3, %r1, %r2;\nst.param.b32 [r], %r3;\nret;\n}\n",
                    0);
}

static jig_reduce_args sum_by(jig_op op) {
  const jig_iter items = jig_pointer(NULL, JIG_I32);
  return (jig_reduce_args){.in = items, .out = items, .op = op};
}

static parsed_spec *parse_args(const jig_reduce_args *args) {
  char *text = NULL;
  OK(jig_reduce_spec(args, &text));
  parsed_spec *parsed = parse("", text, "");
  jig_free(text);
  return parsed;
}

START_TEST(compiled_operators_of_one_hash_are_told_apart) {
  twins t = twin_functions("23");
  parsed_spec *parsed[2];
  for (int i = 0; i < 2; ++i) {
    const jig_reduce_args args = sum_by(jig_op_binary(JIG_FORMAT_PTX, t.texts[i], t.size, "f2"));
    parsed[i] = parse_args(&args);
  }
  const jig_op *a = spec_find(&parsed[0]->s, "op")->op, *b = spec_find(&parsed[1]->s, "op")->op;
  ck_assert_mem_eq(a->digest, b->digest, sizeof a->digest);
  check_told_apart(&parsed[0]->s, &parsed[1]->s, "data");
  /* Nor does it take a collision, where the digest is what a caller says it is. */
  jig_op forged = jig_op_binary(JIG_FORMAT_PTX, t.texts[0], t.size - 1, "f2");
  memcpy(forged.digest, a->digest, sizeof forged.digest);
  forged.size = t.size;
  forged.data = memset(malloc(t.size), ' ', t.size);
  spec with_forged = parsed[0]->s;
  for (int i = 0; i < with_forged.schema->slot_count; ++i) {
    if (with_forged.slots[i].op == a) with_forged.slots[i].op = &forged;
  }
  check_told_apart(&parsed[0]->s, &with_forged, "a forged digest");
  free((void *)(uintptr_t)forged.data);
  free_parsed(parsed[0]);
  free_parsed(parsed[1]);
  twins_free(&t);
}
END_TEST

/* What is not there, or goes round in circles, is not what is kept. */
START_TEST(unsound_specs_are_equal_to_none) {
  parsed_spec *sound = parse_in_place(3, "return x;");
  spec *kept = spec_copy(&sound->s);
  jig_iter circle = *spec_find(&sound->s, "in")->iter, *base = (jig_iter *)(uintptr_t)circle.base;
  const jig_iter right = *base;
  spec other = sound->s;
  for (int i = 0; i < other.schema->slot_count; ++i) {
    if (other.slots[i].iter == spec_find(&sound->s, "in")->iter) other.slots[i].iter = &circle;
  }
  ck_assert(spec_equal(&other, kept));
  circle.base = &circle;
  ck_assert(!spec_equal(&other, kept));
  circle.base = NULL;
  ck_assert(!spec_equal(&other, kept));
  circle.base = base;
  base->op.source = NULL;
  ck_assert(!spec_equal(&other, kept));
  *base = right;
  base->type.size = 5;
  ck_assert(!spec_equal(&other, kept));
  *base = right;
  base->kind = (jig_iter_kind)99;
  ck_assert(!spec_equal(&other, kept));
  *base = right;
  ck_assert(spec_equal(&other, kept));
  free(kept);
  free_parsed(sound);
}
END_TEST

/* The caller's buffer is the same each time, and so is the hash of what is in it. */
START_TEST(an_engine_builds_a_program_for_each) {
  engine_setup();
  twins t = twins_make("return a + b + ", "01", ";", 0);
  char *buffer = strdup(t.texts[0]);
  jig_engine *engine = engine_with((jig_engine_config){0});
  jig_reduce_args args = sum_by(jig_op_source(buffer));
  args.in.pointer = args.out.pointer = (void *)256;
  args.num_items = 1;
  for (int i = 0; i < 6; ++i) {
    size_t bytes;
    memcpy(buffer, t.texts[i % 2], t.size);
    OK(jig_reduce(engine, NULL, &bytes, &args, NULL));
  }
  ck_assert_uint_eq(stats_of(engine).misses, 2);
  ck_assert_uint_eq(stats_of(engine).memory_hits, 4);
  ck_assert_uint_eq(entries_in_cache(), 2);
  jig_engine_destroy(engine);
  free(buffer);
  twins_free(&t);
  engine_teardown();
}
END_TEST

/* ---- on disk */

static void prewarm_with_header(const char *header_text, bool hit, jig_prewarm_result *result) {
  const jig_header header = {"h.h", header_text};
  jig_engine *engine = engine_with((jig_engine_config){.headers = &header, .header_count = 1});
  char *text = spec_of("#include <h.h>\nreturn scaled(a) + b;");
  OK(jig_prewarm(engine, text, "sm_90", result));
  ck_assert_int_eq(result->hit, hit);
  jig_free(text);
  jig_engine_destroy(engine);
}

/* As streams of any number of bytes before the header's text. */
START_TEST(headers_of_one_hash_are_told_apart) {
  for (size_t before = 0; before < 16; ++before) {
    engine_setup();
    twins t = twins_make("inline float scaled(float x) { return x * ", "23", "; }", before);
    jig_prewarm_result results[4];
    for (int i = 0; i < 4; ++i) prewarm_with_header(t.texts[i % 2], i >= 2, &results[i]);
    ck_assert_str_ne(results[0].key, results[1].key);
    ck_assert_str_eq(results[0].key, results[2].key);
    ck_assert_str_eq(results[1].key, results[3].key);
    twins_free(&t);
    engine_teardown();
  }
}
END_TEST

/* What a record says of an operator, and with it the key. */
static char *digests_of(const jig_reduce_args *args) {
  parsed_spec *parsed = parse_args(args);
  json_t *json = spec_to_json(&parsed->s, SPEC_DIGESTS);
  char *text = canonical_text(json);
  json_decref(json);
  free_parsed(parsed);
  return text;
}

START_TEST(records_tell_compiled_operators_apart) {
  twins t = twin_functions("23");
  jig_reduce_args args[2];
  char *texts[2];
  for (int i = 0; i < 2; ++i) {
    args[i] = sum_by(jig_op_binary(JIG_FORMAT_PTX, t.texts[i], t.size, "f2"));
    texts[i] = digests_of(&args[i]);
  }
  ck_assert_mem_eq(args[0].op.digest, args[1].op.digest, sizeof args[0].op.digest);
  ck_assert_str_ne(texts[0], texts[1]);
  free(texts[0]);
  free(texts[1]);
  twins_free(&t);
}
END_TEST

/* A digest in a record is what anybody gets who digests the data. */
START_TEST(digests_are_sha256) {
  const jig_reduce_args args = sum_by(jig_op_binary(JIG_FORMAT_PTX, ".version 8.0\n", 13, "f"));
  char hex[DIGEST_HEX_SIZE];
  digest_hex(digest_of("abc", 3), hex); /* as FIPS 180 gives it */
  ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const hash128 key = digest_key(digest_of("abc", 3));
  ck_assert_uint_eq(key.high, 0xba7816bf8f01cfeau);
  ck_assert_uint_eq(key.low, 0x414140de5dae2223u);
  char *text = digests_of(&args);
  digest_hex(digest_of(".version 8.0\n", 13), hex);
  ck_assert_ptr_nonnull(strstr(text, hex));
  free(text);
}
END_TEST

int main(void) {
  static const suite_test alone[] = {
      SUITE_TEST(twins_have_one_hash),
      SUITE_TEST(texts_of_one_hash_are_told_apart),
      SUITE_TEST(compiled_operators_of_one_hash_are_told_apart),
      SUITE_TEST(unsound_specs_are_equal_to_none),
      SUITE_TEST(records_tell_compiled_operators_apart),
      SUITE_TEST(digests_are_sha256),
  };
  static const suite_test with_fakes[] = {
      SUITE_TEST(an_engine_builds_a_program_for_each),
      SUITE_TEST(headers_of_one_hash_are_told_apart),
  };
  int failed = SUITE_RUN("unit/collisions", alone, false);
  if (!fakes_open("unit/collisions")) return failed;
  failed |= SUITE_RUN("unit/collisions, engines", with_fakes, false);
  fakes_close();
  return failed;
}
