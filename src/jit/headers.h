/* The user's headers: what the #includes in operators' sources and structs' definitions stand for.
 *
 * NVRTC takes headers from memory by their exact names. It does not know that a quoted #include within
 * "a/b.h" means "a/c.h" by "c.h"; and what it was not given it opens, by an absolute name or in the
 * process's working directory, behind the back of the key. So jig finds all headers itself and gives
 * NVRTC texts that leave nothing to be found:
 *
 * - In a header, an #include is given the full name of what it stands for, as "a/c.h".
 * - A text of the user's stands within a function or a namespace, so what it includes is included before
 *   all such texts, and blanks take the place of the #include there. So it is with the templates that
 *   one includes that stands by itself.
 * - What stands for nothing becomes an #error, which is one only where the compiler comes to it.
 * - __has_include() of a name that stands there becomes 1 or 0; one by a macro is left to the compiler,
 * as libraries ask by macros of their own.
 *
 * A name stands for one header, wherever it is included: the template of that name, if it begins with
 * "jig/"; else the header in memory; else the file in the first folder that has one. A quoted name within
 * a header is first looked for beside that header. What a name leads to lies within the folders: neither
 * "..", nor an absolute path, nor a link leads anywhere else, so that no operator shows other files. */
#ifndef JIG_JIT_HEADERS_H
#define JIG_JIT_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

#include "jit/header_source.h"
#include "util/text.h"

/* The headers of one program. */
typedef struct header_set {
  const header_source *source;
  char *const *options; /* the user's, for the compiler, of which macros come before headers; or NULL */
  template_file *files; /* all templates, then the headers that were found */
  size_t count, capacity, template_count;
  size_t bytes;                            /* of what was found */
  text include_templates, include_headers; /* lines for the program, which come before the user's texts */
  jig_status status;                       /* the first failure */
} header_set;

jig_status headers_open(header_set *set, const header_source *source, const template_file *templates,
                        size_t template_count);

/* Appends a text of the user's to `out`, its #includes taken out and their headers put into the set.
 * JIG_ERROR_INVALID_ARGUMENT for a file that cannot be read, and for too many. */
jig_status headers_add(header_set *set, const char *source, text *out);

/* The same of a text that is a file of its own: headers are included where it includes them, templates
 * before all texts. */
jig_status headers_add_file(header_set *set, const char *source, text *out);

/* Appends what includes them before all texts, and what refuses macros that must not stay. */
void headers_include(const header_set *set, text *out);

/* Whether any header that was found contains this. */
bool headers_mention(const header_set *set, const char *part);

void headers_close(header_set *set);

#endif
