/* Descriptors of files that may be locked, which no forked child keeps.
 *
 * A lock by flock() belongs to an open file, and a child of fork() has its parent's open files. If the
 * parent is killed, such a child would go on holding a lock that nobody can give back, and others would
 * wait for it. So a child closes what it has inherited of these before it does anything else; its
 * parent's locks stay as they are. (A program that a child executes has none of them in any case.) */
#ifndef JIG_STORE_DESCRIPTOR_H
#define JIG_STORE_DESCRIPTOR_H

/* openat(), with O_NOFOLLOW, O_CLOEXEC, O_NONBLOCK, O_NOCTTY, and mode 0600 for what it makes. -1 with
 * errno set. */
int descriptor_open(int dir, const char *name, int flags);

/* close(). The errno is as it was. */
void descriptor_close(int fd);

#endif
