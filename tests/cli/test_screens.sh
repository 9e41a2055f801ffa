#!/bin/sh
# What people see, as they see it: at 80 and 120 columns, coloured and plain. Screens that are the same everywhere are
# kept in tests/cli/screens and compared letter by letter; of the others, no line is longer than the screen.
#
#   BUILD=build tests/cli/test_screens.sh            # compares
#   RENEW_SCREENS=1 BUILD=build tests/cli/test_screens.sh # keeps what there is now
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"
screens=$here/screens
escape=$(printf '\033')
nothing='JIG_DRIVER=/nowhere/libcuda.so.1 JIG_NVRTC=/nowhere/libnvrtc.so JIG_NVJITLINK=/nowhere/libnvJitLink.so'

fits() { # fits <columns>: what the last try has shown, colours aside
  sed "s/$escape\\[[0-9;]*m//g" "$dir/$shown" | awk -v most="$1" 'length($0) > most { exit 1 }'
}

# What is another one every time, or elsewhere: times, dates, sizes of compiled code, keys, versions and places. Where
# columns are fitted to them, the blanks before them are as well.
normalised() { # normalised <file>
  sed -E "s|$dir|/tmp/jig|g
    s|/[^ ]*/(libnvrtc\\.so)\\.[0-9.]+|/usr/local/cuda/lib64/\\1.13|g; s|(libnvrtc\\.so)\\.[0-9]+|\\1.13|g
    s/[0-9]{4}-[0-9]{2}-[0-9]{2}/####-##-##/g; s/ [0-9]{2}:[0-9]{2}( |$)/ ##:##\\1/g
    s/(^|[^0-9a-f])[0-9a-f]{32}([^0-9a-f]|$)/\\1################################\\2/g
    s/(^|[^0-9a-f])[0-9a-f]{12}([^0-9a-f]|$)/\\1############\\2/g
    s/ +[0-9.]+ (ms|GB\\/s|KiB|MiB|GiB|regs|spilled)/ # \\1/g; s/ [0-9.]+ (s|min)( |,|$)/ # \\1\\2/g
    s/# [KMT]iB free/# GiB free/; s/(NVRTC|  )( *)1[0-9]\\.[0-9]/\\1\\213.0/g" "$1"
}

unwrapped= # where lines end depends on paths: they are joined
shown=out unseen=err # which of the outputs people look at, and which is to be empty
kept() { # kept <name> <exit status> <variables> <argument>...: every size and both looks of a screen
  screen=$1 code=$2 variables=$3
  shift 3
  for columns in 80 120; do
    for look in plain colour; do
      colours=NO_COLOR=1
      [ $look = colour ] && colours='CLICOLOR_FORCE=1 NO_COLOR='
      [ -z "$fresh" ] || rm -rf "${dir:?}/${fresh:?}"
      under "$variables COLUMNS=$columns $colours" try "$screen, $columns columns, $look" "$code" '*' '*' "$@"
      also "$screen, $columns columns, $look: nothing else" [ ! -s "$dir/$unseen" ]
      also "$screen, $columns columns, $look: fits" fits $columns
      file=$screens/$screen-$columns-$look.txt
      if [ -n "$unwrapped" ]; then tr -s ' \n' ' ' <"$dir/$shown" >"$dir/whole"; else cp "$dir/$shown" "$dir/whole"; fi
      normalised "$dir/whole" >"$dir/screen"
      [ -n "${RENEW_SCREENS:-}" ] && cp "$dir/screen" "$file"
      also "$screen, $columns columns, $look: as it was" cmp "$dir/screen" "$file"
    done
  done
}

fresh= # a folder that has to be gone before each
kept doctor-without 1 "$nothing HOME= XDG_CACHE_HOME= JIG_CACHE_DIR=" doctor
kept bare 0 ''
kept run-help 0 '' run scan --help
kept tune-dry-run 0 '' tune scan --type f32 --dry-run --arch sm_90

# ---- with a compiler

"$jig" info --json >"$dir/info" 2>/dev/null
if grep -q '"compiler":{"error"' "$dir/info"; then
  skip 'screens of programs' 'no NVRTC'
  end_tests
  exit
fi
one='JIG_JOBS=1 JIG_CACHE_PATH='
fresh=compiled
kept prewarm 0 "$one JIG_CACHE_DIR=$dir/compiled" prewarm reduce --type f32 --arch sm_80,sm_90 --jobs 1
fresh=
kept prewarm-again 0 "$one JIG_CACHE_DIR=$dir/compiled" prewarm reduce --type f32 --arch sm_80,sm_90 --jobs 1
kept prewarm-missing 0 "$one JIG_CACHE_DIR=$dir/compiled" prewarm scan --type f32 --arch sm_90 --dry-run
kept cache-ls 0 "$one JIG_CACHE_DIR=$dir/compiled" cache ls --sort arch
fresh=none
kept cache-stats-unused 0 "$one JIG_CACHE_DIR=$dir/none" cache stats
fresh=
unwrapped=1
kept doctor 3 "$one JIG_CACHE_DIR=$dir/compiled JIG_DRIVER=/nowhere/libcuda.so.1" doctor
unwrapped=

# ---- with the software GPU

if [ ! -e "$(dirname "$jig")/softgpu/libcuda.so.1" ]; then
  skip 'screens of runs' 'no software GPU'
  end_tests
  exit
fi
awk 'BEGIN { for (i = 0; i < 30000; ++i) printf "%04d", i % 10000 }' >"$dir/items"
run="$one JIG_CACHE_DIR=$dir/run"
runs() { # runs <name> <argument>...: where the time goes, once it is compiled
  screen=$1
  shift
  under "$run" try "$screen, before" 0 '*' '' run --software "$@" --out /dev/null
  kept "$screen" 0 "$run" run --software "$@" --time --out /dev/null
}
under "$run" try 'prewarm, for runs' 0 '*' '' prewarm reduce in=u32 out=u32 --arch compute_90
under "$run" try 'a run of that' 0 '*' '' run --software reduce --type u32 "$dir/items"
kept cache-stats 0 "$run" cache stats
shown=err unseen=out
runs run-time radix_sort --type u32 --memory 1G "$dir/items"
runs run-time-chunks scan --type u32 --memory 64K "$dir/items"
runs run-time-sort radix_sort --type u32 --memory 128K "$dir/items"

end_tests
