// What a warp of a staged transform has of its inputs: neighbours in memory are brought to shared memory, where they
// lie as far past an aligned address as they do in memory, so that whole vectors are copied wherever they begin.
#pragma once
#include <jig/core/iterator/parts.cuh>
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

// So many bytes, by all lanes of a warp; `shared` is as far past an aligned address as `from`. They are there when the
// lanes have waited for copies, and met. See store_bytes().
template <class Unit> __device__ void bring_bytes(unsigned char *shared, const unsigned char *from, uint32_t bytes) {
  constexpr uint32_t vector = 16, unit = sizeof(Unit);
  const uint32_t lane = threadIdx.x % warp_threads;
  const uint32_t head = min_of(uint32_t(0 - reinterpret_cast<uintptr_t>(from)) % vector, bytes);
  const uint32_t behind = head + (bytes - head) / vector * vector;
#pragma unroll 1
  for (uint32_t i = head + lane * vector; i < behind; i += warp_threads * vector)
    ptx::copy_vector(shared + i, from + i);
  if constexpr (unit < vector) {
    const bool is_head = lane < vector;
    const uint32_t i = (is_head ? 0 : behind) + lane % vector * unit;
    if (i < (is_head ? head : bytes))
      *reinterpret_cast<Unit *>(shared + i) = *reinterpret_cast<const Unit *>(from + i);
  }
}

// An input that is computed: nothing is brought. `bytes` is what there is to bring of each item, in so many `parts`.
template <class In> struct StagedInput {
  static constexpr int bytes = 0, parts = 0;
  template <int Items> static __device__ void Bring(const In &, unsigned char *, uint64_t, int) {}
  // Item i, the j-th of the warp.
  template <int Items> static __device__ auto at(const In &in, const unsigned char *, uint64_t i, int) { return in[i]; }
};

// Room for `Items` of these.
template <class Staged, int Items> constexpr int staged_bytes = Staged::bytes *Items + Staged::parts * 16;

template <class T> struct StagedInput<Pointer<T>> {
  using In = Pointer<T>;
  static constexpr int bytes = sizeof(T), parts = 1;
  static __device__ uint32_t skew(const In &in) { return uint32_t(reinterpret_cast<uintptr_t>(in.data) % 16); }
  template <int Items>
  static __device__ void Bring(const In &in, unsigned char *stage, uint64_t first, int count) {
    bring_bytes<item_word<T>>(stage + skew(in), reinterpret_cast<const unsigned char *>(in.data + first),
                              uint32_t(count) * bytes);
  }
  template <int Items> static __device__ T at(const In &in, const unsigned char *stage, uint64_t, int j) {
    return reinterpret_cast<const T *>(stage + skew(in))[j];
  }
};

template <class Base, class Op, class Result> struct Transform;
template <class Base, class Op, class Result> struct StagedInput<Transform<Base, Op, Result>> {
  using In = Transform<Base, Op, Result>;
  using Inner = StagedInput<Base>;
  static constexpr int bytes = Inner::bytes, parts = Inner::parts;
  template <int Items>
  static __device__ void Bring(const In &in, unsigned char *stage, uint64_t first, int count) {
    Inner::template Bring<Items>(in.base, stage, first, count);
  }
  template <int Items> static __device__ Result at(const In &in, const unsigned char *stage, uint64_t i, int j) {
    return in.op(Inner::template at<Items>(in.base, stage, i, j));
  }
};

template <class Op, class Result, class Places, class... Bases> struct zip_transform_of;
template <class Op, class Result, int... K, class... Bases>
struct StagedInput<zip_transform_of<Op, Result, places<K...>, Bases...>> {
  using In = zip_transform_of<Op, Result, places<K...>, Bases...>;
  static constexpr int bytes = (StagedInput<Bases>::bytes + ...), parts = (StagedInput<Bases>::parts + ...);
  // Where what base k has begins.
  template <int Items> static __device__ constexpr int offset(int k) {
    return ((K < k ? staged_bytes<StagedInput<Bases>, Items> : 0) + ...);
  }
  template <int Items>
  static __device__ void Bring(const In &in, unsigned char *stage, uint64_t first, int count) {
    (StagedInput<Bases>::template Bring<Items>(zip_get<K>(in), stage + offset<Items>(K), first, count), ...);
  }
  template <int Items> static __device__ Result at(const In &in, const unsigned char *stage, uint64_t i, int j) {
    return in.op(StagedInput<Bases>::template at<Items>(zip_get<K>(in), stage + offset<Items>(K), i, j)...);
  }
};

}  // namespace jig
