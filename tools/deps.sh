#!/bin/sh
# Makes sure that what the build needs is there. As root on a Debian system it installs what is missing;
# otherwise it says which command would. CC, CXX and NVCC are the compilers to be used; nvcc, if it is there, wants
# a C++ compiler.
#
#   tools/deps.sh        what is built needs
#   tools/deps.sh fuzz   what fuzzing needs: it is installed if that can be done, and is no error if it cannot
#   tools/deps.sh abi    what comparing the library's interface with its description needs, likewise
set -eu

missing=
need() { # need <package> <command that succeeds if it is there>
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has_header() { printf '#include <%s>\n' "$1" | "${CC:-cc}" -E -x c - ; }

if [ "${1:-}" = fuzz ]; then
  need 'clang libclang-rt-dev' "$(dirname "$0")/../tests/fuzz/has_libfuzzer.sh"
elif [ "${1:-}" = abi ]; then
  need abigail-tools sh -c 'command -v abidiff'
else
  need gcc sh -c "command -v ${CC:-cc}"
  [ -z "${NVCC:-}" ] || need g++ sh -c "command -v ${CXX:-c++}"
  need libc6-dev has_header stdio.h
  need libxxhash-dev has_header xxhash.h
  need libjansson-dev has_header jansson.h
  need libmd-dev has_header sha2.h
  need check has_header check.h
fi
[ -z "$missing" ] && exit 0

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
install() {
  echo "installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086  # one word per package
  apt-get update -qq && apt-get install -y -qq $missing >/dev/null
}
if [ -n "${1:-}" ]; then
  if ! can_install || ! install; then echo "for '$1' tests these Debian packages are missing:$missing" >&2; fi
  exit 0
fi
if ! can_install; then
  echo "jig needs these Debian packages:$missing" >&2
  echo "install them with: sudo apt-get install -y$missing" >&2
  exit 1
fi
install
