/* Where an engine looks for the user's headers, and what they are called. */
#ifndef JIG_JIT_HEADER_SOURCE_H
#define JIG_JIT_HEADER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/engine.h>

#include "jit/templates.h"

enum { HEADER_NAME_SIZE = 1024, HEADER_MOST_BYTES = 64 << 20 };

/* All zero: nowhere. */
typedef struct header_source {
  template_file *given; /* in memory, by full name */
  size_t given_count;
  char **folders; /* ends with NULL */
} header_source;

/* Copies what a config says, or $JIG_INCLUDE_PATH; JIG_ERROR_INVALID_ARGUMENT names the field. The source
 * is the caller's to close in any case. */
jig_status header_source_open(header_source *source, const jig_engine_config *config);
void header_source_close(header_source *source);

/* Reads the header of a full name: the one in memory, else the file in the first folder that has one.
 * *content, malloc'ed, is NULL if there is none. JIG_ERROR_INVALID_ARGUMENT if a file cannot be read, or
 * is a link to what no folder has: neither names nor links lead out of the folders. */
jig_status header_source_read(const header_source *source, const char *name, char **content,
                              size_t *length);

/* The full name of what is called `name` in the folder of the header `includer`, which may be "": without
 * "." and "..". False for what is absolute, leads out by "..", is no file's name, not plain or too long.
 */
bool header_full_name(const char *includer, const char *name, size_t length, char full[HEADER_NAME_SIZE]);

/* Whether a name can stand in any #include and in messages. */
bool header_name_is_plain(const char *name, size_t length);

/* Whether a full name is a template's, be there such a template or not. */
bool header_is_template(const char *name);

/* Frees the name and the text, if they were malloc'ed. */
void header_file_free(const template_file *file);

#endif
