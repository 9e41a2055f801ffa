/* Parts of specs as JSON, for what reads and writes larger ones. Every reader gets the name of what it
 * reads, for the error: JIG_ERROR_INVALID_ARGUMENT. */
#ifndef JIG_SPEC_CANONICAL_PARTS_H
#define JIG_SPEC_CANONICAL_PARTS_H

#include "spec/canonical.h"

jig_status json_wrong(const char *what, const char *problem);

/* Whether an object has no member but those named; `names` ends with NULL. */
jig_status json_only_members(const json_t *object, const char *const *names, const char *what);

json_t *op_to_json(const jig_op *op, bool ignore_nan, spec_form form);
jig_status json_read_type(const json_t *json, const char *what, jig_type *type);
jig_status json_read_op(const json_t *json, const char *what, parsed_spec *parsed, jig_op *op,
                        bool *ignore_nan);

/* Of a kernel of the user's own. It is read into parsed->kernel. */
json_t *own_kernel_to_json(const jig_kernel_config *k, spec_form form);
jig_status own_kernel_read(const json_t *json, const char *what, parsed_spec *parsed);

#endif
