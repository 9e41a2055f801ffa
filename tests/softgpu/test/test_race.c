/* The race detection: cases by hand, and random programs against a model that forgets nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/race.h"
#include "suite.h"

static const uint32_t all_lanes = 0xffffffff;

static race_tracker *tracker;
static race_tracker *twin; /* gets the same, but by race_warp_access() what lanes execute together */
static race_conflict found;

static void begin(unsigned threads) {
  tracker = race_create(threads, 1024);
  ck_assert_ptr_nonnull(tracker);
}

static void end(void) {
  race_free(tracker);
}

static bool reads(unsigned thread, uint32_t offset, unsigned line) {
  return race_read(tracker, thread, offset, 4, false, line, &found);
}
static bool writes(unsigned thread, uint32_t offset, unsigned line) {
  return race_write(tracker, thread, offset, 4, false, line, &found);
}
static bool reads_strongly(unsigned thread, uint32_t offset, unsigned line) {
  return race_read(tracker, thread, offset, 4, true, line, &found);
}
static bool writes_strongly(unsigned thread, uint32_t offset, unsigned line) {
  return race_write(tracker, thread, offset, 4, true, line, &found);
}

static void expect(unsigned thread, unsigned line, bool was_write, uint32_t offset) {
  ck_assert_uint_eq(found.thread, thread);
  ck_assert_uint_eq(found.ptx_line, line);
  ck_assert_int_eq(found.was_write, was_write);
  ck_assert_uint_eq(found.offset, offset);
}

START_TEST(test_kinds) {
  begin(64);
  ck_assert(!writes(3, 0, 10) && !writes(3, 0, 11) && !reads(3, 0, 12));
  ck_assert(writes(4, 0, 13));
  expect(3, 11, true, 0); /* the read that followed was by thread 3 too, but the write is told first */
  ck_assert(!writes(33, 16, 20));
  ck_assert(reads(5, 16, 21));
  expect(33, 20, true, 16);
  ck_assert(!reads(6, 32, 30));
  ck_assert(writes(40, 32, 31));
  expect(6, 30, false, 32);
  ck_assert(!reads(7, 48, 40) && !reads(50, 48, 41) && !reads(8, 48, 42)); /* readers do not conflict */
  end();
}
END_TEST

START_TEST(test_two_readers) {
  begin(96);
  ck_assert(!reads(1, 0, 10) && !reads(2, 0, 11));
  ck_assert(writes(1, 0, 12));
  expect(2, 11, false, 0);
  ck_assert(!reads(1, 4, 10) && !reads(2, 4, 11));
  ck_assert(writes(2, 4, 12));
  expect(1, 10, false, 4);
  /* Many readers of two warps: whichever writes, somebody of the other one is remembered. */
  for (unsigned writer = 0; writer < 64; writer += 32) {
    for (unsigned t = 0; t < 64; t++) ck_assert(!reads(t, 8 + writer, 20 + t));
    race_warp_sync(tracker, writer / 32, all_lanes);
    ck_assert(writes(writer, 8 + writer, 100));
    ck_assert_uint_eq(found.thread / 32, 1 - writer / 32);
  }
  /* A read that came before another one gives way to it. */
  ck_assert(!reads(1, 12, 10) && !reads(2, 12, 11));
  race_warp_sync(tracker, 0, 6);
  ck_assert(!reads(1, 12, 12) && !reads(70, 12, 13));
  ck_assert(writes(2, 12, 14));
  ck_assert(!reads(1, 16, 10) && !reads(2, 16, 11));
  race_warp_sync(tracker, 0, 0xe);
  ck_assert(!reads(3, 16, 12) && !reads(70, 16, 13));
  race_release(tracker, 70, RACE_OTHER);
  race_acquire(tracker, 1, RACE_OTHER);
  ck_assert(writes(1, 16, 14));
  expect(3, 12, false, 16);
  end();
}
END_TEST

START_TEST(test_barrier) {
  begin(100);
  for (unsigned round = 0; round < 10; round++) {
    for (unsigned t = 0; t < 100; t++) ck_assert(!writes(t, t * 4, 10));
    race_barrier(tracker);
    for (unsigned t = 0; t < 100; t++) ck_assert(!reads(t, (99 - t) * 4, 11));
    race_barrier(tracker);
  }
  ck_assert(!writes(0, 0, 12));
  race_warp_sync(tracker, 0, all_lanes);
  ck_assert(!reads(31, 0, 13));
  ck_assert(reads(32, 0, 14));
  end();
}
END_TEST

START_TEST(test_warp_sync) {
  begin(40);
  ck_assert(!writes(1, 0, 10));
  race_warp_sync(tracker, 0, all_lanes);
  ck_assert(!writes(2, 0, 11));
  race_warp_sync(tracker, 0, 0xc); /* lanes 2 and 3 */
  ck_assert(!writes(3, 0, 12));
  ck_assert(reads(1, 0, 13));
  race_warp_sync(tracker, 0, 0x2); /* alone: nothing */
  ck_assert(reads(1, 0, 14));
  race_warp_sync(tracker, 1, all_lanes); /* another one, of 8 lanes */
  ck_assert(reads(1, 0, 15));
  /* From lane to lane. */
  ck_assert(!writes(4, 4, 20));
  race_warp_sync(tracker, 0, 0x30);
  race_warp_sync(tracker, 0, 0x60);
  ck_assert(!writes(6, 4, 21));
  ck_assert(writes(5, 4, 22));
  /* The last warp has 8 lanes only; those are all. */
  ck_assert(!writes(32, 8, 30));
  race_warp_sync(tracker, 1, 0xff);
  ck_assert(!writes(39, 8, 31));
  race_warp_sync(tracker, 99, all_lanes);
  end();
}
END_TEST

START_TEST(test_keys) {
  begin(1024);
  const uint32_t keys[] = {64, RACE_NAMED_BARRIER + 3, RACE_OTHER + 3};
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned j = 0; j < 3; j++) {
      race_barrier(tracker);
      ck_assert(!writes(5, 0, 10));
      race_release(tracker, 5, keys[i]);
      ck_assert(!writes(5, 4, 11)); /* too late to be known */
      race_acquire(tracker, 900, keys[j]);
      ck_assert_int_eq(reads(900, 0, 12), i != j);
      ck_assert(reads(900, 4, 13));
      expect(5, 11, true, 4);
    }
  }
  end();
}
END_TEST

START_TEST(test_chain) {
  begin(128);
  ck_assert(!writes(0, 0, 10));
  race_warp_sync(tracker, 0, 0x3); /* 0 to 1 */
  race_release(tracker, 1, RACE_NAMED_BARRIER + 1);
  race_acquire(tracker, 40, RACE_NAMED_BARRIER + 1);
  race_warp_sync(tracker, 1, all_lanes); /* 40 to 50 */
  race_release(tracker, 50, 512);
  race_acquire(tracker, 100, 512);
  race_warp_sync(tracker, 3, 0x30); /* 100 to 101 */
  ck_assert(!writes(101, 0, 11));
  ck_assert(!reads(101, 0, 12));
  ck_assert(reads(102, 0, 13));
  ck_assert(reads(40, 0, 14)); /* 101's write is not known to it */
  end();
}
END_TEST

START_TEST(test_strong) {
  begin(128);
  /* A flag: the data before it is known to whoever has seen it. */
  ck_assert(!writes(0, 0, 10));
  ck_assert(!writes_strongly(0, 64, 11));
  ck_assert(!reads_strongly(70, 64, 12));
  ck_assert(!reads(70, 0, 13));
  ck_assert(reads(71, 0, 14));
  /* A counter: the last one to come knows all the others' data. */
  race_barrier(tracker);
  for (unsigned t = 0; t < 128; t++) {
    ck_assert(!writes(t, 128 + t * 4, 20));
    ck_assert(!writes_strongly(t, 64, 21));
  }
  for (unsigned t = 0; t < 128; t++) ck_assert(!reads(127, 128 + t * 4, 22));
  ck_assert(reads(0, 132, 23));
  /* A strong access conflicts with a plain one. */
  race_barrier(tracker);
  ck_assert(!writes_strongly(1, 0, 30));
  ck_assert(reads(2, 0, 31));
  ck_assert(!writes(1, 4, 32));
  ck_assert(reads_strongly(2, 4, 33));
  ck_assert(!reads_strongly(1, 8, 34));
  ck_assert(!writes_strongly(40, 8, 35));
  ck_assert(!reads_strongly(1, 12, 36));
  ck_assert(writes(40, 12, 37));
  /* A plain read is not hidden by a strong one. */
  ck_assert(!reads(1, 16, 38) && !reads_strongly(1, 16, 39));
  ck_assert(writes_strongly(40, 16, 40));
  expect(1, 38, false, 16);
  end();
}
END_TEST

START_TEST(test_wide_flag) {
  begin(64);
  ck_assert(!writes(0, 0, 10));
  ck_assert(!race_write(tracker, 0, 64, 8, true, 11, &found));
  ck_assert(!race_read(tracker, 33, 68, 4, true, 12, &found));
  ck_assert(!reads(33, 0, 13));
  end();
}
END_TEST

START_TEST(test_one_store_of_many_lanes) {
  begin(64);
  for (unsigned t = 0; t < 32; t++) ck_assert(!writes(t, 0, 10));
  ck_assert(writes(32, 0, 10)); /* another warp */
  expect(31, 10, true, 0);
  race_barrier(tracker);
  for (unsigned t = 0; t < 16; t++) ck_assert(!writes(t, 0, 10));
  for (unsigned t = 16; t < 32; t++) ck_assert_int_eq(writes(t, 0, 11), t == 16); /* another store */
  race_barrier(tracker);
  for (unsigned t = 0; t < 32; t++) ck_assert(!writes(t, 0, 10));
  ck_assert(writes(0, 0, 10)); /* the same one again */
  race_barrier(tracker);
  for (unsigned t = 4; t < 8; t++)
    ck_assert(!writes(t, 8, 10)); /* some, then all in the next iteration */
  for (unsigned t = 0; t < 32; t++) ck_assert(!writes(t, 0, 10));
  race_barrier(tracker);
  for (unsigned t = 0; t < 32; t++) ck_assert(!writes(t, 0, 10) && !writes(t, 0, 10)); /* in pieces */
  ck_assert(reads(3, 0, 11));
  end();
}
END_TEST

START_TEST(test_bytes) {
  begin(64);
  for (unsigned t = 0; t < 8; t++) ck_assert(!race_write(tracker, t, t, 1, false, 10, &found));
  for (unsigned t = 0; t < 8; t++) ck_assert(!race_read(tracker, t, t, 1, false, 11, &found));
  ck_assert(race_read(tracker, 6, 4, 4, false, 12, &found));
  expect(4, 10, true, 4);
  ck_assert(race_read(tracker, 6, 6, 2, false, 13, &found));
  expect(7, 10, true, 7);
  /* Across words, and pieces of what was written whole. */
  ck_assert(!race_write(tracker, 9, 100, 16, false, 14, &found));
  ck_assert(race_read(tracker, 10, 98, 4, false, 15, &found));
  expect(9, 14, true, 100);
  ck_assert(race_read(tracker, 10, 115, 2, false, 16, &found));
  expect(9, 14, true, 115);
  ck_assert(!race_read(tracker, 10, 116, 8, false, 17, &found));
  /* Whole again after a barrier, with nothing lost. */
  race_barrier(tracker);
  ck_assert(!writes(1, 4, 20) && !race_read(tracker, 1, 5, 1, false, 21, &found));
  ck_assert(writes(2, 4, 22));
  ck_assert(!race_read(tracker, 2, 12, 1, false, 23, &found));
  race_barrier(tracker);
  ck_assert(!race_write(tracker, 2, 13, 1, false, 24, &found));
  ck_assert(reads(3, 12, 25));
  expect(2, 24, true, 13);
  end();
}
END_TEST

START_TEST(test_limits) {
  ck_assert_ptr_null(race_create(0, 16));
  ck_assert_ptr_null(race_create(1025, 16));
  race_free(NULL);
  race_tracker *r = race_create(1024, 6);
  ck_assert(!race_write(r, 0, 4, 100, false, 10, &found)); /* what there is of it */
  ck_assert(race_write(r, 1023, 5, 1, false, 11, &found));
  expect(0, 10, true, 5);
  ck_assert(!race_write(r, 1, 8, 4, false, 12, &found));
  ck_assert(!race_write(r, 1, UINT32_MAX, 4, true, 12, &found));
  ck_assert(!race_write(r, 1, 0, 0, false, 12, &found));
  ck_assert(!race_write(r, 1024, 0, 4, false, 12, &found));
  race_release(r, 1024, 0);
  race_acquire(r, 1024, 0);
  ck_assert(!race_read(r, 1022, 0, 1, false, UINT32_MAX, &found));
  ck_assert(race_write(r, 1, 0, 1, false, 13, &found));
  expect(1022, (1 << 21) - 1, false, 0);
  race_free(r);
  r = race_create(32, 0);
  ck_assert(!race_write(r, 0, 0, 4, false, 10, &found));
  race_free(r);
}
END_TEST

/* What lanes of a warp execute together, and what a call for each of them says. */
typedef struct joint {
  uint32_t lanes, offsets[32];
  int first; /* in conflict */
  race_conflict conflict;
} joint;

static void joint_add(joint *j, unsigned lane, uint32_t offset, bool races, const race_conflict *c) {
  j->lanes |= 1u << lane;
  j->offsets[lane] = offset;
  if (!races || j->first >= 0) return;
  j->first = (int)lane;
  j->conflict = *c;
}

static void twin_access(const joint *j, unsigned warp, const race_access *how, uint32_t seed) {
  race_conflict c;
  const int first = race_warp_access(twin, warp, j->lanes, j->offsets, how, &c);
  const race_conflict *o = &j->conflict;
  const bool alike =
      first == j->first && (first < 0 || (c.thread == o->thread && c.ptx_line == o->ptx_line &&
                                          c.was_write == o->was_write && c.offset == o->offset));
  ck_assert_msg(alike, "program %u, line %u: lane %d in conflict, one by one it is %d", seed,
                how->ptx_line, first, j->first);
}

/* The model: full vectors, and all accesses since the last barrier of the block. */
enum { THREADS = 100, BYTES = 16, KEYS = 8, EVENTS = 2000 };

typedef struct event {
  unsigned thread, line, execution;
  uint32_t clock;
  uint32_t offset, bytes;
  bool is_write, strong;
} event;

static struct {
  uint32_t known[THREADS][THREADS], released[KEYS][THREADS];
  event events[EVENTS];
  unsigned count, since_barrier, line, execution;
} model;

static void join(uint32_t *to, const uint32_t *from) {
  for (unsigned i = 0; i < THREADS; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}

static void model_begin(void) {
  memset(&model, 0, sizeof model);
  for (unsigned t = 0; t < THREADS; t++) model.known[t][t] = 1;
}

static void model_sync(unsigned first, unsigned count, uint64_t mask) {
  uint32_t all[THREADS] = {0};
  for (unsigned i = 0; i < count; i++) {
    if (mask >> i % 64 & 1) join(all, model.known[first + i]);
  }
  for (unsigned i = 0; i < count; i++) {
    if ((mask >> i % 64 & 1) == 0) continue;
    memcpy(model.known[first + i], all, sizeof all);
    model.known[first + i][first + i]++;
  }
}

static void model_release(unsigned thread, unsigned key) {
  join(model.released[key], model.known[thread]);
  model.known[thread][thread]++;
}

/* Keys 0 to 3 are the words, the others are named barriers. */
static uint32_t key_of(unsigned key) {
  return key < 4 ? key * 4 : RACE_NAMED_BARRIER + key;
}

static bool conflicts(const event *old, const event *now) {
  if (old->thread == now->thread || (!old->is_write && !now->is_write)) return false;
  if (old->strong && now->strong) return false;
  if (old->is_write && now->is_write && old->execution == now->execution) return false;
  return model.known[now->thread][old->thread] < old->clock;
}

static bool covers(const event *e, uint32_t byte) {
  return byte - e->offset < e->bytes;
}

/* Whether the tracker has no excuse at a byte: the last write conflicts, or one of at most two readers
 * since, as it read last. */
static bool must_be_found(const event *now, uint32_t byte) {
  unsigned readers[2] = {0}, count = 0;
  const event *candidates[2] = {NULL, NULL};
  for (unsigned i = model.count; i-- > model.since_barrier;) {
    const event *e = &model.events[i];
    if (!covers(e, byte)) continue;
    if (e->is_write) {
      if (conflicts(e, now)) return true;
      break;
    }
    unsigned k = 0;
    while (k < count && readers[k] != e->thread) k++;
    if (k < count) continue;
    if (count == 2) return false; /* not sure about the write any more, but that was checked when read */
    readers[count] = e->thread;
    candidates[count++] = e;
  }
  for (unsigned k = 0; k < count; k++) {
    if (conflicts(candidates[k], now)) return true;
  }
  return false;
}

static bool is_real(const event *now, const race_conflict *c) {
  if (!covers(now, c->offset)) return false;
  for (unsigned i = 0; i < model.count; i++) {
    const event *e = &model.events[i];
    if (e->thread == c->thread && e->line == c->ptx_line && e->is_write == c->was_write &&
        covers(e, c->offset) && conflicts(e, now)) {
      return true;
    }
  }
  return false;
}

static unsigned told, silent;
static bool some_told, some_there; /* in this program */

static void both_access(event now, uint32_t seed, joint *j) {
  const uint32_t end_word = (now.offset + now.bytes + 3) / 4;
  for (uint32_t w = now.offset / 4; now.strong && w < end_word; w++) {
    join(model.known[now.thread], model.released[w]);
  }
  now.clock = model.known[now.thread][now.thread];
  bool must = false, may = false;
  for (uint32_t b = now.offset; b < now.offset + now.bytes; b++) must = must || must_be_found(&now, b);
  for (unsigned i = 0; i < model.count && !may; i++) {
    const event *e = &model.events[i];
    const bool overlap = e->offset < now.offset + now.bytes && now.offset < e->offset + e->bytes;
    may = overlap && conflicts(e, &now);
  }
  race_conflict c = {0};
  const bool races = (now.is_write ? race_write : race_read)(tracker, now.thread, now.offset, now.bytes,
                                                             now.strong, now.line, &c);
  if (races) ck_assert_msg(is_real(&now, &c), "program %u: a race that is none", seed);
  if (!races) ck_assert_msg(!must, "program %u: a race is not found", seed);
  told += races;
  silent += !may;
  some_told = some_told || races;
  some_there = some_there || may;
  joint_add(j, now.thread % 32, now.offset, races, &c);
  model.events[model.count++] = now;
  for (uint32_t w = now.offset / 4; now.strong && now.is_write && w < end_word; w++) {
    model_release(now.thread, w);
  }
}

static uint32_t random_state;
static unsigned below(unsigned n) {
  random_state = random_state * 1664525 + 1013904223;
  return (unsigned)(((uint64_t)random_state * n) >> 32);
}

static void choose_place(event *e) {
  e->offset = below(BYTES / e->bytes) * e->bytes;
  if (below(8) == 0) e->offset = below(BYTES - e->bytes + 1);
}

static void random_access(const unsigned *cast, unsigned actors, uint32_t seed) {
  event e = {.thread = cast[below(actors)],
             .line = ++model.line,
             .execution = ++model.execution,
             .bytes = 1u << below(4),
             .is_write = below(2) == 0,
             .strong = below(4) == 0};
  const unsigned warp = e.thread / 32;
  joint j = {.first = -1};
  choose_place(&e);
  /* Sometimes other lanes execute it as well, some time at places of their own. */
  const bool by_many = below(4) == 0, apart = below(4) == 0;
  do {
    if (model.count == EVENTS) break;
    both_access(e, seed, &j);
    if (apart) choose_place(&e);
    e.thread++;
  } while (by_many && e.thread < THREADS && e.thread / 32 == warp && below(4) != 0);
  const race_access how = {
      .bytes = e.bytes, .is_write = e.is_write, .strong = e.strong, .ptx_line = e.line};
  twin_access(&j, warp, &how, seed);
}

static void random_warp_sync(unsigned thread) {
  const unsigned warp = thread / 32, lanes = warp == 3 ? THREADS - 96 : 32;
  uint32_t mask = below(3) == 0 ? all_lanes : (below(1u << 16) << 16 | below(1u << 16));
  if (below(2) == 0) mask |= 1u << thread % 32;
  race_warp_sync(tracker, warp, mask);
  race_warp_sync(twin, warp, mask);
  model_sync(warp * 32, lanes, mask);
}

static void random_step(const unsigned *cast, unsigned actors, uint32_t seed) {
  const unsigned thread = cast[below(actors)], key = below(KEYS), choice = below(40);
  if (choice < 20) {
    random_access(cast, actors, seed);
  } else if (choice < 26) {
    random_warp_sync(thread);
  } else if (choice < 32) {
    race_release(tracker, thread, key_of(key));
    race_release(twin, thread, key_of(key));
    model_release(thread, key);
  } else if (choice < 39) {
    race_acquire(tracker, thread, key_of(key));
    race_acquire(twin, thread, key_of(key));
    join(model.known[thread], model.released[key]);
  } else {
    race_barrier(tracker);
    race_barrier(twin);
    model_sync(0, THREADS, UINT64_MAX);
    model.since_barrier = model.count;
  }
}

START_TEST(test_random) {
  tracker = race_create(THREADS, BYTES);
  twin = race_create(THREADS, BYTES);
  unsigned with_races = 0, with_told = 0;
  for (uint32_t seed = 1; seed <= 3000; seed++) {
    random_state = seed * 7919;
    model_begin();
    some_told = some_there = false;
    /* A tracker that has served before. */
    race_barrier(tracker);
    race_barrier(twin);
    unsigned cast[8];
    const unsigned actors = 2 + below(7);
    for (unsigned i = 0; i < actors; i++) {
      cast[i] = i > 0 && below(2) == 0 ? cast[i - 1] ^ (below(2) + 1) : below(THREADS);
      if (cast[i] >= THREADS) cast[i] = 0;
    }
    const unsigned steps = 20 + below(100);
    for (unsigned i = 0; i < steps; i++) random_step(cast, actors, seed);
    with_races += some_there;
    with_told += some_told;
  }
  end();
  race_free(twin);
  /* Both happen often, and that none is told of several is rare. */
  ck_assert_uint_gt(told, 10000);
  ck_assert_uint_gt(silent, 10000);
  ck_assert_msg(with_told * 100 > with_races * 99, "%u of %u programs", with_told, with_races);
}
END_TEST

/* Whole warps, as the random programs seldom have them: against calls for each lane. */
enum { WARPS = 4, ROOM = 3000 };

static void choose_offsets(uint32_t offsets[32], uint32_t bytes) {
  const unsigned form = below(6), stride = below(40), start = below(ROOM / 4 / bytes);
  for (unsigned l = 0; l < 32; l++) {
    const unsigned item = form == 0   ? start
                          : form == 1 ? below(40)
                          : form == 2 ? start + l * stride % 37
                          : form == 3 ? start + (l & 28)
                                      : start + l;
    offsets[l] = item * bytes;
    if (form == 5 && below(20) == 0) offsets[l] += below(16); /* also past the end, and misaligned */
  }
}

static void random_warp_access(unsigned line, uint32_t seed) {
  static const uint32_t sizes[] = {4, 4, 4, 4, 8, 16, 1, 2, 1, 12, 3};
  static const uint32_t masks[] = {1, 0xffff, 0x55555555, 0xfffffffe};
  const race_access how = {
      .bytes = sizes[below(11)], .is_write = below(2) == 0, .strong = below(12) == 0, .ptx_line = line};
  const unsigned warp = below(WARPS);
  uint32_t mask = below(2) == 0 ? all_lanes : masks[below(4)], offsets[32];
  if (below(8) == 0) mask = below(1u << 16) << 16 | below(1u << 16);
  choose_offsets(offsets, how.bytes);
  joint j = {.first = -1};
  for (unsigned l = 0; l < 32; l++) {
    if ((mask >> l & 1) == 0) continue;
    race_conflict c = {0};
    const bool races = (how.is_write ? race_write : race_read)(tracker, warp * 32 + l, offsets[l],
                                                               how.bytes, how.strong, line, &c);
    joint_add(&j, l, offsets[l], races, &c);
  }
  told += j.first >= 0;
  silent += j.first < 0;
  twin_access(&j, warp, &how, seed);
}

static void random_order(void) {
  const unsigned choice = below(12), thread = below(WARPS * 32), key = RACE_OTHER + below(3);
  const uint32_t mask = below(4) == 0 ? below(1u << 16) << 8 : all_lanes;
  race_tracker *const both[] = {tracker, twin};
  for (unsigned i = 0; i < 2; i++) {
    if (choice < 4) {
      race_barrier(both[i]);
    } else if (choice < 9) {
      for (unsigned w = 0; w < WARPS; w++) race_warp_sync(both[i], w, mask);
    } else if (choice < 10) {
      race_release(both[i], thread, key);
    } else {
      for (unsigned t = 0; t < WARPS * 32; t++) race_acquire(both[i], t, key);
    }
  }
}

START_TEST(test_warp_access) {
  told = silent = 0;
  for (uint32_t seed = 1; seed <= 300; seed++) {
    random_state = seed * 7919;
    tracker = race_create(WARPS * 32 - 5, ROOM);
    twin = race_create(WARPS * 32 - 5, ROOM);
    const unsigned often = 1 + below(6);
    for (unsigned line = 1; line <= 150; line++) {
      if (below(often) == 0) random_order();
      random_warp_access(line, seed);
    }
    race_free(tracker);
    race_free(twin);
  }
  ck_assert_uint_gt(told, 5000);
  ck_assert_uint_gt(silent, 5000);
  tracker = race_create(64, 64);
  const race_access how = {.bytes = 4, .is_write = true, .ptx_line = 1};
  const uint32_t offsets[32] = {0};
  ck_assert_int_eq(race_warp_access(tracker, 2, all_lanes, offsets, &how, &found), -1);
  ck_assert_int_eq(race_warp_access(tracker, 0, 0x30, offsets, &how, &found), -1);
  ck_assert(!writes(2, 32, 1));
  ck_assert_int_eq(race_warp_access(tracker, 0, 0x50, offsets, &how, &found), 4); /* not the same store */
  expect(5, 1, true, 0);
  ck_assert(writes(7, 0, 1));
  expect(6, 1, true, 0);
  end();
}
END_TEST

/* Programs without races, of the usual form, with many threads. */
START_TEST(test_usual_programs) {
  enum { MANY = 1024 };
  tracker = race_create(MANY, MANY * 4);
  for (unsigned round = 0; round < 20; round++) {
    /* A tree with barriers, then with warp syncs. */
    for (unsigned t = 0; t < MANY; t++) ck_assert(!writes(t, t * 4, 1));
    for (unsigned half = MANY / 2; half > 0; half /= 2) {
      if (half >= 32) {
        race_barrier(tracker);
      } else {
        race_warp_sync(tracker, 0, all_lanes);
      }
      for (unsigned t = 0; t < half; t++) {
        if (reads(t, t * 4, 2) || reads(t, (t + half) * 4, 3)) ck_abort_msg("a race that is none");
      }
      if (half < 32) race_warp_sync(tracker, 0, all_lanes);
      for (unsigned t = 0; t < half; t++) ck_assert(!writes(t, t * 4, 4));
    }
    race_barrier(tracker);
    /* From one half of the warps to the other by a named barrier, and back. */
    for (unsigned i = 0; i < 4; i++) {
      for (unsigned t = 0; t < 512; t++) ck_assert(!writes(t, t * 4, 5));
      for (unsigned t = 0; t < 512; t++) race_release(tracker, t, RACE_NAMED_BARRIER + 1);
      for (unsigned t = 512; t < MANY; t++) race_acquire(tracker, t, RACE_NAMED_BARRIER + 1);
      for (unsigned t = 512; t < MANY; t++) ck_assert(!reads(t, (MANY - 1 - t) * 4, 6));
      for (unsigned t = 512; t < MANY; t++) race_release(tracker, t, RACE_NAMED_BARRIER + 2);
      for (unsigned t = 0; t < 512; t++) race_acquire(tracker, t, RACE_NAMED_BARRIER + 2);
      for (unsigned w = 0; w < 32; w++) race_warp_sync(tracker, w, all_lanes);
    }
    race_barrier(tracker);
  }
  end();
}
END_TEST

int main(void) {
  const suite_test tests[] = {
      SUITE_TEST(test_kinds),          SUITE_TEST(test_two_readers),
      SUITE_TEST(test_barrier),        SUITE_TEST(test_warp_sync),
      SUITE_TEST(test_keys),           SUITE_TEST(test_chain),
      SUITE_TEST(test_strong),         SUITE_TEST(test_wide_flag),
      SUITE_TEST(test_bytes),          SUITE_TEST(test_one_store_of_many_lanes),
      SUITE_TEST(test_limits),         SUITE_TEST(test_random),
      SUITE_TEST(test_usual_programs), SUITE_TEST(test_warp_access),
  };
  return SUITE_RUN("softgpu-race", tests, false);
}
