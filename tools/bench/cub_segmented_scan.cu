// CUB's side of bench_segmented_scan.c: the same scans, through the interface and with the default tunings that a CUB
// user gets, where CUB is new enough to have them.
#include <cub/version.cuh>
#if CUB_VERSION >= 300300
#include <cub/device/device_segmented_scan.cuh>
#include <cuda/std/functional>
#endif

#include <cstdint>
#include <cuda_runtime_api.h>

#include <jig/jig.h>

#include "cub_bench.h"
#include "cub_matrix.cuh"

namespace {

// Segments adjoin, or lie apart.
enum layout { ADJOINING, APART };

#if CUB_VERSION >= 300300
template <class T, class Op, layout Layout>
int scan(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const auto *args = static_cast<const jig_segmented_scan_args *>(data->args);
  const auto *begins = static_cast<const uint32_t *>(data->in[1]);
  const auto *ends = Layout == APART ? static_cast<const uint32_t *>(data->in[2]) : begins + 1;
  return cub::DeviceSegmentedScan::InclusiveSegmentedScan(
      temp, *bytes, static_cast<const T *>(data->in[0]), static_cast<T *>(data->out[0]), begins, ends,
      int64_t(args->num_segments), Op{}, stream);
}
template <class T, layout Layout = ADJOINING> constexpr cub_call sum = scan<T, cuda::std::plus<>, Layout>;
constexpr cub_call product = scan<matrix, multiply, ADJOINING>;
#else
int none(void *, size_t *, const bench_data *, CUstream) { return CUB_LEFT_OUT; }
template <class T, layout Layout = ADJOINING> constexpr cub_call sum = none;
constexpr cub_call product = none;
#endif

const cub_case cases[] = {
    {"segmented_scan", "i32", "sum_offsets_1", sum<int32_t>},
    {"segmented_scan", "i32", "sum_offsets_4", sum<int32_t>},
    {"segmented_scan", "i32", "sum_offsets_8", sum<int32_t>},
    {"segmented_scan", "i32", "sum_offsets_30", sum<int32_t>},
    {"segmented_scan", "i32", "sum_offsets_300", sum<int32_t>},
    {"segmented_scan", "i32", "sum_offsets_3000", sum<int32_t>},
    {"segmented_scan", "i32", "sum_offsets_100000", sum<int32_t>},
    {"segmented_scan", "i32", "sum_one", sum<int32_t>},
    {"segmented_scan", "i32", "sum_7_of_8_empty", sum<int32_t>},
    {"segmented_scan", "i32", "sum_giant_first", sum<int32_t>},
    {"segmented_scan", "i32", "sum_giant_middle", sum<int32_t>},
    {"segmented_scan", "i32", "sum_giant_last", sum<int32_t>},
    {"segmented_scan", "i32", "sum_logarithmic", sum<int32_t>},
    {"segmented_scan", "i32", "sum_shuffled_3000", sum<int32_t, APART>},
    {"segmented_scan", "i32", "sum_shuffled_30", sum<int32_t, APART>},
    {"segmented_scan", "i32", "sum_shuffled_300", sum<int32_t, APART>},
    {"segmented_scan", "i32", "sum_shuffled_100000", sum<int32_t, APART>},
    {"segmented_scan", "i8", "sum_shuffled_3000", sum<int8_t, APART>},
    {"segmented_scan", "i8", "sum_offsets_30", sum<int8_t>},
    {"segmented_scan", "i8", "sum_offsets_3000", sum<int8_t>},
    {"segmented_scan", "i64", "sum_shuffled_3000", sum<int64_t, APART>},
    {"segmented_scan", "i64", "sum_offsets_4", sum<int64_t>},
    {"segmented_scan", "i64", "sum_offsets_3000", sum<int64_t>},
    {"segmented_scan", "i64", "sum_giant_middle", sum<int64_t>},
    {"segmented_scan", "i64", "sum_logarithmic", sum<int64_t>},
    {"segmented_scan", "f32", "sum_offsets_30", sum<float>},
    {"segmented_scan", "f32", "sum_giant_middle", sum<float>},
    {"segmented_scan", "f64", "sum_offsets_30", sum<double>},
    {"segmented_scan", "f64", "sum_giant_middle", sum<double>},
    {"segmented_scan", "struct16", "matrix_offsets_8", product},
    {"segmented_scan", "struct16", "matrix_giant_middle", product},
};

}  // namespace

extern "C" const cub_family cub_segmented_scan;
const cub_family cub_segmented_scan = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
