// What stands for the kernels of segments that adjoin where there are none, and nothing launches it.
#pragma once
#include <jig/agent/segmented_scan/segment_work.cuh>

namespace jig {

template <class... Parameters> __device__ void segmented_scan_none(const Parameters &...) {}

}  // namespace jig
