#!/bin/sh
# What stands between a source file and a first result: for jig, a build into an empty cache by jig prewarm, which is
# what a first call waits for; for CUB, nvcc's build of a program with one such call, after which it runs without
# waiting. By turns, on this machine, without a GPU. And the library: its size, stripped, and the libraries that it
# needs besides the C library.
#
#   BUILD=build tools/bench/first_call.sh <results.csv>
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

seconds() { # seconds <command...>: how long it takes
  from=$(date +%s.%N)
  "$@" >/dev/null
  awk "BEGIN { printf \"%.3f\", $(date +%s.%N) - $from }"
}
cold() {
  rm -rf "$folder/cache"
  JIG_CACHE_DIR="$folder/cache" "$build/jig" prewarm "$1" --type i32 --arch "sm_$arch"
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
  for case in reduce scan radix_sort; do
    jig='' cub=''
    for _ in $(seq "$rounds"); do
      jig="$jig $(seconds cold "$case")"
      cub="$cub $(seconds compile "$case")"
    done
    # shellcheck disable=SC2086  # one word per value
    { row first_call "$case/i32" jig s $jig && row first_call "$case/i32" nvcc_cub s $cub; }
  done
  strip -o "$folder/libjig.so" "$build/libjig.so"
  row size libjig.so jig KiB $(($(stat -c %s "$folder/libjig.so") / 1024))
  row needed "$(readelf -d "$build/libjig.so" | sed -n 's/.*NEEDED.*\[\(lib[a-z]*\)\.so.*/\1/p' | grep -vx libc |
    sort | paste -sd +)" jig libraries \
    "$(readelf -d "$build/libjig.so" | grep -c 'NEEDED.*\[lib[^c]')"
} >"$csv.new"
mv "$csv.new" "$csv"
cat "$csv"
