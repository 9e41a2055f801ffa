// Where a local sort's keys and values are: in arrays of their own, or as records (radix_sort_records.cuh).
#pragma once
#include <jig/agent/radix_sort/radix_sort_records.cuh>

namespace jig {

template <class Keys, class Value> struct RadixLocalItems {
  using Kept = typename Keys::Kept;
  Kept *keys;
  Value *values;

  __device__ RadixLocalItems() = default;
  // Of so many records, if they are; 0: keys and values lie in their own arrays all the same.
  __device__ RadixLocalItems(void *keys, void *values, uint64_t)
      : keys(static_cast<Kept *>(keys)), values(static_cast<Value *>(values)) {}

  __device__ Kept key(uint32_t i) const { return keys[i]; }
  __device__ void put_key(uint32_t i, const Kept &kept) const { keys[i] = kept; }
  // Items first .. first + count - 1, if they are in one array.
  __device__ const Kept *run(uint32_t first, uint32_t) const { return keys + first; }
};

// Keys have their values with them.
template <class Base> struct RadixLocalItems<RecordKeys<Base>, none> {
  using Kept = uint64_t;
  uint32_t *keys, *values;
  uint64_t records;

  __device__ RadixLocalItems() = default;
  __device__ RadixLocalItems(void *keys, void *values, uint64_t records)
      : keys(static_cast<uint32_t *>(keys)), values(static_cast<uint32_t *>(values)), records(records) {}

  __device__ Kept key(uint32_t i) const {
    return records > 0 ? arrays().load(i) : uint64_t(values[i]) << 32 | keys[i];
  }
  __device__ void put_key(uint32_t i, Kept kept) const {
    if (records > 0) return arrays().store(i, kept);
    keys[i] = uint32_t(kept);
    values[i] = uint32_t(kept >> 32);
  }
  __device__ const Kept *run(uint32_t first, uint32_t count) const {
    if (records == 0 || !arrays().is_aligned) return nullptr;
    return reinterpret_cast<const Kept *>(arrays().contiguous(first, count));
  }

 private:
  __device__ RecordArrays arrays() const { return RecordArrays(keys, values, records); }
};

}  // namespace jig
