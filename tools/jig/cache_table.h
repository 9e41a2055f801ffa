/* A cache as people see it: a header, and a row for each program, no longer than the screen. */
#ifndef JIG_CLI_CACHE_TABLE_H
#define JIG_CLI_CACHE_TABLE_H

#include "cache_list.h"

void cache_table_header(void);
void cache_table_row(const cached *entry);

#endif
