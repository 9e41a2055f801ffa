// What stands for the kernel of segments that adjoin where that is none of its own, and nothing launches it.
#pragma once
#include <jig/agent/segmented_scan/segment_work.cuh>

namespace jig {

template <class... Parameters> __device__ void segmented_scan_none(const Parameters &...) {}

}  // namespace jig
