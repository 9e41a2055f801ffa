// Loads that depend on a predicate, not on a branch, so that several are under way at once.
#pragma once
#include <jig/core/types.cuh>

namespace jig::ptx {

// A word of 1, 2, 4, 8 or 16 bytes of global memory if `is_there`, and otherwise anything.
template <class Word> __device__ Word load_if(uint64_t address, bool is_there) {
  const uint32_t p = is_there;
#define JIG_LOAD_IF(TYPE, TO)                                                                             \
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global." TYPE " %0, [%1]; }" : TO(x) : "l"(address), \
               "r"(p) : "memory")
  if constexpr (sizeof(Word) == 16) {
    Word x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(address), "r"(p) : "memory");
    return x;
  } else if constexpr (sizeof(Word) == 8) {
    uint64_t x;
    JIG_LOAD_IF("u64", "=l");
    return x;
  } else {
    uint32_t x;
    if constexpr (sizeof(Word) == 1) JIG_LOAD_IF("u8", "=r");
    if constexpr (sizeof(Word) == 2) JIG_LOAD_IF("u16", "=r");
    if constexpr (sizeof(Word) == 4) JIG_LOAD_IF("u32", "=r");
    return Word(x);
  }
#undef JIG_LOAD_IF
}

}  // namespace jig::ptx
