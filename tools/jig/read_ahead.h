/* Reading what is no regular file ahead of who takes it, in a thread of its own: while the GPU is opened
 * and programs are compiled, or results are written, what is at a pipe's other end goes on. */
#ifndef JIG_CLI_READ_AHEAD_H
#define JIG_CLI_READ_AHEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct read_ahead read_ahead;

/* Begins to read the descriptor where it is: `total` bytes, or up to its end if there are fewer, and no
 * more than `room` ahead, at least READ_AHEAD_LEAST_ROOM. The descriptor is the caller's, and stays open
 * until read_ahead_stop(). With `is_lasting` the thread reads all; otherwise, who has taken all that was
 * read ahead reads by itself from then on, which saves copying it. NULL: there is no thread or no memory
 * for it, and nothing was read. */
enum { READ_AHEAD_LEAST_ROOM = 1 << 16 };
read_ahead *read_ahead_start(int fd, uint64_t total, uint64_t room, bool is_lasting);

/* Takes the next `size` bytes; fewer are the last ones. False with errno set, after all that was read
 * before. By one thread at a time. */
bool read_ahead_take(read_ahead *r, void *bytes, uint64_t size, uint64_t *done);

/* Ends it, even where it waits for more to come, and frees it; NULL is nothing. */
void read_ahead_stop(read_ahead *r);

/* How long reading has taken so far, by whomever. */
double read_ahead_ms(read_ahead *r);

/* Some bytes, by one call: 0 at the end, -1 with errno set. */
ssize_t read_some(int fd, void *bytes, uint64_t size);

#endif
