#include "clang_ir.h"

#include <check.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compiler.h"
#include "util/text.h"

/* ---- libNVVM */

typedef void *nvvmProgram;
static struct {
  int (*create)(nvvmProgram *);
  int (*destroy)(nvvmProgram *);
  int (*add)(nvvmProgram, const char *, size_t, const char *);
  int (*compile)(nvvmProgram, int, const char **);
  int (*result_size)(nvvmProgram, size_t *);
  int (*result)(nvvmProgram, char *);
  int (*log_size)(nvvmProgram, size_t *);
  int (*log)(nvvmProgram, char *);
} nvvm;

static void *open_beside_nvrtc(void) {
  const compiler *c = compiler_get();
  const char *slash = c != NULL && c->path != NULL ? strrchr(c->path, '/') : NULL;
  static const char *const places[] = {"libnvvm.so", "../nvvm/lib64/libnvvm.so",
                                       "../../../nvvm/lib64/libnvvm.so"};
  for (size_t i = 0; slash != NULL && i < sizeof places / sizeof places[0]; ++i) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%.*s/%s", (int)(slash - c->path), c->path, places[i]);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) return library;
  }
  return dlopen("libnvvm.so.4", RTLD_NOW | RTLD_LOCAL);
}

bool clang_ir_open(void) {
  void *library = open_beside_nvrtc();
  if (library == NULL) return false;
  *(void **)&nvvm.create = dlsym(library, "nvvmCreateProgram");
  *(void **)&nvvm.destroy = dlsym(library, "nvvmDestroyProgram");
  *(void **)&nvvm.add = dlsym(library, "nvvmAddModuleToProgram");
  *(void **)&nvvm.compile = dlsym(library, "nvvmCompileProgram");
  *(void **)&nvvm.result_size = dlsym(library, "nvvmGetCompiledResultSize");
  *(void **)&nvvm.result = dlsym(library, "nvvmGetCompiledResult");
  *(void **)&nvvm.log_size = dlsym(library, "nvvmGetProgramLogSize");
  *(void **)&nvvm.log = dlsym(library, "nvvmGetProgramLog");
  return nvvm.create != NULL && nvvm.destroy != NULL && nvvm.add != NULL && nvvm.compile != NULL &&
         nvvm.result_size != NULL && nvvm.result != NULL && nvvm.log_size != NULL && nvvm.log != NULL;
}

/* ---- the text as LLVM 7 would have it */

/* Words that it does not know, and can do without. */
static const char *const unknown[] = {" noundef",  " local_unnamed_addr", " dso_local",     " readonly",
                                      " readnone", " writeonly",          " mustprogress",  " immarg",
                                      " nofree",   " willreturn",         " inreg noundef", " nonnull"};

static bool is_word_end(char c) {
  return !isalnum((unsigned char)c) && c != '_';
}

/* How many characters at c are to be left out. */
static size_t left_out(const char *c) {
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
    const size_t length = strlen(unknown[i]);
    if (strncmp(c, unknown[i], length) == 0 && is_word_end(c[length])) return length;
  }
  int length = 0;
  if (sscanf(c, ", !%*[a-z._] !%*d%n", &length) == 0 && length > 0) return (size_t)length;
  return 0;
}

/* Values and labels have names instead of numbers, which need not be consecutive then. */
static void add_line(text *out, const char *line, size_t length) {
  const char *end = line + length;
  if (isdigit((unsigned char)*line)) text_add(out, "v");
  for (const char *c = line; c < end;) {
    const size_t skipped = left_out(c);
    if (skipped > 0) {
      c += skipped;
      continue;
    }
    const char *attribute = strncmp(c, "byval(", 6) == 0  ? "byval"
                            : strncmp(c, "sret(", 5) == 0 ? "sret"
                                                          : NULL;
    if (attribute != NULL) { /* with a type, which follows from the pointer */
      text_add(out, attribute);
      c = strchr(c, ')') + 1;
      continue;
    }
    if (strncmp(c, " poison", strlen(" poison")) == 0) {
      text_add(out, " undef");
      c += strlen(" poison");
      continue;
    }
    text_append(out, c, 1);
    if (*c++ == '%' && isdigit((unsigned char)*c)) text_add(out, "v");
  }
  text_add(out, "\n");
}

static char *as_llvm_7(const char *ir) {
  static const char layout[] = "target datalayout", attributes[] = "attributes #";
  text out = {0};
  for (const char *next, *line = ir; *line != '\0'; line = next) {
    const size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    if (*line == '!') continue;
    if (strncmp(line, layout, strlen(layout)) == 0)
      text_add(
          &out,
          "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-"
          "i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n");
    else if (strncmp(line, attributes, strlen(attributes)) == 0)
      text_format(&out, "attributes #%d = { nounwind }\n", atoi(line + strlen(attributes)));
    else
      add_line(&out, line, length);
  }
  text_add(&out, "!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0}\n");
  return text_take(&out);
}

unsigned char *clang_ir_to_lto(const char *ir, size_t *size) {
  const char *options[] = {"-arch=compute_75", "-gen-lto"};
  char *old = as_llvm_7(ir);
  nvvmProgram program;
  ck_assert_int_eq(nvvm.create(&program), 0);
  ck_assert_int_eq(nvvm.add(program, old, strlen(old), "clang"), 0);
  if (nvvm.compile(program, 2, options) != 0) {
    size_t length = 0;
    (void)nvvm.log_size(program, &length);
    char *log = calloc(length + 1, 1);
    (void)nvvm.log(program, log);
    ck_abort_msg("libNVVM: %.1000s\n%.4000s", log, old);
  }
  ck_assert_int_eq(nvvm.result_size(program, size), 0);
  unsigned char *lto = calloc(*size + 1, 1);
  ck_assert_int_eq(nvvm.result(program, (char *)lto), 0);
  (void)nvvm.destroy(&program);
  free(old);
  return lto;
}
