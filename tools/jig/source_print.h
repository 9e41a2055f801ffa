/* jig source: what would be compiled, on standard output. */
#ifndef JIG_CLI_SOURCE_PRINT_H
#define JIG_CLI_SOURCE_PRINT_H

#include "build_options.h"

/* Of a spec's text. EXIT_OK or, having complained, a code. */
int source_print(const build_options *build, const char *spec_text, const char *arch);

#endif
