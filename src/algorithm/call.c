#include "algorithm/call.h"

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

#include "algorithm/packed_args.h"
#include "engine/kernels.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "util/clock.h"
#include "util/count_text.h"
#include "util/env.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- NVTX: a range around each public call, for profilers. Without one the domain is NULL. */

static nvtxDomainHandle_t domain;
static pthread_once_t domain_once = PTHREAD_ONCE_INIT;
static void make_domain(void) {
  /* NVTX loads the library that an environment variable names. */
  if (env_is_trusted()) domain = nvtxDomainCreateA("jig");
}

static bool begin_range(const jig_engine *engine, const char *name) {
  if (!engine->has_ranges) return false;
  (void)pthread_once(&domain_once, make_domain);
  if (domain == NULL) return false;
  nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                      .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                      .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                      .message.ascii = name};
  (void)nvtxDomainRangePushEx(domain, &attributes);
  return true;
}

static void end_range(const call *c) {
  if (c->ranged) (void)nvtxDomainRangePop(domain);
}

/* ---- begin and end */

jig_status call_begin(call *c, const char *name, jig_engine *engine, void *storage, size_t *bytes,
                      CUstream stream) {
  error_clear();
  *c = (call){.name = name, .storage = storage, .bytes = bytes, .stream = stream};
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  c->engine = engine;
  c->ranged = begin_range(engine, name);
  c->number = atomic_fetch_add_explicit(&c->engine->calls, 1, memory_order_relaxed);
  return engine_check_fork(c->engine);
}

static void give_back(const call *c) {
  const jig_engine *engine = c->engine;
  if (engine->release != NULL)
    engine->release(engine->allocator_user, c->owned, c->owned_bytes, c->stream);
  else
    (void)driver_get()->cuMemFreeAsync((CUdeviceptr)(uintptr_t)c->owned, c->stream);
}

jig_status call_end(call *c, jig_status status) {
  if (c->owned != NULL) give_back(c);
  if (c->engine != NULL && !c->in_memory) atomic_fetch_add(&c->engine->slow_calls, 1);
  if (c->slow_since != 0) engine_count_wait(c->engine, c->name, clock_ms() - c->slow_since);
  if (status == JIG_SUCCESS && c->launched != 0 && (c->needs & ~c->launched) != 0)
    atomic_fetch_add(&c->engine->misplanned, 1);
  end_range(c);
  return status == JIG_SUCCESS ? status : error_begin(status, c->name); /* builds do not know for whom */
}

/* ---- checks */

jig_status call_check_choice(const char *name, const char *field, int value, int last) {
  if (value >= 0 && value <= last) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: no such choice (%d)", name, field, value);
}

jig_status call_check_fold(const char *name, jig_nan nan, jig_determinism determinism) {
  const jig_status status = call_check_choice(name, "nan", (int)nan, JIG_NAN_IGNORE);
  return status == JIG_SUCCESS
             ? call_check_choice(name, "determinism", (int)determinism, JIG_DETERMINISM_NONE)
             : status;
}

jig_status call_check_op(const call *c, const jig_op *op, const char *what) {
  if (op->kind == JIG_OP_NONE) return JIG_SUCCESS;
  const jig_status status = op_check_state_value(op, what);
  return status == JIG_SUCCESS ? status : error_prefix(status, "%s", c->name);
}

jig_status call_check_iter(const call *c, const jig_iter *iter, uint64_t num_items, const char *what) {
  const jig_status status = iter_check_values(iter, num_items, what);
  return status == JIG_SUCCESS ? status : error_prefix(status, "%s", c->name);
}

/* ---- the program */

typedef struct planning {
  call *c;
  call_plan *plan;
  void *user;
} planning;

static jig_status plan_call(const planning *p) {
  p->c->needs = 0;
  return p->plan(p->c, p->user);
}

static jig_status choose_kernels(void *user, program *chosen, kernel_set *needed) {
  const planning *p = user;
  p->c->program = chosen;
  const jig_status status = plan_call(p);
  *needed = p->c->needs;
  return status;
}

static kernel_set missing_kernels(const call *c) {
  const kernel_set all = kernel_set_of(c->program->count) - 1, needs = c->needs != 0 ? c->needs : all;
  return needs & (~atomic_load_explicit(&c->program->loaded, memory_order_acquire) |
                  atomic_load_explicit(&c->program->better, memory_order_relaxed));
}

static jig_status have_kernels(call *c, kernel_set kernels) {
  c->in_memory = false;
  if (c->slow_since == 0) c->slow_since = clock_ms();
  return kernels_have(c->engine, c->program, kernels);
}

/* Programs last as long as their engine. */
static jig_status find_program(call *c, const kernel_choice *choice, known_program *known) {
  uint64_t place = 0;
  const bool is_placed = known != NULL && engine_place(&place) == JIG_SUCCESS;
  if (is_placed && known->program != NULL && known->place == place) {
    c->program = known->program;
    c->in_memory = true;
    return JIG_SUCCESS;
  }
  const jig_status status = engine_program(c->engine, c->s, c->name, c->stream, choice, &c->program,
                                           &c->in_memory, &c->slow_since);
  if (status == JIG_SUCCESS && is_placed) *known = (known_program){c->program, place};
  return status;
}

static jig_status have_program(call *c, const spec *s, call_plan *plan, void *user,
                               known_program *known) {
  const planning p = {c, plan, user};
  const kernel_choice choice = {choose_kernels, (void *)(uintptr_t)&p};
  c->s = s;
  jig_status status = find_program(c, &choice, known);
  if (status == JIG_SUCCESS) status = plan_call(&p);
  /* What a kernel has room for is known once it is loaded, and may lead to another plan. */
  for (kernel_set missing; status == JIG_SUCCESS && (missing = missing_kernels(c)) != 0;) {
    status = have_kernels(c, missing);
    if (status == JIG_SUCCESS) status = plan_call(&p);
  }
  bool query = c->storage == NULL;
  /* A size query, or a call that allocates anyway, sees to it that no later launch loads anything. */
  if (status != JIG_SUCCESS || !query) return status;
  status = program_make_resident(c->program);
  return status == JIG_SUCCESS ? status : error_prefix(status, "%s", c->name);
}

jig_status call_program(call *c, const spec *s, call_plan *plan, void *user) {
  return have_program(c, s, plan, user, NULL);
}

/* ---- counts */

/* Kernels step beyond a count before they look. */
jig_status call_check_countable(const call *c, const char *argument, uint64_t count) {
  count_text shown;
  if (count <= INT64_MAX) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %s is more than 2^63 - 1", c->name, argument,
                   count == TOO_LARGE ? "that" : text_of_count(&shown, count));
}

jig_status call_check_count(const call *c, const char *argument, uint64_t count, const jig_iter *iter,
                            const char *name) {
  count_text shown;
  if (count <= INT32_MAX && iter->kind == JIG_ITER_POINTER) return JIG_SUCCESS; /* warm calls pass here */
  if (!iter_fits_memory(iter, count))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: no memory has room for %s items of %s", c->name,
                     argument, text_of_count(&shown, count), name);
  return call_check_countable(c, argument, count);
}

const char *const call_device_counts[] = {"none", "u64", NULL};

/* Warm calls pass here. */
static inline const uint64_t *count_in(const call_count *count, const void *args) {
  const uint64_t *in = NULL;
  if (count->name != NULL) memcpy(&in, (const char *)args + count->in_at, sizeof in);
  return in;
}

static jig_status check_apart_from_count(const call *c, const jig_iter *out, uint64_t num_items,
                                         const char *what, const call_count *count) {
  const uint64_t *in = count_in(count, c->counted);
  if (in == NULL || !iter_overlaps(out, num_items, in, sizeof *in)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s overlaps %s", c->name, what, count->name);
}

static jig_status check_count(const call *c, const call_count *count) {
  const jig_iter number = jig_pointer(count_in(count, c->counted), JIG_U64);
  const spec_schema *schema = c->s->schema;
  if (number.pointer == NULL) return JIG_SUCCESS;
  jig_status status = call_check_iter(c, &number, 1, count->name);
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &number, 1, count->name);
  for (int i = 0; i < schema->slot_count && status == JIG_SUCCESS; ++i) {
    const jig_iter *out = schema->slots[i].role == ITER_OUTPUT ? c->s->slots[i].iter : NULL;
    if (out != NULL) status = check_apart_from_count(c, out, 1, schema->slots[i].name, count);
  }
  return status;
}

jig_status call_check_index(const call *c, const jig_type *type, const char *name, uint64_t largest) {
  if (largest <= type_largest(type)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %s has no room for %llu", c->name, name,
                   jig_type_name(type), (unsigned long long)largest);
}

jig_status call_check_blocks(const call *c, const char *argument, uint64_t blocks) {
  if (blocks <= INT32_MAX) return JIG_SUCCESS;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: %s: a launch cannot have so many blocks", c->name,
                   argument);
}

jig_status call_check_temp(const call *c, const char *argument, uint64_t bytes) {
  if (bytes <= MOST_BYTES) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: %s: no memory has room for the temp storage that so many take", c->name,
                   argument);
}

/* ---- temp storage */

static jig_status take_storage(call *c, size_t needed) {
  const jig_engine *engine = c->engine;
  if (engine->allocate != NULL) {
    c->owned = engine->allocate(engine->allocator_user, needed, c->stream);
    if (c->owned == NULL) {
      return error_set(JIG_ERROR_OUT_OF_MEMORY,
                       "%s: the engine's allocate has no %zu bytes of temp storage", c->name, needed);
    }
  } else if (driver_get()->cuMemAllocAsync == NULL || driver_get()->cuMemFreeAsync == NULL) {
    return error_set(
        JIG_ERROR_UNSUPPORTED,
        "%s: this driver has no stream-ordered allocator: give temp storage, or allocate and "
        "release to the engine",
        c->name);
  } else {
    CUdeviceptr taken = 0;
    CUresult result = driver_get()->cuMemAllocAsync(&taken, needed, c->stream);
    if (result != CUDA_SUCCESS)
      return error_prefix(driver_error(result, "allocating temp storage"), "%s", c->name);
    c->owned = (void *)(uintptr_t)taken;
  }
  c->storage = c->owned;
  c->owned_bytes = needed;
  return JIG_SUCCESS;
}

static jig_status check_storage(const call *c, size_t needed) {
  if (*c->bytes >= needed) return JIG_SUCCESS;
  return error_set(JIG_ERROR_TEMP_STORAGE_TOO_SMALL, "%s: *temp_storage_bytes is %zu, and %zu are needed",
                   c->name, *c->bytes, needed);
}

/* So that a kernel which relies on what it did not write is found out; and compute-sanitizer's initcheck
 * keeps quiet when blocks wait for what others are about to write. */
static jig_status fill_storage(const call *c, size_t bytes) {
  CUresult result =
      driver_get()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)c->storage, 0xcd, bytes, c->stream);
  if (result == CUDA_SUCCESS) return JIG_SUCCESS;
  return error_prefix(driver_error(result, "filling temp storage"), "%s", c->name);
}

/* In a size query it writes the size and *go_on is false; otherwise c->storage is at least that large and
 * *go_on is true, unless an error is returned. */
static jig_status settle_storage(call *c, const temp_layout *layout, bool *go_on) {
  const size_t needed = temp_size(layout);
  *go_on = false;
  jig_status status = call_check_temp(c, "num_items", needed);
  if (status != JIG_SUCCESS) return status;
  if (c->storage == NULL && c->bytes != NULL) {
    *c->bytes = needed;
    return JIG_SUCCESS;
  }
  if (c->storage != NULL && c->bytes == NULL) {
    return error_set(
        JIG_ERROR_INVALID_ARGUMENT,
        "%s: d_temp_storage is given without temp_storage_bytes; give both, or neither to have jig "
        "allocate",
        c->name);
  }
  status = c->storage == NULL ? take_storage(c, needed) : check_storage(c, needed);
  if (status == JIG_SUCCESS && c->engine->debug_sync) status = fill_storage(c, needed);
  *go_on = status == JIG_SUCCESS;
  return status;
}

jig_status call_check_overlap(const call *c, const jig_iter *iter, uint64_t num_items, const char *what) {
  if (c->bytes == NULL || !iter_overlaps(iter, num_items, c->storage, *c->bytes)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s overlaps d_temp_storage", c->name, what);
}

jig_status call_check_output(const call *c, const jig_iter *out, uint64_t num_items, const char *what) {
  jig_status status = call_check_overlap(c, out, num_items, what);
  if (status != JIG_SUCCESS || c->counted == NULL) return status;
  status = check_apart_from_count(c, out, num_items, what, &c->steps->count);
  return status == JIG_SUCCESS ? check_apart_from_count(c, out, num_items, what, &c->steps->second_count)
                               : status;
}

jig_status call_check_in_place(const call *c, const jig_iter *out, const char *what, const jig_iter *in,
                               const char *other, uint64_t num_items) {
  if (out->kind != JIG_ITER_POINTER || iter_reads_in_place(in, out, num_items)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: %s overlaps %s, and is not the same memory item for item", c->name, what, other);
}

jig_status call_check_item_for_item(const call *c, const jig_iter *in, const jig_iter *out,
                                    uint64_t num_items) {
  jig_status status = call_check_iter(c, in, num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_iter(c, out, num_items, "out");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, in, num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_output(c, out, num_items, "out");
  return status == JIG_SUCCESS ? call_check_in_place(c, out, "out", in, "in", num_items) : status;
}

jig_status call_check_apart(const call *c, const jig_iter *out, uint64_t num_items, const char *what,
                            const jig_iter *other, uint64_t num_others, const char *other_what) {
  const size_t bytes = product_of(num_items, out->type.size);
  if (out->kind != JIG_ITER_POINTER || !iter_overlaps(other, num_others, out->pointer, bytes))
    return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s overlaps %s", c->name, what, other_what);
}

/* ---- launching */

bool call_is_captured(const call *c) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver_get()->cuStreamIsCapturing(c->stream, &capture) != CUDA_SUCCESS ||
         capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

jig_status call_wait(const call *c) {
  if (call_is_captured(c)) return JIG_SUCCESS;
  CUresult result = driver_get()->cuStreamSynchronize(c->stream);
  if (result == CUDA_SUCCESS) return JIG_SUCCESS;
  jig_status status = driver_work_error(result, "waiting for the kernel");
  return error_prefix(status, "%s", c->name);
}

/* Plans tell what will be launched, and tests look whether they tell it rightly; calls work in any case.
 */
static jig_status have_kernel(call *c, int kernel) {
  if (c->needs != 0 && !kernel_set_has(c->needs, kernel)) atomic_fetch_add(&c->engine->misplanned, 1);
  c->launched |= kernel_set_of(kernel);
  const kernel_set loaded = atomic_load_explicit(&c->program->loaded, memory_order_acquire);
  return kernel_set_has(loaded, kernel) ? JIG_SUCCESS : have_kernels(c, kernel_set_of(kernel));
}

jig_status call_launch(call *c, int kernel, launch_shape shape, const void *values) {
  packed_args packed;
  jig_status status = have_kernel(c, kernel);
  if (status != JIG_SUCCESS) return status;
  shape.pdl = shape.pdl || c->is_queued; /* all kernels can */
  packed_args_fill(&packed, c->program->kernels[kernel].parameters, c->s, values);
  status = program_launch(c->program, kernel, shape, packed.parameters, c->stream);
  if (status != JIG_SUCCESS) return error_prefix(status, "%s", c->name);
  return c->engine->debug_sync ? call_wait(c) : JIG_SUCCESS;
}

bool call_has_to_copy(const jig_iter *in, const jig_iter *out, uint64_t num_items) {
  return type_is_wide(&in->type) && out->kind == JIG_ITER_POINTER &&
         iter_overlaps(in, num_items, out->pointer, product_of(num_items, out->type.size));
}

jig_status call_copy_input(call *c, const jig_iter *in, uint64_t num_items, const char *what,
                           void *storage, jig_iter *copy) {
  const size_t bytes = product_of(num_items, in->type.size);
  *copy = *in;
  c->is_rebound = true;
  if (in->kind != JIG_ITER_POINTER)
    return error_set(
        JIG_ERROR_UNSUPPORTED,
        "%s: %s: it must be a pointer if the output is in its place, as items have more than "
        "%d bytes",
        c->name, what, (int)TYPE_HELD_SIZE);
  copy->pointer = storage;
  CUresult result = driver_get()->cuMemcpyDtoDAsync(
      (CUdeviceptr)(uintptr_t)storage, (CUdeviceptr)(uintptr_t)in->pointer, bytes, c->stream);
  if (result == CUDA_SUCCESS) return JIG_SUCCESS;
  return error_prefix(driver_error(result, "copying to temp storage"), "%s", c->name);
}

jig_status call_fill(const call *c, void *storage, unsigned char byte, size_t bytes, const char *what) {
  if (bytes == 0) return JIG_SUCCESS;
  CUresult result =
      driver_get()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)storage, byte, bytes, c->stream);
  if (result == CUDA_SUCCESS) return JIG_SUCCESS;
  return error_prefix(driver_error(result, what), "%s", c->name);
}

jig_status call_clear_for_graph(const call *c, void *storage, size_t bytes) {
  if (bytes == 0 || !call_is_captured(c)) return JIG_SUCCESS;
  return call_fill(c, storage, 0, bytes, "clearing temp storage");
}

/* ---- the whole */

jig_status call_bind(const call_steps *steps, const char *name, const void *args, void *bound) {
  if (args == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: args: the pointer is NULL", name);
  const jig_status status = layout_check(steps->args, args, name, "args");
  return status == JIG_SUCCESS ? steps->bind(name, args, bound) : status;
}

typedef struct preparing {
  const call_steps *steps;
  void *bound;
  temp_layout temp;
} preparing;

static jig_status prepare(call *c, void *user) {
  preparing *p = user;
  p->temp = (temp_layout){0};
  return p->steps->prepare(c, p->bound, &p->temp);
}

static jig_status check_counts(call *c, const call_steps *steps, const void *args) {
  c->counted = args;
  c->steps = steps;
  const jig_status status = check_count(c, &steps->count);
  return status == JIG_SUCCESS ? check_count(c, &steps->second_count) : status;
}

static inline bool leaves_nothing(const call_count *count, const void *args) {
  uint64_t given;
  if (!count->is_of_work) return false;
  memcpy(&given, (const char *)args + count->at, sizeof given);
  return given == 0;
}

jig_status call_run_bound(call *c, const call_steps *steps, const void *args, void *bound,
                          known_program *known) {
  preparing p; /* all of it is set by prepare(), but for these */
  bool go_on;
  p.steps = steps;
  p.bound = bound;
  jig_status status = have_program(c, bound, prepare, &p, known);
  if (status != JIG_SUCCESS) return status;
  status = settle_storage(c, &p.temp, &go_on);
  if (!go_on) return status;
  if (count_in(&steps->count, args) != NULL || count_in(&steps->second_count, args) != NULL)
    status = check_counts(c, steps, args);
  if (status != JIG_SUCCESS || leaves_nothing(&steps->count, args)) return status;
  return steps->launch(c, bound, &p.temp);
}

jig_status call_run(const call_steps *steps, jig_engine *engine, void *storage, size_t *bytes,
                    const void *args, CUstream stream, void *bound) {
  call c;
  jig_status status = call_begin(&c, steps->name, engine, storage, bytes, stream);
  if (status == JIG_SUCCESS) status = call_bind(steps, c.name, args, bound);
  if (status == JIG_SUCCESS) status = call_run_bound(&c, steps, args, bound, NULL);
  return call_end(&c, status);
}

jig_status call_spec(const call_steps *steps, const void *args, char **text, void *bound) {
  char name[64];
  error_clear();
  (void)snprintf(name, sizeof name, "%s_spec", steps->name);
  if (text == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: spec: the pointer is NULL", name);
  *text = NULL;
  const jig_status status = call_bind(steps, name, args, bound);
  return status == JIG_SUCCESS ? spec_write(bound, name, text) : status;
}
