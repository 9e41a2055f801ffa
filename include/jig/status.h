/** What calls return, and how to learn more. */
#ifndef JIG_STATUS_H
#define JIG_STATUS_H

#include <jig/version.h>

/**
 * Every status: name, number, meaning. Numbers are spaced in tens by subject and never reused.
 */
#define JIG_STATUS_MAP(X)                                                                           \
  X(JIG_SUCCESS, 0, "success")                                                                      \
  X(JIG_ERROR_INVALID_ARGUMENT, 10, "an argument is wrong")                                         \
  X(JIG_ERROR_TEMP_STORAGE_TOO_SMALL, 11, "the temp storage is smaller than the size query said")   \
  X(JIG_ERROR_UNSUPPORTED, 12, "the request is valid, but this algorithm cannot honour it")         \
  X(JIG_ERROR_OUT_OF_MEMORY, 20, "out of memory")                                                   \
  X(JIG_ERROR_COMPILE, 30, "the program does not compile: an operator or type definition is wrong") \
  X(JIG_ERROR_TYPE_MISMATCH, 31, "a struct's size or alignment is not what its definition has")     \
  X(JIG_ERROR_NOT_BUILT, 32, "the program is not built, and building is not allowed here")          \
  X(JIG_ERROR_NO_COMPILER, 33, "the compiler (NVRTC) cannot be loaded or cannot target this GPU")   \
  X(JIG_ERROR_NO_DRIVER, 40, "the CUDA driver library cannot be loaded or started")                 \
  X(JIG_ERROR_NO_DEVICE, 41, "there is no CUDA device, or no current context")                      \
  X(JIG_ERROR_CUDA, 42, "a CUDA driver call failed")                                                \
  X(JIG_ERROR_CACHE, 50, "the cache directory cannot be used")                                      \
  X(JIG_ERROR_FORKED, 60, "the engine was inherited through fork() and cannot launch in the child") \
  X(JIG_ERROR_INTERNAL, 90, "a defect in jig; please report it")

JIG_BEGIN_DECLS

typedef enum jig_status {
#define JIG_STATUS_ENUM(name, number, text) name = number,
  JIG_STATUS_MAP(JIG_STATUS_ENUM)
#undef JIG_STATUS_ENUM
} jig_status;

/** The name of a status, such as "JIG_ERROR_COMPILE"; "unknown status" for a number that is none.
 *  Static storage. */
JIG_API const char *jig_status_name(jig_status status);

/**
 * The calling thread's last failure in full: what was asked, what failed, and for JIG_ERROR_COMPILE the
 * compiler's errors, positioned in the caller's own text ("operator:1:14: error: ..."), each with the
 * line and a caret below it; with $JIG_LOG=debug the compiler's whole log after them.
 * "" if the thread's last call into jig succeeded. Valid until the thread's next call into jig.
 */
JIG_API const char *jig_last_error(void);

JIG_END_DECLS

#endif
