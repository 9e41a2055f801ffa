#!/bin/sh
# README.md and docs tell the truth, as far as a script can see: links lead somewhere, files and make targets that are
# named are there, and so are names of jig's; every public function and every variable is in them; figures are those of
# the measurements; README is short and leads from every algorithm to a call of it. What public headers declare is
# described there. (test_docs_code.sh runs the code.)
. tests/scripts/checks.sh
pages="README.md CONTRIBUTING.md CHANGELOG.md $(echo docs/*.md) tools/bench/README.md tools/bench/RESULTS.md"
nothing() { # nothing <command...>: it prints nothing
  ! "$@" | grep .
}

# ---- links: files, and headings by the names that GitHub gives them

anchors() { # anchors <page>
  awk '/^```/ { inside = !inside } !inside && /^#+ / { sub(/^#+ /, ""); print }' "$1" | tr 'A-Z ' 'a-z-' |
    sed 's/[^a-z0-9_-]//g'
}
links() { # each "page target"
  for page in $pages; do
    awk '/^```/ { inside = !inside } !inside' "$page" | grep -o '](\([^)]*\))' | sed "s|^](|$page |; s|)\$||"
  done
}
broken_links() {
  links | sort -u | while read -r page target; do
    case $target in *://*) continue ;; esac
    file=${target%%#*} anchor=
    case $target in *"#"*) anchor=${target#*#} ;; esac
    path=$(dirname "$page")/$file
    [ -n "$file" ] || path=$page
    [ -e "$path" ] || { echo "$page: $target: no such file"; continue; }
    [ -z "$anchor" ] || anchors "$path" | grep -qxF -e "$anchor" || echo "$page: $target: no such heading"
  done
}
links >"$folder/links"
check "there are links" test -s "$folder/links"
check "links lead somewhere" nothing broken_links

# Pages that no link leads to are read by nobody.
lost_pages() {
  for page in docs/*.md; do
    grep -q "$(basename "$page")" "$folder/links" || echo "$page"
  done
}
check "a link leads to every page" nothing lost_pages

# ---- what is named: files of this tree, targets, functions, types, macros, variables

missing_files() {
  # shellcheck disable=SC2086  # the list of pages
  grep -ohE '(^|[^A-Za-z0-9_./~$>-])(include|src|templates|tests|tools|cache|docs)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' \
    $pages | sed 's/^[^a-z]//' | sort -u | while read -r path; do
    [ -e "$path" ] || ls -d "$path"* >/dev/null 2>&1 || echo "$path"
  done
}
check "files that are named are there" nothing missing_files

# shellcheck disable=SC2016,SC2086  # backquotes of Markdown's; the list of pages
missing_targets() {
  make -s help NVCC= | sed -n 's/^ *make \([a-z-]*\):.*/\1/p' >"$folder/targets"
  {
    cat $pages | grep -oE '`make( [A-Z_]+=[a-z0-9]+)* [a-z-]+'
    cat $pages | sed -n '/^```sh$/,/^```$/p' | grep -oE '^(sudo )?make( [a-z-]+)+'
  } | sed 's/.*make//; s/[A-Z_]*=[a-z0-9]*//g' | tr ' ' '\n' | grep . | sort -u | while read -r target; do
    grep -qx -e "$target" "$folder/targets" || grep -qE "^$target:" Makefile tools/bench/bench.mk || echo "make $target"
  done
}
check "targets that are named are there" nothing missing_targets

unknown_names() {
  # shellcheck disable=SC2086
  grep -ohE '\b(jig|JIG)_[A-Za-z0-9_]+' $pages | sort -u | while read -r name; do
    grep -rqwF -e "$name" include src tools/jig tests/softgpu tests/support tests/compile || echo "$name"
  done
}
# "jig_<kind>" and the like, of which a name is only the beginning.
known_beginnings() { unknown_names | grep -v '_$'; }
check "names of jig's are names" nothing known_beginnings

functions() {
  cat include/jig/*.h | grep -v '^#' | tr '\n' ' ' | grep -oE 'JIG_API [^(;]*\(' |
    grep -oE 'jig_[a-z_0-9]+\($' | tr -d '('
}
untold_functions() {
  functions | sort -u | while read -r name; do
    case $name in *_spec) continue ;; esac # one for each algorithm, as docs/algorithms.md says
    # shellcheck disable=SC2086
    grep -qwF -e "$name" $pages || echo "$name"
  done
}
functions >"$folder/functions"
check "there are functions" test -s "$folder/functions"
check "every function is in README or docs" nothing untold_functions

# The first column of the table, and what the sources ask for.
in_table() {
  # shellcheck disable=SC2016  # backquotes of Markdown's
  sed -n '/^## Environment/,/^## /s/^| `\(JIG_[A-Z_]*\)`.*/\1/p' docs/configuration.md | sort -u
}
in_sources() {
  grep -rhoE '(env_get(_fixed)?\(|text_or\([a-z>-]*, |environment_is\(|variable = )"JIG_[A-Z_]+"' \
    src tools --include='*.c' --include='*.h' |
    sed 's/.*"\(.*\)"/\1/' | sort -u
}
in_table >"$folder/table"
in_sources >"$folder/sources"
same_variables() { [ -s "$folder/table" ] && diff "$folder/table" "$folder/sources"; }
check "the table has the variables that the sources read, and no other" same_variables

# ---- README

short() { [ "$(wc -l <README.md)" -le 200 ]; }
check "README has 200 lines at most" short

# Each heading of docs/algorithms.md that is a function has a call of it, and a link in README.
# shellcheck disable=SC2016  # backquotes of Markdown's
unshown() {
  grep -o '^## jig_[a-z_]*' docs/algorithms.md | cut -c 4- | while read -r name; do
    # Some share a row and a link with their kin.
    grep -qF "(docs/algorithms.md#$name)" README.md || echo "$name: no link in README"
    sed -n "/^## $name\$/,/^## /p" docs/algorithms.md | grep -q '^```c$' || echo "$name: no call"
  done
}
check "README leads from every algorithm to a call" nothing unshown
algorithms() { "$build/jig" run frobnicate 2>&1 | sed -n 's/.*(there are: \(.*\)).*/\1/p' | tr -d , | tr ' ' '\n'; }
uncalled() {
  awk '/^```/ { inside = $0 == "```c" } inside' docs/algorithms.md >"$folder/calls"
  while read -r name; do
    grep -qx "## jig_$name" docs/algorithms.md || grep -q "(jig_$name(" "$folder/calls" || echo "$name: no call"
    grep -q "^|.*\[.jig_$name.\](docs/" README.md || echo "$name: no link in README's table"
  done <"$folder/algorithms"
}
algorithms >"$folder/algorithms"
check "there are algorithms" grep -qx reduce "$folder/algorithms"
check "so it does from all that the library has" nothing uncalled

# ---- figures

wrong_figures() {
  # shellcheck disable=SC2086
  cat $pages | tr '\n' ' ' | grep -oE '[0-9.]+( [A-Za-z]+)?<!-- [a-z0-9_]+ -->' | sed 's/<!-- / /; s/ -->//' |
    while read -r value unit name; do
      [ -n "$name" ] || { name=$unit unit=; }
      grep -q "^$name,$value${unit:+ $unit}," docs/figures.csv || echo "$name: $value $unit"
    done
}
check "figures are those of docs/figures.csv" nothing wrong_figures
tools/bench/figures.sh csv >"$folder/figures.csv"
check "docs/figures.csv is what the measurements say (make figures)" diff docs/figures.csv "$folder/figures.csv"
for page in docs/performance.md tools/bench/RESULTS.md; do
  tools/bench/figures.sh fill "$page" >"$folder/page"
  check "so are the tables of $page" diff "$page" "$folder/page"
done
drawn_of_these() { [ "$(tail -n 1 "docs/$1.svg")" = "$(tools/bench/figures.sh stamp)" ]; }
for drawing in ratios sizes floor; do
  check "docs/$drawing.svg is drawn of these" drawn_of_these "$drawing"
done

# The size that was measured is still about the library's; what it links is what README says.
about_the_size() {
  strip -o "$folder/libjig.so" "$build/libjig.so" || return 1
  measured=$(sed -n 's/^library_size,\([0-9.]*\) MiB,.*/\1/p' docs/figures.csv)
  ratio=$(awk "BEGIN { print $(stat -c %s "$folder/libjig.so") / 1048576 / $measured }")
  awk "BEGIN { exit !($ratio > 0.75 && $ratio < 1.25) }"
}
links_these() {
  [ "$(readelf -d "$build/libjig.so" | sed -n 's/.*NEEDED.*\[\(lib[a-z]*\)\.so.*/\1/p' | sort | paste -sd ' ')" = \
    "libc libjansson libmd" ]
}
if [ -z "${SAN:-}" ]; then
  check "the library is about as large as README says" about_the_size
  check "the library links what README says" links_these
fi

# ---- public headers: every function, struct, enumeration and macro has a comment

undocumented() { awk -f tests/docs/undocumented.awk include/jig/*.h; }
check "public symbols are described" nothing undocumented

# ---- the manual

make -s man BUILD="$build" NVCC= >"$folder/made" 2>&1
untold_in_manual() {
  while read -r name; do
    page=$build/man/man3/$name.3
    if [ -e "$page" ] && grep -q '^\.so ' "$page"; then page=$build/man/$(sed -n 's/^\.so //p' "$page"); fi
    grep -qs "^\.SS $name()" "$page" || echo "$name"
  done <"$folder/functions"
}
check "the manual describes every function" nothing untold_in_manual
commands_in_manual() {
  "$build/jig" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
    grep -qix "\.SH JIG $command" "$build/man/man1/jig.1" || echo "$command"
  done
}
check "jig(1) has every command" nothing commands_in_manual
if command -v groff >/dev/null; then
  bad_pages() {
    grep -L '^\.so ' "$build"/man/man[13]/* | xargs groff -man -ww -Tutf8 -z 2>&1
  }
  check "the manual is well-formed" nothing bad_pages
else
  echo "skipped: docs: the manual is well-formed (no groff)"
fi

if command -v doxygen >/dev/null; then
  make -s docs BUILD="$build" NVCC= >"$folder/made" 2>&1
  cat "$build"/docs/html/*.html >"$folder/html"
  untold_in_html() {
    while read -r name; do
      grep -qwF -e "$name" "$folder/html" || echo "$name"
    done <"$folder/functions"
  }
  check "the reference in HTML has every function" nothing untold_in_html
else
  echo "skipped: docs: the reference in HTML has every function (no doxygen)"
fi

end_checks
