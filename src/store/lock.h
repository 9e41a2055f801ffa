/* Locks between processes and threads, by flock() on files of their own.
 *
 * The kernel drops such a lock with its last descriptor, so a process that died holds nothing, nor do the
 * children that it forked (see descriptor.h). A lock never has to be had: where locks do not work, or
 * after a bounded wait, one goes on without. */
#ifndef JIG_STORE_LOCK_H
#define JIG_STORE_LOCK_H

#include <stdbool.h>

typedef enum lock_state { LOCK_HELD, LOCK_BUSY, LOCK_IMPOSSIBLE } lock_state;

/* Locks an open file, waiting for at most timeout_ms. */
lock_state lock_wait(int fd, int timeout_ms);

/* Takes the lock file `name`, made if need be, waiting for at most timeout_ms. Its descriptor, or -1;
 * where locks do not work, at once, and leaving no file. *busy: somebody else has it still. */
int lock_take(int dir, const char *name, int timeout_ms, bool *busy);

/* Gives back what lock_take() returned, and removes the file. */
void lock_drop(int dir, const char *name, int fd);

/* Removes a lock file or temporary file that nobody holds and, if `old`, that nobody touched for an hour.
 * Where locks do not work, only age can tell, and it always must be old. What is no file, but has such a
 * name, goes as well; of directories, empty ones. 0 if it was removed or has gone; EBUSY if it is in use,
 * or too young; or another errno. */
int lock_sweep(int dir, const char *name, bool old);

#endif
