#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "code/module.h"
#include "util/clock.h"
#include "work/host.h"
#include "work/op_inner.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t completed = PTHREAD_COND_INITIALIZER;
static unsigned waiting; /* threads */

/* First in, first out. */
typedef struct op_list {
  op *first, *last;
} op_list;
static op_list ready;    /* to be started once the lock is free */
static op_list finished; /* to be told to those that wait for them */

static void push(op_list *list, op *o) {
  o->next = NULL;
  if (list->first == NULL)
    list->first = o;
  else
    list->last->next = o;
  list->last = o;
}

static op *pop(op_list *list) {
  op *o = list->first;
  if (o != NULL) list->first = o->next;
  return o;
}

/* ---- what is needed */

static void end_need_met(op *o) {
  if (atomic_fetch_sub_explicit(&o->end_needs, 1, memory_order_acq_rel) == 1) push(&finished, o);
}

/* Something with an effect does not begin before it is wanted. */
void op_begin(op *o) {
  const bool dead = atomic_load(&o->where->error) != CUDA_SUCCESS && !task_survives(&o->what);
  const bool has_effect = !dead && o->kind != TASK_NOTHING;
  if (o->begin_needs > 0 || o->begun || (has_effect && !o->wanted)) return;
  o->begun = true;
  o->executed = has_effect;
  if (has_effect)
    push(&ready, o);
  else
    end_need_met(o);
}

static void begin_need_met(op *o) {
  --o->begin_needs;
  op_begin(o);
}

static void trigger(op *o) {
  if (o->triggered) return;
  o->triggered = true;
  for (edge *e = o->edges; e != NULL; e = e->next) {
    if (e->on_trigger) begin_need_met(e->later);
  }
}

/* Completes what is over, and what that lets end, and so on: a list, as chains may be long. */
void op_settle(void) {
  bool any = false;
  for (op *o = pop(&finished); o != NULL; o = pop(&finished)) {
    any = true;
    trigger(o);
    o->time = clock_ms() / 1000;
    o->complete = true;
    order_over(o);
    while (o->edges != NULL) {
      edge *e = o->edges;
      o->edges = e->next;
      if (e->on_trigger)
        end_need_met(e->later);
      else
        begin_need_met(e->later);
      free(e);
    }
    task_free(&o->what);
    op_drop(o); /* the reference that it has to itself while it is under way */
  }
  if (any && waiting > 0) (void)pthread_cond_broadcast(&completed);
}

/* ---- execution, without the lock */

static void execution_over(op *o, CUresult result) {
  work_lock();
  int none = CUDA_SUCCESS;
  if (result != CUDA_SUCCESS) (void)atomic_compare_exchange_strong(&o->where->error, &none, (int)result);
  end_need_met(o);
  op_settle();
  work_unlock();
}

/* What the host does there, it does knowing what is over. */
static void tell_host(op *o) {
  work_lock();
  for (size_t i = 0; i < o->before_count; ++i) order_known(o->before[i]);
  work_unlock();
}

static void run_here(void *data) {
  op *o = data;
  if (o->kind == TASK_HOST || o->kind == TASK_CALLBACK) tell_host(o);
  execution_over(o, task_run(&o->what, (CUresult)atomic_load(&o->where->error)));
}

static void kernel_triggered(void *data) {
  work_lock();
  trigger(data);
  op_settle();
  work_unlock();
}

static bool kernel_may_pass(void *data) {
  op *o = data;
  return atomic_load_explicit(&o->end_needs, memory_order_acquire) == 1;
}

static void kernel_done(void *data, CUresult result) {
  execution_over(data, result);
}

static void start(op *o) {
  switch (o->what.kind) {
    case TASK_KERNEL: {
      grid_launch launch = o->what.launch;
      o->what.launch.params = NULL; /* the grid's from now on */
      launch.triggered = kernel_triggered;
      launch.may_pass = kernel_may_pass;
      launch.done = kernel_done;
      launch.data = o;
      launch.watch = o->watch;
      grid_begin(&launch);
      break;
    }
    case TASK_HOST:
    case TASK_CALLBACK:
      host_run(run_here, o);
      break;
    default:
      pool_task(run_here, o);
  }
}

/* ---- the interface */

void work_lock(void) {
  (void)pthread_mutex_lock(&lock);
}

void work_unlock(void) {
  op *o = ready.first;
  ready = (op_list){0};
  for (op *k = o; k != NULL; k = k->next) {
    if (k->kind == TASK_KERNEL) k->watch = order_watch(k);
  }
  (void)pthread_mutex_unlock(&lock);
  while (o != NULL) {
    op *next = o->next;
    start(o); /* it may be over, and gone, when this returns */
    o = next;
  }
}

void work_in_child(void) {
  ready = (op_list){0};
  (void)pthread_mutex_unlock(&lock);
}

op *op_create(domain *d, task *t) {
  op *o = calloc(1, sizeof *o);
  if (o == NULL) {
    task_free(t);
    return NULL;
  }
  o->references = 2; /* the caller's, and its own until it is complete */
  o->where = d;
  o->what = *t;
  o->kind = t->kind;
  o->known = UINT64_MAX;
  if (t->kind == TASK_KERNEL) o->name = strdup(t->launch.kernel->name);
  o->begin_needs = 1;
  atomic_init(&o->end_needs, 1);
  return o;
}

static bool add_before(op *later, op *earlier) {
  if (later->before_count == later->before_capacity) {
    const size_t capacity = later->before_capacity > 0 ? 2 * later->before_capacity : 2;
    op **larger = realloc(later->before, capacity * sizeof(op *));
    if (larger == NULL) return false;
    later->before = larger;
    later->before_capacity = capacity;
  }
  later->before[later->before_count++] = op_hold(earlier);
  return true;
}

static bool add_edge(op *later, op *earlier, bool on_trigger) {
  if (!add_before(later, earlier)) return false;
  if (earlier->complete) return true;
  edge *e = malloc(sizeof *e);
  if (e == NULL) return false;
  *e = (edge){.next = earlier->edges, .later = later, .on_trigger = on_trigger};
  earlier->edges = e;
  if (on_trigger) {
    (void)atomic_fetch_add_explicit(&later->end_needs, 1, memory_order_relaxed);
    if (!earlier->triggered) ++later->begin_needs;
  } else {
    ++later->begin_needs;
  }
  return true;
}

bool op_after(op *later, op *earlier) {
  return add_edge(later, earlier, false);
}

bool op_after_trigger(op *later, op *earlier) {
  return add_edge(later, earlier, earlier->kind == TASK_KERNEL);
}

void op_submit(op *o) {
  order_submitted(o);
  demand_submitted(o);
  begin_need_met(o);
  op_settle();
}

op *op_hold(op *o) {
  ++o->references;
  return o;
}

/* Who holds whom may be a long chain. */
void op_drop(op *o) {
  if (o == NULL || --o->references > 0) return;
  op *over = o;
  o->found = NULL;
  while (over != NULL) {
    o = over;
    over = o->found;
    for (size_t i = 0; i < o->before_count; ++i) {
      op *b = o->before[i];
      if (--b->references > 0) continue;
      b->found = over;
      over = b;
    }
    touched_free(&o->touched);
    watch_free(o->watch);
    free(o->before);
    free(o->name);
    free(o);
  }
}

bool op_is_complete(const op *o) {
  return o->complete;
}

bool op_ask(op *o) {
  demand(o, false);
  op_settle();
  if (o->complete) order_known(o);
  return o->complete;
}

double op_time(const op *o) {
  return o->time;
}

void op_expect(op *o) {
  demand(o, true);
  op_settle();
}

void op_await(op *o) {
  (void)op_hold(o);
  op_expect(o);
  while (!o->complete) {
    if (ready.first != NULL) { /* nobody else might start them */
      work_unlock();
      work_lock();
      continue;
    }
    ++waiting;
    (void)pthread_cond_wait(&completed, &lock);
    --waiting;
  }
  order_known(o);
  op_drop(o);
}
