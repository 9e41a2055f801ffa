/* Operands become offsets into the register file. */
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "code/decode_state.h"
#include "code/module_inner.h"
#include "exec/warp.h"

/* ---- places */

/* Bytes of a register in the file. */
static uint32_t file_size(int size) {
  return size == 0 ? sizeof(uint32_t) : (uint32_t)size * LANES;
}

static uint32_t place(decoder *d, int size) {
  const uint32_t offset = align_up(d->code->file_bytes, size == 0 ? sizeof(uint32_t) : 64);
  d->code->file_bytes = offset + file_size(size);
  return offset;
}

static bool place_registers(decoder *d) {
  const ptx_function *f = d->function;
  d->state->registers = calloc(f->register_count + 1, sizeof *d->state->registers);
  if (d->state->registers == NULL) return decode_refuse(d, "out of memory");
  for (size_t r = 0; r < f->register_count; ++r) {
    const ptx_type type = f->registers[r]->type;
    const int size = ptx_type_size(type);
    if (type != TYPE_PRED && size < 1) return decode_refuse(d, "register %s", f->registers[r]->name);
    d->state->registers[r] = place(d, size == 1 ? 2 : size);
  }
  static const int sizes[] = {0, 2, 4, 8, 16};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    d->state->sinks[sizes[s]] = place(d, sizes[s]);
  d->code->register_bytes = d->code->file_bytes = align_up(d->code->file_bytes, 64);
  return true;
}

static bool place_locals(decoder *d) {
  const ptx_function *f = d->function;
  d->code->local_offsets = calloc(f->variable_count + 1, sizeof *d->code->local_offsets);
  if (d->code->local_offsets == NULL) return decode_refuse(d, "out of memory");
  uint64_t size = 0;
  for (size_t v = 0; v < f->variable_count; ++v) {
    const ptx_variable *variable = f->variables[v];
    if (variable->is_kernel_param || (variable->space != SPACE_LOCAL && variable->space != SPACE_PARAM))
      continue;
    d->code->local_offsets[v] = align_up(size, variable->align > 0 ? variable->align : 1);
    size = d->code->local_offsets[v] + variable->size;
    if (size > 1 << 24) return decode_refuse(d, "its local variables take more than 16 MB");
  }
  d->code->local_bytes = align_up(size, 16);
  return true;
}

bool decode_lay_out(decoder *d) {
  return place_registers(d) && place_locals(d);
}

void decode_state_free(struct decode_state *state) {
  free(state->registers);
  free(state->constants);
}

/* ---- appending operands */

static bool append(decoder *d, uint32_t offset, int size, bool negated, bool destination) {
  insn *out = d->out;
  if (out->count == INSN_OPERANDS) return decode_refuse(d, "too many operands");
  out->op[out->count] = offset;
  out->width[out->count] = (uint8_t)size;
  if (negated) out->negated |= (uint16_t)(1U << out->count);
  ++out->count;
  if (destination) ++out->dst_count;
  return true;
}

static int register_size(const ptx_register *r) {
  const int size = ptx_type_size(r->type);
  return size == 1 ? 2 : size;
}

static bool append_register(decoder *d, const ptx_operand *o, bool destination) {
  return append(d, d->state->registers[o->reg->index], register_size(o->reg), o->negated, destination);
}

static bool wrong_size(decoder *d, const ptx_operand *o, int size) {
  return decode_refuse(d, "register %s has %d bits, not %d", o->reg->name,
                       8 * ptx_type_size(o->reg->type), 8 * size);
}

static bool fits(const ptx_operand *o, int size) {
  return register_size(o->reg) == (size == 1 ? 2 : size) && (size == 0) == (o->reg->type == TYPE_PRED);
}

bool decode_dst(decoder *d, const ptx_operand *o, int size) {
  if (o->kind == OPERAND_SINK) return append(d, d->state->sinks[size == 1 ? 2 : size], size, false, true);
  if (o->kind != OPERAND_REGISTER) return decode_refuse(d, "a destination must be a register");
  return fits(o, size) ? append_register(d, o, true) : wrong_size(d, o, size);
}

bool decode_dst_any(decoder *d, const ptx_operand *o, int size_of_sink) {
  if (o->kind == OPERAND_REGISTER && o->reg->type != TYPE_PRED) return append_register(d, o, true);
  return decode_dst(d, o, size_of_sink);
}

bool decode_src_constant(decoder *d, uint64_t low, uint64_t high, int size) {
  struct decode_state *s = d->state;
  size = size == 1 ? 2 : size;
  for (size_t c = 0; c < s->constant_count; ++c) {
    const decode_constant *known = &s->constants[c];
    if (known->low == low && known->high == high && known->size == size)
      return append(d, known->offset, size, false, false);
  }
  decode_constant *larger = realloc(s->constants, (s->constant_count + 1) * sizeof *larger);
  if (larger == NULL) return decode_refuse(d, "out of memory");
  s->constants = larger;
  const uint32_t offset = place(d, size);
  larger[s->constant_count++] = (decode_constant){low, high, size, offset};
  return append(d, offset, size, false, false);
}

/* ---- what a constant is */

static bool is_dynamic(ptx_special special) {
  switch (special) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK_HI:
    case SPECIAL_CLOCK64:
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
    case SPECIAL_GLOBALTIMER_HI:
      return true;
    default:
      return false;
  }
}

static bool append_special(decoder *d, const ptx_operand *o, int size) {
  if (is_dynamic(o->special)) return decode_refuse(d, "reads a clock; only mov may");
  if (size != 0 && size < 2) return decode_refuse(d, "reads a special register into 8 bits");
  if (size == 0) {
    if (o->special != SPECIAL_IS_EXPLICIT_CLUSTER)
      return decode_refuse(d, "reads a number as a predicate");
  }
  code *c = d->code;
  for (size_t f = 0; f < c->fill_count; ++f) {
    const code_fill *known = &c->fills[f];
    if (known->special == o->special && known->dimension == o->dimension && known->width == size)
      return append(d, known->offset, size, o->negated, false);
  }
  code_fill *larger = realloc(c->fills, (c->fill_count + 1) * sizeof *larger);
  if (larger == NULL) return decode_refuse(d, "out of memory");
  c->fills = larger;
  const uint32_t offset = place(d, size);
  larger[c->fill_count++] =
      (code_fill){offset, (uint8_t)size, (uint8_t)o->special, (uint8_t)o->dimension};
  return append(d, offset, size, o->negated, false);
}

/* The address of a variable in its own space. */
static bool variable_address(decoder *d, const ptx_variable *v, uint64_t *address) {
  switch (v->space) {
    case SPACE_LOCAL:
    case SPACE_PARAM:
      if (v->is_kernel_param) {
        *address = module_param_offset(d->module, d->function, v);
      } else {
        d->out->frame_relative = true;
        *address = d->code->local_offsets[v->index];
      }
      return true;
    case SPACE_SHARED:
    case SPACE_SHARED_CLUSTER:
      return module_shared_offset(d->module, v, address);
    default:
      *address = module_variable_address(d->module, v);
      return *address != 0 || decode_refuse(d, "no memory for variable %s", v->name);
  }
}

static bool append_variable(decoder *d, const ptx_operand *o, int size) {
  uint64_t address;
  if (size != 4 && size != 8) return decode_refuse(d, "an address has 32 or 64 bits");
  if (!variable_address(d, o->variable, &address))
    return decode_refuse(d, "unknown %s", o->variable->name);
  return decode_src_constant(d, address + (uint64_t)o->value, 0, size);
}

static bool append_function(decoder *d, const ptx_operand *o, int size) {
  size_t index;
  if (size != 8) return decode_refuse(d, "a function's address has 64 bits");
  if (!module_function_index(d->module, o->name, &index)) return decode_refuse(d, "unknown %s", o->name);
  return decode_src_constant(d, WINDOW_CODE + 16 * index, 0, 8);
}

static uint64_t cut(uint64_t value, int size) {
  return size >= 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

static bool append_integer(decoder *d, const ptx_operand *o, ptx_type type, int size) {
  if (type == TYPE_PRED)
    return decode_src_constant(d, (o->value != 0) != o->negated ? 0xffffffff : 0, 0, 0);
  return decode_src_constant(d, cut((uint64_t)o->value, size),
                             size == 16 && o->value < 0 ? UINT64_MAX : 0, size);
}

static bool append_float(decoder *d, const ptx_operand *o, int size) {
  uint64_t bits;
  memcpy(&bits, &o->real, sizeof bits);
  if (size == 4) return decode_src_constant(d, o->f32_bits, 0, 4);
  if (size == 8) return decode_src_constant(d, bits, 0, 8);
  return decode_refuse(d, "a float immediate has 32 or 64 bits");
}

static bool source(decoder *d, const ptx_operand *o, ptx_type type, bool any) {
  const int size = ptx_type_size(type);
  switch (o->kind) {
    case OPERAND_REGISTER:
      if (any ? (o->reg->type == TYPE_PRED) == (type == TYPE_PRED) : fits(o, size))
        return append_register(d, o, false);
      return wrong_size(d, o, size);
    case OPERAND_INTEGER:
      return append_integer(d, o, type, size);
    case OPERAND_FLOAT:
      return append_float(d, o, size);
    case OPERAND_SPECIAL:
      return append_special(d, o, size);
    case OPERAND_VARIABLE:
      return append_variable(d, o, size);
    case OPERAND_FUNCTION:
      return append_function(d, o, size);
    default:
      return decode_refuse(d, "a register or constant is expected");
  }
}

bool decode_src(decoder *d, const ptx_operand *o, ptx_type type) {
  return source(d, o, type, false);
}
bool decode_src_any(decoder *d, const ptx_operand *o, ptx_type type) {
  return source(d, o, type, true);
}

bool decode_address(decoder *d, const ptx_operand *o) {
  if (o->kind != OPERAND_ADDRESS) return decode_refuse(d, "an address in [] is expected");
  if (o->reg != NULL) {
    const int size = register_size(o->reg);
    if (size != 4 && size != 8) return decode_refuse(d, "an address has 32 or 64 bits");
    d->out->offset = o->value;
    return append(d, d->state->registers[o->reg->index], size, false, false);
  }
  uint64_t address = 0;
  if (o->variable != NULL && !variable_address(d, o->variable, &address))
    return decode_refuse(d, "unknown %s", o->variable->name);
  d->out->offset = o->value;
  return decode_src_constant(d, address, 0, 8);
}

size_t decode_vector(const ptx_operand *o, const ptx_operand **elements) {
  *elements = o->kind == OPERAND_VECTOR ? o->elements : o;
  return o->kind == OPERAND_VECTOR ? o->element_count : 1;
}

/* ---- the image */

static void fill(uint8_t *at, const decode_constant *c) {
  if (c->size == 0) {
    memcpy(at, &c->low, sizeof(uint32_t));
    return;
  }
  uint8_t bytes[16];
  memcpy(bytes, &c->low, 8);
  memcpy(bytes + 8, &c->high, 8);
  for (int l = 0; l < LANES; ++l) memcpy(at + l * c->size, bytes, (size_t)c->size);
}

bool decode_finish(decoder *d) {
  code *c = d->code;
  c->file_bytes = align_up(c->file_bytes, 64);
  c->fill_image = calloc(1, c->file_bytes - c->register_bytes + 1);
  if (c->fill_image == NULL) return decode_refuse(d, "out of memory");
  for (size_t k = 0; k < d->state->constant_count; ++k)
    fill(c->fill_image + d->state->constants[k].offset - c->register_bytes, &d->state->constants[k]);
  return true;
}
