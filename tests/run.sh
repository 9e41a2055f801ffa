#!/bin/sh
# Runs test programs one after the other and adds up what they say.
#
#   tests/run.sh <program> [<program> ...]
#
# A program fails by its exit status. It says how many tests it ran as Check does ("100%: Checks: 7,
# Failures: 0, Errors: 0") or as "7 passed, 0 failed", and what it left out, a line each, as
# "skipped: <test> (<why>)". Its output is shown only if it fails; $BUILD/tests/<program>.log keeps it.
set -u
# The tests' own cache, empty at first.
JIG_CACHE_DIR=$(pwd)/${BUILD:-build}/tests/cache
export JIG_CACHE_DIR
rm -rf "$JIG_CACHE_DIR"
passed=0 failed=0 skipped=0
status=0
for program in "$@"; do
  log=${BUILD:-build}/tests/$(basename "$(dirname "$program")")-$(basename "$program").log
  mkdir -p "$(dirname "$log")"
  start=$(date +%s)
  "$program" >"$log" 2>&1
  code=$?
  counts=$(awk '
    /^[0-9]+%: Checks: / { gsub(",", ""); ran += $3; bad += $5 + $7 }
    /^[0-9]+ passed, [0-9]+ failed/ { gsub(",", ""); ran += $1 + $3; bad += $3 }
    /^skipped: / { left++ }
    END { print ran - bad + 0, bad + 0, left + 0 }' "$log")
  # shellcheck disable=SC2086  # three words
  set -- $counts "$@"
  ok=$1 bad=$2 left=$3
  shift 3
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
  printf '%-44s %5d passed %3d failed %3d skipped  %4d s\n' "${program#"${BUILD:-build}"/tests/}" "$ok" "$bad" "$left" \
    $(($(date +%s) - start))
  if [ "$code" -ne 0 ] || [ "$bad" -ne 0 ]; then
    status=1
    echo "--- exit status $code; its output:"
    cat "$log"
  fi
done
for program in "$@"; do
  log=${BUILD:-build}/tests/$(basename "$(dirname "$program")")-$(basename "$program").log
  grep '^skipped: ' "$log"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]
