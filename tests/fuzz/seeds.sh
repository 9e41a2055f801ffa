#!/bin/sh
# Makes inputs to begin with that take a compiler: entries, specs, logs, and what a compiler makes. Where there is
# none, there are none of these.
set -eu
build=${BUILD:-build}
seeds=$build/fuzz/seeds
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in spec operator entry npy binary log; do mkdir -p "$seeds/$target"; done
[ -x "$build/jig" ] || exit 0
jig() { JIG_CACHE_DIR=$work/cache JIG_DUMP=$work/dump "$build/jig" "$@" >/dev/null 2>&1; }

jig prewarm reduce --type f32 --arch sm_90,compute_80 || exit 0
jig prewarm reduce --type hit --struct 'hit:8:4:struct hit { float d; int id; };' \
  --op-source 'return b.d < a.d ? b : a;' --arch sm_75 || true
jig prewarm scan --type i32 --exclusive --arch sm_90 || true
jig prewarm radix_sort --type u32 --arch sm_90 || true
# What does not compile leaves its log.
for body in 'return c;' 'return a + "x";' 'static_assert(0, "no"); return a;' 'return f(a);' '#include <no.h>
return a;' 'return a' 'int x; return a.b;'; do jig prewarm reduce --type f32 --op-source "$body" --arch sm_90 || true; done

find "$work/cache" -name '*.jig' -size -64k -exec cp {} "$seeds/entry" \;
JIG_CACHE_DIR=$work/cache "$build/jig" cache ls --json | sed -n 's/.*"spec":\({.*}\).*/\1/p' | split -l 1 - "$seeds/spec/of-"
for file in "$work"/dump/*.log; do
  # A log, a NUL, and the program.
  { cat "$file" && printf '\0' && cat "${file%.log}.cu"; } >"$seeds/log/$(basename "$file")"
done
# Where the parts end: all of it is the first file, or the last.
for file in "$work"/dump/*.cubin; do { printf '\377\377' && cat "$file"; } >"$seeds/binary/$(basename "$file")"; done
for file in "$work"/dump/*.ptx; do { printf '\0\0' && cat "$file"; } >"$seeds/binary/$(basename "$file")"; done
