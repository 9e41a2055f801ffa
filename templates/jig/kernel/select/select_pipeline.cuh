// Device-wide select in one launch of a block for each multiprocessor.
#pragma once
#include <jig/kernel/select/select.cuh>
#include <jig/kernel/select/select_pipeline_chain.cuh>
