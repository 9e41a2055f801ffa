/* Structs within structs, each a type of the same call: as items, members, keys, results and states,
 * where the texts define them once, again, or spelt differently. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"

typedef struct vec3 {
  float x, y, z;
} vec3;
typedef struct particle {
  vec3 at;
  float mass;
} particle;
typedef struct box {
  vec3 low, high;
} box;

/* The ways in which texts of the three may have them; the last has all of them in every text. */
#define VEC3 "struct vec3 { float x, y, z; };\n"
#define PARTICLE "struct particle { vec3 at; float mass; };\n"
#define BOX "struct box { vec3 low, high; };\n"
static const struct {
  const char *vec3, *particle, *box;
} ways[] = {
    {VEC3, PARTICLE, BOX},
    {VEC3, VEC3 PARTICLE, VEC3 BOX},
    {VEC3, "// one\nstruct vec3\n{ float x,y,z; };\ntypedef " PARTICLE,
     "typedef struct vec3 { float x, y, z; } vec3;\n" BOX},
    {VEC3 PARTICLE BOX, VEC3 PARTICLE BOX, VEC3 PARTICLE BOX},
};

enum { COUNT = 20011 };

typedef struct scene {
  jig_type vec3, particle, box;
  particle *items;
  void *device;
} scene;

static scene new_scene(size_t way) {
  scene s = {.vec3 = jig_struct("vec3", ways[way].vec3, sizeof(vec3), 4),
             .particle = jig_struct("particle", ways[way].particle, sizeof(particle), 4),
             .box = jig_struct("box", ways[way].box, sizeof(box), 4)};
  uint64_t seed = 5;
  s.items = malloc(COUNT * sizeof *s.items);
  for (size_t i = 0; i < COUNT; ++i) {
    float w[4];
    for (int k = 0; k < 4; ++k) w[k] = (float)(next_random(&seed) >> 56) - 100;
    s.items[i] = (particle){{w[0], w[1], w[2]}, w[3]};
  }
  s.device = gpu_copy(s.items, COUNT * sizeof *s.items, 0);
  return s;
}

static void free_scene(scene *s) {
  gpu_free(s->device);
  free(s->items);
}

/* The box around all places: of particles boxes are made, and of these one. */
static void check_box(scene *s, const char *way) {
  box wanted = {s->items[0].at, s->items[0].at}, got;
  for (size_t i = 1; i < COUNT; ++i) {
    const vec3 v = s->items[i].at;
    if (v.x < wanted.low.x) wanted.low.x = v.x;
    if (v.y < wanted.low.y) wanted.low.y = v.y;
    if (v.z > wanted.high.z) wanted.high.z = v.z;
  }
  for (size_t i = 0; i < COUNT; ++i) {
    const vec3 v = s->items[i].at;
    if (v.z < wanted.low.z) wanted.low.z = v.z;
    if (v.x > wanted.high.x) wanted.high.x = v.x;
    if (v.y > wanted.high.y) wanted.high.y = v.y;
  }
  /* The operator's text has structs of the call as well. */
  char source[1024];
  (void)snprintf(
      source, sizeof source,
      "%s%s"
      "inline float least(float a, float b) { return b < a ? b : a; }\n"
      "inline float most(float a, float b) { return a < b ? b : a; }\n"
      "box join(box a, box b) {\n"
      "  const vec3 l = {least(a.low.x, b.low.x), least(a.low.y, b.low.y), least(a.low.z, b.low.z)};\n"
      "  return {l, {most(a.high.x, b.high.x), most(a.high.y, b.high.y), most(a.high.z, b.high.z)}};\n"
      "}\n",
      way, s->box.definition);
  const jig_iter in = jig_pointer(s->device, s->particle),
                 places = jig_iter_transform(&in, jig_op_source("return x.at;"), s->vec3);
  reduce_to_host(
      (jig_reduce_args){.in = jig_iter_transform(&places, jig_op_source("return {x, x};"), s->box),
                        .num_items = COUNT,
                        .op = jig_op_commutative(jig_op_function(source, "join"))},
      s->box, &got);
  ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%s", source);
}

/* What is nearest to a place that is the state: of a zip, whose struct has another as its member. */
static void check_nearest(scene *s) {
  vec3 *places = malloc(COUNT * sizeof *places), origin = {3, -20, 50};
  float *masses = malloc(COUNT * sizeof *masses), best = 1e30f;
  size_t nearest = 0;
  for (size_t i = 0; i < COUNT; ++i) {
    const vec3 v = places[i] = s->items[i].at;
    masses[i] = s->items[i].mass;
    const float x = v.x - origin.x, y = v.y - origin.y, z = v.z - origin.z;
    const float distance = x * x + y * y + z * z; /* whole numbers: exact */
    if (distance < best) nearest = i;
    if (distance < best) best = distance;
  }
  void *d_places = gpu_copy(places, COUNT * sizeof *places, 0),
       *d_masses = gpu_copy(masses, COUNT * 4, 0);
  const jig_iter sides[] = {jig_pointer(d_places, s->vec3), jig_pointer(d_masses, JIG_F32)};
  particle *value = gpu_alloc(sizeof *value, 0), got;
  uint32_t *index = gpu_alloc(4, 0), got_index;
  const jig_op closer = jig_op_source(
      "const auto far = [&](const vec3 &v) {\n"
      "  return (v.x - state.x) * (v.x - state.x) + (v.y - state.y) * (v.y - state.y) +\n"
      "         (v.z - state.z) * (v.z - state.z);\n"
      "};\n"
      "return far(a.at) < far(b.at);");
  run_arg_reduce(&(jig_arg_reduce_args){.in = jig_zip(sides, 2, s->particle),
                                        .value_out = jig_pointer(value, s->particle),
                                        .index_out = jig_pointer(index, JIG_U32),
                                        .num_items = COUNT,
                                        .compare = jig_op_with_state(closer, &origin, s->vec3)},
                 0);
  gpu_read(&got, value, sizeof got);
  gpu_read(&got_index, index, sizeof got_index);
  ck_assert_uint_eq(got_index, nearest);
  ck_assert_mem_eq(&got, &s->items[nearest], sizeof got);
  gpu_free(value);
  gpu_free(index);
  gpu_free(d_places);
  gpu_free(d_masses);
  free(places);
  free(masses);
}

static void add_masses(void *fold, const void *item) {
  particle *a = fold;
  const particle *b = item;
  *a = (particle){b->at, a->mass + b->mass};
}

/* Running masses; the same type's text may be another for the output. */
static void check_scan_of_particles(scene *s, const char *other_text) {
  const scan_model model = {sizeof(particle), add_masses};
  particle *wanted = malloc(COUNT * sizeof *wanted);
  scan_on_host(&model, JIG_SCAN_INCLUSIVE, NULL, s->items, COUNT, wanted);
  check_scan((jig_scan_args){.in = jig_pointer(s->device, s->particle),
                             .num_items = COUNT,
                             .op = jig_op_source("return {b.at, a.mass + b.mass};")},
             jig_struct("particle", other_text, sizeof(particle), 4), 0, wanted, "particles");
  free(wanted);
}

START_TEST(every_way_gives_the_same_results) {
  for (size_t way = 0; way < COUNT_OF(ways); ++way) {
    scene s = new_scene(way);
    check_box(&s, way % 2 == 0 ? "" : ways[way].vec3);
    check_nearest(&s);
    check_scan_of_particles(&s, way == 0 ? VEC3 PARTICLE : ways[way].particle);
    free_scene(&s);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(every_way_gives_the_same_results)};
  return SUITE_RUN("device/struct_members", tests, true);
}
