/* jig cache: what is in the cache on disk, whether it is sound, and clearing it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache_list.h"
#include "cache_stats.h"
#include "command.h"
#include "describe.h"
#include "util/json_text.h"

typedef struct settings {
  bool json, dry;
} settings;

static int take(void *user, int id, char *value) {
  settings *s = user;
  (void)value;
  s->json |= id == OPTION_JSON;
  s->dry |= id == OPTION_DRY_RUN;
  return EXIT_OK;
}

/* What all subcommands begin with: options, and no operands. */
static bool begin(const command *self, int argc, char **argv, settings *s, int *code) {
  operand_list operands;
  *s = (settings){.json = false};
  if (!options_read(self, argc, argv, take, s, &operands, code)) return false;
  *code = operands_at_most(&operands, 0);
  return *code == EXIT_OK;
}

static const option_row no_rows[] = {OPTION_END_ROW};
static const option_row json_rows[] = {OPTION_JSON_ROW, OPTION_END_ROW};

/* ---- path */

/* The user's directory; NULL, having complained, if there is none. */
static const char *user_directory(void) {
  const char *directory = jig_cache_path(NULL);
  if (directory == NULL) {
    (void)jig_failure(JIG_ERROR_OUT_OF_MEMORY);
    return NULL;
  }
  if (directory[0] != '\0') return directory;
  complain("there is no cache directory: set JIG_CACHE_DIR or HOME");
  return NULL;
}

static int path(const command *self, int argc, char **argv) {
  settings s;
  int code;
  if (!begin(self, argc, argv, &s, &code)) return code;
  const char *directory = user_directory();
  if (directory == NULL) return EXIT_FAILED;
  printf("%s\n", directory);
  return EXIT_OK;
}

static const command path_command = {
    .name = "jig cache path",
    .summary = "Prints the user's cache directory, whether or not it exists.",
    .usage = "",
    .groups = {{"options", no_rows}},
    .run = path,
};

/* ---- ls and verify: entries, one line each */

static void print_entry(const cached *e) {
  char date[32] = "?";
  const time_t seconds = (time_t)e->last_used;
  struct tm local;
  if (localtime_r(&seconds, &local) != NULL) (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
  printf("%s  %-10s  %-5s %9" PRIu64 "  %s  ", e->key, e->arch, e->compiler, e->bytes, date);
  char *shown = e->sound ? describe_spec(e->spec) : NULL;
  if (e->sound)
    printf("%s", shown != NULL ? shown : "?");
  else
    printf("damaged: %s", e->fault);
  free(shown);
  if (e->layer > 0) printf("  (read-only layer %d)", e->layer);
  printf("\n");
}

static void print_entry_json(const cached *e) {
  json_t *line = json_object();
  (void)json_set_path(line, "path", e->path);
  (void)json_object_update_new(
      line, json_pack("{s:s,s:s,s:s,s:I,s:I,s:i,s:b}", "key", e->key, "arch", e->arch, "compiler",
                      e->compiler, "bytes", (json_int_t)e->bytes, "last_used", (json_int_t)e->last_used,
                      "layer", e->layer, "sound", (int)e->sound));
  if (e->spec != NULL) (void)json_object_set(line, "spec", e->spec);
  if (!e->sound) (void)json_object_set_new(line, "fault", json_text(e->fault));
  print_json(line);
}

static int ls(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  int code;
  if (!begin(self, argc, argv, &s, &code)) return code;
  code = cache_list_read(&list);
  for (size_t i = 0; i < list.count; ++i) {
    if (s.json)
      print_entry_json(&list.entries[i]);
    else
      print_entry(&list.entries[i]);
  }
  cache_list_free(&list);
  return code;
}

static const command ls_command = {
    .name = "jig cache ls",
    .summary = "Lists what is in the cache, the most recently used last.",
    .usage = "[--json]",
    .groups = {{"options", json_rows}},
    .notes =
        "Prints a line for each entry: key, architecture, compiler, bytes, last use, and the spec in "
        "short.\n"
        "With --json each line is an object with all there is to know. Where a path is not UTF-8, its\n"
        "bytes are in path_base64, and path has U+FFFD for those that are no characters.\n",
    .run = ls,
};

static int verify(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  int code;
  if (!begin(self, argc, argv, &s, &code)) return code;
  code = cache_list_read(&list);
  size_t damaged = 0;
  for (size_t i = 0; i < list.count; ++i) {
    const cached *e = &list.entries[i];
    if (e->sound) continue;
    ++damaged;
    if (s.json)
      print_entry_json(e);
    else
      printf("%s: %s\n", e->path, e->fault);
  }
  if (!s.json) {
    printf("%zu entr%s, %zu damaged\n", list.count, list.count == 1 ? "y" : "ies", damaged);
  }
  cache_list_free(&list);
  return damaged > 0 ? EXIT_FAILED : code;
}

static const command verify_command = {
    .name = "jig cache verify",
    .summary = "Reads every entry in full and lists the damaged ones.",
    .usage = "[--json]",
    .groups = {{"options", json_rows}},
    .notes =
        "With --json each damaged entry is an object in a line of its own, and there is no summary.\n"
        "A damaged entry does no harm: it is never loaded, and the program is compiled anew.\n"
        "The exit status is 1 as well if a directory cannot be read.\n",
    .run = verify,
};

/* ---- stats */

static int stats(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  int code;
  if (!begin(self, argc, argv, &s, &code)) return code;
  code = cache_list_read(&list);
  json_t *summary = cache_stats(&list);
  if (s.json) {
    print_json(summary);
  } else {
    cache_stats_print(summary);
    json_decref(summary);
  }
  cache_list_free(&list);
  return code;
}

static const command stats_command = {
    .name = "jig cache stats",
    .summary = "Adds up what is in the cache.",
    .usage = "[--json]",
    .groups = {{"options", json_rows}},
    .run = stats,
};

/* ---- clear */

/* What the user's own directory holds; read-only layers stay as they are. */
static void count_own(const cache_list *list, uint64_t *entries, uint64_t *bytes) {
  *entries = *bytes = 0;
  for (size_t i = 0; i < list->count; ++i) {
    if (list->entries[i].layer != 0) continue;
    ++*entries;
    *bytes += list->entries[i].bytes;
  }
}

static void print_removal(const char *verb, uint64_t entries, uint64_t bytes, const char *directory) {
  char size[BYTES_TEXT_SIZE];
  printf("%s %" PRIu64 " entr%s, %s, from %s\n", verb, entries, entries == 1 ? "y" : "ies",
         bytes_text((double)bytes, size), directory);
}

/* What was there before and is not any more. Others may remove or add some at the same time. */
static int remove_all(uint64_t bytes, const char *directory) {
  cache_list list;
  uint64_t removed = 0, left, bytes_left;
  jig_status status = jig_cache_clear(NULL, &removed);
  int code = status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
  (void)cache_list_read_quietly(&list);
  count_own(&list, &left, &bytes_left);
  cache_list_free(&list);
  if (code == EXIT_OK || removed > 0)
    print_removal("removed", removed, bytes > bytes_left ? bytes - bytes_left : 0, directory);
  return code;
}

static int clear(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  uint64_t entries, bytes;
  int code;
  if (!begin(self, argc, argv, &s, &code)) return code;
  const char *directory = user_directory();
  if (directory == NULL) return EXIT_FAILED;
  /* What clearing meets it tells itself. */
  code = s.dry ? cache_list_read(&list) : cache_list_read_quietly(&list);
  count_own(&list, &entries, &bytes);
  cache_list_free(&list);
  if (!s.dry) return remove_all(bytes, directory);
  print_removal("would remove", entries, bytes, directory);
  return code;
}

static const option_row clear_rows[] = {
    {OPTION_DRY_RUN, "dry-run", NULL, "removes nothing, says what would be"}, OPTION_END_ROW};
static const command clear_command = {
    .name = "jig cache clear",
    .summary = "Removes every entry from the user's cache directory, without asking.",
    .usage = "[--dry-run]",
    .groups = {{"options", clear_rows}},
    .notes = "Read-only layers and files that jig did not write stay as they are.\n",
    .run = clear,
};

/* ---- the command */

static const command *const subcommands[] = {&path_command,   &ls_command,    &stats_command,
                                             &verify_command, &clear_command, NULL};

const command cache_command = {
    .name = "jig cache",
    .summary = "Looks at the cache of compiled programs, or clears it.",
    .usage = "<command> [options]",
    .subcommands = subcommands,
    .run = command_dispatch,
};
