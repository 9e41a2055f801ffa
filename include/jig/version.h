/** The version of jig, and what every header needs. */
#ifndef JIG_VERSION_H
#define JIG_VERSION_H

#define JIG_VERSION_MAJOR 0
#define JIG_VERSION_MINOR 1
#define JIG_VERSION_PATCH 0

#if defined(__GNUC__)
#define JIG_API __attribute__((visibility("default")))
#else
#define JIG_API
#endif

#ifdef __cplusplus
#define JIG_BEGIN_DECLS extern "C" {
#define JIG_END_DECLS }
/** A value of a jig struct, written in place, in either language. */
#define JIG_LITERAL(type, ...) (type{__VA_ARGS__})
#define JIG_ZERO \
  {}
#else
#define JIG_BEGIN_DECLS
#define JIG_END_DECLS
#define JIG_LITERAL(type, ...) ((type){__VA_ARGS__})
#define JIG_ZERO \
  { 0 }
#endif

JIG_BEGIN_DECLS

/** A CUDA stream, declared as cuda.h declares it. */
typedef struct CUstream_st *CUstream;

/** The version of the library in use, "major.minor.patch". Static storage. */
JIG_API const char *jig_version(void);

JIG_END_DECLS

#endif
