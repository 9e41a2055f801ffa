/* jig info: what jig found on this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <jig/jig.h>

#include "cache_size.h"
#include "command.h"
#include "driver/driver.h"
#include "engine/environment.h"
#include "screen.h"

enum { LABEL_WIDTH = 12 };

/* A line with a label, words wrapped below each other. */
static void print_row(const char *label, const char *text) {
  screen_wrap(printf("%-*s", LABEL_WIDTH, label), text);
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

/* ", 79.1 GiB", or nothing where the driver does not say. */
static const char *memory_of(int device, char text[BYTES_TEXT_SIZE + 2]) {
  const driver *cuda = driver_get();
  CUdevice handle;
  size_t bytes;
  char size[BYTES_TEXT_SIZE];
  text[0] = '\0';
  if (cuda == NULL || cuda->cuDeviceTotalMem == NULL ||
      cuda->cuDeviceGet(&handle, device) != CUDA_SUCCESS)
    return text;
  if (cuda->cuDeviceTotalMem(&bytes, handle) == CUDA_SUCCESS)
    (void)snprintf(text, BYTES_TEXT_SIZE + 2, ", %s", bytes_text((double)bytes, size));
  return text;
}

static void print_devices(const json_t *devices) {
  size_t i;
  const json_t *device;
  if (json_array_size(devices) == 0) print_row("GPU", "none");
  json_array_foreach(devices, i, device) {
    char label[32], text[512], memory[BYTES_TEXT_SIZE + 2];
    (void)snprintf(label, sizeof label, "GPU %zu", i);
    (void)snprintf(text, sizeof text, "%s, %s, %" JSON_INTEGER_FORMAT " multiprocessors%s",
                   member(device, "name"), member(device, "arch"),
                   json_integer_value(json_object_get(device, "multiprocessors")),
                   memory_of((int)i, memory));
    print_row(label, text);
  }
}

/* ---- caches: each directory, what is in there, and whether it is used */

/* What an engine says that has this directory and no other; "" if nothing is wrong with it. */
static void find_fault(const char *directory, bool is_users, char fault[512]) {
  const jig_engine_config config = {.cache_dir = is_users ? directory : "",
                                    .cache_path = is_users ? "" : directory};
  jig_engine *engine = NULL;
  char *text = NULL;
  fault[0] = '\0';
  if (jig_engine_create(&engine, &config) != JIG_SUCCESS) return;
  if (jig_info(engine, &text) == JIG_SUCCESS) {
    json_t *info = json_loads(text, 0, NULL);
    (void)snprintf(fault, 512, "%s", member(json_object_get(info, "cache"), "warning"));
    json_decref(info);
  }
  jig_free(text);
  jig_engine_destroy(engine);
}

/* `shown` is how it is written in UTF-8. */
static void print_directory(const char *label, const char *shown, const char *directory, bool is_users) {
  char text[4096 + 128], size[BYTES_TEXT_SIZE], limit[BYTES_TEXT_SIZE], fault[512];
  const cache_size sum = cache_size_of(directory);
  const uint64_t most = environment_cache_max_size();
  int end = snprintf(text, sizeof text, "%.4000s: ", shown);
  if (access(directory, F_OK) != 0)
    end += snprintf(text + end, sizeof text - (size_t)end, "%s", is_users ? "not made yet" : "not there");
  else
    end += snprintf(text + end, sizeof text - (size_t)end, "%" PRIu64 " program%s, %s", sum.entries,
                    plural(sum.entries), bytes_text((double)sum.bytes, size));
  if (is_users && most > 0)
    (void)snprintf(text + end, sizeof text - (size_t)end, "; at most %s",
                   bytes_text((double)most, limit));
  print_row(label, text);
  find_fault(directory, is_users, fault);
  if (fault[0] != '\0') print_row("  warning", fault);
}

static void print_cache(const json_t *cache) {
  size_t i;
  const json_t *layers = json_object_get(cache, "layers"), *layer;
  const char *directory = member(cache, "directory");
  if (directory[0] != '\0')
    print_directory("cache", directory, jig_cache_path(NULL), true);
  else
    print_row("cache", "none: set JIG_CACHE_DIR, or HOME");
  json_array_foreach(layers, i, layer)
      print_directory("  read-only", json_string_value(layer), json_string_value(layer), false);
}

/* ---- all of it */

/* What it comes to, as far as that can be told without trying; jig doctor tries. */
static const char *verdict(const json_t *info) {
  const bool compiles = member(json_object_get(info, "compiler"), "error")[0] == '\0';
  const bool launches = json_array_size(json_object_get(info, "devices")) > 0;
  if (compiles && launches) return "compiles and launches programs here";
  if (compiles) return "compiles programs here, and has no GPU to launch them: see jig doctor";
  return launches ? "launches what its caches have, and has no compiler: see jig doctor"
                  : "neither a compiler nor a GPU: see jig doctor";
}

static void print_info(const json_t *info) {
  char text[256];
  (void)snprintf(text, sizeof text, "%s: %s", member(info, "version"), verdict(info));
  print_row("jig", text);
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
    .examples =
        "jig info\n"
        "jig info --json\n",
    .run = run,
};
