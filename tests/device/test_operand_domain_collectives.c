/* The collectives of warps and blocks call operators with nothing but items and what neighbouring items
 * come to, the left one first; whole tiles and others. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "spans.h"
#include "suite.h"

enum { SOURCE_SIZE = 16384, INIT_BEGIN = 7 };

/* What the kernels begin with: spans, and an operator over them that says what it sees. */
static void begin_source(char *source, jig_type type, const char *headers) {
  (void)snprintf(
      source, SOURCE_SIZE,
      "%s%s%susing item = %s;\n"
      "struct fold {\n"
      "  static constexpr bool commutative = false;\n"
      "  watch state;\n"
      "  __noinline__ item operator()(item a, item b) const {\n%s  }\n"
      "};\n"
      "struct any_order {\n"
      "  static constexpr bool commutative = true;\n"
      "  watch state;\n"
      "  item operator()(item a, item b) const {\n"
      "    if (!a.is_sound() || !b.is_sound()) state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
      "    return a;\n"
      "  }\n"
      "};\n",
      headers, type.definition, watch_type.definition, type.name, span_fold);
}

/* Runs a kernel, of the watch and of a number, in a block of so many threads. */
static void run_kernel(const char *source, int threads, int number, const char *what) {
  kernel k = kernel_build(source);
  watch w = new_watch(0);
  void *parameters[] = {&w, &number};
  GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, (unsigned)threads, 1, 1, 0, NULL, parameters, NULL));
  check_watch(&w, what);
  kernel_free(&k);
}

/* ---- blocks */

static const char block_source[] =
    "constexpr int threads = %d, per_thread = %d;\n"
    "using Items = jig::array<item, per_thread>;\n"
    "struct callback {\n"
    "  item operator()(const item &) const { return item::of(%d, %d, 0); }\n"
    "};\n"
    "__device__ void expect(const watch &state, const item &got, int begin, int end) {\n"
    "  const item wanted = item::of(begin, end, 0);\n"
    "  if (got.begin() != wanted.begin() || got.end() != wanted.end()) state.tell(got.begin(), "
    "got.end(), begin, end);\n"
    "}\n"
    "template <class Scan> __device__ void scans(const Items &items, const fold &op, int first, int "
    "thread) {\n"
    "  __shared__ typename Scan::TempStorage storage;\n"
    "  const item initial = item::of(%d, %d, 0);\n"
    "  callback prefix;\n"
    "  item all;\n"
    "  for (int way = 0; way < 6; ++way) {\n"
    "    Scan scan(storage);\n"
    "    Items got;\n"
    "    if (way == 0) got = scan.InclusiveScan(items, op, all);\n"
    "    if (way == 1) got = scan.ExclusiveScan(items, op, all);\n"
    "    if (way == 2) got = scan.InclusiveScan(items, initial, op, all);\n"
    "    if (way == 3) got = scan.ExclusiveScan(items, initial, op, all);\n"
    "    if (way == 4) got = scan.InclusiveScanWithPrefix(items, op, prefix);\n"
    "    if (way == 5) got = scan.ExclusiveScanWithPrefix(items, op, prefix);\n"
    "    __syncthreads();\n"
    "    const int begin = way < 2 ? %d : %d, last = first + per_thread - 1 + (way %% 2 == 0);\n"
    "    if (way != 1 || thread > 0) expect(op.state, got[per_thread - 1], begin, last);\n"
    "  }\n"
    "}\n"
    "template <class Reduce, class Op>\n"
    "__device__ void reduces(const Items &items, const Op &op, int first, int thread, int valid) {\n"
    "  __shared__ typename Reduce::TempStorage storage;\n"
    "  const item whole = Reduce(storage).Reduce(items, op);\n"
    "  __syncthreads();\n"
    "  item mine;\n"
    "  if (thread < valid) mine = item::of(%d + thread, %d + thread + 1, 0);\n"
    "  const item part = Reduce(storage).Reduce(mine, op, valid);\n"
    "  if (thread != 0 || Op::commutative) return;\n"
    "  expect(op.state, whole, first, first + threads * per_thread);\n"
    "  expect(op.state, part, first, first + valid);\n"
    "}\n"
    "template <jig::BlockReduceAlgorithm A> using Reduce = jig::BlockReduce<item, threads, A>;\n"
    "template <jig::BlockScanAlgorithm A> using Scan = jig::BlockScan<item, threads, A>;\n"
    "extern \"C\" __global__ void __launch_bounds__(threads) test(const watch state, int valid) {\n"
    "  const fold op = {state};\n"
    "  const int thread = threadIdx.x, first = %d + thread * per_thread;\n"
    "  Items items;\n"
    "  for (int k = 0; k < per_thread; ++k) items[k] = item::of(first + k, first + k + 1, 0);\n"
    "  scans<Scan<jig::BlockScanAlgorithm::warp_scans>>(items, op, first, thread);\n"
    "  scans<Scan<jig::BlockScanAlgorithm::raking>>(items, op, first, thread);\n"
    "  scans<Scan<jig::BlockScanAlgorithm::raking_memoize>>(items, op, first, thread);\n"
    "  reduces<Reduce<jig::BlockReduceAlgorithm::warp_reductions>>(items, op, first, thread, valid);\n"
    "  reduces<Reduce<jig::BlockReduceAlgorithm::raking>>(items, op, first, thread, valid);\n"
    "  reduces<Reduce<jig::BlockReduceAlgorithm::warp_reductions_nondeterministic>>(items, "
    "any_order{state}, "
    "first, thread, valid);\n"
    "  reduces<Reduce<jig::BlockReduceAlgorithm::raking_commutative_only>>(items, any_order{state}, "
    "first, thread,\n"
    "                                                                      valid);\n"
    "}\n";

START_TEST(blocks) {
  static const struct {
    int threads, per_thread, valid, type;
  } cases[] = {{96, 2, 70, SPAN_4}, {512, 1, 300, SPAN_8}, {33, 2, 33, SPAN_12}, {7, 1, 3, SPAN_40}};
  static char source[SOURCE_SIZE];
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const int first = SPAN_FIRST;
    char what[64];
    begin_source(source, span_types[cases[i].type],
                 "#include <jig/block/reduce.cuh>\n#include <jig/block/scan.cuh>\n");
    const size_t used = strlen(source);
    (void)snprintf(source + used, SOURCE_SIZE - used, block_source, cases[i].threads, cases[i].per_thread,
                   INIT_BEGIN, first, INIT_BEGIN, first, first, INIT_BEGIN, first, first, first);
    (void)snprintf(what, sizeof what, "a block of %d threads", cases[i].threads);
    run_kernel(source, cases[i].threads, cases[i].valid, what);
  }
}
END_TEST

/* ---- warps; lanes of different logical warps have items of different runs */

static const char warp_source[] =
    "template <int Width> __device__ void warp(const fold &op, int valid) {\n"
    "  constexpr bool is_power = (Width & (Width - 1)) == 0;\n"
    "  const int lane = threadIdx.x %% 32, place = is_power ? lane %% Width : lane, run = lane / Width;\n"
    "  if (!is_power && lane >= Width) return;\n"
    "  valid = valid < Width ? valid : Width;\n"
    "  __shared__ typename jig::WarpScan<item, Width>::TempStorage scan_storage[2];\n"
    "  __shared__ typename jig::WarpReduce<item, Width>::TempStorage reduce_storage[2];\n"
    "  jig::WarpScan<item, Width> scan(scan_storage[threadIdx.x / 32]);\n"
    "  jig::WarpReduce<item, Width> reduce(reduce_storage[threadIdx.x / 32]);\n"
    "  const item mine = item::of(%d + place, %d + place + 1, run), initial = item::of(%d, %d, "
    "item::any_run);\n"
    "  item some, all;\n"
    "  if (place < valid) some = mine;\n"
    "  (void)scan.InclusiveScan(mine, op);\n"
    "  (void)scan.InclusiveScan(mine, op, all);\n"
    "  (void)scan.InclusiveScanPartial(some, op, valid, all);\n"
    "  (void)scan.ExclusiveScan(mine, op, all);\n"
    "  (void)scan.ExclusiveScanPartial(some, op, valid, all);\n"
    "  (void)scan.InclusiveScanPartial(some, initial, op, valid);\n"
    "  (void)scan.ExclusiveScanPartial(some, initial, op, valid, all);\n"
    "  item inclusive, exclusive;\n"
    "  scan.ScanPartial(some, inclusive, exclusive, op, valid);\n"
    "  scan.ScanPartial(some, inclusive, exclusive, initial, op, valid);\n"
    "  (void)scan.InclusiveScan(mine, initial, op);\n"
    "  (void)scan.ExclusiveScan(mine, initial, op, all);\n"
    "  const item whole = reduce.Reduce(mine, op);\n"
    "  if (is_power) __syncwarp();\n"
    "  else __syncwarp((1u << Width) - 1);\n"
    "  const item part = reduce.Reduce(some, op, valid);\n"
    "  if (place == 0 && (whole.end() != mine.of(0, %d + Width, 0).end() || part.end() != mine.of(0, %d "
    "+ valid, 0).end()))\n"
    "    op.state.tell(whole.begin(), whole.end(), part.begin(), part.end());\n"
    "}\n"
    "extern \"C\" __global__ void test(const watch state, int valid) {\n"
    "  const fold op = {state};\n"
    "  warp<32>(op, valid);\n"
    "  warp<8>(op, valid);\n"
    "  warp<1>(op, valid);\n"
    "  warp<13>(op, valid);\n"
    "}\n";

START_TEST(warps) {
  static const int types[] = {SPAN_2, SPAN_12, SPAN_40}, valid[] = {1, 3, 20, 32};
  static char source[SOURCE_SIZE];
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const int first = SPAN_FIRST;
    begin_source(source, span_types[types[i]],
                 "#include <jig/warp/reduce.cuh>\n#include <jig/warp/scan.cuh>\n");
    const size_t used = strlen(source);
    (void)snprintf(source + used, SOURCE_SIZE - used, warp_source, first, first, INIT_BEGIN, first, first,
                   first);
    for (size_t k = 0; k < COUNT_OF(valid); ++k) run_kernel(source, 64, valid[k], "warps");
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(blocks), SUITE_TEST(warps)};
  return SUITE_RUN("device/operand_domain_collectives", tests, true);
}
