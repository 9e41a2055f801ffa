/* Stream compaction with a checksum: the items below a limit in their order, how many they are, and their
 * sum.
 *
 *   compaction [<number of items>]
 *
 * A kernel of our own reads each item once: a block has a tile, whose state is how many items it keeps,
 * and its first warp learns by look-back what the tiles before come to. Warps load rows of 32 times four
 * neighbouring items, which takes the fewest accesses. Before the block looks back, what it keeps is put
 * together in shared memory: then neighbouring items are written at once, and no registers hold items
 * meanwhile, which leaves room for more blocks. The sum goes along no tile, since its order is no matter:
 * a state of one word takes the look-back less time. By calls of jig's algorithms a select is followed by
 * a reduce of what it has selected. */
#include "example.h"

enum { THREADS = 256, MIN_BLOCKS = 5, ITEMS = 32, TILE = THREADS * ITEMS };

static const char text[] =
    "#include <jig/block/reduce.cuh>\n"
    "#include <jig/block/scan.cuh>\n"
    "#include <jig/grid/tile_prefix.cuh>\n"
    "#include <jig/warp/scan.cuh>\n"
    "\n"
    "struct kept { unsigned long long sum, count; };\n"
    "struct alignas(16) four { uint32_t item[4]; };\n"
    "constexpr int rows = ITEMS / 4, tile_items = THREADS * ITEMS;\n"
    "static_assert(rows <= 8, \"counts of rows, up to 128 each, share a word\");\n"
    "using Scan = jig::BlockScan<uint32_t, THREADS>;\n"
    "using Sum = jig::BlockReduce<uint64_t, THREADS>;\n"
    "using Prefix = jig::TilePrefixCallbackOp<uint32_t, jig::plus>;\n"
    "\n"
    "// This lane's part of its warp's rows. Past the end there is the limit, which is not kept.\n"
    "void load(const uint32_t *in, uint64_t tile, uint64_t count, uint32_t limit, four (&row)[rows]) {\n"
    "  const uint32_t own = threadIdx.x / 32 * (32 * rows) + threadIdx.x % 32;\n"
    "  for (int r = 0; r < rows; ++r) {\n"
    "    const uint64_t first = tile + (own + 32 * r) * 4;\n"
    "    if (count - tile >= tile_items) {\n"
    "      row[r] = *reinterpret_cast<const four *>(in + first);\n"
    "    } else {\n"
    "      for (int k = 0; k < 4; ++k) row[r].item[k] = first + k < count ? in[first + k] : limit;\n"
    "    }\n"
    "  }\n"
    "}\n"
    "\n"
    "extern \"C\" __global__ void JIG_LAUNCH_BOUNDS compact(const uint32_t *in, uint64_t count,\n"
    "                                                      uint32_t limit, uint32_t *out, kept *total,\n"
    "                                                      void *temp) {\n"
    "  __shared__ uint32_t kept_items[tile_items];\n"
    "  __shared__ Scan::TempStorage scan_storage;\n"
    "  __shared__ Sum::TempStorage sum_storage;\n"
    "  __shared__ Prefix::TempStorage prefix_storage;\n"
    "  four row[rows];\n"
    "  load(in, uint64_t(blockIdx.x) * tile_items, count, limit, row);\n"
    "\n"
    "  // Eight bits for each row: how many items of it this lane keeps, and then the lanes before.\n"
    "  uint64_t in_rows = 0, row_totals;\n"
    "  uint32_t mine = 0, here;\n"
    "  for (int r = 0; r < rows; ++r) {\n"
    "    uint32_t in_row = 0;\n"
    "    for (int k = 0; k < 4; ++k) in_row += row[r].item[k] < limit;\n"
    "    in_rows |= uint64_t(in_row) << 8 * r;\n"
    "    mine += in_row;\n"
    "  }\n"
    "  const uint32_t before = Scan(scan_storage).ExclusiveSum(mine, here);\n"
    "  in_rows = jig::WarpScan<uint64_t>().ExclusiveSum(in_rows, row_totals);\n"
    "  uint32_t row_begin = __shfl_sync(0xffffffff, before, 0);\n"
    "  for (int r = 0; r < rows; ++r) {\n"
    "    uint32_t place = row_begin + (in_rows >> 8 * r & 255);\n"
    "    row_begin += row_totals >> 8 * r & 255;\n"
    "    for (int k = 0; k < 4; ++k) {\n"
    "      if (row[r].item[k] < limit) kept_items[place++] = row[r].item[k];\n"
    "    }\n"
    "  }\n"
    "\n"
    "  Prefix prefix(prefix_storage, {temp, int(gridDim.x)}, jig::plus(), blockIdx.x, 0);\n"
    "  if (threadIdx.x < 32) prefix(here);\n"
    "  __syncthreads();\n"
    "  uint32_t *to = out + prefix.GetExclusivePrefix();\n"
    "  uint64_t sum = 0;\n"
    "#pragma unroll\n"
    "  for (uint32_t i = threadIdx.x; i < tile_items; i += THREADS) {\n"
    "    if (i >= here) break;\n"
    "    const uint32_t item = kept_items[i];\n"
    "    to[i] = item;\n"
    "    sum += item;\n"
    "  }\n"
    "  sum = Sum(sum_storage).Sum(sum);\n"
    "  if (threadIdx.x == 0) atomicAdd(&total->sum, sum);\n"
    "  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) total->count = prefix.GetInclusivePrefix();\n"
    "}\n";

/* As the kernel's. */
typedef struct kept {
  uint64_t sum, count;
} kept;

typedef struct work {
  uint64_t count;
  uint32_t limit, blocks;
  size_t state_bytes;
  CUdeviceptr in, out, total, states; /* states: behind the total, so that one memset clears both */
  CUdeviceptr selected;               /* how many, by jig_select() */
} work;

enum { STATES_FROM = 128 }; /* states are aligned to that */

static void launch(jig_kernel *kernel, const work *w, CUstream stream) {
  const jig_kernel_shape shape = {.grid = {w->blocks}, .block = {THREADS}};
  const jig_kernel_arg args[] = {JIG_ARG(w->in),  JIG_ARG(w->count), JIG_ARG(w->limit),
                                 JIG_ARG(w->out), JIG_ARG(w->total), JIG_ARG(w->states)};
  CHECK_CUDA(cuMemsetD8Async(w->total, 0, STATES_FROM + w->state_bytes, stream));
  CHECK_JIG(jig_kernel_launch(kernel, &shape, args, 6, stream));
}

/* The same by two calls; the second one reads there how many items the first one has selected. */
static void call(const work *w, temp_storage *temp, CUstream stream) {
  const jig_type type =
      jig_struct("limit", "struct limit { unsigned value; };", sizeof w->limit, sizeof w->limit);
  const jig_select_args select = {
      .in = jig_device_pointer(w->in, JIG_U32),
      .out = jig_device_pointer(w->out, JIG_U32),
      .num_selected_out = jig_device_pointer(w->selected, JIG_U64),
      .num_items = w->count,
      .op = jig_op_with_state(jig_op_source("return x < state.value;"), &w->limit, type)};
  const jig_reduce_args sum = {.in = jig_device_pointer(w->out, JIG_U32),
                               .out = jig_device_pointer(w->total, JIG_U64),
                               .num_items = w->count,
                               .num_items_in = (const uint64_t *)w->selected,
                               .op = JIG_PLUS};
  CALL_JIG(temp, jig_select, &select, stream);
  CALL_JIG(temp, jig_reduce, &sum, stream);
}

static bool cpu_agrees(const uint32_t *in, const uint32_t *out, uint64_t kept_count, uint64_t kept_sum,
                       const work *w) {
  kept wanted = {0};
  for (size_t i = 0; i < w->count; ++i) {
    if (in[i] >= w->limit) continue;
    if (wanted.count >= kept_count || out[wanted.count] != in[i]) return false;
    wanted.sum += in[i];
    ++wanted.count;
  }
  return wanted.count == kept_count && wanted.sum == kept_sum;
}

static bool kernel_agrees(const uint32_t *in, uint32_t *out, const work *w) {
  kept total;
  CHECK_CUDA(cuMemcpyDtoH(&total, w->total, sizeof total));
  CHECK_CUDA(cuMemcpyDtoH(out, w->out, w->count * sizeof *out));
  return cpu_agrees(in, out, total.count, total.sum, w);
}

static bool calls_agree(const uint32_t *in, uint32_t *out, const work *w) {
  uint64_t count, sum;
  CHECK_CUDA(cuMemcpyDtoH(&count, w->selected, sizeof count));
  CHECK_CUDA(cuMemcpyDtoH(&sum, w->total, sizeof sum));
  CHECK_CUDA(cuMemcpyDtoH(out, w->out, w->count * sizeof *out));
  return cpu_agrees(in, out, count, sum, w);
}

int main(int argc, char **argv) {
  work w = {.count = count_from(argc, argv), .limit = UINT32_MAX / 2};
  const size_t bytes = w.count * sizeof(uint32_t);
  uint32_t *in = host_items(w.count, sizeof *in), *out = host_items(w.count, sizeof *out);
  uint64_t seed = 1;
  for (size_t i = 0; i < w.count; ++i)
    in[i] = (uint32_t)(int64_t)(random_number(&seed) * INT32_MAX) + INT32_MAX;
  w.blocks = (uint32_t)((w.count + TILE - 1) / TILE);
  CHECK_JIG(jig_tile_state_size(sizeof(uint32_t), w.blocks, &w.state_bytes));
  CUdevice device = open_gpu();
  w.in = copy_to_gpu(in, bytes);
  w.out = allocate(bytes);
  w.total = allocate(STATES_FROM + w.state_bytes);
  w.states = w.total + STATES_FROM;
  w.selected = allocate(sizeof(uint64_t));

  const jig_definition definitions[] = {jig_define_int("ITEMS", ITEMS),
                                        jig_define_int("THREADS", THREADS)};
  const jig_kernel_config config = {.entry = "compact",
                                    .source = text,
                                    .source_name = "compaction.cu",
                                    .definitions = definitions,
                                    .definition_count = 2,
                                    .max_threads = THREADS,
                                    .min_blocks = MIN_BLOCKS};
  jig_kernel *kernel;
  CHECK_JIG(jig_kernel_get(NULL, &config, &kernel)); /* builds it */
  temp_storage temp = {0};
  call(&w, &temp, NULL); /* how much; builds the programs */
  temp.memory = allocate(temp.bytes);
  call(&w, &temp, NULL);
  bool agrees = calls_agree(in, out, &w);
  launch(kernel, &w, NULL);
  agrees = kernel_agrees(in, out, &w) && agrees;

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) launch(kernel, &w, stream);
  const double us = replay(stream);
  stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) call(&w, &temp, stream);
  const double calls_us = replay(stream);

  printf("compaction: of %llu items those below %u, and their sum\n", (unsigned long long)w.count,
         w.limit);
  report_calls("a select and a reduce", calls_us, us);
  const int status = report(agrees, us, bytes);
  const CUdeviceptr memory[] = {w.in, w.out, w.total, w.selected, temp.memory};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) CHECK_CUDA(cuMemFree(memory[i]));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(in);
  free(out);
  return status;
}
