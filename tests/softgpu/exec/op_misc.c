/* nanosleep, griddepcontrol, and instructions that are hints to hardware. */
#include <string.h>

#include "exec/warp.h"

static flow run_nothing(warp *w, const insn *i, uint32_t mask) {
  (void)w;
  (void)i;
  (void)mask;
  return FLOW_NEXT;
}

/* However long: others get their turn. */
static flow run_nanosleep(warp *w, const insn *i, uint32_t mask) {
  (void)w;
  (void)i;
  (void)mask;
  return FLOW_YIELD;
}

static bool decode_nanosleep(decoder *d) {
  d->out->run = run_nanosleep;
  return decode_type(d) == TYPE_U32 && decode_operand_count(d, 1, 1) &&
         decode_src(d, &d->in->operands[0], TYPE_U32);
}

static flow run_launch_dependents(warp *w, const insn *i, uint32_t mask) {
  (void)i;
  (void)mask;
  w->block->dependents_launched = true;
  return FLOW_NEXT;
}

static flow run_wait(warp *w, const insn *i, uint32_t mask) {
  (void)i;
  (void)mask;
  const grid_launch *l = &w->block->grid->launch;
  if (l->may_pass == NULL || l->may_pass(l->data)) return FLOW_NEXT;
  w->waits_outside = true;
  return FLOW_WAIT;
}

static bool decode_griddepcontrol(decoder *d) {
  if (decode_take(d, "wait"))
    d->out->run = run_wait;
  else if (decode_take(d, "launch_dependents"))
    d->out->run = run_launch_dependents;
  else
    return false;
  return decode_operand_count(d, 0, 0);
}

static bool decode_pmevent(decoder *d) {
  d->out->run = run_nothing;
  (void)decode_take(d, "mask");
  return decode_operand_count(d, 1, 1);
}

static bool decode_setmaxnreg(decoder *d) {
  d->out->run = run_nothing;
  return (decode_take(d, "inc") || decode_take(d, "dec")) && decode_take(d, "sync") &&
         decode_take(d, "aligned") && decode_type(d) == TYPE_U32 && decode_operand_count(d, 1, 1);
}

const decode_row rows_misc[] = {{"nanosleep", decode_nanosleep},
                                {"griddepcontrol", decode_griddepcontrol},
                                {"pmevent", decode_pmevent},
                                {"setmaxnreg", decode_setmaxnreg},
                                {NULL, NULL}};
