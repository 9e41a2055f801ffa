#!/bin/sh
# Every block of code in README.md and docs: programs and fragments of C compile without a warning, run on the GPU or
# the software GPU, and print what the page says; kernels leave there what it says (tests/docs/run_kernel.c); so do
# commands; what is not run is at least shell.
#
#   BUILD=build tests/scripts/test_docs_code.sh [PAGE ...]
#
# tests/docs/blocks.awk says how pages tell what is what. All programs share one cache, that of the other tests if
# there is one; commands of `console` have one that is empty at first.
set -u
export LC_ALL=C
build=${BUILD:-build}
cuda=${CUDA_HOME:-/usr/local/cuda}
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset JIG_BUILD JIG_CACHE_PATH
export JIG_CACHE_DIR="${JIG_CACHE_DIR:-$folder/cache}"
# Programs of a few lines leave their memory to the end of the process, of which the software GPU tells otherwise.
export JIG_SOFTGPU_LEAKS=0
# tests/run.sh names a page, such as cookbook, as it names a test of other programs.
case ${CK_RUN_CASE:-} in
  '') ;;
  README) set -- README.md ;;
  *) set -- "docs/$CK_RUN_CASE.md" ;;
esac
[ $# -gt 0 ] || set -- README.md docs/*.md

# What runs finds the library, the tool and the driver, which jig looks for in more places than the loader.
root=$(pwd)
"$build/jig" info --json >"$folder/info"
gpu=real driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
if grep -q '"devices":\[\]' "$folder/info"; then gpu=none; elif [ -n "${JIG_DRIVER:-}" ]; then gpu=software; fi
LD_LIBRARY_PATH=$(realpath "$build"):$(dirname "${driver:-/}"):$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$(realpath "$build"):$PATH
export LD_LIBRARY_PATH PATH

# compile <number>: a whole program, or a fragment in its wrapper; errors are told at their lines of the page
compile() {
  block=$folder/$1.c
  if ! grep -q '^int main(' "$block"; then
    [ "$wrapper" != - ] || { echo "a fragment without a wrapper"; return 1; }
    { sed '/^ *\/\* here \*\/$/,$d' "tests/docs/$wrapper" && echo "#line $line \"$page\"" && cat "$block" &&
      sed '1,/^ *\/\* here \*\/$/d' "tests/docs/$wrapper"; } >"$folder/program.c"
  else
    { echo "#line $line \"$page\"" && cat "$block"; } >"$folder/program.c"
  fi
  link_program "$folder/program.c" "$folder/$1.program"
}
link_program() { # link_program <source> <program>
  runtime=
  grep -q '<cuda_runtime' "$1" && runtime=-lcudart
  # shellcheck disable=SC2086  # nothing, where the runtime is not used
  "${CC:-cc}" -std=c11 -Wall -Wextra -Werror ${SAN:+"-fsanitize=$SAN"} -Iinclude -Itools/examples \
    -isystem "$cuda/include" "$1" -o "$2" "$build/libjig.so" -L"$cuda/lib64/stubs" -L"$cuda/lib64" -lcuda $runtime -lm
}
kernel() { # kernel <number>: a kernel, which leaves what the page says
  [ -e "$folder/$1.output" ] || { echo "a kernel without output"; return 1; }
  [ -e "$folder/run_kernel" ] || link_program tests/docs/run_kernel.c "$folder/run_kernel" || return 1
  prints "$1" "$folder/run_kernel" "$folder/$1.cuda" "$folder/$1.output"
}
prints() { # prints <number> <command...>: what the page says, if it says something
  wanted=$folder/$1.output
  shift
  (cd "$folder" && "$@") >"$folder/printed" 2>"$folder/errors"
  code=$?
  if [ "$code" -ne 0 ]; then
    echo "exit status $code"
    head -n 20 "$folder/printed" "$folder/errors"
    return 1
  fi
  [ -e "$wanted" ] || return 0
  awk -f "$root/tests/docs/match.awk" "$wanted" "$folder/printed" && return 0
  echo "it printed:"
  cat "$folder/printed"
  return 1
}
# console <number>: each "$ command", whose output, both streams, is what stands below it
console() {
  rm -rf "$folder"/command.* "$folder/console"
  awk -v folder="$folder" '
    /^\$ / {
      file = sprintf("%s/command.%03d", folder, ++n)
      wanted = file ".wanted"
      print substr($0, 3) >file
      printf "" >wanted
      next
    }
    { print >wanted }' "$folder/$1.console"
  for command in "$folder"/command.[0-9][0-9][0-9]; do
    cp "$command.wanted" "$folder/command.output"
    # shellcheck disable=SC2016  # of the inner shell
    if ! JIG_CACHE_DIR="$folder/console" prints command sh -c '. "$0" 2>&1' "$command"; then
      echo "command: $(cat "$command")"
      return 1
    fi
  done
}
check() { # check <command...>
  if "$@" >"$folder/said" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $page:$line"
    cat "$folder/said"
  fi
}
skip() {
  echo "skipped: docs: $page:$line ($1)"
}

# What commands may read: the demo's data, and jig's own headers and templates.
ln -s "$root/tools" "$folder/tools"
for page in "$@"; do
  rm -f "$folder"/[0-9]*
  awk -v folder="$folder" -f tests/docs/blocks.awk "$page" >"$folder/blocks"
  while read -r number line language kind wrapper; do
    case $kind in
      c | gpu)
        if grep -q '<cuda_runtime' "$folder/$number.c" && [ ! -e "$cuda/lib64/libcudart.so" ]; then
          skip "no CUDA runtime"
          continue
        fi
        if ! check compile "$number" || [ ! -e "$folder/$number.program" ]; then continue; fi
        if [ "$gpu" = none ]; then skip "no GPU"; continue; fi
        if [ "$kind" = gpu ] && [ "$gpu" != real ]; then skip "no GPU but the software GPU"; continue; fi
        check prints "$number" "$folder/$number.program" ;;
      cuda)
        if [ "$gpu" = none ]; then skip "no GPU"; continue; fi
        check kernel "$number" ;;
      console)
        if grep -q '^\$ jig run ' "$folder/$number.console" && [ "$gpu" = none ]; then skip "no GPU"; continue; fi
        check console "$number" ;;
      run) check prints "$number" sh -eu "$folder/$number.sh" ;;
      sh) check sh -n "$folder/$number.sh" ;;
      text) ;;
      *) check echo "a block of '$language': c, cuda, sh, console, output or text" && check false ;;
    esac
  done <"$folder/blocks"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
