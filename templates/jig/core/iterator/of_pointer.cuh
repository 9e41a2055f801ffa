// A plain pointer as an iterator; what is one already stays as it is.
#pragma once
#include <jig/core/iterator/pointer.cuh>

namespace jig {

template <class T> __device__ Pointer<T> iterator_of(T *data) { return {data}; }
template <class T> __device__ Pointer<T> iterator_of(const T *data) { return {const_cast<T *>(data)}; }
template <class Iterator> __device__ const Iterator &iterator_of(const Iterator &iterator) { return iterator; }

}  // namespace jig
