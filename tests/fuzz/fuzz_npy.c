/* NumPy's .npy files, and raw ones, as `jig run` reads them: what is to be read is there, and no type has
 * other items than the file. */
#include <jig/jig.h>

#include "fuzz_file.h"
#include "input.h"
#include "report.h"

static void read_as(input *in, jig_type type, const input_part *part) {
  if (input_select(in, &type, part) != EXIT_OK) return;
  MUST(in->offset <= in->file_size && in->bytes <= in->file_size - in->offset);
  MUST(in->bytes / type.size == in->count && in->bytes % type.size == 0);
  void *bytes = malloc(in->bytes + 1);
  MUST(bytes != NULL && input_read(in, bytes) == EXIT_OK);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const input_part whole = {0},
                   part = {.offset = 3, .count = size / 4, .has_offset = true, .has_count = true};
  input in;
  if (input_open(&in, fuzz_file(data, size), 0) == EXIT_OK) {
    if (in.is_npy && in.npy.type.kind != JIG_KIND_NONE) read_as(&in, in.npy.type, &whole);
    read_as(&in, JIG_U16, &whole);
    read_as(&in, jig_struct("s", "struct s { int a, b, c; };", 12, 4), &whole);
    read_as(&in, JIG_F32, &part);
  }
  input_close(&in);
  return 0;
}
