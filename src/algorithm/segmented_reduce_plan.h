/* What segmented reduce and segmented arg-reduce share: how segments and items are spread over the GPU,
 * and the temp storage that takes. */
#ifndef JIG_ALGORITHM_SEGMENTED_REDUCE_PLAN_H
#define JIG_ALGORITHM_SEGMENTED_REDUCE_PLAN_H

#include "algorithm/call.h"
#include "jit/algorithm.h"
#include "policy/segmented_reduce.h"

/* The kernels of a program: for segments of any lengths; one before it, that finds out where segments
 * begin which lie anywhere; one in the place of both, for few segments; and for so few that each has a
 * block. Where offsets can say that segments adjoin, the first and the third are for those that do, and
 * others have the next two; and, of a reduce of small items, for some more blocks, and for halves of
 * blocks. */
enum {
  SEGMENTED_REDUCE_ANY,
  SEGMENTED_REDUCE_STARTS,
  SEGMENTED_REDUCE_FEW,
  SEGMENTED_REDUCE_BLOCKS,
  SEGMENTED_REDUCE_APART,
  SEGMENTED_REDUCE_FEW_APART,
  SEGMENTED_REDUCE_MORE_BLOCKS,
  SEGMENTED_REDUCE_HALF_BLOCKS,
  SEGMENTED_REDUCE_KERNELS
};

/* Without offsets, after the first one: for small segments, whose lanes load single items, or vectors, or
 * that have one or two; and for many large ones, whose parts are blocks, where there is that. */
enum {
  SEGMENTED_REDUCE_ITEMS = SEGMENTED_REDUCE_ANY + 1,
  SEGMENTED_REDUCE_VECTORS,
  SEGMENTED_REDUCE_TINY,
  SEGMENTED_REDUCE_PARTS
};

/* A kernel parameter; jig::SegmentedReduceCall in device code. */
typedef struct segmented_reduce_call {
  uint64_t *starts;
  uint64_t num_segments, segment_size, least_share, part_items;
  int32_t parts, lanes, tiny_vectors;
  uint64_t tag;
  const uint64_t *num_segments_in; /* or NULL */
} segmented_reduce_call;
extern const parameter_field segmented_reduce_call_fields[];

/* The segments of a call, as its args tell them. */
typedef struct segment_args {
  const jig_iter *in, *begin_offsets, *end_offsets;
  uint64_t num_segments, segment_size;
  const uint64_t *num_segments_in; /* or NULL */
} segment_args;

/* What the kernels take beside iterators and the operator. */
typedef struct segmented_reduce_values {
  segmented_reduce_call call;
  void *partials, *sums;
  const void *init; /* of a reduce */
} segmented_reduce_values;

/* Of an algorithm with a slot NUM_SEGMENTS_IN; SEGMENTS_COUNTED for functions that ask whether it is
 * filled. */
#define SEGMENTED_REDUCE_PARAMETER                                                    \
  COUNTED_STRUCT_PARAMETER(segmented_reduce_values, call, "jig::SegmentedReduceCall", \
                           segmented_reduce_call_fields, num_segments, NUM_SEGMENTS_IN)
#define SEGMENTS_COUNTED "jig_num_segments_in != 0"
/* The kernel that finds out where segments begin; `begins_` and `ends_` are the slots of offsets. */
#define SEGMENT_STARTS_PARAMETERS(begins_, ends_)                             \
  SLOT_PARAMETER(begins_), SLOT_PARAMETER(ends_), SEGMENTED_REDUCE_PARAMETER, \
      VALUE_PARAMETER(segmented_reduce_values, sums, "jig::TileState<uint64_t> *")
#define SEGMENT_STARTS_KERNEL(name_, parameters_, instead_)                                     \
  {                                                                                             \
    .name = (name_), .templates = "jig/kernel/segmented_reduce/segmented_reduce_starts.cuh",    \
    .function = "jig::segmented_reduce_starts<jig_policy, " SEGMENTS_COUNTED ">",               \
    .parameters = (parameters_), .space = &segmented_reduce_starts_space, .instead = (instead_) \
  }

typedef struct segmented_reduce_plan {
  unsigned blocks, starts_blocks; /* the latter 0: segments adjoin */
  uint64_t groups_blocks;         /* if not 0, these do everything */
  bool adjoins;
  int kernel;                     /* the one that comes last */
  segmented_reduce_values values; /* but for pointers and tag */
  temp_layout temp;
} segmented_reduce_plan;

#define SEGMENT_BEGIN_SLOT                                                                    \
  {                                                                                           \
    .name = "begin_offsets", .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT,         \
    .help = "where each segment begins; left out, segments are of one size", .usually = "i64" \
  }
#define SEGMENT_END_SLOT                                                            \
  {                                                                                 \
    .name = "end_offsets", .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT, \
    .help = "where each segment ends", .like = "begin_offsets", .follows = true     \
  }

/* Whether a spec has no offsets, or such that cannot say that segments adjoin; for a kernel_row's `fits`.
 */
bool segmented_reduce_is_fixed(const spec *s, int sm);
bool segmented_reduce_is_apart(const spec *s, int sm);

/* How many kernels a spec has; for an algorithm's `count_kernels`. */
int segmented_reduce_count_kernels(const spec *s);

/* Whether offsets are given as they have to be: both or none, integers. */
jig_status segmented_reduce_check_spec(const spec *s);

/* Whether not both offsets and a size are given. */
jig_status segmented_reduce_check_args(const char *name, const segment_args *args);

/* Plans a call whose accumulators have so many bytes, and checks its counts. The temp storage never
 * shrinks as num_segments grows. */
jig_status segmented_reduce_prepare(call *c, const segment_args *args, size_t accum_bytes,
                                    segmented_reduce_plan *plan);

/* Whether segments are somewhere, and outputs, NULL or one for each segment, apart from what is read. */
jig_status segmented_reduce_check_values(const call *c, const segment_args *args, const jig_iter *out,
                                         const char *out_name);

/* Launches what is planned. */
jig_status segmented_reduce_launch(call *c, segmented_reduce_plan *plan);

#endif
