#!/bin/sh
# Everything that is made of the measurements in results/: the figures that README.md and docs cite, the tables of
# docs/performance.md and of RESULTS.md, and the drawings of both.
#
#   tools/bench/figures.sh csv         > docs/figures.csv        a figure a line: name, value, file
#   tools/bench/figures.sh <table>                               one table; <table> is any name of table_<name>() below
#   tools/bench/figures.sh fill <page>                           the page, with each table between its marks made anew
#   tools/bench/figures.sh draw <folder>                         ratios.svg, sizes.svg, floor.svg; needs gnuplot
#   tools/bench/figures.sh stamp                                 what a drawing ends with: of which figures it was made
#
# A ratio is the peer's time over jig's. `make figures` makes all of it; the tests compare.
set -eu
export LC_ALL=C
here=$(dirname "$0")
results=${RESULTS:-$here/results}
gpu_csv=$results/h200.csv host_csv=$results/host.csv cold_csv=$results/cold.csv first_csv=$results/first-call.csv
linked_csv=$results/linked.csv

pairs() { awk -f "$here/pairs.awk" "$gpu_csv"; } # its head names the columns

# ---- docs/performance.md: by algorithm, in a stream

# Left out are collectives, and families of cases that are of several algorithms.
of_algorithms() { pairs | awk '$1 !~ /^(computed|hinted|operator|wide_items|(block|warp)_.*)$/ && $4 != "-"'; }

# Of lines "<algorithm> <group of sizes> <ratio>": how many, the smallest, the median and the largest of each.
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

# By large sizes (2^26 and more) and small ones (up to 2^20).
ratios() {
  of_algorithms | awk '$3 >= 2 ^ 26 { print $1, "large", $4 } $3 <= 2 ^ 20 { print $1, "small", $4 }' | summed
}

table_summary() {
  echo "| algorithm | up to 2^20 items | 2^26 items and more |"
  echo "| --- | --: | --: |"
  ratios | awk '
    !($1 in seen) { seen[$1] = 1; names[++n] = $1 }
    { cell[$1, $2] = sprintf("%.2f (%.2f to %.2f)", $5, $4, $6) }
    END {
      for (i = 1; i <= n; ++i) printf "| %s | %s | %s |\n", names[i], cell[names[i], "small"], cell[names[i], "large"]
    }'
}

# ---- RESULTS.md

size_text='function size_text(n, power) { power = log(n) / log(2); return power == int(power) ? "2^" power : n }
  function near(commit) { sub(/^near_/, "near ", commit); return commit }
  function short(commit) { commit = near(commit); return substr(commit, 1, commit ~ /^near/ ? 12 : 7) }'

# What the rows of each algorithm are of.
table_sources() {
  echo "| algorithm | cases | rows | with a peer | measured | commits | CUB |"
  echo "| --- | --: | --: | --: | --- | --- | --- |"
  pairs | awk "$size_text"'
    function add(list, name, text) {
      if ((list, name, text) in has) return
      has[list, name, text] = 1
      lists[list, name] = lists[list, name] (lists[list, name] == "" ? "" : ", ") text
    }
    {
      if (!($1 in rows)) names[++n] = $1
      ++rows[$1]
      if ($4 != "-") { ++peers[$1]; add("cub", $1, $13) }
      if (!(($1, $2) in case_seen)) { case_seen[$1, $2] = 1; ++cases[$1] }
      day = substr($15, 1, 10)
      if (!($1 in first) || day < first[$1]) first[$1] = day
      if (day > last[$1]) last[$1] = day
      add("commit", $1, short($14))
    }
    END {
      for (i = 1; i <= n; ++i) {
        a = names[i]
        days = first[a] == last[a] ? first[a] : first[a] " to " last[a]
        printf "| %s | %d | %d | %d | %s | %s | %s |\n", a, cases[a], rows[a], peers[a], days,
               lists["commit", a], lists["cub", a]
      }
    }'
}

# The runs, and how many rows are left of each.
table_runs() {
  echo "| measured | commit | rows | command |"
  echo "| --- | --- | --: | --- |"
  cat "$gpu_csv" "$host_csv" "$cold_csv" | awk -F, "$size_text"'
    /^# run: / {
      split(substr($0, 8), part, ", ")
      id = part[1] ", " part[2]
      if (!(id in commands)) ids[++n] = id
      sub(/^.*: bench-run/, "bench-run")
      gsub(/ (-o|--output|--commit) [^ ;,]*/, "")
      sub(/ +$/, "")
      commands[id] = commands[id] (commands[id] == "" ? "" : "; ") "`" $0 "`"
      next
    }
    /^#/ || $NF == "date" { next }
    { ++rows[$NF ", " $(NF - 1)] }
    END {
      for (i = 1; i <= n; ++i) {
        split(ids[i], part, ", ")
        printf "| %s | %s | %d | %s |\n", part[1], short(part[2]), rows[ids[i]], commands[ids[i]]
      }
    }' | sort
}

# The geometric mean of each algorithm's ratios at each size, and over all sizes that are no power of two; in brackets in a
# stream, where the peer has no graph.
table_ratios() {
  pairs | awk '
    BEGIN {
      count = split("10 12 14 16 18 20 22 24", powers, " ")
      head = "| algorithm"
      line = "| ---"
      for (i = 1; i <= count; ++i) { size[2 ^ powers[i]] = i; head = head " | 2^" powers[i]; line = line " | --:" }
      print head " | other | 2^28, stream | least, graph | least, 2^28 |"
      print line " | --: | --: | --: | --: |"
      all = "all of them"
    }
    function add(name, column, ratio) {
      ++rows[name, column]
      sum[name, column] += log(ratio)
      if (!((name, column) in least) || ratio < least[name, column]) least[name, column] = ratio
    }
    function column_of(n, power) { power = log(n) / log(2); return power == int(power) ? size[n] : count + 1 }
    function note(name, column) {
      if (!(name in seen) && name != all) names[++n] = name
      seen[name] = 1
      if ($3 == 2 ^ 28) add(name, "large", $4)
      if ($5 != "-") add(name, "graph", $5)
      column = column_of($3)
      if (column && $5 != "-") add(name, column, $5)
      if (column && $5 == "-") add(name, "stream" column, $4)
    }
    $4 != "-" { note($1); note(all) }
    function mean(name, column) {
      return rows[name, column] ? sprintf("%.2f", exp(sum[name, column] / rows[name, column])) : ""
    }
    function minimum(name, column) { return rows[name, column] ? sprintf("%.2f", least[name, column]) : "" }
    function print_line(name, i, text, cell) {
      text = "| " name
      for (i = 1; i <= count + 1; ++i) {
        cell = mean(name, i)
        if (cell == "" && rows[name, "stream" i]) cell = "(" mean(name, "stream" i) ")"
        text = text " | " cell
      }
      print text " | " mean(name, "large") " | " minimum(name, "graph") " | " minimum(name, "large") " |"
    }
    END { for (i = 1; i <= n; ++i) print_line(names[i]); print_line(all) }'
}

# The same beside an older CUB, of the sizes that were measured with it.
table_ratios_3_0_1() {
  gpu_csv=$results/h200-cub-3.0.1.csv
  table_ratios | cut -d '|' -f 1,2,4,6,8,10,12-
  gpu_csv=$results/h200.csv
}

# The geometric means over all rows with a peer.
table_overall() {
  pairs | awk '
    $4 != "-" && $3 == 2 ^ 28 { ++n; s += log($4); below += $4 < 0.995 }
    $5 != "-" && $3 >= 4096 && $3 <= 2 ^ 24 { ++m; t += log($5); under += $5 < 0.995 }
    END {
      print "| | rows | geometric mean | below 1.0 |"; print "| --- | --: | --: | --: |"
      if (n) printf "| in a stream, 2^28 items | %d | %.2f | %d |\n", n, exp(s / n), below
      if (m) printf "| from a graph, 2^12 to 2^24 items | %d | %.2f | %d |\n", m, exp(t / m), under
    }'
}

# Reads reasons.txt first; of_case() is then the reason that it has for a case.
# shellcheck disable=SC2016  # fields of awk's
reasons='FNR == NR { if ($1 == kind) { patterns[++m] = $2; sub(/^[^ ]+ +[^ ]+ +/, ""); why[m] = $0 } next }
  function of_case(name, i) { for (i = 1; i <= m; ++i) if (name ~ "^" patterns[i] "$") return why[i]; return "not looked into" }'

# What is slower than its peer. Where the spreads of both overlap it is not said to be.
table_below() {
  echo "| case | in a stream | from a graph | why |"
  echo "| --- | --- | --- | --- |"
  pairs | awk -v kind=below "$size_text $reasons"'
    { in_stream = $4 != "-" && $4 < 0.995 && $6 != "~"; in_graph = $5 != "-" && $5 < 0.995 && $7 != "~" }
    in_stream || in_graph {
      if (!($2 in seen)) { seen[$2] = 1; names[++n] = $2 }
      if (in_stream) stream[$2] = stream[$2] (stream[$2] == "" ? "" : ", ") size_text($3) sprintf(" %.2f", $4)
      if (in_graph) graph[$2] = graph[$2] (graph[$2] == "" ? "" : ", ") size_text($3) sprintf(" %.2f", $5)
    }
    END {
      for (i = 1; i <= n; ++i) {
        printf "| %s | %s | %s | %s |\n", names[i], stream[names[i]], graph[names[i]], of_case(names[i])
      }
    }
  ' "$results/reasons.txt" -
}

# What is at most 5 % faster, of the rows that have a part in the means: how many of each algorithm and reason. Patterns of
# these reasons are of "<case>:small", up to 2^20 items, or "<case>:large".
table_near() {
  echo "| algorithm | cases | rows | why |"
  echo "| --- | --: | --: | --- |"
  pairs | awk -v kind=near "$size_text $reasons"'
    function is_near(ratio) { return ratio != "-" && ratio >= 0.995 && ratio < 1.05 }
    function note(group) {
      group = $1 SUBSEP of_case($2 ($3 <= 2 ^ 20 ? ":small" : ":large"))
      if (!(group in rows)) groups[++n] = group
      ++rows[group]
      if (!((group, $2) in seen)) { seen[group, $2] = 1; ++cases[group] }
    }
    $3 >= 4096 && $3 <= 2 ^ 24 && is_near($5) { note() }
    $3 == 2 ^ 28 && is_near($4) { note() }
    END {
      for (i = 1; i <= n; ++i) {
        split(groups[i], part, SUBSEP)
        printf "| %s | %d | %d | %s |\n", part[1], cases[groups[i]], rows[groups[i]], part[2]
      }
    }
  ' "$results/reasons.txt" -
}

# Searches need not read everything; what a collective does many times over has no floor.
# shellcheck disable=SC2016  # fields of awk's
no_floor='$1 ~ /_bound$|^find_if$|^equal_range$|^(block|warp)_/'
with_floor() { pairs | awk "\$3 >= 2 ^ 26 && !($no_floor)"; }

# The highest rate of a row that has to move all its bytes, GB/s.
floor_rate() { with_floor | awk '$9 > most { most = $9 } END { printf "%.0f\n", most }'; }

# Of each algorithm, at 2^26 items and more, how many times the floor its cases take.
over_floor() { with_floor | awk -v rate="$(floor_rate)" '{ print $1, "large", rate / $9 }' | summed; }
table_floor() {
  echo "| algorithm | rows | least | median | most |"
  echo "| --- | --: | --: | --: | --: |"
  over_floor | awk '{ printf "| %s | %d | %.2f | %.2f | %.2f |\n", $1, $3, $4, $5, $6 }'
}

# Bytes as a reader takes them in.
bytes_text='function bytes_text(n) {
    return n == "-" ? "" : n < 1e4 ? n " B" : n < 1e7 ? sprintf("%.0f KB", n / 1e3) : sprintf("%.0f MB", n / 1e6)
  }'

# Temp storage at 2^20 items and more: how many rows ask for over 5 % more than the peer, and the one that asks for most
# more.
table_storage() {
  echo "| algorithm | rows | over CUB + 5 % | the largest excess | jig | CUB |"
  echo "| --- | --: | --: | --- | --: | --: |"
  pairs | awk "$size_text $bytes_text"'
    $11 != "-" && $3 >= 2 ^ 20 {
      if (!($1 in rows)) names[++n] = $1
      ++rows[$1]
      if ($10 <= 1.05 * $11) next
      ++over[$1]
      if ($10 - $11 <= excess[$1]) next
      excess[$1] = $10 - $11
      worst[$1] = $2 ", " size_text($3) " | " bytes_text($10) " | " bytes_text($11)
    }
    END {
      for (i = 1; i <= n; ++i) {
        a = names[i]
        if (over[a]) printf "| %s | %d | %d | %s |\n", a, rows[a], over[a], worst[a]
        else none = none (none == "" ? "" : ", ") a
      }
      print "\nNone of: " none "."
    }'
}

# Rows in which the results of both were told to differ.
table_differing() {
  echo "| case | items | commit | why |"
  echo "| --- | --- | --- | --- |"
  pairs | awk -v kind=differs "$size_text $reasons"'
    $12 == "NO" {
      if (!($2 in sizes)) names[++n] = $2
      sizes[$2] = sizes[$2] (sizes[$2] == "" ? "" : ", ") size_text($3)
      commit[$2] = short($14)
    }
    END {
      for (i = 1; i <= n; ++i) {
        printf "| %s | %s | %s | %s |\n", names[i], sizes[names[i]], commit[names[i]], of_case(names[i])
      }
    }
  ' "$results/reasons.txt" -
}

# Every case: ratios from a graph (in brackets in a stream), and what its largest size took.
table_rows() {
  pairs | awk -v rate="$(floor_rate)" "$size_text $bytes_text"'
    BEGIN {
      count = split("10 12 14 16 18 20 22 24", powers, " ")
      head = "| case"
      line = "| ---"
      for (i = 1; i <= count; ++i) { size[2 ^ powers[i]] = i; head = head " | 2^" powers[i]; line = line " | --:" }
      print head " | largest | ratio | us | GB/s | floor | temp | CUB |"
      print line " | --: | --: | --: | --: | --: | --: | --: |"
    }
    function ratio_text(ratio, overlap) { return ratio == "-" ? "" : sprintf("%.2f", ratio) (overlap == "~" ? "~" : "") }
    !($2 in seen) { seen[$2] = 1; names[++n] = $2 }
    {
      has_floor = $3 >= 2 ^ 26 && !('"$no_floor"')
      last[$2] = size_text($3) " | " ratio_text($4, $6) sprintf(" | %.4g | %.0f | ", $8, $9) \
                 (has_floor ? sprintf("%.2f", rate / $9) : "") " | " bytes_text($10) " | " bytes_text($11)
    }
    $3 in size {
      cell[$2, size[$3]] = $5 != "-" ? ratio_text($5, $7) : $4 != "-" ? "(" ratio_text($4, $6) ")" : ""
    }
    END {
      for (i = 1; i <= n; ++i) {
        line = "| " names[i]
        for (k = 1; k <= count; ++k) line = line " | " cell[names[i], k]
        print line " | " last[names[i]] " |"
      }
    }'
}

table_first_calls() {
  echo "| case | jig, s | nvcc and CUB, s |"
  echo "| --- | --: | --: |"
  awk -F, '
    function values() { return sprintf("%.2f (%.2f to %.2f)", $5, $6, $7) }
    $1 == "first_call" { if (!($2 in seen)) { seen[$2] = 1; names[++n] = $2 } cell[$2, $3] = values() }
    END { for (i = 1; i <= n; ++i) printf "| %s | %s | %s |\n", names[i], cell[names[i], "jig"], cell[names[i], "nvcc_cub"] }
  ' "$first_csv"
}

# Of each case of `cold`, with few and with many items: medians in ms of the first result of a process, of what it took of
# processors, of its call, and of what its compilers took, and how many kernels they compiled.
table_cold() {
  echo "| case | 2^12: result | CPU | call | compiling | kernels | hit | 2^24: result | CPU | call | compiling | kernels | hit |"
  echo "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |"
  awk -F, '
    $1 !~ /^first_result/ && $1 != "first_hit_call" { next }
    {
      n = $2
      sub(/.*\//, "", n)
      sub(/\/[0-9]*$/, "", $2)
      if (!($2 in seen)) { seen[$2] = 1; names[++m] = $2 }
      cell[$2, n, $1] = sprintf($1 == "first_hit_call" ? "%.1f" : "%.0f", $5)
    }
    function of_size(name, n) {
      return cell[name, n, "first_result"] " | " cell[name, n, "first_result_cpu"] " | " \
             cell[name, n, "first_result_call"] " | " \
             cell[name, n, "first_result_compiling"] " | " cell[name, n, "first_result_kernels"] " | " \
             cell[name, n, "first_hit_call"]
    }
    END {
      for (i = 1; i <= m; ++i) print "| " names[i] " | " of_size(names[i], 2 ^ 12) " | " of_size(names[i], 2 ^ 24) " |"
    }' "$cold_csv"
}

# Of each case of `linked`: medians in us of kernels that are linked, and of compiled ones.
table_linked() {
  echo "| case | 2^12 | 2^16 | 2^20 | 2^24 |"
  echo "| --- | --: | --: | --: | --: |"
  awk -F, '
    $1 != "gpu_time" { next }
    {
      n = $2
      sub(/.*\//, "", n)
      sub(/\/[^\/]*\/source_linked\/[0-9]*$/, "", $2)
      if (!($2 in seen)) { seen[$2] = 1; names[++m] = $2 }
      us[$2, n, $3] = $5
    }
    function of_size(name, n, compiled) {
      compiled = us[name, n, "compiled"]
      return compiled > 0 ? sprintf(" %.2f (%.2f) |", us[name, n, "linked"] / compiled, compiled) : "  |"
    }
    END {
      for (i = 1; i <= m; ++i)
        print "| " names[i] " |" of_size(names[i], 2 ^ 12) of_size(names[i], 2 ^ 16) of_size(names[i], 2 ^ 20) \
              of_size(names[i], 2 ^ 24)
    }' "$linked_csv"
}

# Of each host figure and case: medians, in brackets the 10th and 90th percentile.
table_host() {
  awk -F, '
    /^#/ || $NF == "date" { next }
    BEGIN { who["null"] = "an empty kernel"; who["cub"] = "CUB"; who["jig"] = "jig" }
    {
      if (!(($1, $3) in seen)) { seen[$1, $3] = 1; names[++n] = $1 SUBSEP $3 SUBSEP $4 }
      if (!($2 in case_seen)) { case_seen[$2] = 1; cases[++m] = $2 }
      cell[$1, $3, $2] = sprintf("%.2f (%.2f, %.2f)", $5, $7, $8)
    }
    END {
      head = "| figure | of | unit"
      line = "| --- | --- | ---"
      for (i = 1; i <= m; ++i) { head = head " | " cases[i]; line = line " | --:" }
      print head " |"
      print line " |"
      for (i = 1; i <= n; ++i) {
        split(names[i], part, SUBSEP)
        text = "| " part[1] " | " who[part[2]] " | " part[3]
        for (k = 1; k <= m; ++k) text = text " | " cell[part[1], part[2], cases[k]]
        print text " |"
      }
    }' "$host_csv"
}

# ---- figures that pages cite

figure() { # figure <name> <format of the value> <file> <figure,case,impl>
  awk -F, -v row="$4" -v name="$1" -v form="$2" -v file="$(basename "$3")" '
    index($0, row ",") == 1 { printf "%s," form ",%s\n", name, form ~ /MiB/ ? $5 / 1024 : $5, file }' "$3"
}
figures() {
  echo "name,value,file"
  for case in reduce scan radix_sort; do
    figure "first_call_$case" "%.1f s" "$first_csv" "first_call,$case/i32,jig"
    figure "first_call_${case}_nvcc" "%.0f s" "$first_csv" "first_call,$case/i32,nvcc_cub"
  done
  figure library_size "%.1f MiB" "$first_csv" "size,libjig.so,jig"
  figure cold_build_reduce "%.0f ms" "$host_csv" "cold_build,reduce/f32/sum,jig"
  figure cold_build_scan "%.0f ms" "$host_csv" "cold_build,scan/f32/exclusive_sum,jig"
  figure disk_hit_reduce "%.1f ms" "$host_csv" "disk_hit,reduce/f32/sum,jig"
  figure disk_hit_scan "%.1f ms" "$host_csv" "disk_hit,scan/f32/exclusive_sum,jig"
  figure call_reduce "%.1f us" "$host_csv" "call,reduce/f32/sum,jig"
  figure call_null "%.1f us" "$host_csv" "call,reduce/f32/sum,null"
  ratios | awk -v file="$(basename "$gpu_csv")" '{
    printf "%s_%s_median,%s,%s\n", $1, $2, $5, file
    if ($2 == "large") { ++n; if ($5 >= 1) ++faster }
  }
  END { printf "algorithms_large,%d,%s\nalgorithms_large_faster,%d,%s\n", n, file, faster, file }'
}

# ---- pages and drawings

# A page with what is between "<!-- figures: <table> -->" and "<!-- figures: end -->" made anew.
fill() {
  within=
  while IFS= read -r line; do
    case $line in "<!-- figures: end -->") within= ;; esac
    [ -n "$within" ] || printf '%s\n' "$line"
    case $line in
      "<!-- figures: end -->") ;;
      "<!-- figures: "*" -->")
        within=${line#"<!-- figures: "} within=${within%" -->"}
        "table_$within"
        ;;
    esac
  done <"$1"
  [ -z "$within" ] || { echo "figures.sh: $1: the table '$within' has no end" >&2; exit 1; }
}

stamp() { echo "<!-- $({ pairs; cat "$here/ratios.gp" "$here/sizes.gp" "$here/floor.gp"; } | cksum | cut -d ' ' -f 1) -->"; }

draw() { # draw <folder>
  data=$(mktemp)
  trap 'rm -f "$data"' EXIT
  for size in small large; do
    ratios | awk -v size="$size" '$2 == size' | sort -k 5,5g | awk '{ print NR, $4, $5, $6, $1 }'
    printf '\n\n'
  done >"$data"
  gnuplot -e "data='$data'; svg='$1/ratios.svg'" "$here/ratios.gp"
  for name in reduce scan select radix_sort reduce_by_key merge_sort; do
    echo "\"$name\""
    of_algorithms | awk -v name="$name" '$1 == name { print $1, $3, $4 }' | summed | sort -k 2,2g | awk '{ print $2, $5 }'
    printf '\n\n'
  done >"$data"
  gnuplot -e "data='$data'; svg='$1/sizes.svg'" "$here/sizes.gp"
  over_floor | sort -k 5,5gr | awk '{ print NR, $4, $5, $6, $1 }' >"$data"
  gnuplot -e "data='$data'; svg='$1/floor.svg'; rate='$(floor_rate)'" "$here/floor.gp"
  for svg in ratios sizes floor; do stamp >>"$1/$svg.svg"; done
}

usage() {
  echo "usage: figures.sh csv | stamp | fill <page> | draw <folder> | a table:" \
    "$(sed -n 's/^table_\([a-z0-9_]*\)().*/\1/p' "$0" | paste -sd ' ')" >&2
  exit 2
}
case ${1:-} in
  csv) figures ;;
  stamp) stamp ;;
  fill) fill "${2:?a page}" ;;
  draw) draw "${2:?the folder for drawings}" ;;
  *) grep -q "^table_${1:-none}() {" "$0" || usage; "table_$1" ;;
esac
