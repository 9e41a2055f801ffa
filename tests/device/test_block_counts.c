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

START_TEST(top_ks) {
  static const int how[][MOST_HOW] = {{1, 1 << 20},       {10, 1 << 20}, {50, 90},
                                      {1 << 20, 1 << 20}, {0, 7},        {5, 4}};
  const collective_test test = {
      .name = "top-k",
      .source =
          "#include <jig/block/top_k.cuh>\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using TopK = jig::BlockTopK<T, S::x, S::n, int, S::y, S::z>;\n"
          "  using KeysOnly = jig::BlockTopK<T, S::x, S::n, jig::none, S::y, S::z>;\n"
          "  __shared__ typename TopK::TempStorage storage;\n"
          "  const int valid = how[1] < S::tile ? how[1] : S::tile, k = how[0] < valid ? how[0] : "
          "valid;\n"
          "  for (int least = 0; least < 2; ++least) {\n"
          "    jig::array<T, S::n> keys;\n"
          "    jig::array<int, S::n> values;\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      values[j] = S::thread() * S::n + j;\n"
          "      if (values[j] < valid) keys[j] = make<T>(in[values[j]]);\n"
          "    }\n"
          "    auto alone = keys;\n"
          "    if (least) TopK(storage).MinPairs(keys, values, how[0], valid);\n"
          "    else TopK(storage).MaxPairs(keys, values, how[0], valid);\n"
          "    __syncthreads();\n"
          "    if (least) KeysOnly().MinKeys(alone, how[0], valid);\n"
          "    else if (valid == S::tile) KeysOnly().MaxKeys(alone, how[0]);\n"
          "    else KeysOnly().MaxKeys(alone, how[0], valid);\n"
          "    __syncthreads();\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      const int i = S::thread() * S::n + j;\n"
          "      if (i >= k) continue;\n"
          "      out[2 * least * S::tile + i] = value(keys[j]) == value(alone[j]) ? value(keys[j]) : "
          "-7;\n"
          "      out[(2 * least + 1) * S::tile + i] = values[j];\n"
          "    }\n"
          "  }\n"
          "}\n",
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
          "  Rank().Rank(digits, starts);\n"
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
      SUITE_TEST(histograms),    SUITE_TEST(run_length_decodings), SUITE_TEST(top_ks),
      SUITE_TEST(partial_scans), SUITE_TEST(sorted_pairs),
  };
  return SUITE_RUN("device/block_counts", tests, true);
}
