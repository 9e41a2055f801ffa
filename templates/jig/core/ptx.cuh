// Every PTX instruction jig uses directly, behind a named function. Semantics: PTX ISA, the section
// named after the instruction.
#pragma once
#include <jig/core/types.cuh>

namespace jig { namespace ptx {

__device__ inline uint32_t lane_id() {
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// Replaces word by that of the lane `delta` below, within segments of `width` lanes (a power of two); false,
// and word is as it was, where that would come before lane `first` of the segment. Each lane may say another.
__device__ inline bool shuffle_up(uint32_t &word, int delta, int width, uint32_t member_mask, int first) {
  uint32_t exists;
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %0, %2, %3, %4; selp.u32 %1, 1, 0, p; }"
               : "+r"(word), "=r"(exists)
               : "r"(delta), "r"((warp_threads - width) << 8 | first), "r"(member_mask));
  return exists;
}

// The same of the lane `delta` above; false past the segment's end, or past its lane `last`.
__device__ inline bool shuffle_down(uint32_t &word, int delta, int width, uint32_t member_mask,
                                    int last = warp_threads - 1) {
  uint32_t exists;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %0, %2, %3, %4; selp.u32 %1, 1, 0, p; }"
               : "+r"(word), "=r"(exists)
               : "r"(delta), "r"((warp_threads - width) << 8 | last), "r"(member_mask));
  return exists;
}

// x and that of the lane `delta` below, added where there is one as with shuffle_up(): one instruction after the
// shuffle, where a compiler would first choose between the two and then add.
__device__ inline uint32_t shuffle_up_add(uint32_t x, int delta, int width, uint32_t member_mask, int first) {
  asm volatile("{ .reg .pred p; .reg .u32 t; shfl.sync.up.b32 t|p, %0, %1, %2, %3; @p add.u32 %0, t, %0; }"
               : "+r"(x) : "r"(delta), "r"((warp_threads - width) << 8 | first), "r"(member_mask));
  return x;
}
__device__ inline float shuffle_up_add(float x, int delta, int width, uint32_t member_mask, int first) {
  asm volatile("{ .reg .pred p; .reg .f32 t; shfl.sync.up.b32 t|p, %0, %1, %2, %3; @p add.rn.f32 %0, t, %0; }"
               : "+f"(x) : "r"(delta), "r"((warp_threads - width) << 8 | first), "r"(member_mask));
  return x;
}

// The same with that of the lane `delta` above. Where there is none the shuffle brings x itself, to which nothing is
// added: who needs x afterwards saves an instruction, while a scan, which does not, is faster as it is.
__device__ inline uint32_t shuffle_down_add(uint32_t x, int delta, int width, uint32_t member_mask, int last) {
  uint32_t sum;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, %2, %3, %4; @p add.u32 %0, %1, %0; }"
               : "=&r"(sum) : "r"(x), "r"(delta), "r"((warp_threads - width) << 8 | last), "r"(member_mask));
  return sum;
}
__device__ inline float shuffle_down_add(float x, int delta, int width, uint32_t member_mask, int last) {
  float sum;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, %2, %3, %4; @p add.rn.f32 %0, %1, %0; }"
               : "=&f"(sum) : "f"(x), "r"(delta), "r"((warp_threads - width) << 8 | last), "r"(member_mask));
  return sum;
}

// Which of these lanes have the same bit of `word` as this one, by one ballot: four instructions, of which a compiler
// makes seven.
__device__ inline uint32_t lanes_alike(uint32_t word, int bit, uint32_t lanes) {
  uint32_t alike;
  asm volatile("{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, %3; "
               "@!p not.b32 %0, %0; }"
               : "=&r"(alike) : "r"(word), "r"(1u << bit), "r"(lanes));
  return alike;
}

// Where something in shared memory lies there.
__device__ inline uint32_t shared_address(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }

// The same; what is computed from it takes one instruction, while the compiler would rather compute the
// whole address anew wherever it is used.
__device__ inline uint32_t kept_shared_address(const void *p) {
  uint32_t address = shared_address(p);
  asm("" : "+r"(address));
  return address;
}

// The lesser number; the compiler, which looks into what indices are made of, takes less time with many such.
__device__ inline int kept_min(int a, int b) {
  int least;
  asm("min.s32 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
  return least;
}

// A number that the compiler takes for another one each time, so that it keeps nothing that follows from it.
__device__ inline uint64_t not_kept(uint64_t number) {
  asm volatile("" : "+l"(number));
  return number;
}

template <class T> __device__ T &shared_at(uint32_t address) {
  return *static_cast<T *>(__cvta_shared_to_generic(address));
}

// Waits until the grids this one depends on have completed and their writes are visible
// (griddepcontrol.wait); nothing to wait for when the launch was an ordinary one.
__device__ inline void wait_for_prerequisite_grids() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next grid start that is launched as a dependent of this one (griddepcontrol.launch_dependents); it
// still waits for this one's completion before it reads what this one writes.
__device__ inline void launch_dependent_grids() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// A barrier for `threads` threads of the block: another one than __syncthreads(), which is 0. As there, a warp comes to
// it as a whole. Without `.aligned` there would be a second copy for warps that are not, which costs code, and which
// warps would meet with others at the first one.
__device__ inline void sync_threads(int barrier, int threads) {
  asm volatile("barrier.sync.aligned %0, %1;" :: "r"(barrier), "r"(threads) : "memory");
}

// The same; whether `x` holds for any of them.
__device__ inline bool sync_threads_or(int barrier, int threads, bool x) {
  uint32_t any;
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %3, 0; barrier.red.or.aligned.pred q, %1, %2, p; "
               "selp.u32 %0, 1, 0, q; }"
               : "=r"(any) : "r"(barrier), "r"(threads), "r"(uint32_t(x)) : "memory");
  return any;
}

// The lanes below this one.
__device__ inline uint32_t lanes_below() {
  uint32_t mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// This block's place in its cluster, and how many blocks that has; before SM 90 there is none but the block.
__device__ inline uint32_t cluster_block_rank() {
  uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}
__device__ inline uint32_t cluster_blocks() {
  uint32_t blocks = 1;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#endif
  return blocks;
}

// The barrier of all threads of a cluster: releases what they have written, and acquires that.
__device__ inline void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#endif
}
// Of threads that have written nothing for others.
__device__ inline void cluster_arrive_relaxed() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
}
__device__ inline void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// Where something in shared memory is in another block of the cluster.
template <class T> __device__ T *cluster_address(T *mine, uint32_t rank) {
#if __CUDA_ARCH__ >= 900
  asm("mapa.u64 %0, %0, %1;" : "+l"(mine) : "r"(rank));
#endif
  return mine;
}

// Stores a word in another block's shared memory, where a barrier counts its bytes (mbarrier_arrive_expect()); who
// waits for that sees it. Both are addresses of this block's.
__device__ inline void cluster_send(uint32_t address, uint32_t word, uint32_t barrier, uint32_t rank) {
#if __CUDA_ARCH__ >= 900
  asm volatile("{ .reg .b32 a, b; mapa.shared::cluster.u32 a, %0, %3; mapa.shared::cluster.u32 b, %2, %3; "
               "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], %1, [b]; }"
               :: "r"(address), "r"(word), "r"(barrier), "r"(rank) : "memory");
#endif
}

// Some bits of a word that is rotated right, and others turned round: (word >>> shift & mask) ^ flip.
__device__ inline uint32_t take_bits(uint32_t word, uint32_t shift, uint32_t mask, uint32_t flip) {
  uint32_t bits;
  asm("{ .reg .b32 t; shf.r.wrap.b32 t, %1, %1, %2; lop3.b32 %0, t, %3, %4, 0x6a; }"
      : "=r"(bits) : "r"(word), "r"(shift), "r"(mask), "r"(flip));
  return bits;
}

// Adds to a word in shared memory; the second: what was there before. They stay in order.
__device__ inline void add_shared(uint32_t address, uint32_t value) {
  asm volatile("red.relaxed.cta.shared.add.u32 [%0], %1;" :: "r"(address), "r"(value) : "memory");
}
__device__ inline void or_shared(uint32_t address, uint32_t bits) {
  asm volatile("red.relaxed.cta.shared.or.b32 [%0], %1;" :: "r"(address), "r"(bits) : "memory");
}
__device__ inline uint32_t fetch_add_shared(uint32_t address, uint32_t value) {
  uint32_t before;
  asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
               : "=r"(before) : "r"(address), "r"(value) : "memory");
  return before;
}

// How many multiprocessors the GPU has, or some more.
__device__ inline unsigned multiprocessors() {
  unsigned count;
  asm("mov.u32 %0, %%nsmid;" : "=r"(count));
  return count;
}

// Nanoseconds since some time.
__device__ inline uint64_t time_ns() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// Two 8-byte words at a 16-byte aligned address; each is single-copy atomic at GPU scope.
__device__ inline void store_relaxed_gpu(uint64_t *address, uint64_t first, uint64_t second) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
               :: "l"(__cvta_generic_to_global(address)), "l"(first), "l"(second) : "memory");
}

// What this thread has written or seen comes before what it writes next, for all of the GPU: less than
// __threadfence(), which puts all fences in one order.
__device__ inline void fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Loads two words that a writer has written behind a fence: what is read or changed after that is no older.
__device__ inline void load_acquire_gpu(const uint64_t *address, uint64_t &first, uint64_t &second) {
  asm volatile("ld.acquire.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(first), "=l"(second) : "l"(__cvta_generic_to_global(address)) : "memory");
}

__device__ inline void load_relaxed_gpu(const uint64_t *address, uint64_t &first, uint64_t &second) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(first), "=l"(second) : "l"(__cvta_generic_to_global(address)) : "memory");
}

// A word that is single-copy atomic at GPU scope.
__device__ inline void store_relaxed_gpu(uint32_t *address, uint32_t word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
               :: "l"(__cvta_generic_to_global(address)), "r"(word) : "memory");
}
__device__ inline uint32_t load_relaxed_gpu(const uint32_t *address) {
  uint32_t word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(word) : "l"(__cvta_generic_to_global(address)) : "memory");
  return word;
}
__device__ inline uint64_t load_relaxed_gpu(const uint64_t *address) {
  uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(word) : "l"(__cvta_generic_to_global(address)) : "memory");
  return word;
}
__device__ inline void store_relaxed_gpu(uint64_t *address, uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
               :: "l"(__cvta_generic_to_global(address)), "l"(word) : "memory");
}
// Nothing comes back: of an atomicAdd() whose result nobody takes the compiler makes that only in code without fences.
__device__ inline void add_relaxed_gpu(uint32_t *address, uint32_t value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;"
               :: "l"(__cvta_generic_to_global(address)), "r"(value) : "memory");
}
__device__ inline void add_relaxed_gpu(uint64_t *address, uint64_t value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;"
               :: "l"(__cvta_generic_to_global(address)), "l"(value) : "memory");
}

// Puts a value there; what was there before.
__device__ inline uint32_t exchange_relaxed_gpu(uint32_t *address, uint32_t value) {
  uint32_t before;
  asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;"
               : "=r"(before) : "l"(__cvta_generic_to_global(address)), "r"(value) : "memory");
  return before;
}

// Adds one; what was there before.
__device__ inline uint32_t count_relaxed_gpu(uint32_t *address) {
  uint32_t before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before) : "l"(__cvta_generic_to_global(address)) : "memory");
  return before;
}

// Sets bits of a word; what was there before.
__device__ inline uint32_t fetch_or_relaxed_gpu(uint32_t *address, uint32_t bits) {
  uint32_t before;
  asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], %2;"
               : "=r"(before) : "l"(__cvta_generic_to_global(address)), "r"(bits) : "memory");
  return before;
}

// Adds to a word; what was there before.
__device__ inline uint32_t fetch_add_relaxed_gpu(uint32_t *address, uint32_t value) {
  uint32_t before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before) : "l"(__cvta_generic_to_global(address)), "r"(value) : "memory");
  return before;
}
// The same anywhere in memory.
__device__ inline uint64_t fetch_add_relaxed_gpu(uint64_t *address, uint64_t value) {
  uint64_t before;
  asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(address), "l"(value) : "memory");
  return before;
}

__device__ inline void keep_one_here(uint64_t &word) { asm volatile("" : "+l"(word)); }
// What is loaded into these is loaded before what comes behind this, even if that is a branch and one of its sides has
// no use for it. Not an instruction.
template <class... Words> __device__ inline void keep_here(Words &...words) { (keep_one_here(words), ...); }

#if __CUDA_ARCH__ >= 800
// Copies 4, 8 or 16 bytes, which are aligned to that, to shared memory; they are there for this thread when it has
// waited.
template <int Bytes> __device__ inline void copy_async(void *shared, const void *global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :: "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)), "n"(Bytes) : "memory");
}
// The same of 16 bytes, past L1.
__device__ inline void copy_async_vector(void *shared, const void *global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :: "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)) : "memory");
}
#endif
// Copies 16 aligned bytes to shared memory, past the registers where that can be.
__device__ inline void copy_vector(void *shared, const void *global) {
#if __CUDA_ARCH__ >= 800
  copy_async_vector(shared, global);
#else
  *static_cast<uint4 *>(shared) = *static_cast<const uint4 *>(global);
#endif
}
// For what the thread has copied.
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Asks for the line of global memory with this address to be brought into L2.
__device__ inline void prefetch(const void *global) { asm volatile("prefetch.global.L2 [%0];" ::"l"(global)); }

#if __CUDA_ARCH__ >= 900
// An mbarrier in shared memory: 8 bytes that count arrivals, and bytes of asynchronous copies. Arriving
// releases to the block, waiting acquires.
__device__ inline void mbarrier_init(uint64_t *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :: "r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// What it was in may be used for something else.
__device__ inline void mbarrier_invalidate(uint64_t *barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(shared_address(barrier)) : "memory");
}
__device__ inline void mbarrier_arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_address(barrier)) : "memory");
}
// Arrives, and announces so many bytes of copies that belong to the same phase.
__device__ inline void mbarrier_arrive_expect(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :: "r"(shared_address(barrier)), "r"(bytes) : "memory");
}
// Waits until the phase of that parity is complete.
__device__ inline void mbarrier_wait(uint64_t *barrier, uint32_t parity) {
  uint32_t complete;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
  } while (!complete);
}
// Copies whole 16-byte units to shared memory, and tells the barrier when they are there.
__device__ inline void bulk_copy(void *shared, const void *global, uint32_t bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :: "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(bytes),
                  "r"(shared_address(barrier)) : "memory");
}
// Copies whole 16-byte units from shared memory; and waits until all that this thread had copied so is read.
__device__ inline void bulk_store(void *global, uint32_t shared, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :: "l"(__cvta_generic_to_global(global)), "r"(shared), "r"(bytes) : "memory");
}
__device__ inline void wait_for_bulk_stores() {
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
}
// Between this thread's accesses to shared memory and bulk copies that others start there later.
__device__ inline void fence_bulk_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// Brings whole 16-byte units to L2.
__device__ inline void bulk_prefetch(const void *global, uint32_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
               :: "l"(__cvta_generic_to_global(global)), "r"(bytes) : "memory");
}
#endif

// count + 1 if a + b overflows.
__device__ inline void count_overflow(uint32_t a, uint32_t b, int &count) {
  asm("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %0, 0; }" : "+r"(count) : "r"(a), "r"(b));
}
__device__ inline void count_overflow(uint64_t a, uint64_t b, int &count) {
  asm("{ .reg .u64 t; add.cc.u64 t, %1, %2; addc.u32 %0, %0, 0; }" : "+r"(count) : "l"(a), "l"(b));
}
__device__ inline void count_overflow(uint128_t a, uint128_t b, int &count) {
  asm("{ .reg .u64 t; add.cc.u64 t, %1, %2; addc.cc.u64 t, %3, %4; addc.u32 %0, %0, 0; }"
      : "+r"(count) : "l"(uint64_t(a)), "l"(uint64_t(b)), "l"(uint64_t(a >> 64)), "l"(uint64_t(b >> 64)));
}

// sum + the four signed (unsigned) bytes of packed.
__device__ inline int32_t add_bytes(uint32_t packed, int32_t sum) {
  asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(packed), "r"(0x01010101));
  return sum;
}
__device__ inline int32_t add_unsigned_bytes(uint32_t packed, int32_t sum) {
  asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(packed), "r"(0x01010101));
  return sum;
}

// sum + the two signed (unsigned) 16-bit halves of packed.
__device__ inline int32_t add_halves(uint32_t packed, int32_t sum) {
  asm("dp2a.lo.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(packed), "r"(0x0101));
  return sum;
}
__device__ inline int32_t add_unsigned_halves(uint32_t packed, int32_t sum) {
  asm("dp2a.lo.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(packed), "r"(0x0101));
  return sum;
}

// min and max as IEEE 754-2019 has them: -0 is below +0; a NaN operand is passed over
// (minimumNumber), or wins when NaN is to be propagated (minimum).
__device__ inline float min_number(float a, float b) {
  float r;
  asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float max_number(float a, float b) {
  float r;
  asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline double min_number(double a, double b) {
  double r;
  asm("min.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
__device__ inline double max_number(double a, double b) {
  double r;
  asm("max.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
#if __CUDA_ARCH__ >= 800
__device__ inline float min_or_nan(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float max_or_nan(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#endif

// Half-precision conversions, one rounding each, to nearest even.
__device__ inline uint16_t f16_from_f32(float x) {
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
__device__ inline float f32_from_f16(uint16_t bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

__device__ inline uint16_t add_f16(uint16_t a, uint16_t b) {
  uint16_t r;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));
  return r;
}
__device__ inline uint32_t add_f16x2(uint32_t a, uint32_t b) {
  uint32_t r;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ inline uint16_t multiply_f16(uint16_t a, uint16_t b) {
  uint16_t r;
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));
  return r;
}

#if __CUDA_ARCH__ >= 800
__device__ inline uint16_t bf16_from_f32(float x) {
  uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
// a + b as the fused a * 1 + b, which every GPU since SM 80 has: the same single rounding.
__device__ inline uint16_t add_bf16(uint16_t a, uint16_t b) {
  uint16_t r;
  asm("{ .reg .b16 one; mov.b16 one, 0x3f80; fma.rn.bf16 %0, %1, one, %2; }"
      : "=h"(r) : "h"(a), "h"(b));
  return r;
}
__device__ inline uint32_t add_bf16x2(uint32_t a, uint32_t b) {
  uint32_t r;
  asm("{ .reg .b32 one; mov.b32 one, 0x3f803f80; fma.rn.bf16x2 %0, %1, one, %2; }"
      : "=r"(r) : "r"(a), "r"(b));
  return r;
}
#endif

// The smaller (larger) ones of two pairs of 16-bit numbers: of integers, and of halves as min_number() and
// min_or_nan() have it. From SM 80 on, those of integers from SM 90 on.
#define JIG_PTX_PAIRS(NAME, INSTRUCTION)                                                           \
  __device__ inline uint32_t NAME(uint32_t a, uint32_t b) {                                        \
    uint32_t r;                                                                                    \
    asm(INSTRUCTION " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                    \
    return r;                                                                                      \
  }
JIG_PTX_PAIRS(min_f16x2, "min.f16x2")
JIG_PTX_PAIRS(max_f16x2, "max.f16x2")
JIG_PTX_PAIRS(min_bf16x2, "min.bf16x2")
JIG_PTX_PAIRS(max_bf16x2, "max.bf16x2")
JIG_PTX_PAIRS(min_or_nan_f16x2, "min.NaN.f16x2")
JIG_PTX_PAIRS(max_or_nan_f16x2, "max.NaN.f16x2")
JIG_PTX_PAIRS(min_or_nan_bf16x2, "min.NaN.bf16x2")
JIG_PTX_PAIRS(max_or_nan_bf16x2, "max.NaN.bf16x2")
JIG_PTX_PAIRS(min_s16x2, "min.s16x2")
JIG_PTX_PAIRS(max_s16x2, "max.s16x2")
JIG_PTX_PAIRS(min_u16x2, "min.u16x2")
JIG_PTX_PAIRS(max_u16x2, "max.u16x2")
#undef JIG_PTX_PAIRS

// One value folded over the lanes of member_mask by the warp's own reduction unit (redux.sync,
// SM 80 and later).
#if __CUDA_ARCH__ >= 800
#define JIG_PTX_REDUX(NAME, TYPE, INSTRUCTION)                                                     \
  __device__ inline TYPE NAME(TYPE x, uint32_t member_mask) {                                      \
    TYPE r;                                                                                        \
    asm volatile("redux.sync." INSTRUCTION " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(member_mask));   \
    return r;                                                                                      \
  }
JIG_PTX_REDUX(redux_add, uint32_t, "add.u32")
JIG_PTX_REDUX(redux_min, uint32_t, "min.u32")
JIG_PTX_REDUX(redux_min, int32_t, "min.s32")
JIG_PTX_REDUX(redux_max, uint32_t, "max.u32")
JIG_PTX_REDUX(redux_max, int32_t, "max.s32")
JIG_PTX_REDUX(redux_and, uint32_t, "and.b32")
JIG_PTX_REDUX(redux_or, uint32_t, "or.b32")
JIG_PTX_REDUX(redux_xor, uint32_t, "xor.b32")
#undef JIG_PTX_REDUX
#endif

}}  // namespace jig::ptx
