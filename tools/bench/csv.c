/* The CSV file and its header: where and of what the figures are. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/library.h"
#include "gpu.h"
#include "jit/compiler.h"
#include "report.h"

/* The driver's own version, such as 580.1.2, which libcuda does not tell. */
static void driver_version(char text[96]) {
  static const char *const names[] = {"libnvidia-ml.so.1", NULL};
  const library_search search = {.what = "NVML", .variable = "", .names = names, .advice = ""};
  library l = library_open(&search);
  text[0] = '\0';
  if (l.handle != NULL) {
    int (*start)(void) = NULL, (*stop)(void) = NULL, (*version)(char *, unsigned) = NULL;
    *(void **)&start = dlsym(l.handle, "nvmlInit_v2");
    *(void **)&stop = dlsym(l.handle, "nvmlShutdown");
    *(void **)&version = dlsym(l.handle, "nvmlSystemGetDriverVersion");
    if (start != NULL && stop != NULL && version != NULL && start() == 0) {
      if (version(text, 96) != 0) text[0] = '\0';
      (void)stop();
    }
  }
  library_close(&l);
  if (text[0] == '\0') (void)snprintf(text, 96, "version unknown");
}

static void write_gpu(FILE *csv) {
  char version[96];
  driver_version(version);
  const int cuda = gpu()->version;
  (void)fprintf(csv, "# gpu: %s, sm_%d, %d multiprocessors, L2 %d bytes, %d kHz at most, memory %d kHz\n",
                gpu_device()->name, gpu_device()->sm, gpu_device()->multiprocessors,
                gpu_attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
                gpu_attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                gpu_attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
  (void)fprintf(csv, "# driver: %s, CUDA %d.%d\n", version, cuda / 1000, cuda % 1000 / 10);
}

static void write_cub(FILE *csv, const options *o) {
  if (cub_families[0] == NULL) {
    (void)fprintf(csv, "# cub: not in this build\n");
  } else if (o->alone) {
    (void)fprintf(csv, "# cub: left out\n");
  } else {
    const int version = cub_families[0]->version, toolkit = cub_families[0]->toolkit;
    (void)fprintf(csv, "# cub: %d.%d.%d, built with CUDA %d.%d\n", version / 100000, version / 100 % 1000,
                  version % 100, toolkit / 1000, toolkit % 1000 / 10);
  }
}

static void write_software(FILE *csv, const options *o, bool open_compiler) {
  (void)fprintf(csv, "# toolkit: built with CUDA %d.%d", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  const compiler *c = open_compiler ? compiler_get() : NULL;
  if (c != NULL) (void)fprintf(csv, "; NVRTC %s", c->version);
  (void)fputc('\n', csv);
  write_cub(csv, o);
  const char *templates = getenv("JIG_TEMPLATE_PATH");
  if (templates != NULL) (void)fprintf(csv, "# templates: %s\n", templates);
  (void)fprintf(csv, "# jig: %s\n# commit: %s\n# command: %s\n", jig_version(), o->commit,
                o->command_line);
}

static void write_header(FILE *csv, const options *o, bool with_gpu, const char *columns) {
  const time_t now = time(NULL);
  struct tm utc;
  char date[32] = "";
  if (gmtime_r(&now, &utc) != NULL) (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  (void)fprintf(csv, "# date: %s\n", date);
  if (with_gpu)
    write_gpu(csv);
  else
    (void)fprintf(csv, "# gpu: none\n");
  write_software(csv, o, with_gpu);
  (void)fprintf(csv,
                "# method: see tools/bench/README.md; no cache is flushed, so what fits lies in L2\n");
  (void)fprintf(csv, "%s\n", columns);
}

FILE *csv_open(const options *o, bool with_gpu, const char *columns, finished *f) {
  if (o->output == NULL) return NULL;
  char *header = NULL;
  size_t length;
  FILE *memory = open_memstream(&header, &length);
  if (memory == NULL) die("out of memory");
  write_header(memory, o, with_gpu, columns);
  if (fclose(memory) != 0) die("out of memory");
  if (f != NULL && o->resume) *f = finished_read(o->output, header);
  FILE *csv = fopen(o->output, f != NULL && o->resume ? "a" : "w");
  if (csv == NULL || fputs(header, csv) == EOF || fflush(csv) != 0)
    die("%s: %s", o->output, strerror(errno));
  free(header);
  return csv;
}

void csv_close(FILE *csv) {
  if (csv != NULL && fclose(csv) != 0) die("the CSV file: %s", strerror(errno));
}
