/* jig tune: finds out by measuring how an algorithm's programs are best tuned for the GPU here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jig/jig.h>

#include "algorithms.h"
#include "archs.h"
#include "command.h"
#include "engine/engine.h"
#include "jit/algorithm.h"
#include "jit/tuned.h"
#include "run_files.h"
#include "run_options.h"
#include "screen.h"
#include "slot_help.h"
#include "software.h"
#include "suggest.h"
#include "tune_bench.h"
#include "tune_print.h"
#include "util/clock.h"

enum {
  OPTION_GPU = OPTION_OF_COMMAND + 100,
  OPTION_BUDGET,
  OPTION_SIZES,
  OPTION_OUT_FILE,
  OPTION_MERGE,
  OPTION_CHECK,
  OPTION_SEGMENT_ITEMS
};

typedef struct settings {
  run_settings run;
  const char *arch, *out;
  uint64_t gpu, jobs, first, last; /* sizes */
  uint64_t segment_items;
  uint64_t check, seed; /* 0: nothing is checked only */
  double budget_ms;
  bool dry, merge;
} settings;

/* ---- options */

/* "90", "90s" or "5m". */
static int take_budget(settings *s, const char *value) {
  enum { MOST_SECONDS = 1000000 };
  char *end;
  errno = 0;
  const double number = strtod(value, &end);
  const bool is_minutes = strcmp(end, "m") == 0;
  const double seconds = is_minutes ? number * 60 : number;
  if (end == value || (*end != '\0' && strcmp(end, "s") != 0 && !is_minutes) || errno != 0 ||
      !(seconds > 0) || seconds > MOST_SECONDS)
    return usage_error("--budget: '%s' is no time, such as 60s or 5m", value);
  s->budget_ms = seconds * 1e3;
  return EXIT_OK;
}

/* "2^16" or "65536". */
static const char *read_size(const char *at, uint64_t *size) {
  char *end;
  if (*at < '0' || *at > '9') return NULL;
  errno = 0;
  *size = strtoull(at, &end, 10);
  if (errno != 0 || *size == 0) return NULL;
  if (*size != 2 || *end != '^') return end;
  const char *power = end + 1;
  if (*power < '0' || *power > '9') return NULL;
  const uint64_t exponent = strtoull(power, &end, 10);
  if (exponent > 40) return NULL;
  *size = (uint64_t)1 << exponent;
  return end;
}

static int take_sizes(settings *s, const char *value) {
  const char *at = read_size(value, &s->first);
  s->last = s->first;
  if (at != NULL && strncmp(at, "..", 2) == 0) at = read_size(at + 2, &s->last);
  if (at == NULL || *at != '\0' || s->last < s->first)
    return usage_error("--sizes: '%s' is no range of items, such as 2^16..2^28", value);
  return EXIT_OK;
}

/* "20", or "20:7" with a seed. */
static int take_check(settings *s, char *value) {
  enum { MOST_CHECKS = 100000 };
  char *colon = strchr(value, ':');
  s->seed = 1;
  if (colon != NULL) *colon = '\0';
  return options_number("--check", value, 1, MOST_CHECKS, &s->check) &&
                 (colon == NULL || options_number("--check", colon + 1, 0, INT64_MAX, &s->seed))
             ? EXIT_OK
             : EXIT_USAGE;
}

static int take(void *user, int id, char *value) {
  enum { MOST_THREADS = 1024 };
  settings *s = user;
  bool mine;
  int code;
  switch (id) {
    case OPTION_GPU:
      return options_number("--gpu", value, 0, INT32_MAX, &s->gpu) ? EXIT_OK : EXIT_USAGE;
    case 'j':
      return options_number("--jobs", value, 1, MOST_THREADS, &s->jobs) ? EXIT_OK : EXIT_USAGE;
    case OPTION_BUDGET:
      return take_budget(s, value);
    case OPTION_SIZES:
      return take_sizes(s, value);
    case OPTION_SEGMENT_ITEMS:
      return options_number("--segment-items", value, 1, UINT32_MAX, &s->segment_items) ? EXIT_OK
                                                                                        : EXIT_USAGE;
    case OPTION_OUT_FILE:
      s->out = value;
      return EXIT_OK;
    case ARCH_OPTION:
      s->arch = value;
      return EXIT_OK;
    case OPTION_DRY_RUN:
      s->dry = true;
      return EXIT_OK;
    case OPTION_CHECK:
      return take_check(s, value);
    case OPTION_MERGE:
      s->merge = true;
      return EXIT_OK;
    case OPTION_SOFTWARE:
      s->run.software = true;
      return EXIT_OK;
    default:
      code = run_numbers_take(&s->run, id, value, &mine);
      if (!mine) code = build_options_take(&s->run.build, id, value, &mine);
      return mine ? code : spec_options_take(&s->run.spec, id, value, &mine);
  }
}

/* ---- files of wisdom */

/* Where it goes: what is told, else the last file that engines read. The caller's to free(). */
static char *wisdom_file(const settings *s) {
  const char *list = getenv("JIG_WISDOM");
  if (s->out != NULL) return strdup(s->out);
  if (list == NULL || list[0] == '\0') return engine_wisdom_file();
  const char *last = strrchr(list, ':');
  return strdup(last != NULL ? last + 1 : list);
}

static void tell(void *user, const char *problem) {
  int *code = user;
  complain("%s", problem);
  *code = EXIT_FAILED;
}

static int check_place(const char *path) {
  if (path == NULL) return usage_error("--out is missing, as there is no home folder");
  return wisdom_can_be_at(path) ? EXIT_OK
                                : usage_error("%s is no file: say with --out where it goes", path);
}

static int save(const wisdom *w, const char *path) {
  const int problem = wisdom_save(w, path);
  if (problem == 0) return EXIT_OK;
  complain("%s: %s", path, strerror(problem));
  return EXIT_FAILED;
}

/* Files put together, so that of lines for the same the last one is kept. */
static int merge(const settings *s, const operand_list *files) {
  wisdom all = {.count = 0};
  int code = EXIT_OK;
  if (files->count == 0) return usage_error("give files of wisdom");
  if (s->out == NULL) return usage_error("--out is missing: where they are put together");
  if (check_place(s->out) != EXIT_OK) return EXIT_USAGE;
  for (int i = 0; i < files->count; ++i) (void)wisdom_add_file(&all, files->names[i], tell, &code);
  if (code == EXIT_OK) code = save(&all, s->out);
  if (code == EXIT_OK) printf("%zu line%s in %s\n", all.count, plural(all.count), s->out);
  wisdom_free(&all);
  return code;
}

/* What is there stays, but for a line for the same. */
static int keep(const tune_bench *b, const tune_result *r, const char *path) {
  wisdom all = {.count = 0};
  int code = EXIT_OK;
  if (access(path, F_OK) == 0) (void)wisdom_add_file(&all, path, tell, &code);
  if (code != EXIT_OK) {
    complain("%s stays as it is; write to another file with --out", path);
  } else if (!wisdom_add_line(&all, tune_line(b, r), path)) {
    complain("out of memory");
    code = EXIT_FAILED;
  } else {
    code = save(&all, path);
  }
  wisdom_free(&all);
  return code;
}

/* ---- tuning */

/* What is compiled for a GPU: as calls do it. */
static int find_target(tune_bench *b, uint64_t number) {
  int count;
  const device_info *devices = driver_devices(&count);
  const int sm = devices[number].sm;
  b->target = arch_of_sm(sm, false);
  if (!driver_get()->takes_ptx_only) return EXIT_OK;
  const compiler *c = compiler_get();
  if (c == NULL) return jig_failure(JIG_ERROR_NO_COMPILER);
  b->target = arch_of_sm(compiler_newest_at_or_below(c, sm), true);
  return EXIT_OK;
}

/* What items come in whole numbers of: segments of one size, or pixels. */
static uint64_t unit_of(const settings *s, const spec *of) {
  const spec_slot *channels = spec_find(of, "channels");
  if (s->run.numbers.segment_size > 0) return s->run.numbers.segment_size;
  return channels != NULL ? (uint64_t)channels->choice + 1 : 1;
}

static void add_size(tune_bench *b, uint64_t items, uint64_t unit) {
  const uint64_t whole = items < unit ? unit : items / unit * unit;
  if (b->size_count > 0 && b->sizes[b->size_count - 1] == whole) return;
  b->sizes[b->size_count++] = whole;
}

static void list_sizes(const settings *s, tune_bench *b) {
  const uint64_t unit = unit_of(s, b->s);
  for (uint64_t n = s->first; n < s->last && b->size_count < TUNE_MAX_SIZES - 1; n *= 4)
    add_size(b, n, unit);
  add_size(b, s->last, unit);
}

static int search(const settings *s, const run_row *row, tune_bench *b) {
  tune_result result;
  char *path = wisdom_file(s);
  if (check_place(path) != EXIT_OK) return free(path), EXIT_USAGE;
  const tuning_told tables = tuned_defaults(b->s, b->target.sm);
  const double start = clock_ms();
  b->tables = &tables;
  b->end_ms = start + s->budget_ms;
  int code = tune_bench_open(b, row, &s->run.numbers);
  const tune_asks asks = tune_bench_asks(b);
  if (code == EXIT_OK) code = tune_search(&tables, &asks, &result);
  progress_end(&b->bar);
  if (code == EXIT_OK && result.gain > 1) code = tune_bench_compare_all(b, &result.best);
  if (code == EXIT_OK && result.gain > 1) code = keep(b, &result, path);
  if (code == EXIT_OK) tune_print_result(b, &result, clock_ms() - start, path);
  free(path);
  return code;
}

/* A batch of candidates from all over the spaces. */
static int check_some(tune_bench *b, const tune_asks *asks, uint64_t *state, int wanted, tune_result *r) {
  tune_trial trials[TUNE_BATCH];
  int count = 0;
  while (count < wanted && tune_draw(b->tables, asks, state, &trials[count].at))
    trials[count++].why_not = NULL;
  const int code = count > 0 ? tune_bench_check(b, trials, count) : EXIT_OK;
  for (int i = 0; i < count && code == EXIT_OK; ++i) tune_print_check(b, &trials[i], r);
  return code;
}

/* That spaces hold what they promise: other values give the same results. What spills is none the worse.
 */
static int check(const settings *s, const run_row *row, tune_bench *b) {
  const tuning_told tables = tuned_defaults(b->s, b->target.sm);
  tune_result result = {.gain = 1};
  uint64_t state = s->seed;
  b->tables = &tables;
  int code = tune_bench_open(b, row, &s->run.numbers);
  const tune_asks asks = tune_bench_asks(b);
  b->spills = true;
  asks.plan(b, s->check);
  for (uint64_t left = s->check; left > 0 && code == EXIT_OK;
       left -= left < TUNE_BATCH ? left : TUNE_BATCH)
    code = check_some(b, &asks, &state, left < TUNE_BATCH ? (int)left : TUNE_BATCH, &result);
  progress_end(&b->bar);
  if (code != EXIT_OK) return code;
  printf("%zu candidate%s checked, %zu failed\n", result.tried, plural(result.tried), result.out);
  return result.out > 0 ? EXIT_FAILED : EXIT_OK;
}

static int tune_here(const settings *s, const run_row *row, tune_bench *b) {
  int code = gpu_open_device(&b->g, (int)s->gpu);
  if (code == EXIT_OK) code = find_target(b, s->gpu);
  if (code != EXIT_OK) return code;
  return s->check > 0 ? check(s, row, b) : search(s, row, b);
}

/* ---- what would be tried */

static int dry_run(const settings *s, tune_bench *b) {
  arch_list archs;
  int code = archs_parse(s->arch != NULL ? s->arch : "native", &archs);
  if (code != EXIT_OK) return code;
  if (archs.count != 1 && s->arch != NULL) return usage_error("--arch: one architecture at a time");
  if (arch_parse(archs.names[0], &b->target) != JIG_SUCCESS)
    return jig_failure(JIG_ERROR_INVALID_ARGUMENT);
  tune_print_spaces(b->s, b->target.sm);
  return EXIT_OK;
}

/* ---- what is tuned */

static int check_spec(const settings *asked, const request *r, const spec *s) {
  const leaf_list *leaves = &r->files->leaves;
  for (int i = 0; i < leaves->count; ++i)
    if (leaves->leaves[i].file != NULL)
      return usage_error("%s: jig tune makes its own items; write a type in the place of the file",
                         leaves->leaves[i].file);
  const spec_slot *begins = spec_find(s, "begin_offsets");
  if (begins != NULL && begins->iter == NULL && asked->run.numbers.segment_size == 0 && !asked->dry)
    return usage_error("give --segment-size, or a type for begin_offsets, such as i32");
  if (spec_is_gpu_to_gpu(s))
    return usage_error("determinism: what has the same bits on every GPU is tuned alike on each");
  return EXIT_OK;
}

/* Calls that it cannot make: they change what they are given. */
static int check_row(const run_row *row) {
  if (row->has_array || strcmp(row->outputs[0].slot, "in") == 0)
    return usage_error("jig tune makes no calls of %s", row->name);
  return EXIT_OK;
}

static int run_tune(settings *s, const run_row *row, const operand_list *slots) {
  request r;
  run_files files = {.row = row, .base = {.put = run_files_put}};
  files.base.user = &files;
  int code = check_row(row);
  if (code == EXIT_OK) code = run_numbers_check(&s->run, row);
  if (code == EXIT_OK) code = spec_options_take_slots(&s->run.spec, slots);
  if (code != EXIT_OK) return code;
  s->run.numbers.init = s->run.spec.text[SPEC_INIT];
  code = request_resolve(&r, algorithm_schema(row->name), &s->run.spec, &files.base);
  if (code == EXIT_OK) {
    const algorithm_programs programs = algorithm_programs_of(&r.spec.s);
    tune_bench *b = calloc(1, sizeof *b);
    if (b == NULL) {
      complain("out of memory");
      exit(EXIT_FAILED);
    }
    b->request = &r;
    b->s = &programs.of[0];
    b->build = &s->run.build;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    b->data.segment_items = s->segment_items;
    b->jobs = s->jobs > 0 ? (unsigned)s->jobs : processors > 0 ? (unsigned)processors : 1;
    list_sizes(s, b);
    code = check_spec(s, &r, b->s);
    if (code == EXIT_OK) code = s->dry ? dry_run(s, b) : tune_here(s, row, b);
    tune_bench_close(b);
    free(b);
  }
  leaves_free(&files.base.leaves);
  request_free(&r);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  settings s = {.first = 1 << 16, .last = 1 << 28, .budget_ms = 60e3, .segment_items = 1000};
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, take, &s, &operands, &code)) return code;
  if (s.merge) return merge(&s, &operands);
  if (operands.count == 0) return usage_error("give an algorithm (%s)", algorithm_names());
  if (s.arch != NULL && !s.dry) return usage_error("--arch: only beside --dry-run; see --gpu");
  const char *name = operands.names[0];
  const run_row *row = run_row_named(name);
  if (row == NULL) return usage_error("there is no algorithm '%s'%s", name, suggest_algorithm(name));
  const operand_list slots = {operands.names + 1, operands.count - 1};
  if (s.run.software && (code = software_gpu_use()) != EXIT_OK) return code;
  return run_tune(&s, row, &slots);
}

static const option_row init_row[] = {SPEC_INIT_VALUE_ROW, OPTION_END_ROW};

static const option_row rows[] = {
    {OPTION_GPU, "gpu", "N", "which GPU, counted from 0; default: the first"},
    {OPTION_BUDGET, "budget", "TIME", "how long it may look, such as 60s (default) or 5m"},
    {OPTION_SIZES, "sizes", "A..B",
     "how many items calls have, in steps of four; default:\n2^16..2^28, as far as the GPU has memory"},
    {OPTION_SEGMENT_ITEMS, "segment-items", "N",
     "how many items segments have on average whose offsets are given, or\nranges, or buffers bytes; "
     "default: 1000"},
    {OPTION_OUT_FILE, "out", "FILE",
     "where wisdom is kept, beside what is there; default: the last of\n$JIG_WISDOM, else "
     "~/.config/jig/wisdom"},
    {'j', "jobs", "N", "how many candidates are compiled at once; default: one per\nprocessor"},
    {OPTION_SOFTWARE, "software", NULL,
     "on the software GPU, which takes no time that means anything: to\ntry this command"},
    {OPTION_CHECK, "check", "N[:SEED]",
     "times nothing, but sees to it that N candidates from all over\nwhat may be chosen give the same "
     "results"},
    {OPTION_MERGE, "merge", NULL,
     "the operands are files of wisdom, which are put together in\n--out; of lines for the same the last "
     "one is kept"},
    {OPTION_DRY_RUN, "dry-run", NULL, "compiles nothing, says what would be tried"},
    {ARCH_OPTION, "arch", "ARCH", "of a dry run: for which GPU, such as sm_90; default: the one here"},
    RUN_NUMBER_ROWS,
    OPTION_END_ROW,
};

const command tune_command = {
    .name = "jig tune",
    .summary = "Finds out how an algorithm is best tuned for the GPU here.",
    .usage =
        "<algorithm> [slot=value]... [options]\n"
        "<algorithm> --help\n"
        "--merge <file>... --out FILE",
    .groups = {{SPEC_GROUP_TITLE, spec_option_rows, true},
               {"", init_row, true},
               {"options", rows},
               {"", build_option_rows}},
    .notes =
        "What can be tuned, threads, items of a thread, stages and the like, is tried out from what the\n"
        "tables say on, one number at a time, as long as that is faster. Candidates are compiled side "
        "by\n"
        "side and timed in turns. Left out is what spills more registers, what gives other results, and\n"
        "of floating-point folds, which may be grouped in another way, what is not as close as rounding\n"
        "leaves them, or not the same every time.\n"
        "\n"
        "What is faster by 2 % over all sizes (the geometric mean), and nowhere slower by more than 3 "
        "%,\n"
        "is kept as wisdom: a line of text for this spec and architecture, which later builds prefer.\n"
        "Nothing is ever measured by calls.\n",
    .help = slot_help,
    .algorithm_usage = "[slot=value]... [options]",
    .has_run_options = true,
    .examples =
        "jig tune scan in=f32 op='{ return a > b ? a : b; }' --budget 5m\n"
        "jig tune reduce in=f64 --dry-run --arch sm_90\n",
    .run = run,
};
