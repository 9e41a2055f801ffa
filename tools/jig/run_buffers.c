#include "run_buffers.h"

#include <stdlib.h>

#include "report.h"

/* A buffer is all of a file that is no .npy, and the items of one. */
int run_buffers_measure(run_plan *p) {
  leaf_list *leaves = &p->request->files->leaves;
  if (leaves->made > 0) {
    p->main_items = leaves->made;
    return EXIT_OK;
  }
  for (int i = 0; i < leaves->count; ++i) {
    leaf *l = &leaves->leaves[i];
    int code = leaf_open(l);
    if (code == EXIT_OK) code = input_read_rest(&l->in);
    if (code != EXIT_OK) return code;
    l->in.bytes = l->in.file_size - l->in.offset;
    l->iter = &l->buffer;
  }
  if (leaves->count == 0) return usage_error("give the files that are to be copied");
  run_plan_set(p, "num_buffers", (uint64_t)leaves->count);
  return EXIT_OK;
}

/* The three arrays side by side: sources, destinations, sizes. */
static uint64_t *describe(const leaf_list *leaves, uint64_t out) {
  const size_t count = (size_t)leaves->count;
  uint64_t *numbers = calloc(3 * count, sizeof *numbers);
  for (size_t i = 0; i < count && numbers != NULL; ++i) {
    const leaf *l = &leaves->leaves[i];
    numbers[i] = (uint64_t)(uintptr_t)l->buffer.pointer;
    numbers[count + i] = out;
    numbers[2 * count + i] = l->in.bytes;
    out += l->in.bytes;
  }
  return numbers;
}

int run_buffers_upload(run_plan *p, gpu *g, leaf_costs *costs) {
  const leaf_list *leaves = &p->request->files->leaves;
  int code = leaves_upload(&p->request->files->leaves, g, false, costs);
  if (code != EXIT_OK) return code;
  run_array *out = &p->outputs[0];
  out->room = costs->bytes;
  out->device = gpu_alloc(g, out->room);
  const size_t count = (size_t)leaves->count, bytes = 3 * count * sizeof(uint64_t);
  uint64_t *device = out->device != NULL ? gpu_alloc(g, bytes) : NULL;
  uint64_t *numbers = device != NULL ? describe(leaves, (uint64_t)(uintptr_t)out->device) : NULL;
  if (numbers == NULL || !gpu_upload(g, device, numbers, bytes)) code = EXIT_FAILED;
  free(numbers);
  jig_memcpy_batched_args *args = p->args;
  args->sources = jig_pointer(device, JIG_U64);
  args->destinations = jig_pointer(device + count, JIG_U64);
  args->sizes = jig_pointer(device + 2 * count, JIG_U64);
  return code;
}
