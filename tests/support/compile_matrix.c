#include "compile_matrix.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/templates.h"
#include "seed.h"

static const int sms[] = {75, 80, 86, 89, 90, 100, 120};
static const bool has_other_kernels[] = {true, false, false, false, true, false, true};
enum { SMS = sizeof sms / sizeof sms[0], TUNED_SM = 90 };

/* ---- which architectures the compiler is given the same text for */

/* The architectures below which and from which on a template has other lines, by what follows each
 * __CUDA_ARCH__. */
enum { MAX_BORDERS = 16 };
static int borders[MAX_BORDERS];
static int border_count;

static void add_border(const char *template, const char *at) {
  int border;
  ck_assert_msg(sscanf(at, "__CUDA_ARCH__ >= %d\n", &border) == 1,
                "%s: write '__CUDA_ARCH__ >= <number>', which this test understands: %.40s", template,
                at);
  for (int i = 0; i < border_count; ++i)
    if (borders[i] == border) return;
  ck_assert_int_lt(border_count, MAX_BORDERS);
  borders[border_count++] = border;
}

static void find_borders(void) {
  static const char name[] = "__CUDA_ARCH__";
  size_t count;
  const template_file *files = templates_get(&count);
  for (size_t i = 0; i < count; ++i)
    for (const char *at = files[i].text; (at = strstr(at, name)) != NULL; at += sizeof name)
      add_border(files[i].name, at);
}

static bool same_branches(int a, int b) {
  bool same = true;
  for (int i = 0; i < border_count; ++i) same &= (a * 10 >= borders[i]) == (b * 10 >= borders[i]);
  return same;
}

static bool same_policy(const policy *a, const policy *b) {
  bool same = a->count == b->count;
  for (int i = 0; same && i < a->count; ++i)
    same = a->values[i] == b->values[i] && strcmp(a->names[i], b->names[i]) == 0;
  return same;
}

/* What a kernel of a spec is for each architecture, and with which others it shares a group: the number
 * of the first of these. */
typedef struct versions {
  const kernel_row *kernels[SMS];
  int group[SMS];
} versions;

static versions versions_of(const spec *s, int k, bool everywhere) {
  versions v;
  policy tuning[SMS];
  for (int i = 0; i < SMS; ++i) {
    v.group[i] = -1;
    if (!everywhere && !has_other_kernels[i]) continue;
    v.kernels[i] = algorithm_kernel(s, k, sms[i]);
    tuning[i] = kernel_policy(v.kernels[i], s, sms[i], NULL);
    v.group[i] = i;
    for (int j = i - 1; j >= 0; --j)
      if (v.group[j] >= 0 && v.kernels[j] == v.kernels[i] && same_policy(&tuning[j], &tuning[i]) &&
          same_branches(sms[j], sms[i]))
        v.group[i] = j;
  }
  return v;
}

/* ---- choosing */

/* The number of a spec, and of a program that it names. */
typedef struct place_of_program {
  size_t spec;
  int program;
} place_of_program;

static void add_job(compile_plan *p, place_of_program at, const versions *v, int i) {
  if ((p->count & (p->count - 1)) == 0) /* full at every power of two */
    p->jobs = realloc(p->jobs, (p->count > 0 ? 2 * p->count : 1) * sizeof *p->jobs);
  p->jobs[p->count++] = (compile_job){at.spec, at.program, v->kernels[i], arch_of_sm(sms[i], false)};
}

/* One architecture of a group, in turn. */
static void add_from_group(compile_plan *p, place_of_program at, const versions *v, int group,
                           unsigned long turn) {
  int members[SMS];
  unsigned long count = 0;
  for (int i = 0; i < SMS; ++i)
    if (v->group[i] == group) members[count++] = i;
  add_job(p, at, v, members[turn % count]);
}

static void add_rotating(compile_plan *p, place_of_program at, const versions *v, unsigned long turn,
                         bool of_product) {
  int others[SMS], tuned = 0;
  unsigned long count = 0;
  for (int i = 0; i < SMS; ++i)
    if (sms[i] == TUNED_SM) tuned = v->group[i];
  for (int i = 0; i < SMS; ++i)
    if (v->group[i] == i && (of_product || i != tuned)) others[count++] = i;
  enum { DAYS = 6 };
  if (turn % DAYS != 0) return; /* neighbours in the list have their turns on different days */
  turn /= DAYS;
  const unsigned long round = of_product ? turn : turn / 2;
  /* The turns of groups and of their members are to meet in every way. */
  if (!of_product && (count == 0 || turn % 2 == 0))
    add_from_group(p, at, v, tuned, round);
  else if (count > 0)
    add_from_group(p, at, v, others[round % count], round / count);
}

static bool has_kernel(const compile_plan *p, const kernel_row *kernel) {
  for (size_t i = 0; i < p->count; ++i)
    if (p->jobs[i].kernel == kernel) return true;
  return false;
}

static void add_new_kernels(compile_plan *p, place_of_program at, const versions *v) {
  for (int i = SMS - 1; i >= 0; --i)
    if (v->group[i] >= 0 && !has_kernel(p, v->kernels[i])) add_job(p, at, v, i);
}

static void add_by_mode(compile_plan *p, place_of_program at, const compile_spec *of, const versions *v,
                        int k) {
  if (p->mode == MATRIX_ROTATE)
    add_rotating(p, at, v, p->seed + at.spec + (unsigned long)k, of->of_product);
  if (p->mode == MATRIX_FULL)
    for (int i = 0; i < SMS; ++i)
      if (v->group[i] >= 0) add_job(p, at, v, i);
}

static void add_program(compile_plan *p, place_of_program at, const spec *s, const compile_spec *of,
                        bool left_out) {
  for (int k = 0; k < algorithm_kernel_count(s); ++k) {
    const versions v = versions_of(s, k, of->everywhere);
    if (left_out)
      add_new_kernels(p, at, &v);
    else
      add_by_mode(p, at, of, &v, k);
  }
}

/* First what the mode says, of all specs; then the kernels that this has left out. */
static void add_spec(compile_plan *p, size_t number, const compile_spec *of, bool left_out) {
  parsed_spec parsed;
  ck_assert_msg(spec_parse(of->text, algorithm_schema, &parsed) == JIG_SUCCESS, "%s: %s", of->text,
                jig_last_error());
  const algorithm_programs programs = algorithm_programs_of(&parsed.s);
  for (int i = 0; i < programs.count; ++i)
    add_program(p, (place_of_program){number, i}, &programs.of[i], of, left_out);
  parsed_spec_free(&parsed);
}

static void check_every_kernel(const compile_plan *p) {
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) {
    for (int k = 0; k < (*row)->kernel_count; ++k) {
      for (const kernel_row *one = &(*row)->kernels[k]; one != NULL; one = one->instead)
        ck_assert_msg(has_kernel(p, one), "%s: the matrix has no spec with this kernel", one->name);
    }
  }
}

/* ---- the whole */

static const char *const mode_names[] = {"quick", "rotate", "full"};

static matrix_mode mode_of(const char *name) {
  if (name == NULL) return MATRIX_ROTATE;
  for (int i = MATRIX_QUICK; i <= MATRIX_FULL; ++i)
    if (strcmp(name, mode_names[i]) == 0) return (matrix_mode)i;
  ck_abort_msg("JIG_TEST_MATRIX: '%s' is not quick, rotate or full", name);
}

compile_plan compile_plan_of(const compile_spec *specs, size_t count) {
  compile_plan p = {.mode = mode_of(getenv("JIG_TEST_MATRIX")), .seed = test_seed()};
  find_borders();
  for (size_t i = 0; i < count; ++i) add_spec(&p, i, &specs[i], false);
  for (size_t i = 0; i < count; ++i) add_spec(&p, i, &specs[i], true);
  check_every_kernel(&p);
  return p;
}

const char *compile_plan_again(const compile_plan *p) {
  static char text[64];
  (void)snprintf(text, sizeof text, "JIG_TEST_MATRIX=%s JIG_TEST_SEED=%lu", mode_names[p->mode], p->seed);
  return text;
}
