/* A struct of three floats, whose size is no power of two. */
#ifndef JIG_BENCH_VEC3_H
#define JIG_BENCH_VEC3_H

#include <jig/type.h>
#include <string.h>

#define VEC3_SOURCE "struct vec3 { float x, y, z; };"

static inline jig_type vec3_type(void) {
  return jig_struct("vec3", VEC3_SOURCE, 12, 4);
}

/* That, or a number's type. */
static inline jig_type type_or_vec3(const char *name) {
  return strcmp(name, "vec3") == 0 ? vec3_type() : jig_type_from_name(name);
}

#endif
