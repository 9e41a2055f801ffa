# What a public header declares without a comment before it: functions, structs, enumerations, function types.
#
#   awk -f tests/docs/undocumented.awk HEADER...
FNR == 1 { comment = 0 }
/^JIG_API|^typedef/ {
  if (!comment) print FILENAME ":" FNR ": " $0
}
/\*\/ *$/ && !/^[^ \/].*\/\*/ { comment = 1; next } # the end of a comment of its own line
/^ *(\/\*|\*)/ { next }
/^$/ { comment = 0; next }
# One comment may be for several short ones, line by line.
{ comment = comment && /^typedef [^{]*;$/ }
