/* jig run: an algorithm over the content of a file, on the GPU. */
#include <stdio.h>
#include <string.h>

#include <jig/jig.h>

#include "algorithms.h"
#include "command.h"
#include "jit/algorithm.h"
#include "run.h"
#include "software.h"

enum { OPTION_REPEAT = OPTION_OF_COMMAND, OPTION_COUNT, OPTION_OFFSET, OPTION_SOFTWARE };

enum { DEFAULT_REPEATS = 20, MOST_REPEATS = 1000000 };

typedef struct settings {
  spec_options spec;
  input_part part;
  build_options build;
  bool verbose, json, software;
  uint64_t repeats; /* 0: not given */
} settings;

static int take(void *user, int id, char *value) {
  settings *s = user;
  bool mine;
  int code;
  switch (id) {
    case 'v':
      s->verbose = true;
      return EXIT_OK;
    case OPTION_JSON:
      s->json = true;
      return EXIT_OK;
    case OPTION_SOFTWARE:
      s->software = true;
      return EXIT_OK;
    case OPTION_REPEAT:
      return options_number("--repeat", value, 1, MOST_REPEATS, &s->repeats) ? EXIT_OK : EXIT_USAGE;
    case OPTION_COUNT:
      s->part.has_count = true;
      return options_number("--count", value, 0, UINT64_MAX, &s->part.count) ? EXIT_OK : EXIT_USAGE;
    case OPTION_OFFSET:
      s->part.has_offset = true;
      return options_number("--offset", value, 0, UINT64_MAX, &s->part.offset) ? EXIT_OK : EXIT_USAGE;
    default:
      code = build_options_take(&s->build, id, value, &mine);
      return mine ? code : spec_options_take(&s->spec, id, value, &mine);
  }
}

/* ---- what can be said without a GPU */

/* A sum is printed whole, unless its type is told. */
static int widen_result(request *r, const runnable *row, const spec_options *o) {
  const spec_slot *accum = spec_find(&r->spec.s, "accum");
  if (accum == NULL || o->text[SPEC_OUT_TYPE] != NULL) return EXIT_OK;
  const jig_type type = *accum->type;
  return request_point(r, row->value, &type);
}

static int resolve(settings *s, const runnable *row, const input *in, request *r) {
  const bool told = in->is_npy && in->npy.type.kind != JIG_KIND_NONE;
  if (s->spec.text[SPEC_TYPE] == NULL && !told) {
    return usage_error("--type is missing: %s holds %s", in->path,
                       in->is_npy ? in->npy.dtype : "raw bytes");
  }
  int code = request_resolve(r, algorithm_schema(row->name), &s->spec, told ? &in->npy.type : NULL);
  return code == EXIT_OK ? widen_result(r, row, &s->spec) : code;
}

static int read_init(const settings *s, const run_spec *r, void *init) {
  const char *text = s->spec.text[SPEC_INIT];
  if (text == NULL || value_parse(text, &r->init, init)) return EXIT_OK;
  if (r->init.kind != JIG_KIND_STRUCT) {
    return usage_error("--init: '%s' is no %s", text, jig_type_name(&r->init));
  }
  return usage_error("--init: '%s' is not the bytes of struct %s: %u hex digits", text,
                     jig_type_name(&r->init), 2 * r->init.size);
}

/* Whether there is a value without items: an identity. */
static bool has_value_of_nothing(const run_spec *r) {
  if (r->algorithm->index != NULL)
    return r->value.kind == JIG_KIND_NONE ||
           (spec_find(r->s, "compare")->op == NULL && r->item.kind < JIG_KIND_STRUCT);
  return r->init.kind != JIG_KIND_NONE ||
         (spec_find(r->s, "op")->op->kind < JIG_OP_SOURCE && r->value.kind < JIG_KIND_STRUCT);
}

/* Nothing folded from nothing is nothing: the output is left as it is. */
static int check_result(const run_spec *r, const input *in) {
  if (in->count > 0 || has_value_of_nothing(r)) return EXIT_OK;
  if (r->algorithm->index != NULL)
    complain("%s has no items, and by an order, or of structs, there is no value without any", in->path);
  else
    complain("%s has no items, and without --init this operator has no result for that", in->path);
  return EXIT_FAILED;
}

/* ---- all of it */

static int run_request(const settings *s, const run_spec *r, input *in) {
  _Alignas(16) unsigned char init[VALUE_MAX_SIZE] = {0};
  run_result result;
  unsigned repeats = s->repeats > 0 ? (unsigned)s->repeats : s->verbose ? DEFAULT_REPEATS : 0;
  int code = input_select(in, &r->item, &s->part);
  if (code == EXIT_OK) code = read_init(s, r, init);
  if (code == EXIT_OK) code = check_result(r, in);
  if (code == EXIT_OK)
    code = run_on_gpu(r, &s->build, in, s->spec.text[SPEC_INIT] != NULL ? init : NULL, repeats, &result);
  if (code != EXIT_OK) return code;
  if (s->json)
    run_print_json(r, in, &result);
  else
    run_print(r, &result);
  if (s->verbose || (s->repeats > 0 && !s->json)) run_print_times(in, &result);
  return EXIT_OK;
}

static int run(const command *self, int argc, char **argv) {
  settings s = {.verbose = false};
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, take, &s, &operands, &code)) return code;
  if (operands.count < 2) return usage_error("give an algorithm (%s) and a file", algorithm_names());
  code = operands_at_most(&operands, 2);
  if (code != EXIT_OK) return code;
  const char *name = operands.names[0];
  const runnable *row = runnable_named(name);
  if (algorithm_schema(name) == NULL)
    return usage_error("there is no algorithm '%s' (there are: %s)", name, algorithm_names());
  if (row == NULL) return usage_error("%s cannot be run; what can be are: %s", name, runnable_names());
  if (s.software) code = software_gpu_use();
  if (code != EXIT_OK) return code;
  input in;
  request r = {.draft = NULL};
  code = input_open(&in, operands.names[1]);
  if (code == EXIT_OK) code = resolve(&s, row, &in, &r);
  if (code == EXIT_OK) {
    const run_spec resolved = run_spec_of(row, &r);
    code = run_request(&s, &resolved, &in);
  }
  request_free(&r);
  input_close(&in);
  return code;
}

static const option_row rows[] = {
    {OPTION_COUNT, "count", "N", "how many items of a raw file; default: up to its end"},
    {OPTION_OFFSET, "offset", "BYTES", "where in a raw file they start"},
    {OPTION_REPEAT, "repeat", "N", "runs it N more times and shows how long the GPU takes"},
    {OPTION_SOFTWARE, "software", NULL,
     "runs on the software GPU, which checks as it executes on the CPU"},
    {'v', "verbose", NULL, "shows on standard error where the time went"},
    OPTION_JSON_ROW,
    OPTION_END_ROW,
};
static const option_row init_row[] = {SPEC_INIT_VALUE_ROW, OPTION_END_ROW};

const command run_command = {
    .name = "jig run",
    .summary = "Runs an algorithm over the content of a file on the GPU and prints the result.",
    .usage = "<algorithm> [what to compile] [options] <file>",
    .groups = {{SPEC_GROUP_TITLE, spec_option_rows},
               {"", init_row},
               {"options", rows},
               {"", build_option_rows}},
    .notes =
        "The file holds items in binary, little-endian, one after the other, of the type that --type "
        "says;\n"
        "or it is a NumPy .npy file, which says itself what it holds, in C order. --type is then only\n"
        "needed for structured and void dtypes: a --struct of the same size.\n"
        "\n"
        "Prints the result in a line; arg_reduce prints the value and its index, counted from 0. "
        "Numbers\n"
        "are printed with as many digits as it takes to read the same value back. A struct is printed "
        "as\n"
        "its bytes in hex, with its members where the definition has only built-in ones. In JSON, what\n"
        "no JSON number holds (nan, inf, more than 64 bits) is a string.\n"
        "\n"
        "It runs on the first GPU; CUDA_VISIBLE_DEVICES says which that is.\n"
        "With --software it runs on the CPU, by the software GPU, and needs neither GPU nor driver. "
        "That is\n"
        "slow, and it reports what a GPU lets pass: memory that is out of bounds or not initialised,\n"
        "races; then the exit status is 97. 'make install-softgpu' installs it; the variables "
        "JIG_SOFTGPU_*\n"
        "set it up.\n",
    .run = run,
};
