/* Machines that lack something: driver, compiler, linker, cache; and libraries that are not what they
 * should be. Each case runs in a process of its own, since libraries are opened once. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/library.h"
#include "engine_support.h"
#include "reduce_support.h"
#include "suite.h"

static char folder[] = "/tmp/jig-missing-XXXXXX";

static void begin(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(setenv("JIG_CACHE_DIR", folder, 1), 0);
  ck_assert_int_eq(setenv("JIG_CACHE_PATH", "", 1), 0);
}

static void end(void) {
  char command[256] = "rm -rf ";
  (void)strncat(command, folder, sizeof command - strlen(command) - 1);
  ck_assert_int_eq(system(command), 0);
}

static jig_reduce_args some_args(void) {
  return (jig_reduce_args){.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
}

static char *some_spec(void) {
  char *text = NULL;
  const jig_reduce_args args = some_args();
  OK(jig_reduce_spec(&args, &text));
  return text;
}

static bool has_compiler(void) {
  char *info = NULL;
  OK(jig_info(NULL, &info));
  const char *compiler = strstr(info, "\"compiler\":{");
  bool has = compiler != NULL && strncmp(compiler + strlen("\"compiler\":{"), "\"error\"", 7) != 0;
  jig_free(info);
  return has;
}

START_TEST(no_driver) {
  begin();
  setenv("JIG_DRIVER", "/nonexistent/libcuda.so.1", 1);
  const jig_reduce_args args = some_args();
  size_t bytes = 0;
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_NO_DRIVER,
        "/nonexistent/libcuda.so.1, which $JIG_DRIVER or an engine's config names");
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_NO_DRIVER, "Install NVIDIA's driver");
  FAILS(jig_reduce(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  end();
}
END_TEST

/* Libraries are code, and the working directory may be anybody's. */
START_TEST(relative_folders_are_not_looked_at) {
  static const char *const names[] = {"libjig-nowhere.so", NULL};
  const library_search search = {
      .what = "it", .variable = "JIG_NOWHERE", .names = names, .toolkit = true, .advice = "None"};
  setenv("CUDA_HOME", "cuda", 1);
  setenv("CUDA_PATH", "./cuda:/absolute/cuda", 1);
  setenv("PYTHONPATH", ":python::/absolute/python:.", 1);
  setenv("HOME", "home", 1);
  library l = library_open(&search);
  ck_assert_ptr_null(l.handle);
  ck_assert_ptr_nonnull(strstr(l.problem, ", /absolute/python/nvidia/*/lib,"));
  ck_assert_ptr_nonnull(strstr(l.problem, "/absolute/cuda/targets/*/lib,"));
  ck_assert_ptr_nonnull(strstr(l.problem, "/usr/local/cuda/lib64"));
  const char *folders = strstr(l.problem, "path and in ") + strlen("path and in ");
  *strstr(l.problem, ". None") = '\0';
  for (const char *at = folders; at != NULL; at = strstr(at + 1, ", ")) {
    at += strspn(at, ", ");
    ck_assert_msg(at[0] == '/' && strncmp(at, "/nvidia", 7) != 0, "%s", at);
  }
  library_close(&l);
}
END_TEST

/* What is there and cannot be loaded is not said to be missing. */
START_TEST(files_that_are_no_libraries) {
  static const char *const names[] = {"libjig-nowhere.so", NULL};
  const library_search search = {
      .what = "it", .variable = "JIG_NOWHERE", .names = names, .toolkit = true, .advice = "None"};
  char root[] = "/tmp/jig-no-library-XXXXXX", libraries[64], file[96];
  ck_assert_ptr_nonnull(mkdtemp(root));
  (void)snprintf(libraries, sizeof libraries, "%s/lib64", root);
  (void)snprintf(file, sizeof file, "%s/libjig-nowhere.so", libraries);
  ck_assert_int_eq(mkdir(libraries, 0700), 0);
  FILE *text = fopen(file, "w");
  ck_assert_ptr_nonnull(text);
  ck_assert_int_ge(fputs("no library\n", text), 0);
  ck_assert_int_eq(fclose(text), 0);

  setenv("CUDA_HOME", root, 1);
  library l = library_open(&search);
  ck_assert_ptr_null(l.handle);
  ck_assert_ptr_nonnull(
      strstr(l.problem, "it (libjig-nowhere.so) cannot be loaded; looked on the loader's path"));
  ck_assert_ptr_nonnull(strstr(l.problem, file));
  library_close(&l);

  setenv("JIG_NOWHERE", file, 1);
  l = library_open(&search);
  ck_assert_ptr_null(l.handle);
  ck_assert_ptr_nonnull(strstr(l.problem, "cannot be loaded; looked only at "));
  ck_assert_ptr_nonnull(strstr(l.problem, "an engine's config names: "));
  library_close(&l);

  setenv("JIG_NOWHERE", libraries, 1);
  l = library_open(&search);
  ck_assert_ptr_nonnull(strstr(l.problem, "cannot be loaded"));
  library_close(&l);
  ck_assert_int_eq(unlink(file) + rmdir(libraries) + rmdir(root), 0);
}
END_TEST

START_TEST(a_driver_that_is_none) {
  begin();
  setenv("JIG_DRIVER", "libm.so.6", 1);
  const jig_reduce_args args = some_args();
  size_t bytes = 0;
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_NO_DRIVER, "it is no CUDA driver");
  end();
}
END_TEST

START_TEST(prewarm_needs_no_driver) {
  begin();
  setenv("JIG_DRIVER", "/nonexistent/libcuda.so.1", 1);
  if (has_compiler()) {
    char *text = some_spec();
    jig_prewarm_result result;
    OK(jig_prewarm(NULL, text, "sm_90", &result));
    ck_assert_int_eq(result.hit, 0);
    ck_assert_int_gt(result.registers, 0);
    ck_assert_int_eq(result.spill_bytes, 0);
    OK(jig_prewarm(NULL, text, "sm_90", &result));
    ck_assert_int_eq(result.hit, 1);
    ck_assert_int_gt(result.registers, 0); /* it is in the entry */
    OK(jig_prewarm(NULL, text, "compute_80", &result));
    ck_assert_int_eq(result.hit, 0);
    ck_assert(!is_mapped("libcuda.so"));
    jig_free(text);
  }
  end();
}
END_TEST

/* In a child, so that its NVRTC is not this process's. */
static void prewarm_in_a_child(const char *text) {
  pid_t child = fork();
  if (child == 0) _exit(jig_prewarm(NULL, text, "sm_90", NULL) == JIG_SUCCESS ? 0 : 1);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool a_child_has_a_compiler(void) {
  pid_t child = fork();
  if (child == 0) _exit(has_compiler());
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

START_TEST(a_hit_opens_no_compiler) {
  begin();
  if (a_child_has_a_compiler()) {
    char *text = some_spec();
    prewarm_in_a_child(text);
    jig_prewarm_result result;
    OK(jig_prewarm(NULL, text, "sm_90", &result));
    ck_assert_int_eq(result.hit, 1);
    ck_assert(!is_mapped("libnvrtc"));
    jig_free(text);
  }
  end();
}
END_TEST

START_TEST(a_warm_cache_needs_no_compiler) {
  begin();
  if (a_child_has_a_compiler()) {
    char *text = some_spec();
    prewarm_in_a_child(text);
    setenv("JIG_NVRTC", "/nonexistent/libnvrtc.so", 1);
    setenv("JIG_BUILD", "never", 1);
    jig_engine *engine;
    OK(jig_engine_create(&engine, NULL));
    OK(jig_prewarm(engine, text, "sm_90", NULL));
    FAILS(jig_prewarm(engine, text, "sm_80", NULL), JIG_ERROR_NOT_BUILT, text);
    jig_engine_destroy(engine);
    jig_free(text);
  }
  end();
}
END_TEST

START_TEST(no_compiler) {
  begin();
  setenv("JIG_NVRTC", "/nonexistent/libnvrtc.so", 1);
  char *text = some_spec();
  FAILS(jig_prewarm(NULL, text, "sm_90", NULL), JIG_ERROR_NO_COMPILER,
        "/nonexistent/libnvrtc.so, which $JIG_NVRTC or an engine's config names");
  FAILS(jig_prewarm(NULL, text, "sm_90", NULL), JIG_ERROR_NO_COMPILER,
        "Install the CUDA toolkit 12 or 13");
  jig_free(text);
  end();
}
END_TEST

START_TEST(a_compiler_that_is_none) {
  begin();
  setenv("JIG_NVRTC", "libm.so.6", 1);
  char *text = some_spec();
  FAILS(jig_prewarm(NULL, text, "sm_90", NULL), JIG_ERROR_NO_COMPILER, "it is no NVRTC");
  jig_free(text);
  end();
}
END_TEST

START_TEST(an_architecture_the_compiler_does_not_know) {
  begin();
  if (has_compiler()) {
    char *text = some_spec();
    FAILS(jig_prewarm(NULL, text, "sm_999", NULL), JIG_ERROR_NO_COMPILER, "cannot compile for sm_999");
    FAILS(jig_prewarm(NULL, text, "sm_70", NULL), JIG_ERROR_INVALID_ARGUMENT,
          "'sm_70' is no architecture");
    FAILS(jig_prewarm(NULL, text, "gfx90", NULL), JIG_ERROR_INVALID_ARGUMENT, "'gfx90'");
    FAILS(jig_prewarm(NULL, text, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "arch");
    FAILS(jig_prewarm(NULL, NULL, "sm_90", NULL), JIG_ERROR_INVALID_ARGUMENT, "spec");
    jig_free(text);
  }
  end();
}
END_TEST

START_TEST(missing_linker_is_told_by_info) {
  begin();
  setenv("JIG_NVJITLINK", "/nonexistent/libnvJitLink.so", 1);
  char *info = NULL;
  OK(jig_info(NULL, &info));
  ck_assert_ptr_nonnull(strstr(info, "the CUDA run-time linker, nvJitLink"));
  jig_free(info);
  end();
}
END_TEST

START_TEST(a_cache_that_cannot_be_used_is_a_warning) {
  begin();
  ck_assert_int_eq(chmod(folder, 0777), 0); /* writable by others: code from there is not to be trusted */
  if (has_compiler()) {
    char *text = some_spec();
    jig_engine_stats stats;
    FAILS(jig_prewarm(NULL, text, "sm_90", NULL), JIG_ERROR_CACHE, folder);
    OK(jig_engine_get_stats(NULL, &stats));
    ck_assert_ptr_nonnull(strstr(stats.cache_warning, "writable by"));
    jig_free(text);
  }
  end();
}
END_TEST

START_TEST(no_cache_at_all) {
  begin();
  if (has_compiler()) {
    jig_engine *engine;
    const jig_engine_config config = {.cache_dir = ""};
    OK(jig_engine_create(&engine, &config));
    ck_assert_str_eq(jig_cache_path(engine), "");
    char *text = some_spec();
    FAILS(jig_prewarm(engine, text, "sm_90", NULL), JIG_ERROR_CACHE, "there is no cache");
    jig_free(text);
    jig_engine_destroy(engine);
  }
  end();
}
END_TEST

/* ---- fork */

START_TEST(an_inherited_engine_does_not_launch) {
  begin();
  jig_engine *engine;
  OK(jig_engine_create(&engine, NULL));
  char *text = some_spec();
  bool compiles = has_compiler();
  pid_t child = fork();
  if (child == 0) {
    const jig_reduce_args args = some_args();
    size_t bytes = 0;
    bool right = jig_reduce(engine, NULL, &bytes, &args, NULL) == JIG_ERROR_FORKED &&
                 strstr(jig_last_error(), "fork") != NULL;
    right = right && (!compiles ||
                      jig_prewarm(engine, text, "sm_86", NULL) == JIG_SUCCESS); /* building still works */
    jig_engine *own = NULL;
    right = right && jig_engine_create(&own, NULL) == JIG_SUCCESS;
    right = right && jig_reduce(own, NULL, &bytes, &args, NULL) != JIG_ERROR_FORKED;
    jig_engine_destroy(own);
    jig_engine_destroy(engine);
    _exit(right ? 0 : 1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  jig_engine_destroy(engine);
  jig_free(text);
  end();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(relative_folders_are_not_looked_at),
      SUITE_TEST(files_that_are_no_libraries),
      SUITE_TEST(no_driver),
      SUITE_TEST(a_driver_that_is_none),
      SUITE_TEST(prewarm_needs_no_driver),
      SUITE_TEST(a_hit_opens_no_compiler),
      SUITE_TEST(a_warm_cache_needs_no_compiler),
      SUITE_TEST(no_compiler),
      SUITE_TEST(a_compiler_that_is_none),
      SUITE_TEST(an_architecture_the_compiler_does_not_know),
      SUITE_TEST(missing_linker_is_told_by_info),
      SUITE_TEST(a_cache_that_cannot_be_used_is_a_warning),
      SUITE_TEST(no_cache_at_all),
      SUITE_TEST(an_inherited_engine_does_not_launch),
  };
  return SUITE_RUN("fault/missing", tests, false);
}
