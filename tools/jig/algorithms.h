/* The algorithms that the library knows. */
#ifndef JIG_CLI_ALGORITHMS_H
#define JIG_CLI_ALGORITHMS_H

/* "reduce, arg_reduce, ...", for messages; kept in a static buffer. */
const char *algorithm_names(void);

#endif
