/* How the software GPU executes: lanes that part and meet again, what waits for what, and programs that
 * do not end. Those run in processes of their own, as what is reported lasts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptx_internal.h"
#include "ptx_support.h"

typedef ptx_thread_row row;
enum { THREADS = 64, BLOCKS = 2, EXIT_DEFECT = 97, SECONDS = 60 };
#define ROW(name, text, wanted) \
  { name, text, THREADS, BLOCKS, 0, wanted, NULL, NULL, false }

/* ---- lanes of a warp that come to one instruction at different times */

/* Halves take turns in coming first: who came early once must not count as being there again. */
static uint32_t other_half(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return (thread ^ 16) * 4 + 0 + 1 + 2 + 3;
}
#define TURNS                                                                                            \
  "and.b32 %r2, %lane, 16;\nsetp.eq.u32 %p0, %r2, 0;\nmov.u32 %r0, 0;\nmov.u32 %r1, 0;\nagain:\n"        \
  "add.u32 %r3, %t, %r1;\nand.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 0;\nxor.pred %p2, %p0, %p1;\n"     \
  "@%p2 bra later;\nmeet:\nshfl.sync.bfly.b32 %r5, %r3, 16, 0x1f, 0xffffffff;\nadd.u32 %r0, %r0, %r5;\n" \
  "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 4;\n@%p3 bra again;\nbra end;\nlater:\nnanosleep.u32 "    \
  "1;\n"                                                                                                 \
  "bra meet;\nend:\n"

/* Lanes 0 to 14 wait for lane 15, who is on his way; 16 to 31 need nobody else. */
static uint32_t two_groups(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread ^ 1;
}
#define TWO_MASKS                                                                                     \
  "setp.lt.u32 %p0, %lane, 16;\nselp.b32 %r1, 0x0000ffff, 0xffff0000, %p0;\nsetp.eq.u32 %p1, %lane, " \
  "15;\n"                                                                                             \
  "@%p1 bra late;\nshfl.sync.bfly.b32 %r0, %t, 1, 0x1f, %r1;\nbra end;\nlate:\n"                      \
  "shfl.sync.bfly.b32 %r0, %t, 1, 0x1f, %r1;\nend:\n"

static uint32_t half_sum(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread % 32 < 16 ? 2 : 1;
}
/* Each half of a warp comes to a barrier of its own, by one instruction. */
#define TWO_BARRIERS                                                               \
  "setp.lt.u32 %p0, %lane, 16;\nselp.b32 %r0, 2, 1, %p0;\nbarrier.sync %r0, 32;\n" \
  "barrier.sync %r0, 32;\n"

static uint32_t all(const row *r, unsigned block, unsigned thread) {
  (void)block, (void)thread;
  return r->threads;
}
/* One warp gives the count, the other does not. */
#define COUNT_OR_NOT                                                                                 \
  "setp.eq.u32 %p0, %warp, 0;\nmov.u32 %r0, %r29;\n@%p0 bra first;\nbar.sync 3;\nbra end;\nfirst:\n" \
  "bar.sync 3, 64;\nend:\n"

/* The last warp has four threads. */
#define PART_OF_A_WARP "mov.u32 %r0, %r29;\nbar.sync 1, 128;\n"

/* A lane looks at what another one stores behind a barrier at which that one waits. */
static uint32_t seen(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread == 0 ? 5 : 0;
}
#define LOOKS_WHILE_OTHERS_WAIT                                                                      \
  "mov.u32 %r0, 0;\nsetp.eq.u32 %p0, %t, 0;\n@%p0 st.volatile.shared.u32 [%r30], 0;\nbar.sync 0;\n"  \
  "setp.gt.u32 %p1, %t, 32;\n@%p1 bra end;\nsetp.eq.u32 %p2, %t, 32;\n@%p2 bra rest;\n"              \
  "@!%p0 bra sync;\nlook:\nld.volatile.shared.u32 %r0, [%r30];\nsetp.eq.u32 %p3, %r0, 0;\n"          \
  "@%p3 bra look;\nbra end;\nrest:\nnanosleep.u32 100;\nadd.u32 %r1, %r1, 1;\nbarrier.sync 2, 32;\n" \
  "mov.u32 %r0, 0;\nbra end;\nsync:\nbarrier.sync 2, 32;\nsetp.eq.u32 %p4, %t, 1;\n"                 \
  "@%p4 st.volatile.shared.u32 [%r30], 5;\nmov.u32 %r0, 0;\nend:\n"

/* A lane that works must not keep back the one that it works for. */
static uint32_t long_work(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread % 32 == 0 ? 7 : 8;
}
#define SPINS_BEFORE                                                                                \
  "shl.b32 %r1, %warp, 2;\nadd.u32 %r1, %r1, %r30;\nsetp.eq.u32 %p0, %lane, 0;\n"                   \
  "@%p0 st.volatile.shared.u32 [%r1], 0;\nbar.sync 0;\n@%p0 bra late;\nlook:\n"                     \
  "ld.volatile.shared.u32 %r2, [%r1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra look;\nmov.u32 %r0, 8;\n" \
  "bra end;\nlate:\nmov.u32 %r3, 0;\nwork:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 20000;\n"   \
  "@%p2 bra work;\nst.volatile.shared.u32 [%r1], 1;\nmov.u32 %r0, 7;\nend:\n"

START_TEST(lanes_meet) {
  static const row rows[] = {
      ROW("first by turns", TURNS, other_half),
      ROW("two masks, one not complete", TWO_MASKS, two_groups),
      ROW("two barriers", TWO_BARRIERS, half_sum),
      ROW("a count or none", COUNT_OR_NOT, all),
      {"part of a warp", PART_OF_A_WARP, 100, 2, 0, all, NULL, NULL, false},
      ROW("looking while others wait", LOOKS_WHILE_OTHERS_WAIT, seen),
      ROW("spinning in front of the work", SPINS_BEFORE, long_work),
  };
  PTX_THREAD_ROWS("lanes", rows);
}
END_TEST

/* ---- calls */

#define LARGE_FRAME                                                                                      \
  ".func (.param .b32 result) large(.param .b32 x)\n{\n.reg .b32 %r<4>;\n.reg .b64 %w<4>;\n"             \
  ".local .align 64 .b8 a[100000];\nmov.u64 %w0, a;\nld.param.u32 %r0, [x];\nst.local.u32 [%w0+99996], " \
  "%r0;\n"                                                                                               \
  "cvta.local.u64 %w1, %w0;\ncvt.u32.u64 %r2, %w1;\nand.b32 %r2, %r2, 63;\n"                             \
  "ld.local.u32 %r1, [%w0+99996];\nadd.u32 %r1, %r1, %r2;\nst.param.b32 [result], %r1;\nret;\n}\n"

static uint32_t itself(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread;
}

START_TEST(calls) {
  static const row rows[] = {
      {"a large frame",
       "{\n.local .b8 c[20];\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %t;\ncall (q), large, "
       "(p);\n"
       "ld.param.b32 %r0, [q];\n}\n",
       THREADS, BLOCKS, 0, itself, LARGE_FRAME, NULL, false},
  };
  PTX_THREAD_ROWS("calls", rows);
}
END_TEST

/* ---- in processes of their own */

typedef struct process_case {
  const char *name, *body;
  unsigned blocks, threads, cluster;
  const char *settings[3];
  int status;
  const char *says; /* NULL: there must be no report */
} process_case;

#define TWO_GUARDED "@%p0 add.u32 %r1, %r1, 1;\n@%p0 add.u32 %r2, %r2, 1;\n"
#define EIGHT_GUARDED TWO_GUARDED TWO_GUARDED TWO_GUARDED TWO_GUARDED
#define WORDS_ADDRESS "mov.u32 %r30, words;\n"

static const process_case cases[] = {
    {.name = "one looks, the others wait at a barrier",
     .body = "setp.ne.u32 %p0, %t, 0;\n@%p0 bra meet;\nlook:\nld.volatile.global.u32 %r0, [%out];\n"
             "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra look;\nmeet:\nbar.sync 0;\n",
     .blocks = 1,
     .threads = 64,
     .settings = {"JIG_SOFTGPU_WATCHDOG=1"},
     .status = EXIT_DEFECT,
     .says = "deadlock"},
    {.name = "lanes that look by ways of their own",
     .body =
         "look:\nld.volatile.global.u32 %r0, [%out];\nand.b32 %r1, %lane, 1;\nsetp.eq.u32 %p0, %r1, 0;\n"
         "@%p0 bra even;\nadd.u32 %r2, %r0, 1;\neven:\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra look;\n",
     .blocks = 1,
     .threads = 32,
     .settings = {"JIG_SOFTGPU_WATCHDOG=1"},
     .status = EXIT_DEFECT,
     .says = "deadlock"},
    {.name = "a lock that nobody gives back",
     .body = WORDS_ADDRESS
     "setp.ne.u32 %p0, %t, 0;\n@!%p0 st.shared.u32 [%r30], 1;\nbar.sync 0;\n"
     "setp.ge.u32 %p0, %t, 32;\n@%p0 bra meet;\nlook:\natom.shared.cas.b32 %r0, [%r30], 0, 1;\n"
     "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra look;\nmeet:\nbar.sync 0;\n",
     .blocks = 1,
     .threads = 64,
     .settings = {"JIG_SOFTGPU_WATCHDOG=1"},
     .status = EXIT_DEFECT,
     .says = "deadlock"},
    {.name = "short turns with guards",
     .body =
         "setp.ne.u32 %p0, %t, %t;\nmov.u32 %r0, 0;\nagain:\n" EIGHT_GUARDED EIGHT_GUARDED EIGHT_GUARDED
         "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 150000;\n@%p1 bra again;\n",
     .blocks = 8,
     .threads = 1,
     .settings = {"JIG_SOFTGPU_SEED=1"}},
    {.name = "a shuffle over a value that nobody wrote",
     .body =
         WORDS_ADDRESS "ld.shared.u32 %r0, [%r30];\nsetp.lt.u32 %p0, %lane, 16;\n@%p0 bra low;\n"
                       "shfl.sync.bfly.b32 %r0, %t, 16, 0x1f, 0xffffffff;\nbra end;\nlow:\n"
                       "shfl.sync.bfly.b32 %r0, %t, 16, 0x1f, 0xffffffff;\nend:\nadd.u32 %r1, %r0, 1;\n",
     .blocks = 1,
     .threads = 32},
    {.name = "handing a word to and fro",
     .body = "look:\nld.acquire.gpu.global.u32 %r0, [%out];\nand.b32 %r1, %r0, 1;\nsetp.ne.u32 %p0, %r1, "
             "%cta;\n"
             "@%p0 bra look;\nadd.u32 %r0, %r0, 1;\nst.release.gpu.global.u32 [%out], %r0;\n"
             "setp.lt.u32 %p1, %r0, 30000;\n@%p1 bra look;\n",
     .blocks = 2,
     .threads = 1,
     .settings = {"JIG_SOFTGPU_WATCHDOG=0.2"}},
    {.name = "counting by atomics",
     .body = "mov.u32 %r1, 0;\nagain:\natom.global.add.u32 %r0, [%out], 1;\nadd.u32 %r1, %r1, 1;\n"
             "setp.lt.u32 %p1, %r1, 100000;\n@%p1 bra again;\n",
     .blocks = 2,
     .threads = 1,
     .settings = {"JIG_SOFTGPU_WATCHDOG=0.2"}},
    {.name = "clusters larger than the GPU",
     .body = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
     .blocks = 24,
     .threads = 1024,
     .cluster = 8,
     .settings = {"JIG_SOFTGPU_MULTIPROCESSORS=1"}},
    {.name = "clusters that wait in turns",
     .body =
         "mov.u32 %r1, 0;\nsetp.lt.u32 %p0, %lane, 7;\nagain:\nbarrier.cluster.arrive;\n@%p0 bra other;\n"
         "barrier.cluster.wait;\nbra next;\nother:\nbarrier.cluster.wait;\nnext:\nnot.pred %p0, %p0;\n"
         "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 bra again;\n",
     .blocks = 4,
     .threads = 64,
     .cluster = 2,
     .settings = {"JIG_SOFTGPU_WATCHDOG=2", "JIG_SOFTGPU_SEED=5"}},
    {.name = "a failing block among many",
     .body = "setp.eq.u32 %p0, %cta, 100;\n@%p0 trap;\ngriddepcontrol.launch_dependents;\n",
     .blocks = 300,
     .threads = 1024,
     .cluster = 2,
     .status = EXIT_DEFECT,
     .says = "trap"},
};

/* Without the support files' checks, which only tests may use. */
static CUresult launch(const process_case *c, const char *text) {
  enum { BYTES = 64 };
  char log[4096];
  CUfunction function;
  CUdeviceptr out;
  unsigned n = 0;
  CUmodule module = load_module(text, log, sizeof log);
  if (module == NULL) {
    fprintf(stderr, "%s: not loaded: %s\n", c->name, log);
    return CUDA_ERROR_INVALID_PTX;
  }
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {.x = c->cluster, .y = 1, .z = 1}};
  CUlaunchConfig config = {.gridDimX = c->blocks,
                           .gridDimY = 1,
                           .gridDimZ = 1,
                           .blockDimX = c->threads,
                           .blockDimY = 1,
                           .blockDimZ = 1,
                           .attrs = &attribute,
                           .numAttrs = c->cluster != 0};
  GPU(gpu()->cuModuleGetFunction(&function, module, "test"));
  GPU(gpu()->cuMemAlloc(&out, BYTES));
  GPU(gpu()->cuMemsetD8(out, 0, BYTES));
  void *parameters[] = {&out, &out, &n};
  GPU(gpu()->cuLaunchKernelEx(&config, function, parameters, NULL));
  const CUresult result = gpu()->cuCtxSynchronize();
  if (result != CUDA_SUCCESS) return result;
  GPU(gpu()->cuMemFree(out));
  GPU(gpu()->cuModuleUnload(module));
  return result;
}

static int run_case(const char *name) {
  char text[8192];
  const process_case *c = cases;
  while (c < cases + COUNT_OF(cases) && strcmp(c->name, name) != 0) ++c;
  if (c == cases + COUNT_OF(cases) || !gpu_open()) return EXIT_FAILURE;
  (void)alarm(SECONDS);
  (void)snprintf(text, sizeof text, "%s.shared .align 16 .b32 words[64];\n%s%s%s", PTX_HEADER("8.1"),
                 PTX_ENTRY, c->body, PTX_END);
  const CUresult result = launch(c, text);
  gpu_close();
  return (result == CUDA_SUCCESS) == (c->status == EXIT_SUCCESS) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The child's exit status; -1: a signal. */
static int run_process(const process_case *c, const char *log) {
  (void)fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    (void)unsetenv("JIG_SOFTGPU_SEED");
    (void)setenv("JIG_DRIVER", getenv("SOFTGPU"), 1);
    (void)setenv("JIG_SOFTGPU_LOG", log, 1);
    for (size_t k = 0; k < COUNT_OF(c->settings) && c->settings[k] != NULL; ++k)
      (void)putenv(strdup(c->settings[k]));
    (void)execl("/proc/self/exe", "test_execution", "--case", c->name, (char *)NULL);
    _exit(126);
  }
  int status = 0;
  ck_assert(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(processes) {
  char path[512], log[16384];
  const char *folder = getenv("TMPDIR");
  for (size_t k = 0; k < COUNT_OF(cases); ++k) {
    const process_case *c = &cases[k];
    (void)snprintf(path, sizeof path, "%s/execution-XXXXXX", folder != NULL ? folder : P_tmpdir);
    const int file = mkstemp(path);
    ck_assert(file >= 0);
    const int status = run_process(c, path);
    const ssize_t length = read(file, log, sizeof log - 1);
    log[length > 0 ? length : 0] = '\0';
    (void)close(file);
    (void)unlink(path);
    if (status != c->status) ptx_fail("%s: exit status %d, not %d: %s", c->name, status, c->status, log);
    if (c->says == NULL ? log[0] != '\0' : strstr(log, c->says) == NULL)
      ptx_fail("%s: reported is \"%s\"", c->name, log);
  }
  ptx_end();
}
END_TEST

int main(int argc, char **argv) {
  static const suite_test tests[] = {SUITE_TEST(lanes_meet), SUITE_TEST(calls)};
  static const suite_test alone[] = {SUITE_TEST(processes)};
  if (argc == 3 && strcmp(argv[1], "--case") == 0) return run_case(argv[2]);
  const int status = PTX_SUITE_RUN("softgpu/execution", tests);
  if (getenv("SOFTGPU") != NULL)
    return status != 0 ? status : SUITE_RUN("softgpu/execution", alone, false);
  printf("skipped: softgpu/execution: %s (no software GPU)\n", alone[0].name);
  return status;
}
