#include "engine/obtain.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/log.h"

/* The search for a program's kernels, and what the driver has refused in the course of it. */
typedef struct search {
  jig_engine *engine;
  const spec *s;
  const device_info *dev;
  const kernel_choice *choice; /* of a new program; NULL: `wanted` are more of one */
  jig_status unplanned;        /* why nothing can be chosen */
  const wisdom *tuned_by;
  bool was_tuned; /* that had something to say */
  program *p;
  kernel_set wanted;
  artifacts built; /* what need not be built */
  bool found_ptx;
  bool refused;            /* anything */
  bool wants_ptx;          /* machine code was refused that is not just damaged */
  bool cannot_link[2];     /* the first tier was refused: machine code, and PTX */
  store_places passed;     /* entries that were refused */
  store_places damaged[2]; /* those of them that no driver would take: machine code, and PTX */
  jig_status problem;      /* the first refusal, */
  char *problem_text;      /* and what the driver said; malloc'ed */
  int driver_result;       /* and its CUresult */
} search;

static void end_search(search *f) {
  store_places_free(&f->passed);
  store_places_free(&f->damaged[0]);
  store_places_free(&f->damaged[1]);
  free(f->problem_text);
}

/* ---- loading */

/* Notes what was refused. True if it was an entry of the cache, so that another one may be tried. */
static bool note_refusal(search *f, const artifact *a, program_verdict verdict, jig_status status) {
  store_place place = {.key = a->key, .layer = a->layer};
  memcpy(place.compiler, a->compiler, sizeof place.compiler);
  log_info("the driver refuses %s code of compiler %s: %s", a->target.name, a->compiler,
           jig_last_error());
  if (a->linked) {
    f->cannot_link[a->target.ptx] = true;
    return true;
  }
  if (!f->refused) {
    f->problem = status;
    f->problem_text = strdup(jig_last_error());
    f->driver_result = jig_last_driver_error();
  }
  f->refused = true;
  f->wants_ptx |= !a->target.ptx && (verdict == PROGRAM_UNFIT || !a->from_cache);
  if (!a->from_cache) return false;
  if (verdict == PROGRAM_DAMAGED) (void)store_places_add(&f->damaged[a->target.ptx], &place);
  return store_places_add(&f->passed, &place);
}

/* Loads what was built, and frees it. *again: what was refused came from the cache, and will be passed
 * over. */
static jig_status load(search *f, artifacts *all, bool *again) {
  program_refusal refusal;
  const double start = clock_ms();
  const bool is_new = atomic_load(&f->p->loaded) == 0;
  jig_status status = program_load(all, f->p, &refusal);
  *again = false;
  if (status == JIG_SUCCESS) {
    engine_count_kernels(f->engine, is_new ? f->s : NULL, all, clock_ms() - start);
    engine_count_in_cache(f->engine, true, is_new ? f->s : NULL, all);
    f->found_ptx = atomic_load(&f->p->is_ptx);
  } else if (refusal.verdict != PROGRAM_ACCEPTED) {
    *again = note_refusal(f, &all->of[refusal.kernel], refusal.verdict, status);
  }
  artifacts_free(all);
  return status;
}

/* Tuning goes by the target, and which kernels are wanted by the tuning. Without permission to build all
 * are, so that what the cache lacks is found out at once. */
static jig_status plan(search *f, const arch *target) {
  if (f->choice == NULL || f->unplanned != JIG_SUCCESS) return f->unplanned;
  program_plan(f->p, f->s, target, f->dev, f->tuned_by);
  f->was_tuned |= f->p->tuned_by != NULL;
  f->wanted = 0;
  f->unplanned = f->choice->choose(f->choice->user, f->p, &f->wanted);
  if (f->wanted == 0 || f->engine->build.never) f->wanted = algorithm_kernels(f->s);
  return f->unplanned;
}

/* ---- one target */

/* There is another one in place of the damaged ones, or there will be. Where nothing may be built, the
 * cache is somebody's who has filled it, and stays as it is. */
static void set_damaged_aside(search *f, bool ptx) {
  store_places *places = &f->damaged[ptx];
  for (size_t i = 0; i < places->count && !f->engine->build.never; ++i)
    store_set_aside(f->engine->build.cache, &places->all[i]);
  places->count = 0;
}

static build_settings settings_of(const search *f, const arch *target) {
  build_settings settings = f->engine->build;
  settings.wisdom = f->tuned_by;
  settings.first_tier &= f->engine->background && !f->cannot_link[target->ptx];
  settings.refused = &f->passed;
  return settings;
}

/* The newest entry that has not been refused, else compiled. */
static jig_status build_once(search *f, const arch *target, bool *again) {
  const build_settings settings = settings_of(f, target);
  artifacts all = f->built;
  f->built.built = 0;
  *again = false;
  jig_status status = plan(f, target);
  if (status == JIG_SUCCESS) status = build(&settings, f->s, target, f->wanted, &all);
  return status == JIG_SUCCESS ? load(f, &all, again) : status;
}

/* The entries that are left, one after the other, and then the compiler. */
static jig_status compile(search *f, const arch *target) {
  jig_status status;
  bool again;
  do {
    set_damaged_aside(f, target->ptx);
    status = build_once(f, target, &again);
  } while (again);
  return status;
}

/* The entries that are left, and nothing else. */
static bool find_cached(search *f, const arch *target) {
  const build_settings settings = settings_of(f, target);
  artifacts all;
  if (plan(f, target) != JIG_SUCCESS) return false;
  for (bool again = true; again && build_from_cache(&settings, f->s, target, f->wanted, &all);) {
    if (load(f, &all, &again) != JIG_SUCCESS) continue;
    set_damaged_aside(f, target->ptx);
    return true;
  }
  return false;
}

/* ---- all targets */

/* PTX from a cache: made for older GPUs, or where the driver refused machine code before. */
static bool find_cached_ptx(search *f) {
  for (int sm = f->dev->sm; sm >= POLICY_OLDEST_SM; --sm) {
    const arch target = arch_of_sm(sm, true);
    if (find_cached(f, &target)) return true;
  }
  return false;
}

/* PTX for the newest architecture that the compiler knows and the device has. */
static jig_status compile_ptx(search *f) {
  const compiler *c = compiler_get();
  if (c == NULL) return JIG_ERROR_NO_COMPILER;
  const int newest = compiler_newest_at_or_below(c, f->dev->sm);
  if (newest == 0) {
    return error_set(JIG_ERROR_NO_COMPILER, "NVRTC %s knows no architecture that an SM %d device runs",
                     c->version, f->dev->sm);
  }
  const arch target = arch_of_sm(newest, true);
  return compile(f, &target);
}

/* What the driver said of what there is says more than that nothing else is there. */
static jig_status refusal(const search *f) {
  (void)error_set(f->problem, "%s",
                  f->problem_text != NULL ? f->problem_text : "the driver refuses the program");
  return error_of_driver(f->problem, f->driver_result);
}

/* Machine code for the device. If the driver refuses what the cache has, cached PTX, which is there if
 * that happened before; or machine code afresh, since perhaps only the cached one is bad. */
static jig_status obtain_native(search *f) {
  const arch target = arch_of_sm(f->dev->sm, false);
  bool again;
  jig_status status = build_once(f, &target, &again);
  if (!again) return status;
  if (find_cached(f, &target) || find_cached_ptx(f)) return JIG_SUCCESS;
  if (f->engine->build.never || compiler_get() == NULL) return refusal(f);
  return compile(f, &target);
}

/* For a program that could not be had, with that status. */
static jig_status cached_ptx_or(search *f, jig_status status) {
  char *problem = strdup(jig_last_error());
  const int driver_result = jig_last_driver_error();
  if (find_cached_ptx(f))
    status = JIG_SUCCESS;
  else if (f->refused)
    status = refusal(f);
  else
    (void)error_of_driver(error_set(status, "%s", problem != NULL ? problem : "there is no program"),
                          driver_result);
  free(problem);
  return status;
}

static jig_status obtain(search *f, bool prefer_ptx) {
  const bool may_build = !f->engine->build.never;
  jig_status status = prefer_ptx && may_build ? compile_ptx(f) : obtain_native(f);
  const bool no_compiler = status == JIG_ERROR_NO_COMPILER;
  if (status != JIG_SUCCESS && may_build && !prefer_ptx &&
      (f->refused || (no_compiler && compiler_is_open())))
    status = compile_ptx(f);
  if (status == JIG_ERROR_NO_COMPILER || status == JIG_ERROR_NOT_BUILT) status = cached_ptx_or(f, status);
  return status;
}

/* What else of a new program the cache has takes next to nothing. */
static void load_what_is_cached(search *f) {
  const build_settings settings = settings_of(f, &f->p->target);
  artifacts all;
  bool again;
  for (int i = 0; i < f->p->count; ++i) {
    if (kernel_set_has(atomic_load(&f->p->loaded), i)) continue;
    if (build_from_cache(&settings, f->s, &f->p->target, kernel_set_of(i), &all))
      (void)load(f, &all, &again);
  }
}

/* Wisdom is only preferred: a cache that was filled without it serves, and so does what the tables say
 * where it does not compile. */
static jig_status obtain_untuned(search *f, bool prefer_ptx) {
  log_info("%s is not tuned by wisdom: %s", f->s->schema->algorithm, jig_last_error());
  end_search(f);
  *f = (search){.engine = f->engine, .s = f->s, .dev = f->dev, .choice = f->choice, .p = f->p};
  error_clear();
  return obtain(f, prefer_ptx);
}

jig_status obtain_program(jig_engine *engine, const spec *s, const device_info *dev,
                          const kernel_choice *choice, program **p, bool *unplanned) {
  const uint64_t kind = (uint64_t)1 << dev->kind;
  search f = {.engine = engine,
              .s = s,
              .dev = dev,
              .choice = choice,
              .tuned_by = engine->build.wisdom,
              .p = malloc(sizeof *f.p)};
  if (f.p == NULL) return error_memory("a program");
  const bool prefer_ptx = driver_get()->takes_ptx_only || (atomic_load(&engine->prefer_ptx) & kind) != 0;
  jig_status status = obtain(&f, prefer_ptx);
  if (status != JIG_SUCCESS && f.was_tuned && f.unplanned == JIG_SUCCESS)
    status = obtain_untuned(&f, prefer_ptx);
  *unplanned = f.unplanned != JIG_SUCCESS;
  if (status == JIG_SUCCESS) {
    if (f.found_ptx && f.wants_ptx) atomic_fetch_or(&engine->prefer_ptx, kind);
    load_what_is_cached(&f);
    *p = f.p;
    error_clear();
  } else {
    free(f.p);
  }
  end_search(&f);
  return status;
}

/* Of a program that has some the target is known. PTX for it has the same tuning. */
static jig_status obtain_more(search *f) {
  const arch *target = &f->p->target;
  const arch as_ptx = arch_of_sm(target->sm, true);
  bool again;
  jig_status status = build_once(f, target, &again);
  if (again) status = compile(f, target);
  if (status != JIG_SUCCESS && f->refused && !target->ptx) status = compile(f, &as_ptx);
  return status;
}

jig_status obtain_kernels(jig_engine *engine, program *p, kernel_set wanted, artifacts *given) {
  search f = {
      .engine = engine, .s = p->s, .p = p, .wanted = wanted, .built = *given, .tuned_by = p->tuned_by};
  const bool replaces = (wanted & atomic_load(&p->linked)) != 0; /* by anything but the first tier */
  f.cannot_link[false] = f.cannot_link[true] = replaces;
  const jig_status status = obtain_more(&f);
  if (status == JIG_SUCCESS)
    error_clear();
  else if (p->tuned_by != NULL)
    (void)error_prefix(status, "tuned by wisdom");
  end_search(&f);
  return status;
}
