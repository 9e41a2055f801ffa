#!/bin/sh
# Runs the benchmark and draws its ratios.
#
#   tools/bench/run.sh quick|full <folder of bench-run> [<folder for results>] [<options of `run`> ...]
#
# Writes <quick or full>.csv, host.csv and <quick or full>.svg. $COMMIT is noted in the files; left out, git
# is asked. Needs nothing but bench-run itself; without gnuplot there is no drawing. Where there is no GPU
# it says so, times what can be timed, and succeeds.
set -eu

kind=${1:?quick or full} programs=${2:?the folder of bench-run}
results=${3:-$programs}
if [ $# -gt 3 ]; then shift 3; else shift $#; fi
here=$(dirname "$0")
commit=${COMMIT:-}
if [ -z "$commit" ]; then
  if commit=$(git rev-parse --short=12 --verify --quiet HEAD 2>/dev/null); then
    git diff --quiet HEAD || commit=$commit-dirty
  else
    commit=unknown
  fi
fi
case $kind in
  quick) quick=--quick ;;
  full) quick= ;;
  *) echo "run.sh: '$kind' is neither quick nor full" >&2; exit 2 ;;
esac
mkdir -p "$results"

status=0
rm -f "$results/$kind.csv" "$results/$kind.svg"
"$programs/bench-run" run $quick --commit "$commit" -o "$results/$kind.csv" "$@" || status=$?
if [ "$status" -eq 3 ]; then
  echo "no GPU: no GPU times"
  status=0
elif [ "$status" -gt 1 ]; then
  exit "$status"
elif command -v gnuplot >/dev/null; then
  "$here/plot.sh" "$results/$kind.csv" "$results/$kind.svg" || status=1
else
  echo "no gnuplot: no drawing"
fi
"$programs/bench-run" host $quick --commit "$commit" -o "$results/host.csv" || status=1
exit "$status"
