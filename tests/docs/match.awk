# Whether what was printed is what a page says: line by line, "..." within a line being any text, and a line of "..."
# any lines.
#
#   awk -f tests/docs/match.awk WANTED PRINTED
function same(pattern, text,   parts, count, i, at) {
  count = split(pattern, parts, /\.\.\./)
  if (count < 2) return pattern == text
  if (substr(text, 1, length(parts[1])) != parts[1]) return 0
  text = substr(text, length(parts[1]) + 1)
  for (i = 2; i < count; ++i) {
    at = index(text, parts[i])
    if (!at) return 0
    text = substr(text, at + length(parts[i]))
  }
  return length(text) >= length(parts[count]) && \
         substr(text, length(text) - length(parts[count]) + 1) == parts[count]
}
function matches(w, p) { # wanted[w ...] and printed[p ...]
  for (; w <= wants; ++w) {
    if (wanted[w] == "...") {
      for (; p <= prints + 1; ++p) if (matches(w + 1, p)) return 1
      return 0
    }
    if (p > prints || !same(wanted[w], printed[p++])) return 0
  }
  return p > prints
}
NR == FNR { wanted[++wants] = $0; next }
{ printed[++prints] = $0 }
END { exit !matches(1, 1) }
