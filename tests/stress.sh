#!/bin/sh
# Runs test programs many times and many at once on one GPU, or on several.
#
#   tests/stress.sh [-k] [-j <at once>] [-g <GPUs>] [-n <runs>] [-t <seconds>] [-o <folder>] [<program> ...]
#
# By default 1,000 runs of $BUILD/tests/device/test_*, as many at once as there are processors. With -g each worker sees
# one of so many GPUs, in turn. First each program runs once, which fills the folder's cache: the others find everything
# compiled; with -k it is kept from an earlier call, and this is left out. Then they run in an order that is drawn anew
# for every round. A run fails by its exit status, if it takes more than 600 seconds (-t), or if it finds
# no GPU. The logs of those that fail are kept in the folder (by default $BUILD/stress), and the last line has the
# counts. Needs no more than a shell, coreutils and the programs: `make STATIC_DEPS=1 tests` builds some that can be
# carried to another machine.
set -u
build=${BUILD:-build}
keep='' at_once=$(nproc) gpus='' runs=1000 seconds=600 folder=$build/stress
usage() {
  echo "usage: $0 [-k] [-j <at once>] [-g <GPUs>] [-n <runs>] [-t <seconds>] [-o <folder>] [<program> ...]" >&2
  exit 2
}
while getopts kj:g:n:t:o: option; do
  case $option in
    k) keep=1 ;;
    j) at_once=$OPTARG ;;
    g) gpus=$OPTARG ;;
    n) runs=$OPTARG ;;
    t) seconds=$OPTARG ;;
    o) folder=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
for number in "$at_once" "${gpus:-1}" "$runs" "$seconds"; do
  case $number in '' | *[!0-9]* | 0*) usage ;; esac
done
[ $# -gt 0 ] || set -- "$build"/tests/device/test_*
for program in "$@"; do
  [ -x "$program" ] || { echo "$0: $program is no program" >&2 && exit 2; }
done

[ -n "$keep" ] || rm -rf "$folder"
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
JIG_CACHE_DIR=$folder/cache
JIG_TEST_KERNELS=$folder/kernels
export JIG_CACHE_DIR JIG_TEST_KERNELS
[ -n "$keep" ] || mkdir -m 700 "$JIG_CACHE_DIR" "$JIG_TEST_KERNELS"

# run <number> <program>: a line in one of the files `passed` and `failed`, with what it took.
run() {
  name=${2##*/}
  log=$folder/$name.$1.log
  start=$(date +%s)
  timeout -k 10 "$seconds" "$2" >"$log" 2>&1
  code=$?
  took=$(($(date +%s) - start))
  why=
  [ "$code" -eq 0 ] || why="exit status $code"
  [ "$code" -ne 124 ] && [ "$code" -ne 137 ] || why="more than $seconds s"
  while [ -z "$why" ] && read -r line; do
    case $line in skipped:*"(no GPU)"*) why='no GPU' ;; esac
  done <"$log"
  if [ -z "$why" ]; then
    echo "$took s $name" >>"$folder/passed"
    rm -f "$log"
  else
    echo "$took s $name" >>"$folder/failed"
    echo "FAILED: $name ($why, $took s): $log"
  fi
}

# Every worker goes through the same list, and takes what no other has taken.
work() {
  number=0
  while read -r program; do
    number=$((number + 1))
    mkdir "$folder/taken/$number" 2>/dev/null && run "$1$number" "$program" </dev/null
  done <"$folder/order"
}
run_all() { # run_all <prefix of the numbers>
  rm -rf "$folder/taken"
  mkdir "$folder/taken"
  : >"$folder/passed"
  : >"$folder/failed"
  worker=0
  while [ "$worker" -lt "$at_once" ]; do
    if [ -n "$gpus" ]; then export CUDA_VISIBLE_DEVICES=$((worker % gpus)); fi
    work "$1" &
    worker=$((worker + 1))
  done
  wait
}
count() { wc -l <"$folder/$1" | tr -d ' '; }

first_failed=0
if [ -z "$keep" ]; then
  begin=$(date +%s)
  printf '%s\n' "$@" >"$folder/order"
  run_all first-
  echo "each once: $(count passed) passed, $(count failed) failed in $(($(date +%s) - begin)) s"
  first_failed=$(count failed)
fi

drawn=0
while [ "$drawn" -lt "$runs" ]; do
  shuf -e -- "$@"
  drawn=$((drawn + $#))
done | head -n "$runs" >"$folder/order"
begin=$(date +%s)
run_all ''
echo "the longest:"
sort -rn "$folder/passed" "$folder/failed" | head -n 5
echo "$runs runs, $at_once at once, in $(($(date +%s) - begin)) s"
rm -rf "$folder/taken"
echo "$(count passed) passed, $(($(count failed) + first_failed)) failed"
[ "$(count failed)" -eq 0 ] && [ "$first_failed" -eq 0 ]
