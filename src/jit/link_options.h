/* What a user's compile options mean to the linker, which finishes what the compiler has begun. */
#ifndef JIG_JIT_LINK_OPTIONS_H
#define JIG_JIT_LINK_OPTIONS_H

#include <stddef.h>

/* nvJitLink's options for NVRTC's: malloc'ed, as are the strings; ends with NULL. Options that say
 * nothing to it are left out. NULL when out of memory. `options` may be NULL and ends with NULL. */
char **link_options(char *const *options);
void link_options_free(char **list);

#endif
