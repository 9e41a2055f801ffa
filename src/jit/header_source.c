#include "jit/header_source.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/layout.h"
#include "util/env.h"
#include "util/error.h"
#include "util/strings.h"
#include "util/text_file.h"

/* ---- names */

bool header_is_template(const char *name) {
  return strncmp(name, "jig/", strlen("jig/")) == 0;
}

/* Appends a part of a name, or takes the last one back for ".."; false if there is none. */
static bool add_part(char *name, const char *part) {
  char *slash = strrchr(name, '/');
  const bool is_empty = *name == '\0';
  if (strcmp(part, ".") == 0) return true;
  if (strcmp(part, "..") == 0) {
    *(slash != NULL ? slash : name) = '\0';
    return !is_empty;
  }
  if (!is_empty) (void)strcat(name, "/");
  (void)strcat(name, part);
  return true;
}

bool header_name_is_plain(const char *name, size_t length) {
  size_t i = 0;
  while (i < length && (unsigned char)name[i] >= ' ' && strchr("\"<>\\", name[i]) == NULL) ++i;
  return i == length && length > 0;
}

bool header_full_name(const char *includer, const char *name, size_t length,
                      char full[HEADER_NAME_SIZE]) {
  const char *slash = strrchr(includer, '/');
  const size_t folder = slash != NULL ? (size_t)(slash + 1 - includer) : 0;
  char parts[HEADER_NAME_SIZE], *rest = parts;
  if (!header_name_is_plain(name, length) || name[0] == '/' || name[length - 1] == '/') return false;
  if (folder >= HEADER_NAME_SIZE || length >= HEADER_NAME_SIZE - folder) return false;
  memcpy(parts, includer, folder);
  memcpy(parts + folder, name, length);
  parts[folder + length] = '\0';
  full[0] = '\0';
  for (char *part; (part = strsep(&rest, "/")) != NULL;) {
    if (*part != '\0' && !add_part(full, part)) return false;
  }
  return full[0] != '\0';
}

/* ---- where an engine looks */

static jig_status refuse_header(size_t i, const char *why) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "config->headers[%zu]: %s", i, why);
}

static jig_status check_header(const header_source *source, size_t i, const jig_header *header,
                               char full[HEADER_NAME_SIZE]) {
  if (header->name == NULL || header->text == NULL) return refuse_header(i, "name or text is NULL");
  if (header->name[0] == '/') return refuse_header(i, "the name is an absolute path");
  if (!header_full_name("", header->name, strlen(header->name), full))
    return refuse_header(i, "the name is none that an #include can have");
  if (header_is_template(full)) return refuse_header(i, "names that begin with 'jig/' are jig's own");
  for (size_t k = 0; k < source->given_count; ++k) {
    if (strcmp(source->given[k].name, full) == 0) return refuse_header(i, "the name is given twice");
  }
  return JIG_SUCCESS;
}

static jig_status take_headers(header_source *source, const jig_header *headers, size_t count) {
  if (count == 0) return JIG_SUCCESS;
  if (headers == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "config->headers: the pointer is NULL");
  source->given = calloc(count, sizeof *source->given);
  if (source->given == NULL) return error_memory("headers");
  for (size_t i = 0; i < count; ++i) {
    char name[HEADER_NAME_SIZE];
    jig_status status = layout_check(LAYOUT(jig_header), &headers[i], "config", "headers");
    if (status == JIG_SUCCESS) status = check_header(source, i, &headers[i], name);
    if (status != JIG_SUCCESS) return status;
    template_file *copy = &source->given[source->given_count++];
    *copy = (template_file){strdup(name), strdup(headers[i].text), strlen(headers[i].text)};
    if (copy->name == NULL || copy->text == NULL) return error_memory("headers");
  }
  return JIG_SUCCESS;
}

static jig_status folder_error(const char *what, const char *path, int error) {
  char buffer[256];
  if (error == ENOMEM) return error_memory("headers");
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %s", what, path,
                   strerror_r(error, buffer, sizeof buffer));
}

static jig_status take_folders(header_source *source, const char *path) {
  const char *what = path != NULL ? "config->include_path" : "$JIG_INCLUDE_PATH";
  if (path == NULL) path = env_get("JIG_INCLUDE_PATH");
  source->folders = strings_split(path != NULL ? path : "", ":");
  if (source->folders == NULL) return error_memory("the include path");
  for (char **folder = source->folders; *folder != NULL; ++folder) {
    DIR *opened = opendir(*folder);
    if (opened == NULL) return folder_error(what, *folder, errno);
    (void)closedir(opened);
  }
  return JIG_SUCCESS;
}

jig_status header_source_open(header_source *source, const jig_engine_config *config) {
  *source = (header_source){0};
  jig_status status = take_headers(source, config->headers, config->header_count);
  return status == JIG_SUCCESS ? take_folders(source, config->include_path) : status;
}

void header_file_free(const template_file *file) {
  free((char *)(uintptr_t)file->name);
  free((char *)(uintptr_t)file->text);
}

void header_source_close(header_source *source) {
  for (size_t i = 0; i < source->given_count; ++i) header_file_free(&source->given[i]);
  free(source->given);
  strings_free(source->folders);
}

/* ---- reading */

/* Whether a path without links and dots is below a folder, whose path may have them. */
static bool lies_within(const char *real, const char *folder) {
  char real_folder[PATH_MAX];
  if (realpath(folder, real_folder) == NULL) return false;
  const size_t length = strcmp(real_folder, "/") == 0 ? 0 : strlen(real_folder);
  return strncmp(real, real_folder, length) == 0 && real[length] == '/';
}

static jig_status refuse_link(const char *path, const char *real) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "#include: %s is a link to %s, which is in no folder of the include path", path, real);
}

/* Reads the file that a path leads to, which has to be in one of the folders; *content is NULL if there
 * is no file. */
static jig_status read_file(const header_source *source, const char *path, char **content,
                            size_t *length) {
  char real[PATH_MAX];
  int error = realpath(path, real) == NULL ? errno : 0;
  if (error == 0) {
    char **folder = source->folders;
    while (*folder != NULL && !lies_within(real, *folder)) ++folder;
    if (*folder == NULL) return refuse_link(path, real);
    error = text_file_read(real, HEADER_MOST_BYTES, content, length);
  }
  if (error == ENOENT || error == ENOTDIR || error == EISDIR) return JIG_SUCCESS;
  if (error != 0) return folder_error("#include", path, error);
  if (strlen(*content) == *length) return JIG_SUCCESS;
  free(*content);
  *content = NULL;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "#include: %s is no text", path);
}

/* What the first folder has that has a file of that name. */
static jig_status read_in_folders(const header_source *source, const char *name, char **content,
                                  size_t *length) {
  jig_status status = JIG_SUCCESS;
  for (char **folder = source->folders; folder != NULL && *folder != NULL; ++folder) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", *folder, name) >= (int)sizeof path) continue;
    status = read_file(source, path, content, length);
    if (status != JIG_SUCCESS || *content != NULL) break;
  }
  return status;
}

jig_status header_source_read(const header_source *source, const char *name, char **content,
                              size_t *length) {
  *content = NULL;
  for (size_t i = 0; i < source->given_count; ++i) {
    const template_file *given = &source->given[i];
    if (strcmp(given->name, name) != 0) continue;
    *content = strdup(given->text);
    *length = given->length;
    return *content != NULL ? JIG_SUCCESS : error_memory("headers");
  }
  return read_in_folders(source, name, content, length);
}
