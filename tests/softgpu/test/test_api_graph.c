/* The software GPU's graphs: captured and built by hand. On a GPU everything here is skipped, as some of
 * it is wrong on purpose. */
#include "api_support.h"

static CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec exec;
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  GPU(gpu()->cuGraphDestroy(graph));
  return exec;
}

START_TEST(captured_work_is_replayed) {
  scene s = open_scene();
  CUgraph graph;
  CUevent fork, join;
  size_t nodes = 0;
  uint32_t value = 5;
  GPU(gpu()->cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  GPU(gpu()->cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  GPU(gpu()->cuMemcpyHtoDAsync(word(&s, 0), &value, 4, s.a));
  GPU(gpu()->cuEventRecord(fork, s.a));
  GPU(CALL(cuStreamWaitEvent)(s.b, fork, 0));
  add(&s, s.a, word(&s, 0), 1);
  store(&s, s.b, word(&s, 1), 20);
  GPU(gpu()->cuEventRecord(join, s.b));
  GPU(CALL(cuStreamWaitEvent)(s.a, join, 0));
  add(&s, s.a, word(&s, 1), 1);
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  GPU(CALL(cuGraphGetNodes)(graph, NULL, &nodes));
  ck_assert_uint_eq(nodes, 4);
  ck_assert_uint_eq(read_word(&s, 0), 0); /* nothing has run */
  CUgraphExec exec = instantiate(graph);
  for (value = 5; value < 8; ++value) { /* read when the graph is launched */
    GPU(gpu()->cuGraphLaunch(exec, s.a));
    GPU(gpu()->cuStreamSynchronize(s.a));
    ck_assert_uint_eq(read_word(&s, 0), value + 1);
    ck_assert_uint_eq(read_word(&s, 1), 21);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuEventDestroy(fork));
  GPU(gpu()->cuEventDestroy(join));
  close_scene(&s);
}
END_TEST

START_TEST(launches_of_a_graph_follow_each_other) {
  scene s = open_scene();
  CUgraph graph;
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  wait_and_store(&s, s.wait, s.a, word(&s, 1), 1);
  add(&s, s.a, word(&s, 0), 1);
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  CUgraphExec exec = instantiate(graph);
  for (int i = 0; i < 10; ++i) GPU(gpu()->cuGraphLaunch(exec, i % 2 == 0 ? s.a : s.b));
  GPU(gpu()->cuGraphExecDestroy(exec));
  atomic_store(s.flag, 1);
  GPU(gpu()->cuCtxSynchronize());
  ck_assert_uint_eq(read_word(&s, 0), 10);
  close_scene(&s);
}
END_TEST

START_TEST(programmatic_launches_are_captured) {
  scene s = open_scene();
  CUgraph graph;
  size_t edges = 1;
  CUgraphNode from, to;
  CUgraphEdgeData data;
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  launch_pair(&s, s.a);
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  GPU(CALL(cuGraphGetEdges)(graph, &from, &to, &data, &edges));
  ck_assert_uint_eq(edges, 1);
  ck_assert_int_eq(data.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  CUgraphExec exec = instantiate(graph);
  for (int i = 0; i < 3; ++i) {
    atomic_store(s.flag, 0);
    GPU(gpu()->cuGraphLaunch(exec, s.a));
    GPU(gpu()->cuStreamSynchronize(s.a));
    ck_assert_uint_eq(read_word(&s, 1), 7);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  close_scene(&s);
}
END_TEST

START_TEST(graphs_are_built_by_hand) {
  scene s = open_scene();
  CUgraph graph;
  CUgraphNode set, run;
  CUdeviceptr to = word(&s, 3);
  uint32_t value = 2;
  void *parameters[] = {&to, &value};
  const CUDA_MEMSET_NODE_PARAMS ones = {.dst = to, .value = 1, .elementSize = 4, .width = 1, .height = 1};
  const CUDA_KERNEL_NODE_PARAMS kernel = {.func = s.add,
                                          .gridDimX = 1,
                                          .gridDimY = 1,
                                          .gridDimZ = 1,
                                          .blockDimX = 1,
                                          .blockDimY = 1,
                                          .blockDimZ = 1,
                                          .kernelParams = parameters};
  GPU(CALL(cuGraphCreate)(&graph, 0));
  GPU(CALL(cuGraphAddMemsetNode)(&set, graph, NULL, 0, &ones, NULL));
  GPU(CALL(cuGraphAddKernelNode)(&run, graph, NULL, 0, &kernel));
  value = 1000; /* was copied */
  GPU(CALL(cuGraphAddDependencies)(graph, &set, &run, NULL, 1));
  CUgraphExec exec = instantiate(graph);
  GPU(gpu()->cuGraphLaunch(exec, NULL));
  ck_assert_uint_eq(read_word(&s, 3), 3);
  GPU(gpu()->cuGraphExecDestroy(exec));
  close_scene(&s);
}
END_TEST

static CUgraph graph_of_store(const scene *s, uint32_t value) {
  CUgraph graph;
  GPU(gpu()->cuStreamBeginCapture(s->a, CU_STREAM_CAPTURE_MODE_RELAXED));
  store(s, s->a, word(s, 0), value);
  GPU(gpu()->cuStreamEndCapture(s->a, &graph));
  return graph;
}

START_TEST(executable_graphs_are_updated) {
  scene s = open_scene();
  CUgraphExecUpdateResultInfo info;
  CUgraphNode more;
  CUgraphNodeParams empty = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
  CUgraphExec exec = instantiate(graph_of_store(&s, 1));
  CUgraph other = graph_of_store(&s, 2);
  GPU(CALL(cuGraphExecUpdate)(exec, other, &info));
  GPU(gpu()->cuGraphLaunch(exec, s.a));
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 0), 2);
  GPU(CALL(cuGraphAddNode)(&more, other, NULL, NULL, 0, &empty));
  GIVES(CALL(cuGraphExecUpdate)(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  ck_assert_int_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  GPU(gpu()->cuGraphDestroy(other));
  GPU(gpu()->cuGraphExecDestroy(exec));
  close_scene(&s);
}
END_TEST

START_TEST(memory_of_graphs_is_renewed) {
  scene s = open_scene();
  CUgraph graph;
  CUdeviceptr p;
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GPU(gpu()->cuMemAllocAsync(&p, 4, s.a));
  store(&s, s.a, p, 4);
  GPU(CALL(cuMemcpyDtoDAsync)(word(&s, 0), p, 4, s.a));
  GPU(gpu()->cuMemFreeAsync(p, s.a));
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  CUgraphExec exec = instantiate(graph);
  for (int i = 0; i < 2; ++i) GPU(gpu()->cuGraphLaunch(exec, s.a));
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 0), 4);
  GPU(gpu()->cuGraphExecDestroy(exec));
  close_scene(&s);
}
END_TEST

START_TEST(captures_forbid_what_would_break_them) {
  scene s = open_scene();
  CUgraph graph;
  CUdeviceptr p;
  CUstreamCaptureStatus status;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  GIVES(gpu()->cuStreamBeginCapture(NULL, mode), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GIVES(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
  GPU(gpu()->cuThreadExchangeStreamCaptureMode(&mode));
  GPU(gpu()->cuMemAlloc(&p, 16)); /* allowed as long as the mode is relaxed */
  GPU(gpu()->cuMemFreeAsync(0, s.b));
  GPU(gpu()->cuThreadExchangeStreamCaptureMode(&mode));
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  GIVES(gpu()->cuMemFree(p), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  GPU(gpu()->cuStreamIsCapturing(s.a, &status));
  ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  GIVES(gpu()->cuStreamEndCapture(s.a, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  GPU(gpu()->cuMemFree(p));
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  GIVES(gpu()->cuStreamSynchronize(s.a), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  GIVES(gpu()->cuStreamEndCapture(s.a, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  GIVES(gpu()->cuStreamEndCapture(s.a, &graph), CUDA_ERROR_ILLEGAL_STATE);
  close_scene(&s);
}
END_TEST

START_TEST(forks_must_be_joined) {
  scene s = open_scene();
  CUgraph graph;
  CUevent fork;
  GPU(gpu()->cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  GPU(gpu()->cuEventRecord(fork, s.a));
  GPU(CALL(cuStreamWaitEvent)(s.b, fork, 0));
  store(&s, s.b, word(&s, 0), 1);
  GIVES(CALL(cuEventQuery)(fork), CUDA_ERROR_CAPTURED_EVENT);
  GIVES(gpu()->cuStreamEndCapture(s.a, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  GPU(gpu()->cuEventRecord(fork, s.a));
  GPU(CALL(cuStreamWaitEvent)(s.b, fork, 0));
  store(&s, s.b, word(&s, 0), 1);
  GIVES(gpu()->cuStreamEndCapture(s.a, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  GPU(gpu()->cuStreamSynchronize(s.b)); /* is an ordinary stream again */
  GPU(gpu()->cuEventDestroy(fork));
  close_scene(&s);
}
END_TEST

START_TEST(many_forks_are_joined) {
  enum { ROUNDS = 64 };
  scene s = open_scene();
  CUgraph graph;
  CUevent fork, join;
  GPU(gpu()->cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  GPU(gpu()->cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  for (int i = 0; i < ROUNDS; ++i) {
    GPU(gpu()->cuEventRecord(fork, s.a));
    GPU(CALL(cuStreamWaitEvent)(s.b, fork, 0));
    add(&s, s.a, word(&s, 0), 1);
    add(&s, s.b, word(&s, 1), 2);
    GPU(gpu()->cuEventRecord(join, s.b));
    GPU(CALL(cuStreamWaitEvent)(s.a, join, 0));
  }
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  CUgraphExec exec = instantiate(graph);
  GPU(gpu()->cuGraphLaunch(exec, s.a));
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 0), ROUNDS);
  ck_assert_uint_eq(read_word(&s, 1), 2 * ROUNDS);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuEventDestroy(fork));
  GPU(gpu()->cuEventDestroy(join));
  close_scene(&s);
}
END_TEST

START_TEST(memory_of_graphs_outlives_their_launches) {
  scene s = open_scene();
  CUgraph graph;
  CUdeviceptr p;
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  GPU(gpu()->cuMemAllocAsync(&p, 4, s.a));
  wait_and_store(&s, s.wait, s.a, p, 9);
  add(&s, s.a, p, 1);
  GPU(CALL(cuMemcpyDtoDAsync)(word(&s, 0), p, 4, s.a));
  GPU(gpu()->cuMemFreeAsync(p, s.a));
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  CUgraphExec exec = instantiate(graph);
  GPU(gpu()->cuGraphLaunch(exec, s.a));
  GPU(gpu()->cuGraphExecDestroy(exec));
  atomic_store(s.flag, 1);
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 0), 10);
  close_scene(&s);
}
END_TEST

START_TEST(nodes_do_not_come_after_themselves) {
  scene s = open_scene();
  CUgraph graph;
  CUgraphNode first, second;
  CUgraphExec exec;
  GPU(CALL(cuGraphCreate)(&graph, 0));
  GPU(CALL(cuGraphAddEmptyNode)(&first, graph, NULL, 0));
  GPU(CALL(cuGraphAddEmptyNode)(&second, graph, &first, 1));
  GIVES(CALL(cuGraphAddDependencies)(graph, &first, &second, NULL, 1), CUDA_ERROR_INVALID_VALUE);
  GIVES(CALL(cuGraphAddDependencies)(graph, &first, &first, NULL, 1), CUDA_ERROR_INVALID_VALUE);
  GPU(CALL(cuGraphAddDependencies)(graph, &second, &first, NULL, 1));
  GIVES(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
  GPU(gpu()->cuGraphDestroy(graph));
  close_scene(&s);
}
END_TEST

static void CUDA_CB call_back(CUstream stream, CUresult result, void *data) {
  (void)stream;
  (void)result;
  (void)data;
}

static CUresult launch_nothing(const scene *s) {
  return gpu()->cuLaunchKernel(s->store, 0, 1, 1, 1, 1, 1, 0, s->a, NULL, NULL);
}

START_TEST(captures_break_as_the_real_driver_has_it) {
  scene s = open_scene();
  CUgraph graph;
  CUevent event;
  CUdeviceptr p;
  GPU(gpu()->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
#define BREAKS(mode, call, result)                                                        \
  do {                                                                                    \
    GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_##mode));                 \
    GIVES(call, result);                                                                  \
    GIVES(gpu()->cuStreamEndCapture(s.a, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED); \
  } while (0)
  BREAKS(GLOBAL, CALL(cuStreamQuery)(s.b), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  BREAKS(GLOBAL, gpu()->cuStreamSynchronize(s.b), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  BREAKS(GLOBAL, gpu()->cuMemAllocAsync(&p, 4, s.b), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  BREAKS(RELAXED, CALL(cuStreamAddCallback)(s.a, call_back, NULL, 0),
         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  BREAKS(RELAXED, launch_nothing(&s), CUDA_ERROR_INVALID_VALUE);
#undef BREAKS
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  GPU(gpu()->cuEventRecord(event, s.a));
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  GIVES(CALL(cuEventQuery)(event), CUDA_ERROR_INVALID_VALUE);
  GIVES(CALL(cuStreamWaitEvent)(s.b, event, 0), CUDA_ERROR_INVALID_VALUE);
  GPU(gpu()->cuGraphDestroy(graph));
  GPU(gpu()->cuEventDestroy(event));
  close_scene(&s);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(captured_work_is_replayed),
      SUITE_TEST(launches_of_a_graph_follow_each_other),
      SUITE_TEST(programmatic_launches_are_captured),
      SUITE_TEST(graphs_are_built_by_hand),
      SUITE_TEST(executable_graphs_are_updated),
      SUITE_TEST(memory_of_graphs_is_renewed),
      SUITE_TEST(captures_forbid_what_would_break_them),
      SUITE_TEST(forks_must_be_joined),
      SUITE_TEST(many_forks_are_joined),
      SUITE_TEST(memory_of_graphs_outlives_their_launches),
      SUITE_TEST(nodes_do_not_come_after_themselves),
      SUITE_TEST(captures_break_as_the_real_driver_has_it),
  };
  return API_RUN("softgpu/api_graph", tests);
}
