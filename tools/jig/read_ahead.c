#include "read_ahead.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/clock.h"

enum { AT_A_TIME = 1 << 20 }; /* as much as a pipe has room for */

struct read_ahead {
  int fd;
  uint64_t left; /* still to be read */
  bool is_over;  /* nothing more comes */
  int problem;   /* why; an errno, 0: it is the end */
  double ms;

  pthread_t thread;
  bool has_thread, is_lasting;
  int wake;                  /* an eventfd, which ends its waiting for the other descriptor */
  pthread_mutex_t lock;      /* of all above and below, while there is the thread */
  pthread_cond_t room, more; /* what one waits for of the other */
  uint64_t wanted;           /* so much more */
  bool is_stopped;
  unsigned char *ring;
  uint64_t size;         /* of the ring */
  uint64_t begin, count; /* what is in there */
};

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

ssize_t read_some(int fd, void *bytes, uint64_t size) {
  enum { MOST = 1 << 30 };
  ssize_t got;
  do {
    got = read(fd, bytes, size < MOST ? (size_t)size : MOST);
  } while (got < 0 && errno == EINTR);
  return got;
}

/* What a read has come to. */
static void add(read_ahead *r, ssize_t got, int problem, double ms) {
  r->ms += ms;
  if (got < 0) r->problem = problem;
  if (got > 0) r->left -= (uint64_t)got;
  r->is_over = got <= 0 || r->left == 0;
}

/* ---- the thread */

/* Waits until there is something to be read, or the end of it. False: it is to stop. */
static bool await(const read_ahead *r) {
  struct pollfd both[] = {{.fd = r->fd, .events = POLLIN}, {.fd = r->wake, .events = POLLIN}};
  while (poll(both, 2, -1) < 0 && errno == EINTR) {}
  return both[1].revents == 0;
}

/* Where the next bytes go, and how many at most; 0: it is to stop. */
static uint64_t find_room(read_ahead *r, unsigned char **to) {
  while (r->count == r->size && !r->is_stopped) pthread_cond_wait(&r->room, &r->lock);
  if (r->is_stopped) return 0;
  if (r->count == 0) r->begin = 0; /* no more of the ring is touched than has to be */
  const uint64_t end = (r->begin + r->count) % r->size;
  *to = r->ring + end;
  return least(least(r->size - end, r->size - r->count), least(r->left, AT_A_TIME));
}

static void *read_all(void *argument) {
  read_ahead *r = argument;
  unsigned char *to;
  (void)pthread_mutex_lock(&r->lock);
  for (uint64_t most; !r->is_over && (most = find_room(r, &to)) > 0;) {
    (void)pthread_mutex_unlock(&r->lock);
    const double start = clock_ms();
    const bool goes_on = await(r);
    const ssize_t got = goes_on ? read_some(r->fd, to, most) : 0;
    const int problem = errno;
    (void)pthread_mutex_lock(&r->lock);
    if (!goes_on) break;
    add(r, got, problem, clock_ms() - start);
    if (got > 0) r->count += (uint64_t)got;
    if (r->count >= r->wanted || r->is_over) (void)pthread_cond_signal(&r->more);
  }
  (void)pthread_mutex_unlock(&r->lock);
  return NULL;
}

static void end_thread(read_ahead *r) {
  static const uint64_t one = 1;
  if (!r->has_thread) return;
  (void)pthread_mutex_lock(&r->lock);
  r->is_stopped = true;
  (void)pthread_cond_signal(&r->room);
  (void)pthread_mutex_unlock(&r->lock);
  (void)!write(r->wake, &one, sizeof one); /* an eventfd has room for that */
  (void)pthread_join(r->thread, NULL);
  r->has_thread = false;
}

/* ---- who takes it */

/* Waits for as much as is worth to be woken for, where writers write little at a time. */
static void wait_for_more(read_ahead *r, uint64_t size) {
  r->wanted = least(least(size, AT_A_TIME), r->size / 2);
  while (r->count < r->wanted && !r->is_over) pthread_cond_wait(&r->more, &r->lock);
}

/* Some of what is in the ring, and whether that is all there will be; 0 bytes: it is empty. */
static uint64_t take_some(read_ahead *r, unsigned char *to, uint64_t size, bool *is_over) {
  (void)pthread_mutex_lock(&r->lock);
  if (r->is_lasting) wait_for_more(r, size);
  const uint64_t begin = r->begin, some = least(least(r->count, size), r->size - begin);
  *is_over = r->is_over;
  (void)pthread_mutex_unlock(&r->lock);
  if (some == 0) return 0;
  memcpy(to, r->ring + begin, some);
  (void)pthread_mutex_lock(&r->lock);
  r->begin = (begin + some) % r->size;
  r->count -= some;
  (void)pthread_cond_signal(&r->room);
  (void)pthread_mutex_unlock(&r->lock);
  return some;
}

static uint64_t read_directly(read_ahead *r, unsigned char *to, uint64_t size) {
  const double start = clock_ms();
  const ssize_t got = read_some(r->fd, to, least(size, r->left));
  add(r, got, errno, clock_ms() - start);
  return got > 0 ? (uint64_t)got : 0;
}

bool read_ahead_take(read_ahead *r, void *bytes, uint64_t size, uint64_t *done) {
  unsigned char *to = bytes;
  *done = 0;
  while (*done < size) {
    bool is_over;
    uint64_t some = take_some(r, to + *done, size - *done, &is_over);
    if (some == 0 && is_over) break;
    if (some == 0 && r->has_thread)
      end_thread(r); /* which may have read something by now */
    else if (some == 0)
      some = read_directly(r, to + *done, size - *done);
    *done += some;
  }
  errno = *done < size ? r->problem : 0;
  return errno == 0;
}

double read_ahead_ms(read_ahead *r) {
  (void)pthread_mutex_lock(&r->lock);
  const double ms = r->ms;
  (void)pthread_mutex_unlock(&r->lock);
  return ms;
}

/* ---- beginning and end */

static unsigned char *make_ring(uint64_t size) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (ring == MAP_FAILED) return NULL;
  (void)madvise(ring, size, MADV_HUGEPAGE); /* by pages of 4 KiB it takes long to have it */
  return ring;
}

static void free_all(read_ahead *r) {
  (void)pthread_cond_destroy(&r->more);
  (void)pthread_cond_destroy(&r->room);
  (void)pthread_mutex_destroy(&r->lock);
  if (r->wake >= 0) (void)close(r->wake);
  if (r->ring != NULL) (void)munmap(r->ring, r->size);
  free(r);
}

read_ahead *read_ahead_start(int fd, uint64_t total, uint64_t room, bool is_lasting) {
  read_ahead *r = malloc(sizeof *r);
  if (r == NULL) return NULL;
  *r = (read_ahead){.fd = fd, .left = total, .is_over = total == 0, .wake = eventfd(0, EFD_CLOEXEC)};
  r->is_lasting = is_lasting;
  r->size = room > READ_AHEAD_LEAST_ROOM ? room : READ_AHEAD_LEAST_ROOM;
  r->ring = make_ring(r->size);
  (void)pthread_mutex_init(&r->lock, NULL);
  (void)pthread_cond_init(&r->room, NULL);
  (void)pthread_cond_init(&r->more, NULL);
  if (r->wake >= 0 && r->ring != NULL) r->has_thread = pthread_create(&r->thread, NULL, read_all, r) == 0;
  if (r->has_thread) return r;
  free_all(r);
  return NULL;
}

void read_ahead_stop(read_ahead *r) {
  if (r == NULL) return;
  end_thread(r);
  free_all(r);
}
