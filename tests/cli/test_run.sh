#!/bin/sh
# `jig run` of every algorithm over random .npy files, compared with what Python, and NumPy where it is installed, make
# of them (run_cases.py). On the GPU if there is one, otherwise on the software GPU.
#
#   BUILD=build tests/cli/test_run.sh [<algorithm>...]
#
# JIG_TEST_SEED is what the files are made from; it is the day's number unless it is set.
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"

# shellcheck disable=SC2086  # nothing, or one word
env $driver "$jig" info --json >"$dir/info" 2>/dev/null
if ! command -v python3 >/dev/null; then
  skip 'run of every algorithm' 'no python3'
  end_tests
elif grep -q '"compiler":{"error"' "$dir/info"; then
  skip 'run of every algorithm' 'no NVRTC'
  end_tests
elif ! grep -q '"devices":\[\]' "$dir/info"; then
  # shellcheck disable=SC2086
  env $driver python3 "$here/run_cases.py" "$jig" "$dir" '' "$@"
elif [ -e "$(dirname "$jig")/softgpu/libcuda.so.1" ]; then
  python3 "$here/run_cases.py" "$jig" "$dir" --software "$@"
else
  skip 'run of every algorithm' 'neither a GPU nor the software GPU'
  end_tests
fi
