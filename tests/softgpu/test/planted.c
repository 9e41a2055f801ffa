#include "planted.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptx_internal.h"

enum { SECONDS = 60, TEXT = 16384, EXIT_DEFECT = 97 };

const planted_case *planted_find(const char *name) {
  const struct {
    const planted_case *cases;
    size_t count;
  } tables[] = {{cases_memory, cases_memory_count},  {cases_unset, cases_unset_count},
                {cases_sync, cases_sync_count},      {cases_host, cases_host_count},
                {cases_right, cases_right_count},    {cases_order, cases_order_count},
                {cases_ordered, cases_ordered_count}};
  for (size_t t = 0; t < COUNT_OF(tables); ++t) {
    for (size_t i = 0; i < tables[t].count; ++i) {
      if (strcmp(tables[t].cases[i].name, name) == 0) return &tables[t].cases[i];
    }
  }
  return NULL;
}

static void module_text(const planted_case *c, char *text, size_t size) {
  const int length =
      snprintf(text, size, "%s%s%s%s\n%s", PTX_HEADER("8.1"),
               c->declarations != NULL ? c->declarations : "", PTX_ENTRY, c->body, PTX_END);
  if (length >= (int)size) ck_abort_msg("%s: too long", c->name);
}

/* ---- the process that runs a case */

void planted_tell(CUresult result) {
  printf("result %d\n", (int)result);
  (void)fflush(stdout);
}

static unsigned one_or(unsigned count) {
  return count == 0 ? 1 : count;
}

CUmodule planted_load(const planted_case *c, CUfunction *kernel) {
  char text[TEXT], log[4096];
  module_text(c, text, sizeof text);
  CUmodule module = load_module(text, log, sizeof log);
  if (module == NULL)
    printf("not loaded: %s\n", log);
  else
    GPU(gpu()->cuModuleGetFunction(kernel, module, "test"));
  return module;
}

static void launch(const planted_case *c) {
  CUfunction function;
  CUmodule module = planted_load(c, &function);
  if (module == NULL) return;
  CUdeviceptr in, out;
  unsigned n = 0;
  const size_t in_bytes = c->in_bytes != 0 ? c->in_bytes : 64,
               out_bytes = c->out_bytes != 0 ? c->out_bytes : 64;
  GPU(gpu()->cuMemAlloc(&in, in_bytes));
  GPU(gpu()->cuMemAlloc(&out, out_bytes));
  if (!c->unset) GPU(gpu()->cuMemsetD8(in, 0, in_bytes));
  GPU(gpu()->cuMemsetD8(out, 0, out_bytes));
  GPU(gpu()->cuCtxSynchronize());
  void *parameters[] = {&in, &out, &n};
  const CUresult begun = gpu()->cuLaunchKernel(function, one_or(c->blocks), 1, 1, one_or(c->threads), 1,
                                               1, c->shared_bytes, NULL, parameters, NULL);
  const CUresult result = begun != CUDA_SUCCESS ? begun : gpu()->cuCtxSynchronize();
  planted_tell(result);
  if (result != CUDA_SUCCESS) return; /* the context is good for nothing more */
  unsigned char *bytes = malloc(out_bytes);
  gpu_read(bytes, (const void *)(uintptr_t)out, out_bytes);
  printf("hash %llx\n", (unsigned long long)hash_bytes(bytes, out_bytes, HASH_START));
  free(bytes);
  GPU(gpu()->cuMemFree(in));
  GPU(gpu()->cuMemFree(out));
  GPU(gpu()->cuModuleUnload(module));
}

int planted_child(const char *name) {
  const planted_case *c = planted_find(name);
  if (c == NULL || !gpu_open()) {
    printf(c == NULL ? "no such case\n" : "no GPU\n");
    return EXIT_FAILURE;
  }
  (void)alarm(SECONDS);
  if (c->host != NULL) {
    c->host(c);
  } else {
    launch(c);
  }
  gpu_close();
  (void)fflush(stdout);
  return EXIT_SUCCESS;
}

/* ---- the process that asks */

static void put_settings(const char *const settings[], size_t count) {
  static const char *const ours[] = {"EXIT",   "SEED",     "CHECK",   "LEAKS",
                                     "STRICT", "WATCHDOG", "WORKERS", "SM"};
  for (size_t i = 0; i < COUNT_OF(ours); ++i) {
    char name[64];
    (void)snprintf(name, sizeof name, "JIG_SOFTGPU_%s", ours[i]);
    (void)unsetenv(name);
  }
  (void)unsetenv("JIG_PTX_DUMP");
  (void)setenv("JIG_DRIVER", getenv("SOFTGPU"), 1);
  for (size_t i = 0; i < count && settings[i] != NULL; ++i) (void)putenv(strdup(settings[i]));
}

static void read_file(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  (void)fclose(file);
}

void planted_run(const char *name, const char *const settings[], size_t setting_count,
                 planted_outcome *to) {
  char log_path[512], output[4096];
  const char *folder = getenv("TMPDIR");
  (void)snprintf(log_path, sizeof log_path, "%s/planted-XXXXXX", folder != NULL ? folder : P_tmpdir);
  FILE *printed = tmpfile();
  const int log_file = mkstemp(log_path);
  ck_assert(printed != NULL && log_file >= 0);
  (void)fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    put_settings(settings, setting_count);
    (void)setenv("JIG_SOFTGPU_LOG", log_path, 1);
    (void)dup2(fileno(printed), STDOUT_FILENO);
    (void)execl("/proc/self/exe", "test_planted", "--case", name, (char *)NULL);
    _exit(126);
  }
  int status = 0;
  ck_assert(child > 0 && waitpid(child, &status, 0) == child);
  read_file(printed, output, sizeof output);
  read_file(fdopen(log_file, "r"), to->log, sizeof to->log);
  (void)unlink(log_path);
  to->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const char *result = strstr(output, "result "), *hash = strstr(output, "hash ");
  to->result = result != NULL ? atoi(result + strlen("result ")) : -1;
  to->hash = hash != NULL ? strtoull(hash + strlen("hash "), NULL, 16) : 0;
  if (result == NULL) printf("  %s printed: %s\n", name, output);
}

/* "PTX line 31", where the body's mark is; empty without one. */
static void marked_line(const planted_case *c, char *text, size_t size) {
  char all[TEXT];
  text[0] = '\0';
  if (c->body == NULL) return;
  module_text(c, all, sizeof all);
  const char *mark = strstr(all, "//!");
  if (mark == NULL) return;
  unsigned line = 1;
  for (const char *p = all; p < mark; ++p) line += *p == '\n';
  (void)snprintf(text, size, "PTX line %u", line);
}

static void must_say(const planted_case *c, const char *log, const char *what) {
  if (what == NULL || what[0] == '\0' || strstr(log, what) != NULL) return;
  ptx_fail("%s: the report lacks \"%s\"", c->name, what);
}

static void check_log(const planted_case *c, const char *log) {
  char first[128], line[64];
  if (c->kind == NULL) {
    if (log[0] != '\0') ptx_fail("%s: there is a report", c->name);
    return;
  }
  (void)snprintf(first, sizeof first, "jig software GPU: %s (report 1)", c->kind);
  must_say(c, log, first);
  marked_line(c, line, sizeof line);
  must_say(c, log, line);
  if (line[0] != '\0') must_say(c, log, "kernel test");
  for (size_t k = 0; k < COUNT_OF(c->says); ++k) must_say(c, log, c->says[k]);
}

static void dump_case(const planted_case *c) {
  char text[TEXT];
  if (c->body == NULL) return;
  module_text(c, text, sizeof text);
  dump_program("planted", c->name, text);
}

static void check_case(const planted_case *c, planted_outcome *outcome) {
  char at_end[64];
  planted_run(c->name, c->settings, COUNT_OF(c->settings), outcome);
  const int status = c->kind != NULL ? EXIT_DEFECT : EXIT_SUCCESS;
  (void)snprintf(at_end, sizeof at_end, "%d", status);
  if (outcome->status != status) ptx_fail("%s: exit status %d, not %s", c->name, outcome->status, at_end);
  if (outcome->result != (int)c->result)
    ptx_fail("%s: CUresult %d, not %d", c->name, outcome->result, (int)c->result);
  check_log(c, outcome->log);
}

void planted_check(const planted_case *cases, size_t count) {
  planted_outcome *outcome = malloc(sizeof *outcome);
  for (size_t i = 0; i < count; ++i) {
    const unsigned before = ptx_failures();
    if (!wanted_now(cases[i].name, cases[i].name)) continue;
    if (dumping()) {
      dump_case(&cases[i]);
      continue;
    }
    check_case(&cases[i], outcome);
    if (ptx_failures() != before) printf("%s\n", outcome->log);
  }
  free(outcome);
  ptx_end();
}
