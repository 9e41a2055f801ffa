/* The median of each row of a matrix: a block sorts a row, and stores the item in the middle alone.
 *
 *   row_medians [<number of items>]
 *
 * By calls of jig's algorithms the rows are sorted, which writes all of them, and the medians copied from
 * there. */
#include <string.h>

#include "example.h"

enum { THREADS = 64 };

static const char text[] =
    "#include <jig/block/load.cuh>\n"
    "#include <jig/block/radix_sort.cuh>\n"
    "\n"
    "constexpr int N = (COLUMNS + THREADS - 1) / THREADS;\n"
    "using Load = jig::BlockLoad<uint32_t, THREADS, N, jig::BlockLoadAlgorithm::striped>;\n"
    "using Sort = jig::BlockRadixSort<uint32_t, THREADS, N>;\n"
    "\n"
    "extern \"C\" __global__ void JIG_LAUNCH_BOUNDS row_medians(const uint32_t *in,\n"
    "                                                          uint32_t *medians) {\n"
    "  __shared__ Sort::TempStorage storage;\n"
    "  jig::array<uint32_t, N> keys;  // in whatever order: a sort has no need of blocked ones\n"
    "  Load().Load(in, uint64_t(blockIdx.x) * COLUMNS, keys, COLUMNS, ~0u);\n"
    "  Sort(storage).Sort(keys);\n"
    "  constexpr int middle = COLUMNS / 2;\n"
    "  for (int k = 0; k < N; ++k)\n"
    "    if (threadIdx.x * N + k == middle) medians[blockIdx.x] = keys[k];\n"
    "}\n";

typedef struct matrix {
  uint32_t rows, columns;
  CUdeviceptr in, sorted, medians;
} matrix;

static void launch(jig_kernel *kernel, const matrix *m, CUstream stream) {
  const jig_kernel_shape shape = {.grid = {m->rows}, .block = {THREADS}};
  const jig_kernel_arg args[] = {JIG_ARG(m->in), JIG_ARG(m->medians)};
  CHECK_JIG(jig_kernel_launch(kernel, &shape, args, 2, stream));
}

/* The same by two calls. */
static void call(const matrix *m, temp_storage *temp, CUstream stream) {
  const uint64_t columns = m->columns, middle = columns / 2;
  const jig_segmented_sort_args sort = {.keys_in = jig_device_pointer(m->in, JIG_U32),
                                        .keys_out = jig_device_pointer(m->sorted, JIG_U32),
                                        .num_items = columns * m->rows,
                                        .begin_offsets = jig_counting_by(NULL, &columns, JIG_U64),
                                        .end_offsets = jig_counting_by(&columns, &columns, JIG_U64),
                                        .num_segments = m->rows};
  const CUdeviceptr first = m->sorted + middle * sizeof(uint32_t);
  const jig_copy_args copy = {
      .in = jig_strided((const void *)first, (int64_t)(columns * sizeof(uint32_t)), JIG_U32),
      .out = jig_device_pointer(m->medians, JIG_U32),
      .num_items = m->rows};
  CALL_JIG(temp, jig_segmented_sort, &sort, stream);
  CALL_JIG(temp, jig_copy, &copy, stream);
}

static int compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* What the GPU has found; the medians are then cleared, for who comes next. */
static bool cpu_agrees(const uint32_t *in, uint32_t *row, uint32_t *medians, const matrix *m) {
  bool agrees = true;
  CHECK_CUDA(cuMemcpyDtoH(medians, m->medians, m->rows * sizeof *medians));
  for (size_t r = 0; r < m->rows; ++r) {
    memcpy(row, in + r * m->columns, m->columns * sizeof *row);
    qsort(row, m->columns, sizeof *row, compare);
    agrees = agrees && medians[r] == row[m->columns / 2];
  }
  CHECK_CUDA(cuMemsetD8Async(m->medians, 0xff, m->rows * sizeof *medians, NULL));
  CHECK_CUDA(cuStreamSynchronize(NULL));
  return agrees;
}

int main(int argc, char **argv) {
  const size_t given = count_from(argc, argv);
  matrix m = {.columns = row_length(given)};
  m.rows = (uint32_t)(given / m.columns);
  const size_t count = (size_t)m.rows * m.columns, bytes = count * sizeof(uint32_t);
  uint32_t *in = host_items(count, sizeof *in), *row = host_items(m.columns, sizeof *row),
           *medians = host_items(m.rows, sizeof *medians);
  uint64_t seed = 1;
  for (size_t i = 0; i < count; ++i)
    in[i] = (uint32_t)(int64_t)(random_number(&seed) * INT32_MAX) + INT32_MAX;
  CUdevice device = open_gpu();
  m.in = copy_to_gpu(in, bytes);
  m.sorted = allocate(bytes);
  m.medians = allocate(m.rows * sizeof *medians);

  const jig_definition definitions[] = {jig_define_int("COLUMNS", m.columns),
                                        jig_define_int("THREADS", THREADS)};
  const jig_kernel_config config = {.entry = "row_medians",
                                    .source = text,
                                    .source_name = "row_medians.cu",
                                    .definitions = definitions,
                                    .definition_count = 2,
                                    .max_threads = THREADS};
  jig_kernel *kernel;
  CHECK_JIG(jig_kernel_get(NULL, &config, &kernel)); /* builds it */
  temp_storage temp = {0};
  call(&m, &temp, NULL); /* how much; builds the programs */
  temp.memory = allocate(temp.bytes);
  call(&m, &temp, NULL);
  bool agrees = cpu_agrees(in, row, medians, &m);
  launch(kernel, &m, NULL);
  agrees = cpu_agrees(in, row, medians, &m) && agrees;

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) launch(kernel, &m, stream);
  const double us = replay(stream);
  stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) call(&m, &temp, stream);
  const double calls_us = replay(stream);

  printf("row_medians: %u rows of %u items\n", m.rows, m.columns);
  report_calls("a segmented sort and a copy", calls_us, us);
  const int status = report(agrees, us, bytes);
  const CUdeviceptr memory[] = {m.in, m.sorted, m.medians, temp.memory};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) CHECK_CUDA(cuMemFree(memory[i]));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(in);
  free(row);
  free(medians);
  return status;
}
