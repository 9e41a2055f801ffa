// The row-major rank of this thread in a block of up to three dimensions.
#pragma once

namespace jig {

template <int DimX, int DimY, int DimZ> __device__ unsigned linear_thread_id() {
  unsigned id = threadIdx.x;
  if constexpr (DimY > 1) id += DimX * threadIdx.y;
  if constexpr (DimZ > 1) id += DimX * DimY * threadIdx.z;
  return id;
}

}  // namespace jig
