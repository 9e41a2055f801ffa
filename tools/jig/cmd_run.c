/* jig run: an algorithm over files, on the GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jig/jig.h>

#include "algorithms.h"
#include "chunks.h"
#include "command.h"
#include "jit/algorithm.h"
#include "run.h"
#include "run_files.h"
#include "run_options.h"
#include "run_outputs.h"
#include "slot_help.h"
#include "software.h"
#include "suggest.h"

enum { DEFAULT_REPEATS = 20 };

/* ---- what can be said without a GPU */

/* A sum is printed whole, unless its type is told. */
static int widen_result(request *r, const run_row *row, const spec_options *o) {
  if (strcmp(row->name, "reduce") != 0 || o->text[SPEC_OUT_TYPE] != NULL) return EXIT_OK;
  if (json_object_get(r->draft, "out") != NULL) return EXIT_OK;
  const jig_type type = *spec_find(&r->spec.s, "accum")->type;
  return request_point(r, "out", &type);
}

/* Whether there is a value without items: an identity. Nothing folded from nothing is nothing: the output
 * would be left as it is. */
static int check_result(const run_plan *p) {
  const spec *s = &p->request->spec.s;
  const run_array *value = &p->outputs[0];
  if (p->main_items > 0) return EXIT_OK;
  if (strcmp(p->row->name, "arg_reduce") == 0) {
    const jig_type *item = &spec_find(s, "in")->iter->type;
    if (value->row == NULL || (spec_find(s, "compare")->op == NULL && item->kind < JIG_KIND_STRUCT))
      return EXIT_OK;
    complain("in: it has no items, and by an order, or of structs, there is no value without any");
    return EXIT_FAILED;
  }
  if (strcmp(p->row->name, "reduce") != 0) return EXIT_OK;
  const bool has_init = spec_find(s, "init")->type != NULL || spec_find(s, "init_in")->iter != NULL;
  if (has_init || (spec_find(s, "op")->op->kind < JIG_OP_SOURCE && value->type.kind < JIG_KIND_STRUCT))
    return EXIT_OK;
  complain("in: it has no items, and without --init this operator has no result for that");
  return EXIT_FAILED;
}

/* ---- all of it */

static int run_plan_now(const run_settings *s, run_plan *p) {
  run_times times;
  const unsigned repeats = s->repeats > 0 ? (unsigned)s->repeats : s->verbose ? DEFAULT_REPEATS : 0;
  int code = check_result(p);
  if (code == EXIT_OK) code = run_on_gpu(p, &s->build, repeats, &times);
  if (code == EXIT_OK) code = run_outputs_save(p);
  if (code != EXIT_OK) return code;
  if (s->json)
    run_print_json(p, &times);
  else
    run_outputs_print(p);
  if (s->verbose || (s->repeats > 0 && !s->json)) run_print_times(p, &times);
  return EXIT_OK;
}

static int run_row_now(run_settings *s, run_files *files) {
  request r;
  run_plan p = {.args = NULL};
  const run_row *row = files->row;
  files->base.leaves.ahead = chunks_ahead(&s->numbers);
  int code = request_resolve(&r, algorithm_schema(row->name), &s->spec, &files->base);
  if (code == EXIT_OK) code = widen_result(&r, row, &s->spec);
  s->numbers.levels = files->levels_range;
  s->numbers.array = files->array_op != NULL ? &files->array_item : NULL;
  if (code == EXIT_OK) code = run_plan_make(&p, row, &r, &s->numbers, files->outputs);
  if (code == EXIT_OK) code = run_plan_now(s, &p);
  run_plan_free(&p);
  leaves_free(&files->base.leaves);
  request_free(&r);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  run_settings s = {.verbose = false};
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, run_option_take, &s, &operands, &code)) return code;
  if (operands.count < 1) return usage_error("give an algorithm (%s) and a file", algorithm_names());
  const char *name = operands.names[0];
  const run_row *row = run_row_named(name);
  if (row == NULL) return usage_error("there is no algorithm '%s'%s", name, suggest_algorithm(name));
  usage_hint_of(name);
  run_files files = {.row = row, .base = {.put = run_files_put}};
  files.base.user = &files;
  const operand_list rest = {operands.names + 1, operands.count - 1};
  code = run_options_finish(&s, &files, &rest);
  if (code == EXIT_OK && s.software) code = software_gpu_use();
  return code == EXIT_OK ? run_row_now(&s, &files) : code;
}

static const option_row init_row[] = {SPEC_INIT_VALUE_ROW, OPTION_END_ROW};

const command run_command = {
    .name = "jig run",
    .summary = "Runs an algorithm over files on the GPU and stores or prints the results.",
    .usage =
        "<algorithm> [slot=value]... [options] [file]...\n<algorithm> --help\n"
        "kernel <file> [argument]... --grid X --block X [options]",
    .groups = {{SPEC_GROUP_TITLE, spec_option_rows, true},
               {"", init_row, true},
               {"options", run_option_rows},
               {"", build_option_rows}},
    .notes =
        "A file holds items in binary, little-endian, one after the other, of the type that --type "
        "says;\n"
        "or it is a NumPy .npy file, which says itself what it holds, in C order. A structured dtype "
        "becomes\n"
        "the struct 'item' with its fields, of which operators may speak: 'return a.d < b.d ? a : b;'.\n"
        "'-' is standard input. Files are for inputs in the order of jig run <algorithm> --help, or by "
        "name.\n"
        "An input may be an iterator as well, in which @FILE stands for the items of a file and\n"
        "TYPE@FILE for those of a raw one: in='transform(@a.npy, { return x * x; })',\n"
        "--values 'counting(u32)', in='zip_transform(@a.npy, f32@b.bin, multiplies)'.\n"
        "\n"
        "What has no --out is printed, an item a line, those of several outputs side by side; on a\n"
        "terminal the first 20. Numbers\n"
        "are printed with as many digits as it takes to read the same value back. A struct is printed "
        "as\n"
        "its bytes in hex, with its members where the definition has only built-in ones. In JSON, what\n"
        "no JSON number holds (nan, inf, more than 64 bits) is a string.\n"
        "\n"
        "reduce, scan, select, histogram, radix_sort and merge_sort take more than there is memory for: "
        "what\n"
        "does not fit into --memory, or is more than 64 MiB, goes through the GPU in chunks, from and to "
        "files\n"
        "or pipes; --help of each says what becomes of it. On a terminal, a bar shows how far it is.\n"
        "An output may be an iterator, such as out='transform_output(f16, { return x * 0.5f; }) as "
        "f32',\n"
        "which stores what the function makes of a result, or values_out='discard(u32)'.\n"
        "\n"
        "It runs on the first GPU; CUDA_VISIBLE_DEVICES says which that is.\n"
        "With --software it runs on the CPU, by the software GPU, and needs neither GPU nor driver. "
        "That is\n"
        "slow, and it reports what a GPU lets pass: memory that is out of bounds or not initialised,\n"
        "races; then the exit status is 97. 'make install-softgpu' installs it; the variables "
        "JIG_SOFTGPU_*\n"
        "set it up.\n",
    .help = slot_help,
    .algorithm_usage = "[slot=value]... [options] [file]...",
    .kernel = &run_kernel_command,
    .takes_files = true,
    .has_run_options = true,
    .examples =
        "jig run reduce --op max prices.npy\n"
        "jig run radix_sort k.npy --values v.npy --out keys=a.npy --out values=b.npy\n"
        "jig run select --op-source 'return x > 0;' --type f32 raw.bin --out kept.npy\n"
        "zcat samples.gz | jig run reduce --type f32 --accum f64 -\n",
    .run = run,
};
