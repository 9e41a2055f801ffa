/* The names of special registers. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

static const struct {
  const char *name;
  ptx_special special;
  bool has_dimensions;
} specials[] = {
    {"%tid", SPECIAL_TID, true},
    {"%ntid", SPECIAL_NTID, true},
    {"%ctaid", SPECIAL_CTAID, true},
    {"%nctaid", SPECIAL_NCTAID, true},
    {"%clusterid", SPECIAL_CLUSTERID, true},
    {"%nclusterid", SPECIAL_NCLUSTERID, true},
    {"%cluster_ctaid", SPECIAL_CLUSTER_CTAID, true},
    {"%cluster_nctaid", SPECIAL_CLUSTER_NCTAID, true},
    {"%cluster_ctarank", SPECIAL_CLUSTER_CTARANK, false},
    {"%cluster_nctarank", SPECIAL_CLUSTER_NCTARANK, false},
    {"%is_explicit_cluster", SPECIAL_IS_EXPLICIT_CLUSTER, false},
    {"%laneid", SPECIAL_LANEID, false},
    {"%warpid", SPECIAL_WARPID, false},
    {"%nwarpid", SPECIAL_NWARPID, false},
    {"%smid", SPECIAL_SMID, false},
    {"%nsmid", SPECIAL_NSMID, false},
    {"%gridid", SPECIAL_GRIDID, false},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ, false},
    {"%lanemask_le", SPECIAL_LANEMASK_LE, false},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT, false},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE, false},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT, false},
    {"%clock", SPECIAL_CLOCK, false},
    {"%clock_hi", SPECIAL_CLOCK_HI, false},
    {"%clock64", SPECIAL_CLOCK64, false},
    {"%globaltimer", SPECIAL_GLOBALTIMER, false},
    {"%globaltimer_lo", SPECIAL_GLOBALTIMER_LO, false},
    {"%globaltimer_hi", SPECIAL_GLOBALTIMER_HI, false},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM_SIZE, false},
    {"%total_smem_size", SPECIAL_TOTAL_SMEM_SIZE, false},
    {"%aggr_smem_size", SPECIAL_AGGR_SMEM_SIZE, false},
    {"%reserved_smem_offset_begin", SPECIAL_RESERVED_SMEM, false},
    {"%reserved_smem_offset_end", SPECIAL_RESERVED_SMEM, false},
    {"%reserved_smem_offset_cap", SPECIAL_RESERVED_SMEM, false},
    {"%reserved_smem_offset_0", SPECIAL_RESERVED_SMEM, false},
    {"%reserved_smem_offset_1", SPECIAL_RESERVED_SMEM, false},
    {"%current_graph_exec", SPECIAL_CURRENT_GRAPH_EXEC, false},
};

/* %pm0..%pm7, with or without _64, and %envreg0..%envreg31. */
static bool numbered(const char *name, ptx_special *special, int *dimension) {
  bool is_pm = strncmp(name, "%pm", 3) == 0;
  if (!is_pm && strncmp(name, "%envreg", 7) != 0) return false;
  const char *digits = name + (is_pm ? 3 : 7);
  if (*digits < '0' || *digits > '9') return false;
  char *end;
  long number = strtol(digits, &end, 10);
  if (number > (is_pm ? 7 : 31) || (*end != '\0' && !(is_pm && strcmp(end, "_64") == 0))) return false;
  *special = is_pm ? SPECIAL_PM : SPECIAL_ENVREG;
  *dimension = (int)number;
  return true;
}

bool ptx_special_of(const char *name, ptx_special *special, int *dimension) {
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; ++i)
    if (strcmp(specials[i].name, name) == 0) {
      *special = specials[i].special;
      *dimension = specials[i].has_dimensions ? -1 : 0;
      return true;
    }
  return numbered(name, special, dimension);
}
