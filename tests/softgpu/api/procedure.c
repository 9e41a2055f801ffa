/* Entry points by name. */
#include "api/api.h"

#include <string.h>

#include "api/procedure.h"

/* The newest that the program's version knows. */
static const procedure *find(const char *name, int version, int per_thread, bool *known) {
  const procedure *best = NULL;
  for (size_t i = 0; i < procedure_count; ++i) {
    const procedure *p = &procedures[i];
    if (p->per_thread != per_thread || strcmp(p->name, name) != 0) continue;
    *known = true;
    if (p->version <= version && (best == NULL || p->version >= best->version)) best = p;
  }
  return best;
}

static const procedure *find_symbol(const char *symbol) {
  for (size_t i = 0; i < procedure_count; ++i) {
    if (strcmp(procedures[i].symbol, symbol) == 0) return &procedures[i];
  }
  return NULL;
}

CUresult cuGetProcAddress(const char *name, void **address, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
  const cuuint64_t both =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (name == NULL || address == NULL || (flags & ~both) != 0 || flags == both)
    return CUDA_ERROR_INVALID_VALUE;
  bool known = false;
  const procedure *p = NULL;
  if (strcmp(name, "cuGraphInstantiate") == 0 && version >= 12000) name = "cuGraphInstantiateWithFlags";
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) p = find(name, version, 1, &known);
  if (p == NULL) p = find(name, version, 0, &known);
  if (p == NULL && !known) p = find_symbol(name);
  *address = NULL;
  if (p != NULL) memcpy(address, &p->address, sizeof *address);
  if (status != NULL) {
    *status = p != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
              : known   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return p != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* There are no private interfaces. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  (void)id;
  if (table != NULL) *table = NULL;
  return CUDA_ERROR_NOT_FOUND;
}
