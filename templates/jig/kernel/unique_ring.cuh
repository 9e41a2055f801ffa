// Device-wide unique in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/unique.cuh>
#include <jig/kernel/select_ring_chain.cuh>
