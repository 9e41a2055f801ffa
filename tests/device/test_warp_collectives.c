/* What logical warps do, as the author of a kernel uses it: what test_collectives.c,
 * test_scan_collectives.c and test_merge_collectives.c do not have. Every kernel has logical warps of
 * several widths, one after another. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "collective_support.h"
#include "numbers.h"
#include "suite.h"

/* Item i is that of lane i % stride of a logical warp, of which the first `width` lanes of each `stride`
 * are. */
typedef struct width {
  int threads, stride;
} width;
static const width widths[] = {{1, 1}, {4, 4}, {13, 32}, {16, 16}, {32, 32}};
#define WIDTHS "1, 4, 13, 16, 32"
/* each_width<widths>(each) calls it with each of them as a constant, and with its number in the list. */
#define SOURCE_START                                                                \
  "template <int Value> struct constant { static constexpr int value = Value; };\n" \
  "template <int... Widths, class Each> __device__ void each_width(Each each) {\n"  \
  "  int number = 0;\n"                                                             \
  "  (each(constant<Widths>(), number++), ...);\n"                                  \
  "}\n"

/* ---- segmented reduce; scans with an initial value of warps that are not full */

enum { REDUCE_SLOTS = 12 };
static const collective_shape fold_shapes[] = {{64, 1, 1, 1, "int32_t, map, double"}};

static int sum_of(const int *in, int first, int end) {
  int sum = 0;
  for (int i = first; i < end; ++i) sum += in[i];
  return sum;
}

static void expect_folds(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), initial = 3;
  for (size_t w = 0; w < COUNT_OF(widths); ++w) {
    const int n = widths[w].threads, stride = widths[w].stride, valid = how[0] < n ? how[0] : n;
    int *results = wanted + (ptrdiff_t)w * REDUCE_SLOTS * tile;
    for (int i = 0; i < tile; ++i) {
      const int lane = i % stride, first = i - lane, last = first + n - 1;
      if (lane >= n) continue;
      int head_end = i + 1, tail_end = i;
      while (head_end <= last && in[head_end] % 3 != 0) ++head_end;
      while (tail_end < last && in[tail_end] % 3 != 0) ++tail_end;
      if (lane == 0 || in[i] % 3 == 0) results[i] = sum_of(in, i, head_end);
      if (lane == 0 || in[i - 1] % 3 == 0) results[tile + i] = sum_of(in, i, tail_end + 1);
      const int before = sum_of(in, first, i), all_valid = sum_of(in, first, first + valid);
      const int whole = sum_of(in, first, first + n);
      if (lane < valid) {
        results[2 * tile + i] = initial + before + in[i];
        results[3 * tile + i] = initial + before;
      }
      results[4 * tile + i] = results[5 * tile + i] = all_valid;
      results[6 * tile + i] = before + in[i];
      results[7 * tile + i] = before;
      results[8 * tile + i] = initial + before + in[i];
      results[9 * tile + i] = initial + before;
      results[10 * tile + i] = whole;
      if (lane == 0) results[11 * tile + i] = 2 * whole;
    }
  }
}

START_TEST(segments_and_scans) {
  static const int how[][MOST_HOW] = {{1}, {2}, {7}, {32}};
  const collective_test test = {
      .name = "warp folds",
      /* Of `map` neighbours know each other: what is combined in another order becomes -1. */
      .source =
          "#include <jig/warp/reduce.cuh>\n"
          "#include <jig/warp/scan.cuh>\n" SOURCE_START
          "struct map { int sum, first, last; };\n"
          "template <> __device__ int value<map>(const map &x) { return x.sum; }\n"
          "struct join { static constexpr bool commutative = false;\n"
          "  __device__ map operator()(const map &a, const map &b) const {\n"
          "    return {a.sum < 0 || b.sum < 0 || a.last + 1 != b.first ? -1 : a.sum + b.sum, a.first, "
          "b.last}; } };\n"
          "template <class T> T __device__ item_of(int i, int place) {\n"
          "  if constexpr (jig::is_same<T, map>) return {i, place, place};\n"
          "  else return T(i);\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  each_width<" WIDTHS
          ">([&](auto width, int number) {\n"
          "    constexpr int n = width.value, stride = jig::is_power_of_two(n) ? n : 32;\n"
          "    using Op = jig::conditional<jig::is_same<T, map>, join, jig::plus>;\n"
          "    using Reduce = jig::WarpReduce<T, n>;\n"
          "    using Scan = jig::WarpScan<T, n>;\n"
          "    __shared__ union {\n"
          "      typename Reduce::TempStorage reduce; typename Scan::TempStorage scan;\n"
          "    } storages[S::threads / stride];\n"
          "    const int t = S::thread(), lane = t % stride, valid = how[0] < n ? how[0] : n;\n"
          "    if (lane >= n) return;\n"
          "    auto &storage = storages[t / stride];\n"
          "    int *result = out + number * 12 * S::tile + t;\n"
          "    auto note = [&](int slot, const T &x) { result[slot * S::tile] = value(x); };\n"
          "    const T x = item_of<T>(in[t], lane), initial = item_of<T>(3, -1);\n"
          "    const bool head = in[t] % 3 == 0;\n"
          "    auto sync = [&] { __syncwarp(jig::LogicalWarp<n>::mask()); };\n"
          "    const T by_heads = Reduce(storage.reduce).HeadSegmentedReduce(x, head, Op());\n"
          "    sync();\n"
          "    const T by_tails = Reduce(storage.reduce).TailSegmentedReduce(x, head, Op());\n"
          "    sync();\n"
          "    if (lane == 0 || head) note(0, by_heads);\n"
          "    if (lane == 0 || in[t - 1] % 3 == 0) note(1, by_tails);\n"
          "    T aggregate, inclusive, exclusive;\n"
          "    Scan scan(storage.scan);\n"
          "    const T some = scan.InclusiveScanPartial(x, initial, Op(), valid, aggregate);\n"
          "    if (lane < valid) note(2, some);\n"
          "    note(4, aggregate);\n"
          "    const T fewer = scan.ExclusiveScanPartial(x, initial, Op(), valid, aggregate);\n"
          "    if (lane < valid) note(3, fewer);\n"
          "    note(5, aggregate);\n"
          "    auto same = [&] {\n"
          "      if (lane < valid && (value(inclusive) != value(some) || value(exclusive) != "
          "value(fewer)))\n"
          "        note(3, item_of<T>(-2, 0));\n"
          "    };\n"
          "    scan.ScanPartial(x, inclusive, exclusive, initial, Op(), valid);\n"
          "    same();\n"
          "    scan.ScanPartial(x, inclusive, exclusive, Op(), valid);\n"
          "    inclusive = Op()(initial, inclusive), exclusive = lane > 0 ? Op()(initial, exclusive) : "
          "initial;\n"
          "    same();\n"
          "    inclusive = Op()(initial, scan.InclusiveScanPartial(x, Op(), valid));\n"
          "    exclusive = scan.ExclusiveScanPartial(x, initial, Op(), valid);\n"
          "    same();\n"
          "    if constexpr (jig::is_same<T, map>) {\n"
          "      scan.Scan(x, inclusive, exclusive, Op());\n"
          "      note(6, inclusive);\n"
          "      result[7 * S::tile] = lane == 0 ? 0 : value(exclusive);\n"
          "    } else {\n"
          "      note(6, scan.InclusiveSum(x));\n"
          "      note(7, scan.ExclusiveSum(x));\n"
          "    }\n"
          "    scan.Scan(x, inclusive, exclusive, initial, Op(), aggregate);\n"
          "    note(8, inclusive);\n"
          "    note(9, exclusive);\n"
          "    note(10, aggregate);\n"
          "    sync();\n"
          "    jig::array<T, 2> two = {item_of<T>(in[t], 2 * lane), item_of<T>(in[t], 2 * lane + 1)};\n"
          "    const T all = Reduce(storage.reduce).Reduce(two, Op());\n"
          "    if (lane == 0) note(11, all);\n"
          "  });\n"
          "}\n",
      .shapes = fold_shapes,
      .shape_count = COUNT_OF(fold_shapes),
      .slots = REDUCE_SLOTS * 5,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_folds,
  };
  collective_check(&test);
}
END_TEST

/* ---- sums, minima and maxima of numbers of every type */

static const collective_shape number_shapes[] = {
    {32, 1, 1, 1, "int8_t, int32_t, int64_t, int128_t, f16, bf16, float, double"}};

/* Small ones, whose sums all types hold. */
static void expect_numbers(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s);
  (void)how;
  int sum = 0, most = 0, least = 100, segment_end = 0;
  int most_so_far = 1;
  for (int i = 0; i < 32; ++i) {
    wanted[5 * tile + i] = sum;
    wanted[6 * tile + i] = i < 13 ? sum + in[i] % 4 : 0;
    wanted[7 * tile + i] = i < 13 ? most_so_far : 0;
    most_so_far = in[i] % 4 > most_so_far ? in[i] % 4 : most_so_far;
    sum += in[i] % 4;
    wanted[4 * tile + i] = sum;
    most = in[i] % 4 > most ? in[i] % 4 : most;
    least = in[i] % 4 < least ? in[i] % 4 : least;
  }
  wanted[0] = sum;
  wanted[tile] = most;
  wanted[2 * tile] = least;
  for (int first = 0; first < 32; first = segment_end) {
    int in_segment = 0;
    for (segment_end = first; segment_end < 32 && (segment_end == first || segment_end % 5 != 0);
         ++segment_end)
      in_segment += in[segment_end] % 4;
    wanted[3 * tile + first] = in_segment;
  }
}

START_TEST(numbers_of_every_type) {
  const collective_test test = {
      .name = "warp sums",
      .source =
          "#include <jig/warp/reduce.cuh>\n"
          "#include <jig/warp/scan.cuh>\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *) {\n"
          "  const int t = S::thread(), tile = S::tile, i = in[t] % 4;\n"
          "  const T x = jig::is_same<T, int128_t> ? T(i) : make<T>(i);\n"
          "  const T one = jig::is_same<T, int128_t> ? T(1) : make<T>(1);\n"
          "  jig::WarpReduce<T> reduce;\n"
          "  jig::WarpScan<T> scan;\n"
          "  auto number = [](T y) { if constexpr (jig::is_half<T>) return int(float(y)); else return "
          "int(y); };\n"
          "  const int sum = number(reduce.Sum(x)), most = number(reduce.Max(x)), least = "
          "number(reduce.Min(x));\n"
          "  const int segment = number(reduce.HeadSegmentedSum(x, t % 5 == 0));\n"
          "  if (t == 0) { out[0] = sum; out[tile] = most; out[2 * tile] = least; }\n"
          "  if (t % 5 == 0) out[3 * tile + t] = segment;\n"
          "  out[4 * tile + t] = number(scan.InclusiveSum(x));\n"
          "  out[5 * tile + t] = number(scan.ExclusiveSum(x));\n"
          "  const int some = number(scan.InclusiveScanPartial(x, jig::plus(), 13));\n"
          "  const int most_so_far = number(scan.ExclusiveScanPartial(x, one, jig::maximum<false>(), "
          "13));\n"
          "  out[6 * tile + t] = t < 13 ? some : 0;\n"
          "  out[7 * tile + t] = t < 13 ? most_so_far : 0;\n"
          "}\n",
      .shapes = number_shapes,
      .shape_count = COUNT_OF(number_shapes),
      .slots = 8,
      .expect = expect_numbers,
  };
  collective_check(&test);
}
END_TEST

/* ---- several batches at once: results where their batches say */

static const collective_shape batch_shapes[] = {
    {32, 1, 1, 1, "float"}, {32, 1, 1, 3, "map"}, {32, 1, 1, 40, "odd_sum"}};

static void expect_batches(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int batches = s->items, tile = collective_tile(s);
  (void)how;
  for (int narrow = 0; narrow < 2; ++narrow) {
    const int lanes = narrow ? 8 : 32, results = (batches + lanes - 1) / lanes;
    for (int batch = 0; batch < batches; ++batch) {
      for (int first = 0; first < 32; first += lanes) {
        int sum = 0;
        for (int lane = 0; lane < lanes; ++lane) sum += in[(first + lane) * batches + batch];
        const int striped = (batch / lanes) * 32 + first + batch % lanes;
        const int blocked = (batch % results) * 32 + first + batch / results;
        wanted[2 * narrow * tile + striped] = wanted[(2 * narrow + 1) * tile + blocked] = sum;
      }
    }
  }
}

START_TEST(batches) {
  const collective_test test = {
      .name = "batched warp reduce",
      .source =
          "#include <jig/warp/reduce_batched.cuh>\n"
          "struct map { int sum, first, last; };\n"
          "template <> __device__ int value<map>(const map &x) { return x.sum; }\n"
          "struct join { static constexpr bool commutative = false;\n"
          "  __device__ map operator()(const map &a, const map &b) const {\n"
          "    return {a.sum < 0 || b.sum < 0 || a.last + 1 != b.first ? -1 : a.sum + b.sum, a.first, "
          "b.last}; } };\n"
          "struct odd_sum { uint16_t sum; uint8_t unused; };\n"
          "template <> __device__ int value<odd_sum>(const odd_sum &x) { return x.unused == 7 ? x.sum : "
          "-1; }\n"
          "struct add_odd {\n"
          "  __device__ odd_sum operator()(const odd_sum &a, const odd_sum &b) const {\n"
          "    return {uint16_t(a.sum + b.sum), a.unused}; } };\n"
          "template <class T> __device__ T item_of(int i, int lane) {\n"
          "  if constexpr (jig::is_same<T, map>) return {i, lane, lane};\n"
          "  else if constexpr (jig::is_same<T, odd_sum>) return {uint16_t(i), 7};\n"
          "  else return T(i);\n"
          "}\n"
          "template <class T, class S, int lanes> __device__ void reduce(const int *in, int *out) {\n"
          "  using Op = jig::conditional<jig::is_same<T, map>, join,\n"
          "                              jig::conditional<jig::is_same<T, odd_sum>, add_odd, "
          "jig::plus>>;\n"
          "  using Reduce = jig::WarpReduceBatched<T, S::n, lanes>;\n"
          "  const int t = S::thread(), lane = t % lanes;\n"
          "  jig::array<T, S::n> items;\n"
          "  for (int j = 0; j < S::n; ++j) items[j] = item_of<T>(in[t * S::n + j], lane);\n"
          "  const auto striped = Reduce().ReduceToStriped(items, Op()), blocked = "
          "Reduce().ReduceToBlocked(items, Op());\n"
          "  for (int k = 0; k < Reduce::results; ++k) {\n"
          "    if (k * lanes + lane < S::n) out[k * 32 + t] = value(striped[k]);\n"
          "    if (lane * Reduce::results + k < S::n) out[S::tile + k * 32 + t] = value(blocked[k]);\n"
          "  }\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *) {\n"
          "  reduce<T, S, 32>(in, out);\n"
          "  reduce<T, S, 8>(in, out + 2 * S::tile);\n"
          "}\n",
      .shapes = batch_shapes,
      .shape_count = COUNT_OF(batch_shapes),
      .slots = 4,
      .expect = expect_batches,
  };
  collective_check(&test);
}
END_TEST

/* ---- exchange, load and store: results at the places of the tile that they came from */

static const collective_shape move_shapes[] = {
    {64, 1, 1, 4, "int8_t, double"}, {32, 1, 1, 8, "odd"}, {32, 1, 1, 2, "int128_t"}};
enum { MOVE_SLOTS = 6, MOVE_WIDTHS = 3 };
static const width move_widths[] = {{8, 8}, {13, 32}, {32, 32}};

static void expect_moves(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), items = s->items;
  for (int w = 0; w < MOVE_WIDTHS; ++w) {
    const int n = move_widths[w].threads, stride = move_widths[w].stride, own = n * items;
    const int valid = how[0] < 0 || how[0] > own ? own : how[0];
    int *results = wanted + (ptrdiff_t)w * MOVE_SLOTS * tile;
    for (int t = 0; t < collective_threads(s); ++t) {
      const int lane = t % stride, first = t / stride * stride * items;
      if (lane >= n) continue;
      for (int j = 0; j < items; ++j) {
        const int i = lane * items + j, striped = j * n + lane;
        results[first + i] = in[first + striped];
        results[tile + first + i] = in[first + i];
        results[2 * tile + first + i] = in[first + own - 1 - striped];
        for (int k = 3; k < MOVE_SLOTS; ++k)
          results[k * tile + first + i] = i < valid ? in[first + i] : 99;
      }
    }
  }
}

START_TEST(moves) {
  static const int how[][MOST_HOW] = {{-1}, {0}, {5}, {33}};
  const collective_test test = {
      .name = "warp moves",
      .source =
          "#include <jig/warp/exchange.cuh>\n"
          "#include <jig/warp/load.cuh>\n"
          "#include <jig/warp/store.cuh>\n" SOURCE_START
          "template <class T, class S, int n, jig::WarpLoadAlgorithm L, jig::WarpStoreAlgorithm St>\n"
          "__device__ void transfer(T *from, T *to, int valid, int *result) {\n"
          "  constexpr int stride = jig::is_power_of_two(n) ? n : 32;\n"
          "  using Load = jig::WarpLoad<T, S::n, L, n>;\n"
          "  using Store = jig::WarpStore<T, S::n, St, n>;\n"
          "  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; }\n"
          "      storages[S::threads / stride];\n"
          "  auto &storage = storages[S::thread() / stride];\n"
          "  const int lane = S::thread() % stride;\n"
          "  jig::array<T, S::n> items;\n"
          "  for (int j = 0; j < S::n; ++j) to[lane * S::n + j] = make<T>(99);\n"
          "  __syncwarp(jig::LogicalWarp<n>::mask());\n"
          "  Load load(storage.load);\n"
          "  if (valid < 0) load.Load(from, 0, items);\n"
          "  else load.Load(from, 0, items, valid, make<T>(98));\n"
          "  __syncwarp(jig::LogicalWarp<n>::mask());\n"
          "  Store store(storage.store);\n"
          "  if (valid < 0) store.Store(to, 0, items);\n"
          "  else store.Store(to, 0, items, valid);\n"
          "  __syncwarp(jig::LogicalWarp<n>::mask());\n"
          "  for (int j = 0; j < S::n; ++j) result[lane * S::n + j] = value(to[lane * S::n + j]);\n"
          "  __syncwarp(jig::LogicalWarp<n>::mask());\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  alignas(16) __shared__ unsigned char memory[2 * sizeof(T) * S::tile];\n"
          "  T *data = reinterpret_cast<T *>(memory), *stored = data + S::tile;\n"
          "  for (int i = S::thread(); i < S::tile; i += S::threads) data[i] = make<T>(in[i]);\n"
          "  __syncthreads();\n"
          "  each_width<8, 13, 32>([&](auto width, int number) {\n"
          "    constexpr int n = width.value, stride = jig::is_power_of_two(n) ? n : 32;\n"
          "    using Exchange = jig::WarpExchange<T, S::n, n>;\n"
          "    __shared__ typename Exchange::TempStorage storages[S::threads / stride];\n"
          "    const int t = S::thread(), lane = t % stride, first = t / stride * stride * S::n;\n"
          "    if (lane < n) {\n"
          "    int *result = out + number * 6 * S::tile + first;\n"
          "    jig::array<T, S::n> items, striped;\n"
          "    jig::array<int, S::n> ranks;\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      items[j] = data[first + lane * S::n + j];\n"
          "      ranks[j] = n * S::n - 1 - (lane * S::n + j);\n"
          "    }\n"
          "    auto note = [&](int slot, const jig::array<T, S::n> &moved) {\n"
          "      for (int j = 0; j < S::n; ++j) result[slot * S::tile + lane * S::n + j] = "
          "value(moved[j]);\n"
          "      __syncwarp(jig::LogicalWarp<n>::mask());\n"
          "    };\n"
          "    Exchange exchange(storages[t / stride]);\n"
          "    note(0, striped = exchange.BlockedToStriped(items));\n"
          "    note(1, exchange.StripedToBlocked(striped));\n"
          "    note(2, exchange.ScatterToStriped(items, ranks));\n"
          "    if constexpr (n == S::n) {\n"
          "      jig::WarpExchange<T, n, n, jig::WarpExchangeAlgorithm::shuffle> shuffle;\n"
          "      note(0, striped = shuffle.BlockedToStriped(items));\n"
          "      note(1, shuffle.StripedToBlocked(striped));\n"
          "    }\n"
          "    using L = jig::WarpLoadAlgorithm;\n"
          "    using St = jig::WarpStoreAlgorithm;\n"
          "    transfer<T, S, n, L::transpose, St::direct>(data + first, stored + first, how[0], result "
          "+ 3 * S::tile);\n"
          "    transfer<T, S, n, L::striped, St::striped>(data + first, stored + first, how[0], result + "
          "4 * S::tile);\n"
          "    if constexpr (!jig::is_same<T, odd> && S::n * sizeof(T) % 16 == 0)\n"
          "      transfer<T, S, n, L::vectorized, St::vectorized>(data + first, stored + first, how[0],\n"
          "                                                       result + 5 * S::tile);\n"
          "    else\n"
          "      transfer<T, S, n, L::direct, St::transpose>(data + first, stored + first, how[0],\n"
          "                                                  result + 5 * S::tile);\n"
          "    }\n"
          "  });\n"
          "}\n",
      .shapes = move_shapes,
      .shape_count = COUNT_OF(move_shapes),
      .slots = MOVE_SLOTS * MOVE_WIDTHS,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_moves,
  };
  collective_check(&test);
}
END_TEST

/* ---- sorts with values: by merging, which keeps the order of equal keys, and by a bitonic network,
 * which does not */

static const collective_shape sort_shapes[] = {
    {32, 1, 1, 1, "f16, odd"}, {64, 1, 1, 3, "double"}, {32, 1, 1, 4, "float"}};
enum { SORT_SLOTS = 4, SORT_WIDTHS = 2 };
static const int sort_widths[] = {4, 32};

static void expect_sorts(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s);
  int *places = malloc((size_t)tile * sizeof *places);
  for (int w = 0; w < SORT_WIDTHS; ++w) {
    const int own = sort_widths[w] * s->items, valid = how[0] < own ? how[0] : own;
    int *results = wanted + (ptrdiff_t)w * SORT_SLOTS * tile;
    for (int first = 0; first < tile; first += own) {
      collective_sort_places(in, first, valid, places);
      for (int i = 0; i < valid; ++i) {
        results[first + i] = results[2 * tile + first + i] = in[places[i]];
        results[tile + first + i] = places[i];
        results[3 * tile + first + i] = 0;
      }
    }
  }
  free(places);
}

START_TEST(sorts) {
  static const int how[][MOST_HOW] = {{1 << 20}, {1}, {5}, {30}};
  const collective_test test = {
      .name = "warp sorts",
      .source =
          "#include <jig/warp/bitonic_sort.cuh>\n"
          "#include <jig/warp/merge_sort_pairs.cuh>\n" SOURCE_START
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  each_width<4, 32>([&](auto width, int number) {\n"
          "    constexpr int n = width.value, own = n * S::n;\n"
          "    using Sort = jig::WarpMergeSortPairs<T, S::n, int, n>;\n"
          "    using Bitonic = jig::WarpBitonicSort<T, S::n, n, int>;\n"
          "    using Less = jig::conditional<jig::is_same<T, odd>, by_value, jig::less_than>;\n"
          "    __shared__ typename Sort::TempStorage storages[S::threads / n];\n"
          "    const int t = S::thread(), lane = t % n, first = t / n * own;\n"
          "    int *result = out + number * 4 * S::tile + first;\n"
          "    jig::array<T, S::n> items, keys;\n"
          "    jig::array<int, S::n> places, values;\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      places[j] = first + lane * S::n + j;\n"
          "      if (lane * S::n + j < how[0]) items[j] = make<T>(in[places[j]]);\n"
          "    }\n"
          "    keys = items, values = places;\n"
          "    Sort sort(storages[t / n]);\n"
          "    if (how[0] >= own) sort.Sort(keys, values, Less());\n"
          "    else sort.StableSort(keys, values, Less(), how[0]);\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      if (lane * S::n + j >= how[0]) continue;\n"
          "      result[lane * S::n + j] = value(keys[j]);\n"
          "      result[S::tile + lane * S::n + j] = values[j];\n"
          "    }\n"
          "    auto alone = items;\n"
          "    keys = items, values = places;\n"
          "    if (how[0] >= own) Bitonic().Sort(keys, values, Less());\n"
          "    else Bitonic().Sort(keys, values, Less(), how[0]);\n"
          "    if (how[0] >= own) jig::WarpBitonicSort<T, S::n, n>().Sort(alone, Less());\n"
          "    else jig::WarpBitonicSort<T, S::n, n>().Sort(alone, Less(), how[0]);\n"
          "    for (int j = 0; j < S::n; ++j) {\n"
          "      if (lane * S::n + j >= how[0]) continue;\n"
          "      result[2 * S::tile + lane * S::n + j] = value(alone[j]);\n"
          "      result[3 * S::tile + lane * S::n + j] = value(keys[j]) - in[values[j]];\n"
          "    }\n"
          "  });\n"
          "}\n",
      .shapes = sort_shapes,
      .shape_count = COUNT_OF(sort_shapes),
      .slots = SORT_SLOTS * SORT_WIDTHS,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_sorts,
  };
  collective_check(&test);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(segments_and_scans),
      SUITE_TEST(numbers_of_every_type),
      SUITE_TEST(batches),
      SUITE_TEST(moves),
      SUITE_TEST(sorts),
  };
  return SUITE_RUN("device/warp_collectives", tests, true);
}
