/* jig doctor: whether this machine can compile, cache and launch, and what to do if not. */
#include <stdio.h>
#include <string.h>

#include <jig/jig.h>

#include "command.h"
#include "doctor_checks.h"
#include "screen.h"
#include "software.h"

enum { OPTION_SOFTWARE = OPTION_OF_COMMAND };

typedef struct settings {
  bool json, software;
} settings;

static int take(void *user, int id, char *value) {
  settings *s = user;
  (void)value;
  s->json |= id == OPTION_JSON;
  s->software |= id == OPTION_SOFTWARE;
  return EXIT_OK;
}

static bool is_ready(const check checks[CHECKS]) {
  for (int i = 0; i < CHECKS; ++i)
    if (checks[i].outcome == CHECK_FAILED) return false;
  return true;
}

/* What it comes to, for who reads one line. */
static const char *verdict(const check checks[CHECKS]) {
  const bool compiles = checks[CHECK_COMPILE].outcome == CHECK_OK;
  const bool caches = checks[CHECK_CACHE].outcome != CHECK_FAILED;
  const bool launches = checks[CHECK_LAUNCH].outcome == CHECK_OK;
  if (is_ready(checks)) return "jig is ready: programs are compiled, cached and launched here.";
  if (compiles && caches) return "jig can compile and cache programs here, and launch none.";
  if (launches && caches) return "jig can launch what its caches have, and compile nothing.";
  if (launches && compiles) return "jig can compile and launch programs here, and keeps none.";
  if (compiles) return "jig can compile programs here, and neither keep nor launch them.";
  return launches ? "jig can launch programs here, and has none."
                  : "jig can neither compile nor launch programs here.";
}

static void print_screen(const check checks[CHECKS]) {
  enum { NAME_WIDTH = 11, OUTCOME_WIDTH = 9 };
  static const char *const outcomes[] = {
      [CHECK_OK] = "ok", [CHECK_WARNING] = "warning", [CHECK_FAILED] = "failed"};
  static const screen_colour colours[] = {
      [CHECK_OK] = COLOUR_GOOD, [CHECK_WARNING] = COLOUR_WARNING, [CHECK_FAILED] = COLOUR_BAD};
  const char *const plain = screen_colour_text(COLOUR_NONE);
  printf("%s%s%s\n\n", screen_colour_text(COLOUR_HEADER), verdict(checks), plain);
  for (int i = 0; i < CHECKS; ++i) {
    const check *c = &checks[i];
    printf("%-*s%s%-*s%s", NAME_WIDTH, c->name, screen_colour_text(colours[c->outcome]), OUTCOME_WIDTH,
           outcomes[c->outcome], plain);
    screen_wrap(NAME_WIDTH + OUTCOME_WIDTH, c->found);
    if (c->advice[0] == '\0') continue;
    printf("%*s", NAME_WIDTH + OUTCOME_WIDTH, "");
    screen_wrap(NAME_WIDTH + OUTCOME_WIDTH, c->advice);
  }
}

static void print_as_json(const check checks[CHECKS]) {
  static const char *const outcomes[] = {
      [CHECK_OK] = "ok", [CHECK_WARNING] = "warning", [CHECK_FAILED] = "failed"};
  json_t *list = json_array();
  for (int i = 0; i < CHECKS; ++i)
    (void)json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s}", "name", checks[i].name, "outcome",
                                                outcomes[checks[i].outcome], "found", checks[i].found,
                                                "advice", checks[i].advice));
  print_json(json_pack("{s:b,s:s,s:o}", "ready", (int)is_ready(checks), "verdict", verdict(checks),
                       "checks", list));
}

static int diagnose(const settings *s) {
  static check checks[CHECKS];
  char *text = NULL;
  const jig_status status = jig_info(NULL, &text);
  if (status != JIG_SUCCESS) return jig_failure(status);
  json_t *info = json_loads(text, 0, NULL);
  jig_free(text);
  doctor_check(info, checks);
  json_decref(info);
  if (s->json)
    print_as_json(checks);
  else
    print_screen(checks);
  if (is_ready(checks)) return EXIT_OK;
  const bool only_launch =
      checks[CHECK_COMPILE].outcome != CHECK_FAILED && checks[CHECK_CACHE].outcome != CHECK_FAILED;
  return only_launch ? EXIT_NO_DEVICE : EXIT_FAILED;
}

static int run(const command *self, int argc, char **argv) {
  settings s = {.json = false};
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, take, &s, &operands, &code)) return code;
  code = operands_at_most(&operands, 0);
  if (code == EXIT_OK && s.software) code = software_gpu_use();
  return code == EXIT_OK ? diagnose(&s) : code;
}

static const option_row rows[] = {
    {OPTION_SOFTWARE, "software", NULL, "with the software GPU instead of a driver"},
    OPTION_JSON_ROW,
    OPTION_END_ROW,
};

const command doctor_command = {
    .name = "jig doctor",
    .summary = "Tries whether this machine can compile, cache and launch; says what to do if not.",
    .usage = "[--software] [--json]",
    .groups = {{"options", rows}},
    .notes =
        "Compiles a sum, stores it in the cache, finds it there again, and runs it on the first GPU.\n"
        "The exit status is 0 if all of that went well, 3 if only a GPU is missing, otherwise 1.\n",
    .examples =
        "jig doctor\n"
        "jig doctor --software\n",
    .run = run,
};
