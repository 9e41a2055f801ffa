/* The arena, its shadow, and what is said about a program. Each test is a process of its own. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/report.h"
#include "memory/memory.h"
#include "suite.h"

#define HAS(text, part) ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text)
#define HAS_NOT(text, part) ck_assert_msg(strstr(text, part) == NULL, "\"%s\" in:\n%s", part, text)

static allocation *take(uint64_t size, allocation_kind kind) {
  allocation *a = memory_allocate(size, kind, 0, NULL);
  ck_assert_ptr_nonnull(a);
  return a;
}

static uint8_t *bytes(const allocation *a) {
  return (uint8_t *)(uintptr_t)a->address;
}

/* As a program sees it. */
static bool is_set(const allocation *a, uint64_t offset) {
  return atomic_load(&a->all_set) || *memory_shadow(a->address + offset) == SHADOW_SET;
}

static uint64_t set_count(const allocation *a) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < a->size; i++) count += is_set(a, i);
  return count;
}

START_TEST(test_allocate) {
  uint64_t end = 0;
  for (uint64_t size = 1; size < 10000000; size = size * 3 + 1) {
    allocation *a = take(size, ALLOCATION_DEVICE);
    ck_assert_uint_eq(a->address % 4096, 0);
    if (size >= 65536) ck_assert_uint_eq(a->address % 65536, 0);
    ck_assert_uint_ge(a->address, end + 4096);
    end = (a->address + size + 4095) / 4096 * 4096;
    bytes(a)[0] = 1;
    bytes(a)[size - 1] = 2;
    ck_assert_ptr_eq(memory_find(a->address), a);
    ck_assert_ptr_eq(memory_find(a->address + size - 1), a);
    ck_assert_ptr_null(memory_find(a->address + size));
    ck_assert_ptr_null(memory_find(a->address - 1));
    ck_assert_ptr_eq(memory_holding(a->address, size), a);
    ck_assert_ptr_null(memory_holding(a->address, size + 1));
    ck_assert_ptr_null(memory_holding(a->address, UINT64_MAX));
    ck_assert_ptr_null(memory_holding(end, 1));
    ck_assert(!is_set(a, 0) && !is_set(a, size - 1));
  }
  ck_assert_ptr_null(memory_find(0));
  ck_assert_ptr_null(memory_find(UINT64_MAX));
}
END_TEST

START_TEST(test_in_use) {
  allocation *a = memory_allocate(1000, ALLOCATION_DEVICE, 3, NULL);
  allocation *b = memory_allocate(10, ALLOCATION_HEAP, 3, NULL);
  allocation *c = memory_allocate(10000, ALLOCATION_HOST, 3, NULL);
  ck_assert_uint_eq(memory_in_use(3), 1010);
  ck_assert_uint_eq(memory_in_use(0), 0);
  memory_release(a);
  memory_release(a);
  memory_release(c);
  ck_assert_uint_eq(memory_in_use(3), 10);
  memory_release(b);
  ck_assert_uint_eq(memory_in_use(3), 0);
  ck_assert_uint_eq(memory_in_use(-1), 0);
  ck_assert_uint_eq(memory_in_use(1000), 0);
}
END_TEST

/* Sanitizers need more addresses than a limit leaves. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

START_TEST(test_exhausted) {
  const bool limited = __asan_init == NULL && __tsan_init == NULL;
  /* Before the arena exists: it has to do with what there is. */
  const struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  if (limited) ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
  ck_assert(memory_begin());
  ck_assert(!limited || memory_arena.size < (uint64_t)4 << 30);
  ck_assert_ptr_null(memory_allocate(memory_arena.size, ALLOCATION_DEVICE, 0, NULL));
  ck_assert_ptr_null(memory_allocate(memory_arena.size + 1, ALLOCATION_DEVICE, 0, NULL));
  ck_assert_ptr_null(memory_allocate(UINT64_MAX, ALLOCATION_DEVICE, 0, NULL));
  if (!limited) return; /* using them up takes long */
  const uint64_t part = memory_arena.size / 8;
  unsigned count = 0;
  allocation *a, *last = NULL;
  while ((a = memory_allocate(part, ALLOCATION_DEVICE, 0, NULL)) != NULL) {
    last = a;
    count++;
    memory_release(a);
  }
  ck_assert_uint_eq(count, 7);
  ck_assert_uint_le(last->address + last->size, memory_arena.base + memory_arena.size);
  ck_assert_uint_eq(memory_in_use(0), 0);
  ck_assert_ptr_nonnull(memory_allocate(part / 2, ALLOCATION_DEVICE, 0, NULL));
}
END_TEST

START_TEST(test_many) {
  enum { MANY = 50000 };
  ck_assert(memory_begin());
  if (memory_arena.size < (uint64_t)16 << 30) return; /* a process with a limit */
  allocation **all = calloc(MANY, sizeof *all);
  ck_assert_ptr_nonnull(all);
  for (unsigned i = 0; i < MANY; i++) {
    all[i] = take(16, ALLOCATION_HEAP);
    bytes(all[i])[15] = (uint8_t)i;
  }
  for (unsigned i = 0; i < MANY; i++) {
    ck_assert_uint_eq(bytes(all[i])[15], (uint8_t)i);
    ck_assert_ptr_eq(memory_holding(all[i]->address, 16), all[i]);
    memory_release(all[i]);
  }
  for (unsigned i = 0; i < MANY; i++) memory_release(take(100, ALLOCATION_HOST));
  free(all);
}
END_TEST

START_TEST(test_use_after_free) {
  allocation *before = take(100, ALLOCATION_DEVICE);
  allocation *a = take(5000, ALLOCATION_ASYNC);
  memset(bytes(a), 1, 5000);
  memory_mark(a, a->address, 10, true);
  memory_release(a);
  ck_assert(atomic_load(&a->freed));
  ck_assert_ptr_null(memory_find(a->address));
  ck_assert_ptr_null(memory_holding(a->address, 1));
  ck_assert_ptr_eq(memory_nearest(a->address + 4999), a);
  ck_assert_ptr_eq(memory_nearest(a->address + 5000), a);
  ck_assert_uint_eq(*memory_shadow(a->address), SHADOW_UNSET);
  bytes(a)[0]++; /* no fault */
  allocation *after = take(5000, ALLOCATION_ASYNC);
  ck_assert_uint_gt(after->address, a->address);
  ck_assert_ptr_eq(memory_nearest(a->address - 1), a);
  ck_assert_ptr_eq(memory_nearest(before->address + 100), before);
}
END_TEST

START_TEST(test_nearest) {
  allocation *a = take(1 << 16, ALLOCATION_DEVICE);
  const uint64_t end = a->address + a->size;
  ck_assert_ptr_eq(memory_nearest(end + 1000000), a);
  ck_assert_ptr_null(memory_nearest(end + (3 << 20)));
  ck_assert_ptr_eq(memory_nearest(memory_arena.base), a);
  ck_assert_ptr_null(memory_nearest(memory_arena.base + memory_arena.size - 1));
  ck_assert_ptr_null(memory_nearest(0));
  allocation *b = take(100, ALLOCATION_DEVICE);
  ck_assert_ptr_eq(memory_nearest(end + 1), a);
  ck_assert_ptr_eq(memory_nearest(b->address - 1), b);
  ck_assert_ptr_eq(memory_nearest(b->address + 4095), b);
}
END_TEST

/* Whether a process that writes the byte is ended for it. */
static bool faults(uint8_t *at) {
  const pid_t child = fork();
  if (child == 0) {
    (void)signal(SIGSEGV, SIG_DFL);
    *(volatile uint8_t *)at = 1;
    _exit(0);
  }
  int status = 0;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

START_TEST(test_host_memory_is_closed_around) {
  (void)take(1, ALLOCATION_DEVICE);
  const allocation_kind kinds[] = {ALLOCATION_HOST, ALLOCATION_MANAGED};
  for (size_t i = 0; i < 2; i++) {
    allocation *a = take(8192, kinds[i]);
    (void)take(1, ALLOCATION_DEVICE);
    ck_assert(atomic_load(&a->all_set));
    ck_assert(!faults(bytes(a)) && !faults(bytes(a) + 8191));
    ck_assert(faults(bytes(a) - 1) && faults(bytes(a) + 8192));
    memory_mark(a, a->address, 1, false);
    memory_mark(a, a->address, 8192, false);
    ck_assert(is_set(a, 0));
    memory_release(a);
    ck_assert(faults(bytes(a)));
  }
}
END_TEST

START_TEST(test_register) {
  char *buffer = calloc(1, 10000);
  ck_assert_ptr_nonnull(buffer);
  const uint64_t at = (uint64_t)(uintptr_t)buffer;
  allocation *a = memory_register(buffer + 1000, 5000, 0);
  ck_assert_ptr_nonnull(a);
  ck_assert_ptr_eq(memory_find(at + 1000), a);
  ck_assert_ptr_eq(memory_find(at + 5999), a);
  ck_assert_ptr_null(memory_find(at + 999));
  ck_assert_ptr_null(memory_find(at + 6000));
  ck_assert_ptr_eq(memory_holding(at + 5990, 10), a);
  ck_assert_ptr_null(memory_holding(at + 5990, 11));
  ck_assert_ptr_eq(memory_nearest(at + 6100), a);
  ck_assert_ptr_null(memory_shadow(at + 1000));
  ck_assert_ptr_null(memory_register(buffer + 5999, 10, 0));
  ck_assert_ptr_null(memory_register(buffer, 10000, 0));
  ck_assert_ptr_null(memory_register(buffer, 1001, 0));
  ck_assert_ptr_null(memory_register(bytes(take(10, ALLOCATION_DEVICE)), 10, 0));
  allocation *b = memory_register(buffer, 1000, 0), *c = memory_register(buffer + 6000, 1000, 0);
  ck_assert(b != NULL && c != NULL);
  memory_release(a);
  ck_assert_ptr_null(memory_find(at + 1000));
  ck_assert_ptr_eq(memory_nearest(at + 3000), a);
  ck_assert_ptr_eq(memory_find(at), b);
  ck_assert_ptr_eq(memory_find(at + 6000), c);
  allocation *again = memory_register(buffer + 1000, 5000, 0);
  ck_assert_ptr_eq(memory_find(at + 1000), again);
  ck_assert_ptr_eq(memory_nearest(at + 1000), again);
  ck_assert_uint_eq(memory_in_use(0), 10);
  memory_release(b);
  memory_release(c);
  memory_release(again);
  ck_assert_ptr_null(memory_find(at + 1000));
  free(buffer);
}
END_TEST

START_TEST(test_mark) {
  allocation *a = take(10000, ALLOCATION_DEVICE);
  memory_mark(a, a->address + 10, 20, true);
  ck_assert_uint_eq(set_count(a), 20);
  ck_assert(is_set(a, 10) && is_set(a, 29) && !is_set(a, 9) && !is_set(a, 30));
  memory_mark(a, a->address, 0, true);
  memory_mark(a, a->address + 12, 2, false);
  ck_assert_uint_eq(set_count(a), 18);
  memory_mark(a, a->address, 10000, true);
  ck_assert(atomic_load(&a->all_set));
  memory_mark(a, a->address + 5000, 1000, false);
  ck_assert(!atomic_load(&a->all_set));
  ck_assert_uint_eq(set_count(a), 9000);
  ck_assert(!is_set(a, 5000) && !is_set(a, 5999) && is_set(a, 0) && is_set(a, 9999));
  memory_mark(a, a->address, 10000, false);
  ck_assert_uint_eq(set_count(a), 0);
  memory_mark(a, a->address, 10000, true);
  memory_mark(a, a->address, 10000, false);
  ck_assert_uint_eq(set_count(a), 0);
}
END_TEST

START_TEST(test_copy) {
  uint8_t host[1000];
  for (unsigned i = 0; i < 1000; i++) host[i] = (uint8_t)(i * 7);
  allocation *a = take(1000, ALLOCATION_DEVICE), *b = take(1000, ALLOCATION_DEVICE);
  memory_copy(bytes(a) + 100, host + 100, 300);
  ck_assert_uint_eq(set_count(a), 300);
  memory_copy(bytes(b), bytes(a) + 90, 100); /* 10 unset, 90 set */
  ck_assert_mem_eq(bytes(b) + 10, host + 100, 90);
  ck_assert_uint_eq(set_count(b), 90);
  ck_assert(!is_set(b, 9) && is_set(b, 10));
  memory_copy(bytes(b), host, 1000);
  ck_assert(atomic_load(&b->all_set));
  memory_copy(bytes(b) + 500, bytes(a) + 390, 20); /* 10 set, 10 unset */
  ck_assert(!atomic_load(&b->all_set));
  ck_assert_uint_eq(set_count(b), 990);
  ck_assert(is_set(b, 509) && !is_set(b, 510) && !is_set(b, 519) && is_set(b, 520));
  memory_copy(host, bytes(b), 1000); /* to the host: nothing to mark */
  ck_assert_uint_eq(set_count(b), 990);
  memory_mark(a, a->address, 1000, true);
  memory_copy(bytes(b), bytes(a), 1000);
  ck_assert(atomic_load(&b->all_set));
  memory_copy(NULL, NULL, 0);
}
END_TEST

/* Of zeros, pages are dropped; what is beside them stays. */
START_TEST(test_fill) {
  enum { BIG = 3 << 20 };
  static const uint64_t begins[] = {0, 1, 4095, 4096, 5000},
                        sizes[] = {1, 4096, (1 << 20) - 1, 1 << 20, 2000003};
  allocation *a = memory_allocate(BIG, ALLOCATION_DEVICE, 0, NULL);
  ck_assert_ptr_nonnull(a);
  unsigned char *all = (unsigned char *)(uintptr_t)a->address;
  for (size_t b = 0; b < sizeof begins / sizeof *begins; ++b) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      for (unsigned value = 0; value < 2; ++value) {
        memory_fill(all, 0xcd, 1, BIG);
        memory_fill(all + begins[b], value, 1, sizes[s]);
        for (uint64_t i = 0; i < BIG; ++i) {
          const bool is_inside = i - begins[b] < sizes[s];
          if (all[i] != (is_inside ? value : 0xcd))
            ck_abort_msg("byte %ju of %ju from %ju on is %d", (uintmax_t)i, (uintmax_t)sizes[s],
                         (uintmax_t)begins[b], all[i]);
        }
      }
    }
  }
  memory_release(a);
}
END_TEST

START_TEST(test_copy_overlapping) {
  allocation *a = take(100, ALLOCATION_DEVICE);
  uint8_t host[100];
  for (unsigned i = 0; i < 100; i++) host[i] = (uint8_t)i;
  memory_copy(bytes(a), host, 50);
  memory_copy(bytes(a) + 10, bytes(a), 60);
  ck_assert_mem_eq(bytes(a) + 10, host, 50);
  ck_assert_uint_eq(set_count(a), 60);
  memory_copy(bytes(a), bytes(a) + 20, 60);
  ck_assert_mem_eq(bytes(a), host + 10, 40);
  ck_assert_uint_eq(set_count(a), 40);
  ck_assert(is_set(a, 39) && !is_set(a, 40));
}
END_TEST

/* Any sequence of marks and copies against plain arrays. */
START_TEST(test_random_shadow) {
  enum { SIZE = 64, COUNT = 3 };
  allocation *a[COUNT];
  bool model[COUNT][SIZE] = {0};
  for (int i = 0; i < COUNT; i++) a[i] = take(SIZE, ALLOCATION_DEVICE);
  srand(1);
  for (int step = 0; step < 100000; step++) {
    const int to = rand() % COUNT, from = rand() % COUNT;
    const bool all = rand() % 4 == 0;
    const unsigned size = all ? SIZE : (unsigned)rand() % SIZE + 1;
    const unsigned at = (unsigned)rand() % (SIZE - size + 1),
                   source = (unsigned)rand() % (SIZE - size + 1);
    if (rand() % 2 == 0) {
      memory_copy(bytes(a[to]) + at, bytes(a[from]) + source, size);
      memmove(&model[to][at], &model[from][source], size);
    } else {
      const bool set = rand() % 2 == 0;
      memory_mark(a[to], a[to]->address + at, size, set);
      memset(&model[to][at], set, size);
    }
    unsigned same = 0;
    for (unsigned i = 0; i < SIZE; i++) same += is_set(a[to], i) == model[to][i];
    ck_assert_msg(same == SIZE, "%u of %d bytes are right after step %d", same, SIZE, step);
  }
}
END_TEST

static void count_live(allocation *a, void *data) {
  unsigned *last = data;
  ck_assert_uint_gt(a->serial, *last);
  *last = a->serial;
  if (a->kind == ALLOCATION_VARIABLE) ck_assert_str_eq(a->name, "table");
  memory_release(a);
}

START_TEST(test_each) {
  allocation *a = take(10, ALLOCATION_DEVICE), *b = take(10, ALLOCATION_DEVICE);
  char name[] = "table";
  allocation *c = memory_allocate(10, ALLOCATION_VARIABLE, 0, name);
  name[0] = 'x';
  memory_release(a);
  unsigned last = 0;
  memory_each(count_live, &last);
  ck_assert_uint_eq(last, c->serial);
  ck_assert(atomic_load(&b->freed) && atomic_load(&c->freed));
}
END_TEST

static void *allocate_and_look(void *data) {
  static _Atomic(allocation *) shared;
  char own[64];
  for (unsigned i = 0; i < 2000; i++) {
    allocation *a = take(i + 1, i % 8 == 0 ? ALLOCATION_HOST : ALLOCATION_DEVICE);
    atomic_store(&shared, a);
    allocation *other = atomic_load(&shared);
    allocation *found = memory_holding(other->address, other->size);
    ck_assert(found == NULL || found == other);
    ck_assert_ptr_eq(memory_holding(a->address, a->size), a);
    memory_mark(a, a->address, 1, true);
    if (i % 3 != 0) memory_release(a);
    allocation *r = memory_register(own, sizeof own, 0);
    ck_assert_ptr_eq(memory_find((uint64_t)(uintptr_t)own + 63), r);
    memory_release(r);
  }
  return data;
}

START_TEST(test_threads) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate_and_look, NULL), 0);
  }
  for (int i = 0; i < 4; i++) (void)pthread_join(threads[i], NULL);
}
END_TEST

static char log_path[] = "/tmp/softgpu-log-XXXXXX";

static void begin_log(void) {
  const int file = mkstemp(log_path);
  ck_assert_int_ge(file, 0);
  (void)close(file);
  (void)setenv("JIG_SOFTGPU_LOG", log_path, 1);
}

/* What has been said; also that every line is marked. */
static char *end_log(void) {
  static char text[1 << 20];
  FILE *file = fopen(log_path, "r");
  ck_assert_ptr_nonnull(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  (void)fclose(file);
  (void)unlink(log_path);
  for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
    ck_assert_msg(strncmp(line, "========= ", 10) == 0, "a line without mark:\n%s", text);
    ck_assert_msg(strchr(line, '\n') != NULL, "a line without end:\n%s", text);
  }
  return text;
}

static unsigned occurrences(const char *text, const char *part) {
  unsigned count = 0;
  for (; (text = strstr(text, part)) != NULL; text++) count++;
  return count;
}

static bool tell(report_kind kind, const char *kernel, unsigned line) {
  const report_place place = {.kernel = kernel, .ptx_line = line};
  return report(kind, &place, "something");
}

START_TEST(test_report_form) {
  begin_log();
  report_end(); /* nothing to say */
  allocation *a = take(1024, ALLOCATION_DEVICE);
  const report_place place = {.kernel = "jig_reduce",
                              .instruction = "st.global.u32 [%rd3], %r5",
                              .ptx_line = 123,
                              .source = "file.cu",
                              .source_line = 45,
                              .has_thread = true,
                              .thread = {3, 1, 2},
                              .block = {4, 5, 6},
                              .address = a->address + 1028,
                              .has_address = true};
  ck_assert(report(REPORT_OUT_OF_BOUNDS, &place, "write of %d bytes", 4));
  report_detail("warp %d waits", 7);
  report_end();
  const char *text = end_log();
  char expected[2000];
  (void)snprintf(
      expected, sizeof expected,
      "========= jig software GPU: out of bounds (report 1)\n"
      "=========   write of 4 bytes\n"
      "=========   at kernel jig_reduce, PTX line 123: st.global.u32 [%%rd3], %%r5\n"
      "=========   source file.cu:45\n"
      "=========   thread (3,1,2) of block (4,5,6)\n"
      "=========   address 0x%llx is 4 bytes past the end of 1024 bytes allocated by cuMemAlloc "
      "(allocation 1)\n"
      "=========   warp 7 waits\n"
      "========= jig software GPU: 1 report (1 told): 1 out of bounds\n",
      (unsigned long long)a->address + 1028);
  ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(test_report_kinds) {
  begin_log();
  static const char *const names[REPORT_KINDS] = {"out of bounds",
                                                  "use after free",
                                                  "misaligned access",
                                                  "write to read-only memory",
                                                  "uninitialised read",
                                                  "shared-memory race",
                                                  "missing order",
                                                  "barrier not reached by all",
                                                  "invalid member mask",
                                                  "deadlock",
                                                  "trap",
                                                  "host call",
                                                  "leak"};
  for (int i = 0; i < REPORT_KINDS; i++) {
    ck_assert(report((report_kind)i, NULL, "message %d.", i));
    ck_assert_uint_eq(report_count((report_kind)i), 1);
    ck_assert_uint_eq(report_count(REPORT_KINDS), (unsigned)i + 1);
  }
  const char *text = end_log();
  for (int i = 0; i < REPORT_KINDS; i++) {
    char line[200];
    (void)snprintf(line, sizeof line, ": %s (report %d)\n=========   message %d.\n", names[i], i + 1, i);
    HAS(text, line);
  }
}
END_TEST

START_TEST(test_report_addresses) {
  begin_log();
  allocation *a = take(100, ALLOCATION_DEVICE);
  allocation *b = memory_allocate(64, ALLOCATION_VARIABLE, 0, "table");
  memory_release(a);
  report_place place = {.has_address = true, .address = a->address + 98};
  (void)report(REPORT_USE_AFTER_FREE, &place, "1");
  place.address = b->address + 64;
  (void)report(REPORT_OUT_OF_BOUNDS, &place, "2");
  place.address = b->address - 1;
  (void)report(REPORT_OUT_OF_BOUNDS, &place, "3");
  place.address = 16;
  (void)report(REPORT_OUT_OF_BOUNDS, &place, "4");
  place = (report_place){.instruction = "ret", .ptx_line = 7};
  (void)report(REPORT_TRAP, &place, "5");
  const char *text = end_log();
  HAS(text, "is at byte 98 of 100 bytes allocated by cuMemAlloc (allocation 1, freed)\n");
  HAS(text, "is right past the end of 64 bytes of a module's variable table (allocation 2)\n");
  HAS(text, "is 1 byte before 64 bytes of a module's variable table (allocation 2)\n");
  HAS(text, "address 0x10 is not near anything allocated\n");
  HAS(text, "  at an unknown kernel, PTX line 7: ret\n");
}
END_TEST

START_TEST(test_report_once) {
  begin_log();
  ck_assert(tell(REPORT_RACE, "k", 1));
  ck_assert(!tell(REPORT_RACE, "k", 1));
  report_detail("not to be seen");
  ck_assert(tell(REPORT_RACE, "k", 2));
  ck_assert(tell(REPORT_RACE, "l", 1));
  ck_assert(tell(REPORT_TRAP, "k", 1));
  ck_assert(tell(REPORT_LEAK, "k", 1) && tell(REPORT_LEAK, "k", 1));
  ck_assert(tell(REPORT_HOST, "k", 1) && tell(REPORT_HOST, "k", 1));
  ck_assert(tell(REPORT_TRAP, NULL, 0) && tell(REPORT_TRAP, NULL, 0));
  ck_assert_uint_eq(report_count(REPORT_RACE), 4);
  ck_assert_uint_eq(report_count(REPORT_KINDS), 11);
  report_end();
  const char *text = end_log();
  HAS_NOT(text, "not to be seen");
  HAS(text, ": 11 reports (10 told): 4 shared-memory race, 3 trap, 2 host call, 2 leak\n");
}
END_TEST

START_TEST(test_report_cap) {
  begin_log();
  for (unsigned i = 1; i <= 500; i++) ck_assert_int_eq(tell(REPORT_RACE, "k", i), i <= 100);
  report_detail("not to be seen");
  ck_assert_uint_eq(report_count(REPORT_RACE), 500);
  report_end();
  const char *text = end_log();
  ck_assert_uint_eq(occurrences(text, "something"), 100);
  ck_assert_uint_eq(occurrences(text, "100 reports have been told, further ones are counted only\n"), 1);
  HAS_NOT(text, "not to be seen");
  HAS(text, ": 500 reports (100 told): 500 shared-memory race\n");
}
END_TEST

START_TEST(test_report_long) {
  begin_log();
  char *message = malloc(10001), *kernel = malloc(10001);
  ck_assert(message != NULL && kernel != NULL);
  memset(message, 'm', 10000);
  memset(kernel, 'k', 10000);
  message[10000] = kernel[10000] = '\0';
  const report_place place = {.kernel = kernel, .ptx_line = 3, .source = kernel};
  ck_assert(report(REPORT_TRAP, &place, "short"));
  report_detail("%s", message);
  ck_assert(report(REPORT_TRAP, NULL, "%s", message));
  const char *text = end_log();
  HAS(text, "mmmm");
  HAS(text, "trap (report 2)");
  free(message);
  free(kernel);
}
END_TEST

static pthread_barrier_t both;
static void *tell_in_between(void *data) {
  (void)pthread_barrier_wait(&both);
  ck_assert(tell(REPORT_TRAP, "other", 1));
  (void)pthread_barrier_wait(&both);
  return data;
}

START_TEST(test_report_threads) {
  begin_log();
  pthread_t other;
  (void)pthread_barrier_init(&both, NULL, 2);
  ck_assert_int_eq(pthread_create(&other, NULL, tell_in_between, NULL), 0);
  ck_assert(tell(REPORT_TRAP, "this", 1));
  report_detail("first");
  (void)pthread_barrier_wait(&both);
  (void)pthread_barrier_wait(&both);
  report_detail("second");
  (void)pthread_join(other, NULL);
  const char *text = end_log();
  HAS(text,
      "=========   first\n"
      "========= jig software GPU: trap (report 2)\n"
      "=========   something\n"
      "=========   at kernel other, PTX line 1\n"
      "========= jig software GPU: more on report 1\n"
      "=========   second\n");
}
END_TEST

START_TEST(test_report_log_cannot_be_opened) {
  (void)setenv("JIG_SOFTGPU_LOG", "/nowhere/at/all", 1);
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
  ck_assert(tell(REPORT_TRAP, "k", 1));
  char text[1000] = "";
  ck_assert_int_gt(read(ends[0], text, sizeof text - 1), 0);
  HAS(text, "========= jig software GPU: trap (report 1)\n");
}
END_TEST

int main(void) {
  const suite_test tests[] = {
      SUITE_TEST(test_allocate),
      SUITE_TEST(test_in_use),
      SUITE_TEST(test_exhausted),
      SUITE_TEST(test_many),
      SUITE_TEST(test_use_after_free),
      SUITE_TEST(test_nearest),
      SUITE_TEST(test_host_memory_is_closed_around),
      SUITE_TEST(test_register),
      SUITE_TEST(test_mark),
      SUITE_TEST(test_copy),
      SUITE_TEST(test_fill),
      SUITE_TEST(test_copy_overlapping),
      SUITE_TEST(test_random_shadow),
      SUITE_TEST(test_each),
      SUITE_TEST(test_threads),
      SUITE_TEST(test_report_form),
      SUITE_TEST(test_report_kinds),
      SUITE_TEST(test_report_addresses),
      SUITE_TEST(test_report_once),
      SUITE_TEST(test_report_cap),
      SUITE_TEST(test_report_long),
      SUITE_TEST(test_report_threads),
      SUITE_TEST(test_report_log_cannot_be_opened),
  };
  return SUITE_RUN("softgpu-memory", tests, false);
}
