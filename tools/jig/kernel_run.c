#include "kernel_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "input.h"
#include "npy_struct.h"
#include "report.h"
#include "value.h"

enum { MAX_ARGUMENTS = 64 };

/* An operand, which becomes an argument: a number, or an array in device memory. */
typedef struct argument {
  const char *text;
  char *file, *out; /* malloc'ed; NULL: it is no file's, and is not stored */
  jig_type type;    /* kind NONE: bytes */
  bool is_number;
  uint64_t count;
  _Alignas(16) unsigned char value[VALUE_MAX_SIZE];
  input in; /* of a file's */
  unsigned char *host;
  void *device;
} argument;

typedef struct run {
  argument arguments[MAX_ARGUMENTS];
  int count;
  gpu g;
} run;

static size_t bytes_of(const argument *a) {
  return a->type.kind == JIG_KIND_NONE ? a->count : a->count * a->type.size;
}

/* ---- reading operands */

/* A type of which `definitions` give the name, or a built-in one. */
static jig_type type_named(const parsed_spec *parsed, const char *name, size_t length) {
  char word[64] = "";
  if (length < sizeof word) memcpy(word, name, length);
  const jig_kernel_config *k = &parsed->kernel;
  for (size_t i = 0; i < k->definition_count; ++i) {
    const jig_definition *d = &k->definitions[i];
    if (d->kind == JIG_DEFINITION_TYPE && strcmp(d->name, word) == 0) return d->type;
  }
  return jig_type_from_name(word);
}

/* "f32:0.5" */
static int read_number(argument *a, const char *value) {
  a->is_number = true;
  if (a->type.size <= sizeof a->value && value_parse(value, &a->type, a->value)) return EXIT_OK;
  return usage_error("%s: '%s' is no value of %s", a->text, value, jig_type_name(&a->type));
}

/* "f32[1000]", "f32[1000]=out.npy" */
static int read_zeros(argument *a, const char *count) {
  char *end;
  uint64_t bytes;
  errno = 0;
  a->count = strtoull(count, &end, 10);
  if (*count < '0' || *count > '9' || *end != ']' || (end[1] != '\0' && end[1] != '='))
    return usage_error("%s: write T[N], or T[N]=FILE", a->text);
  if (errno != 0 || __builtin_mul_overflow(a->count, a->type.size, &bytes))
    return usage_error("%s: no memory has room for so many", a->text);
  if (end[1] == '=') a->out = strdup(end + 2);
  return EXIT_OK;
}

/* "in.npy", "in.npy=out.npy" */
static int read_file(argument *a) {
  const char *equals = strchr(a->text, '=');
  a->file = strndup(a->text, equals != NULL ? (size_t)(equals - a->text) : strlen(a->text));
  if (equals != NULL) a->out = strdup(equals + 1);
  int code = input_open(&a->in, a->file, 0);
  if (code != EXIT_OK) return code;
  const jig_type byte = jig_type_of_kind(JIG_KIND_U8);
  if (a->in.is_npy && a->in.npy.type.kind != JIG_KIND_NONE)
    a->type = a->in.npy.type;
  else if (a->in.is_npy && a->in.npy.item_size > 0 && a->in.npy.is_void)
    a->type = jig_opaque(a->in.npy.item_size, 1);
  else if (a->in.is_npy)
    return usage_error("%s: its items are structs, which a kernel gets as bytes: store these raw",
                       a->file);
  code = input_select(&a->in, a->type.kind != JIG_KIND_NONE ? &a->type : &byte, &(input_part){0});
  a->count = a->in.count;
  return code;
}

/* "5", where there is no file of that name */
static bool lacks_its_type(const char *text) {
  char *end;
  (void)strtod(text, &end);
  return end != text && *end == '\0' && access(text, F_OK) != 0;
}

static int read_operand(const parsed_spec *parsed, argument *a) {
  const size_t length = strcspn(a->text, ":[=/");
  const char *rest = a->text + length;
  a->in.fd = -1;
  if (lacks_its_type(a->text))
    return usage_error("%s: a number is told with its type: i32:%s or the like", a->text, a->text);
  if (*rest != ':' && *rest != '[') return read_file(a);
  a->type = type_named(parsed, a->text, length);
  if (a->type.kind == JIG_KIND_NONE)
    return usage_error("%s: '%.*s' is no type; of a file so called write './%s'", a->text, (int)length,
                       a->text, a->text);
  return *rest == ':' ? read_number(a, rest + 1) : read_zeros(a, rest + 1);
}

static int read_operands(run *r, const parsed_spec *parsed, const operand_list *operands) {
  if (operands->count > MAX_ARGUMENTS) return usage_error("more than %d arguments", (int)MAX_ARGUMENTS);
  int code = EXIT_OK;
  for (; r->count < operands->count && code == EXIT_OK; ++r->count) {
    r->arguments[r->count].text = operands->names[r->count];
    code = read_operand(parsed, &r->arguments[r->count]);
  }
  return code;
}

/* ---- the GPU */

static int upload(run *r, argument *a) {
  const size_t bytes = bytes_of(a);
  if (a->is_number) return EXIT_OK;
  a->host = malloc(bytes + 1);
  a->device = a->host != NULL ? gpu_alloc(&r->g, bytes) : NULL;
  if (a->host == NULL) complain("out of memory: %s", a->text);
  if (a->device == NULL) return EXIT_FAILED;
  if (a->file == NULL) return bytes == 0 || gpu_clear(&r->g, a->device, bytes) ? EXIT_OK : EXIT_FAILED;
  const int code = input_read(&a->in, a->host);
  if (code != EXIT_OK || bytes == 0) return code;
  return gpu_upload(&r->g, a->device, a->host, bytes) ? EXIT_OK : EXIT_FAILED;
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int launch_once(const run *r, jig_kernel *kernel, const kernel_launch *launch) {
  jig_kernel_arg args[MAX_ARGUMENTS];
  for (int i = 0; i < r->count; ++i) {
    const argument *a = &r->arguments[i];
    args[i] = a->is_number ? (jig_kernel_arg){a->value, a->type.size}
                           : (jig_kernel_arg){&a->device, sizeof a->device};
  }
  const jig_status status =
      jig_kernel_launch(kernel, &launch->shape, args, (size_t)r->count, r->g.stream);
  return status == JIG_SUCCESS                  ? EXIT_OK
         : status == JIG_ERROR_INVALID_ARGUMENT ? usage_error("%s", jig_last_error())
                                                : jig_failure(status);
}

/* Further launches find what the first one left. */
static int time_launches(run *r, jig_kernel *kernel, const kernel_launch *launch) {
  double *times = calloc(launch->repeats, sizeof *times);
  int code = times != NULL ? EXIT_OK : EXIT_FAILED;
  if (times == NULL) complain("out of memory: --repeat");
  for (uint64_t i = 0; i < launch->repeats && code == EXIT_OK; ++i) {
    code = gpu_clock_start(&r->g) ? launch_once(r, kernel, launch) : EXIT_FAILED;
    if (code == EXIT_OK && !gpu_clock_stop(&r->g, &times[i])) code = EXIT_FAILED;
  }
  if (code == EXIT_OK) {
    qsort(times, launch->repeats, sizeof *times, compare_times);
    (void)fprintf(stderr, "kernel: median %.4f ms, best %.4f ms of %" PRIu64 "\n",
                  times[launch->repeats / 2], times[0], launch->repeats);
  }
  free(times);
  return code;
}

static int download(run *r) {
  for (int i = 0; i < r->count; ++i) {
    argument *a = &r->arguments[i];
    const bool is_wanted = !a->is_number && (a->out != NULL || a->file == NULL);
    if (is_wanted && bytes_of(a) > 0 && !gpu_download(&r->g, a->host, a->device, bytes_of(a)))
      return EXIT_FAILED;
  }
  return EXIT_OK;
}

static int run_there(run *r, const parsed_spec *parsed, const kernel_launch *launch, jig_engine *engine) {
  jig_kernel *kernel;
  const jig_status status = jig_kernel_get(engine, &parsed->kernel, &kernel);
  int code = status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
  for (int i = 0; i < r->count && code == EXIT_OK; ++i) code = upload(r, &r->arguments[i]);
  if (code == EXIT_OK) code = launch_once(r, kernel, launch);
  if (code == EXIT_OK && !gpu_ok(r->g.cuda->cuStreamSynchronize(r->g.stream), "the kernel"))
    code = EXIT_FAILED;
  if (code == EXIT_OK) code = download(r);
  return code == EXIT_OK && launch->repeats > 0 ? time_launches(r, kernel, launch) : code;
}

/* ---- what came of it */

static bool write_header(FILE *file, const argument *a) {
  size_t length = 0;
  const jig_type byte = jig_type_of_kind(JIG_KIND_U8);
  char *descr = npy_descr(a->type.kind != JIG_KIND_NONE ? &a->type : &byte);
  char *header = descr != NULL ? npy_header_text(descr, a->count, 0, &length) : NULL;
  const bool ok = header != NULL && fwrite(header, 1, length, file) == length;
  free(header);
  free(descr);
  return ok;
}

static int save(const argument *a) {
  const char *suffix = strrchr(a->out, '.');
  const bool is_npy = suffix != NULL && strcmp(suffix, ".npy") == 0;
  FILE *file = fopen(a->out, "wb");
  bool ok = file != NULL && (!is_npy || write_header(file, a));
  ok = ok && fwrite(a->host, 1, bytes_of(a), file) == bytes_of(a);
  int problem = errno;
  if (file != NULL && fclose(file) != 0 && ok) {
    problem = errno;
    ok = false;
  }
  if (ok) return EXIT_OK;
  complain("%s: %s", a->out, strerror(problem));
  return EXIT_FAILED;
}

static void print(const argument *a) {
  enum { MOST_ON_A_TERMINAL = 20 };
  const uint64_t shown =
      isatty(STDOUT_FILENO) && a->count > MOST_ON_A_TERMINAL ? MOST_ON_A_TERMINAL : a->count;
  for (uint64_t i = 0; i < shown; ++i) {
    value_print(stdout, &a->type, a->host + i * a->type.size);
    printf("\n");
  }
  if (shown < a->count) printf("... %" PRIu64 " more; %s=FILE stores all\n", a->count - shown, a->text);
}

static int finish(const run *r) {
  int code = EXIT_OK;
  for (int i = 0; i < r->count && code == EXIT_OK; ++i) {
    const argument *a = &r->arguments[i];
    if (a->out != NULL)
      code = save(a);
    else if (!a->is_number && a->file == NULL)
      print(a);
  }
  return code;
}

int kernel_run(const parsed_spec *parsed, const kernel_launch *launch, const build_options *build,
               const operand_list *operands) {
  static run r; /* too large for a stack, with the buffers of its numbers */
  jig_engine *engine = NULL;
  int code = read_operands(&r, parsed, operands);
  if (code == EXIT_OK) code = build_options_engine(build, (jig_engine_config){0}, &engine);
  if (code == EXIT_OK) {
    code = gpu_open(&r.g);
    if (code == EXIT_OK) {
      code = run_there(&r, parsed, launch, engine);
      (void)r.g.cuda->cuStreamSynchronize(r.g.stream); /* arrays that are being filled with zeros */
    }
    jig_engine_destroy(engine); /* its kernel lives in the context, which goes next */
    gpu_close(&r.g);
  }
  if (code == EXIT_OK) code = finish(&r);
  for (int i = 0; i < r.count; ++i) {
    argument *a = &r.arguments[i];
    if (a->file != NULL) input_close(&a->in);
    free(a->file);
    free(a->out);
    free(a->host);
  }
  return code;
}
