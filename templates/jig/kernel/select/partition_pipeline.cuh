// Device-wide partition in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/select/partition.cuh>
#include <jig/kernel/select/select_pipeline_chain.cuh>
