#!/bin/sh
# Prints C: every function that cuda.h declares as a weak symbol that says that it is not implemented, which
# those that are take the place of; and the list of all of them by name and version, for
# cuGetProcAddress(). Versions are those of cudaTypedefs.h, which has a type for each version of each
# function: in order, they are the symbols without and with _v2, _v3 and so on.
#   unimplemented.sh <folder of cuda.h>
set -eu
include=$1
{
  printf '#include <cuda.h>\n#include <cudaProfiler.h>\n' |
    ${CC:-cc} -E -P -D__CUDA_API_VERSION_INTERNAL -I"$include" -x c - | tr '\n' ' ' |
    grep -oE 'CUresult +cu[A-Z][A-Za-z0-9_]*' | sed 's/.* /symbol /'
  grep -hoE 'PFN_cu[A-Za-z0-9]+(_v[0-9]+)?_v[0-9]+(_ptsz|_ptds)?\)' "$include"/cuda*Typedefs.h | sed 's/^PFN_/version /; s/)$//'
} | LC_ALL=C sort -u | awk '
  # What a name is without its endings, with "/" for those of the per-thread default stream.
  function group(name, thread) {
    thread = sub(/_pt[sd][sz]$/, "", name)
    sub(/_v[0-9]+$/, "", name)
    return name (thread ? "/" : "")
  }
  $1 == "symbol" {
    g = group($2)
    if (!(g in symbols)) groups[++group_count] = g
    symbols[g] = symbols[g] " " $2
  }
  $1 == "version" {
    g = group($2)
    number = $2
    sub(/_pt[sd][sz]$/, "", number)
    sub(/.*_v/, "", number)
    versions[g] = versions[g] " " number
  }
  END {
    print "#include \"api/procedure.h\"\n"
    print "#define WEAK(name)                                                       \\"
    print "  __attribute__((weak, visibility(\"default\"))) CUresult name(void); \\"
    print "  CUresult name(void) {                                                  \\"
    print "    return api_unimplemented(#name);                                     \\"
    print "  }"
    for (k = 1; k <= group_count; ++k) {
      n = split(symbols[groups[k]], s, " ")
      for (i = 1; i <= n; ++i) print "WEAK(" s[i] ")"
    }
    print "\nconst procedure procedures[] = {"
    for (k = 1; k <= group_count; ++k) {
      g = groups[k]
      n = split(symbols[g], s, " ")
      m = split(versions[g], v, " ")
      for (i = 2; i <= m; ++i) {
        for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
      }
      base = g
      thread = sub(/\/$/, "", base)
      for (i = 1; i <= n; ++i) {
        # Aligned at the end, should the lists differ in length.
        version = i + m - n >= 1 ? v[i + m - n] : 0
        printf "    {\"%s\", \"%s\", (void (*)(void))%s, %d, %d},\n", base, s[i], s[i], version, thread
      }
    }
    print "};"
    print "const size_t procedure_count = sizeof procedures / sizeof *procedures;"
  }'
