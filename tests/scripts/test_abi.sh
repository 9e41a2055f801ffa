#!/bin/sh
# What programs that are compiled rely on (docs/abi.md): a client of each kept version's headers runs with today's
# library, on the GPU or, if JIG_DRIVER names the software GPU, on that; and the library's functions and types are
# those of the committed description, which `make abi` writes anew.
#
#   BUILD=build tests/scripts/test_abi.sh
set -u
export LC_ALL=C
build=${BUILD:-build}
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset JIG_BUILD JIG_CACHE_PATH
result() { # result <what> <0 if it is right>
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $1"
    cat "$folder/printed"
  fi
}
library=$build/libjig.so
if [ ! -e "$library" ]; then
  echo "skipped: scripts/abi (this build has no shared library)"
  exit 0
fi
case $(basename "$build") in
  address | undefined | thread) sanitize=-fsanitize=$(basename "$build") ;;
  *) sanitize= ;;
esac

# ---- clients
"$build/jig" info --json >"$folder/info"
driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
grep -q '"devices":\[\]' "$folder/info" && driver=
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
clients=0
for headers in tests/abi/headers-*; do
  version=${headers##*-}
  case $soname in libjig.so."$version" | libjig.so."${version%%.*}") ;; *) continue ;; esac # others break
  clients=$((clients + 1))
  # shellcheck disable=SC2086  # a flag, or none
  "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror $sanitize -I"$headers" \
    -isystem "${CUDA_HOME:-/usr/local/cuda}/include" tests/abi/client.c -o "$folder/client" \
    -L"$build" -ljig -Wl,-rpath,"$(realpath "$build")" -ldl >"$folder/printed" 2>&1
  result "a client of $version is built with today's library" $?
  readelf -d "$folder/client" >"$folder/printed" && grep -q "NEEDED.*\[$soname\]" "$folder/printed"
  result "it asks for $soname" $?
  if [ -z "$driver" ]; then
    echo "skipped: scripts/abi: a client of $version (no GPU)"
  else
    JIG_CACHE_DIR=$folder/cache "$folder/client" "$driver" >"$folder/printed" 2>&1
    result "a client of $version runs" $?
  fi
done
echo "of $soname" >"$folder/printed"
[ "$clients" -gt 0 ]
result "headers of this soname are kept" $?

# ---- the description
same() { # same <description>
  abidiff --no-architecture --suppressions tests/abi/opaque.suppr "$1" "$library" >"$folder/printed" 2>&1
}
if [ -n "$sanitize" ]; then
  echo "skipped: scripts/abi: the description (sanitizers change it)"
elif ! command -v abidiff >/dev/null; then
  echo "skipped: scripts/abi: the description (no libabigail)"
elif ! readelf -S "$library" | grep -q '\.debug_info'; then
  echo "skipped: scripts/abi: the description (built without -g)"
else
  same tests/abi/libjig.abi
  result "the library is as tests/abi/libjig.abi says; if it is meant to change: make abi" $?
  # It would be found out: a struct of another size, a function that is not there, another value.
  for change in "s/name='jig_scan_args' size-in-bits='[0-9]*'/name='jig_scan_args' size-in-bits='64'/" \
    "s/jig_reduce_sum/jig_reduce_some/" "s/name='JIG_SCAN_EXCLUSIVE' value='1'/name='JIG_SCAN_EXCLUSIVE' value='2'/"; do
    sed "$change" tests/abi/libjig.abi >"$folder/other.abi"
    ! same "$folder/other.abi"
    result "a change is found: $change" $?
  done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
