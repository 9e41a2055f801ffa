#!/bin/sh
# Runs device tests under compute-sanitizer, on a machine with a GPU.
#
#   tests/sanitize.sh <folder for logs> <program>[:<test>] [<program>[:<test>] ...]
#
# The programs run at once, first by themselves, which fills their cache, and then under each of $TOOLS (all
# four unless set). A line for each says how it ended; the exit status says whether all went well.
set -u
logs=${1:?the folder for logs}
shift
mkdir -p "$logs"
JIG_CACHE_DIR=$(cd "$logs" && pwd)/cache
export JIG_CACHE_DIR

run() { # run <tool or plain> <program>
  name=$(basename "$2")
  log=$logs/$(echo "$name" | tr : -).$1.log
  start=$(date +%s)
  case $2 in *:*) export CK_RUN_CASE="${2##*:}" ;; esac
  if [ "$1" = plain ]; then
    "${2%:*}" >"$log" 2>&1
  else
    # To initcheck, waiting for what another block is about to write looks wrong, unless the memory was
    # filled beforehand.
    if [ "$1" = initcheck ]; then export JIG_DEBUG_SYNC=1; fi
    # More items than 32 bits count take minutes, and what they add is addresses, which memcheck is for.
    if [ "$1" != memcheck ]; then export JIG_TEST_LARGE="${JIG_TEST_LARGE:-0}"; fi
    compute-sanitizer --tool "$1" --error-exitcode 9 "${2%:*}" >"$log" 2>&1
  fi
  code=$?
  printf '%-10s %-24s exit %d %4d s  %s\n' "$1" "$name" "$code" $(($(date +%s) - start)) \
    "$(grep -E '(ERROR|RACECHECK) SUMMARY' "$log" | tail -n 1)"
  return "$code"
}

status=0
for tool in plain ${TOOLS:-memcheck racecheck initcheck synccheck}; do
  jobs=
  for program in "$@"; do
    run "$tool" "$program" &
    jobs="$jobs $!"
  done
  for job in $jobs; do wait "$job" || status=1; done
done
exit "$status"
