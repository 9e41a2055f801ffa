#!/bin/sh
# Runs a fuzz target for $FUZZ_SECONDS, and says how many inputs it was given and how much of the code they
# reached (libFuzzer's count of edges).
#
#   BUILD=build FUZZ_SECONDS=60 tests/fuzz/run.sh <target>
#
# It begins with tests/fuzz/corpus/<target>, which is part of the repository, with what seeds.sh has made, and with
# what earlier runs have come across, which is kept in $BUILD/fuzz/corpus. An input that it fails on is left in
# $BUILD/fuzz/found: it belongs into tests/fuzz/corpus once its cause is mended.
set -u
target=$1
folder=${BUILD:-build}/fuzz
program=$folder/fuzz_$target
here=$(dirname "$0")
if [ ! -x "$program" ]; then
  echo "skipped: fuzz: $target (no clang with libFuzzer)"
  echo "0 passed, 0 failed"
  exit 0
fi
mkdir -p "$folder/corpus/$target" "$folder/seeds/$target" "$folder/found"

# The sanitizers want addresses that leave room for theirs; and to look for leaks they have to be allowed to trace.
fixed=''
setarch -R true 2>/dev/null && fixed='setarch -R'
leaks=1
# shellcheck disable=SC2086  # none, one or two words
env $fixed "$program" -runs=0 2>&1 | grep -q 'LeakSanitizer has encountered a fatal error' && leaks=0

log=$folder/$target.log
set -- -max_total_time="${FUZZ_SECONDS:-60}" -timeout=20 -rss_limit_mb=3072 -print_final_stats=1 \
  -detect_leaks=$leaks -artifact_prefix="$folder/found/$target-"
[ ! -f "$here/$target.dict" ] || set -- "$@" -dict="$here/$target.dict"
case $target in spec | npy) set -- "$@" -close_fd_mask=2 ;; esac # the tool complains of each
# shellcheck disable=SC2086  # none, one or two words
env ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  $fixed "$program" "$@" "$folder/corpus/$target" "$here/corpus/$target" "$folder/seeds/$target" >"$log" 2>&1
code=$?
inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
echo "$target: ${inputs:-?} inputs in ${FUZZ_SECONDS:-60} s, $(find "$here/corpus/$target" -type f | wc -l) in the repository, ${edges:-0} edges"
if [ "$code" -eq 0 ] && [ "${inputs:-0}" -gt 0 ]; then
  echo "1 passed, 0 failed"
  exit 0
fi
tail -n 60 "$log"
echo "0 passed, 1 failed"
exit 1
