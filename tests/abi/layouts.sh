#!/bin/sh
# Prints what some headers say of every struct and enumeration, a line each: "jig_type 48", "jig_type.name 16 8" (offset
# and size), "jig_type_kind 4" and behind that "JIG_KIND_I8 1". For tests/scripts/test_abi.sh, which compares kept headers
# with today's, and for enumerations.sh.
#
#   tests/abi/layouts.sh include
set -eu
cc=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  printf '#include <jig/jig.h>\n#include <stddef.h>\n#include <stdio.h>\n'
  printf '#define SIZE(type) printf("%%s %%zu\\n", #type, sizeof(type))\n'
  printf '#define FIELD(type, field) \\\n'
  printf '  printf("%%s.%%s %%zu %%zu\\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field))\n'
  printf '#define VALUE(name) printf("%%s %%d\\n", #name, (int)name)\n'
  printf 'int main(void) {\n'
  # Definitions as the preprocessor leaves them: without comments, and with what macros list.
  echo '#include <jig/jig.h>' | $cc -E -P -std=c11 -I"$1" - | awk '
    function declared(text, words, count) { # its last word, arrays aside
      sub(/\[.*/, "", text)
      gsub(/[^A-Za-z0-9_]/, " ", text)
      count = split(text, words, " ")
      return count > 0 ? words[count] : ""
    }
    /^typedef (struct|enum) jig_[a-z0-9_]+ *\{/ { kind = $2; name = $3; body = ""; sub(/^[^{]*\{/, "") }
    name == "" { next }
    !/^\}/ { body = body " " $0; next }
    {
      count = split(body, parts, kind == "struct" ? "[;,]" : ",")
      printf "  SIZE(%s);\n", name
      for (i = 1; i <= count; ++i) {
        part = parts[i]
        sub(/=.*/, "", part)
        field = declared(part)
        if (field == "") continue
        if (kind == "struct") printf "  FIELD(%s, %s);\n", name, field
        else printf "  VALUE(%s);\n", field
      }
      name = ""
    }'
  printf '  return 0;\n}\n'
} >"$folder/layouts.c"
$cc -std=c11 -I"$1" "$folder/layouts.c" -o "$folder/layouts"
"$folder/layouts"
