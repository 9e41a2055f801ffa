/* The device templates: embedded in the library, or read from the folder that $JIG_TEMPLATE_PATH names
 * while they are being worked on. */
#ifndef JIG_JIT_TEMPLATES_H
#define JIG_JIT_TEMPLATES_H

#include <stddef.h>

#include <jig/status.h>

#include "util/digest.h"

typedef struct template_file {
  const char *name; /* as it is included: "jig/core/types.cuh" */
  const char *text; /* NUL-terminated */
  size_t length;
} template_file;

/* Written by tools/embed: names and texts, each with its NUL, one behind the other; where each template's
 * name begins there, and how long its text is; of each text, the digest. */
typedef struct embedded_place {
  unsigned name, length;
} embedded_place;
extern const char embedded_texts[];
extern const embedded_place embedded_places[];
extern const digest embedded_digests[];
extern const size_t embedded_template_count;
extern template_file template_files[]; /* room for what templates_get() makes of them */

/* The templates to compile with, found out once; *count of them, in the order of their names. NULL with
 * the error set if $JIG_TEMPLATE_PATH lacks one. */
const template_file *templates_get(size_t *count);

/* The digest of every template that a program's text includes, directly or not. `files` begins with the
 * templates, in the order of templates_get(). */
digest templates_digest(const template_file *files, size_t count, const char *program);

/* How many bytes of templates a program's text includes. */
size_t templates_size(const template_file *files, size_t count, const char *program);

/* The digest of all these files, names and texts. */
digest files_digest(const template_file *files, size_t count);

#endif
