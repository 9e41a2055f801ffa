#!/bin/sh
# What the built library shows and needs: only jig_* is exported, by the shared library and the archive; no
# CUDA library is linked; the shared library has a versioned soname and is small.
. tests/scripts/checks.sh
# The names a file defines for others, apart from those of sanitizers.
names() { nm "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -v -e '^_*[atu][bs]*san' -e '^__odr'; }
only_jig() { ! names "$@" | grep -v '^jig_'; }
check "the shared library exports only jig_*" only_jig -D --defined-only "$build/libjig.so"
check "the archive shows only jig_*" only_jig -g --defined-only "$build/libjig.a"
check "no CUDA library is linked" sh -c "! readelf -d '$build/libjig.so' | grep NEEDED | grep -i -e cuda -e nv"
check "it needs the C library, Jansson and libmd" sh -c "! readelf -d '$build/libjig.so' | grep NEEDED | grep -v -e '\[lib\(c\|dl\|pthread\|jansson\|md\|[atu]b\?san\)\.so' -e '\[ld-linux'"
number() { sed -n "s/^#define JIG_VERSION_$1 //p" include/jig/version.h; }
soname=libjig.so.$(number MAJOR)
[ "$(number MAJOR)" -ne 0 ] || soname=$soname.$(number MINOR)
check "the soname is that of the version" sh -c "readelf -d '$build/libjig.so' | grep -q 'SONAME.*\[$soname\]'"
check "it is found by its soname" [ "$(realpath "$build/$soname")" = "$(realpath "$build/libjig.so")" ]
check "it stays loaded, as it may have a thread" sh -c "readelf -d '$build/libjig.so' | grep -q NODELETE"
check "stripped it is below 2.25 MiB" sh -c "strip -o '$build/stripped.so' '$build/libjig.so' && [ \$(wc -c <'$build/stripped.so') -lt 2359296 ]"
rm -f "$build/stripped.so"
end_checks
