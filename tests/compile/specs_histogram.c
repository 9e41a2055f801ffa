/* Histogram: samples and levels of every kind and size, channels, counters, iterators. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add(jig_iter samples, jig_type level, jig_histogram_bins bins, jig_type counter,
                unsigned channels, unsigned active) {
  char *text = NULL;
  (void)jig_histogram_spec(&(jig_histogram_args){.samples = samples,
                                                 .counter_type = counter,
                                                 .level_type = level,
                                                 .bins = bins,
                                                 .num_channels = channels,
                                                 .num_active_channels = active},
                           &text);
  specs_add(text, false);
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_BOOL, JIG_KIND_I8,   JIG_KIND_U16, JIG_KIND_I32,
                                        JIG_KIND_U64,  JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};
  static const jig_type_kind counters[] = {JIG_KIND_I8, JIG_KIND_U16, JIG_KIND_I128};
  const jig_iter words = jig_pointer(NULL, JIG_U32), floats = jig_pointer(NULL, JIG_F16);
  const jig_iter wides = jig_pointer(NULL, JIG_I128), unsigned_wides = jig_pointer(NULL, JIG_U128);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter samples = jig_pointer(NULL, type_of(kinds[k]));
    add(samples, JIG_I64, JIG_HISTOGRAM_EVEN, JIG_U32, 1, 1);
    add(samples, JIG_I64, JIG_HISTOGRAM_RANGE, JIG_U64, 1, 1);
    add(samples, JIG_F32, JIG_HISTOGRAM_EVEN, JIG_U64, 4, 3);
    add(samples, JIG_F64, JIG_HISTOGRAM_RANGE, JIG_U32, 3, 3);
  }
  for (size_t k = 0; k < COUNT_OF(counters); ++k) {
    add(words, JIG_U32, JIG_HISTOGRAM_EVEN, type_of(counters[k]), 1, 1);
    add(floats, JIG_F32, JIG_HISTOGRAM_RANGE, type_of(counters[k]), 4, 3);
  }
  add(wides, JIG_U128, JIG_HISTOGRAM_EVEN, JIG_U64, 3, 3);
  add(wides, JIG_U128, JIG_HISTOGRAM_RANGE, JIG_U32, 2, 2);
  add(unsigned_wides, JIG_I64, JIG_HISTOGRAM_EVEN, JIG_U16, 4, 4);
  add(unsigned_wides, JIG_F64, JIG_HISTOGRAM_RANGE, JIG_U32, 1, 1);
  add(words, JIG_I128, JIG_HISTOGRAM_EVEN, JIG_U32, 4, 4);
  add(words, JIG_I128, JIG_HISTOGRAM_RANGE, JIG_U32, 4, 4);
  specs_go(0);
  add(wides, JIG_I128, JIG_HISTOGRAM_EVEN, JIG_U32, 1, 1);
  add(wides, JIG_I128, JIG_HISTOGRAM_RANGE, JIG_U32, 1, 1);
  add(words, JIG_U32, JIG_HISTOGRAM_EVEN, JIG_U32, 2, 2);
  add(floats, JIG_F16, JIG_HISTOGRAM_RANGE, JIG_U32, 4, 4);
  add(jig_counting(NULL, JIG_I64), JIG_I64, JIG_HISTOGRAM_EVEN, JIG_I64, 3, 1);
  add(jig_iter_transform(&words, jig_op_source("return x * 0.5f;"), JIG_F32), JIG_F32, JIG_HISTOGRAM_EVEN,
      JIG_U32, 1, 1);
}

const specs_family specs_histogram = {add_all};
