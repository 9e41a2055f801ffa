// Where runs of equal keys begin: at their heads, the keys that differ from the one before. The first key
// of all is one, too.
#pragma once
#include <jig/agent/chain/warp_tile.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

// Whether two neighbours are in one run; without an operator of the caller's by ==.
template <class Equality, class Key>
__device__ bool keys_equal(const Equality &equality, const Key &a, const Key &b) {
  if constexpr (!is_same<Equality, none>) return equality(a, b);
  else if constexpr (is_half<Key>) return float(a) == float(b);
  else return a == b;
}

// Whether item i begins a run.
template <class Keys, class Equality>
__device__ bool is_head(const Keys &keys, const Equality &equality, uint64_t i) {
  using Key = typename Keys::value_type;
  return i == 0 || !keys_equal<Equality, Key>(equality, keys[i - 1], keys[i]);
}

// Whether an equality may be asked about whatever lanes hold, as it does nothing but compare numbers. Any other
// one is only asked about a key and the next one.
template <class Equality, class Key>
constexpr bool takes_any_keys = is_same<Equality, none> && is_number<Key>;

// Which items of a vector differ from the one before, a bit each. The first one does if there is none before.
template <class Equality, class Vector, class Key>
__device__ uint32_t find_heads(const Equality &equality, const Vector &vector, Key before, bool has_before) {
  uint32_t flags = !has_before;
#pragma unroll
  for (int k = 0; k < Vector::size; ++k) {
    const Key key = vector[k];
    if (k > 0 || takes_any_keys<Equality, Key> || has_before)
      flags |= uint32_t(!keys_equal(equality, before, key)) << k;
    before = key;
  }
  return flags;
}

// The same of bytes, four at a time: a byte of the difference that is not 0 sets its highest bit, and the
// product puts these bits side by side.
template <class Key, int N>
__device__ uint32_t find_heads(const none &, const packed_vector<Key, N> &vector, Key before, bool has_before) {
  if constexpr (is_any_of<Key, int8_t, uint8_t> && N % 4 == 0) {
    uint32_t flags = !has_before, below = uint32_t(uint8_t(before)) << 24;
#pragma unroll
    for (int w = 0; w < N / 4; ++w) {
      const uint32_t difference = vector.word[w] ^ __funnelshift_l(below, vector.word[w], 8);
      const uint32_t differs = ((difference & 0x7f7f7f7f) + 0x7f7f7f7f | difference) >> 7 & 0x01010101;
      flags |= (differs * 0x10204080 >> 28) << 4 * w;
      below = vector.word[w];
    }
    return flags;
  } else {
    return find_heads<none, packed_vector<Key, N>, Key>(none{}, vector, before, has_before);
  }
}

// The heads of a warp tile: bit k of a lane's flags in a row is set if item k of its vector is one. A vector
// that is not the input's has none.
template <class Keys, class Equality, int VectorItems, int MaxRows> class Heads {
  using Key = typename Keys::value_type;
  using Vector = typename items_of<Keys, VectorItems>::type;
  static constexpr int word_rows = 32 / VectorItems, words = ceil_div(MaxRows, word_rows);

 public:
  using Items = Vector;

  // Loads the keys, and calls then(row, vector, before) for each row in turn as soon as its flags are there;
  // `before` is the key before the vector, if there is one. The input has to have whole vectors.
  template <class WarpTile, class Then>
  __device__ void Load(const WarpTile &warp_tile, const Keys &keys, const Equality &equality, Then then) {
    Vector vectors[MaxRows];
    if (can_load_vectors<VectorItems>(keys)) load<true>(warp_tile, keys, vectors);
    else load<false>(warp_tile, keys, vectors);
    const uint64_t first = warp_tile.first_item(0);
    Key before = vectors[0][0];
    if (threadIdx.x % warp_threads == 0 && first > 0 && warp_tile.holds(0)) before = keys[first - 1];
#pragma unroll
    for (int w = 0; w < words; ++w) words_[w] = 0;
#pragma unroll
    for (int r = 0; r < MaxRows; ++r) {
      if (r >= warp_tile.rows()) break;
      const bool holds = warp_tile.holds(r);
      const bool has_before = (takes_any_keys<Equality, Key> || holds) && (r > 0 || first > 0);
      Key last;
      uint32_t flags = find(vectors[r], before, last, has_before, equality);
      if (!holds) flags = 0;
      words_[r / word_rows] |= flags << r % word_rows * VectorItems;
      then(r, vectors[r], last);
    }
  }

  __device__ uint32_t Flags(int row) const {
    return words_[row / word_rows] >> row % word_rows * VectorItems & (1u << VectorItems) - 1;
  }

  // The lanes that have a head in that row. Of lanes without a vector an operator that may not see any bytes is
  // told that they do: nothing is folded there, nor what comes before them with them.
  template <class Op, class WarpTile> __device__ uint32_t HeadLanes(const WarpTile &warp_tile, int row) const {
    return __ballot_sync(full_warp, Flags(row) != 0 || !may_see<Op>(warp_tile.holds(row)));
  }

 private:
  template <bool Vectorize, class WarpTile>
  static __device__ void load(const WarpTile &warp_tile, const Keys &keys, Vector (&vectors)[MaxRows]) {
#pragma unroll
    for (int r = 0; r < MaxRows; ++r) {
      if (r < warp_tile.rows()) vectors[r] = load_items<VectorItems>(keys, warp_tile.first_to_load(r), Vectorize);
    }
  }

  // `before` is, in the first lane, the key before the row; and then that before the next row. `last` is then the one
  // before the vector.
  static __device__ uint32_t find(const Vector &vector, Key &before, Key &last, bool has_before,
                                  const Equality &equality) {
    const int lane = threadIdx.x % warp_threads;
    __syncwarp();
    const Key below =
        shuffle_from(Key(vector[VectorItems - 1]), (lane + warp_threads - 1) % warp_threads, warp_threads, full_warp);
    last = lane == 0 ? before : below;
    before = below;
    return find_heads(equality, vector, last, has_before);
  }

  uint32_t words_[words];
};

}  // namespace jig
