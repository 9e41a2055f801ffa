/* Prepared calls as graphs: see include/jig/prepared.h. What differs from one capture to the next, and
 * whether an instantiated graph can have it, is the driver's to say; but of clusters, whose sizes
 * cuGraphExecUpdate() leaves as they were without a word. */
#include <jig/prepared.h>

#include "algorithm/prepared_form.h"
#include "driver/driver.h"
#include "jit/program.h"
#include "util/error.h"

static jig_status refuse(const char *who, const char *problem) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s", who, problem);
}

static jig_status check_given(const char *who, const jig_prepared *p, const void *storage,
                              const size_t *bytes) {
  error_clear();
  if (p == NULL) return refuse(who, "prepared: the pointer is NULL");
  if (storage == NULL) return refuse(who, "d_temp_storage: the pointer is NULL");
  return bytes != NULL ? JIG_SUCCESS : refuse(who, "temp_storage_bytes: the pointer is NULL");
}

static jig_status check_driver(const char *who) {
  const driver *cuda = driver_get();
  if (cuda == NULL) return JIG_ERROR_NO_DRIVER;
  if (cuda->cuStreamCreate != NULL && cuda->cuStreamDestroy != NULL && cuda->cuGraphDestroy != NULL &&
      cuda->cuStreamBeginCapture != NULL && cuda->cuStreamEndCapture != NULL &&
      cuda->cuGraphExecUpdate != NULL)
    return JIG_SUCCESS;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: it takes a driver of CUDA 12.0 or newer", who);
}

static jig_status say(const char *who, CUresult result, const char *what) {
  return result == CUDA_SUCCESS ? JIG_SUCCESS : error_prefix(driver_error(result, what), "%s", who);
}

/* The capture ends whatever becomes of the call. */
static jig_status capture_in(const char *who, CUstream stream, jig_prepared *p, void *storage,
                             size_t *bytes, CUgraph *graph, uint64_t *clusters) {
  const driver *cuda = driver_get();
  (void)program_take_clusters();
  CUresult result = cuda->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  if (result != CUDA_SUCCESS) return say(who, result, "beginning a capture");
  const jig_status status = jig_prepared_launch(p, storage, bytes, stream);
  *clusters = program_take_clusters();
  result = cuda->cuStreamEndCapture(stream, graph);
  if (status == JIG_SUCCESS) return say(who, result, "ending a capture");
  if (result == CUDA_SUCCESS) (void)cuda->cuGraphDestroy(*graph);
  return status;
}

/* All that it takes is loaded before the capture. */
static jig_status capture(const char *who, jig_prepared *p, void *storage, size_t *bytes, CUgraph *graph,
                          uint64_t *clusters) {
  const driver *cuda = driver_get();
  CUstream stream;
  size_t needed;
  jig_status status = jig_prepared_launch(p, NULL, &needed, CU_STREAM_PER_THREAD);
  if (status != JIG_SUCCESS) return status;
  const CUresult result = cuda->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS) return say(who, result, "making a stream to capture");
  status = capture_in(who, stream, p, storage, bytes, graph, clusters);
  (void)cuda->cuStreamDestroy(stream);
  return status;
}

jig_status jig_prepared_graph(jig_prepared *prepared, void *d_temp_storage, size_t *temp_storage_bytes,
                              CUgraph *graph) {
  static const char name[] = "jig_prepared_graph";
  CUgraph captured = NULL;
  uint64_t clusters = 0;
  if (graph != NULL) *graph = NULL;
  jig_status status = check_given(name, prepared, d_temp_storage, temp_storage_bytes);
  if (status == JIG_SUCCESS && graph == NULL) status = refuse(name, "graph: the pointer is NULL");
  if (status == JIG_SUCCESS) status = check_driver(name);
  if (status == JIG_SUCCESS)
    status = capture(name, prepared, d_temp_storage, temp_storage_bytes, &captured, &clusters);
  if (status != JIG_SUCCESS) return status;
  *graph = captured;
  *prepared_clusters(prepared) = clusters;
  return JIG_SUCCESS;
}

static jig_status refuse_form(const char *who) {
  (void)error_set(JIG_ERROR_UNSUPPORTED,
                  "%s: graph: its kernels are not those that these counts take, or not in their form; "
                  "instantiate another one of jig_prepared_graph()",
                  who);
  return error_of_driver(JIG_ERROR_UNSUPPORTED, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
}

static jig_status update(const char *who, CUgraphExec exec, CUgraph graph) {
  CUgraphExecUpdateResultInfo info = {0};
  const CUresult result = driver_get()->cuGraphExecUpdate(exec, graph, &info);
  if (result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) return refuse_form(who);
  return say(who, result, "updating a graph");
}

jig_status jig_prepared_update(jig_prepared *prepared, void *d_temp_storage, size_t *temp_storage_bytes,
                               CUgraphExec graph) {
  static const char name[] = "jig_prepared_update";
  CUgraph captured = NULL;
  uint64_t clusters = 0;
  jig_status status = check_given(name, prepared, d_temp_storage, temp_storage_bytes);
  if (status == JIG_SUCCESS && graph == NULL) status = refuse(name, "graph: it is NULL");
  if (status == JIG_SUCCESS) status = check_driver(name);
  if (status == JIG_SUCCESS)
    status = capture(name, prepared, d_temp_storage, temp_storage_bytes, &captured, &clusters);
  if (status != JIG_SUCCESS) return status;
  const bool has_same_clusters = clusters == *prepared_clusters(prepared);
  status = has_same_clusters ? update(name, graph, captured) : refuse_form(name);
  (void)driver_get()->cuGraphDestroy(captured);
  return status;
}
