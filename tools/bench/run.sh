#!/bin/sh
# Runs the benchmark, in pieces that can be continued, and draws its ratios.
#
#   tools/bench/run.sh quick|full|dry <folder of bench-run> [<folder for results>] [--limit SECONDS] [--resume]
#                      [<options of bench-run run> ...]
#
# quick: five sizes of every case, in a minute. full: everything, for an hour or more; each family of cases, and the host
# figures, are a piece. dry: a call or two of every case with few items, jig alone, whose times mean nothing: whether the
# complete run would run.
#
# Writes <quick, full or dry>.csv and .svg and host.csv, all by merge.sh of what is in the folder <kind>.parts; there each
# row stands as soon as it is measured, and a piece is called <family>.part.csv until it is done. With --limit nothing is
# begun that is not done by then; the exit status is 4, and the same command with --resume goes on with what is left.
# What fails is told, and tried again with --resume. $COMMIT is noted in the files; left out, git is asked.
#
# Needs nothing but bench-run and this folder; without gnuplot there is no drawing. Where there is no GPU it says so, times
# what can be timed, and succeeds.
set -eu

kind=${1:?quick, full or dry} programs=${2:?the folder of bench-run}
shift 2
results=$programs
case ${1:-} in '' | -*) ;; *) results=$1 && shift ;; esac
limit='' resume=''
while :; do
  case ${1:-} in
    --limit) limit=${2:?seconds} && shift 2 ;;
    --resume) resume=--resume && shift ;;
    *) break ;;
  esac
done
case $limit in *[!0-9]*) echo "run.sh: '$limit' is no number of seconds" >&2 && exit 2 ;; esac
here=$(dirname "$0")
bench=$programs/bench-run
parts=$results/$kind.parts
start=$(date +%s)
commit=${COMMIT:-}
if [ -z "$commit" ]; then
  if commit=$(git rev-parse --short=12 --verify --quiet HEAD 2>/dev/null); then
    git diff --quiet HEAD || commit=$commit-dirty
  else
    commit=unknown
  fi
fi
# A quick run is one piece, as many processes would take longer than what they measure.
case $kind in
  quick) options=--quick pieces='host all' ;;
  full) options='' pieces="host $("$bench" families)" ;;
  dry) options='--sizes 1001,2^12 --samples 1 --calls 1 --processes 0 --alone' pieces="host $("$bench" families)" ;;
  *) echo "run.sh: '$kind' is none of quick, full and dry" >&2 && exit 2 ;;
esac
[ -n "$resume" ] || rm -rf "$parts" "$results/$kind.csv" "$results/$kind.svg" "$results/host.csv"
mkdir -p "$parts"

# How many seconds are left, as an option; fails if there are none.
limit_left() {
  [ -n "$limit" ] || return 0
  left=$((start + limit - $(date +%s)))
  [ "$left" -gt 0 ] && echo "--limit $left"
}

run_piece() { # run_piece <piece> [<options of bench-run run> ...]: bench-run's exit status
  piece=$1
  shift
  case $piece in
    # Some minutes, which are not cut up.
    host) set -- host ;;
    all) set -- run --resume "$@" ;;
    *) set -- run --resume --family "$piece" "$@" ;;
  esac
  left=$(limit_left) || return 4
  # shellcheck disable=SC2086  # lists of words
  "$bench" "$@" $options $left --commit "$commit" -o "$parts/$piece.part.csv"
}

status=0 unfinished=''
for piece in $pieces; do
  [ ! -e "$parts/$piece.csv" ] || continue
  code=0
  run_piece "$piece" "$@" || code=$?
  case $code in
    0) ;;
    3) echo "no GPU: no GPU times" && break ;;
    4) unfinished=yes && break ;;
    5) status=1 ;;
    *) echo "run.sh: '$piece' has failed" >&2 && status=1 && continue ;;
  esac
  mv "$parts/$piece.part.csv" "$parts/$piece.csv"
done

merge() { # merge <file> <parts...>: of those that have rows
  merged=$1
  shift
  # shellcheck disable=SC2046  # no blanks in these names
  set -- $(grep -l '^[^#].*,[0-9]' "$@" 2>/dev/null || true)
  [ $# -gt 0 ] || return 0
  "$here/merge.sh" "$@" >"$merged.new" && mv "$merged.new" "$merged"
}
set --
for part in "$parts"/*.csv; do
  case $part in */host.csv | */host.part.csv) ;; *) set -- "$@" "$part" ;; esac
done
merge "$results/$kind.csv" "$@"
merge "$results/host.csv" "$parts/host.csv"
if [ ! -e "$results/$kind.csv" ] || [ "$kind" = dry ]; then
  : # no times to be drawn
elif command -v gnuplot >/dev/null; then
  "$here/plot.sh" "$results/$kind.csv" "$results/$kind.svg" || status=1
else
  echo "no gnuplot: no drawing"
fi
if [ -n "$unfinished" ]; then
  echo "run.sh: the limit of $limit s was reached; go on with --resume"
  exit 4
fi
exit "$status"
