/* What compiled operators come in. */
#ifndef JIG_SPEC_FORMAT_H
#define JIG_SPEC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/operator.h>

/* The name of a format; NULL if there is no such format. And the other way round. */
const char *format_name(jig_format format);
jig_format format_from_name(const char *name);

/* What data is, by how it begins; JIG_FORMAT_NONE if it is nothing that jig knows. */
jig_format format_of(const void *data, size_t size);

/* Whether all is there that data of that format says it consists of, as far as it does. nvJitLink takes
 * its word for it. */
bool format_is_whole(jig_format format, const void *data, size_t size);

#endif
