#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_parts.h"
#include "report.h"

static int fail(const input *in, const char *problem) {
  complain("%s: %s", in->path, problem);
  return EXIT_FAILED;
}

/* As much as there is of a file, or of a pipe, which has no offset. */
static int read_up_to(const input *in, unsigned char *bytes, uint64_t size, uint64_t offset,
                      uint64_t *done) {
  *done = 0;
  if (in->content == NULL)
    return file_read_at(in->fd, bytes, size, offset, done) ? EXIT_OK : fail(in, strerror(errno));
  if (in->ahead != NULL)
    return read_ahead_take(in->ahead, bytes, size, done) ? EXIT_OK : fail(in, strerror(errno));
  while (*done < size) {
    const ssize_t got = read_some(in->fd, bytes + *done, size - *done);
    if (got < 0) return fail(in, strerror(errno));
    if (got == 0) break;
    *done += (uint64_t)got;
  }
  return EXIT_OK;
}

/* All of a range of the file. */
static int read_range(const input *in, void *bytes, uint64_t size, uint64_t offset) {
  if (in->content != NULL) {
    if (size > 0) memcpy(bytes, in->content + offset, size);
    return EXIT_OK;
  }
  uint64_t done;
  const int code = read_up_to(in, bytes, size, offset, &done);
  return code != EXIT_OK || done == size ? code : fail(in, "it became shorter while it was read");
}

/* ---- opening */

static int read_npy_text(input *in, size_t start, size_t length) {
  char *text = malloc(length + 1);
  if (text == NULL) return fail(in, "out of memory");
  int code = read_range(in, text, length, start);
  if (code == EXIT_OK) {
    text[length] = '\0';
    const char *problem = npy_parse(text, &in->npy);
    if (problem != NULL) {
      complain("%s: this .npy file cannot be used: %s%s%s", in->path, problem,
               in->npy.dtype[0] != '\0' ? "; dtype: " : "", in->npy.dtype);
      code = EXIT_FAILED;
    }
  }
  free(text);
  return code;
}

static int read_npy_header(input *in) {
  unsigned char prefix[NPY_PREFIX_SIZE];
  size_t start, length;
  if (in->file_size < sizeof prefix) return fail(in, "this .npy file is cut short");
  int code = read_range(in, prefix, sizeof prefix, 0);
  if (code != EXIT_OK) return code;
  if (!npy_measure(prefix, &start, &length)) return fail(in, "this .npy file is of an unknown version");
  if (start + length > in->file_size) return fail(in, "this .npy file is cut short");
  in->offset = start + length;
  return read_npy_text(in, start, length);
}

static int recognise(input *in) {
  unsigned char prefix[NPY_PREFIX_SIZE] = {0};
  const uint64_t size = in->file_size < sizeof prefix ? in->file_size : sizeof prefix;
  int code = read_range(in, prefix, size, 0);
  if (code != EXIT_OK) return code;
  const char *suffix = strrchr(in->path, '.');
  in->is_npy = npy_is(prefix, (size_t)size);
  if (in->is_npy) return read_npy_header(in);
  if (suffix != NULL && strcmp(suffix, ".npz") == 0)
    return fail(in,
                "an .npz file is an archive: numpy.save() stores an array by itself, in an .npy file");
  return suffix != NULL && strcmp(suffix, ".npy") == 0 ? fail(in, "this is no .npy file") : EXIT_OK;
}

/* What comes out of a pipe, no more than so many bytes in all. */
static int read_pipe(input *in, uint64_t most) {
  uint64_t room = in->file_size;
  in->is_open_ended = false;
  for (;;) {
    if (in->file_size == most) {
      in->is_open_ended = true; /* there may be nothing more, which the next read tells */
      return EXIT_OK;
    }
    if (in->file_size == room) {
      room = room > 0 ? 2 * room : 1 << 20;
      if (room > most) room = most;
      void *more = realloc(in->content, room);
      if (more == NULL) return fail(in, "out of memory");
      in->content = more;
    }
    const ssize_t got = read_some(in->fd, in->content + in->file_size, room - in->file_size);
    if (got < 0) return fail(in, strerror(errno));
    if (got == 0) return EXIT_OK;
    in->file_size += (uint64_t)got;
  }
}

int input_read_rest(input *in) {
  return in->is_open_ended ? read_pipe(in, UINT64_MAX) : EXIT_OK;
}

/* Fewer and longer reads. No more than that: the kernel may not allow it, and of many pipes not even so
 * much. */
static void widen_pipe(int fd) {
  enum { WIDE = 1 << 20, USUAL = 1 << 16 };
  for (int size = WIDE; size > USUAL && fcntl(fd, F_GETPIPE_SZ) < size; size /= 2)
    if (fcntl(fd, F_SETPIPE_SZ, size) >= 0) return;
}

static int read_beginning(input *in, uint64_t ahead) {
  widen_pipe(in->fd);
  in->content = malloc(1); /* also of what is empty: it says that this is no regular file */
  if (in->content == NULL) return fail(in, "out of memory");
  if (ahead > 0 && ahead < INPUT_LEAST_AHEAD) ahead = INPUT_LEAST_AHEAD;
  return read_pipe(in, ahead > 0 ? ahead : UINT64_MAX);
}

int input_open(input *in, const char *path, uint64_t ahead) {
  const bool is_stdin = strcmp(path, "-") == 0;
  *in = (input){.path = is_stdin ? "standard input" : path[0] != '\0' ? path : "''"};
  in->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (in->fd < 0 || fstat(in->fd, &status) != 0) return fail(in, strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail(in, strerror(EISDIR));
  in->file_size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
  const int code = S_ISREG(status.st_mode) ? EXIT_OK : read_beginning(in, ahead);
  return code == EXIT_OK ? recognise(in) : code;
}

void input_close(input *in) {
  read_ahead_stop(in->ahead);
  in->ahead = NULL;
  if (in->fd >= 0) (void)close(in->fd);
  free(in->content);
  in->content = NULL;
  in->fd = -1;
}

/* ---- choosing what to read */

static int mismatch(const input *in, const jig_type *type) {
  return usage_error("--type: %s (%u bytes) is not what %s holds: %s", jig_type_name(type), type->size,
                     in->path, in->npy.dtype);
}

/* Whether the file's dtype can be read as the type. Structured ones are only known by their size. */
static bool is_readable_as(const npy_header *h, const jig_type *type) {
  if (h->type.kind != JIG_KIND_NONE) return h->type.kind == type->kind;
  if (h->item_size != 0 && h->item_size != type->size) return false;
  return h->is_void || type->kind == JIG_KIND_STRUCT;
}

static int select_npy(input *in, const jig_type *type, const input_part *part) {
  const uint64_t data = in->file_size - in->offset;
  in->done = 0;
  if (part->has_offset || part->has_count) {
    return usage_error("--%s: only for raw files", part->has_offset ? "offset" : "count");
  }
  if (!is_readable_as(&in->npy, type)) return mismatch(in, type);
  in->count = in->npy.count;
  if (in->npy.item_size == 0 && in->is_open_ended) { /* all of it tells the size */
    const int code = input_read_rest(in);
    return code == EXIT_OK ? select_npy(in, type, part) : code;
  }
  const bool overflow = __builtin_mul_overflow(in->count, (uint64_t)type->size, &in->bytes);
  if (in->npy.item_size == 0 && in->count > 0 && data % in->count == 0 && in->bytes != data) {
    return mismatch(in, type);
  }
  if (!overflow && (in->bytes <= data || in->is_open_ended)) return EXIT_OK;
  complain("%s: cut short: its header says %" PRIu64 " items of %u bytes, and %" PRIu64
           " bytes are there",
           in->path, in->count, type->size, data);
  return EXIT_FAILED;
}

/* Of a pipe whose end is not seen yet. */
static int select_open_ended(input *in, const jig_type *type, const input_part *part) {
  uint64_t end;
  if (part->offset > in->file_size) {
    /* Rather more memory than it would take, where nothing but the beginning is passed over. */
    const int code = input_read_rest(in);
    return code == EXIT_OK ? input_select(in, type, part) : code;
  }
  in->offset = part->offset;
  in->count = in->bytes = INPUT_UNKNOWN;
  if (!part->has_count) return EXIT_OK;
  in->count = part->count;
  if (!__builtin_mul_overflow(in->count, (uint64_t)type->size, &in->bytes) &&
      !__builtin_add_overflow(in->bytes, in->offset, &end))
    return EXIT_OK;
  return usage_error("--count: %" PRIu64 " items of %s are more than can be", part->count,
                     jig_type_name(type));
}

static int select_raw(input *in, const jig_type *type, const input_part *part) {
  in->done = 0;
  if (in->is_open_ended) return select_open_ended(in, type, part);
  if (part->offset > in->file_size) {
    return usage_error("--offset: %s has only %" PRIu64 " bytes", in->path, in->file_size);
  }
  const uint64_t data = in->file_size - part->offset, whole = data / type->size;
  in->offset = part->offset;
  in->count = part->has_count ? part->count : whole;
  in->bytes = in->count * type->size;
  if (part->has_count && part->count > whole) {
    return usage_error("--count: %s has only %" PRIu64 " items of %s from there on", in->path, whole,
                       jig_type_name(type));
  }
  if (part->has_count || in->bytes == data) return EXIT_OK;
  complain("%s: %" PRIu64
           " bytes are no whole number of %s (%u bytes); --count takes a part, TYPE@%s "
           "another type",
           in->path, data, jig_type_name(type), type->size, in->path);
  return EXIT_FAILED;
}

int input_select(input *in, const jig_type *type, const input_part *part) {
  /* What the size of a type is checked against: it divides, and sizes hosts' buffers. */
  if (type->size == 0) return usage_error("--type: struct '%s' has no size", jig_type_name(type));
  return in->is_npy ? select_npy(in, type, part) : select_raw(in, type, part);
}

/* ---- reading */

static int too_short(const input *in) {
  complain("%s: cut short: %" PRIu64 " bytes of %" PRIu64 " are there", in->path, in->done, in->bytes);
  return EXIT_FAILED;
}

void input_read_ahead(input *in, uint64_t room, bool is_lasting) {
  uint64_t end = INPUT_UNKNOWN;
  if (!in->is_open_ended || in->ahead != NULL) return;
  if (in->bytes != INPUT_UNKNOWN && __builtin_add_overflow(in->offset, in->bytes, &end))
    end = INPUT_UNKNOWN;
  if (end > in->file_size)
    in->ahead =
        read_ahead_start(in->fd, end == INPUT_UNKNOWN ? end : end - in->file_size, room, is_lasting);
}

int input_next(input *in, void *bytes, uint64_t wanted, size_t item_size, uint64_t *got) {
  unsigned char *to = bytes;
  const uint64_t left = in->bytes - in->done, begin = in->offset + in->done;
  uint64_t ahead = 0, rest = 0;
  if (wanted > left) wanted = left;
  if (in->content != NULL && begin < in->file_size) {
    ahead = in->file_size - begin < wanted ? in->file_size - begin : wanted;
    memcpy(to, in->content + begin, ahead);
  }
  int code = EXIT_OK;
  if (in->content == NULL || in->is_open_ended)
    code = read_up_to(in, to + ahead, wanted - ahead, begin + ahead, &rest);
  *got = ahead + rest;
  in->done += *got;
  if (code != EXIT_OK || *got == wanted) return code;
  if (in->bytes != INPUT_UNKNOWN)
    return in->content != NULL ? too_short(in) : fail(in, "it became shorter while it was read");
  if (in->done % item_size == 0) return EXIT_OK;
  complain("%s: %" PRIu64 " bytes are no whole number of items of %zu bytes; --count takes a part",
           in->path, in->done, item_size);
  return EXIT_FAILED;
}

int input_read(input *in, void *bytes) {
  uint64_t got;
  in->done = 0;
  return input_next(in, bytes, in->bytes, 1, &got);
}
