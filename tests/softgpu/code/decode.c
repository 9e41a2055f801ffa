#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "code/decode_state.h"
#include "code/module_inner.h"

/* ---- memory that lives as long as the code */

struct code_memory {
  struct code_memory *next;
  max_align_t bytes[];
};

void *decode_memory(decoder *d, size_t size) {
  struct code_memory *m = calloc(1, sizeof *m + size);
  if (m == NULL) {
    (void)decode_refuse(d, "out of memory");
    return NULL;
  }
  m->next = d->code->memory;
  d->code->memory = m;
  return m->bytes;
}

void code_free(code *c) {
  if (c == NULL) return;
  while (c->memory != NULL) {
    struct code_memory *next = c->memory->next;
    free(c->memory);
    c->memory = next;
  }
  free(c->insns);
  free(c->fill_image);
  free(c->fills);
  free(c->local_offsets);
  free(c);
}

/* ---- modifiers */

void ptx_write(const ptx_instruction *in, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "%s", in->opcode);
  for (size_t p = 0; p < in->part_count && length < size; ++p)
    length += (size_t)snprintf(text + length, size - length, ".%s", in->parts[p]);
}

bool decode_refuse(decoder *d, const char *format, ...) {
  if (d->error[0] != '\0') return false; /* the first reason is the best */
  char name[128], reason[256];
  ptx_write(d->in, name, sizeof name);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  (void)snprintf(d->error, sizeof d->error, "line %u: instruction %s: %s", d->in->line, name, reason);
  d->line_of_error = d->in->line;
  return false;
}

bool decode_take(decoder *d, const char *part) {
  if (d->part >= d->in->part_count || strcmp(d->in->parts[d->part], part) != 0) return false;
  ++d->part;
  return true;
}

ptx_type decode_type(decoder *d) {
  if (d->part >= d->in->part_count) return TYPE_NONE;
  const ptx_type type = ptx_type_of(d->in->parts[d->part]);
  if (type != TYPE_NONE) ++d->part;
  return type;
}

bool decode_operand_count(decoder *d, size_t least, size_t most) {
  if (d->in->operand_count >= least && d->in->operand_count <= most) return true;
  return decode_refuse(d, "%zu operands", d->in->operand_count);
}

bool decode_label(decoder *d, const ptx_operand *o, uint32_t *target) {
  if (o->kind != OPERAND_LABEL) return decode_refuse(d, "a label is expected");
  *target = (uint32_t)o->target;
  return true;
}

/* ---- instructions */

static const decode_row *const families[] = {
    rows_move,    rows_integer,          rows_logic,   rows_compare, rows_convert, rows_float,
    rows_half,    rows_special_function, rows_memory,  rows_atomic,  rows_async,   rows_mbarrier,
    rows_barrier, rows_collective,       rows_control, rows_misc};

static bool decode_instruction(decoder *d) {
  bool is_opcode = false;
  for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
    for (const decode_row *row = families[f]; row->opcode != NULL; ++row) {
      if (strcmp(row->opcode, d->in->opcode) != 0) continue;
      is_opcode = true;
      if (!row->decode(d)) return decode_refuse(d, "is not understood");
      if (d->part < d->in->part_count)
        return decode_refuse(d, ".%s is not understood there", d->in->parts[d->part]);
      return true;
    }
  }
  return is_opcode || decode_refuse(d, "is not known");
}

/* Which families know what `offset` of an address in the activation's local memory means. */
static bool knows_frames(const char *opcode) {
  return strcmp(opcode, "mov") == 0 || strcmp(opcode, "cvta") == 0 || strcmp(opcode, "ld") == 0 ||
         strcmp(opcode, "st") == 0;
}

static bool decode_one(decoder *d, size_t index) {
  d->in = &d->function->instructions[index];
  d->out = &d->code->insns[index];
  d->part = 0;
  *d->out = (insn){.guard = GUARD_NONE, .ptx = d->in};
  if (d->in->guard != NULL) {
    if (d->in->guard->type != TYPE_PRED) return decode_refuse(d, "its guard is no predicate");
    d->out->guard = d->state->registers[d->in->guard->index];
    d->out->guard_negated = d->in->guard_negated;
  }
  if (!decode_instruction(d)) return false;
  if (d->out->frame_relative && !knows_frames(d->in->opcode))
    return decode_refuse(d, "takes no address of a local variable directly");
  return true;
}

/* The end of a function's text is a return. */
static bool decode_end(decoder *d, size_t index) {
  static const ptx_instruction end = {.opcode = "ret"};
  d->in = &end;
  d->out = &d->code->insns[index];
  d->part = 0;
  *d->out = (insn){.guard = GUARD_NONE, .ptx = &end};
  return decode_instruction(d);
}

static bool decode_all(decoder *d) {
  if (!decode_lay_out(d)) return false;
  for (size_t k = 0; k < d->function->instruction_count; ++k) {
    if (!decode_one(d, k)) return false;
  }
  return decode_end(d, d->function->instruction_count) && decode_finish(d);
}

code *code_decode(struct module *m, const ptx_function *f, char *error, size_t error_size,
                  unsigned *line) {
  static const ptx_instruction nothing = {.opcode = "function"};
  struct decode_state state = {0};
  decoder d = {.module = m, .function = f, .in = &nothing, .state = &state};
  d.code = calloc(1, sizeof *d.code);
  if (d.code != NULL) d.code->insns = calloc(f->instruction_count + 1, sizeof *d.code->insns);
  bool ok = d.code != NULL && d.code->insns != NULL;
  if (ok) {
    d.code->function = f;
    d.code->module = m;
    d.code->count = f->instruction_count + 1;
    ok = decode_all(&d);
  }
  decode_state_free(&state);
  if (ok) return d.code;
  (void)snprintf(error, error_size, "%s", d.error[0] != '\0' ? d.error : "out of memory");
  *line = d.line_of_error;
  code_free(d.code);
  return NULL;
}
