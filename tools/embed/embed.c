/* Writes the templates as one C file with one array of bytes, to be compiled into the library.
 *
 *   embed <root> <file> [<file> ...] > templates.c
 *
 * A file's name within <root> is the name it is included by. Comments are left out, and blanks that part
 * no tokens. The output depends on the names and the bytes alone. Digests of the texts are written, too,
 * since taking them at run time would take longer than finding a program in the cache. (An array of
 * bytes, since ISO C promises no more than 4095 characters in a string literal.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/template_text.h"
#include "util/digest.h"
#include "util/text_file.h"

enum { MOST_BYTES = 1 << 20 }; /* of a template */

typedef struct embedded {
  size_t name, length;
  digest of_text;
} embedded;

/* Prints bytes and a NUL; returns how many these are. */
static size_t print_bytes(const char *bytes, size_t length) {
  for (size_t i = 0; i <= length; ++i)
    printf("%d,%s", (unsigned char)bytes[i], i % 24 == 23 || i == length ? "\n" : "");
  return length + 1;
}

static int embed(const char *root, const char *name, size_t *at, embedded *e) {
  char path[4096], *text = NULL;
  size_t length;
  (void)snprintf(path, sizeof path, "%s/%s", root, name);
  const int error = text_file_read(path, MOST_BYTES, &text, &length);
  if (error != 0) {
    (void)fprintf(stderr, "%s: %s\n", path, strerror(error));
    return EXIT_FAILURE;
  }
  e->name = *at;
  e->length = template_text_strip(text, length);
  e->of_text = digest_of(text, e->length);
  *at += print_bytes(name, strlen(name));
  *at += print_bytes(text, e->length);
  free(text);
  return EXIT_SUCCESS;
}

static void print_digest(digest d) {
  printf("  {{");
  for (size_t i = 0; i < sizeof d.bytes; ++i) printf("%d,", d.bytes[i]);
  printf("}},\n");
}

int main(int argc, char **argv) {
  embedded *all = calloc((size_t)argc, sizeof *all);
  size_t at = 0;
  if (all == NULL) return EXIT_FAILURE;
  printf("#include \"jit/templates.h\"\n\nconst char embedded_texts[] = {\n");
  for (int i = 2; i < argc; ++i)
    if (embed(argv[1], argv[i], &at, &all[i]) != EXIT_SUCCESS) return EXIT_FAILURE;
  printf("};\nconst embedded_place embedded_places[] = {\n");
  for (int i = 2; i < argc; ++i) printf("  {%zu, %zu},\n", all[i].name, all[i].length);
  printf("};\nconst digest embedded_digests[] = {\n");
  for (int i = 2; i < argc; ++i) print_digest(all[i].of_text);
  printf("};\nconst size_t embedded_template_count = %d;\n", argc - 2);
  printf("template_file template_files[%d];\n", argc - 2);
  free(all);
  return ferror(stdout) || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
