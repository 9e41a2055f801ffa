/* How every entry point of the driver's interface begins and ends.
 *
 * Included before anything else that includes cuda.h: it is what makes cuda.h's functions, and nothing
 * else, visible outside of the library. */
#ifndef SOFTGPU_API_API_H
#define SOFTGPU_API_API_H

#define __CUDA_API_PUSH_VISIBILITY_DEFAULT
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "work/work.h"

typedef struct CUctx_st context;
typedef struct CUstream_st stream;

enum { API_VERSION = 13000, API_SHARED_DEFAULT = 48 << 10, API_SHARED_LIMIT = 227 << 10 };

/* Whether cuInit() has been called in this process; a child does not inherit it. */
CUresult api_ready(void);

/* These take the lock, and api_end() gives it back and returns its argument. All are to be followed by
 * api_end(), also after failures. */
CUresult api_begin(context **current);                      /* there must be a current context in order */
CUresult api_begin_stream(CUstream handle, stream **found); /* the same for the stream's */
CUresult api_end(CUresult result);

/* A defect of the program, told with the place in memory that it is about; the error is returned. */
CUresult api_complain(CUresult result, uint64_t address, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says once for each name that there is no such thing here: CUDA_ERROR_NOT_SUPPORTED. */
CUresult api_unimplemented(const char *name);
CUresult api_not_supported(const char *what);

#endif
