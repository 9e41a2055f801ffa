/* What the command-line tool reads of pipes while it does something else. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read_ahead.h"
#include "suite.h"
#include "util/clock.h"

#define ROOM READ_AHEAD_LEAST_ROOM

/* ---- who writes */

typedef struct writer {
  int fd;
  uint64_t bytes, pause_at; /* bytes before a pause; 0: none */
  pthread_t thread;
} writer;

static unsigned char byte_at(uint64_t i) {
  return (unsigned char)(i * 2654435761u >> 13);
}

static void *write_all(void *argument) {
  const writer *w = argument;
  unsigned char some[10007];
  for (uint64_t done = 0; done < w->bytes;) {
    const uint64_t left = w->bytes - done, size = left < sizeof some ? left : sizeof some;
    for (uint64_t i = 0; i < size; ++i) some[i] = byte_at(done + i);
    for (uint64_t k = 0; k < size;) {
      const ssize_t n = write(w->fd, some + k, size - k);
      ck_assert(n > 0);
      k += (uint64_t)n;
    }
    if (done < w->pause_at && done + size >= w->pause_at) (void)usleep(100000);
    done += size;
  }
  (void)close(w->fd);
  return NULL;
}

static int start_writer(writer *w) {
  int ends[2];
  ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
  w->fd = ends[1];
  ck_assert_int_eq(pthread_create(&w->thread, NULL, write_all, w), 0);
  return ends[0];
}

/* Takes bytes from..to, in pieces, and looks at each. */
static void take(read_ahead *r, uint64_t from, uint64_t to, uint64_t piece) {
  unsigned char *bytes = malloc(piece);
  for (uint64_t at = from, got; at < to; at += got) {
    const uint64_t wanted = to - at < piece ? to - at : piece;
    ck_assert(read_ahead_take(r, bytes, wanted, &got));
    ck_assert_uint_eq(got, wanted);
    for (uint64_t i = 0; i < got; ++i) ck_assert_uint_eq(bytes[i], byte_at(at + i));
  }
  free(bytes);
}

static void expect_end(read_ahead *r) {
  unsigned char byte;
  uint64_t got;
  for (int i = 0; i < 2; ++i) {
    ck_assert(read_ahead_take(r, &byte, 1, &got));
    ck_assert_uint_eq(got, 0);
  }
}

/* Waits until all that there is room for has been read: nothing more can be written. */
static void wait_until_written(int fd, uint64_t bytes) {
  const double start = clock_ms();
  for (char byte = 0; bytes > 0; --bytes) {
    while (write(fd, &byte, 1) != 1) {
      ck_assert_int_eq(errno, EAGAIN);
      ck_assert(clock_ms() - start < 10000);
      (void)usleep(1000);
    }
  }
}

/* ---- tests */

START_TEST(all_of_it_in_order) {
  static const uint64_t rooms[] = {ROOM, ROOM + 4097, 1 << 22}, pieces[] = {1, 4099, 100000, 1 << 20};
  for (int k = 0; k < 24; ++k) {
    const int i = k / 2;
    const uint64_t piece = pieces[i % 4], bytes = piece == 1 ? 200000 : 5000011;
    writer w = {.bytes = bytes, .pause_at = i % 2 != 0 ? bytes / 2 : 0};
    const int fd = start_writer(&w);
    read_ahead *r = read_ahead_start(fd, UINT64_MAX, rooms[i / 4], k % 2 != 0);
    ck_assert_ptr_nonnull(r);
    if (i % 3 == 0) (void)usleep(20000); /* the ring is full by now */
    take(r, 0, bytes, piece);
    expect_end(r);
    ck_assert(read_ahead_ms(r) > 0);
    read_ahead_stop(r);
    (void)pthread_join(w.thread, NULL);
    (void)close(fd);
  }
}
END_TEST

static void check_fewer(bool is_lasting) {
  writer w = {.bytes = 300007};
  const int fd = start_writer(&w);
  read_ahead *r = read_ahead_start(fd, UINT64_MAX, ROOM, is_lasting);
  unsigned char *bytes = malloc(1 << 20);
  uint64_t got;
  take(r, 0, 100, 100);
  ck_assert(read_ahead_take(r, bytes, 1 << 20, &got));
  ck_assert_uint_eq(got, 300007 - 100);
  for (uint64_t i = 0; i < got; ++i) ck_assert_uint_eq(bytes[i], byte_at(100 + i));
  expect_end(r);
  read_ahead_stop(r);
  (void)pthread_join(w.thread, NULL);
  (void)close(fd);
  free(bytes);
}

START_TEST(fewer_than_wanted) {
  check_fewer(false);
  check_fewer(true);
}
END_TEST

START_TEST(nothing_of_what_comes_behind) {
  writer w = {.bytes = 300007};
  const int fd = start_writer(&w);
  read_ahead *r = read_ahead_start(fd, 200000, ROOM, true);
  take(r, 0, 200000, 30011);
  expect_end(r);
  read_ahead_stop(r);
  r = read_ahead_start(fd, 0, ROOM, false);
  expect_end(r);
  read_ahead_stop(r);
  r = read_ahead_start(fd, UINT64_MAX, ROOM, false);
  take(r, 200000, 300007, 4099);
  expect_end(r);
  read_ahead_stop(r);
  (void)pthread_join(w.thread, NULL);
  (void)close(fd);
}
END_TEST

/* Nobody has taken anything yet. */
START_TEST(it_reads_meanwhile) {
  int ends[2];
  ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
  ck_assert_int_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  ck_assert_int_eq(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
  read_ahead *r = read_ahead_start(ends[0], UINT64_MAX, ROOM, false);
  wait_until_written(ends[1], ROOM);
  read_ahead_stop(r); /* its ring is full */
  r = read_ahead_start(ends[0], UINT64_MAX, ROOM, false);
  (void)usleep(1000);
  read_ahead_stop(r); /* the pipe is empty, and has not come to its end */
  (void)close(ends[0]);
  (void)close(ends[1]);
}
END_TEST

START_TEST(errors_come_behind_what_was_read) {
  const int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  read_ahead *r = read_ahead_start(folder, UINT64_MAX, ROOM, false);
  unsigned char byte;
  uint64_t got;
  for (int i = 0; i < 2; ++i) {
    errno = 0;
    ck_assert(!read_ahead_take(r, &byte, 1, &got));
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_uint_eq(got, 0);
  }
  read_ahead_stop(r);
  (void)close(folder);
  read_ahead_stop(NULL);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(all_of_it_in_order), SUITE_TEST(fewer_than_wanted),
                                     SUITE_TEST(nothing_of_what_comes_behind),
                                     SUITE_TEST(it_reads_meanwhile),
                                     SUITE_TEST(errors_come_behind_what_was_read)};
  return SUITE_RUN("unit/read_ahead", tests, false);
}
