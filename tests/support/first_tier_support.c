#include "first_tier_support.h"

#include <stdio.h>

#include "gpu.h"
#include "reduce_support.h"
#include "store_support.h"

jig_engine *engine_in(const char *cache, jig_switch first_tier) {
  const jig_engine_config config = {
      .cache_dir = cache, .cache_path = "", .first_tier = first_tier, .background = JIG_SWITCH_ON};
  jig_engine *engine = NULL;
  OK(jig_engine_create(&engine, &config));
  return engine;
}

void prewarm_for_device(char *spec) {
  const device_info *device;
  char arch[32];
  OK(driver_current_device(&device));
  (void)snprintf(arch, sizeof arch, gpu_is_software() ? "compute_%d" : "sm_%d", device->sm);
  jig_engine *engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
  OK(jig_prewarm(engine, spec, arch, NULL));
  jig_engine_destroy(engine);
  jig_free(spec);
}
