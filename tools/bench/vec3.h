/* A struct of three floats, whose size is no power of two. */
#ifndef JIG_BENCH_VEC3_H
#define JIG_BENCH_VEC3_H

#include <jig/type.h>

#define VEC3_SOURCE "struct vec3 { float x, y, z; };"

static inline jig_type vec3_type(void) {
  return jig_struct("vec3", VEC3_SOURCE, 12, 4);
}

#endif
