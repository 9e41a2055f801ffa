#include "chunk_inputs.h"

#include <inttypes.h>
#include <string.h>

#include "report.h"
#include "util/clock.h"

/* ---- finding them */

/* What all inputs with an end have: they have been compared. */
static uint64_t items_of(const run_plan *p) {
  const run_input *main = &p->row->inputs[0];
  if (p->main_items != UINT64_MAX) return p->main_items;
  for (const run_input *i = main; i->slot != NULL; ++i)
    if (p->has_end[i - main]) return run_plan_number(p, i->count);
  return UINT64_MAX;
}

int chunk_inputs_find(chunk_inputs *in, run_plan *p) {
  leaf_list *leaves = &p->request->files->leaves;
  *in = (chunk_inputs){.p = p, .items = items_of(p)};
  for (int i = 0; i < leaves->count; ++i) {
    leaf *l = &leaves->leaves[i];
    if (!l->in_step || l->iter == NULL) continue;
    if (in->file_count == LEAF_MAX_IN_STEP)
      return usage_error("more than %d files are read in chunks", (int)LEAF_MAX_IN_STEP);
    in->files[in->file_count++] = l;
    in->item_bytes += l->iter->type.size;
  }
  return EXIT_OK;
}

uint64_t chunk_inputs_offset(const chunk_inputs *in, int file, uint64_t room) {
  uint64_t offset = 0;
  for (int i = 0; i < file; ++i) offset += room * in->files[i]->iter->type.size;
  return offset;
}

/* ---- reading */

bool chunk_inputs_read_ahead(const chunk_inputs *in, uint64_t room, bool is_lasting) {
  uint64_t pipes = 0;
  for (int i = 0; i < in->file_count; ++i) pipes += in->files[i]->in.is_open_ended;
  for (int i = 0; i < in->file_count; ++i)
    if (in->files[i]->in.is_open_ended) input_read_ahead(&in->files[i]->in, room / pipes, is_lasting);
  return pipes > 0;
}

double chunk_inputs_ms(const chunk_inputs *in) {
  double ms = in->ms;
  for (int i = 0; i < in->file_count; ++i)
    if (in->files[i]->in.ahead != NULL) ms += read_ahead_ms(in->files[i]->in.ahead);
  return ms;
}

/* Whether the args have it by itself, not with others in one iterator, of which the shortest counts. */
static bool is_alone(const run_plan *p, const leaf *l) {
  const char *iter = (const char *)l->iter, *args = p->args;
  return iter >= args && iter < args + p->algorithm->args->size;
}

static int differ(const leaf *l, bool has_more) {
  complain("%s: it has %s items than the other input", l->in.path, has_more ? "more" : "fewer");
  return EXIT_FAILED;
}

/* Where one input has told how many items there are, and another one is a pipe: that ends there, too. */
static int check_end(const chunk_inputs *in) {
  unsigned char item[VALUE_MAX_SIZE];
  for (int i = 0; i < in->file_count; ++i) {
    leaf *l = in->files[i];
    const size_t size = l->iter->type.size;
    uint64_t got = 0;
    if (l->in.bytes != INPUT_UNKNOWN || !is_alone(in->p, l) || size > sizeof item) continue;
    const int code = input_next(&l->in, item, size, size, &got);
    if (code != EXIT_OK) return code;
    if (got > 0) return differ(l, true);
  }
  return EXIT_OK;
}

/* The same where it ended early. */
static int check_pipes(const chunk_inputs *in) {
  for (int i = 0; i < in->file_count; ++i)
    if (in->files[i]->in.bytes == INPUT_UNKNOWN && is_alone(in->p, in->files[i]))
      return differ(in->files[i], false);
  return EXIT_OK;
}

static int read_files(chunk_inputs *in, unsigned char *host, uint64_t room, uint64_t wanted,
                      uint64_t *items) {
  uint64_t counts[LEAF_MAX_IN_STEP];
  *items = wanted;
  for (int i = 0; i < in->file_count; ++i) {
    leaf *l = in->files[i];
    const size_t size = l->iter->type.size;
    uint64_t got;
    const double start = clock_ms();
    const int code = input_next(&l->in, host, wanted * size, size, &got);
    if (l->in.ahead == NULL) in->ms += clock_ms() - start;
    if (code != EXIT_OK) return code;
    counts[i] = got / size;
    if (counts[i] < *items) *items = counts[i];
    host += room * size;
  }
  for (int i = 0; i < in->file_count; ++i)
    if (counts[i] != *items && is_alone(in->p, in->files[i])) return differ(in->files[i], true);
  return EXIT_OK;
}

int chunk_inputs_read(chunk_inputs *in, unsigned char *host, uint64_t room, uint64_t wanted,
                      uint64_t *items) {
  const uint64_t left = in->items - in->done;
  if (wanted > left) wanted = left;
  *items = 0;
  int code = in->is_over ? EXIT_OK : read_files(in, host, room, wanted, items);
  in->done += *items;
  if (code == EXIT_OK && !in->is_over && in->items != UINT64_MAX && *items < wanted)
    code = check_pipes(in);
  if (code == EXIT_OK && !in->is_over && in->done == in->items) code = check_end(in);
  in->is_over |= *items < wanted || in->done == in->items;
  return code;
}

/* ---- using them */

void chunk_inputs_point(const chunk_inputs *in, unsigned char *device, uint64_t room) {
  for (int i = 0; i < in->file_count; ++i) {
    in->files[i]->iter->pointer = device;
    device += room * in->files[i]->iter->type.size;
  }
}

/* It goes on counting where the chunk has ended. */
static void pass(leaf *l, uint64_t items) {
  const size_t size = l->counts->type.size;
  uint64_t value = 0, step = 1;
  memcpy(&value, l->bytes[0], size);
  if (l->counts->step != NULL) memcpy(&step, l->bytes[1], size);
  value += step * items;
  memcpy(l->bytes[0], &value, size);
}

void chunk_inputs_pass(const chunk_inputs *in, uint64_t items) {
  leaf_list *leaves = &in->p->request->files->leaves;
  for (int i = 0; i < leaves->count; ++i)
    if (leaves->leaves[i].counts != NULL) pass(&leaves->leaves[i], items);
}
