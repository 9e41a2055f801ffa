# A page with the table of ratios, which is read first, between its marks.
#
#   tools/bench/figures.sh table | awk -f tools/bench/fill_table.awk - docs/performance.md
FNR == NR { table = table $0 "\n"; next }
/^<!-- figures: end -->$/ { within = 0 }
!within { print }
/^<!-- figures: table -->$/ { within = 1; printf "%s", table }
