#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu.h"

extern char **environ;

/* ---- scratch */

static char scratch[SCRATCH_SIZE];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)type, (void)walk;
  return remove(path);
}

void scratch_remove(void) {
  enum { OPEN_AT_ONCE = 16 };
  if (scratch[0] != '\0') (void)nftw(scratch, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
  scratch[0] = '\0';
}

const char *scratch_make(void) {
  const char *base = getenv("TMPDIR");
  char path[SCRATCH_SIZE];
  (void)snprintf(path, sizeof path, "%s/jig-bench-XXXXXX",
                 base != NULL && base[0] != '\0' ? base : "/tmp");
  if (mkdtemp(path) == NULL) die("%s: %s", path, strerror(errno));
  memcpy(scratch, path, sizeof scratch);
  static bool promised;
  if (!promised && atexit(scratch_remove) != 0) die("out of memory");
  promised = true;
  return scratch;
}

/* ---- processes */

char *process_word(const char *text) {
  return (char *)(uintptr_t)text;
}

FILE *process_start(char *const arguments[], const char *cache, pid_t *child) {
  int ends[2];
  posix_spawn_file_actions_t actions;
  if (setenv("JIG_CACHE_DIR", cache, 1) != 0) die("out of memory");
  if (pipe2(ends, O_CLOEXEC) != 0) die("pipe: %s", strerror(errno));
  if (posix_spawn_file_actions_init(&actions) != 0 ||
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) != 0) {
    die("out of memory");
  }
  (void)fflush(stdout);
  const int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, arguments, environ);
  if (error != 0) die("starting a process: %s", strerror(error));
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)close(ends[1]);
  FILE *output = fdopen(ends[0], "r");
  if (output == NULL) die("out of memory");
  return output;
}

int process_end(FILE *output, pid_t child) {
  int status = 0;
  (void)fclose(output);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}
