#include "exec/builtin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"

/* ---- reading the lanes' memory */

/* The byte at a generic address and how many may be read from there on; NULL: nothing is there. */
static const uint8_t *look(const warp *w, unsigned lane, uint64_t address, uint64_t *available) {
  const block *b = w->block;
  if (address - WINDOW_LOCAL < b->local_bytes) {
    *available = b->local_bytes - (address - WINDOW_LOCAL);
    return w->local + lane * (size_t)b->local_bytes + (address - WINDOW_LOCAL);
  }
  if (address - WINDOW_SHARED < b->shared_bytes) {
    *available = b->shared_bytes - (address - WINDOW_SHARED);
    return b->shared + (address - WINDOW_SHARED);
  }
  const allocation *a = memory_holding(address, 1);
  if (a == NULL) return NULL;
  *available = a->address + a->size - address;
  return (const uint8_t *)(uintptr_t)address;
}

static bool read_bytes(const warp *w, unsigned lane, uint64_t address, void *to, size_t size) {
  uint64_t available;
  const uint8_t *at = look(w, lane, address, &available);
  if (at == NULL || available < size) return false;
  memcpy(to, at, size);
  return true;
}

/* A string; "(null)" and the like where there is none. */
static const char *read_string(const warp *w, unsigned lane, uint64_t address) {
  uint64_t available;
  const uint8_t *at = look(w, lane, address, &available);
  if (at == NULL) return address == 0 ? "(null)" : "(no string)";
  return memchr(at, 0, available) != NULL ? (const char *)at : "(no end of string)";
}

static uint64_t argument(const warp *w, unsigned lane, const builtin_call *call, size_t k, size_t size) {
  uint64_t value = 0;
  if (k < call->arg_count)
    memcpy(&value, w->local + lane * (size_t)w->block->local_bytes + call->args[k], size);
  return value;
}

static void put_result(warp *w, unsigned lane, const builtin_call *call, uint64_t value) {
  if (call->result_count == 0) return;
  const size_t at = lane * (size_t)w->block->local_bytes + call->result;
  const size_t size = call->result_size < sizeof value ? call->result_size : sizeof value;
  memcpy(w->local + at, &value, size);
  memset(w->local_shadow + at, SHADOW_SET, size);
}

/* ---- printf */

/* What is printed so far, and where its arguments are. */
typedef struct printing {
  const warp *w;
  unsigned lane;
  uint64_t next; /* address of the next argument */
  char text[4096];
  size_t length;
  int count;
} printing;

static uint64_t next_argument(printing *p, unsigned size) {
  uint64_t value = 0;
  p->next = (p->next + size - 1) / size * size;
  (void)read_bytes(p->w, p->lane, p->next, &value, size);
  p->next += size;
  ++p->count;
  return value;
}

/* The directives come from the program. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define PRINT(value) \
  p->length += (size_t)snprintf(p->text + p->length, sizeof p->text - p->length, directive, value)

/* Prints one directive, "%-8.3f" or so, which ends with its conversion. */
static void print_directive(printing *p, const char *directive, size_t length) {
  const char conversion = directive[length - 1];
  const bool wide = strchr(directive, 'l') != NULL || strchr(directive, 'j') != NULL ||
                    strchr(directive, 'z') != NULL || strchr(directive, 't') != NULL;
  double real;
  switch (conversion) {
    case 'd':
    case 'i':
      if (wide)
        PRINT((long long)next_argument(p, 8));
      else
        PRINT((int)next_argument(p, 4));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (wide)
        PRINT((unsigned long long)next_argument(p, 8));
      else
        PRINT((unsigned)next_argument(p, 4));
      break;
    case 'c':
      PRINT((int)next_argument(p, 4));
      break;
    case 'p':
      PRINT((void *)(uintptr_t)next_argument(p, 8));
      break;
    case 's':
      PRINT(read_string(p->w, p->lane, next_argument(p, 8)));
      break;
    default: {
      const uint64_t bits = next_argument(p, 8);
      memcpy(&real, &bits, sizeof real);
      PRINT(real);
    }
  }
  if (p->length >= sizeof p->text) p->length = sizeof p->text - 1;
}
#undef PRINT
#pragma GCC diagnostic pop

static void print_char(printing *p, char c) {
  if (p->length + 1 < sizeof p->text) p->text[p->length++] = c;
}

/* Copies a directive with its * replaced by arguments; its length in the format, 0 if it is none. */
static size_t take_directive(printing *p, const char *format, char *directive, size_t size) {
  size_t n = 1, length = 1;
  directive[0] = '%';
  for (; format[n] != '\0' && strchr("-+ #0123456789.*hlLjzt", format[n]) && length < size - 16; ++n) {
    if (format[n] == '*')
      length += (size_t)snprintf(directive + length, size - length, "%d", (int)next_argument(p, 4));
    else if (format[n] != 'L') /* there is no long double */
      directive[length++] = format[n];
  }
  if (format[n] == '\0' || !strchr("diuxXocpsaAeEfFgG", format[n])) return 0;
  if (strchr("cs", format[n]))
    while (directive[length - 1] == 'l') --length; /* nor are there wide characters */
  directive[length++] = format[n++];
  directive[length] = '\0';
  return n;
}

static int print(const warp *w, unsigned lane, const char *format, uint64_t arguments) {
  printing *p = calloc(1, sizeof *p);
  if (p == NULL) return -1;
  p->w = w;
  p->lane = lane;
  p->next = arguments;
  while (*format != '\0') {
    char directive[64];
    if (*format != '%') {
      print_char(p, *format++);
    } else if (format[1] == '%') {
      print_char(p, '%');
      format += 2;
    } else {
      const size_t taken = take_directive(p, format, directive, sizeof directive);
      if (taken > 0)
        print_directive(p, directive, strlen(directive));
      else
        print_char(p, '%'); /* what it begins is printed as it is */
      format += taken > 0 ? taken : 1;
    }
  }
  const int count = p->count;
  (void)fwrite(p->text, 1, p->length, stdout);
  free(p);
  return count;
}

static flow run_vprintf(warp *w, const insn *i, uint32_t mask, const builtin_call *call) {
  (void)i;
  FOR_EACH(l, mask) {
    const char *format = read_string(w, l, argument(w, l, call, 0, 8));
    put_result(w, l, call, (uint64_t)(int64_t)print(w, l, format, argument(w, l, call, 1, 8)));
  }
  return FLOW_NEXT;
}

/* ---- assert */

static flow run_assertfail(warp *w, const insn *i, uint32_t mask, const builtin_call *call) {
  const unsigned lane = (unsigned)__builtin_ctz(mask);
  const report_place place = place_of(w, i, lane);
  (void)report(REPORT_TRAP, &place, "assertion `%s' failed at %s:%u, %s",
               read_string(w, lane, argument(w, lane, call, 0, 8)),
               read_string(w, lane, argument(w, lane, call, 1, 8)),
               (unsigned)argument(w, lane, call, 2, 4),
               read_string(w, lane, argument(w, lane, call, 3, 8)));
  return fault(w, CUDA_ERROR_ASSERT);
}

/* ---- the heap */

static flow run_malloc(warp *w, const insn *i, uint32_t mask, const builtin_call *call) {
  (void)i;
  FOR_EACH(l, mask) {
    const uint64_t size = argument(w, l, call, 0, 8);
    const allocation *a =
        size > 0 ? memory_allocate(size, ALLOCATION_HEAP, w->block->grid->launch.device, NULL) : NULL;
    put_result(w, l, call, a != NULL ? a->address : 0);
  }
  return FLOW_NEXT;
}

static flow run_free(warp *w, const insn *i, uint32_t mask, const builtin_call *call) {
  FOR_EACH(l, mask) {
    const uint64_t address = argument(w, l, call, 0, 8);
    allocation *a = memory_find(address);
    if (address == 0) continue;
    if (a == NULL || a->address != address || a->kind != ALLOCATION_HEAP) {
      report_place place = place_of(w, i, l);
      place.address = address;
      place.has_address = true;
      (void)report(REPORT_USE_AFTER_FREE, &place, "free() of what malloc() did not return");
      return fault(w, CUDA_ERROR_LAUNCH_FAILED);
    }
    memory_release(a);
  }
  return FLOW_NEXT;
}

builtin_run *builtin_find(const char *name) {
  static const struct {
    const char *name;
    builtin_run *run;
  } all[] = {{"vprintf", run_vprintf},
             {"__assertfail", run_assertfail},
             {"malloc", run_malloc},
             {"free", run_free}};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
    if (strcmp(all[k].name, name) == 0) return all[k].run;
  return NULL;
}
