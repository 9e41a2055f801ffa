/* The options that say how programs are built: folders of headers, options for the compiler. */
#ifndef JIG_CLI_BUILD_OPTIONS_H
#define JIG_CLI_BUILD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/jig.h>

#include "options.h"

enum { BUILD_OPTIONS_MAX = 64 }; /* of each kind */

typedef struct build_options {
  const char *folders[BUILD_OPTIONS_MAX], *options[BUILD_OPTIONS_MAX];
  size_t folder_count, option_count;
} build_options;

extern const option_row build_option_rows[];

/* Takes an option if it is one of these; else *mine is false. EXIT_OK or EXIT_USAGE, having complained.
 */
int build_options_take(build_options *o, int id, const char *value, bool *mine);

/* An engine with them, beside what the config says already. EXIT_OK or, having complained, a code. */
int build_options_engine(const build_options *o, jig_engine_config config, jig_engine **engine);

#endif
