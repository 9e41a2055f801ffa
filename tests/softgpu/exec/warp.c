#include "exec/warp.h"

#include <stdio.h>
#include <string.h>

#include "code/decode_state.h"
#include "code/module_inner.h"

/* ---- values of any width */

#define READ(type)                                                       \
  do {                                                                   \
    const type *from = (const type *)(const void *)(w->regs + i->op[k]); \
    FOR_LANES(l) raw[l] = (int64_t)(uint64_t)from[l];                    \
  } while (0)

void read_lanes(const warp *w, const insn *i, int k, int size, bool is_signed, int64_t out[LANES]) {
  int64_t raw[LANES];
  switch (i->width[k]) {
    case 2:
      READ(uint16_t);
      break;
    case 4:
      READ(uint32_t);
      break;
    case 16: { /* the low half */
      const uint64_t *from = (const uint64_t *)(const void *)(w->regs + i->op[k]);
      FOR_LANES(l) raw[l] = (int64_t)from[2 * l];
      break;
    }
    default:
      READ(uint64_t);
  }
  const int unused = size < 8 ? 64 - 8 * size : 0;
  if (is_signed)
    FOR_LANES(l) out[l] = (int64_t)((uint64_t)raw[l] << unused) >> unused;
  else
    FOR_LANES(l) out[l] = (int64_t)((uint64_t)raw[l] << unused >> unused);
}
#undef READ

void write_lanes(warp *w, const insn *i, int k, const int64_t values[LANES], uint32_t mask) {
  switch (i->width[k]) {
    case 2: {
      uint16_t narrow[LANES];
      FOR_LANES(l) narrow[l] = (uint16_t)values[l];
      put_u16(REG(uint16_t, k), narrow, mask);
      break;
    }
    case 4: {
      uint32_t narrow[LANES];
      FOR_LANES(l) narrow[l] = (uint32_t)values[l];
      put_u32(REG(uint32_t, k), narrow, mask);
      break;
    }
    case 16: {
      uint64_t *to = REG(uint64_t, k);
      FOR_EACH(l, mask) {
        to[2 * l] = (uint64_t)values[l];
        to[2 * l + 1] = 0;
      }
      break;
    }
    default:
      put_u64(REG(uint64_t, k), values, mask);
  }
}

/* ---- faults */

static const char *written(const ptx_instruction *in) {
  static _Thread_local char text[256];
  ptx_write(in, text, sizeof text);
  return text;
}

report_place place_of(const warp *w, const insn *i, unsigned lane) {
  report_place p = {.kernel = w->block->grid->kernel->name,
                    .instruction = written(i->ptx),
                    .ptx_line = i->ptx->line,
                    .source_line = i->ptx->source_line,
                    .has_thread = true};
  if (i->ptx->source_line > 0)
    p.source = module_source_file(w->block->grid->kernel->owner, i->ptx->source_file);
  for (int d = 0; d < 3; ++d) {
    p.thread[d] = w->tid[d][lane];
    p.block[d] = w->block->id[d];
  }
  return p;
}

flow fault(warp *w, CUresult result) {
  int none = CUDA_SUCCESS;
  (void)atomic_compare_exchange_strong(&w->block->grid->result, &none, (int)result);
  atomic_store(&w->block->grid->failing, true);
  return FLOW_FAULT;
}
