/* What the support files share among themselves. */
#ifndef SOFTGPU_TEST_PTX_INTERNAL_H
#define SOFTGPU_TEST_PTX_INTERNAL_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/driver.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(const void *data, size_t size, uint64_t hash);

bool dumping(void);
/* $JIG_PTX_ONLY: part of a test's or program's name. */
bool wanted_now(const char *test, const char *name);
void dump_program(const char *test, const char *name, const char *text);
void write_result(const char *test, const char *instruction, uint64_t inputs, uint64_t results,
                  bool varies);

/* NULL with why in log. */
CUmodule load_module(const char *text, char *log, size_t log_size);

#endif
