# The median ratio of some algorithms over the number of items; figures.sh sets data and svg.
set terminal svg size 1000,420 font "sans-serif,12" background "white" noenhanced
set output svg
set logscale x 2
set format x "2^%L"
set xtics 4
set xlabel "items"
set logscale y 2
set yrange [0.7:4]
set ytics ("0.7" 0.7, "1" 1, "1.4" 1.4, "2" 2, "2.8" 2.8, "4" 4)
set grid xtics ytics lt 1 lc rgb "#dddddd"
set key outside right top
set title "CUB's time / jig's time on NVIDIA H200, medians of all cases: above 1, jig is faster" font "sans-serif,14"
plot for [i=0:5] data index i using 1:2 with linespoints lw 2 pt 7 ps 0.5 title columnheader(1), \
     1 with lines lc rgb "black" notitle
