/* jig_kernel_get() and the like: see include/jig/kernel.h. What is compiled is in jit/own_program.c,
 * where kernels are kept in engine/own_kernels.c. */
#include <jig/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "engine/kernels.h"
#include "engine/own_kernels.h"
#include "jit/own_limits.h"
#include "spec/own_kernel.h"
#include "util/count_text.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

static const slot_schema slots[] = {
    {.name = "kernel", .kind = SLOT_KERNEL, .help = "texts, definitions, and the name of the kernel"}};

static policy own_policy(const spec *s, int sm) {
  (void)s;
  (void)sm;
  return (policy){.count = 0};
}

static const kernel_parameter parameters[] = {{PARAMETERS_END}};
static const kernel_row kernels[] = {{.name = "kernel",
                                      .templates = "jig/core/types.cuh",
                                      .function = "",
                                      .parameters = parameters,
                                      .choose_policy = own_policy}};

const algorithm own_kernel_algorithm = {
    .schema = {.algorithm = "kernel", .slots = slots, .slot_count = 1},
    .kernels = kernels,
    .kernel_count = 1,
};

static jig_status bind(const char *name, const jig_kernel_config *config, spec *s) {
  if (config == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: config: the pointer is NULL", name);
  s->schema = &own_kernel_algorithm.schema;
  s->slots[0] = (spec_slot){.kernel = config};
  const jig_status status = layout_check(LAYOUT(jig_kernel_config), config, name, "config");
  return status == JIG_SUCCESS ? own_kernel_check_pointers(config, name) : status;
}

jig_status jig_kernel_spec(const jig_kernel_config *config, char **spec_text) {
  static const char name[] = "jig_kernel_spec";
  spec s;
  error_clear();
  if (spec_text == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: spec: the pointer is NULL", name);
  *spec_text = NULL;
  const jig_status status = bind(name, config, &s);
  return status == JIG_SUCCESS ? spec_write(&s, name, spec_text) : status;
}

/* ---- the program, in the current context */

static jig_status choose_all(void *unused, program *p, kernel_set *needed) {
  (void)unused;
  (void)p;
  *needed = kernel_set_of(0);
  return JIG_SUCCESS;
}

/* While the stream is captured, nothing is loaded; the stream that nobody captures unless he names it is
 * given where there is none. */
static jig_status find_program(call *c, const spec *s) {
  const kernel_choice choice = {choose_all, NULL};
  jig_status status = engine_program(c->engine, s, c->name, c->stream, &choice, &c->program,
                                     &c->in_memory, &c->slow_since);
  if (status != JIG_SUCCESS) return status;
  const kernel_set loaded = atomic_load_explicit(&c->program->loaded, memory_order_acquire);
  return loaded != 0 ? JIG_SUCCESS : kernels_have(c->engine, c->program, kernel_set_of(0));
}

/* Where a kernel can be launched now. */
typedef struct place {
  CUcontext context;
  const device_info *device;
} place;

static jig_status find_place(place *here) {
  const jig_status status = driver_current_device(&here->device);
  return status == JIG_SUCCESS ? driver_current_context(&here->context) : status;
}

static jig_status take_seat(const call *c, jig_kernel *k, const place *here, const own_seat **seat) {
  *seat = own_kernel_seat(k, here->context, here->device);
  if (*seat != NULL) return JIG_SUCCESS;
  const jig_status status = program_make_resident(c->program);
  if (status != JIG_SUCCESS) return error_prefix(status, "%s", c->name);
  *seat = own_kernel_add_seat(k, here->context, here->device, c->program);
  return *seat != NULL ? JIG_SUCCESS : error_memory("a kernel");
}

static jig_status get(call *c, const spec *s, jig_kernel **kernel) {
  place here;
  const own_seat *seat;
  jig_status status = find_program(c, s);
  if (status == JIG_SUCCESS) status = find_place(&here);
  if (status != JIG_SUCCESS) return status;
  jig_kernel *k = own_kernel_of(c->engine, c->program);
  if (k == NULL) return error_memory("a kernel");
  status = take_seat(c, k, &here, &seat);
  if (status == JIG_SUCCESS) *kernel = k;
  return status;
}

jig_status jig_kernel_get(jig_engine *engine, const jig_kernel_config *config, jig_kernel **kernel) {
  static const char name[] = "jig_kernel_get";
  call c;
  spec s;
  jig_status status = call_begin(&c, name, engine, NULL, NULL, CU_STREAM_PER_THREAD);
  if (status == JIG_SUCCESS && kernel == NULL)
    status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: kernel: the pointer is NULL", name);
  if (kernel != NULL) *kernel = NULL;
  if (status == JIG_SUCCESS) status = bind(name, config, &s);
  if (status == JIG_SUCCESS) status = get(&c, &s, kernel);
  return call_end(&c, status);
}

/* ---- what is done with one */

/* The kernel's limits, and its name. */
static const own_limits *limits_of(const own_seat *seat) {
  return seat->p->kernels[0].own;
}
static const char *entry_of(const own_seat *seat) {
  return spec_own_kernel(seat->p->s)->entry;
}

static jig_status not_loaded(const call *c, const jig_kernel *k) {
  return error_set(JIG_ERROR_NOT_BUILT,
                   "%s: '%s' is not loaded in this context, and cannot be while the stream is captured; "
                   "call jig_kernel_get() before the capture begins",
                   c->name, spec_own_kernel(k->s)->entry);
}

/* Begins a call that uses a kernel in the current context, which it is loaded in if need be. */
static jig_status begin_use(call *c, const char *name, jig_kernel *k, const jig_kernel_shape *shape,
                            CUstream stream, const own_seat **seat) {
  place here;
  if (k == NULL) {
    *c = (call){.name = name, .in_memory = true};
    error_clear();
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: kernel: the pointer is NULL", name);
  }
  jig_status status = call_begin(c, name, k->engine, NULL, NULL, stream);
  c->in_memory = true;
  if (status == JIG_SUCCESS && shape == NULL)
    status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: shape: the pointer is NULL", name);
  if (status == JIG_SUCCESS) status = layout_check(LAYOUT(jig_kernel_shape), shape, name, "shape");
  if (status == JIG_SUCCESS) status = find_place(&here);
  if (status != JIG_SUCCESS) return status;
  *seat = own_kernel_seat(k, here.context, here.device);
  if (*seat != NULL) return JIG_SUCCESS;
  if (call_is_captured(c)) return not_loaded(c, k);
  status = find_program(c, k->s);
  return status == JIG_SUCCESS ? take_seat(c, k, &here, seat) : status;
}

/* ---- checks of a shape */

static uint64_t volume(const uint32_t size[3]) {
  uint64_t product = 1;
  for (int d = 0; d < 3; ++d) product = product_of(product, size[d] > 0 ? size[d] : 1);
  return product;
}

static jig_status check_sizes(const call *c, const char *field, const uint32_t size[3],
                              const uint32_t most[3]) {
  for (int d = 0; d < 3; ++d)
    if (size[d] > most[d])
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s[%d]: %u; %u are the most", c->name, field, d,
                       size[d], most[d]);
  return JIG_SUCCESS;
}

/* Why a block of a kernel can have no more threads. Registers are given to four warps at a time, eight of
 * a thread; every GPU since SM 75 has as many. */
static const char *limit_of(const own_seat *seat, uint32_t threads, char why[64]) {
  enum { GPU_THREADS = 1024, BLOCK_REGISTERS = 65536, GIVEN_THREADS = 128, GIVEN_REGISTERS = 8 };
  const unsigned registers =
      (limits_of(seat)->registers + GIVEN_REGISTERS - 1) / GIVEN_REGISTERS * GIVEN_REGISTERS;
  if (threads == spec_own_kernel(seat->p->s)->max_threads) return "max_threads of its config";
  if (threads == GPU_THREADS) return "the GPU";
  if ((threads + GIVEN_THREADS) * registers <= BLOCK_REGISTERS) return "its launch bounds";
  (void)snprintf(why, 64, "its %u registers a thread", limits_of(seat)->registers);
  return why;
}

static jig_status check_block(const call *c, const own_seat *seat, const jig_kernel_shape *shape) {
  static const uint32_t most[3] = {1024, 1024, 64};
  const own_limits *own = limits_of(seat);
  const uint32_t stated = spec_own_kernel(seat->p->s)->max_threads;
  const unsigned threads = stated > 0 && stated < own->max_threads ? stated : own->max_threads;
  char why[64];
  const jig_status status = check_sizes(c, "block", shape->block, most);
  if (status != JIG_SUCCESS || volume(shape->block) <= threads) return status;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: block: %llu threads; '%s' has %u at most, by %s",
                   c->name, (unsigned long long)volume(shape->block), entry_of(seat), threads,
                   limit_of(seat, threads, why));
}

static jig_status check_shared(const call *c, const own_seat *seat, const jig_kernel_shape *shape) {
  const own_limits *own = limits_of(seat);
  if (shape->shared_bytes <= own->max_shared_bytes) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: shared_bytes: %u; '%s' can have %u on this GPU, beside %u static ones", c->name,
                   shape->shared_bytes, entry_of(seat), own->max_shared_bytes, own->static_bytes);
}

/* Attributes come with a driver's newer function. */
static jig_status check_attribute(const call *c, const own_seat *seat, const char *field) {
  if (seat->p->cuda->cuLaunchKernelEx != NULL) return JIG_SUCCESS;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: %s: it takes a driver of CUDA 11.8 or newer", c->name,
                   field);
}

/* A text may say how large clusters are, by __cluster_dims__: then a launch says nothing else. */
static jig_status check_required(const call *c, const own_seat *seat, const jig_kernel_shape *shape) {
  const unsigned *required = limits_of(seat)->required_cluster;
  for (int d = 0; d < 3; ++d) {
    const uint32_t blocks = shape->cluster[d] > 0 ? shape->cluster[d] : 1;
    if (required[d] != 0 && own_has_clusters(shape) && blocks != required[d])
      return error_set(JIG_ERROR_INVALID_ARGUMENT,
                       "%s: cluster[%d]: %u; '%s' has clusters of %u by its text", c->name, d, blocks,
                       entry_of(seat), required[d]);
  }
  return JIG_SUCCESS;
}

static jig_status check_divided(const call *c, const jig_kernel_shape *shape, const uint32_t cluster[3]) {
  for (int d = 0; d < 3; ++d) {
    const uint32_t blocks = shape->grid[d] > 0 ? shape->grid[d] : 1;
    if (cluster[d] > 1 && blocks % cluster[d] != 0)
      return error_set(JIG_ERROR_INVALID_ARGUMENT,
                       "%s: grid[%d]: %u blocks cannot be divided into clusters of %u", c->name, d,
                       blocks, cluster[d]);
  }
  return JIG_SUCCESS;
}

static jig_status check_cluster(const call *c, const own_seat *seat, const jig_kernel_shape *shape) {
  enum { MOST_BLOCKS = 16 };
  count_text shown;
  jig_status status = check_required(c, seat, shape);
  if (status != JIG_SUCCESS) return status;
  if (!own_has_clusters(shape)) return check_divided(c, shape, limits_of(seat)->required_cluster);
  if (seat->device->sm < 90)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: cluster: SM %d has none; they come with SM 90", c->name,
                     seat->device->sm);
  if (volume(shape->cluster) > MOST_BLOCKS)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: cluster: %s blocks; %d are the most", c->name,
                     text_of_count(&shown, volume(shape->cluster)), (int)MOST_BLOCKS);
  status = check_divided(c, shape, shape->cluster);
  return status == JIG_SUCCESS ? check_attribute(c, seat, "cluster") : status;
}

static jig_status check_switch(const call *c, const char *field, int value) {
  if (value == 0 || value == 1) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %d is neither 0 nor 1", c->name, field, value);
}

static jig_status check_shape(const call *c, const own_seat *seat, const jig_kernel_shape *shape) {
  static const uint32_t most_blocks[3] = {INT32_MAX, 65535, 65535};
  jig_status status = check_sizes(c, "grid", shape->grid, most_blocks);
  if (status == JIG_SUCCESS) status = check_block(c, seat, shape);
  if (status == JIG_SUCCESS) status = check_shared(c, seat, shape);
  if (status == JIG_SUCCESS) status = check_cluster(c, seat, shape);
  if (status == JIG_SUCCESS) status = check_switch(c, "pdl", shape->pdl);
  if (status == JIG_SUCCESS) status = check_switch(c, "cooperative", shape->cooperative);
  return status == JIG_SUCCESS && shape->cooperative ? check_attribute(c, seat, "cooperative") : status;
}

/* ---- arguments */

enum { FEW_ARGUMENTS = 32 };

static jig_status check_arguments(const call *c, const own_seat *seat, const jig_kernel_arg *args,
                                  size_t count) {
  const own_limits *own = limits_of(seat);
  const entry_parameters *all = &own->parameters;
  if (count > 0 && args == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: args: the pointer is NULL", c->name);
  if (own->knows_parameters && count != all->count)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: count: %zu argument%s; '%s' has %u parameter%s",
                     c->name, count, count == 1 ? "" : "s", entry_of(seat), all->count,
                     all->count == 1 ? "" : "s");
  for (size_t i = 0; i < count; ++i) {
    if (args[i].value == NULL)
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: args[%zu]: value is NULL", c->name, i);
    if (own->knows_parameters && args[i].size != all->sizes[i])
      return error_set(JIG_ERROR_INVALID_ARGUMENT,
                       "%s: args[%zu]: %zu bytes; that parameter of '%s' has %u", c->name, i,
                       args[i].size, entry_of(seat), all->sizes[i]);
  }
  return JIG_SUCCESS;
}

/* ---- launching */

/* Of a cooperative one the driver does not say how many there may be. */
static void say_cooperative(const call *c, const own_seat *seat, const jig_kernel_shape *shape) {
  int blocks = 0;
  (void)seat->p->cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, seat->p->kernels[0].function, (int)volume(shape->block), shape->shared_bytes);
  (void)error_set(JIG_ERROR_UNSUPPORTED,
                  "%s: grid: %llu blocks of a cooperative launch; %d of '%s' run at once on this GPU",
                  c->name, (unsigned long long)volume(shape->grid),
                  blocks * seat->device->multiprocessors, entry_of(seat));
}

/* The largest cluster of a shape's blocks that the GPU has room for; 0 if the driver does not tell. */
static unsigned largest_cluster(const own_seat *seat, const jig_kernel_shape *shape) {
  CUlaunchAttribute attributes[OWN_MAX_ATTRIBUTES];
  int blocks = 0;
  if (!own_has_clusters(shape) || seat->p->cuda->cuOccupancyMaxPotentialClusterSize == NULL) return 0;
  CUlaunchConfig config = own_launch_config(seat->p, shape, attributes);
  config.numAttrs = 0; /* which would ask for the size */
  if (seat->p->cuda->cuOccupancyMaxPotentialClusterSize(&blocks, seat->p->kernels[0].function, &config) !=
      CUDA_SUCCESS)
    return 0;
  return blocks > 0 ? (unsigned)blocks : 0;
}

static jig_status refuse_launch(const call *c, const own_seat *seat, const jig_kernel_shape *shape,
                                CUresult result) {
  const unsigned largest = largest_cluster(seat, shape);
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) {
    say_cooperative(c, seat, shape);
  } else if (largest > 0 && volume(shape->cluster) > largest) {
    (void)error_set(
        JIG_ERROR_UNSUPPORTED,
        "%s: cluster: %llu blocks; of '%s' with so many threads and so much shared memory this GPU "
        "has room for clusters of %u",
        c->name, (unsigned long long)volume(shape->cluster), entry_of(seat), largest);
  } else {
    return error_prefix(driver_error(result, "launching a kernel"), "%s: '%s'", c->name, entry_of(seat));
  }
  return error_of_driver(JIG_ERROR_UNSUPPORTED, (int)result);
}

static jig_status launch(const call *c, const own_seat *seat, const jig_kernel_shape *shape,
                         const jig_kernel_arg *args, size_t count) {
  void *few[FEW_ARGUMENTS], **values = few;
  if (count > FEW_ARGUMENTS && (values = malloc(count * sizeof *values)) == NULL)
    return error_memory("a launch's arguments");
  for (size_t i = 0; i < count; ++i) values[i] = (void *)(uintptr_t)args[i].value;
  const CUresult result = own_launch(seat->p, shape, values, c->stream);
  if (values != few) free(values);
  if (result != CUDA_SUCCESS) return refuse_launch(c, seat, shape, result);
  return c->engine->debug_sync ? call_wait(c) : JIG_SUCCESS;
}

jig_status jig_kernel_launch(jig_kernel *kernel, const jig_kernel_shape *shape,
                             const jig_kernel_arg *args, size_t count, CUstream stream) {
  call c;
  const own_seat *seat;
  jig_status status = begin_use(&c, "jig_kernel_launch", kernel, shape, stream, &seat);
  if (status == JIG_SUCCESS) status = check_shape(&c, seat, shape);
  if (status == JIG_SUCCESS) status = check_arguments(&c, seat, args, count);
  if (status == JIG_SUCCESS) status = launch(&c, seat, shape, args, count);
  return call_end(&c, status);
}

/* ---- asking */

/* The same, with a grid of one cluster, or of one block where there are none. */
static jig_kernel_shape shape_of_cluster(const own_seat *seat, const jig_kernel_shape *shape) {
  jig_kernel_shape whole = *shape;
  const uint32_t *blocks = own_has_clusters(shape) ? shape->cluster : limits_of(seat)->required_cluster;
  memcpy(whole.grid, blocks, sizeof whole.grid);
  return whole;
}

/* Of the whole GPU; 0 where there are none. */
static CUresult count_clusters(const own_seat *seat, const jig_kernel_shape *shape, uint32_t *clusters) {
  const program *p = seat->p;
  CUlaunchAttribute attributes[OWN_MAX_ATTRIBUTES];
  int count = 0;
  *clusters = 0;
  if (!own_has_clusters(shape)) return CUDA_SUCCESS;
  if (p->cuda->cuOccupancyMaxActiveClusters == NULL) return CUDA_ERROR_NOT_SUPPORTED;
  const jig_kernel_shape whole = shape_of_cluster(seat, shape);
  const CUlaunchConfig config = own_launch_config(p, &whole, attributes);
  const CUresult result = p->cuda->cuOccupancyMaxActiveClusters(&count, p->kernels[0].function, &config);
  *clusters = (uint32_t)count;
  return result;
}

static jig_status ask(const call *c, const own_seat *seat, const jig_kernel_shape *shape,
                      jig_occupancy *occupancy) {
  const own_limits *own = limits_of(seat);
  const program *p = seat->p;
  int blocks = 0;
  CUresult result = p->cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, p->kernels[0].function, (int)volume(shape->block), shape->shared_bytes);
  *occupancy = (jig_occupancy){.blocks = (uint32_t)blocks,
                               .multiprocessors = (uint32_t)seat->device->multiprocessors,
                               .max_threads = own->max_threads,
                               .registers = own->registers,
                               .local_bytes = own->local_bytes,
                               .shared_bytes = own->static_bytes,
                               .max_shared_bytes = own->max_shared_bytes,
                               .parameters = own->parameters.count};
  if (result == CUDA_SUCCESS) result = count_clusters(seat, shape, &occupancy->clusters);
  if (result == CUDA_SUCCESS) return JIG_SUCCESS;
  return error_prefix(driver_error(result, "asking for the occupancy"), "%s", c->name);
}

jig_status jig_kernel_occupancy(jig_kernel *kernel, const jig_kernel_shape *shape,
                                jig_occupancy *occupancy) {
  call c;
  const own_seat *seat;
  jig_status status = begin_use(&c, "jig_kernel_occupancy", kernel, shape, CU_STREAM_PER_THREAD, &seat);
  if (status == JIG_SUCCESS && occupancy == NULL)
    status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: occupancy: the pointer is NULL", c.name);
  if (status == JIG_SUCCESS) {
    const jig_kernel_shape of_cluster = shape_of_cluster(seat, shape);
    status = check_shape(&c, seat, &of_cluster);
  }
  if (status == JIG_SUCCESS) status = ask(&c, seat, shape, occupancy);
  return call_end(&c, status);
}

jig_status jig_kernel_function(jig_kernel *kernel, CUfunction *function) {
  static const jig_kernel_shape none = {{0}};
  call c;
  const own_seat *seat;
  CUresult result = CUDA_SUCCESS;
  if (function != NULL) *function = NULL;
  jig_status status = begin_use(&c, "jig_kernel_function", kernel, &none, CU_STREAM_PER_THREAD, &seat);
  if (status == JIG_SUCCESS && function == NULL)
    status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: function: the pointer is NULL", c.name);
  if (status == JIG_SUCCESS) {
    const loaded_kernel *k = &seat->p->kernels[0];
    *function = k->function;
    if (k->library != NULL) result = seat->p->cuda->cuKernelGetFunction(function, (CUkernel)k->function);
    if (result != CUDA_SUCCESS)
      status = error_prefix(driver_error(result, "cuKernelGetFunction"), "%s", c.name);
  }
  return call_end(&c, status);
}
