/* What the command line asks for: the spec of one program. It is told slot by slot, as slot=value, or by
 * options, each of which fills the slots whose schema names it. Nothing here knows an algorithm. */
#ifndef JIG_CLI_REQUEST_H
#define JIG_CLI_REQUEST_H

#include <stdbool.h>

#include <jig/jig.h>

#include "leaves.h"
#include "options.h"
#include "spec/complete.h"
#include "text_reader.h"

/* Options come in any order, so their texts are kept first and looked at together, in this order. */
enum {
  SPEC_TYPE,
  SPEC_OUT_TYPE,
  SPEC_ACCUM,
  SPEC_INIT,
  SPEC_INIT_TYPE,
  SPEC_OP,
  SPEC_OP_SOURCE,
  SPEC_OP_FUNCTION,
  SPEC_OP_BINARY,
  SPEC_BY_POINTER,
  SPEC_COMMUTATIVE,
  SPEC_NAN,
  SPEC_KEY_TYPE, /* while the items' type is what --type says */
  SPEC_TRANSFORM,
  SPEC_TRANSFORM_TYPE,
  SPEC_NO_VALUE,
  SPEC_INDEX_TYPE,
  SPEC_EXCLUSIVE,
  SPEC_FLAGS,
  SPEC_VALUES,
  SPEC_SECOND_OP_SOURCE,
  SPEC_COUNT_TYPE,
  SPEC_EQUALITY,
  SPEC_DECOMPOSER,
  SPEC_SORTED,
  SPEC_STRUCT,
  SPEC_OPTIONS
};

enum { MAX_SLOT_TEXTS = 2 * SPEC_MAX_SLOTS };

typedef struct spec_options {
  char *text[SPEC_OPTIONS];   /* "" for a flag; NULL: not given. The last --struct, of several */
  char *structs[MAX_STRUCTS]; /* every --struct. Resolving them cuts these texts into their parts */
  int struct_count;
  const char *slots[MAX_SLOT_TEXTS]; /* slot=value, or a flag by itself */
  int slot_count;
} spec_options;

/* The table of all of them but --init, which is a flag in some commands and has a value in others: those
 * add one of these rows to a table of their own. */
extern const option_row spec_option_rows[];
#define SPEC_GROUP_TITLE "what to compile"
#define SPEC_INIT_FLAG_ROW \
  { OPTION_OF_SPEC + SPEC_INIT, "init", NULL, "the call has an init, whatever its value" }
#define SPEC_INIT_VALUE_ROW                                                        \
  {                                                                                \
    OPTION_OF_SPEC + SPEC_INIT, "init", "VALUE",                                   \
        "folded in first: a number, true or false; for a struct its bytes\nin hex" \
  }

/* "type": an option without its dashes. */
const char *spec_option_name(int option);

/* Takes an option if it is a spec option; else *mine is false. EXIT_OK or EXIT_USAGE, having complained.
 */
int spec_options_take(spec_options *o, int id, char *value, bool *mine);

/* Takes what comes after the algorithm. The same. */
int spec_options_take_slots(spec_options *o, const operand_list *operands);

/* The first spec option that is given, such as "--type"; NULL: none is. */
const char *spec_options_first(const spec_options *o);

/* What jig run has beside a spec. `put` puts into the draft what it knows of slots, before options do. */
typedef struct request request;
typedef struct request_files {
  leaf_list leaves;
  int (*put)(request *r, void *user);
  void *user;
} request_files;

struct request {
  const spec_schema *schema;
  const spec_options *options;
  struct_table structs;
  json_t *draft; /* what was told of the spec */
  bool is_read;
  parsed_spec spec;     /* the spec, once it is read */
  request_files *files; /* NULL: nothing is to be read */
  leaf_range leaves[SPEC_MAX_SLOTS];
};

/* Finds out what the options stand for. The request borrows from the options and the files, which may be
 * NULL. Returns EXIT_OK or a code, having complained; request_free() in any case. */
int request_resolve(request *r, const spec_schema *schema, spec_options *o, request_files *files);
void request_free(request *r);

/* Puts into a slot what was told of it by `label`, which is taken over. Complains if it was told before.
 */
int request_put(request *r, const slot_schema *slot, const char *label, json_t *json);

/* The same of a text, as slot=value has it. */
int request_put_text(request *r, const slot_schema *slot, const char *label, const char *text);

/* Gives a slot a pointer to items of that type instead of what it has, and completes the spec anew. The
 * same codes.
 */
int request_point(request *r, const char *slot, const jig_type *type);

/* The spec's text; the caller's to jig_free(). The same codes. */
int request_text(const request *r, char **text);

#endif
