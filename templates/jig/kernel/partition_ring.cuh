// Device-wide partition in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/partition.cuh>
#include <jig/kernel/select_ring_chain.cuh>
