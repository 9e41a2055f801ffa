// What a block does that sorts items into a few classes (select, unique, partition), if it is the only one, or one of a
// cluster: what a SelectTile does in an AgentCluster, by less code, as a first call waits until that is compiled.
//
// There are so few items that numbers of them have 32 bits. A warp has some rows of vectors, one of each lane; the last
// one of all may be shorter. What blocks send is added up.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/select/select_emit.cuh>
#include <jig/core/cluster.cuh>
#include <jig/core/count.cuh>
#include <jig/warp/fold_of_lanes.cuh>

namespace jig {

// Whether a thread can hold as many items of a second iterator as a vector of the first one has.
template <class In, class From>
constexpr bool selects_few_of = sizeof(typename From::value_type) * In::vector_items <= 64;
template <class In> constexpr bool selects_few_of<In, none> = true;

template <class Policy, class In, class Rule, class Sink, class CountOut, class Values = none, class ValuesSink = none>
class SelectFew {
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int max_rows = Policy::rows, vector_items = In::vector_items;
  static constexpr int selected = Rule::classes, most_blocks = Policy::cluster;
  static constexpr bool has_values = !is_same<Values, none>, has_beside = !is_same<typename Rule::Beside, none>;
  // Of two classes they share a word.
  using BlockCounts = fields<32 / selected, selected>;
  static_assert(selected == 1 || (selected == 2 && threads * max_rows * vector_items < 65536));

  template <class V> using vector = typename vectors_of<V, vector_items>::packed;
  template <class V> using item = typename vectors_of<V, vector_items>::item;

  template <class T, class To> using Emitter = SelectEmit<T, To, selected, vector_items>;
  template <class T, class To> static constexpr int stage_bytes = Emitter<T, To>::template stage_bytes<max_rows>;
  template <class T> static constexpr int stage_bytes<T, none> = 1;
  static constexpr int align = max_of(stage_align<item<In>>, stage_align<item<Values>>);
  using Counts = row_counts<max_rows, selected, vector_items>;

 public:
  static constexpr int items_per_row = threads * vector_items;
  struct TempStorage {
    struct alignas(align) Stage {
      unsigned char bytes[max_of(stage_bytes<item<In>, Sink>, stage_bytes<item<Values>, ValuesSink>)];
    } stages[warps];
    uint32_t warp_counts[warps];
    uint32_t sent[most_blocks][selected];  // by the blocks before this one
    ClusterMail mail;
  };

  __device__ SelectFew(TempStorage &storage, const In &in, const Rule &rule, const Sink &sink,
                       const CountOut &count_out, const Values &values, const ValuesSink &values_sink,
                       uint64_t num_items, bool in_place, int rows)
      : storage_(storage),
        in_(in),
        rule_(rule),
        sink_(sink),
        count_out_(count_out),
        values_(values),
        values_sink_(values_sink),
        num_items_(uint32_t(num_items)),
        in_place_(in_place),
        rows_(rows),
        warp_first_((blockIdx.x * threads + threadIdx.x - lane()) * unsigned(rows * vector_items)) {}

  // `blocks` of the grid, the first ones, have items.
  __device__ void Run(unsigned blocks) {
    const bool sends = most_blocks > 1 && blocks > 1;
    const unsigned warp = threadIdx.x / warp_threads, block = blockIdx.x;
    if (sends) {
      if (threadIdx.x == 0) storage_.mail.open();
      BlockCluster().arrive_relaxed();
    }
    const Counts own = load();
    counts_ = Lanes<Counts>::InclusiveScan(own, add_fields());
    totals_ = Lanes<Counts>::Broadcast(counts_, warp_threads - 1);
#pragma unroll
    for (int w = 0; w < Counts::words; ++w) counts_.word[w] -= own.word[w];
    BlockCounts of_warp{};
#pragma unroll
    for (int i = 0; i < max_rows * selected; ++i) of_warp.add(i % selected, totals_.get(i));
    if (lane() == 0) storage_.warp_counts[warp] = of_warp.word[0];
    if (sends) BlockCluster().wait();
    __syncthreads();
    const uint32_t count = lane() < warps ? storage_.warp_counts[lane()] : 0;
    const BlockCounts total = {{fold_of_lanes(count, plus{})}};
    array<uint32_t, selected> before{};
    if (sends) {
      if (in_place_) __threadfence();
      if (warp == 0) send(total, blocks);
      if (block > 0) before = take(block);
      if (in_place_) __threadfence();
    }
    if (block == blocks - 1 && threadIdx.x == 0) {
#pragma unroll
      for (int c = 0; c < selected; ++c)
        count_out_.store(c, static_cast<typename CountOut::value_type>(before[c] + total.get(c)));
    }
    const BlockCounts in_block = {{fold_of_lanes(lane() < warp ? count : 0, plus{})}};
    class_counts<selected> before_warp;
#pragma unroll
    for (int c = 0; c < selected; ++c) before_warp.count[c] = before[c] + in_block.get(c);
    emit<item<In>>(before_warp, of_warp, sink_, in_, vectors_);
    if constexpr (has_values) emit<item<Values>>(before_warp, of_warp, values_sink_, values_, value_vectors_);
  }

 private:
  static __device__ unsigned lane() { return threadIdx.x % warp_threads; }

  __device__ uint32_t first_item(int r) const { return warp_first_ + (r * warp_threads + lane()) * vector_items; }
  // How many items of the input a vector has.
  __device__ int held(uint32_t first) const {
    return int(min_of(num_items_ - min_of(first, num_items_), uint32_t(vector_items)));
  }

  // By items past the last one hold that one.
  template <class From> __device__ vector<From> load_vector(const From &from, uint32_t first) const {
    vector<From> items{};
    if (can_load_vectors<vector_items>(from) && held(first) == vector_items) {
      const auto loaded = load_items<vector_items>(from, first, true);
      if constexpr (is_same<decltype(loaded), const vector<From>>) return loaded;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) items.set(k, loaded[k]);
    } else {
#pragma unroll
      for (int k = 0; k < vector_items; ++k) items.set(k, from[min_of(first + k, num_items_ - 1)]);
    }
    return items;
  }

  // Loads all that the thread has; how many items of each class that is, row by row.
  __device__ Counts load() {
    Counts own{};
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      const uint32_t first = first_item(r);
#pragma unroll
      for (int c = 0; c < selected; ++c) masks_[r][c] = 0;
      if (r >= rows_ || first >= num_items_) continue;
      vectors_[r] = load_vector(in_, first);
      if constexpr (has_values) value_vectors_[r] = load_vector(values_, first);
      class_masks<selected> found;
      if constexpr (Rule::compares)
        found = rule_.masks_after(in_[max_of(first, 1u) - 1], first, vectors_[r], held(first));
      else if constexpr (has_beside) found = rule_.masks(first, true, vectors_[r], load_vector(rule_.beside, first));
      else found = rule_.masks(first, true, vectors_[r], none{});
#pragma unroll
      for (int c = 0; c < selected; ++c) {
        masks_[r][c] = found[c] & ((1u << held(first)) - 1);
        own.add(r * selected + c, __popc(masks_[r][c]));
      }
    }
    return own;
  }

  // By the first warp.
  __device__ void send(const BlockCounts &total, unsigned blocks) {
    if (threadIdx.x <= blockIdx.x || threadIdx.x >= blocks) return;
#pragma unroll
    for (int c = 0; c < selected; ++c) storage_.mail.send(&storage_.sent[blockIdx.x][c], total.get(c), threadIdx.x);
  }
  // What the first `count` blocks have sent.
  __device__ array<uint32_t, selected> take(unsigned count) {
    array<uint32_t, selected> sum;
    storage_.mail.await(count * selected, 0);
#pragma unroll
    for (int c = 0; c < selected; ++c) sum[c] = fold_of_lanes(lane() < count ? storage_.sent[lane()][c] : 0, plus{});
    return sum;
  }

  // Stores what the warp has, given what comes before it of each class.
  template <class T, class To, class From>
  __device__ void emit(const class_counts<selected> &before, const BlockCounts &counts, const To &to,
                       const From &from, const vector<From> (&vectors)[max_rows]) {
    Emitter<T, To> emitter(to, ptx::kept_shared_address(storage_.stages[threadIdx.x / warp_threads].bytes));
    const uint32_t earlier = min_of(warp_first_, num_items_);
    const int items = int(min_of(num_items_ - earlier, unsigned(warp_threads * rows_ * vector_items)));
    int of_class[selected], ranks[selected] = {};
#pragma unroll
    for (int c = 0; c < selected; ++c) of_class[c] = int(counts.get(c));
    emitter.Place(before, earlier, of_class, items);
    // Of in-place unique the next block may still be reading the last item.
    if (Rule::compares && is_same_memory(to.template out<0>(), from, in_place_) && emitter.KeepsAll(earlier, items))
      return;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      if (r >= rows_) break;
      int mine[selected];
#pragma unroll
      for (int c = 0; c < selected; ++c) mine[c] = ranks[c] + int(counts_.get(r * selected + c));
      const int all = To::classes == selected ? vector_items : held(first_item(r));
      emitter.Put(vectors[r], masks_[r], mine, int(first_item(r) - earlier), all);
#pragma unroll
      for (int c = 0; c < selected; ++c) ranks[c] += totals_.get(r * selected + c);
    }
    __syncwarp();
    emitter.Store();
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  const Sink &sink_;
  const CountOut &count_out_;
  const Values &values_;
  const ValuesSink &values_sink_;
  const uint32_t num_items_;
  const bool in_place_;
  const int rows_;
  const uint32_t warp_first_;  // the warp's first item
  Counts counts_, totals_;  // each row's, of the lanes before; of all lanes
  vector<In> vectors_[max_rows];
  vector<Values> value_vectors_[has_values ? max_rows : 1];
  class_masks<selected> masks_[max_rows];
};

}  // namespace jig
