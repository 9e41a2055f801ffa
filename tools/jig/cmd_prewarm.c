/* jig prewarm: puts programs into the cache, on a machine with or without a GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jig/jig.h>

#include "algorithms.h"
#include "command.h"
#include "jit/algorithm.h"
#include "prewarm_jobs.h"
#include "request.h"
#include "slot_help.h"
#include "suggest.h"
#include "util/clock.h"

enum { OPTION_MANIFEST = OPTION_OF_COMMAND, OPTION_FIRST_TIER };

typedef struct settings {
  spec_options spec;
  const char *arch;
  bool manifest; /* all operands are files */
  prewarm_settings run;
} settings;

static int take(void *user, int id, char *value) {
  settings *s = user;
  bool mine;
  int code;
  switch (id) {
    case ARCH_OPTION:
      s->arch = value;
      return EXIT_OK;
    case OPTION_MANIFEST:
      s->manifest = true;
      return EXIT_OK;
    case OPTION_FIRST_TIER:
      s->run.first_tier = true;
      return EXIT_OK;
    default:
      code = prewarm_settings_take(&s->run, id, value, &mine);
      if (!mine) code = build_options_take(&s->run.build, id, value, &mine);
      return mine ? code : spec_options_take(&s->spec, id, value, &mine);
  }
}

/* ---- what to do */

static int add_request(settings *s, const spec_schema *schema, const operand_list *slots,
                       const arch_list *archs, job_list *list) {
  usage_hint_of(schema->algorithm);
  request r;
  char *text = NULL;
  int code = spec_options_take_slots(&s->spec, slots);
  if (code != EXIT_OK) return code;
  code = request_resolve(&r, schema, &s->spec, NULL);
  if (code == EXIT_OK) code = request_text(&r, &text);
  if (code == EXIT_OK) jobs_add_spec(list, text, NULL, 0, archs);
  jig_free(text);
  request_free(&r);
  return code;
}

/* A word that is no file was probably meant to be an algorithm. */
static int check_file(const char *path) {
  bool named_like_a_file = strpbrk(path, "./") != NULL || strcmp(path, "-") == 0;
  if (named_like_a_file || access(path, F_OK) == 0) return EXIT_OK;
  return usage_error("'%s' is neither a file nor an algorithm%s", path, suggest_algorithm(path));
}

static int add_manifests(const settings *s, const operand_list *files, const arch_list *archs,
                         job_list *list) {
  const char *option = spec_options_first(&s->spec);
  int code = EXIT_OK;
  for (int i = 0; i < files->count && code == EXIT_OK; ++i) code = check_file(files->names[i]);
  if (code != EXIT_OK) return code;
  if (option != NULL) return usage_error("%s: not beside a manifest, whose lines say it all", option);
  for (int i = 0; i < files->count && code == EXIT_OK; ++i) {
    code = jobs_add_manifest(list, files->names[i], archs);
  }
  return code;
}

static int collect(settings *s, const operand_list *operands, const arch_list *archs, job_list *list) {
  const spec_schema *schema = s->manifest ? NULL : algorithm_schema(operands->names[0]);
  if (schema == &own_kernel_algorithm.schema)
    return usage_error("write 'jig prewarm kernel', options after that");
  if (schema == NULL) return add_manifests(s, operands, archs, list);
  const operand_list slots = {operands->names + 1, operands->count - 1};
  return add_request(s, schema, &slots, archs, list);
}

/* ---- what became of it */

static bool is_same_failure(const job *a, const job *b) {
  return b->outcome == JOB_FAILED && a->spec == b->spec && a->error != NULL && b->error != NULL &&
         strcmp(a->error, b->error) == 0;
}

/* What fails for one architecture mostly fails for all, with the same words: told once. */
static void print_failures(const job_list *list) {
  for (size_t i = 0, next; i < list->count; i = next) {
    const job *j = &list->jobs[i];
    next = i + 1;
    if (j->outcome != JOB_FAILED) continue;
    char archs[ARCHS_MAX * (ARCH_NAME_SIZE + 1)];
    size_t length = (size_t)snprintf(archs, sizeof archs, "%s", j->arch);
    for (; next < list->count && is_same_failure(j, &list->jobs[next]); ++next) {
      length += (size_t)snprintf(archs + length, sizeof archs - length, ",%s", list->jobs[next].arch);
    }
    const char *error = j->error != NULL ? j->error : jig_status_name(j->status);
    complain("%s for %s: %s", j->place != NULL ? j->place : j->shown, archs, error);
  }
}

static void print_summary(const size_t counts[], size_t all, double ms) {
  printf("%zu program%s: %zu compiled, %zu already there", all, plural(all), counts[JOB_COMPILED],
         counts[JOB_HIT]);
  if (counts[JOB_MISSING] > 0) printf(", %zu to be compiled", counts[JOB_MISSING]);
  if (counts[JOB_FAILED] > 0) printf(", %zu failed", counts[JOB_FAILED]);
  printf("; %.2f s\n", ms / 1e3);
}

int jobs_prewarm(job_list *list, const prewarm_settings *run) {
  const double start = clock_ms();
  int code = jobs_run(list, run);
  if (code != EXIT_OK) return code;
  size_t counts[JOB_FAILED + 1] = {0};
  for (size_t i = 0; i < list->count; ++i) ++counts[list->jobs[i].outcome];
  print_failures(list);
  if (!run->json) print_summary(counts, list->count, clock_ms() - start);
  return counts[JOB_FAILED] > 0 ? EXIT_FAILED : EXIT_OK;
}

static int run(const command *self, int argc, char **argv) {
  settings s = {.arch = NULL};
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, take, &s, &operands, &code)) return code;
  if (operands.count == 0) return usage_error("give an algorithm (%s) or a manifest", algorithm_names());
  arch_list archs;
  job_list list = {0};
  code = archs_parse(s.arch, &archs);
  if (code == EXIT_OK) code = collect(&s, &operands, &archs, &list);
  if (code == EXIT_OK) code = jobs_prewarm(&list, &s.run);
  jobs_free(&list);
  return code;
}

static const option_row rows[] = {
    {ARCH_OPTION, "arch", "LIST",
     "sm_80,sm_90,... (machine code), compute_90 (PTX), native (what\nthe GPUs here need)"},
    {'j', "jobs", "N", "how many programs at once; default: one per processor"},
    {OPTION_TO, "to", "DIR",
     "fills the cache in that folder, whatever other caches have, so\nthat it can be shipped"},
    {OPTION_MANIFEST, "manifest", NULL, "the operands are files, whatever they are called"},
    {OPTION_FIRST_TIER, "first-tier", NULL,
     "not the programs, but kernels that any operators from source\nin the place of theirs are linked "
     "with"},
    {OPTION_DRY_RUN, "dry-run", NULL, "compiles nothing, says what would be"},
    OPTION_JSON_ROW,
    OPTION_END_ROW,
};
static const option_row init_row[] = {SPEC_INIT_FLAG_ROW, OPTION_END_ROW};

const command prewarm_command = {
    .name = "jig prewarm",
    .summary = "Compiles programs into the cache, with or without a GPU.",
    .usage =
        "<algorithm> [slot=value]... --arch LIST [options]\n"
        "<algorithm> --help\n"
        "kernel <file> --arch LIST [options]\n"
        "[--manifest] <file>... --arch LIST [options]",
    .groups = {{SPEC_GROUP_TITLE, spec_option_rows, true},
               {"", init_row, true},
               {"options", rows},
               {"", build_option_rows}},
    .notes =
        "A manifest has a spec in each line, as jig's *_spec() functions write them, and JIG_RECORD;\n"
        "or an algorithm and its slots, as on the command line but with blanks between slots only.\n"
        "Blank lines and those that begin with # are left out; none may have a NUL or a carriage\n"
        "return within. '-' is standard input. A spec may name several programs.\n"
        "\n"
        "Prints a line as each program is done: what became of it (hit: the cache had it already;\n"
        "compiled; failed; with --dry-run missing), the architecture, how long it took, the program's\n"
        "size, registers and bytes spilled per thread, cache key and spec. With --json that is an "
        "object\n"
        "per line, and there is no summary.\n",
    .help = slot_help,
    .algorithm_usage = "[slot=value]... --arch LIST [options]",
    .example_end = " --arch sm_90",
    .kernel = &prewarm_kernel_command,
    .examples =
        "jig prewarm scan --type f32 --arch sm_90\n"
        "jig prewarm reduce in=f32 out=f64 op=max --arch sm_80,sm_90\n"
        "jig prewarm --manifest specs.jsonl --arch native --to cache\n"
        "jig prewarm select in=u64 op='return x;' --first-tier --arch sm_90\n",
    .run = run,
};
