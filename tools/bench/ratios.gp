# Two panels: of each algorithm the range of ratios, and their median; figures.sh sets data and svg.
set terminal svg size 1000,640 font "sans-serif,12" background "white" noenhanced
set output svg
set logscale x 2
set xrange [0.25:24]
set xtics ("0.25" 0.25, "0.5" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
set grid xtics lt 1 lc rgb "#dddddd"
set style arrow 1 nohead lw 5 lc rgb "#9ecae1"
unset key
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb "black"
set multiplot layout 1,2 title "CUB's or Thrust's time / jig's time on NVIDIA H200: right of 1, jig is faster" font "sans-serif,14"
set yrange [0.3:*]
set title "up to 2^20 items"
plot data index 0 using 2:1:($4 - $2):(0):ytic(5) with vectors arrowstyle 1, \
     data index 0 using 3:1 with points pt 7 ps 0.6 lc rgb "#08519c"
set title "2^26 items and more"
plot data index 1 using 2:1:($4 - $2):(0):ytic(5) with vectors arrowstyle 1, \
     data index 1 using 3:1 with points pt 7 ps 0.6 lc rgb "#08519c"
unset multiplot
