#include "archs.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <jig/jig.h>

#include "report.h"

/* Whether jig compiles for it. Asked with the source of a spec that is sound, so that what is wrong is
 * the architecture or the environment. */
static int check(const char *name) {
  const jig_reduce_args sum = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  char *spec = NULL, *source = NULL;
  jig_status status = jig_reduce_spec(&sum, &spec);
  if (status == JIG_SUCCESS) status = jig_source(NULL, spec, name, &source);
  int code = EXIT_OK;
  const char *error = jig_last_error();
  if (status == JIG_ERROR_INVALID_ARGUMENT)
    code = usage_error("%s%s", strncmp(error, "arch: ", strlen("arch: ")) == 0 ? "--" : "", error);
  else if (status != JIG_SUCCESS)
    code = jig_failure(status);
  jig_free(spec);
  jig_free(source);
  return code;
}

static int add(arch_list *list, const char *name) {
  for (int i = 0; i < list->count; ++i) {
    if (strcmp(list->names[i], name) == 0) return EXIT_OK;
  }
  if (list->count == ARCHS_MAX) return usage_error("--arch: more than %d architectures", (int)ARCHS_MAX);
  int code = check(name);
  if (code == EXIT_OK) (void)snprintf(list->names[list->count++], ARCH_NAME_SIZE, "%s", name);
  return code;
}

static int add_devices(arch_list *list, const json_t *info) {
  const json_t *devices = json_object_get(info, "devices"), *device;
  if (json_array_size(devices) == 0) {
    const char *why = json_string_value(json_object_get(json_object_get(info, "driver"), "error"));
    complain("--arch native: there is no GPU here: %s",
             why != NULL ? why : "the CUDA driver shows no device");
    return EXIT_NO_DEVICE;
  }
  size_t i;
  int code = EXIT_OK;
  json_array_foreach(devices, i, device) {
    if (code == EXIT_OK) code = add(list, json_string_value(json_object_get(device, "arch")));
  }
  return code;
}

static int add_native(arch_list *list) {
  char *text = NULL;
  jig_status status = jig_info(NULL, &text);
  if (status != JIG_SUCCESS) return jig_failure(status);
  json_t *info = json_loads(text, 0, NULL);
  int code = add_devices(list, info);
  json_decref(info);
  jig_free(text);
  return code;
}

int archs_parse(const char *text, arch_list *list) {
  list->count = 0;
  if (text == NULL) return usage_error("--arch is missing");
  for (const char *at = text;; ++at) {
    const size_t length = strcspn(at, ",");
    char name[ARCH_NAME_SIZE];
    if (length == 0 || length >= sizeof name) {
      return usage_error("--arch: '%.*s' is no architecture", (int)length, at);
    }
    memcpy(name, at, length);
    name[length] = '\0';
    int code = strcmp(name, "native") == 0 ? add_native(list) : add(list, name);
    at += length;
    if (code != EXIT_OK || *at == '\0') return code;
  }
}
