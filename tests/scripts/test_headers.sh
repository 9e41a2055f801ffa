#!/bin/sh
# Every public header, and what its macros make, compiles by itself, as C11 and as C++17, without cuda.h, and with WERROR=1 without a warning.
set -u
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion ${WERROR:+-Werror}"
try() { # try <header> <compiler> <flags>
  header=$1
  shift
  # shellcheck disable=SC2086  # several words
  if "$@" $warnings -Iinclude -c "$folder/one.$suffix" -o "$folder/one.o"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $* $header"
  fi
}
for header in include/jig/*.h; do
  name=${header#include/}
  printf '#include <%s>\n#ifdef CUDA_VERSION\n#error cuda.h\n#endif\nint unused_%s;\n' "$name" \
    "$(basename "$name" .h)" >"$folder/one.c"
  cp "$folder/one.c" "$folder/one.cc"
  for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    suffix=c
    try "$name" "$compiler" -std=c11
  done
  for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    suffix=cc
    try "$name" "$compiler" -std=c++17 -Wold-style-cast
  done
done
# What the macros make, in both languages.
cat >"$folder/one.c" <<'USES'
#include <jig/jig.h>
int main(void) {
  jig_type type = JIG_F32;
  jig_op plus = JIG_PLUS, less = JIG_LESS;
  jig_iter none = JIG_ZERO;
  jig_reduce_args args = JIG_ZERO;
  jig_engine_config config = JIG_ZERO;
  jig_kernel_arg arg = JIG_ARG(args);
  args.op = JIG_MAX;
  args.accum_type = JIG_BF16;
  jig_prepared *prepared;
  if (JIG_PREPARE(NULL, reduce, &args, &prepared) != JIG_SUCCESS) return 1;
  return type.size == 4 && plus.kind != less.kind && none.kind == JIG_ITER_NONE && config.jobs == 0 &&
                 arg.size == sizeof args
             ? 0
             : 1;
}
USES
cp "$folder/one.c" "$folder/one.cc"
suffix=c
try macros gcc -std=c11
suffix=cc
try macros g++ -std=c++17 -Wold-style-cast
# What docs/abi.md says of cffi.
if python3 -c 'import cffi' 2>/dev/null; then
  if gcc -E -P -Iinclude -include jig/jig.h -x c /dev/null | sed -n '/^typedef struct CUstream_st/,$p' |
    sed 's/__attribute__((visibility("default")))//; s/^_Static_assert(.*);//' >"$folder/declarations.h" &&
    python3 -c 'import sys, cffi; f = cffi.FFI(); f.cdef(open(sys.argv[1]).read()); f.sizeof("jig_reduce_args")' \
      "$folder/declarations.h"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: cffi does not read the declarations"
  fi
else
  echo "skipped: headers: declarations for cffi (no cffi)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
