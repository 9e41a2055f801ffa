/* How blocks move items, from thread to thread and from global memory to shared: what
 * test_exchange_collectives.c does not have. */
#include <jig/jig.h>

#include "collective_support.h"
#include "numbers.h"
#include "suite.h"

static const char all[] = "int8_t, int32_t, int64_t, int128_t, f16, bf16, float, double, odd";
static const char some[] = "int8_t, int64_t, odd", others[] = "bf16, float, int128_t",
                  more[] = "f16, int32_t, double";

/* A permutation of the tile's places. */
static int rank_of(int i, int tile) {
  return tile - 1 - i;
}

/* ---- exchange by slices, and by ranks of which some are left out */

static const collective_shape exchange_shapes[] = {
    {32, 1, 1, 3, "int8_t, float"}, {96, 1, 1, 4, "odd"},       {8, 6, 2, 2, "bf16, int128_t"},
    {33, 1, 1, 2, "double"},        {1024, 1, 1, 2, "int32_t"},
};

/* Results as threads hold them, item j of thread t at t * n + j; of the scatters the places with items
 * are told. */
static void expect_exchange(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int threads = collective_threads(s), n = s->items, tile = threads * n;
  (void)how;
  for (int i = 0; i < tile; ++i) {
    const int t = i / n, j = i % n, striped = j * threads + t;
    const int warp_striped = t / 32 * 32 * n + j * 32 + t % 32;
    for (int k = 0; k < 2; ++k) { /* by slices, and at once */
      int *w = wanted + (ptrdiff_t)k * 8 * tile;
      w[striped] = in[i];
      w[tile + i] = in[striped];
      const int from_rank = rank_of(i, tile), from_striped = rank_of(striped, tile);
      w[2 * tile + i] = in[from_rank];
      w[3 * tile + i] = in[from_striped];
      if (from_rank % 3 != 0) w[4 * tile + i] = in[from_rank];
      if (from_striped % 3 != 0) w[5 * tile + i] = in[from_striped];
      if (threads % 32 == 0) {
        w[6 * tile + warp_striped] = in[i];
        w[7 * tile + i] = in[warp_striped];
      }
    }
  }
}

START_TEST(exchanges) {
  const collective_test test = {
      .name = "exchange",
      .source =
          "#include <jig/block/exchange.cuh>\n"
          "#include <jig/block/exchange_time_sliced.cuh>\n"
          "template <class Exchange, class T, class S> __device__ void all_moves(const int *in, int "
          "*out) {\n"
          "  __shared__ typename Exchange::TempStorage storage;\n"
          "  jig::array<T, S::n> items;\n"
          "  jig::array<int, S::n> ranks, guarded;\n"
          "  jig::array<bool, S::n> flags;\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int i = S::thread() * S::n + j;\n"
          "    items[j] = make<T>(in[i]);\n"
          "    ranks[j] = S::tile - 1 - i;\n"
          "    flags[j] = i % 3 != 0;\n"
          "    guarded[j] = flags[j] ? ranks[j] : -1 - j;\n"
          "  }\n"
          "  int slot = 0;\n"
          "  auto note = [&](const jig::array<T, S::n> &moved, auto holds) {\n"
          "    for (int j = 0; j < S::n; ++j)\n"
          "      if (holds(j)) out[slot * S::tile + S::thread() * S::n + j] = value(moved[j]);\n"
          "    ++slot;\n"
          "    __syncthreads();\n"
          "  };\n"
          "  auto all = [](int) { return true; };\n"
          "  auto blocked = [](int j) { return (S::tile - 1 - (S::thread() * S::n + j)) % 3 != 0; };\n"
          "  auto striped = [](int j) { return (S::tile - 1 - (j * S::threads + S::thread())) % 3 != 0; "
          "};\n"
          "  note(Exchange(storage).StripedToBlocked(items), all);\n"
          "  note(Exchange(storage).BlockedToStriped(items), all);\n"
          "  note(Exchange(storage).ScatterToBlocked(items, ranks), all);\n"
          "  note(Exchange(storage).ScatterToStriped(items, ranks), all);\n"
          "  note(Exchange(storage).ScatterToBlockedGuarded(items, guarded), blocked);\n"
          "  note(Exchange(storage).ScatterToStripedFlagged(items, ranks, flags), striped);\n"
          "  if constexpr (S::threads % 32 == 0) {\n"
          "    note(Exchange(storage).WarpStripedToBlocked(items), all);\n"
          "    note(Exchange(storage).BlockedToWarpStriped(items), all);\n"
          "  }\n"
          "  slot = 4;\n"
          "  note(Exchange(storage).ScatterToBlockedFlagged(items, ranks, flags), blocked);\n"
          "  note(Exchange(storage).ScatterToStripedGuarded(items, guarded), striped);\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *) {\n"
          "  all_moves<jig::BlockExchangeTimeSliced<T, S::x, S::n, S::y, S::z>, T, S>(in, out);\n"
          "  all_moves<jig::BlockExchange<T, S::x, S::n, S::y, S::z>, T, S>(in, out + 8 * S::tile);\n"
          "}\n",
      .shapes = exchange_shapes,
      .shape_count = COUNT_OF(exchange_shapes),
      .slots = 16,
      .expect = expect_exchange,
  };
  collective_check(&test);
}
END_TEST

/* ---- load and store by every algorithm, through plain pointers */

static const collective_shape transfer_shapes[] = {
    {64, 3, 1, 4, "int8_t, odd, double"}, {32, 2, 2, 4, "f16, int32_t"}, {1024, 1, 1, 4, "float"}};

static void expect_transfer(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), valid = how[0] < 0 ? tile : how[0] < tile ? how[0] : tile;
  for (int slot = 0; slot < 4; ++slot)
    for (int i = 0; i < tile; ++i)
      wanted[slot * tile + i] = i < valid ? in[i + how[1]] : slot % 2 == 1 ? MOST_VALUE : -5;
}

START_TEST(transfers) {
  static const int how[][MOST_HOW] = {{-1, 0}, {-1, 1}, {50, 0}, {0, 3}, {1, 0}};
  const collective_test test = {
      .name = "load and store",
      .source =
          "#include <jig/block/load.cuh>\n"
          "#include <jig/block/store.cuh>\n"
          "template <class T, class S, jig::BlockLoadAlgorithm L, jig::BlockStoreAlgorithm St>\n"
          "__device__ void transfer(const int *in, int *out, const int *how, T *data, T *stored) {\n"
          "  using Load = jig::BlockLoad<T, S::x, S::n, L, S::y, S::z>;\n"
          "  using Store = jig::BlockStore<T, S::x, S::n, St, S::y, S::z>;\n"
          "  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } "
          "storage;\n"
          "  for (int i = S::thread(); i < S::tile + 4; i += S::threads) data[i] = make<T>(in[i]);\n"
          "  for (int i = S::thread(); i < S::tile; i += S::threads) stored[i] = make<T>(100);\n"
          "  __syncthreads();\n"
          "  jig::array<T, S::n> items;\n"
          "  if (how[0] < 0) Load(storage.load).Load((const T *)data, how[1], items);\n"
          "  else Load(storage.load).Load((const T *)data, how[1], items, how[0], make<T>(77));\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    const int place = S::thread() * S::n + j;\n"
          "    out[place] = how[0] >= 0 && place >= how[0] ? -5 : value(items[j]);\n"
          "    if (how[0] >= 0 && place >= how[0] && value(items[j]) != 77) out[place] = -6;\n"
          "  }\n"
          "  __syncthreads();\n"
          "  if (how[0] < 0) Store(storage.store).Store(stored, 0, items);\n"
          "  else Store(storage.store).Store(stored, 0, items, how[0]);\n"
          "  __syncthreads();\n"
          "  for (int i = S::thread(); i < S::tile; i += S::threads) out[S::tile + i] = "
          "value(stored[i]);\n"
          "  __syncthreads();\n"
          "}\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using L = jig::BlockLoadAlgorithm;\n"
          "  using St = jig::BlockStoreAlgorithm;\n"
          "  alignas(16) __shared__ unsigned char memory[2 * sizeof(T) * (S::tile + 4)];\n"
          "  T *data = reinterpret_cast<T *>(memory), *stored = data + S::tile + 4;\n"
          "  transfer<T, S, L::warp_transpose_time_sliced, St::warp_transpose_time_sliced>(in, out, how, "
          "data, stored);\n"
          "  if constexpr (jig::is_same<T, odd>)\n"
          "    transfer<T, S, L::direct, St::transpose>(in, out + 2 * S::tile, how, data, stored);\n"
          "  else if constexpr (S::n % (16 / sizeof(T)) == 0)\n"
          "    transfer<T, S, L::vectorized, St::vectorized>(in, out + 2 * S::tile, how, data, stored);\n"
          "  else\n"
          "    transfer<T, S, L::transpose, St::direct>(in, out + 2 * S::tile, how, data, stored);\n"
          "}\n",
      .shapes = transfer_shapes,
      .shape_count = COUNT_OF(transfer_shapes),
      .slots = 4,
      .in_extra = 4,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_transfer,
  };
  collective_check(&test);
}
END_TEST

/* ---- shuffle */

static const collective_shape shuffle_shapes[] = {{32, 1, 1, 1, all},
                                                  {96, 1, 1, 3, some},
                                                  {5, 7, 3, 2, others},
                                                  {33, 5, 1, 4, more},
                                                  {1024, 1, 1, 1, "odd"}};

static void expect_shuffle(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int threads = collective_threads(s), n = s->items, tile = threads * n, distance = how[0];
  for (int t = 0; t < threads; ++t) {
    const int source = t + distance;
    wanted[t] = in[source >= 0 && source < threads ? source : t];
    wanted[tile + t] = in[(t + (distance < 0 ? -distance : distance)) % threads];
    wanted[4 * tile + t] = in[tile - 1];
    wanted[5 * tile + t] = in[0];
  }
  for (int i = 0; i < tile; ++i) {
    wanted[2 * tile + i] = in[i > 0 ? i - 1 : 0];
    wanted[3 * tile + i] = in[i + 1 < tile ? i + 1 : i];
  }
}

START_TEST(shuffles) {
  static const int how[][MOST_HOW] = {{1}, {-1}, {40}, {-31}, {0}, {2000}};
  const collective_test test = {
      .name = "shuffle",
      .source =
          "#include <jig/block/shuffle.cuh>\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using Shuffle = jig::BlockShuffle<T, S::x, S::y, S::z>;\n"
          "  __shared__ typename Shuffle::TempStorage storage;\n"
          "  const int t = S::thread(), tile = S::tile;\n"
          "  out[t] = value(Shuffle().Offset(make<T>(in[t]), how[0]));\n"
          "  out[tile + t] = value(Shuffle(storage).Rotate(make<T>(in[t]), how[0] < 0 ? -how[0] : "
          "how[0]));\n"
          "  __syncthreads();\n"
          "  jig::array<T, S::n> items;\n"
          "  for (int j = 0; j < S::n; ++j) items[j] = make<T>(in[t * S::n + j]);\n"
          "  T suffix, prefix;\n"
          "  const auto up = how[0] == 1 ? Shuffle(storage).Up(items, suffix) : "
          "Shuffle(storage).Up(items);\n"
          "  __syncthreads();\n"
          "  const auto down = Shuffle(storage).Down(items, prefix);\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    out[2 * tile + t * S::n + j] = value(up[j]);\n"
          "    out[3 * tile + t * S::n + j] = value(down[j]);\n"
          "  }\n"
          "  out[4 * tile + t] = how[0] == 1 ? value(suffix) : in[tile - 1];\n"
          "  out[5 * tile + t] = value(prefix);\n"
          "}\n",
      .shapes = shuffle_shapes,
      .shape_count = COUNT_OF(shuffle_shapes),
      .slots = 6,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_shuffle,
  };
  collective_check(&test);
}
END_TEST

/* ---- discontinuities by items and places */

static const collective_shape flag_shapes[] = {{96, 1, 1, 3, "int8_t, odd"}, {5, 7, 3, 2, "double"}};

static bool begins(const int *in, int i) {
  return in[i] != in[i - 1] || i % 10 == 0;
}

static void expect_flags(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s);
  (void)how;
  for (int i = 0; i < tile; ++i) {
    wanted[i] = i == 0 || begins(in, i);
    wanted[tile + i] = i + 1 == tile || begins(in, i + 1);
  }
}

START_TEST(flags_by_place) {
  const collective_test test = {
      .name = "discontinuity by place",
      .source =
          "#include <jig/block/discontinuity.cuh>\n"
          "struct differ {\n"
          "  template <class T> __device__ bool operator()(const T &a, const T &b, int place) const {\n"
          "    return value(a) != value(b) || place % 10 == 0;\n"
          "  }\n"
          "};\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *) {\n"
          "  jig::array<T, S::n> items;\n"
          "  jig::array<bool, S::n> heads, tails;\n"
          "  for (int j = 0; j < S::n; ++j) items[j] = make<T>(in[S::thread() * S::n + j]);\n"
          "  jig::BlockDiscontinuity<T, S::x, S::y, S::z>().FlagHeadsAndTails(heads, tails, items, "
          "differ());\n"
          "  for (int j = 0; j < S::n; ++j) {\n"
          "    out[S::thread() * S::n + j] = heads[j];\n"
          "    out[S::tile + S::thread() * S::n + j] = tails[j];\n"
          "  }\n"
          "}\n",
      .shapes = flag_shapes,
      .shape_count = COUNT_OF(flag_shapes),
      .slots = 2,
      .expect = expect_flags,
  };
  collective_check(&test);
}
END_TEST

/* ---- load to shared memory: two runs at once, twice into the same buffers; from any address */

static const collective_shape shared_shapes[] = {{32, 1, 1, 7, all},
                                                 {96, 1, 1, 3, "int8_t, odd, double"},
                                                 {8, 4, 4, 8, more},
                                                 {1024, 1, 1, 1, "int8_t"}};

static void expect_shared(const collective_shape *s, const int *in, const int *how, int *wanted) {
  const int tile = collective_tile(s), count = how[0] < tile ? how[0] : tile;
  for (int slot = 0; slot < 3; ++slot) {
    for (int i = 0; i < count; ++i) wanted[slot * tile + i] = in[(slot == 1 ? 0 : how[1]) + i];
  }
}

START_TEST(loads_to_shared) {
  static const int how[][MOST_HOW] = {{1 << 20, 0}, {1 << 20, 1}, {100, 3}, {1, 2}, {0, 0}, {17, 5}};
  const collective_test test = {
      .name = "load to shared",
      .source =
          "#include <jig/block/load_to_shared.cuh>\n"
          "template <class T, class S> __device__ T global_data[S::tile + 8];\n"
          "template <class T, class S> __device__ void body(const int *in, int *out, const int *how) {\n"
          "  using Load = jig::BlockLoadToShared<S::x, S::y, S::z>;\n"
          "  constexpr int bytes = Load::template buffer_bytes<T>(S::tile);\n"
          "  alignas(16) __shared__ unsigned char first[bytes], second[bytes];\n"
          "  __shared__ typename Load::TempStorage storage;\n"
          "  T *data = global_data<T, S>;\n"
          "  const int t = S::thread(), count = how[0] < S::tile ? how[0] : S::tile;\n"
          "  for (int i = t; i < S::tile + 8; i += S::threads) data[i] = make<T>(in[i]);\n"
          "  __threadfence();\n"
          "#if __CUDA_ARCH__ >= 900\n"
          "  asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n"
          "#endif\n"
          "  __syncthreads();\n"
          "  Load load(storage);\n"
          "  T *a = load.CopyAsync(first, data + how[1], count), *b = load.CopyAsync(second, data, "
          "count);\n"
          "  const auto token = load.Commit();\n"
          "  load.Wait(token);\n"
          "  for (int i = t; i < count; i += S::threads) {\n"
          "    out[i] = value(a[i]);\n"
          "    out[S::tile + i] = value(b[i]);\n"
          "  }\n"
          "  __syncthreads();\n"
          "  T *c = load.CopyAsync(second, data + how[1], count);\n"
          "  load.CommitAndWait();\n"
          "  for (int i = t; i < count; i += S::threads) out[2 * S::tile + i] = value(c[i]);\n"
          "  load.Invalidate();\n"
          "}\n",
      .shapes = shared_shapes,
      .shape_count = COUNT_OF(shared_shapes),
      .slots = 3,
      .in_extra = 8,
      .how = how,
      .how_count = COUNT_OF(how),
      .expect = expect_shared,
  };
  collective_check(&test);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(exchanges),      SUITE_TEST(transfers),       SUITE_TEST(shuffles),
      SUITE_TEST(flags_by_place), SUITE_TEST(loads_to_shared),
  };
  return SUITE_RUN("device/block_moves", tests, true);
}
