// An iterator over T in global memory, with the cache hint of that name.
#pragma once
#include <jig/core/iterator/hinted_pointer.cuh>

namespace jig {

template <class T> using PointerGlobal = HintedPointer<ptx::global_memory, T>;

}  // namespace jig
