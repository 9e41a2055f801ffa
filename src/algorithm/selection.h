/* What select, unique and the partitions have in common: everything about a call but its spec. */
#ifndef JIG_ALGORITHM_SELECTION_H
#define JIG_ALGORITHM_SELECTION_H

#include "algorithm/call.h"
#include "algorithm/chain.h"
#include "policy/select.h"

/* A described call. Slot `in` is what is selected from, `num_selected_out` where the counts go; every
 * other input and output has an item for each of `in`, or fewer. */
typedef struct selection {
  const spec *s;
  const int *parameters; /* the slots in the order in which the kernels take them, ending with -1 */
  uint64_t num_items;
  unsigned classes; /* of selected items: how many counts there are */
  bool fills_out;   /* whether an item of slot `out` is stored for every one of `in` */
  /* Whether `out` may be `in`: the kernels then take an int after num_items that says whether it is. */
  bool (*may_be_in_place)(const jig_iter *in, const jig_iter *out, uint64_t num_items);
} selection;

/* The kernels of one of them and its row, from its `slots` and `check`: the templates' names follow its
 * own. */
#define SELECTION_ALGORITHM(algorithm_)                                                          \
  static const kernel_row ring = {.name = "jig_" #algorithm_ "_ring",                            \
                                  .templates = "jig/kernel/select/" #algorithm_ "_ring.cuh",     \
                                  .entry = "jig/kernel/select/" #algorithm_ "_ring_entry.cuh",   \
                                  .choose_policy = select_ring_policy,                           \
                                  .fits = select_ring_fits};                                     \
  static const kernel_row kernels[] = {                                                          \
      [CHAIN_WAVE] = {.name = "jig_" #algorithm_ "_wave",                                        \
                      .templates = "jig/kernel/select/" #algorithm_ ".cuh",                      \
                      .entry = "jig/kernel/select/" #algorithm_ "_wave_entry.cuh",               \
                      .choose_policy = select_wave_policy},                                      \
      [CHAIN_LARGE] = {.name = "jig_" #algorithm_ "_lookback",                                   \
                       .templates = "jig/kernel/select/" #algorithm_ ".cuh",                     \
                       .entry = "jig/kernel/select/" #algorithm_ "_lookback_entry.cuh",          \
                       .choose_policy = select_lookback_policy,                                  \
                       .instead = &ring},                                                        \
  };                                                                                             \
  const algorithm algorithm_##_algorithm = {                                                     \
      .schema = {.algorithm = #algorithm_, .slots = slots, .slot_count = SLOTS, .check = check}, \
      .kernels = kernels,                                                                        \
      .kernel_count = CHAIN_KERNELS,                                                             \
  }

/* Program, temp storage, checks and launch. */
jig_status selection_run(call *c, const selection *sel);

/* For the specs' own checks. Whether there is something to tell by, in slots `op` and `flags`. */
jig_status selection_check_tests(const spec *s);
/* Whether counts can be stored in that slot. */
jig_status selection_check_counts(const spec *s);
/* Whether a slot's items, if it is filled, can be stored in another one's. */
jig_status selection_check_stored(const spec *s, const char *from, const char *to);

#endif
