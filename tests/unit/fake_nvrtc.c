/* A run-time compiler with nothing behind it: what it makes of a program is its name for the target. It
 * is as slow as it is told to be, and tells how often and how many at once it was asked, so that tests
 * can see what is built how often.
 *
 *   FAKE_NVRTC_LOG=<file>  gets a line for each compilation: how many are under way in the process that
 *                          have not been told to stop
 *   FAKE_NVRTC_MS=<ms>     how long each takes
 *   FAKE_NVRTC_UNTIL=<file> those in the background take until this is there, without doing anything
 *   FAKE_NVRTC_BUSY=<file> those in the background keep a processor busy, and a line of this tells the
 *                          part of one, in percent, that each has had
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
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct _nvrtcProgram {
  int bad, slow, in_background;
  int (*is_to_stop)(void *, void *);
  void *payload;
  char code[4096];
};

static const int archs[] = {75, 80, 86, 90};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static nvrtcProgram under_way[64];

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
  program->in_background = 1;
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

static int stops(nvrtcProgram program) {
  return program->is_to_stop != NULL && program->is_to_stop(program->payload, NULL);
}

/* Puts what is to be compiled in the place of nothing, and the other way round: how many there are. */
static int replace(nvrtcProgram before, nvrtcProgram after) {
  int count = 0, placed = 0;
  (void)pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < sizeof under_way / sizeof under_way[0]; ++i) {
    if (!placed && under_way[i] == before) {
      under_way[i] = after;
      placed = 1;
    }
    count += under_way[i] != NULL && !stops(under_way[i]);
  }
  (void)pthread_mutex_unlock(&mutex);
  return count;
}

static double ms_of(clockid_t clock) {
  struct timespec time;
  (void)clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void work_for(nvrtcProgram program, long ms) {
  const double begin = ms_of(CLOCK_MONOTONIC), cpu = ms_of(CLOCK_THREAD_CPUTIME_ID);
  double passed;
  do passed = ms_of(CLOCK_MONOTONIC) - begin;
  while (passed < (double)ms && !stops(program));
  tell("FAKE_NVRTC_BUSY", (int)(100 * (ms_of(CLOCK_THREAD_CPUTIME_ID) - cpu) / (passed + 1e-3)));
}

static void sleep_for_a_ms(void) {
  const struct timespec time = {.tv_nsec = 1000000};
  (void)nanosleep(&time, NULL);
}

static void take_time(nvrtcProgram program, long ms) {
  const char *until = program->in_background ? getenv("FAKE_NVRTC_UNTIL") : NULL;
  if (program->in_background && getenv("FAKE_NVRTC_BUSY") != NULL) {
    work_for(program, ms);
    return;
  }
  for (; ms > 0 && !stops(program); --ms) sleep_for_a_ms();
  while (until != NULL && !stops(program) && access(until, F_OK) != 0) sleep_for_a_ms();
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
  const char *ms = getenv("FAKE_NVRTC_MS");
  tell("FAKE_NVRTC_LOG", replace(NULL, program));
  if (getenv("FAKE_NVRTC_NICE") != NULL) tell("FAKE_NVRTC_NICE", getpriority(PRIO_PROCESS, 0));
  take_time(program, ms != NULL && program->slow ? atol(ms) : 0);
  (void)replace(program, NULL);
  if (stops(program)) return (nvrtcResult)16; /* NVRTC_ERROR_CANCELLED, which older headers lack */
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
