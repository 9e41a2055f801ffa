/* Types on the command line: "f32", "opaque(24, 8)", what --struct defines, and JSON as specs have it. */
#ifndef JIG_CLI_TYPE_TEXT_H
#define JIG_CLI_TYPE_TEXT_H

#include "text_reader.h"

/* Adds a --struct, NAME:SIZE:ALIGN:definition, whose text it cuts into its parts. EXIT_OK or EXIT_USAGE,
 * having complained. */
int struct_table_add(struct_table *structs, char *text);

json_t *type_read(text_reader *r);

#endif
