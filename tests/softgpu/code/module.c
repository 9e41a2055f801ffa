#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/module_inner.h"
#include "exec/warp.h"
#include "memory/memory.h"

enum { SHARED_ALIGN = 16 };

/* A kernel with what its description points at. */
typedef struct kernel_record {
  kernel public;
  uint32_t *offsets, *sizes;
} kernel_record;

struct module {
  ptx_module *text;
  int device;
  code **codes;                  /* by function; NULL: declared only */
  allocation **variables;        /* by variable; NULL: not asked for yet */
  allocation ***inner_variables; /* by function and variable, of the functions' own */
  uint32_t *shared_offsets;      /* by variable, of the module's .shared ones */
  uint32_t **inner_offsets;      /* by function and variable, of the functions' .shared ones */
  uint32_t *static_shared;       /* by function: bytes up to the end of its own */
  uint32_t dynamic_shared;       /* offset */
  kernel_record *kernels;
  size_t kernel_count;
};

/* ---- shared memory: the module's variables and the device functions' first, each kernel's own behind */

static bool is_dynamic(const ptx_variable *v) {
  return v->is_extern && v->size == 0;
}
static bool is_shared(const ptx_variable *v) {
  return v->space == SPACE_SHARED || v->space == SPACE_SHARED_CLUSTER;
}

static uint32_t place_inner(module *m, size_t f, uint32_t from) {
  const ptx_function *function = m->text->functions[f];
  for (size_t v = 0; v < function->variable_count; ++v) {
    const ptx_variable *variable = function->variables[v];
    if (!is_shared(variable) || is_dynamic(variable)) continue;
    m->inner_offsets[f][v] = align_up(from, variable->align > 0 ? variable->align : 1);
    from = m->inner_offsets[f][v] + (uint32_t)variable->size;
  }
  return from;
}

static void place_shared(module *m) {
  const ptx_module *t = m->text;
  uint32_t end = 0;
  for (size_t v = 0; v < t->variable_count; ++v) {
    const ptx_variable *variable = t->variables[v];
    if (!is_shared(variable) || is_dynamic(variable)) continue;
    m->shared_offsets[v] = align_up(end, variable->align > 0 ? variable->align : 1);
    end = m->shared_offsets[v] + (uint32_t)variable->size;
  }
  for (size_t f = 0; f < t->function_count; ++f)
    if (!t->functions[f]->is_entry && t->functions[f]->alias_of == NULL) end = place_inner(m, f, end);
  m->dynamic_shared = end;
  for (size_t f = 0; f < t->function_count; ++f) {
    if (!t->functions[f]->is_entry) continue;
    m->static_shared[f] = place_inner(m, f, end);
    if (m->static_shared[f] > m->dynamic_shared) m->dynamic_shared = m->static_shared[f];
  }
  uint32_t align = SHARED_ALIGN;
  for (size_t v = 0; v < t->variable_count; ++v)
    if (is_shared(t->variables[v]) && t->variables[v]->align > align) align = t->variables[v]->align;
  m->dynamic_shared = align_up(m->dynamic_shared, align);
}

bool module_shared_offset(const module *m, const ptx_variable *v, uint64_t *offset) {
  if (is_dynamic(v)) {
    *offset = m->dynamic_shared;
  } else if (v->function == NULL) {
    *offset = m->shared_offsets[v->index];
  } else {
    size_t f;
    if (!module_function_index(m, v->function->name, &f)) return false;
    *offset = m->inner_offsets[f][v->index];
  }
  return true;
}

uint32_t module_dynamic_shared(const module *m) {
  return m->dynamic_shared;
}

/* ---- global and constant memory */

static const ptx_variable *find_variable(const module *m, const char *name) {
  for (size_t v = 0; v < m->text->variable_count; ++v)
    if (strcmp(m->text->variables[v]->name, name) == 0) return m->text->variables[v];
  return NULL;
}

static uint64_t symbol_address(module *m, const ptx_relocation *word) {
  const ptx_variable *v = word->variable;
  size_t f;
  uint64_t offset = 0;
  if (v == NULL) return module_function_index(m, word->symbol, &f) ? WINDOW_CODE + 16 * f : 0;
  if (!is_shared(v)) return module_variable_address(m, v);
  (void)module_shared_offset(m, v, &offset);
  return offset + (word->generic ? WINDOW_SHARED : 0);
}

static void initialise(module *m, const ptx_variable *v, uint8_t *to) {
  if (v->initial != NULL) memcpy(to, v->initial, v->size);
  for (size_t r = 0; r < v->relocation_count; ++r) {
    const ptx_relocation *word = &v->relocations[r];
    const uint64_t value = (symbol_address(m, word) + (uint64_t)word->addend) >> word->shift;
    memcpy(to + word->offset, &value, (size_t)word->size);
  }
}

uint64_t module_variable_address(module *m, const ptx_variable *v) {
  size_t f = 0;
  if (v->function != NULL && !module_function_index(m, v->function->name, &f)) return 0;
  allocation **known = v->function == NULL ? &m->variables[v->index] : &m->inner_variables[f][v->index];
  if (*known != NULL) return (*known)->address;
  allocation *a = memory_allocate(v->size > 0 ? v->size : 1, ALLOCATION_VARIABLE, m->device, v->name);
  if (a == NULL) return 0;
  *known = a; /* before the initialiser, which may name the variable itself */
  initialise(m, v, (uint8_t *)(uintptr_t)a->address);
  memory_mark(a, a->address, a->size, true);
  a->read_only = v->space == SPACE_CONST;
  return a->address;
}

bool module_variable(const module *m, const char *name, uint64_t *address, uint64_t *size) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const ptx_variable *v = find_variable(m, name);
  if (v == NULL || (v->space != SPACE_GLOBAL && v->space != SPACE_CONST)) return false;
  (void)pthread_mutex_lock(&mutex);
  *address = module_variable_address((module *)m, v);
  (void)pthread_mutex_unlock(&mutex);
  *size = v->size;
  return *address != 0;
}

/* ---- functions and kernels */

bool module_function_index(const module *m, const char *name, size_t *index) {
  for (size_t f = 0; f < m->text->function_count; ++f) {
    if (strcmp(m->text->functions[f]->name, name) != 0) continue;
    *index = f;
    return true;
  }
  return false;
}

size_t module_function_count(const module *m) {
  return m->text->function_count;
}
const ptx_function *module_function_at(const module *m, size_t index) {
  return m->text->functions[index];
}
const code *module_code_at(const module *m, size_t index) {
  return m->codes[index];
}
const char *module_source_file(const module *m, unsigned file) {
  return file < m->text->file_count ? m->text->files[file] : NULL;
}

uint32_t module_param_offset(const module *m, const ptx_function *f, const ptx_variable *v) {
  (void)m;
  uint32_t offset = 0;
  for (size_t p = 0; p < f->param_count; ++p) {
    offset = align_up(offset, f->params[p]->align > 0 ? f->params[p]->align : 1);
    if (f->params[p] == v) break;
    offset += (uint32_t)f->params[p]->size;
  }
  return offset;
}

static uint32_t product(const unsigned n[3]) {
  return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

static unsigned estimate_registers(const ptx_function *f) {
  size_t words = 16;
  for (size_t r = 0; r < f->register_count; ++r) words += ptx_type_size(f->registers[r]->type) == 8;
  words += f->register_count / 4;
  return words > 255 ? 255 : (unsigned)words;
}

static bool describe_kernel(module *m, size_t f, kernel_record *k) {
  const ptx_function *function = m->text->functions[f];
  k->offsets = calloc(function->param_count + 1, sizeof *k->offsets);
  k->sizes = calloc(function->param_count + 1, sizeof *k->sizes);
  if (k->offsets == NULL || k->sizes == NULL) return false;
  kernel *p = &k->public;
  for (size_t i = 0; i < function->param_count; ++i) {
    k->offsets[i] = module_param_offset(m, function, function->params[i]);
    k->sizes[i] = (uint32_t)function->params[i]->size;
    p->param_bytes = k->offsets[i] + k->sizes[i];
  }
  const unsigned bound = product(function->max_threads), exact = product(function->required_threads);
  *p = (kernel){.name = function->name,
                .owner = m,
                .code = m->codes[f],
                .param_count = (unsigned)function->param_count,
                .param_offsets = k->offsets,
                .param_sizes = k->sizes,
                .param_bytes = p->param_bytes,
                .static_shared_bytes = m->static_shared[f],
                .local_bytes = m->codes[f]->local_bytes,
                .max_threads = exact > 0                   ? exact
                               : bound > 0 && bound < 1024 ? bound
                                                           : 1024,
                .registers = estimate_registers(function)};
  memcpy(p->required_threads, function->required_threads, sizeof p->required_threads);
  memcpy(p->required_cluster, function->required_cluster, sizeof p->required_cluster);
  return true;
}

size_t module_kernel_count(const module *m) {
  return m->kernel_count;
}
const kernel *module_kernel_at(const module *m, size_t index) {
  return &m->kernels[index].public;
}
const kernel *module_kernel(const module *m, const char *name) {
  for (size_t k = 0; k < m->kernel_count; ++k)
    if (strcmp(m->kernels[k].public.name, name) == 0) return &m->kernels[k].public;
  return NULL;
}

/* ---- loading */

static void release_variables(allocation **variables, size_t count) {
  for (size_t v = 0; variables != NULL && v < count; ++v)
    if (variables[v] != NULL) memory_release(variables[v]);
  free(variables);
}

static void release_function(module *m, size_t f) {
  if (m->codes != NULL) code_free(m->codes[f]);
  if (m->inner_offsets != NULL) free(m->inner_offsets[f]);
  if (m->inner_variables != NULL)
    release_variables(m->inner_variables[f], m->text->functions[f]->variable_count);
  if (m->kernels == NULL) return;
  free(m->kernels[f].offsets);
  free(m->kernels[f].sizes);
}

/* All but the text. */
static void release(module *m) {
  for (size_t f = 0; f < m->text->function_count; ++f) release_function(m, f);
  release_variables(m->variables, m->text->variable_count);
  free(m->codes);
  free(m->shared_offsets);
  free(m->inner_offsets);
  free(m->inner_variables);
  free(m->static_shared);
  free(m->kernels);
  free(m);
}

static module *reserve(ptx_module *text, int device) {
  module *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  const size_t functions = text->function_count + 1, variables = text->variable_count + 1;
  m->text = text;
  m->device = device;
  m->codes = calloc(functions, sizeof *m->codes);
  m->variables = calloc(variables, sizeof *m->variables);
  m->shared_offsets = calloc(variables, sizeof *m->shared_offsets);
  m->inner_offsets = calloc(functions, sizeof *m->inner_offsets);
  m->inner_variables = calloc(functions, sizeof *m->inner_variables);
  m->static_shared = calloc(functions, sizeof *m->static_shared);
  m->kernels = calloc(functions, sizeof *m->kernels);
  bool ok = m->codes != NULL && m->variables != NULL && m->shared_offsets != NULL &&
            m->inner_offsets != NULL && m->inner_variables != NULL && m->static_shared != NULL &&
            m->kernels != NULL;
  for (size_t f = 0; ok && f < text->function_count; ++f) {
    const size_t inner = text->functions[f]->variable_count + 1;
    m->inner_offsets[f] = calloc(inner, sizeof **m->inner_offsets);
    m->inner_variables[f] = calloc(inner, sizeof **m->inner_variables);
    ok = m->inner_offsets[f] != NULL && m->inner_variables[f] != NULL;
  }
  if (ok) return m;
  release(m);
  return NULL;
}

void module_unload(module *m) {
  if (m == NULL) return;
  ptx_module *text = m->text;
  release(m);
  ptx_free(text);
}

static bool decode_functions(module *m, char *error, size_t size) {
  for (size_t f = 0; f < m->text->function_count; ++f) {
    if (m->text->functions[f]->is_extern) continue;
    unsigned line;
    m->codes[f] = code_decode(m, m->text->functions[f], error, size, &line);
    if (m->codes[f] == NULL) return false;
  }
  for (size_t f = 0; f < m->text->function_count; ++f) {
    if (!m->text->functions[f]->is_entry || m->codes[f] == NULL) continue;
    if (!describe_kernel(m, f, &m->kernels[m->kernel_count++])) return false;
  }
  return true;
}

static module *refuse(CUresult *result, CUresult why, char **log, const char *message) {
  *result = why;
  *log = strdup(message);
  return NULL;
}

module *module_load(const char *text, int sm, int device, CUresult *result, char **log) {
  ptx_error error = {0};
  char message[1024] = "out of memory";
  *log = NULL;
  *result = CUDA_SUCCESS;
  ptx_module *parsed = ptx_parse(text, &error);
  if (parsed == NULL) {
    (void)snprintf(message, sizeof message, "PTX line %u: %s", error.line, error.message);
    return refuse(result, CUDA_ERROR_INVALID_PTX, log, message);
  }
  if (parsed->target_sm > sm) {
    (void)snprintf(message, sizeof message, "PTX for sm_%d does not run on sm_%d", parsed->target_sm, sm);
    ptx_free(parsed);
    return refuse(result, CUDA_ERROR_NO_BINARY_FOR_GPU, log, message);
  }
  module *m = reserve(parsed, device);
  if (m == NULL) {
    ptx_free(parsed);
    return refuse(result, CUDA_ERROR_OUT_OF_MEMORY, log, message);
  }
  place_shared(m);
  if (decode_functions(m, message, sizeof message)) return m;
  module_unload(m);
  return refuse(result, CUDA_ERROR_INVALID_PTX, log, message);
}
