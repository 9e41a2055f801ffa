/* jig info: what jig found on this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <jig/jig.h>

#include "command.h"

enum { LABEL_WIDTH = 12, LINE_WIDTH = 100 };

/* A line with a label, words wrapped below each other. */
static void print_row(const char *label, const char *text) {
  int column = printf("%-*s", LABEL_WIDTH, label);
  for (const char *word = text; *word != '\0'; word += strspn(word, " ")) {
    const int length = (int)strcspn(word, " ");
    if (column > LABEL_WIDTH && column + 1 + length > LINE_WIDTH)
      column = printf("\n%*s", LABEL_WIDTH, "") - 1;
    if (column > LABEL_WIDTH) column += printf(" ");
    column += printf("%.*s", length, word);
    word += length;
  }
  printf("\n");
}

static const char *member(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text != NULL ? text : "";
}

/* A library: "NVRTC 13.0, /usr/.../libnvrtc.so", or why there is none. */
static void print_library(const char *label, const char *what, const json_t *library) {
  char text[4096];
  if (member(library, "error")[0] != '\0')
    (void)snprintf(text, sizeof text, "none: %s", member(library, "error"));
  else
    (void)snprintf(text, sizeof text, "%s %s, %s", what, member(library, "version"),
                   member(library, "library"));
  print_row(label, text);
}

static void print_architectures(const json_t *compiler) {
  char *text = NULL;
  size_t size = 0, i;
  const json_t *architectures = json_object_get(compiler, "architectures"), *name;
  FILE *line = json_array_size(architectures) > 0 ? open_memstream(&text, &size) : NULL;
  if (line == NULL) return;
  json_array_foreach(architectures, i, name)
      fprintf(line, "%s%s", i > 0 ? " " : "", json_string_value(name));
  if (fclose(line) == 0) print_row("", text);
  free(text);
}

static void print_devices(const json_t *devices) {
  size_t i;
  const json_t *device;
  if (json_array_size(devices) == 0) print_row("GPU", "none");
  json_array_foreach(devices, i, device) {
    char label[32], text[512];
    (void)snprintf(label, sizeof label, "GPU %zu", i);
    (void)snprintf(text, sizeof text, "%s, %s, %" JSON_INTEGER_FORMAT " multiprocessors",
                   member(device, "name"), member(device, "arch"),
                   json_integer_value(json_object_get(device, "multiprocessors")));
    print_row(label, text);
  }
}

static void print_cache(const json_t *cache) {
  size_t i;
  const json_t *layers = json_object_get(cache, "layers"), *layer;
  const char *directory = member(cache, "directory"), *warning = member(cache, "warning");
  print_row("cache", directory[0] != '\0' ? directory : "none");
  json_array_foreach(layers, i, layer) print_row("  read-only", json_string_value(layer));
  if (warning[0] != '\0') print_row("  warning", warning);
}

static void print_info(const json_t *info) {
  print_row("jig", member(info, "version"));
  print_library("driver", "CUDA", json_object_get(info, "driver"));
  print_devices(json_object_get(info, "devices"));
  print_library("compiler", "NVRTC", json_object_get(info, "compiler"));
  print_architectures(json_object_get(info, "compiler"));
  print_library("linker", "nvJitLink", json_object_get(info, "linker"));
  print_cache(json_object_get(info, "cache"));
}

static int show(bool as_json) {
  char *text = NULL;
  jig_status status = jig_info(NULL, &text);
  if (status != JIG_SUCCESS) return jig_failure(status);
  if (as_json) {
    printf("%s\n", text);
  } else {
    json_t *info = json_loads(text, 0, NULL);
    print_info(info);
    json_decref(info);
  }
  jig_free(text);
  return EXIT_OK;
}

static int take(void *user, int id, char *value) {
  (void)id; /* --json is all there is */
  (void)value;
  *(bool *)user = true;
  return EXIT_OK;
}

static int run(const command *self, int argc, char **argv) {
  bool as_json = false;
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, take, &as_json, &operands, &code)) return code;
  code = operands_at_most(&operands, 0);
  return code == EXIT_OK ? show(as_json) : code;
}

static const option_row rows[] = {OPTION_JSON_ROW, OPTION_END_ROW};

const command info_command = {
    .name = "jig info",
    .summary = "Shows the driver, GPUs, compiler and cache that jig finds on this machine.",
    .usage = "[--json]",
    .groups = {{"options", rows}},
    .run = run,
};
