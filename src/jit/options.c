#include "jit/options.h"

#include <stdbool.h>
#include <string.h>

#include "jit/option_macros.h"
#include "util/env.h"
#include "util/error.h"
#include "util/strings.h"
#include "util/text.h"

/* Options that are not for the user to give; all others are, and the compiler says which it knows. Names
 * are without their dashes and what follows '='; '*' stands for any rest. */
typedef struct refusal {
  const char *names; /* separated by blanks */
  const char *why;
} refusal;

static const refusal refusals[] = {
    {"arch gpu-architecture", "what is compiled for is the GPU at hand, or what prewarming names"},
    {"dc device-c dw device-w rdc relocatable-device-code ewp extensible-whole-program",
     "the program is loaded as it comes out, without being linked"},
    {"dlto dlink-time-opt gen-opt-lto", "LTO-IR cannot be loaded"},
    {"optix-ir ptx cubin fatbin fdevice-syntax-only", "machine code or PTX has to come out"},
    {"I* include-path isystem", "give the folder in include_path, so that the key sees what is in it"},
    {"include pre-include preinclude", "include the header in the source, so that the key sees it"},
    {"pch pch-* pch_* create-pch create_pch use-pch use_pch instantiate-templates-in-pch",
     "precompiled headers are files that the key does not see"},
    {"time fdevice-time-trace enable-cache-trace", "it writes files of its own"},
    {"no-cache frandom-seed modify-stack-limit", "jig gives it, so that equal keys have equal programs"},
    {"device-int128 device-as-default-execution-space default-device minimal no-source-include",
     "jig gives it already, and not every compiler takes it twice"},
    {"Xcudafe Xnvvm Xopt Xllc", "what it passes on cannot be checked"},
    {"std=c++03 std=c++11 std=c++14", "jig's templates are C++17"},
};

/* Likewise, for what is given to the assembler by -Xptxas or --ptxas-options. */
static const refusal ptxas_refusals[] = {
    {"arch gpu-name m machine", "what is compiled for is the GPU at hand, or what prewarming names"},
    {"c compile-only ewp extensible-whole-program",
     "the program is loaded as it comes out, without being linked"},
    {"o output-file optf options-file input-as-string", "it writes or reads files of its own"},
};

/* Whether one of the names is that of an option without its dashes. */
static bool is_named(const char *names, const char *option) {
  const size_t to_value = strcspn(option, "= \t");
  for (const char *name = names; *name != '\0'; name += strspn(name, " ")) {
    const size_t length = strcspn(name, " ");
    const bool any_rest = name[length - 1] == '*', has_value = memchr(name, '=', length) != NULL;
    const size_t wanted = any_rest ? length - 1 : length;
    const size_t got = any_rest ? wanted : has_value ? strlen(option) : to_value;
    if (got == wanted && strncmp(name, option, wanted) == 0) return true;
    name += length;
  }
  return false;
}

static const char *why_refused(const refusal *rows, size_t count, const char *option) {
  for (size_t i = 0; i < count; ++i) {
    if (is_named(rows[i].names, option)) return rows[i].why;
  }
  return NULL;
}

static const char *why_ptxas_refuses(const char *value) {
  value += strspn(value, " \t");
  if (*value != '-') return "to ptxas a word without a dash is a file; join options and values by '='";
  value += strspn(value, "-");
  return why_refused(ptxas_refusals, sizeof ptxas_refusals / sizeof ptxas_refusals[0], value);
}

/* Why an option is refused, which is followed by others; NULL: it is not. */
static const char *why_not(char *const *option) {
  const char *name = *option + strspn(*option, " \t"); /* which the compiler passes over */
  if (*name == '\0') return "it is empty";
  if (*name != '-') return NULL; /* the value of the option before */
  name += strspn(name, "-");
  if (option_macro_is_type(option, 0)) return "it would change types of jig's own";
  if (!is_named("Xptxas ptxas-options", name))
    return why_refused(refusals, sizeof refusals / sizeof refusals[0], name);
  const char *value = strchr(name, '=');
  if (value != NULL) return why_ptxas_refuses(value + 1);
  return option[1] != NULL ? why_ptxas_refuses(option[1]) : "it needs a value";
}

static jig_status copy(char ***options, const jig_engine_config *config) {
  const size_t count = config->compile_option_count;
  if (config->compile_options == NULL && count > 0) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "config->compile_options: the pointer is NULL");
  }
  for (size_t i = 0; i < count; ++i) {
    if (config->compile_options[i] == NULL)
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "config->compile_options[%zu] is NULL", i);
  }
  const char *variable = env_get("JIG_COMPILE_OPTIONS");
  *options = config->compile_options != NULL ? strings_copy(config->compile_options, count)
                                             : strings_split(variable != NULL ? variable : "", " \t\n");
  return *options != NULL ? JIG_SUCCESS : error_memory("compile options");
}

jig_status options_take(char ***options, const jig_engine_config *config) {
  const char *from = config->compile_options != NULL ? "config->compile_options" : "$JIG_COMPILE_OPTIONS";
  *options = NULL;
  jig_status status = copy(options, config);
  for (size_t i = 0; status == JIG_SUCCESS && (*options)[i] != NULL; ++i) {
    const char *why = why_not(&(*options)[i]);
    if (*text_past_utf8((*options)[i]) != '\0')
      status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s[%zu] is not UTF-8", from, i);
    else if (why != NULL)
      status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' is refused: %s", from, (*options)[i], why);
  }
  return status;
}
