#!/bin/sh
# Tests of what the command-line tool says of caches that are not as they should be, and of manifests and texts
# that are not: all of it is told, nothing passes in silence. Nothing is really compiled: a stand-in for NVRTC
# does (tests/unit/fake_nvrtc.c).
#
#   BUILD=build tests/cli/test_cache.sh
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"

if ! ${CC:-cc} -shared -fPIC -I"${CUDA_HOME:-/usr/local/cuda}/include" -o "$dir/nvrtc.so" \
  "$here/../unit/fake_nvrtc.c" 2>"$dir/err"; then
  skip 'caches that are not as they should be' 'no C compiler or nvrtc.h'
  end_tests
  exit
fi
export JIG_NVRTC="$dir/nvrtc.so" FAKE_NVRTC_LOG="$dir/compiled"
types='i8 i16 i32 i64 u8 u16 f32 f64'

fill() { # eight entries in the cache
  for type in $types; do "$jig" prewarm reduce --type "$type" --arch sm_90 >/dev/null; done
}

json_is() { # json_is <expression>: true of the object o in each line of standard output
  python3 -c "import base64, json, sys
for line in sys.stdin:
    o = json.loads(line)
    assert $1, o" <"$dir/out"
}

# ---- directories that cannot be read

fill
if [ "$(id -u)" -eq 0 ]; then
  as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
  chmod 755 "$dir" && cp "$jig" "$dir/jig" && chown -R 65534:65534 "$JIG_CACHE_DIR" && jig=$dir/jig
else
  as_user=
fi
as_owner() { # as_owner try ...: by the owner of the cache, to whom modes matter
  with="$as_user env $with"
  "$@"
  with=
}
if [ -n "$as_user" ] && ! $as_user true 2>/dev/null; then
  skip 'directories that cannot be read' 'root, and no setpriv'
else
  first=$(find "$JIG_CACHE_DIR" -name '*.jig' | sort | head -n 1)
  shard=$(dirname "$first")
  inside=$(find "$shard" -name '*.jig' | wc -l)
  as_owner try 'verify: all can be read' 0 '^8 entries, 0 damaged$' '' cache verify
  chmod 000 "$shard"
  as_owner try 'verify: unreadable shard' 1 "^$((8 - inside)) entries, 0 damaged$" "$shard is not used: Permission denied$" cache verify
  as_owner try 'verify --json: unreadable shard' 1 '' "$shard is not used" cache verify --json
  as_owner try 'ls: unreadable shard' 1 ' reduce accum=' "$shard is not used" cache ls
  as_owner try 'stats: unreadable shard' 1 "^all +$((8 - inside)) entr" "$shard is not used" cache stats
  as_owner try 'clear --dry-run: unreadable shard' 1 "^would remove $((8 - inside)) entr" "$shard is not used" cache clear --dry-run
  as_owner try 'clear: unreadable shard' 1 "^removed $((8 - inside)) entr" "$shard is not used: Permission denied$" cache clear
  chmod 700 "$shard"
  also 'clear: what could not be read is there' [ "$(find "$JIG_CACHE_DIR" -name '*.jig' | wc -l)" -eq "$inside" ]
  chmod 000 "$JIG_CACHE_DIR"/v1/*/
  as_owner try 'verify: all shards unreadable' 1 '^0 entries, 0 damaged$' 'is not used: Permission denied \(and [0-9]+ more such problem' cache verify
  chmod 700 "$JIG_CACHE_DIR"/v1/*/
  chmod 000 "$JIG_CACHE_DIR/v1"
  as_owner try 'verify: unreadable version' 1 '^0 entries' 'v1 is not used: Permission denied' cache verify
  as_owner try 'clear: unreadable version' 1 '' 'v1 is not used: Permission denied' cache clear
  chmod 700 "$JIG_CACHE_DIR/v1"
  chmod 000 "$JIG_CACHE_DIR"
  as_owner try 'verify: unreadable directory' 1 '^0 entries' 'cache is not used: Permission denied' cache verify
  chmod 700 "$JIG_CACHE_DIR"
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/none" as_owner try 'verify: a layer that can be read' 0 "^$inside entr" '' cache verify
  chmod 000 "$shard"
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/none" as_owner try 'verify: a layer that cannot' 1 '^0 entries' "read-only cache directory $shard is not used" cache verify
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/none" as_owner try 'clear: that of a layer does not matter' 0 '^removed 0 entries' '' cache clear
  chmod 700 "$shard"
fi
jig=$(realpath "${BUILD:-build}/jig")
rm -rf "$JIG_CACHE_DIR"

# ---- directories where files should be

fill
entry=$(find "$JIG_CACHE_DIR" -name '*.jig' | sort | head -n 1)
rm "$entry" && mkdir "$entry"
try 'verify: a directory for an entry' 1 "^$entry: not a regular file$" '' cache verify
fill
also 'prewarm: an empty directory makes way' test -f "$entry"
rm "$entry" && mkdir -p "$entry/inside"
try 'clear: a directory that is not empty' 1 '^removed 7 entries' "cannot remove $entry: Directory not empty$" cache clear
fill 2>"$dir/err"
also 'prewarm: it is named' grep -q "cache: ${entry#"$JIG_CACHE_DIR/"}: Directory not empty" "$dir/err"
rm -rf "$JIG_CACHE_DIR"

# ---- clearing by two at once

for round in 1 2 3 4 5; do
  fill
  "$jig" cache clear >"$dir/first" 2>"$dir/err" &
  "$jig" cache clear >"$dir/second" 2>>"$dir/err" || fail "clear: the second one of two, $round" "exit status $?"
  wait $! || fail "clear: the first one of two, $round" "exit status $?"
  cat "$dir/first" "$dir/second" >"$dir/out"
  also "clear: both together have removed all, $round" [ "$(awk '{ n += $2 } END { print n }' "$dir/out")" -eq 8 ]
  also "clear: neither complains, $round" test ! -s "$dir/err"
done

# ---- paths and texts that are not UTF-8

odd="$dir/$(bytes ff)odd"
has_python=true
command -v python3 >/dev/null || has_python=false
$has_python || skip 'what is in JSON' 'no python3'
mkdir "$odd"
under "JIG_CACHE_DIR=$odd/c" try 'prewarm: a path that is not UTF-8' 0 '^compiled ' '' prewarm reduce --type f32 --arch sm_90
under "JIG_CACHE_DIR=$odd/c" try 'ls --json: a path that is not UTF-8' 0 '"path_base64":"' '' cache ls --json
also 'ls --json: a line' [ "$(wc -l <"$dir/out")" -eq 1 ]
if $has_python; then
  also 'ls --json: the path' json_is "'\\ufffdodd/c/v1/' in o['path'] and base64.b64decode(o['path_base64']).endswith(b'.jig') and b'/\\xffodd/' in base64.b64decode(o['path_base64'])"
fi
find "$odd/c" -name '*.jig' -exec sh -c ': >"$1"' sh {} \;
under "JIG_CACHE_DIR=$odd/c" try 'verify --json: a path that is not UTF-8' 1 '"path_base64":".*"fault":"truncated"' '' cache verify --json
under "JIG_CACHE_DIR=$odd/c" try 'verify: a path that is not UTF-8' 1 'odd/c/v1/.*: truncated' '' cache verify
under "JIG_CACHE_DIR=$odd/c JIG_CACHE_PATH=$odd/d" try 'info --json: paths that are not UTF-8' 0 '"directory_base64":"' '' info --json
$has_python && also 'info --json: is JSON' json_is "'\\ufffdodd/c' in o['cache']['directory'] and '\\ufffdodd/d' in o['cache']['layers'][0]"
under "JIG_CACHE_DIR=$odd/c JIG_NVRTC=$odd/none.so" try 'info --json: a library' 0 '"error":"' '' info --json
$has_python && also 'info --json: is JSON, too' json_is "'\\ufffdodd/none.so' in o['compiler']['error']"
under "JIG_CACHE_DIR=$odd/c" try 'info: a path that is not UTF-8' 0 'odd/c: [0-9]+ programs?, ' '' info
printf '{"algorithm":"%s"}\n' "$(bytes fe)" >"$odd/m"
try 'prewarm --json: a manifest that is not UTF-8' 1 '"spec":"' '*' prewarm "$odd/m" --manifest --arch sm_90 --json
$has_python && also 'prewarm --json: is JSON' json_is "o['place'].endswith('\\ufffdodd/m:1') and o['spec'] == '{\"algorithm\":\"\\ufffd\"}' and o['error']"

# ---- manifests and texts with NULs and carriage returns

spec='{"accum":"f32","algorithm":"reduce","in":{"kind":"pointer","type":"f32"},"op":"plus","out":{"kind":"pointer","type":"f32"}}'
printf '%s\r\n\r\n# one\r\n%s' "$spec" "$spec" >"$dir/m"
try 'manifest: lines that end as on DOS' 0 '^2 programs: ' '' prewarm --manifest "$dir/m" --arch sm_90
manifest() { # manifest <case> <line> <what is wrong>: of the file on standard input, of which nothing is compiled
  cat >"$dir/m"
  : >"$dir/compiled"
  try "manifest: $1" 1 '' "m:$2: a $3 within the line$" prewarm --manifest "$dir/m" --arch sm_80
  also "manifest: $1: nothing is compiled" test ! -s "$dir/compiled"
}
printf '\0%s\n' "$spec" | manifest 'a NUL before a spec' 1 NUL
printf '%s\n%s\0\n' "$spec" "$spec" | manifest 'a NUL behind a spec' 2 NUL
printf '%s\n\0' "$spec" | manifest 'a NUL at the end' 2 NUL
printf '# one\0%s\n' "$spec" | manifest 'a NUL in a comment' 1 NUL
printf '%s\r%s\n' "$spec" "$spec" | manifest 'a carriage return between specs' 1 'carriage return'
printf '# one\r%s\n' "$spec" | manifest 'a carriage return in a comment' 1 'carriage return'
printf '\r\r\n%s\n' "$spec" | manifest 'a carriage return in a blank line' 1 'carriage return'
printf '%s\0' "$spec" >"$dir/s"
try 'source --spec: a NUL' 1 '' 's: this is no text: it has a NUL in line 1$' source --spec "$dir/s" --arch sm_90
printf '// one\nint f(int a, int b) { return a; }\0 more' >"$dir/f.cu"
try 'op-function: a NUL' 1 '' 'op-function: .*f.cu: this is no text: it has a NUL in line 2$' prewarm reduce --type i32 --op-function "$dir/f.cu:f" --arch sm_90

try 'manifest: no end' 1 '' 'zero: File too large$' prewarm --manifest /dev/zero --arch sm_90
try 'op-binary: no end' 1 '' 'op-binary: /dev/zero: File too large$' prewarm reduce --type i32 --op-binary ptx:/dev/zero:f --arch sm_90
try 'manifest: a folder' 1 '' ': Is a directory$' prewarm --manifest "$dir" --arch sm_90

# ---- where the cache is

here_is=$(pwd)
under "JIG_CACHE_DIR= XDG_CACHE_HOME=some/where HOME=$dir/home" try 'relative XDG_CACHE_HOME' 0 "^$dir/home/.cache/jig$" "warning: XDG_CACHE_HOME: 'some/where' is not an absolute path; it is ignored$" cache path
under "JIG_CACHE_DIR= XDG_CACHE_HOME= HOME=home" try 'relative HOME' 1 '' 'there is no cache directory' cache path
under "JIG_CACHE_DIR=some/where" try 'relative JIG_CACHE_DIR' 0 "^$here_is/some/where$" '' cache path

end_tests
