/* Scans captured into graphs: replayed with other items each time, by turns with other graphs and with
 * calls that use the same temp storage. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"

/* Different at every place, and in every round: all items change, and so does the sum of any of them. */
static void fill_round(uint32_t *items, size_t count, uint32_t round) {
  for (size_t i = 0; i < count; ++i) items[i] = (uint32_t)i * 2654435761u + round * 0x9e3779b9u;
}

static CUstream new_stream(void) {
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

/* Passes items on, slowly in every block but the last: what the blocks handed on in the replay before is
 * still there when that one asks for it, with the same tag, unless something was done about it. */
static const char slow_body[] =
    "if (blockIdx.x + 1 < gridDim.x) {\n"
    "  const long long until = clock64() + 1500;\n"
    "  while (clock64() < until) {}\n"
    "}\n"
    "return x;";

/* One scan of words in memory of its own, and a graph of it. */
typedef struct scene {
  size_t count;
  uint32_t *items, *wanted, *got; /* the host's */
  uint32_t *in, *out, *init;      /* the device's */
  uint32_t start;                 /* what is copied to `init`: stays until the copy is done */
  bool in_order;                  /* by an operator of the caller's, and exclusive from `init` */
  jig_iter plain, slow;
  jig_scan_args args;
  CUgraphExec exec;
} scene;

/* `s` has to stay where it is. */
static void open_scene(scene *s, size_t count, bool in_order) {
  *s = (scene){.count = count, .in_order = in_order};
  s->items = malloc(count * 4);
  s->wanted = malloc(count * 4);
  s->got = malloc(count * 4);
  s->in = gpu_alloc(count * 4, 0);
  s->out = gpu_alloc(count * 4, in_order ? 4 : 0);
  s->init = gpu_alloc(4, 0);
  s->plain = jig_pointer(s->in, JIG_U32);
  s->slow = jig_iter_transform(&s->plain, jig_op_source(slow_body), JIG_U32);
  s->args = (jig_scan_args){.in = s->slow, .out = jig_pointer(s->out, JIG_U32), .num_items = count};
  if (in_order) {
    s->args.op = jig_op_source("return (a + 3) * (b + 3) - 3;");
    s->args.mode = JIG_SCAN_EXCLUSIVE;
    s->args.init_in = jig_pointer(s->init, JIG_U32);
  }
}

static void close_scene(scene *s) {
  GPU(gpu()->cuGraphExecDestroy(s->exec));
  gpu_free(s->in);
  gpu_free(s->out);
  gpu_free(s->init);
  free(s->items);
  free(s->wanted);
  free(s->got);
}

static size_t size_of(const scene *s) {
  size_t bytes = 0;
  OK(jig_scan(NULL, NULL, &bytes, &s->args, NULL));
  return bytes;
}

static void capture(scene *s, void *storage, size_t bytes, CUstream stream) {
  gpu_begin_capture(stream);
  OK(jig_scan(NULL, storage, &bytes, &s->args, stream));
  s->exec = gpu_end_capture(stream);
}

/* Makes new items, and what is to come out; with the output overwritten. */
static void prepare(scene *s, uint32_t round, CUstream stream) {
  fill_round(s->items, s->count, round);
  uint32_t fold = s->in_order ? round : 0;
  for (size_t i = 0; i < s->count; ++i) {
    if (s->in_order) s->wanted[i] = fold;
    fold = s->in_order ? (fold + 3) * (s->items[i] + 3) - 3 : fold + s->items[i];
    if (!s->in_order) s->wanted[i] = fold;
  }
  s->start = round;
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)s->init, &s->start, 4, stream));
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)s->in, s->items, s->count * 4, stream));
  GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)s->out, 0xee, s->count * 4, stream));
}

static void check(scene *s, CUstream stream, const char *what) {
  GPU(gpu()->cuStreamSynchronize(stream));
  gpu_read(s->got, s->out, s->count * 4);
  check_items(s->got, s->wanted, 4, s->count, what);
}

static void replay(scene *s, uint32_t round, CUstream stream) {
  prepare(s, round, stream);
  GPU(gpu()->cuGraphLaunch(s->exec, stream));
  check(s, stream, "a replay");
}

static void call(scene *s, uint32_t round, void *storage, size_t bytes, CUstream stream) {
  prepare(s, round, stream);
  OK(jig_scan(NULL, storage, &bytes, &s->args, stream));
  check(s, stream, "a call between replays");
}

/* One block, a few, a full single wave, a look-back of one group and one of several. */
enum { SIZES = 5 };
static void sizes_for(size_t sizes[SIZES]) {
  const jig_iter plain = jig_pointer(NULL, JIG_U32);
  const jig_scan_args args = {.in = plain, .out = plain};
  const scan_marks m = scan_marks_of(&args);
  sizes[0] = m.row;
  sizes[1] = 7 * m.row + 3;
  sizes[2] = m.single_wave - 1;
  sizes[3] = m.single_wave + 3 * m.tile + 1;
  sizes[4] = scan_long_size(&m, (size_t)-1);
}

/* ---- one graph */

START_TEST(no_replay_finds_what_the_one_before_left) {
  enum { REPLAYS = 5 };
  size_t sizes[SIZES];
  sizes_for(sizes);
  CUstream stream = new_stream();
  for (int k = 0; k < 2 * SIZES; ++k) {
    scene s;
    open_scene(&s, sizes[k / 2], k % 2 == 1);
    const size_t bytes = size_of(&s);
    void *storage = gpu_alloc(bytes, 24);
    capture(&s, storage, bytes, stream);
    for (uint32_t round = 0; round < REPLAYS; ++round) replay(&s, round, stream);
    close_scene(&s);
    gpu_free(storage);
  }
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

/* ---- several, of one storage */

START_TEST(graphs_and_calls_take_turns_with_one_storage) {
  enum { ROUNDS = 30, GRAPHS = SIZES };
  size_t sizes[SIZES], most = 0;
  sizes_for(sizes);
  CUstream stream = new_stream();
  scene scenes[GRAPHS];
  for (int k = 0; k < GRAPHS; ++k) {
    open_scene(&scenes[k], sizes[k], k % 2 == 1);
    most = size_of(&scenes[k]) > most ? size_of(&scenes[k]) : most;
  }
  void *storage = gpu_alloc(most, 0);
  for (int k = 0; k < GRAPHS; ++k) capture(&scenes[k], storage, most, stream);
  uint64_t seed = 5;
  for (uint32_t round = 0; round < 8; ++round) replay(&scenes[1 + round % 2 * 3], round, stream);
  for (uint32_t round = 8; round < ROUNDS; ++round) {
    scene *s = &scenes[next_random(&seed) % GRAPHS];
    if (next_random(&seed) % 3 == 0)
      call(s, round, storage, most, stream);
    else
      replay(s, round, stream);
  }
  for (int k = 0; k < GRAPHS; ++k) close_scene(&scenes[k]);
  gpu_free(storage);
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

/* Scans that depend on each other, with one storage, within one graph. */
START_TEST(captured_scans_follow_each_other) {
  enum { ROUNDS = 5 };
  size_t sizes[SIZES];
  sizes_for(sizes);
  CUstream stream = new_stream();
  scene s;
  for (int k = 1; k < SIZES; k += 3) {
    open_scene(&s, sizes[k], false);
    uint32_t *between = gpu_alloc(s.count * 4, 0);
    jig_scan_args first = s.args, second = s.args;
    first.out = second.in = jig_pointer(between, JIG_U32);
    size_t bytes = 0, other = 0;
    OK(jig_scan(NULL, NULL, &bytes, &first, NULL));
    OK(jig_scan(NULL, NULL, &other, &second, NULL));
    bytes = bytes > other ? bytes : other;
    void *storage = gpu_alloc(bytes, 0);
    gpu_begin_capture(stream);
    OK(jig_scan(NULL, storage, &bytes, &first, stream));
    OK(jig_scan(NULL, storage, &bytes, &second, stream));
    s.exec = gpu_end_capture(stream);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
      prepare(&s, round, stream);
      for (size_t i = 1; i < s.count; ++i) s.wanted[i] += s.wanted[i - 1];
      GPU(gpu()->cuGraphLaunch(s.exec, stream));
      check(&s, stream, "sums of sums");
    }
    close_scene(&s);
    gpu_free(storage);
    gpu_free(between);
  }
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

/* Both kernels have to be there. */
START_TEST(capture_never_builds) {
  uint32_t *device = gpu_alloc(64, 0);
  jig_engine *engine; /* nothing is in its memory */
  OK(jig_engine_create(&engine, NULL));
  const jig_scan_args args = {
      .in = jig_pointer(device, JIG_U32), .out = jig_pointer(device, JIG_U32), .num_items = 16};
  size_t bytes = 1 << 16;
  void *storage = gpu_alloc(bytes, 0);
  CUgraph graph;
  CUstream stream = new_stream();
  gpu_begin_capture(stream);
  FAILS(jig_scan(engine, storage, &bytes, &args, stream), JIG_ERROR_NOT_BUILT, "captured");
  CUstreamCaptureStatus status;
  GPU(gpu()->cuStreamIsCapturing(stream, &status));
  ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  GPU(gpu()->cuStreamEndCapture(stream, &graph));
  GPU(gpu()->cuGraphDestroy(graph));
  gpu_fill(device, 0, 64);
  OK(jig_scan(engine, storage, &bytes, &args, stream)); /* and afterwards all is well */
  GPU(gpu()->cuStreamSynchronize(stream));
  GPU(gpu()->cuStreamDestroy(stream));
  jig_engine_destroy(engine);
  gpu_free(storage);
  gpu_free(device);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(no_replay_finds_what_the_one_before_left),
      SUITE_TEST(graphs_and_calls_take_turns_with_one_storage),
      SUITE_TEST(captured_scans_follow_each_other),
      SUITE_TEST(capture_never_builds),
  };
  return SUITE_RUN("device/scan_capture", tests, true);
}
