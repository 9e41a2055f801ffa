#include "engine/own_kernels.h"

#include <stdlib.h>

#include "spec/identity.h"

/* With the lock held. */
static jig_kernel *find(const jig_engine *engine, const spec *s) {
  jig_kernel *k = engine->kernels;
  while (k != NULL && !spec_equal(s, k->s)) k = k->next;
  return k;
}

/* The same. */
static jig_kernel *add(jig_engine *engine, const spec *s) {
  jig_kernel *k = calloc(1, sizeof *k);
  if (k == NULL) return NULL;
  *k = (jig_kernel){.next = engine->kernels, .engine = engine, .s = s};
  engine->kernels = k;
  return k;
}

jig_kernel *own_kernel_of(jig_engine *engine, program *p) {
  jig_kernel *k = atomic_load_explicit(&p->own, memory_order_acquire);
  if (k != NULL) return k;
  (void)pthread_mutex_lock(&engine->mutex);
  k = find(engine, p->s);
  if (k == NULL) k = add(engine, p->s);
  atomic_store_explicit(&p->own, k, memory_order_release);
  (void)pthread_mutex_unlock(&engine->mutex);
  return k;
}

const own_seat *own_kernel_seat(jig_kernel *k, CUcontext context, const device_info *device) {
  const own_seat *seat = atomic_load_explicit(&k->seats, memory_order_acquire);
  while (seat != NULL && (seat->context != context || seat->device != device)) seat = seat->next;
  return seat;
}

const own_seat *own_kernel_add_seat(jig_kernel *k, CUcontext context, const device_info *device,
                                    program *p) {
  (void)pthread_mutex_lock(&k->engine->mutex);
  const own_seat *there = own_kernel_seat(k, context, device);
  own_seat *seat = there == NULL ? malloc(sizeof *seat) : NULL;
  if (seat != NULL) {
    *seat = (own_seat){.next = atomic_load(&k->seats), .context = context, .device = device, .p = p};
    atomic_store_explicit(&k->seats, seat, memory_order_release);
  }
  (void)pthread_mutex_unlock(&k->engine->mutex);
  return there != NULL ? there : seat;
}

void own_kernels_free(jig_engine *engine) {
  for (jig_kernel *k; (k = engine->kernels) != NULL;) {
    engine->kernels = k->next;
    for (own_seat *seat; (seat = atomic_load(&k->seats)) != NULL; free(seat))
      atomic_store(&k->seats, seat->next);
    free(k);
  }
}
