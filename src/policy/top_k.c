/* How top-k is tuned.
 *
 * What counts is the pass over the input: it has 64 bytes of each thread under way, and registers for
 * twice that, which leaves room for 1024 threads of a multiprocessor. A block by itself, and the one that
 * looks at a sample, are as large as can be, since nobody helps them. On an H200 other
 * shapes of the pass are as fast within some percent. */
#include "policy/policy.h"
#include "policy/shared_memory.h"

enum {
  BLOCK_THREADS = 1024,
  GRID_THREADS = 512,
  GRID_BLOCKS = 2,
  GATHER_THREADS = 256,
  /* Of keys, for each thread. */
  THREAD_BYTES = 64,
  /* What a thread has beside them does not get smaller with them. */
  MAX_THREAD_ITEMS = 16,
  MAX_FIELD_BYTES = 16,
  /* Of candidates and samples, which come one by one; what is unrolled takes time to compile. */
  FEW_ITEMS = 4,
  /* Of keys that one block looks through faster than others can be told to help. */
  SINGLE_TILE_BYTES = 128 * 1024,
  SINGLE_TILE_ITEMS = 32 * 1024,
  FINISH_ITEMS = 8 * 1024,
  SAMPLES = 16 * 1024,
  /* A sample has one of so many items, or of more. */
  STRETCH = 256,
};

static int key_bytes(const spec *s) {
  return (int)spec_find(s, "keys_in")->iter->type.size;
}

/* Of the pass; a whole number of runs, as far as there are runs. */
static int thread_items(const spec *s) {
  const int bits = smaller(key_bytes(s), MAX_FIELD_BYTES);
  const int items = THREAD_BYTES / (bits < 4 ? 4 : bits);
  return smaller(items, MAX_THREAD_ITEMS);
}

policy top_k_block_policy(const spec *s, int sm) {
  static const char *const names[] = {"threads", "min_blocks", "items", "most_items"};
  (void)sm;
  return (policy){4,
                  names,
                  {BLOCK_THREADS, 1, thread_items(s) / 2,
                   smaller(SINGLE_TILE_BYTES / key_bytes(s), SINGLE_TILE_ITEMS)}};
}

policy top_k_sample_policy(const spec *s, int sm) {
  static const char *const names[] = {"threads", "min_blocks", "items", "most_samples", "stretch"};
  (void)s;
  (void)sm;
  return (policy){5, names, {BLOCK_THREADS, 1, FEW_ITEMS, SAMPLES, STRETCH}};
}

/* It says how the next kernel cuts its work, and so has to know. */
policy top_k_pass_policy(const spec *s, int sm) {
  static const char *const names[] = {"threads",      "min_blocks",     "items",
                                      "finish_items", "select_threads", "select_items"};
  const policy select = top_k_select_policy(s, sm);
  return (policy){6,
                  names,
                  {GRID_THREADS, GRID_BLOCKS, thread_items(s), FINISH_ITEMS, select.values[TOP_K_THREADS],
                   select.values[TOP_K_ITEMS]}};
}

policy top_k_select_policy(const spec *s, int sm) {
  static const char *const names[] = {"threads", "min_blocks", "items"};
  (void)sm;
  return (policy){3, names, {GRID_THREADS, GRID_BLOCKS, thread_items(s) / 2}};
}

policy top_k_gather_policy(const spec *s, int sm) {
  static const char *const names[] = {"threads", "min_blocks"};
  (void)s;
  (void)sm;
  return (policy){2, names, {GATHER_THREADS, 1}};
}
