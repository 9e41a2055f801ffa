#!/bin/sh
# Makes one file of measurements of several, of which any may be made by this script:
#
#   tools/bench/merge.sh <file.csv> ... > tools/bench/results/h200.csv
#
# Of each case and number of items (or host figure and case) all rows come from one run: the newest that has the peer,
# else the newest; so a ratio is never of two runs. Each row ends with its run's CUB, commit and date; the commands of
# the runs that are left are in the comments. Files of different GPUs, drivers or toolkits are not merged.
set -eu
export LC_ALL=C
[ $# -gt 0 ] || { echo "usage: merge.sh <file.csv> ..." >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk -F, -v rows="$folder/rows" -v comments="$folder/comments" '
  function fail(text) { print "merge.sh: " FILENAME ": " text >"/dev/stderr"; failed = 1; exit 1 }
  # Whether run a of a group is to be taken rather than b.
  function better(a, b) { return has_peer[a] != has_peer[b] ? has_peer[a] : date_of[a] >= date_of[b] }
  function note_run(date, commit, text) {
    gsub(/ (-o|--output|--cache) [^ ]*/, "", text) # where files lay then is no matter
    if (index(SUBSEP commands[date ", " commit] SUBSEP, SUBSEP text SUBSEP)) return
    commands[date ", " commit] = commands[date ", " commit] SUBSEP text
  }
  function same_machine(key, text) {
    if (!(key in machine)) { machine[key] = text; machines[++machine_count] = key }
    if (machine[key] != text) fail("another " key " than that of the files before: " text)
  }

  FNR == 1 { date = commit = cub = "unknown"; columns = 0 }
  /^# date: /    { date = substr($0, 9); commit = cub = jig = "unknown"; next }
  /^# cub: /     { cub = $1; sub(/^# cub: /, "", cub); if (cub !~ /^[0-9]/) cub = "none"; next }
  /^# jig: /     { jig = substr($0, 8); next }
  /^# templates: / { fail("measured with templates of its own") }
  /^# commit: /  { commit = substr($0, 11); next }
  /^# command: / { note_run(date, commit, "jig " jig ": " substr($0, 12)); next }
  /^# run: / {
    rest = substr($0, 8)
    split(rest, part, ", ")
    note_run(part[1], part[2], substr(rest, length(part[1] part[2]) + 5))
    next
  }
  /^# (gpu|driver|toolkit): / {
    key = substr($0, 3, index($0, ":") - 3)
    same_machine(key, substr($0, length(key) + 5))
    next
  }
  /^#/ || NF == 0 { next }
  $1 == "algorithm" || $1 == "figure" {
    merged = $NF == "date"
    this = $0
    if (merged) sub(/,cub,commit,date$/, "", this)
    if (header != "" && this != header) fail("other columns than those of the files before")
    header = this
    columns = NF
    keys = $1 == "algorithm" ? 4 : 2 # what a group is known by
    next
  }
  !columns { fail("no line of columns before the first row") }
  NF != columns { next } # the end of a file that was being written
  {
    text = $0
    if (merged) { date = $NF; commit = $(NF - 1); cub = $(NF - 2); sub(/,[^,]*,[^,]*,[^,]*$/, "", text) }
    # The peer of top-k was a sort, where CUB has no top-k.
    if ($1 == "top_k" && $5 == "cub" && cub < "3.5") next
    group = $1 "," $2
    for (i = 3; i <= keys; ++i) group = group "," $i
    run = group "," date "," commit
    impl = $(keys + 1)
    if (!(run in date_of)) {
      date_of[run] = date
      id_of[run] = date ", " commit
      tail_of[run] = cub "," commit "," date
      runs[group] = runs[group] SUBSEP run
    }
    if (impl == "cub" && keys == 4) has_peer[run] = 1
    # The same run a second time, as in the middle of a file: what was measured last.
    if (!((run, impl) in row)) impls[run] = impls[run] SUBSEP impl
    row[run, impl] = text
  }
  END {
    if (failed) exit 1
    for (group in runs) {
      count = split(substr(runs[group], 2), candidates, SUBSEP)
      best = candidates[1]
      for (i = 2; i <= count; ++i) if (better(candidates[i], best)) best = candidates[i]
      used[id_of[best]] = 1
      # A file that was put together by hand may have peers without telling which.
      if (has_peer[best]) sub(/^none,/, "unknown,", tail_of[best])
      count = split(substr(impls[best], 2), candidates, SUBSEP)
      for (i = 1; i <= count; ++i) print row[best, candidates[i]] "," tail_of[best] >rows
    }
    for (i = 1; i <= machine_count; ++i) print "# " machines[i] ": " machine[machines[i]]
    print "# method: see tools/bench/README.md; no cache is flushed, so what fits lies in L2"
    for (id in used) {
      count = split(substr(commands[id], 2), candidates, SUBSEP)
      for (i = 1; i <= count; ++i) print "# run: " id ", " candidates[i] >comments
    }
    print header ",cub,commit,date" >(comments ".columns")
  }' "$@" >"$folder/machine"

[ -s "$folder/rows" ] || { echo "merge.sh: no rows in these files" >&2; exit 1; }
cat "$folder/machine"
[ ! -e "$folder/comments" ] || sort "$folder/comments"
cat "$folder/comments.columns"
# Of figures the second key, the case, is text; the numbers of items of cases ascend; jig is before cub.
case $(cat "$folder/comments.columns") in
  algorithm*) sort -t , -k 1,1 -k 2,2 -k 3,3 -k 4,4n -k 5,5r "$folder/rows" ;;
  *) sort -t , -k 2,2 -k 1,1 -k 3,3r "$folder/rows" ;;
esac
