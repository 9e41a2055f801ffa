/* A run-time compiler with nothing behind it: what it makes of a program is its name for the target. It
 * is as slow as it is told to be, and tells how often and how many at once it was asked, so that tests
 * can see what is built how often.
 *
 *   FAKE_NVRTC_LOG=<file>  gets a line for each compilation: how many are under way in the process
 *   FAKE_NVRTC_MS=<ms>     how long each takes
 *
 *   FAKE_NVRTC_SLOW=<text> only programs that contain this do
 *   FAKE_NVRTC_FAIL=<text> programs that contain this do not compile
 *   FAKE_NVRTC_STOPS=0     what is under way cannot be stopped
 *   FAKE_NVRTC_CODE=<text> is behind the target's name in what is compiled
 *   FAKE_NVRTC_NICE=<file> gets a line for each compilation: by how much its thread lets others go first
 *
 * A program that contains "does_not_compile" does not. */
#include <fcntl.h>
#include <nvrtc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct _nvrtcProgram {
  int bad, slow;
  int (*is_to_stop)(void *, void *);
  void *payload;
  char code[4096];
};

static const int archs[] = {75, 80, 86, 90};
static atomic_int running;

nvrtcResult nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result) {
  return "as told";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  *count = (int)(sizeof archs / sizeof archs[0]);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list) {
  memcpy(list, archs, sizeof archs);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names) {
  *program = calloc(1, sizeof **program);
  if (*program == NULL) return NVRTC_ERROR_OUT_OF_MEMORY;
  const char *failing = getenv("FAKE_NVRTC_FAIL");
  (*program)->bad =
      strstr(source, "does_not_compile") != NULL || (failing != NULL && strstr(source, failing) != NULL);
  const char *slow = getenv("FAKE_NVRTC_SLOW");
  (*program)->slow = slow == NULL || strstr(source, slow) != NULL;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *), void *payload) {
  const char *stops = getenv("FAKE_NVRTC_STOPS");
  if (stops != NULL && strcmp(stops, "0") == 0) return NVRTC_SUCCESS;
  program->is_to_stop = callback;
  program->payload = payload;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  free(*program);
  *program = NULL;
  return NVRTC_SUCCESS;
}

static void tell(const char *variable, int number) {
  const char *path = getenv(variable);
  char line[16];
  int length = snprintf(line, sizeof line, "%d\n", number);
  int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
  if (fd < 0 || write(fd, line, (size_t)length) != length) abort();
  (void)close(fd);
}

/* Whether it was not stopped before. */
static int sleep_for(nvrtcProgram program, long ms) {
  for (; ms > 0; --ms) {
    struct timespec time = {.tv_nsec = 1000000};
    if (program->is_to_stop != NULL && program->is_to_stop(program->payload, NULL)) return 0;
    (void)nanosleep(&time, NULL);
  }
  return 1;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
  const char *ms = getenv("FAKE_NVRTC_MS");
  tell("FAKE_NVRTC_LOG", atomic_fetch_add(&running, 1) + 1);
  if (getenv("FAKE_NVRTC_NICE") != NULL) tell("FAKE_NVRTC_NICE", getpriority(PRIO_PROCESS, 0));
  const int finished = sleep_for(program, ms != NULL && program->slow ? atol(ms) : 0);
  (void)atomic_fetch_sub(&running, 1);
  if (!finished) return (nvrtcResult)16; /* NVRTC_ERROR_CANCELLED, which older headers lack */
  const char *target = strchr(options[0], '=');
  const char *code = getenv("FAKE_NVRTC_CODE");
  (void)snprintf(program->code, sizeof program->code, "%s%s", target != NULL ? target + 1 : "",
                 code != NULL ? code : "");
  return program->bad ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size) {
  *size = strlen(program->code) + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *payload) {
  memcpy(payload, program->code, strlen(program->code) + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size) {
  return nvrtcGetCUBINSize(program, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *payload) {
  return nvrtcGetCUBIN(program, payload);
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size) {
  return nvrtcGetCUBINSize(program, size);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *payload) {
  return nvrtcGetCUBIN(program, payload);
}

static const char *log_of(nvrtcProgram program) {
  return program->bad ? "operator(1): error: identifier \"does_not_compile\" is undefined\n"
                        "  return does_not_compile;\n"
                        "         ^\n"
                      : "ptxas info    : Used 12 registers, used 1 barriers, 64 bytes smem\n";
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size) {
  *size = strlen(log_of(program)) + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
  memcpy(log, log_of(program), strlen(log_of(program)) + 1);
  return NVRTC_SUCCESS;
}
