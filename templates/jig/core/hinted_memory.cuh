// Memory that is loaded and stored with a cache hint.
#pragma once
#include <jig/core/types.cuh>

namespace jig::ptx {

// ---- loads and stores with a cache hint, of words of 1, 2, 4, 8 and 16 bytes

#define JIG_HINTED_LOADS(HINT)                                                                         \
  static __device__ uint8_t load(const uint8_t *from) {                                                \
    uint32_t x;                                                                                        \
    asm volatile("ld.global" HINT ".u8 %0, [%1];" : "=r"(x) : "l"(from));                              \
    return uint8_t(x);                                                                                 \
  }                                                                                                    \
  static __device__ uint16_t load(const uint16_t *from) {                                              \
    uint16_t x;                                                                                        \
    asm volatile("ld.global" HINT ".u16 %0, [%1];" : "=h"(x) : "l"(from));                             \
    return x;                                                                                          \
  }                                                                                                    \
  static __device__ uint32_t load(const uint32_t *from) {                                              \
    uint32_t x;                                                                                        \
    asm volatile("ld.global" HINT ".u32 %0, [%1];" : "=r"(x) : "l"(from));                             \
    return x;                                                                                          \
  }                                                                                                    \
  static __device__ uint64_t load(const uint64_t *from) {                                              \
    uint64_t x;                                                                                        \
    asm volatile("ld.global" HINT ".u64 %0, [%1];" : "=l"(x) : "l"(from));                             \
    return x;                                                                                          \
  }                                                                                                    \
  static __device__ uint2 load(const uint2 *from) {                                                    \
    uint2 x;                                                                                           \
    asm volatile("ld.global" HINT ".v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "l"(from));       \
    return x;                                                                                          \
  }                                                                                                    \
  static __device__ uint4 load(const uint4 *from) {                                                    \
    uint4 x;                                                                                           \
    asm volatile("ld.global" HINT ".v4.u32 {%0, %1, %2, %3}, [%4];"                                    \
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)                                          \
                 : "l"(from));                                                                         \
    return x;                                                                                          \
  }
#define JIG_HINTED_STORES(HINT)                                                                        \
  static __device__ void store(uint8_t *to, uint8_t x) {                                               \
    asm volatile("st.global" HINT ".u8 [%0], %1;" ::"l"(to), "r"(uint32_t(x)) : "memory");             \
  }                                                                                                    \
  static __device__ void store(uint16_t *to, uint16_t x) {                                             \
    asm volatile("st.global" HINT ".u16 [%0], %1;" ::"l"(to), "h"(x) : "memory");                      \
  }                                                                                                    \
  static __device__ void store(uint32_t *to, uint32_t x) {                                             \
    asm volatile("st.global" HINT ".u32 [%0], %1;" ::"l"(to), "r"(x) : "memory");                      \
  }                                                                                                    \
  static __device__ void store(uint64_t *to, uint64_t x) {                                             \
    asm volatile("st.global" HINT ".u64 [%0], %1;" ::"l"(to), "l"(x) : "memory");                      \
  }                                                                                                    \
  static __device__ void store(uint2 *to, uint2 x) {                                                   \
    asm volatile("st.global" HINT ".v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(x.x), "r"(x.y) : "memory"); \
  }                                                                                                    \
  static __device__ void store(uint4 *to, uint4 x) {                                                   \
    asm volatile("st.global" HINT ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x.x), "r"(x.y),     \
                 "r"(x.z), "r"(x.w)                                                                    \
                 : "memory");                                                                          \
  }

struct streaming_memory {
  JIG_HINTED_LOADS(".cs")
  JIG_HINTED_STORES(".cs")
};
struct global_memory {
  JIG_HINTED_LOADS(".cg")
  JIG_HINTED_STORES(".cg")
};
struct keep_memory {
  JIG_HINTED_LOADS(".L1::evict_last")
  JIG_HINTED_STORES(".L1::evict_last")
};
struct read_only_memory {
  JIG_HINTED_LOADS(".nc")
};
struct last_use_memory {
  JIG_HINTED_LOADS(".lu")
};
struct write_through_memory {
  JIG_HINTED_STORES(".wt")
};
#undef JIG_HINTED_LOADS
#undef JIG_HINTED_STORES

}  // namespace jig::ptx
