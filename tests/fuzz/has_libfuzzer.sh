#!/bin/sh
# Whether $CLANG is there and links libFuzzer and the sanitizers.
set -u
program=$(mktemp) || exit 1
trap 'rm -f "$program"' EXIT
echo 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size); int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return 0 * (size > 0 && *data); }' |
  "${CLANG:-clang}" -fsanitize=fuzzer,address,undefined -x c - -o "$program" >/dev/null 2>&1
