/* What the kernels of the collectives' pages cost to compile, so that a small kernel of one's own does
 * not become slower to build unnoticed: of each block of `cuda` in docs/...-collectives.md how many bytes
 * of machine code it becomes, and how many bytes of templates it includes, compared with
 * tests/compile/page_kernels.csv. Time of one cannot be compared, but grows with both; that of all of
 * them is, with that of a kernel that does nothing.
 *
 *   RENEW_PAGE_KERNELS=1 build/tests/compile/test_page_kernels     writes the file anew
 *
 * It prints the milliseconds of a processor that each takes. */
#include <ctype.h>
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cost_support.h"
#include "engine_support.h"
#include "jit/compiler.h"
#include "jit/templates.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

static const char table_path[] = "tests/compile/page_kernels.csv";
static const char *const pages[] = {"docs/block-collectives.md", "docs/grid-collectives.md",
                                    "docs/thread-collectives.md", "docs/warp-collectives.md"};

typedef struct page_kernel {
  char name[128]; /* its heading's letters and digits, and which of that it is if there are several */
  char text[4096];
  unsigned long long bytes, templates;
  double ms;
} page_kernel;

static struct {
  page_kernel all[64];
  size_t count;
} found;

static struct {
  page_kernel all[64];
  size_t count;
  char compiler[32];
  double times; /* compile_all() */
} table;

/* ---- the pages */

static void name_after(page_kernel *k, const char *heading, unsigned number) {
  size_t length = 0;
  for (const char *c = heading; *c != '\0' && length < 100; ++c)
    if (isalnum((unsigned char)*c) || *c == '_') k->name[length++] = *c;
  k->name[length] = '\0';
  if (number > 1) (void)snprintf(k->name + length, sizeof k->name - length, " %u", number);
}

static void read_page(const char *path) {
  char line[512], heading[512] = "";
  unsigned number = 0;
  page_kernel *open = NULL;
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  while (fgets(line, sizeof line, file) != NULL) {
    if (open != NULL && strcmp(line, "```\n") == 0) {
      open = NULL;
    } else if (open != NULL) {
      ck_assert_uint_lt(strlen(open->text) + strlen(line), sizeof open->text);
      strcat(open->text, line);
    } else if (strncmp(line, "## ", 3) == 0) {
      strcpy(heading, line + 3);
      number = 0;
    } else if (strcmp(line, "```cuda\n") == 0) {
      ck_assert_uint_lt(found.count, COUNT_OF(found.all));
      open = &found.all[found.count++];
      name_after(open, heading, ++number);
    }
  }
  ck_assert_int_eq(fclose(file), 0);
}

static void read_pages(void) {
  for (size_t i = 0; i < COUNT_OF(pages); ++i) read_page(pages[i]);
  ck_assert_uint_gt(found.count, 30);
}

/* ---- what they cost */

static void compile(page_kernel *k) {
  size_t count;
  const template_file *files = templates_get(&count);
  char *spec;
  jig_prewarm_result result;
  ck_assert_ptr_nonnull(files);
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = ""});
  OK(jig_kernel_spec(&(jig_kernel_config){.entry = "example", .source = k->text}, &spec));
  const clock_t start = clock();
  OK(jig_prewarm(engine, spec, "sm_90", &result));
  k->ms = (double)(clock() - start) * 1000 / CLOCKS_PER_SEC;
  k->bytes = result.payload_bytes;
  k->templates = templates_size(files, count, k->text);
  jig_free(spec);
  jig_engine_destroy(engine);
  engine_teardown();
}

/* How many times as long they take as a kernel that does nothing, on the average. */
static double compile_all(void) {
  page_kernel idle = {.name = "nothing", .text = "extern \"C\" __global__ void example(int *out) {}\n"};
  double all_ms = 0, idle_ms = 0;
  read_pages();
  compile(&idle); /* a process's first takes longer */
  for (size_t i = 0; i < found.count; ++i) {
    page_kernel *k = &found.all[i];
    compile(k);
    compile(&idle);
    printf("%-50s %6.1f ms (nothing: %.1f)\n", k->name, k->ms, idle.ms);
    all_ms += k->ms;
    idle_ms += idle.ms;
  }
  printf("all: %.2f times nothing\n", all_ms / idle_ms);
  return all_ms / idle_ms;
}

/* ---- the table */

static void read_table(void) {
  FILE *file = fopen(table_path, "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fscanf(file, "# NVRTC %31s %lf times nothing kernel,bytes,templates ", table.compiler,
                          &table.times),
                   2);
  for (page_kernel *k = table.all; table.count < COUNT_OF(table.all); ++k, ++table.count)
    if (fscanf(file, "%127[^,],%llu,%llu ", k->name, &k->bytes, &k->templates) != 3) break;
  ck_assert(feof(file) != 0);
  ck_assert_int_eq(fclose(file), 0);
}

static const page_kernel *known_as(const char *name) {
  for (size_t i = 0; i < table.count; ++i)
    if (strcmp(table.all[i].name, name) == 0) return &table.all[i];
  return NULL;
}

START_TEST(kernels_of_pages_compile_no_more_than_before) {
  enum { PERCENT = 25 }; /* runs differ by 5, on a busy machine by more */
  read_table();
  const double times = compile_all();
  const bool same_compiler = strcmp(table.compiler, compiler_get()->version) == 0;
  ck_assert_msg(!same_compiler || times * 100 <= table.times * (100 + PERCENT),
                "the pages' kernels take %.2f times as long as one that does nothing, where it was %.2f",
                times, table.times);
  for (size_t i = 0; i < found.count; ++i) {
    const page_kernel *now = &found.all[i], *known = known_as(now->name);
    ck_assert_msg(known != NULL, "%s is not in %s: RENEW_PAGE_KERNELS=1", now->name, table_path);
    ck_assert_msg(
        cost_is_near(now->templates, known->templates) &&
            (!same_compiler || cost_is_near(now->bytes, known->bytes)),
        "the page's kernel of %s is %llu bytes and includes %llu bytes of templates, where it was "
        "%llu and %llu; if that is as it should be: RENEW_PAGE_KERNELS=1",
        now->name, now->bytes, now->templates, known->bytes, known->templates);
  }
}
END_TEST

START_TEST(the_table_is_written) {
  const double times = compile_all();
  FILE *file = fopen(table_path, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "# NVRTC %s %.2f times nothing\nkernel,bytes,templates\n", compiler_get()->version,
          times);
  for (size_t i = 0; i < found.count; ++i)
    fprintf(file, "%s,%llu,%llu\n", found.all[i].name, found.all[i].bytes, found.all[i].templates);
  ck_assert_int_eq(fclose(file), 0);
}
END_TEST

int main(void) {
  static const suite_test comparing = SUITE_TEST(kernels_of_pages_compile_no_more_than_before),
                          writing = SUITE_TEST(the_table_is_written);
  return cost_run("compile/page_kernels", "RENEW_PAGE_KERNELS", &comparing, &writing);
}
