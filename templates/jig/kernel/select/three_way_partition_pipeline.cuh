// Device-wide partition into three outputs in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/select/select_pipeline_chain.cuh>
#include <jig/kernel/select/three_way_partition.cuh>
