#include "chunk_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_parts.h"
#include "report.h"
#include "run_outputs.h"
#include "util/clock.h"

static int fail(const run_array *o) {
  complain("%s: %s", strcmp(o->file, "-") == 0 ? "standard output" : o->file, strerror(errno));
  return EXIT_FAILED;
}

/* ---- opening */

/* Its opening would empty what is still to be read. */
static bool is_an_input(const run_plan *p, const struct stat *status) {
  const leaf_list *leaves = &p->request->files->leaves;
  for (int i = 0; i < leaves->count; ++i) {
    struct stat other;
    const input *in = &leaves->leaves[i].in;
    if (leaves->leaves[i].is_open && fstat(in->fd, &other) == 0 && other.st_ino == status->st_ino &&
        other.st_dev == status->st_dev)
      return true;
  }
  return false;
}

static int open_file(chunk_sink *s, sink_column *c) {
  struct stat status;
  const char *file = c->output->file;
  if (strcmp(file, "-") == 0) {
    (void)fflush(stdout);
    c->fd = dup(STDOUT_FILENO);
    return c->fd >= 0 ? EXIT_OK : fail(c->output);
  }
  c->fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (c->fd < 0 || fstat(c->fd, &status) != 0) return fail(c->output);
  c->is_file = S_ISREG(status.st_mode);
  if (!c->is_file) return EXIT_OK;
  if (is_an_input(s->p, &status))
    return usage_error("--out: %s is an input that is read in chunks: name another file", file);
  return ftruncate(c->fd, 0) == 0 ? EXIT_OK : fail(c->output);
}

static int write_header(sink_column *c, uint64_t items) {
  size_t length;
  char *header = run_output_header(c->output, items, c->header_size, &length);
  if (header == NULL) return EXIT_FAILED;
  const bool ok =
      c->is_file ? file_write_at(c->fd, header, length, 0) : file_write(c->fd, header, length);
  free(header);
  c->header_size = length;
  return ok ? EXIT_OK : fail(c->output);
}

static int open_column(chunk_sink *s, sink_column *c, uint64_t items) {
  if (c->output->file == NULL) return EXIT_OK;
  const int code = open_file(s, c);
  if (code != EXIT_OK || !run_output_is_npy(c->output->file)) return code;
  if (items == UINT64_MAX && !c->is_file) {
    complain(
        "%s: an .npy file begins with how many items there are, which only the end tells; this is no "
        "file that one can go back in",
        c->output->file);
    return EXIT_FAILED;
  }
  return write_header(c, items); /* with room for any number */
}

int chunk_sink_open(chunk_sink *s, run_plan *p, run_array *const outputs[SINK_COLUMNS], uint64_t items) {
  *s = (chunk_sink){.p = p};
  int code = EXIT_OK;
  for (int i = 0; i < SINK_COLUMNS && code == EXIT_OK; ++i) {
    s->columns[s->count] = (sink_column){.output = outputs[i], .fd = -1};
    if (outputs[i] != NULL) code = open_column(s, &s->columns[s->count++], items);
  }
  return code;
}

void chunk_sink_free(chunk_sink *s) {
  for (int i = 0; i < s->count; ++i)
    if (s->columns[i].fd >= 0) (void)close(s->columns[i].fd);
  s->count = 0;
}

/* ---- items */

static void print(chunk_sink *s, unsigned char *const columns[], uint64_t items) {
  const run_array *shown[SINK_COLUMNS];
  int count = 0;
  for (int i = 0; i < s->count; ++i) {
    run_array *o = s->columns[i].output;
    if (!run_output_is_shown(s->p, o)) continue;
    o->host = columns[i];
    shown[count++] = o;
  }
  if (count > 0) run_rows_print(shown, count, s->items, items);
  for (int i = 0; i < s->count; ++i) s->columns[i].output->host = NULL;
}

static bool write_items(const chunk_sink *s, const sink_column *c, const unsigned char *bytes,
                        uint64_t items) {
  const size_t size = c->output->type.size;
  if (c->fd < 0) return true;
  return c->is_file ? file_write_at(c->fd, bytes, items * size, c->header_size + s->items * size)
                    : file_write(c->fd, bytes, items * size);
}

int chunk_sink_put(chunk_sink *s, unsigned char *const columns[SINK_COLUMNS], uint64_t items) {
  const double start = clock_ms();
  for (int i = 0; i < s->count; ++i) {
    if (!write_items(s, &s->columns[i], columns[i], items)) return fail(s->columns[i].output);
  }
  print(s, columns, items);
  s->items += items;
  s->ms += clock_ms() - start;
  return EXIT_OK;
}

int chunk_sink_close(chunk_sink *s) {
  bool is_printed = false;
  for (int i = 0; i < s->count; ++i) {
    sink_column *c = &s->columns[i];
    int code = EXIT_OK;
    is_printed |= run_output_is_shown(s->p, c->output);
    if (c->header_size > 0 && c->is_file) code = write_header(c, s->items);
    if (code != EXIT_OK) return code;
    if (c->fd >= 0 && close(c->fd) != 0) return c->fd = -1, fail(c->output);
    c->fd = -1;
    c->output->count = s->items;
    c->output->is_done = true;
  }
  if (is_printed) run_rows_end(s->items);
  return EXIT_OK;
}
