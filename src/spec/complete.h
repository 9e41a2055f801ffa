/* Specs that people write: slots may be left out where a call would know what to put there.
 *
 * What is left out, and what a type is that is not said, is found in the schema: `like`, `usually` and
 * `follows` of its slots, and its `complete`. */
#ifndef JIG_SPEC_COMPLETE_H
#define JIG_SPEC_COMPLETE_H

#include "spec/canonical.h"

/* Reads, completes and checks a spec that is an object as canonical.h has it, but that
 *
 * - slots may be left out; null leaves out an optional one that would be there otherwise,
 * - an iterator may be without its type, and a type may be true: it is the slot's default.
 *
 * `draft` is taken over. On success *parsed is the caller's to free with parsed_spec_free(); otherwise
 * JIG_ERROR_INVALID_ARGUMENT or JIG_ERROR_UNSUPPORTED says what is wrong, and there is nothing to free.
 */
jig_status spec_complete(json_t *draft, const spec_schema *schema, parsed_spec *parsed);

/* The slot of that name, or that had it once, by its number; -1 if there is none. */
int schema_slot(const spec_schema *schema, const char *name);

/* JIG_ERROR_INVALID_ARGUMENT: there is no slot of that name, but others. */
jig_status schema_refuse(const spec_schema *schema, const char *name);

/* For a schema's `complete`: the slot of that name; and what is in there, to be changed: a type, which is
 * in the slot from then on, and the iterator that is there. */
spec_slot *parsed_slot(parsed_spec *p, const char *name);
jig_type *parsed_type(parsed_spec *p, const char *name);
jig_iter *parsed_iter(parsed_spec *p, const char *name);

#endif
