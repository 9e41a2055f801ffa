/* What stands on the command line for a slot, slot=value:
 *
 *   of a type       f32, opaque(24, 8), a --struct's name
 *   of an iterator  a type: a pointer to such items; or its kind with what it is made of, as listings of
 *                   specs show it: counting(i32), strided(f32), reverse(f32), permutation(f32, i32),
 *                   transform(f32, 'return x * x;') as f64, zip(f32, counting(i32)) as pair; discard,
 *                   constant and such by themselves are of the type that the slot has by default
 *   of an operator  see op_text.h
 *   of a choice     its name
 *   of a flag       true or false
 *
 * and JSON as specs have it. "none" leaves out what may be left out. */
#ifndef JIG_CLI_SLOT_TEXT_H
#define JIG_CLI_SLOT_TEXT_H

#include "spec/spec.h"
#include "text_reader.h"

/* What the slot has in a spec, from the whole text. */
json_t *slot_read(text_reader *r, const slot_schema *slot);

/* A pointer to items of a type, which is taken over; NULL for NULL. */
json_t *pointer_to(json_t *type);

#endif
