# Two panels of ratios; plot.sh sets data, lines, svg, gpu, low and high.
set terminal svg size 1100,900 font "sans-serif,13" background "white" noenhanced
set output svg
set datafile missing "-"
set logscale x 2
set format x "2^%L"
set xtics 4
set logscale y 2
set yrange [low:high]
set ytics (0.125, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8, 16)
set grid xtics ytics lt 1 lc rgb "#dddddd"
set key outside right top
set multiplot layout 2,1 title sprintf("CUB's time / jig's time on %s: above 1, jig is faster", gpu)
set title "back to back in a stream"
plot for [i=0:lines-1] data index i using 1:2 with linespoints lc i%8+1 dt i/8+1 pt 7 ps 0.4 \
     title columnheader(1), 1 with lines lc rgb "black" notitle
set title "replayed from a graph"
set xlabel "items"
plot for [i=0:lines-1] data index i using 1:3 with linespoints lc i%8+1 dt i/8+1 pt 7 ps 0.4 \
     title columnheader(1), 1 with lines lc rgb "black" notitle
unset multiplot
