#!/bin/sh
# Measures how fast the software GPU executes: jig's reduce of some types over 2^10, 2^12, ... items. Prints a
# Markdown table for each type.
#
#   tests/softgpu/speed.sh [<exponent of the most items, by default 26>]
#
#   BUILD=build   the build folder, with jig and the software GPU in it
#   RUNS=5        runs of which the median counts
#
# The software GPU's own variables (README.md) may be set as well: JIG_SOFTGPU_CHECK=0, JIG_SOFTGPU_WORKERS=1. The
# input is generated in a temporary folder ($TMPDIR, otherwise /tmp), 8 bytes for each item.
set -eu
build=${BUILD:-build}
runs=${RUNS:-5}
largest=${1:-26}
case $largest$runs in
*[!0-9]* | '')
  echo "usage: tests/softgpu/speed.sh [<exponent of the most items>]" >&2
  exit 2
  ;;
esac
JIG_DRIVER=$(realpath "$build/softgpu/libcuda.so.1")
export JIG_DRIVER JIG_SOFTGPU_STATISTICS=1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
input=$folder/input statistics=$folder/statistics

# Random bytes, repeated until there are enough.
size=$((8 << largest))
head -c 1048576 /dev/urandom >"$folder/piece"
while [ "$(wc -c <"$folder/piece")" -lt "$size" ]; do
  cat "$folder/piece" "$folder/piece" >"$input"
  mv "$input" "$folder/piece"
done
head -c "$size" "$folder/piece" >"$input"
rm "$folder/piece"

# Of the kernels' lines "...: 8 blocks, 2761532 thread-instructions, 0.002811 s", the one in the middle.
median() {
  sed -n 's/.* blocks, \([0-9]*\) thread-instructions, \([0-9.]*\) s$/\1 \2/p' "$statistics" | sort -k 2,2 -g |
    awk -v items="$1" '
      { instructions[NR] = $1; seconds[NR] = $2 }
      END {
        if (NR == 0) exit 1
        n = int((NR + 1) / 2)
        rate = seconds[n] > 0 ? instructions[n] / seconds[n] : 0
        printf "| %d | %d | %.6f | %.1f million |\n", items, instructions[n], seconds[n], rate / 1e6
      }'
}

# measure <title> <what to compile> ...
measure() {
  title=$1
  shift
  printf '\n%s\n\n' "$title"
  echo '| items | thread-instructions | seconds | thread-instructions/s |'
  echo '| ---: | ---: | ---: | ---: |'
  exponent=10
  while [ "$exponent" -le "$largest" ]; do
    items=$((1 << exponent))
    if ! "$build/jig" run reduce "$@" --count "$items" --repeat $((runs - 1)) "$input" >"$folder/output" 2>"$statistics"; then
      cat "$statistics" >&2
      exit 1
    fi
    median "$items"
    exponent=$((exponent + 2))
  done
}

measure 'i32, plus' --type i32
measure 'f32, plus' --type f32
measure 'i8, plus' --type i8
measure 'a struct of a float and an int: the least' --type hit --struct 'hit:8:4:struct hit { float d; int id; };' \
  --op-source 'return b.d < a.d || (b.d == a.d && b.id < a.id) ? b : a;' --init 0000807fffffff7f
