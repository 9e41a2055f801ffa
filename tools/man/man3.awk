# A public header as a page of section 3 of the manual.
#
#   awk -v version=VERSION -f tools/man/man3.awk include/jig/reduce.h
#
# What stands before a declaration as a comment becomes its text: paragraphs, lists, @param and @return, and as it is
# what is indented. Structs and enumerations are shown as they are declared.
function escape(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  sub(/^[.']/, "\\\\\\&&", text)
  return text
}
function line(text) { body = body escape(text) "\n" }
function request(text) { body = body text "\n" }
function verbatim(on) {
  if (on && !is_verbatim) { request(".PP"); request(".RS 4"); request(".nf") }
  if (!on && is_verbatim) { request(".fi"); request(".RE") }
  is_verbatim = on
}
# The lines of a comment, without its stars, as text.
function prose(   i, text, gap) {
  gap = ""
  for (i = 1; i <= comment_lines; ++i) {
    text = comment[i]
    if (text == "") { gap = ".PP"; continue }
    if (text ~ /^  / && (gap != "" || is_verbatim) && !in_item) {
      if (is_verbatim && gap != "") line("")
      verbatim(1)
      gap = ""
      line(text)
      continue
    }
    verbatim(0)
    if (gap != "") in_item = 0
    if (text ~ /^ +@/) sub(/^ +/, "", text)
    if (text ~ /^@param/) {
      sub(/^@param(\[[a-z]*\])? */, "", text)
      request(".TP")
      match(text, /^[a-z_]+(, [a-z_]+)*/)
      request("\\fI" escape(substr(text, 1, RLENGTH)) "\\fR")
      text = substr(text, RLENGTH + 1)
      in_item = 1
    } else if (text ~ /^@return/) {
      sub(/^@return */, "", text)
      request(".TP")
      request("returns")
      in_item = 1
    } else if (text ~ /^- /) {
      text = substr(text, 3)
      request(".IP \\(bu 2")
      in_item = 1
    } else if (gap != "") request(gap)
    gap = ""
    sub(/^ +/, "", text)
    if (text != "") line(text)
  }
  verbatim(0)
  in_item = 0
}
function code(text) {
  request(".PP")
  request(".nf")
  body = body text
  request(".fi")
}
function first_sentence(   i, text) {
  for (i = 1; i <= comment_lines && comment[i] != ""; ++i) text = text (i > 1 ? " " : "") comment[i]
  sub(/\. .*/, "", text)
  sub(/\.$/, "", text)
  return text
}
function heading(text) { request(".SS " escape(text)) }
function add(text) { # a line of a comment
  sub(/^ *\/\*\*? ?/, "", text)
  sub(/ *\*\/ *$/, "", text)
  sub(/^ *\* ?/, "", text)
  if (comment_lines > 0 || text !~ /^ *$/) comment[++comment_lines] = text ~ /^ *$/ ? "" : text
}
function declared(   name) { # one whole declaration is in `code_text`
  if (code_text ~ /^JIG_API/) {
    name = code_text
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    names = names (names == "" ? "" : ", ") name
    sub(/^JIG_API /, "", code_text)
    gsub(/\n        /, "\n", code_text)
    synopsis = synopsis escape(code_text)
    heading(name "()")
    prose()
  } else if (code_text ~ /^typedef (struct|enum) [a-z_]+ \{/) {
    name = code_text
    sub(/^typedef /, "", name)
    sub(/ \{.*/, "", name)
    heading(name)
    prose()
    code(escape_lines(code_text))
  } else {
    prose()
    code(escape_lines(code_text))
  }
  comment_lines = 0
  code_text = ""
}
function macro(   name) { # one that is described has a heading; the others are named
  name = $2
  sub(/\(.*/, "", name)
  if (comment_lines > 0) { heading(name); prose() } else macros = macros (macros == "" ? "" : ", ") name
}
function escape_lines(text,   parts, n, i, out) {
  n = split(text, parts, "\n")
  for (i = 1; i < n; ++i) out = out escape(parts[i]) "\n"
  return out
}
BEGIN { title = "" }
# ---- comments and declarations of the outermost level
in_comment { add($0); if (/\*\//) { in_comment = 0; ended() } next }
code_text == "" && /^\/\*/ {
  if (!/^\/\*\*/) comment_lines = 0
  comment_lines = 0
  add($0)
  if (/\*\//) ended(); else in_comment = 1
  next
}
function ended() {
  if (title != "") return
  title = first_sentence()
  prose()
  comment_lines = 0
  about = body
  body = ""
}
code_text == "" && /^(JIG_API|typedef|enum)/ { code_text = $0 "\n"; if (is_whole()) declared(); next }
code_text == "" && /^#define JIG_[A-Z0-9_]+(\(| |$)/ && !/_H$/ { macro(); in_macro = /\\$/; comment_lines = 0; next }
in_macro { in_macro = /\\$/; next }
code_text != "" { code_text = code_text $0 "\n"; if (is_whole()) declared(); next }
/^$/ { comment_lines = 0 }
function is_whole(   open, close_) {
  open = gsub(/\{/, "{", code_text)
  close_ = gsub(/\}/, "}", code_text)
  return open == close_ && code_text ~ /;[^;]*\n$/ && code_text !~ /\n#ifdef[^\n]*\n$/
}
END {
  stem = FILENAME
  sub(/.*\//, "", stem)
  sub(/\.h$/, "", stem)
  page = stem == "jig" ? "jig" : "jig_" stem
  printf ".TH %s 3 \"\" \"jig %s\" \"jig\"\n.SH NAME\n", toupper(page), version
  if (names !~ "(^|, )" page "(,|$)") names = page (names == "" ? "" : ", ") names
  printf "%s \\- %s\n.SH SYNOPSIS\n.nf\n#include <jig/%s.h>\n", escape(names), escape(title), stem
  if (synopsis != "") printf ".PP\n%s", synopsis
  printf ".fi\n.SH DESCRIPTION\n%s%s", about, body
  if (macros != "") printf ".SH MACROS\n%s\n", escape(macros)
  printf ".SH SEE ALSO\n.BR jig (1),\n.BR jig (3)\n"
}
