# How many times the memory's floor each algorithm takes: the range of its cases, and their median; figures.sh sets data,
# svg and rate.
set terminal svg size 800,720 font "sans-serif,12" background "white" noenhanced
set output svg
set logscale x 2
set xrange [1:128]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64, "128" 128)
set grid xtics lt 1 lc rgb "#dddddd"
set style arrow 1 nohead lw 5 lc rgb "#9ecae1"
unset key
set yrange [0.3:*]
set title "times of the memory's floor, NVIDIA H200, 2^26 items and more" font "sans-serif,14"
set xlabel "time / what the minimal bytes take at ".rate." GB/s"
plot data using 2:1:($4 - $2):(0):ytic(5) with vectors arrowstyle 1, \
     data using 3:1 with points pt 7 ps 0.6 lc rgb "#08519c"
