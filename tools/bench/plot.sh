#!/bin/sh
# Draws CUB's time over jig's, over the number of items, a line for each algorithm, type and variant.
#
#   tools/bench/plot.sh <results.csv> <drawing.svg>
set -eu

csv=${1:?the CSV file} svg=${2:?the SVG file}
data=$(mktemp)
trap 'rm -f "$data"' EXIT

# One block for each line of the drawing: its title, then items, stream ratio, graph ratio ("-": none).
awk -F, '
  function ratio(of_jig, of_cub) { return of_jig > 0 && of_cub > 0 ? of_cub / of_jig : "-" }
  /^#/ || NF < 9 { next }
  !columns { columns = 1; for (i = 1; i <= NF; ++i) at[$i] = i; next }
  {
    key = $at["algorithm"] " " $at["type"] " " $at["variant"]
    n = $at["n"]
    if ($at["impl"] == "jig") {
      stream[key, n] = $at["stream_us_median"]
      graph[key, n] = $at["graph_us_median"]
    }
    if ($at["impl"] != "cub" || !((key, n) in stream)) next
    if (!(key in rows)) { keys[++count] = key; rows[key] = "" }
    rows[key] = rows[key] n " " ratio(stream[key, n], $at["stream_us_median"]) " " \
                ratio(graph[key, n], $at["graph_us_median"]) "\n"
  }
  END { for (i = 1; i <= count; ++i) printf "\"%s\"\n%s\n\n", keys[i], rows[keys[i]] }
' "$csv" >"$data"

lines=$(grep -c '^"' "$data") || true
if [ "$lines" -eq 0 ]; then
  echo "plot.sh: $csv has no case that both jig and CUB ran; nothing is drawn" >&2
  exit 0
fi
# Both panels show all ratios, and at least 0.7 to 2.
range=$(awk '
  BEGIN { low = 0.7; high = 2 }
  !/^"/ { for (i = 2; i <= NF; ++i) if ($i != "-") { if ($i < low) low = $i; if ($i > high) high = $i } }
  END { printf "low=%g; high=%g", low / 1.05, high * 1.05 }' "$data")
title=$(sed -n 's/^# gpu: \([^,]*\).*/\1/p' "$csv")
gnuplot -e "data='$data'; lines=$lines; svg='$svg'; gpu='$title'; $range" "$(dirname "$0")/plot.gp"
echo "$svg"
