#!/bin/sh
# Compiles manifests for some architectures and packs what comes of them, a bundle for each: of programs, and of
# kernels that operators from source are linked with. Either may be empty.
#
#   cache/bundle.sh <jig> <manifest> <manifest of operators> <folder> <architecture>...
#
# An architecture is 90, which is sm_90, or whatever else `jig prewarm --arch` takes but a list. For each,
# <folder>/<architecture> is a cache that is kept, so that all that has been compiled is there if this was
# interrupted, and in the next run of what has not changed; <folder>/<architecture>.tar.xz is the bundle. JOBS
# says how many programs are compiled at once, one per processor if it is not set.
set -eu
jig=$1 programs=$2 operators=$3 folder=$4
shift 4
mkdir -p "$folder"

# Where somebody looks on, a bar shows how far it is; otherwise, a line for each program.
fill() { # fill <cache> <architecture> <manifest> [<option>...]
  [ -s "$3" ] || return 0
  cache=$1 arch=$2
  shift 2
  set -- "$@" --manifest --arch "$arch" --to "$cache" ${JOBS:+--jobs "$JOBS"}
  if [ -t 2 ]; then "$jig" prewarm "$@" >"$folder/log" && tail -n 1 "$folder/log"; else "$jig" prewarm "$@"; fi
}

# What a run does not use is of templates or a manifest of the past: using an entry makes it recent.
make_old() { [ ! -d "$1" ] || find "$1" -name '*.jig' -exec touch -d 2000-01-01 {} +; }
remove_old() { find "$1" -name '*.jig' ! -newermt 2001-01-01 -delete; }

# The same entries make the same bundle, whoever packs them and when.
pack() { # pack <cache> <bundle>
  tar -C "$1" -cJf "$2.new" --sort=name --mtime='2000-01-01 UTC' --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' --exclude='*.lock' --exclude='.tmp-*' --exclude=usage --exclude=stats --exclude=CACHEDIR.TAG .
  mv "$2.new" "$2"
}

for arch in "$@"; do
  case $arch in [0-9]*) arch=sm_$arch ;; esac
  cache=$folder/$arch
  echo "$arch:"
  make_old "$cache"
  fill "$cache" "$arch" "$programs"
  fill "$cache" "$arch" "$operators" --first-tier
  remove_old "$cache"
  pack "$cache" "$cache.tar.xz"
  echo "$cache.tar.xz: $(find "$cache" -name '*.jig' | wc -l) kernels, $(wc -c <"$cache.tar.xz") bytes"
done
