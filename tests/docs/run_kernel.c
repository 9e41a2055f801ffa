/* Runs a kernel of a page, and prints what it has left in `out` in the shape of what the page says.
 *
 *   run_kernel <kernel.cu> <what the page says>
 *
 * The text begins with how it is launched, "// 2 blocks of 64 threads" or "// 2 blocks of 64 threads,
 * cooperative". Its kernel is `example(int *out)`, or `example(int *out, void *temp)`; there are 4096
 * ints, all 0, and 64 KB of temp storage, all 0. */
#include <cuda.h>
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_INTS = 4096, TEMP_BYTES = 1 << 16, TEXT_SIZE = 1 << 16 };

static void check(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "%s: %s\n", what, jig_last_error());
  exit(EXIT_FAILURE);
}
static void check_cuda(CUresult result, const char *what) {
  check(result == CUDA_SUCCESS, what);
}

static void read_text(const char *path, char text[TEXT_SIZE]) {
  FILE *file = fopen(path, "r");
  check(file != NULL, path);
  text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
  (void)fclose(file);
}

static jig_kernel_shape read_shape(const char *text) {
  jig_kernel_shape shape = {.grid = {0}};
  check(sscanf(text, "// %u block%*[s] of %u threads", &shape.grid[0], &shape.block[0]) == 2 ||
            sscanf(text, "// %u block of %u threads", &shape.grid[0], &shape.block[0]) == 2,
        "the first line is \"// N blocks of M threads\"");
  const char *const end = strchr(text, '\n');
  const char *const mode = strstr(text, ", cooperative");
  shape.cooperative = mode != NULL && mode < end;
  return shape;
}

static void run(const char *text, int out[OUT_INTS]) {
  const jig_kernel_config config = {.entry = "example", .source = text};
  const jig_kernel_shape shape = read_shape(text);
  jig_kernel *kernel;
  jig_occupancy occupancy;
  CUdeviceptr d_out, d_temp;
  check(jig_kernel_get(NULL, &config, &kernel) == JIG_SUCCESS, "jig_kernel_get");
  check(jig_kernel_occupancy(kernel, &shape, &occupancy) == JIG_SUCCESS, "jig_kernel_occupancy");
  check_cuda(cuMemAlloc(&d_out, OUT_INTS * sizeof *out), "cuMemAlloc");
  check_cuda(cuMemAlloc(&d_temp, TEMP_BYTES), "cuMemAlloc");
  check_cuda(cuMemsetD8Async(d_out, 0, OUT_INTS * sizeof *out, NULL), "cuMemsetD8Async");
  check_cuda(cuMemsetD8Async(d_temp, 0, TEMP_BYTES, NULL), "cuMemsetD8Async");
  const jig_kernel_arg args[] = {JIG_ARG(d_out), JIG_ARG(d_temp)};
  check(jig_kernel_launch(kernel, &shape, args, occupancy.parameters, NULL) == JIG_SUCCESS,
        "jig_kernel_launch");
  check_cuda(cuMemcpyDtoH(out, d_out, OUT_INTS * sizeof *out), "the kernel");
  check_cuda(cuMemFree(d_out), "cuMemFree");
  check_cuda(cuMemFree(d_temp), "cuMemFree");
}

/* As many numbers in a line as the page has there. */
static void print_like(const char *wanted, const int *out) {
  for (const char *c = wanted; *c != '\0';) {
    if (*c == '\n' || *c == ' ') {
      putchar(*c++);
    } else {
      printf("%d", *out++);
      c += strcspn(c, " \n");
    }
  }
}

int main(int argc, char **argv) {
  static char text[TEXT_SIZE], wanted[TEXT_SIZE];
  static int out[OUT_INTS];
  CUdevice device;
  CUcontext context;
  check(argc == 3, "usage: run_kernel <kernel.cu> <what the page says>");
  read_text(argv[1], text);
  read_text(argv[2], wanted);
  check_cuda(cuInit(0), "cuInit");
  check_cuda(cuDeviceGet(&device, 0), "cuDeviceGet");
  check_cuda(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check_cuda(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  run(text, out);
  print_like(wanted, out);
  return EXIT_SUCCESS;
}
