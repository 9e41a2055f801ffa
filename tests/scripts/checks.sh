# shellcheck shell=sh
# What scripts share that check this and that, to be sourced by sh: a folder in $folder that is removed at the end, what
# was built in $build, and check, which counts. One that has more to show of a check that failed defines show_failed.
# Ends with end_checks.
set -u
export LC_ALL=C
# shellcheck disable=SC2034  # it is for the scripts
build=${BUILD:-build}
passed=0 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

show_failed() { :; }

check() { # check <what> <command...>
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $what"
    show_failed
  fi
}

end_checks() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
