#include "work/task.h"

#include <stdlib.h>
#include <string.h>

#include "check/report.h"
#include "memory/memory.h"

static _Thread_local bool in_callback;

bool task_in_callback(void) {
  return in_callback;
}

uint64_t task_span(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
  if (width == 0 || height == 0 || depth == 0) return 0;
  return (uint64_t)(depth - 1) * slice + (uint64_t)(height - 1) * pitch + width;
}

bool task_clone(task *to, const task *from) {
  *to = *from;
  if (from->kind != TASK_KERNEL) return true;
  const size_t bytes = from->param_bytes;
  to->launch.params = malloc(bytes > 0 ? bytes : 1);
  if (to->launch.params == NULL) return false;
  if (bytes > 0) memcpy(to->launch.params, from->launch.params, bytes);
  return true;
}

void task_free(task *t) {
  if (t->kind == TASK_KERNEL) free(t->launch.params);
  if (t->kind == TASK_COPY) {
    free(t->copy.staged);
    free(t->copy.seen);
  }
  t->kind = TASK_NOTHING;
}

bool task_survives(const task *t) {
  return t->kind == TASK_CALLBACK || t->kind == TASK_FREE;
}

/* ---- memory: what was fine when the call was made may have been freed before its turn came */

static bool is_of_host(uint64_t address) {
  const allocation *a = memory_find(address);
  return a == NULL || a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_REGISTERED;
}

static bool still_there(uint64_t address, uint64_t bytes, const char *what) {
  const bool in_arena = address - memory_arena.base < memory_arena.size;
  if (in_arena ? memory_holding(address, bytes) != NULL : memory_is_mapped(address, bytes)) return true;
  const report_place place = {.address = address, .has_address = true};
  (void)report(REPORT_USE_AFTER_FREE, &place,
               "%s of %llu bytes at %#llx: the memory was freed before the copy's turn in its stream",
               what, (unsigned long long)bytes, (unsigned long long)address);
  return false;
}

/* Whether the program has left its side alone until now. */
static void check_seen(const task *t) {
  const copy_task *c = &t->copy;
  const bool is_source = is_of_host(c->from);
  const uint64_t base = is_source ? c->from : c->to;
  const size_t pitch = is_source ? c->from_pitch : c->to_pitch;
  const size_t slice = is_source ? c->from_slice : c->to_slice;
  const unsigned char *seen = c->seen;
  for (size_t z = 0; z < c->depth; ++z) {
    for (size_t y = 0; y < c->height; ++y, seen += c->width) {
      const uint64_t row = base + z * slice + y * pitch;
      if (memcmp((const void *)(uintptr_t)row, seen, c->width) == 0) continue;
      (void)report(REPORT_ORDER, NULL,
                   "%s: the program has written to the %llu bytes at %#llx, which are still to be %s",
                   t->call, (unsigned long long)c->width, (unsigned long long)row,
                   is_source ? "copied" : "filled");
      return;
    }
  }
}

static CUresult run_copy(const task *t) {
  const copy_task *c = &t->copy;
  const uint64_t to_span = task_span(c->width, c->height, c->depth, c->to_pitch, c->to_slice);
  const uint64_t from_span = task_span(c->width, c->height, c->depth, c->from_pitch, c->from_slice);
  if (to_span == 0) return CUDA_SUCCESS;
  if (!still_there(c->to, to_span, "copy to") || !still_there(c->from, from_span, "copy from"))
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (c->seen != NULL) check_seen(t);
  for (size_t z = 0; z < c->depth; ++z) {
    for (size_t y = 0; y < c->height; ++y) {
      const uint64_t to = c->to + z * c->to_slice + y * c->to_pitch;
      const uint64_t from = c->from + z * c->from_slice + y * c->from_pitch;
      memory_copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, c->width);
    }
  }
  return CUDA_SUCCESS;
}

static CUresult run_set(const set_task *s) {
  const size_t row = s->width * s->element;
  const uint64_t span = task_span(row, s->height, 1, s->pitch, 0);
  if (span == 0) return CUDA_SUCCESS;
  allocation *a = memory_holding(s->to, span);
  if (a == NULL) {
    (void)still_there(s->to, span, "memset");
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  for (size_t y = 0; y < s->height; ++y) {
    const uint64_t to = s->to + y * s->pitch;
    memory_fill((void *)(uintptr_t)to, s->value, s->element, s->width);
    memory_mark(a, to, row, true);
  }
  return CUDA_SUCCESS;
}

static CUresult run_memory(const task *t) {
  allocation *a = memory_find(t->memory.address);
  if (a == NULL) return CUDA_SUCCESS; /* was told when it was freed the first time */
  if (t->kind == TASK_FREE) {
    memory_release(a);
  } else {
    memory_mark(a, a->address, a->size, false);
  }
  return CUDA_SUCCESS;
}

CUresult task_run(const task *t, CUresult status) {
  switch (t->kind) {
    case TASK_COPY:
      return run_copy(t);
    case TASK_SET:
      return run_set(&t->set);
    case TASK_HOST:
    case TASK_CALLBACK:
      in_callback = true;
      if (t->kind == TASK_HOST)
        t->host.function(t->host.data);
      else
        t->host.callback(t->host.stream, status, t->host.data);
      in_callback = false;
      return CUDA_SUCCESS;
    case TASK_FREE:
    case TASK_RENEW:
      return run_memory(t);
    default:
      return CUDA_SUCCESS;
  }
}
