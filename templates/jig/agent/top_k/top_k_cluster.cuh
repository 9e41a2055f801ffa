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

// If the items of all blocks have no more different digits than that, they are likely to have few different keys.
constexpr int top_k_few_kinds = 8;

// So many different items, a lane for each, are told of and ranked rather than counted.
constexpr int top_k_few_items = warp_threads;

// What the blocks of a cluster tell each other: how many of the lowest bits differ, and counters of digits, of several
// searches. Those of so many blocks are added up at once.
template <int Threads, int MostBlocks, int Searches, class Bits, bool RanksFew, int AtOnce> class TopKClusterCounts {
  // Bits that some item has, bits that some item lacks, and the number of items.
  static constexpr int bits_words = word_count<Bits>, seen_words = 2 * bits_words + 1;

  // What each block tells of its items, the block's own ones, and all.
  struct FewItems {
    uint32_t sent[MostBlocks][top_k_few_items][bits_words], counts[MostBlocks];
    uint32_t used, count;  // of `own` and `items`
    Bits own[top_k_few_items], items[top_k_few_items];
    ClusterMail mail;
  };
  struct WithFew {
    FewItems few;
  };
  struct WithoutFew {};

 public:
  static constexpr int digits = 1 << top_k_cluster_digit_bits, words = Searches * digits;
  struct Storage : conditional<RanksFew, WithFew, WithoutFew> {
    uint32_t own[Searches][digits], sums[Searches][digits];
    uint32_t received[Searches][digits];  // of this block's slice of the digits, what each block has counted
    uint32_t lengths[MostBlocks], length;
    uint32_t seen[MostBlocks][seen_words], own_seen[seen_words];
    // Of either a block is told something anew only when it has had all of the other: words of two rounds never mix.
    ClusterMail parts, totals, looks;
  };
  // Of all blocks' items: which bits are not the same, and the others; how many are in the blocks before this one, and
  // how many of its own.
  struct Seen {
    Bits differing, others;
    uint32_t before, own;
  };

  __device__ TopKClusterCounts(Storage &storage, const BlockCluster &cluster)
      : storage_(storage), cluster_(cluster), slice_(digits / cluster.size()) {
    if (threadIdx.x == 0) {
      storage.length = 0;
      if (!cluster.is_one()) storage.parts.open(), storage.totals.open(), storage.looks.open();
    }
    if (threadIdx.x < seen_words) storage.own_seen[threadIdx.x] = 0;
    if constexpr (RanksFew)
      if (threadIdx.x == 0 && !cluster.is_one()) storage.few.used = storage.few.count = 0, storage.few.mail.open();
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

  // Of a thread's items: of all. Once, after that.
  __device__ Seen look(Bits ones, Bits zeros, uint32_t count) {
    const auto one_words = to_words(ones), zero_words = to_words(zeros);
    const uint32_t lane = ptx::lane_id(), rank = cluster_.rank();
#pragma unroll
    for (int w = 0; w < bits_words; ++w) {
      const uint32_t one = fold_of_lanes(one_words[w], bit_or{}), zero = fold_of_lanes(zero_words[w], bit_or{});
      if (lane == 0) atomicOr(&storage_.own_seen[w], one), atomicOr(&storage_.own_seen[bits_words + w], zero);
    }
    count = fold_of_lanes(count, plus{});
    if (lane == 0) atomicAdd(&storage_.own_seen[2 * bits_words], count);
    __syncthreads();
    if (cluster_.is_one()) return seen_of(storage_.own_seen, true, true);
    if (threadIdx.x < cluster_.size())
#pragma unroll
      for (int w = 0; w < seen_words; ++w)
        storage_.looks.send(&storage_.seen[rank][w], storage_.own_seen[w], threadIdx.x);
    storage_.looks.await(cluster_.size() * seen_words, 0);
    return seen_of(storage_.seen[min_of(lane, cluster_.size() - 1)], lane < cluster_.size(), lane == rank);
  }

  // Of that many items that are left, the one of some rank: each(f) calls f(bits) for this block's. Once, and not of a
  // block by itself.
  template <class Each> __device__ Bits item_of_rank(uint32_t count, uint64_t rank, const Each &each) {
    FewItems &few = storage_.few;
    each([&](Bits bits) { few.own[ptx::fetch_add_shared(ptx::shared_address(&few.used), 1)] = bits; });
    __syncthreads();
    if (threadIdx.x < cluster_.size()) few.mail.send(&few.counts[cluster_.rank()], few.used, threadIdx.x);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < few.used * MostBlocks; i += Threads) {
      const uint32_t slot = i / MostBlocks, block = i % MostBlocks;
      if (block >= cluster_.size()) continue;
      const auto words = to_words(few.own[slot]);
#pragma unroll
      for (int w = 0; w < bits_words; ++w) few.mail.send(&few.sent[cluster_.rank()][slot][w], words[w], block);
    }
    few.mail.await(cluster_.size() + count * bits_words, 0);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < cluster_.size() * top_k_few_items; i += Threads) {
      const uint32_t block = i / top_k_few_items, slot = i % top_k_few_items;
      if (slot >= few.counts[block]) continue;
      array<uint32_t, bits_words> words;
#pragma unroll
      for (int w = 0; w < bits_words; ++w) words[w] = few.sent[block][slot][w];
      few.items[ptx::fetch_add_shared(ptx::shared_address(&few.count), 1)] = from_words<Bits>(words);
    }
    __syncthreads();
    const uint32_t lane = ptx::lane_id();
    const Bits own = few.items[min_of(lane, count - 1)];
    uint32_t before = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) before += few.items[i] < own;
    const uint32_t found = __ballot_sync(full_warp, lane < count && before + 1 == rank);
    return few.items[__ffs(int(found)) - 1];
  }

  // When this block has counted: what all have, until they have all come here again.
  __device__ void add_up() {
    __syncthreads();
    if (is_alone()) return;
#pragma unroll 1
    for (int d = threadIdx.x; d < words; d += Threads) send_part(d / digits, d % digits);
    storage_.parts.await(words, round_);
#pragma unroll 1
    for (int d = threadIdx.x; d < words; d += Threads) send_total(d / digits, d % slice_, d % digits / slice_);
    storage_.totals.await(words, ++round_);
  }
  __device__ const uint32_t *sums(int which) const {
    return is_alone() ? storage_.own[which] : storage_.sums[which];
  }

  // Before anything is counted again.
  __device__ void clear() const {
#pragma unroll 1
    for (int d = threadIdx.x; d < words; d += Threads) storage_.own[d / digits][d % digits] = 0;
    __syncthreads();
  }

  __device__ uint32_t blocks() const { return cluster_.size(); }

  // From now on this block counts for itself.
  __device__ void leave() { is_left_ = true; }

 private:
  __device__ bool is_alone() const { return is_left_ || cluster_.is_one(); }

  // By all lanes, each of which has a block's words, or none.
  __device__ Seen seen_of(const uint32_t *words, bool is_block, bool is_own) const {
    array<uint32_t, bits_words> differing, others;
    const uint32_t lane = ptx::lane_id(), count = is_block ? words[2 * bits_words] : 0;
#pragma unroll
    for (int w = 0; w < bits_words; ++w) {
      others[w] = fold_of_lanes(is_block ? words[w] : 0, bit_or{});
      differing[w] = others[w] & fold_of_lanes(is_block ? words[bits_words + w] : 0, bit_or{});
    }
    const uint32_t rank = cluster_.rank();
    const bool is_before = is_block && !cluster_.is_one() && lane < rank;
    return {from_words<Bits>(differing), from_words<Bits>(others), fold_of_lanes(is_before ? count : 0, plus{}),
            fold_of_lanes(is_own ? count : 0, maximum<false>{})};
  }

  __device__ void send_part(int which, uint32_t d) {
    storage_.parts.send(&storage_.received[which][cluster_.rank() * slice_ + d % slice_], storage_.own[which][d],
                        d / slice_);
  }
  __device__ void send_total(int which, uint32_t d, uint32_t block) {
    uint32_t total = 0;
    if constexpr (AtOnce < MostBlocks) {
#pragma unroll AtOnce
      for (uint32_t r = 0; r < cluster_.size(); ++r) total += storage_.received[which][r * slice_ + d];
    } else {
#pragma unroll
      for (uint32_t r = 0; r < MostBlocks; ++r)
        if (r < cluster_.size()) total += storage_.received[which][r * slice_ + d];
    }
    storage_.totals.send(&storage_.sums[which][cluster_.rank() * slice_ + d], total, block);
  }

  Storage &storage_;
  const BlockCluster &cluster_;
  uint32_t slice_, round_ = 0;
  bool is_left_ = false;
};

// The share of a source's items that a block of a cluster has, and what the blocks find out together about all of them.
// `Searches` for items of different ranks may go on at the same time.
template <int Threads, int Items, int MostBlocks, class Source, int Searches = 1, bool RanksFew = false,
          int AtOnce = MostBlocks>
class TopKClusterSearch {
  using Bits = typename Source::Bits;
  using Counts = TopKClusterCounts<Threads, MostBlocks, Searches, Bits, RanksFew, AtOnce>;
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
  // Whether a thread can hold all that it has; and whether that is so in all blocks, the last of which may have less.
  __device__ bool is_tile() const { return end_ - begin_ <= Tile::block_items; }
  __device__ bool are_tiles() const { return source_.count() <= counts_.blocks() * uint64_t(Tile::block_items); }

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
  // By the only tile of each block: leaves out bits that are the same in all items that are still looked for. If the
  // keys are, the item is in one block, which looks for it alone. Once.
  __device__ void narrow_by_look(const Tile &tile, Search &search) {
    Bits ones = 0, zeros = 0;
    uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < Tile::size; ++i) {
      if (!tile.has(i) || !search.holds_bits(tile.bits[i])) continue;
      ones |= tile.bits[i];
      zeros |= Bits(~tile.bits[i]);
      ++count;
    }
    const typename Counts::Seen seen = counts_.look(ones, zeros, count);
    search.narrow_to(seen.others, bit_length(Bits(seen.differing & search.unknown_bits)));
    if (search.left > 0 || !Source::is_ordered) return;
    counts_.leave();
    const bool is_before = search.rank <= seen.before, is_behind = search.rank > seen.before + seen.own;
    if (!is_before && !is_behind) search.narrow_to_indices(begin_, end_ - 1, search.rank - seen.before);
    else if (is_before) search.narrow_to_indices(begin_ - 1, begin_ - 1, 1);
    else search.narrow_to_indices(end_, end_, 1);
  }
  // By the only tile of each of several blocks: the search is over.
  __device__ void rank_few(const Tile &tile, Search &search, uint32_t count) {
    search.narrow_to_item(counts_.item_of_rank(count, search.rank, [&](const auto &tell) {
      tile.for_each([&](int i) {
        if (tile.has(i) && search.holds_bits(tile.bits[i])) tell(tile.bits[i]);
      });
    }));
  }
  template <bool FindsOne> __device__ TopKDigit narrow(Search &search, int which = 0) const {
    const uint32_t *sums = counts_.sums(which);
    const TopKDigit found = Pick::Find(storage_.pick, [&](int d) { return sums[d]; }, search.rank);
    if constexpr (FindsOne) search.narrow_to_one(found.digit, found.below, found.count);
    else search.narrow(found.digit, found.below, found.count);
    return found;
  }

 private:
  TempStorage &storage_;
  const Source &source_;
  Counts counts_;
  uint64_t begin_, end_;
};

// Finds the items up to one of some rank, and writes them. The launch has Policy::cluster blocks at most, and they are
// one cluster. LooksAtTies: whether equal keys are looked at as few kinds of keys are.
template <class Policy, class Source, class Sink, bool LooksAtTies = false> class AgentTopKCluster {
  using Bits = typename Source::Bits;
  // What is one number with its index is like no other.
  static constexpr bool ranks_few = is_packed_source<Source> && !Sink::finds_one;
  using Together = TopKClusterSearch<Policy::threads, Policy::items, Policy::cluster, Source, 1, ranks_few,
                                     LooksAtTies ? 4 : Policy::cluster>;
  using Filter = TopKFilter<Policy::threads, Policy::items, Source, Sink, Sink::finds_one>;
  using Search = typename Together::Search;
  using Tile = typename Together::Tile;
  // Of wider keys it takes registers that are missed elsewhere; candidates with their indices behind mostly take no
  // step less.
  static constexpr bool may_look = sizeof(Bits) <= 4;

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
    bool has_looked = false;
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
        // All keys are the same.
        if (Source::is_ordered && search.is_by_index()) search.narrow_to_indices(rank - 1, rank - 1, 1);
      } else {
        together.add_up();
        const TopKDigit found = together.template narrow<Sink::finds_one>(search);
        // The items that are left are likely to have few different keys, several digits long.
        const bool are_few = found.kinds <= top_k_few_kinds && search.left > top_k_cluster_digit_bits;
        if (!search.is_over()) together.clear();
        if constexpr (ranks_few) {
          if (found.count <= top_k_few_items && !cluster.is_one() && together.are_tiles() && !search.is_over())
            together.rank_few(tile, search, uint32_t(found.count));
        }
        if constexpr (may_look) {
          const bool is_tie = LooksAtTies && search.is_by_index();
          if ((are_few || is_tie) && !has_looked && together.are_tiles() && !search.is_over()) {
            together.narrow_by_look(tile, search);
            has_looked = true;
          }
        }
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
