#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

static int fail(const input *in, const char *problem) {
  complain("%s: %s", in->path, problem);
  return EXIT_FAILED;
}

/* All of a range of the file. */
static int read_range(const input *in, void *bytes, uint64_t size, uint64_t offset) {
  enum { AT_A_TIME = 1 << 30 };
  if (in->content != NULL) {
    if (size > 0) memcpy(bytes, in->content + offset, size);
    return EXIT_OK;
  }
  for (uint64_t done = 0; done < size;) {
    const uint64_t left = size - done;
    ssize_t got = pread(in->fd, (char *)bytes + done, left < AT_A_TIME ? (size_t)left : AT_A_TIME,
                        (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(in, strerror(errno));
    if (got == 0) return fail(in, "it became shorter while it was read");
    done += (uint64_t)got;
  }
  return EXIT_OK;
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
  return suffix != NULL && strcmp(suffix, ".npy") == 0 ? fail(in, "this is no .npy file") : EXIT_OK;
}

/* All that comes out of a pipe. */
static int read_pipe(input *in) {
  size_t room = 0;
  for (;;) {
    if (in->file_size == room) {
      room = room > 0 ? 2 * room : 1 << 20;
      void *more = realloc(in->content, room);
      if (more == NULL) return fail(in, "out of memory");
      in->content = more;
    }
    const ssize_t got = read(in->fd, in->content + in->file_size, room - in->file_size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(in, strerror(errno));
    if (got == 0) return EXIT_OK;
    in->file_size += (uint64_t)got;
  }
}

int input_open(input *in, const char *path) {
  const bool is_stdin = strcmp(path, "-") == 0;
  *in = (input){.path = is_stdin ? "standard input" : path};
  in->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (in->fd < 0 || fstat(in->fd, &status) != 0) return fail(in, strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail(in, "not a regular file");
  in->file_size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
  const int code = S_ISREG(status.st_mode) ? EXIT_OK : read_pipe(in);
  return code == EXIT_OK ? recognise(in) : code;
}

void input_close(input *in) {
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
  if (part->has_offset || part->has_count) {
    return usage_error("--%s: only for raw files", part->has_offset ? "offset" : "count");
  }
  if (!is_readable_as(&in->npy, type)) return mismatch(in, type);
  in->count = in->npy.count;
  const bool overflow = __builtin_mul_overflow(in->count, (uint64_t)type->size, &in->bytes);
  if (in->npy.item_size == 0 && in->count > 0 && data % in->count == 0 && in->bytes != data) {
    return mismatch(in, type);
  }
  if (!overflow && in->bytes <= data) return EXIT_OK;
  complain("%s: cut short: its header says %" PRIu64 " items of %u bytes, and %" PRIu64
           " bytes are there",
           in->path, in->count, type->size, data);
  return EXIT_FAILED;
}

static int select_raw(input *in, const jig_type *type, const input_part *part) {
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
  complain("%s: %" PRIu64 " bytes are no whole number of %s (%u bytes); --count takes a part", in->path,
           data, jig_type_name(type), type->size);
  return EXIT_FAILED;
}

int input_select(input *in, const jig_type *type, const input_part *part) {
  /* What the size of a type is checked against: it divides, and sizes hosts' buffers. */
  if (type->size == 0) return usage_error("--type: struct '%s' has no size", jig_type_name(type));
  return in->is_npy ? select_npy(in, type, part) : select_raw(in, type, part);
}

int input_read(const input *in, void *bytes) {
  return read_range(in, bytes, in->bytes, in->offset);
}
