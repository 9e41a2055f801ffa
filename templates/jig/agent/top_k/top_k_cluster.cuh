// What the blocks of a cluster, or one by itself, do that find a top-k without others.
//
// Each has a share of the items, and holds it if it is no more than a tile. Of each digit every block adds up what all
// have counted of a slice of the bins, and tells all of them.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/agent/top_k/top_k_search.cuh>
#include <jig/core/cluster.cuh>
#include <jig/warp/fold_of_lanes.cuh>

namespace jig {

// Steps take long, and so do bins that all blocks tell each other; few items leave few in each of these.
constexpr int top_k_cluster_digit_bits = 9;

// What the blocks of a cluster tell each other: how many of the lowest bits differ, and counters of digits, of several
// searches.
template <int Threads, int MostBlocks, int Searches> class TopKClusterCounts {
 public:
  static constexpr int digits = 1 << top_k_cluster_digit_bits, words = Searches * digits;
  struct Storage {
    uint32_t own[Searches][digits], sums[Searches][digits];
    uint32_t received[Searches][digits];  // of this block's slice of the digits, what each block has counted
    uint32_t lengths[MostBlocks], length;
    // Of either a block is told something anew only when it has had all of the other: words of two rounds never mix.
    ClusterMail parts, totals;
  };

  __device__ TopKClusterCounts(Storage &storage, const BlockCluster &cluster)
      : storage_(storage), cluster_(cluster), slice_(digits / cluster.size()) {
    if (threadIdx.x == 0) {
      storage.length = 0;
      if (!cluster.is_one()) storage.parts.open(), storage.totals.open();
    }
    clear();
    cluster.arrive_relaxed();
  }

  // Of all blocks' threads, the first time that they tell each other something.
  __device__ int longest(int mine) {
    const int lane = ptx::lane_id();
    mine = fold_of_lanes(mine, maximum<false>{});
    if (lane == 0) atomicMax(&storage_.length, uint32_t(mine));
    __syncthreads();
    if (cluster_.is_one()) return int(storage_.length);
    cluster_.wait();
    // What comes next, parts, may come before all lengths have.
    if (threadIdx.x < cluster_.size())
      storage_.totals.send(&storage_.lengths[cluster_.rank()], storage_.length, threadIdx.x);
    storage_.totals.await(cluster_.size(), 0);
    return fold_of_lanes(lane < int(cluster_.size()) ? int(storage_.lengths[lane]) : 0, maximum<false>{});
  }

  // When this block has counted: what all have, until they have all come here again.
  __device__ void add_up() {
    __syncthreads();
    if (cluster_.is_one()) return;
#pragma unroll 1
    for (int d = threadIdx.x; d < words; d += Threads) send_part(d / digits, d % digits);
    storage_.parts.await(words, round_);
#pragma unroll 1
    for (int d = threadIdx.x; d < words; d += Threads) send_total(d / digits, d % slice_, d % digits / slice_);
    storage_.totals.await(words, ++round_);
  }
  __device__ const uint32_t *sums(int which) const {
    return cluster_.is_one() ? storage_.own[which] : storage_.sums[which];
  }

  // Before anything is counted again.
  __device__ void clear() const {
#pragma unroll 1
    for (int d = threadIdx.x; d < words; d += Threads) storage_.own[d / digits][d % digits] = 0;
    __syncthreads();
  }

 private:
  __device__ void send_part(int which, uint32_t d) {
    storage_.parts.send(&storage_.received[which][cluster_.rank() * slice_ + d % slice_], storage_.own[which][d],
                        d / slice_);
  }
  __device__ void send_total(int which, uint32_t d, uint32_t block) {
    uint32_t total = 0;
#pragma unroll
    for (uint32_t r = 0; r < MostBlocks; ++r)
      if (r < cluster_.size()) total += storage_.received[which][r * slice_ + d];
    storage_.totals.send(&storage_.sums[which][cluster_.rank() * slice_ + d], total, block);
  }

  Storage &storage_;
  const BlockCluster &cluster_;
  uint32_t slice_, round_ = 0;
};

// The share of a source's items that a block of a cluster has, and what the blocks find out together about all of them.
// `Searches` for items of different ranks may go on at the same time.
template <int Threads, int Items, int MostBlocks, class Source, int Searches = 1> class TopKClusterSearch {
  using Bits = typename Source::Bits;
  using Counts = TopKClusterCounts<Threads, MostBlocks, Searches>;
  using Pick = TopKPick<Threads, Counts::digits>;

 public:
  using Tile = TopKTile<Threads, Items, Source>;
  using Search = TopKSearch<Bits, top_k_cluster_digit_bits>;
  struct TempStorage {
    typename Counts::Storage counts;
    typename Pick::TempStorage pick;
  };

  // `cluster` and `source` have to outlive it.
  __device__ TopKClusterSearch(TempStorage &storage, const BlockCluster &cluster, const Source &source)
      : storage_(storage), source_(source), counts_(storage.counts, cluster) {
    const uint64_t vectors = ceil_div(source.count(), uint64_t(Tile::vector_items) * cluster.size());
    begin_ = min_of(cluster.rank() * vectors * Tile::vector_items, source.count());
    end_ = min_of(begin_ + vectors * Tile::vector_items, source.count());
  }

  __device__ uint64_t begin() const { return begin_; }
  __device__ uint64_t end() const { return end_; }
  // Whether a thread can hold all that it has.
  __device__ bool is_tile() const { return end_ - begin_ <= Tile::block_items; }

  static __device__ Bits difference(const Tile &tile, Bits some) {
    Bits all = 0;
    tile.for_each([&](int i) {
      if (tile.has(i)) all |= tile.bits[i] ^ some;
    });
    return all;
  }
  // How many of the lowest bits differ, if those do among the thread's items: of all blocks.
  __device__ int most_differing(Bits differing) { return counts_.longest(bit_length(differing)); }
  // For the item of a rank among those whose bits are those of `some` but for the lowest.
  static __device__ Search first_search(Bits some, int differing, uint64_t last_index, uint64_t rank) {
    const Bits low = low_bits<Bits>(differing);
    return Search::between({Bits(some & ~low), 0}, {Bits(some | low), last_index}, bit_length(last_index), rank);
  }

  __device__ void count(const Tile &tile, const Search &search, int which = 0) const {
    top_k_count(tile, source_, search, ptx::kept_shared_address(storage_.counts.own[which]));
  }
  // When all is counted, of each search; and before anything is counted again.
  __device__ void add_up() { counts_.add_up(); }
  __device__ void clear() const { counts_.clear(); }
  template <bool FindsOne> __device__ void narrow(Search &search, int which = 0) const {
    const uint32_t *sums = counts_.sums(which);
    const TopKDigit found = Pick::Find(storage_.pick, [&](int d) { return sums[d]; }, search.rank);
    if constexpr (FindsOne) search.narrow_to_one(found.digit, found.below, found.count);
    else search.narrow(found.digit, found.below, found.count);
  }

 private:
  TempStorage &storage_;
  const Source &source_;
  Counts counts_;
  uint64_t begin_, end_;
};

// Finds the items up to one of some rank, and writes them. The launch has Policy::cluster blocks at most, and they are
// one cluster.
template <class Policy, class Source, class Sink> class AgentTopKCluster {
  using Bits = typename Source::Bits;
  using Together = TopKClusterSearch<Policy::threads, Policy::items, Policy::cluster, Source>;
  using Filter = TopKFilter<Policy::threads, Policy::items, Source, Sink>;
  using Search = typename Together::Search;
  using Tile = typename Together::Tile;

 public:
  struct TempStorage {
    typename Together::TempStorage search;
    typename Filter::TempStorage filter;
    uint64_t taken;  // the first block's is of all
  };

  // `taken` results are there already.
  static __device__ void Run(TempStorage &storage, const Source &source, const Sink &sink, uint64_t last_index,
                             uint64_t rank, uint64_t taken) {
    enum { LOOKS, COUNTS, WRITES };
    if (threadIdx.x == 0) storage.taken = taken;
    const BlockCluster cluster;
    Together together(storage.search, cluster, source);
    const Bits some = source.bits(0);
    Bits differing = 0;
    Search search;
    Tile tile;
#pragma unroll 1
    for (int step = LOOKS;;) {
#pragma unroll 1
      for (uint64_t first = together.begin(); first < together.end(); first += Tile::block_items) {
        if (step == LOOKS || !together.is_tile()) tile = Tile(source, first, together.end());
        if (step == LOOKS) differing |= Together::difference(tile, some);
        else if (step == COUNTS) together.count(tile, search);
        else filter_of(storage, source, sink, cluster, search).Sort(tile, true);
      }
      if (step == WRITES) break;
      if (step == LOOKS) {
        search = Together::first_search(some, together.most_differing(differing), last_index, rank);
        if (!Sink::finds_one && rank == source.count()) search.takes_all = true;
      } else {
        together.add_up();
        together.template narrow<Sink::finds_one>(search);
        if (!search.is_over()) together.clear();
      }
      step = search.is_over() ? WRITES : COUNTS;
    }
    cluster.arrive_relaxed();
    cluster.wait();  // others may reach the first block's memory until then
  }

 private:
  static __device__ Filter filter_of(TempStorage &storage, const Source &source, const Sink &sink,
                                     const BlockCluster &cluster, const Search &search) {
    uint64_t *taken = cluster.in_block(&storage.taken, 0);
    return {storage.filter, source, sink, {taken, taken}, Sink::finds_one ? search.lower_bound() : search.bound(),
            search.bound()};
  }
};

}  // namespace jig
