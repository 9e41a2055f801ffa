// Device-wide partition by the item of some rank, in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/nth_element/nth_element.cuh>
#include <jig/kernel/select/select_pipeline_chain.cuh>
