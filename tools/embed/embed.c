/* Writes the templates as one C file of byte arrays, to be compiled into the library.
 *
 *   embed <root> <file> [<file> ...] > templates.c
 *
 * A file's name within <root> is the name it is included by. Comments are left out, and blanks that part
 * no tokens. The output depends on the names and the bytes alone. Digests of the texts are written, too,
 * since taking them at run time would take longer than finding a program in the cache. (Byte arrays, since
 * ISO C promises no more than 4095 characters in a string literal.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/template_text.h"
#include "util/digest.h"
#include "util/text_file.h"

enum { MOST_BYTES = 1 << 20 }; /* of a template */

static int embed(const char *root, const char *name, int index, digest *of_text) {
  char path[4096], *text = NULL;
  size_t length;
  (void)snprintf(path, sizeof path, "%s/%s", root, name);
  const int error = text_file_read(path, MOST_BYTES, &text, &length);
  if (error != 0) {
    (void)fprintf(stderr, "%s: %s\n", path, strerror(error));
    return EXIT_FAILURE;
  }
  length = template_text_strip(text, length);
  *of_text = digest_of(text, length);
  printf("static const char text%d[] = {", index);
  for (size_t i = 0; i < length; ++i) printf("%s%d,", i % 24 == 0 ? "\n  " : "", (unsigned char)text[i]);
  printf("\n  0};\n");
  free(text);
  return EXIT_SUCCESS;
}

static void print_digest(digest d) {
  printf("  {{");
  for (size_t i = 0; i < sizeof d.bytes; ++i) printf("%d,", d.bytes[i]);
  printf("}},\n");
}

int main(int argc, char **argv) {
  digest *digests = calloc((size_t)argc, sizeof *digests);
  if (digests == NULL) return EXIT_FAILURE;
  printf("#include \"jit/templates.h\"\n\n");
  for (int i = 2; i < argc; ++i) {
    if (embed(argv[1], argv[i], i, &digests[i]) != EXIT_SUCCESS) return EXIT_FAILURE;
  }
  printf("\nconst template_file embedded_templates[] = {\n");
  for (int i = 2; i < argc; ++i) {
    printf("  {\"%s\", text%d, sizeof text%d - 1},\n", argv[i], i, i);
  }
  printf("};\nconst digest embedded_digests[] = {\n");
  for (int i = 2; i < argc; ++i) print_digest(digests[i]);
  printf("};\nconst size_t embedded_template_count = %d;\n", argc - 2);
  free(digests);
  return ferror(stdout) || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
