/* A kernel of the user's own: what the one slot of its spec holds, a jig_kernel_config. */
#ifndef JIG_SPEC_OWN_KERNEL_H
#define JIG_SPEC_OWN_KERNEL_H

#include <jig/kernel.h>

#include "spec/operator.h"
#include "util/text.h"

/* One of its texts, in the order in which they are compiled: the source comes last. */
enum { OWN_NAME_SIZE = 128 };
typedef struct own_text {
  const char *text;
  const char *given_name;    /* or NULL */
  char shown[OWN_NAME_SIZE]; /* what messages call it */
} own_text;
size_t own_text_count(const jig_kernel_config *k);
own_text own_text_at(const jig_kernel_config *k, size_t i);

/* The signature of a checked definition's operator. */
op_signature own_signature(const jig_definition *d);

/* What messages call the text of its operator: "operator Op". */
void own_operator_name(const jig_definition *d, char shown[OWN_NAME_SIZE]);

/* Whether a definition is a macro; and what that stands for. */
bool own_is_macro(const jig_definition *d);
void own_write_value(const jig_definition *d, text *out);

/* A finite number as C++ has it, with all of its bits and without a suffix, whatever the locale; and the
 * number of such a text. */
enum { FLOAT_TEXT_SIZE = 32 };
void float_text(double number, char written[FLOAT_TEXT_SIZE]);
bool float_of_text(const char *written, double *number);

/* Whether it is sound: JIG_SUCCESS, or what is wrong, beginning with `who`. */
jig_status own_kernel_check(const jig_kernel_config *k, const char *who);

/* Whether a pointer is there where there is a number of things; for what reads a config before it is
 * checked. */
jig_status own_kernel_check_pointers(const jig_kernel_config *k, const char *who);

#endif
