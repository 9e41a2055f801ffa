// An iterator over T in global memory, with the cache hint of that name.
#pragma once
#include <jig/core/iterator/hinted_pointer.cuh>

namespace jig {

template <class T> using PointerKeep = HintedPointer<ptx::keep_memory, T>;

}  // namespace jig
