#!/bin/sh
# Makes sure that what the build needs is there. As root on a Debian system it installs what is missing;
# otherwise it says which command would. CC, CXX and NVCC are the compilers to be used; nvcc, if it is there, wants
# a C++ compiler.
set -eu

missing=
need() { # need <package> <command that succeeds if it is there>
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has_header() { printf '#include <%s>\n' "$1" | "${CC:-cc}" -E -x c - ; }

need gcc sh -c "command -v ${CC:-cc}"
[ -z "${NVCC:-}" ] || need g++ sh -c "command -v ${CXX:-c++}"
need libc6-dev has_header stdio.h
need libxxhash-dev has_header xxhash.h
need libjansson-dev has_header jansson.h
need libmd-dev has_header sha2.h
need check has_header check.h
[ -z "$missing" ] && exit 0

command="apt-get install -y$missing"
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "jig needs these Debian packages:$missing" >&2
  echo "install them with: sudo $command" >&2
  exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086  # one word per package
apt-get install -y -qq $missing >/dev/null
