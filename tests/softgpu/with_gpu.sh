#!/bin/sh
# Runs a command on the GPU if there is one, otherwise on the software GPU, and says which.
#
#   BUILD=build tests/softgpu/with_gpu.sh <command> [<argument> ...]
#
# A driver that $JIG_DRIVER names is taken as it is.
set -eu
build=${BUILD:-build}
if [ -n "${JIG_DRIVER:-}" ]; then
  echo "GPU: by the driver $JIG_DRIVER"
elif "$build/jig" info --json 2>/dev/null | grep -q '"devices":\[{'; then
  echo "GPU: the machine's"
else
  JIG_DRIVER=$(realpath "$build/softgpu/libcuda.so.1")
  export JIG_DRIVER
  echo "GPU: none; the software GPU, which executes kernels on the CPU, stands in"
fi
exec "$@"
