/* What the software GPU remembers of what operations touch, against a byte for each byte. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check/touch.h"
#include "check/watch.h"
#include "numbers.h"
#include "suite.h"

enum { SIZE = 5 * 4096, ROUNDS = 100 };
static const uint64_t base = (uint64_t)1 << 40 | 1234 * 4096;

/* Bit k: touched by kind k. */
typedef struct model {
  unsigned char bytes[SIZE];
} model;

static void model_add(model *m, touch_kind kind, uint64_t begin, uint64_t bytes) {
  for (uint64_t i = begin; i < begin + bytes; ++i) m->bytes[i] |= (unsigned char)(1u << kind);
}

static bool bytes_conflict(unsigned a, unsigned b) {
  for (int x = 0; x < TOUCH_KINDS; ++x) {
    for (int y = 0; y < TOUCH_KINDS; ++y) {
      const bool both = (a >> x & 1) && (b >> y & 1);
      if (both && (x == TOUCH_WRITE || y == TOUCH_WRITE || x != y)) return true;
    }
  }
  return false;
}

/* Asked for every byte, by an access of every kind. */
static void check_same(const touched *t, const model *m) {
  unsigned wrong = 0;
  for (uint64_t i = 0; i < SIZE; ++i) {
    for (int k = 0; k < TOUCH_KINDS; ++k) {
      touch_conflict c;
      const bool found = touched_conflicts_with(t, (touch_kind)k, base + i, base + i + 1, &c);
      wrong += found != bytes_conflict(1u << k, m->bytes[i]);
      wrong += found && (c.address != base + i || (m->bytes[i] >> c.other & 1) == 0);
    }
  }
  ck_assert_uint_eq(wrong, 0);
}

/* One or many, small or large. */
static void draw_access(uint64_t *seed, touch_kind *kind, uint64_t *begin, uint64_t *bytes) {
  const uint64_t most = next_random(seed) % 8 == 0 ? SIZE : 64;
  *kind = (touch_kind)(next_random(seed) % TOUCH_KINDS);
  *begin = next_random(seed) % SIZE;
  *bytes = 1 + next_random(seed) % most;
  if (*bytes > SIZE - *begin) *bytes = SIZE - *begin;
}

static void draw_touched(uint64_t *seed, touched *t, model *m) {
  const uint64_t count = next_random(seed) % 20;
  *t = (touched){0};
  *m = (model){{0}};
  for (uint64_t i = 0; i < count; ++i) {
    touch_kind kind;
    uint64_t begin, bytes;
    draw_access(seed, &kind, &begin, &bytes);
    touched_add(t, kind, base + begin, base + begin + bytes);
    model_add(m, kind, begin, bytes);
  }
  touched_settle(t);
  for (uint64_t logs = next_random(seed) % 3; logs > 0; --logs) {
    touch_log *log = touch_log_create();
    for (uint64_t i = next_random(seed) % 10; i > 0; --i) {
      touch_kind kind;
      uint64_t begin, bytes;
      draw_access(seed, &kind, &begin, &bytes);
      touch_log_add(log, kind, base + begin, bytes);
      model_add(m, kind, begin, bytes);
    }
    touched_add_log(t, log);
  }
}

START_TEST(spans_and_logs_are_added_up) {
  uint64_t seed = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    touched t;
    model m;
    draw_touched(&seed, &t, &m);
    check_same(&t, &m);
    bool any = false;
    for (size_t i = 0; i < SIZE; ++i) any |= m.bytes[i] != 0;
    ck_assert_int_eq(touched_is_empty(&t), !any);
    touched_free(&t);
    ck_assert(touched_is_empty(&t));
  }
}
END_TEST

static void check_conflict(bool found, const touch_conflict *c, bool wanted, const model *a,
                           const model *b) {
  ck_assert_int_eq(found, wanted);
  if (!found) return;
  ck_assert(touch_kinds_conflict(c->mine, c->other));
  ck_assert(a->bytes[c->address - base] >> c->mine & 1);
  ck_assert(b->bytes[c->address - base] >> c->other & 1);
}

START_TEST(conflicts_are_found) {
  uint64_t seed = 2;
  int conflicts = 0;
  for (int round = 0; round < 4 * ROUNDS; ++round) {
    touched a, b;
    model of_a, of_b, one = {{0}};
    touch_conflict c;
    touch_kind kind;
    uint64_t begin, bytes;
    bool all = false, some = false;
    draw_touched(&seed, &a, &of_a);
    draw_touched(&seed, &b, &of_b);
    draw_access(&seed, &kind, &begin, &bytes);
    model_add(&one, kind, begin, bytes);
    for (size_t i = 0; i < SIZE; ++i) {
      all |= bytes_conflict(of_a.bytes[i], of_b.bytes[i]);
      some |= bytes_conflict(one.bytes[i], of_b.bytes[i]);
    }
    check_conflict(touched_conflict(&a, &b, &c), &c, all, &of_a, &of_b);
    check_conflict(touched_conflicts_with(&b, kind, base + begin, base + begin + bytes, &c), &c, some,
                   &one, &of_b);
    conflicts += all;
    touched_free(&a);
    touched_free(&b);
  }
  ck_assert_int_gt(conflicts, ROUNDS);
  ck_assert_int_lt(conflicts, 4 * ROUNDS);
}
END_TEST

START_TEST(logs_remember_every_byte) {
  uint64_t seed = 3;
  for (int round = 0; round < ROUNDS; ++round) {
    touch_log *log = touch_log_create();
    touched t = {0};
    model m = {{0}};
    const uint64_t count = next_random(&seed) % 2000;
    for (uint64_t i = 0; i < count; ++i) {
      touch_kind kind;
      uint64_t begin, bytes;
      draw_access(&seed, &kind, &begin, &bytes);
      if (round % 2 == 0) kind = TOUCH_READ; /* until whole pages are full, bit by bit */
      touch_log_add(log, kind, base + begin, bytes);
      model_add(&m, kind, begin, bytes);
    }
    touched_add_log(&t, log);
    check_same(&t, &m);
    touched_free(&t);
  }
}
END_TEST

START_TEST(filters_leave_nothing_out) {
  uint64_t seed = 5;
  unsigned wrong = 0, spared = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    touched t;
    model m;
    touch_filter f = {.large = {0, 0}};
    draw_touched(&seed, &t, &m);
    touched_add(&t, TOUCH_READ, base + 2 * SIZE,
                base + 2 * SIZE + ((uint64_t)round << 16)); /* also large ones */
    touched_settle(&t);
    touched_add_to(&t, &f);
    for (uint64_t i = 0; i < SIZE; ++i) {
      wrong += m.bytes[i] != 0 && !touch_filter_has(&f, base + i);
      spared += !touch_filter_has(&f, base + i);
    }
    for (uint64_t i = 0; i < (uint64_t)round << 16; i += 997)
      wrong += !touch_filter_has(&f, base + 2 * SIZE + i);
    touched_free(&t);
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_gt(spared, 0);
}
END_TEST

START_TEST(logs_hold_many_pages) {
  enum { PAGES = 20000 };
  touch_log *log = touch_log_create();
  touched t = {0};
  for (uint64_t i = 0; i < PAGES; ++i)
    touch_log_add(log, TOUCH_WRITE, base + i * 7919 % PAGES * 8192 + 5, 3);
  touched_add_log(&t, log);
  unsigned wrong = 0;
  for (uint64_t i = 0; i < PAGES; ++i) {
    const uint64_t begin = base + i * 8192 + 5;
    touch_conflict c;
    wrong += !touched_conflicts_with(&t, TOUCH_READ, begin - 5, begin + 1, &c) || c.address != begin;
    wrong +=
        !touched_conflicts_with(&t, TOUCH_READ, begin + 2, begin + 8000, &c) || c.address != begin + 2;
    wrong += touched_conflicts_with(&t, TOUCH_READ, begin - 8000, begin, &c);
    wrong += touched_conflicts_with(&t, TOUCH_READ, begin + 3, begin + 8192, &c);
  }
  ck_assert_uint_eq(wrong, 0);
  touched_free(&t);
}
END_TEST

/* Lanes in a row and anywhere, some of them only. */
START_TEST(watches_see_every_lane) {
  uint64_t seed = 4;
  for (int round = 0; round < ROUNDS; ++round) {
    touched foe, mine = {0};
    model of_foe, of_mine = {{0}};
    draw_touched(&seed, &foe, &of_foe);
    watch *w = calloc(1, sizeof *w);
    w->foes = calloc(1, sizeof *w->foes);
    w->foes[0] = (watch_foe){.number = 7, .touched = &foe};
    w->foe_count = 1;
    touched_add_to(&foe, &w->filter);
    w->remembers = true;
    ck_assert(watch_has_foe(w, 7) && !watch_has_foe(w, 8) && !watch_has_foe(NULL, 7));
    for (int i = 0; i < 5; ++i) {
      const unsigned bytes = 1u << next_random(&seed) % 5;
      const touch_kind kind = (touch_kind)(next_random(&seed) % TOUCH_KINDS);
      const uint32_t lanes = next_random(&seed) % 2 ? UINT32_MAX : (uint32_t)next_random(&seed) | 1;
      const bool in_a_row = next_random(&seed) % 2;
      const uint64_t first = next_random(&seed) % (SIZE - 1024);
      uint64_t at[WATCH_LANES];
      int wanted = -1;
      for (unsigned l = 0; l < WATCH_LANES; ++l) {
        const uint64_t place = in_a_row ? first + l * bytes : next_random(&seed) % (SIZE - bytes);
        at[l] = base + place;
        if ((lanes >> l & 1) == 0) continue;
        model_add(&of_mine, kind, place, bytes);
        for (unsigned b = 0; b < bytes && wanted < 0; ++b)
          if (bytes_conflict(1u << kind, of_foe.bytes[place + b])) wanted = (int)l;
      }
      const watch_foe *found = NULL;
      touch_conflict c;
      ck_assert_int_eq(watch_access(w, (unsigned)i % 3, kind, lanes, at, bytes, &found, &c), wanted);
      ck_assert_int_eq(watch_access(w, (unsigned)i % 3, kind, lanes, at, bytes, &found, &c),
                       -1); /* once */
      ck_assert(wanted < 0 || (found == w->foes && w->foes[0].is_told));
      w->foes[0].is_told = false;
    }
    watch_tell(w, &mine);
    check_same(&mine, &of_mine);
    touched_free(&mine);
    touched_free(&foe);
    watch_free(w);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(spans_and_logs_are_added_up), SUITE_TEST(conflicts_are_found),
      SUITE_TEST(logs_remember_every_byte),    SUITE_TEST(filters_leave_nothing_out),
      SUITE_TEST(logs_hold_many_pages),        SUITE_TEST(watches_see_every_lane)};
  return SUITE_RUN("softgpu/touch", tests, false);
}
