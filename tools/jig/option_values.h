/* What the short options put into slots: functions of the table in slot_options.c, which says which of
 * them is for which option and slot. Each returns EXIT_OK or a code, having complained. */
#ifndef JIG_CLI_OPTION_VALUES_H
#define JIG_CLI_OPTION_VALUES_H

#include "request.h"

/* A type, or a pointer to such items. */
int put_type(request *r, const slot_schema *slot, int option);

/* An init by value: an iterator over that value, or its type, which the slot knows if it is not told. */
int put_init(request *r, const slot_schema *slot, int option);

/* A choice by its name, or an operator; where there is a choice among operators, it is that, and the slot
 * of an operator is for one of the user's. */
int put_name(request *r, const slot_schema *slot, int option);

/* An operator, or a list. */
int put_body(request *r, const slot_schema *slot, int option);
int put_function(request *r, const slot_schema *slot, int option);
int put_binary(request *r, const slot_schema *slot, int option);

/* What is said of the operator that is there. */
int put_mark(request *r, const slot_schema *slot, int option);
int put_nan(request *r, const slot_schema *slot, int option);

/* A transform around what is there. */
int put_transform(request *r, const slot_schema *slot, int option);

/* Nothing; the choice that has the option's name; true. */
int put_none(request *r, const slot_schema *slot, int option);
int put_choice(request *r, const slot_schema *slot, int option);
int put_flag(request *r, const slot_schema *slot, int option);

#endif
