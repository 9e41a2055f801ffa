/* What `jig ... kernel` takes: a file with a kernel of the user's own, and what it goes by. */
#ifndef JIG_CLI_KERNEL_OPTIONS_H
#define JIG_CLI_KERNEL_OPTIONS_H

#include "build_options.h"
#include "command.h"
#include "spec/canonical.h"
#include "text_reader.h"

enum { KERNEL_MAX_DEFINITIONS = 64, KERNEL_MAX_TEXTS = 16 };

typedef struct kernel_definition {
  int option;
  char *text;
} kernel_definition;

typedef struct kernel_options {
  char *entry;
  char *structs[MAX_STRUCTS], *texts[KERNEL_MAX_TEXTS];
  kernel_definition definitions[KERNEL_MAX_DEFINITIONS];
  int struct_count, text_count, definition_count;
  uint64_t max_threads, min_blocks;
  build_options build;
} kernel_options;

extern const option_row kernel_option_rows[];

/* Takes an option if it is one of these, or one that says how programs are built; else *mine is false.
 * EXIT_OK or a code, having complained. */
int kernel_options_take(kernel_options *o, int id, char *value, bool *mine);

/* The spec of the kernel in a file, malloc'ed. Headers beside a file that includes some in quotes are
 * found; o->build then says so. The same codes. */
int kernel_options_spec(kernel_options *o, const char *file, char **spec);

#endif
