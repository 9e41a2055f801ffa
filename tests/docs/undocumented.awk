# What a public header declares without a comment before it: functions, structs, enumerations, function types, macros.
#
#   awk -f tests/docs/undocumented.awk HEADER...
FNR == 1 { comment = 0 }
/^JIG_API|^typedef/ {
  if (!comment) print FILENAME ":" FNR ": " $0
}
# Once, where there is one for each language; one comment may be for several, line by line. Not what a list is made
# with, nor what a header is known to be there by.
/^#define JIG_/ {
  name = $2
  sub(/\(.*/, "", name)
  if (!comment && !/\/\*\*</ && !(name in described) && name !~ /_(ENUM|H)$/) print FILENAME ":" FNR ": " $0
  described[name]
}
/\*\/ *$/ && !/^[^ \/].*\/\*/ { comment = 1; next } # the end of a comment of its own line
/^ *(\/\*|\*)/ { next }
/^$/ { comment = 0; next }
/^#|\\$/ || in_macro { in_macro = /\\$/; next }
# One comment may be for several short ones, line by line.
{ comment = comment && /^typedef [^{]*;$/ }
