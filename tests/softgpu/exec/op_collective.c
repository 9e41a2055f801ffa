/* shfl, vote, match, redux, elect, activemask and bar.warp.sync.
 *
 * PTX ISA, "Data Movement and Conversion Instructions: shfl.sync", "vote.sync", "match.sync",
 * "redux.sync", "elect.sync", "bar.warp.sync". The members of a mask may be at different places when they
 * execute the same form of an instruction: those that come early leave their operands and wait; the last
 * one computes for all of them. */
#include <stdlib.h>
#include <string.h>

#include "check/taint.h"
#include "exec/collective.h"
#include "exec/interpret.h"
#include "exec/op_collective.h"

/* What the members bring. */
typedef struct gathered {
  uint32_t members; /* without those that are over */
  uint64_t value[LANES];
  uint32_t b[LANES], c[LANES];
  uint32_t votes;
} gathered;

/* What they get. */
typedef struct outcome {
  uint64_t value[LANES];
  uint32_t truth;
  uint8_t from[LANES]; /* shfl: the lane whose value it is; LANES: nobody's */
} outcome;

typedef void compute(const insn *i, const gathered *in, outcome *out);

enum {
  ARG_MODE,
  ARG_MASK,
  ARG_FORM
}; /* of shfl and so on; operand number of the member mask; the opcode */
enum { FORM_SHFL, FORM_VOTE, FORM_MATCH, FORM_REDUX, FORM_ELECT, FORM_BARRIER, FORMS };
static compute *const computes[FORMS];

/* Those who wait. */
struct rendezvous {
  uint32_t waiting, ready;
  gathered brought;      /* members is unused */
  uint32_t marks[LANES]; /* shfl: of the values brought; see taint.h */
  uint32_t mask[LANES];
  const insn *at[LANES];
  outcome results;
  uint32_t result_marks[LANES];
};

static bool same_form(const insn *a, const insn *b) {
  return a->arg[ARG_FORM] == b->arg[ARG_FORM] && a->arg[ARG_MODE] == b->arg[ARG_MODE] &&
         a->width[a->dst_count] == b->width[b->dst_count];
}

/* ---- taking operands and giving results */

static void bring_values(const warp *w, const insn *i, int k, uint32_t lanes, gathered *g) {
  int64_t values[LANES];
  read_lanes(w, i, k, i->width[k], false, values);
  if (lanes == (uint32_t)FULL)
    memcpy(g->value, values, sizeof values);
  else
    FOR_EACH(l, lanes) g->value[l] = (uint64_t)values[l];
}

static void bring_words(const warp *w, const insn *i, int k, uint32_t lanes, uint32_t to[LANES]) {
  const uint32_t *words = REG(const uint32_t, k);
  if (lanes == (uint32_t)FULL)
    memcpy(to, words, LANES * sizeof *to);
  else
    FOR_EACH(l, lanes) to[l] = words[l];
}

static void bring(const warp *w, const insn *i, uint32_t lanes, gathered *g) {
  const int first = i->dst_count, mask = (int)i->arg[ARG_MASK];
  if (first < mask && i->width[first] == 0) {
    const uint32_t votes = pred(w, i, first);
    g->votes = (g->votes & ~lanes) | (votes & lanes);
  } else if (first < mask) {
    bring_values(w, i, first, lanes, g);
  }
  if (first + 2 < mask) {
    bring_words(w, i, first + 1, lanes, g->b);
    bring_words(w, i, first + 2, lanes, g->c);
  }
}

static void give(warp *w, const insn *i, uint32_t lanes, const outcome *out) {
  for (int k = 0; k < i->dst_count; ++k) {
    if (i->width[k] == 0) {
      put_pred(w, i, k, out->truth, lanes);
    } else {
      int64_t values[LANES];
      FOR_LANES(l) values[l] = (int64_t)out->value[l];
      write_lanes(w, i, k, values, lanes);
    }
  }
}

/* Marks of unset bytes travel with shuffled values. */
static void give_marks(warp *w, const insn *i, uint32_t lanes, const outcome *out) {
  uint32_t marks[LANES];
  FOR_LANES(l) marks[l] = out->from[l] < LANES ? taint_of(w, i, i->dst_count, out->from[l]) : 0;
  FOR_EACH(l, lanes) taint_mark(w, i, 0, l, marks[l]);
}

/* ---- meeting */

static void order(const warp *w, const insn *i, uint32_t members) {
  if (i->arg[ARG_FORM] == FORM_BARRIER && w->block->races != NULL)
    race_warp_sync(w->block->races, w->index, members);
}

/* Lanes come while others of their mask are elsewhere. Those who are all there now get their results. */
static flow come_early(warp *w, const insn *i, uint32_t lanes, uint32_t mask) {
  if (w->rendezvous == NULL) w->rendezvous = calloc(1, sizeof *w->rendezvous);
  struct rendezvous *r = w->rendezvous;
  if (r == NULL) return fault(w, CUDA_ERROR_OUT_OF_MEMORY);
  bring(w, i, lanes, &r->brought);
  r->waiting |= lanes;
  const bool marks = i->arg[ARG_FORM] == FORM_SHFL && taint_any(w);
  FOR_EACH(l, lanes) {
    r->mask[l] = mask;
    r->at[l] = i;
    r->marks[l] = marks ? taint_of(w, i, i->dst_count, l) : 0;
  }
  const uint32_t members = mask & w->live;
  FOR_EACH(m, members) {
    if (!(r->waiting >> m & 1) || r->mask[m] != mask || !same_form(r->at[m], i)) return FLOW_WAIT;
  }
  gathered in = r->brought;
  outcome out = {.truth = 0};
  in.members = members;
  computes[i->arg[ARG_FORM]](i, &in, &out);
  order(w, i, members);
  FOR_EACH(m, members) {
    r->results.value[m] = out.value[m];
    r->result_marks[m] = out.from[m] < LANES ? r->marks[out.from[m]] : 0;
  }
  r->results.truth = (r->results.truth & ~members) | (out.truth & members);
  r->waiting &= ~members;
  r->ready |= members;
  warp_wake(w);
  return FLOW_NEXT;
}

static flow wrong_mask(warp *w, const insn *i, unsigned lane, uint32_t mask) {
  const report_place place = place_of(w, i, lane);
  (void)report(REPORT_MEMBER_MASK, &place,
               "lane %u executes it with member mask 0x%08x, which lacks that lane", lane, mask);
  return fault(w, CUDA_ERROR_LAUNCH_FAILED);
}

/* Takes the results that others have computed. */
static bool take_results(warp *w, const insn *i, uint32_t lanes) {
  struct rendezvous *r = w->rendezvous;
  if (r == NULL || (r->ready & lanes) != lanes) return false;
  r->ready &= ~lanes;
  give(w, i, lanes, &r->results);
  if (i->arg[ARG_FORM] == FORM_SHFL) FOR_EACH(l, lanes) taint_mark(w, i, 0, l, r->result_marks[l]);
  return true;
}

/* Of the lanes of mask, those whose member mask is the first one's and who are equally far. */
static uint32_t alike(const warp *w, const uint32_t *masks, uint32_t mask) {
  const uint32_t ready = w->rendezvous != NULL ? w->rendezvous->ready : 0;
  const unsigned first = (unsigned)__builtin_ctz(mask);
  uint32_t lanes = 0;
  FOR_EACH(l, mask) {
    if (masks[l] == masks[first] && (ready >> l & 1) == (ready >> first & 1)) lanes |= UINT32_C(1) << l;
  }
  return lanes;
}

/* Lanes that have the same member mask are at it. */
static flow meet(warp *w, const insn *i, uint32_t lanes, uint32_t named) {
  const uint32_t members = named & w->live;
  if ((lanes & ~named) != 0) return wrong_mask(w, i, (unsigned)__builtin_ctz(lanes & ~named), named);
  if (take_results(w, i, lanes)) return FLOW_NEXT;
  if ((lanes & members) != members) {
    const flow result = come_early(w, i, lanes, named);
    if (result == FLOW_NEXT) (void)take_results(w, i, lanes);
    return result;
  }
  gathered in = {.members = members};
  outcome out = {.truth = 0};
  bring(w, i, lanes, &in);
  computes[i->arg[ARG_FORM]](i, &in, &out);
  order(w, i, members);
  if (taint_any(w) && i->arg[ARG_FORM] == FORM_SHFL) give_marks(w, i, lanes, &out);
  give(w, i, lanes, &out);
  /* Some may have come early, and now all are at the same place. */
  if (w->rendezvous != NULL) w->rendezvous->waiting &= ~lanes;
  return FLOW_NEXT;
}

static flow run_collective(warp *w, const insn *i, uint32_t mask) {
  const uint32_t *masks = REG(const uint32_t, i->arg[ARG_MASK]);
  uint32_t done = 0;
  for (uint32_t rest = mask, lanes; rest != 0; rest &= ~lanes) {
    lanes = alike(w, masks, rest);
    const flow f = meet(w, i, lanes, masks[__builtin_ctz(rest)]);
    if (f == FLOW_FAULT) return f;
    if (f == FLOW_NEXT) done |= lanes;
  }
  return warp_go(w, mask, done);
}

void collective_end(warp *w) {
  free(w->rendezvous);
  w->rendezvous = NULL;
}

uint32_t collective_missing(const warp *w, uint32_t lanes) {
  const struct rendezvous *r = w->rendezvous;
  if (r == NULL || (r->waiting & lanes) == 0) return 0;
  const unsigned first = (unsigned)__builtin_ctz(r->waiting & lanes);
  uint32_t missing = 0;
  FOR_EACH(m, r->mask[first] & w->live) {
    if (!(r->waiting >> m & 1) || r->mask[m] != r->mask[first] || !same_form(r->at[m], r->at[first]))
      missing |= UINT32_C(1) << m;
  }
  return missing;
}

/* ---- what is computed */

enum { MODE_UP, MODE_DOWN, MODE_BFLY, MODE_IDX };
enum { MODE_ALL, MODE_ANY, MODE_UNI, MODE_BALLOT };

/* Which lane each of them asks, and whether there is one; loops of vector code. */
static uint32_t shfl_sources(uint32_t mode, const gathered *in, int32_t source[LANES]) {
  int32_t asked[LANES], least[LANES], most[LANES], valid[LANES];
  FOR_LANES(l) {
    const int32_t segment = (int32_t)(in->c[l] >> 8 & 31), clamp = (int32_t)(in->c[l] & 31);
    least[l] = l & segment;
    most[l] = least[l] | (clamp & ~segment);
  }
  switch (mode) {
    case MODE_UP:
      FOR_LANES(l) asked[l] = l - (int32_t)(in->b[l] & 31);
      FOR_LANES(l) valid[l] = asked[l] >= most[l];
      break;
    case MODE_DOWN:
      FOR_LANES(l) asked[l] = l + (int32_t)(in->b[l] & 31);
      FOR_LANES(l) valid[l] = asked[l] <= most[l];
      break;
    case MODE_BFLY:
      FOR_LANES(l) asked[l] = l ^ (int32_t)(in->b[l] & 31);
      FOR_LANES(l) valid[l] = asked[l] <= most[l];
      break;
    default: {
      FOR_LANES(l) asked[l] = least[l] | ((int32_t)(in->b[l] & 31) & ~(int32_t)(in->c[l] >> 8 & 31));
      FOR_LANES(l) valid[l] = asked[l] <= most[l];
    }
  }
  uint32_t truth = 0;
  FOR_LANES(l) source[l] = valid[l] ? asked[l] : l;
  FOR_LANES(l) truth |= (uint32_t)valid[l] << l;
  return truth;
}

static void compute_shfl(const insn *i, const gathered *in, outcome *out) {
  int32_t source[LANES];
  out->truth |= shfl_sources(i->arg[ARG_MODE], in, source) & in->members;
  FOR_EACH(l, in->members) {
    const int32_t j = source[l];
    const bool there = in->members >> j & 1; /* the value of a lane that takes no part is anything */
    out->value[l] = there ? in->value[j] : 0xcdcdcdcd;
    out->from[l] = there ? (uint8_t)j : LANES;
  }
}

static void compute_vote(const insn *i, const gathered *in, outcome *out) {
  const uint32_t yes = in->votes & in->members;
  const bool all = yes == in->members, any = yes != 0;
  switch (i->arg[ARG_MODE]) {
    case MODE_ALL:
      out->truth = all ? (uint32_t)FULL : 0;
      break;
    case MODE_ANY:
      out->truth = any ? (uint32_t)FULL : 0;
      break;
    case MODE_UNI:
      out->truth = all || !any ? (uint32_t)FULL : 0;
      break;
    default:
      FOR_LANES(l) out->value[l] = yes;
  }
}

static void compute_match(const insn *i, const gathered *in, outcome *out) {
  bool all = true;
  FOR_EACH(l, in->members) {
    uint32_t equal = 0;
    FOR_EACH(m, in->members) equal |= (uint32_t)(in->value[m] == in->value[l]) << m;
    out->value[l] = equal;
    all &= equal == in->members;
  }
  if (i->arg[ARG_MODE] == MODE_ANY) return;
  out->truth = all ? (uint32_t)FULL : 0;
  FOR_LANES(l) out->value[l] = all ? in->members : 0;
}

enum { REDUX_ADD, REDUX_MIN_U, REDUX_MIN_S, REDUX_MAX_U, REDUX_MAX_S, REDUX_AND, REDUX_OR, REDUX_XOR };

static uint32_t redux(uint32_t mode, uint32_t a, uint32_t b) {
  switch (mode) {
    case REDUX_ADD:
      return a + b;
    case REDUX_MIN_U:
      return a < b ? a : b;
    case REDUX_MIN_S:
      return (int32_t)a < (int32_t)b ? a : b;
    case REDUX_MAX_U:
      return a > b ? a : b;
    case REDUX_MAX_S:
      return (int32_t)a > (int32_t)b ? a : b;
    case REDUX_AND:
      return a & b;
    case REDUX_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

static void compute_redux(const insn *i, const gathered *in, outcome *out) {
  uint32_t result = 0;
  bool first = true;
  FOR_EACH(l, in->members) {
    const uint32_t value = (uint32_t)in->value[l];
    result = first ? value : redux(i->arg[ARG_MODE], result, value);
    first = false;
  }
  FOR_LANES(l) out->value[l] = result;
}

static void compute_elect(const insn *i, const gathered *in, outcome *out) {
  (void)i;
  const unsigned leader = (unsigned)__builtin_ctz(in->members);
  FOR_LANES(l) out->value[l] = leader;
  out->truth = UINT32_C(1) << leader;
}

static void compute_barrier(const insn *i, const gathered *in, outcome *out) {
  (void)i;
  (void)in;
  (void)out;
}

static compute *const computes[FORMS] = {
    [FORM_SHFL] = compute_shfl,   [FORM_VOTE] = compute_vote,   [FORM_MATCH] = compute_match,
    [FORM_REDUX] = compute_redux, [FORM_ELECT] = compute_elect, [FORM_BARRIER] = compute_barrier};

/* ---- decoding */

/* d or d|p; the predicate only where it may be. */
static bool decode_results(decoder *d, const ptx_operand *o, int size, bool pair) {
  if (o->kind != OPERAND_PAIR) return decode_dst(d, o, size);
  if (!pair || o->element_count != 2) return decode_refuse(d, "one destination is expected");
  return decode_dst(d, &o->elements[0], size) && decode_dst(d, &o->elements[1], 0);
}

static bool decode_members(decoder *d, const ptx_operand *o, uint32_t form) {
  insn *out = d->out;
  out->run = run_collective;
  out->arg[ARG_FORM] = form;
  out->arg[ARG_MASK] = out->count;
  return decode_src(d, o, TYPE_B32);
}

static bool decode_shfl(decoder *d) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  if (!decode_take(d, "sync")) return decode_refuse(d, "only the .sync form is known");
  uint32_t mode = 0;
  while (mode < 4 && !decode_take(d, modes[mode])) ++mode;
  if (mode == 4 || decode_type(d) != TYPE_B32 || !decode_operand_count(d, 5, 5)) return false;
  d->out->arg[ARG_MODE] = mode;
  d->out->taint = TAINT_OWN;
  const ptx_operand *o = d->in->operands;
  return decode_results(d, &o[0], 4, true) && decode_src(d, &o[1], TYPE_B32) &&
         decode_src(d, &o[2], TYPE_B32) && decode_src(d, &o[3], TYPE_B32) &&
         decode_members(d, &o[4], FORM_SHFL);
}

static bool decode_vote(decoder *d) {
  static const char *const modes[] = {"all", "any", "uni", "ballot"};
  if (!decode_take(d, "sync")) return decode_refuse(d, "only the .sync form is known");
  uint32_t mode = 0;
  while (mode < 4 && !decode_take(d, modes[mode])) ++mode;
  if (mode == 4 || decode_type(d) != (mode == MODE_BALLOT ? TYPE_B32 : TYPE_PRED)) return false;
  d->out->arg[ARG_MODE] = mode;
  const ptx_operand *o = d->in->operands;
  return decode_operand_count(d, 3, 3) && decode_dst(d, &o[0], mode == MODE_BALLOT ? 4 : 0) &&
         decode_src(d, &o[1], TYPE_PRED) && decode_members(d, &o[2], FORM_VOTE);
}

static bool decode_match(decoder *d) {
  const bool any = decode_take(d, "any");
  if ((!any && !decode_take(d, "all")) || !decode_take(d, "sync")) return false;
  const ptx_type type = decode_type(d);
  if (type != TYPE_B32 && type != TYPE_B64) return false;
  d->out->arg[ARG_MODE] = any ? MODE_ANY : MODE_ALL;
  const ptx_operand *o = d->in->operands;
  return decode_operand_count(d, 3, 3) && decode_results(d, &o[0], 4, !any) &&
         decode_src(d, &o[1], type) && decode_members(d, &o[2], FORM_MATCH);
}

static bool decode_redux(decoder *d) {
  static const struct {
    const char *name;
    ptx_type type;
    uint32_t mode;
  } ops[] = {
      {"add", TYPE_U32, REDUX_ADD},   {"add", TYPE_S32, REDUX_ADD},   {"min", TYPE_U32, REDUX_MIN_U},
      {"min", TYPE_S32, REDUX_MIN_S}, {"max", TYPE_U32, REDUX_MAX_U}, {"max", TYPE_S32, REDUX_MAX_S},
      {"and", TYPE_B32, REDUX_AND},   {"or", TYPE_B32, REDUX_OR},     {"xor", TYPE_B32, REDUX_XOR}};
  if (!decode_take(d, "sync") || d->part >= d->in->part_count) return false;
  const char *name = d->in->parts[d->part++];
  const ptx_type type = decode_type(d);
  size_t k = 0;
  while (k < sizeof ops / sizeof *ops && (strcmp(ops[k].name, name) != 0 || ops[k].type != type)) ++k;
  if (k == sizeof ops / sizeof *ops) return false;
  d->out->arg[ARG_MODE] = ops[k].mode;
  const ptx_operand *o = d->in->operands;
  return decode_operand_count(d, 3, 3) && decode_dst(d, &o[0], 4) && decode_src(d, &o[1], type) &&
         decode_members(d, &o[2], FORM_REDUX);
}

static bool decode_elect(decoder *d) {
  if (!decode_take(d, "sync") || !decode_operand_count(d, 2, 2)) return false;
  const ptx_operand *o = d->in->operands;
  return decode_results(d, &o[0], 4, true) && decode_members(d, &o[1], FORM_ELECT);
}

bool decode_warp_sync(decoder *d) {
  return decode_take(d, "sync") && decode_operand_count(d, 1, 1) &&
         decode_members(d, &d->in->operands[0], FORM_BARRIER);
}

static flow run_activemask(warp *w, const insn *i, uint32_t mask) {
  uint32_t all[LANES];
  FOR_LANES(l) all[l] = mask;
  put_u32(REG(uint32_t, 0), all, mask);
  return FLOW_NEXT;
}

static bool decode_activemask(decoder *d) {
  d->out->run = run_activemask;
  return decode_type(d) == TYPE_B32 && decode_operand_count(d, 1, 1) &&
         decode_dst(d, &d->in->operands[0], 4);
}

const decode_row rows_collective[] = {{"shfl", decode_shfl},
                                      {"vote", decode_vote},
                                      {"match", decode_match},
                                      {"redux", decode_redux},
                                      {"elect", decode_elect},
                                      {"activemask", decode_activemask},
                                      {NULL, NULL}};
