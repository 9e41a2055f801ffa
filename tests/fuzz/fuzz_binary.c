/* Compiled operators: what format they are of, whether they are whole, what they define, of which
 * versions they are, and PTX of several compilers in one module. The input is up to three files, of which
 * the first two bytes tell where they are cut; the third is the program that is merged with the others.
 */
#include <jig/jig.h>

#include "fuzz.h"
#include "jit/binary.h"
#include "jit/ptx_inline.h"
#include "jit/ptx_merge.h"
#include "jit/symbols.h"
#include "spec/format.h"
#include "spec/operator.h"
#include "util/error.h"

static const jig_type number = {.kind = JIG_KIND_F32, .size = 4, .align = 4};

/* Names lie within the file; so does what the text of a declaration is. */
static void read_symbols(const jig_op *op) {
  const char *data = op->data, *end = data + strnlen(data, op->size);
  symbol_list list = {NULL};
  (void)symbols_of_cubin(&list, data, op->size, 0);
  symbols_of_ptx(&list, data, end, 1);
  for (size_t i = 0; i < list.count; ++i) {
    const symbol *s = &list.all[i];
    MUST(s->name >= data && s->length <= op->size - (size_t)(s->name - data));
    if (s->begin != NULL) MUST(data <= s->begin && s->begin <= s->end && s->end <= end);
  }
  MUST(symbols_sort(&list));
  for (size_t i = 0; i < list.count; ++i) {
    const symbol *definition = symbols_definition(&list, &list.all[i]);
    MUST(symbols_first(&list, &list.all[i]) <= &list.all[i]);
    MUST(definition != NULL || !list.all[i].defined);
  }
  (void)symbols_clash(&list, true);
  (void)symbols_clash(&list, false);
  symbols_free(&list);
}

static jig_op read_operator(const uint8_t *data, size_t size, const char *name) {
  const jig_format format = format_of(data, size);
  const op_signature signature = {.arity = 2, .operand = &number, .result = &number};
  const jig_op op = jig_op_binary(format != JIG_FORMAT_NONE ? format : JIG_FORMAT_PTX, data, size, name);
  char version[BINARY_VERSION_SIZE];
  binary_version(&op, version);
  MUST(version[0] != '\0' && strlen(version) < BINARY_VERSION_SIZE);
  (void)op_check(&op, &signature, "op", "operator");
  (void)ptx_is_inlined(&op, &signature);
  for (jig_format f = JIG_FORMAT_LTO_IR; f <= JIG_FORMAT_FATBIN; ++f)
    (void)format_is_whole(f, data, size);
  read_symbols(&op);
  return op;
}

static void merge(const jig_op *ops, const uint8_t *program, size_t size) {
  const jig_op *all[] = {&ops[0], &ops[1]};
  const arch target = arch_of_sm(90, true);
  compiled result = {.payload = (unsigned char *)fuzz_text(program, size), .payload_size = size + 1};
  if (ptx_merge(all, 2, &target, &result) == JIG_SUCCESS)
    MUST(strncmp((char *)result.payload, ".version ", 9) == 0 &&
         result.payload[result.payload_size - 1] == '\0');
  compiled_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  const size_t rest = size - 2, end = rest * data[1] / 255, middle = end * data[0] / 255;
  uint8_t *files[] = {fuzz_bytes(data + 2, middle), fuzz_bytes(data + 2 + middle, end - middle)};
  error_clear();
  const jig_op ops[] = {read_operator(files[0], middle, "add"),
                        read_operator(files[1], end - middle, "neg")};
  merge(ops, data + 2 + end, rest - end);
  free(files[0]);
  free(files[1]);
  return 0;
}
