#!/bin/sh
# The cache that is shipped: it is compiled, goes on where it was interrupted, names what fails; installed below a
# prefix, it has whoever uses that library find its programs without compiling any; a new one takes the old one's
# place, and it goes again.
#
#   BUILD=build tests/scripts/test_bundle.sh
#
# On the GPU or, if JIG_DRIVER names the software GPU, on that. What is built for the prefix, in a copy of the tree,
# is what is built already, but for the file that has the prefix in it.
. tests/scripts/checks.sh
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD JIG_CACHE_DIR JIG_CACHE_PATH JIG_BUILD JIG_RECORD
unset ARCHS BUNDLES MANIFEST OPERATORS DESTDIR PREFIX LIBDIR
show_failed() { [ ! -s "$folder/log" ] || tail -n 5 "$folder/log"; }
fails() { ! "$@"; }
if [ "$build" != build ]; then
  echo "skipped: scripts/bundle (it needs the usual build)"
  exit 0
fi
"$build/jig" info --json >"$folder/info"
if grep -q '"devices":\[\]' "$folder/info"; then
  echo "skipped: scripts/bundle (no GPU)"
  exit 0
fi

tree=$folder/tree prefix=$folder/prefix
mkdir -p "$tree/build/obj/tools"
cp -rp Makefile include src templates tools cache tests docs jig.pc.in LICENSE README.md CHANGELOG.md CONTRIBUTING.md "$tree"
cp -rp build/gen build/embed "$tree/build"
cp -rp build/obj/src build/obj/gen "$tree/build/obj"
cp -rp build/obj/tools/jig "$tree/build/obj/tools"
in_tree() { make -C "$tree" PREFIX="$prefix" "$@" >"$folder/log" 2>&1; }
check "the library is installed" in_tree install

# The software GPU takes PTX only; a GPU's architecture is what the tool calls its own.
case ${JIG_DRIVER:-} in
  *softgpu*) archs='compute_75 90' used=compute_75 ;;
  *) used=$(sed -n 's/.*"devices":\[{[^}]*"arch":"\([^"]*\)".*/\1/p' "$folder/info") && archs="$used compute_75" ;;
esac
bundles=$folder/bundles
prewarm() { # prewarm <manifest> [<make's arguments>...]: for all architectures, unless these say otherwise
  manifest=$1
  shift
  in_tree prewarm BUNDLES="$bundles" MANIFEST="$manifest" ARCHS="$archs" JOBS=2 "$@"
}
count() { find "$1" -name '*.jig' 2>/dev/null | wc -l; }
has() { [ "$(count "$1")" -eq "$2" ]; } # has <folder> <kernels>

# ---- compiling

printf '# sums\nreduce in=i32\nreduce in=u32\n{"algorithm":"sort"}\nreduce in=f32 op=max\n' >"$folder/broken"
check "a line that fails is an error" fails prewarm "$folder/broken"
check "it is named" grep -q "broken:4 for [a-z]*_[0-9]*: spec: unknown algorithm 'sort'" "$folder/log"
check "there is no bundle then" [ ! -e "$bundles/$used.tar.xz" ]
sed 4d "$folder/broken" >"$folder/manifest"
check "it goes on" prewarm "$folder/manifest"
check "with what was compiled before" grep -q '^hit .* reduce .* op=plus ' "$folder/log"
first=$(echo "$archs" | sed 's/ .*//')
check "all of it" grep -q "^3 programs: 0 compiled, 3 already there" "$folder/log"
check "i32 and u32 share a program" has "$bundles/$first" 2
check "there is a bundle" [ -s "$bundles/$used.tar.xz" ]
cp "$bundles/$used.tar.xz" "$folder/first.tar.xz"
check "it is packed again" prewarm "$folder/manifest"
check "to the same bytes" cmp "$bundles/$used.tar.xz" "$folder/first.tar.xz"

# ---- installing

cache=$prefix/share/jig/cache
head -c 4000 /dev/zero >"$folder/zeros"
echo 'reduce in=i32 op=min' >"$folder/other"
install_cache() { in_tree install-cache BUNDLES="$bundles" "$@"; }
# By the library of the prefix, whose user has nothing in the cache, and never compiles.
sums() { run --type "$1" --op plus; }
run() {
  env JIG_BUILD=never JIG_CACHE_DIR="$folder/empty" JIG_NVRTC=/nowhere/libnvrtc.so \
    "$prefix/bin/jig" run reduce "$@" "$folder/zeros" >"$folder/log" 2>&1
}
check "nothing to install is an error" fails install_cache BUNDLES="$folder/none"
check "and says so" grep -q 'there are no bundles in .*/none: make prewarm' "$folder/log"
check "without it there is no program" fails sums i32
check "which is what is wrong" grep -q 'the cache has no program for' "$folder/log"
check "it is installed" install_cache
check "for all architectures" has "$cache" 4
check "for all users" [ "$(find "$cache" ! -perm -go=r -o -perm /go=w | wc -l)" -eq 0 ]
check "sums are found there" sums i32
check "and are right" [ "$(cat "$folder/log")" = 0 ]
check "sums of unsigned ones" sums u32
check "the largest of all" run --type f32 --op max
check "not what is not in it" fails run --type i32 --op min
check "nothing was written" has "$folder/empty" 0
check "another bundle is not empty for it" prewarm "$folder/manifest" ARCHS="$used" BUNDLES="$folder/twice"
check "though all is installed" has "$folder/twice/$used" 2

check "another one is packed" prewarm "$folder/other" ARCHS="$used"
check "without what is in it no more" has "$bundles/$used" 1
check "one architecture is installed" install_cache ARCHS="$used"
check "in place of all there was" has "$cache" 1
check "what is new is found" run --type i32 --op min
check "what is old is not" fails sums i32
check "nothing else is left there" [ "$(find "$prefix/share/jig" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
in_tool() { JIG_CACHE_DIR="$folder/empty" "$prefix/bin/jig" "$@" >"$folder/log" 2>&1; }
check "the tool looks there" in_tool info
check "and says where" grep -q "read-only $cache: 1 program" "$folder/log"
check "into a folder for packages" install_cache DESTDIR="$folder/package"
check "which has it below the prefix" has "$folder/package$cache" 3

# ---- operators from source, which are linked with what is in it

# For the PTX of what is compiled now, as it is not linked with older one.
case $used in compute_*) current=compute_90 ;; *) current=$used ;; esac
prewarm_operators() { # for sums of what they say, which any operators over such items are linked with
  printf 'reduce in=%s op={return(a);}\n' "$1" >"$folder/operators"
  in_tree prewarm BUNDLES="$bundles" MANIFEST=/dev/null OPERATORS="$folder/operators" ARCHS="$current"
}
linked() { # by an engine that has a background, without which nothing is linked
  env JIG_BACKGROUND=1 JIG_CACHE_DIR="$folder/empty" JIG_FIRST_TIER=1 JIG_LOG=info \
    "$prefix/bin/jig" run reduce --type i32 --op-source "$1" "$folder/zeros" >"$folder/log" 2>&1 &&
    grep -q 'jig_reduce linked in' "$folder/log"
}
check "an operator is linked with nothing" fails linked 'return a | b;'
check "a kernel for operators is packed" prewarm_operators i32
check "and nothing else" has "$bundles/$current" 1
check "and installed" install_cache ARCHS="$current"
check "another operator is linked with it" linked 'return a & b;'
cache/operators.sh | "$prefix/bin/jig" prewarm - --manifest --first-tier --dry-run --arch sm_90 >"$folder/log" 2>&1
check "the tier has kernels for all operators of the manifest" grep -q ' to be compiled; ' "$folder/log"
check "but for none" fails grep -q '^failed' "$folder/log"

check "it is removed" in_tree uninstall-cache
check "with its folder" [ ! -e "$cache" ]
check "and not the library" [ -e "$prefix/lib/libjig.so" ]

end_checks
