/* A struct of three floats, whose size is no power of two. */
#ifndef JIG_BENCH_VEC3_H
#define JIG_BENCH_VEC3_H

#include <jig/type.h>
#include <string.h>

#define VEC3_SOURCE "struct vec3 { float x, y, z; };"

/* For gpu_fill(): of whole numbers, whose sums are exact; and what adds two, for jig_op_source(). */
#define VEC3_WHOLE_ITEM                                                                              \
  VEC3_SOURCE                                                                                        \
  " typedef vec3 item; inline float whole(uint64_t r) { return float(int(r & 15) * 2 - 15); }"       \
  "inline item make(uint64_t r, uint64_t) { return vec3{whole(r >> 60), whole(r >> 40), whole(r >> " \
  "20)}; }"
#define VEC3_ADD "return vec3{a.x + b.x, a.y + b.y, a.z + b.z};"

static inline jig_type vec3_type(void) {
  return jig_struct("vec3", VEC3_SOURCE, 12, 4);
}

/* That, or a number's type. */
static inline jig_type type_or_vec3(const char *name) {
  return strcmp(name, "vec3") == 0 ? vec3_type() : jig_type_from_name(name);
}

#endif
