#!/bin/sh
# Prints what a built library promises to programs that are compiled: its functions, and the types in them. No
# places, no paths, nothing that is not public, so that it is the same wherever it was compiled with -g.
#
#   tests/abi/describe.sh build/libjig.so >tests/abi/libjig.abi
set -eu
exec abidw --suppressions "$(dirname "$0")/opaque.suppr" --exported-interfaces-only --no-parameter-names \
  --no-write-default-sizes --no-architecture --no-corpus-path --no-show-locs --no-comp-dir-path --no-elf-needed \
  --type-id-style hash "$1"
