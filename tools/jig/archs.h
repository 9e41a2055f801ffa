/* Lists of architectures as --arch takes them: "sm_80,sm_90,native". */
#ifndef JIG_CLI_ARCHS_H
#define JIG_CLI_ARCHS_H

#include "options.h"

enum { ARCHS_MAX = 64, ARCH_NAME_SIZE = 24 };

typedef struct arch_list {
  char names[ARCHS_MAX][ARCH_NAME_SIZE];
  int count;
} arch_list;

#define ARCH_OPTION 'a'

/* Each one once, in the order given; "native" is that of every GPU here. EXIT_OK, or a code having
 * complained: EXIT_USAGE for what jig does not know or if text is NULL, EXIT_NO_DEVICE if there is no
 * GPU. */
int archs_parse(const char *text, arch_list *list);

#endif
