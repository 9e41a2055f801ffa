/* The histogram of an image's brightness: pixels of red, green, blue and alpha, 256 bins.
 *
 *   gray_histogram [<number of pixels>]
 *
 * A kernel of our own has as many blocks as run at once, each with an even share of the pixels, which it
 * counts in shared memory; brightness is never stored. By calls of jig's algorithms a transform makes an
 * image of it, which is then counted. */
#include <string.h>

#include "example.h"

enum { THREADS = 1024, ITEMS = 8, BINS = 256 };

/* Of a pixel; 16 bits of each weight, which come to 1. */
#define BRIGHTNESS \
  "return (x & 255) * 19595u + (x >> 8 & 255) * 38470u + (x >> 16 & 255) * 7471u + 32768u >> 16;"

static const char text[] =
    "#include <jig/block/histogram.cuh>\n"
    "#include <jig/block/load.cuh>\n"
    "#include <jig/grid/even_share.cuh>\n"
    "\n"
    "using Load = jig::BlockLoad<uint32_t, THREADS, ITEMS, jig::BlockLoadAlgorithm::striped>;\n"
    "using Way = jig::BlockHistogramAlgorithm;\n"
    "using Histogram = jig::BlockHistogram<uint32_t, THREADS, ITEMS, BINS, Way::atomic>;\n"
    "using jig::GridMapping;\n"
    "\n"
    "uint32_t brightness(uint32_t x) { " BRIGHTNESS
    " }\n"
    "\n"
    "extern \"C\" __global__ void JIG_LAUNCH_BOUNDS gray_histogram(const uint32_t *in, uint64_t count,\n"
    "                                                             uint32_t *bins) {\n"
    "  __shared__ uint32_t counters[BINS];\n"
    "  Histogram histogram;\n"
    "  histogram.InitHistogram(counters);\n"
    "  __syncthreads();\n"
    "  const jig::GridEvenShare<GridMapping::strip_mine> share(count, THREADS * ITEMS);\n"
    "  for (auto tile = share.block_offset; tile < share.block_end; tile += share.block_stride) {\n"
    "    jig::array<uint32_t, ITEMS> items;\n"
    "    const int valid = share.valid_items(tile);\n"
    "    if (valid == THREADS * ITEMS) {\n"
    "      Load().Load(in, tile, items);\n"
    "      for (int k = 0; k < ITEMS; ++k) items[k] = brightness(items[k]);\n"
    "      histogram.Composite(items, counters);\n"
    "    } else {\n"
    "      for (int i = threadIdx.x; i < valid; i += THREADS)\n"
    "        atomicAdd(&counters[brightness(in[tile + i])], 1u);\n"
    "    }\n"
    "  }\n"
    "  __syncthreads();\n"
    "  for (int bin = threadIdx.x; bin < BINS; bin += THREADS)\n"
    "    if (counters[bin] > 0) atomicAdd(&bins[bin], counters[bin]);\n"
    "}\n";

typedef struct image {
  uint64_t count;
  uint32_t blocks;
  CUdeviceptr pixels, gray, bins;
} image;

static void launch(jig_kernel *kernel, const image *m, CUstream stream) {
  const jig_kernel_shape shape = {.grid = {m->blocks}, .block = {THREADS}};
  const jig_kernel_arg args[] = {JIG_ARG(m->pixels), JIG_ARG(m->count), JIG_ARG(m->bins)};
  CHECK_CUDA(cuMemsetD8Async(m->bins, 0, BINS * sizeof(uint32_t), stream));
  CHECK_JIG(jig_kernel_launch(kernel, &shape, args, 3, stream));
}

/* As many blocks as run at once, unless there are fewer tiles. */
static uint32_t blocks_of(jig_kernel *kernel, uint64_t count) {
  const jig_kernel_shape shape = {.block = {THREADS}};
  jig_occupancy occupancy;
  CHECK_JIG(jig_kernel_occupancy(kernel, &shape, &occupancy));
  const uint64_t tiles = (count + THREADS * ITEMS - 1) / (THREADS * ITEMS);
  const uint32_t most = occupancy.blocks * occupancy.multiprocessors;
  return tiles < most ? (uint32_t)tiles : most;
}

/* The same by two calls. */
static void call(const image *m, temp_storage *temp, CUstream stream) {
  const jig_iter gray = jig_device_pointer(m->gray, JIG_U8);
  const int32_t lower = 0, upper = BINS;
  CALL_JIG(temp, jig_transform_unary, jig_device_pointer(m->pixels, JIG_U32), gray, m->count,
           jig_op_source(BRIGHTNESS), stream);
  CALL_JIG(temp, jig_histogram_even, gray, jig_device_pointer(m->bins, JIG_U32), BINS, &lower, &upper,
           JIG_I32, m->count, stream);
}

static uint32_t brightness(uint32_t x) {
  return ((x & 255) * 19595u + (x >> 8 & 255) * 38470u + (x >> 16 & 255) * 7471u + 32768u) >> 16;
}

static bool cpu_agrees(const uint32_t *pixels, const image *m) {
  uint32_t wanted[BINS] = {0}, bins[BINS];
  CHECK_CUDA(cuMemcpyDtoH(bins, m->bins, sizeof bins));
  for (size_t i = 0; i < m->count; ++i) ++wanted[brightness(pixels[i])];
  return memcmp(bins, wanted, sizeof bins) == 0;
}

int main(int argc, char **argv) {
  image m = {.count = count_from(argc, argv)};
  const size_t bytes = m.count * sizeof(uint32_t);
  uint32_t *pixels = host_items(m.count, sizeof *pixels);
  uint64_t seed = 1;
  for (size_t i = 0; i < m.count; ++i) pixels[i] = (uint32_t)(int64_t)(random_number(&seed) * INT32_MAX);
  CUdevice device = open_gpu();
  m.pixels = copy_to_gpu(pixels, bytes);
  m.gray = allocate(m.count);
  m.bins = allocate(BINS * sizeof(uint32_t));

  const jig_definition definitions[] = {jig_define_int("ITEMS", ITEMS),
                                        jig_define_int("THREADS", THREADS), jig_define_int("BINS", BINS)};
  const jig_kernel_config config = {.entry = "gray_histogram",
                                    .source = text,
                                    .source_name = "gray_histogram.cu",
                                    .definitions = definitions,
                                    .definition_count = 3,
                                    .max_threads = THREADS};
  jig_kernel *kernel;
  CHECK_JIG(jig_kernel_get(NULL, &config, &kernel)); /* builds it */
  m.blocks = blocks_of(kernel, m.count);
  temp_storage temp = {0};
  call(&m, &temp, NULL); /* how much; builds the programs */
  temp.memory = allocate(temp.bytes);
  call(&m, &temp, NULL);
  bool agrees = cpu_agrees(pixels, &m);
  launch(kernel, &m, NULL);
  agrees = cpu_agrees(pixels, &m) && agrees;

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) launch(kernel, &m, stream);
  const double us = replay(stream);
  stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) call(&m, &temp, stream);
  const double calls_us = replay(stream);

  printf("gray_histogram: %llu pixels, %d bins\n", (unsigned long long)m.count, BINS);
  report_calls("a transform and a histogram", calls_us, us);
  const int status = report(agrees, us, bytes);
  const CUdeviceptr memory[] = {m.pixels, m.gray, m.bins, temp.memory};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) CHECK_CUDA(cuMemFree(memory[i]));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(pixels);
  return status;
}
