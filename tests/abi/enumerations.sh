#!/bin/sh
# Prints docs/abi-enumerations.md, which `make abi` writes: the number of every enumerator of some headers.
#
#   tests/abi/enumerations.sh include
set -eu
cat <<EOF
# The public enumerations

An enumeration is an \`int\`. \`make abi\` writes this file; what it means is in [abi.md](abi.md).
EOF
"$(dirname "$0")/layouts.sh" "$1" | awk '
  /^jig_/ { name = $1; next }
  name != "" { printf "\n## `%s`\n\n| | |\n| --- | --- |\n", name; name = "" }
  { printf "| `%s` | %s |\n", $1, $2 }'
