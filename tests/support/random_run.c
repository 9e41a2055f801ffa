#include "random_run.h"

#include "gpu.h"

static void fail(const random_run *run, const char *what) {
  random_fail("%s: %s: %s: %s", run->algorithm, what, jig_status_name(run->status), jig_last_error());
}

/* With storage of the right size, at any address. */
static void begin_launch(random_run *run) {
  run->step = STEP_LAUNCH;
  run->storage = place_alloc(run->bytes, 1);
  if (!run->in_graph) return;
  GPU(gpu()->cuStreamCreate(&run->stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(run->stream);
}

static void end_graph(random_run *run) {
  CUgraphExec graph = gpu_end_capture(run->stream);
  if (run->status == JIG_SUCCESS) gpu_replay(graph, run->stream);
  GPU(gpu()->cuGraphExecDestroy(graph));
  GPU(gpu()->cuStreamDestroy(run->stream));
}

static void after_query(random_run *run) {
  if (run->bytes == 0) fail(run, "a temp storage of 0 bytes");
  if (!run->in_graph && data_one_in(6)) {
    run->step = STEP_LAUNCH;
    run->bytes_argument = NULL;
  } else if (data_one_in(4)) {
    run->step = STEP_TOO_SMALL;
    run->storage = place_alloc(run->bytes--, 1);
  } else {
    begin_launch(run);
  }
}

bool run_more(random_run *run) {
  switch (run->step) {
    case STEP_BEGIN:
      run->step = STEP_QUERY;
      run->bytes_argument = &run->bytes;
      return true;
    case STEP_QUERY:
      if (run->status != JIG_SUCCESS) return false;
      after_query(run);
      return true;
    case STEP_TOO_SMALL:
      if (run->status != JIG_ERROR_TEMP_STORAGE_TOO_SMALL) fail(run, "too small a temp storage");
      ++run->bytes;
      begin_launch(run);
      return true;
    default:
      if (run->in_graph) end_graph(run);
      run->step = STEP_OVER;
      return false;
  }
}

bool run_ended(random_run *run) {
  if (run->status != JIG_SUCCESS) {
    fail(run, run->step == STEP_QUERY ? "size query" : "call");
    return false;
  }
  const CUresult result = gpu()->cuCtxSynchronize();
  if (result == CUDA_SUCCESS) return true;
  random_fail("%s: the driver says %d", run->algorithm, (int)result);
  return false;
}
