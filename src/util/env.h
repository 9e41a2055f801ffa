/* Configuration from the environment; nothing is read from it in a set-id process. */
#ifndef JIG_UTIL_ENV_H
#define JIG_UTIL_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this is no set-id process. */
bool env_is_trusted(void);

/* The value, or NULL if it is unset or empty. */
const char *env_get(const char *name);

/* What was chosen in place of a variable that counts for the whole process ($JIG_DRIVER, JIG_NVRTC,
 * JIG_NVJITLINK, JIG_TEMPLATE_PATH), else its value; NULL if that is "". It stays the same from the first
 * time on, and the string lives as long as the process. Of any other variable env_get(). */
const char *env_get_fixed(const char *name);

/* Chooses a value in place of the variable's, "" for none. False if it is too late: another one was
 * chosen or has been asked for. */
bool env_choose(const char *name, const char *value);

/* The same, but NULL as well if the value is not an absolute path: for variables of others, of which a
 * relative one would lead somewhere else from every working directory. (The XDG Base Directory
 * Specification has them ignored.) */
const char *env_get_absolute(const char *name);

/* A count of bytes such as "500M" or "2GiB" (K, M, G, T, with or without "iB": powers of 1024). False if
 * the text is anything else. */
bool env_parse_size(const char *text, uint64_t *bytes);

#endif
