/* jig cache: what is in the cache on disk, whether it is sound, and clearing it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache_filter.h"
#include "cache_list.h"
#include "cache_stats.h"
#include "cache_table.h"
#include "command.h"
#include "engine/environment.h"
#include "util/env.h"
#include "util/json_text.h"

enum { OPTION_SORT = OPTION_OF_COMMAND, OPTION_REVERSE, OPTION_MAX_SIZE };

typedef struct settings {
  bool json, dry, reverse;
  const char *sort;
  uint64_t max_size;
  cache_filter filter;
} settings;

static int take(void *user, int id, char *value) {
  settings *s = user;
  bool mine;
  const int code = cache_filter_take(&s->filter, id, value, &mine);
  if (mine) return code;
  s->json |= id == OPTION_JSON;
  s->dry |= id == OPTION_DRY_RUN;
  s->reverse |= id == OPTION_REVERSE;
  if (id == OPTION_SORT) s->sort = value;
  if (id == OPTION_MAX_SIZE && !env_parse_size(value, &s->max_size))
    return usage_error("--max-size: '%s' is no size, such as 500M or 2G", value);
  return EXIT_OK;
}

/* What subcommands begin with: options, and operands for those that filter. */
static bool begin_with_words(const command *self, int argc, char **argv, settings *s, int *code) {
  *s = (settings){.sort = "used", .max_size = environment_cache_max_size()};
  return options_read(self, argc, argv, take, s, &s->filter.words, code);
}

static bool begin(const command *self, int argc, char **argv, settings *s, int *code) {
  if (!begin_with_words(self, argc, argv, s, code)) return false;
  *code = operands_at_most(&s->filter.words, 0);
  return *code == EXIT_OK;
}

#define DRY_ROW \
  { OPTION_DRY_RUN, "dry-run", NULL, "removes nothing, says what would be" }
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
    .examples = "du -sh \"$(jig cache path)\"\n",
    .run = path,
};

/* ---- ls and verify: entries, one line each */

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

/* The entry in that place of what is listed. */
static const cached *listed(const cache_list *list, const settings *s, size_t i) {
  return &list->entries[s->reverse ? list->count - 1 - i : i];
}

static int ls(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  int code;
  bool has_header = false;
  if (!begin_with_words(self, argc, argv, &s, &code)) return code;
  code = cache_list_read(&list);
  if (!cache_sort(&list, s.sort))
    code = usage_error("--sort: '%s' is not used, size, key, arch or program", s.sort);
  for (size_t i = 0; i < list.count && code != EXIT_USAGE; ++i) {
    const cached *e = listed(&list, &s, i);
    if (!cache_filter_passes(&s.filter, e)) continue;
    if (!s.json && !has_header) cache_table_header();
    has_header = true;
    if (s.json)
      print_entry_json(e);
    else
      cache_table_row(e);
  }
  if (code == EXIT_OK && !has_header && !s.json && isatty(STDOUT_FILENO))
    printf("%s\n", list.count == 0 ? "the cache is empty" : "nothing in the cache is like that");
  cache_list_free(&list);
  return code;
}

static const option_row ls_rows[] = {
    {OPTION_SORT, "sort", "BY", "used (the default: the most recent last), size, key, arch or program"},
    {OPTION_REVERSE, "reverse", NULL, "the other way round"},
    OPTION_JSON_ROW,
    OPTION_END_ROW,
};

static const command ls_command = {
    .name = "jig cache ls",
    .summary = "Lists the programs in the cache, the most recently used last.",
    .usage = "[options] [key or text]...",
    .groups = {{"options", ls_rows}, {"", cache_filter_rows}},
    .notes =
        "Prints a row for each program: key, architecture, compiler, size, last use, and the spec in\n"
        "short, cut where it would not fit on the terminal. With keys, or what they begin with, or "
        "parts\n"
        "of the specs in short, only these.\n"
        "With --json each line is an object with all there is to know. Where a path is not UTF-8, its\n"
        "bytes are in path_base64, and path has U+FFFD for those that are no characters.\n",
    .examples = "jig cache ls --arch sm_90 --sort size radix_sort\n",
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
    .examples = "jig cache verify\n",
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
  (void)json_object_set_new(summary, "limit", json_integer((json_int_t)s.max_size));
  cache_stats_add_use(summary);
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
    .summary = "Adds up what is in the cache, and what it was good for.",
    .usage = "[--json]",
    .groups = {{"options", json_rows}},
    .notes =
        "A hit is a program that a process found in the cache when it first called for it; of a miss,\n"
        "something was compiled. The time saved is what it would have taken to compile the kernels that\n"
        "were found, if each took as long as those that were compiled here. All of it is counted in the\n"
        "user's directory, by every process that uses that, since it was made; processes with\n"
        "JIG_BUILD=never count nothing.\n",
    .examples =
        "jig cache stats\n"
        "jig cache stats --json\n",
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

static const option_row clear_rows[] = {DRY_ROW, OPTION_END_ROW};
static const command clear_command = {
    .name = "jig cache clear",
    .summary = "Removes every entry from the user's cache directory, without asking.",
    .usage = "[--dry-run]",
    .groups = {{"options", clear_rows}},
    .notes = "Read-only layers and files that jig did not write stay as they are.\n",
    .examples =
        "jig cache clear --dry-run\n"
        "jig cache clear\n",
    .run = clear,
};

/* ---- rm and prune: single entries of the user's directory */

typedef struct removal {
  uint64_t entries, bytes;
  int code;
} removal;

static void remove_entry(removal *r, const settings *s, const cached *e) {
  if (!s->dry && unlink(e->path) != 0 && errno != ENOENT) {
    complain("%s: %s", e->path, strerror(errno));
    r->code = EXIT_FAILED;
    return;
  }
  ++r->entries;
  r->bytes += e->bytes;
}

static int end_removal(const removal *r, const settings *s, const char *directory) {
  print_removal(s->dry ? "would remove" : "removed", r->entries, r->bytes, directory);
  return r->code;
}

static int rm(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  int code;
  if (!begin_with_words(self, argc, argv, &s, &code)) return code;
  if (!cache_filter_is_any(&s.filter)) return usage_error("say which; jig cache clear removes all");
  const char *directory = user_directory();
  if (directory == NULL) return EXIT_FAILED;
  removal r = {.code = cache_list_read(&list)};
  for (size_t i = 0; i < list.count; ++i)
    if (list.entries[i].layer == 0 && cache_filter_passes(&s.filter, &list.entries[i]))
      remove_entry(&r, &s, &list.entries[i]);
  cache_list_free(&list);
  return end_removal(&r, &s, directory);
}

/* What is damaged, or old, and then the least recently used until the rest is small enough. */
static int prune(const command *self, int argc, char **argv) {
  settings s;
  cache_list list;
  uint64_t entries, bytes;
  int code;
  if (!begin(self, argc, argv, &s, &code)) return code;
  const char *directory = user_directory();
  if (directory == NULL) return EXIT_FAILED;
  removal r = {.code = cache_list_read(&list)};
  count_own(&list, &entries, &bytes);
  for (size_t i = 0; i < list.count; ++i) { /* the least recently used first */
    const cached *e = &list.entries[i];
    const bool is_old = s.filter.used_before != 0 && e->last_used < s.filter.used_before;
    const bool is_too_much = s.max_size > 0 && bytes > s.max_size;
    if (e->layer != 0 || (e->sound && !is_old && !is_too_much)) continue;
    remove_entry(&r, &s, e);
    bytes -= e->bytes;
  }
  cache_list_free(&list);
  return end_removal(&r, &s, directory);
}

static const command rm_command = {
    .name = "jig cache rm",
    .summary = "Removes programs from the user's cache directory, by key, by text or by filters.",
    .usage = "[options] [key or text]...",
    .groups = {{"options", clear_rows}, {"", cache_filter_rows}},
    .notes =
        "Takes what jig cache ls lists for the same keys, texts and filters. Read-only layers stay as "
        "they\n"
        "are.\n",
    .examples = "jig cache rm --algorithm radix_sort --arch sm_80\n",
    .run = rm,
};

static const option_row prune_rows[] = {
    {OPTION_MAX_SIZE, "max-size", "SIZE",
     "how much may stay, such as 500M; 0: all; default: the cache's limit"},
    DRY_ROW,
    OPTION_END_ROW,
};
static const command prune_command = {
    .name = "jig cache prune",
    .summary = "Removes what is damaged or old, and the least recently used beyond a size.",
    .usage = "[--max-size SIZE] [--older-than AGE] [--dry-run]",
    .groups = {{"options", prune_rows}, {"", cache_age_rows}},
    .notes =
        "The cache keeps its limit, $JIG_CACHE_MAX_SIZE, by itself; this makes it smaller than that.\n"
        "Read-only layers stay as they are.\n",
    .examples = "jig cache prune --max-size 200M --older-than 30d\n",
    .run = prune,
};

/* ---- the command */

static const command *const subcommands[] = {&path_command,   &ls_command, &stats_command,
                                             &verify_command, &rm_command, &prune_command,
                                             &clear_command,  NULL};

const command cache_command = {
    .name = "jig cache",
    .summary = "Looks at the cache of compiled programs, or removes some or all.",
    .usage = "<command> [options]",
    .subcommands = subcommands,
    .examples =
        "jig cache ls --sort size\n"
        "jig cache stats\n"
        "jig cache prune --max-size 200M\n",
    .run = command_dispatch,
};
