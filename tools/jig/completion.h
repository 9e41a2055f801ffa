/* Scripts that complete jig's command lines in shells, made of the same tables that the help is. */
#ifndef JIG_CLI_COMPLETION_H
#define JIG_CLI_COMPLETION_H

#include "command.h"

/* Each prints the script on standard output. */
void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);

#endif
