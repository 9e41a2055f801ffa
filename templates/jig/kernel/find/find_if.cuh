// Device-wide search for the first item that passes a test, in one launch.
#pragma once
#include <jig/agent/find/find.cuh>

namespace jig {

// Whether an item passes: by the caller's predicate, or where there is none as a bool.
template <class Predicate, bool Passing> struct find_test {
  const Predicate &predicate;
  template <class T> __device__ bool operator()(const T &item) const {
    if constexpr (is_same<Predicate, none>) return static_cast<bool>(item) == Passing;
    else return static_cast<bool>(predicate(item)) == Passing;
  }
};

enum find_mode { find_passing, find_failing, find_whether_any, find_whether_all, find_whether_none };

template <class Policy, int Mode, bool AtOnce, class In, class Out, class Predicate>
__device__ void find_if(const In &in, const Out &out, const Predicate &predicate, uint64_t num_items,
                        TileState<uint64_t> *partials, FindHint *hint, uint64_t tag) {
  // All items pass if none is found that does not.
  using Test = find_test<Predicate, Mode != find_failing && Mode != find_whether_all>;
  using Rule = FindRule<In, Test>;
  using Agent = AgentFind<Policy, AtOnce, In, Rule>;
  using Result = typename Out::value_type;
  __shared__ typename Agent::TempStorage storage;
  uint64_t first;
  const Rule rule{{predicate}};
  if (!Agent(storage, in, rule, num_items, hint, tag).Find(first, partials)) return;
  const bool found = first != Agent::nothing;
  if constexpr (Mode == find_whether_any) out.store(0, static_cast<Result>(found));
  else if constexpr (Mode == find_whether_all || Mode == find_whether_none) out.store(0, static_cast<Result>(!found));
  else out.store(0, static_cast<Result>(found ? first : num_items));
}

}  // namespace jig
