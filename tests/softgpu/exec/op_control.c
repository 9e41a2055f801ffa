/* Branches, calls, returns and ends. */
#include <stdlib.h>
#include <string.h>

#include "code/module_inner.h"
#include "exec/builtin.h"
#include "exec/interpret.h"

/* ---- branches */

static flow run_bra(warp *w, const insn *i, uint32_t mask) {
  return warp_move(w, mask, w->frame, i->target);
}

static bool decode_bra(decoder *d) {
  (void)decode_take(d, "uni");
  d->out->run = run_bra;
  return decode_operand_count(d, 1, 1) && decode_label(d, &d->in->operands[0], &d->out->target);
}

static flow run_brx(warp *w, const insn *i, uint32_t mask) {
  const ptx_label_list *list = i->more;
  const uint32_t *index = REG(const uint32_t, 0);
  uint32_t first = 0, lanes = 0;
  FOR_EACH(l, mask) {
    if (lanes == 0) first = index[l];
    if (index[l] == first) lanes |= 1U << l;
  }
  if (first >= list->count) {
    const report_place place = place_of(w, i, (unsigned)__builtin_ctz(lanes));
    (void)report(REPORT_TRAP, &place, "branch number %u of a list of %zu", first, list->count);
    return fault(w, CUDA_ERROR_LAUNCH_FAILED);
  }
  warp_retry(w, mask & ~lanes); /* one way at a time */
  return warp_move(w, lanes, w->frame, (uint32_t)list->targets[first]);
}

static bool decode_brx(decoder *d) {
  if (!decode_take(d, "idx")) return decode_refuse(d, "only brx.idx is known");
  (void)decode_take(d, "uni");
  if (!decode_operand_count(d, 2, 2) || !decode_src(d, &d->in->operands[0], TYPE_U32)) return false;
  d->out->more = d->in->operands[1].list;
  d->out->run = run_brx;
  return d->out->more != NULL || decode_refuse(d, "its list of targets is not there");
}

/* ---- calls */

/* A value passed: where it is in the caller's local memory, and its size. */
typedef struct passed {
  uint32_t offset, size;
} passed;

typedef struct call_info {
  bool indirect;
  size_t callee;
  builtin_run *builtin; /* NULL: a function of the module */
  size_t arg_count, result_count;
  passed *args, *results;
} call_info;

static bool decode_passed(decoder *d, const ptx_operand *list, passed **values, size_t *count) {
  *count = list->element_count;
  *values = decode_memory(d, (*count + 1) * sizeof **values);
  if (*values == NULL) return false;
  for (size_t k = 0; k < *count; ++k) {
    const ptx_operand *o = &list->elements[k];
    if (o->kind != OPERAND_VARIABLE || o->variable->space != SPACE_PARAM)
      return decode_refuse(d, "passes something else than a .param variable");
    (*values)[k] = (passed){d->code->local_offsets[o->variable->index], (uint32_t)o->variable->size};
  }
  return true;
}

static bool decode_callee(decoder *d, const ptx_operand *o, call_info *info) {
  if (o->kind == OPERAND_REGISTER) {
    info->indirect = true;
    return decode_src(d, o, TYPE_U64);
  }
  if (o->kind != OPERAND_FUNCTION || !module_function_index(d->module, o->name, &info->callee))
    return decode_refuse(d, "calls something unknown");
  if (!module_function_at(d->module, info->callee)->is_extern) return true;
  info->builtin = builtin_find(o->name);
  return info->builtin != NULL || decode_refuse(d, "calls %s, which is not there", o->name);
}

static flow run_call(warp *w, const insn *i, uint32_t mask);

static bool decode_call(decoder *d) {
  (void)decode_take(d, "uni");
  call_info *info = decode_memory(d, sizeof *info);
  if (info == NULL) return false;
  d->out->more = info;
  d->out->run = run_call;
  const ptx_operand *o = d->in->operands;
  size_t left = d->in->operand_count;
  if (left > 1 && o->kind == OPERAND_LIST) {
    if (!decode_passed(d, o, &info->results, &info->result_count)) return false;
    ++o, --left;
  }
  if (left == 0 || !decode_callee(d, o, info)) return decode_refuse(d, "calls nothing");
  ++o, --left;
  if (left > 0 && o->kind == OPERAND_LIST) {
    if (!decode_passed(d, o, &info->args, &info->arg_count)) return false;
    ++o, --left;
  }
  /* A prototype or list of targets may follow: both only help a compiler. */
  return left <= 1 || decode_refuse(d, "too many operands");
}

/* ---- passing values: between the local memory of two activations */

/* Who calls by an address may have another idea of the size. */
static uint32_t smaller(uint32_t callers, uint64_t callees) {
  return callers < callees ? callers : (uint32_t)callees;
}

static void copy_local(warp *w, uint32_t lanes, uint32_t to, uint32_t from, uint32_t size) {
  const size_t stride = w->block->local_bytes;
  FOR_EACH(l, lanes) {
    memcpy(w->local + l * stride + to, w->local + l * stride + from, size);
    memcpy(w->local_shadow + l * stride + to, w->local_shadow + l * stride + from, size);
  }
}

/* Local memory of an activation that begins holds nothing. */
static void clear_local(warp *w, uint32_t lanes, const frame *f) {
  FOR_EACH(l, lanes)
  memset(w->local_shadow + l * (size_t)w->block->local_bytes + f->local_base, 0, f->code->local_bytes);
}

static flow trap(warp *w, const insn *i, uint32_t mask, const char *what) {
  const report_place place = place_of(w, i, (unsigned)__builtin_ctz(mask));
  (void)report(REPORT_TRAP, &place, "%s", what);
  return fault(w, CUDA_ERROR_LAUNCH_FAILED);
}

static flow enter(warp *w, const insn *i, uint32_t mask, size_t callee) {
  const call_info *info = i->more;
  const code *c = module_code_at(w->frame->code->module, callee);
  const ptx_function *f = module_function_at(w->frame->code->module, callee);
  if (c == NULL || f->is_entry || f->param_count != info->arg_count ||
      f->return_count > info->result_count)
    return trap(w, i, mask, "call of something that is no function of that kind");
  frame *callers = w->frame, *fresh = frame_begin(w, c, callers, i, mask);
  if (fresh == NULL) return trap(w, i, mask, "the simulator is out of memory");
  if (fresh->local_base + c->local_bytes > w->block->local_bytes) {
    frame_leave(fresh, mask);
    return trap(w, i, mask, "stack overflow");
  }
  clear_local(w, mask, fresh);
  for (size_t a = 0; a < info->arg_count; ++a)
    copy_local(w, mask, fresh->local_base + c->local_offsets[f->params[a]->index],
               callers->local_base + info->args[a].offset,
               smaller(info->args[a].size, f->params[a]->size));
  return warp_move(w, mask, fresh, 0);
}

/* The lanes that call the same function as the first of them. */
static uint32_t same_target(const warp *w, const insn *i, uint32_t mask, uint64_t *target) {
  const uint64_t *address = REG(const uint64_t, 0);
  *target = address[__builtin_ctz(mask)];
  uint32_t lanes = 0;
  FOR_EACH(l, mask) lanes |= (uint32_t)(address[l] == *target) << l;
  return lanes;
}

static flow run_call(warp *w, const insn *i, uint32_t mask) {
  const call_info *info = i->more;
  if (info->builtin != NULL) {
    builtin_call call = {.arg_count = info->arg_count, .result_count = info->result_count};
    for (size_t a = 0; a < info->arg_count && a < BUILTIN_ARGS; ++a)
      call.args[a] = w->frame->local_base + info->args[a].offset;
    if (info->result_count > 0) {
      call.result = w->frame->local_base + info->results[0].offset;
      call.result_size = info->results[0].size;
    }
    return info->builtin(w, i, mask, &call);
  }
  if (!info->indirect) return enter(w, i, mask, info->callee);
  uint64_t target;
  const uint32_t lanes = same_target(w, i, mask, &target);
  const uint64_t index = (target - WINDOW_CODE) / 16;
  if (target % 16 != 0 || index >= module_function_count(w->frame->code->module))
    return trap(w, i, lanes, "call of an address that is no function's");
  warp_retry(w, mask & ~lanes); /* one callee at a time */
  return enter(w, i, lanes, index);
}

static flow run_ret(warp *w, const insn *i, uint32_t mask) {
  (void)i;
  frame *f = w->frame, *caller = f->caller;
  if (caller == NULL) return warp_exit(w, mask);
  const insn *call = f->call;
  const call_info *info = call->more;
  const ptx_function *function = f->code->function;
  for (size_t r = 0; r < function->return_count; ++r)
    copy_local(w, mask, caller->local_base + info->results[r].offset,
               f->local_base + f->code->local_offsets[function->returns[r]->index],
               smaller(info->results[r].size, function->returns[r]->size));
  const uint32_t behind = (uint32_t)(call - caller->code->insns) + 1;
  const flow moved = warp_move(w, mask, caller, behind);
  frame_leave(f, mask);
  return moved;
}

static bool decode_ret(decoder *d) {
  (void)decode_take(d, "uni");
  d->out->run = run_ret;
  return decode_operand_count(d, 0, 0);
}

/* ---- ends */

static flow run_exit(warp *w, const insn *i, uint32_t mask) {
  (void)i;
  return warp_exit(w, mask);
}

static bool decode_exit(decoder *d) {
  d->out->run = run_exit;
  return decode_operand_count(d, 0, 0);
}

static flow run_trap(warp *w, const insn *i, uint32_t mask) {
  return trap(w, i, mask, "trap");
}

static bool decode_trap(decoder *d) {
  d->out->run = run_trap;
  return decode_operand_count(d, 0, 0);
}

const decode_row rows_control[] = {{"bra", decode_bra},    {"brx", decode_brx},   {"call", decode_call},
                                   {"ret", decode_ret},    {"exit", decode_exit}, {"trap", decode_trap},
                                   {"brkpt", decode_trap}, {NULL, NULL}};
