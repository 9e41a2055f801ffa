// What the kernels of a device-wide scan share.
#pragma once
#include <jig/agent/scan/scan_tile.cuh>

namespace jig {

// The initial value is item 0 of an iterator, so that it may be given by value or lie in memory. An
// exclusive scan always has one, as scan_start() says if no other is given.
template <class Accum, class Op, bool Inclusive, class Init>
__device__ optional<Accum> initial_value(const Init &init) {
  if constexpr (!is_same<Init, none>) return {true, static_cast<Accum>(init[0])};
  else if constexpr (Inclusive) return {false, Accum{}};
  else return {true, scan_start<Op, Accum>()};
}

}  // namespace jig
