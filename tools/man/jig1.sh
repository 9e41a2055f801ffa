#!/bin/sh
# jig(1), of what the tool itself says: `jig --help`, and the --help of each command.
#
#   tools/man/jig1.sh <jig> <version> > jig.1
set -eu
export LC_ALL=C
jig=${1:?the tool} version=${2:?its version}
as_is() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'; } # text that stays as it is
shown() { printf '.nf\n' && as_is && printf '.fi\n'; }

help=$("$jig" --help)
printf '.TH JIG 1 "" "jig %s" "jig"\n.SH NAME\njig \\- GPU algorithms compiled at run time\n' "$version"
printf '.SH SYNOPSIS\n'
printf '%s\n' "$help" | sed -n '1,/^$/s/^\(usage:\)* *//p' | shown
printf '.SH DESCRIPTION\n'
printf '%s\n' "$help" | sed '1,/^$/d' | shown
printf '%s\n' "$help" | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
  printf '.SH JIG %s\n' "$(echo "$command" | tr '[:lower:]' '[:upper:]')"
  "$jig" "$command" --help | sed '/^exit status:/,/^$/d' | shown
  case $command in run | prewarm | source)
    printf '.SS "jig %s kernel"\n' "$command"
    "$jig" "$command" kernel --help | sed '/^exit status:/,/^$/d' | shown
    ;;
  esac
done
printf '.SH SEE ALSO\n.BR jig (3),\n.BR jig_reduce (3)\n'
