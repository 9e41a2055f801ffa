# Takes the code blocks out of a page.
#
#   awk -v folder=FOLDER -f tests/docs/blocks.awk PAGE
#
# Block number N becomes FOLDER/N.LANGUAGE, and what it has to print FOLDER/N.output. For each a line is printed:
# its number, the line of the page that it begins at, its language, and what the page says of it in comments:
#
#   <!-- wrapper: call.c -->   the fragments of C that follow stand in tests/docs/call.c, in the place of /* here */
#   <!-- run -->               before a block of sh: it is run
#   <!-- a GPU only -->        before a program: it is compiled everywhere, and run where there is a GPU
function start(language) {
  ++number
  file = folder "/" number "." language
  printf "" >file
  kind = language
  if (language == "c") kind = note == "a GPU only" ? "gpu" : "c"
  if (language == "sh" && note == "run") kind = "run"
  print number, NR + 1, language, kind, wrapper == "" ? "-" : wrapper
  note = ""
}
/^<!-- wrapper: .* -->$/ { wrapper = $3; next }
/^<!-- (run|a GPU only) -->$/ { note = substr($0, 6, length($0) - 9); next }
/^ *```/ {
  if (inside) { inside = 0; close(file); next }
  inside = 1
  language = $0
  sub(/^ *```/, "", language)
  if (language == "output") {
    file = folder "/" number ".output"
    printf "" >file
  } else start(language == "" ? "none" : language)
  next
}
inside { print >file }
