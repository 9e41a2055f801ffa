# Of each case and number of items one line, of the two rows of a file of measurements, separated by blanks; "-": there is none.
#  1 algorithm  2 case  3 n  4 5 stream, graph: CUB's time over jig's  6 7 whether the spreads of both overlap there (~)
#  8 jig's us in a stream  9 GB/s  10 11 temp bytes of jig, of CUB  12 verified  13 CUB  14 commit  15 date
BEGIN { FS = "," }
/^#/ || $1 == "algorithm" || NF < 20 { next }
{ key = $1 " " $1 "/" $2 "/" $3 " " $4 }
$5 == "jig" {
  flush()
  mine = key; us = $6; low = $12; high = $8; graph = $9; graph_low = $14; graph_high = $15
  gbps = $10; temp = $11; tail = $17 " " $18 " " $19 " " $20; gsub(/ near /, " near_", tail)
  ratio = graph_ratio = temp_cub = "-"; same = graph_same = "."
  next
}
key == mine && us > 0 {
  ratio = $6 / us
  if (low <= $8 && $12 <= high) same = "~"
  if ($9 > 0 && graph > 0) {
    graph_ratio = $9 / graph
    if (graph_low <= $15 && $14 <= graph_high) graph_same = "~"
  }
  temp_cub = $11
}
function flush() {
  if (mine != "") print mine, ratio, graph_ratio, same, graph_same, us, gbps, temp, temp_cub, tail
}
END { flush() }
