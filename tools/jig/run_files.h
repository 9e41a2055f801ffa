/* The files of jig run: which input each is for, and where outputs go. */
#ifndef JIG_CLI_RUN_FILES_H
#define JIG_CLI_RUN_FILES_H

#include "request.h"
#include "run_rows.h"

enum { RUN_MAX_FILES = 64 };

/* An input that is named: --in keys=k.npy, --keys k.npy. */
typedef struct run_binding {
  const char *option; /* "--in"; "": of an operand */
  const char *name;   /* of the input; NULL: the main one, or what an operand is for */
  size_t name_length;
  const char *text; /* a file, or an iterator */
} run_binding;

typedef struct run_files {
  request_files base;
  const run_row *row;
  run_binding bindings[RUN_MAX_FILES];
  int binding_count;
  const char *offsets, *levels; /* files; NULL: not given */
  leaf_range levels_range;
  input_part part; /* of the main input, if that is a raw file */
  const char *outputs[RUN_MAX_OUTPUTS];
  const char *array_op; /* of bulk, the body; NULL: none that is given an array */
  const char *array_type;
  const char *zip_body, *zip_type; /* of a transform of several files; NULL: it has one */
  jig_type array_item;
  char array_definition[128];
} run_files;

/* Takes an option or an operand. EXIT_OK or EXIT_USAGE, having complained. */
int run_files_add(run_files *f, const char *option, const char *name, const char *text);

/* Takes --out's values, once the row is known: [NAME=]FILE. */
int run_files_add_output(run_files *f, const char *text);

/* Whether it is for an operand to say more: the name of a slot and '='. */
bool run_files_is_slot(const spec_schema *schema, const char *operand);

/* For request_files: puts into a draft what files say of slots. */
int run_files_put(request *r, void *files);

#endif
