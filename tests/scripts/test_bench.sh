#!/bin/sh
# The benchmark's complete run, dry: every family of cases is in it, runs, and can be continued; and what is made of
# measurements. Of each family a tenth of the cases, others with every $JIG_TEST_SEED (all of them with SHARE=''), jig
# alone, on the software GPU.
. tests/scripts/checks.sh
bench=$build/bench
run=$bench/bench-run
JIG_DRIVER=$(realpath "$build/softgpu/libcuda.so.1" 2>/dev/null)
export JIG_DRIVER
if [ ! -x "$run" ] || [ ! -e "$JIG_DRIVER" ]; then
  echo "skipped: bench: all of it (not built: make softgpu bench-build)"
  exit 0
fi
show_failed() { tail -n 8 "$folder/log" 2>/dev/null; }
seed=${JIG_TEST_SEED:-$(($(date +%s) / 86400))}
share=${SHARE---share $seed/10}

sources() { for file in tools/bench/bench_*.c; do basename "$file" .c; done | sed 's/^bench_//' | sort; }
families() { [ "$("$run" families | sort)" = "$(sources)" ]; }
check "every bench_*.c is a family" families

# ---- in pieces

dry() { # dry <options...>: its exit status
  # shellcheck disable=SC2086  # lists of words
  COMMIT=a1b2c3d tools/bench/run.sh dry "$bench" "$folder/out" "$@" $share >"$folder/log" 2>&1
}
rows() { # rows <file>: "<algorithm>/<type>/<variant> <n>" of each row of jig's
  awk -F, '$5 == "jig" { print $1 "/" $2 "/" $3, $4 }' "$1" | sort
}
parts=$folder/out/dry.parts
first=$(sources | head -n 1)

# One that a first call has left in the middle of a row: the limit has been reached, or it was killed.
limited() {
  # shellcheck disable=SC2086  # lists of words
  "$run" run --family "$first" --sizes 1001,2^12 --samples 1 --calls 1 --alone --commit a1b2c3d $share \
    -o "$parts/$first.part.csv" >"$folder/log" 2>&1 || return 1
  rows "$parts/$first.part.csv" >"$folder/before" && [ "$(wc -l <"$folder/before")" -ge 2 ] || return 1
  head -n -1 "$parts/$first.part.csv" >"$folder/cut" && cp "$folder/cut" "$parts/$first.part.csv"
  printf '%s' "$(tail -n 1 "$folder/cut" | cut -c 1-30)" >>"$parts/$first.part.csv"
}
mkdir -p "$parts"
check "a family is measured by itself" limited
reached() { dry --limit 1 --resume; [ $? -eq 4 ]; }
check "where the limit is reached it says so" reached
check "and the file is as it was" test -e "$parts/$first.part.csv"
another() { ! "$run" run --family "$first" --alone --commit another --resume -o "$parts/$first.part.csv" >"$folder/log" 2>&1; }
check "no file of another commit is gone on with" another
check "that is told" grep -q "has been begun with '# commit: a1b2c3d'" "$folder/log"

check "the rest is run" dry --resume
once() {
  rows "$parts/$first.csv" | uniq -d | grep . && return 1
  ! rows "$parts/$first.csv" | comm -23 "$folder/before" - | grep .
}
check "what was cut off is measured again, and nothing else" once
pieces() { [ "$(cd "$parts" && for file in *.csv; do echo "${file%.csv}"; done | sort)" = "$({ sources && echo host; } | sort)" ]; }
check "every family is a finished piece, and so are the host figures" pieces
# shellcheck disable=SC2086  # a list of words
complete() {
  "$run" list $share | awk '{ print $1 }' | sort -u >"$folder/listed"
  rows "$folder/out/dry.csv" | awk '{ print $1 }' | sort -u | comm -23 "$folder/listed" - | grep . && return 1
  [ -s "$folder/listed" ]
}
check "every case is in the file" complete
"$run" list >"$folder/all" # whose turn it is or not
for kind in block_ warp_ radix_sort segmented_scan; do
  check "there are cases of $kind" grep -q "^$kind" "$folder/all"
done
check "each row tells commit and date" grep -q '^[a-z].*,unchecked,none,a1b2c3d,20[0-9-]*T' "$folder/out/dry.csv"
check "there are host figures" grep -q '^call_and_wait,reduce/f32/sum,jig,' "$folder/out/host.csv"

# A file of which results differ is done, and is not forgotten.
differed() {
  row=$(tail -n 1 "$parts/$first.csv" | sed 's/,jig,/,cub,/; s/unchecked$/NO/')
  echo "$row" >>"$parts/$first.csv"
  # shellcheck disable=SC2086  # lists of words
  "$run" run --family "$first" --sizes 1001,2^12 --alone --commit a1b2c3d $share --resume -o "$parts/$first.csv" \
    >"$folder/log" 2>&1
  [ $? -eq 5 ] && grep -q "results differ" "$folder/log"
}
check "results that differ are told again" differed

# ---- the environment

left_out() { JIG_BUILD=never "$run" list 2>"$folder/log" >"$folder/list" && grep -q "JIG_BUILD is left out" "$folder/log"; }
check "what is left out of the environment is told" left_out
templates() {
  JIG_TEMPLATE_PATH=templates "$run" run --only reduce/i8 --sizes 1000 --samples 1 --calls 1 --alone \
    -o "$folder/templates.csv" >"$folder/log" 2>&1 && grep -q '^# templates: templates$' "$folder/templates.csv"
}
check "other templates may be measured, which the file tells" templates
no_templates() {
  mkdir -p "$folder/empty"
  ! JIG_TEMPLATE_PATH=$folder/empty "$run" run --only reduce/i8 --sizes 1000 --samples 1 --calls 1 --alone >"$folder/log" 2>&1
}
check "and are" no_templates
kept() { # an entry that is written anew is another file
  "$run" run --only reduce/i8 --sizes 1000 --samples 1 --calls 1 --alone --cache "$folder/kept" >"$folder/log" 2>&1 &&
    find "$folder/kept" -name '*.jig' -printf '%i %p\n' | sort
}
kept_once() { kept >"$folder/first" && [ -s "$folder/first" ] && kept | cmp -s "$folder/first" -; }
check "programs are kept, and found by another run" kept_once

# ---- linked kernels

linked() {
  "$run" linked --only select --sizes 2048 --samples 1 -o "$folder/linked.csv" >"$folder/log" 2>&1 &&
    [ "$(grep -c '^gpu_time,select/u32/source_linked/2048,[lc]' "$folder/linked.csv")" -eq 2 ]
}
check "linked and compiled kernels are timed in turn" linked

# ---- files of measurements are merged

columns=algorithm,type,variant,n,impl,stream_us_median,stream_us_min,stream_us_p90,graph_us_median,gbps,temp_bytes
columns=$columns,stream_us_p10,graph_us_min,graph_us_p10,graph_us_p90,samples,verified
measured() { # measured <file> <date> <commit> <CUB> <rows "<algorithm> <n> <implementation> <us>" ...>
  file=$folder/$1
  printf '# date: %s\n# gpu: a GPU\n# cub: %s\n# jig: 1\n# commit: %s\n# command: bench-run run %s\n%s\n' \
    "$2" "$4" "$3" "$1" "$columns" >"$file"
  shift 4
  for row in "$@"; do
    echo "$row" | awk '{ printf "%s,u32,case,%d,%s,%g,%g,%g,%g,5,%d,%g,%g,%g,%g,9,yes\n", $1, $2, $3, $4, $4, $4, $4 / 2,
      $4 * 100, $4, $4 / 2, $4 / 2, $4 / 2 }'
  done >>"$file"
}
merged() { (cd "$folder" && "$OLDPWD/tools/bench/merge.sh" "$@") >"$folder/out.csv" 2>"$folder/log" && mv "$folder/out.csv" "$folder/merged"; }
has() { # has <algorithm> <n> <implementation> <us> <commit>
  awk -F, -v a="$1" -v n="$2" -v i="$3" -v us="$4" -v c="$5" '
    $1 == a && $4 == n && $5 == i { ++rows; right += $6 == us && $(NF - 1) == c } END { exit !(rows == 1 && right == 1) }' "$folder/merged"
}
measured old.csv 2026-01-01T00:00:00Z aaaaaaa 3.0.1 "scan 1024 jig 4" "scan 1024 cub 8" "sort 1024 jig 5" "top_k 1024 jig 7" "top_k 1024 cub 70"
measured new.csv 2026-01-02T00:00:00Z bbbbbbb 3.0.1 "scan 1024 jig 3" "scan 1024 cub 9" "scan 2048 jig 6"
measured alone.csv 2026-01-03T00:00:00Z ccccccc "not in this build" "scan 1024 jig 2" "sort 1024 jig 1"
check "files are merged" merged new.csv old.csv alone.csv
check "the newest run with the peer counts" eval 'has scan 1024 jig 3 bbbbbbb && has scan 1024 cub 9 bbbbbbb'
check "without a peer the newest counts" has sort 1024 jig 1 ccccccc
check "what only one file has is there" has scan 2048 jig 6 bbbbbbb
check "a sort is no peer of top-k" eval 'has top_k 1024 jig 7 aaaaaaa && ! has top_k 1024 cub 70 aaaaaaa'
check "the commands of runs are there" grep -q '^# run: 2026-01-02T00:00:00Z, bbbbbbb, jig 1: bench-run run new.csv$' "$folder/merged"
again() { cp "$folder/merged" "$folder/once" && merged once && cmp "$folder/once" "$folder/merged"; }
check "merged once more it is the same" again
newer() { measured newest.csv 2026-01-04T00:00:00Z ddddddd 3.0.1 "scan 1024 jig 1" "scan 1024 cub 4" && merged newest.csv once && has scan 1024 jig 1 ddddddd && has sort 1024 jig 1 ccccccc; }
check "newer rows take the place of those of a merged file" newer
sed 's/a GPU/another GPU/' "$folder/new.csv" >"$folder/other.csv"
refused() { ! merged new.csv other.csv && grep -q "another gpu" "$folder/log"; }
check "files of two GPUs are not merged" refused
tried() { sed 's/^# jig: 1$/# templates: mine/' "$folder/new.csv" >"$folder/tried.csv" && ! merged tried.csv; }
check "nor is what other templates took" tried

# ---- tables

mkdir "$folder/results"
measured table.csv 2026-01-02T00:00:00Z bbbbbbb 3.0.1 "scan 4096 jig 3" "scan 4096 cub 9" "scan 5000 jig 3" "scan 5000 cub 6" "scan 268435456 jig 300" "scan 268435456 cub 150"
merged table.csv && cp "$folder/merged" "$folder/results/h200.csv"
echo 'below scan/u32/.* too many steps' >"$folder/results/reasons.txt"
table() { # table <table> <line that it has>
  RESULTS=$folder/results tools/bench/figures.sh "$1" >"$folder/log" && grep -qF -e "$2" "$folder/log"
}
check "ratios by size" table ratios '| scan |  | 3.00 |  |  |  |  |  |  | 2.00 | 0.50 | 0.50 | 0.50 |'
cp "$folder/results/h200.csv" "$folder/results/h200-cub-3.0.1.csv"
check "ratios to an older CUB" table ratios_3_0_1 '| scan | 3.00 |  |  |  | 0.50 | 0.50 | 0.50 |'
check "over all rows" table overall '| in a stream, 2^28 items | 1 | 0.50 | 1 |'
check "what is below 1.0" table below '| scan/u32/case | 2^28 0.50 | 2^28 0.50 | too many steps |'
check "of which runs" table sources '| scan | 1 | 3 | 3 | 2026-01-02 | bbbbbbb | 3.0.1 |'
printf 'first_result,scan/u32/case/%d,jig,ms,%d,1,1,1\n' 4096 200 16777216 300 >"$folder/results/cold.csv"
printf 'first_hit_call,scan/u32/case/4096,jig,ms,2.46,1,1,1\n' >>"$folder/results/cold.csv"
check "first results" table cold '| scan/u32/case | 200 |  |  |  |  | 2.5 | 300 |  |  |  |  |  |'
printf 'gpu_time,scan/u32/source_linked/4096,%s,us,%d,1,1,1\n' linked 6 compiled 4 >"$folder/results/linked.csv"
check "linked kernels" table linked '| scan | 1.50 (4.00) |  |  |  |'
check "temp storage" table storage '| scan | 1 | 1 | scan/u32/case, 2^28 | 30 KB | 15 KB |'

end_checks
