// Loads items from global into shared memory, past the registers: by bulk copies from SM 90 on, which one thread starts
// and the copy engine does; before, by copies that do not wait (SM 80), or by loads and stores.
//
//   auto data = load.CopyAsync(buffer, source, count);   several, into different buffers
//   auto token = load.Commit();                           the end of what is copied together
//   ...                                                   other work
//   load.Wait(token);                                     all threads may read it
//
// Wait() comes before the next CopyAsync(); for copies that are waited for one by one there are several objects.
// What is copied together has less than a megabyte.
//
// A buffer is aligned to 16 bytes and has buffer_bytes<T>(count) of them: the items keep the place that they have among
// aligned vectors, so that these are copied whole. CopyAsync() says where in it they are.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default constructor uses
// shared memory of its own, the other one the caller's; both contain a barrier. A buffer may be loaded again after a
// __syncthreads() that comes after the last read or write of it; TempStorage may be used for something else after
// Invalidate().
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <int DimX, int DimY = 1, int DimZ = 1> class BlockLoadToShared {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockLoadToShared: a block has 1 to 1024 threads");
  static constexpr uint32_t unit = 16;

 public:
  struct TempStorage {
    uint64_t barrier;
  };
  // What Commit() gives, and one Wait() takes.
  struct CommitToken {
    uint32_t parity;
  };

  // How large a buffer for `count` items is, wherever these begin.
  template <class T> static __device__ constexpr int buffer_bytes(int count) {
    return ceil_div(count * int(sizeof(T)), int(unit)) * int(unit) + int(unit);
  }

  __device__ BlockLoadToShared() : BlockLoadToShared(private_storage()) {}
  __device__ explicit BlockLoadToShared(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {
#if __CUDA_ARCH__ >= 900
    if (thread_ == 0) {
      ptx::mbarrier_init(&storage_.barrier, 1);
      ptx::fence_mbarrier_init();
    }
    __syncthreads();
#endif
  }
  BlockLoadToShared(const BlockLoadToShared &) = delete;

  template <class T> __device__ T *CopyAsync(void *buffer, const T *source, int count) {
    const uintptr_t from = reinterpret_cast<uintptr_t>(source);
    unsigned char *to = static_cast<unsigned char *>(buffer) + from % unit;
    const uint32_t bytes = uint32_t(count) * uint32_t(sizeof(T));
    const uint32_t head = min_of(uint32_t(-from) % unit, bytes), body = (bytes - head) / unit * unit;
    copy_vectors(to + head, reinterpret_cast<const unsigned char *>(source) + head, body);
    copy_bytes<T>(to, source, 0, head);
    copy_bytes<T>(to, source, head + body, bytes);
    return reinterpret_cast<T *>(to);
  }

  __device__ CommitToken Commit() {
    const CommitToken token = {parity_};
#if __CUDA_ARCH__ >= 900
    if (thread_ == 0) ptx::mbarrier_arrive_expect(&storage_.barrier, announced_);
    announced_ = 0;
    parity_ ^= 1;
#endif
    return token;
  }

  __device__ void Wait(CommitToken token) {
#if __CUDA_ARCH__ >= 900
    ptx::mbarrier_wait(&storage_.barrier, token.parity);
#else
    ptx::wait_for_copies();
#endif
    __syncthreads();
  }
  __device__ void CommitAndWait() { Wait(Commit()); }

  // Ends with a barrier.
  __device__ void Invalidate() {
    __syncthreads();
#if __CUDA_ARCH__ >= 900
    if (thread_ == 0) ptx::mbarrier_invalidate(&storage_.barrier);
#endif
    __syncthreads();
  }

 private:
  // Whole vectors, aligned on both sides.
  __device__ void copy_vectors(unsigned char *to, const unsigned char *from, uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    if (thread_ != 0 || bytes == 0) return;
    ptx::fence_bulk_copies();
    ptx::bulk_copy(to, from, bytes, &storage_.barrier);
    announced_ += bytes;
#else
#pragma unroll 1
    for (uint32_t i = thread_ * unit; i < bytes; i += threads * unit) ptx::copy_vector(to + i, from + i);
#endif
  }

  // Bytes begin .. end - 1, less than a vector, by words in which items are whole.
  template <class T>
  __device__ void copy_bytes(unsigned char *to, const T *source, uint32_t begin, uint32_t end) {
    using Word = conditional<alignof(T) % 8 == 0, uint64_t,
                             conditional<alignof(T) % 4 == 0, uint32_t,
                                         conditional<alignof(T) % 2 == 0, uint16_t, uint8_t>>>;
    const unsigned char *from = reinterpret_cast<const unsigned char *>(source);
#pragma unroll 1
    for (uint32_t i = begin + thread_ * sizeof(Word); i < end; i += threads * sizeof(Word))
      *reinterpret_cast<Word *>(to + i) = *reinterpret_cast<const Word *>(from + i);
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  uint32_t thread_, parity_ = 0, announced_ = 0;
};

}  // namespace jig
