#!/bin/sh
# Every example runs, and its CPU agrees with its GPU, at sizes with and without a remainder.
#
#   BUILD=build tests/scripts/test_examples.sh
#
# On the GPU or, if JIG_DRIVER names the software GPU, on that.
set -u
export LC_ALL=C
build=${BUILD:-build}
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset JIG_BUILD JIG_CACHE_PATH
# A cache that is empty: the first run of each compiles, and the next finds the program on disk.
export JIG_CACHE_DIR="$folder/cache"

"$build/jig" info --json >"$folder/info"
if grep -q '"devices":\[\]' "$folder/info"; then
  echo "skipped: scripts/examples (no GPU)"
  exit 0
fi
# The examples link the driver, which jig finds in more places than the loader.
driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
LD_LIBRARY_PATH=$(dirname "$driver")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

result() { # result <what> <0 if it is right>
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $1"
    cat "$folder/printed"
  fi
}
agrees() { # agrees <example> <items>
  "$build/examples/$1" "$2" >"$folder/printed" 2>&1 && grep -q '^the CPU agrees; ' "$folder/printed"
}
refuses() { # refuses <example> <items>: as wrong usage
  "$build/examples/$1" "$2" >"$folder/printed" 2>&1
  [ $? -eq 2 ] && grep -q '^usage: ' "$folder/printed"
}

for source in tools/examples/*.c; do
  name=$(basename "$source" .c)
  for items in 1 4096 10007; do
    agrees "$name" "$items"
    result "$name $items" $?
  done
  refuses "$name" -1
  result "$name refuses -1 items" $?
done

# A threshold of its own does not compile count_if anew, even where nothing is on disk.
JIG_CACHE_DIR="$folder/other" agrees count_if 4096 &&
  [ "$(grep -c 'misses so far: 1$' "$folder/printed")" -eq 2 ]
result "count_if compiles once" $?

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
