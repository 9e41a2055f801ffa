# shellcheck shell=sh
# What the tests of the command-line tool share, to be sourced by sh: the tool in $jig, a folder in $dir that is
# removed at the end, a cache of its own in there, and none of jig's variables set. The driver that $JIG_DRIVER
# named is in $driver. Ends with end_tests.
set -u
export LC_ALL=C
jig=${BUILD:-build}/jig
if [ ! -x "$jig" ]; then
  echo "$jig is not there: make it first"
  exit 1
fi
jig=$(realpath "$jig")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2034  # it is for the tests
driver=${JIG_DRIVER:+JIG_DRIVER=$JIG_DRIVER}
unset JIG_CACHE_PATH JIG_BUILD JIG_JOBS JIG_LOG JIG_DUMP JIG_DRIVER JIG_NVRTC JIG_CACHE_COMPILER \
  JIG_INCLUDE_PATH JIG_COMPILE_OPTIONS JIG_RECORD
export JIG_CACHE_DIR="$dir/cache" JIG_WISDOM=/dev/null # whoever runs this may have some
# With SAN=thread: NVRTC is not instrumented, and what it does inside looks like races.
export TSAN_OPTIONS="${TSAN_OPTIONS:-ignore_noninstrumented_modules=1}"
passed=0 failed=0

# ---- helpers

fail() { # fail <case> <why>
  failed=$((failed + 1))
  echo "FAILED: $1: $2"
  echo "  standard output:" && head -n 5 "$dir/out"
  echo "  standard error:" && head -n 5 "$dir/err"
}

matches() { # matches <file> <pattern>: '' is an empty file, '*' any
  case $2 in
    '') [ ! -s "$1" ] ;;
    '*') true ;;
    *) grep -Eq -e "$2" "$1" ;;
  esac
}

# try <case> <exit status> <standard output> <standard error> <argument>...
# The outputs are extended regular expressions for one of their lines; see matches.
try() {
  name=$1 code=$2 out=$3 err=$4
  shift 4
  # shellcheck disable=SC2086  # a word for each variable
  env $with "$jig" "$@" >"$dir/out" 2>"$dir/err" <"${input:-/dev/null}"
  got=$?
  if [ "$got" -ne "$code" ]; then
    fail "$name" "exit status $got, not $code"
  elif ! matches "$dir/out" "$out"; then
    fail "$name" "standard output has no '$out'"
  elif ! matches "$dir/err" "$err"; then
    fail "$name" "standard error has no '$err'"
  else
    passed=$((passed + 1))
  fi
}

with=
under() { # under "<variable>=<value> ..." try ...: in that environment
  with=$1
  shift
  "$@"
  with=
}

also() { # also <case> <command>...: what else has to be true of the last try
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else fail "$name" "$*"; fi
}

skip() { echo "skipped: cli: $1 ($2)"; }

bytes() { # bytes <hex>...: these bytes
  for hex in "$@"; do
    # shellcheck disable=SC2059  # the format is the byte
    printf "\\$(printf %03o "0x$hex")"
  done
}

end_tests() { # the last line, and the exit status
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
