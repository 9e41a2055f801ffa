/* What the lanes of a warp do together: PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync,
 * elect.sync, activemask, bar.warp.sync. A scenario is one warp: a member mask, and three numbers for
 * each lane. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_support.h"

enum { LANES = 32, WARPS_PER_BLOCK = 4, BLOCKS = 16, SCENARIOS = WARPS_PER_BLOCK * BLOCKS };

typedef struct scenario {
  uint32_t mask, a[LANES], b[LANES], c[LANES];
} scenario;

/* What a member gets; false: not defined. */
typedef bool lane_model(const scenario *s, unsigned lane, uint32_t result[2]);

typedef struct warp_row {
  const char *name;
  const char *text; /* %r0 to %r2: a, b, c; %r3: the mask; results: %r4, and %r5 or %p1 as a number */
  lane_model *model;
  bool varies;
} warp_row;

static bool member(const scenario *s, unsigned lane) {
  return (s->mask >> lane & 1) != 0;
}

/* ---- scenarios */

static void fill_scenarios(scenario all[SCENARIOS]) {
  static const uint32_t masks[] = {0xffffffff, 1,          0x80000000, 0xffff,     0xffff0000, 0x55555555,
                                   0xaaaaaaaa, 0xfffffffe, 0x7fffffff, 0x00ff00f0, 0x11111111};
  static const uint32_t clamps[] = {0x1f,   0,      0x101f, 0x1000, 0x181f,
                                    0x1800, 0x1c1f, 0x1e00, 0x1e1f, 0x0f};
  uint64_t seed = 99;
  for (size_t k = 0; k < SCENARIOS; ++k) {
    scenario *s = &all[k];
    s->mask = k % 2 == 0                ? 0xffffffff
              : k / 2 < COUNT_OF(masks) ? masks[k / 2]
                                        : (uint32_t)next_random(&seed);
    if (s->mask == 0) s->mask = 1;
    const uint32_t step = (uint32_t)(next_random(&seed) >> 58), clamp = clamps[k / 2 % COUNT_OF(clamps)];
    for (size_t l = 0; l < LANES; ++l) {
      const uint64_t any = next_random(&seed);
      s->a[l] = k % 5 == 0 ? 7 : k % 3 == 0 ? (uint32_t)(any >> 62) : (uint32_t)(any >> 32);
      s->b[l] = k % 8 < 5 ? step : (uint32_t)any & 63;
      s->c[l] = k % 16 < 12 ? clamp : clamps[any % COUNT_OF(clamps)];
    }
  }
}

/* ---- running; members come together, at different times, or by two ways */

static const char *const arrivals[][2] = {
    {"together", "?"},
    {"one_by_one",
     "mov.u32 %r10, 0;\nwait:\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p5, %r10, %r11;\n@%p5 bra wait;\n?"},
    {"two_ways", "@%p6 bra other;\n?bra both;\nother:\n?both:\n"},
};

static void write_text(char *text, size_t size, const char *arrival, const char *instruction) {
  static const char before[] =
      PTX_HEADER("8.0") ".shared .b32 words[128];\n" PTX_ENTRY
                        "mad.wide.u32 %w0, %i, 16, %in;\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%w0];\n"
                        "mov.u32 %r4, 0xcdcdcdcd;\nmov.u32 %r5, 0xcdcdcdcd;\nsetp.ne.u32 %p1, %r3, %r3;\n"
                        "shr.u32 %r6, %r3, %lane;\nand.b32 %r6, %r6, 1;\nsetp.eq.u32 %p0, %r6, 0;\n"
                        "mul.lo.u32 %r11, %lane, 5;\nand.b32 %r11, %r11, 7;\nsetp.gt.u32 %p6, %r11, "
                        "3;\n@%p0 bra done;\n";
  static const char after[] =
      "@!%p2 selp.u32 %r5, 1, 0, %p1;\ndone:\nmad.wide.u32 %w0, %i, 8, %out;\n"
      "st.global.v2.u32 [%w0], {%r4, %r5};\n" PTX_END;
  int used = snprintf(text, size, "%ssetp.%s.u32 %%p2, %%lane, %%lane;\n", before,
                      strstr(instruction, "%p1") != NULL ? "ne" : "eq");
  for (const char *c = arrival; *c != '\0'; ++c) {
    if (*c == '?') {
      used += snprintf(text + used, size - (size_t)used, "{ %s }\n", instruction);
    } else {
      text[used++] = *c;
    }
  }
  (void)snprintf(text + used, size - (size_t)used, "%s", after);
}

static void check_row(const char *test, const warp_row *row, size_t arrival, const scenario *all) {
  char text[8192], name[128];
  static uint32_t in[SCENARIOS * LANES][4], out[SCENARIOS * LANES][2];
  (void)snprintf(name, sizeof name, "%s %s", row->name, arrivals[arrival][0]);
  write_text(text, sizeof text, arrivals[arrival][1], row->text);
  for (size_t i = 0; i < SCENARIOS * LANES; ++i) {
    const scenario *s = &all[i / LANES];
    in[i][0] = s->a[i % LANES], in[i][1] = s->b[i % LANES], in[i][2] = s->c[i % LANES],
    in[i][3] = s->mask;
  }
  const ptx_program p = {.test = test,
                         .name = name,
                         .text = text,
                         .blocks = BLOCKS,
                         .threads = WARPS_PER_BLOCK * LANES,
                         .in = in,
                         .in_bytes = sizeof in,
                         .out = out,
                         .out_bytes = sizeof out,
                         .varies = row->varies};
  if (!ptx_run(&p)) return;
  unsigned wrong = 0;
  for (size_t i = 0; i < SCENARIOS * LANES; ++i) {
    uint32_t wanted[2] = {0xcdcdcdcd, 0xcdcdcdcd};
    const scenario *s = &all[i / LANES];
    if (member(s, i % LANES) && !row->model(s, i % LANES, wanted)) continue;
    if (memcmp(wanted, out[i], sizeof wanted) == 0) continue;
    if (wrong++ < 4)
      printf("  %s: mask 0x%08x, lane %zu (a 0x%x, b 0x%x, c 0x%x): 0x%x and 0x%x, not 0x%x and 0x%x\n",
             name, s->mask, i % LANES, in[i][0], in[i][1], in[i][2], out[i][0], out[i][1], wanted[0],
             wanted[1]);
  }
  if (wrong > 0) ptx_fail("%s: %s: %u lanes are wrong", test, name, wrong);
}

static void check_rows(const char *test, const warp_row *rows, size_t count) {
  scenario *all = calloc(SCENARIOS, sizeof *all);
  fill_scenarios(all);
  for (size_t r = 0; r < count; ++r) {
    for (size_t a = 0; a < COUNT_OF(arrivals); ++a) check_row(test, &rows[r], a, all);
  }
  free(all);
  ptx_end();
}

/* ---- shfl */

/* The ISA's pseudo-code. */
static bool shuffle(const scenario *s, unsigned lane, uint32_t result[2], char mode) {
  const int bval = (int)(s->b[lane] & 31), cval = (int)(s->c[lane] & 31),
            segmask = (int)(s->c[lane] >> 8 & 31);
  const int self = (int)lane, least = self & segmask, most = least | (cval & ~segmask);
  int from = mode == 'u'   ? self - bval
             : mode == 'd' ? self + bval
             : mode == 'b' ? self ^ bval
                           : least | (bval & ~segmask);
  const bool in_range = mode == 'u' ? from >= most : from <= most;
  if (!in_range) from = self;
  result[1] = in_range;
  if (from < 0 || from > 31 || !member(s, (unsigned)from)) return false;
  result[0] = s->a[from];
  return true;
}
static bool shuffle_up(const scenario *s, unsigned lane, uint32_t result[2]) {
  return shuffle(s, lane, result, 'u');
}
static bool shuffle_down(const scenario *s, unsigned lane, uint32_t result[2]) {
  return shuffle(s, lane, result, 'd');
}
static bool shuffle_bfly(const scenario *s, unsigned lane, uint32_t result[2]) {
  return shuffle(s, lane, result, 'b');
}
static bool shuffle_idx(const scenario *s, unsigned lane, uint32_t result[2]) {
  return shuffle(s, lane, result, 'i');
}
static bool shuffle_without_predicate(const scenario *s, unsigned lane, uint32_t result[2]) {
  const bool defined = shuffle(s, lane, result, 'b');
  result[1] = 0xcdcdcdcd;
  return defined;
}
static bool rotate(const scenario *s, unsigned lane, uint32_t result[2]) {
  if (s->mask != 0xffffffff) return false;
  result[0] = s->a[(lane + 1) % LANES];
  return true;
}

/* What lanes get from those that are no members is not defined, so that results may vary. */
START_TEST(shuffles) {
  static const warp_row rows[] = {
      {"shfl.up", "shfl.sync.up.b32 %r4|%p1, %r0, %r1, %r2, %r3;", shuffle_up, true},
      {"shfl.down", "shfl.sync.down.b32 %r4|%p1, %r0, %r1, %r2, %r3;", shuffle_down, true},
      {"shfl.bfly", "shfl.sync.bfly.b32 %r4|%p1, %r0, %r1, %r2, %r3;", shuffle_bfly, true},
      {"shfl.idx", "shfl.sync.idx.b32 %r4|%p1, %r0, %r1, %r2, %r3;", shuffle_idx, true},
      {"shfl no predicate", "shfl.sync.bfly.b32 %r4, %r0, %r1, %r2, %r3;", shuffle_without_predicate,
       true},
      {"shfl in place", "mov.u32 %r4, %r0; shfl.sync.down.b32 %r4|%p1, %r4, %r1, %r2, %r3;", shuffle_down,
       true},
      {"shfl constants",
       "add.u32 %r7, %lane, 1; mov.u32 %r4, %r0; setp.ne.u32 %p4, %r3, 0xffffffff; @%p4 bra none;"
       " shfl.sync.idx.b32 %r4, %r0, %r7, 0x1f, 0xffffffff; none:",
       rotate, true},
  };
  check_rows("shuffles", rows, COUNT_OF(rows));
}
END_TEST

/* ---- vote */

static uint32_t ballot(const scenario *s) {
  uint32_t votes = 0;
  for (unsigned l = 0; l < LANES; ++l) votes |= member(s, l) ? (s->a[l] >> 1 & 1) << l : 0;
  return votes;
}
static bool vote_ballot(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)lane;
  result[0] = ballot(s);
  return true;
}
static bool vote_other(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)lane;
  result[0] = ~ballot(s) & s->mask;
  return true;
}
static bool vote_all(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)lane;
  result[1] = ballot(s) == s->mask;
  return true;
}
static bool vote_any(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)lane;
  result[1] = ballot(s) != 0;
  return true;
}
static bool vote_none(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)lane;
  result[1] = ballot(s) == 0;
  return true;
}
static bool vote_uni(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)lane;
  result[1] = ballot(s) == s->mask || ballot(s) == 0;
  return true;
}

#define VOTE "and.b32 %r7, %r0, 2; setp.ne.u32 %p3, %r7, 0; "

START_TEST(votes) {
  static const warp_row rows[] = {
      {"ballot", VOTE "vote.sync.ballot.b32 %r4, %p3, %r3;", vote_ballot, false},
      {"ballot not", VOTE "vote.sync.ballot.b32 %r4, !%p3, %r3;", vote_other, false},
      {"all", VOTE "vote.sync.all.pred %p1, %p3, %r3;", vote_all, false},
      {"all not", VOTE "vote.sync.all.pred %p1, !%p3, %r3;", vote_none, false},
      {"any", VOTE "vote.sync.any.pred %p1, %p3, %r3;", vote_any, false},
      {"uni", VOTE "vote.sync.uni.pred %p1, %p3, %r3;", vote_uni, false},
  };
  check_rows("votes", rows, COUNT_OF(rows));
}
END_TEST

/* ---- match: as 64-bit values, a and its complement */

static bool match_any(const scenario *s, unsigned lane, uint32_t result[2]) {
  result[0] = 0;
  for (unsigned l = 0; l < LANES; ++l)
    result[0] |= member(s, l) && s->a[l] == s->a[lane] ? UINT32_C(1) << l : 0;
  return true;
}
static bool match_all(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)match_any(s, lane, result);
  result[1] = result[0] == s->mask;
  if (result[1] == 0) result[0] = 0;
  return true;
}

#define PAIR "not.b32 %r7, %r0; mov.b64 %w1, {%r7, %r0}; "

START_TEST(matches) {
  static const warp_row rows[] = {
      {"any.b32", "match.any.sync.b32 %r4, %r0, %r3;", match_any, false},
      {"any.b64", PAIR "match.any.sync.b64 %r4, %w1, %r3;", match_any, false},
      {"all.b32", "match.all.sync.b32 %r4|%p1, %r0, %r3;", match_all, false},
      {"all.b64", PAIR "match.all.sync.b64 %r4|%p1, %w1, %r3;", match_all, false},
  };
  check_rows("matches", rows, COUNT_OF(rows));
}
END_TEST

/* ---- redux */

static bool redux(const scenario *s, uint32_t result[2], const char *op) {
  bool first = true;
  uint32_t all = 0;
  for (unsigned l = 0; l < LANES; ++l) {
    if (!member(s, l)) continue;
    const uint32_t x = s->a[l];
    const bool less = strchr(op, 's') != NULL ? (int32_t)x < (int32_t)all : x < all;
    if (first) {
      all = x;
    } else if (strncmp(op, "min", 3) == 0) {
      all = less ? x : all;
    } else if (strncmp(op, "max", 3) == 0) {
      all = less ? all : x;
    } else {
      all = op[0] == '+' ? all + x : op[0] == '&' ? all & x : op[0] == '|' ? all | x : all ^ x;
    }
    first = false;
  }
  result[0] = all;
  return true;
}
#define REDUX(name, op)                                                            \
  static bool redux_##name(const scenario *s, unsigned lane, uint32_t result[2]) { \
    (void)lane;                                                                    \
    return redux(s, result, op);                                                   \
  }
REDUX(add, "+")
REDUX(min_u, "minu")
REDUX(max_u, "maxu")
REDUX(min_s, "mins")
REDUX(max_s, "maxs")
REDUX(and, "&")
REDUX(or, "|")
REDUX(xor, "^")

START_TEST(reductions) {
  static const warp_row rows[] = {
      {"add.u32", "redux.sync.add.u32 %r4, %r0, %r3;", redux_add, false},
      {"add.s32", "redux.sync.add.s32 %r4, %r0, %r3;", redux_add, false},
      {"min.u32", "redux.sync.min.u32 %r4, %r0, %r3;", redux_min_u, false},
      {"max.u32", "redux.sync.max.u32 %r4, %r0, %r3;", redux_max_u, false},
      {"min.s32", "redux.sync.min.s32 %r4, %r0, %r3;", redux_min_s, false},
      {"max.s32", "redux.sync.max.s32 %r4, %r0, %r3;", redux_max_s, false},
      {"and.b32", "redux.sync.and.b32 %r4, %r0, %r3;", redux_and, false},
      {"or.b32", "redux.sync.or.b32 %r4, %r0, %r3;", redux_or, false},
      {"xor.b32", "redux.sync.xor.b32 %r4, %r0, %r3;", redux_xor, false},
  };
  check_rows("reductions", rows, COUNT_OF(rows));
}
END_TEST

/* ---- one of all, who is here, waiting for each other */

/* The lowest member, as devices have it. */
static bool elect(const scenario *s, unsigned lane, uint32_t result[2]) {
  result[0] = (uint32_t)__builtin_ctz(s->mask);
  result[1] = result[0] == lane;
  return true;
}
/* Bit 0: the thread itself is among the active; bit 1: none is active that has left. */
static bool active(const scenario *s, unsigned lane, uint32_t result[2]) {
  (void)s, (void)lane;
  result[0] = 3;
  return true;
}
/* What the next member wrote to shared memory. */
static bool exchanged(const scenario *s, unsigned lane, uint32_t result[2]) {
  do lane = (lane + 1) % LANES;
  while (!member(s, lane));
  result[0] = s->a[lane];
  return true;
}

#define NEXT                                                                                        \
  "add.u32 %r7, %lane, 1; again: and.b32 %r7, %r7, 31; shr.u32 %r8, %r3, %r7; and.b32 %r8, %r8, 1;" \
  " setp.ne.u32 %p3, %r8, 0; @!%p3 add.u32 %r7, %r7, 1; @!%p3 bra again; "

START_TEST(gatherings) {
  static const warp_row rows[] = {
      {"elect", "elect.sync %r4|%p1, %r3;", elect, true},
      {"elect without lane",
       "elect.sync _|%p1, %r3; mov.u32 %r4, 0; { .reg .b32 %y; brev.b32 %y, %r3;"
       " clz.b32 %r4, %y; }",
       elect, true},
      {"activemask",
       "activemask.b32 %r7; shr.u32 %r8, %r7, %lane; and.b32 %r4, %r8, 1; not.b32 %r8, %r3;"
       " and.b32 %r8, %r7, %r8; setp.eq.u32 %p3, %r8, 0; @%p3 or.b32 %r4, %r4, 2;",
       active, true},
      {"bar.warp.sync",
       NEXT
       "shl.b32 %r8, %t, 2; mov.u32 %r9, words; add.u32 %r8, %r8, %r9;"
       " bar.warp.sync %r3; st.shared.u32 [%r8], %r0; bar.warp.sync %r3; and.b32 %r8, %t, 0xffffffe0;"
       " add.u32 %r8, %r8, %r7; shl.b32 %r8, %r8, 2; add.u32 %r8, %r8, %r9; ld.shared.u32 %r4, [%r8];",
       exchanged, false},
  };
  check_rows("gatherings", rows, COUNT_OF(rows));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(shuffles), SUITE_TEST(votes), SUITE_TEST(matches),
                                     SUITE_TEST(reductions), SUITE_TEST(gatherings)};
  return PTX_SUITE_RUN("ptx/warp", tests);
}
