#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "util/env.h"

void options_help(void) {
  (void)fputs(
      "usage: bench-run [run | host | cold | linked | list | families] [options]\n"
      "\n"
      "  run    GPU time of every case and size, jig and CUB in turn (the default)\n"
      "  host   what calls cost the host; cold builds and cache hits in fresh processes\n"
      "  cold   first results of new processes with an empty cache, a case for each algorithm\n"
      "  linked GPU time of kernels that the first tier links, and of those that are compiled\n"
      "  list   the cases, and whether CUB is there to compare with\n"
      "  families  the families of cases, one for each bench_<family>.c\n"
      "\n"
      "  -o, --output FILE      write CSV to FILE\n"
      "      --only SUBSTRING   only cases whose name (algorithm/type/variant) contains it\n"
      "      --family NAME      only cases of that family\n"
      "      --share K/N        only every N-th case of each family, but one; others with another K\n"
      "      --sizes A,B,C      numbers of items, such as 1000 or 2^20\n"
      "      --quick            five sizes, fewer fresh processes: under a minute\n"
      "      --samples N        samples a measurement (default 31; below 21 the medians are rough)\n"
      "      --calls N          calls a sample, and in a graph, instead of as many as timing takes\n"
      "      --max-bytes SIZE   largest inputs and outputs of a case, such as 4G\n"
      "      --alone            jig alone, though CUB is in this build\n"
      "      --cache DIR        `run` keeps its programs in DIR, instead of building each anew\n"
      "      --limit SECONDS    `run` begins no case or size that is not done by then\n"
      "      --resume           `run` goes on with what is not in FILE yet\n"
      "      --processes N      fresh processes a figure of `host` and `cold` (11); 0: none by `host`\n"
      "      --arch NAME        what these compile for where there is no GPU (default sm_90)\n"
      "      --commit TEXT      noted in the CSV file\n"
      "\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 there is no GPU, 4 the limit was reached,\n"
      "5 done, but results differ.\n",
      stdout);
}

static bool parse_number(const char *text, uint64_t most, uint64_t *value) {
  char *end;
  errno = 0;
  if (text[0] < '0' || text[0] > '9') return false;
  *value = strtoull(text, &end, 10);
  if (*value == 2 && *end == '^') {
    const unsigned long power = strtoul(end + 1, &end, 10);
    if (power > 40) return false;
    *value = (uint64_t)1 << power;
  }
  return errno == 0 && *end == '\0' && *value > 0 && *value <= most;
}

static bool parse_int(const char *text, int *value) {
  uint64_t number;
  if (!parse_number(text, 1000000, &number)) return false;
  *value = (int)number;
  return true;
}

static bool parse_share(options *o, const char *text) {
  int end = 0;
  return sscanf(text, "%9d/%9d%n", &o->share, &o->shares, &end) == 2 && text[end] == '\0' &&
         o->share >= 0 && o->shares > 0;
}

/* Sizes ascend, whatever order they were given in. */
static bool add_size(options *o, uint64_t size) {
  if (o->size_count == MOST_SIZES) return false;
  int place = o->size_count++;
  for (; place > 0 && o->sizes[place - 1] > size; --place) o->sizes[place] = o->sizes[place - 1];
  o->sizes[place] = size;
  return true;
}

static bool parse_sizes(options *o, const char *list) {
  char *copy = strdup(list), *rest = copy;
  bool good = copy != NULL && list[0] != '\0';
  for (char *item; good && (item = strsep(&rest, ",")) != NULL;) {
    uint64_t size;
    good = parse_number(item, (uint64_t)1 << 40, &size) && add_size(o, size);
  }
  free(copy);
  return good;
}

static void default_sizes(options *o) {
  for (int power = 10; power <= 30; power += 2) {
    bool in_quick = power == 10 || power == 16 || power == 20 || power == 24 || power == 28;
    if (!o->quick || in_quick) (void)add_size(o, (uint64_t)1 << power);
  }
}

static void note_command_line(options *o, int argc, char **argv) {
  size_t used = 0;
  for (int i = 0; i < argc && used < sizeof o->command_line; ++i) {
    const char *name = i == 0 ? "bench-run" : argv[i];
    const int added =
        snprintf(o->command_line + used, sizeof o->command_line - used, "%s%s", i > 0 ? " " : "", name);
    used += added > 0 ? (size_t)added : 0;
  }
}

enum {
  ONLY = 256,
  FAMILY,
  SHARE,
  SIZES,
  QUICK,
  SAMPLES,
  CALLS,
  MAX_BYTES,
  ALONE,
  CACHE,
  LIMIT,
  RESUME,
  PROCESSES,
  ARCH,
  COMMIT,
  HELP
};

static const struct option long_options[] = {{"output", required_argument, NULL, 'o'},
                                             {"only", required_argument, NULL, ONLY},
                                             {"family", required_argument, NULL, FAMILY},
                                             {"share", required_argument, NULL, SHARE},
                                             {"sizes", required_argument, NULL, SIZES},
                                             {"quick", no_argument, NULL, QUICK},
                                             {"samples", required_argument, NULL, SAMPLES},
                                             {"calls", required_argument, NULL, CALLS},
                                             {"max-bytes", required_argument, NULL, MAX_BYTES},
                                             {"alone", no_argument, NULL, ALONE},
                                             {"cache", required_argument, NULL, CACHE},
                                             {"limit", required_argument, NULL, LIMIT},
                                             {"resume", no_argument, NULL, RESUME},
                                             {"processes", required_argument, NULL, PROCESSES},
                                             {"arch", required_argument, NULL, ARCH},
                                             {"commit", required_argument, NULL, COMMIT},
                                             {"help", no_argument, NULL, HELP},
                                             {NULL, 0, NULL, 0}};

static bool take(options *o, int option, const char *value) {
  bool good = true;
  switch (option) {
    case 'o':
      o->output = value;
      break;
    case ONLY:
      o->only = value;
      break;
    case FAMILY:
      o->family = value;
      break;
    case SHARE:
      good = parse_share(o, value);
      break;
    case SIZES:
      good = parse_sizes(o, value);
      break;
    case QUICK:
      o->quick = true;
      break;
    case SAMPLES:
      good = parse_int(value, &o->samples);
      break;
    case CALLS:
      good = parse_int(value, &o->calls);
      break;
    case ALONE:
      o->alone = true;
      break;
    case CACHE:
      good = value[0] != '\0';
      o->cache = value;
      break;
    case LIMIT:
      good = parse_int(value, &o->limit_s);
      break;
    case RESUME:
      o->resume = true;
      break;
    case MAX_BYTES:
      good = env_parse_size(value, &o->max_bytes);
      break;
    case PROCESSES:
      good = strcmp(value, "0") == 0 || parse_int(value, &o->processes);
      if (strcmp(value, "0") == 0) o->processes = 0;
      break;
    case ARCH:
      o->arch = value;
      break;
    case COMMIT:
      o->commit = value;
      break;
    case HELP:
      o->help = true;
      break;
    default:
      return false; /* getopt has said why */
  }
  if (!good) (void)fprintf(stderr, "bench: '%s' makes no sense there; see --help\n", value);
  return good;
}

bool options_parse(int argc, char **argv, options *o) {
  *o = (options){.command = "run", .commit = "unknown", .arch = "sm_90", .samples = 31, .processes = -1};
  note_command_line(o, argc, argv);
  for (int option; (option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1;) {
    if (!take(o, option, optarg)) return false;
  }
  if (optind < argc) o->command = argv[optind++];
  if (optind < argc) {
    (void)fprintf(stderr, "bench: '%s' is one word too many; see --help\n", argv[optind]);
    return false;
  }
  if (o->resume && o->output == NULL) {
    (void)fprintf(stderr, "bench: --resume goes on with a file; give it by --output\n");
    return false;
  }
  if (o->processes == 0 && strcmp(o->command, "cold") == 0) {
    (void)fprintf(stderr, "bench: --processes: cold has no other figures; give 1 or more\n");
    return false;
  }
  o->sizes_given = o->size_count > 0;
  if (o->size_count == 0) default_sizes(o);
  if (o->processes < 0) o->processes = o->quick ? 3 : 11;
  return true;
}

bool options_want(const options *o, size_t f, size_t i) {
  const bench_family *family = bench_families[f];
  char name[CASE_NAME_SIZE];
  case_name(&family->cases[i], name);
  if (o->family != NULL && strcmp(bench_family_names[f], o->family) != 0) return false;
  if (o->shares > 0) {
    /* A family of few cases has one in each share. */
    const size_t shares = family->count < (size_t)o->shares ? family->count : (size_t)o->shares;
    if (i % shares != (size_t)o->share % shares) return false;
  }
  return o->only == NULL || strstr(name, o->only) != NULL;
}
