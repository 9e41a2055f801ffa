// For the kernels, which come after the user's text: that may have macros of these names.
#pragma once

namespace jig {

template <class Policy> constexpr int policy_threads = Policy::threads;
template <class Policy> constexpr int policy_min_blocks = Policy::min_blocks;

}  // namespace jig
