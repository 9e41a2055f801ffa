#!/bin/sh
# Kernels of one's own on the command line: jig run kernel, jig prewarm kernel, jig source kernel.
#
#   BUILD=build tests/cli/test_kernel.sh
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"

for command in run prewarm source; do
  try "help of $command" 0 "^usage: jig $command kernel <file> " '' $command kernel --help
  try "help of $command, as a command" 0 "^usage: jig $command kernel <file> " '' help $command kernel
  try "help of $command, the other way round" 0 "^usage: jig $command kernel <file> " '' $command --help kernel
  also "$command tells of it" sh -c "'$jig' $command --help | grep -q 'jig $command kernel <file>'"
  try "no file for $command" 2 '' 'give a file with a kernel' $command kernel
  try "unknown option of $command" 2 '' "jig $command kernel: .*'?--frobnicate'?" $command kernel --frobnicate
  try "no such file for $command" 1 '' 'absent.cu: No such file' $command kernel "$dir/absent.cu"
done
try 'options come after it: prewarm' 2 '' "write 'jig prewarm kernel'" prewarm --arch sm_90 kernel x.cu
try 'options come after it: source' 2 '' "write 'jig source kernel'" source --arch sm_90 kernel x.cu

cat >"$dir/row_sum.cu" <<'SOURCE'
#include <jig/block/reduce.cuh>
#include "scale.h"
extern "C" __global__ void JIG_LAUNCH_BOUNDS row_sum(const T *in, T *out, int columns) {
  T sum = 0;
  for (int i = threadIdx.x; i < columns; i += THREADS) sum = Add()(sum, in[blockIdx.x * columns + i]);
  sum = jig::BlockReduce<T, THREADS>().Reduce(sum, Add());
  if (threadIdx.x == 0) out[blockIdx.x] = scaled(sum) + BIAS;
}
SOURCE
printf 'inline T scaled(T x) { return x * 2; }\n' >"$dir/scale.h"
printf '#define BIAS 1\n' >"$dir/bias.cuh"
definitions="-D THREADS=64 --type T=f32 --max-threads 64 --text $dir/bias.cuh"
# shellcheck disable=SC2086  # several words
kernel() { # kernel <try's first four> <command> <option>...
  name=$1 code=$2 out=$3 err=$4 command=$5
  shift 5
  try "$name" "$code" "$out" "$err" "$command" kernel "$dir/row_sum.cu" $definitions --op 'Add(f32, f32)=plus' "$@"
}

# ---- the program

kernel 'source' 0 '^#define THREADS 64$' '' source --arch sm_90
for line in '^// jig kernel row_sum$' '^#define JIG_LAUNCH_BOUNDS __launch_bounds__\(64\)$' '^using T = float;$' \
  '^using jig_Add_t = jig::plus;$' '^#line 1 "bias.cuh"$' '^#line 1 "row_sum.cu"$' '^#include <scale.h>$'; do
  also "source: $line" grep -Eq "$line" "$dir/out"
done
definition() { # definition <what -D says> <the line that it becomes>
  try "-D $1" 0 "$2" '' source kernel "$dir/row_sum.cu" --arch sm_90 -D "$1"
}
definition 'N' '^#define N 1$'
definition 'N=-7' '^#define N \(-7\)$'
definition 'N=5u' '^#define N 5u$'
definition 'N=5000000000' '^#define N 5000000000ll$'
definition 'N=0.5' '^#define N 0x1\.0{13}p-1$'
definition 'N=0.1f' '^#define N 0x1\.99999a0{7}p-4f$'
definition 'N=1e3' '^#define N 0x1\.f40{11}p9$'
definition 'N=a + 0x10' '^#define N a \+ 0x10$'
definition 'N=' '^#define N $'
try 'an operator of its own' 0 '^return x.d > 9;$' '' source kernel "$dir/row_sum.cu" --arch sm_90 \
  --struct 'hit:8:4:struct hit { float d; int id; };' --op 'Far(hit) -> bool=return x.d > 9;'
also 'its result' grep -q '  bool operator()(hit x) const {' "$dir/out"
try 'an operator of an index' 0 '  uint64_t operator\(\)\(uint64_t i\) const' '' source kernel "$dir/row_sum.cu" \
  --arch sm_90 --op 'Twice()=return 2 * i;'
for wrong in 'Add=plus' 'Add(f32=plus' 'Add(f32, f64)=plus' 'Add(f33)=plus' 'Add(f32, f32)=plos' 'Add(f32) -> x=plus'; do
  try "--op $wrong" 2 '' '^jig source kernel: --op: ' source kernel "$dir/row_sum.cu" --arch sm_90 --op "$wrong"
done
try '--type without a type' 2 '' "^jig source kernel: --type: 'f33' is neither" source kernel "$dir/row_sum.cu" \
  --arch sm_90 --type T=f33
try 'a name of jig' 2 '' "definition of jig_n|names that begin with 'jig'" run kernel "$dir/row_sum.cu" -D jig_n=1
try '--grid of nothing' 2 '' "^jig run kernel: --grid: '2,,3' is not" run kernel "$dir/row_sum.cu" --grid 2,,3

"$jig" info --json >"$dir/info" 2>/dev/null
if grep -q '"compiler":{"error"' "$dir/info"; then
  echo 'skipped: cli/kernel: what compiles (no compiler)'
  end_tests
  exit
fi

# ---- the cache

kernel 'a dry run' 0 '^missing +sm_90 .* kernel kernel=row_sum$' '' prewarm --arch sm_90 --dry-run
kernel 'prewarm' 0 '^compiled +sm_90 .* kernel kernel=row_sum$' '' prewarm --arch sm_90,compute_90
also 'prewarm: both' grep -q '2 programs: 2 compiled' "$dir/out"
kernel 'prewarm again' 0 '^2 programs: 0 compiled, 2 already there' '' prewarm --arch sm_90,compute_90
try 'cache ls' 0 'sm_90 .*kernel kernel=row_sum' '' cache ls
kernel 'another entry' 1 '^failed' "entry: the source has no extern \"C\" __global__ function 'sum'; its kernels: 'row_sum'" \
  prewarm --arch sm_90 --entry sum
printf '\nextern "C" __global__ void k(int *x) {\n  *x = y;\n}\n' >"$dir/wrong.cu"
try 'what does not compile' 1 '^failed' 'wrong.cu:3:8: error: identifier "y" is undefined' prewarm kernel "$dir/wrong.cu" \
  --entry k --arch sm_90

# ---- launches

# shellcheck disable=SC2086  # nothing, or one word
if env $driver "$jig" info --json 2>/dev/null | grep -q '"devices":\[\]'; then
  echo 'skipped: cli/kernel: launches (no GPU)'
  end_tests
  exit
fi
with=$driver
floats() { while [ $# -gt 0 ]; do
  case $1 in 0) bytes 00 00 00 00 ;; 1) bytes 00 00 80 3f ;; 2) bytes 00 00 00 40 ;; 3) bytes 00 00 40 40 ;; esac
  shift
done; }
header="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"
{
  bytes 93 4e 55 4d 50 59 01 00 "$(printf %02x $((${#header} + 1)))" 00
  printf '%s\n' "$header"
  floats 1 2 3 1 2 2 2 0
} >"$dir/in.npy"
floats 1 2 3 1 2 2 2 0 >"$dir/in.bin"

kernel 'a launch' 0 '^15$' '' run "$dir/in.npy" 'f32[2]' i32:4 --grid 2 --block 64
also 'a launch: the other row' grep -qx 13 "$dir/out"
kernel 'of a raw file, by a name for the type' 0 '^13$' '' run "$dir/in.bin" 'T[2]' i32:4 --grid 2 --block 64
kernel 'to a file' 0 '' '' run "$dir/in.npy" "f32[2]=$dir/out.npy" i32:4 --grid 2 --block 64
also 'to a file: its header' grep -aq "'descr': '<f4', 'fortran_order': False, 'shape': (2,)" "$dir/out.npy"
floats 3 >"$dir/three"
cat >"$dir/add.cu" <<'SOURCE'
extern "C" __global__ void add(unsigned *x, float by) {
  extern __shared__ float copy[];
  copy[threadIdx.x] = by;
  x[threadIdx.x] = __float_as_uint(__uint_as_float(x[threadIdx.x]) + copy[threadIdx.x]);
}
SOURCE
try 'in place' 0 '' '' run kernel "$dir/add.cu" "$dir/in.bin=$dir/out.bin" f32:1 --block 8 --shared 60000
floats 2 3 >"$dir/wanted"
also 'in place: what came of it' cmp -n 8 "$dir/out.bin" "$dir/wanted"
try 'timed' 0 '' '^kernel: median .* ms, best .* ms of 3$' run kernel "$dir/add.cu" "$dir/in.bin" f32:1 --block 8 \
  --shared 64 --repeat 3
kernel 'too few arguments' 2 '' "count: 2 arguments; 'row_sum' has 3 parameters" run "$dir/in.npy" 'f32[2]' --block 64
kernel 'an argument of another size' 2 '' "args\[2\]: 8 bytes; that parameter of 'row_sum' has 4" \
  run "$dir/in.npy" 'f32[2]' i64:4 --block 64
kernel 'too many threads' 2 '' "block: 65 threads; 'row_sum' has 64 at most" run "$dir/in.npy" 'f32[2]' i32:4 --block 65
kernel 'no such type' 2 '' "'f33' is no type" run "$dir/in.npy" 'f33[2]' i32:4
kernel 'no number' 2 '' "'four' is no value of i32" run "$dir/in.npy" 'f32[2]' i32:four
kernel 'a number without a type' 2 '' '^jig run kernel: 4: a number is told with its type: i32:4' run "$dir/in.npy" 'f32[2]' 4
kernel 'no count' 2 '' 'write T\[N\]' run "$dir/in.npy" 'f32[two]' i32:4
kernel 'a count below 0' 2 '' 'write T\[N\]' run "$dir/in.npy" 'f32[-1]' i32:4
kernel 'more than there is memory' 2 '' 'no memory has room' run "$dir/in.npy" 'f32[4611686018427387904]' i32:4
kernel 'no such input' 1 '' 'absent.npy: No such file' run "$dir/absent.npy" 'f32[2]' i32:4
kernel 'nowhere to store' 1 '' "$dir/absent/o.npy: No such file" run "$dir/in.npy" "f32[2]=$dir/absent/o.npy" i32:4 \
  --grid 2 --block 64
end_tests
