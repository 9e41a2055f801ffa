#!/bin/sh
# Some of the device tests on software GPUs of other compute capabilities and sizes, and with blocks and warps
# executed in other orders.
#
#   BUILD=build SOFTGPU=build/softgpu/libcuda.so.1 tests/scripts/test_other_gpus.sh
#
# $JIG_TEST_SEED, by default the day's number, draws the orders, and whose turn it is of what takes turns.
set -u
build=${BUILD:-build}
passed=0 failed=0
if [ ! -e "${SOFTGPU:-}" ]; then
  echo "skipped: scripts/other_gpus (\$SOFTGPU names no software GPU)"
  exit 0
fi
JIG_DRIVER=$(realpath "$SOFTGPU")
export JIG_DRIVER
seed=${JIG_TEST_SEED:-$(($(date +%s) / 86400))}
echo "the same again: JIG_TEST_SEED=$seed"
log=$(mktemp) results=$(mktemp) others=$(mktemp)
trap 'rm -f "$log" "$results" "$others"' EXIT

# As tests/run.sh has it: one test of eight has builds in the background, another one with the next seed.
background_of() {
  name=$(echo "$1" | cksum | cut -d ' ' -f 1)
  if [ -z "${JIG_BACKGROUND:-}" ] && [ $(((name + seed) % 8)) -ne 0 ]; then echo JIG_BACKGROUND=0; fi
}

try() { # try "<variable>=<value> ..." <program>[:<test>]...
  setting=$1
  shift
  for test in "$@"; do
    program=${test%:*} alone='' start=$(date +%s)
    case $test in *:*) alone=CK_RUN_CASE=${test#*:} ;; esac
    # shellcheck disable=SC2046,SC2086  # a word for each variable
    if env $setting $alone $(background_of "$program") "$build/tests/device/$program" >"$log" 2>&1; then
      passed=$((passed + 1))
      echo "$test with $setting: $(($(date +%s) - start)) s"
    else
      failed=$((failed + 1))
      echo "FAILED: $test with $setting"
      cat "$log"
    fi
  done
}

same_bits() { # same_bits <test>: what the test reads are the same bits in another order
  test=$1
  : >"$results"
  : >"$others"
  try "JIG_TEST_RESULTS=$results" "$test"
  try "JIG_SOFTGPU_SEED=$seed JIG_TEST_RESULTS=$others" "$test"
  if [ -s "$results" ] && cmp -s "$results" "$others"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $test with seed $seed: other bits"
  fi
}

turn() { # turn <seeds> <what>...: one of these for so many seeds, then another one
  each=$1
  shift
  shift $((seed / each % $#))
  echo "$1"
}
in_turn() { turn 1 "$@"; }
slowly() { turn 3 "$@"; } # for what goes with something that takes turns itself, or runs every third day
rarely() { turn 15 "$@"; } # for one of five that take turns slowly

# shellcheck disable=SC2046  # a word for each test
try "JIG_SOFTGPU_SEED=$seed" test_reduce_pdl test_shared_storage test_scan_capture \
  $(slowly "test_merge_sort_calls test_scan_calls test_by_key_calls" \
    "test_merge_collectives test_select_calls test_top_k_calls")
# Whatever has kernels of its own has to be compiled: SM 75 and SM 120 on two of three days, SM 80 on the third.
case $((seed % 3)) in
  0)
    try "JIG_SOFTGPU_SM=$(slowly 75 120)" test_merge_sort_calls test_top_k_calls test_collectives test_block_moves
    try "JIG_SOFTGPU_SM=$(slowly 120 75)" test_reduce_halves test_scan_capture
    ;;
  1)
    # Work shared out for more items than there are, over more blocks than four multiprocessors have.
    try "JIG_SOFTGPU_MULTIPROCESSORS=132 JIG_SOFTGPU_SEED=$seed" test_device_counts
    # Prewarmed for the GPU at hand, whatever that is: other kernels than those of SM 90.
    try "$(slowly JIG_SOFTGPU_SM=75 'JIG_SOFTGPU_SM=120 JIG_SOFTGPU_MULTIPROCESSORS=1')" \
      "$(slowly test_strict_sorts test_strict_folds test_strict_folds test_strict_sorts)"
    ;;
  2)
    # Large scans and selects without asynchronous bulk copies.
    try "JIG_SOFTGPU_SM=80" "$(slowly test_scan_calls test_scan_operators)" "$(slowly test_merge_sort_calls test_select_calls)"
    # Look-back, where SM 90 has a pipeline: what operators are called with depends on who holds the input's end; and
    # segments of any length.
    try "JIG_SOFTGPU_SM=80" "$(slowly test_operand_domain_runs test_operand_domain_folds test_operand_domain_segments \
      "test_segmented_scan_shapes:$(rarely shapes_of_words shapes_of_pairs_of_bytes shapes_of_pairs \
        shapes_of_many_words short_segments_with_longer_ones)" test_operand_domain_items)"
    ;;
esac
same_bits test_scan_determinism
# The test has the bits that every GPU has to give. SM 75 is the oldest, and every other day's.
try "JIG_SOFTGPU_SM=$(in_turn 75 80 75 89 75 90 75 100 75 120) JIG_SOFTGPU_MULTIPROCESSORS=$(slowly 4 24 132 1)" \
  test_gpu_to_gpu
try "JIG_SOFTGPU_MULTIPROCESSORS=1" "$(in_turn test_scan_calls test_select_calls test_by_key_calls)" \
  "$(in_turn test_operand_domain_folds test_operand_domain_runs test_operand_domain_segments \
    test_operand_domain_sorts test_operand_domain_items)"
try "JIG_SOFTGPU_MULTIPROCESSORS=132" test_scan_places
# As many blocks as there are rows of vectors, and what is behind the last whole row; a thread for each unit of samples.
try "JIG_SOFTGPU_MULTIPROCESSORS=132" test_arg_reduce_orders:structs_of_every_size
try "JIG_SOFTGPU_MULTIPROCESSORS=132" test_histogram:rounds
# Of few segments the longest, by tiles that blocks draw; of four multiprocessors' blocks each does some by itself.
try "JIG_SOFTGPU_MULTIPROCESSORS=24" test_segmented_scan_shapes:states_of_few_are_used_again
try "JIG_SOFTGPU_MULTIPROCESSORS=24" test_segmented_scan_shapes:replays_find_other_segments
# A block each for more segments than a block has threads, if there are so many multiprocessors.
try "JIG_SOFTGPU_MULTIPROCESSORS=132" test_segmented_reduce:more_segments_than_a_block_has_threads
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
