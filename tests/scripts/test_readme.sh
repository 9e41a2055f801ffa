#!/bin/sh
# README.md tells the truth, as far as a script can see: its example compiles as printed and prints what is
# said, the files it names exist, and so do the names of jig's, there and in docs/cub.md; its table has every
# environment variable.
set -u
export LC_ALL=C
build=${BUILD:-build}
cuda=${CUDA_HOME:-/usr/local/cuda}
readme=README.md
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset JIG_BUILD
export JIG_CACHE_DIR="$folder/cache"
check() { # check <what> <command...>
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $what"
  fi
}

# ---- the example: the one block marked as C

awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$readme" >"$folder/example.c"
one_block() { [ "$(grep -c '^```c$' "$readme")" -eq 1 ] && [ -s "$folder/example.c" ]; }
check "there is one block of C" one_block

# The program finds the library here. A sanitized library wants a program that is sanitized, too.
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
check "the example compiles" "${CC:-cc}" -std=c11 -Wall -Wextra ${WERROR:+-Werror} ${SAN:+"-fsanitize=$SAN"} \
  -Iinclude -isystem "$cuda/include" "$folder/example.c" -o "$folder/example" \
  "$build/libjig.so" "$cuda/lib64/stubs/libcuda.so"

run_example() {
  printed=$("$folder/example") || return 1
  echo "it printed: $printed"
  printf '%s\n' "$printed" | grep -qx 'nearest: hit 63419 at distance 1' && grep -qF "\`$printed\`" "$readme"
}
# Each "$ jig run ..." with the line that is said to follow it.
run_commands() {
  grep -A1 '^    \$ jig run ' "$readme" | sed -n 's/^    //p' >"$folder/runs"
  [ -s "$folder/runs" ] || return 1
  while read -r prompt tool arguments && read -r wanted; do
    printed=$(eval "\"\$build/$tool\" $arguments") || return 1
    if [ "$prompt" != '$' ] || [ "$printed" != "$wanted" ]; then
      echo "$tool $arguments printed: $printed"
      return 1
    fi
  done <"$folder/runs"
}
"$build/jig" info --json >"$folder/info"
if grep -q '"devices":\[\]' "$folder/info"; then
  echo "skipped: readme: the example prints what the README says (no GPU)"
  echo "skipped: readme: jig run prints what the README says (no GPU)"
else
  # jig finds the driver in more places than the loader.
  driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
  LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$(dirname "$driver")
  check "the example prints what the README says" run_example
  check "jig run prints what the README says" run_commands
fi

# ---- files: what links lead to, and everything named as if it were in this tree

links() { grep -o '](\([^)]*\))' "$readme" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*://'; }
names() {
  grep -oE '(^|[^A-Za-z0-9_./~$>-])(include|src|templates|tests|tools|cache)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' "$readme" |
    sed 's/^[^a-z]//'
}
for path in $({ links && names; } | sort -u); do
  check "$path is there" test -e "$path"
done

# ---- names: functions, types and macros of jig's, and variables

unknown_names() {
  grep -ohE '\b(jig|JIG)_[A-Za-z0-9_]+' "$readme" docs/cub.md | sort -u | while read -r name; do
    grep -rqwF -e "$name" include src tools/jig tests/softgpu || echo "unknown: $name"
  done
}
# The first column of the table, and what the sources ask for.
# shellcheck disable=SC2016  # backquotes of Markdown's
in_table() { sed -n '/^## Environment/,/^## /s/^| `\(JIG_[A-Z_]*\)`.*/\1/p' "$readme" | sort -u; }
in_sources() {
  grep -rhoE '(env_get(_fixed)?\(|text_or\([a-z>-]*, |environment_is\(|variable = )"JIG_[A-Z_]+"' src tools --include='*.c' --include='*.h' |
    sed 's/.*"\(.*\)"/\1/' | sort -u
}
in_table >"$folder/table"
in_sources >"$folder/sources"
same_variables() { [ -s "$folder/table" ] && diff "$folder/table" "$folder/sources"; }
check "the table has the variables that the sources read, and no other" same_variables
no_unknown_names() { ! unknown_names | grep .; }
check "every name of jig's is one" no_unknown_names

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
