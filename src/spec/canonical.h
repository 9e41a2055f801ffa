/* Specs as text: compact JSON with sorted keys, the same bytes for the same spec.
 *
 *   spec     = {"algorithm": "reduce", "<slot>": ..., ...}     slots left out are left out
 *   choice   = the name of what was chosen
 *   flag     = true                                            left out is false
 *   type     = "f32" | {"align": n, "definition": "...", "name": "...", "size": n}
 *            | {"align": n, "kind": "opaque", "size": n}
 *   iterator = {"kind": "pointer" | ..., "type": type}            and, where its kind has them,
 *              "op": operator, and "base": iterator or, of several, "bases": [iterator, ...]
 *   operator = "plus" | ...                                     well-known
 *            | {"kind": "min" | "max", "nan": "ignore"}
 *            | {"kind": "source", "source": "..."}
 *            | {"kind": "function", "name": "...", "source": "..."}
 *            | {"data": "<base64>", "format": "lto_ir" | ..., "kind": "binary", "name": "..."}
 *              and, where it has them, "by_pointer": true, "commutative": true, "device_state": true,
 *              "state": type
 *   kernel   = {"entry": "...", "source": "..."} and, where it has them, "source_name": "...",
 *              "max_threads": n, "min_blocks": n, "texts": [{"name": "...", "text": "..."}, ...],
 *              "definitions": [{"name": "...", "kind": "text", "text": "..."}
 *                | {"name": "...", "kind": "integer", "type": "i64" | "u64", "value": n}
 *                | {"name": "...", "kind": "float", "type": "f32" | "f64", "value": "0x1.8...p0"}
 *                | {"name": "...", "kind": "type", "type": type}
 *                | {"name": "...", "kind": "op", "arity": n, "op": operator, "type": type,
 *                   "result": type}, ...]
 *
 * What a compiled operator consists of may be long, and so may a kernel's texts. In what only has to tell
 * specs apart, or is read by people, "digest", their SHA-256, stands in the place of "data", and of
 * "source" and "texts".
 */
#ifndef JIG_SPEC_CANONICAL_H
#define JIG_SPEC_CANONICAL_H

#include <jansson.h>

#include "spec/spec.h"

typedef enum spec_form {
  SPEC_WHOLE,  /* can be read again */
  SPEC_DIGESTS /* digests of compiled operators and kernels' texts */
} spec_form;

/* A new reference, or NULL when out of memory. */
json_t *spec_to_json(const spec *s, spec_form form);

/* The same of a type. */
json_t *type_to_json(const jig_type *type);

/* The canonical text of any JSON, to be free()d with jig_free(); NULL when out of memory. */
char *canonical_text(const json_t *json);

/* Why that was NULL, errno having been 0 before: JIG_ERROR_OUT_OF_MEMORY; or JIG_ERROR_INVALID_ARGUMENT,
 * of `what` it is made of. */
jig_status canonical_error(const char *what);

/* Checks a spec and writes its whole canonical text, malloc'ed; `who` is what errors begin with. */
jig_status spec_write(const spec *s, const char *who, char **text);

/* A spec read from text, with all that it points to; must stay where it was read. */
typedef struct parsed_spec {
  spec s;
  json_t *root;                   /* owns the strings */
  jig_type types[SPEC_MAX_SLOTS]; /* of slots, by their numbers, like ops */
  jig_iter iters[ITER_MAX_COUNT];
  jig_op ops[SPEC_MAX_SLOTS];
  unsigned iter_count;
  unsigned char *data[ITER_MAX_COUNT + SPEC_MAX_SLOTS]; /* of compiled operators, malloc'ed */
  unsigned data_count;
  jig_kernel_config kernel; /* its texts and definitions malloc'ed */
} parsed_spec;

/* Which schema an algorithm's name stands for; NULL if none. */
typedef const spec_schema *(*schema_lookup)(const char *algorithm);

/* Reads and checks a spec. On success *parsed is the caller's to free with parsed_spec_free(); otherwise
 * JIG_ERROR_INVALID_ARGUMENT says where the text is wrong, and there is nothing to free. */
jig_status spec_parse(const char *text, schema_lookup find_schema, parsed_spec *parsed);

/* A step of that: reads what is in slot number i, and no more. */
jig_status spec_read_slot(const json_t *json, int i, parsed_spec *parsed);

void parsed_spec_free(parsed_spec *parsed);

#endif
