/* What blocks count, select and decode, as the author of a kernel uses it: histograms, run-length
 * decoding, top-k, where digits begin, scans of tiles that are not full, and sorts of keys with values by
 * merging. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "collective_support.h"
#include "numbers.h"
#include "suite.h"

static int least(int a, int b) {
  return a < b ? a : b;
}

/* ---- histogram */

enum { BINS = MOST_VALUE + 1 };
static const collective_shape histogram_shapes[] = {{32, 1, 1, 4, "int8_t, uint32_t"},
                                                    {96, 1, 1, 3, "uint8_t, int64_t"},
                                                    {9, 5, 4, 2, "int16_t"},
                                                    {512, 1, 1, 1, "int32_t"}};

static void expect_histogram(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s);
  (void)how;
  int counts[BINS] = {0};
  for (int i = 0; i < tile; ++i) ++counts[in[i]];
  for (int slot = 0; slot < 4; ++slot)
    for (int b = 0; b < least(BINS, tile); ++b)
      wanted[slot * tile + b] = slot % 2 == 0 ? counts[b] : 2 * counts[b];
}

START_TEST(histograms) {
  const collective_test test = {
      .name = "histogram",
      .source =
          "#include <jig/block/histogram.cuh>\n"
          "template <class T, class S, jig::BlockHistogramAlgorithm A, class Counter>\n"
          "__device__ void count(const int *in, int *out) {\n"
          "  using Histogram = jig::BlockHistogram<T, S::x, S::n, 101, A, S::y, S::z>;\n"
          "  __shared__ typename Histogram::TempStorage storage;\n"
          "  __shared__ Counter counters[101];\n"
          "  jig::array<T, S::n> items;\n"
          "  for (int j = 0; j < S::n; ++j) items[j] = make<T>(in[S::thread() * S::n + j]);\n"
          "  for (int again = 0; again < 2; ++again) {\n"
          "    if (again) Histogram(storage).Composite(items, counters);\n"
          "    else Histogram(storage).Histogram(items, counters);\n"
          "    __syncthreads();\n"
          "    for (int b = S::thread(); b < 101 && b < S::tile; b += S::threads)\n"
          "      out[again * S::tile + b] = int(counters[b]);\n"
          "    __syncthreads();\n"
          "  }\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *) {\n"
          "  using A = jig::BlockHistogramAlgorithm;\n"
          "  count<T, S, A::sort, uint16_t>(in, out);\n"
          "  count<T, S, A::atomic, uint32_t>(in, out + 2 * S::tile);\n"
          "}\n",
      .shapes = histogram_shapes,
      .shape_count = COUNT_OF(histogram_shapes),
      .slots = 4,
      .expect = expect_histogram,
  };
  collective_check(&test);
}
END_TEST

/* ---- run-length decode: as many runs as items; lengths by the items' values, many of them 0 */

static const collective_shape decode_shapes[] = {{32, 1, 1, 3, "int8_t, double, odd"},
                                                 {96, 1, 1, 1, "int32_t, f16"},
                                                 {8, 4, 3, 2, "int128_t"},
                                                 {512, 1, 1, 1, "odd"}};

static int length_of(int i, int how) {
  return how == 0 ? i % 4 : how == 1 ? (i % 7 == 0) * 5 : 1;
}

static void expect_decoded(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s);
  int place = 0;
  for (int run = 0; run < tile; ++run) {
    for (int k = 0; k < length_of(run, how[0]); ++k, ++place) {
      const int at = place - how[1];
      if (at < 0 || at >= tile) continue;
      wanted[at] = wanted[3 * tile + at] = in[run];
      wanted[tile + at] = k;
    }
  }
  for (int t = 0; t < collective_threads(s); ++t) wanted[2 * tile + t] = place;
}

START_TEST(run_length_decodings) {
  static const int how[][MOST_HOW] = {{0, 0}, {0, 37}, {1, 5}, {2, 0}};
  const collective_test test = {
      .name = "run-length decode",
      .source =
          "#include <jig/block/run_length_decode.cuh>\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using Decode = jig::BlockRunLengthDecode<T, S::x, S::n, S::n, uint32_t, S::y, S::z>;\n"
          "  __shared__ typename Decode::TempStorage storage;\n"
          "  jig::array<T, S::n> runs;\n"
          "  jig::array<int, S::n> lengths;\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int i = S::thread() * S::n + j;\n"
          "    runs[j] = make<T>(in[i]);\n"
          "    lengths[j] = how[0] == 0 ? i % 4 : how[0] == 1 ? (i % 7 == 0) * 5 : 1;\n"
          "  }\n"
          "  Decode decode(storage);\n"
          "  const int total = int(decode.Init(runs, lengths)), left = total - how[1];\n"
          "  typename Decode::Offsets places;\n"
          "  const auto items = decode.RunLengthDecode(places, how[1]), same = "
          "decode.RunLengthDecode(how[1]);\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int i = S::thread() * S::n + j;\n"
          "    if (i >= left) continue;\n"
          "    out[i] = value(items[j]);\n"
          "    out[S::tile + i] = int(places[j]);\n"
          "    out[3 * S::tile + i] = value(same[j]);\n"
          "  }\n"
          "  out[2 * S::tile + S::thread()] = total;\n"
          "}\n",
      .shapes = decode_shapes,
      .shape_count = COUNT_OF(decode_shapes),
      .slots = 4,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_decoded,
  };
  collective_check(&test);
}
END_TEST

/* ---- reduces in whatever order warps come */

static const collective_shape fold_shapes[] = {
    {32, 1, 1, 2, "int, odd"},
    {100, 1, 1, 3, "int8_t, uint16_t, float, int128_t"},
    {8, 6, 3, 1, "uint32_t, int64_t, f16, odd"},
    {33, 3, 1, 2, "uint64_t, double, bf16, int16_t"},
    {1024, 1, 1, 1, "float, uint8_t, int64_t, bool, int128_t"}};

/* Of all items; and of the first item of each thread, as many as are valid. */
static void expect_folds(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), valid = least(how[0], collective_threads(s));
  int *all = wanted, *some = wanted + 5;
  for (int k = 0; k < 5; ++k) all[k] = some[k] = k == 1 || k == 3 ? MOST_VALUE : 0;
  all[3] = some[3] = in[0];
  for (int i = 0; i < tile; ++i) {
    int *folds[] = {all, i % s->items == 0 && i / s->items < valid ? some : NULL};
    for (int f = 0; f < 2; ++f) {
      if (folds[f] == NULL) continue;
      if (in[i] > folds[f][0]) folds[f][0] = in[i];
      if (in[i] < folds[f][1]) folds[f][1] = in[i];
      folds[f][2] += in[i];
      folds[f][3] &= in[i];
      folds[f][4] ^= in[i];
    }
  }
}

START_TEST(folds_in_any_order) {
  static const int how[][MOST_HOW] = {{1 << 20}, {1}, {31}, {33}, {70}};
  const collective_test test = {
      .name = "block reduce in any order",
      .source =
          "#include <jig/block/reduce.cuh>\n"
          "struct larger { static constexpr bool commutative = true;\n"
          "  template <class T> __device__ T operator()(const T &a, const T &b) const { return value(a) "
          "< value(b) ? b "
          ": a; } };\n"
          "template <class T, class S, class Op> __device__ void fold(const int *in, int *out, int "
          "valid, Op op) {\n"
          "  using Reduce = jig::BlockReduce<T, S::x, "
          "jig::BlockReduceAlgorithm::warp_reductions_nondeterministic, "
          "S::y, S::z>;\n"
          "  __shared__ typename Reduce::TempStorage storage;\n"
          "  jig::array<T, S::n> items;\n"
          "  for (int j = 0; j < S::n; ++j) items[j] = make<T>(in[S::thread() * S::n + j]);\n"
          "  const T all = Reduce(storage).Reduce(items, op);\n"
          "  __syncthreads();\n"
          "  const T some = Reduce().Reduce(items[0], op, valid);\n"
          "  if (S::thread() == 0) out[0] = value(all), out[5] = value(some);\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  const int valid = how[0] < S::threads ? how[0] : S::threads;\n"
          "  using Wide = jig::conditional<(sizeof(T) < 4 || jig::is_same<T, odd>), int, T>;\n"
          "  using Whole = jig::conditional<jig::is_integer<T> && !jig::is_same<T, bool>, T, int>;\n"
          "  using Item = jig::conditional<jig::is_same<T, bool>, uint8_t, T>;\n"
          "  fold<Item, S>(in, out, valid, larger());\n"
          "  if constexpr (jig::is_same<T, odd>) fold<int, S>(in, out + 1, valid, "
          "jig::minimum<false>());\n"
          "  else fold<Item, S>(in, out + 1, valid, jig::minimum<false>());\n"
          "  fold<Wide, S>(in, out + 2, valid, jig::plus());\n"
          "  fold<Whole, S>(in, out + 3, valid, jig::bit_and());\n"
          "  fold<Whole, S>(in, out + 4, valid, jig::bit_xor());\n"
          "}\n",
      .shapes = fold_shapes,
      .shape_count = COUNT_OF(fold_shapes),
      .slots = 1,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_folds,
  };
  collective_check(&test);
}
END_TEST

/* ---- top-k */

static const collective_shape top_k_shapes[] = {{32, 1, 1, 5, "int8_t, double"},
                                                {96, 1, 1, 2, "int128_t"},
                                                {5, 4, 3, 3, "bf16"},
                                                {1024, 1, 1, 1, "float"}};

/* The first k places of each slot: keys, and where they were. Twice as many are greater (or less) than
 * the last one. */
static void expect_top(const int *in, int valid, int k, int sign, int *keys, int *places) {
  int count = 0;
  if (k >= valid) k = valid;
  for (int i = 0; i < valid; ++i) {
    int better = 0;
    for (int j = 0; j < valid; ++j) better += sign * in[j] > sign * in[i] || (in[j] == in[i] && j < i);
    if (better >= k) continue;
    keys[count] = in[i];
    places[count++] = i;
  }
}

static void expect_top_k(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), valid = least(how[1], tile);
  expect_top(in, valid, how[0], 1, wanted, wanted + tile);
  expect_top(in, valid, how[0], -1, wanted + 2 * (ptrdiff_t)tile, wanted + 3 * (ptrdiff_t)tile);
}

/* Both ways by these calls, of pairs and of keys alone, of the first `valid` items. */
#define TOP_K_SOURCE(valid, calls)                                                                  \
  "#include <jig/block/top_k.cuh>\n"                                                                \
  "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"   \
  "  using TopK = jig::BlockTopK<T, S::x, S::n, int, S::y, S::z>;\n"                                \
  "  using KeysOnly = jig::BlockTopK<T, S::x, S::n, jig::none, S::y, S::z>;\n"                      \
  "  const int valid = " valid " < S::tile ? " valid                                                \
  " : S::tile, k = how[0] < valid ? how[0] : valid;\n"                                              \
  "  for (int least = 0; least < 2; ++least) {\n"                                                   \
  "    jig::array<T, S::n> keys;\n"                                                                 \
  "    jig::array<int, S::n> values;\n"                                                             \
  "    for (int j = 0; j < S::n; ++j) {\n"                                                          \
  "      values[j] = S::thread() * S::n + j;\n"                                                     \
  "      if (values[j] < valid) keys[j] = make<T>(in[values[j]]);\n"                                \
  "    }\n"                                                                                         \
  "    auto alone = keys;\n" calls                                                                  \
  "    __syncthreads();\n"                                                                          \
  "    for (int j = 0; j < S::n; ++j) {\n"                                                          \
  "      const int i = S::thread() * S::n + j;\n"                                                   \
  "      if (i >= k) continue;\n"                                                                   \
  "      out[2 * least * S::tile + i] = value(keys[j]) == value(alone[j]) ? value(keys[j]) : -7;\n" \
  "      out[(2 * least + 1) * S::tile + i] = values[j];\n"                                         \
  "    }\n"                                                                                         \
  "  }\n"                                                                                           \
  "}\n"

START_TEST(top_ks) {
  static const int how[][MOST_HOW] = {{1, 1 << 20},       {10, 1 << 20}, {50, 90},
                                      {1 << 20, 1 << 20}, {0, 7},        {5, 4}};
  const collective_test test = {
      .name = "top-k",
      .source = TOP_K_SOURCE("how[1]",
                             "    __shared__ typename TopK::TempStorage storage;\n"
                             "    if (least) TopK(storage).MinPairs(keys, values, how[0], valid);\n"
                             "    else TopK(storage).MaxPairs(keys, values, how[0], valid);\n"
                             "    __syncthreads();\n"
                             "    if (least) KeysOnly().MinKeys(alone, how[0], valid);\n"
                             "    else if (valid == S::tile) KeysOnly().MaxKeys(alone, how[0]);\n"
                             "    else KeysOnly().MaxKeys(alone, how[0], valid);\n"),
      .shapes = top_k_shapes,
      .shape_count = COUNT_OF(top_k_shapes),
      .slots = 4,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_top_k,
  };
  collective_check(&test);
}
END_TEST

/* Bits how[1] .. how[2] - 1 of integers, of which no item has any sign. */
static const collective_shape bits_shapes[] = {{32, 1, 1, 5, "uint8_t, int16_t"},
                                               {100, 1, 1, 3, "uint32_t, int64_t, int8_t"},
                                               {5, 4, 3, 3, "uint64_t, uint16_t"},
                                               {1024, 1, 1, 1, "int"}};

static void expect_top_bits(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), valid = least(how[3], tile), k = least(how[0], valid);
  int *bits = malloc((size_t)tile * sizeof *bits);
  for (int i = 0; i < tile; ++i) bits[i] = how[2] > how[1] ? (in[i] & ((1 << how[2]) - 1)) >> how[1] : 0;
  for (int side = 0; side < 2; ++side) {
    int *keys = wanted + 2 * (ptrdiff_t)side * tile, *places = keys + tile;
    expect_top(bits, valid, k, side == 0 ? 1 : -1, keys, places);
    for (int i = 0; i < k; ++i) keys[i] = in[places[i]];
  }
  free(bits);
}

START_TEST(top_ks_by_some_bits) {
  static const int how[][MOST_HOW] = {{10, 0, 8, 1 << 20}, {10, 2, 5, 1 << 20}, {20, 3, 4, 90},
                                      {7, 5, 5, 60},       {5, 6, 3, 50},       {31, 1, 8, 32},
                                      {70, 3, 4, 90}}; /* as the last ones are, which do not count */
  const collective_test test = {
      .name = "top-k by some bits",
      .source = TOP_K_SOURCE("how[3]",
                             "    if (least) TopK().MinPairs(keys, values, k, valid, how[1], how[2]);\n"
                             "    else TopK().MaxPairs(keys, values, k, valid, how[1], how[2]);\n"
                             "    __syncthreads();\n"
                             "    if (least) KeysOnly().MinKeys(alone, k, valid, how[1], how[2]);\n"
                             "    else KeysOnly().MaxKeys(alone, k, valid, how[1], how[2]);\n"),
      .shapes = bits_shapes,
      .shape_count = COUNT_OF(bits_shapes),
      .slots = 4,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_top_bits,
  };
  collective_check(&test);
}
END_TEST

/* All bits of signed and floating-point keys, and no lower ones than the sign and the exponent's. */
static const collective_shape sign_shapes[] = {{96, 1, 1, 2, "float, double, f16, bf16"},
                                               {8, 5, 2, 3, "int8_t, int64_t, int128_t"}};

static void expect_signs(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s);
  int *keys = malloc((size_t)tile * sizeof *keys);
  for (int i = 0; i < tile; ++i) keys[i] = in[i] % 2;
  expect_top(keys, tile, how[0], 1, wanted, wanted + tile);
  for (int i = 0; i < how[0]; ++i) wanted[i] = in[wanted[tile + i]];
  free(keys);
}

START_TEST(top_ks_by_the_sign) {
  static const int how[][MOST_HOW] = {{20}, {79}};
  const collective_test test = {
      .name = "top-k by the sign",
      .source =
          "#include <jig/block/top_k.cuh>\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using TopK = jig::BlockTopK<T, S::x, S::n, int, S::y, S::z>;\n"
          "  jig::array<T, S::n> keys;\n"
          "  jig::array<int, S::n> values;\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    values[j] = S::thread() * S::n + j;\n"
          "    const int i = in[values[j]];\n"
          "    keys[j] = make<T>(i % 2 ? i + 1 : -i - 1);\n" /* odd items are positive, even ones negative
                                                              */
          "  }\n"
          "  TopK().MaxPairs(keys, values, how[0], S::tile, TopK::all_bits - 1, TopK::all_bits);\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int i = S::thread() * S::n + j;\n"
          "    if (i >= how[0]) continue;\n"
          "    const int item = in[values[j]];\n"
          "    out[i] = keys[j] == make<T>(item % 2 ? item + 1 : -item - 1) ? item : -7;\n"
          "    out[S::tile + i] = values[j];\n"
          "  }\n"
          "}\n",
      .shapes = sign_shapes,
      .shape_count = COUNT_OF(sign_shapes),
      .slots = 2,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_signs,
  };
  collective_check(&test);
}
END_TEST

/* ---- scans of tiles that are not full; sums; where digits begin */

static const collective_shape scan_shapes[] = {
    {32, 1, 1, 3, "int32_t, map"}, {100, 1, 1, 1, "map"}, {8, 6, 3, 4, "map"}, {512, 1, 1, 1, "map"}};

static void expect_scans(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), valid = least(how[0], tile), initial = 3;
  for (int algorithm = 0; algorithm < 2; ++algorithm) {
    int *w = wanted + (ptrdiff_t)algorithm * 5 * tile, sum = 0;
    for (int i = 0; i < valid; ++i) {
      if (i > 0) w[tile + i] = sum;
      w[3 * tile + i] = initial + sum;
      sum += in[i];
      w[i] = sum;
      w[2 * tile + i] = initial + sum;
    }
    for (int t = 0; valid > 0 && t < collective_threads(s); ++t) w[4 * tile + t] = sum;
  }
  int sum = 0;
  for (int i = 0; i < tile; ++i) {
    wanted[11 * tile + i] = sum;
    sum += in[i];
    wanted[10 * tile + i] = sum;
  }
  for (int digit = 0; digit < 16; ++digit) {
    int lower = 0;
    for (int i = 0; i < tile; ++i) lower += in[i] % 16 < digit;
    wanted[12 * tile + digit] = lower;
  }
}

START_TEST(partial_scans) {
  static const int how[][MOST_HOW] = {{1 << 20}, {0}, {1}, {33}, {95}};
  const collective_test test = {
      .name = "scan of a partial tile",
      .source =
          "#include <jig/block/radix_rank.cuh>\n"
          "#include <jig/block/scan.cuh>\n"
          "struct map { int sum, first, last; };\n"
          "template <> __device__ int value<map>(const map &x) { return x.sum; }\n"
          "struct join { static constexpr bool commutative = false;\n"
          "  __device__ map operator()(const map &a, const map &b) const {\n"
          "    return {a.sum < 0 || b.sum < 0 || a.last + 1 != b.first ? -1 : a.sum + b.sum, a.first, "
          "b.last}; } };\n"
          "template <class T> __device__ T item_of(int i, int place) {\n"
          "  if constexpr (jig::is_same<T, map>) return {i, place, place};\n"
          "  else return T(i);\n"
          "}\n"
          "template <class T, class S, jig::BlockScanAlgorithm A>\n"
          "__device__ void scans(const int *in, int *out, int valid) {\n"
          "  using Op = jig::conditional<jig::is_same<T, map>, join, jig::plus>;\n"
          "  using Scan = jig::BlockScan<T, S::x, A, S::y, S::z>;\n"
          "  __shared__ typename Scan::TempStorage storage;\n"
          "  jig::array<T, S::n> items;\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int i = S::thread() * S::n + j;\n"
          "    if (i < valid) items[j] = item_of<T>(in[i], i);\n"
          "  }\n"
          "  T all;\n"
          "  auto note = [&](int slot, const jig::array<T, S::n> &scanned) {\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      const int i = S::thread() * S::n + j;\n"
          "      if (i < valid) out[slot * S::tile + i] = slot == 1 && i == 0 ? 0 : value(scanned[j]);\n"
          "    }\n"
          "    if (valid > 0) out[4 * S::tile + S::thread()] = value(all);\n"
          "    __syncthreads();\n"
          "  };\n"
          "  const T initial = item_of<T>(3, -1);\n"
          "  note(0, Scan(storage).InclusiveScanPartialTile(items, Op(), valid, all));\n"
          "  note(1, Scan(storage).ExclusiveScanPartialTile(items, Op(), valid, all));\n"
          "  note(2, Scan(storage).InclusiveScanPartialTile(items, initial, Op(), valid, all));\n"
          "  note(3, Scan(storage).ExclusiveScanPartialTile(items, initial, Op(), valid, all));\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  const int valid = how[0] < S::tile ? how[0] : S::tile;\n"
          "  scans<T, S, jig::BlockScanAlgorithm::warp_scans>(in, out, valid);\n"
          "  scans<T, S, jig::BlockScanAlgorithm::raking>(in, out + 5 * S::tile, valid);\n"
          "  using Sum = jig::BlockScan<int, S::x, jig::BlockScanAlgorithm::raking_memoize, S::y, "
          "S::z>;\n"
          "  using Rank = jig::BlockRadixRank<S::x, 4, jig::BlockRadixRankAlgorithm::basic, S::y, "
          "S::z>;\n"
          "  jig::array<int, S::n> items;\n"
          "  jig::array<uint32_t, S::n> digits;\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    items[j] = in[S::thread() * S::n + j];\n"
          "    digits[j] = items[j] % 16;\n"
          "  }\n"
          "  int all;\n"
          "  const auto inclusive = Sum().InclusiveSum(items, all);\n"
          "  __syncthreads();\n"
          "  const auto exclusive = Sum().ExclusiveSum(items);\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    out[10 * S::tile + S::thread() * S::n + j] = inclusive[j];\n"
          "    out[11 * S::tile + S::thread() * S::n + j] = exclusive[j];\n"
          "  }\n"
          "  jig::array<int, Rank::digits_per_thread> starts;\n"
          "  (void)Rank().Rank(digits, starts);\n"
          "  for (int i = 0; i < Rank::digits_per_thread; ++i) {\n"
          "    const int digit = S::thread() * Rank::digits_per_thread + i;\n"
          "    if (digit < 16) out[12 * S::tile + digit] = starts[i];\n"
          "  }\n"
          "}\n",
      .shapes = scan_shapes,
      .shape_count = COUNT_OF(scan_shapes),
      .slots = 13,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_scans,
  };
  collective_check(&test);
}
END_TEST

/* ---- merge sort of keys with values */

static const collective_shape sort_shapes[] = {
    {32, 1, 1, 3, "int8_t, odd"}, {10, 3, 2, 2, "double"}, {256, 1, 1, 3, "f16"}};

static void expect_sorted(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), valid = least(how[0], tile);
  int *places = malloc((size_t)tile * sizeof *places);
  collective_sort_places(in, 0, valid, places);
  for (int i = 0; i < valid; ++i) {
    wanted[i] = in[places[i]];
    wanted[tile + i] = places[i];
  }
  free(places);
}

START_TEST(sorted_pairs) {
  static const int how[][MOST_HOW] = {{1 << 20}, {1}, {50}};
  const collective_test test = {
      .name = "merge sort of pairs",
      .source =
          "#include <jig/block/merge_sort_pairs.cuh>\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using Sort = jig::BlockMergeSortPairs<T, S::x, S::n, int, S::y, S::z>;\n"
          "  using Less = jig::conditional<jig::is_same<T, odd>, by_value, jig::less_than>;\n"
          "  jig::array<T, S::n> keys;\n"
          "  jig::array<int, S::n> values;\n"
          "  const int valid = how[0] < S::tile ? how[0] : S::tile;\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    values[j] = S::thread() * S::n + j;\n"
          "    if (values[j] < valid) keys[j] = make<T>(in[values[j]]);\n"
          "  }\n"
          "  if (valid == S::tile) Sort().StableSort(keys, values, Less());\n"
          "  else Sort().Sort(keys, values, Less(), valid);\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int i = S::thread() * S::n + j;\n"
          "    if (i >= valid) continue;\n"
          "    out[i] = value(keys[j]);\n"
          "    out[S::tile + i] = values[j];\n"
          "  }\n"
          "}\n",
      .shapes = sort_shapes,
      .shape_count = COUNT_OF(sort_shapes),
      .slots = 2,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_sorted,
  };
  collective_check(&test);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(histograms),    SUITE_TEST(run_length_decodings), SUITE_TEST(folds_in_any_order),
      SUITE_TEST(top_ks),        SUITE_TEST(top_ks_by_some_bits),  SUITE_TEST(top_ks_by_the_sign),
      SUITE_TEST(partial_scans), SUITE_TEST(sorted_pairs),
  };
  return SUITE_RUN("device/block_counts", tests, true);
}
