#!/bin/sh
# Every public function is a symbol: what the headers declare is what the library exports, and a program that is not
# linked with jig calls all of it through dlsym(), on the GPU or, if JIG_DRIVER names the software GPU, on that.
#
#   BUILD=build tests/scripts/test_symbols.sh
set -u
export LC_ALL=C
build=${BUILD:-build}
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset JIG_BUILD JIG_CACHE_PATH
export JIG_CACHE_DIR="$folder/cache" # it is emptied
export JIG_BACKGROUND=0                # or an entry could come between counting them and that

same() { # same <what> <names> <those that should be there>
  if cmp -s "$2" "$3"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $1"
    diff "$2" "$3" | sed -n 's/^[<>]/ &/p'
  fi
}
library=$build/libjig.so
if [ ! -e "$library" ]; then
  echo "skipped: scripts/symbols (this build has no shared library)"
  exit 0
fi
# A public function's declaration begins with JIG_API, and its name is the first one with a bracket.
printf '#include <jig/jig.h>\n' >"$folder/all.c"
"${CC:-cc}" -E -P -Iinclude "$folder/all.c" | tr '\n' ' ' | tr ';' '\n' |
  sed -n 's/.*visibility *("default") *)) *//p' | sed 's/ *(.*//; s/.*[ *]//' | sort >"$folder/declared"
nm -D --defined-only "$library" | awk '{ print $3 }' | grep '^jig_' | sort >"$folder/exported"
same "the library exports what the headers declare (<) and nothing else (>)" "$folder/declared" "$folder/exported"
if grep -n 'static inline' include/jig/*.h; then
  failed=$((failed + 1))
  echo "failed: these functions are no symbols"
fi

"$build/jig" info --json >"$folder/info"
if grep -q '"devices":\[\]' "$folder/info"; then
  echo "skipped: scripts/symbols: calls (no GPU)"
else
  case $(basename "$build") in
    address | undefined | thread) sanitize=-fsanitize=$(basename "$build") ;;
    *) sanitize= ;;
  esac
  driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
  # shellcheck disable=SC2086  # a flag, or none
  if "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror $sanitize -Iinclude -isystem "${CUDA_HOME:-/usr/local/cuda}/include" \
    tests/abi/symbols.c -o "$folder/symbols" -ldl &&
    "$folder/symbols" "$(realpath "$library")" "$driver" "$folder/names" >"$folder/printed" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: calls through dlsym()"
    cat "$folder/printed"
  fi
  sort -u "$folder/names" >"$folder/called"
  same "tests/abi/symbols.c calls (>) every function that the headers declare (<)" "$folder/declared" "$folder/called"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
