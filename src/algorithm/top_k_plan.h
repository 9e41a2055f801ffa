/* How a top-k is spread over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_TOP_K_PLAN_H
#define JIG_ALGORITHM_TOP_K_PLAN_H

#include "algorithm/temp_storage.h"
#include "engine/plan_limits.h"
#include "jit/parameter.h"
#include "jit/program.h"
#include "policy/top_k.h"

/* What it is planned by. */
typedef struct top_k_size {
  uint64_t num_items, k; /* k at most as large */
  size_t bits_bytes;     /* of a key's bits, as candidates have them */
  size_t record_bytes;   /* of a result that is to be sorted; 0: none is */
  int first_kernel;      /* which of the program's is TOP_K_BLOCK; the others follow it */
} top_k_size;

/* A kernel parameter; jig::TopKCall in device code. */
typedef struct top_k_call {
  uint64_t num_items, k;
  void *control, *bits, *indices;
  uint64_t capacity;
  void *records;
  uint32_t samples, sure_rank, last_rank;
  int32_t is_signed, is_descending, is_dense;
  uint32_t index_width;
  const uint64_t *num_items_in; /* or NULL */
  uint64_t tag;
} top_k_call;
extern const parameter_field top_k_call_fields[];

/* Slot 0: jig::TopKControl; slots 1 and 2: candidates; slot 3: records. Where bytes are counted, slot 0:
 * tile states, and slot 1: how many keys come up to each byte. Never shrinks as num_items or k grow. */
enum { TOP_K_CONTROL_SLOT, TOP_K_BITS_SLOT, TOP_K_INDICES_SLOT, TOP_K_RECORDS_SLOT };
temp_layout top_k_temp(const program *p, const plan_limits *limits, const top_k_size *size);

/* The kernel, by its number in the program, of which one block or cluster does it all, or which counts
 * bytes; -1: none does. */
int top_k_single_kernel(const program *p, const plan_limits *limits, const top_k_size *size);

/* Whether bytes are counted, so that the result is in order; and whether the gather kernel writes it. */
bool top_k_counts(const program *p, const plan_limits *limits, const top_k_size *size);
bool top_k_writes_apart(const program *p, const plan_limits *limits, const top_k_size *size);

typedef struct top_k_plan {
  int single_kernel;
  bool counts, writes_apart;
  launch_shape block, sample, pass, select, gather;
  uint64_t capacity; /* candidates */
  /* See jig::TopKCall. */
  uint32_t samples, sure_rank, last_rank;
  bool is_dense;
  uint32_t index_width;
} top_k_plan;
top_k_plan top_k_plan_of(const program *p, const plan_limits *limits, const top_k_size *size);

/* A call of that size and plan, but for what its keys are. */
top_k_call top_k_call_of(const top_k_size *size, const top_k_plan *plan, const temp_layout *temp,
                         void *storage);

#endif
