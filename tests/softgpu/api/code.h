/* Modules and libraries, and their kernels as functions. With the lock held. */
#ifndef SOFTGPU_API_CODE_H
#define SOFTGPU_API_CODE_H

#include "api/context.h"
#include "code/module.h"

/* A loaded image, which outlives its handle as long as graphs refer to its kernels. */
typedef struct loaded {
  module *image;
  unsigned references;
  bool is_unloaded;
} loaded;

struct CUmod_st {
  context *owner;
  CUlibrary library; /* it is an instance of; NULL: none */
  loaded *code;
  CUfunction functions; /* those that were asked for */
  CUmodule next;
};

struct CUfunc_st {
  const kernel *code;
  CUmodule owner;
  unsigned max_dynamic_shared; /* as far as the attribute has raised it */
  int carveout, non_portable_cluster, cluster_policy;
  CUfunction next;
};

struct CUkern_st {
  CUlibrary library;
  char *name;
  /* What was set for the kernel, which is what its functions begin with; -1: nothing. */
  int max_dynamic_shared, carveout, non_portable_cluster, cluster_policy;
  CUkernel next;
};

/* Also takes a CUkernel that was cast, which stands for its function in the current context. */
CUresult code_function(CUfunction handle, context *c, CUfunction *found);
CUresult code_function_of_kernel(CUkernel k, context *c, CUfunction *found);
CUresult code_set_attribute(CUfunction f, CUfunction_attribute which, int value);
CUresult code_attribute(CUfunction f, CUfunction_attribute which, int *value);
/* Static and dynamic shared memory that a launch may have in all. */
unsigned code_shared_limit(const struct CUfunc_st *f);
/* Blocks that a cluster of its may have. */
unsigned code_cluster_limit(const struct CUfunc_st *f);

loaded *code_hold(loaded *l);
void code_drop(loaded *l);
void code_end_all(context *c); /* of a context that ends */

/* What cuModuleLoadDataEx() and cuLibraryLoadData() have in common: text or an error, and the logs. */
module *code_load_image(const void *image, int device, unsigned count, CUjit_option *options,
                        void **values, CUresult *result);
/* The whole file, with a NUL behind it. */
CUresult code_read_file(const char *path, char **text);
void code_end_module(CUmodule m);
CUmodule code_add_module(context *c, module *image, CUlibrary library);
CUresult code_find(CUmodule m, const char *name, CUfunction *found);

#endif
