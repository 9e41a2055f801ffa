#!/bin/sh
# `jig tune`: its options and files of wisdom; and on the software GPU, where times mean nothing, that what can be
# chosen gives the same results, what is kept, and that later builds go by it.
#
#   BUILD=build tests/cli/test_tune.sh
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"

# ---- what is asked for

try 'tune: nothing' 2 '' 'give an algorithm' tune
try 'tune: unknown' 2 '' "there is no algorithm 'scam'.*did you mean 'scan'" tune scam
try 'tune: unknown slot' 2 '' 'inn' tune scan inn=f32 --dry-run --arch sm_90
try 'tune: a file' 2 '' 'jig tune makes its own items' tune scan in=f32@/dev/null --dry-run --arch sm_90
try 'tune: no call' 2 '' 'makes no calls of for_each' tune for_each --type f32 --op-source 'x = 0;'
try 'tune: which segments' 2 '' 'give --segment-size' tune segmented_reduce in=f32
try 'tune: no segments' 2 '' '--segment-items' tune segmented_reduce in=f32 begin_offsets=i32 --segment-items 0
try 'tune: everywhere the same' 2 '' 'tuned alike on each' tune reduce in=f32 determinism=gpu_to_gpu --dry-run --arch sm_90
try 'tune: not its number' 2 '' 'scan has no such option' tune scan in=f32 --k 3
for budget in 0 -1s 1h x '' 1e9; do
  try "tune: budget '$budget'" 2 '' 'is no time' tune scan in=f32 --budget "$budget"
done
for sizes in 0 2^ 2^99 2^8..2^4 x..y 3.. 7..x; do
  try "tune: sizes '$sizes'" 2 '' 'is no range' tune scan in=f32 --sizes "$sizes"
done
try 'tune: arch alone' 2 '' 'only beside --dry-run' tune scan in=f32 --arch sm_90
try 'tune: two archs' 2 '' 'one architecture' tune scan in=f32 --dry-run --arch sm_80,sm_90
try 'tune: check none' 2 '' '--check' tune scan in=f32 --check 0
under 'JIG_DRIVER=/nowhere/libcuda.so.1' try 'tune: no GPU' 3 '' 'libcuda' tune scan in=f32

try 'tune: dry run' 0 '^jig_scan_pipeline$' '' tune scan in=f32 --dry-run --arch sm_90
also 'tune: dry run: values' grep -Eq '^  stages +5  3 4 5' "$dir/out"
try 'tune: dry run elsewhere' 0 '^jig_scan_lookback$' '' tune scan in=f32 --dry-run --arch sm_80
try 'tune: dry run by options' 0 '^jig_select_' '' \
  tune select --type f32 --op-source 'return x > 0;' --dry-run --arch sm_90

# ---- files

line() { echo "{\"sm\":$1,\"spec\":{\"algorithm\":\"$2\"},\"tuning\":{\"jig_$2\":{\"threads\":$3}}}"; }
{ line 90 reduce 128; echo '# a comment'; line 80 reduce 256; } >"$dir/a"
{ line 90 reduce 512; line 90 scan 64; } >"$dir/b"
try 'merge: nothing' 2 '' 'give files' tune --merge --out "$dir/c"
try 'merge: nowhere' 2 '' '--out is missing' tune --merge "$dir/a"
try 'merge: no file' 1 '' 'none: No such file' tune --merge "$dir/none" --out "$dir/c"
try 'merge' 0 '^3 lines in ' '' tune --merge "$dir/a" "$dir/b" --out "$dir/c"
also 'merge: the last one holds' grep -q '"sm":90,"spec":{"algorithm":"reduce"},"tuning":{"jig_reduce":{"threads":512' "$dir/c"
also 'merge: the others stay' grep -q '"sm":80' "$dir/c"
cp "$dir/c" "$dir/before"
try 'merge: into itself' 0 '^3 lines' '' tune --merge "$dir/c" --out "$dir/c"
also 'merge: the same' cmp "$dir/c" "$dir/before"
echo '{"sm":90}' >"$dir/bad"
try 'merge: a bad line' 1 '' 'bad:1: "spec" is no spec' tune --merge "$dir/c" "$dir/bad" --out "$dir/c"
also 'merge: nothing was written' cmp "$dir/c" "$dir/before"
mkfifo "$dir/fifo"
try 'merge: no file there' 2 '' 'fifo is no file: say with --out where it goes' tune --merge "$dir/a" --out "$dir/fifo"
also 'merge: it stays what it is' test -p "$dir/fifo"
try 'merge: no such folder to be made' 1 '' 'wisdom' tune --merge "$dir/a" --out /proc/none/wisdom

under "JIG_WISDOM=$dir/none" try 'a file that is not there' 0 '*' 'warning: JIG_WISDOM: .* is not a list' source reduce in=f32 --arch sm_90

# ---- on the software GPU

"$jig" info --json >"$dir/info" 2>/dev/null
if grep -q '"compiler":{"error"' "$dir/info" || [ ! -e "$(dirname "$jig")/softgpu/libcuda.so.1" ]; then
  skip 'tuning' 'no NVRTC, or no software GPU'
  end_tests
  exit
fi

# Leaks on the GPU, and what is left in the folder of temporary files, are told.
mkdir "$dir/tmp"
export TMPDIR="$dir/tmp"
few='--software --sizes 300..3000 --jobs 4'
# shellcheck disable=SC2086  # several words
checks() { # checks <argument>...: other values give the same results
  try "check: $1 $2" 0 '^4 candidates checked, 0 failed' '' tune "$@" $few --check "4:${JIG_TEST_SEED:-$(($(date +%s) / 86400))}"
}
checks scan in=f32
checks reduce in=hit out=hit op='{ return a.d < b.d ? a : b; }' --struct 'hit:16:8:struct hit { double d; int id; };'
checks scan_by_key keys_in=u32 values_in=f64
checks run_length_encode --type i32
checks select --type u8 --op-source 'return x > 99;'
checks transform in='transform(f32, { return x * x; })' out=f64
checks merge_sort keys_in=u32 values_in=u64
checks merge --type f32
checks segmented_sort --type u32 begin_offsets=i32 --segment-items 50
checks segmented_top_k --type f32 --values u32 --segment-size 100 --k 7
checks top_k --type f32 --k 30
checks histogram --type f32 --bins 20 --lower 0 --upper 1
checks copy_batched --type u16 in_offsets=i32 --segment-items 40
checks memcpy_batched --segment-items 300
also 'nothing is left' [ -z "$(ls "$dir/tmp")" ]

# shellcheck disable=SC2086
try 'tune' 0 'candidates? tried' '' tune reduce in=u32 $few --budget 1s --out "$dir/kept"
also 'nothing is left of it' [ -z "$(ls "$dir/tmp")" ]
if grep -q 'kept in' "$dir/out"; then
  also 'what is kept' grep -q '"tuning":{"jig_reduce":{' "$dir/kept"
else
  also 'nothing is kept' [ ! -e "$dir/kept" ]
fi

# Values that are told: what runs goes by them, and so does what is prewarmed.
# shellcheck disable=SC2016  # no variables
echo '{"sm":90,"spec":{"accum":"u32","algorithm":"reduce","in":{"kind":"pointer","type":"u32"},"op":"plus","out":{"kind":"pointer","type":"u32"}},"tuning":{"jig_reduce":{"threads":256}}}' >"$dir/told"
try 'source without wisdom' 0 'threads = 512' '' source reduce in=i32 --arch sm_90
under "JIG_WISDOM=$dir/told" try 'source by wisdom' 0 'threads = 256' '' source reduce in=i32 --arch sm_90
under "JIG_WISDOM=$dir/told" try 'source for others' 0 'threads = 512' '' source reduce in=i32 --arch sm_80
under "JIG_WISDOM=$dir/told" try 'prewarmed' 0 '^compiled' '' prewarm reduce in=i32 out=i32 --arch compute_90
bytes 01 00 00 00 02 00 00 00 07 00 00 00 >"$dir/items"
under "JIG_WISDOM=$dir/told JIG_BUILD=never JIG_LOG=debug" try 'run by wisdom' 0 '^10$' 'wisdom: .*told:1 tunes reduce' \
  run --software reduce --type i32 "$dir/items"

end_tests
