#!/bin/sh
# Every example runs, and its CPU agrees with its GPU, at sizes with and without a remainder.
#
#   BUILD=build tests/scripts/test_examples.sh
#
# On the GPU or, if JIG_DRIVER names the software GPU, on that.
. tests/scripts/checks.sh
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

show_failed() { cat "$folder/printed"; }
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
    check "$name $items" agrees "$name" "$items"
  done
  check "$name refuses -1 items" refuses "$name" -1
done

# A threshold of its own does not compile count_if anew, even where nothing is on disk.
compiles_once() {
  JIG_CACHE_DIR="$folder/other" agrees count_if 4096 && [ "$(grep -c 'misses so far: 1$' "$folder/printed")" -eq 2 ]
}
check "count_if compiles once" compiles_once

end_checks
