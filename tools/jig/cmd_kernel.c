/* jig run kernel, jig prewarm kernel, jig source kernel: a kernel of the user's own from a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jig/jig.h>

#include "archs.h"
#include "command.h"
#include "jit/algorithm.h"
#include "kernel_options.h"
#include "kernel_run.h"
#include "prewarm_jobs.h"
#include "software.h"
#include "source_print.h"

enum {
  OPTION_GRID = OPTION_OF_COMMAND,
  OPTION_BLOCK,
  OPTION_CLUSTER,
  OPTION_SHARED,
  OPTION_COOPERATIVE,
  OPTION_REPEAT,
  OPTION_SOFTWARE
};

typedef struct settings {
  kernel_options kernel;
  kernel_launch launch;
  prewarm_settings prewarm;
  const char *arch;
  bool software;
} settings;

/* ---- options */

/* "256", "16,16", "8,8,4" */
static int take_size(const char *option, const char *text, uint32_t size[3]) {
  char rest = '\0';
  unsigned sizes[3] = {0, 0, 0};
  const int count = sscanf(text, "%9u,%9u,%9u%c", &sizes[0], &sizes[1], &sizes[2], &rest);
  int commas = 0;
  for (const char *c = text; *c != '\0'; ++c) commas += *c == ',';
  if (count < 1 || count > 3 || commas != count - 1 || strspn(text, "0123456789,") != strlen(text))
    return usage_error("%s: '%s' is not X, X,Y or X,Y,Z", option, text);
  for (int d = 0; d < 3; ++d) size[d] = sizes[d];
  return EXIT_OK;
}

static int take_number(const char *option, const char *text, uint64_t most, uint64_t *number) {
  return options_number(option, text, 1, most, number) ? EXIT_OK : EXIT_USAGE;
}

static int take(void *user, int id, char *value) {
  settings *s = user;
  uint64_t number = 0;
  bool mine;
  int code;
  switch (id) {
    case OPTION_GRID:
      return take_size("--grid", value, s->launch.shape.grid);
    case OPTION_BLOCK:
      return take_size("--block", value, s->launch.shape.block);
    case OPTION_CLUSTER:
      return take_size("--cluster", value, s->launch.shape.cluster);
    case OPTION_SHARED:
      code = take_number("--shared", value, UINT32_MAX, &number);
      s->launch.shape.shared_bytes = (uint32_t)number;
      return code;
    case OPTION_COOPERATIVE:
      s->launch.shape.cooperative = 1;
      return EXIT_OK;
    case OPTION_REPEAT:
      return take_number("--repeat", value, 1 << 20, &s->launch.repeats);
    case OPTION_SOFTWARE:
      s->software = true;
      return EXIT_OK;
    case ARCH_OPTION:
      s->arch = value;
      return EXIT_OK;
    default:
      code = prewarm_settings_take(&s->prewarm, id, value, &mine);
      return mine ? code : kernel_options_take(&s->kernel, id, value, &mine);
  }
}

/* Reads the command line; *spec_text is NULL if there is nothing to be done, and then *code is all. */
static void read_all(const command *self, int argc, char **argv, settings *s, operand_list *operands,
                     char **spec_text, int *code) {
  *spec_text = NULL;
  if (!options_read(self, argc, argv, take, s, operands, code)) return;
  if (operands->count == 0)
    *code = usage_error("give a file with a kernel");
  else
    *code = kernel_options_spec(&s->kernel, operands->names[0], spec_text);
}

/* ---- the commands */

static int run_source(const command *self, int argc, char **argv) {
  settings s = {.arch = NULL};
  operand_list operands;
  arch_list archs;
  char *spec_text;
  int code;
  read_all(self, argc, argv, &s, &operands, &spec_text, &code);
  if (spec_text == NULL) return code;
  code = operands_at_most(&operands, 1);
  if (code == EXIT_OK) code = archs_parse(s.arch, &archs);
  if (code == EXIT_OK && archs.count > 1) code = usage_error("--arch: give one architecture");
  if (code == EXIT_OK) code = source_print(&s.kernel.build, spec_text, archs.names[0]);
  free(spec_text);
  return code;
}

static int run_prewarm(const command *self, int argc, char **argv) {
  settings s = {.arch = NULL};
  operand_list operands;
  arch_list archs;
  job_list list = {0};
  char *spec_text;
  int code;
  read_all(self, argc, argv, &s, &operands, &spec_text, &code);
  if (spec_text == NULL) return code;
  code = operands_at_most(&operands, 1);
  if (code == EXIT_OK) code = archs_parse(s.arch, &archs);
  if (code == EXIT_OK) jobs_add_spec(&list, spec_text, NULL, 0, &archs);
  s.prewarm.build = s.kernel.build;
  if (code == EXIT_OK) code = jobs_prewarm(&list, &s.prewarm);
  jobs_free(&list);
  free(spec_text);
  return code;
}

static int run_run(const command *self, int argc, char **argv) {
  settings s = {.arch = NULL};
  operand_list operands;
  parsed_spec parsed;
  char *spec_text;
  int code;
  read_all(self, argc, argv, &s, &operands, &spec_text, &code);
  if (spec_text == NULL) return code;
  const operand_list rest = {operands.names + 1, operands.count - 1};
  const jig_status status = spec_parse(spec_text, algorithm_schema, &parsed);
  free(spec_text);
  if (status != JIG_SUCCESS) return usage_error("%s", jig_last_error());
  if (s.software) code = software_gpu_use();
  if (code == EXIT_OK) code = kernel_run(&parsed, &s.launch, &s.kernel.build, &rest);
  parsed_spec_free(&parsed);
  return code;
}

/* ---- what they say */

static const option_row source_rows[] = {
    {ARCH_OPTION, "arch", "ARCH", "sm_90 (machine code), compute_90 (PTX) or native"},
    OPTION_END_ROW,
};

static const option_row prewarm_rows[] = {
    {ARCH_OPTION, "arch", "LIST",
     "sm_80,sm_90,... (machine code), compute_90 (PTX), native (what\nthe GPUs here need)"},
    {'j', "jobs", "N", "for how many architectures at once; default: one per processor"},
    {OPTION_TO, "to", "DIR", "fills the cache in that folder, whatever other caches have"},
    {OPTION_DRY_RUN, "dry-run", NULL, "compiles nothing, says what would be"},
    OPTION_JSON_ROW,
    OPTION_END_ROW,
};

static const option_row run_rows[] = {
    {OPTION_GRID, "grid", "X[,Y[,Z]]", "blocks; default: 1"},
    {OPTION_BLOCK, "block", "X[,Y[,Z]]", "threads of a block; default: 1"},
    {OPTION_CLUSTER, "cluster", "X[,Y[,Z]]", "blocks of a cluster"},
    {OPTION_SHARED, "shared", "BYTES", "dynamic shared memory of a block"},
    {OPTION_COOPERATIVE, "cooperative", NULL, "all blocks run at once"},
    {OPTION_REPEAT, "repeat", "N", "launches it N times more, and tells how long it takes"},
    {OPTION_SOFTWARE, "software", NULL, "on the CPU, by the software GPU"},
    OPTION_END_ROW,
};

#define KERNEL_GROUP \
  { "what to compile", kernel_option_rows }

const command source_kernel_command = {
    .name = "jig source kernel",
    .summary = "Prints the program that jig compiles of a kernel of one's own.",
    .usage = "<file> --arch ARCH [options]",
    .groups = {KERNEL_GROUP, {"options", source_rows}, {"", build_option_rows}},
    .examples = "jig source kernel row_sum.cu -D THREADS=256 --type T=f32 --arch sm_90\n",
    .run = run_source,
};

const command prewarm_kernel_command = {
    .name = "jig prewarm kernel",
    .summary = "Compiles a kernel of one's own into the cache, with or without a GPU.",
    .usage = "<file> --arch LIST [options]",
    .groups = {KERNEL_GROUP, {"options", prewarm_rows}, {"", build_option_rows}},
    .notes =
        "A program finds it by jig_kernel_get() if its config says the same: entry, definitions, bounds, "
        "and\n"
        "source_name, which is the file's name without its folder. JIG_RECORD writes the spec of "
        "whatever a\n"
        "program asks for, which is a line of a manifest for jig prewarm.\n",
    .examples = "jig prewarm kernel row_sum.cu -D THREADS=256 --type T=f32 --arch sm_80,sm_90\n",
    .run = run_prewarm,
};

const command run_kernel_command = {
    .name = "jig run kernel",
    .summary =
        "Launches a kernel of one's own on files and numbers, and stores or prints what comes of it.",
    .usage = "<file> [argument]... --grid X --block X [options]",
    .groups = {KERNEL_GROUP, {"options", run_rows}, {"", build_option_rows}},
    .notes =
        "Arguments are those of the kernel, in order:\n"
        "  in.npy           a pointer to the items of a file; of one that is no .npy file, to its bytes\n"
        "  in.npy=out.npy   the same, stored in another file afterwards, of what the kernel has made of "
        "it\n"
        "  f32[1000]        a pointer to so many items of a type, zeros at first, which are printed\n"
        "  f32[1000]=o.npy  the same, stored in a file\n"
        "  i32:5            a number\n"
        "Types are built-in ones, and what --type names.\n",
    .examples = "jig run kernel fill.cu --type T=f32 --block 256 'f32[256]=out.npy' i32:5\n",
    .run = run_run,
};
