/* When what has been submitted is executed: as late as the driver's rules allow, so that who does not
 * wait finds that it has not happened. That is: once the host waits for it or for something behind it, or
 * asks about it; once many operations have gathered; and after a while, since a real GPU gets on, too.
 * With a seed, some operations do not wait for any of these. */
#include <pthread.h>
#include <time.h>

#include "api/settings.h"
#include "exec/block.h"
#include "work/host.h"
#include "work/op_inner.h"

enum { MOST_UNWANTED = 1024, A_WHILE_NS = 50000000 };

static unsigned unwanted; /* operations that wait for somebody's wish, or more */

/* False: there is nothing to do about it. */
static bool wish(op *o, bool by_host) {
  if (o->complete || (o->wanted && (o->awaited || !by_host))) return false;
  if (!o->wanted && o->number != 0 && unwanted > 0) --unwanted;
  o->wanted = true;
  o->awaited = o->awaited || by_host;
  return true;
}

void demand(op *o, bool by_host) {
  op *list = NULL;
  if (!wish(o, by_host)) return;
  o->found = NULL;
  for (list = o; list != NULL;) {
    o = list;
    list = o->found;
    for (size_t i = 0; i < o->before_count; ++i) {
      op *b = o->before[i];
      if (!wish(b, by_host)) continue;
      b->found = list;
      list = b;
    }
    op_begin(o);
  }
}

static void demand_up_to(uint64_t number) {
  for (op *o = order_oldest(); o != NULL && o->number <= number; o = o->newer) demand(o, false);
}

/* ---- after a while */

static void *tick(void *unused) {
  const struct timespec a_while = {.tv_nsec = A_WHILE_NS};
  uint64_t before = 0;
  for (;;) {
    (void)nanosleep(&a_while, NULL);
    work_lock();
    demand_up_to(before);
    before = order_last_number();
    op_settle();
    work_unlock();
  }
  return unused;
}

/* ---- new ones */

static bool has_luck(void) {
  static uint64_t random;
  const uint64_t seed = settings_get()->seed;
  if (seed == 0) return false;
  if (random == 0) random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
  return draw(&random) >> 63 != 0;
}

void demand_submitted(op *o) {
  static bool ticks;
  if (!ticks) ticks = host_thread(tick, NULL);
  if (o->kind == TASK_NOTHING || o->wanted) return;
  ++unwanted;
  if (has_luck()) demand(o, false);
  if (unwanted <= MOST_UNWANTED) return;
  demand_up_to(o->number);
  unwanted = 0;
}
