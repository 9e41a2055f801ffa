/* jig source: what would be compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jig/jig.h>

#include "algorithms.h"
#include "archs.h"
#include "build_options.h"
#include "command.h"
#include "files.h"
#include "jit/algorithm.h"
#include "request.h"
#include "slot_help.h"
#include "source_print.h"
#include "suggest.h"

enum { OPTION_SPEC = OPTION_OF_COMMAND };

typedef struct settings {
  spec_options spec;
  build_options build;
  const char *arch, *spec_file;
} settings;

static int take(void *user, int id, char *value) {
  settings *s = user;
  bool mine;
  int code = spec_options_take(&s->spec, id, value, &mine);
  if (!mine) code = build_options_take(&s->build, id, value, &mine);
  if (id == ARCH_OPTION) s->arch = value;
  if (id == OPTION_SPEC) s->spec_file = value;
  return code;
}

static int source_of_file(const settings *s, const char *arch) {
  const char *option = spec_options_first(&s->spec);
  if (option != NULL) return usage_error("%s: not beside --spec, which says it all", option);
  char *text = file_read_text("", s->spec_file);
  if (text == NULL) return EXIT_FAILED;
  int code = source_print(&s->build, text, arch);
  free(text);
  return code;
}

static int source_of_options(settings *s, const operand_list *operands, const char *arch) {
  const char *name = operands->names[0];
  const operand_list slots = {operands->names + 1, operands->count - 1};
  const spec_schema *schema = algorithm_schema(name);
  if (schema == &own_kernel_algorithm.schema)
    return usage_error("write 'jig source kernel', options after that");
  if (schema == NULL) return usage_error("there is no algorithm '%s'%s", name, suggest_algorithm(name));
  usage_hint_of(name);
  request r;
  char *text = NULL;
  int code = spec_options_take_slots(&s->spec, &slots);
  if (code != EXIT_OK) return code;
  code = request_resolve(&r, schema, &s->spec, NULL);
  if (code == EXIT_OK) code = request_text(&r, &text);
  if (code == EXIT_OK) code = source_print(&s->build, text, arch);
  jig_free(text);
  request_free(&r);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  settings s = {.arch = NULL};
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, take, &s, &operands, &code)) return code;
  if (s.spec_file == NULL && operands.count == 0)
    return usage_error("give an algorithm (%s) or --spec", algorithm_names());
  arch_list archs;
  code = s.spec_file != NULL ? operands_at_most(&operands, 0) : EXIT_OK;
  if (code == EXIT_OK) code = archs_parse(s.arch, &archs);
  if (code != EXIT_OK) return code;
  if (archs.count > 1) return usage_error("--arch: give one architecture");
  return s.spec_file != NULL ? source_of_file(&s, archs.names[0])
                             : source_of_options(&s, &operands, archs.names[0]);
}

static const option_row rows[] = {
    {ARCH_OPTION, "arch", "ARCH", "sm_90 (machine code), compute_90 (PTX) or native"},
    {OPTION_SPEC, "spec", "FILE", "a spec, as jig's *_spec() functions write it; '-': standard\ninput"},
    OPTION_END_ROW,
};
static const option_row init_row[] = {SPEC_INIT_FLAG_ROW, OPTION_END_ROW};

const command source_command = {
    .name = "jig source",
    .summary = "Prints the source that jig compiles, without the templates it includes.",
    .usage =
        "<algorithm> [slot=value]... --arch ARCH [options]\n<algorithm> --help\n"
        "kernel <file> --arch ARCH [options]\n--spec FILE --arch ARCH",
    .groups = {{SPEC_GROUP_TITLE, spec_option_rows, true},
               {"", init_row, true},
               {"options", rows},
               {"", build_option_rows}},
    .help = slot_help,
    .algorithm_usage = "[slot=value]... --arch ARCH [options]",
    .example_end = " --arch sm_90",
    .kernel = &source_kernel_command,
    .examples =
        "jig source reduce --type f32 --op-source 'return a > b ? a : b;' --arch sm_90\n"
        "jig source --spec sum.json --arch sm_90\n",
    .run = run,
};
