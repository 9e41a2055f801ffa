// Device-wide select in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/select.cuh>
#include <jig/kernel/select_ring_chain.cuh>
