/* Writes the templates as one C file of byte arrays, to be compiled into the library.
 *
 *   embed <root> <file> [<file> ...] > templates.c
 *
 * A file's name within <root> is the name it is included by. The output depends on the names and the
 * bytes alone. Digests of the texts are written, too, since taking them at run time would take longer
 * than finding a program in the cache. (Byte arrays, since ISO C promises no more than 4095 characters in
 * a string literal.) */
#include <stdio.h>
#include <stdlib.h>

#include "util/digest.h"

static int embed(const char *root, const char *name, int index, digest *of_text) {
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return EXIT_FAILURE;
  }
  digester all;
  digest_begin(&all);
  printf("static const char text%d[] = {", index);
  int byte;
  for (int column = 0; (byte = getc(file)) != EOF; ++column) {
    printf("%s%d,", column % 24 == 0 ? "\n  " : "", byte);
    digest_add(&all, &(unsigned char){(unsigned char)byte}, 1);
  }
  *of_text = digest_end(&all);
  printf("\n  0};\n");
  int failed = ferror(file);
  (void)fclose(file);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
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
