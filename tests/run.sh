#!/bin/sh
# Runs test programs and adds up what they say.
#
#   tests/run.sh <program>[:<test>] [<program>[:<test>] ...]
#
# -<program> is left out, and told. Of a program of Check's, a test may be named that alone is run. A program fails by
# its exit status, or if it has neither run a test nor skipped one. It says how many tests it ran as Check does ("100%:
# Checks: 7, Failures: 0, Errors: 0") or as "7 passed, 0 failed", and what it left out, a line each, as
# "skipped: <test> (<why>)". Its output is shown only if it fails; $BUILD/tests/<program>.log keeps it.
#
# As many run at once as there are processors, and one more for what waits, unless $JOBS says otherwise: what takes
# long comes first, and what takes seconds last, so that none is left idle at the end. Only what uses all processors
# by itself runs alone. Of each it tells seconds, and seconds of a processor; all of them are in $BUILD/tests/times.
set -u
build=${BUILD:-build}
export JIG_WISDOM=/dev/null # whoever runs this may have some
JIG_TEST_SEED=${JIG_TEST_SEED:-$(($(date +%s) / 86400))} # the same past midnight
export JIG_TEST_SEED

log_of() { echo "$build/tests/$(basename "$(dirname "$1")")-$(basename "$1" | tr : -).log"; }

# Most programs go without builds in the background, which would compile what they do not need. One of eight has them,
# another one with the next $JIG_TEST_SEED, by default the day's number. What tests such builds turns them on by itself;
# test_other_gpus.sh draws for each of its tests.
choose_background() {
  case $1 in */test_other_gpus.sh) return ;; esac
  name=$(basename "${1%:*}" | cksum | cut -d ' ' -f 1)
  if [ -z "${JIG_BACKGROUND:-}" ] && [ $(((name + JIG_TEST_SEED) % 8)) -ne 0 ]; then export JIG_BACKGROUND=0; fi
}

# Runs one program: its output to its log, and to a file beside it "<passed> <failed> <skipped>".
run_one() {
  log=$(log_of "$1")
  start=$(date +%s)
  case $1 in *:*) export CK_RUN_CASE="${1##*:}" ;; esac
  choose_background "$1"
  "${1%:*}" >"$log" 2>&1
  code=$?
  times >"$log.times" # of this shell, and of what it ran: "1m2.34s 0m0.12s", user and system
  cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; ++i) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } printf "%.0f", s }' "$log.times")
  rm "$log.times"
  counts=$(awk '
    /^[0-9]+%: Checks: / { gsub(",", ""); ran += $3; bad += $5 + $7 }
    /^[0-9]+ passed, [0-9]+ failed/ { gsub(",", ""); ran += $1 + $3; bad += $3 }
    /^skipped: / { left++ }
    END { print ran - bad + 0, bad + 0, left + 0 }' "$log")
  read -r ok bad left <<COUNTS
$counts
COUNTS
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ $((ok + bad + left)) -eq 0 ]; then bad=1; fi
  echo "$ok $bad $left" >"$log.counts"
  wall=$(($(date +%s) - start))
  printf '%-44s %5d passed %3d failed %3d skipped  %4d s %4d s\n' "${1#"$build"/tests/}" "$ok" "$bad" "$left" \
    "$wall" "$cpu"
  echo "$wall $cpu ${1#"$build"/tests/}" >>"$build/tests/times"
  if [ "$bad" -ne 0 ]; then
    echo "--- exit status $code; its output:"
    cat "$log"
  fi
}

if [ "${1:-}" = --one ]; then
  run_one "$2"
  exit 0
fi

left_out=
for program in "$@"; do
  shift
  case $program in -*) left_out="$left_out ${program#-}" ;; *) set -- "$@" "$program" ;; esac
done

# The tests' own cache, empty at first, and one for the kernels of their own.
JIG_CACHE_DIR=$(pwd)/$build/tests/cache
JIG_TEST_KERNELS=${JIG_TEST_KERNELS:-$(pwd)/$build/tests/kernels}
export JIG_CACHE_DIR JIG_TEST_KERNELS
rm -rf "$JIG_CACHE_DIR" "$build/tests/kernels" "$build/tests/times"
mkdir -p "$build/tests/kernels"
for program in "$@"; do
  rm -f "$(log_of "$program")" "$(log_of "$program").counts"
  case $program in */test_matrix) "$0" --one "$program" ;; esac
done
rank() {
  case $1 in
    */test_other_gpus.sh) echo 1 ;;
    */cli/* | */scripts/*) echo 2 ;;
    */device/* | */compile/*) echo 3 ;;
    */softgpu/* | */fuzz/*) echo 4 ;;
    *) echo 5 ;;
  esac
}
for program in "$@"; do
  case $program in */test_matrix) ;; *) echo "$(rank "$program") $program" ;; esac
done | sort -s -n -k 1,1 | cut -d ' ' -f 2- | xargs -r -P "${JOBS:-$(($(nproc) + 1))}" -n 1 "$0" --one

passed=0 failed=0 skipped=0 failures=
for program in "$@"; do
  log=$(log_of "$program")
  grep '^skipped: ' "$log"
  if ! read -r ok bad left <"$log.counts"; then ok=0 bad=1 left=0; fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
  if [ "$bad" -ne 0 ]; then failures="$failures $log"; fi
done
for program in $left_out; do
  echo "skipped: ${program#"$build"/tests/} (it has other days; with ALL=1 make test has all)"
  skipped=$((skipped + 1))
done
# Last, where whoever reads only the end of a long log sees it: what failed, by the lines that say so.
for log in $failures; do
  echo "--- $(basename "$log" .log)"
  if ! grep -E ':[FE]:|^failed: ' "$log" | head -n 10 | grep .; then tail -n 10 "$log"; fi
done
awk '{ cpu += $2 } END { printf "%d s of a processor\n", cpu }' "$build/tests/times"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
