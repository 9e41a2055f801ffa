#!/bin/sh
# The software GPU as users have it: installed with the library, it runs a program of theirs and the tool, finds
# their mistakes, and leaves nothing behind when it is uninstalled.
#
#   BUILD=build tests/scripts/test_softgpu.sh
. tests/scripts/checks.sh
touch "$folder/out" "$folder/err"
unset JIG_DRIVER JIG_BUILD JIG_CACHE_PATH
export JIG_CACHE_DIR="$folder/cache"
show_failed() { cat "$folder/out" "$folder/err"; }
skip() {
  echo "skipped: scripts/softgpu ($1)"
  exit 0
}
gives() { # gives <status> <command...>: what it prints is in out and err
  status=$1
  shift
  "$@" >"$folder/out" 2>"$folder/err"
  [ $? -eq "$status" ]
}
told() { grep -q -e "$1" "$folder/err"; }

if [ ! -e "$build/softgpu/libcuda.so.1" ] || [ ! -e "$build/libjig.so" ]; then
  skip 'no software GPU, or no shared library'
fi
"$build/jig" info --json 2>/dev/null | grep -q '"compiler":{"error"' && skip 'no NVRTC'
printf '\001\000\000\000\002\000\000\000\003\000\000\000' >"$folder/words" # 1, 2, 3

# ---- installed: where the Makefile says, with whatever it was told

install_in() { make -s BUILD="$build" DESTDIR="$folder/root" "$@"; }
check 'installing' install_in install install-softgpu
bin=$(dirname "$(find "$folder/root" -name jig -path '*/bin/*')")
lib=$(dirname "$(find "$folder/root" -name libjig.so)")
include=$(dirname "$(dirname "$(find "$folder/root" -name jig.h)")")
docs=$(dirname "$(find "$folder/root" -name LICENSE)")
pages() { grep -oh 'docs/[a-z-]*\.md' "$include"/jig/*.h | sort -u; }
lost_pages() { pages | while read -r page; do [ -s "$docs/$page" ] || echo "$page"; done; }
none_is_lost() { [ -n "$(pages)" ] && [ -z "$(lost_pages)" ]; }
check 'the pages that headers name are there' none_is_lost
linked() { grep -o '](\([^):#]*\)' "$docs/README.md" | sed 's/^](//' | grep . | sort -u; }
lost_links() { linked | while read -r page; do [ -s "$docs/$page" ] || echo "$page"; done; }
no_link_is_lost() { [ -n "$(linked)" ] && [ -z "$(lost_links)" ]; }
check 'what README links to is there' no_link_is_lost
check 'so is what the cookbook is built with' test -s "$docs/tools/examples/example.h"
check 'the library is there' test -e "$lib/jig/softgpu/libcuda.so.1"
check 'and its README' test -s "$lib/jig/softgpu/README.md"

# ---- a user's program: the sum of 1000 words, or of one more than it has written

cat >"$folder/sum.c" <<'PROGRAM'
#include <cuda.h>
#include <jig/jig.h>
#include <stdio.h>
int main(int argc, char **argv) {
  enum { COUNT = 1000 };
  static int words[COUNT + 1], sum;
  CUdevice device;
  CUcontext context;
  CUdeviceptr in, out, temp;
  size_t bytes = 0;
  (void)argv;
  for (int i = 0; i < COUNT; ++i) words[i] = i;
  int failed = cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
               cuCtxSetCurrent(context) || cuMemAlloc(&in, sizeof words) || cuMemAlloc(&out, sizeof sum) ||
               cuMemcpyHtoD(in, words, COUNT * sizeof *words);
  jig_reduce_args args = {.in = jig_pointer((void *)in, JIG_I32), .out = jig_pointer((void *)out, JIG_I32),
                          .num_items = COUNT + (argc > 1)};
  failed = failed || jig_reduce(NULL, NULL, &bytes, &args, NULL) || cuMemAlloc(&temp, bytes) ||
           jig_reduce(NULL, (void *)temp, &bytes, &args, NULL) || cuMemcpyDtoH(&sum, out, sizeof sum) ||
           cuMemFree(in) || cuMemFree(out) || cuMemFree(temp) || cuDevicePrimaryCtxRelease(device);
  printf("%s %d\n", failed ? jig_last_error() : "sum", sum);
  return failed;
}
PROGRAM
check 'a program of C compiles' "${CC:-cc}" -std=c11 ${SAN:+"-fsanitize=$SAN"} -I"$include" \
  -isystem "${CUDA_HOME:-/usr/local/cuda}/include" "$folder/sum.c" -o "$folder/sum" \
  -L"$lib" -ljig -L"$lib/jig/softgpu" -lcuda
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
check 'the launcher runs it' gives 0 "$bin/jig-softgpu" "$folder/sum"
check 'the sum is right' grep -qx 'sum 499500' "$folder/out"
by_path() { LD_LIBRARY_PATH=$lib/jig/softgpu:$LD_LIBRARY_PATH "$folder/sum"; }
check 'so does the path of libraries alone' gives 0 by_path
check 'what was never written is told' gives 97 "$bin/jig-softgpu" "$folder/sum" 1
check 'as that' told 'jig software GPU: uninitialised read'
check 'the launcher without a program' gives 2 "$bin/jig-softgpu"
check 'says how it is used' told '^usage: jig-softgpu '

# ---- the tool

check 'jig run --software' gives 0 "$bin/jig" run reduce --type u32 --software "$folder/words"
check 'its result' grep -qx 6 "$folder/out"
other_driver() { JIG_DRIVER=/nowhere/libcuda.so "$bin/jig" run reduce --type u32 --software "$folder/words"; }
check 'whatever JIG_DRIVER says' gives 0 other_driver
check 'uninstalling the software GPU' install_in uninstall-softgpu
check 'it is gone' test ! -e "$lib/jig" -a ! -e "$bin/jig-softgpu"
if [ ! -e "${bin#"$folder/root"}/../lib/jig/softgpu/libcuda.so.1" ]; then # the one that this machine has
  check 'jig run --software without it' gives 3 "$bin/jig" run reduce --type u32 --software "$folder/words"
  check 'says where it looked' told "the software GPU is neither .*make install-softgpu"
fi
check 'uninstalling the rest' install_in uninstall
empty() { [ -z "$(find "$folder/root" ! -type d)" ]; }
check 'nothing is left' empty
end_checks
