#include "binaries.h"

#include <check.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clang_ir.h"
#include "jit/compiler.h"
#include "util/hash.h"

const char binary_prelude[] =
    "#ifdef __cplusplus\n"
    "#define EXPORT extern \"C\" __device__\n"
    "#else\n"
    "#define EXPORT\n"
    "#endif\n";

enum { OLDEST_SM = 75, PATH_SIZE = 4096, COMMAND_SIZE = 4 * PATH_SIZE };

const char *maker_name(binary_maker maker) {
  static const char *const names[] = {"NVRTC", "nvcc", "clang"};
  return names[maker];
}

const char *binary_kind_name(binary_kind kind) {
  static const char *const names[] = {"LTO-IR",
                                      "PTX",
                                      "a cubin",
                                      "an object of LTO-IR",
                                      "an object of machine code",
                                      "a fatbin of LTO-IR",
                                      "a fatbin of machine code"};
  return names[kind];
}

static jig_format format_of_kind(binary_kind kind) {
  static const jig_format formats[] = {JIG_FORMAT_LTO_IR, JIG_FORMAT_PTX,    JIG_FORMAT_CUBIN,
                                       JIG_FORMAT_OBJECT, JIG_FORMAT_OBJECT, JIG_FORMAT_FATBIN,
                                       JIG_FORMAT_FATBIN};
  return formats[kind];
}

bool binary_is_machine_code(binary_kind kind) {
  return kind == BINARY_CUBIN || kind == BINARY_OBJECT_MACHINE || kind == BINARY_FATBIN_MACHINE;
}

/* ---- which compilers there are */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char nvcc[PATH_SIZE], clang[PATH_SIZE];
static bool nvvm_is_there;

/* A program on $PATH, or in `folder`; "" if there is none. */
static void find_program(const char *name, const char *folder, char path[PATH_SIZE]) {
  const char *c = getenv("PATH");
  for (size_t length; c != NULL && *c != '\0'; c += length + (c[length] == ':')) {
    length = strcspn(c, ":");
    (void)snprintf(path, PATH_SIZE, "%.*s/%s", (int)length, c, name);
    if (access(path, X_OK) == 0) return;
  }
  (void)snprintf(path, PATH_SIZE, "%s/%s", folder, name);
  if (access(path, X_OK) != 0) path[0] = '\0';
}

static void find_compilers(void) {
  char gcc[PATH_SIZE];
  find_program("gcc", "/usr/bin", gcc);
  find_program("nvcc", "/usr/local/cuda/bin", nvcc);
  if (gcc[0] == '\0') nvcc[0] = '\0'; /* it needs a C++ compiler of the host's */
  find_program("clang", "/usr/bin", clang);
  nvvm_is_there = clang_ir_open();
}

bool maker_is_there(binary_maker maker) {
  (void)pthread_once(&once, find_compilers);
  return maker == BY_NVRTC ? compiler_get() != NULL : (maker == BY_NVCC ? nvcc : clang)[0] != '\0';
}

bool maker_makes(binary_maker maker, binary_kind kind) {
  if (!maker_is_there(maker)) return false;
  if (maker == BY_NVCC) return true;
  if (maker == BY_NVRTC) return kind == BINARY_LTO_IR || kind == BINARY_PTX || kind == BINARY_CUBIN;
  return kind == BINARY_PTX || (kind == BINARY_LTO_IR && nvvm_is_there);
}

binary_maker maker_of(binary_kind kind, const char *test) {
  for (binary_maker maker = 0; maker < BINARY_MAKERS; ++maker) {
    if (maker_makes(maker, kind)) return maker;
  }
  printf("skipped: %s (nothing here makes %s)\n", test, binary_kind_name(kind));
  return BINARY_MAKERS;
}

/* ---- files */

typedef struct work {
  char folder[PATH_SIZE / 4], in[PATH_SIZE], out[PATH_SIZE], log[PATH_SIZE];
} work;

static work begin_work(const char *source, const char *in, const char *out) {
  work w;
  const char *tmp = getenv("TMPDIR");
  (void)snprintf(w.folder, sizeof w.folder, "%s/jig-binary-XXXXXX", tmp != NULL ? tmp : "/tmp");
  ck_assert_ptr_nonnull(mkdtemp(w.folder));
  (void)snprintf(w.in, sizeof w.in, "%s/%s", w.folder, in);
  (void)snprintf(w.out, sizeof w.out, "%s/%s", w.folder, out);
  (void)snprintf(w.log, sizeof w.log, "%s/log", w.folder);
  FILE *file = fopen(w.in, "w");
  ck_assert(file != NULL && fputs(source, file) >= 0 && fclose(file) == 0);
  return w;
}

/* The whole of a file, with a NUL behind it. */
static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s cannot be read", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = calloc(*size + 1, 1);
  ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
  (void)fclose(file);
  return bytes;
}

/* Runs a compiler; its output and, if it fails, its words. */
static unsigned char *end_work(const work *w, const char *program, const char *options, size_t *size) {
  char command[COMMAND_SIZE];
  (void)snprintf(command, sizeof command, "cd '%s' && '%s' %s '%s' -o '%s' >'%s' 2>&1", w->folder,
                 program, options, w->in, w->out, w->log);
  if (system(command) != 0) {
    unsigned char *log = read_file(w->log, size);
    ck_abort_msg("%s\n%.4000s", command, (char *)log);
  }
  unsigned char *bytes = read_file(w->out, size);
  (void)unlink(w->in);
  (void)unlink(w->out);
  (void)unlink(w->log);
  (void)rmdir(w->folder);
  return bytes;
}

/* ---- the compilers */

static unsigned char *make_by_nvcc(binary_kind kind, const char *source, int sm, size_t *size) {
  static const char *const options[] = {
      [BINARY_LTO_IR] = "-dlto -ltoir -dc -arch=sm_%d",
      [BINARY_PTX] = "-rdc=true -ptx -arch=sm_%d",
      [BINARY_CUBIN] = "-rdc=true -cubin -arch=sm_%d",
      [BINARY_OBJECT_LTO] = "-dc -dlto -arch=sm_%d",
      [BINARY_OBJECT_MACHINE] = "-dc -gencode arch=compute_%d,code=sm_%d",
      [BINARY_FATBIN_LTO] = "-fatbin -rdc=true -gencode arch=compute_%d,code=lto_%d",
      [BINARY_FATBIN_MACHINE] = "-fatbin -rdc=true -gencode arch=compute_%d,code=sm_%d",
  };
  char text[256];
  const int target = binary_is_machine_code(kind) ? sm : OLDEST_SM;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  (void)snprintf(text, sizeof text, options[kind], target, target);
#pragma GCC diagnostic pop
  const work w = begin_work(source, "op.cu", "op.out");
  return end_work(&w, nvcc, text, size);
}

static unsigned char *make_by_clang(binary_kind kind, const char *source, size_t *size) {
  const bool lto = kind == BINARY_LTO_IR;
  const work w = begin_work(source, "op.c", "op.out");
  unsigned char *bytes = end_work(&w, clang,
                                  lto ? "-target nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_75 "
                                        "-O2 -S -emit-llvm -fno-discard-value-names"
                                      : "-target nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_75 "
                                        "-Xclang -target-feature -Xclang +ptx63 -O2 -S",
                                  size);
  if (!lto) return bytes;
  unsigned char *ir = clang_ir_to_lto((const char *)bytes, size);
  free(bytes);
  return ir;
}

#define NVRTC_FUNCTIONS(X)  \
  X(nvrtcCreateProgram)     \
  X(nvrtcDestroyProgram)    \
  X(nvrtcCompileProgram)    \
  X(nvrtcGetProgramLog)     \
  X(nvrtcGetProgramLogSize) \
  X(nvrtcGetLTOIRSize)      \
  X(nvrtcGetLTOIR) X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN)
static struct {
#define MEMBER(name) __typeof__(&(name)) name;
  NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
} rtc;

static void open_nvrtc(void) {
  const char *path = compiler_get()->path;
  void *library = dlopen(path != NULL ? path : "libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
#define TAKE(name)                             \
  *(void **)&rtc.name = dlsym(library, #name); \
  ck_assert_msg(rtc.name != NULL, "no " #name);
  NVRTC_FUNCTIONS(TAKE)
#undef TAKE
}

static unsigned char *make_by_nvrtc(binary_kind kind, const char *source, int sm, size_t *size) {
  static pthread_once_t opened = PTHREAD_ONCE_INIT;
  (void)pthread_once(&opened, open_nvrtc);
  char target[64];
  const bool lto = kind == BINARY_LTO_IR, ptx = kind == BINARY_PTX;
  (void)snprintf(target, sizeof target, "-arch=%s_%d", kind == BINARY_CUBIN ? "sm" : "compute",
                 kind == BINARY_CUBIN ? sm : OLDEST_SM);
  const char *options[] = {target, "-rdc=true", "--device-int128", lto ? "-dlto" : "-std=c++17"};
  nvrtcProgram program;
  ck_assert_int_eq(rtc.nvrtcCreateProgram(&program, source, "op.cu", 0, NULL, NULL), NVRTC_SUCCESS);
  if (rtc.nvrtcCompileProgram(program, 4, options) != NVRTC_SUCCESS) {
    size_t length = 0;
    (void)rtc.nvrtcGetProgramLogSize(program, &length);
    char *log = calloc(length + 1, 1);
    (void)rtc.nvrtcGetProgramLog(program, log);
    ck_abort_msg("NVRTC: %.4000s", log);
  }
  nvrtcResult got = lto   ? rtc.nvrtcGetLTOIRSize(program, size)
                    : ptx ? rtc.nvrtcGetPTXSize(program, size)
                          : rtc.nvrtcGetCUBINSize(program, size);
  ck_assert_int_eq(got, NVRTC_SUCCESS);
  unsigned char *bytes = calloc(*size + 1, 1);
  got = lto   ? rtc.nvrtcGetLTOIR(program, (char *)bytes)
        : ptx ? rtc.nvrtcGetPTX(program, (char *)bytes)
              : rtc.nvrtcGetCUBIN(program, (char *)bytes);
  ck_assert_int_eq(got, NVRTC_SUCCESS);
  (void)rtc.nvrtcDestroyProgram(&program);
  return bytes;
}

/* ---- what was made */

typedef struct made {
  struct made *next;
  binary_maker maker;
  binary_kind kind;
  int sm;
  hash128 source;
  binary result;
} made;
static made *all_made;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static made *find_made(const made *wanted) {
  made *m = all_made;
  while (m != NULL && !(m->maker == wanted->maker && m->kind == wanted->kind && m->sm == wanted->sm &&
                        hash_equal(m->source, wanted->source)))
    m = m->next;
  return m;
}

static void free_made(void) {
  for (made *next, *m = all_made; m != NULL; m = next) {
    next = m->next;
    free(m->result.data);
    free(m);
  }
}

/* Keeps what was made, unless another thread has made the same meanwhile: of two runs, the bytes may
 * differ. */
static const binary *keep(const made *now) {
  (void)pthread_mutex_lock(&mutex);
  made *m = find_made(now);
  if (m != NULL) {
    free(now->result.data);
  } else {
    if (all_made == NULL) (void)atexit(free_made);
    m = malloc(sizeof *m);
    *m = *now;
    m->next = all_made;
    all_made = m;
  }
  (void)pthread_mutex_unlock(&mutex);
  return &m->result;
}

const binary *binary_make(binary_maker maker, binary_kind kind, const char *source, int sm) {
  made now = {.maker = maker, .kind = kind, .sm = sm, .source = hash_bytes(source, strlen(source))};
  (void)pthread_mutex_lock(&mutex);
  const made *there = find_made(&now);
  (void)pthread_mutex_unlock(&mutex);
  if (there != NULL) return &there->result;
  ck_assert_msg(maker_makes(maker, kind), "%s does not make %s", maker_name(maker),
                binary_kind_name(kind));
  binary *b = &now.result;
  b->format = format_of_kind(kind);
  b->data = maker == BY_NVRTC  ? make_by_nvrtc(kind, source, sm, &b->size)
            : maker == BY_NVCC ? make_by_nvcc(kind, source, sm, &b->size)
                               : make_by_clang(kind, source, &b->size);
  return keep(&now);
}

jig_op binary_op(const binary *b, const char *symbol) {
  return jig_op_binary(b->format, b->data, b->size, symbol);
}
