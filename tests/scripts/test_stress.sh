#!/bin/sh
# tests/stress.sh runs what it is told as often as it is told, as many at once as it may, and tells of all that fails.
. tests/scripts/checks.sh
show_failed() { cat "$folder/printed"; }
program() { # program <name> <text>
  printf '#!/bin/sh\n%s\n' "$2" >"$folder/$1"
  chmod +x "$folder/$1"
}
stress() {
  (cd "$folder" && "$OLDPWD/tests/stress.sh" -o out "$@") >"$folder/printed" 2>&1
}
says() { grep -qE -e "$1" "$folder/printed"; }
ends_with() { [ "$(tail -n 1 "$folder/printed")" = "$1" ]; }
fails() { ! "$@"; }
lines() { [ "$(wc -l <"$folder/$1")" -eq "$2" ]; }

# One that notes that it ran, and how many run with it.
program good "echo x >>$folder/good.runs; echo \$JIG_CACHE_DIR \$JIG_TEST_KERNELS >$folder/where
mkdir $folder/now.\$\$; ls -d $folder/now.* | wc -l >>$folder/at_once; sleep 0.2; rmdir $folder/now.\$\$"
check "good programs pass" stress -j 3 -n 9 "$folder/good"
check "they ran nine times, and once before" lines good.runs 10
check "nine are counted" ends_with "9 passed, 0 failed"
most=$(sort -n "$folder/at_once" | tail -n 1)
check "never more than three at once" test "$most" -le 3
check "but two or more" test "$most" -ge 2
check "they have a cache of their own" grep -qx "$folder/out/cache $folder/out/kernels" "$folder/where"
check "no logs are left" fails ls "$folder"/out/*.log

program flaky "echo x >>$folder/flaky.runs; echo here it is; [ \$((\$(wc -l <$folder/flaky.runs) % 4)) -ne 0 ]"
check "failures are told by the exit status" fails stress -j 1 -n 6 "$folder/good" "$folder/flaky"
check "and counted" ends_with "5 passed, 1 failed"
check "and named" says 'FAILED: flaky \(exit status 1, [0-9]+ s\): .*/out/flaky\.[0-9]+\.log$'
log=$(sed -n 's/^FAILED: .*: //p' "$folder/printed")
check "and the log is kept" grep -q 'here it is' "$log"

program bad 'exit 3'
check "what fails at first is a failure" fails stress -j 2 -n 2 "$folder/bad" "$folder/good"
check "and is counted" says '^1 passed, 2 failed$'
program hangs 'sleep 100'
check "what hangs is a failure" fails stress -j 2 -n 1 -t 1 "$folder/hangs"
check "and said to be one" says 'FAILED: hangs \(more than 1 s'
program skips 'echo "skipped: device/x: y (no GPU)"'
check "what finds no GPU is a failure" fails stress -n 1 "$folder/skips"
check "which is said" says 'FAILED: skips \(no GPU'
program leaves_out 'echo "skipped: device/x: y (not enough device memory)"'
check "what leaves something else out is none" stress -n 1 "$folder/leaves_out"
# shellcheck disable=SC2016  # for the program to expand
program sees 'echo "${CUDA_VISIBLE_DEVICES-all}" >>'"$folder/seen
sleep 0.2"
check "all GPUs are there" stress -j 2 -n 3 "$folder/sees"
check "unless told" test "$(sort -u "$folder/seen")" = all
rm "$folder/seen"
check "workers share them out" stress -j 4 -g 2 -n 12 "$folder/sees"
check "two of them" test "$(sort -u "$folder/seen" | tr '\n' ' ')" = '0 1 '
touch "$folder/out/cache/compiled"
: >"$folder/seen"
check "what was compiled is kept" stress -k -j 1 -n 2 "$folder/sees"
check "and found" test -e "$folder/out/cache/compiled"
check "and they run twice" lines seen 2
for wrong in '-j 0' '-g 0' '-n x' '-z' 'no/such/program'; do
  # shellcheck disable=SC2086  # two words
  check "$wrong is refused" fails stress $wrong
done

end_checks
