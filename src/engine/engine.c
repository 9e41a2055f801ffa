#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "engine/environment.h"
#include "engine/kernels.h"
#include "engine/own_kernels.h"
#include "jit/compiler.h"
#include "jit/jobs.h"
#include "jit/linker.h"
#include "jit/options.h"
#include "spec/layout.h"
#include "system_cache.h" /* written by the Makefile */
#include "util/cancel.h"
#include "util/env.h"
#include "util/error.h"
#include "util/log.h"
#include "util/strings.h"
#include "util/text.h"

/* ---- fork: a child cannot use the CUDA state that it inherits */

static _Atomic unsigned generation;
static pthread_once_t atfork_once = PTHREAD_ONCE_INIT;
/* One mutex for the statistics of all engines, so that fork() can be told of it once: a child, which may
 * still build, must not inherit it locked by a thread that it does not have. */
static pthread_mutex_t stats_mutex = PTHREAD_MUTEX_INITIALIZER;

void engine_lock_stats(void) {
  (void)pthread_mutex_lock(&stats_mutex);
}

void engine_unlock_stats(void) {
  (void)pthread_mutex_unlock(&stats_mutex);
}

static pthread_mutex_t default_mutex = PTHREAD_MUTEX_INITIALIZER; /* makes the default engine */

static void in_child(void) {
  engine_unlock_stats();
  kernels_in_child();
  (void)pthread_mutex_init(&default_mutex, NULL);
  atomic_fetch_add(&generation, 1);
  if (jobs_after_fork()) compiler_lose();
  linker_after_fork();
}
static void before_fork(void) {
  kernels_before_fork();
  engine_lock_stats();
}
static void in_parent(void) {
  engine_unlock_stats();
  kernels_after_fork();
}
static void watch_forks(void) {
  (void)pthread_atfork(before_fork, in_parent, in_child);
}

jig_status engine_check_fork(const jig_engine *engine) {
  if (engine->generation == atomic_load_explicit(&generation, memory_order_relaxed)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_FORKED,
                   "the engine was made before fork(); CUDA does not survive it: make an engine in "
                   "the child, before CUDA is used in the parent");
}

/* ---- configuration */

/* A place of the user's own by the XDG Base Directory Specification; nothing if there is no home. */
static void add_own_place(text *t, const char *variable, const char *below_home, const char *name) {
  const char *xdg = env_get_absolute(variable), *home = env_get_absolute("HOME");
  if (xdg != NULL)
    text_format(t, "%s/%s", xdg, name);
  else if (home != NULL)
    text_format(t, "%s/%s/%s", home, below_home, name);
}

/* The user's cache directory, which stays empty if there is no home. */
static void choose_cache_dir(const jig_engine_config *config, text *chosen) {
  const char *dir = config->cache_dir != NULL ? config->cache_dir : env_get("JIG_CACHE_DIR");
  if (dir != NULL)
    text_add(chosen, dir);
  else
    add_own_place(chosen, "XDG_CACHE_HOME", ".cache", "jig");
}

/* NULL if there is no memory. */
static store *open_cache(const jig_engine_config *config) {
  const char *layers = config->cache_path != NULL ? config->cache_path : env_get("JIG_CACHE_PATH");
  text all_layers = {0};
  if (layers != NULL && layers[0] != '\0') text_format(&all_layers, "%s:", layers);
  text_add(&all_layers, JIG_SYSTEM_CACHE);
  text chosen = {0};
  choose_cache_dir(config, &chosen);
  store_config settings = {
      .dir = chosen.length > 0 ? chosen.data : NULL,
      .layers = all_layers.data,
      .max_size = config->cache_max_size != 0 ? config->cache_max_size : environment_cache_max_size()};
  store *cache = all_layers.failed || chosen.failed ? NULL : store_open(&settings);
  text_free(&chosen);
  text_free(&all_layers);
  return cache;
}

char *engine_wisdom_file(void) {
  text t = {0};
  add_own_place(&t, "XDG_CONFIG_HOME", ".config", "jig/wisdom");
  if (t.length > 0) return text_take(&t);
  text_free(&t);
  return NULL;
}

static void log_problem(void *unused, const char *problem) {
  (void)unused;
  log_info("%s", problem);
}

static void log_wisdom_problem(void *unused, const char *problem) {
  (void)unused;
  log_info("wisdom: %s", problem);
}

static void add_wisdom(jig_engine *engine, const char *file) {
  (void)wisdom_add_file(&engine->known, file, log_wisdom_problem, NULL);
}

/* Where it is if nobody says, as far as it is there. */
static void add_usual_wisdom(jig_engine *engine) {
  char *own = engine_wisdom_file();
  if (access(JIG_SYSTEM_WISDOM, F_OK) == 0) add_wisdom(engine, JIG_SYSTEM_WISDOM);
  if (own != NULL && access(own, F_OK) == 0) add_wisdom(engine, own);
  free(own);
}

static void open_wisdom(jig_engine *engine, const jig_engine_config *config) {
  const char *named = config->wisdom != NULL ? config->wisdom : env_get("JIG_WISDOM");
  char **files = named != NULL ? strings_split(named, ":") : NULL;
  if (named == NULL) add_usual_wisdom(engine);
  for (char **file = files; file != NULL && *file != NULL; ++file) add_wisdom(engine, *file);
  strings_free(files);
  engine->build.wisdom = engine->known.count > 0 ? &engine->known : NULL;
}

void engine_take_wisdom(jig_engine *engine, wisdom *known) {
  wisdom_free(&engine->known);
  engine->known = *known;
  engine->build.wisdom = &engine->known;
  *known = (wisdom){.count = 0};
}

static jig_status choose_build_mode(const jig_engine_config *config, bool *never) {
  jig_build_mode mode = config->build;
  jig_status status = mode == JIG_BUILD_DEFAULT ? environment_build_mode(&mode) : JIG_SUCCESS;
  *never = mode == JIG_BUILD_NEVER;
  return status;
}

/* What a switch says, else what the environment does. */
static bool is_on(jig_switch choice, bool otherwise) {
  return choice == JIG_SWITCH_DEFAULT ? otherwise : choice == JIG_SWITCH_ON;
}

/* What a text of the config says, else the variable; NULL for "". */
static const char *text_or(const char *choice, const char *variable) {
  if (choice == NULL) return env_get(variable);
  return choice[0] != '\0' ? choice : NULL;
}

static void configure(jig_engine *engine, const jig_engine_config *config) {
  enum { PATIENCE_MS = 50 }; /* of several turns on a processor */
  const char *dump = text_or(config->dump, "JIG_DUMP");
  engine->build = (build_settings){
      .exact_compiler = is_on(config->exact_compiler, environment_is("JIG_CACHE_COMPILER", "exact")),
      .first_tier = is_on(config->first_tier, environment_is("JIG_FIRST_TIER", "1")),
      .jobs = config->jobs > 0 ? config->jobs : environment_jobs(),
      .dump = dump != NULL ? strdup(dump) : NULL,
  };
  engine->limits = plan_limits_default;
  engine->allocate = config->allocate;
  engine->release = config->release;
  engine->allocator_user = config->allocator_user;
  const bool sync = env_get("JIG_DEBUG_SYNC") != NULL && !environment_is("JIG_DEBUG_SYNC", "0");
  engine->debug_sync = is_on(config->debug_sync, sync);
  engine->has_ranges = is_on(config->nvtx, !environment_is("JIG_NVTX", "0"));
  engine->background = is_on(config->background, !environment_is("JIG_BACKGROUND", "0"));
  engine->patience_ms = PATIENCE_MS;
  engine->generation = atomic_load(&generation);
  if (getrandom(&engine->tag_seed, sizeof engine->tag_seed, GRND_NONBLOCK) != sizeof engine->tag_seed) {
    engine->tag_seed = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)engine;
  }
}

static jig_status check_switches(const jig_engine_config *config) {
  const struct {
    const char *field;
    jig_switch value;
  } rows[] = {{"exact_compiler", config->exact_compiler},
              {"debug_sync", config->debug_sync},
              {"nvtx", config->nvtx},
              {"background", config->background},
              {"first_tier", config->first_tier}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (rows[i].value < JIG_SWITCH_DEFAULT || rows[i].value > JIG_SWITCH_OFF)
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "config->%s: no such choice (%d)", rows[i].field,
                       (int)rows[i].value);
  }
  return JIG_SUCCESS;
}

static jig_status check_config(const jig_engine_config *config) {
  jig_status status = layout_check(LAYOUT(jig_engine_config), config, "jig_engine_create", "config");
  if (status != JIG_SUCCESS) return status;
  if (config->build < JIG_BUILD_DEFAULT || config->build > JIG_BUILD_NEVER) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "config->build: no such mode (%d)", (int)config->build);
  }
  if ((config->allocate == NULL) != (config->release == NULL)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "config: allocate and release are given both or not at all");
  }
  return check_switches(config);
}

/* What counts for the whole process. */
static jig_status choose_files(const jig_engine_config *config) {
  const struct {
    const char *field, *variable, *value;
  } rows[] = {{"driver", "JIG_DRIVER", config->driver},
              {"nvrtc", "JIG_NVRTC", config->nvrtc},
              {"nvjitlink", "JIG_NVJITLINK", config->nvjitlink},
              {"template_path", "JIG_TEMPLATE_PATH", config->template_path}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (rows[i].value == NULL || env_choose(rows[i].variable, rows[i].value)) continue;
    const char *taken = env_get_fixed(rows[i].variable);
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "config->%s: '%.200s' comes too late: this process uses %.200s", rows[i].field,
                     rows[i].value, taken != NULL ? taken : "the default");
  }
  return JIG_SUCCESS;
}

/* ---- life */

static jig_status set_up(jig_engine **out, const jig_engine_config *config) {
  jig_status status = check_config(config);
  if (status == JIG_SUCCESS) status = choose_files(config);
  if (status != JIG_SUCCESS) return status;
  (void)pthread_once(&atfork_once, watch_forks);
  jig_engine *engine = aligned_alloc(_Alignof(jig_engine), sizeof *engine);
  if (engine == NULL) return error_memory("an engine");
  memset(engine, 0, sizeof *engine);
  environment_check(log_problem, NULL);
  configure(engine, config);
  (void)pthread_mutex_init(&engine->mutex, NULL);
  recorder_open(&engine->specs, text_or(config->record, "JIG_RECORD"));
  engine->build.cache = open_cache(config);
  open_wisdom(engine, config);
  if (engine->build.cache == NULL || !table_open(&engine->programs)) status = error_memory("an engine");
  if (status == JIG_SUCCESS) status = choose_build_mode(config, &engine->build.never);
  if (status == JIG_SUCCESS) status = header_source_open(&engine->build.headers, config);
  if (status == JIG_SUCCESS) status = options_take(&engine->build.options, config);
  if (status == JIG_SUCCESS)
    *out = engine;
  else
    jig_engine_destroy(engine);
  return status;
}

static jig_status create(jig_engine **out, const jig_engine_config *config) {
  const int cancelling = cancel_put_off();
  const jig_status status = set_up(out, config);
  cancel_allow(cancelling);
  return status;
}

jig_status jig_engine_create(jig_engine **engine, const jig_engine_config *config) {
  static const jig_engine_config defaults = {0};
  error_clear();
  if (engine == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_engine_create: engine: the pointer is NULL");
  *engine = NULL;
  return create(engine, config != NULL ? config : &defaults);
}

/* What a child of fork() has is its parent's to count. */
static void add_stats(jig_engine *engine) {
  if (engine->build.cache != NULL && engine->generation == atomic_load(&generation))
    store_add_stats(engine->build.cache);
}

void jig_engine_destroy(jig_engine *engine) {
  if (engine == NULL) return;
  kernels_forget(engine);
  own_kernels_free(engine);
  add_stats(engine);
  table_close(&engine->programs, engine->generation == atomic_load(&generation));
  if (engine->build.cache != NULL) store_close(engine->build.cache);
  (void)pthread_mutex_destroy(&engine->mutex);
  recorder_close(&engine->specs);
  free(engine->build.dump);
  header_source_close(&engine->build.headers);
  wisdom_free(&engine->known);
  strings_free(engine->build.options);
  free(engine);
}

/* The default engine is made by whoever needs it first and lives as long as the process. */
static _Atomic(jig_engine *) default_engine;

__attribute__((destructor)) static void add_stats_at_exit(void) {
  jig_engine *engine = atomic_load_explicit(&default_engine, memory_order_acquire);
  if (engine != NULL) add_stats(engine);
}

jig_status engine_resolve(jig_engine **engine) {
  if (*engine != NULL) return JIG_SUCCESS;
  *engine = atomic_load_explicit(&default_engine, memory_order_acquire);
  if (*engine != NULL) return JIG_SUCCESS;
  static const jig_engine_config defaults = {0};
  jig_status status = JIG_SUCCESS;
  (void)pthread_mutex_lock(&default_mutex);
  *engine = atomic_load_explicit(&default_engine, memory_order_relaxed);
  if (*engine == NULL) {
    status = create(engine, &defaults);
    atomic_store_explicit(&default_engine, *engine, memory_order_release);
  }
  (void)pthread_mutex_unlock(&default_mutex);
  return status;
}

uint64_t engine_tag(const jig_engine *engine, uint64_t call_number) {
  /* SplitMix64 (Steele, Lea and Flood, 2014): one to one, so no two calls of an engine share a tag. */
  uint64_t x = engine->tag_seed + 0x9e3779b97f4a7c15u * call_number;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
