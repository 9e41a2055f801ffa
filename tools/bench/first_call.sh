#!/bin/sh
# What stands between a source file and a first result: for jig, a build into an empty cache by jig prewarm, which is
# what a first call waits for; for CUB, nvcc's build of a program with one such call, after which it runs without
# waiting; and the same of a kernel of one's own that folds a block. By turns, on this machine, without a GPU. And the
# library: its size, stripped, and the libraries that it needs besides the C library.
#
#   BUILD=build tools/bench/first_call.sh <results.csv>          CASES='reduce kernel' are some of it
set -eu
export LC_ALL=C
build=${BUILD:-build} rounds=${ROUNDS:-3} arch=${ARCH:-90} csv=${1:?the CSV file}
nvcc=${NVCC:-${CUDA_HOME:-/usr/local/cuda}/bin/nvcc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset JIG_CACHE_PATH

peer() { # peer <CUB's header> <a call>: a program around it
  cat <<SOURCE
#include <cub/$1>
int main() {
  int *in = nullptr, *out = nullptr;
  void *temp = nullptr;
  size_t bytes = 0;
  cub::$2;
  cudaMalloc(&temp, bytes);
  cub::$2;
  return cudaDeviceSynchronize() != cudaSuccess;
}
SOURCE
}
peer device/device_reduce.cuh 'DeviceReduce::Sum(temp, bytes, in, out, 1 << 20)' >"$folder/reduce.cu"
peer device/device_scan.cuh 'DeviceScan::InclusiveSum(temp, bytes, in, out, 1 << 20)' >"$folder/scan.cu"
peer device/device_radix_sort.cuh 'DeviceRadixSort::SortKeys(temp, bytes, in, out, 1 << 20)' >"$folder/radix_sort.cu"
# Sums of rows by jig's collective, and by CUB's.
kernel() { # kernel <header> <what a block makes of its threads' sums>
  cat <<SOURCE
#include <$1>
extern "C" __global__ void row_sum(const float *in, float *out, int columns) {
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) sum += in[blockIdx.x * columns + i];
  $2
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
SOURCE
}
kernel jig/block/reduce.cuh 'sum = jig::BlockReduce<float, 256>().Sum(sum);' >"$folder/row_sum.cu"
{
  kernel cub/block/block_reduce.cuh \
    'using Reduce = cub::BlockReduce<float, 256>; __shared__ Reduce::TempStorage temp; sum = Reduce(temp).Sum(sum);'
  echo 'int main() { row_sum<<<1, 256>>>(nullptr, nullptr, 0); return cudaDeviceSynchronize() != cudaSuccess; }'
} >"$folder/kernel.cu"

seconds() { # seconds <command...>: how long it takes
  from=$(date +%s.%N)
  "$@" >/dev/null
  awk "BEGIN { printf \"%.3f\", $(date +%s.%N) - $from }"
}
cold() {
  rm -rf "$folder/cache"
  if [ "$1" = kernel ]; then set -- kernel "$folder/row_sum.cu"; else set -- "$1" --type i32; fi
  JIG_CACHE_DIR="$folder/cache" "$build/jig" prewarm "$@" --arch "sm_$arch"
}
compile() { "$nvcc" -O3 -std=c++17 -arch="sm_$arch" "$folder/$1.cu" -o "$folder/$1"; }
row() { # row <figure> <case> <implementation> <unit> <values...>
  name=$1,$2,$3,$4
  shift 4
  printf '%s\n' "$@" | sort -n | awk -v name="$name" \
    '{ v[NR] = $1 } END { printf "%s,%s,%s,%s,%d\n", name, v[int((NR + 1) / 2)], v[1], v[NR], NR }'
}
{
  echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  echo "# processors: $(nproc), $processor; load at the beginning: $(cut -d ' ' -f 1 /proc/loadavg)"
  echo "# toolkit: $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'); NVRTC and CUB of it"
  echo "# commit: ${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
  echo "# command: tools/bench/first_call.sh"
  echo "figure,case,impl,unit,median,min,max,samples"
  for case in ${CASES:-reduce scan radix_sort kernel}; do
    jig='' cub='' type=i32
    if [ "$case" = kernel ]; then type=f32; fi
    for _ in $(seq "$rounds"); do
      jig="$jig $(seconds cold "$case")"
      cub="$cub $(seconds compile "$case")"
    done
    # shellcheck disable=SC2086  # one word per value
    { row first_call "$case/$type" jig s $jig && row first_call "$case/$type" nvcc_cub s $cub; }
  done
  strip -o "$folder/libjig.so" "$build/libjig.so"
  row size libjig.so jig KiB $(($(stat -c %s "$folder/libjig.so") / 1024))
  row needed "$(readelf -d "$build/libjig.so" | sed -n 's/.*NEEDED.*\[\(lib[a-z]*\)\.so.*/\1/p' | grep -vx libc |
    sort | paste -sd +)" jig libraries \
    "$(readelf -d "$build/libjig.so" | grep -c 'NEEDED.*\[lib[^c]')"
} >"$csv.new"
mv "$csv.new" "$csv"
cat "$csv"
