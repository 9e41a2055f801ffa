/** The version of jig, and what every header needs. */
#ifndef JIG_VERSION_H
#define JIG_VERSION_H

/** The version that these headers are of. */
#define JIG_VERSION_MAJOR 0
#define JIG_VERSION_MINOR 2
#define JIG_VERSION_PATCH 0

/* Before what the library exports. */
#if defined(__GNUC__)
#define JIG_API __attribute__((visibility("default")))
#else
#define JIG_API
#endif

/* Around what is declared. */
#ifdef __cplusplus
#define JIG_BEGIN_DECLS extern "C" {
#define JIG_END_DECLS }
/** A value of a jig struct, written in place, in either language. */
#define JIG_LITERAL(type, ...) (type{__VA_ARGS__})
/** What a struct of zeros is initialised with, in either language. */
#define JIG_ZERO \
  {}
#else
#define JIG_BEGIN_DECLS
#define JIG_END_DECLS
#define JIG_LITERAL(type, ...) ((type){__VA_ARGS__})
#define JIG_ZERO \
  { 0 }
#endif

/** As jig_version_number() has it of the library. */
#define JIG_VERSION_NUMBER (JIG_VERSION_MAJOR * 10000 + JIG_VERSION_MINOR * 100 + JIG_VERSION_PATCH)

/** Enumerations have the size of an int in every struct; compilers that make them smaller are refused. */
#ifdef __cplusplus
#define JIG_INT_SIZED(type) static_assert(sizeof(type) == sizeof(int), #type " has the size of an int")
#else
#define JIG_INT_SIZED(type) _Static_assert(sizeof(type) == sizeof(int), #type " has the size of an int")
#endif

/*
 * Every struct keeps its size for as long as the soname stays the same. Its reserved members are zero in
 * whatever the library is given, as they are in a struct that is zero-initialised; a call that finds
 * others is JIG_ERROR_INVALID_ARGUMENT. In what the library fills in they are zero. New members are taken
 * out of them, and their zero means what was there before. docs/abi.md has the whole rule.
 */

JIG_BEGIN_DECLS

/** A CUDA stream, and a device address, declared as cuda.h declares them. */
typedef struct CUstream_st *CUstream;
typedef unsigned long long CUdeviceptr;

/** The version of the library in use, "major.minor.patch". Static storage. */
JIG_API const char *jig_version(void);

/** The same as a number: major * 10000 + minor * 100 + patch. */
JIG_API int jig_version_number(void);

JIG_END_DECLS

#endif
