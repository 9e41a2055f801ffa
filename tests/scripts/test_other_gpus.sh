#!/bin/sh
# Some of the device tests on software GPUs of other compute capabilities, and with blocks and warps executed in
# other orders.
#
#   BUILD=build SOFTGPU=build/softgpu/libcuda.so.1 tests/scripts/test_other_gpus.sh
set -u
build=${BUILD:-build}
passed=0 failed=0
if [ ! -e "${SOFTGPU:-}" ]; then
  echo "skipped: scripts/other_gpus (\$SOFTGPU names no software GPU)"
  exit 0
fi
JIG_DRIVER=$(realpath "$SOFTGPU")
export JIG_DRIVER
log=$(mktemp)
trap 'rm -f "$log"' EXIT

try() { # try <variable>=<value> <test>...
  setting=$1
  shift
  for test in "$@"; do
    if env "$setting" "$build/tests/device/$test" >"$log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED: $test with $setting"
      cat "$log"
    fi
  done
}

for sm in 75 120; do
  try "JIG_SOFTGPU_SM=$sm" test_collectives test_reduce_halves
done
for seed in 1 2; do
  try "JIG_SOFTGPU_SEED=$seed" test_reduce_overlap test_shared_storage
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
