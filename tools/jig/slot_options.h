/* What the short options say of slots: --type of those whose schema has the option "type", and so on. */
#ifndef JIG_CLI_SLOT_OPTIONS_H
#define JIG_CLI_SLOT_OPTIONS_H

#include "request.h"

/* Whether an option says anything of a slot, and of any of an algorithm's. */
bool slot_option_fits(int option, const slot_schema *slot);
bool schema_has_option(const spec_schema *schema, int option);

/* Whether it has a slot that is a choice among operators, beside one that may be for an operator. */
bool schema_has_choice_of_operators(const spec_schema *schema);

/* Whether an algorithm has all options that are given, and these go together: EXIT_OK or EXIT_USAGE,
 * having complained. */
int slot_options_check(const spec_schema *schema, const spec_options *o);

/* Puts what options say into the request's draft. EXIT_OK or a code, having complained. */
int slot_options_put(request *r);

#endif
