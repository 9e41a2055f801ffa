// Segmented top-k: one launch in which warps find the results of short segments and list the others, and one for
// these; or only one of both, if all segments have one size.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>
#include <jig/kernel/top_k/top_k.cuh>
