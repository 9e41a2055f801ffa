/* What a program has for items that are too large for registers: its kernels get the places of these, by
 * the classes of templates/jig/core/places.cuh, which the entry point makes of what the caller gave. That
 * is in namespace jig_given, by the names that it has elsewhere. */
#ifndef JIG_JIT_PLACES_H
#define JIG_JIT_PLACES_H

#include "spec/spec.h"
#include "util/text.h"

/* Whether any slot of a spec is so. */
bool places_are_used(const spec *s);

/* Before and behind what is written for a slot that is so; nothing for any other. */
void places_begin_given(text *out, const spec *s, int slot);
void places_end_given(text *out, const spec *s, int slot);

/* Behind all slots: the types that kernels get. */
void places_define(text *out, const spec *s);

/* Of the entry point, for a slot that is so: its parameter, and in its body what the kernel gets. */
void places_write_parameter(text *out, const spec *s, int slot);
void places_write_local(text *out, const spec *s, int slot);

#endif
