/* Kernels of the user's own, in tests. */
#ifndef JIG_TESTS_USER_KERNEL_SUPPORT_H
#define JIG_TESTS_USER_KERNEL_SUPPORT_H

#include <jig/jig.h>
#include <stdint.h>

#include "driver/driver.h"

/* "fill", whose arguments are words and a number: each thread of a grid stores that and its own number.
 */
extern const char *const user_kernel_fill_text;
jig_kernel *user_kernel_fill(jig_engine *engine);

/* The kernel of a config, and a launch of it, which are to succeed. */
jig_kernel *user_kernel_from(jig_engine *engine, jig_kernel_config config);
jig_kernel *user_kernel(jig_kernel_config config);
void user_kernel_launch(jig_kernel *kernel, jig_kernel_shape shape, const jig_kernel_arg *args,
                        size_t count);

/* That a call was refused like this, the error saying all of these, up to NULL. */
void user_kernel_error(jig_status status, jig_status wanted, const char *const *parts);
#define SAYS(...)         \
  (const char *const[]) { \
    __VA_ARGS__, NULL     \
  }

/* Words of device memory that a kernel fills; and what they have to be, which frees them. */
uint32_t *user_kernel_words(size_t count);
void user_kernel_expect(uint32_t *words, const uint32_t *wanted, size_t count);

/* The driver's functions, to be others for a while. */
driver *user_kernel_driver(void);

#endif
