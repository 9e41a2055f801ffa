#include "jit/build.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/assemble.h"
#include "jit/binary.h"
#include "jit/code_entries.h"
#include "jit/dump.h"
#include "jit/first_tier.h"
#include "jit/tuned.h"
#include "spec/canonical.h"
#include "spec/shared.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"
#include "util/thread.h"

enum { LOCK_TIMEOUT_MS = 30000 };

/* Everything about a program that is known before it is compiled. */
typedef struct plan {
  const build_settings *settings;
  header_set headers;
  char *source; /* malloc'ed */
  char *spec;   /* canonical text of what is asked for, malloc'ed */
  char *record; /* what the key is the hash of, malloc'ed */
} plan;

static void plan_free(plan *p) {
  headers_close(&p->headers);
  free(p->source);
  free(p->spec);
  free(p->record);
}

void artifact_free(artifact *a) {
  free(a->payload);
  a->payload = NULL;
}

static json_t *policy_to_json(const policy *p) {
  json_t *json = json_object();
  for (int i = 0; i < p->count; ++i) {
    if (json_object_set_new(json, p->names[i], json_integer(p->values[i])) != 0) {
      json_decref(json);
      return NULL;
    }
  }
  return json;
}

static json_t *options_to_json(const build_settings *settings) {
  json_t *json = json_array();
  int failed = 0;
  for (const char *const *option = compiler_options; *option != NULL; ++option)
    failed |= json_array_append_new(json, json_string(*option));
  if (settings->relocatable) failed |= json_array_append_new(json, json_string(compiler_relocatable));
  for (char *const *option = settings->options; option != NULL && *option != NULL; ++option)
    failed |= json_array_append_new(json, json_string(*option));
  if (failed == 0) return json;
  json_decref(json);
  return NULL;
}

static json_t *digest_to_json(digest d) {
  char hex[DIGEST_HEX_SIZE];
  digest_hex(d, hex);
  return json_string(hex);
}

/* Adds the headers of the user's, where there are any. */
static bool add_headers(json_t *record, const header_set *headers) {
  const size_t own = headers->template_count;
  if (headers->count == own) return true;
  const digest all = files_digest(headers->files + own, headers->count - own);
  return json_object_set_new(record, "headers", digest_to_json(all)) == 0;
}

static char *text_of(const spec *s) {
  json_t *json = spec_to_json(s, SPEC_DIGESTS);
  char *written = canonical_text(json);
  json_decref(json);
  return written;
}

/* The record is a pure function of the request and the target: no path, time, machine or driver is in it.
 * It holds all of the request, or cryptographic digests of what is long, so that two requests of one
 * record are the same request. */
static char *write_record(const plan *p, const spec *s, const artifact *a) {
  shared_spec room;
  const digest templates = templates_digest(p->headers.files, p->headers.template_count, p->source);
  json_t *json = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "arch", a->target.name, "options",
                           options_to_json(p->settings), "policy", policy_to_json(&a->tuning), "program",
                           digest_to_json(digest_of(p->source, strlen(p->source))), "spec",
                           spec_to_json(spec_shared(s, &room), SPEC_DIGESTS), "templates",
                           digest_to_json(templates));
  char *record = add_headers(json, &p->headers) ? canonical_text(json) : NULL;
  json_decref(json);
  return record;
}

/* The text of a program, malloc'ed, and the headers that it includes, to be closed if that succeeds. */
static jig_status write_source(const build_settings *settings, const spec *s, const kernel_row *kernel,
                               const policy *tuning, header_set *headers, char **source) {
  shared_spec room;
  size_t count;
  const template_file *templates = templates_get(&count);
  if (templates == NULL) return JIG_ERROR_INVALID_ARGUMENT;
  jig_status status = headers_open(headers, &settings->headers, templates, count);
  if (status != JIG_SUCCESS) return status;
  headers->options = settings->options;
  status = assemble(spec_shared(s, &room), kernel, tuning, headers, source);
  if (status != JIG_SUCCESS) headers_close(headers);
  return status;
}

static jig_status make_plan(const build_settings *settings, const spec *s, const kernel_row *kernel,
                            const arch *target, plan *p, artifact *a) {
  *p = (plan){.settings = settings};
  const jig_kernel_config *own = spec_own_kernel(s);
  *a = (artifact){
      .name = own != NULL ? own->entry : kernel->name, .target = *target, .cost = {-1, -1, -1}};
  a->tuning = tuned_policy(settings->wisdom, kernel, s, target->sm);
  jig_status status = write_source(settings, s, kernel, &a->tuning, &p->headers, &p->source);
  if (status != JIG_SUCCESS) return status;
  errno = 0;
  p->spec = text_of(s);
  if (p->spec != NULL) p->record = write_record(p, s, a);
  if (p->record == NULL) {
    status = canonical_error("a text of the spec");
    plan_free(p);
    return status;
  }
  a->key = digest_key(digest_of(p->record, strlen(p->record)));
  return JIG_SUCCESS;
}

/* ---- the cache */

static int meta_number(const json_t *meta, const char *name) {
  const json_t *value = json_object_get(meta, name);
  return json_is_integer(value) ? (int)json_integer_value(value) : -1;
}

static bool take_from_cache(const plan *p, const char *compiler_version, artifact *a) {
  entry e;
  if (!store_get_but(p->settings->cache, a->key, p->record, compiler_version, p->settings->refused, &e))
    return false;
  json_t *meta = json_loads(e.meta, 0, NULL);
  a->cost = (kernel_cost){meta_number(meta, "registers"), meta_number(meta, "shared_bytes"),
                          meta_number(meta, "spill_bytes")};
  json_decref(meta);
  a->payload = e.payload;
  a->payload_size = e.payload_size;
  e.payload = NULL;
  memcpy(a->compiler, e.compiler, sizeof a->compiler);
  a->from_cache = a->kept = true;
  a->layer = e.layer;
  entry_free(&e);
  return true;
}

/* In exact mode the compiler has to be asked for its version, which opens it. */
static jig_status look_in_cache(const plan *p, artifact *a, bool *found) {
  const char *version = NULL;
  if (p->settings->exact_compiler) {
    const compiler *c = compiler_get();
    if (c == NULL) return JIG_ERROR_NO_COMPILER;
    version = c->version;
  }
  *found = take_from_cache(p, version, a);
  return JIG_SUCCESS;
}

static void keep(const plan *p, artifact *a) {
  json_t *meta = json_pack("{s:s,s:s,s:s,s:i,s:i,s:i}", "arch", a->target.name, "compiler", a->compiler,
                           "kernel", a->name, "registers", a->cost.registers, "shared_bytes",
                           a->cost.shared_bytes, "spill_bytes", a->cost.spill_bytes);
  entry e = {.record = p->record,
             .meta = canonical_text(meta),
             .payload = a->payload,
             .payload_size = a->payload_size,
             .kind = a->target.ptx ? PAYLOAD_PTX : PAYLOAD_CUBIN};
  memcpy(e.compiler, a->compiler, sizeof e.compiler);
  json_decref(meta);
  a->kept = e.meta != NULL && store_put(p->settings->cache, a->key, &e);
  free(e.meta);
}

/* ---- the compiler */

/* A text of the user's need not have the kernel that it is said to have. */
static jig_status check_entry(const artifact *a, const compiled *result) {
  const view code = view_of(result->payload, result->payload_size);
  if (code_has_entry(code, a->target.ptx, a->name)) return JIG_SUCCESS;
  text names = {0};
  code_list_entries(code, a->target.ptx, &names);
  jig_status status =
      error_set(JIG_ERROR_COMPILE,
                "entry: the source has no extern \"C\" __global__ function '%s'; its kernels: %s",
                a->name, names.data != NULL ? names.data : "none");
  text_free(&names);
  return status;
}

static jig_status compile(const plan *p, const spec *s, artifact *a) {
  const compiler *c = compiler_get();
  if (c == NULL) return JIG_ERROR_NO_COMPILER;
  const compile_request request = {.program = p->source,
                                   .files = p->headers.files,
                                   .file_count = p->headers.count,
                                   .options = p->settings->options,
                                   .target = &a->target,
                                   .relocatable = p->settings->relocatable,
                                   .jobs = p->settings->jobs,
                                   .background = p->settings->background};
  binary_set binaries;
  compiled result;
  binary_find(s, &binaries);
  const bool links = binaries.count > 0 && !request.relocatable;
  jig_status status = binary_check_inlined(&binaries, &a->target);
  if (status != JIG_SUCCESS) return status;
  status =
      links ? binary_compile(c, &request, &binaries, &result) : compiler_compile(c, &request, &result);
  if (p->settings->dump != NULL) dump_build(p->settings->dump, a->key, p->source, &result, a->target.ptx);
  if (status == JIG_SUCCESS && spec_own_kernel(s) != NULL) status = check_entry(a, &result);
  if (status == JIG_SUCCESS) {
    a->payload = result.payload;
    a->payload_size = result.payload_size;
    result.payload = NULL;
    a->cost = result.cost;
    a->compile_ms = result.ms;
    memcpy(a->compiler, c->version, sizeof a->compiler);
    log_info("%s compiled %sin %.1f ms for %s: %s", a->name,
             p->settings->background != NULL ? "in the background " : "", result.ms, a->target.name,
             p->spec);
    if (log_current_level() >= LOG_DEBUG) log_debug("%s", result.log);
  }
  compiled_free(&result);
  return status;
}

/* ---- all of it */

static jig_status not_built(const plan *p, const artifact *a) {
  return error_set(JIG_ERROR_NOT_BUILT,
                   "the cache has no program for %s, and building is not allowed: %s", a->target.name,
                   p->spec);
}

/* One compiler per key across processes; whoever waited finds the entry there. What nobody waits for is
 * left to others, and keeps nobody waiting: for that there is another lock, of a key that nothing has. */
static hash128 lock_of(const plan *p, const artifact *a) {
  hash128 key = a->key;
  if (p->settings->background != NULL) key.low = ~key.low;
  return key;
}

static store_lock lock_key(const plan *p, const artifact *a) {
  store *cache = p->settings->cache;
  if (p->settings->background == NULL) return store_lock_key(cache, a->key, LOCK_TIMEOUT_MS);
  const store_lock others = store_lock_key(cache, a->key, 0);
  store_unlock_key(cache, a->key, others);
  return others.busy ? others : store_lock_key(cache, lock_of(p, a), 0);
}

static bool link_operators(const plan *p, const spec *s, const kernel_row *kernel, artifact *a) {
  if (!p->settings->first_tier || first_tier_build(p->settings, s, kernel, a) != JIG_SUCCESS)
    return false;
  log_info("%s linked in %.1f ms for %s: %s", a->name, a->compile_ms, a->target.name, p->spec);
  return true;
}

static jig_status build_planned(const plan *p, const spec *s, const kernel_row *kernel, artifact *a) {
  bool found = false;
  jig_status status = look_in_cache(p, a, &found);
  if (status != JIG_SUCCESS || found) return status;
  if (p->settings->never) return not_built(p, a);
  if (link_operators(p, s, kernel, a)) return JIG_SUCCESS;
  const store_lock lock = lock_key(p, a);
  status = look_in_cache(p, a, &found);
  if (status == JIG_SUCCESS && !found && lock.busy && p->settings->background != NULL)
    status = error_set(JIG_ERROR_NOT_BUILT, "another process is building it");
  if (status == JIG_SUCCESS && !found) {
    status = compile(p, s, a);
    if (status == JIG_SUCCESS) keep(p, a);
  }
  store_unlock_key(p->settings->cache, lock_of(p, a), lock);
  return status;
}

jig_status build_kernel(const build_settings *settings, const spec *s, const kernel_row *kernel,
                        const arch *target, artifact *a) {
  plan p;
  jig_status status = make_plan(settings, s, kernel, target, &p, a);
  if (status != JIG_SUCCESS) return status;
  status = build_planned(&p, s, kernel, a);
  plan_free(&p);
  return status;
}

void artifacts_free(artifacts *all) {
  for (int i = 0; i < ALGORITHM_MAX_KERNELS; ++i)
    if (kernel_set_has(all->built, i)) artifact_free(&all->of[i]);
  all->built = 0;
}

bool build_from_cache(const build_settings *settings, const spec *s, const arch *target,
                      kernel_set wanted, artifacts *all) {
  bool found = true;
  *all = (artifacts){0};
  for (int i = 0; i < ALGORITHM_MAX_KERNELS && found; ++i) {
    plan p;
    if (!kernel_set_has(wanted, i)) continue;
    found = false;
    if (make_plan(settings, s, algorithm_kernel(s, i, target->sm), target, &p, &all->of[i]) !=
        JIG_SUCCESS)
      break;
    (void)look_in_cache(&p, &all->of[i], &found);
    plan_free(&p);
    if (found) all->built |= kernel_set_of(i);
  }
  if (!found) artifacts_free(all);
  error_clear();
  return found;
}

/* ---- side by side */

typedef struct job {
  const build_settings *settings;
  const spec *s;
  const kernel_row *kernel;
  const arch *target;
  int number; /* the kernel's */
  artifact *made;
  size_t size; /* of the templates: the more there is of them, the longer it takes */
  jig_status status;
  char *error; /* errors belong to threads; malloc'ed */
} job;

typedef struct job_queue {
  job *jobs;
  int count;
  atomic_int next;
} job_queue;

static size_t size_of(const kernel_row *kernel) {
  char program[256];
  size_t count;
  const template_file *files = templates_get(&count);
  (void)snprintf(program, sizeof program, "#include <%s>\n", kernel->templates);
  return files != NULL ? templates_size(files, count, program) : 0;
}

static int larger_first(const void *a, const void *b) {
  const size_t x = ((const job *)a)->size, y = ((const job *)b)->size;
  return (x < y) - (x > y);
}

static void *work(void *argument) {
  job_queue *queue = argument;
  for (int i; (i = atomic_fetch_add(&queue->next, 1)) < queue->count;) {
    job *j = &queue->jobs[i];
    j->status = build_kernel(j->settings, j->s, j->kernel, j->target, j->made);
    if (j->status != JIG_SUCCESS) j->error = strdup(jig_last_error());
  }
  return NULL;
}

/* In this thread and others, as many as may compile at a time. The longest jobs begin first, so that no
 * processor is left with one when the others have nothing to do. */
static void run_jobs(job *jobs, int count, unsigned most_threads) {
  job_queue queue = {.jobs = jobs, .count = count};
  pthread_t threads[ALGORITHM_MAX_KERNELS];
  int started = 0;
  qsort(jobs, (size_t)count, sizeof *jobs, larger_first);
  while (started + 1 < count && (unsigned)started + 1 < most_threads &&
         thread_start(&threads[started], 0, work, &queue) == 0)
    ++started;
  (void)work(&queue);
  for (int i = 0; i < started; ++i) (void)pthread_join(threads[i], NULL);
}

static int list_jobs(const build_settings *settings, const spec *s, const arch *target, kernel_set wanted,
                     artifacts *all, job *jobs) {
  int count = 0;
  for (int i = 0; i < ALGORITHM_MAX_KERNELS; ++i) {
    if (!kernel_set_has(wanted & ~all->built, i)) continue;
    const kernel_row *kernel = algorithm_kernel(s, i, target->sm);
    jobs[count++] = (job){.settings = settings,
                          .s = s,
                          .kernel = kernel,
                          .target = target,
                          .number = i,
                          .made = &all->of[i],
                          .size = size_of(kernel)};
  }
  return count;
}

jig_status build(const build_settings *settings, const spec *s, const arch *target, kernel_set wanted,
                 artifacts *all) {
  job jobs[ALGORITHM_MAX_KERNELS];
  linked_operators operators = LINKED_OPERATORS;
  build_settings own = *settings;
  own.operators = &operators;
  const int count = list_jobs(&own, s, target, wanted, all, jobs);
  run_jobs(jobs, count, settings->jobs);
  linked_operators_free(&operators);
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < count; ++i) {
    if (jobs[i].status == JIG_SUCCESS)
      all->built |= kernel_set_of(jobs[i].number);
    else if (status == JIG_SUCCESS)
      status = error_set(jobs[i].status, "%s", jobs[i].error != NULL ? jobs[i].error : "out of memory");
    free(jobs[i].error);
  }
  if (status != JIG_SUCCESS) artifacts_free(all);
  return status;
}

jig_status build_source(const build_settings *settings, const spec *s, const arch *target,
                        char **source) {
  const int count = algorithm_kernel_count(s);
  tuning_told told = tuned_of(settings->wisdom, s, target->sm);
  text all = {0};
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < count && status == JIG_SUCCESS; ++i) {
    const kernel_row *kernel = algorithm_kernel(s, i, target->sm);
    const policy tuning = kernel_policy(kernel, s, target->sm, &told);
    header_set headers;
    char *one;
    status = write_source(settings, s, kernel, &tuning, &headers, &one);
    if (status != JIG_SUCCESS) break;
    headers_close(&headers);
    text_format(&all, "%s%s", i > 0 ? "\n" : "", one);
    free(one);
  }
  *source = text_take(&all);
  if (status != JIG_SUCCESS) {
    free(*source);
    *source = NULL;
    return status;
  }
  return *source != NULL ? JIG_SUCCESS : error_memory("the program's text");
}
