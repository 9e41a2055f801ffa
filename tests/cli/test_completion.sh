#!/bin/sh
# What bash, zsh and fish offer on jig's command line, by the scripts that jig completion prints.
#
#   BUILD=build tests/cli/test_completion.sh
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"

try 'no shell' 2 '' 'give a shell' completion
try 'an unknown shell' 2 '' "'fihs' is not bash, zsh or fish; did you mean 'fish'\\?$" completion fihs
for shell in bash zsh fish; do
  try "$shell: a script" 0 "^# $shell completion for jig" '' completion $shell
  cp "$dir/out" "$dir/$shell"
  # Whatever help has is in there.
  for command in run prewarm source info doctor 'cache ls' 'cache clear' 'run kernel' 'prewarm kernel' 'source kernel'; do
    # shellcheck disable=SC2086  # two words
    for option in $("$jig" $command --help | sed -n 's/^  *\(-., \)*--\([a-z-]*\).*/\2/p'); do
      also "$shell: $command --$option" grep -Eq -e "(--| -l )$option\>" "$dir/$shell"
    done
  done
done

offered() { # offered <shell> <case> <pattern> <word>...: what the shell offers for the last word
  shell=$1 name=$2 pattern=$3
  shift 3
  case $shell in
    bash) command bash "$dir/ask.bash" "$@" >"$dir/out" 2>"$dir/err" ;;
    zsh) zsh -f "$dir/ask.zsh" "$@" >"$dir/out" 2>"$dir/err" ;;
    fish) HOME=$dir fish -N -c "source $dir/fish; complete -C 'jig $*'" >"$dir/out" 2>"$dir/err" ;;
  esac
  also "$shell: $name" matches "$dir/out" "$pattern"
  also "$shell: $name: no complaints" matches "$dir/err" ''
}

cat >"$dir/ask.bash" <<END
. "$dir/bash"
COMP_WORDS=(jig "\$@") COMP_CWORD=\$#
_jig
printf '%s\n' "\${COMPREPLY[@]}"
END
# What it would hand on to zsh's own functions.
cat >"$dir/ask.zsh" <<END
_arguments() { print -lr -- "\$@" }
_describe() { print -lr -- "\${(P@)2}" }
words=(jig "\$@") CURRENT=\$((\$# + 1))
. "$dir/zsh"
END

for shell in bash zsh fish; do
  if ! command -v "$shell" >/dev/null; then
    skip "$shell completes" "no $shell"
    continue
  fi
  also "$shell: its script can be read" "$shell" -n "$dir/$shell"
  offered "$shell" 'commands' '^run\>' ru
  offered "$shell" 'algorithms' '\<radix_sort\>' run rad
  offered "$shell" 'options' '^\*?--descending\>' run radix_sort --desc
  offered "$shell" 'types' '\<bf16\>' run reduce --type bf
  offered "$shell" 'subcommands' '\<stats\>' cache st
  offered "$shell" 'options of a subcommand' '^\*?--json\>' cache ls --js
  offered "$shell" 'shells' '\<fish\>' completion fis
  offered "$shell" 'help of commands' '\<doctor\>' help doc
  offered "$shell" 'help of algorithms' '\<radix_sort\>' help run rad
  for command in run prewarm source; do
    offered "$shell" "$command kernel" '\<kernel\>' $command ker
    offered "$shell" "options of $command kernel" '^\*?--max-threads\>' $command kernel k.cu --max
    offered "$shell" "types of $command kernel" '^\*?--type\>' $command kernel k.cu --ty
    also "$shell: $command kernel: no types of items" [ "$(grep -c -e '--transform' -e '\<bf16\>' "$dir/out")" -eq 0 ]
    offered "$shell" "options of $command" '^\*?--accum\>' $command reduce --acc
    also "$shell: options of $command: not those of kernels" [ "$(grep -c -e '--max-threads' "$dir/out")" -eq 0 ]
  done
  offered "$shell" 'options of a launch' '^\*?--cluster\>' run kernel k.cu --clu
  offered "$shell" 'options of a build' '^\*?--dry-run\>' prewarm kernel k.cu --dry
done

end_tests
