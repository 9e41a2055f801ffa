/* The help of commands that take an algorithm and what is in its slots. */
#ifndef JIG_CLI_SLOT_HELP_H
#define JIG_CLI_SLOT_HELP_H

#include "command.h"

/* A command's `help`: of the first operand, if that is an algorithm, its slots and the options that it
 * has; without one, or of a file, what the command does, and the algorithms. */
int slot_help(const command *self, const operand_list *operands);

#endif
