#!/bin/sh
# The figures that README.md and docs cite, from the files in results/, and the drawings of ratios:
#
#   tools/bench/figures.sh csv                 > docs/figures.csv      a figure a line: name, value, file
#   tools/bench/figures.sh table               the table of docs/performance.md
#   tools/bench/figures.sh draw docs/ratios.svg docs/sizes.svg         of each algorithm; by sizes. Needs gnuplot
#   tools/bench/figures.sh stamp                what a drawing ends with: of which figures it was made
#
# A ratio is the peer's time over jig's, each in a stream. Of each case and size the newest file counts; files that were
# made to compare with an earlier state are left out, and so are collectives, families of cases that are of several
# algorithms, and top-k where the peer was a sort, as older CUBs have none. `make figures` does all three.
set -eu
export LC_ALL=C
results=$(dirname "$0")/results

newest_last() {
  for csv in "$results"/*.csv; do
    case $csv in *-before.csv | *-no-prefetch.csv | *-a3b1d5f*.csv) continue ;; esac
    echo "$(sed -n 's/^# date: //p' "$csv" | head -n 1) $csv"
  done | sort | cut -d ' ' -f 2
}

# Of each case and size "<algorithm> <number of items> <ratio>".
cases() {
  # shellcheck disable=SC2046  # no blanks in these names
  awk -F, '
    /^# cub: / { has_top_k = /^# cub: 3\.[5-9]/ }
    /^#/ || NF < 9 || $1 == "algorithm" || $6 <= 0 { next }
    $1 ~ /^(computed|hinted|operator|wide_items|(block|warp)_.*)$/ { next }
    $1 == "top_k" && !has_top_k { next }
    $5 == "jig" { mine[$1, $2, $3, $4] = $6; next }
    ($1, $2, $3, $4) in mine {
      id = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
      ratio[id] = $6 / mine[id]
    }
    END { for (id in ratio) { split(id, part, SUBSEP); print part[1], part[4], ratio[id] } }' $(newest_last)
}

# Of each algorithm and group of sizes: how many cases, the smallest, the median and the largest ratio.
summed() {
  sort -k 1,1 -k 2,2 -k 3,3g | awk '
    function flush() {
      if (n == 0) return
      median = (r[int((n + 1) / 2)] + r[int(n / 2) + 1]) / 2
      printf "%s %s %d %.2f %.2f %.2f\n", name, size, n, r[1], median, r[n]
    }
    $1 != name || $2 != size { flush(); name = $1; size = $2; n = 0 }
    { r[++n] = $3 }
    END { flush() }'
}

# The same by large sizes (2^26 and more), small ones (up to 2^20), and what is between.
ratios() {
  cases | awk '{ print $1, ($2 >= 2 ^ 26 ? "large" : $2 <= 2 ^ 20 ? "small" : "middle"), $3 }' | summed
}

latest() { newest_last | xargs grep -l "^$1" | tail -n 1; }
cell() { # cell <figure,case,impl> : the median, and the file
  file=$(latest "$1,")
  echo "$(grep "^$1," "$file" | tail -n 1 | cut -d , -f 5) $(basename "$file")"
}
figure() { # figure <name> <format of the value> <figure,case,impl>
  cell "$3" | { read -r value file && printf "%s,$2,%s\n" "$1" "$value" "$file"; }
}

figures() {
  echo "name,value,file"
  for case in reduce scan radix_sort; do
    figure "first_call_$case" "%.1f s" "first_call,$case/i32,jig"
    figure "first_call_${case}_nvcc" "%.0f s" "first_call,$case/i32,nvcc_cub"
  done
  figure library_size "%.1f MiB" "size,libjig.so,jig" | awk -F, '{ printf "%s,%.1f MiB,%s\n", $1, $2 / 1024, $3 }'
  figure cold_build_reduce "%.0f ms" "cold_build,reduce/f32/sum,jig"
  figure cold_build_scan "%.0f ms" "cold_build,scan/f32/exclusive_sum,jig"
  figure disk_hit_reduce "%.1f ms" "disk_hit,reduce/f32/sum,jig"
  figure disk_hit_scan "%.1f ms" "disk_hit,scan/f32/exclusive_sum,jig"
  figure call_reduce "%.1f us" "call,reduce/f32/sum,jig"
  figure call_null "%.1f us" "call,reduce/f32/sum,null"
  ratios | awk '$2 != "middle" {
    printf "%s_%s_median,%s,results/\n", $1, $2, $5
    if ($2 == "large") { ++n; if ($5 >= 1) ++faster; median[n] = $5 }
  }
  END { printf "algorithms_large,%d,results/\nalgorithms_large_faster,%d,results/\n", n, faster }'
}

table() {
  echo "| algorithm | up to 2^20 items | 2^26 items and more |"
  echo "| --- | --: | --: |"
  ratios | awk '
    $2 == "middle" { next }
    !($1 in seen) { seen[$1] = 1; names[++n] = $1 }
    { cell[$1, $2] = sprintf("%.2f (%.2f to %.2f)", $5, $4, $6) }
    END {
      for (i = 1; i <= n; ++i) printf "| %s | %s | %s |\n", names[i], cell[names[i], "small"], cell[names[i], "large"]
    }'
}

stamp() { echo "<!-- $(cases | sort | cksum | cut -d ' ' -f 1) -->"; }

draw() { # draw <svg of algorithms> <svg of sizes>
  data=$(mktemp)
  trap 'rm -f "$data"' EXIT
  for size in small large; do
    ratios | awk -v size="$size" '$2 == size' | sort -k 5,5g | awk '{ print NR, $4, $5, $6, $1 }'
    printf '\n\n'
  done >"$data"
  gnuplot -e "data='$data'; svg='$1'" "$(dirname "$0")/figures.gp"
  for name in reduce scan select radix_sort reduce_by_key merge_sort; do
    echo "\"$name\""
    cases | awk -v name="$name" '$1 == name' | summed | sort -k 2,2g | awk '{ print $2, $5 }'
    printf '\n\n'
  done >"$data"
  gnuplot -e "data='$data'; svg='$2'" "$(dirname "$0")/sizes.gp"
  for svg in "$1" "$2"; do stamp >>"$svg"; done
}

case ${1:-} in
  csv) figures ;;
  table) table ;;
  draw) draw "${2:?the SVG file of algorithms}" "${3:?the SVG file of sizes}" ;;
  stamp) stamp ;;
  *) echo "usage: figures.sh csv | table | stamp | draw <svg> <svg>" >&2; exit 2 ;;
esac
