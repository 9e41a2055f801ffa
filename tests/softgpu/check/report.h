/* What the software GPU has to say about a program, in the manner of a memory checker.
 *
 * Goes to standard error, or to the file that $JIG_SOFTGPU_LOG names (appended). One defect is told once:
 * further ones of the same kind at the same instruction are counted only. */
#ifndef SOFTGPU_CHECK_REPORT_H
#define SOFTGPU_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum report_kind {
  REPORT_OUT_OF_BOUNDS,
  REPORT_USE_AFTER_FREE,
  REPORT_MISALIGNED,
  REPORT_READ_ONLY,
  REPORT_UNINITIALISED,
  REPORT_RACE,
  REPORT_ORDER,   /* operations that touch the same memory, and nothing orders them */
  REPORT_BARRIER, /* not reached by all, or not converged */
  REPORT_MEMBER_MASK,
  REPORT_DEADLOCK,
  REPORT_TRAP, /* trap, failed assertion, stack overflow, bad call target */
  REPORT_HOST, /* the host's calls: a copy past the end, freeing twice */
  REPORT_LEAK,
  REPORT_KINDS
} report_kind;

/* Where in a program. All of it may be unknown (zero). */
typedef struct report_place {
  const char *kernel;
  const char *instruction; /* "ld.global.u32 %r1, [%rd2]" or so */
  unsigned ptx_line;
  const char *source; /* file */
  unsigned source_line;
  bool has_thread;
  unsigned thread[3], block[3];
  uint64_t address; /* what was accessed; its owner is looked up and named */
  bool has_address;
} report_place;

/* Reports; place may be NULL. The message says what happened in one line, without the place. Returns
 * whether this was told (false: counted only). */
bool report(report_kind kind, const report_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A further line of a report just told, indented: where the other access was, a waiting warp. */
void report_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How many there were of a kind, told or not; REPORT_KINDS: of all. */
unsigned report_count(report_kind kind);

/* At the end of the process: the summary line, if there was anything. */
void report_end(void);

#endif
