#include "check/taint.h"

#include <stdlib.h>
#include <string.h>

/* A frame's marks: for each byte of its registers 0, or the number of the load that it is from. Behind
 * them: */
typedef struct origins {
  uint32_t steps; /* since the marks were made */
  uint32_t count;
  unsigned lines[UINT8_MAX]; /* in the PTX text, of number 1 and so on */
} origins;

enum { UNKNOWN_ORIGIN = UINT8_MAX, STEPS_TO_SCAN = 1024, MOST_BYTES = 16 * LANES };

static origins *origins_of(const frame *f) {
  return (origins *)(void *)(f->unset + f->code->file_bytes);
}

/* The number of a load, a new one if need be. */
static uint8_t origin_number(const frame *f, unsigned line) {
  origins *all = origins_of(f);
  for (uint32_t n = 0; n < all->count; ++n)
    if (all->lines[n] == line) return (uint8_t)(n + 1);
  if (all->count + 1 >= UNKNOWN_ORIGIN) return UNKNOWN_ORIGIN;
  all->lines[all->count++] = line;
  return (uint8_t)all->count;
}

static unsigned origin_line(const frame *f, uint8_t number) {
  const origins *all = origins_of(f);
  return number >= 1 && number <= all->count ? all->lines[number - 1] : 0;
}

/* ---- marks of one operand */

/* Operands that have marks: registers that are no predicates. */
static bool can_be_marked(const warp *w, const insn *i, int k) {
  return i->width[k] != 0 && i->op[k] < w->frame->code->register_bytes;
}

static uint8_t *marks_of(const warp *w, const insn *i, int k, unsigned lane) {
  return w->frame->unset + i->op[k] + lane * i->width[k];
}

void taint_mark(warp *w, const insn *i, int k, unsigned lane, uint32_t unset) {
  frame *f = w->frame;
  if (f->unset == NULL) {
    if (unset == 0) return;
    f->unset = calloc(1, f->code->file_bytes + sizeof(origins));
    if (f->unset == NULL) return; /* nothing will be found, and nothing wrong be said */
  }
  if (!can_be_marked(w, i, k)) return;
  uint8_t *marks = marks_of(w, i, k, lane);
  if (unset == 0) {
    memset(marks, 0, i->width[k]);
    return;
  }
  const uint8_t number = origin_number(f, i->ptx->line);
  for (unsigned b = 0; b < i->width[k]; ++b) marks[b] = (unset >> b & 1) ? number : 0;
}

uint32_t taint_of(const warp *w, const insn *i, int k, unsigned lane) {
  if (w->frame->unset == NULL || !can_be_marked(w, i, k)) return 0;
  const uint8_t *marks = marks_of(w, i, k, lane);
  uint32_t unset = 0;
  for (unsigned b = 0; b < i->width[k]; ++b) unset |= (uint32_t)(marks[b] != 0) << b;
  return unset;
}

/* The lanes of mask in which an operand has marks. */
static uint32_t marked_lanes(const warp *w, const insn *i, int k, uint32_t mask) {
  if (!can_be_marked(w, i, k)) return 0;
  const uint8_t *marks = marks_of(w, i, k, 0);
  uint64_t any = 0;
  for (unsigned b = 0; b < LANES * i->width[k]; b += sizeof any) {
    uint64_t eight;
    memcpy(&eight, marks + b, sizeof eight);
    any |= eight;
  }
  if (any == 0) return 0;
  uint32_t lanes = 0;
  FOR_EACH(l, mask) lanes |= (uint32_t)(taint_of(w, i, k, l) != 0) << l;
  return lanes;
}

static void clear(const warp *w, const insn *i, int k, uint32_t lanes) {
  if (!can_be_marked(w, i, k)) return;
  if (lanes == (uint32_t)FULL)
    memset(marks_of(w, i, k, 0), 0, (size_t)LANES * i->width[k]);
  else
    FOR_EACH(l, lanes) memset(marks_of(w, i, k, l), 0, i->width[k]);
}

/* The number of the load that an operand's first mark is from; 0: none. */
static uint8_t origin_of(const warp *w, const insn *i, int k, unsigned lane) {
  const uint8_t *marks = marks_of(w, i, k, lane);
  for (unsigned b = 0; b < i->width[k]; ++b)
    if (marks[b] != 0) return marks[b];
  return 0;
}

bool taint_use(warp *w, const insn *i, int k, uint32_t mask) {
  if (w->frame->unset == NULL) return true;
  const uint32_t lanes = marked_lanes(w, i, k, mask);
  if (lanes == 0) return true;
  const unsigned lane = (unsigned)__builtin_ctz(lanes);
  const unsigned line = origin_line(w->frame, origin_of(w, i, k, lane));
  const report_place place = place_of(w, i, lane);
  if (line != 0)
    (void)report(REPORT_UNINITIALISED, &place,
                 "uses a value that PTX line %u read from memory which nobody wrote", line);
  else
    (void)report(REPORT_UNINITIALISED, &place, "uses a value from memory which nobody wrote");
  clear(w, i, k, lanes); /* one report for each value */
  return true;
}

/* ---- instructions that move bits about
 *
 * Which bytes of the result are unset is found by trying: bits that change when unset bits of the sources
 * are inverted. The bits of the results of these instructions depend on at most one bit of each source,
 * so all unset bits of a source can be inverted at once. */

/* A source whose unset bits are inverted, and what its bits are without. */
typedef struct trial {
  int sources[INSN_OPERANDS];
  unsigned count;
  uint8_t origin[LANES]; /* of what is unset in each lane */
} trial;

/* The first source that says where bits go: those must be set. */
static int first_control(const insn *i) {
  static const struct {
    const char *opcode;
    int first;
  } controls[] = {{"shl", 2}, {"shr", 2}, {"shf", 3}, {"bfe", 2}, {"bfi", 3}, {"prmt", 3}, {"slct", 3}};
  for (size_t c = 0; c < sizeof controls / sizeof *controls; ++c)
    if (strcmp(i->ptx->opcode, controls[c].opcode) == 0) return controls[c].first;
  return i->count;
}

static bool is_listed(const trial *t, const insn *i, int k) {
  for (unsigned s = 0; s < t->count; ++s)
    if (i->op[t->sources[s]] == i->op[k]) return true;
  return false;
}

/* Inverts the unset bits of a source; once more, and they are as before. */
static void invert(const warp *w, const insn *i, int k, uint32_t mask) {
  FOR_EACH(l, mask) {
    const uint8_t *marks = marks_of(w, i, k, l);
    uint8_t *value = w->regs + i->op[k] + l * i->width[k];
    for (unsigned b = 0; b < i->width[k]; ++b)
      if (marks[b] != 0) value[b] ^= 0xff;
  }
}

typedef struct saved {
  uint8_t bytes[INSN_OPERANDS][MOST_BYTES];
} saved;

static size_t operand_bytes(const insn *i, int k) {
  return i->width[k] == 0 ? sizeof(uint32_t) : (size_t)i->width[k] * LANES;
}

static void save(const warp *w, const insn *i, int first, int end, saved *to) {
  for (int k = first; k < end; ++k) memcpy(to->bytes[k], w->regs + i->op[k], operand_bytes(i, k));
}

static void restore(const warp *w, const insn *i, int end, const saved *from) {
  for (int k = 0; k < end; ++k) memcpy(w->regs + i->op[k], from->bytes[k], operand_bytes(i, k));
}

/* Executes with the sources of a set of bits inverted; the results are left in `results`, and the
 * registers as they were. */
static void try_inverted(warp *w, const insn *i, uint32_t mask, const trial *t, unsigned set,
                         const saved *before, saved *results) {
  for (unsigned s = 0; s < t->count; ++s)
    if (set >> s & 1) invert(w, i, t->sources[s], mask);
  (void)i->run(w, i, mask);
  save(w, i, 0, i->dst_count, results);
  restore(w, i, i->count, before);
}

static void carry(warp *w, const insn *i, uint32_t mask, const trial *t) {
  saved before, plain, other, changed;
  save(w, i, 0, i->count, &before);
  memset(&changed, 0, sizeof changed);
  try_inverted(w, i, mask, t, 0, &before, &plain);
  for (unsigned set = 1; set < 1U << t->count; ++set) {
    try_inverted(w, i, mask, t, set, &before, &other);
    for (int k = 0; k < i->dst_count; ++k)
      for (size_t b = 0; b < operand_bytes(i, k); ++b)
        changed.bytes[k][b] |= plain.bytes[k][b] ^ other.bytes[k][b];
  }
  for (int k = 0; k < i->dst_count; ++k) {
    if (!can_be_marked(w, i, k)) continue;
    FOR_EACH(l, mask) {
      uint8_t *marks = marks_of(w, i, k, l);
      const uint8_t *bits = changed.bytes[k] + l * i->width[k];
      for (unsigned b = 0; b < i->width[k]; ++b) marks[b] = bits[b] != 0 ? t->origin[l] : 0;
    }
  }
}

static bool step_moving(warp *w, const insn *i, uint32_t mask) {
  trial t = {.count = 0};
  const int control = first_control(i);
  for (int k = i->dst_count; k < i->count; ++k) {
    if (k >= control) {
      if (!taint_use(w, i, k, mask)) return false;
      continue;
    }
    const uint32_t lanes = marked_lanes(w, i, k, mask);
    if (lanes == 0) continue;
    FOR_EACH(l, lanes) t.origin[l] = origin_of(w, i, k, l);
    if (!is_listed(&t, i, k)) t.sources[t.count++] = k;
  }
  if (t.count == 0)
    for (int k = 0; k < i->dst_count; ++k) clear(w, i, k, mask);
  else
    carry(w, i, mask, &t);
  return true;
}

/* Whether no bit can be set in both sources of an instruction, whatever the unset ones are. */
static bool are_disjoint(const warp *w, const insn *i, uint32_t mask) {
  const int a = i->dst_count, b = a + 1;
  FOR_EACH(l, mask) {
    const uint32_t unset_a = taint_of(w, i, a, l), unset_b = taint_of(w, i, b, l);
    const uint8_t *bytes_a = w->regs + i->op[a] + l * i->width[a];
    const uint8_t *bytes_b = w->regs + i->op[b] + l * i->width[b];
    for (unsigned k = 0; k < i->width[a]; ++k) {
      const unsigned may_a = (unset_a >> k & 1) ? 0xff : bytes_a[k];
      const unsigned may_b = (unset_b >> k & 1) ? 0xff : bytes_b[k];
      if ((may_a & may_b) != 0) return false;
    }
  }
  return true;
}

/* Whether an instruction adds 16 bits each, of which the lower ones are set. So compilers add bytes,
 * behind which there may be padding, and nobody looks at the upper half. */
static bool adds_bytes(const warp *w, const insn *i, uint32_t mask) {
  const int a = i->dst_count, b = a + 1;
  bool adds = i->width[0] == sizeof(uint16_t);
  FOR_EACH(l, mask) adds = adds && ((taint_of(w, i, a, l) | taint_of(w, i, b, l)) & 1) == 0;
  return adds;
}

/* Whether a source is a power of two in all lanes, other than the one that is a sign. */
static bool is_power_of_two(const warp *w, const insn *i, int k, uint32_t mask) {
  FOR_EACH(l, mask) {
    uint64_t value = 0;
    if (i->width[k] == 0 || taint_of(w, i, k, l) != 0) return false;
    memcpy(&value, w->regs + i->op[k] + l * i->width[k], i->width[k]);
    if (value == 0 || (value & (value - 1)) != 0 || value >> (8 * i->width[k] - 1) != 0) return false;
  }
  return true;
}

static bool has_marks(const warp *w, const insn *i, uint32_t mask) {
  for (int k = i->dst_count; k < i->count; ++k)
    if (marked_lanes(w, i, k, mask) != 0) return true;
  return false;
}

/* ---- steps */

/* Gives the marks up if there are none left. */
static void scan(frame *f) {
  uint64_t any = 0;
  for (uint32_t b = 0; b < f->code->register_bytes; b += sizeof any) {
    uint64_t eight;
    memcpy(&eight, f->unset + b, sizeof eight);
    any |= eight;
  }
  if (any != 0) return;
  free(f->unset);
  f->unset = NULL;
}

bool taint_step(warp *w, const insn *i, uint32_t mask) {
  frame *f = w->frame;
  if (++origins_of(f)->steps % STEPS_TO_SCAN == 0) {
    scan(f);
    if (f->unset == NULL) return true;
  }
  switch ((taint_rule)i->taint) {
    case TAINT_OWN:
      return true;
    case TAINT_COPY:
    case TAINT_PACK:
    case TAINT_SELECT:
    case TAINT_BITWISE:
      return step_moving(w, i, mask);
    case TAINT_ADD:
      if (has_marks(w, i, mask) && (are_disjoint(w, i, mask) || adds_bytes(w, i, mask)))
        return step_moving(w, i, mask);
      break;
    case TAINT_MULTIPLY:
      if (has_marks(w, i, mask) &&
          (is_power_of_two(w, i, i->dst_count, mask) || is_power_of_two(w, i, i->dst_count + 1, mask)))
        return step_moving(w, i, mask);
      break;
    case TAINT_USE:
      break;
  }
  for (int k = i->dst_count; k < i->count; ++k)
    if (!taint_use(w, i, k, mask)) return false;
  for (int k = 0; k < i->dst_count; ++k) clear(w, i, k, mask);
  return true;
}
