#!/bin/sh
# What programs that are compiled rely on (docs/abi.md): a client of each kept version's headers runs with today's
# library, on the GPU or, if JIG_DRIVER names the software GPU, on that; every struct, field and enumerator of theirs is
# where it was; and the library's functions and types are those of the committed description, which `make abi` writes
# anew.
#
#   BUILD=build tests/scripts/test_abi.sh
. tests/scripts/checks.sh
unset JIG_BUILD JIG_CACHE_PATH
show_failed() { cat "$folder/printed"; }
library=$build/libjig.so
if [ ! -e "$library" ]; then
  echo "skipped: scripts/abi (this build has no shared library)"
  exit 0
fi
case $(basename "$build") in
  address | undefined | thread) sanitize=-fsanitize=$(basename "$build") ;;
  *) sanitize= ;;
esac

# ---- kept headers
# Whether what kept headers say of structs and enumerators, as tests/abi/layouts.sh prints it, holds today. What is
# reserved may have become shorter at its front, or be gone; another reserved32 may be in its room.
holds() { # holds <kept> <today>
  awk 'NR == FNR { first[$1] = $2; second[$1] = $3; next }
    $1 ~ /\.reserved$/ { room[$1] = $2 }
    $1 ~ /\.reserved32$/ && $1 in first && first[$1] > $2 { moved[$1]; next }
    $1 ~ /\.reserved(32)?$/ { is_right = !($1 in first) || (first[$1] >= $2 && first[$1] + second[$1] == $2 + $3) }
    $1 !~ /\.reserved(32)?$/ { is_right = first[$1] "" == $2 "" && second[$1] "" == $3 "" }
    !is_right { print "it was: " $0 "; it is: " first[$1] " " second[$1]; failed = 1 }
    END {
      for (name in moved) {
        rest = substr(name, 1, length(name) - 2)
        if (rest in room && first[name] >= room[rest]) continue
        print "it was elsewhere: " name
        failed = 1
      }
      exit failed
    }' "$2" "$1" >"$folder/printed"
}
compare() { # compare <kept headers> <today's>
  tests/abi/layouts.sh "$1" >"$folder/kept" 2>"$folder/printed" || return 2
  tests/abi/layouts.sh "$2" >"$folder/today" 2>"$folder/printed" || return 2
  holds "$folder/kept" "$folder/today"
}
compares_as() { # compares_as <status> <kept headers> <today's>
  compare "$2" "$3"
  [ $? -eq "$1" ]
}
edited() { # edited <header> <change>: whether there is a difference; today's headers, with it, in $folder/edited
  rm -rf "$folder/edited" && cp -r include "$folder/edited"
  sed "$2" "include/jig/$1" >"$folder/edited/jig/$1"
  ! cmp -s "include/jig/$1" "$folder/edited/jig/$1"
}
# It would be found out: a field that goes to another place, one of another size, another value; not a new field.
check_edits() { # check_edits <kept headers>
  while read -r header wanted change; do
    check "$header is edited: $change" edited "$header" "$change"
    check "whether $header may be changed so: $change" compares_as "$wanted" "$1" "$folder/edited"
  done <<EOF
select.h 1 /^typedef struct jig_select_args/,/^}/{s/  jig_iter flags;/  uint64_t flag; &/;s/reserved\[7\]/reserved[6]/}
select.h 1 /^typedef struct jig_select_args/,/^}/s/  uint64_t num_items;/  uint32_t num_items, reserved32;/
select.h 1 /^typedef struct jig_select_args/,/^}/s/reserved\[7\]/reserved[8]/
select.h 0 /^typedef struct jig_select_args/,/^}/s/  uint64_t reserved\[7\]/  uint64_t novel; uint64_t reserved[6]/
scan.h 1 s/JIG_SCAN_EXCLUSIVE\b/& = 2/
EOF
}

# ---- docs/abi-enumerations.md
are_documented() { tests/abi/enumerations.sh include >"$folder/printed" && cmp -s "$folder/printed" docs/abi-enumerations.md; }
check "docs/abi-enumerations.md has the enumerators; if they are meant to change: make abi" are_documented

# ---- clients
build_client() { # build_client <headers>
  # shellcheck disable=SC2086  # a flag, or none
  "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror $sanitize -I"$1" \
    -isystem "${CUDA_HOME:-/usr/local/cuda}/include" tests/abi/client.c -o "$folder/client" \
    -L"$build" -ljig -Wl,-rpath,"$(realpath "$build")" -ldl >"$folder/printed" 2>&1
}
asks_for_soname() { readelf -d "$folder/client" >"$folder/printed" && grep -q "NEEDED.*\[$soname\]" "$folder/printed"; }
run_client() { JIG_CACHE_DIR=$folder/cache "$folder/client" "$driver" >"$folder/printed" 2>&1; }
"$build/jig" info --json >"$folder/info"
driver=$(sed -n 's/.*"driver":{"library":"\([^"]*\)".*/\1/p' "$folder/info")
grep -q '"devices":\[\]' "$folder/info" && driver=
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
clients=0
for headers in tests/abi/headers-*; do
  version=${headers##*-}
  case $soname in libjig.so."$version" | libjig.so."${version%%.*}") ;; *) continue ;; esac # others break
  clients=$((clients + 1))
  check "structs and enumerators of $version are where they were" compare "$headers" include
  check_edits "$headers"
  check "a client of $version is built with today's library" build_client "$headers"
  check "it asks for $soname" asks_for_soname
  if [ -z "$driver" ]; then
    echo "skipped: scripts/abi: a client of $version (no GPU)"
  else
    check "a client of $version runs" run_client
  fi
done
echo "of $soname" >"$folder/printed"
check "headers of this soname are kept" [ "$clients" -gt 0 ]

# ---- the description
same() { # same <description>
  abidiff --no-architecture --suppressions tests/abi/opaque.suppr "$1" "$library" >"$folder/printed" 2>&1
}
differs() { ! same "$1"; }
if [ -n "$sanitize" ]; then
  echo "skipped: scripts/abi: the description (sanitizers change it)"
elif ! command -v abidiff >/dev/null; then
  echo "skipped: scripts/abi: the description (no libabigail)"
elif ! readelf -S "$library" | grep -q '\.debug_info'; then
  echo "skipped: scripts/abi: the description (built without -g)"
else
  check "the library is as tests/abi/libjig.abi says; if it is meant to change: make abi" same tests/abi/libjig.abi
  # It would be found out: a struct of another size, a function that is not there, another value.
  for change in "s/name='jig_scan_args' size-in-bits='[0-9]*'/name='jig_scan_args' size-in-bits='64'/" \
    "s/jig_reduce_sum/jig_reduce_some/" "s/name='JIG_SCAN_EXCLUSIVE' value='1'/name='JIG_SCAN_EXCLUSIVE' value='2'/"; do
    sed "$change" tests/abi/libjig.abi >"$folder/other.abi"
    check "a change is found: $change" differs "$folder/other.abi"
  done
fi
end_checks
