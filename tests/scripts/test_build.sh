#!/bin/sh
# How things are built: nothing is compiled before tools/deps.sh has been through, which may have to install what
# is compiled against; what is up to date is left alone; a warning stops nobody who has not asked for it.
#
# It makes everything in a copy of the tree, with compilers that only note that they were called.
. tests/scripts/checks.sh
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD WERROR SAN

tree=$folder/tree
mkdir "$tree" "$folder/bin"
cp -r Makefile include src templates tests tools "$tree"
printf '#!/bin/sh\nsleep 1\ntouch "%s/installed"\n' "$folder" >"$tree/tools/deps.sh"

# What a compiler or linker makes is a program that does nothing.
cat >"$folder/bin/compiler" <<'COMPILER'
#!/bin/sh
folder=$(dirname "$0")/..
[ -e "$folder/installed" ] || echo "$*" >>"$folder/early"
echo "$*" >>"$folder/calls"
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then printf '#!/bin/sh\nexit 0\n' >"$2" && chmod +x "$2"; fi
  shift
done
COMPILER
cp "$folder/bin/compiler" "$folder/bin/objcopy"
# shellcheck disable=SC2016  # the script is to expand it
printf '#!/bin/sh\ntouch "$2"\n' >"$folder/bin/archiver"
chmod +x "$folder/bin/"* "$tree/tools/deps.sh"
PATH=$folder/bin:$PATH
build_all() { # build_all <make's options>
  : >"$folder/calls"
  make -C "$tree" "$@" everything NVCC="$folder/bin/compiler" CC="$folder/bin/compiler" CXX="$folder/bin/compiler" \
    CLANG="$folder/bin/compiler" LD="$folder/bin/compiler" AR="$folder/bin/archiver" >"$folder/log" 2>&1 || { tail -n 5 "$folder/log" && false; }
}
called() { grep -q -e "$1" "$folder/calls"; }
nothing_early() { [ ! -e "$folder/early" ] || { sed 's/^/early: /' "$folder/early" | cut -c 1-200 | head -n 5 && false; }; }
nothing_called() { [ ! -s "$folder/calls" ] || { sed 's/^/again: /' "$folder/calls" | cut -c 1-200 | head -n 5 && false; }; }

check "everything is built" build_all -j8
check "nothing is compiled before the dependencies are there" nothing_early
for part in 'libjig\.so' '/jig ' '/demo ' 'libcuda\.so\.1' 'examples/' 'tests/device/test_' 'bench/bench-run' 'fuzz/fuzz_'; do
  check "everything has $part" called "-o [^ ]*$part"
done
for source in "$tree"/tools/bench/*.cu "$tree"/tools/*/*.c; do
  name=$(basename "$source")
  check "everything has $name" called "[ /]$name"
done
check "a warning is no error" eval '! called -Werror'
check "it is built again" build_all -j8
check "what is up to date is left alone" nothing_called
touch "$tree/tools/bench/cub_scan.cu"
check "one file is built again" build_all -j8
one_file() { [ "$(grep -c -e ' -c ' "$folder/calls")" -eq 1 ] && called cub_scan.cu; }
check "and only that one" one_file
rm -rf "$tree/build"
check "everything is built with WERROR=1" build_all -j8 WERROR=1
check "a warning is an error if asked for" called -Werror

end_checks
