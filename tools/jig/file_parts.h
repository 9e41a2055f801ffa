/* Reading and writing files at an offset, by several threads where it is much: one processor copies more
 * slowly than a GPU takes and gives. */
#ifndef JIG_CLI_FILE_PARTS_H
#define JIG_CLI_FILE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* As many bytes as there are, up to the file's end. False with errno set. */
bool file_read_at(int fd, void *bytes, uint64_t size, uint64_t offset, uint64_t *done);

/* All of them. False with errno set. */
bool file_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset);

/* All of them, wherever the descriptor is: to pipes. The same. */
bool file_write(int fd, const void *bytes, uint64_t size);

#endif
