// Device-wide unique in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/select/unique.cuh>
#include <jig/kernel/select/select_ring_chain.cuh>
