/* What select, unique and the partitions have in common: everything about a call but its spec. */
#ifndef JIG_ALGORITHM_SELECTION_H
#define JIG_ALGORITHM_SELECTION_H

#include "algorithm/call.h"
#include "algorithm/chain.h"
#include "policy/gather.h"
#include "policy/select.h"

/* Which slots are what is selected from, where it goes, flags, and where the counts go; -1: there is no
 * such slot. Every other input and output has an item for each of `in`, or fewer. */
typedef struct selection_slots {
  int in, out, flags, num_selected_out;
} selection_slots;

/* Slots of which several have the same. */
#define SELECTION_FLAGS_SLOT                                                                      \
  {                                                                                               \
    .name = "flags", .use = USE_EQUATED, .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT, \
    .places = {"flags"},                                                                          \
    .help = "a flag for each item, which op tests; without op, those that are not 0 select",      \
    .option = "flags"                                                                             \
  }
#define SELECTION_TEST_SLOT                                                                             \
  {                                                                                                     \
    .name = "op", .kind = SLOT_OP, .optional = true, .arity = 1, .over = {"flags", "in"}, .test = true, \
    .help = "whether x, a flag, or an item if there are none, is selected", .option = "op"              \
  }
#define SELECTION_COUNTS_SLOT(help_)                                                        \
  {                                                                                         \
    .name = "num_selected_out", .use = USE_COUNTED, .kind = SLOT_ITER, .role = ITER_OUTPUT, \
    .help = (help_), .usually = "i64", .option = "count-type"                               \
  }

/* What is bound for a call. */
typedef struct selection {
  spec s;
  selection_slots at;
  uint64_t num_items;
  const uint64_t *num_items_in; /* or NULL */
  unsigned classes;             /* of selected items: how many counts there are */
  bool fills_out;               /* whether an item of slot `out` is stored for every one of `in` */
  /* Whether `out` may be `in`: the kernels then take CHAIN_IN_PLACE, which says whether it is. NULL: it
   * may not. */
  bool (*may_be_in_place)(const jig_iter *in, const jig_iter *out, uint64_t num_items);
  chain_size size; /* once prepared */
  unsigned kept;   /* outputs of which there are places: see kept_places */
  int kept_slot;   /* of the temp storage, for these */
  jig_iter copy;   /* of `in`, where that is overwritten too soon */
} selection;

/* Of items that are too large for registers the chain's kernels keep the places, and one behind them
 * gathers these items: jig::KeptPlaces, a kernel parameter. */
typedef struct kept_places {
  void *counts, *lists; /* counts of selected items of each class; lists of places */
  uint64_t room;        /* of a list */
} kept_places;
extern const parameter_field kept_places_fields[];

/* What all kernels take beside iterators and operators. */
typedef struct selection_values {
  chain_values chain; /* first, as chain_launch() finds it there */
  kept_places kept;
} selection_values;

/* The kernels: those of the chain, and one more: that one, which only such items have, or a single wave
 * of more rows, for others in memory. */
enum { SELECTION_GATHER = CHAIN_ALL_KERNELS, SELECTION_LONG_WAVE = SELECTION_GATHER, SELECTION_KERNELS };
int selection_count_kernels(const spec *s);

/* Which function a kernel calls, of the templates that all kernels of an algorithm share: `chain_` is how
 * its blocks hand on what they have counted. */
#define SELECTION_FUNCTION(algorithm_, chain_) "jig::" #algorithm_ "<jig_policy, jig::" chain_ ">"
#define SELECTION_KEEPING(chain_, classes_) "KeepingChain<jig::" chain_ "<" SELECTION_STATE(classes_) ">>"
#define SELECTION_KEPT STRUCT_PARAMETER(selection_values, kept, "jig::KeptPlaces", kept_places_fields)
#define SELECTION_STATE(classes_) "jig::class_counts<" #classes_ ">"

/* The kernels of one of them and its row, from its `slots` and `check`, its number of classes, and the
 * parameters that its kernels take before those of every chain: the templates' names follow its own. */
#define SELECTION_ALGORITHM(algorithm_, classes_, ...)                                                   \
  static const kernel_parameter single_wave_parameters[] = {__VA_ARGS__, SELECTION_KEPT,                 \
                                                            CHAIN_SINGLE_WAVE_PARAMETERS};               \
  static const kernel_parameter cluster_parameters[] = {__VA_ARGS__, SELECTION_KEPT,                     \
                                                        CHAIN_CLUSTER_PARAMETERS};                       \
  static const kernel_parameter lookback_parameters[] = {                                                \
      __VA_ARGS__, SELECTION_KEPT, CHAIN_LOOKBACK_PARAMETERS(SELECTION_STATE(classes_))};                \
  static const kernel_parameter pipeline_parameters[] = {__VA_ARGS__, CHAIN_PIPELINE_PARAMETERS};        \
  static const kernel_parameter gather_parameters[] = {__VA_ARGS__, SELECTION_KEPT, {PARAMETERS_END}};   \
  static const kernel_row pipeline = {                                                                   \
      .name = "jig_" #algorithm_ "_pipeline",                                                            \
      .templates = "jig/kernel/select/" #algorithm_ "_pipeline.cuh",                                     \
      .function = SELECTION_FUNCTION(algorithm_, "PipelineChain<" SELECTION_STATE(classes_) ">"),        \
      .parameters = pipeline_parameters,                                                                 \
      .space = &select_pipeline_space,                                                                   \
      .fits = select_pipeline_fits};                                                                     \
  static const kernel_row long_wave = {                                                                  \
      .name = "jig_" #algorithm_ "_long_wave",                                                           \
      .templates = "jig/kernel/select/" #algorithm_ ".cuh",                                              \
      .function = SELECTION_FUNCTION(algorithm_, SELECTION_KEEPING("SingleWaveChain", classes_)),        \
      .parameters = single_wave_parameters,                                                              \
      .space = &select_long_wave_space,                                                                  \
      .fits = select_has_long_wave};                                                                     \
  static const kernel_row kernels[] = {                                                                  \
      [CHAIN_SINGLE_WAVE] = {.name = "jig_" #algorithm_ "_single_wave",                                  \
                             .templates = "jig/kernel/select/" #algorithm_ ".cuh",                       \
                             .function = SELECTION_FUNCTION(                                             \
                                 algorithm_, SELECTION_KEEPING("SingleWaveChain", classes_)),            \
                             .parameters = single_wave_parameters,                                       \
                             .space = &select_single_wave_space},                                        \
      [CHAIN_LARGE] = {.name = "jig_" #algorithm_ "_lookback",                                           \
                       .templates = "jig/kernel/select/" #algorithm_ ".cuh",                             \
                       .function =                                                                       \
                           SELECTION_FUNCTION(algorithm_, SELECTION_KEEPING("LookbackChain", classes_)), \
                       .parameters = lookback_parameters,                                                \
                       .space = &select_lookback_space,                                                  \
                       .instead = &pipeline},                                                            \
      [CHAIN_CLUSTER] = {.name = "jig_" #algorithm_ "_cluster",                                          \
                         .templates = "jig/kernel/select/" #algorithm_ ".cuh",                           \
                         .function = SELECTION_FUNCTION(algorithm_,                                      \
                                                        SELECTION_KEEPING("ClusterChain", classes_)),    \
                         .parameters = cluster_parameters,                                               \
                         .space = &select_cluster_space},                                                \
      [SELECTION_GATHER] = {.name = "jig_" #algorithm_ "_gather",                                        \
                            .templates = "jig/kernel/select/" #algorithm_ ".cuh",                        \
                            .function = SELECTION_FUNCTION(algorithm_, "GatherKept"),                    \
                            .parameters = gather_parameters,                                             \
                            .space = &gather_space,                                                      \
                            .instead = (classes_) == 1 ? &long_wave : NULL},                             \
  };                                                                                                     \
  const algorithm algorithm_##_algorithm = {                                                             \
      .schema = {.algorithm = #algorithm_, .slots = slots, .slot_count = SLOTS, .check = check},         \
      .args = &layout_of_jig_##algorithm_##_args,                                                        \
      .kernels = kernels,                                                                                \
      .kernel_count = SELECTION_KERNELS,                                                                 \
      .count_kernels = selection_count_kernels,                                                          \
  }

/* The first thing in bind: no slot is filled, there is one class, and nothing may be in place. */
void selection_begin(selection *sel, const spec_schema *schema, selection_slots at, uint64_t num_items,
                     const uint64_t *num_items_in);

/* The steps behind it, see call.h. */
jig_status selection_prepare(call *c, void *bound, temp_layout *temp);
jig_status selection_launch(call *c, void *bound, const temp_layout *temp);

/* For the specs' own checks. Whether there is something to tell by, in slots `op` and `flags`. */
jig_status selection_check_tests(const spec *s);
/* Whether counts can be stored in that slot. */
jig_status selection_check_counts(const spec *s);
/* Whether a slot's items, if it is filled, can be stored in another one's. */
jig_status selection_check_stored(const spec *s, const char *from, const char *to);

#endif
