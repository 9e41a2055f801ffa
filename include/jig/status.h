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

/** What a call returns: one of JIG_STATUS_MAP. */
typedef enum jig_status {
#define JIG_STATUS_ENUM(name, number, text) name = number,
  JIG_STATUS_MAP(JIG_STATUS_ENUM)
#undef JIG_STATUS_ENUM
} jig_status;
JIG_INT_SIZED(jig_status);

/** The name of a status, such as "JIG_ERROR_COMPILE"; "unknown status" for a number that is none.
 *  Static storage. */
JIG_API const char *jig_status_name(jig_status status);

/** What a status means, such as "out of memory"; "unknown status" for a number that is none. Static
 * storage. */
JIG_API const char *jig_status_string(jig_status status);

/**
 * The calling thread's last failure in full: what was asked, what failed, and for JIG_ERROR_COMPILE the
 * compiler's errors, positioned in the caller's own text ("operator:1:14: error: ..."), each with the
 * line and a caret below it; with $JIG_LOG=debug the compiler's whole log after them.
 * "" if the thread's last call into jig that returns a status succeeded; functions that return none may
 * leave it as it is, as jig_free() does. Valid until the thread's next call into jig.
 */
JIG_API const char *jig_last_error(void);

/**
 * The CUresult of the driver's function behind the calling thread's last failure, such as
 * CUDA_ERROR_ILLEGAL_ADDRESS; 0 if the last call succeeded, or failed for another reason.
 */
JIG_API int jig_last_driver_error(void);

/** What is logged: less of it, or all. */
typedef enum jig_log_level {
  JIG_LOG_DEFAULT = 0, /**< as $JIG_LOG says; without it nothing */
  JIG_LOG_NONE,
  JIG_LOG_INFO, /**< what a call does that takes time: compiling, files that cannot be used, ... */
  JIG_LOG_DEBUG /**< every decision, and whole logs of the compiler */
} jig_log_level;
JIG_INT_SIZED(jig_log_level);

/** Gets one line, without a newline, of that level: JIG_LOG_INFO or JIG_LOG_DEBUG. It is called by
 * whichever thread has something to say, several at once perhaps. Must not throw or call jig. */
typedef void (*jig_log_fn)(void *user, jig_log_level level, const char *line);

/**
 * Where the log of this process goes, and how much of it, instead of what $JIG_LOG says. Calls that have
 * begun, and what is compiled in the background for an engine that is not destroyed, may still use what
 * was set before: `user` has to stay valid meanwhile.
 * @param log NULL: standard error, as with $JIG_LOG
 * @return JIG_SUCCESS, JIG_ERROR_INVALID_ARGUMENT (no such level), JIG_ERROR_OUT_OF_MEMORY
 */
JIG_API jig_status jig_set_log(jig_log_fn log, void *user, jig_log_level level);

JIG_END_DECLS

#endif
