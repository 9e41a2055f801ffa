#include "exec/forms.h"

#define FOUR(n) UINT32_C(1) << (n), UINT32_C(2) << (n), UINT32_C(4) << (n), UINT32_C(8) << (n)
const uint32_t lane_bits[LANES] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                   FOUR(16), FOUR(20), FOUR(24), FOUR(28)};

bool forms_decode(decoder *d, insn_run *run, int to, ptx_type type, size_t count) {
  if (run == NULL) return decode_refuse(d, "has no form for the type .%s", ptx_type_name(type));
  if (!decode_operand_count(d, count + 1, count + 1)) return false;
  d->out->run = run;
  if (!decode_dst(d, &d->in->operands[0], to)) return false;
  for (size_t k = 1; k <= count; ++k)
    if (!decode_src(d, &d->in->operands[k], type)) return false;
  return true;
}

ptx_type forms_last_type(const decoder *d) {
  for (size_t k = d->in->part_count; k-- > 0;) {
    const ptx_type type = ptx_type_of(d->in->parts[k]);
    if (type != TYPE_NONE) return type;
  }
  return TYPE_NONE;
}

bool forms_is_float(ptx_type type) {
  switch (type) {
    case TYPE_F16:
    case TYPE_F32:
    case TYPE_F64:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_F32X2:
      return true;
    default:
      return false;
  }
}

bool forms_is_signed(ptx_type type) {
  switch (type) {
    case TYPE_S8:
    case TYPE_S16:
    case TYPE_S32:
    case TYPE_S64:
    case TYPE_S16X2:
      return true;
    default:
      return false;
  }
}
