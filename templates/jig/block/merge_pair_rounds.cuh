// The rounds of a block's merge sort of keys with values, where the order is known to be a strict weak one: keys are
// compared, and the values fetched from the places that the keys come from.
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/thread/keyed.cuh>
#include <jig/thread/merge.cuh>
#include <jig/thread/sort.cuh>

namespace jig {

template <class Key, class Value, int Threads, int N> class MergePairRounds {
  static constexpr int tile_items = Threads * N;
  static constexpr bool whole_warps = Threads % warp_threads == 0;
  using Keys = array<Key, N>;
  using Values = array<Value, N>;

 public:
  struct alignas(16) alignas(Key) alignas(Value) TempStorage {
    uninitialized<Key, tile_items> keys;
    alignas(16) alignas(Value) uninitialized<Value, tile_items> values;
  };
  __device__ MergePairRounds(TempStorage &storage, int thread)
      : keys_(ptx::kept_shared_address(&storage.keys)),
        values_(ptx::kept_shared_address(&storage.values)),
        thread_(thread) {}

  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less) const {
    split_keys(thread_sort(join_keys(keys, values), by_key<Less>{less}), keys, values);
#pragma unroll 1
    for (int width = 1; width < Threads; width *= 2) {
      // While runs are a warp's, warps need not wait for each other.
      const bool within_warp = whole_warps && 2 * width <= warp_threads;
      sync(whole_warps && width <= warp_threads);
      put_words(keys_, thread_, keys);
      put_words(values_, thread_, values);
      sync(within_warp);
      merge(keys, values, width, less);
    }
  }

 private:
  static __device__ void sync(bool within_warp) {
    if (within_warp) __syncwarp();
    else __syncthreads();
  }
  __device__ Key key(int i) const { return ptx::shared_at<Key>(keys_ + i * int(sizeof(Key))); }
  __device__ Value value(int i) const { return ptx::shared_at<Value>(values_ + i * int(sizeof(Value))); }

  // This thread's part of two neighbouring runs, of `width` threads each.
  template <class Less> __device__ void merge(Keys &keys, Values &values, int width, Less less) const {
    const int first = (thread_ & ~(2 * width - 1)) * N;
    const int a_end = min_of(first + width * N, tile_items), b_end = min_of(first + 2 * width * N, tile_items);
    const uint32_t a_run = keys_ + first * int(sizeof(Key)), b_run = keys_ + a_end * int(sizeof(Key));
    const int diagonal = thread_ * N - first;
    const int of_a =
        merge_path(shared_run<Key>{a_run}, a_end - first, shared_run<Key>{b_run}, b_end - a_end, diagonal, less);
    int a = first + of_a, b = a_end + diagonal - of_a;
    // Behind the end of a run its place is taken by another key, which is not looked at.
    Key from_a = key(a < a_end ? a : first), from_b = key(b < b_end ? b : first);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const bool takes_b = (b < b_end) & ((a >= a_end) | bool(less(from_b, from_a)));
      keys[j] = choose(takes_b, from_b, from_a);
      const int place = takes_b ? b : a, next = place + 1;
      values[j] = value(place);
      a = takes_b ? a : next;
      b = takes_b ? next : b;
      if (j + 1 == N) break;
      const Key item = key(next < (takes_b ? b_end : a_end) ? next : first);
      from_a = choose(takes_b, from_a, item);
      from_b = choose(takes_b, item, from_b);
    }
  }

  uint32_t keys_, values_;
  int thread_;
};

}  // namespace jig
