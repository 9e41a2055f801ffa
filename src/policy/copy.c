/* How copy is tuned.
 *
 * A thread has one vector of 16 bytes of the larger items, and a multiprocessor all the threads it has
 * room for. On an H200 that copies as fast as the driver does; threads with more vectors each, of which
 * there are fewer then, were 2 to 6 % slower, and 64 bytes of neighbours for a thread on one side half as
 * fast. What is only moved and lies in L2 is faster by two vectors a thread. Where one side has no
 * vectors, threads have single items, some of them at once, so that a warp's are neighbours. Other GPUs:
 * not measured. */
#include "policy/copy.h"

#include "policy/shared_memory.h"
#include "spec/type.h"

enum {
  MAX_BYTES = 64,
  THREADS = 256,
  SINGLE_UNROLL = 4,
  IF_UNROLL = 8,
  IN_L2_UNROLL = 2,
  BYTES_THREADS = 128, /* of several inputs of bytes, and of bytes that are reversed */
  MOST_COMPUTED = 4,
  PIXEL_BYTES = 3,
  /* Items whose words are shared: a warp has some at a time, and enough warps to wait for them. */
  SHARED_BYTES = 16,
  SHARED_BLOCKS = 4,
  WARP_BYTES = 1024,
  MOST_LANES = 8,
};

/* Items that are moved from anywhere in memory, and too large for a lane to load one at once: so many
 * lanes share the words of one. 0: lanes have items of their own. */
static int lanes_of(const jig_iter *in, const jig_iter *out) {
  if (lanes_share_items(out)) return MOST_LANES;
  if (in->kind != JIG_ITER_PERMUTATION || !iter_has_references(in) || out->kind != JIG_ITER_POINTER ||
      in->type.kind != out->type.kind || in->type.size <= SHARED_BYTES)
    return 0;
  int lanes = 1;
  while (lanes < MOST_LANES && in->type.size * 32 > (uint32_t)(WARP_BYTES * lanes)) lanes *= 2;
  return lanes;
}

static policy shared_policy(int lanes) {
  return vector_tuning_pack((vector_tuning){
      .threads = THREADS, .items = 1, .unroll = 1, .min_blocks = SHARED_BLOCKS, .lanes = lanes});
}

/* What a thread has in registers of each item that it waits for. */
static int loaded_bytes(const jig_iter *in) {
  const jig_iter *source = iter_source(in);
  int bytes = 0;
  if (source->kind != JIG_ITER_ZIP_TRANSFORM)
    return (int)source->type.size + (iter_loads_each(source) ? (int)sizeof(void *) : 0);
  for (unsigned k = 0; k < iter_base_count(source); ++k) bytes += loaded_bytes(iter_base_at(source, k));
  return bytes;
}

/* Vectors of several words are stored word by word, each a part of a sector: single items, one of each
 * thread, are up to twice as fast, unless they are pixels of three bytes. */
static bool has_many_words(int vector, uint32_t size) {
  return vector * (int)size > VECTOR_BYTES && size > PIXEL_BYTES;
}

static policy policy_of(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const int lanes = lanes_of(in, out), vector = vector_items(in, out);
  if (lanes > 0) return shared_policy(lanes);
  const bool has_words = has_many_words(vector, out->type.size);
  const int items = has_words ? 1 : vector;
  const int bytes = items * larger((int)in->type.size, (int)out->type.size);
  /* What is only moved stays as it was loaded. Many items that are computed take registers. */
  const bool is_moved = in->kind == JIG_ITER_POINTER && in->type.kind == out->type.kind;
  const int share = is_moved || items <= MOST_COMPUTED ? 1 : 2;
  /* Two vectors a thread are faster where all lies in L2 (see algorithm/vector_plan.c) and nothing else
   * is loaded for them. Of bytes registers spilled. */
  const int loaded = items * loaded_bytes(in);
  const bool is_light = items > 1 && items < 16 && loaded == VECTOR_BYTES && bytes == VECTOR_BYTES &&
                        out->kind == JIG_ITER_POINTER;
  const int unroll = items == 1 && bytes <= VECTOR_BYTES / 2 && !has_words ? SINGLE_UNROLL
                     : is_light                                            ? IN_L2_UNROLL
                                                                           : 1;
  const bool is_small =
      bytes <= MAX_BYTES && (in->kind != JIG_ITER_ZIP_TRANSFORM || unroll * loaded <= MAX_BYTES);
  const bool is_bytes = in->kind == JIG_ITER_ZIP_TRANSFORM && items == VECTOR_BYTES;
  return vector_tuning_pack(
      (vector_tuning){.threads = is_bytes ? BYTES_THREADS : THREADS,
                      .items = items,
                      .unroll = unroll,
                      .min_blocks = is_small ? multiprocessor_threads(sm) / THREADS / share : 1});
}

/* Some items only: a thread has single ones, so that a warp's are neighbours. */
static policy transform_if_policy(const jig_iter *in, const jig_iter *out) {
  const int bytes = larger((int)in->type.size, (int)out->type.size);
  if (lanes_share_items(out)) return shared_policy(MOST_LANES);
  return vector_tuning_pack((vector_tuning){.threads = THREADS,
                                            .items = 1,
                                            .unroll = bytes <= VECTOR_BYTES / 2 ? IF_UNROLL : 1,
                                            .min_blocks = 1});
}

/* Where lanes share words there is one item at a time. */
static bool has_own_items(const spec *s, int sm, const policy *p) {
  const vector_tuning to = vector_tuning_of(p);
  (void)s;
  (void)sm;
  return to.lanes == 0 || to.unroll == 1;
}

static policy choose_copy(const spec *s, int sm, tuning_told *told) {
  const policy found = policy_of(s, sm);
  vector_tuning to = vector_tuning_of(&found);
  tuning_take(told, &copy_space, &to);
  return vector_tuning_pack(to);
}

const policy_space copy_space = {.choose = choose_copy, .knobs = VECTOR_KNOBS, .allows = has_own_items};

static policy choose_transform(const spec *s, int sm, tuning_told *told) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const bool is_if = spec_find(s, "stencil")->iter != NULL;
  const policy found = is_if ? transform_if_policy(in, out) : policy_of(s, sm);
  vector_tuning to = vector_tuning_of(&found);
  tuning_take(told, &transform_space, &to);
  return vector_tuning_pack(to);
}

const policy_space transform_space = {
    .choose = choose_transform, .knobs = VECTOR_KNOBS, .allows = has_own_items};

/* Whether all that is loaded are neighbours. */
static bool loads_neighbours(const jig_iter *in) {
  const jig_iter *source = iter_source(in);
  if (source->kind != JIG_ITER_ZIP_TRANSFORM) return !iter_loads_each(source);
  for (unsigned k = 0; k < iter_base_count(source); ++k)
    if (!loads_neighbours(iter_base_at(source, k))) return false;
  return true;
}

static int staged_bytes(const spec *s) {
  return loaded_bytes(spec_find(s, "in")->iter) + (int)spec_find(s, "out")->iter->type.size;
}

bool transform_is_staged(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  return spec_find(s, "stencil")->iter == NULL && out->kind == JIG_ITER_POINTER &&
         vectors_are_staged(out->type.size, staged_bytes(s)) && loads_neighbours(in);
}

static policy choose_staged(const spec *s, int sm, tuning_told *told) {
  (void)sm;
  return staged_vectors(staged_bytes(s), &transform_staged_space, told);
}

static bool staged_allows(const spec *s, int sm, const policy *p) {
  (void)sm;
  return staged_vectors_fit(staged_bytes(s), p);
}

const policy_space transform_staged_space = {
    .choose = choose_staged, .knobs = VECTOR_KNOBS, .allows = staged_allows};

static policy choose_reverse(const spec *s, int sm, tuning_told *told) {
  const uint32_t size = spec_find(s, "out")->iter->type.size;
  const int vector = vector_items(spec_find(s, "in")->iter, spec_find(s, "out")->iter);
  const bool has_words = has_many_words(vector, size);
  const int items = has_words ? 1 : vector;
  vector_tuning to = {.threads = size == 1 ? BYTES_THREADS : THREADS,
                      .items = items,
                      .unroll = items == 1 && size <= VECTOR_BYTES && !has_words ? SINGLE_UNROLL : 1,
                      .min_blocks = 1};
  (void)sm;
  tuning_take(told, &reverse_space, &to);
  return vector_tuning_pack(to);
}

/* What is small and only moved has a vector from either end, and what is too large for registers an item.
 */
static bool reverse_allows(const spec *s, int sm, const policy *p) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const bool is_moved = in->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER;
  (void)sm;
  return vector_tuning_of(p).unroll == 1 ||
         (out->type.size <= TYPE_HELD_SIZE && !(is_moved && out->type.size <= 2));
}

const policy_space reverse_space = {
    .choose = choose_reverse, .knobs = VECTOR_KNOBS, .allows = reverse_allows};
