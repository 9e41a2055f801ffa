/* Softmax over the rows of a matrix: exp(x - m) / sum(exp(x - m)), m being the row's largest item.
 *
 *   softmax [<number of items>]
 *
 * A kernel of our own has a block for each row, keeps the row in registers, and so reads and writes each
 * item once. By calls of jig's algorithms it takes four, between which rows go through memory. */
#include <math.h>

#include "example.h"

enum { THREADS = 128 };

static const char text[] =
    "#include <jig/block/load.cuh>\n"
    "#include <jig/block/reduce.cuh>\n"
    "#include <jig/block/store.cuh>\n"
    "\n"
    "constexpr int N = (COLUMNS + THREADS - 1) / THREADS;\n"
    "using Load = jig::BlockLoad<float, THREADS, N, jig::BlockLoadAlgorithm::striped>;\n"
    "using Store = jig::BlockStore<float, THREADS, N, jig::BlockStoreAlgorithm::striped>;\n"
    "using Reduce = jig::BlockReduce<float, THREADS>;\n"
    "\n"
    "template <class Op> float all_reduce(const jig::array<float, N> &items, Op op) {\n"
    "  __shared__ Reduce::TempStorage storage;\n"
    "  __shared__ float result;\n"
    "  const float fold = Reduce(storage).Reduce(items, op);\n"
    "  if (threadIdx.x == 0) result = fold;\n"
    "  __syncthreads();\n"
    "  return result;\n"
    "}\n"
    "\n"
    "extern \"C\" __global__ void JIG_LAUNCH_BOUNDS softmax(const float *in, float *out) {\n"
    "  const uint64_t row = uint64_t(blockIdx.x) * COLUMNS;\n"
    "  const float none = -__int_as_float(0x7f800000);\n"
    "  jig::array<float, N> items;\n"
    "  Load().Load(in, row, items, COLUMNS, none);\n"
    "  const float largest = all_reduce(items, jig::maximum<false>());\n"
    "  for (int k = 0; k < N; ++k) items[k] = expf(items[k] - largest);\n"
    "  const float sum = all_reduce(items, jig::plus());\n"
    "  for (int k = 0; k < N; ++k) items[k] = items[k] / sum;\n"
    "  Store().Store(out, row, items, COLUMNS);\n"
    "}\n";

typedef struct matrix {
  uint32_t rows, columns;
  CUdeviceptr in, out, largest, sums;
} matrix;

static void launch(jig_kernel *kernel, const matrix *m, CUstream stream) {
  const jig_kernel_shape shape = {.grid = {m->rows}, .block = {THREADS}};
  const jig_kernel_arg args[] = {JIG_ARG(m->in), JIG_ARG(m->out)};
  CHECK_JIG(jig_kernel_launch(kernel, &shape, args, 2, stream));
}

/* The same by four calls. */
static void call(const matrix *m, temp_storage *temp, CUstream stream) {
  const jig_iter in = jig_device_pointer(m->in, JIG_F32), out = jig_device_pointer(m->out, JIG_F32);
  const jig_iter largest = jig_device_pointer(m->largest, JIG_F32),
                 sums = jig_device_pointer(m->sums, JIG_F32);
  const uint64_t count = (uint64_t)m->rows * m->columns;
  /* The row of each item. */
  const jig_iter index = jig_counting(NULL, JIG_U32);
  const jig_type type =
      jig_struct("columns", "struct columns { unsigned n; };", sizeof m->columns, sizeof m->columns);
  const jig_op divide = jig_op_with_state(jig_op_source("return x / state.n;"), &m->columns, type);
  const jig_iter row = jig_iter_transform(&index, divide, JIG_U32);
  const jig_iter largest_of_row = jig_permutation(&largest, &row),
                 sum_of_row = jig_permutation(&sums, &row);

  const jig_segmented_reduce_args reduce_max = {
      .in = in, .out = largest, .num_segments = m->rows, .segment_size = m->columns, .op = JIG_MAX};
  const jig_segmented_reduce_args reduce_sum = {
      .in = out, .out = sums, .num_segments = m->rows, .segment_size = m->columns, .op = JIG_PLUS};
  CALL_JIG(temp, jig_segmented_reduce, &reduce_max, stream);
  CALL_JIG(temp, jig_transform_binary, in, largest_of_row, out, count,
           jig_op_source("return expf(a - b);"), stream);
  CALL_JIG(temp, jig_segmented_reduce, &reduce_sum, stream);
  CALL_JIG(temp, jig_transform_binary, out, sum_of_row, out, count, jig_op_source("return a / b;"),
           stream);
}

static bool cpu_agrees(const float *in, const float *out, const matrix *m) {
  for (size_t r = 0; r < m->rows; ++r) {
    const float *const x = in + r * m->columns, *const y = out + r * m->columns;
    double sum = 0;
    for (size_t k = 0; k < m->columns; ++k) sum += exp((double)x[k]);
    for (size_t k = 0; k < m->columns; ++k) {
      const double wanted = exp((double)x[k]) / sum;
      if (!(fabs((double)y[k] - wanted) <= 1e-5 * wanted)) return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  const size_t given = count_from(argc, argv);
  matrix m = {.columns = row_length(given)};
  m.rows = (uint32_t)(given / m.columns);
  const size_t count = (size_t)m.rows * m.columns, bytes = count * sizeof(float);
  float *in = host_items(count, sizeof *in), *out = host_items(count, sizeof *out);
  uint64_t seed = 1;
  for (size_t i = 0; i < count; ++i) in[i] = (float)(4 * random_number(&seed));
  CUdevice device = open_gpu();
  m.in = copy_to_gpu(in, bytes);
  m.out = allocate(bytes);
  m.largest = allocate(m.rows * sizeof(float));
  m.sums = allocate(m.rows * sizeof(float));

  const jig_definition definitions[] = {jig_define_int("COLUMNS", m.columns),
                                        jig_define_int("THREADS", THREADS)};
  const jig_kernel_config config = {.entry = "softmax",
                                    .source = text,
                                    .source_name = "softmax.cu",
                                    .definitions = definitions,
                                    .definition_count = 2,
                                    .max_threads = THREADS};
  jig_kernel *kernel;
  CHECK_JIG(jig_kernel_get(NULL, &config, &kernel)); /* builds it */

  temp_storage temp = {0};
  call(&m, &temp, NULL); /* how much; builds the programs */
  temp.memory = allocate(temp.bytes);
  call(&m, &temp, NULL);
  CHECK_CUDA(cuMemcpyDtoH(out, m.out, bytes));
  bool agrees = cpu_agrees(in, out, &m);
  launch(kernel, &m, NULL);
  CHECK_CUDA(cuMemcpyDtoH(out, m.out, bytes));
  agrees = agrees && cpu_agrees(in, out, &m);

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) launch(kernel, &m, stream);
  const double us = replay(stream);
  stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i) call(&m, &temp, stream);
  const double calls_us = replay(stream);

  printf("softmax: %u rows of %u items\n", m.rows, m.columns);
  report_calls("two segmented reduces and two transforms", calls_us, us);
  const int status = report(agrees, us, bytes);
  CHECK_CUDA(cuMemFree(m.in));
  CHECK_CUDA(cuMemFree(m.out));
  CHECK_CUDA(cuMemFree(m.largest));
  CHECK_CUDA(cuMemFree(m.sums));
  CHECK_CUDA(cuMemFree(temp.memory));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(in);
  free(out);
  return status;
}
