#!/bin/sh
# Unpacks bundles into a cache that all can read, in place of what is there.
#
#   cache/install.sh <folder of the bundles> <cache> [<architecture>...]
#
# All bundles in the folder, or those of some architectures only.
set -eu
umask 022
folder=$1 cache=$2
shift 2
bundles() { # bundles [<architecture>...]: their files, a line each
  if [ $# -eq 0 ] && [ -d "$folder" ]; then find "$folder" -maxdepth 1 -name '*.tar.xz'; fi
  for arch in "$@"; do
    case $arch in [0-9]*) arch=sm_$arch ;; esac
    echo "$folder/$arch.tar.xz"
  done
}
found=$(bundles "$@")
if [ -z "$found" ]; then
  echo "there are no bundles in $folder: make prewarm" >&2
  exit 1
fi

rm -rf "$cache.new" "$cache.old"
mkdir -p "$cache.new"
trap 'rm -rf "$cache.new"' EXIT
echo "$found" | while read -r bundle; do
  tar -C "$cache.new" --no-same-owner -xJf "$bundle"
done
[ ! -e "$cache" ] || mv "$cache" "$cache.old"
mv "$cache.new" "$cache"
rm -rf "$cache.old"
