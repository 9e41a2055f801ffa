#!/bin/sh
# Every public function is a symbol: what the headers declare is what the library exports, and a program that is not
# linked with jig calls all of it through dlsym(), on the GPU or, if JIG_DRIVER names the software GPU, on that.
#
#   BUILD=build tests/scripts/test_symbols.sh
. tests/scripts/checks.sh
unset JIG_BUILD JIG_CACHE_PATH
export JIG_CACHE_DIR="$folder/cache" # it is emptied
export JIG_BACKGROUND=0              # or an entry could come between counting them and that

show_failed() { cat "$folder/printed"; }
same() { # same <names> <those that should be there>
  diff "$1" "$2" >"$folder/diff"
  sed -n 's/^[<>]/ &/p' "$folder/diff" >"$folder/printed"
  cmp -s "$1" "$2"
}
has_no_inline() { ! grep -n 'static inline' include/jig/*.h >"$folder/printed"; }
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
check "the library exports what the headers declare (<) and nothing else (>)" same "$folder/declared" "$folder/exported"
check "no function is inline, and so no symbol" has_no_inline

"$build/jig" info --json >"$folder/info"
if grep -q '"devices":\[\]' "$folder/info"; then
  echo "skipped: scripts/symbols: calls (no GPU)"
else
  case $(basename "$build") in
    address | undefined | thread) sanitize=-fsanitize=$(basename "$build") ;;
    *) sanitize= ;;
  esac
  driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
  all_can_be_called() {
    # shellcheck disable=SC2086  # a flag, or none
    "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror $sanitize -Iinclude -isystem "${CUDA_HOME:-/usr/local/cuda}/include" \
      tests/abi/symbols.c -o "$folder/symbols" -ldl >"$folder/printed" 2>&1 &&
      "$folder/symbols" "$(realpath "$library")" "$driver" "$folder/names" >"$folder/printed" 2>&1
  }
  check "calls through dlsym()" all_can_be_called
  sort -u "$folder/names" >"$folder/called"
  check "tests/abi/symbols.c calls (>) every function that the headers declare (<)" same "$folder/declared" "$folder/called"
fi
end_checks
