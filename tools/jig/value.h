/* Values of jig's types as text: what --init takes and what jig run prints. */
#ifndef JIG_CLI_VALUE_H
#define JIG_CLI_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include <jig/jig.h>

enum { VALUE_MAX_SIZE = 256 };

/* Reads a value of `type` into type->size bytes: whole numbers in decimal or 0x hex, floating-point ones
 * as C writes them (inf and nan included), true or false, and for a struct its bytes in hex, the one with
 * the lowest address first. False if the text is anything else or out of range. */
bool value_parse(const char *text, const jig_type *type, void *bytes);

/* A text that value_parse() reads back as the same bytes (NaNs aside: all are "nan"), with as few digits
 * as that takes, whole numbers below 1e15 in full; for a struct "<bytes in hex>" and then, if its
 * definition is simple, " {d=1.5, id=7}". */
void value_print(FILE *out, const jig_type *type, const void *bytes);

/* The same as JSON: a number where JSON has it in full, else a string; a struct is an object with "bytes"
 * and, if its definition is simple, "fields". */
json_t *value_json(const jig_type *type, const void *bytes);

#endif
