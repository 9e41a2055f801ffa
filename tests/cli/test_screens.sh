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

fits() { # fits <columns>: the last try's standard output, colours aside
  sed "s/$escape\\[[0-9;]*m//g" "$dir/out" | awk -v most="$1" 'length($0) > most { exit 1 }'
}

kept() { # kept <name> <exit status> <variables> <argument>...: every size and both looks of a screen
  screen=$1 code=$2 variables=$3
  shift 3
  for columns in 80 120; do
    for look in plain colour; do
      colours=NO_COLOR=1
      [ $look = colour ] && colours='CLICOLOR_FORCE=1 NO_COLOR='
      under "$variables COLUMNS=$columns $colours" try "$screen, $columns columns, $look" "$code" '*' '' "$@"
      also "$screen, $columns columns, $look: fits" fits $columns
      file=$screens/$screen-$columns-$look.txt
      sed 's/libnvrtc\.so\.1[0-9]/libnvrtc.so.13/' "$dir/out" >"$dir/screen" # the toolkit's, which may be another
      [ -n "${RENEW_SCREENS:-}" ] && cp "$dir/screen" "$file"
      also "$screen, $columns columns, $look: as it was" cmp "$dir/screen" "$file"
    done
  done
}

kept doctor 1 "$nothing HOME= XDG_CACHE_HOME= JIG_CACHE_DIR=" doctor
kept bare 0 ''
kept run-help 0 '' run scan --help

end_tests
